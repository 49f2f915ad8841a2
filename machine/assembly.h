/*
 * What machine.c puts together and windows.c lets run: a station, and the machine. No other file
 * sees inside.
 */
#ifndef NM_ASSEMBLY_H
#define NM_ASSEMBLY_H

#include "machine/card.h"
#include "machine/memory.h"
#include "machine/network.h"
#include "machine/usage.h"
#include "machine/warm.h"

/** Whose turn it is on a station: the tick at which a running processor is, and its card's number
 * below that, in one word to compare; SIM_NEVER for one that does not run. */
typedef uint64_t nm_turn;
enum { NM_TURN_SHIFT = 2 };
_Static_assert(NM_CARDS_MAX == 1 << NM_TURN_SHIFT, "a card's number below the tick");

/** A trap or an interrupt, not yet handed out. */
struct nm_call {
    sim_tick at;
    unsigned card;
    bool interrupt, preempted;
    enum nm_interrupt cause;
};

/** Several: in the order of their ticks; of one tick by card. */
struct nm_calls {
    struct nm_call *at; /**< [count] */
    unsigned count, size;
};

/** Stations that one host thread lets run. */
struct nm_block {
    unsigned first, end;       /**< these stations, `end` not among them */
    sim_tick next, speaks;     /**< in a window: the least of those that were awake */
    struct nm_station *called; /**< in a window: one that has calls; NULL: none has */
    char apart[32];            /**< no line of the host's caches has two blocks' */
};

struct nm_station {
    struct sim_kernel *k;
    struct nm_bus *bus;
    struct nm_memory *memory;
    struct nm_network *network;         /**< NULL when there is only one station */
    struct nm_card *card[NM_CARDS_MAX]; /**< [cards], as in the machine's array */
    unsigned cards, number;
    sim_tick lookahead; /**< [ticks] at least, before another card can notice what one does */
    sim_tick next;      /**< nothing happens here before this tick */
    sim_tick speaks;    /**< and nothing can be given to the rings before this one */
    nm_turn running[NM_CARDS_MAX];   /**< of each card */
    nm_turn order[NM_CARDS_MAX + 1]; /**< the same, in the order in which they go; then SIM_NEVER */
    struct nm_check *check;
    bool foresees; /**< a card does */
    bool frozen;   /**< its processors do not go on */
    struct nm_block *block;
    struct nm_calls calls;     /**< in a window: new ones of its cards. For the first, `k` closes */
    struct nm_station *called; /**< another one of its block that has some */
};

/** What a card had done when the watchdog last found that it had done something. */
struct nm_watched {
    uint64_t instructions;
    sim_tick running; /**< struct nm_truth */
    sim_tick delayed; /**< the longest that anything has delayed an access of it */
};

struct nm_machine {
    struct nm_params *p; /**< its own */
    enum nm_mode mode;   /**< the present one */
    struct nm_backing contents;
    uint64_t image_bytes;
    uint64_t pages_taken; /**< by the program, ever, that nobody had before */
    bool fills_pages;     /**< nm_machine_fills_pages */
    struct nm_station *station;
    unsigned stations, cards;
    const struct nm_protocol *protocol;
    struct ring_shape shape;
    struct ring_net *net;     /**< NULL when there is only one station */
    struct nm_card **card;    /**< all of them, station by station */
    sim_tick os_delay;        /**< from a trap to when the operating system acts */
    sim_tick outward, inward; /**< least from a processor to the rings, and from the rings to one */
    sim_tick now;             /**< everything has been simulated up to here, but in a window */
    sim_tick next, speaks;    /**< the least of the stations' */
    struct nm_calls calls;    /**< all, between windows */
    sim_tick stop_at;         /**< the first of them is handed out; SIM_NEVER: there is none */
    struct nm_block *block;   /**< [blocks] */
    unsigned blocks;
    struct sim_crew *crew; /**< a member for each block; NULL: there is one block */
    bool may_be_alone; /**< a station that is awake alone may run until it gives the rings something
                        */
    sim_tick longest;  /**< [ticks] of a window on a machine of one station */
    nm_window_fn *over; /**< nm_machine_each_window; NULL: nobody asks */
    void *over_ctx;
    bool together;       /**< stations may run at a time, by all their cards and by the mode */
    bool in_turn;        /**< stations run one after the other (nm_machine_in_turn) */
    bool sleeps;         /**< a card does */
    uint64_t *awake;     /**< bit per station: it has something to do, some time */
    const bool *broken;  /**< a coherence rule or an invariant, see nm_check_failed */
    sim_tick watched_at; /**< when the watchdog last looked */
    struct nm_watched *watched; /**< what it found, of each card */
    struct nm_warm *warm;       /**< NULL: it has never been warmed */
    struct nm_placement *placement;
    struct nm_apart *apart;     /**< NULL: nothing is */
    struct nm_mix mix;          /**< its own; without fittings all cards are alike */
    struct nm_usage *usage;     /**< of each card */
    struct nm_os_count *counts; /**< of each card */
};

/** As nm_machine_new, of parameters that nobody looks at: tests make machines smaller than a
 * machine file may ask for. */
struct nm_machine *nm_machine_assemble(const struct nm_params *params,
                                       const struct nm_card_kind *cards);

/** Something will happen on a station at tick `at`. */
void nm_station_wake(struct nm_machine *m, struct nm_station *s, sim_tick at);

/** An event of its own, or the operating system, has changed a card. */
void nm_station_moved(struct nm_station *s, unsigned position);

/** All of its cards have been changed from outside at tick `now`. */
void nm_station_changed(struct nm_machine *m, struct nm_station *s, sim_tick now);

/** Ends the process if which of two events comes first hangs on the order of their postings.
 * (invariants.c) */
sim_tie_fn nm_station_tie;

/** Ends the process if something is not as it must be at the end of a window. (invariants.c) */
void nm_machine_invariants(const struct nm_machine *m);

/** The tick of the first trap or interrupt that has not been handed out, or `until` if that is
 * earlier. */
static inline sim_tick nm_first_call(const struct nm_machine *m, sim_tick until)
{
    return m->calls.count ? sim_earlier(m->calls.at[0].at, until) : until;
}

/** A card has trapped or interrupts its processor, between windows. */
void nm_machine_call(struct nm_machine *m, struct nm_call call);

/** The same, from an event of its station. */
void nm_station_call(const struct nm_machine *m, struct nm_station *s, struct nm_call call);

/** [stations] awake for each host thread, with which a window is shared: fewer are sooner done than
 *  told of. */
enum { NM_SHARED_LEAST = 9 };

/** Cuts the stations into `count` blocks, 1 to as many as there are stations. (blocks.c) */
void nm_blocks_new(struct nm_machine *m, unsigned count);
void nm_blocks_free(struct nm_machine *m);

#endif
