/*
 * Registers for interrupts and barriers, read and written in any order. The idea: whatever is
 * written, a barrier loses no arrival, looking changes nothing, and a window names nobody who is
 * not there.
 */
#include "procard/sync.h"
#include "machine/values.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_words[] = {NULL};

/** A sentence of the input: what happens, and 4 + 4 bytes about it. */
size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    size_t registers, n = 0;

    pc_sync_registers(&registers);
    if (number >= registers)
        return 0;
    for (unsigned i = 0; i < 12 && n + 9 <= room; i++) {
        const uint32_t v = i & 1 ? UINT32_MAX >> i : i;
        const uint8_t word[] = {(uint8_t)(i % 3),
                                0,
                                0,
                                (uint8_t)(i < 6 ? number : i * 7 % registers),
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

/** An offset: mostly of a register. */
static uint32_t offset_of(uint32_t word)
{
    size_t registers;
    const struct mon_register_row *row = pc_sync_registers(&registers);

    return word >> 24 < 200 ? row[(word >> 8) % registers].offset
                            : PC_SYNC_BEGIN + word % (PC_SYNC_END - PC_SYNC_BEGIN) / 4 * 4;
}

/** Arrivals at barrier k since it was last set by hand, as its registers tell; a round that has
 *  begun is never full. */
static uint64_t arrivals(struct pc_sync *s, unsigned k)
{
    const uint64_t expected = pc_sync_read(s, PC_SYNC_EXPECTED0 + 16 * k);
    const uint64_t arrived = pc_sync_read(s, PC_SYNC_ARRIVED0 + 16 * k);

    FUZZ_CHECK(!expected || arrived < expected, "barrier %u: a round is over and goes on", k);
    return expected * pc_sync_read(s, PC_SYNC_ROUND0 + 16 * k) + arrived;
}

static void write_one(struct pc_sync *s, uint32_t offset, uint32_t value)
{
    const bool arrives = offset >= PC_SYNC_ARRIVE0 && offset < PC_SYNC_END && offset % 16 == 0;
    const unsigned k = arrives ? (offset - PC_SYNC_ARRIVE0) / 16 : 0;
    const uint64_t before = arrives ? arrivals(s, k) : 0;
    const uint64_t expected = pc_sync_read(s, PC_SYNC_EXPECTED0 + 16 * k);

    pc_sync_write(s, offset, value);
    const uint64_t lost = arrives ? before + value - arrivals(s, k) : 0;
    /* the number of rounds, or of arrivals where nobody is expected, has 32 bits */
    FUZZ_CHECK(!lost || lost == (expected ? expected : 1) << 32, "barrier %u", k);
}

/** Everything that can be asked without a change. */
static uint64_t look(struct pc_sync *s, uint32_t a)
{
    const struct ring_shape shape = {1 + a % 3,
                                     {1 + (a >> 2) % 16, 1 + (a >> 6) % 16, 1 + (a >> 10) % 16}};
    const unsigned cards = 1 + (a >> 14) % 4;
    uint64_t sum = pc_sync_pending(s);

    for (uint32_t at = PC_SYNC_BEGIN; at < PC_SYNC_END; at += 4)
        if (at != PC_SYNC_IRQ_TAKE)
            sum = sum * 31 + pc_sync_read(s, at);
    for (unsigned k = 0; k < PC_BARRIERS; k++)
        sum = sum * 31 + arrivals(s, k);
    for (unsigned w = 0; w < PC_WINDOWS; w++) {
        const struct pc_sync_cast to =
            pc_sync_cast(s, &shape, cards, PC_WINDOW + w * PC_WINDOW_SPAN + (a & 0x7ffc));
        FUZZ_CHECK(to.offset < PC_WINDOW_SPAN && to.cards < 1u << cards, "window %u", w);
        FUZZ_CHECK(!to.route || ring_mask_count(&shape, to.route) ==
                                    ring_mask_stations(&shape, to.route, (uint16_t[4096]){0}),
                   "window %u names stations that are not there", w);
        sum = sum * 31 + to.route + to.cards;
    }
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = {data, size};
    struct nm_params p = {.processors = 4, .ring_stations = 4, .ring_locals = 4, .ring_groups = 1};
    struct pc_sync curious, plain;

    pc_sync_init(&curious, &p);
    pc_sync_init(&plain, &p);
    while (in.left) {
        const uint32_t what = (uint32_t)fuzz_take(&in, 1);
        const uint32_t a = (uint32_t)fuzz_take(&in, 4), b = (uint32_t)fuzz_take(&in, 4);
        const uint32_t offset = offset_of(a);
        if (what % 3 == 0)
            FUZZ_CHECK(pc_sync_read(&curious, offset) == pc_sync_read(&plain, offset), "%#x",
                       offset);
        else {
            write_one(&curious, offset, b);
            pc_sync_write(&plain, offset, b);
        }
        look(&curious, b);
    }
    FUZZ_CHECK(look(&curious, 5) == look(&plain, 5), "looking has changed a register");
    return 0;
}
