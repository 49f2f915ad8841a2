/* The board's registers, mask, comparator and timers, on totals made up by hand. */
#include "monitor/board/board.h"
#include "monitor/pattern.h"
#include "monitor/taps.h"
#include "rows.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

struct bench {
    struct mon_board b;
    struct mon_comparator seen;
    struct mon_taps t;
};

static void new_bench(struct bench *x)
{
    memset(x, 0, sizeof *x);
    mon_board_init(&x->b, 9);
    mon_comparator_init(&x->seen);
    x->b.comparator = &x->seen;
}

/* As the card around the board does it. */
static void put(struct bench *x, uint32_t offset, uint32_t value)
{
    mon_board_complete(&x->b, &x->t);
    mon_board_write(&x->b, offset, value, &x->t);
}

static uint32_t get(struct bench *x, uint32_t offset)
{
    mon_board_complete(&x->b, &x->t);
    return mon_board_read(&x->b, offset, &x->t);
}

static void pass(struct bench *x, uint64_t cycles)
{
    x->t.v[MON_TAP_CYCLES] += cycles;
    mon_settle(&x->b.counters, &x->t);
}

static uint32_t control(enum mon_event_id event, bool mask, bool interrupt)
{
    return MON_PUT(event, CONTROL0_EVENT) | MON_PUT(mask, CONTROL0_MASK) |
           MON_PUT(interrupt, CONTROL0_INTERRUPT);
}

static unsigned reason(struct bench *x)
{
    const uint32_t error = get(x, MON_REG_ERROR);
    cr_expect_eq(error >> 31, error != 0);
    put(x, MON_REG_ERROR, 0);
    cr_expect_eq(get(x, MON_REG_ERROR), 0);
    return MON_GET(error, ERROR_REASON);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Whoever waits for an overflow waits for so many cycles of the clock with which the event grows:
 * for everything but card cycles that is the PCycle, which is the shortest there is. */
Test(monitor_board, overflows_are_foretold_in_the_clock_of_their_event)
{
    for (enum mon_event_id e = 0; e < MON_EV__COUNT; e++) {
        const struct mon_event *row = &mon_board_events[e];
        const unsigned k = (unsigned)__builtin_ctz(row->counters);
        const bool packet = mon_event_is_packet(e);
        struct bench x;
        new_bench(&x);
        put(&x, MON_REG_CONTROL0 + 4 * k, control(e, false, true));
        put(&x, MON_REG_COUNTER0 + 4 * k, -100);
        pass(&x, MON_LOAD_DEAD);
        const struct mon_look look = mon_board_look(&x.b, k, &x.t);
        const bool cycles = strcmp(row->unit, "cycles") == 0;
        if (packet || !row->taps) {
            cr_expect_eq(look.when, MON_LOOK_NEVER, "%s", row->name);
            continue;
        }
        cr_expect_eq(look.count, 100, "%s: %lu", row->name, (unsigned long)look.count);
        cr_expect_eq(look.when, cycles ? MON_LOOK_CYCLES : MON_LOOK_PCYCLES, "%s, in %s", row->name,
                     row->unit);
    }
}

Test(monitor_board, registers_lie_apart_and_inside_the_space)
{
    size_t count;
    const struct mon_register_row *r = mon_board_registers;
    count = ROWS(r);
    for (size_t i = 0; i < count; i++) {
        cr_expect(r[i].offset % 4 == 0 && r[i].offset < MON_SRAM_WINDOW, "%s", r[i].name);
        cr_expect(r[i].bits >= 1 && r[i].bits <= 32 && *r[i].sentence, "%s", r[i].name);
        cr_expect_eq(mon_unit_register(&mon_numachine, r[i].offset), &r[i], "%s", r[i].name);
        for (const char *c = r[i].name; *c; c++)
            cr_expect(isupper((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_');
    }
    cr_expect_null(mon_unit_register(&mon_numachine, 0xffc));
}

Test(monitor_board, fields_lie_apart_and_inside_their_register)
{
    size_t registers, fields;
    const struct mon_register_row *r = mon_board_registers;
    registers = ROWS(r);
    const struct mon_field_row *f = mon_board_fields;
    fields = ROWS(f);
    size_t found = 0;
    for (size_t i = 0; i < registers; i++) {
        uint64_t used = 0;
        for (size_t j = 0; j < fields; j++) {
            if (strcmp(f[j].reg, r[i].name))
                continue;
            const uint64_t bits = ((UINT64_C(1) << f[j].bits) - 1) << f[j].low;
            cr_expect(!(used & bits) && bits >> r[i].bits == 0, "%s.%s", r[i].name, f[j].name);
            cr_expect(*f[j].sentence);
            used |= bits;
            found++;
        }
    }
    cr_expect_eq(found, fields, "every field names a register");
}

Test(monitor_board, registers_start_as_the_table_says_and_keep_what_is_written)
{
    size_t count;
    const struct mon_register_row *r = mon_board_registers;
    count = ROWS(r);
    struct bench x;
    new_bench(&x);
    for (size_t i = 0; i < count; i++)
        if (r[i].offset != MON_REG_CARD)
            cr_expect_eq(get(&x, r[i].offset), r[i].reset, "%s", r[i].name);
    cr_expect_eq(get(&x, MON_REG_CARD), 9);
    for (size_t i = 0; i < count; i++) {
        if (r[i].access != MON_RW)
            continue;
        const uint32_t bits = (uint32_t)((UINT64_C(1) << r[i].bits) - 1);
        new_bench(&x);
        const uint32_t value = get(&x, r[i].offset) ^ 1; /* valid everywhere */
        put(&x, r[i].offset, value | ~bits);
        pass(&x, 10);
        cr_expect_eq(get(&x, r[i].offset), value, "%s", r[i].name);
        cr_expect_eq(reason(&x), MON_REASON_none, "%s", r[i].name);
    }
}

Test(monitor_board, refusals)
{
    enum { RUN = MON_EV_run, TIME = MON_EV_time };
    static const struct {
        int line;
        uint32_t before[2], value_before[2]; /* writes that are accepted */
        uint32_t offset, value;
        enum mon_reason reason;
    } rows[] = {
        {__LINE__, {0}, {0}, 0x200, 1, MON_REASON_no_register},
        {__LINE__, {0}, {0}, MON_REG_IDENTITY, 1, MON_REASON_read_only},
        {__LINE__, {0}, {0}, MON_REG_SRAM_LOST, 1, MON_REASON_read_only},
        {__LINE__, {0}, {0}, MON_REG_CONTROL0, MON_EV__COUNT, MON_REASON_no_event},
        {__LINE__, {0}, {0}, MON_REG_CONTROL1, MON_EV_invalidate_hits, MON_REASON_no_path},
        {__LINE__, {0}, {0}, MON_REG_CONTROL0, MON_EV_bus_busy, MON_REASON_no_path},
        {__LINE__, {0}, {0}, MON_REG_CONTROL0, RUN | 0x100, MON_REASON_no_packet_event},
        {__LINE__, {0}, {0}, MON_REG_MASK, 0x30, MON_REASON_no_direction},
        {__LINE__, {0}, {0}, MON_REG_FIFO_SELECT, 6, MON_REASON_no_fifo},
        {__LINE__, {0}, {0}, MON_REG_SRAM_CONTROL, 6, MON_REASON_no_source},
        /* the comparator and the address condition share AM and AF */
        {__LINE__,
         {MON_REG_CONTROL0},
         {MON_EV_rereferences},
         MON_REG_MASK,
         1,
         MON_REASON_address_taken},
        {__LINE__,
         {MON_REG_CONTROL1},
         {MON_EV_invalidated_reads},
         MON_REG_CARE_LOW,
         1,
         MON_REASON_address_taken},
        {__LINE__,
         {MON_REG_CONTROL1},
         {MON_EV_invalidated_reads},
         MON_REG_VALUE_HIGH,
         1,
         MON_REASON_address_taken},
        {__LINE__,
         {MON_REG_MASK},
         {1},
         MON_REG_CONTROL0,
         MON_EV_rereferences,
         MON_REASON_comparator_taken},
        {__LINE__, {MON_REG_CONTROL0}, {MON_EV_rereferences}, MON_REG_MASK, 2, MON_REASON_none},
        /* N-39 and the SRAM share the cache index */
        {__LINE__,
         {MON_REG_CONTROL0},
         {MON_EV_invalidate_hits},
         MON_REG_SRAM_CONTROL,
         MON_SOURCE_state_time,
         MON_REASON_index_taken},
        {__LINE__,
         {MON_REG_CONTROL0},
         {MON_EV_invalidate_hits},
         MON_REG_SRAM_CONTROL,
         MON_SOURCE_ad,
         MON_REASON_index_taken},
        {__LINE__,
         {MON_REG_CONTROL0},
         {MON_EV_invalidate_hits},
         MON_REG_SRAM_CONTROL,
         MON_SOURCE_scaddr,
         MON_REASON_none},
        {__LINE__,
         {MON_REG_SRAM_CONTROL},
         {MON_SOURCE_phase_time},
         MON_REG_CONTROL0,
         MON_EV_invalidate_hits,
         MON_REASON_sram_taken},
        {__LINE__,
         {MON_REG_SRAM_CONTROL},
         {MON_SOURCE_scaddr},
         MON_REG_CONTROL0,
         MON_EV_invalidate_hits,
         MON_REASON_none},
        /* N-73 */
        {__LINE__,
         {MON_REG_WATCH},
         {2},
         MON_REG_CONTROL2,
         MON_EV_counter_above,
         MON_REASON_watches_itself},
        {__LINE__,
         {MON_REG_CONTROL2},
         {MON_EV_counter_above},
         MON_REG_WATCH,
         2,
         MON_REASON_watches_itself},
        {__LINE__, {MON_REG_CONTROL2}, {MON_EV_counter_above}, MON_REG_WATCH, 1, MON_REASON_none},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench x;
        new_bench(&x);
        for (unsigned j = 0; j < 2 && rows[i].before[j]; j++)
            put(&x, rows[i].before[j], rows[i].value_before[j]);
        cr_expect_eq(reason(&x), MON_REASON_none, "row %d", rows[i].line);
        const uint32_t was = get(&x, rows[i].offset);
        put(&x, rows[i].offset, rows[i].value);
        if (rows[i].reason != MON_REASON_none) {
            const uint32_t error = get(&x, MON_REG_ERROR);
            cr_expect_eq(MON_GET(error, ERROR_OFFSET), rows[i].offset, "row %d", rows[i].line);
            cr_expect_eq(get(&x, rows[i].offset), was, "row %d: without effect", rows[i].line);
        }
        const unsigned why = reason(&x);
        cr_expect_eq(why, rows[i].reason, "row %d: %s", rows[i].line,
                     mon_unit_reason(&mon_numachine, why));
        mon_board_free(&x.b);
    }
}

/* ---- counters -------------------------------------------------------------------------------- */

Test(monitor_board, loading_and_clearing)
{
    struct bench x;
    new_bench(&x);
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        put(&x, MON_REG_CONTROL0 + 4 * k, MON_EV_time);
    put(&x, MON_REG_LOAD_ALL, 1000);
    pass(&x, MON_LOAD_DEAD);
    pass(&x, 5);
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        cr_expect_eq(get(&x, MON_REG_COUNTER0 + 4 * k), 1005, "%u", k);
    put(&x, MON_REG_COUNTER0 + 8, 7);
    pass(&x, MON_LOAD_DEAD);
    cr_expect_eq(get(&x, MON_REG_COUNTER0 + 8), 7, "four cycles are lost (N-3)");
    cr_expect_eq(get(&x, MON_REG_COUNTER0), 1009);
    put(&x, MON_REG_CLEAR, 0x5);
    pass(&x, 3);
    cr_expect_eq(get(&x, MON_REG_COUNTER0), 3, "a reset loses none (N-4)");
    cr_expect_eq(get(&x, MON_REG_COUNTER0 + 4), 1012);
    cr_expect_eq(get(&x, MON_REG_COUNTER0 + 8), 3);
    put(&x, MON_REG_OPTIONS, 0);
    put(&x, MON_REG_CLEAR, 1);
    pass(&x, MON_LOAD_DEAD);
    pass(&x, 3);
    cr_expect_eq(get(&x, MON_REG_COUNTER0), 3, "without the fast path, zero is as any value");
}

Test(monitor_board, reading_clears_only_when_asked_to)
{
    struct bench x;
    new_bench(&x);
    put(&x, MON_REG_CONTROL0, MON_EV_time);
    put(&x, MON_REG_CONTROL1, MON_EV_time | MON_PUT(1, CONTROL0_READ_CLEARS));
    pass(&x, 10);
    cr_expect_eq(get(&x, MON_REG_COUNTER0), 10);
    cr_expect_eq(get(&x, MON_REG_CLEARING0), 10, "the option is off");
    cr_expect_eq(get(&x, MON_REG_COUNTER0), 10);
    cr_expect_eq(get(&x, MON_REG_COUNTER1), 10);
    cr_expect_eq(get(&x, MON_REG_COUNTER1), 0, "this counter's mode");
    put(&x, MON_REG_OPTIONS, MON_PUT(1, OPTIONS_READ_CLEARS));
    cr_expect_eq(get(&x, MON_REG_CLEARING0), 10);
    pass(&x, 4); /* zero is slow now */
    cr_expect_eq(get(&x, MON_REG_COUNTER0), 0);
}

Test(monitor_board, overflow_is_sticky_and_enabled_counter_by_counter)
{
    struct bench x;
    new_bench(&x);
    put(&x, MON_REG_CONTROL1, control(MON_EV_time, false, false));
    put(&x, MON_REG_CONTROL3, control(MON_EV_time, false, true));
    put(&x, MON_REG_LOAD_ALL, UINT32_MAX - 1);
    pass(&x, MON_LOAD_DEAD);
    pass(&x, 1);
    cr_expect_eq(get(&x, MON_REG_OVERFLOW), 0);
    pass(&x, 1);
    cr_expect_eq(get(&x, MON_REG_OVERFLOW), 0xa);
    cr_expect_eq(get(&x, MON_REG_INTERRUPT), 0x8);
    cr_expect_eq(get(&x, MON_REG_COUNTER3), 0);
    put(&x, MON_REG_COUNTER1, 5);
    pass(&x, 10);
    cr_expect_eq(get(&x, MON_REG_OVERFLOW), 0xa, "a load does not clear it");
    put(&x, MON_REG_OVERFLOW, 0x8);
    cr_expect_eq(get(&x, MON_REG_OVERFLOW), 0x2);
    put(&x, MON_REG_OVERFLOW, 0x2);
    cr_expect_eq(get(&x, MON_REG_OVERFLOW), 0);
}

Test(monitor_board, options_change_what_is_counted)
{
    struct bench x;
    new_bench(&x);
    put(&x, MON_REG_CONTROL0, MON_EV_mp_stalls);
    put(&x, MON_REG_CONTROL1, MON_EV_packet_headers);
    put(&x, MON_REG_CONTROL2, MON_EV_memory_busy);
    for (unsigned with = 0; with < 2; with++) {
        put(&x, MON_REG_OPTIONS,
            MON_PUT(1, OPTIONS_FAST_ZERO) | MON_PUT(with, OPTIONS_MP_WITH_OTHER) |
                MON_PUT(with, OPTIONS_WITHOUT_NACKS));
        put(&x, MON_REG_LOAD_ALL, 0);
        x.t.v[MON_TAP_ST_STALL_MP] += 3;
        x.t.v[MON_TAP_ST_STALL_OTHER] += 100;
        x.t.v[MON_TAP_HEADERS_OUT] += 20;
        x.t.v[MON_TAP_HEADERS_IN] += 30;
        x.t.v[MON_TAP_NACKED_HEADERS] += 7;
        cr_expect_eq(get(&x, MON_REG_COUNTER0), with ? 103 : 3, "A-6");
        cr_expect_eq(get(&x, MON_REG_COUNTER1), with ? 43 : 50, "A-15");
    }
    static const enum mon_tap memory[] = {MON_TAP_MEMORY_BUSY, MON_TAP_MEMORY_BANK0,
                                          MON_TAP_MEMORY_BANK1, MON_TAP_MEMORY_BANKS};
    for (unsigned i = 0; i < 4; i++) {
        put(&x, MON_REG_MEMORY, i);
        put(&x, MON_REG_CLEAR, 4);
        for (unsigned j = 0; j < 4; j++)
            x.t.v[memory[j]] += 10 + j;
        cr_expect_eq(get(&x, MON_REG_COUNTER2), 10 + i, "N-53");
    }
}

/* ---- the master mask ------------------------------------------------------------------------- */

Test(monitor_board, the_mask)
{
    enum { A = 1, C = 2, P = 4, F = 8, OUT = 0x10, IN = 0x20 };
    static const struct {
        int line;
        unsigned mask;
        struct mon_packet p;
        bool passes;
    } rows[] = {

        {__LINE__, 0, {.address = 1}, true},
        {__LINE__, A, {.address = 0x812300000}, true},
        {__LINE__, A, {.address = 0x8123fffc0}, true},
        {__LINE__, A, {.address = 0x812400000}, false},
        {__LINE__, A, {.address = 0x012300000}, false},
        {__LINE__, C, {.command = 3}, true},
        {__LINE__, C, {.command = 7}, false},
        {__LINE__, P, {.phase = 5}, true},
        {__LINE__, P, {.phase = 4}, false},
        {__LINE__, F, {.depth = {{1, 2}, {9, 9}}}, true},
        {__LINE__, F, {.depth = {{1, 1}, {9, 9}}}, false},
        {__LINE__, OUT, {.out = true}, true},
        {__LINE__, OUT, {.out = false}, false},
        {__LINE__, IN, {.out = true}, false},
        {__LINE__, IN, {.out = false}, true},
        {__LINE__,
         A | C | P | F | IN,
         {.address = 0x812300000, .command = 3, .phase = 5, .depth = {{3}}},
         true},
        {__LINE__,
         A | C | P | F | IN,
         {.address = 0x812300000, .command = 3, .phase = 4, .depth = {{3}}},
         false},
        {__LINE__,
         A | C | P | F | OUT,
         {.address = 0x812300000, .command = 3, .phase = 5, .depth = {{3}}},
         false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench x;
        new_bench(&x);
        put(&x, MON_REG_CARE_LOW, 0xfff00000);
        put(&x, MON_REG_CARE_HIGH, 0xf);
        put(&x, MON_REG_VALUE_LOW, 0x12300000);
        put(&x, MON_REG_VALUE_HIGH, 0x8);
        put(&x, MON_REG_COMMAND, 3);
        put(&x, MON_REG_PHASE_MATCH, 5);
        put(&x, MON_REG_FIFO_DEPTH, 2);
        put(&x, MON_REG_MASK, rows[i].mask);
        put(&x, MON_REG_CONTROL0, control(MON_EV_packet_headers, true, false));
        put(&x, MON_REG_CONTROL1, control(MON_EV_packet_cycles, true, false));
        put(&x, MON_REG_CONTROL2, control(MON_EV_packet_headers, false, false));
        const bool depths = rows[i].mask & MON_PUT(1, MASK_FIFO);
        cr_expect_eq(mon_board_wants(&x.b), depths ? MON_WANTS_DEPTHS : 0);
        cr_expect_eq(mon_board_hears(&x.b),
                     UINT64_C(1) << MON_TAP_HEADERS_IN | UINT64_C(1) << MON_TAP_HEADERS_OUT |
                         UINT64_C(1) << MON_TAP_DATA_IN | UINT64_C(1) << MON_TAP_DATA_OUT);
        x.t.v[MON_TAP_HEADERS_IN]++;
        x.t.v[MON_TAP_DATA_IN] += 8;
        mon_board_packet(&x.b, MON_TAP_HEADERS_IN, 1, &rows[i].p);
        mon_board_packet(&x.b, MON_TAP_DATA_IN, 8, &rows[i].p);
        mon_board_packet(&x.b, MON_TAP_NACKS, 1, &rows[i].p);
        cr_expect_eq(get(&x, MON_REG_COUNTER0), rows[i].passes, "row %d", rows[i].line);
        cr_expect_eq(get(&x, MON_REG_COUNTER1), rows[i].passes ? 9 : 0, "row %d", rows[i].line);
        cr_expect_eq(get(&x, MON_REG_COUNTER2), 1, "row %d: not masked", rows[i].line);
    }
}

Test(monitor_board, the_fifo_of_the_mask)
{
    const struct mon_packet p = {.depth = {{1, 2}, {4, 8}}};
    static const unsigned depth[] = {3, 1, 2, 12, 4, 8};
    for (unsigned select = 0; select < 6; select++)
        for (unsigned limit = 0; limit < 16; limit++) {
            struct bench x;
            new_bench(&x);
            put(&x, MON_REG_FIFO_SELECT, select);
            put(&x, MON_REG_FIFO_DEPTH, limit);
            put(&x, MON_REG_MASK, MON_PUT(1, MASK_FIFO));
            put(&x, MON_REG_CONTROL0, control(MON_EV_nacks, true, false));
            mon_board_packet(&x.b, MON_TAP_NACKS, 1, &p);
            cr_expect_eq(get(&x, MON_REG_COUNTER0), depth[select] > limit, "%u %u", select, limit);
        }
}

/* ---- the small machines ---------------------------------------------------------------------- */

Test(monitor_board, the_comparator)
{
    struct bench x;
    new_bench(&x);
    cr_expect_eq(mon_compare_request(&x.seen, 0x40), 0);
    cr_expect_eq(get(&x, MON_REG_COMPARATOR), 0);
    mon_compare_invalidate(&x.seen, 0x340);
    mon_compare_invalidate(&x.seen, 0x940000080);
    cr_expect_eq(mon_compare_request(&x.seen, 0x340), 0, "only the most recent one is remembered");
    cr_expect_eq(get(&x, MON_REG_COMPARATOR), MON_PUT(1, COMPARATOR_ARMED));
    cr_expect_eq(mon_compare_request(&x.seen, 0x940000080), 2, "N-96");
    cr_expect_eq(mon_compare_request(&x.seen, 0x940000080), 1, "N-97: once; N-48: again");
    cr_expect_eq(get(&x, MON_REG_COMPARATOR), 0);
    mon_compare_invalidate(&x.seen, 0x940000080);
    cr_expect_eq(mon_compare_request(&x.seen, 0x940000080), 2, "the next one arms it");
    cr_expect_eq(get(&x, MON_REG_ADDRESS_LOW), 0x40000080);
    cr_expect_eq(get(&x, MON_REG_ADDRESS_HIGH), 9);
    cr_expect_eq(get(&x, MON_REG_VALUE_LOW), 0, "AM and AF are the mask's");
    put(&x, MON_REG_CONTROL0, MON_EV_rereferences);
    cr_expect_eq(get(&x, MON_REG_VALUE_LOW), 0x40000080, "AM and AF are the comparator's");
    cr_expect_eq(get(&x, MON_REG_VALUE_HIGH), 9);
    cr_expect_eq(get(&x, MON_REG_CARE_HIGH), 0xff);
    cr_expect_eq(get(&x, MON_REG_COMPARATOR), MON_PUT(1, COMPARATOR_IN_USE));
}

Test(monitor_board, another_counter_above_a_number)
{
    struct bench x;
    new_bench(&x);
    put(&x, MON_REG_CONTROL0, MON_EV_nacks);
    put(&x, MON_REG_CONTROL2, MON_EV_counter_above);
    put(&x, MON_REG_THRESHOLD, 10);
    put(&x, MON_REG_CLEAR, 0xf);
    x.t.v[MON_TAP_NACKS] = 10;
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 0, "more than, not as many as");
    x.t.v[MON_TAP_NACKS] = 11;
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 1);
    x.t.v[MON_TAP_NACKS] = 1000;
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 1, "it is the crossing that counts");
    put(&x, MON_REG_CLEAR, 1);
    x.t.v[MON_TAP_NACKS] = 1020;
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 2);
    x.t.v[MON_TAP_NACKS] += (UINT64_C(3) << 32);
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 5, "every wrap goes below and above again");
    put(&x, MON_REG_THRESHOLD, 100);
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 5);
    put(&x, MON_REG_THRESHOLD, 3);
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 6, "by the number, too");
    put(&x, MON_REG_THRESHOLD, UINT32_MAX);
    x.t.v[MON_TAP_NACKS] += (UINT64_C(3) << 32);
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 6, "nothing is above that");
}

Test(monitor_board, the_time_until_an_interrupt_is_noticed)
{
    struct bench x;
    new_bench(&x);
    put(&x, MON_REG_CONTROL3, MON_EV_interrupt_time);
    pass(&x, 100);
    get(&x, MON_REG_INTERRUPT);
    cr_expect_eq(get(&x, MON_REG_COUNTER3), 0);
    mon_board_interrupt(&x.b, x.t.v[MON_TAP_CYCLES]);
    pass(&x, 30);
    cr_expect_eq(get(&x, MON_REG_COUNTER3), 30, "it runs");
    mon_board_interrupt(&x.b, x.t.v[MON_TAP_CYCLES]);
    pass(&x, 5);
    get(&x, MON_REG_INTERRUPT);
    pass(&x, 1000);
    cr_expect_eq(get(&x, MON_REG_COUNTER3), 35, "and stands");
}

Test(monitor_board, the_latency_of_the_last_read)
{
    struct bench x;
    new_bench(&x);
    put(&x, MON_REG_CONTROL2, MON_EV_last_read_latency);
    cr_expect(mon_board_wants(&x.b) & MON_WANTS_ISSUES);
    x.t.v[MON_TAP_READ_TIME] = 50;
    mon_board_issue(&x.b, &x.t);
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 0);
    x.t.v[MON_TAP_READ_TIME] = 73;
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 23);
    mon_board_issue(&x.b, &x.t);
    x.t.v[MON_TAP_READ_TIME] = 80;
    cr_expect_eq(get(&x, MON_REG_COUNTER2), 7);
}

/* ---- the SRAM's window ----------------------------------------------------------------------- */

Test(monitor_board, the_window_stores_or_in_increment_mode_counts)
{
    struct bench x;
    new_bench(&x);
    const uint32_t word = MON_SRAM_WINDOW + 4 * 0xfffe;
    put(&x, word, 0);
    cr_expect_null(x.b.sram.word, "a zero needs no memory");
    put(&x, word, 41);
    cr_expect_eq(get(&x, word), 41);
    put(&x, MON_REG_SRAM_CONTROL, MON_SOURCE_state_time | MON_PUT(1, SRAM_CONTROL_INCREMENT));
    put(&x, word, 40);
    cr_expect_eq(get(&x, word), 40, "increment mode is for source ad");
    put(&x, MON_REG_SRAM_CONTROL, MON_SOURCE_ad);
    put(&x, word, 40);
    cr_expect_eq(get(&x, word), 40, "source ad alone stores");
    put(&x, MON_REG_SRAM_CONTROL, MON_SOURCE_ad | MON_PUT(1, SRAM_CONTROL_INCREMENT));
    put(&x, word, 12345);
    cr_expect_eq(get(&x, word), 41, "the datum is ignored");
    put(&x, word, 12345);
    cr_expect_eq(get(&x, word), 41, "busy");
    cr_expect_eq(get(&x, MON_REG_SRAM_LOST), 0, "not shown");
    put(&x, MON_REG_OPTIONS, MON_PUT(1, OPTIONS_SHOW_LOST));
    cr_expect_eq(get(&x, MON_REG_SRAM_LOST), 1);
    pass(&x, MON_SRAM_BUSY);
    put(&x, word, 12345);
    cr_expect_eq(get(&x, word), 42);
    mon_board_free(&x.b);
}

Test(monitor_board, overflow_of_a_word)
{
    struct bench x;
    new_bench(&x);
    put(&x, MON_SRAM_WINDOW + 4 * 77, UINT32_MAX);
    put(&x, MON_REG_SRAM_CONTROL,
        MON_SOURCE_ad | MON_PUT(1, SRAM_CONTROL_INCREMENT) | MON_PUT(1, SRAM_CONTROL_INTERRUPT));
    put(&x, MON_SRAM_WINDOW + 4 * 77, 0);
    cr_expect_eq(get(&x, MON_SRAM_WINDOW + 4 * 77), 0);
    cr_expect_eq(get(&x, MON_REG_OVERFLOW), 1u << MON_BIT_SRAM);
    cr_expect_eq(get(&x, MON_REG_INTERRUPT), 1u << MON_BIT_SRAM);
    cr_expect_eq(get(&x, MON_REG_SRAM_LAST), 77);
    put(&x, MON_REG_OVERFLOW, 1u << MON_BIT_SRAM);
    cr_expect_eq(get(&x, MON_REG_OVERFLOW), 0);
    mon_board_free(&x.b);
}

Test(monitor_board, cache_accesses_by_scaddr)
{
    static const struct {
        int line;
        uint32_t scaddr;
        bool data, half_only;
        int word; /* -1: none */
    } rows[] = {
        {__LINE__, 0x20000, true, true, 0x8000},   {__LINE__, 0x20001, true, true, 0x8000},
        {__LINE__, 0x20002, true, true, 0x8001},   {__LINE__, 0x2ffff, true, true, 0xffff},
        {__LINE__, 0x3fffe, true, true, 0xffff},   {__LINE__, 0x00006, false, true, -1},
        {__LINE__, 0x00006, false, false, 0x0003}, {__LINE__, 0x10006, false, false, 0x0003},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bench x;
        new_bench(&x);
        put(&x, MON_REG_SRAM_CONTROL,
            MON_SOURCE_scaddr | MON_PUT(rows[i].half_only, SRAM_CONTROL_DATA_HALF));
        cr_expect_eq(mon_board_wants(&x.b), MON_WANTS_ACCESSES);
        mon_board_access(&x.b, MON_KIND_LOOKUP, rows[i].scaddr, rows[i].data, 0);
        cr_expect_eq(x.b.sram.word != NULL, rows[i].word >= 0, "row %d", rows[i].line);
        if (rows[i].word >= 0 && x.b.sram.word)
            cr_expect_eq(x.b.sram.word[rows[i].word], 1, "row %d", rows[i].line);
        mon_board_free(&x.b);
    }
}

/* The least pattern that holds a range: every line of it matches, and none that a narrower one
 * would leave out. */
Test(monitor_board, patterns_hold_ranges)
{
    static const struct {
        int line;
        uint64_t from, to;
        const char *text;
        uint64_t lines; /* that match */
    } rows[] = {
        {__LINE__, 0x1000, 0x2000, "0x0000001xxx", 64},
        {__LINE__, 0x1800, 0x1804, "0b0000000000000000000000000001100000xxxxxx", 1},
        {__LINE__, 0x1fc0, 0x2040, "0b00000000000000000000000000xxxxxxxxxxxxxx", 256},
        {__LINE__, 0x3000, 0x3900, "0x0000003xxx", 64},
        {__LINE__, 0x10203040c0, 0x1020304100, "0b0001000000100000001100000100000011xxxxxx", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mon_pattern p = mon_pattern_none(), again;
        char text[64];
        mon_pattern_widen(&p, rows[i].from, rows[i].to, 64);
        mon_pattern_write(&p, text, sizeof text);
        cr_expect_str_eq(text, rows[i].text, "row %d", rows[i].line);
        cr_expect_eq(mon_pattern_lines(&p, 64), rows[i].lines, "row %d", rows[i].line);
        cr_expect(mon_pattern_read(text, &again) && again.care == p.care && again.value == p.value,
                  "row %d", rows[i].line);
        for (uint64_t a = rows[i].from & ~63ull; a < rows[i].to; a += 64)
            cr_expect_eq(a & p.care, p.value, "row %d: %#lx", rows[i].line, (unsigned long)a);
    }
    /* Two pages: what they have in common. */
    struct mon_pattern p = mon_pattern_none();
    char text[64];
    mon_pattern_widen(&p, 0x4000, 0x5000, 64);
    mon_pattern_widen(&p, 0x7000, 0x8000, 64);
    mon_pattern_write(&p, text, sizeof text);
    cr_expect_str_eq(text, "0b00000000000000000000000001xxxxxxxxxxxxxx");
}
