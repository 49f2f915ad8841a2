/*
 * What to cite: the simulator, the machine and its monitoring card (citation.def).
 */
#ifndef CLI_CITE_H
#define CLI_CITE_H

#include <stdio.h>

/** A form of the citation. */
struct cli_cite_form {
    const char *name;
    void (*print)(FILE *out);
};

/** The forms; the first is the one that is meant when none is named. */
extern const struct cli_cite_form cli_cite_forms[];
extern const unsigned cli_cite_form_count;

#endif
