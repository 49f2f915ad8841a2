/*
 * Instruction streams: any words, run by up to three threads that share their memory, with every
 * load checked against the memory image. The idea: words are bent a little towards what the program
 * survives (bases that hold addresses, near branches), and a handler skips what traps.
 */
#include "tests/fuzz/guest.h"

const char *const fuzz_words[] = {NULL};

enum { AT_SKIP = 0x80, CLONE_THREAD_FLAGS = 0x50f00, LIMIT = 12000 };
enum { S0 = 16, SPECIAL = 0, REGIMM = 1, J = 2, JAL = 3, BEQ = 4, BGTZ = 7, BEQL = 20, BGTZL = 23 };

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    static const uint32_t words[] = {0x8e500000, 0xae700008, 0xc2900010, 0x26100001, 0xe2900010,
                                     0x1000fffb, 0xd6a40000, 0x46242001, 0x0c000000, 0x0000000c,
                                     0xdec20000, 0x00431818, 0xb6a00003, 0xbea00007, 0xcc000000};
    size_t n = 0;

    if (number >= 24 || room < 128)
        return 0;
    out[n++] = (uint8_t)(number | 2);
    out[n++] = (uint8_t)(number * 5);
    for (unsigned i = 0; i < 20; i++, n += 4) {
        const uint32_t w = words[(i * (number + 1) + number) % (sizeof words / sizeof *words)];
        out[n] = (uint8_t)(w >> 24);
        out[n + 1] = (uint8_t)(w >> 16);
        out[n + 2] = (uint8_t)(w >> 8);
        out[n + 3] = (uint8_t)(w + (i & 3) * number);
    }
    return n;
}

/** Bends a word. `count` words of code there are. */
static uint32_t bend(uint32_t w, unsigned count)
{
    const unsigned op = w >> 26;
    const bool branch = op == REGIMM || (op >= BEQ && op <= BGTZ) || (op >= BEQL && op <= BGTZL);

    if (op >= 32 || op == 26 || op == 27) /* base s2 .. s7, small offset */
        return (w & 0xfc1f00ff) | (S0 + 2 + (w >> 21 & 31) % 6) << 21;
    if (branch)
        return (w & 0xffff0000) | ((w & 31) - 16u) % 0x10000;
    if (op == J || op == JAL)
        return op << 26 | (uint32_t)((guest_code() >> 2) + (w & 0xffff) % count);
    return w;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct guest g; /* large */
    struct fuzz_in in = {data, size};
    const unsigned how = (unsigned)fuzz_take(&in, 1), flags = (unsigned)fuzz_take(&in, 1);
    const unsigned count = (unsigned)(in.left / 4 + 1);
    struct guest_step go = {.what = GUEST_GO, .arg = {guest_code()}};

    fuzz_confine();
    memset(&g, 0, sizeof g);
    g.n64 = flags & 1;
    for (; in.left > 0 && g.code_size + 8 < sizeof g.code; g.code_size += 4) {
        const uint32_t w = (uint32_t)fuzz_take(&in, 4), bent = flags & 2 ? w : bend(w, count);
        for (unsigned i = 0; i < 4; i++)
            g.code[g.code_size + i] = (uint8_t)(bent >> (24 - 8 * i));
    }
    memcpy(g.code + g.code_size, "\x03\xe0\0\x08", 4); /* jr ra */
    g.code_size += 8;
    guest_handle(&g, AT_SKIP);
    for (int i = 1; i < GUEST_LISTS; i++) {
        const unsigned at =
            guest_call(&g, 0, guest_number(&g, "clone"), CLONE_THREAD_FLAGS, 0, 0, 0);
        g.step[0][at].child = i;
    }
    for (unsigned l = 0; l < GUEST_LISTS; l++, go.arg[0] += flags >> 3 & 12)
        guest_add(&g, l, &go);
    fuzz_guest(&g, how, LIMIT, flags & 4);
    return 0;
}
