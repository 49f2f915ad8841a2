/*
 * The hand count of latencies: steps of docs/latency.md and what each takes, as functions of the
 * parameters; and the document's tables.
 */
#ifndef LATENCY_COUNT_H
#define LATENCY_COUNT_H

#include "base/time.h"
#include "machine/params.h"

#include <stdbool.h>

enum { PREPARATIONS = 4, LEVELS = 3, RECIPES_MAX = 64 };

/** Three stations: R requests, H is the home, O is another. */
enum { R, H, O, ROLES };

/** Lines of one set of the secondary cache. A is the line measured; B has the same home and L2
 * place as A; C the same home and network cache place; L the same L2 place and its home on station
 * R; P the same home and primary cache place. U and N are A on an uncached and on a non-coherent
 * page; G is a register of card 1 of A's home; W and V are registers of the requester's station and
 * A's home, written through a window, until they have changed on card 1 of the home or on the
 * requester. */
enum line { A, B, C, L, P, U, N, G, W, V };

struct access {
    unsigned role, card; /**< station and its card */
    bool store;
    enum line line;
    bool given; /**< false: this place of `before` is empty */
    bool twice; /**< and the same once more, at once */
};

/** An access to be measured after others have prepared for it. */
struct scenario {
    const char *name;
    unsigned home; /**< role of the station that is home of A, B, C and P */
    struct access measured, before[PREPARATIONS];
    bool flat; /**< in the protocol flat; else in the machine's */
};

/** A machine and where in it the three stations are. */
struct world {
    const char *name;
    unsigned fan[LEVELS]; /**< stations, locals, groups */
    unsigned station[ROLES];
};

/** A count under way. */
struct count {
    const struct world *w;
    const struct scenario *s;
    struct nm_params p;
    nm_tick bus, ring; /* [ticks] one cycle */
    nm_tick t;         /* reached */
    nm_tick put_out;   /* a write-back was put into the FIFO at that tick, */
    nm_tick came;      /* and came to memory at this one */
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
struct count count_begin(const struct world *w, const struct scenario *s, const struct nm_params *p,
                         nm_tick start);

/** Adds a step's time. False: there is no such step. */
bool count_step(struct count *c, const char *word);

/** The tick at which an access that begins at `start` is over, by its steps. */
nm_tick count_by_hand(const struct world *w, const struct scenario *s, const struct nm_params *p,
                      const struct recipe *r, nm_tick start);

/** First edge at or after `t` of a clock of that cycle. */
nm_tick up_to(nm_tick t, nm_tick cycle);

/** Reads all rows out of docs/latency.md. */
void read_document(struct document *d);

/** The row of that name; there must be one. */
const struct recipe *recipe_of(const struct document *d, const char *name);

#endif
