/*
 * Pipeline time: the rows of arm11_cycles.def, and the same in short runs; that counting and the
 * place where a run ends change nothing.
 */
#include "tests/arm_rig.h"
#include "watch/pipeline.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <string.h>

enum { BASE = 0x10000, DATA = 0x18000, SIZE = 0x10000, TRAP = 9, WORDS = 12, LIMIT = 100000 };

struct row {
    unsigned cycles, known;
    const char *text;
    uint32_t words[WORDS];
};

static const struct row rows[] = {
#define CYCLES(cycles, known, text, source, ...) {cycles, known, text, {__VA_ARGS__}},
#include "tests/arm11_cycles.def"
#undef CYCLES
};

static unsigned put(struct arm_rig *rig, const struct row *row)
{
    unsigned n = 0;
    for (; n < WORDS && row->words[n]; n++)
        arm_rig_put(rig, BASE + 4 * n, row->words[n]);
    arm_rig_put(rig, BASE + 4 * n, 0xef000000);
    return n;
}

/* r0 is in data, where the first word points to itself; r9 and the stack are where words point to
 * the end of the sequence; r10 is 0, and all others small. */
static void begin(struct arm_rig *rig, unsigned n)
{
    struct arm11 *c = &rig->cpu;
    for (unsigned r = 0; r < 15; r++)
        c->r.r[r] = r;
    c->r.r[0] = DATA;
    c->r.r[9] = DATA + 64;
    c->r.r[10] = 0;
    c->r.r[ARM_SP] = DATA + 256;
    c->r.r[ARM_PC] = BASE;
    arm_set_cpsr(&c->r, ARM_CPSR_USER);
    c->calls = 0;
    c->op = NULL;
    for (unsigned i = 0; i < 512; i += 4)
        arm_rig_put(rig, DATA + i, i < 64 ? DATA : BASE + 4 * n);
}

static const struct counts {
    struct row row;
    enum arm11_signal signal;
} counts[] = {
#define COUNTS(known, text, signal, count, ...) \
    {{count, known, text, {__VA_ARGS__}}, ARM11_SIGNAL_##signal},
#include "tests/arm11_signals.def"
#undef COUNTS
};

/* @return [cycles] */
static uint64_t once(struct arm_rig *rig, unsigned n, unsigned slice)
{
    struct pc_cpu *cpu = &rig->cpu.base;
    begin(rig, n);
    cpu->now += 32; /* nothing is outstanding any more */
    cpu->states[PC_ST_STALL_OTHER] += 32;
    const sim_tick from = cpu->now;
    cr_assert(arm_rig_run(rig, from + LIMIT, slice, n),
              "it ends with a trap, and its books add up");
    cr_assert_eq(cpu->exc, PC_EXC_SYS);
    cpu->exc = PC_EXC_NONE;
    return cpu->now - from - TRAP;
}

/* A rig in whose caches the sequence is, and in its predictor if it shall be. @return its length */
static unsigned warmed(struct arm_rig *rig, const struct row *row)
{
    enum { WARM = 4 };
    arm_rig_init(rig, BASE, SIZE, NM_CORE_ARM1176);
    rig->p.arm11_tlb_entries = 0;
    arm_rig_begin(rig);
    const unsigned n = put(rig, row);
    for (unsigned i = 0; i < WARM; i++)
        once(rig, n, 0);
    if (!row->known)
        memset(rig->cpu.btac, 0, rig->p.arm11_btac * sizeof *rig->cpu.btac);
    return n;
}

/* @param[out] signals  what the sequence has added */
static uint64_t cycles_of(const struct row *row, unsigned slice, struct arm11_signals *signals)
{
    struct arm_rig rig;
    const unsigned n = warmed(&rig, row);
    *signals = rig.cpu.signals;
    const uint64_t cycles = once(&rig, n, slice);
    for (unsigned s = 0; s < ARM11_SIGNALS; s++)
        signals->total[s] = rig.cpu.signals.total[s] - signals->total[s];
    arm_rig_free(&rig);
    return cycles;
}

Test(arm11_cycles, as_counted)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned slice = 0; slice < 4; slice++) {
            struct arm11_signals signals;
            const uint64_t cycles = cycles_of(&rows[i], slice, &signals);
            if (cycles == rows[i].cycles)
                continue;
            wrong++;
            cr_log_error("%s, known %u, slice %u: %llu cycles, counted %u", rows[i].text,
                         rows[i].known, slice, (unsigned long long)cycles, rows[i].cycles);
        }
    cr_assert_eq(wrong, 0);
}

/* In the log of the pipeline, too, the instruction behind the last issues so many PCycles after the
 * first, and each when its predecessor has left. */
static void check_stages(const struct row *row)
{
    struct arm_rig rig;
    size_t count;
    const unsigned n = warmed(&rig, row);
    struct watch_pipeline *p = watch_pipeline_new();
    rig.cpu.base.steps = watch_pipeline_steps(p);
    cr_expect_eq(once(&rig, n, 0), row->cycles, "%s, observed", row->text);
    const struct watch_instruction *i = watch_instructions(p, &count);
    cr_assert_gt(count, 1, "%s", row->text);
    cr_expect_eq(i[count - 1].issued - i[0].fetched, row->cycles, "%s: stages %llu, counted %u",
                 row->text, (unsigned long long)(i[count - 1].issued - i[0].fetched), row->cycles);
    for (size_t k = 1; k < count; k++)
        cr_expect(i[k].fetched == i[k - 1].left && i[k].issued >= i[k].fetched, "%s: %zu",
                  row->text, k);
    watch_pipeline_free(p);
    arm_rig_free(&rig);
}

Test(arm11_cycles, stages_as_counted)
{
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        check_stages(&rows[i]);
}

Test(arm11_cycles, signals_as_counted)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        for (unsigned slice = 0; slice < 2; slice++) {
            const struct row *row = &counts[i].row;
            struct arm11_signals signals;
            cycles_of(row, slice, &signals);
            if (signals.total[counts[i].signal] == row->cycles)
                continue;
            wrong++;
            cr_log_error("%s, known %u, slice %u: signal %u is %llu, counted %u", row->text,
                         row->known, slice, (unsigned)counts[i].signal,
                         (unsigned long long)signals.total[counts[i].signal], row->cycles);
        }
    cr_assert_eq(wrong, 0);
}
