/* Pictures of a machine, from the same parameters that build it. */
#ifndef PAGE_TOPOLOGY_H
#define PAGE_TOPOLOGY_H

#include "input/experiment.h"
#include "machine/statistics.h"

#include <stdio.h>

/** What is drawn. */
struct page_topology {
    const char *name;                 /**< of the machine */
    const struct in_machine *machine; /**< lives longer; the rest is derived from it */
    struct ring_shape shape;
    unsigned stations, rings; /**< 0 rings: one station alone */
};

/** @param name  "": the drawing has none */
struct page_topology page_topology_of(const struct in_machine *machine, const char *name);

enum { PAGE_CORE_NAME = 16 /**< [bytes] */ };

/** The word of processor.core for a card, in buf, returned. */
const char *page_core_name(const struct page_topology *t, unsigned card, char buf[PAGE_CORE_NAME]);

/** "central ring", "local ring 3", ... in buf, returned. */
const char *page_ring_name(const struct page_topology *t, unsigned level, unsigned index,
                           char buf[32]);

/** Writes the machine as a tree, as a graph for Graphviz, and as a platform of SimGrid. */
void page_topology_text(const struct page_topology *t, FILE *out);
void page_topology_dot(const struct page_topology *t, FILE *out);
void page_topology_simgrid(const struct page_topology *t, FILE *out);

/** Draws it as SVG. */
void page_draw(const struct page_topology *t, FILE *out);

#endif
