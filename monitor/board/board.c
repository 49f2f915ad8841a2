/*
 * The board: what register accesses do, what passes the master mask, and what the small state
 * machines beside the counters (comparator, threshold, interrupt timer) say.
 *
 * The hard idea is that all of it can be asked at any moment and nothing has to run meanwhile.
 * Counters are differences of totals (card.c). The threshold of another counter (N-73) is crossed
 * whenever that counter, seen without its wraps, passes N + 1 modulo 2^32, so crossings are counted
 * by a division. Only packets under a mask are looked at one by one, and only finished reads and
 * cache accesses go to the SRAM one by one.
 *
 * A write that contradicts another setting has no effect but a reason in ERROR: the card's parts
 * share wires, and the programmer must learn of it.
 */
#include "monitor/board/board.h"

#include "monitor/taps.h"

#include <stdlib.h>

#define T(tap) (UINT64_C(1) << MON_TAP_##tap)

static const uint64_t ADDRESS_BITS = (UINT64_C(1) << 40) - 1;

static const struct mon_comparator quiet = {.invalidated = MON_NOWHERE};

void mon_board_init(struct mon_board *b, unsigned number)
{
    *b = (struct mon_board){.number = number,
                            .options = MON_PUT(1, OPTIONS_FAST_ZERO),
                            .sram_control = MON_PUT(1, SRAM_CONTROL_DATA_HALF),
                            .unit.ops = &mon_numachine,
                            .comparator = &quiet};
    mon_card_reset(&b->counters);
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        b->control[k] = MON_PUT(MON_EV_nothing, CONTROL0_EVENT);
}

void mon_board_free(struct mon_board *b)
{
    free(b->sram.word);
    free(b->sram.writer);
    b->sram.word = NULL;
    b->sram.writer = NULL;
}

static enum mon_event_id board_event_of(const struct mon_board *b, unsigned k)
{
    return (enum mon_event_id)b->counters.counter[k].event;
}

static bool board_counts(const struct mon_board *b, enum mon_event_id event)
{
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        if (board_event_of(b, k) == event)
            return true;
    return false;
}

static bool comparator_in_use(const struct mon_board *b)
{
    return board_counts(b, MON_EV_invalidated_reads) || board_counts(b, MON_EV_rereferences);
}

static enum mon_source board_source_of(const struct mon_board *b)
{
    return (enum mon_source)MON_GET(b->sram_control, SRAM_CONTROL_SOURCE);
}

/* ---- counter_above --------------------------------------------------------------------------- */

/* How often a counter that goes up from 0 to `wide`, not cut to 32 bits, gets above the number. */
static uint64_t crossings_up_to(const struct mon_board *b, uint64_t wide)
{
    const uint64_t first = (uint64_t)b->threshold + 1;
    if (first > UINT32_MAX || wide < first)
        return 0;
    return ((wide - first) >> 32) + 1;
}

static bool is_above(const struct mon_board *b, uint64_t wide)
{
    return (uint32_t)wide > b->threshold;
}

static uint64_t board_crossings(const struct mon_board *b, const struct mon_taps *now)
{
    if (board_event_of(b, b->watch) == MON_EV_counter_above)
        return b->crossings;
    const uint64_t wide = mon_read_wide(&b->counters, b->watch, now);
    return b->crossings + crossings_up_to(b, wide) - crossings_up_to(b, b->crossed_from);
}

/* Brackets of whatever may change the watched counter, or which one it is, or the number. Going
 * above by such a change is a crossing too. */
static bool close_crossings(struct mon_board *b, const struct mon_taps *now)
{
    b->crossings = board_crossings(b, now);
    return is_above(b, mon_read_wide(&b->counters, b->watch, now));
}

static void open_crossings(struct mon_board *b, bool was_above, const struct mon_taps *now)
{
    b->crossed_from = mon_read_wide(&b->counters, b->watch, now);
    b->crossings += !was_above && is_above(b, b->crossed_from);
}

void mon_board_complete(const struct mon_board *b, struct mon_taps *now)
{
    const uint64_t cycle = now->v[MON_TAP_CYCLES];
    now->v[MON_TAP_INTERRUPT_TIME] = b->noticed + (b->interrupt_waits ? cycle - b->interrupted : 0);
    now->v[MON_TAP_ABOVE] = 0;
    now->v[MON_TAP_ABOVE] = board_crossings(b, now);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

unsigned mon_board_flags(const struct mon_board *b, const struct mon_taps *now)
{
    unsigned flags = (unsigned)b->sram.overflow << MON_BIT_SRAM;
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        flags |= (unsigned)mon_overflowed(&b->counters, k, now) << k;
    return flags;
}

unsigned mon_board_enabled(const struct mon_board *b)
{
    unsigned enabled = MON_GET(b->sram_control, SRAM_CONTROL_INTERRUPT) << MON_BIT_SRAM;
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        enabled |= MON_GET(b->control[k], CONTROL0_INTERRUPT) << k;
    return enabled;
}

unsigned mon_board_pending(const struct mon_board *b, const struct mon_taps *now)
{
    const unsigned enabled = mon_board_enabled(b);
    return enabled ? enabled & mon_board_flags(b, now) : 0;
}

unsigned mon_board_packets_pending(const struct mon_board *b, const struct mon_taps *now,
                                   unsigned *which)
{
    unsigned pending = 0;
    *which = 0;
    for (unsigned k = 0; k < MON_COUNTERS; k++) {
        if (!(b->counters.counter[k].taps & MON_PACKET_TAPS))
            continue;
        *which |= 1u << k;
        if (MON_GET(b->control[k], CONTROL0_INTERRUPT) && mon_overflowed(&b->counters, k, now))
            pending |= 1u << k;
    }
    return pending;
}

void mon_board_interrupt(struct mon_board *b, uint64_t cycle)
{
    if (b->interrupt_waits)
        return;
    b->interrupt_waits = true;
    b->interrupted = cycle;
}

static void board_notice(struct mon_board *b, uint64_t cycle)
{
    if (b->interrupt_waits)
        b->noticed += cycle - b->interrupted;
    b->interrupt_waits = false;
}

/* Bit t: what counter k counts goes on while tap t grows. */
static uint64_t board_waits_for(const struct mon_board *b, unsigned k)
{
    const struct mon_counter *c = &b->counters.counter[k];
    uint64_t taps = c->taps;
    if (c->event == MON_EV_counter_above)
        return board_waits_for(b, b->watch); /* which never watches another */
    if (c->settling || (taps & T(INTERRUPT_TIME) && b->interrupt_waits))
        taps |= T(CYCLES);
    return taps;
}

struct mon_look mon_board_look(const struct mon_board *b, unsigned k, const struct mon_taps *now)
{
    const struct mon_counter *c = &b->counters.counter[k];
    const bool enabled = MON_GET(b->control[k], CONTROL0_INTERRUPT);
    struct mon_look look = {.when = MON_LOOK_NEVER};
    if (c->settling)
        look = (struct mon_look){.when = MON_LOOK_AT, .count = c->ready};
    else if (enabled && !c->masked && !mon_overflowed(&b->counters, k, now))
        look = mon_look_ahead(c->taps, (UINT64_C(1) << 32) - mon_read(&b->counters, k, now));
    look.taps = board_waits_for(b, k);
    return look;
}

/* ---- what passes ----------------------------------------------------------------------------- */

bool mon_board_passes(const struct mon_board *b, const struct mon_packet *p)
{
    const unsigned direction = MON_GET(b->mask, MASK_DIRECTION);
    if (direction && p->out != (direction == 1))
        return false;
    if (MON_GET(b->mask, MASK_ADDRESS) && (p->address ^ b->value) & b->care)
        return false;
    if (MON_GET(b->mask, MASK_COMMAND) && p->command != b->command)
        return false;
    if (MON_GET(b->mask, MASK_PHASE) && p->phase != b->phase_match)
        return false;
    if (!MON_GET(b->mask, MASK_FIFO))
        return true;
    const unsigned *depth = p->depth[b->fifo_select / MON_FIFO_KINDS];
    const unsigned kind = b->fifo_select % MON_FIFO_KINDS;
    return (kind ? depth[kind - 1] : depth[0] + depth[1]) > b->fifo_depth;
}

void mon_board_add(struct mon_board *b, unsigned tap, uint64_t amount)
{
    for (unsigned k = 0; k < MON_COUNTERS; k++) {
        struct mon_counter *c = &b->counters.counter[k];
        if (c->masked && c->taps >> tap & 1)
            c->passed += amount;
        else if (c->masked && c->minus >> tap & 1)
            c->passed -= amount;
    }
}

void mon_board_packet(struct mon_board *b, unsigned tap, uint64_t amount,
                      const struct mon_packet *p)
{
    if (mon_board_passes(b, p))
        mon_board_add(b, tap, amount);
}

void mon_board_issue(struct mon_board *b, const struct mon_taps *now)
{
    const bool above = close_crossings(b, now);
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        if (board_event_of(b, k) == MON_EV_last_read_latency)
            mon_put(&b->counters, k, 0, 0, now);
    open_crossings(b, above, now);
}

void mon_board_transaction(struct mon_board *b, const struct mon_transaction *t)
{
    const enum mon_source source = board_source_of(b);
    int index = -1;
    if (source >= MON_SOURCE_state_phase) {
        index = mon_bin_of(source, t, MON_GET(b->options, OPTIONS_DOUBLE_TIME));
        if (!mon_sram_count(&b->sram, (uint16_t)index, t->cycle))
            index = -1;
        else if (t->service > b->sram.longest)
            b->sram.longest = t->service;
    }
    if (b->log)
        b->log(b->log_ctx, t, index);
}

/* SCADDR(16) has no wire and SCADDR(0) is dropped. */
void mon_board_access(struct mon_board *b, enum mon_kind kind, uint32_t scaddr, bool data,
                      uint64_t cycle)
{
    const unsigned kinds = MON_GET(b->sram_control, SRAM_CONTROL_KINDS);
    if (kind && kinds && !(kinds & kind))
        return;
    if (!data && MON_GET(b->sram_control, SRAM_CONTROL_DATA_HALF))
        return;
    mon_sram_count(&b->sram, (uint16_t)((scaddr >> 1 & 0x7fff) | (scaddr >> 17 & 1) << 15), cycle);
}

unsigned mon_board_wants(const struct mon_board *b)
{
    const enum mon_source source = board_source_of(b);
    unsigned wants = b->log || source >= MON_SOURCE_state_phase ? MON_WANTS_TRANSACTIONS : 0;
    if (source == MON_SOURCE_scaddr)
        wants |= MON_GET(b->sram_control, SRAM_CONTROL_INVALIDATES) ? MON_WANTS_INVALIDATES
                                                                    : MON_WANTS_ACCESSES;
    if (board_counts(b, MON_EV_last_read_latency))
        wants |= MON_WANTS_ISSUES;
    if (MON_GET(b->mask, MASK_FIFO))
        wants |= MON_WANTS_DEPTHS;
    if (wants & MON_WANTS_ACCESSES && MON_GET(b->sram_control, SRAM_CONTROL_INTERRUPT))
        wants |= MON_WANTS_LEASH;
    return wants;
}

uint64_t mon_board_hears(const struct mon_board *b)
{
    uint64_t taps = 0;
    for (unsigned k = 0; k < MON_COUNTERS; k++) {
        const struct mon_counter *c = &b->counters.counter[k];
        if (c->masked || MON_GET(b->control[k], CONTROL0_INTERRUPT))
            taps |= (c->taps | c->minus) & MON_PACKET_TAPS;
    }
    return taps;
}

/* After whatever may have changed what the card must know. */
static void board_tell(struct mon_board *b)
{
    b->unit.wants = mon_board_wants(b);
    b->unit.hears = mon_board_hears(b);
    b->unit.phase = (uint16_t)b->phase;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Connects counter k as its control register and the options say. */
static void board_wire(struct mon_board *b, unsigned k, const struct mon_taps *now)
{
    static const uint64_t memory[] = {T(MEMORY_BUSY), T(MEMORY_BANK0), T(MEMORY_BANK1),
                                      T(MEMORY_BANKS)};
    const enum mon_event_id event = (enum mon_event_id)MON_GET(b->control[k], CONTROL0_EVENT);
    uint64_t taps = mon_board_events[event].taps, minus = 0;
    if (event == MON_EV_memory_busy)
        taps = memory[b->memory];
    if (event == MON_EV_mp_stalls && MON_GET(b->options, OPTIONS_MP_WITH_OTHER))
        taps |= T(ST_STALL_OTHER);
    if ((event == MON_EV_packet_headers || event == MON_EV_packet_cycles) &&
        MON_GET(b->options, OPTIONS_WITHOUT_NACKS))
        minus = T(NACKED_HEADERS);
    const bool masked = MON_GET(b->control[k], CONTROL0_MASK);
    const struct mon_counter *c = &b->counters.counter[k];
    if (c->event != event || c->taps != taps || c->minus != minus || c->masked != masked)
        mon_rewire(&b->counters, k, event, taps, minus, masked, now);
}

/* Whether counter k may count an event just now. */
static enum mon_reason may_count(const struct mon_board *b, unsigned k, unsigned event, bool mask)
{
    if (event >= MON_EV__COUNT)
        return MON_REASON_no_event;
    if (!(mon_board_events[event].counters >> k & 1))
        return MON_REASON_no_path;
    if (mask && !mon_event_is_packet((enum mon_event_id)event))
        return MON_REASON_no_packet_event;
    const enum mon_source source = board_source_of(b);
    if (event == MON_EV_invalidate_hits && source != MON_SOURCE_off && source != MON_SOURCE_scaddr)
        return MON_REASON_sram_taken;
    if ((event == MON_EV_invalidated_reads || event == MON_EV_rereferences) &&
        MON_GET(b->mask, MASK_ADDRESS))
        return MON_REASON_comparator_taken;
    if (event == MON_EV_counter_above && b->watch == k)
        return MON_REASON_watches_itself;
    return MON_REASON_none;
}

static enum mon_reason write_control(struct mon_board *b, unsigned k, uint32_t value,
                                     const struct mon_taps *now)
{
    const enum mon_reason reason =
        may_count(b, k, MON_GET(value, CONTROL0_EVENT), MON_GET(value, CONTROL0_MASK));
    if (reason != MON_REASON_none)
        return reason;
    b->control[k] = value;
    board_wire(b, k, now);
    return MON_REASON_none;
}

static void board_load(struct mon_board *b, unsigned k, uint32_t value, const struct mon_taps *now)
{
    const bool fast = !value && MON_GET(b->options, OPTIONS_FAST_ZERO);
    mon_put(&b->counters, k, value, fast ? MON_ZERO_DEAD : MON_LOAD_DEAD, now);
}

static enum mon_reason write_options(struct mon_board *b, uint32_t value,
                                     const struct mon_taps *now)
{
    b->options = value;
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        board_wire(b, k, now);
    return MON_REASON_none;
}

static enum mon_reason write_mask(struct mon_board *b, uint32_t value)
{
    if (MON_GET(value, MASK_DIRECTION) == MON_MAX_MASK_DIRECTION)
        return MON_REASON_no_direction;
    if (MON_GET(value, MASK_ADDRESS) && comparator_in_use(b))
        return MON_REASON_address_taken;
    b->mask = value;
    return MON_REASON_none;
}

static enum mon_reason write_fifo_select(struct mon_board *b, uint32_t value)
{
    if (value >= 2 * MON_FIFO_KINDS)
        return MON_REASON_no_fifo;
    b->fifo_select = value;
    return MON_REASON_none;
}

/* One half of AM or AF. */
static enum mon_reason write_address(struct mon_board *b, uint64_t *address, bool high,
                                     uint32_t value)
{
    if (comparator_in_use(b))
        return MON_REASON_address_taken;
    *address = high ? (*address & UINT32_MAX) | (uint64_t)value << 32
                    : (*address & ~(uint64_t)UINT32_MAX) | value;
    return MON_REASON_none;
}

static enum mon_reason write_watch(struct mon_board *b, uint32_t value)
{
    if (board_event_of(b, value) == MON_EV_counter_above)
        return MON_REASON_watches_itself;
    b->watch = value;
    return MON_REASON_none;
}

static enum mon_reason write_memory(struct mon_board *b, uint32_t value, const struct mon_taps *now)
{
    b->memory = value;
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        board_wire(b, k, now);
    return MON_REASON_none;
}

static enum mon_reason write_sram_control(struct mon_board *b, uint32_t value)
{
    const unsigned source = MON_GET(value, SRAM_CONTROL_SOURCE);
    if (source >= MON_SOURCES)
        return MON_REASON_no_source;
    if (board_counts(b, MON_EV_invalidate_hits) && source != MON_SOURCE_off &&
        source != MON_SOURCE_scaddr)
        return MON_REASON_index_taken;
    b->sram_control = value;
    return MON_REASON_none;
}

static enum mon_reason write_flags(struct mon_board *b, uint32_t value, const struct mon_taps *now)
{
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        if (value >> k & 1)
            mon_clear_overflow(&b->counters, k, now);
    b->sram.overflow &= !(value >> MON_BIT_SRAM & 1);
    return MON_REASON_none;
}

static enum mon_reason write_some(struct mon_board *b, uint32_t value, unsigned which,
                                  const struct mon_taps *now)
{
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        if (which >> k & 1)
            board_load(b, k, value, now);
    return MON_REASON_none;
}

/* A register that only holds a number. */
static enum mon_reason board_hold(uint32_t *reg, uint32_t value)
{
    *reg = value;
    return MON_REASON_none;
}

static enum mon_reason board_write_register(struct mon_board *b, const struct mon_register_row *row,
                                            uint32_t value, const struct mon_taps *now)
{
    const uint32_t offset = row->offset;
    if (row->access == MON_RO)
        return MON_REASON_read_only;
    if (row->bits < 32)
        value &= (1u << row->bits) - 1;
    switch (offset) {
    case MON_REG_COUNTER0:
    case MON_REG_COUNTER1:
    case MON_REG_COUNTER2:
    case MON_REG_COUNTER3:
        return write_some(b, value, 1u << (offset - MON_REG_COUNTER0) / 4, now);
    case MON_REG_CONTROL0:
    case MON_REG_CONTROL1:
    case MON_REG_CONTROL2:
    case MON_REG_CONTROL3:
        return write_control(b, (offset - MON_REG_CONTROL0) / 4, value, now);
    case MON_REG_LOAD_ALL:
        return write_some(b, value, (1u << MON_COUNTERS) - 1, now);
    case MON_REG_CLEAR:
        return write_some(b, 0, value, now);
    case MON_REG_OVERFLOW:
        return write_flags(b, value, now);
    case MON_REG_OPTIONS:
        return write_options(b, value, now);
    case MON_REG_ERROR:
        return board_hold(&b->error, 0);
    case MON_REG_MASK:
        return write_mask(b, value);
    case MON_REG_COMMAND:
        return board_hold(&b->command, value);
    case MON_REG_PHASE_MATCH:
        return board_hold(&b->phase_match, value);
    case MON_REG_FIFO_DEPTH:
        return board_hold(&b->fifo_depth, value);
    case MON_REG_FIFO_SELECT:
        return write_fifo_select(b, value);
    case MON_REG_CARE_LOW:
    case MON_REG_CARE_HIGH:
        return write_address(b, &b->care, offset == MON_REG_CARE_HIGH, value);
    case MON_REG_VALUE_LOW:
    case MON_REG_VALUE_HIGH:
        return write_address(b, &b->value, offset == MON_REG_VALUE_HIGH, value);
    case MON_REG_PHASE:
        return board_hold(&b->phase, value);
    case MON_REG_THRESHOLD:
        return board_hold(&b->threshold, value);
    case MON_REG_WATCH:
        return write_watch(b, value);
    case MON_REG_MEMORY:
        return write_memory(b, value, now);
    case MON_REG_SRAM_CONTROL:
        return write_sram_control(b, value);
    default:
        return MON_REASON_no_register;
    }
}

/* A word of the SRAM: stored, or in increment mode counted (N-89, A-12). */
static void write_word(struct mon_board *b, unsigned writer, uint16_t index, uint32_t value,
                       uint64_t cycle)
{
    if (board_source_of(b) == MON_SOURCE_ad && MON_GET(b->sram_control, SRAM_CONTROL_INCREMENT))
        mon_sram_increment(&b->sram, index, cycle, writer, writer == b->number);
    else if (value || b->sram.word)
        mon_sram_words(&b->sram)[index] = value;
}

static bool is_window(uint32_t offset)
{
    return offset >= MON_SRAM_WINDOW && offset < MON_SRAM_WINDOW + 4 * MON_SRAM_WORDS;
}

enum mon_reason mon_board_write(struct mon_board *b, uint32_t offset, uint32_t value,
                                const struct mon_taps *now)
{
    return mon_board_write_by(b, b->number, offset, value, now);
}

void mon_board_refuse(struct mon_board *b, uint32_t offset, enum mon_reason reason)
{
    b->error = MON_PUT(1, ERROR_STICKY) | MON_PUT(reason, ERROR_REASON) |
               MON_PUT(offset & MON_MAX_ERROR_OFFSET, ERROR_OFFSET);
}

enum mon_reason mon_board_write_by(struct mon_board *b, unsigned writer, uint32_t offset,
                                   uint32_t value, const struct mon_taps *now)
{
    offset &= ~3u;
    if (is_window(offset)) {
        write_word(b, writer, (uint16_t)((offset - MON_SRAM_WINDOW) / 4), value,
                   now->v[MON_TAP_CYCLES]);
        return MON_REASON_none;
    }
    const struct mon_register_row *row = mon_unit_register(&mon_numachine, offset);
    const bool above = close_crossings(b, now);
    const enum mon_reason reason =
        row ? board_write_register(b, row, value, now) : MON_REASON_no_register;
    open_crossings(b, above, now);
    board_tell(b);
    if (reason != MON_REASON_none)
        mon_board_refuse(b, offset, reason);
    return reason;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* @param clears  the register or the counter's mode says so (N-9) */
static uint32_t read_counter(struct mon_board *b, unsigned k, bool clears,
                             const struct mon_taps *now)
{
    const uint32_t value = mon_read(&b->counters, k, now);
    if (clears || MON_GET(b->control[k], CONTROL0_READ_CLEARS)) {
        const bool above = close_crossings(b, now);
        board_load(b, k, 0, now);
        open_crossings(b, above, now);
    }
    return value;
}

/* The conditions' address and what must match, which the comparator takes over. */
static uint64_t care_of(const struct mon_board *b)
{
    return comparator_in_use(b) ? ADDRESS_BITS : b->care;
}

static uint64_t board_value_of(const struct mon_board *b)
{
    return comparator_in_use(b) ? b->comparator->invalidated & ADDRESS_BITS : b->value;
}

static uint32_t board_read_register(struct mon_board *b, uint32_t offset,
                                    const struct mon_taps *now)
{
    switch (offset) {
    case MON_REG_IDENTITY:
        return mon_unit_register(&mon_numachine, offset)->reset;
    case MON_REG_CARD:
        return b->number;
    case MON_REG_COUNTER0:
    case MON_REG_COUNTER1:
    case MON_REG_COUNTER2:
    case MON_REG_COUNTER3:
        return read_counter(b, (offset - MON_REG_COUNTER0) / 4, false, now);
    case MON_REG_CLEARING0:
    case MON_REG_CLEARING1:
    case MON_REG_CLEARING2:
    case MON_REG_CLEARING3:
        return read_counter(b, (offset - MON_REG_CLEARING0) / 4,
                            MON_GET(b->options, OPTIONS_READ_CLEARS), now);
    case MON_REG_CONTROL0:
    case MON_REG_CONTROL1:
    case MON_REG_CONTROL2:
    case MON_REG_CONTROL3:
        return b->control[(offset - MON_REG_CONTROL0) / 4];
    case MON_REG_OVERFLOW:
        return mon_board_flags(b, now);
    case MON_REG_INTERRUPT:
        board_notice(b, now->v[MON_TAP_CYCLES]);
        return mon_board_pending(b, now);
    case MON_REG_OPTIONS:
        return b->options;
    case MON_REG_ERROR:
        return b->error;
    case MON_REG_MASK:
        return b->mask;
    case MON_REG_COMMAND:
        return b->command;
    case MON_REG_PHASE_MATCH:
        return b->phase_match;
    case MON_REG_FIFO_DEPTH:
        return b->fifo_depth;
    case MON_REG_FIFO_SELECT:
        return b->fifo_select;
    case MON_REG_CARE_LOW:
        return (uint32_t)care_of(b);
    case MON_REG_CARE_HIGH:
        return (uint32_t)(care_of(b) >> 32);
    case MON_REG_VALUE_LOW:
        return (uint32_t)board_value_of(b);
    case MON_REG_VALUE_HIGH:
        return (uint32_t)(board_value_of(b) >> 32);
    case MON_REG_ADDRESS_LOW:
        return (uint32_t)b->comparator->requested;
    case MON_REG_ADDRESS_HIGH:
        return (uint32_t)(b->comparator->requested >> 32);
    case MON_REG_COMPARATOR:
        return MON_PUT(comparator_in_use(b), COMPARATOR_IN_USE) |
               MON_PUT(b->comparator->armed, COMPARATOR_ARMED);
    case MON_REG_PHASE:
        return b->phase;
    case MON_REG_THRESHOLD:
        return b->threshold;
    case MON_REG_WATCH:
        return b->watch;
    case MON_REG_MEMORY:
        return b->memory;
    case MON_REG_SRAM_CONTROL:
        return b->sram_control;
    case MON_REG_SRAM_LAST:
        return b->sram.last;
    case MON_REG_SRAM_LOST:
        return MON_GET(b->options, OPTIONS_SHOW_LOST) ? b->sram.lost : 0;
    default:
        return 0;
    }
}

uint32_t mon_board_read(struct mon_board *b, uint32_t offset, const struct mon_taps *now)
{
    offset &= ~3u;
    if (is_window(offset))
        return b->sram.word ? b->sram.word[(offset - MON_SRAM_WINDOW) / 4] : 0;
    return board_read_register(b, offset, now);
}
