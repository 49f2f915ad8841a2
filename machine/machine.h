/*
 * The whole machine: stations, cards and what an operating system may ask of them.
 *
 * The machine knows nothing of Linux, files or YAML. A program (programs/) maps pages, puts a
 * thread's registers on a card, runs the machine until something needs an operating system, and
 * takes the registers off again. One struct holds everything; two machines may live in one process.
 *
 * Wherever a card is meant by its number, that is below nm_machine_cards; a station's is below
 * nm_params_stations, and a physical address lies in a page that nm_page_alloc gave, or in the
 * image. An assertion ends the process otherwise.
 */
#ifndef NM_MACHINE_H
#define NM_MACHINE_H

#include "base/time.h"
#include "machine/apart.h"
#include "machine/params.h"

#include <stdbool.h>

#pragma GCC visibility push(default)

struct nm_machine;
struct nm_card;
struct nm_card_ops;
struct mon_unit_ops;
struct mon_taps; /* monitor/taps.h */

/** A kind of card. */
struct nm_card_kind {
    const struct nm_card_ops *ops;       /**< what its cards do: pc_card_ops, or card.h */
    const void *ctx;                     /**< what else its `create` must know; its own convention.
                                              With pc_card_ops: its core, a struct pc_core_ops */
    const struct mon_unit_ops *counters; /**< kind of counter unit on each card; NULL: none */
};

/**
 * Builds a machine.
 * @param params  copied
 * @param cards   the kind of its processor cards; outlives the machine
 * @return the machine at tick 0, all cards idle; ownership to the caller, nm_machine_free. NULL:
 *         there is no such machine, nm_params_check says why. Without memory the process ends
 *         (status 2, and a message on standard error)
 */
struct nm_machine *nm_machine_new(const struct nm_params *params, const struct nm_card_kind *cards);

/** What some cards of a machine are. */
struct nm_fitting {
    const struct nm_card_kind *kind; /**< outlives the machine */
    const struct nm_params *params;  /**< rows of cards (nm_param_is_cards) are theirs, the others
                                          as the machine's; copied */
};

/** Cards that are not what the machine's parameters say. */
struct nm_mix {
    const struct nm_fitting *fitting;
    unsigned fittings;
    const uint8_t *of; /**< [cards] 0: as the machine says; else fitting[of - 1] */
};

/** Builds a machine of several kinds of cards. @param mix  copied; NULL: all are alike
 *  @return as nm_machine_new; NULL also where a fitting is of another machine */
struct nm_machine *nm_machine_new_mixed(const struct nm_params *params,
                                        const struct nm_card_kind *cards, const struct nm_mix *mix);
/** Frees the machine with its cards and its memory image. */
void nm_machine_free(struct nm_machine *m);

/** Its parameters, which do not change; the machine's. Rows of cards are those of cards that are
 * not in a mix. */
const struct nm_params *nm_machine_params(const struct nm_machine *m);

/** Parameters of a card, which do not change; the machine's. */
const struct nm_params *nm_card_params(const struct nm_machine *m, unsigned card);

/** A card, for a room that knows its kind. The machine's. */
struct nm_card *nm_machine_card(struct nm_machine *m, unsigned card);

/** Number of processor cards; they are numbered 0 .. n-1, station by station. */
unsigned nm_machine_cards(const struct nm_machine *m);

/** [ticks] how far cards may have run past nm_machine_now when it stands: 0, but in functional mode
 *  their turn. What an operating system does to another card (wake, stop, mark) must be dated at
 *  least this far ahead. */
sim_tick nm_machine_ahead(const struct nm_machine *m);

/** [ticks] from nm_machine_now to the earliest moment at which an operating system may have a card
 *  go on, or stop: nm_machine_ahead, but when the machine is warmed what a timed one takes to hand
 *  out a trap. */
sim_tick nm_machine_reach(const struct nm_machine *m);

/** [ticks] at least, before a card can notice what another one does. Cards tell of what they do out
 *  of order, but by no more. */
sim_tick nm_machine_notice(const struct nm_machine *m, unsigned card, unsigned other);

/** [ticks] How far everything has been simulated. */
sim_tick nm_machine_now(const struct nm_machine *m);

/* ---- memory image ---------------------------------------------------------------------------- */

/** Host address of physical address 0: the one functional memory image, big-endian bytes, zero
 * where never written. Physical addresses of allocated pages only. */
uint8_t *nm_machine_image(struct nm_machine *m);

/** Pages that overlap [from, to) of the virtual address space go to `station`. */
struct nm_range {
    uint64_t from, to;
    unsigned station;
};

/** Ranges of virtual addresses whose pages have a station of their own. Copied; the earlier one
 * wins. */
void nm_machine_place(struct nm_machine *m, const struct nm_range *ranges, unsigned count);

/** These bytes have lines of their own (apart.h). Before the first page is taken, and once.
 *  Precondition: no page of a station is in more than half of them, and caches are not checked. */
void nm_machine_keep_apart(struct nm_machine *m, const struct nm_apart_range *ranges, size_t count);

/** What it has been told; NULL: nothing. */
const struct nm_apart *nm_machine_apart(const struct nm_machine *m);

/**
 * Allocates a zeroed physical page (memory.page_size bytes) placed by the machine's placement rule.
 * @param toucher  card whose access or system call needs it
 * @param va       virtual address it will have
 * @param[out] pa  physical address; untouched on failure
 * @return false when the machine's memory is full
 */
bool nm_page_alloc(struct nm_machine *m, unsigned toucher, uint64_t va, uint64_t *pa);

/** The same, of a page whose home is `station` unless a range of nm_machine_place has it. */
bool nm_page_alloc_at(struct nm_machine *m, unsigned station, uint64_t va, uint64_t *pa);

/** Programs will fill the pages they take, so that the host may keep much of them in large pages of
 * its own. A workload that only makes references takes a page for a line or two. Before the first
 * page is taken. */
void nm_machine_fills_pages(struct nm_machine *m);

/** Gives a page back, which nothing maps any more. @param pa  as nm_page_alloc gave it */
void nm_page_free(struct nm_machine *m, uint64_t pa);

/** The operating system wrote [pa, pa+len) of the image itself (system call, page fill), outside
 * the caches. Stale copies (stale.h) and the checking mode follow; a load linked to them is lost,
 * and one that a processor has read of them early is read again. */
void nm_machine_os_wrote(struct nm_machine *m, uint64_t pa, uint64_t len);

/* ---- address translation --------------------------------------------------------------------- */

/** Physical address of the register space of card 0; those of the others follow in order. Such
 *  pages are NM_XLATE_UNCACHED, and accesses are 32 bits wide; others are bus errors. */
#define NM_REGISTERS (UINT64_C(1) << 40)

/** [bytes] of a card's register space. */
enum { NM_REGISTER_SPACE = 512 << 10 };

/** What a translation says. The first three succeed and differ in the page's attribute (R4400
 *  manual p. 84), which must stay what it is as long as the page is mapped. */
enum nm_xlate {
    NM_XLATE_OK,          /**< cached, coherent */
    NM_XLATE_UNCACHED,    /**< every load and store goes to its home; no LL/SC, no instructions */
    NM_XLATE_NONCOHERENT, /**< cached, but no directory knows; no LL/SC */
    NM_XLATE_ABSENT,      /**< has no memory yet: the operating system must give it some */
    NM_XLATE_UNMAPPED,
    NM_XLATE_PROTECTED
};

/** Whether a translation succeeded. */
static inline bool nm_xlate_found(enum nm_xlate x)
{
    return x < NM_XLATE_ABSENT;
}

/** How an access is meant. */
enum nm_access { NM_FETCH, NM_LOAD, NM_STORE, NM_LINKED, NM_CONDITIONAL };

/**
 * The address space the processors run in.
 * translate: physical address of `va` for that access by `card` (page-granular rights). Called on
 * primary-cache misses only; changes nothing, because cards may ask out of the order of time.
 */
struct nm_space {
    void *ctx;
    enum nm_xlate (*translate)(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa);
};

/** Sets the address space of all cards. `space` is copied; what it points to must outlive the run.
 */
void nm_machine_set_space(struct nm_machine *m, const struct nm_space *space);

/** Rights or mapping of [va, va+len) changed: every card's fast path forgets it (a TLB shoot-down
 *  that costs no simulated time). */
void nm_machine_unmap(struct nm_machine *m, uint64_t va, uint64_t len);

/* ---- running --------------------------------------------------------------------------------- */

/** Why nm_machine_run came back. */
enum nm_run {
    NM_RUN_UNTIL,     /**< reached the tick asked for */
    NM_RUN_TRAP,      /**< a processor needs the operating system, see struct nm_trap */
    NM_RUN_INTERRUPT, /**< a card interrupts its processor: trap.card, trap.at, trap.cause; the
                           processor goes on with its work */
    NM_RUN_IDLE,      /**< no processor runs and no event is pending: only the outside can go on */
    NM_RUN_STUCK,     /**< watchdog: a processor has waited for one access longer than
                           run.watchdog, or has had a thread for so long and completed nothing;
                           nm_machine_error says which, nm_machine_dump what waits for what */
    NM_RUN_BROKEN, /**< a coherence rule or an internal invariant is violated; nm_machine_error */
};

/** Why a card interrupts its processor. */
enum nm_interrupt {
    NM_INTERRUPT_SPECIAL,  /**< its special function is done */
    NM_INTERRUPT_MONITOR,  /**< its monitoring card: an overflow, see MON_REG_INTERRUPT */
    NM_INTERRUPT_REGISTER, /**< a bit of its interrupt register (procard/sync.def) */
    NM_INTERRUPT_COUNTERS /**< an overflow of its own counters: IP7 (procard/procard.h), nPMUIRQ; of
                             its L210's or L220's */
};

/** Which card needs the operating system, since when, and why. */
struct nm_trap {
    unsigned card;
    enum nm_interrupt cause; /**< of NM_RUN_INTERRUPT */
    sim_tick at;             /**< when it happened. The machine has been simulated a fixed time
                                 further, up to nm_machine_now: only there does the operating
                                 system act */
    bool preempted;          /**< stopped by nm_card_preempt; otherwise the processor says why */
};

/** Simulates until `until` (exclusive of events at `until`) or until something must be handled. An
 *  idle machine goes to `until` at once; NM_RUN_IDLE is only returned when that is SIM_NEVER.
 *  @param[out] trap  of NM_RUN_TRAP and NM_RUN_INTERRUPT; not NULL */
enum nm_run nm_machine_run(struct nm_machine *m, sim_tick until, struct nm_trap *trap);

/** A processor does something else for so long before it makes an access: the watchdog takes it for
 *  stuck so much later, from now on. By the card, in a window or an event. */
void nm_machine_delayed(struct nm_machine *m, unsigned card, sim_tick ticks);

/**
 * Up to so many host threads let the machine run, each of them a block of its stations; the caller
 * is one. Nothing that is simulated changes. One does it all where there are no more stations, in
 * the checking mode, with a kind of card that shares more than one thread may touch
 * (machine/card.h, `together`), after nm_machine_in_turn, and in other modes than timed. Before the
 * first thread is placed, once. @return how many there are
 */
unsigned nm_machine_host_threads(struct nm_machine *m, unsigned threads);

/** Whether the machine has so many stations that these host threads can have something to share. */
bool nm_machine_ever_shares(const struct nm_machine *m);

/** Which block of stations a card is of: cards of different blocks run at a time. From 0. */
unsigned nm_machine_block(const struct nm_machine *m, unsigned card);

/** From now on stations run one after the other, on one host thread: something sees what they do in
 *  the order in which the host does it. Processors see stores to pages that are not coherent so,
 *  and so do listeners that hear of references, tenures or instructions. */
void nm_machine_in_turn(struct nm_machine *m);

/** All stations have come to tick `now`: whatever follows happens then, or later. */
typedef void nm_window_fn(void *ctx, sim_tick now);

/** Has `over` called at the end of each window, and windows end soon. Of a timed machine, whose
 *  results do not change; one caller. @param over  NULL: no longer */
void nm_machine_each_window(struct nm_machine *m, nm_window_fn *over, void *ctx);

/**
 * Processors stand still from now on: what is under way comes to its end meanwhile, and then the
 * machine rests (nm_machine_rests). Of a timed machine.
 */
void nm_machine_freeze(struct nm_machine *m);

/** Whether nothing is under way any more of a machine that is frozen, and no trap is left to be
 *  handed out. */
bool nm_machine_rests(const struct nm_machine *m);

/**
 * Goes on in another mode from nm_machine_now on. Caches, directories and counters stay as they
 * are in functional mode; what processors store there is in the image only, as all data is, so
 * nothing becomes wrong, but caches do not learn of it. NM_MODE_WARM is functional for all but
 * them: they become what the same references would have made of them in a timed machine, at once,
 * and processors wait for a line as long as such requests took when they were last timed.
 * Precondition: it was made for timed mode, without the checking mode, its kind of card has
 * `set_mode`, and if it is timed now, it rests. It is no longer frozen then.
 */
void nm_machine_set_mode(struct nm_machine *m, enum nm_mode mode);

/** The mode it is in. */
enum nm_mode nm_machine_mode(const struct nm_machine *m);

/** Whether nothing will ever happen unless the outside does something: no processor runs and no
 *  event is pending. */
bool nm_machine_asleep(const struct nm_machine *m);

/** Lets the thread whose registers are on a stopped or idle card go on, from tick `at` on (>= now +
 *  nm_machine_reach). */
void nm_card_resume(struct nm_machine *m, unsigned card, sim_tick at);

/** Takes the thread off a card that stopped with a trap; the card idles. Its registers stay until
 *  others are put there. Drops the LL link. */
void nm_card_take(struct nm_machine *m, unsigned card);

/** The parts of a card's time, beside the states of its Status pins. */
enum nm_use {
    NM_USE_IDLE,    /**< no thread is placed here */
    NM_USE_RUNNING, /**< a thread executes, or waits for its own accesses */
    NM_USE_SYSTEM,  /**< the operating system works for a thread */
    NM_USE_WAITING, /**< the threads here sleep, one of them until another thread calls it */
    NM_USE_ASLEEP,  /**< the threads here sleep for other things */
    NM_USE__COUNT
};

/** The operating system says what the card's time goes to from tick `at` on, unless something
 *  happens before. From a trap on that is NM_USE_SYSTEM, from nm_card_resume's tick on
 *  NM_USE_RUNNING; at tick 0 NM_USE_IDLE. */
void nm_card_use(struct nm_machine *m, unsigned card, enum nm_use use, sim_tick at);

/** For the operating system to count in. */
struct nm_os_count {
    uint64_t sleeps, wakes; /**< rows of the ground truth (struct nm_truth) */
};

/** A card's, the machine's; to be counted up while the machine stands. */
struct nm_os_count *nm_card_os_counts(struct nm_machine *m, unsigned card);

/** Asks a running card to stop (trap.preempted) before its first instruction at or after `at`
 *  (>= now + nm_machine_reach, or `now` for the card whose trap is being handled). A later call
 * replaces an earlier one; SIM_NEVER cancels. */
void nm_card_preempt(struct nm_machine *m, unsigned card, sim_tick at);

/* ---- special functions ----------------------------------------------------------------------- */

/** Most lines of one command. */
enum { NM_SPECIAL_LINES = 4096 };

/**
 * A card starts a special function (special.def) on a run of lines; NM_RUN_INTERRUPT tells when it
 * is done.
 * @param number  of the function: nm_special_name knows it
 * @param pa      physical address in the first line; the run lies in one page
 * @param lines   1 .. NM_SPECIAL_LINES
 * @param at      tick from which the card sends it; not before now
 * @return false when there is nothing to do and so no interrupt: lines of the card's own station
 *         cannot be in its network cache
 */
bool nm_card_special(struct nm_machine *m, unsigned card, unsigned number, uint64_t pa,
                     unsigned lines, sim_tick at);

/** Name of a special function, NULL: there is none of that number. */
const char *nm_special_name(unsigned number);

/** Whether the function, which nm_special_name knows, loses what its lines held, so that only whole
 *  lines may be given to it. */
bool nm_special_overwrites(unsigned number);

/** Whether the card's special function is under way. */
bool nm_card_special_busy(const struct nm_machine *m, unsigned card);

/** A look into a directory or a secondary cache, as a processor may do it (TR-15). */
struct nm_look {
    enum nm_look_where { NM_LOOK_MEMORY, NM_LOOK_NETWORK, NM_LOOK_CARD } where;
    bool by_index;    /**< `address` is the number of a place, in units of lines */
    uint16_t station; /**< of the network cache, or of the memory when by index */
    uint64_t address; /**< physical */
    /* the answer */
    uint64_t tag;      /**< physical address of the line; ~0: none */
    const char *state; /**< its name in its table, or "-" */
    uint8_t cards;     /**< processor mask; bit 0: this card, when the card was asked */
    uint64_t stations; /**< routing mask (ring/mask.h) */
};

/** The card sends a look, or looks into its own secondary cache (the half for data). As
 *  nm_card_special: one at a time of both, NM_RUN_INTERRUPT tells the end.
 *  @param look  its question is valid: station and places exist */
void nm_card_look(struct nm_machine *m, unsigned card, const struct nm_look *look, sim_tick at);

/** Its answer, valid from the interrupt to the card's next look or special function. */
const struct nm_look *nm_card_looked(const struct nm_machine *m, unsigned card);

/** Places of a memory, a network cache or a card's secondary cache (the half for data) [lines]. */
uint64_t nm_look_places(const struct nm_machine *m, unsigned card, enum nm_look_where where);

/** Where a line is now: the state of its directory at home. For tests and for looking; names as in
 *  the protocol's tables. */
const char *nm_line_at_home(struct nm_machine *m, uint64_t pa);

/** The same for the network cache of a station. @return "-" where it cannot be */
const char *nm_line_at_network(struct nm_machine *m, unsigned station, uint64_t pa);

/* ---- the monitoring cards -------------------------------------------------------------------- */

/**
 * The host's access to a card's registers, those of its counter unit among them, without
 * simulated time. Between two calls of nm_machine_run, at nm_machine_now.
 * @param offset  in the card's register space; a multiple of 4
 */
uint32_t nm_card_register_read(struct nm_machine *m, unsigned card, uint32_t offset);
void nm_card_register_write(struct nm_machine *m, unsigned card, uint32_t offset, uint32_t value);

/** The counter unit of a card, to look at: mon_unit_ops `reading` and `memory`. */
const struct mon_unit *nm_card_unit(const struct nm_machine *m, unsigned card);

/* ---- looking --------------------------------------------------------------------------------- */

/** Totals of a card up to nm_machine_now(). */
void nm_card_taps(struct nm_machine *m, unsigned card, struct mon_taps *out);

/** Ground truth beside the card (truth.def), never mixed with the card's counts. The uses of
 * time (enum nm_use) are all ticks there have been; the operating system counts the last two
 *  (nm_card_os_counts). */
struct nm_truth {
#define TRUTH(field, unit, sentence) uint64_t field;
#include "machine/truth.def"
#undef TRUTH
};

/** Totals of a card up to nm_machine_now(). */
void nm_card_truth(struct nm_machine *m, unsigned card, struct nm_truth *out);

/** One line: what was violated, with cycle, component, address, state and message; "" if nothing.
 */
const char *nm_machine_error(const struct nm_machine *m);

/** Writes each processor's and module's wait and every non-empty queue, for people, to `file` (a
 * FILE *). */
void nm_machine_dump(struct nm_machine *m, void *file);

#pragma GCC visibility pop

#endif
