/*
 * The board as a counter unit: the operations of monitor/unit.h, each with what it is here.
 */
#include "monitor/board/board.h"
#include "monitor/own.h"

#include "base/alloc.h"

#include <stdlib.h>

/* ---- life ------------------------------------------------------------------------------------ */

static struct mon_unit *unit_create(const struct mon_site *site)
{
    struct mon_board *b = sim_alloc(1, sizeof *b);
    mon_board_init(b, site->number);
    b->comparator = site->comparator;
    b->sram.turns = site->turns;
    return &b->unit;
}

static void unit_release(struct mon_unit *unit)
{
    mon_board_free(mon_board_of(unit));
    free(unit);
}

/* ---- registers and time ---------------------------------------------------------------------- */

static uint32_t unit_read_register(struct mon_unit *unit, uint32_t offset,
                                   const struct mon_taps *now)
{
    return mon_board_read(mon_board_of(unit), offset, now);
}

static unsigned unit_write_register(struct mon_unit *unit, unsigned writer, uint32_t offset,
                                    uint32_t value, const struct mon_taps *now)
{
    return mon_board_write_by(mon_board_of(unit), writer, offset, value, now);
}

static void unit_refuse(struct mon_unit *unit, uint32_t offset, unsigned reason)
{
    mon_board_refuse(mon_board_of(unit), offset, (enum mon_reason)reason);
}

static void unit_complete(const struct mon_unit *unit, struct mon_taps *now)
{
    mon_board_complete(mon_const_board_of(unit), now);
}

static void unit_settle(struct mon_unit *unit, const struct mon_taps *now)
{
    mon_settle(&mon_board_of(unit)->counters, now);
}

static struct mon_look unit_look(const struct mon_unit *unit, unsigned k,
                                 const struct mon_taps *now)
{
    return mon_board_look(mon_const_board_of(unit), k, now);
}

static unsigned unit_pending(const struct mon_unit *unit, const struct mon_taps *now,
                             uint64_t known, unsigned *which)
{
    const struct mon_board *b = mon_const_board_of(unit);
    if (!~known) {
        *which = ~0u;
        return mon_board_pending(b, now);
    }
    *which = 0;
    return mon_board_enabled(b) ? mon_board_packets_pending(b, now, which) : 0;
}

static void unit_interrupted(struct mon_unit *unit, uint64_t cycle)
{
    mon_board_interrupt(mon_board_of(unit), cycle);
}

/* ---- what passes ----------------------------------------------------------------------------- */

static void unit_packet(struct mon_unit *unit, unsigned tap, uint64_t amount,
                        const struct mon_packet *p)
{
    mon_board_packet(mon_board_of(unit), tap, amount, p);
}

static void unit_issue(struct mon_unit *unit, const struct mon_taps *now)
{
    mon_board_issue(mon_board_of(unit), now);
}

/* An overflow of the SRAM says so by itself; no totals are needed, which in the middle of a run of
 * the processor would not be there. */
static unsigned sram_pending(const struct mon_board *b)
{
    const bool enabled = MON_GET(b->sram_control, SRAM_CONTROL_INTERRUPT);
    return (unsigned)(enabled && b->sram.overflow) << MON_FLAG_MEMORY;
}

static unsigned unit_transaction(struct mon_unit *unit, const struct mon_transaction *t)
{
    mon_board_transaction(mon_board_of(unit), t);
    return sram_pending(mon_board_of(unit));
}

static unsigned unit_accessed(struct mon_unit *unit, enum mon_kind kind, uint32_t scaddr, bool data,
                              uint64_t cycle)
{
    mon_board_access(mon_board_of(unit), kind, scaddr, data, cycle);
    return sram_pending(mon_board_of(unit));
}

_Static_assert((int)MON_REASON_no_register == (int)MON_REFUSED_NO_REGISTER &&
                   (int)MON_REASON_read_only == (int)MON_REFUSED_READ_ONLY,
               "what every unit says");
_Static_assert((int)MON_FLAG_MEMORY == (int)MON_BIT_SRAM, "the flags are those of OVERFLOW");

/* ---- results --------------------------------------------------------------------------------- */

static bool unit_local(unsigned event)
{
    return mon_event_needs_board((enum mon_event_id)event);
}

/* As a user of the card would: selects, clears, and reads later. */
static struct mon_shown unit_measure(unsigned event, unsigned k, const struct mon_taps *from,
                                     const struct mon_taps *to)
{
    struct mon_card card;
    mon_card_reset(&card);
    mon_select(&card, k, (enum mon_event_id)event, from);
    mon_load(&card, k, 0, from);
    return (struct mon_shown){mon_read(&card, k, to), mon_overflowed(&card, k, to)};
}

static void unit_reading(const struct mon_unit *unit, unsigned k, const struct mon_taps *now,
                         struct mon_reading *out)
{
    const struct mon_board *b = mon_const_board_of(unit);
    *out = (struct mon_reading){.used = MON_GET(b->control[k], CONTROL0_EVENT) != MON_EV_nothing,
                                .event = MON_GET(b->control[k], CONTROL0_EVENT),
                                .masked = MON_GET(b->control[k], CONTROL0_MASK),
                                .setup = b->control[k],
                                .value = mon_read(&b->counters, k, now),
                                .counted = mon_counted(&b->counters, k, now),
                                .overflowed = mon_overflowed(&b->counters, k, now)};
}

_Static_assert((uint64_t)MON_SETUP_DOUBLED >> MON_BITS_SRAM_CONTROL, "there is room");

static enum mon_source unit_source_of(uint32_t setup)
{
    return (enum mon_source)MON_GET(setup, SRAM_CONTROL_SOURCE);
}

static void unit_memory(const struct mon_unit *unit, struct mon_memory *out)
{
    const struct mon_board *b = mon_const_board_of(unit);
    const bool doubled = MON_GET(b->options, OPTIONS_DOUBLE_TIME);
    *out = (struct mon_memory){.setup = b->sram_control | (doubled ? MON_SETUP_DOUBLED : 0),
                               .word = b->sram.word,
                               .wrapped = b->sram.overflow,
                               .lost = b->sram.lost,
                               .longest = b->sram.longest,
                               .writer = b->sram.writer,
                               .writers = b->sram.writers};
}

static void unit_meaning(uint32_t setup, struct mon_meaning *out)
{
    *out = (struct mon_meaning){
        .counts = unit_source_of(setup) != MON_SOURCE_off,
        .sentence = mon_histogram_sentence(setup & ~(uint32_t)MON_SETUP_DOUBLED),
        .time_end = mon_time_end(unit_source_of(setup), setup & MON_SETUP_DOUBLED),
        .lines = MON_GET(setup, SRAM_CONTROL_INVALIDATES)};
}

static struct mon_bin unit_bin(uint32_t setup, uint32_t word)
{
    return mon_bin_decode(unit_source_of(setup), (uint16_t)word, setup & MON_SETUP_DOUBLED);
}

static bool unit_reach(unsigned i, struct mon_reach *out)
{
    if (i == 0)
        *out = (struct mon_reach){"scale doubled", mon_time_end(MON_SOURCE_state_time, true)};
    else
        *out = (struct mon_reach){"source service-time-linear",
                                  mon_time_end(MON_SOURCE_phase_time, false)};
    return i < 2;
}

/* The histogram and invalidate_hits both need the cache index, unless the histogram is of the
 * cache. */
static const char *unit_conflict(const struct mon_choice *choice, uint32_t setup)
{
    const enum mon_source source = unit_source_of(setup);
    if (source == MON_SOURCE_off || source == MON_SOURCE_scaddr)
        return NULL;
    for (unsigned i = 0; i < choice->count; i++)
        if (choice->event[i] == MON_EV_invalidate_hits)
            return "the histogram, because invalidate_hits takes the cache index";
    return NULL;
}

static const struct mon_feature features[] = {
#define FEATURE(id, where, test, sentence) {id, where, test, sentence},
#include "monitor/board/features.def"
#undef FEATURE
    {0}};

/* The unit, and the same beside each processor that counts events of its own. */
static const struct mon_unit_ops *const with_processors[MON_PROCESSORS + 1];

#define BOARD(its_own)                                                                        \
    {                                                                                         \
        .name = "numachine", .counters = MON_COUNTERS,                                        \
        .overflow = "the counter went from 2^32-1 to 0", .event_count = MON_EV__COUNT,        \
        .nothing = MON_EV_nothing, .events = mon_board_events, .own = its_own,                \
        .beside = with_processors, .aliases = mon_board_aliases, .sets = mon_board_sets,      \
        .registers = mon_board_registers, .fields = mon_board_fields,                         \
        .reasons = mon_board_reasons, .flags = mon_board_flag_rows,                           \
        .histograms = mon_board_histograms, .sources = mon_board_sources,                     \
        .parts = mon_board_parts, .features = features, .words = MON_SRAM_WORDS,              \
        .memory_busy = MON_SRAM_BUSY, .create = unit_create, .free = unit_release,            \
        .read = unit_read_register, .write = unit_write_register, .refuse = unit_refuse,      \
        .complete = unit_complete, .settle = unit_settle, .look = unit_look,                  \
        .pending = unit_pending, .interrupted = unit_interrupted, .packet = unit_packet,      \
        .issue = unit_issue, .transaction = unit_transaction, .access = unit_accessed,        \
        .local = unit_local, .measure = unit_measure, .reading = unit_reading,                \
        .memory = unit_memory, .meaning = unit_meaning, .bin = unit_bin, .reach = unit_reach, \
        .conflict = unit_conflict, .program = mon_board_program,                              \
    }

const struct mon_unit_ops mon_numachine = BOARD(NULL);

static const struct mon_unit_ops with_processor[MON_PROCESSORS] = {
#define PROCESSOR(id, name, core, controller) [MON_##id] = BOARD(&mon_processors[MON_##id]),
#include "monitor/processors.def"
#undef PROCESSOR
};

static const struct mon_unit_ops *const with_processors[MON_PROCESSORS + 1] = {
#define PROCESSOR(id, name, core, controller) [MON_##id] = &with_processor[MON_##id],
#include "monitor/processors.def"
#undef PROCESSOR
};
