/*
 * Contention-free latencies: one access at a time on an otherwise idle machine, after others that
 * bring the line into the state wanted. docs/latency.md counts them by hand.
 */
#ifndef DRIVEN_LATENCY_H
#define DRIVEN_LATENCY_H

#include "programs/driven/driven.h"

enum { DRIVEN_PREPARATIONS = 4, DRIVEN_OTHERS = 3 };

/** Stations: R requests, H is the home, O is another. The caller says where they are. */
enum driven_role { DRIVEN_R, DRIVEN_H, DRIVEN_O, DRIVEN_ROLES };

/**
 * Lines of one set of the secondary cache. A is the line measured; B has the same home and L2 place
 * as A; C the same home and network cache place; L the same L2 place and its home on station R; P
 * the same home and primary cache place. U and N are A on an uncached and on a non-coherent page; G
 * is a register of card 1 of A's home; W and V are registers of the requester's station and A's
 * home, written through a window, until they have changed on card 1 of the home or on the
 * requester.
 */
enum driven_line {
    DRIVEN_A,
    DRIVEN_B,
    DRIVEN_C,
    DRIVEN_L,
    DRIVEN_P,
    DRIVEN_U,
    DRIVEN_N,
    DRIVEN_G,
    DRIVEN_W,
    DRIVEN_V
};

/** Which protocols a scenario is about. */
enum driven_kind { DRIVEN_ANY, DRIVEN_CACHE, DRIVEN_FLAT };

struct driven_access {
    enum driven_role role;
    unsigned card; /**< of that station */
    bool store;
    enum driven_line line;
    bool given;  /**< false: there is none */
    bool twice;  /**< and the same once more, at once; the first one's end is seen by the second */
    bool linked; /**< a load linked, and a store conditional: again, until that has stored */
    unsigned late; /**< [ticks] it begins so long after the measured one */
};

/** A row of latency.def, or of scenes.def. */
struct driven_scenario {
    const char *name;
    enum driven_role home; /**< of A, B, C and P */
    enum driven_kind kind;
    struct driven_access measured, before[DRIVEN_PREPARATIONS];
    struct driven_access others[DRIVEN_OTHERS]; /**< of other cards, meanwhile */
    const char *sentence; /**< what is to be seen; NULL: the name says it (latency.def) */
};

/** The i-th row of latency.def; NULL after the last. */
const struct driven_scenario *driven_scenario(size_t i);
/** The i-th row of scenes.def: several accesses at once; NULL after the last. */
const struct driven_scenario *driven_scene(size_t i);

/** Whether a protocol (enum of machine/protocol.h) is of the scenario's kind. */
bool driven_applies(const struct driven_scenario *s, uint64_t protocol);

/** Whether all of it happens on one station. */
bool driven_is_local(const struct driven_scenario *s);

/**
 * Three stations so far apart that messages between them use rings of `level` (0: one local ring)
 * and none above.
 * @return how many roles have a station, in their order; the machine has no more there
 */
unsigned driven_stations(const struct nm_params *p, unsigned level, unsigned station[DRIVEN_ROLES]);

/** The same machine, timed, and without what comes by chance: refills of TLBs, refresh. The
 * caller's. */
struct nm_params *driven_quiet(const struct nm_params *p);

/** Whether a scenario finds its stations and cards, given so many roles. */
bool driven_fits(const struct driven_scenario *s, const struct nm_params *p, unsigned roles);

/** One measurement. */
struct driven_latency {
    sim_tick start,
        over; /**< [ticks] the access began; its data could be used, or the store was done */
    char error[1024]; /**< what kept the machine from it; "": nothing */
};

/** Who looks on while a scenario is simulated. Looking changes nothing. */
struct driven_witness {
    void *ctx;
    /** All that prepares is over; what is measured begins at `start`. */
    void (*begins)(void *ctx, struct nm_machine *m, sim_tick start);
    /** The machine is quiet again; it is still there. */
    void (*ends)(void *ctx, struct nm_machine *m);
};

/**
 * Simulates the scenario on a new machine, which is given back.
 * @param p        legal; timed
 * @param station  of each role that it needs (driven_fits)
 * @param phase    [ticks] the measured access starts so long after an edge of both clocks
 */
struct driven_latency driven_measure(const struct nm_params *p, const struct driven_scenario *s,
                                     const unsigned station[DRIVEN_ROLES], unsigned phase);

/** The same before a witness. Of a scene, `over` is when the last access was. */
struct driven_latency driven_witnessed(const struct nm_params *p, const struct driven_scenario *s,
                                       const unsigned station[DRIVEN_ROLES], unsigned phase,
                                       const struct driven_witness *witness);

/** Whether a line has an address in the machine's memory, and which: what a witness is told of it.
 *  @return false: the place is no line */
bool driven_address(const struct nm_params *p, const struct driven_scenario *s,
                    const unsigned station[DRIVEN_ROLES], uint64_t *pa);

#endif
