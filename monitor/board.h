/*
 * The monitoring card of one processor card as a guest sees it: registers (registers.def), four
 * counters, the master mask, the comparator for invalidated lines and the SRAM.
 *
 * The board is plain logic: it is told what passes and at which card cycle, and answers register
 * accesses. Whoever owns it (procard/monitor.c) brings the totals, posts the events that make
 * overflows exact, and hands interrupts on. Times are in card (bus) cycles. The words of the SRAM
 * are allocated when they are first used; mon_board_free releases them.
 */
#ifndef MON_BOARD_H
#define MON_BOARD_H

#include "monitor/monitor.h"

/* ---- the register table ---------------------------------------------------------------------- */

enum {
    MON_SPACE = 0x80000,        /**< [bytes] register space of a card */
    MON_SRAM_WINDOW = 0x40000,  /**< [bytes] offset of the SRAM's window */
    MON_SRAM_WORDS = 65536,     /**< (N-78) */
    MON_SRAM_BUSY = 3,          /**< [cycles] an increment takes (N-88) */
    MON_BIT_SRAM = MON_COUNTERS /**< of OVERFLOW and INTERRUPT, beside one bit per counter */
};

/** Offset of a register: MON_REG_COUNTER0 ... */
enum mon_register {
#define REGISTER(name, offset, bits, access, reset, sentence) MON_REG_##name = offset,
#define FIELD(register, name, low, bits, sentence)
#include "monitor/registers.def"
#undef REGISTER
#undef FIELD
};

/** Bits a register has: MON_BITS_COMMAND. */
enum mon_register_bits {
#define REGISTER(name, offset, bits, access, reset, sentence) MON_BITS_##name = bits,
#define FIELD(register, name, low, bits, sentence)
#include "monitor/registers.def"
#undef REGISTER
#undef FIELD
};

/** Low bit and value mask of a field: MON_LOW_MASK_PHASE, MON_MAX_MASK_PHASE. */
enum mon_field {
#define REGISTER(name, offset, bits, access, reset, sentence)
#define FIELD(register, name, low, bits, sentence) \
    MON_LOW_##register##_##name = low, MON_MAX_##register##_##name = (1 << (bits)) - 1,
#include "monitor/registers.def"
#undef REGISTER
#undef FIELD
};

/** Value of a field in a register's word; `field` like MASK_PHASE. */
#define MON_GET(word, field) ((word) >> MON_LOW_##field & MON_MAX_##field)
/** A field's value where it stands in the word. */
#define MON_PUT(value, field) ((uint32_t)(value) << MON_LOW_##field)

enum mon_access { MON_RW, MON_RO, MON_WO, MON_W1C };

/** One row of registers.def. Strings are static. */
struct mon_register_row {
    const char *name, *sentence;
    uint32_t offset, reset;
    unsigned bits;
    enum mon_access access;
};

/** One FIELD row. */
struct mon_field_row {
    const char *reg, *name, *sentence;
    unsigned low, bits;
};

/** The rows, in table order; *count receives their number. */
const struct mon_register_row *mon_registers(size_t *count);
const struct mon_field_row *mon_fields(size_t *count);

/** The register at an offset, or NULL. */
const struct mon_register_row *mon_register_at(uint32_t offset);

/** Why a write was refused (reasons.def). */
enum mon_reason {
#define REASON(name, number, sentence) MON_REASON_##name = number,
#include "monitor/reasons.def"
#undef REASON
};
const char *mon_reason_sentence(unsigned reason);

/* ---- what passes ----------------------------------------------------------------------------- */

/** The FIFOs between card and bus, as FIFO_SELECT numbers them within a direction. */
enum { MON_FIFO_ALL, MON_FIFO_SINKABLE, MON_FIFO_NONSINKABLE, MON_FIFO_KINDS };

/** A packet as the master mask looks at it. */
struct mon_packet {
    uint64_t address;
    uint8_t command;                       /**< enum nm_message */
    uint8_t phase;                         /**< PhaseID of its requester */
    bool out;                              /**< from the card to the bus */
    unsigned depth[2][MON_FIFO_KINDS - 1]; /**< [packets] in the FIFOs: [out][class] */
};

/** A finished cached read, as the SRAM counts it. */
struct mon_transaction {
    uint64_t address;
    uint64_t cycle;             /**< at which it completed */
    uint64_t service;           /**< [cycles] from first issue, retries included (A-16) */
    bool global, valid, nc_hit; /**< StateInfo of the response (A-18) */
    bool exclusive, remote;     /**< RequestInfo: RDEXCL or UPGD; the home is another station */
    uint16_t phase;             /**< ExtendedPhaseID at its last issue, as its packets carry it */
};

/* ---- the SRAM -------------------------------------------------------------------------------- */

/** Where its address comes from (sources.def). */
enum mon_source {
#define SOURCE(name, number, ref, sentence) MON_SOURCE_##name = number,
#define PART(source, name, low, bits, sentence)
#include "monitor/sources.def"
#undef SOURCE
#undef PART
    MON_SOURCES
};

struct mon_source_row {
    const char *name, *ref, *sentence;
};
/** The row of a source. Precondition: below MON_SOURCES. */
const struct mon_source_row *mon_source_row(enum mon_source source);

/** One PART row. */
struct mon_part_row {
    enum mon_source source;
    const char *name, *sentence;
    unsigned low, bits;
};
const struct mon_part_row *mon_parts(size_t *count);

/** [cycles] the 7-bit code of a service time (N-85, A-1): truncated, saturating at 1984; with
 *  `doubled` in units of two cycles, saturating at 3968. */
unsigned mon_time_encode(uint64_t cycles, bool doubled);
/** [cycles] the least time with that code. */
unsigned mon_time_decode(unsigned code, bool doubled);

/** [cycles] service times from here on share a word of the source; 0: it does not tell times. */
uint64_t mon_time_end(enum mon_source source, bool doubled);

/** What a word of the SRAM counts. Members that the source does not have are 0. */
struct mon_bin {
    enum mon_source source;
    bool has_state, has_phase, has_time, has_block;
    bool global, valid, nc_hit;   /**< StateInfo */
    bool exclusive, remote;       /**< RequestInfo */
    uint16_t phase;               /**< PhaseID, or ExtendedPhaseID */
    uint64_t time_low, time_high; /**< [cycles] inclusive; high UINT64_MAX: it saturates here */
    uint16_t block;               /**< SCADDR(15:1): number of the 32-byte block in its half */
    bool high_half;               /**< SCADDR(17): of a split cache, the half of l2.data_half */
};

/** Takes a word's number apart. @param doubled  OPTIONS.DOUBLE_TIME */
struct mon_bin mon_bin_decode(enum mon_source source, uint16_t index, bool doubled);

/** Number of the word that counts a transaction; the source is state_phase, state_time or
 *  phase_time. */
uint16_t mon_bin_of(enum mon_source source, const struct mon_transaction *t, bool doubled);

/** A processor's increments of one SRAM. */
struct mon_writer {
    uint64_t written;
    uint64_t lost; /**< of these, those that came while the SRAM was busy */
};

struct mon_sram {
    uint32_t *word;   /**< [MON_SRAM_WORDS]; NULL: never used, all 0 */
    uint64_t free_at; /**< [cycles] ready for the next event */
    uint32_t lost;    /**< events that came too early (A-11); stays at 2^32-1 */
    uint64_t longest; /**< [cycles] greatest service time counted; for results, not in hardware */
    bool turns;       /**< increments wait in latches: [own], free again at a cycle */
    uint64_t latched[2]; /**< [cycles] */
    struct mon_writer
        *writer;      /**< [writers] processors' increments, for results; not in hardware */
    unsigned writers; /**< highest that wrote, plus one */
    uint16_t last;    /**< word that overflowed last (A-13) */
    bool overflow;    /**< sticky */
};

/** The words, allocated now if they never were; the SRAM's own. */
uint32_t *mon_sram_words(struct mon_sram *s);

/** Counts an event in a word. @return false: it was lost, the SRAM was busy */
bool mon_sram_count(struct mon_sram *s, uint16_t index, uint64_t cycle);

/**
 * A processor's increment (N-89).
 * @param writer  machine-wide number of its card
 * @param own     it is the card's own, not one over the bus; the two have a latch each
 * @return false: it was lost. With `turns` it is only if its latch is taken; one that waits is seen
 *         in its word at once, although it is written a few cycles later
 */
bool mon_sram_increment(struct mon_sram *s, uint16_t index, uint64_t cycle, unsigned writer,
                        bool own);

/* ---- the board ------------------------------------------------------------------------------- */

struct mon_board {
    struct mon_card counters;
    struct mon_sram sram;
    /* registers as written; those not here are made when read */
    uint32_t control[MON_COUNTERS];
    uint32_t options, error, mask, command, phase_match, fifo_depth, fifo_select;
    uint64_t care, value;
    uint32_t phase, threshold, watch, memory, sram_control;
    /* the comparator for invalidated lines (N-48, N-96, N-97); always at work */
    uint64_t invalidated; /**< line of the most recent incoming invalidate, MON_NOWHERE: none */
    bool armed;           /**< not asked for since */
    uint64_t requested;   /**< AR */
    /* counter_above (N-73): crossings up to the last change of what it watches, and from where on
     * the rest is worked out */
    uint64_t crossings, crossed_from;
    /* interrupt_time (N-74) */
    uint64_t noticed;     /**< [cycles] of interrupts that were noticed */
    uint64_t interrupted; /**< [cycles] since when one waits, valid while `interrupt_waits` */
    bool interrupt_waits;
    unsigned number; /**< of the processor card */
    void (*log)(void *ctx, const struct mon_transaction *t, int index); /**< ground truth for tests:
                                    every finished read; index -1: not counted or lost */
    void *log_ctx;
};

#define MON_NOWHERE UINT64_MAX

/** @param number  of the processor card */
void mon_board_init(struct mon_board *b, unsigned number);
void mon_board_free(struct mon_board *b);

/**
 * A register access by a processor or the host.
 * @param now  the card's totals at this very cycle, ABOVE and INTERRUPT_TIME included
 *             (mon_board_complete)
 * A write that cannot be done has no other effect than the ERROR register.
 */
uint32_t mon_board_read(struct mon_board *b, uint32_t offset, const struct mon_taps *now);
enum mon_reason mon_board_write(struct mon_board *b, uint32_t offset, uint32_t value,
                                const struct mon_taps *now);
/** As mon_board_write, which is the card's own processor's, by that of card `writer`. */
enum mon_reason mon_board_write_by(struct mon_board *b, unsigned writer, uint32_t offset,
                                   uint32_t value, const struct mon_taps *now);

/** The ERROR register says that a write was refused: of the board's own, or of a register beside
 * it. */
void mon_board_refuse(struct mon_board *b, uint32_t offset, enum mon_reason reason);

/** Fills in the taps that the board makes itself. The others must be there. */
void mon_board_complete(const struct mon_board *b, struct mon_taps *now);

/** Overflow flags, whether enabled or not: bits as in OVERFLOW. */
unsigned mon_board_flags(const struct mon_board *b, const struct mon_taps *now);
/** ... of those, the enabled ones. */
unsigned mon_board_pending(const struct mon_board *b, const struct mon_taps *now);
/** ... of those, the ones of packet counters; `which` are all packet counters. Only packet taps of
 *  `now` need be there. */
unsigned mon_board_packets_pending(const struct mon_board *b, const struct mon_taps *now,
                                   unsigned *which);
/** Bits of the interrupts that are enabled. */
unsigned mon_board_enabled(const struct mon_board *b);

/** The interrupt reaches the processor. */
void mon_board_interrupt(struct mon_board *b, uint64_t cycle);

/** What has to be told to the board. Nothing but the comparator's two need be told otherwise. */
enum mon_wants {
    MON_WANTS_TRANSACTIONS = 1, /**< mon_board_transaction */
    MON_WANTS_ACCESSES = 2,     /**< mon_board_access */
    MON_WANTS_INVALIDATES = 4,  /**< mon_board_access for invalidates that hit */
    MON_WANTS_ISSUES = 8        /**< mon_board_issue: last_read_latency is cleared */
};
unsigned mon_board_wants(const struct mon_board *b);

/** The packet taps of which mon_board_packet wants to know, a bit each: those of masked counters,
 * and of counters whose overflow interrupts. */
uint64_t mon_board_hears(const struct mon_board *b);

/** Whether the mask lets a packet pass. p->depth is only looked at when the mask has MASK_FIFO. */
bool mon_board_passes(const struct mon_board *b, const struct mon_packet *p);

/** A packet tap has grown by `amount` (the tap itself is the caller's) because of a packet that
 *  passes. */
void mon_board_add(struct mon_board *b, enum mon_tap tap, uint64_t amount);

/** Both: ... because of packet `p`, whether it passes or not. */
void mon_board_packet(struct mon_board *b, enum mon_tap tap, uint64_t amount,
                      const struct mon_packet *p);

/** An incoming invalidate passes the comparator. */
static inline void mon_board_invalidate(struct mon_board *b, uint64_t line)
{
    b->invalidated = line;
    b->armed = true;
}

/** A request passes the comparator. @return 0: another line, 1: it was invalidated (N-48), 2: and
 *  this is the first request since (N-96) */
static inline unsigned mon_board_request(struct mon_board *b, uint64_t line)
{
    b->requested = line;
    if (line != b->invalidated)
        return 0;
    unsigned first = b->armed;
    b->armed = false;
    return 1 + first;
}

/** A cached read is issued for the first time. @param now  totals, as for mon_board_read */
void mon_board_issue(struct mon_board *b, const struct mon_taps *now);

/** A cached read is done. */
void mon_board_transaction(struct mon_board *b, const struct mon_transaction *t);

/** Why the secondary cache is accessed, as SRAM_CONTROL.KINDS has it. */
enum mon_kind {
    MON_KIND_LOOKUP = 1, /**< a primary miss, or a store that asks for ownership */
    MON_KIND_REFILL = 2, /**< a quadword goes up to a primary cache */
    MON_KIND_FILL = 4,   /**< a quadword comes from the bus */
    MON_KIND_VICTIM = 8, /**< a quadword of a dirty line: of a primary one, written here; of one of
                              the secondary cache itself, read out */
    MON_KIND_EXTERNAL = 16 /**< an incoming request: its look-up, and each quadword it is given */
};

/** The secondary cache is accessed, or an invalidate hits it.
 *  @param kind    0: whatever SRAM_CONTROL.KINDS says
 *  @param scaddr  SCADDR(17:0): number of the 16-byte quadword, bit 17 the half
 *  @param data    it is the half for data, or there is only one */
void mon_board_access(struct mon_board *b, enum mon_kind kind, uint32_t scaddr, bool data,
                      uint64_t cycle);

/** [cycles or PCycles] how many more until counter k can overflow at the soonest, at least 1; 0: it
 *  counts nothing that grows with time. *pcycles says which of both. */
uint64_t mon_board_remaining(const struct mon_board *b, unsigned k, const struct mon_taps *now,
                             bool *pcycles);

#endif
