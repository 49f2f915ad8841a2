/*
 * The processor card: a core (core.h) with its primary and secondary caches, and the external agent
 * between it and the station bus.
 *
 * cache.c answers the processor (the slow paths of core.h), agent.c answers the bus, card.c runs
 * the processor and keeps its books. Which fields are whose stands in struct pc_card.
 */
#ifndef PC_CARD_H
#define PC_CARD_H

#include "base/invariant.h"
#include "machine/backing.h"
#include "machine/bus.h"
#include "machine/card.h"
#include "machine/hear.h"
#include "machine/machine.h"
#include "machine/protocol.h"
#include "machine/special.h"
#include "monitor/taps.h"
#include "procard/core.h"
#include "procard/counters.h"
#include "procard/l2c.h"
#include "procard/monitor.h"
#include "procard/procard.h"
#include "procard/sync.h"

#include <stdalign.h>
#include <stddef.h>

/** A half of the secondary cache (SCADDR(17)), or all of it when it is not split. Direct-mapped, or
 *  set-associative: then the places of a set lie side by side. The arrays are one piece of memory,
 *  and complements where an empty cache has ones: it takes room when it is written. */
struct pc_l2 {
    uint64_t *tag; /**< of each place the complement of the physical line address held there, and in
                        the bits of PC_STATE the line's state; 0: none */
    uint8_t *colour; /**< complement of PIdx, index bits of the primary caches above the page; of
                          PC_COLOURLESS, 0 */
    uint64_t sets;   /**< a power of two */
    unsigned ways;   /**< places of a set: a power of two */
    uint8_t *first;  /**< by the low bits of a set's number, the way that is looked at first; NULL:
                          there are not two ways */
    uint64_t bits;   /**< of them; a power of two */
    uint64_t
        filled; /**< places filled so far: the chance by which one of more than two ways goes */
};

enum {
    PC_STATE = 0xf, /**< bits of a tag: NM_LINE_I, _S, _E or _D; _S or _D with PC_NONCOHERENT. Of E
                         and D the other half may have a copy besides, in S, which leaves with it */
    PC_NONCOHERENT = 8,   /**< in the state of a line: of a non-coherent page. S is then clean, and
                               may be written */
    PC_COLOURLESS = 0xff, /**< no access has been made to the line */
    PC_L2_WORD = 16,      /**< [bytes] the secondary cache's data bus (manual p. 32) */
};

/** An outstanding request: a row of the miss handling table. */
struct pc_request {
    bool sent;       /**< on its way; otherwise it waits for the agent (or a retry) */
    bool failed;     /**< its upgrade has lost the line, and the store shall end with IvdErr */
    uint8_t access;  /**< enum nm_access: what has asked */
    uint8_t event;   /**< enum nm_card_event: what for; NM_CARD_EVENTS: the page is non-coherent, it
                          is outside the protocol, and `state` stays I */
    uint8_t state;   /**< the line's transient state */
    uint8_t command; /**< enum nm_message of its last issue */
    uint16_t phase;  /**< ExtendedPhaseID at its last issue */
    uint64_t line;
    uint32_t place; /**< of the secondary cache, kept for the line */
    uint32_t nacks; /**< how often it was refused */
    sim_tick asked; /**< by the processor */
    sim_tick due;   /**< it will be put into the outgoing FIFO; SIM_NEVER: it is out, or blocked. In
                         warming: it looks again whether it may have its line */
    sim_tick issued; /**< first put there; SIM_NEVER before */
    sim_tick last_issued;
    sim_tick first_nack; /**< SIM_NEVER: none yet */
};
_Static_assert(sizeof(struct pc_request) == 64, "a row is found with a shift");

static inline enum pc_side pc_side_of(const struct pc_request *r)
{
    return r->access == NM_FETCH ? PC_SIDE_I : PC_SIDE_D;
}

static inline bool pc_is_noncoherent(const struct pc_request *r)
{
    return r->event == NM_CARD_EVENTS;
}

enum pc_uncached_want { PC_UNCACHED_LOAD, PC_UNCACHED_STORE, PC_UNCACHED_SYNC };

/** What makes sure that loops of load linked and store conditional come to an end (agent.c). */
struct pc_linked {
    bool open;           /**< the last load linked has had no store conditional yet */
    bool taken;          /**< another card has taken the line it linked */
    uint8_t lost;        /**< store conditionals in a row that failed for that */
    uint64_t put_out;    /**< a linked line that the card has put out itself, until a store
                            conditional succeeds; or ~0 */
    uint64_t line;       /**< interventions for this line wait ... */
    sim_tick until;      /**< ... until here */
    const uint8_t *host; /**< where bytes are kept apart: what was linked; else NULL */
    uint8_t word[8];     /**< ... and what it was */
};

/** The card's one uncached access: a load its processor waits for, or the store in the buffer
 *  (uncached.c). */
struct pc_uncached {
    bool busy;       /**< under way */
    bool waits;      /**< the processor does: for its load, its turn, or the buffer */
    uint8_t wants;   /**< enum pc_uncached_want: what it waits to do ... */
    uint64_t pa;     /**< ... and where */
    bool granted;    /**< it may do it now, in this event */
    bool kept;       /**< a load has been granted and has begun again instead: its datum is here,
                          until the thread leaves or does anything else uncached */
    uint64_t pc;     /**< of the access under way ... */
    uint32_t thread; /**< ... of this one (pc_tries) */
    struct nm_packet request;
    uint8_t bytes[8]; /**< the doubleword, as in memory */
};

/** The card's one special function: a command on its way, at work, or refused for now. */
struct pc_special {
    bool active;
    struct nm_packet command;
    unsigned created; /**< a claim: lines created so far */
    struct nm_look look;
};

/** Events of a card of rank SIM_RANK_MODULE on one tick, in their order (nm_component). */
enum pc_order {
    PC_ORDER_REQUEST,  /**< the processor's request leaves */
    PC_ORDER_COMMAND,  /**< its command to a special function unit */
    PC_ORDER_UNCACHED, /**< its uncached access */
    PC_ORDER_WORK,     /**< what has come over the bus: taken, answered, created */
};

/** And of rank SIM_RANK_OS. */
enum pc_os_order {
    PC_OS_ORDER_DELIVER = NM_ORDER_CARD, /**< interrupts of the monitoring card */
    PC_OS_ORDER_CALL,                    /**< and of the interrupt register */
};

enum pc_activity {
    PC_IDLE, /**< no thread */
    PC_RUNNING,
    PC_WAITING, /**< for its outstanding request, or its uncached access */
    PC_TRAPPED, /**< for the operating system */
};

/** A stretch of stall just charged; lets totals be read exactly at an earlier tick. Stalls of one
 *  state in a row are one stretch. */
struct pc_stretch {
    sim_tick end;
    uint64_t length;
    enum pc_status state;
};

/** No more than six lie beyond a tick that is asked for: the four of an exception whose handler has
 *  returned (pc_card_exception), an instruction TLB miss, and external requests, one in a row. */
enum { PC_STRETCHES = 8 };

enum { PC_TLB = 256, PC_PAGES = 256 };

/** Host-side memory of a translation; costs no simulated time (the R4400's own TLB: tlb.c). A tag
 *  is the virtual page number, or ~0. */
struct pc_xlate {
    uint64_t tag[3]; /**< by NM_FETCH, NM_LOAD, NM_STORE: of one page */
    uint64_t page;   /**< physical address of the page; only with a tag, as what follows */
    uint8_t result;  /**< enum nm_xlate: its attribute */
    uint8_t in_tlb;  /**< the entry of the R4400's TLB (tlb_entry) that translates it, if it is
                          coherent; PC_TLB_NONE: none does */
};

/** [PCycles] How long a primary line is on its way. */
struct pc_ways {
    uint64_t down;  /**< to the secondary cache, dirty */
    uint64_t up;    /**< from there */
    uint64_t words; /**< ... and until those that were asked for are here */
};

/** The places of a primary cache, or in functional mode of pages: what l1_... of a card are. */
struct pc_places {
    uint64_t *line;
    struct pc_line *view;
    uint64_t *shown;
    unsigned shift, mask;
};

#define PC_NOWHERE UINT64_MAX /**< no place; the address of no line */

struct pc_cost;

/** What becomes of requests that are not timed (warm.c). */
struct pc_warm {
    bool on;       /**< none is */
    unsigned kind; /**< of the last answer */
    bool watches;  /**< requests that are timed are learned from */
    struct pc_waited waited;
    struct nm_truth truth; /**< of what is timed while it is `on`, and else of what was not */
    struct pc_cost *cost;  /**< by kind, of timed requests; NULL: not asked for */
};

/**
 * Each field has its owners, which are files of this folder: the comment at the head of its group
 * names them, and tests/fields.py holds everybody to it. Only they write it. Nobody else reads it,
 * either, unless the group says "read by all": others ask a function below. `all` may do both.
 *
 * Besides, pc_card_new gives all fields their first values, functions in this header are the
 * owners', and invariants.c, which looks whether all is well, reads everything.
 *
 * First comes what the agent touches for each packet: of 1,024 cards none is in the host's cache
 * when its turn comes, so there each line of 64 bytes counts.
 */
struct pc_card {
    /* card.c; read by all: the card and its core */
    struct nm_card nm; /**< first: what the machine knows */
    const struct pc_core_ops *core;

    /* card.c, ops.c; read by all: who has the processor */
    enum pc_activity activity;
    bool stale; /**< what is known of virtual addresses must be forgotten before the next thread */
    uint64_t spared_to; /**< [instructions] not before so many have been completed: pc_spare */

    /* agent.c, uncached.c; read by all: what the processor waits for */
    enum pc_status stall; /**< what a processor that waits reports */

    /* agent.c; read by all: which of its rows are in use */
    unsigned outstanding; /**< bit per row: it is a request that is not over */
    unsigned roomy; /**< bit per row: it has been refused, and nothing filled since. So no line has
                       to leave its place, which is not looked at: of 1,024 cards' it is in no cache
                       of the host's. Never in checking mode */

    /* agent.c, uncached.c; read by all: what waits for room in the outgoing FIFOs */
    unsigned blocked;      /**< bit per row of the table: its request does */
    bool command_blocked;  /**< the command to a special function unit */
    bool uncached_blocked; /**< the uncached access */

    /* agent.c; read by all: what it is at */
    unsigned at_work; /**< bit per class: a packet it took from that FIFO */

    /* agent.c: the external agent */
    struct sim_timer work; /**< its event */
    unsigned passed;       /**< sinkable packets that have overtaken the first nonsinkable one */
    uint64_t chance;       /**< its own random numbers, for its retries */
    struct pc_linked linked;
    uint8_t *heeds; /**< the card's of struct nm_backing's: it has a load linked, or `early` */

    /* agent.c, uncached.c: what the agent does now */
    sim_tick agent_free;     /**< takes the next packet from the bus */
    struct nm_packet answer; /**< intervention response being fetched from the caches */

    /* card.c; read by all: surroundings, which stay */
    const struct pc_core_heeds *early; /**< what its core must hear, as it reads early; or NULL */
    struct sim_kernel *k;
    struct nm_bus *bus;
    const struct nm_params *p;
    const struct nm_protocol *protocol;
    unsigned position; /**< on the station's bus */
    uint16_t station;
    unsigned page_shift;
    uint64_t page_low; /**< bits of an address within a page */
    uint8_t *image;
    struct nm_check *check;
    struct nm_stale *old;                            /**< shared copies older than the image */
    const struct nm_stale_invalidation *const *olds; /**< NULL there: none of the station's is */
    const struct ring_shape *rings;
    struct nm_machine *machine;
    struct sim_room *room; /**< the machine's: for what is below */

    /* agent.c, warm.c; read by all: the miss handling table. One request for a line, at most. A
     * core that waits has row 0 */
    alignas(64) struct pc_request request[PC_REQUESTS];

    /* agent.c, uncached.c; read by all: the station bus */
    alignas(64) struct nm_port port;

    /* agent.c; read by all: what it counts, and what else it is at */
    struct mon_taps taps; /**< agent's and bus's part; pc_card_taps adds the rest */
    struct pc_special special;

    /* monitor.c; read by all: the counter unit */
    struct pc_monitor monitor;

    /* misses.c; read by all: who is told of lines and bytes */
    struct pc_copies *copies; /**< NULL: nobody asks. Not ours */
    struct pc_sizes *sizes;   /**< ... about other line sizes; only with `copies`. Not ours */

    /* eye.c; read by all: who tells models of detectors */
    struct pc_eye *eye; /**< NULL: there are none. Not ours */

    /* ops.c; read by all: what host and operating system have told the card */
    struct pc_exported *exported; /**< follows the lines of what it exports; NULL: nobody asks. Not
                                       ours */
    struct pc_pins *pins; /**< follows the processor's Status pins; NULL: nobody looks. Not ours */
    const struct nm_ear *ear; /**< told of rows of the protocol; NULL: nobody listens. Not ours */
    pc_served_fn *served;     /**< told of requests that are over; NULL: nobody listens */
    void *served_ctx;
    struct nm_space space;

    /* all: each count is made where it happens */
    struct nm_truth truth;

    /* cache.c, places.c; read by all: the caches */
    struct pc_l2 l2[PC_SIDES];  /**< both the same arrays when the cache is not split */
    unsigned l1_mask[PC_SIDES]; /**< places of l1[], less one */
    uint64_t l1_part[PC_SIDES]; /**< bits of an address that name the line of one */
    uint64_t l2_part;           /**< ... and a line of the secondary cache */
    unsigned l2_shift;
    struct pc_ways way[PC_SIDES];
    bool functional; /**< there are no caches; l1[] shows pages */

    /* cache.c, places.c: what is in the primary ones */
    uint64_t *l1_line[PC_SIDES];  /**< what each L1 place has: physical line address,
                                       PC_L1_PRESENT, and PC_L1_DIRTY; 0: nothing */
    struct pc_line *l1[PC_SIDES]; /**< the processor's fast view of the same places */
    uint64_t *l1_shown[PC_SIDES]; /**< bit set: the place in l1[] may show something */
    unsigned l1_shift[PC_SIDES];
    struct pc_places *aside; /**< [PC_SIDES] of the other mode; NULL: there never was another */
    uint8_t colours;         /**< colour bits the primary caches' sizes make use of */
    sim_tick refilled;       /**< the last refill with sub-block order is over */
    uint64_t filled; /**< line just granted: its access completes without another look-up; ~0 */
    bool unheard; /**< a load or a store is nothing to anybody but its own caches: pc_card_heard */
    bool untold;  /**< nor is its stall: nobody is told of any */

    /* card.c: how far it runs */
    sim_tick preempt_at;
    sim_tick unwatched; /**< up to here the processor runs without another look: pc_card_watch */
    sim_tick sleeps;    /**< up to here its core only waits (pc_sleeps); 0: it does not sleep */
    uint8_t sleeps_in;  /**< enum pc_status: what becomes of these PCycles */

    /* cache.c, tlb.c: translations */
    struct pc_xlate tlb[PC_TLB];

    /* tlb.c, cache.c; read by all: the TLB of the processor */
    struct pc_tlb_model *tlb_model; /**< NULL: the R4400's TLB is not modelled */
    struct pc_tlb_entry *tlb_entry; /**< its entries; without it the first translates all pages */

    /* uncached.c; read by all: uncached accesses */
    struct pc_uncached uncached;
    struct pc_refused refused; /**< truth.refused_writes is how many followed */

    /* warm.c; read by all: requests that are not timed */
    struct pc_warm warm;

    /* card.c: stalls */
    struct pc_stretch stretch[PC_STRETCHES];
    unsigned stretches; /**< ever charged */

    /* registers.c, sync.c, uncached.c: the registers beside it */
    struct pc_sync sync;
    uint32_t called; /**< interrupts of the interrupt register on their way or delivered whose bits
                          are still set and enabled */

    /* l2c.c; read by all: the cache controller */
    struct pc_l2c l2c;

    /* counters.c; read by all: what the processor counts */
    struct pc_counters counters;

    /* all: the processor (core.h) */
    alignas(64) struct pc_cpu cpu; /**< last: what is the core's own follows it, and may
                                                 need any alignment */
};

/** What was counted of the card while it was timed. */
static inline const struct nm_truth *pc_card_truth(const struct pc_card *card)
{
    return card->warm.on ? &card->warm.truth : &card->truth;
}

/* ---- places of the primary caches ------------------------------------------------------------ */

/** Below a line's address (16 bytes at least). Dirty: the W bit, written and not yet in the
 *  secondary cache. */
enum { PC_L1_PRESENT = 1, PC_L1_DIRTY = 2 };

/** Whether a place has the line `part`. */
static inline bool pc_l1_has(const struct pc_card *card, enum pc_side side, unsigned place,
                             uint64_t part)
{
    return (card->l1_line[side][place] & ~(uint64_t)PC_L1_DIRTY) == (part | PC_L1_PRESENT);
}

/** The line that a place has; PC_NOWHERE: none. */
static inline uint64_t pc_l1_part(const struct pc_card *card, enum pc_side side, unsigned place)
{
    const uint64_t line = card->l1_line[side][place];
    return line ? line & ~(uint64_t)(PC_L1_PRESENT | PC_L1_DIRTY) : PC_NOWHERE;
}

static inline bool pc_l1_dirty(const struct pc_card *card, enum pc_side side, unsigned place)
{
    return card->l1_line[side][place] & PC_L1_DIRTY;
}

/* ---- the secondary cache's address pins (manual pp. 32, 248) --------------------------------- */

enum { PC_SCADDR_HALF = 1 << 17 };

/** SCADDR(17:0) of an access to the secondary cache: the 16-byte word, and in a split cache bit 17
 *  for the half (l2.data_half). */
static inline uint32_t pc_scaddr(const struct pc_card *card, enum pc_side side, uint64_t pa)
{
    const uint64_t words = card->l2[side].sets << card->l2_shift >> 4;
    const bool high =
        nm_value_l2_split(card->p) && (side == PC_SIDE_D) == (nm_value_l2_data_half(card->p) == 1);

    return (uint32_t)(pa >> 4 & (words - 1)) | (high ? PC_SCADDR_HALF : 0);
}

/** [ticks] one cycle of the station bus. */
static inline sim_tick pc_bus_cycle(const struct pc_card *card)
{
    return card->port.clock.cycle;
}

/** First edge of the station bus's clock at or after `t`. */
static inline sim_tick pc_bus_edge(const struct pc_card *card, sim_tick t)
{
    return sim_clock_edge(&card->port.clock, t);
}

/** A packet tap grows by `amount`, because of packet `p` of this card. */
static inline void pc_tap(struct pc_card *card, enum mon_tap tap, uint64_t amount,
                          const struct nm_packet *p, bool out, sim_tick now)
{
    card->taps.v[tap] += amount;
    if (card->monitor.hears >> tap & 1)
        pc_monitor_packet(card, tap, amount, p, out, now);
}

/** How the last invalidate compares with a request that leaves, as mon_compare_request; and one
 * that has come. */
static inline unsigned pc_monitor_compare(struct pc_card *card, uint64_t line)
{
    return mon_compare_request(&card->monitor.comparator, line);
}

static inline void pc_monitor_invalidate(struct pc_card *card, uint64_t line)
{
    mon_compare_invalidate(&card->monitor.comparator, line);
}

/** The card behind one of the machine's. Precondition: it is of this kind. */
static inline struct pc_card *pc_card_of(struct nm_card *nm)
{
    return (struct pc_card *)nm;
}

static inline const struct pc_card *pc_const_card_of(const struct nm_card *nm)
{
    return (const struct pc_card *)nm;
}

/** The card's outstanding request for a line; NULL: there is none. */
static inline struct pc_request *pc_request_of(struct pc_card *card, uint64_t line)
{
    for (unsigned left = card->outstanding; left; left &= left - 1)
        if (card->request[__builtin_ctz(left)].line == line)
            return &card->request[__builtin_ctz(left)];
    return NULL;
}

/** The same, as the protocol sees it: it knows nothing of lines of non-coherent pages. */
static inline struct pc_request *pc_coherent_request(const struct pc_card *card, uint64_t line)
{
    struct pc_request *r = pc_request_of((struct pc_card *)card, line);
    return r && !pc_is_noncoherent(r) ? r : NULL;
}

/** The oldest outstanding request; NULL: there is none. */
static inline const struct pc_request *pc_oldest_request(const struct pc_card *card)
{
    const struct pc_request *oldest = NULL;
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        const struct pc_request *r = &card->request[__builtin_ctz(left)];
        if (!oldest || r->asked < oldest->asked)
            oldest = r;
    }
    return oldest;
}

/** Something waits for room in the outgoing FIFOs: agent_sent is to be called. */
static inline void pc_awaits_room(struct pc_card *card)
{
    card->port.awaits_room = true;
}

/** Whether the core goes on while requests are outstanding (pc_core_ops.requests). */
static inline bool pc_goes_on(const struct pc_card *card)
{
    return card->core->requests > 0;
}

/** Rows of the miss handling table. */
static inline unsigned pc_requests_max(const struct pc_card *card)
{
    return card->core->requests ? card->core->requests : 1;
}

/** The processor does something else from now on. Unless it runs, it goes on nowhere by itself. */
static inline void pc_card_becomes(struct pc_card *card, enum pc_activity activity)
{
    card->activity = activity;
    card->nm.stands = activity != PC_RUNNING;
}

/** The tick at which the core hears of events of its card. */
static inline sim_tick pc_card_now(const struct pc_card *card)
{
    const sim_tick now = sim_kernel_now(card->k);
    return card->activity == PC_RUNNING ? sim_later(now, card->cpu.now) : now;
}

/** As the `create` and `free` of struct nm_card_ops. The card's kind says which core it has. */
struct nm_card *pc_card_new(const struct nm_card_site *site);
void pc_card_free(struct pc_card *card);

/** Must follow a change of pins or monitor.leash. */
void pc_card_watch(struct pc_card *card);

/** At tick `at` the operating system wants the processor; SIM_NEVER: it does not. */
void pc_card_preempt(struct pc_card *card, sim_tick at);

/** The processor, which has waited up to now, goes on: the wait is charged. */
void pc_card_go_on(struct pc_card *card, sim_tick now);

/** Must follow a change of who is told of accesses or stalls, or of what an access is (the mode).
 */
void pc_card_heard(struct pc_card *card);

/** What pc_foresee was told holds no longer. */
static inline void pc_card_unforeseen(struct pc_card *card)
{
    card->nm.quiet = 0;
}

/** The core goes on with these operations: one of those that its own name (`profiled` and so on).
 */
static inline void pc_core_becomes(struct pc_card *card, const struct pc_core_ops *core)
{
    card->core = core;
}

/** Runs the core. If it sleeps it says so anew. @return what that returns */
static inline sim_tick pc_core_run(struct pc_card *card, sim_tick horizon)
{
    card->sleeps = 0;
    return card->core->run(&card->cpu, horizon);
}

/** The part of pc_card_run for `horizon` beyond card->unwatched. @return 0 */
sim_tick pc_card_run_watched(struct pc_card *card, sim_tick horizon);

/** A core that sleeps hears that time has passed up to `now`. (card.c) */
void pc_card_wakes(struct pc_card *card, sim_tick now);

/** The same, before the core is told anything. */
static inline void pc_core_wakes(struct pc_card *card, sim_tick now)
{
    if (card->sleeps)
        pc_card_wakes(card, now);
}

/** Where a processor that runs stands: a core that sleeps is not asked before. */
static inline sim_tick pc_card_stands(const struct pc_card *card)
{
    return sim_later(card->cpu.now, card->sleeps);
}

/** The core's operations that may be NULL. */
static inline void pc_core_settle(struct pc_card *card)
{
    if (card->core->settle)
        card->core->settle(&card->cpu);
}

static inline void pc_core_leave(struct pc_card *card)
{
    if (card->core->leave)
        card->core->leave(&card->cpu);
}

static inline uint64_t pc_core_pc(const struct pc_card *card)
{
    return card->core->pc ? card->core->pc(&card->cpu) : 0;
}

/** PCycles in each state, and the last ones, up to card->cpu.now. */
void pc_core_totals(const struct pc_card *card, uint64_t states[PC_ST__COUNT],
                    struct pc_tail *tail);

/** The same as pc_card_run, and ends the process if the core does not say where its clock stands,
 *  or has started an instruction at its horizon or later. (invariants.c) */
sim_tick pc_card_run_checked(struct pc_card *card, sim_tick horizon);

/** Runs the processor up to `horizon` (exclusive start of instructions), a miss or a trap.
 *  Precondition: PC_RUNNING.
 *  @return pc_card_stands(): it has come to the horizon, and nothing has changed but its own state;
 *          0: it may wait or be trapped, events may have been posted */
static inline sim_tick pc_card_run(struct pc_card *card, sim_tick horizon)
{
    if (SIM_LOOKS_AT_INVARIANTS)
        return pc_card_run_checked(card, horizon);
    if (__builtin_expect(horizon > card->unwatched, 0))
        return pc_card_run_watched(card, horizon);
    return pc_core_run(card, horizon);
}

/** Ends the process if something of the card is not as it must be at the end of a window.
 *  (invariants.c) */
void pc_card_invariants(const struct pc_card *card, sim_tick now);

/** Whether two events of a card, of SIM_RANK_MODULE, one tick and `order`, may come in either
 * order: nothing says which but the sequence of their postings. (invariants.c) */
bool pc_card_commutes(unsigned order, const struct sim_event *first,
                      const struct sim_event *second);

/** Charges `n` PCycles of `state` that begin at tick `at`. A line kept for a store conditional is
 * kept so much longer. */
void pc_card_stall(struct pc_card *card, enum pc_status state, uint64_t n, sim_tick at);

/** A short exception of the access at tick `at`, whose handler takes `n` PCycles (other stall) and
 *  returns. @return the PCycles charged */
uint64_t pc_card_exception(struct pc_card *card, uint64_t n, sim_tick at);

/** The stall of a primary miss until the secondary cache has answered. */
static inline enum pc_status pc_primary_stall(enum pc_side side)
{
    return side == PC_SIDE_I ? PC_ST_STALL_L1I : PC_ST_STALL_L1D;
}

/** Until tick `at` the operating system has the processor; then it returns to the program. The last
 *  PCycles of its time are ERET's, if there are enough: it completes and kills what was fetched
 *  behind it. The link is gone. @return the tick of the ERET */
sim_tick pc_card_return(struct pc_card *card, sim_tick at);

/** The card's totals at exactly tick `at`, which its processor may have passed: in its last run no
 *  earlier than that run's horizon, or than its begin when it was one instruction long. All events
 *  of a card are like that, and every tick up to which a whole machine has been run. */
void pc_card_taps(const struct pc_card *card, sim_tick at, struct mon_taps *out);

/** Forgets virtual addresses in [va, va+len). */
void pc_card_unmap(struct pc_card *card, uint64_t va, uint64_t len);

/** nm_card_ops.set_mode */
void pc_card_set_mode(struct pc_card *card, enum nm_mode mode, sim_tick at);
/** Forgets all of them. */
void pc_card_forget(struct pc_card *card);

/** Takes what lies in [va, va+len) from the processor's fast view; both whole pages. */
void pc_card_hide(struct pc_card *card, enum pc_side side, uint64_t va, uint64_t len);

/** The same, where only one place of the primary cache can show it. */
void pc_card_hide_place(struct pc_card *card, enum pc_side side, unsigned place, uint64_t va,
                        uint64_t len);

/* ---- places.c, for card.c ------------------------------------------------------------------- */

/** The caches of a card that knows its parameters and its room. @param l2_room  for the secondary
 *  one */
void pc_places_new(struct pc_card *card, struct sim_room *l2_room);
void pc_places_free(struct pc_card *card);
/** The places become pages, or caches again. */
void pc_places_change(struct pc_card *card);

/* ---- cache.c, for agent.c, warm.c and card.c ------------------------------------------------- */

/** The line that is asked for is there: its access completes without another look-up. */
static inline void pc_line_granted(struct pc_card *card, uint64_t line)
{
    card->filled = line;
}

/** Forgets translations, and shows no place. */
void pc_cache_forget(struct pc_card *card);

/** enum nm_line: what a half of the secondary cache has of a line, as the protocol sees it: of
 *  non-coherent lines it knows nothing. */
uint8_t pc_line_half_state(const struct pc_card *card, enum pc_side side, uint64_t line);
/** State of a line on this card as an external request sees it. */
uint8_t pc_line_state(const struct pc_card *card, uint64_t line);
/** Whether a half of the secondary cache holds the line. */
bool pc_line_in_half(const struct pc_card *card, enum pc_side side, uint64_t line);
void pc_line_drop(struct pc_card *card, uint64_t line);
void pc_line_clean(struct pc_card *card, uint64_t line);
/** From here on the processor asks before it reads a copy (machine/stale.h); costs no time. */
void pc_line_hide(struct pc_card *card, uint64_t line);
/** The line comes to a place, or its state there changes. */
void pc_line_fill(struct pc_card *card, enum pc_side side, uint64_t place, uint64_t line,
                  uint8_t state);
/** Something is filled: what the agent knows of places that were free holds no longer. */
static inline void pc_agent_filled(struct pc_card *card)
{
    card->roomy = 0;
}
/** The state of the line in a place. */
static inline uint8_t pc_place_state(const struct pc_l2 *l2, uint64_t place)
{
    return l2->tag[place] & PC_STATE;
}
/** The line in a place; of an empty one the address of none. */
static inline uint64_t pc_place_line(const struct pc_l2 *l2, uint64_t place)
{
    return ~(l2->tag[place] | PC_STATE);
}
static inline void pc_place_set(const struct pc_l2 *l2, uint64_t place, uint64_t line,
                                uint8_t state)
{
    l2->tag[place] = (~line & ~(uint64_t)PC_STATE) | state;
}
/** The first place of a line's set. */
static inline uint64_t pc_line_set(const struct pc_card *card, enum pc_side side, uint64_t line)
{
    const struct pc_l2 *l2 = &card->l2[side];
    return ((line >> card->l2_shift) & (l2->sets - 1)) * l2->ways;
}
/** The place of a line in a half of the secondary cache. @return PC_NOWHERE: it is not there */
static inline uint64_t pc_line_find(const struct pc_card *card, enum pc_side side, uint64_t line)
{
    const struct pc_l2 *l2 = &card->l2[side];
    const uint64_t set = pc_line_set(card, side, line);
    uint64_t place = set;
    do /* there is a way, and nearly always one */
        if ((l2->tag[place] ^ ~line) <= PC_STATE)
            return place;
    while (++place < set + l2->ways);
    return PC_NOWHERE;
}
/** The one that a line is given in a set of several places, of which it has none.
 *  @param set  the first of them */
uint64_t pc_way_for(const struct pc_card *card, enum pc_side side, uint64_t set);
/** The place for a line: where it is, or the one it would be given. */
static inline uint64_t pc_line_place(const struct pc_card *card, enum pc_side side, uint64_t line)
{
    const uint64_t set = pc_line_set(card, side, line),
                   place = card->l2[side].ways == 1 ? set : pc_line_find(card, side, line);
    return place == PC_NOWHERE ? pc_way_for(card, side, set) : place;
}
/** Whether both are places of one array, and the same. */
static inline bool pc_same_place(const struct pc_card *card, enum pc_side a, uint64_t place,
                                 enum pc_side b, uint64_t other)
{
    return place == other && card->l2[a].tag == card->l2[b].tag;
}
/** The line that must leave its place before `line` can be filled there: another, or the same under
 *  the other attribute. @return false: the place is free */
static inline bool pc_line_victim(const struct pc_card *card, enum pc_side side, uint64_t place,
                                  uint64_t line, bool noncoherent, uint64_t *victim, uint8_t *state)
{
    *victim = pc_place_line(&card->l2[side], place);
    *state = pc_place_state(&card->l2[side], place);
    return *state != NM_LINE_I && (*victim != line || !(*state & PC_NONCOHERENT) == noncoherent);
}
void pc_line_evict(struct pc_card *card, enum pc_side side, uint64_t victim);

/** Ends an access with a bus error.
 *  @param code  PC_FAILED_UPGRADE, or 0
 *  @return NULL */
uint8_t *pc_bus_error(struct pc_cpu *cpu, enum nm_access access, uint64_t va, uint32_t code,
                      enum pc_stop *stop);

/** Name of a line's state on a card. */
static inline const char *pc_state_name(const struct pc_card *card, uint8_t state)
{
    return nm_state_name(card->protocol->agent[NM_AGENT_CARD], state);
}

/** enum nm_line: what the secondary cache has of a line in that state. */
static inline uint8_t pc_line_of(const struct pc_card *card, uint8_t state)
{
    return card->protocol->agent[NM_AGENT_CARD]->state[state].line;
}

/* ---- misses.c, for cache.c and agent.c; only while card->copies is there ----------------------
 */

/** The access at tick `at` of `size` bytes has made the card ask for a line. */
void pc_misses_ask(struct pc_card *card, uint64_t va, uint64_t pa, unsigned size, sim_tick at);
/** The same of one of several requests: the one that the agent has just begun. */
void pc_misses_ask_for(struct pc_card *card, const struct pc_request *r, uint64_t va, uint64_t pa,
                       unsigned size, sim_tick at);
/** Bytes of a line of data, the first in bit 0, have been touched. */
void pc_misses_touch_bytes(struct pc_card *card, uint64_t pa, unsigned bytes, bool load,
                           bool store);
/** An access has been made, of a core that notes bytes at `where` and is to tell of each access
 *  (pc_cpu.seen).
 *  @param where    cpu->touches of the place that has its line, or what takes its place past the
 *                  caches
 *  @param touched  as there */
void pc_misses_see(struct pc_cpu *cpu, const uint64_t *where, uint64_t touched, sim_tick at);
/** A request has its line. @param in  the response */
void pc_misses_have(struct pc_card *card, const struct pc_request *r, const struct nm_packet *in,
                    sim_tick now);
void pc_misses_give_up(struct pc_card *card, const struct pc_request *r, sim_tick now);
/** A line comes unasked, to the half for data. */
void pc_misses_create(struct pc_card *card, uint64_t line);
/** A line of the secondary cache goes up to a primary one. */
void pc_misses_use(struct pc_card *card, enum pc_side side, uint64_t line);
/** What a place of the primary data cache has been touched. */
void pc_misses_touch(struct pc_card *card, unsigned place);
/** The card has been the owner, and keeps a copy. */
void pc_misses_share(struct pc_card *card, uint64_t line);
/** A half loses a line. @param taken  false: to make room */
void pc_misses_lose(struct pc_card *card, enum pc_side side, uint64_t line, bool taken, bool owner);

/* ---- tlb.c, for cache.c and card.c ----------------------------------------------------------- */

/** The card's TLB. @param modelled  it has one */
void pc_tlb_init(struct pc_card *card, bool modelled);

/** An access to a page that has just been translated, at tick `at`; charges the time until it is in
 *  the TLB. @return the PCycles charged */
uint64_t pc_tlb_access(struct pc_card *card, enum pc_side side, uint64_t va, sim_tick at);

/** The fast path may see a line of the data cache: so that it can be taken back with its page's
 *  translation. @param place  where it is in the primary cache */
void pc_tlb_shown(struct pc_card *card, uint64_t va, unsigned place);

/** Whether the page of an address is translated, so that lines of it may be shown. Without a TLB,
 * any is. */
bool pc_tlb_translates(const struct pc_card *card, uint64_t va);

/** It sees none any more. */
void pc_tlb_all_hidden(struct pc_card *card);

/** [va, va+len) is unmapped, or will be translated otherwise. */
void pc_tlb_unmap(struct pc_card *card, uint64_t va, uint64_t len);

/* ---- agent.c, for cache.c and card.c -------------------------------------------------------- */

/** The processor needs `line`; the request goes out after look-up and agent delay. There is room
 *  for it.
 *  @param access  NM_STORE: what of it may fail with IvdErr; NM_CONDITIONAL: what may be given up
 *  @param event  NM_CARD_EV_LOAD, _STORE or _LINK; NM_CARD_EVENTS: the page is non-coherent */
const struct pc_request *pc_agent_request(struct pc_card *card, uint64_t line,
                                          enum nm_access access, enum nm_card_event event,
                                          sim_tick at);
/** Of a request that is issued: a shared copy is all that it can use (NM_INFO_SHARED). */
bool pc_agent_wants_shared(const struct pc_card *card, const struct pc_request *r);
/** Whether a load linked must ask for its line exclusively. */
bool pc_agent_links_exclusively(const struct pc_card *card);
/** Whether the store that has asked for the line shall end with IvdErr: it is said once. */
static inline bool pc_request_failed(struct pc_card *card, uint64_t line)
{
    struct pc_request *r = card->request;
    const bool failed = r->failed && r->line == line;
    if (failed)
        r->failed = false;
    return failed;
}
/** Another card has taken the line that is linked. */
void pc_agent_link_taken(struct pc_card *card);
/** This one has put it out. */
void pc_agent_link_put_out(struct pc_card *card, uint64_t line);
/** Bytes of a word that are kept apart have several lines, of which the link is to one: so there
 * the word itself tells, too, whether another has stored in it. Else a store to the others would be
 *  lost, which the program's own layout could not lose. This is the word that is linked. */
void pc_agent_link_word(struct pc_card *card, const uint8_t *host, unsigned size);
/** Whether another has stored in it. */
bool pc_agent_link_stored(const struct pc_card *card, const uint8_t *host, unsigned size);
/** `n` PCycles from tick `at` on are stall: a line kept for a store conditional is kept so much
 *  longer. */
static inline void pc_agent_keeps_on(struct pc_card *card, uint64_t n, sim_tick at)
{
    if (card->linked.until > at)
        card->linked.until += n;
}
/** `n` PCycles of stall go into the card's books: what pc_card_stall does when nobody is told. */
static inline void pc_stall_book(struct pc_card *card, enum pc_status state, uint64_t n,
                                 sim_tick at)
{
    struct pc_stretch *last = &card->stretch[(card->stretches - 1) % PC_STRETCHES];
    if (card->stretches && last->end == at && last->state == state) {
        last->end += n;
        last->length += n;
    } else if (n) {
        card->stretch[card->stretches++ % PC_STRETCHES] =
            (struct pc_stretch){.end = at + n, .length = n, .state = state};
    }
    pc_charge(&card->cpu, state, n);
    pc_agent_keeps_on(card, n, at);
}
/** Has the port tell of what passes it. NULL: no longer. */
static inline void pc_agent_hear(struct pc_card *card, nm_port_heard_fn *heard)
{
    nm_bus_hear(card->bus, card->position, heard);
}
/** A load linked has its line at tick `at`; one that had to ask for it exclusively keeps it. */
void pc_agent_linked(struct pc_card *card, uint64_t line, sim_tick at);
/** A store conditional at tick `at` has stored, or failed. */
void pc_agent_conditional(struct pc_card *card, bool failed, sim_tick at);
/** At tick `at` the processor no longer needs the line kept. */
void pc_agent_let_go(struct pc_card *card, sim_tick at);
/** The processor, which has waited, does the one access it waited for in this same event. */
void pc_agent_resume(struct pc_card *card, sim_tick now);
/** A request is over: the instruction that has waited for it makes its access in this same event.
 *  @param granted  false: nothing has come of it */
void pc_agent_over(struct pc_card *card, struct pc_request *r, bool granted, sim_tick now);
/** Fills in whence and whither a message for the home of `pa` goes (memory, or a card's registers).
 */
void pc_agent_address(const struct pc_card *card, struct nm_packet *p, uint64_t pa);
/** Sends a special function's command (special.def): `lines` lines from `line` on, to the directory
 *  that does it. Precondition: none is active. nm_card_interrupts will be called. */
void pc_agent_special(struct pc_card *card, const struct nm_function *function, uint64_t line,
                      unsigned lines, sim_tick at);
/** Sends a look, or looks into the card's own cache; nm_card_interrupts will be called. */
void pc_agent_look(struct pc_card *card, const struct nm_look *look, sim_tick at);
void pc_agent_attach(struct pc_card *card);

/* ---- agent.c, for warm.c --------------------------------------------------------------------- */

/** nm_card_step, of this card. */
bool pc_agent_step(const struct pc_card *card, uint8_t *state, enum nm_card_event event,
                   const struct nm_packet *in, uint64_t line, struct nm_sends *sends,
                   uint64_t *actions);
/** The table has no transition for `what`. */
void pc_agent_broken(struct pc_card *card, sim_tick now, uint64_t line, uint8_t state,
                     const char *what);
/** The module that keeps a line's directory on this station. */
uint8_t pc_agent_directory(const struct pc_card *card, uint64_t line);
/** Whether the event answers the card's own request. */
bool pc_agent_is_response(enum nm_card_event event);
/** What an external request takes from the caches and the link. @param hit  the card has the line
 */
void pc_agent_gives_way(struct pc_card *card, const struct nm_packet *in, uint64_t actions,
                        bool hit, sim_tick now);
/** An external request that finds its line holds the processor while the caches are used. */
void pc_agent_hold(struct pc_card *card);

/* ---- warm.c, for agent.c, card.c and ops.c --------------------------------------------------- */

/** A timed request is answered by `in`. Precondition: they are watched. */
void pc_warm_learn(struct pc_card *card, const struct pc_request *r, const struct nm_packet *in,
                   sim_tick now);
/** One that had been refused has come to nothing. Precondition: they are watched. */
void pc_warm_give_up(struct pc_card *card, const struct pc_request *r, sim_tick now);
void pc_warm_watch(struct pc_card *card, bool watches);
/** nm_card_ops.turn, .take; and .goes_on of a card that does not run. */
void pc_warm_turn(struct pc_card *card, sim_tick end);
void pc_warm_take(struct pc_card *card, const struct nm_packet *in);
sim_tick pc_warm_goes_on(const struct pc_card *card);
/** Requests are no longer timed, or are again. What is waited for then is had. */
void pc_warm_on(struct pc_card *card);
void pc_warm_off(struct pc_card *card);
void pc_warm_free(struct pc_card *card);

/* ---- registers.c, for uncached.c and the host ------------------------------------------------ */

/**
 * Register accesses, from an event of the card's own station at tick `now`.
 * @param offset  in the card's register space, below MON_SPACE; a multiple of 4
 */
uint32_t pc_register_read(struct pc_card *card, uint32_t offset, sim_tick now);
/** @param writer  card whose processor writes
 *  @return as mon_unit_ops.write */
unsigned pc_register_write(struct pc_card *card, unsigned writer, uint32_t offset, uint32_t value,
                           sim_tick now);

/* ---- uncached.c, for cache.c and agent.c ---------------------------------------------------- */

/** A load or store of an uncached page, as pc_load and pc_store. */
uint8_t *pc_uncached_access(struct pc_card *card, uint64_t va, uint64_t pa, unsigned size,
                            bool store, sim_tick at, enum pc_stop *stop);
/** The answer to the card's own request. */
void pc_uncached_answer(struct pc_card *card, const struct nm_packet *in, sim_tick now);
/** Another card's access to this card's registers. */
void pc_uncached_serve(struct pc_card *card, const struct nm_packet *in, sim_tick now);
/** A write of registers of many cards, this one among them (UNC_CAST). */
void pc_uncached_take(struct pc_card *card, const struct nm_packet *in, sim_tick now);
/** There may be room in the outgoing FIFO. */
void pc_uncached_room(struct pc_card *card, sim_tick now);
/** Whoever goes on at the processor now has no datum that it waited for before. */
void pc_uncached_forget(struct pc_card *card);

#endif
