/*
 * A counter unit: what counts events and interrupts when a count overflows. The monitoring card of
 * the NUMAchine (board/board.h) is one; the counters of an R10000 or an ARM11 would be others.
 *
 * A kind of unit is a struct of operations over named totals (taps.h). To make one: begin a struct
 * of your own with a struct mon_unit, fill in a struct mon_unit_ops, and put that into the kind of
 * card that has it (machine/card.h). docs/extending-unit.md has one of two counters.
 *
 * A unit never counts by itself. The taps are free-running totals that the card keeps anyway, so a
 * counter is a difference of two totals, and its value at any moment is worked out when it is asked
 * for. A unit may not change a simulated cycle, but for the register values and interrupts that a
 * program sees.
 *
 * Time. `now` are the card's totals at the tick of the call, those included that the unit makes
 * itself (`complete`). now->v[MON_TAP_CYCLES] is that tick in card cycles, and `cycle` is one as
 * well. Ticks of calls never go back.
 *
 * Calls. All come from one thread, one at a time, and none may call back. Those that take a
 * struct mon_unit without const may change what its members say (`wants`, `hears`, `phase`): the
 * card looks at them after `read`, `write` and `create`, and only then. What is said to be NULL may
 * be; everything else must be there.
 */
#ifndef MON_UNIT_H
#define MON_UNIT_H

#include "monitor/comparator.h"
#include "monitor/events.h"
#include "monitor/pattern.h"

#pragma GCC visibility push(default)

/* ---- rows: what a unit has, for files, lists, headers of guests and results ------------------ */

enum {
    MON_SPACE = 0x80000,       /**< [bytes] register space of a card. A unit's registers lie below
                                    0x1000 ... */
    MON_SRAM_WINDOW = 0x40000, /**< ... and from here on: its memory of counters, a word each */
};

/** What may be done to a register: both, reading, writing, or clearing the bits that are written
 *  as 1. */
enum mon_access { MON_RW, MON_RO, MON_WO, MON_W1C };

/** A register. Tables of these and of all rows below end with one whose name is NULL. */
struct mon_register_row {
    const char *name, *sentence;
    uint32_t offset, reset;
    unsigned bits;
    enum mon_access access;
};

/** A part of a register, or of a memory's address. One that holds an event's number is called
 *  EVENT. */
struct mon_field_row {
    const char *reg, *name, *sentence;
    unsigned low, bits;
};

/** A number that has a name. */
struct mon_row {
    const char *name, *ref, *sentence; /**< `ref`: where a document has it, or "" */
    unsigned number;
};

/** What a document says of the unit, where it is here, and which test would fail without it. */
struct mon_feature {
    const char *name, *where, *test, *sentence;
};

/** The register at an offset, or of a name; NULL: there is none. */
const struct mon_register_row *mon_unit_register(const struct mon_unit_ops *unit, uint32_t offset);
const struct mon_register_row *mon_unit_register_named(const struct mon_unit_ops *unit,
                                                       const char *name);

/** Reasons that all units share, numbers of `reasons`. */
enum { MON_REFUSED_NO_REGISTER = 1, MON_REFUSED_READ_ONLY = 2 };

/** Why a write was refused, as a sentence. @param reason  as `write` gave it */
const char *mon_unit_reason(const struct mon_unit_ops *unit, unsigned reason);

/* ---- what passes ----------------------------------------------------------------------------- */

/** The FIFOs between card and bus, as FIFO_SELECT numbers them within a direction. */
enum { MON_FIFO_ALL, MON_FIFO_SINKABLE, MON_FIFO_NONSINKABLE, MON_FIFO_KINDS };

/** A packet as a unit sees it. */
struct mon_packet {
    uint64_t address;
    uint8_t command;                       /**< enum nm_message */
    uint8_t phase;                         /**< PhaseID of its requester */
    bool out;                              /**< from the card to the bus */
    unsigned depth[2][MON_FIFO_KINDS - 1]; /**< [packets] in the FIFOs: [out][class]; only with
                                                MON_WANTS_DEPTHS */
};

/** A finished cached read (RD, RDEXCL, UPGD). */
struct mon_transaction {
    uint64_t address;
    uint64_t cycle;             /**< at which it completed */
    uint64_t service;           /**< [cycles] from first issue, retries included (A-16) */
    bool global, valid, nc_hit; /**< StateInfo of the response (A-18) */
    bool exclusive, remote;     /**< RequestInfo: RDEXCL or UPGD; the home is another station */
    uint16_t phase;             /**< ExtendedPhaseID at its last issue, as its packets carry it */
};

/** Why the secondary cache is accessed. */
enum mon_kind {
    MON_KIND_LOOKUP = 1, /**< a primary miss, or a store that asks for ownership */
    MON_KIND_REFILL = 2, /**< a quadword goes up to a primary cache */
    MON_KIND_FILL = 4,   /**< a quadword comes from the bus */
    MON_KIND_VICTIM = 8, /**< a quadword of a dirty line: of a primary one, written here; of one of
                              the secondary cache itself, read out */
    MON_KIND_EXTERNAL = 16 /**< an incoming request: its look-up, and each quadword it is given */
};

/** What a unit wants to be told, beside the packets it hears. A bit that is not set costs nothing
 *  but its test. */
enum mon_wants {
    MON_WANTS_TRANSACTIONS = 1, /**< `transaction` */
    MON_WANTS_ACCESSES = 2,     /**< `access` */
    MON_WANTS_INVALIDATES = 4,  /**< `access`, for invalidates that hit */
    MON_WANTS_ISSUES = 8,       /**< `issue` */
    MON_WANTS_DEPTHS = 16,      /**< the FIFOs' depths in the packets it hears */
    MON_WANTS_LEASH = 32        /**< `access` may say that an interrupt is due: so the processor,
                                     which makes accesses, must not run ahead of it */
};

/* ---- when to look again ---------------------------------------------------------------------- */

/** When a counter must be looked at next: the soonest moment at which it can overflow, or at which
 *  something of it is over. */
struct mon_look {
    enum mon_when {
        MON_LOOK_NEVER,   /**< nothing to wait for */
        MON_LOOK_AT,      /**< at card cycle `count` */
        MON_LOOK_CYCLES,  /**< when `count` card cycles have passed, at least 1 */
        MON_LOOK_PCYCLES, /**< when `count` PCycles have passed, at least 1 */
    } when;
    uint64_t count;
    uint64_t taps; /**< bit t: it waits for tap t to grow. If none of them grows while a machine is
                        idle, it does not keep that machine going */
};

/**
 * A counter of `taps` overflows when it has counted `left` more, at least 1.
 * Levels grow by at most one per cycle of their clock, which is no faster than the PCycle, and of
 * the status states one grows per PCycle; so nothing is missed. Counters of packets are not
 * foretold: they can overflow only where a packet is heard.
 * Precondition: packet taps and levels are not added up in one counter.
 */
struct mon_look mon_look_ahead(uint64_t taps, uint64_t left);

/* ---- results --------------------------------------------------------------------------------- */

/** What a counter shows. */
struct mon_shown {
    uint64_t value;
    bool overflowed; /**< the value is not all that it counted */
};

/** A counter as it stands, for results. Looking changes nothing. */
struct mon_reading {
    bool used;        /**< it has been told to count something ... */
    unsigned event;   /**< ... which is this row of `events`, */
    bool masked;      /**< but not wherever it happens */
    uint32_t setup;   /**< counters of two cards with the same setup count alike */
    uint32_t value;   /**< what a program would read */
    uint64_t counted; /**< since it was last loaded, wraps included; no register has it */
    bool overflowed;  /**< its flag is up */
};

/** A processor's increments of a memory of counters. */
struct mon_writer {
    uint64_t written;
    uint64_t lost; /**< of these, those that came while the memory was busy */
};

/** A unit's memory of counters, for results. The pointers are the unit's. */
struct mon_memory {
    uint32_t setup;                  /**< what it counts; for `meaning` and `bin` */
    const uint32_t *word;            /**< [ops->words]; NULL: never used, all 0 */
    bool wrapped;                    /**< the overflow flag is up */
    uint64_t lost;                   /**< events it was too slow for */
    uint64_t longest;                /**< [cycles] greatest service time counted */
    const struct mon_writer *writer; /**< [writers] increments by processors */
    unsigned writers;
};

/** What a memory counts with one setup. */
struct mon_meaning {
    bool counts;          /**< anything at all */
    const char *sentence; /**< what */
    uint64_t time_end;    /**< [cycles] service times from here on share a word; 0: no times */
    bool lines;           /**< a word is a line, not a block of 32 bytes */
};

/** What a word counts. Members that the setup does not have are 0. */
struct mon_bin {
    bool has_state, has_phase, has_time, has_block;
    bool global, valid, nc_hit;   /**< StateInfo */
    bool exclusive, remote;       /**< RequestInfo */
    uint16_t phase;               /**< PhaseID, or ExtendedPhaseID */
    uint64_t time_low, time_high; /**< [cycles] inclusive; high UINT64_MAX: it saturates here */
    uint16_t block;               /**< SCADDR(15:1): number of the 32-byte block in its half */
    bool high_half;               /**< SCADDR(17): of a split cache, the half of l2.data_half */
};

/** A way to tell greater service times apart, as users ask for it. */
struct mon_reach {
    const char *name; /**< "scale doubled" */
    uint64_t end;     /**< [cycles] from here on they share a word */
};

/* ---- what a file asks for -------------------------------------------------------------------- */

enum { MON_FLAGS_MAX = 8 };

/** What the keys under `monitor:` say, as far as a unit is concerned. */
struct mon_wish {
    struct mon_wish_counter {
        unsigned event; /**< row of `events` that this counter can count */
        uint32_t flags; /**< bit n: the row of `flags` with number n is true */
        uint32_t start; /**< its first value */
    } counter[MON_COUNTERS_MAX];
    unsigned counters; /**< 0 to n-1 are programmed */
    bool by_address;   /**< the mask: packets of addresses that match `address`, ... */
    struct mon_pattern address;
    int command, phase, fifo; /**< ... with this message, PhaseID, while more than so many packets
                                   are in the incoming FIFO; -1: any ... */
    unsigned direction;       /**< ... 0: in either direction, 1: out, 2: in */
    const char *histogram;    /**< name in `histograms`; the first row's: nothing */
    bool histogram_interrupt, doubled;
};

/** Parts of a wish, in the order in which they are written; registers given by their names come
 *  between the mask and the counters. */
enum mon_part { MON_PART_SCALE, MON_PART_MASK, MON_PART_COUNTERS, MON_PART_HISTOGRAM };

/** The key that asks for a write. */
enum mon_key {
    MON_KEY_SCALE,
    MON_KEY_ADDRESS,
    MON_KEY_COMMAND,
    MON_KEY_PHASE,
    MON_KEY_FIFO,
    MON_KEY_MASK, /**< the mask as a whole */
    MON_KEY_REGISTER,
    MON_KEY_COUNTER, /**< an entry of the counters */
    MON_KEY_HISTOGRAM
};

/** One write to a unit's registers. */
struct mon_write {
    uint32_t offset, value;
    enum mon_key key;
    unsigned counter; /**< of MON_KEY_COUNTER: which */
};

enum { MON_WRITES_MAX = 16 /**< of one part */ };

/* ---- the operations -------------------------------------------------------------------------- */

/** The first member of every unit. `ops` is set by `create`; the others by the unit, and read by
 *  its card. */
struct mon_unit {
    const struct mon_unit_ops *ops;
    unsigned wants; /**< enum mon_wants */
    uint64_t hears; /**< bit t: it wants to hear of each packet because of which tap t grows; packet
                         taps only. Needed by counters of packets that interrupt or are masked */
    uint16_t phase; /**< ExtendedPhaseID of the processor, as its requests carry it; 11 bits */
};

/** Where a unit is put. */
struct mon_site {
    unsigned number;                         /**< of the processor card */
    bool turns;                              /**< increments of its memory wait for each other */
    const struct mon_comparator *comparator; /**< outlives the unit */
};

enum { MON_PHASE_ID = 15 /**< the bits of an ExtendedPhaseID that packets carry */ };

/** Flags of interrupts: bit k is counter k's, and this one the memory's. */
enum { MON_FLAG_MEMORY = MON_COUNTERS_MAX };

/** An event that a processor, or its secondary cache's controller, counts by itself. */
struct mon_own_event {
    struct mon_event event; /**< `counters` are the list's own, from bit 0 on; no taps */
    uint64_t signals;       /**< what it counts, added up: bit per signal of the list */
};

/** What one of them counts: a list of its own, wherever it stands. */
struct mon_own_list {
    const struct mon_own_event *event; /**< [events], at most MON_OWN_EVENTS_MAX */
    unsigned events, counters;
    unsigned first; /**< its signals are the processor's totals from here on (monitor/own.h) */
    unsigned modes; /**< totals of a signal, one for each mode of the processor */
};

enum { MON_OWN_LISTS = 2 };

/** What a processor beside the unit counts by itself: its events follow the unit's own, list after
 *  list, and so do its counters. */
struct mon_own {
    const char *processor; /**< for people */
    const struct mon_own_list *list[MON_OWN_LISTS];
};

/** How many events and counters they are; none for NULL. */
unsigned mon_own_events(const struct mon_own *own);
unsigned mon_own_counters(const struct mon_own *own);

/** One of these events, from 0 on; and which of its processor's counters can count it: bit k. */
const struct mon_event *mon_own_event_at(const struct mon_own *own, unsigned event);
unsigned mon_own_event_counters(const struct mon_own *own, unsigned event);

/** A kind of counter unit. */
struct mon_unit_ops {
    const char *name;     /**< lower case */
    unsigned counters;    /**< at most MON_COUNTERS_MAX */
    const char *overflow; /**< when a counter overflows: a sentence */

    /* ---- rows ---- */
    const struct mon_event *events; /**< its own: [event_count], at most MON_UNIT_EVENTS_MAX */
    unsigned event_count;
    unsigned nothing; /**< row of the event that never counts: what an unused counter counts. It has
                           no taps, or the process ends with a message when the card is made */
    const struct mon_own *own; /**< of the processor beside it, whose events follow these; NULL: it
                                    counts none */
    const struct mon_unit_ops *const
        *beside;                     /**< by enum mon_processor, then NULL: the same unit beside
                                          a processor that does; NULL: there is none */
    const struct mon_alias *aliases; /**< NULL: none; and so on */
    const struct mon_set *sets;
    const struct mon_register_row *registers;
    const struct mon_field_row *fields;
    const struct mon_row *reasons; /**< why a write is refused; 0: it is not */
    const struct mon_row *flags;   /**< what an entry of monitor.counters may say beside its event
                                        and start, true or false; at most MON_FLAGS_MAX, numbers
                                        below 32 */
    const struct mon_row *histograms;  /**< what the memory can be asked to count */
    const struct mon_row *sources;     /**< what its address is made of ... */
    const struct mon_field_row *parts; /**< ... and the parts of that address */
    const struct mon_feature *features;
    uint32_t words;       /**< of the memory; 0: it has none */
    unsigned memory_busy; /**< [cycles] the memory is busy with an event */

    /* ---- life ---- */

    /** Makes a unit that counts nothing and wants nothing. Never NULL. */
    struct mon_unit *(*create)(const struct mon_site *site);
    void (*free)(struct mon_unit *unit);

    /* ---- registers ---- */

    /** A register access by a processor or the host. What is not there reads 0.
     *  @param offset  a multiple of 4, below MON_SPACE and not one of the card's own registers */
    uint32_t (*read)(struct mon_unit *unit, uint32_t offset, const struct mon_taps *now);
    /** A write that cannot be done changes nothing but what the unit notes of it.
     *  @param writer  number of the card whose processor writes
     *  @return 0, or why not: a number of `reasons` */
    unsigned (*write)(struct mon_unit *unit, unsigned writer, uint32_t offset, uint32_t value,
                      const struct mon_taps *now);
    /** A write to a register of the card beside the unit was refused (MON_REFUSED): the unit may
     *  note it as one of its own. NULL: it does not. */
    void (*refuse)(struct mon_unit *unit, uint32_t offset, unsigned reason);

    /* ---- time ---- */

    /** Fills in the taps that the unit makes itself (UNIT_TAP); the others are there. NULL: it
     *  makes none. */
    void (*complete)(const struct mon_unit *unit, struct mon_taps *now);
    /** A look that `look` asked for: what was to be over by now is over. NULL: nothing ever is. */
    void (*settle)(struct mon_unit *unit, const struct mon_taps *now);
    /** When counter k must be looked at next. Asked again after each look, `read`, `write` and
     *  `issue`; not asked after a packet, because of which no look may come sooner. */
    struct mon_look (*look)(const struct mon_unit *unit, unsigned k, const struct mon_taps *now);
    /**
     * Interrupts that are due: flags that are up and enabled. A level: the card interrupts its
     * processor when a flag comes that was not there when it asked before. So a flag interrupts
     * once, and again after `pending` was asked while it was down: clearing or disabling it by a
     * register is enough, for the card asks after each `read` and `write`.
     * @param known       only these taps of `now` are there: all, or MON_PACKET_TAPS
     * @param[out] which  the flags that can be told from them, due or not
     */
    unsigned (*pending)(const struct mon_unit *unit, const struct mon_taps *now, uint64_t known,
                        unsigned *which);
    /** The interrupt reaches the processor. NULL: the unit need not know. */
    void (*interrupted)(struct mon_unit *unit, uint64_t cycle);

    /* ---- what passes; each called only when the unit hears or wants it, NULL if it never does */

    /** A tap it hears (enum mon_tap) has grown by `amount` because of packet `p`; the tap itself is
     *  the card's.
     *  `pending` is asked next, of packet taps. NULL: the taps say enough. */
    void (*packet)(struct mon_unit *unit, unsigned tap, uint64_t amount,
                   const struct mon_packet *p);
    /** A cached read is issued for the first time. */
    void (*issue)(struct mon_unit *unit, const struct mon_taps *now);
    /** A cached read is done. @return flags that are up, enabled, and because of such calls */
    unsigned (*transaction)(struct mon_unit *unit, const struct mon_transaction *t);
    /**
     * The secondary cache is accessed, or an invalidate hits it.
     * @param kind    0: an invalidate
     * @param scaddr  SCADDR(17:0): number of the 16-byte quadword, bit 17 the half
     * @param data    it is the half for data, or there is only one
     * @return as of `transaction`
     */
    unsigned (*access)(struct mon_unit *unit, enum mon_kind kind, uint32_t scaddr, bool data,
                       uint64_t cycle);

    /* ---- results; they change nothing ---- */

    /** Whether an event means something only on a counter programmed with it, as when the hardware
     *  clears it: it is no result of a region. NULL: none is so. */
    bool (*local)(unsigned event);
    /** What counter k shows at `to` if it was told at `from` to count an event and cleared.
     *  Precondition: it can count the event, which is not local. */
    struct mon_shown (*measure)(unsigned event, unsigned k, const struct mon_taps *from,
                                const struct mon_taps *to);
    void (*reading)(const struct mon_unit *unit, unsigned k, const struct mon_taps *now,
                    struct mon_reading *out);
    /** These are NULL if `words` is 0. */
    void (*memory)(const struct mon_unit *unit, struct mon_memory *out);
    void (*meaning)(uint32_t setup, struct mon_meaning *out);
    struct mon_bin (*bin)(uint32_t setup, uint32_t word);
    /** Way i to tell greater service times apart, the nearest first. @return false: no more */
    bool (*reach)(unsigned i, struct mon_reach *out);
    /** Why these events and a memory with this setup cannot be counted in one run of the card, as
     *  in "one more for the histogram, because ..."; NULL: they can. */
    const char *(*conflict)(const struct mon_choice *choice, uint32_t setup);

    /* ---- files ---- */

    /** The register writes that a part of a wish comes to.
     *  @param[out] out  [MON_WRITES_MAX]
     *  @return how many; -1: the unit cannot do what is asked. NULL: it can do nothing of it */
    int (*program)(const struct mon_wish *wish, enum mon_part part, struct mon_write *out);
};

/* What can be counted on a card: the rows of its unit's own events, then those of the processor's
 * beside it. Wherever an event is meant by its row, it is one of these. */

/** How many. */
static inline unsigned mon_unit_events(const struct mon_unit_ops *unit)
{
    return unit->event_count + mon_own_events(unit->own);
}

/** Whether an event is counted by the processor itself. */
static inline bool mon_is_own(const struct mon_unit_ops *unit, unsigned event)
{
    return event >= unit->event_count;
}

/** The event of a row. */
static inline const struct mon_event *mon_unit_event(const struct mon_unit_ops *unit,
                                                     unsigned event)
{
    return mon_is_own(unit, event) ? mon_own_event_at(unit->own, event - unit->event_count)
                                   : &unit->events[event];
}

/** Counters of both: the unit's, then the processor's. */
static inline unsigned mon_unit_counters(const struct mon_unit_ops *unit)
{
    return unit->counters + mon_own_counters(unit->own);
}

/** Bit k: counter k of these can count the event. */
static inline unsigned mon_event_counters(const struct mon_unit_ops *unit, unsigned event)
{
    return mon_is_own(unit, event)
               ? mon_own_event_counters(unit->own, event - unit->event_count) << unit->counters
               : unit->events[event].counters;
}

/** The unit of a card that has none: no registers, no events, no counters. */
extern const struct mon_unit_ops mon_none;

/** What monitor.histogram.source may be, separated by spaces: names in `histograms` of all units
 *  there are. */
extern const char mon_histogram_words[];

#pragma GCC visibility pop

#endif
