/*
 * The machine's devices: marks, special functions and looks, mapped pages without coherence, and a
 * card's registers at any width, from two threads on one machine. The idea: devices are
 * opened and mapped first, so that every byte of the input reaches one.
 */
#include "../rows.h"
#include "monitor/board/board.h"
#include "procard/sync.h"
#include "tests/fuzz/guest.h"

const char *const fuzz_words[] = {NULL};

enum { AT_PATHS = 0, AT_MARKS = 0x200, AT_SKIP = 0x300, AT_RECORD = 0x400, AT_ROOM = 0x1000 };
enum { MARK, MEMORY, CARD, UNCACHED, NONCOHERENT, DEVICES, LENGTH = 0x80000, PAGES = 0x4000 };
enum { CLONE_THREAD_FLAGS = 0x50f00, LIMIT = 60000 /* ticks */ };

static const char *const paths[DEVICES] = {"/dev/numachine/mark", "/dev/numachine/memory",
                                           "/dev/numachine/card1", "/dev/numachine/uncached",
                                           "/dev/numachine/noncoherent"};
static const char *const marks[] = {
    "+a",
    "-a",
    "+",
    "-",
    "",
    "a",
    "+b\nc",
    "-b",
    "+\xff",
    "+a\0b",
    "+0123456789012345678901234567890123456789012345678901234567890123456789"};
enum { MARKS = sizeof marks / sizeof *marks };

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    size_t n = 0;

    if (number >= 32 || room < 256)
        return 0;
    out[n++] = (uint8_t)number;
    out[n++] = (uint8_t)(number >> 2);
    for (unsigned i = 0; i < 12; i++) {
        const uint8_t step[] = {
            (uint8_t)(i & 1),      (uint8_t)(number + i), (uint8_t)(i * number),   0,
            (uint8_t)(number * 4), (uint8_t)(i * 3),      (uint8_t)(1 << (i & 7)), 0};
        memcpy(out + n, step, sizeof step);
        n += sizeof step;
    }
    return n;
}

/** The first steps: every device open, and mapped if it can be; mappings follow behind all five.
 *  @param[out] opened  steps of the opens
 *  @param[out] mapped  steps of the mappings */
static void open_all(struct guest *g, unsigned opened[DEVICES], unsigned mapped[DEVICES])
{
    for (unsigned d = 0; d < DEVICES; d++) {
        memcpy(g->arena + AT_PATHS + 64 * d, paths[d], strlen(paths[d]) + 1);
        opened[d] = guest_call(g, 0, guest_number(g, "open"), GUEST_BUFFERS + AT_PATHS + 64 * d,
                               d == MARK ? 1 : 2, 0, 0);
    }
    for (unsigned d = CARD; d < DEVICES; d++) {
        struct guest_step s = {.number = guest_number(g, "mmap"),
                               .arg = {0, d == CARD ? LENGTH : PAGES, 3, 1, opened[d], 0},
                               .from = 1 << 4};
        mapped[d] = guest_add(g, 0, &s);
    }
}

/** Offset of a register: of the monitoring card, of the processor card, or of that through a
 * window. */
static uint32_t register_offset(unsigned n)
{
    size_t monitor, sync;
    const struct mon_register_row *first = mon_board_registers;
    monitor = ROWS(first);
    const struct mon_register_row *second = pc_sync_registers(&sync);

    n %= monitor + 2 * sync;
    if (n < monitor)
        return first[n].offset;
    n -= (unsigned)monitor;
    return second[n % sync].offset + (n < sync ? 0 : PC_WINDOW + n % PC_WINDOWS * PC_WINDOW_SPAN);
}

/** An access to a mapping: its address is known: it was asked for. */
static void add_access(struct guest *g, struct fuzz_in *in, unsigned list,
                       const uint64_t at[DEVICES])
{
    const unsigned device = CARD + (unsigned)fuzz_take(in, 1) % 3;
    const unsigned where = (unsigned)fuzz_take(in, 2);
    struct guest_step s = {.what = GUEST_LB + fuzz_take(in, 1) % (GUEST_DOES - GUEST_LB)};

    s.arg[0] = at[device] + (device != CARD ? where % PAGES
                             : where & 1    ? register_offset(where >> 3) + (where >> 1 & 3)
                                            : (uint64_t)where << 3);
    s.arg[1] = fuzz_take(in, 2) << (where & 31);
    guest_add(g, list, &s);
}

/** A command or a look: a record in the arena, written or given to ioctl. */
static void add_command(struct guest *g, struct fuzz_in *in, unsigned list, unsigned fd, bool look,
                        const uint64_t at[DEVICES])
{
    const unsigned record = AT_RECORD + 64 * (unsigned)(in->left % 32);
    const unsigned function = (unsigned)fuzz_take(in, 1), flags = (unsigned)fuzz_take(in, 1);
    const unsigned where = (unsigned)fuzz_take(in, 1), length = (unsigned)fuzz_take(in, 2);
    const uint64_t va = where & 0x80   ? GUEST_BUFFERS + AT_ROOM + (where & 0x7f) * 16
                        : where & 0x40 ? at[CARD + (where & 3) % 3]
                        : where & 0x20 ? where & 31
                                       : GUEST_CODE;

    guest_put(g, record, 4, function % 16);
    guest_put(g, record + 4, 4, flags & 1);
    guest_put(g, record + 8, look ? 4 : 8, look ? where & 3 : va);
    guest_put(g, record + 16, 8, look ? (flags & 1 ? length : va) : length);
    if (look)
        guest_call(g, list, guest_number(g, "ioctl"), fd, 0x4e01 + (flags >> 7),
                   GUEST_BUFFERS + record, 0);
    else
        guest_call(g, list, guest_number(g, "write"), fd, GUEST_BUFFERS + record,
                   flags & 0x40   ? 48
                   : flags & 0x20 ? flags
                                  : 24,
                   0);
}

/** A word written to a register of the card, as programs do it. */
static void add_register(struct guest *g, struct fuzz_in *in, unsigned list,
                         const uint64_t at[DEVICES])
{
    const uint64_t offset = register_offset((unsigned)fuzz_take(in, 1));
    const struct guest_step s = {.what = GUEST_SW, .arg = {at[CARD] + offset, fuzz_take(in, 4)}};

    guest_add(g, list, &s);
}

static void add_step(struct guest *g, struct fuzz_in *in, const uint64_t at[DEVICES])
{
    static const char *const calls[] = {"close", "munmap", "mprotect", "madvise",
                                        "msync", "fcntl",  "poll",     "dup",
                                        "read",  "ioctl",  "mremap",   "write"};
    const unsigned list = (unsigned)fuzz_take(in, 1) & 1, what = (unsigned)fuzz_take(in, 1);
    const unsigned fd = 3 + what / 16 % 6;
    unsigned v;

    switch (what % 8) {
    case 0:
        v = (unsigned)fuzz_take(in, 1) % MARKS;
        guest_call(g, list, guest_number(g, "write"), 3, GUEST_BUFFERS + AT_MARKS + v * 8,
                   fuzz_take(in, 1) % 80, 0);
        break;
    case 1:
        add_command(g, in, list, 4, false, at);
        break;
    case 2:
        add_command(g, in, list, 4, true, at);
        break;
    case 3:
        guest_call(g, list, guest_number(g, "read"), fd, GUEST_BUFFERS + AT_ROOM, fuzz_take(in, 1),
                   0);
        break;
    case 4:
        v = (unsigned)fuzz_take(in, 1);
        guest_call(g, list, guest_number(g, calls[v % (sizeof calls / sizeof *calls)]),
                   v & 0x40 ? fd : at[CARD + v % 3] + fuzz_take(in, 1) * 0x1000,
                   fuzz_take(in, 1) * 0x1000, fuzz_take(in, 1), fuzz_take(in, 1));
        break;
    case 5:
        add_register(g, in, list, at);
        break;
    default:
        add_access(g, in, list, at);
        break;
    }
}

/** Where the three mappings shall lie. */
static void choose_places(const struct guest *g, uint64_t at[DEVICES])
{
    at[MARK] = at[MEMORY] = 0;
    at[CARD] = (g->n64 ? UINT64_C(1) << 39 : UINT64_C(0x60000000));
    at[UNCACHED] = at[CARD] + LENGTH;
    at[NONCOHERENT] = at[UNCACHED] + PAGES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct guest g; /* large */
    struct fuzz_in in = {data, size};
    const unsigned how = (unsigned)fuzz_take(&in, 1), flags = (unsigned)fuzz_take(&in, 1);
    unsigned opened[DEVICES], mapped[DEVICES];
    uint64_t at[DEVICES];

    fuzz_confine();
    memset(&g, 0, sizeof g);
    g.n64 = flags & 1;
    choose_places(&g, at);
    open_all(&g, opened, mapped);
    for (unsigned d = CARD; d < DEVICES; d++) {
        g.step[0][mapped[d]].arg[0] = at[d];
        g.step[0][mapped[d]].arg[3] = 0x11; /* MAP_SHARED, MAP_FIXED */
    }
    guest_handle(&g, AT_SKIP);
    for (unsigned i = 0; i < MARKS; i++)
        memcpy(g.arena + AT_MARKS + 8 * i, marks[i], strlen(marks[i]) + 1);
    guest_call(&g, 0, guest_number(&g, "clone"), CLONE_THREAD_FLAGS, 0, 0, 0);
    g.step[0][g.steps[0] - 1].child = 1;
    while (in.left > 2)
        add_step(&g, &in, at);
    fuzz_guest(&g, how & ~(flags & 2 ? 0u : 4u), LIMIT, flags & 4);
    return 0;
}
