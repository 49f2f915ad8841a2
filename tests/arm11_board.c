/*
 * What people have measured on boards with an ARM1176 and its counters (docs/arm11.md, "Boards"),
 * on the core alone: the same small programs count the same. Figures of memory are not here; they
 * are the board's, not the core's.
 */
#include "tests/arm_rig.h"

#include <criterion/criterion.h>

enum {
    BASE = 0x10000,
    SIZE = 0x40000,
    DATA = 0x20000,
    LIMIT = 1000000,
};

#define NOP 0xe1a0b00bu /* mov r11, r11 */
#define SVC 0xef000000u

static void begin(struct arm_rig *rig, const uint32_t *words, unsigned n, bool predicts)
{
    arm_rig_init(rig, BASE, SIZE, NM_CORE_ARM1176);
    rig->p.arm11_prediction = predicts;
    arm_rig_begin(rig);
    for (unsigned i = 0; i < n; i++)
        arm_rig_put(rig, BASE + 4 * i, words[i]);
    arm_rig_put(rig, BASE + 4 * n, SVC);
}

/* Runs it once more, with r0 and r1. */
static void once(struct arm_rig *rig, uint32_t r0, uint32_t r1)
{
    struct arm11 *c = &rig->cpu;
    c->op = NULL;
    c->base.exc = PC_EXC_NONE;
    c->r.r[0] = r0;
    c->r.r[1] = r1;
    c->r.r[ARM_PC] = BASE;
    cr_assert(arm_rig_run(rig, LIMIT, 0, 1));
    cr_assert_eq(c->base.exc, PC_EXC_SYS);
}

static uint64_t total(const struct arm_rig *rig, enum arm11_signal s)
{
    return rig->cpu.signals.total[s];
}

/* A branch forwards whose history is given: which of its executions are mispredicted. */
Test(arm11_board, branch_patterns)
{
    static const uint32_t words[] = {0xe3510000 /* cmp r1, #0 */, 0x1a000000 /* bne 1f */, NOP,
                                     NOP};
    static const struct {
        const char *taken, *wrong;
    } rows[] = {
        {"NNN", "000"},
        {"TTT", "100"},
        {"TNN", "110"},
        {"TTNT", "1010"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arm_rig rig;
        begin(&rig, words, sizeof words / sizeof *words, true);
        for (unsigned k = 0; rows[i].taken[k]; k++) {
            const uint64_t before = total(&rig, ARM11_SIGNAL_MISPREDICTED);
            once(&rig, 0, rows[i].taken[k] == 'T');
            cr_expect_eq(total(&rig, ARM11_SIGNAL_MISPREDICTED) - before,
                         (uint64_t)(rows[i].wrong[k] - '0'), "%s, execution %u", rows[i].taken, k);
        }
        arm_rig_free(&rig);
    }
}

/* Eleven passes of two branches: 22 executed; 10 are mispredicted without prediction, 1 with it. */
Test(arm11_board, loop_of_22_branches)
{
    static const uint32_t words[] = {
        0xe3510000, /* 1: cmp r1, #0 */
        0x0a000001, /* beq 2f: never */
        0xe2511001, /* subs r1, r1, #1 */
        0x1afffffb, /* bne 1b */
        NOP         /* 2: */
    };
    for (unsigned on = 0; on < 2; on++) {
        struct arm_rig rig;
        begin(&rig, words, sizeof words / sizeof *words, on);
        once(&rig, 0, 11);
        cr_expect_eq(total(&rig, ARM11_SIGNAL_BRANCHES), 22);
        cr_expect_eq(total(&rig, ARM11_SIGNAL_MISPREDICTED), on ? 1 : 10);
        arm_rig_free(&rig);
    }
}

/* Ten calls are ten events 0x23 and ten returns; without prediction, none. */
Test(arm11_board, ten_calls)
{
    enum { CALLS = 10, FUNCTION = CALLS + 1 };
    uint32_t words[FUNCTION + 2];
    for (unsigned i = 0; i < CALLS; i++)
        words[i] = 0xeb000000 | ((FUNCTION - i - 2) & 0xffffff); /* bl f */
    words[CALLS] = 0xea000000;                                   /* b over it */
    words[FUNCTION] = 0xe12fff1e;                                /* f: bx lr */
    words[FUNCTION + 1] = NOP;
    for (unsigned on = 0; on < 2; on++) {
        struct arm_rig rig;
        begin(&rig, words, FUNCTION + 2, on);
        once(&rig, 0, 0);
        cr_expect_eq(total(&rig, ARM11_SIGNAL_CALLS), on ? CALLS : 0);
        cr_expect_eq(total(&rig, ARM11_SIGNAL_RETURNS), on ? CALLS : 0);
        cr_expect_eq(total(&rig, ARM11_SIGNAL_PREDICTED), on ? CALLS : 0);
        arm_rig_free(&rig);
    }
}

/* The first load of a line misses it and the MicroTLB; five more do not. */
Test(arm11_board, six_loads)
{
    static const uint32_t words[] = {0xe5902000}; /* ldr r2, [r0] */
    struct arm_rig rig;
    begin(&rig, words, 1, true);
    for (unsigned i = 0; i < 6; i++) {
        const uint64_t missed = total(&rig, ARM11_SIGNAL_D_MISS),
                       walked = total(&rig, ARM11_SIGNAL_D_MICROTLB);
        once(&rig, DATA + 4 * i, 0);
        cr_expect_eq(total(&rig, ARM11_SIGNAL_D_MISS) - missed, i == 0);
        cr_expect_eq(total(&rig, ARM11_SIGNAL_D_MICROTLB) - walked, i == 0);
    }
    arm_rig_free(&rig);
}

/* Straight code, cold and warm: 0x1 is all of the difference. */
Test(arm11_board, fetch_stalls_are_the_difference)
{
    enum { NOPS = 40 };
    uint32_t words[NOPS];
    struct arm_rig rig;
    uint64_t cycles[2], stalled[2];
    for (unsigned i = 0; i < NOPS; i++)
        words[i] = NOP;
    begin(&rig, words, NOPS, true);
    rig.p.arm11_tlb_entries = 0; /* there was no address translation */
    for (unsigned i = 0; i < 2; i++) {
        const sim_tick from = rig.cpu.base.now;
        const uint64_t before = total(&rig, ARM11_SIGNAL_NO_INSN);
        once(&rig, 0, 0);
        cycles[i] = rig.cpu.base.now - from;
        stalled[i] = total(&rig, ARM11_SIGNAL_NO_INSN) - before;
    }
    cr_expect_gt(stalled[0], 0);
    cr_expect_eq(stalled[1], 0);
    cr_expect_eq(cycles[0] - stalled[0], cycles[1]);
    arm_rig_free(&rig);
}
