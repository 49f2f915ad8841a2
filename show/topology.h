/* Pictures of a machine, from the same parameters that build it. */
#ifndef SHOW_TOPOLOGY_H
#define SHOW_TOPOLOGY_H

#include "input/experiment.h"
#include "machine/statistics.h"

#include <stdio.h>

/** What is drawn. */
struct show_topology {
    const char *name;                 /**< of the machine */
    const struct in_machine *machine; /**< lives longer; the rest is derived from it */
    struct ring_shape shape;
    unsigned stations, rings; /**< 0 rings: one station alone */
};

/** @param name  "": the drawing has none */
struct show_topology show_topology_of(const struct in_machine *machine, const char *name);

enum { SHOW_CORE_NAME = 16 /**< [bytes] */ };

/** The word of processor.core for a card, in buf, returned. */
const char *show_core_name(const struct show_topology *t, unsigned card, char buf[SHOW_CORE_NAME]);

/** "central ring", "local ring 3", ... in buf, returned. */
const char *show_ring_name(const struct show_topology *t, unsigned level, unsigned index,
                           char buf[32]);

/** Writes the machine as a tree, as a graph for Graphviz, and as a platform of SimGrid. */
void show_topology_text(const struct show_topology *t, FILE *out);
void show_topology_dot(const struct show_topology *t, FILE *out);
void show_topology_simgrid(const struct show_topology *t, FILE *out);

/** Draws it as SVG (draw.c). */
void show_topology_svg(const struct show_topology *t, FILE *out);

#endif
