/* Pictures of a machine, from the same parameters that build it. */
#ifndef CLI_TOPOLOGY_H
#define CLI_TOPOLOGY_H

#include "input/experiment.h"
#include "machine/statistics.h"

#include <stdio.h>

/** What is drawn. */
struct cli_topology {
    const char *name;                 /**< of the machine */
    const struct in_machine *machine; /**< lives longer; the rest is derived from it */
    struct ring_shape shape;
    unsigned stations, rings; /**< 0 rings: one station alone */
};

/** @param name  "": the drawing has none */
struct cli_topology cli_topology_of(const struct in_machine *machine, const char *name);

enum { CLI_CORE_NAME = 16 /**< [bytes] */ };

/** The word of processor.core for a card, in buf, returned. */
const char *cli_core_name(const struct cli_topology *t, unsigned card, char buf[CLI_CORE_NAME]);

/** "central ring", "local ring 3", ... in buf, returned. */
const char *cli_ring_name(const struct cli_topology *t, unsigned level, unsigned index,
                          char buf[32]);

/** Draws the machine as SVG. */
void cli_draw(const struct cli_topology *t, FILE *out);

#endif
