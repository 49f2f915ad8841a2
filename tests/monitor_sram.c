/* The SRAM of the monitoring card: codes of service times, numbers of words, increments. */
#include "monitor/board/board.h"
#include "rows.h"

#include <criterion/criterion.h>
#include <string.h>

/* What each 7-bit code stands for, by the formula of the card's document: 0.m x 2^4 for exponent 0,
 * 1.m x 2^(exponent - 1 + 4) else. Written down, not computed. */
static const unsigned least[128] = {
    0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15,
    16,   17,   18,   19,   20,   21,   22,   23,   24,   25,   26,   27,   28,   29,   30,   31,
    32,   34,   36,   38,   40,   42,   44,   46,   48,   50,   52,   54,   56,   58,   60,   62,
    64,   68,   72,   76,   80,   84,   88,   92,   96,   100,  104,  108,  112,  116,  120,  124,
    128,  136,  144,  152,  160,  168,  176,  184,  192,  200,  208,  216,  224,  232,  240,  248,
    256,  272,  288,  304,  320,  336,  352,  368,  384,  400,  416,  432,  448,  464,  480,  496,
    512,  544,  576,  608,  640,  672,  704,  736,  768,  800,  832,  864,  896,  928,  960,  992,
    1024, 1088, 1152, 1216, 1280, 1344, 1408, 1472, 1536, 1600, 1664, 1728, 1792, 1856, 1920, 1984,
};

Test(monitor_sram, all_128_codes)
{
    for (unsigned code = 0; code < 128; code++) {
        cr_expect_eq(mon_time_decode(code, false), least[code], "code %u", code);
        cr_expect_eq(mon_time_decode(code, true), 2 * least[code], "code %u doubled", code);
    }
    unsigned code = 0;
    for (unsigned v = 0; v < 5000; v++) {
        if (code < 127 && v >= least[code + 1])
            code++;
        cr_expect_eq(mon_time_encode(v, false), code, "%u cycles", v);
        cr_expect_eq(mon_time_encode(2 * v, true), code, "%u cycles", 2 * v);
        cr_expect_eq(mon_time_encode(2 * v + 1, true), code, "%u cycles", 2 * v + 1);
    }
    cr_expect_eq(mon_time_encode(UINT64_MAX, false), 127);
    cr_expect_eq(mon_time_encode(UINT64_MAX, true), 127);
}

/* Every word number taken apart and put together again is itself; the parts fill 16 bits. */
Test(monitor_sram, words_decode_to_what_they_count)
{
    for (enum mon_source s = MON_SOURCE_state_phase; s < MON_SOURCES; s++)
        for (unsigned doubled = 0; doubled < 2; doubled++)
            for (unsigned i = 0; i < MON_SRAM_WORDS; i++) {
                const struct mon_bin bin = mon_bin_decode(s, (uint16_t)i, doubled);
                const struct mon_transaction t = {.service = bin.time_low,
                                                  .global = bin.global,
                                                  .valid = bin.valid,
                                                  .nc_hit = bin.nc_hit,
                                                  .exclusive = bin.exclusive,
                                                  .remote = bin.remote,
                                                  .phase = bin.phase};
                cr_assert_eq(mon_bin_of(s, &t, doubled), i, "source %u word %u", s, i);
                cr_assert(bin.has_phase && bin.has_time == (s != MON_SOURCE_state_phase));
                cr_assert_leq(bin.time_low, bin.time_high);
            }
    for (unsigned i = 0; i < MON_SRAM_WORDS; i++) {
        const struct mon_bin bin = mon_bin_decode(MON_SOURCE_scaddr, (uint16_t)i, false);
        cr_assert(bin.has_block && !bin.has_phase && !bin.has_time && !bin.has_state);
        cr_assert_eq(bin.block | (unsigned)bin.high_half << 15, i);
    }
}

/* The times of neighbouring words of one state and phase follow each other without a gap; the last
 * one has no end. */
Test(monitor_sram, times_have_no_gap)
{
    static const struct {
        enum mon_source source;
        unsigned times;
    } rows[] = {{MON_SOURCE_state_time, 128}, {MON_SOURCE_phase_time, 4096}};
    for (unsigned r = 0; r < 2; r++)
        for (unsigned doubled = 0; doubled < 2 - r; doubled++)
            for (unsigned i = 0; i < rows[r].times; i++) {
                const struct mon_bin bin = mon_bin_decode(rows[r].source, (uint16_t)i, doubled);
                const uint64_t next =
                    mon_bin_decode(rows[r].source, (uint16_t)(i + 1), doubled).time_low;
                cr_assert_eq(bin.time_high, i + 1 < rows[r].times ? next - 1 : UINT64_MAX,
                             "source %u, %u", rows[r].source, i);
            }
}

Test(monitor_sram, words_by_hand)
{
    static const struct {
        int line;
        enum mon_source source;
        struct mon_transaction t;
        uint16_t word;
    } rows[] = {
        {__LINE__, MON_SOURCE_state_time, {.service = 37, .phase = 0x25}, 5 << 7 | 0x22},
        {__LINE__, MON_SOURCE_state_time, {.nc_hit = true, .valid = true}, 0xc000},
        {__LINE__, MON_SOURCE_state_time, {.global = true, .remote = true}, 0x3000},
        {__LINE__, MON_SOURCE_state_time, {.exclusive = true, .service = 99999}, 0x087f},
        {__LINE__, MON_SOURCE_state_phase, {.phase = 0x7ff, .valid = true}, 0x47ff},
        {__LINE__, MON_SOURCE_state_phase, {.phase = 0x412, .exclusive = true}, 0x0c12},
        {__LINE__, MON_SOURCE_phase_time, {.phase = 0x7f3, .service = 1000}, 0x3000 + 1000},
        {__LINE__, MON_SOURCE_phase_time, {.phase = 1, .service = 5000}, 0x1fff},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(mon_bin_of(rows[i].source, &rows[i].t, false), rows[i].word, "row %d: %#x",
                     rows[i].line, mon_bin_of(rows[i].source, &rows[i].t, false));
}

Test(monitor_sram, the_parts_of_each_source_fill_its_address)
{
    size_t count;
    const struct mon_field_row *parts = mon_board_parts;
    count = ROWS(parts);
    unsigned bits[MON_SOURCES] = {0};
    for (size_t i = 0; i < count; i++) {
        const unsigned mask = ((1u << parts[i].bits) - 1) << parts[i].low;
        unsigned source = 0;
        while (strcmp(mon_board_sources[source].name, parts[i].reg))
            source++;
        cr_expect(!(bits[source] & mask), "%s", parts[i].name);
        cr_expect(*parts[i].sentence);
        bits[source] |= mask;
    }
    for (unsigned s = MON_SOURCE_ad; s < MON_SOURCES; s++)
        cr_expect_eq(bits[s], 0xffff, "%s", mon_board_sources[s].name);
}

Test(monitor_sram, an_increment_takes_three_cycles_and_loses_what_comes_meanwhile)
{
    struct mon_sram s = {0};
    cr_expect_null(s.word, "nothing is allocated before it is used");
    cr_expect(mon_sram_count(&s, 7, 100));
    cr_expect(!mon_sram_count(&s, 7, 100), "at the same time");
    cr_expect(!mon_sram_count(&s, 8, 102));
    cr_expect(mon_sram_count(&s, 8, 103));
    cr_expect_eq(s.word[7], 1);
    cr_expect_eq(s.word[8], 1);
    cr_expect_eq(s.lost, 2);
    s.lost = UINT32_MAX;
    cr_expect(!mon_sram_count(&s, 8, 104));
    cr_expect_eq(s.lost, UINT32_MAX, "it stays there");
    free(s.word);
}

/* Two that write in step: without turns the second loses everything, with them nobody does, until
 * one writes faster than its latch is free again. */
Test(monitor_sram, writers_take_turns)
{
    for (unsigned turns = 0; turns < 2; turns++) {
        struct mon_sram s = {.turns = turns};
        for (uint64_t i = 0; i < 100; i++) {
            cr_expect(mon_sram_increment(&s, 1, 8 * i, 1, false), "the first to come");
            cr_expect_eq(mon_sram_increment(&s, 2, 8 * i + 1, 0, true), turns);
        }
        cr_assert_eq(s.writers, 2);
        cr_expect_eq(s.writer[0].written, 100);
        cr_expect_eq(s.writer[0].lost, turns ? 0 : 100);
        cr_expect_eq(s.writer[1].lost, 0);
        cr_expect_eq(s.word[2], turns ? 100 : 0);
        cr_expect_eq(s.lost, turns ? 0 : 100);
        /* At once: one is counted, one waits from each side, the next has no latch. */
        for (unsigned i = 0; i < 2; i++) {
            cr_expect_eq(mon_sram_increment(&s, 3, 1000, 1, false), turns || i == 0);
            cr_expect_eq(mon_sram_increment(&s, 3, 1000, 0, true), turns && i == 0);
        }
        cr_expect_eq(s.free_at, turns ? 1009 : 1003);
        cr_expect_eq(mon_sram_increment(&s, 3, 1003, 0, true), true, "its latch is empty now");
        cr_expect_eq(mon_sram_increment(&s, 3, 1004, 0, true), false);
        free(s.word);
        free(s.writer);
    }
}

Test(monitor_sram, a_word_wraps_and_says_which)
{
    struct mon_sram s = {0};
    mon_sram_words(&s)[4711] = UINT32_MAX;
    cr_expect(mon_sram_count(&s, 4710, 0));
    cr_expect(!s.overflow);
    cr_expect(mon_sram_count(&s, 4711, 3));
    cr_expect(s.overflow);
    cr_expect_eq(s.last, 4711);
    cr_expect_eq(s.word[4711], 0);
    free(s.word);
}
