/*
 * The hand count of latencies: steps of docs/latency.md and what each takes, as functions of the
 * parameters; and the document's tables.
 */
#ifndef LATENCY_COUNT_H
#define LATENCY_COUNT_H

#include "base/time.h"
#include "machine/values.h"
#include "programs/driven/latency.h"

#include <stdbool.h>

enum { LEVELS = 3, RECIPES_MAX = 64 };

/** A machine and where in it the three stations are. */
struct world {
    const char *name;
    unsigned fan[LEVELS]; /**< stations, locals, groups */
    unsigned station[DRIVEN_ROLES];
};

/** A count under way. */
struct count {
    const struct world *w;
    const struct driven_scenario *s;
    struct nm_params p;
    sim_tick bus, ring; /* [ticks] one cycle */
    sim_tick t;         /* reached */
    sim_tick put_out;   /* a write-back was put into the FIFO at that tick, */
    sim_tick came;      /* and came to memory at this one */
};

/** A row "| name | `steps` | ticks | ...". */
struct recipe {
    char name[64], steps[160];
    unsigned ticks[LEVELS], columns; /**< one number for everywhere, or one for each column */
};

struct document {
    struct recipe recipe[RECIPES_MAX];
    unsigned count;
};

/** The count of an access that begins at `start`, before its first step. */
struct count count_begin(const struct world *w, const struct driven_scenario *s,
                         const struct nm_params *p, sim_tick start);

/** Adds a step's time. False: there is no such step. */
bool count_step(struct count *c, const char *word);

/** The tick at which an access that begins at `start` is over, by its steps. */
sim_tick count_by_hand(const struct world *w, const struct driven_scenario *s,
                       const struct nm_params *p, const struct recipe *r, sim_tick start);

/** First edge at or after `t` of a clock of that cycle. */
sim_tick up_to(sim_tick t, sim_tick cycle);

/** Reads all rows out of docs/latency.md. */
void read_document(struct document *d);

/** The row of that name; there must be one. */
const struct recipe *recipe_of(const struct document *d, const char *name);

#endif
