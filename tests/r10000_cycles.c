/* The R10000's and R12000's pipeline to the PCycle: r10000_cycles.def against the core. */
#include "each.h"
#include "isa_zero.h"
#include "r10000_rig.h"

#include "procard/card.h"
#include "procard/mips/isa.h"
#include "watch/pipeline.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *topic, *options, *before, *code;
    uint64_t cycles;
    const char *why;
};

/* The rows as they are written: of EACH with `names`. */
static const struct written {
    struct row row;
    const char *names;
} written[] = {
#define CYCLES(topic, options, before, code, cycles, why) \
    {{topic, options, before, code, cycles, why}, ""},
#define EACH(topic, options, names, code, cycles, why) \
    {{topic, options, "", code, cycles, why}, names},
#include "r10000_cycles.def"
#undef CYCLES
#undef EACH
};

EACH_ROWS(r10000_cycles)

/* A machine that has done the row, cut every `slice` ticks. */
static void run_row(struct rig *rig, const struct row *row, const char *options, unsigned slice)
{
    rig_init(rig, options);
    rig->slice = slice;
    for (unsigned turn = 0; turn < 3; turn++) {
        rig_again(rig);
        if (*row->before)
            rig_steps(rig, row->before);
        rig_steps(rig, row->code);
    }
}

static void check(const struct row *row, const char *options)
{
    struct rig rig;
    run_row(&rig, row, options, 0);
    cr_expect_eq(rig.cycles, row->cycles, "%s '%s' (%s), %s: %lu, by hand %lu", row->topic,
                 row->code, row->why, options, (unsigned long)rig.cycles,
                 (unsigned long)row->cycles);
    rig_free(&rig);
}

Test(r10000_cycles, counts_by_hand)
{
    for (unsigned n = 0; n < row_count; n++) {
        char options[200];
        if (strstr(rows[n].options, "processor.core")) {
            check(&rows[n], rows[n].options);
            continue;
        }
        for (unsigned core = NM_CORE_R10000; core <= NM_CORE_R12000; core++) {
            snprintf(options, sizeof options, "processor.core=%u %s", core, rows[n].options);
            check(&rows[n], options);
        }
    }
}

/* ---- the log of the pipeline ----------------------------------------------------------------- */

/* Whether an instruction (of that name, if one is given) issued at that tick. */
static bool issues(const struct watch_instruction *i, size_t count, const char *name, size_t length,
                   sim_tick at)
{
    for (size_t k = 0; k < count; k++)
        if (i[k].issued == at &&
            (!length || (strlen(i[k].name) >= length && !strncmp(i[k].name, name, length))))
            return true;
    return false;
}

/* Whether some instruction has a name that begins so. */
static bool is_named(const struct watch_instruction *i, size_t count, const char *name,
                     size_t length)
{
    for (size_t k = 0; k < count; k++)
        if (i[k].name && !strncmp(i[k].name, name, length))
            return true;
    return false;
}

/* "mul @2", "@2, 3", "@2 to 5", "@2, 4 ... 16": what the words say of when instructions issue.
 * @return how many PCycles were named */
static unsigned check_issues(const struct row *row, const struct watch_instruction *i, size_t count,
                             sim_tick begun)
{
    unsigned named = 0;
    for (const char *at = row->why; (at = strchr(at, '@')); at++) {
        const char *end = at;
        while (end > row->why && end[-1] == ' ')
            end--;
        const char *word = end;
        while (word > row->why && strchr("abcdefghijklmnopqrstuvwxyz.", word[-1]))
            word--;
        const bool mnemonic = word < end && (word == row->why || word[-1] != '\'') &&
                              is_named(i, count, word, (size_t)(end - word));
        const size_t length = mnemonic ? (size_t)(end - word) : 0;
        char *rest = (char *)at + 1;
        for (; *rest >= '0' && *rest <= '9'; named++) {
            const sim_tick tick = strtoull(rest, &rest, 10);
            cr_expect(issues(i, count, word, length, begun + tick),
                      "'%s' (%s): nothing issues in %lu", row->code, row->why, (unsigned long)tick);
            rest += strspn(rest, ", .");
            rest += strncmp(rest, "to ", 3) ? 0 : 3;
        }
    }
    return named;
}

/* The stages say what was counted by hand. @return how many PCycles of issue were compared */
static unsigned check_stages(const struct row *row)
{
    struct rig rig;
    size_t count;
    unsigned named = 0;
    struct watch_pipeline *p = watch_pipeline_new();
    rig_init(&rig, row->options);
    pc_follow_steps(rig.m, 0, watch_pipeline_steps(p));
    for (unsigned turn = 0; turn < 3; turn++) {
        rig_again(&rig);
        if (*row->before)
            rig_steps(&rig, row->before);
        watch_pipeline_clear(p);
        rig_steps(&rig, row->code);
    }
    const struct watch_instruction *i = watch_instructions(p, &count);
    sim_tick last = 0;
    for (size_t k = 0; k < count; k++)
        last = i[k].squashed || i[k].left == SIM_NEVER ? last : sim_later(last, i[k].left);
    cr_assert_gt(count, 0, "'%s'", row->code);
    cr_expect_eq(last - rig.begun, row->cycles, "'%s' (%s): stages %lu, by hand %lu", row->code,
                 row->why, (unsigned long)(last - rig.begun), (unsigned long)row->cycles);
    cr_expect(i[0].fetched == rig.begun || strstr(row->why, " code"), "'%s'", row->code);
    if (!strstr(row->why, "else"))
        named = check_issues(row, i, count, rig.begun);
    watch_pipeline_free(p);
    rig_free(&rig);
    return named;
}

Test(r10000_cycles, stages_as_counted)
{
    unsigned named = 0;
    for (unsigned n = 0; n < row_count; n++)
        if (!strchr(rows[n].code, '|') && !strchr(rows[n].code, ':'))
            named += check_stages(&rows[n]);
    cr_expect_gt(named, 150, "%u", named);
}

/* ---- wherever a run is cut --------------------------------------------------------------------
 */

/* Every signal and every state of the pipeline is the same, too. */
static void check_cut(const struct row *row, const char *options, unsigned slice)
{
    struct r10k_signals signals[2];
    struct rig whole, cut;
    run_row(&whole, row, options, 0);
    run_row(&cut, row, options, slice);
    cr_expect_eq(cut.cycles, whole.cycles, "'%s', cut every %u", row->code, slice);
    pc_signals(whole.m, 0, &signals[0]);
    pc_signals(cut.m, 0, &signals[1]);
    for (unsigned s = 0; s < R10K_SIGNALS; s++)
        for (unsigned mode = 0; mode < R10K_KERNEL; mode++)
            cr_expect_eq(signals[0].total[s][mode], signals[1].total[s][mode],
                         "'%s', cut every %u: %s", row->code, slice,
                         r10k_signal_name((enum r10k_signal)s));
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        if (s != PC_ST_STALL_OTHER) /* and what the processor does without a thread */
            cr_expect_eq(pc_cpu_at(cut.m, 0)->states[s], pc_cpu_at(whole.m, 0)->states[s],
                         "'%s', cut every %u: state %u, %lu and whole %lu", row->code, slice, s,
                         (unsigned long)pc_cpu_at(cut.m, 0)->states[s],
                         (unsigned long)pc_cpu_at(whole.m, 0)->states[s]);
    rig_free(&whole);
    rig_free(&cut);
}

Test(r10000_cycles, counts_hold_wherever_the_run_is_cut)
{
    for (unsigned n = 0; n < row_count; n++)
        check_cut(&rows[n], rows[n].options, n % 7 + 1);
}

/* Each instruction that has a time of its own has a count; but for those that end in an exception,
 * or are counted elsewhere. */
Test(r10000_cycles, every_instruction_has_a_count)
{
    static const char excused[] =
        " syscall break cop0 cop2 lwc2 ldc2 swc2 sdc2 rdhwr " /* exceptions */
        "mfps mfpc mtps mtpc "                                /* r10000_microbenchmarks.def */
        "cache sync synci cfc1 ctc1 "; /* what stands behind waits: r10000_results.c */
    static const enum mips_opcode timed[] = {
#define TIME(id, unit, latency, high, repeat) MIPS_OP_##id,
#include "procard/r10000/timing.def"
#undef TIME
    };
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        const char *mnemonic = mips_rows[timed[i]].mnemonic;
        char word[20];
        unsigned found = 0;
        snprintf(word, sizeof word, " %s ", mnemonic);
        for (unsigned n = 0; n < row_count; n++)
            found += each_has(rows[n].code, mnemonic);
        cr_expect(found || strstr(excused, word), "%s has no row in r10000_cycles.def", mnemonic);
    }
}

/* ---- register 0 ------------------------------------------------------------------------------ */

static void check_zero(struct rig *rig, unsigned row, unsigned variant, const char *options)
{
    uint32_t words[ZERO_WORDS];
    if (!zero_program(row, 4, variant, words))
        return;
    rig_again(rig);
    rig_words(rig, words, ZERO_WORDS);
    const struct mips_regs *r = pc_thread_registers(rig->m, 0);
    cr_expect(!r->gpr[0] && !r->gpr[ZERO_V0] && !r->gpr[ZERO_V1], "%s %u, %s",
              mips_rows[row].mnemonic, variant, options);
}

Test(r10000_cycles, register_0_stays_0)
{
    static const char *const options[] = {
        "processor.isa=0 r10000.user_counters=1",
        "processor.isa=0 r10000.user_counters=1 run.step=1",
        "processor.isa=0 r10000.user_counters=1 run.check=0 run.mode=1",
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct rig rig;
        rig_init(&rig, options[i]);
        for (unsigned row = MIPS_OP_RI + 1; row < MIPS_OP_ROWS_END; row++)
            for (unsigned variant = 0; variant < ZERO_HARDWARE; variant++)
                check_zero(&rig, row, variant, options[i]);
        rig_free(&rig);
    }
}
