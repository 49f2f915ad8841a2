/* The R10000's and R12000's pipeline to the PCycle: r10000_cycles.def against the core. */
#include "r10000_rig.h"

#include "procard/card.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct row {
    const char *topic, *options, *before, *code;
    uint64_t cycles;
    const char *why;
} rows[] = {
#define CYCLES(topic, options, before, code, cycles, why) \
    {topic, options, before, code, cycles, why},
#include "r10000_cycles.def"
#undef CYCLES
};

enum { ROWS = sizeof rows / sizeof rows[0] };

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
    for (unsigned n = 0; n < ROWS; n++) {
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
    for (unsigned n = 0; n < ROWS; n++)
        check_cut(&rows[n], rows[n].options, n % 7 + 1);
}
