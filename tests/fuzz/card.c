/*
 * Registers of the monitoring card, read and written in any order while any things pass. The idea:
 * the board is plain logic, so it is driven alone, with totals that only grow; and what was read
 * back must not depend on whether somebody looked in between.
 */
#include "../rows.h"
#include "monitor/board/board.h"
#include "monitor/taps.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>

const char *const fuzz_words[] = {NULL};

enum { WHAT_MAX = 8, SETTLED = 64 };

/** A sentence of the input: what happens, and 4 + 4 bytes about it. */
size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    size_t registers, n = 0;

    registers = ROWS(mon_board_registers);
    if (number >= registers)
        return 0;
    for (unsigned i = 0; i < 12 && n + 9 <= room; i++) {
        const uint32_t v = i & 1 ? UINT32_MAX >> i : 1u << i;
        const uint8_t word[] = {(uint8_t)(i < 2 ? 0 : i % WHAT_MAX),
                                0,
                                (uint8_t)((number + i) % registers),
                                (uint8_t)i,
                                0,
                                (uint8_t)(v >> 24),
                                (uint8_t)(v >> 16),
                                (uint8_t)(v >> 8),
                                (uint8_t)v};
        memcpy(out + n, word, sizeof word);
        n += sizeof word;
    }
    return n;
}

struct rig {
    struct mon_board board;
    struct mon_comparator comparator;
    struct mon_taps taps;
};

/** An offset: mostly of a register, sometimes in the SRAM's window, or anything. */
static uint32_t offset_of(uint32_t word)
{
    size_t registers;
    const struct mon_register_row *row = mon_board_registers;
    registers = ROWS(row);
    assert(registers);
    const uint32_t kind = word >> 24 & 3;

    if (kind < 2)
        return row[(word >> 8 & 0xff) % registers].offset;
    return kind == 2 ? MON_SRAM_WINDOW + (word & 0x3fffc) : word & (MON_SPACE - 4);
}

/** Time and totals go on. */
static void pass_time(struct rig *r, uint32_t amount)
{
    for (unsigned t = 0; t < MON_TAP__COUNT; t++)
        if (!((MON_PACKET_TAPS | MON_UNIT_TAPS) >> t & 1))
            r->taps.v[t] += amount;
    mon_board_complete(&r->board, &r->taps);
}

static void pass_packet(struct rig *r, uint32_t a, uint32_t b)
{
    const struct mon_packet p = {.address = (uint64_t)a << 8,
                                 .command = (uint8_t)b,
                                 .phase = b >> 8 & 15,
                                 .out = b >> 12 & 1,
                                 .depth = {{b >> 16 & 15, b >> 20 & 15}, {b >> 24 & 15, b >> 28}}};
    const enum mon_tap tap = (enum mon_tap)(a % MON_TAP__COUNT);

    if (!(MON_PACKET_TAPS >> tap & 1))
        return;
    r->taps.v[tap] += 1 + (b & 0xff);
    mon_board_packet(&r->board, tap, 1 + (b & 0xff), &p);
}

static void happen(struct rig *r, uint32_t what, uint32_t a, uint32_t b)
{
    const uint64_t now = r->taps.v[MON_TAP_CYCLES];
    struct mon_transaction t = {.address = a,
                                .cycle = now,
                                .service = b & 0xffff,
                                .global = b >> 16 & 1,
                                .valid = b >> 17 & 1,
                                .nc_hit = b >> 18 & 1,
                                .exclusive = b >> 19 & 1,
                                .remote = b >> 20 & 1};

    switch (what) {
    case 0:
    case 1:
        mon_board_write(&r->board, offset_of(a), b, &r->taps);
        break;
    case 2:
        mon_board_read(&r->board, offset_of(a), &r->taps);
        break;
    case 3:
        pass_time(r, b >> (a & 31));
        break;
    case 4:
        pass_packet(r, a, b);
        break;
    case 5:
        mon_board_issue(&r->board, &r->taps);
        mon_board_transaction(&r->board, &t);
        break;
    case 6:
        mon_board_access(&r->board, (enum mon_kind)(1u << b % 5), a & 0x3ffff, b & 1, now);
        mon_compare_request(&r->comparator, a);
        break;
    default:
        mon_compare_invalidate(&r->comparator, a);
        if (mon_board_pending(&r->board, &r->taps))
            mon_board_interrupt(&r->board, now);
        break;
    }
    mon_board_complete(&r->board, &r->taps);
}

/** Everything that can be asked, into one number. */
static uint64_t look(struct rig *r)
{
    size_t registers;
    const struct mon_register_row *row = mon_board_registers;
    registers = ROWS(row);
    uint64_t sum = 0;
    unsigned which;

    for (unsigned k = 0; k < MON_COUNTERS; k++)
        sum = sum * 31 + mon_board_look(&r->board, k, &r->taps).count;
    sum += mon_board_flags(&r->board, &r->taps) + mon_board_wants(&r->board);
    sum += mon_board_packets_pending(&r->board, &r->taps, &which) + mon_board_hears(&r->board);
    for (size_t i = 0; i < registers; i++)
        if (row[i].access == MON_RO || row[i].access == MON_RW)
            sum = sum * 31 + row[i].offset;
    FUZZ_CHECK(MON_GET(r->board.error, ERROR_REASON) == 0 ||
                   mon_unit_reason(&mon_numachine, MON_GET(r->board.error, ERROR_REASON)),
               "a reason without a sentence");
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct rig *curious = calloc(1, sizeof *curious), *plain = calloc(1, sizeof *plain);

    if (!curious || !plain)
        abort();
    mon_board_init(&curious->board, 3);
    mon_comparator_init(&curious->comparator);
    curious->board.comparator = &curious->comparator;
    mon_board_init(&plain->board, 3);
    mon_comparator_init(&plain->comparator);
    plain->board.comparator = &plain->comparator;
    while (in.left) {
        const uint32_t what = (uint32_t)fuzz_take(&in, 1) % WHAT_MAX;
        const uint32_t a = (uint32_t)fuzz_take(&in, 4), b = (uint32_t)fuzz_take(&in, 4);
        happen(curious, what, a, b);
        happen(plain, what, a, b);
        look(curious);
    }
    FUZZ_CHECK(look(curious) == look(plain), "looking has changed the board");
    mon_board_free(&curious->board);
    mon_board_free(&plain->board);
    free(curious);
    free(plain);
    return 0;
}
