/*
 * System calls with wild arguments, from up to three threads. The idea: an argument is mostly of
 * the kind the call wants, so that calls get far, and sometimes anything; results (descriptors,
 * addresses) are arguments of later calls.
 */
#include "programs/linux/syscalls.h"
#include "tests/fuzz/guest.h"

const char *const fuzz_words[] = {NULL};

/* Buffers of the arena, by offset. */
enum {
    AT_PATHS = 0,     /* 32 bytes each */
    AT_TIMES = 0x200, /* 16 each */
    AT_ACTION = 0x300,
    AT_VECTOR = 0x400,
    AT_SET = 0x500,
    AT_FREE = 0x600, /* bytes of the input */
    AT_SKIP = 0x700, /* guest_handle's */
    AT_ROOM = 0x1000
};

enum { LIMIT = 100000 /* ticks */, FRAME_WORDS = 160, FREE_BYTES = 16 };

static const char *const paths[] = {"a",
                                    "b",
                                    "d",
                                    "d/a",
                                    "d/../a",
                                    "",
                                    ".",
                                    "/dev/null",
                                    "link",
                                    "/proc/self/maps",
                                    "/dev/numachine/memory",
                                    "/dev/urandom",
                                    "/dev/numachine/card",
                                    "nowhere/a",
                                    "/proc/self/exe",
                                    "guest"};
enum { PATHS = sizeof paths / sizeof *paths };

static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 3,
                                 4,
                                 5,
                                 7,
                                 8,
                                 16,
                                 64,
                                 128,
                                 255,
                                 1000,
                                 1023,
                                 1024,
                                 4095,
                                 4096,
                                 4097,
                                 65536,
                                 0x10000000,
                                 0x7fffffff,
                                 0x80000000,
                                 0xfffff000,
                                 0xffffffff,
                                 UINT64_C(1) << 32,
                                 UINT64_C(1) << 40,
                                 INT64_MAX,
                                 UINT64_C(1) << 63,
                                 UINT64_MAX,
                                 (uint64_t)-2,
                                 (uint64_t)-100,
                                 (uint64_t)-4096};

/* Flags of clone with which a thread can live: VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, ... */
enum { CLONE_THREAD_FLAGS = 0x50f00 };

/* Calls of two threads that meet; "" makes the second one. Arguments as wanted() takes them. */
static const struct {
    uint8_t list;
    const char *call;
    uint8_t v[4];
} meetings[][7] = {
    {{0, "pipe", {6}},
     {0, "", {0}},
     {1, "read", {3, 6, 4}},
     {0, "nanosleep", {3}},
     {0, "close", {3}},
     {0, "write", {4, 6, 4}},
     {0, "close", {4}}},
    {{0, "pipe", {6}},
     {0, "", {0}},
     {1, "poll", {5, 1, 99}},
     {0, "dup2", {3, 4}},
     {0, "close", {3}},
     {1, "readv", {3, 3, 2}},
     {0, "writev", {4, 3, 2}}},
    {{0, "open", {10, 2}},
     {0, "", {0}},
     {1, "read", {3, 6, 16}},
     {0, "close", {3}},
     {0, "open", {12, 2}},
     {1, "read", {3, 6, 4}},
     {0, "close", {3}}},
    {{0, "", {0}},
     {1, "futex", {6, 0, 0, 3}},
     {0, "nanosleep", {3}},
     {0, "munmap", {6, 64}},
     {0, "futex", {6, 1, 1}},
     {0, "futex", {6, 3, 1, 1}},
     {0, "exit", {0}}},
    {{0, "rt_sigaction", {4, 2, 0, 16}},
     {0, "", {0}},
     {1, "pause", {0}},
     {0, "tgkill", {0}},
     {0, "kill", {0, 4}},
     {1, "rt_sigsuspend", {4, 16}},
     {0, "kill", {0, 4}}},
    {{0, "open", {0, 66}},
     {0, "write", {3, 6, 99}},
     {0, "mmap", {0, 99, 3, 1}},
     {0, "", {0}},
     {1, "ftruncate", {3, 0}},
     {0, "msync", {6, 99}},
     {1, "close", {3}}},
};
enum { MEETINGS = sizeof meetings / sizeof *meetings };

static size_t seed_call(uint8_t *out, unsigned list, unsigned number, const uint8_t *v,
                        unsigned count)
{
    size_t n = 0;

    out[n++] = (uint8_t)list;
    out[n++] = (uint8_t)(number >> 8);
    out[n++] = (uint8_t)number;
    for (unsigned k = 0; k < GUEST_ARGS; k++) {
        out[n++] = 0;
        out[n++] = k < count ? v[k] : 0;
    }
    return n;
}

/** A meeting for one of both ABIs. */
static size_t seed_meeting(unsigned which, bool n64, uint8_t *out)
{
    const struct guest g = {.n64 = n64};
    size_t n = 2 + FREE_BYTES;

    memset(out, 0, n);
    out[1] = n64;
    for (unsigned i = 0; i < 7; i++) {
        const char *name = meetings[which][i].call;
        n += seed_call(out + n, meetings[which][i].list, *name ? guest_number(&g, name) : 0xffff,
                       meetings[which][i].v, 4);
    }
    return n;
}

/** Ten calls from here and there in the table, one of them a new thread. */
static size_t seed_mixture(unsigned number, uint8_t *out)
{
    size_t n = 2 + FREE_BYTES;

    memset(out, 0, n);
    out[0] = (uint8_t)(number & 31);     /* machine */
    out[1] = (uint8_t)(number >> 1 & 3); /* ABI, handlers */
    for (unsigned i = 0; i < 10; i++) {
        const unsigned call = i == 3 ? 0xffff : (number * 3 + i * (1 + number % 7)) % 400;
        uint8_t v[GUEST_ARGS];
        for (unsigned k = 0; k < GUEST_ARGS; k++)
            v[k] = (uint8_t)(number * 5 + i * 3 + k);
        n += seed_call(out + n, i < 5 ? 0 : i & 1, call, v, GUEST_ARGS);
    }
    return n;
}

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    if (room < 256 || number >= 2 * MEETINGS + 120)
        return 0;
    if (number < 2 * MEETINGS)
        return seed_meeting(number / 2, number & 1, out);
    return seed_mixture(number - 2 * MEETINGS, out);
}

static void furnish(struct guest *g, struct fuzz_in *in)
{
    const unsigned width = g->n64 ? 8 : 4;

    for (unsigned i = 0; i < PATHS; i++)
        memcpy(g->arena + AT_PATHS + 32 * i, paths[i], strlen(paths[i]) + 1);
    for (unsigned i = 0; i < 8; i++) {
        guest_put(g, AT_TIMES + 16 * i, width, i == 7 ? UINT64_MAX : 0);
        guest_put(g, AT_TIMES + 16 * i + width, width, i * i * 1000);
    }
    guest_put(g, AT_ACTION, 4, 8); /* SA_SIGINFO */
    guest_put(g, AT_ACTION + width, width, guest_handler(false));
    for (unsigned i = 0; i < 4; i++) {
        guest_put(g, AT_VECTOR + 2 * width * i, width, GUEST_BUFFERS + AT_ROOM + 256 * i);
        guest_put(g, AT_VECTOR + 2 * width * i + width, width, 100 * i);
    }
    memset(g->arena + AT_SET, 0xff, 16);
    for (unsigned i = 0; i < FREE_BYTES; i++)
        g->arena[AT_FREE + i] = (uint8_t)fuzz_take(in, 1);
}

/** Words where a sigreturn looks for its frame: a byte of the input says which. */
static void furnish_frame(struct guest *g, struct fuzz_in *in)
{
    static const uint64_t words[] = {
        0,          GUEST_CODE,        GUEST_CODE + 20, GUEST_DATA, GUEST_BUFFERS,
        UINT64_MAX, UINT64_C(1) << 63, 0x0003ffff,      0x01800f80, 1};
    const unsigned width = g->n64 ? 8 : 4;

    for (unsigned i = 0; i < FRAME_WORDS && in->left > 40; i++)
        guest_put(g, (unsigned)(guest_stack(0) - GUEST_BUFFERS) + 8 * i + 8 - width, width,
                  words[fuzz_take(in, 1) % (sizeof words / sizeof *words)]);
}

/** Any address: in a buffer, at an end of the memory, in the lists, nowhere. */
static uint64_t address(unsigned v)
{
    static const uint64_t bases[] = {AT_PATHS, AT_TIMES, AT_ACTION, AT_VECTOR,
                                     AT_SET,   AT_FREE,  AT_ROOM,   AT_ROOM + 0x1ffc};

    if (v < 0x80)
        return GUEST_BUFFERS + bases[v & 7] + (v >> 3) * 16;
    if (v < 0xc0)
        return GUEST_END - (v & 0x3f);
    return v < 0xe0 ? GUEST_DATA + (v & 31) * 64 : v < 0xf0 ? GUEST_CODE + v : v & 3;
}

/** What an argument of this letter should be. */
static uint64_t wanted(char letter, unsigned v)
{
    switch (letter) {
    case 's':
        return GUEST_BUFFERS + AT_PATHS + 32 * (v % PATHS);
    case 't':
    case 'T':
        return v & 7 ? GUEST_BUFFERS + AT_TIMES + 16 * (v & 7) : 0;
    case 'f':
        return v % 12;
    case 'd':
        return v & 3 ? (uint64_t)-100 : v >> 2;
    case 'p':
        return address(v & 0x7f);
    case 'z':
        return v;
    default:
        return v & 0x80 ? UINT64_C(1) << (v & 31) : v & 0x7f;
    }
}

static uint64_t argument(struct fuzz_in *in, char letter, unsigned i, struct guest_step *s)
{
    const unsigned kind = (unsigned)fuzz_take(in, 1), v = (unsigned)fuzz_take(in, 1);

    switch (kind & 7) {
    case 4:
        return edges[v % (sizeof edges / sizeof *edges)];
    case 5:
        s->from |= UINT64_C(1) << i;
        return v % GUEST_STEPS;
    case 6:
        return address(v);
    case 7:
        return fuzz_take(in, 4) << (v & 32);
    default:
        return wanted(letter, v);
    }
}

/** The provided call of the least number from `from` on, so that rows of found/ mean the same when
 *  others are added. */
static const struct lx_sys_row *call_from(const struct guest *g, unsigned from)
{
    size_t count;
    const struct lx_sys_row *rows = lx_sys_rows(&count), *best = NULL;

    for (const struct lx_sys_row *r = rows; r < rows + count; r++) {
        const int n = r->number[g->n64], least = best ? best->number[g->n64] : 1000;
        if (n >= (int)from && n < least)
            best = r;
    }
    return best ? best : rows;
}

/** One call of a list; a number out of reach makes a thread for the next list. */
static void add_call(struct guest *g, struct fuzz_in *in)
{
    struct guest_step s = {.what = GUEST_CALL};
    const unsigned list = (unsigned)fuzz_take(in, 1) % GUEST_LISTS;
    const unsigned which = (unsigned)fuzz_take(in, 2), number = which % 512;
    const struct lx_sys_row *row = call_from(g, number);
    const bool thread = which >= 0xfff0, clones = row->fn == lx_sys_clone;

    s.number = which >> 12 == 0xe ? which : (unsigned)row->number[g->n64];
    for (unsigned i = 0; i < GUEST_ARGS; i++)
        s.arg[i] = argument(in, i < strlen(row->args) ? row->args[i] : 'z', i, &s);
    if (thread)
        s = (struct guest_step){.number = guest_number(g, "clone"), .arg = {CLONE_THREAD_FLAGS}};
    if (thread || clones)
        s.child = 1 + (int)list % (GUEST_LISTS - 1);
    guest_add(g, list, &s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct guest g; /* large */
    struct fuzz_in in = {data, size};
    const unsigned how = (unsigned)fuzz_take(&in, 1), flags = (unsigned)fuzz_take(&in, 1);

    fuzz_confine();
    memset(&g, 0, sizeof g);
    g.n64 = flags & 1;
    furnish(&g, &in);
    if (flags & 2)
        guest_handle(&g, AT_SKIP);
    if (flags & 8)
        furnish_frame(&g, &in);
    while (in.left > 3)
        add_call(&g, &in);
    fuzz_guest(&g, how, LIMIT, flags & 4);
    return 0;
}
