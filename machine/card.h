/*
 * What a machine needs of a processor card, and what a card may ask of its machine.
 *
 * A card stands at one of a station's first bus positions: a processor with its caches
 * and an agent that answers the bus. The machine never looks inside. It lets the processor run, and
 * it learns where the processor stands; packets reach the card over its port of the station bus
 * (bus.h); everything else is one of the operations below.
 *
 * What a card does is a struct of operations. An implementation begins its own struct with a struct
 * nm_card and sets `ops` in `create`.
 *
 * Time. An action of a processor can be noticed by another card only after the machine's lookahead
 * (docs/machine.md, "Run-ahead"). So a processor runs up to a horizon on its own, without events. A
 * card must not let anything out (nm_bus_send, an interrupt, a trap) but in an event of its own at
 * the tick at which it happens: `run` posts that event, it does not act at once.
 */
#ifndef NM_CARD_H
#define NM_CARD_H

#include "machine/backing.h"
#include "machine/bus.h"
#include "machine/machine.h"
#include "machine/special.h"
#include "monitor/unit.h"

#include <stdio.h>

/** The first member of every card. */
struct nm_card {
    const struct nm_card_ops *ops;
    sim_tick quiet; /**< before this tick the processor, if it runs, does nothing that others could
                         notice: no packet, no interrupt, no trap. The card's: `run` may raise it,
                         and an event that makes it untrue must clear it. 0: not known */
    bool stands;    /**< in a timed machine goes_on() is SIM_NEVER as long as this is set. The
                         card's; false: not known */
    bool foresees;  /**< `quiet` is ever more than 0; set by `create` */
    bool sleeps;    /**< goes_on() may be a tick before which nothing of the processor changes but
                         how long it has waited; `comes_to` is not NULL. Set by `create` */
    bool together;  /**< `run` and events of cards of different stations may be called by several
                         host threads at a time; set by `create` */
};

/** The counter unit of a kind's cards. */
static inline const struct mon_unit_ops *nm_card_counters(const struct nm_card_kind *kind)
{
    return kind->counters ? kind->counters : &mon_none;
}

/** Where a card is put. All pointers outlive the card. */
struct nm_card_site {
    struct nm_machine *machine;
    const struct nm_card_kind *kind;
    struct sim_kernel *kernel; /**< of the station: where the card posts its events, with
                                   nm_component(position, order) as their component */
    struct nm_bus *bus;
    const struct nm_params *params;
    const struct nm_backing *contents;  /**< copied by the card: what lines hold */
    const struct ring_shape *rings;     /**< for the routes of packets */
    const struct nm_protocol *protocol; /**< what the card does on which message */
    unsigned number;                    /**< machine-wide, station by station */
    unsigned position;                  /**< on the station's bus */
    uint16_t station;
};

/** Orders (nm_component) of the events of rank SIM_RANK_OS that the machine posts for a card. A
 *  card's own events of that rank have orders from NM_ORDER_CARD on. */
enum { NM_ORDER_TRAP, NM_ORDER_INTERRUPT, NM_ORDER_CARD };

/** What a card waits for, as the watchdog and people see it. */
struct nm_wait {
    sim_tick since;
    uint64_t line; /**< physical address */
    bool coherent; /**< a directory has the line */
};

/**
 * What a kind of card does. "Event" says that a call comes from an event of the card's station, at
 * its tick; "outside" that it comes between two calls of nm_machine_run, when every station stands
 * at nm_machine_now. Nothing here may call nm_machine_run.
 */
struct nm_card_ops {
    /** Makes a card without a thread and attaches its port to the bus. Never NULL. */
    struct nm_card *(*create)(const struct nm_card_site *site);
    void (*free)(struct nm_card *card);

    /* ---- running ---- */

    /**
     * Lets the processor run: it starts instructions before `horizon`, and stops at the first thing
     * that another card could notice. It may post events of the card at its ticks.
     * Precondition: goes_on() < horizon.
     * @return where the processor stands, >= horizon, if nothing has changed but its own state and
     *         it goes on; 0: look again at goes_on() and at the station's events
     */
    sim_tick (*run)(struct nm_card *card, sim_tick horizon);

    /** The tick at which the processor starts its next instruction; SIM_NEVER: it has no thread,
     *  waits, or has trapped. Changes only by run, by events of rank SIM_RANK_MODULE and
     * SIM_RANK_OS of the card's own component, and by wake. */
    sim_tick (*goes_on)(const struct nm_card *card);

    /** All has been simulated up to tick `now`: a processor that waits for a later one has waited
     * up to here. Outside, before anything else. NULL: none ever `sleeps` (struct nm_card). */
    void (*comes_to)(struct nm_card *card, sim_tick now);

    /** Functional mode: run up to `end`; beyond it, before `until`, only as far as a load linked
     *  needs for its store-conditional. No link outlives the turn. Traps are told at once. Warming:
     *  run up to `end`, and wait for their lines; links live as in a timed machine. */
    void (*turn)(struct nm_card *card, sim_tick end, sim_tick until);

    /** From now on the card is all of it, a processor only, or a processor with its caches
     * (nm_machine_set_mode); NULL: its kind knows one mode only. Outside, when nothing of it is
     * under way.
     *  @param at  a processor that is behind goes on from here */
    void (*set_mode)(struct nm_card *card, enum nm_mode mode, sim_tick at);

    /** Warming: the card handles a message of its bus at once, and puts what it answers there
     *  (nm_warm_put). During another card's turn, or its own. */
    void (*take)(struct nm_card *card, const struct nm_packet *in);

    /** The thread whose registers are on the card goes on at tick `at` (>= now + nm_machine_ahead);
     *  goes_on() says when it really does. Outside.
     *  @return from when on the time is the thread's: what its return to the program takes is */
    sim_tick (*wake)(struct nm_card *card, sim_tick at);

    /** The thread leaves the card, which has trapped; its link is gone. Outside. */
    void (*idle)(struct nm_card *card);

    /** The processor shall trap before its first instruction at or after `at`, or as soon after
     *  that as the card's kind allows; SIM_NEVER: not. A later call replaces an earlier one.
     *  Outside. */
    void (*preempt)(struct nm_card *card, sim_tick at);

    /* ---- address spaces ---- */

    /** The processor runs in `space` (copied) from now on. Outside. */
    void (*set_space)(struct nm_card *card, const struct nm_space *space);

    /** What is known of virtual addresses in [va, va+len) must be forgotten. Outside. */
    void (*unmap)(struct nm_card *card, uint64_t va, uint64_t len);

    /** Bytes have been written by nobody's store. A load linked whose line has some of them is
     *  lost, and a load that has read of them before its turn reads again. @return whether the
     *  card must hear of the next ones, too (struct nm_backing.heeds). Outside, or in an event. */
    bool (*os_wrote)(struct nm_card *card, uint64_t pa, uint64_t len);

    /** The card's shared copy of a line may be older than the memory image from now on: its
     *  processor asks nm_stale_bytes before it reads. Any time; costs none. */
    void (*hide)(struct nm_card *card, uint64_t line);

    /* ---- special functions (special.h) ---- */

    /** Sends a command for `lines` lines from `line` on, at tick `at`; nm_card_interrupts will be
     *  called. Outside, when none is under way. */
    void (*special)(struct nm_card *card, const struct nm_function *function, uint64_t line,
                    unsigned lines, sim_tick at);
    /** Sends a look, or looks into the card's own cache; nm_card_interrupts will be called. */
    void (*look)(struct nm_card *card, const struct nm_look *look, sim_tick at);
    /** The last look's answer. */
    const struct nm_look *(*looked)(const struct nm_card *card);
    /** Whether a command or a look is under way. */
    bool (*special_busy)(const struct nm_card *card);

    /* ---- books: exact at any tick up to which the machine has been run ---- */

    /** Totals of all signals that the monitoring unit sees, with the station's
     *  (nm_station_taps). */
    void (*taps)(const struct nm_card *card, sim_tick at, struct mon_taps *out);
    /** The ground truth, but for the counts of the operating system and the machine. */
    void (*truth)(struct nm_card *card, struct nm_truth *out);

    /* ---- the counter unit ---- */

    /** The host's access to a register, without simulated time. @param offset  in the card's
     *  register space, a multiple of 4. Outside; may post events. */
    uint32_t (*register_read)(struct nm_card *card, uint32_t offset, sim_tick now);
    /** @param writer  the number of the card that writes */
    void (*register_write)(struct nm_card *card, unsigned writer, uint32_t offset, uint32_t value,
                           sim_tick now);
    const struct mon_unit *(*unit)(const struct nm_card *card);
    /** Pending events of the card that matter only if something else happens. */
    unsigned (*watching)(const struct nm_card *card);

    /* ---- for people ---- */

    /** Whether the processor waits for an access of its own, and for which. */
    bool (*waits)(const struct nm_card *card, struct nm_wait *out);
    /** The processor's action and its requests under way, one line without its end. */
    void (*dump)(struct nm_card *card, FILE *out);
    /** Ends the process if something is not as it must be at the end of a window. (Builds with
     *  -Dinvariants=true.) */
    void (*invariants)(const struct nm_card *card, sim_tick now);
    /** Whether two events of a card, of rank SIM_RANK_MODULE, one tick and one order, that do
     * different things may come in either order: nothing says which but the sequence of their
     * postings. (The same builds.) */
    bool (*commutes)(unsigned order, const struct sim_event *first, const struct sim_event *second);
};

/* ---- what a card tells its machine ----------------------------------------------------------- */

/** The processor needs the operating system at tick `at`, which is not before the last tick it has
 *  run to. @param preempted  because of `preempt`. From run or turn. */
void nm_card_traps(struct nm_machine *m, unsigned card, sim_tick at, bool preempted);

/** Ends the process with a message, "card N ...": a core or a counter unit breaks its contract. */
_Noreturn void nm_card_breach(unsigned card, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The same: a card has come back from `run` at tick `at` with neither its
 *  horizon reached nor anything changed, and would be run for ever. */
_Noreturn void nm_card_early(unsigned card, sim_tick at, sim_tick horizon);

/** What a card's time has gone to before tick `at`, as far as is known now: of `out`, running,
 * system, waiting, asleep and idle are set. */
void nm_card_used(const struct nm_machine *m, unsigned card, sim_tick at, struct nm_truth *out);

/** The card interrupts its processor. From an event. */
void nm_card_interrupts(struct nm_machine *m, unsigned card, sim_tick now, enum nm_interrupt cause);

/** A card may have posted events outside, not in one of the operations above. */
void nm_card_posted(struct nm_machine *m, unsigned card);

/** Adds the totals of a station's memory and ring interface at tick `at`. */
void nm_station_taps(const struct nm_machine *m, unsigned station, sim_tick at,
                     struct mon_taps *out);

#endif
