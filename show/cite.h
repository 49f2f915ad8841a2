/*
 * What to cite: the simulator, the machine and its monitoring card (citation.def).
 */
#ifndef SHOW_CITE_H
#define SHOW_CITE_H

#include <stdio.h>

/** A form of the citation. */
struct show_cite_form {
    const char *name;
    void (*print)(FILE *out);
};

/** The forms; the first is the one that is meant when none is named. */
extern const struct show_cite_form show_cite_forms[];
extern const unsigned show_cite_form_count;

#endif
