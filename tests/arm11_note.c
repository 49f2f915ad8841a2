/*
 * What the application note says of the events, on the core: short sequences that a program
 * measures itself, with the performance monitoring unit, and their hand counts (AT-n:
 * docs/arm11.md).
 *
 * A program starts the counters, waits until their start is over, does what is measured, stops
 * them, and reads them. The same program with nothing to measure is counted too, and what is shown
 * is the difference. Programs are run twice, and the second run counts, unless a row asks for cold
 * caches.
 */
#include "tests/arm_rig.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
    BASE = 0x10000,
    SIZE = 0x40000,
    DATA = 0x20000,
    DTCM = 0x30000,
    UNCACHED = 0x38000,
    TCM_SIZE = 4096,
    START = 4, /* r4: PMNC to start */
    STOP = 5,  /* r5: PMNC to stop */
    SHOWS = 8, /* r8, r9, r12: PMN0, PMN1, CCNT */
    BODY_MAX = 128,
    LIMIT = 1000000,
};

/* Instructions, as the architecture manual encodes them. */
#define NOP            0xe1a0b00bu /* mov r11, r11 */
#define ADD(d, n, m)   (0xe0800000u | (n) << 16 | (d) << 12 | (m))
#define ADDI(d, n, i)  (0xe2800000u | (n) << 16 | (d) << 12 | (i))
#define MOVI(d, i)     (0xe3a00000u | (d) << 12 | (i))
#define MOVNEI(d, i)   (0x13a00000u | (d) << 12 | (i))
#define CMP(n, m)      (0xe1500000u | (n) << 16 | (m))
#define SUBSI(d, n, i) (0xe2500000u | (n) << 16 | (d) << 12 | (i))
#define MUL(d, m, s)   (0xe0000090u | (d) << 16 | (s) << 8 | (m))
#define LDR(d, n, i)   (0xe5900000u | (n) << 16 | (d) << 12 | (i))
#define STR(d, n, i)   (0xe5800000u | (n) << 16 | (d) << 12 | (i))
#define LDMIA(n, regs) (0xe8900000u | (n) << 16 | (regs))
#define STMIA(n, regs) (0xe8800000u | (n) << 16 | (regs))
#define B(from, to)    (0xea000000u | (((to) - (from)-2) & 0xffffff))
#define BEQ(from, to)  (0x0a000000u | (((to) - (from)-2) & 0xffffff))
#define BNE(from, to)  (0x1a000000u | (((to) - (from)-2) & 0xffffff))
#define BL(from, to)   (0xeb000000u | (((to) - (from)-2) & 0xffffff))
#define BX_LR          0xe12fff1eu
#define DSB            0xee070f9au /* mcr p15, 0, r0, c7, c10, 4 */
#define FLUSH_PREFETCH 0xee070f95u /* mcr p15, 0, r0, c7, c5, 4 */
#define PMU_WRITE(r)   (0xee0f0f1cu | (r) << 12)
#define PMU_READ(d, n) (0xee1f0f1cu | (d) << 12 | (n) << 5)
#define SVC            0xef000000u

/* What is counted of a body. */
struct shown {
    int64_t first, second, cycles;
};

struct body {
    unsigned n;
    uint32_t word[BODY_MAX];
};

/* How it runs. */
struct how {
    bool cold;        /* the first run counts */
    bool unpredicted; /* program flow prediction is off, as after reset */
    bool remote;      /* lines must be asked for */
    bool dtcm, itcm;  /* DTCM is tightly coupled, or all of the program is */
    unsigned slice;   /* [PCycles] runs end after at most as many; 0: where they must */
    unsigned walk;    /* [PCycles] of a page walk; 0: the parameter's own */
    uint32_t r0, r1, r2;
    void (*between)(struct arm_rig *rig); /* before the run that counts, if it is not cold */
    void (*after)(const struct arm_rig *rig);
};

static void again(struct arm_rig *rig, const struct how *how, uint32_t control)
{
    struct arm11 *c = &rig->cpu;
    c->op = NULL;
    c->base.exc = PC_EXC_NONE;
    c->r.r[ARM_PC] = BASE;
    c->r.r[0] = how->r0;
    c->r.r[1] = how->r1;
    c->r.r[2] = how->r2;
    c->r.r[START] = control;
    c->r.r[STOP] = control & ~7u;
    cr_assert(arm_rig_run(rig, LIMIT, how->slice, 1));
    cr_assert_eq(c->base.exc, PC_EXC_SYS);
}

/* The body begins a line. */
static void program(struct arm_rig *rig, const struct body *body)
{
    enum { BEFORE = 8 }; /* words */
    uint32_t at = BASE;
    arm_rig_put(rig, at, PMU_WRITE(START));
    for (unsigned i = 1; i < BEFORE; i++)
        arm_rig_put(rig, at + 4 * i, NOP);
    at += 4 * BEFORE;
    for (unsigned i = 0; i < body->n; i++, at += 4)
        arm_rig_put(rig, at, body->word[i]);
    arm_rig_put(rig, at, PMU_WRITE(STOP));
    arm_rig_put(rig, at + 4, PMU_READ(SHOWS, 2u));
    arm_rig_put(rig, at + 8, PMU_READ(SHOWS + 1, 3u));
    arm_rig_put(rig, at + 12, PMU_READ(12u, 1u));
    arm_rig_put(rig, at + 16, SVC);
}

static struct shown run(const struct body *body, unsigned first, unsigned second,
                        const struct how *how)
{
    static const struct how plain;
    struct arm_rig rig;
    how = how ? how : &plain;
    arm_rig_init(&rig, BASE, SIZE, NM_CORE_ARM1176);
    rig.p.arm11_user_counters = true;
    rig.p.arm11_prediction = !how->unpredicted;
    rig.p.arm11_walk = how->walk ? how->walk : rig.p.arm11_walk;
    rig.remote = how->remote;
    rig.uncached = UNCACHED;
    rig.p.arm11_dtcm = how->dtcm ? TCM_SIZE : 0;
    rig.p.arm11_dtcm_at = DTCM;
    rig.p.arm11_itcm = how->itcm ? TCM_SIZE : 0;
    rig.p.arm11_itcm_at = BASE;
    arm_rig_begin(&rig);
    program(&rig, body);
    again(&rig, how, first << 20 | second << 12 | 7);
    if (!how->cold) {
        if (how->between)
            how->between(&rig);
        again(&rig, how, first << 20 | second << 12 | 7);
    }
    const struct shown shown = {rig.cpu.r.r[SHOWS], rig.cpu.r.r[SHOWS + 1], rig.cpu.r.r[12]};
    if (how->after)
        how->after(&rig);
    arm_rig_free(&rig);
    return shown;
}

static struct shown measured(const struct body *body, unsigned first, unsigned second,
                             const struct how *how)
{
    const struct shown all = run(body, first, second, how),
                       nothing = run(&(struct body){0}, first, second, how);
    return (struct shown){all.first - nothing.first, all.second - nothing.second,
                          all.cycles - nothing.cycles};
}

static void add(struct body *body, uint32_t word)
{
    cr_assert_lt(body->n, BODY_MAX);
    body->word[body->n++] = word;
}

static struct body of(unsigned n, const uint32_t *words)
{
    struct body body = {.n = n};
    memcpy(body.word, words, n * sizeof *words);
    return body;
}
#define BODY(...) \
    of(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

/* ---- rows ------------------------------------------------------------------------------------ */

/* A row: a body, an event, and what it must show. */
struct row {
    const char *at, *what;
    unsigned event;
    int64_t count;
    struct body body;
    struct how how;
};

static void hold(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < 3 * count; i++) {
        const struct row *row = &rows[i / 3];
        struct how how = row->how;
        how.slice = i % 3 * 2;
        const struct shown s = measured(&row->body, row->event, 0x7, &how);
        cr_expect_eq(s.first, row->count,
                     "%s: %s: event 0x%x is %ld, not %ld (%ld instructions, "
                     "%ld cycles, slice %u)",
                     row->at, row->what, row->event, (long)s.first, (long)row->count,
                     (long)s.second, (long)s.cycles, how.slice);
    }
}
#define HOLD(rows) hold(rows, sizeof(rows) / sizeof *(rows))

/* A loop of `times` passes around r1. */
#define LOOP(times) BODY(MOVI(1u, times), SUBSI(1u, 1u, 1u), BNE(2u, 1u))

Test(arm11_note, instructions_and_stalls)
{
    const struct row rows[] = {
        {"AT-21", "condition failed", 0x7, 3, BODY(CMP(0u, 0u), MOVNEI(1u, 1), NOP), {0}},
        {"AT-17",
         "a loaded word is used at once: 2 cycles late",
         0x2,
         2,
         BODY(LDR(1u, 0u, 0), ADD(2u, 1u, 1u)),
         {.r0 = DATA}},
        {"AT-17",
         "and that is no instruction stall",
         0x1,
         0,
         BODY(LDR(1u, 0u, 0), ADD(2u, 1u, 1u)),
         {.r0 = DATA}},
        {"AT-17",
         "not used",
         0x2,
         0,
         BODY(LDR(1u, 0u, 0), NOP, NOP, ADD(2u, 1u, 1u)),
         {.r0 = DATA}},
        {"AT-19",
         "two multiplications are two instructions",
         0x7,
         2,
         BODY(MUL(1u, 2u, 2u), MUL(3u, 2u, 2u)),
         {0}},
        {"AT-19", "of two cycles each", 0xff, 4, BODY(MUL(1u, 2u, 2u), MUL(3u, 2u, 2u)), {0}},
        {"AT-19", "that do not wait", 0x2, 0, BODY(MUL(1u, 2u, 2u), MUL(3u, 2u, 2u)), {0}},
        {"AT-29",
         "cycles of eight instructions",
         0xff,
         8,
         BODY(NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP),
         {0}},
    };
    HOLD(rows);
}

Test(arm11_note, branches)
{
    const struct how off = {.unpredicted = true};
    const struct row rows[] = {
        {"AT-20", "executed, taken or not", 0x5, 6, LOOP(6), {0}},
        {"AT-20", "prediction off: each one taken", 0x6, 5, LOOP(6), off},
        {"AT-20", "executed", 0x5, 6, LOOP(6), off},
        {"AT-15", "one for each flush", 0x1, 5, LOOP(6), off},
        {"AT-20", "on, and learned: the last", 0x6, 1, LOOP(6), {0}},
        {"AT-15", "one for its flush", 0x1, 1, LOOP(6), {0}},
        {"0xD", "the pc has changed", 0xd, 5, LOOP(6), {0}},
        {"0xD", "with prediction off too", 0xd, 5, LOOP(6), off},
    };
    HOLD(rows);
}

/* bl over the function, b around it. */
#define CALL() BODY(BL(0u, 2u), B(1u, 3u), BX_LR)

Test(arm11_note, calls_and_returns)
{
    const struct how off = {.unpredicted = true};
    const struct row rows[] = {
        {"0x23", "pushed", 0x23, 1, CALL(), {0}},
        {"0x24", "popped", 0x24, 1, CALL(), {0}},
        {"0x25", "predicted", 0x25, 1, CALL(), {0}},
        {"0x26", "none was wrong", 0x26, 0, CALL(), {0}},
        {"AR-9", "off: none is pushed", 0x23, 0, CALL(), off},
        {"AR-9", "off: none is popped", 0x24, 0, CALL(), off},
        {"0x5", "bl, b and bx are branches", 0x5, 3, CALL(), {0}},
    };
    HOLD(rows);
}

Test(arm11_note, data_accesses)
{
    const struct how both = {.r0 = DATA, .r2 = UNCACHED};
    const struct how cold = {.r0 = DATA, .r2 = UNCACHED, .cold = true};
    const struct body mixed = BODY(LDR(1u, 0u, 0), LDR(3u, 2u, 0), STR(3u, 2u, 4), LDR(6u, 0u, 4));
    const struct row rows[] = {
        {"AT-23", "ldm within a line", 0xa, 1, BODY(LDMIA(0u, 0x40ccu)), {.r0 = DATA}},
        {"AT-23", "cacheable", 0x9, 1, BODY(LDMIA(0u, 0x40ccu)), {.r0 = DATA}},
        {"AT-23", "across two", 0xa, 2, BODY(LDMIA(0u, 0x40ccu)), {.r0 = DATA + 24}},
        {"AT-23", "cacheable", 0x9, 2, BODY(LDMIA(0u, 0x40ccu)), {.r0 = DATA + 24}},
        {"AT-23",
         "across two, of which the first has been shown",
         0xa,
         3,
         BODY(LDR(1u, 0u, 0), ADDI(6u, 0u, 24u), LDMIA(6u, 0x408cu)),
         {.r0 = DATA, .cold = true}},
        {"AT-23", "stm within a line", 0xa, 1, BODY(STMIA(0u, 0x40ccu)), {.r0 = DATA}},
        {"AT-23", "across two", 0xa, 2, BODY(STMIA(0u, 0x40ccu)), {.r0 = DATA + 24}},
        {"0x9",
         "a word that is not aligned, over two lines",
         0xa,
         2,
         BODY(LDR(1u, 0u, 0)),
         {.r0 = DATA + 30}},
        {"AT-22",
         "no access is outside the cacheable memory",
         0x9,
         2,
         BODY(LDR(1u, 0u, 0), STR(1u, 0u, 4)),
         {.r0 = DATA}},
        {"AT-22", "two are outside it: any", 0xa, 4, mixed, both},
        {"AT-22", "cacheable ones", 0x9, 2, mixed, both},
        {"AT-22", "and these leave", 0x10, 2, mixed, both},
        {"0x12", "a strongly ordered store drains", 0x12, 1, mixed, both},
        {"0x12", "a load behind a store, too", 0x12, 1,
         BODY(LDR(3u, 2u, 0), STR(1u, 0u, 0), LDR(3u, 2u, 4)), cold},
        {"0x12", "there is nothing to drain", 0x12, 0, BODY(LDR(3u, 2u, 0)), both},
        {"0xB", "both that are outside it miss, and go out", 0xb, 2, mixed, both},
        {"AT-27",
         "cold: one miss of four accesses",
         0xb,
         1,
         BODY(LDR(1u, 0u, 0), LDR(2u, 0u, 4), LDR(3u, 0u, 8), LDR(6u, 0u, 12)),
         {.r0 = DATA, .cold = true}},
        {"AT-27",
         "of four",
         0x9,
         4,
         BODY(LDR(1u, 0u, 0), LDR(2u, 0u, 4), LDR(3u, 0u, 8), LDR(6u, 0u, 12)),
         {.r0 = DATA, .cold = true}},
        {"0xB", "a store that misses", 0xb, 1, BODY(STR(1u, 0u, 0)), {.r0 = DATA, .cold = true}},
        {"0x10", "and leaves", 0x10, 1, BODY(STR(1u, 0u, 0)), {.r0 = DATA, .cold = true}},
        {"AT-26", "coprocessor 15 is no access", 0xa, 0, BODY(DSB, FLUSH_PREFETCH), {0}},
        {"AT-26", "and no miss", 0xb, 0, BODY(DSB, FLUSH_PREFETCH), {0}},
        {"0x12", "a drain", 0x12, 1, BODY(STR(1u, 0u, 0), DSB), {.r0 = DATA}},
    };
    HOLD(rows);
}

/* A line that is under way is gone out for once, however many want it. */
Test(arm11_note, lines_under_way)
{
    const struct how far = {.r0 = DATA, .cold = true, .remote = true},
                     across = {.r0 = DATA + 30, .cold = true, .remote = true};
    const struct body two = BODY(LDR(1u, 0u, 0), LDR(2u, 0u, 4)),
                      stored = BODY(LDR(1u, 0u, 0), STR(2u, 0u, 4)), odd = BODY(LDR(1u, 0u, 0)),
                      lines = BODY(LDR(1u, 0u, 0), LDR(2u, 0u, 128), LDR(3u, 0u, 4));
    const struct row rows[] = {
        {"0xA", "two loads of a line", 0xa, 2, two, far},
        {"0xB", "the first of them misses", 0xb, 1, two, far},
        {"0x10", "and leaves", 0x10, 1, two, far},
        {"0xB", "a store behind its load", 0xb, 1, stored, far},
        {"0x10", "leaves with it", 0x10, 1, stored, far},
        {"0xA", "a word of two lines", 0xa, 2, odd, across},
        {"0xB", "both of which miss", 0xb, 2, odd, across},
        {"0x10", "and leave", 0x10, 2, odd, across},
        {"0xB", "two lines, and the first again", 0xb, 2, lines, far},
        {"0xA", "three accesses", 0xa, 3, lines, far},
    };
    HOLD(rows);
}

/* AT-18: two loads are away, and a third wants the first's word for its address. It waits from the
 * third cycle on; the line is asked for 40 cycles, its word is there 3 later and is wanted one
 * sooner by the address adder: 42 cycles, in all of which both places for misses are taken. */
Test(arm11_note, one_cycle_in_two_events)
{
    enum { WAITS = 42, TLB = 23 };
    const struct body b = BODY(LDR(1u, 0u, 0), LDR(2u, 0u, 128), 0xe7903001 /* ldr r3, [r0, r1] */);
    const struct how far = {.r0 = DATA, .cold = true, .remote = true};
    const struct row rows[] = {
        {"AT-18", "a data dependency", 0x2, WAITS, b, far},
        {"AT-18", "the load/store unit is full", 0x11, WAITS, b, far},
        {"AT-18", "both in the same cycles", 0xff, 3 + WAITS + TLB, b, far},
        {"AT-18", "and that is no instruction stall", 0x1, 0, b, far},
    };
    HOLD(rows);
}

/* 24 instructions in three lines. */
static struct body lines(void)
{
    struct body b = {0};
    for (unsigned i = 0; i < 24; i++)
        add(&b, NOP);
    return b;
}

/* AT-24, AT-25: tightly coupled memory is counted as cacheable, never misses, and takes what a hit
 * takes. A read of it behind a write to the second level is looked up twice. */
Test(arm11_note, tightly_coupled_memory)
{
    const struct how cold = {.r0 = DTCM, .r2 = DATA, .cold = true, .dtcm = true},
                     far = {.r0 = DTCM, .r2 = DATA, .cold = true, .dtcm = true, .remote = true},
                     warm = {.r0 = DTCM, .r2 = DATA, .dtcm = true},
                     apart = {.r0 = DTCM + 30, .dtcm = true},
                     lines_there = {.cold = true, .itcm = true};
    const struct body load = BODY(LDR(1u, 0u, 0), ADD(6u, 1u, 1u)), store = BODY(STR(1u, 0u, 0)),
                      many = BODY(LDMIA(0u, 0x40ccu)), odd = BODY(LDR(1u, 0u, 0)),
                      behind = BODY(STR(1u, 2u, 0), LDR(3u, 0u, 0)),
                      later = BODY(STR(1u, 2u, 0), DSB, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP,
                                   NOP, LDR(3u, 0u, 0));
    const struct row rows[] = {
        {"AT-24", "a load is an access", 0xa, 1, load, cold},
        {"AT-24", "that counts as cacheable", 0x9, 1, load, cold},
        {"AT-24", "and cannot miss", 0xb, 0, load, far},
        {"AT-24", "or leave", 0x10, 0, load, far},
        {"AT-24", "it takes what a hit takes", 0xff, 4, load, warm},
        {"AT-24", "a store is one, too", 0xa, 1, store, cold},
        {"AT-24", "cacheable", 0x9, 1, store, cold},
        {"AT-24", "that does not leave", 0x10, 0, store, far},
        {"AT-24", "an ldm of one line", 0x9, 1, many, cold},
        {"AT-24", "a word of two lines", 0x9, 2, odd, apart},
        {"AT-25", "written to the second level, then read here", 0xa, 3, behind, warm},
        {"AT-25", "from memory", 0xa, 3, behind, far},
        {"AT-25", "when it has been written", 0xa, 2, later, cold},
        {"AT-11", "code in it never misses", 0x0, 0, lines(), lines_there},
    };
    HOLD(rows);
}

/* Eight words of a line are written, then four other lines of its set read. */
Test(arm11_note, write_backs)
{
    enum { WAY = 0x1000 /* bytes of 16 KB */ };
    struct body full = {0}, half = {0};
    for (unsigned i = 0; i < 2; i++) {
        struct body *b = i ? &half : &full;
        add(b, LDR(1u, 0u, 0));
        for (unsigned w = 0; w < (i ? 4u : 8u); w++)
            add(b, STR(1u, 0u, 4 * w));
        add(b, DSB);
        add(b, ADDI(2u, 0u, 0xa01u)); /* 0x1000 */
        for (unsigned w = 0; w < 4; w++) {
            add(b, LDR(3u, 2u, 0));
            add(b, ADDI(2u, 2u, 0xa01u));
        }
        add(b, DSB);
    }
    _Static_assert(WAY == 0x1000, "the immediate above");
    const struct row rows[] = {
        {"AT-30", "a full dirty line is two", 0xc, 2, full, {.r0 = DATA, .cold = true}},
        {"AT-30", "half of it is one", 0xc, 1, half, {.r0 = DATA, .cold = true}},
    };
    HOLD(rows);
}

Test(arm11_note, instruction_misses)
{
    const struct row rows[] = {
        {"AT-11", "three lines of eight words, cold", 0x0, 3, lines(), {.cold = true}},
        {"AT-11", "and again", 0x0, 0, lines(), {0}},
        {"AT-28", "of 24 instructions", 0x7, 24, lines(), {.cold = true}},
    };
    HOLD(rows);
}

/* Three lines: a loop of six passes at the end of the first, then a line that is never executed,
 * then where the loop goes when it is done. */
static struct body loop_before_a_fresh_line(void)
{
    struct body b =
        BODY(MOVI(1u, 6), SUBSI(1u, 1u, 1u), BEQ(2u, 16u), NOP, NOP, NOP, NOP, B(7u, 1u));
    for (unsigned i = 8; i < 16; i++)
        add(&b, SVC);
    return b;
}

/* A function whose return is the last word of its line; the next line is never executed. */
static struct body return_before_a_fresh_line(void)
{
    struct body b = BODY(BL(0u, 7u), B(1u, 16u), NOP, NOP, NOP, NOP, NOP, BX_LR);
    for (unsigned i = 8; i < 16; i++)
        add(&b, SVC);
    return b;
}

/* A branch that nothing predicts, from the end of a line into the next. */
static struct body into_its_shadow(void)
{
    struct body b = BODY(NOP, NOP, NOP, NOP, NOP, CMP(1u, 1u), NOP, BEQ(7u, 10u), SVC, SVC);
    for (unsigned i = 10; i < 16; i++)
        add(&b, NOP);
    return b;
}

/* How often lines are read of the secondary cache for fetches, by the run that counts. */
static unsigned fills;

static void forget_reads(struct arm_rig *rig)
{
    memset(rig->reads, 0, sizeof rig->reads);
}

static void count_fills(const struct arm_rig *rig)
{
    fills = rig->reads[PC_SIDE_I];
}

/* AT-12 to AT-14: what is fetched behind a branch. Its line is thrown away each time. */
Test(arm11_note, branch_shadow)
{
    static const struct {
        const char *what;
        struct body (*body)(void);
        bool unpredicted, cold, remote;
        int64_t misses, fills;
    } rows[] = {
        /* five times back, and out past the same line: that is still on its way then */
        {"AT-12: prediction off", loop_before_a_fresh_line, true, false, false, 6, 5},
        {"AT-12: on: out only", loop_before_a_fresh_line, false, false, false, 1, 1},
        {"AT-13: a return that is predicted", return_before_a_fresh_line, false, false, false, 1,
         0},
        /* the return's shadow, and that of b, while the line is on its way */
        {"AT-13: prediction off", return_before_a_fresh_line, true, false, false, 2, 1},
        /* both lines of its own, and the second twice: looked up by its shadow, and gone to */
        {"AT-14: two misses, one fill", into_its_shadow, false, true, false, 3, 2},
        {"AT-14: from memory", into_its_shadow, false, true, true, 3, 2},
    };
    for (size_t i = 0; i < 3 * (sizeof rows / sizeof *rows); i++) {
        struct body body = rows[i / 3].body();
        const struct how how = {.unpredicted = rows[i / 3].unpredicted,
                                .cold = rows[i / 3].cold,
                                .remote = rows[i / 3].remote,
                                .slice = i % 3 * 2,
                                .between = forget_reads,
                                .after = count_fills};
        const struct shown with = run(&body, 0x0, 0x7, &how);
        int64_t filled = fills;
        const struct shown without = run(&(struct body){0}, 0x0, 0x7, &how);
        filled -= fills;
        cr_expect_eq(with.first - without.first, rows[i / 3].misses, "%s: %ld misses, not %ld",
                     rows[i / 3].what, (long)(with.first - without.first),
                     (long)rows[i / 3].misses);
        cr_expect_eq(filled, rows[i / 3].fills, "%s: %ld fills, not %ld", rows[i / 3].what,
                     (long)filled, (long)rows[i / 3].fills);
    }
}

/* A page walk is 0xF, and no stall, however long it is. */
Test(arm11_note, page_walks)
{
    const struct body b = BODY(LDR(1u, 0u, 0), NOP, NOP, NOP, NOP);
    const struct how slow = {.r0 = DATA, .cold = true, .walk = 500},
                     fast = {.r0 = DATA, .cold = true, .walk = 20};
    cr_expect_eq(measured(&b, 0xf, 0x4, &slow).first, 1);
    cr_expect_eq(measured(&b, 0xf, 0x4, &slow).second, 1);
    for (unsigned event = 0x1; event <= 0x2; event++)
        cr_expect_eq(measured(&b, event, 0x7, &slow).first, measured(&b, event, 0x7, &fast).first,
                     "AT-16: event %u", event);
    cr_expect_eq(measured(&b, 0xff, 0x7, &slow).cycles - measured(&b, 0xff, 0x7, &fast).cycles,
                 480);
}

/* ---- the unit in the core -------------------------------------------------------------------- */

/* AT-2: counting is free: the same program, other control words, the same cycles. */
Test(arm11_note, counting_is_free)
{
    static const uint32_t controls[] = {0, 0x00507007, 0x0ff00077, 0x0010200f, 0x7f};
    const struct body body = LOOP(50);
    sim_tick took = 0;
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++) {
        struct arm_rig rig;
        const struct how how = {.r0 = DATA};
        arm_rig_init(&rig, BASE, SIZE, NM_CORE_ARM1136);
        program(&rig, &body);
        again(&rig, &how, controls[i]);
        if (i)
            cr_expect_eq(rig.cpu.base.now, took, "control 0x%x", controls[i]);
        took = rig.cpu.base.now;
        arm_rig_free(&rig);
    }
}

/* AT-10: a user program of an ARM1176 has the unit with bit V, else none; of an ARM1136 always. */
Test(arm11_note, user_access)
{
    static const struct {
        enum nm_core core;
        bool v, has;
    } rows[] = {{NM_CORE_ARM1136, false, true},
                {NM_CORE_ARM1136, true, true},
                {NM_CORE_ARM1176, false, false},
                {NM_CORE_ARM1176, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned reg = 0; reg < ARM11_PMU_REGISTERS; reg++)
            for (unsigned writes = 0; writes < 2; writes++) {
                struct arm_rig rig;
                arm_rig_init(&rig, BASE, SIZE, rows[i].core);
                rig.p.arm11_user_counters = rows[i].v;
                arm_rig_put(&rig, BASE, (writes ? PMU_WRITE(0u) : PMU_READ(0u, 0u)) | reg << 5);
                arm_rig_put(&rig, BASE + 4, SVC);
                cr_assert(arm_rig_run(&rig, LIMIT, 0, 1));
                cr_expect_eq(rig.cpu.base.exc, rows[i].has ? PC_EXC_SYS : PC_EXC_RI, "row %zu", i);
                arm_rig_free(&rig);
            }
}

/* AT-6, AT-7 on the core: it interrupts at the cycle of the wrap, once. */
Test(arm11_note, interrupts)
{
    struct arm_rig rig;
    const struct body body = LOOP(200);
    const struct how how = {.r0 = 0};
    arm_rig_init(&rig, BASE, SIZE, NM_CORE_ARM1136);
    program(&rig, &body);
    arm_rig_put(&rig, BASE + 4, 0xee0f0f3cu); /* mcr p15, 0, r0, c15, c12, 1: CCNT */
    rig.cpu.r.r[0] = 0;
    again(&rig, &(struct how){.r0 = 0U - 100}, 0x41);
    cr_expect_eq(rig.interrupts, 1);
    again(&rig, &how, 0x41 | 0x700);
    cr_expect_eq(rig.interrupts, 1, "none is due");
    arm_rig_free(&rig);
}

/* AT-34 on the core: a number that there is not counts 0 and is told of. */
Test(arm11_note, unknown_events)
{
    struct arm_rig rig;
    const struct body body = LOOP(20);
    arm_rig_init(&rig, BASE, SIZE, NM_CORE_ARM1136);
    program(&rig, &body);
    again(&rig, &(struct how){0}, 0x23u << 20 | 0x7 << 12 | 7); /* an ARM1176's */
    cr_expect_eq(rig.cpu.r.r[SHOWS], 0);
    cr_expect_gt(rig.cpu.r.r[SHOWS + 1], 20);
    cr_expect_eq(rig.cpu.unknown.number, 0x23);
    cr_expect_eq(rig.cpu.unknown.pc, BASE);
    cr_expect(rig.cpu.chose_unknown);
    arm_rig_free(&rig);
}
