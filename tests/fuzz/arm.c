/*
 * ARM and Thumb instruction streams: any words on an ARM11 alone, on flat memory (tests/arm_rig.h).
 * The idea: with time, in pieces with lines that come late, and without time a stream does the
 * same; books add up; and what traps is skipped, so that a stream goes on.
 */
#include "tests/arm_rig.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_words[] = {NULL};

enum {
    BASE = 0x10000,
    CODE = 0x4000,  /* [bytes] from BASE on */
    SIZE = 0x10000, /* data lie behind the code */
    TRAPS = 40,
    LIMIT = 10000, /* [PCycles] */
    PIECES = 30
};

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    static const uint32_t words[] = {0xe5904000, 0xe5814004, 0xe0845005, 0xe2566001, 0x1afffff8,
                                     0xe8bd00f0, 0xe92d40f0, 0xe1932f9f, 0xe1831f92, 0xe0c54396,
                                     0xe12fff1e, 0xe6bf4070, 0xeb000002, 0xe1a0f00e, 0xef000000,
                                     0x4770b510, 0x60c86809, 0xbd10d1fa};
    size_t n = 0;

    if (number >= 24 || room < 128)
        return 0;
    out[n++] = (uint8_t)number;
    for (unsigned i = 0; i < 24; i++, n += 4) {
        const uint32_t w = words[(i * (number + 1) + number) % (sizeof words / sizeof *words)];
        for (unsigned k = 0; k < 4; k++)
            out[n + k] = (uint8_t)(w >> (24 - 8 * k));
    }
    return n;
}

/* How it runs. */
struct way {
    bool untimed, remote;
    unsigned slice;
};

/* Registers point at data, the stack at their middle. */
static void begin(struct arm_rig *rig, const struct way *way, bool thumb, const uint8_t *code,
                  size_t size)
{
    arm_rig_init(rig, BASE, SIZE, NM_CORE_ARM1176);
    rig->remote = way->remote;
    arm_rig_begin(rig);
    rig->cpu.base.untimed = way->untimed;
    memcpy(rig->bytes, code, size);
    for (unsigned r = 0; r < ARM_SP; r++)
        rig->cpu.r.r[r] = BASE + CODE + 0x800 + 0x440 * r;
    rig->cpu.r.r[ARM_SP] = BASE + CODE + (SIZE - CODE) / 2;
    rig->cpu.r.r[ARM_LR] = BASE;
    rig->cpu.r.t = thumb;
}

/* @return it has come to its end before the limit, behind so many traps */
static bool runs(struct arm_rig *rig, const struct way *way)
{
    struct arm11 *c = &rig->cpu;
    for (unsigned traps = 0; traps < TRAPS; traps++) {
        if (!arm_rig_run(rig, LIMIT, way->slice, 1))
            return false;
        const uint32_t pc = c->r.r[ARM_PC];
        if (pc < BASE || pc >= BASE + CODE)
            return true;
        if (c->base.exc != PC_EXC_SYS)
            c->r.r[ARM_PC] = pc + (c->r.t ? 2 : 4);
        c->base.exc = PC_EXC_NONE;
        c->op = NULL;
    }
    return true;
}

static void check_books(const struct arm_rig *rig)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < PC_ST__COUNT; s++) {
        sum += rig->cpu.base.states[s];
        FUZZ_CHECK(rig->cpu.base.states[s] <= rig->cpu.base.now, "state %u", s);
    }
    FUZZ_CHECK(sum == rig->cpu.base.now, "%llu of %llu", (unsigned long long)sum,
               (unsigned long long)rig->cpu.base.now);
}

static bool is_untouched(const struct arm_rig *rig, const uint8_t *code, size_t size)
{
    return !memcmp(rig->bytes, code, size);
}

static void check_same(const struct arm_rig *a, const struct arm_rig *b, unsigned way)
{
    for (unsigned r = 0; r < ARM_PC; r++)
        FUZZ_CHECK(a->cpu.r.r[r] == b->cpu.r.r[r], "way %u: r%u is %08x and %08x", way, r,
                   a->cpu.r.r[r], b->cpu.r.r[r]);
    FUZZ_CHECK(arm_cpsr(&a->cpu.r) == arm_cpsr(&b->cpu.r), "way %u: flags", way);
    FUZZ_CHECK(!memcmp(a->bytes, b->bytes, SIZE), "way %u: memory", way);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct way ways[] = {{true, false, 0}, {false, false, 0}, {false, true, PIECES}};
    enum { WAYS = sizeof ways / sizeof *ways };
    struct arm_rig rig[WAYS];
    uint8_t code[CODE] = {0};
    struct fuzz_in in = {data, size};
    const bool thumb = fuzz_take(&in, 1) & 1;
    bool ended = true, same = true;
    size_t n = 0;

    for (; in.left > 0 && n + 4 < CODE; n += 4) {
        const uint32_t w = (uint32_t)fuzz_take(&in, 4);
        for (unsigned i = 0; i < 4; i++)
            code[n + i] = (uint8_t)(w >> 8 * i);
    }
    for (unsigned i = 0; i < WAYS; i++) {
        begin(&rig[i], &ways[i], thumb, code, n);
        ended &= runs(&rig[i], &ways[i]);
        check_books(&rig[i]);
        same &= is_untouched(&rig[i], code, n);
    }
    for (unsigned i = 1; i < WAYS && ended && same; i++)
        check_same(&rig[0], &rig[i], i);
    for (unsigned i = 0; i < WAYS; i++)
        arm_rig_free(&rig[i]);
    return 0;
}
