/*
 * The NUMAchine's counter unit: the monitoring card of one processor card as a guest sees it:
 * registers (registers.def), four counters, the master mask, the comparator for invalidated lines
 * and the SRAM.
 *
 * The board is plain logic: it is told what passes and at which card cycle, and answers register
 * accesses. Its card (procard/monitor.c) knows it as a struct mon_unit (monitor/unit.h), brings the
 * totals, posts the events that make overflows exact, and hands interrupts on. Times are in card
 * (bus) cycles. The words of the SRAM are allocated when they are first used; mon_board_free
 * releases them.
 */
#ifndef MON_BOARD_H
#define MON_BOARD_H

#include "monitor/board/card.h"

/* ---- the register table ---------------------------------------------------------------------- */

/** The rows, in table order, and one without a name. */
extern const struct mon_register_row mon_board_registers[];
extern const struct mon_field_row mon_board_fields[];
extern const struct mon_row mon_board_reasons[];

/** The register at an offset, or NULL. */
const struct mon_register_row *mon_register_at(uint32_t offset);

/* ---- the SRAM -------------------------------------------------------------------------------- */

enum { MON_SRAM_BUSY = 3 /**< [cycles] an increment takes (N-88) */ };

/** Where its address comes from (sources.def). */
enum mon_source {
#define SOURCE(name, number, ref, sentence) MON_SOURCE_##name = number,
#define PART(source, name, low, bits, sentence)
#include "monitor/board/sources.def"
#undef SOURCE
#undef PART
    MON_SOURCES
};

/** The rows, indexed by enum mon_source, and one without a name. */
extern const struct mon_row mon_board_sources[MON_SOURCES + 1];
/** The PART rows, and one without a name. */
extern const struct mon_field_row mon_board_parts[];

/** [cycles] the 7-bit code of a service time (N-85, A-1): truncated, saturating at 1984; with
 *  `doubled` in units of two cycles, saturating at 3968. */
unsigned mon_time_encode(uint64_t cycles, bool doubled);
/** [cycles] the least time with that code. */
unsigned mon_time_decode(unsigned code, bool doubled);

/** [cycles] service times from here on share a word of the source; 0: it does not tell times. */
uint64_t mon_time_end(enum mon_source source, bool doubled);

/** Takes a word's number apart. @param doubled  OPTIONS.DOUBLE_TIME */
struct mon_bin mon_bin_decode(enum mon_source source, uint16_t index, bool doubled);

/** Number of the word that counts a transaction; the source is state_phase, state_time or
 *  phase_time. */
uint16_t mon_bin_of(enum mon_source source, const struct mon_transaction *t, bool doubled);

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
    struct mon_unit unit;
    struct mon_card counters;
    struct mon_sram sram;
    /* registers as written; those not here are made when read */
    uint32_t control[MON_COUNTERS];
    uint32_t options, error, mask, command, phase_match, fifo_depth, fifo_select;
    uint64_t care, value;
    uint32_t phase, threshold, watch, memory, sram_control;
    const struct mon_comparator *comparator; /**< the card's (N-48, N-96, N-97) */
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

/** The board behind a unit. Precondition: it is one. */
static inline struct mon_board *mon_board_of(struct mon_unit *unit)
{
    return (struct mon_board *)unit;
}

static inline const struct mon_board *mon_const_board_of(const struct mon_unit *unit)
{
    return (const struct mon_board *)unit;
}

/** With a comparator that has never seen anything; mon_numachine.create gives it its card's.
 *  @param number  of the processor card */
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

/** What the board wants to be told (enum mon_wants), and of which packets. */
unsigned mon_board_wants(const struct mon_board *b);

/** The packet taps of which mon_board_packet wants to know, a bit each: those of masked counters,
 * and of counters whose overflow interrupts. */
uint64_t mon_board_hears(const struct mon_board *b);

/** Whether the mask lets a packet pass. p->depth is only looked at when the mask has MASK_FIFO. */
bool mon_board_passes(const struct mon_board *b, const struct mon_packet *p);

/** A packet tap has grown by `amount` (the tap itself is the caller's) because of a packet that
 *  passes. */
void mon_board_add(struct mon_board *b, unsigned tap, uint64_t amount);

/** Both: ... because of packet `p`, whether it passes or not. */
void mon_board_packet(struct mon_board *b, unsigned tap, uint64_t amount,
                      const struct mon_packet *p);

/** A cached read is issued for the first time. @param now  totals, as for mon_board_read */
void mon_board_issue(struct mon_board *b, const struct mon_taps *now);

/** A cached read is done. */
void mon_board_transaction(struct mon_board *b, const struct mon_transaction *t);

/** The secondary cache is accessed, or an invalidate hits it.
 *  @param kind    0: the kinds that SRAM_CONTROL.KINDS says
 *  @param scaddr  SCADDR(17:0): number of the 16-byte quadword, bit 17 the half
 *  @param data    it is the half for data, or there is only one */
void mon_board_access(struct mon_board *b, enum mon_kind kind, uint32_t scaddr, bool data,
                      uint64_t cycle);

/** When counter k must be looked at next. */
struct mon_look mon_board_look(const struct mon_board *b, unsigned k, const struct mon_taps *now);

/** In mon_memory.setup, beside SRAM_CONTROL: OPTIONS.DOUBLE_TIME. */
enum { MON_SETUP_DOUBLED = 1 << 16 };

/* ---- files (program.c) ----------------------------------------------------------------------- */

/** What an entry of monitor.counters may say. */
extern const struct mon_row mon_board_flag_rows[];

/** What an experiment's file can have the SRAM count, and one row without a name. */
extern const struct mon_row mon_board_histograms[];
/** What SRAM_CONTROL counts, but for its interrupt, in the words of a row of histograms.def or of
 * the card. */
const char *mon_histogram_sentence(uint32_t control);
/** mon_unit_ops.program */
int mon_board_program(const struct mon_wish *wish, enum mon_part part, struct mon_write *out);

#endif
