/*
 * r10000_microbenchmarks.def against the counters of every chip: what each of their events counts
 * of a few instructions.
 */
#include "r10000_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>

static const struct row {
    enum r10k_signal signal;
    const char *options, *before, *code;
    uint64_t count;
    const char *why;
} rows[] = {
#define COUNT(signal, options, before, code, count, why) \
    {R10K_SIGNAL_##signal, options, before, code, count, why},
#include "r10000_microbenchmarks.def"
#undef COUNT
};

enum { ROWS = sizeof rows / sizeof rows[0], QUADWORD = 16 };

static const char *const chips[R10K_CHIPS] = {
    [R10K_R10000_2] = "processor.core=1 r10000.revision=0",
    [R10K_R10000_3] = "processor.core=1 r10000.revision=1",
    [R10K_R12000] = "processor.core=2",
};

/* The row's event on counter k. @return false: that cannot count it */
static bool program(struct rig *rig, enum r10k_chip chip, unsigned k, const struct row *row)
{
    const unsigned modes = row->signal == R10K_SIGNAL_CYCLES ? R10K_COUNT_USER : R10K_COUNT_ALL;
    unsigned events;
    const struct r10k_event *event = r10k_events(chip, &events);
    for (unsigned e = 0; e < events; e++)
        if (event[e].signal == row->signal && event[e].number[k] != R10K_NO_EVENT) {
            rig_program(rig, k, event[e].number[k], modes);
            return true;
        }
    return false;
}

/* Dirty primary lines of the first card that went down so far, as quadwords. */
static uint64_t went_down(const struct rig *rig)
{
    struct nm_truth truth;
    nm_card_truth(rig->m, 0, &truth);
    return truth.l1_writebacks * rig->p.l1d_line / QUADWORD;
}

static void check(const struct row *row, enum r10k_chip chip)
{
    char options[200];
    bool counted[R10K_COUNTERS] = {0};
    struct rig rig;
    uint64_t before = 0;
    snprintf(options, sizeof options, "%s %s", chips[chip], row->options);
    rig_init(&rig, options);
    for (unsigned turn = 0; turn < 3; turn++) {
        rig_again(&rig);
        if (*row->before)
            rig_steps(&rig, row->before);
        for (unsigned k = 0; k < R10K_COUNTERS; k++)
            counted[k] = program(&rig, chip, k, row);
        before = went_down(&rig);
        rig_steps(&rig, row->code);
    }
    if (row->signal == R10K_SIGNAL_L1D_WRITEBACKS)
        cr_expect_eq(went_down(&rig) - before, row->count, "the truth, '%s' (%s): %lu, by hand %lu",
                     row->code, row->why, (unsigned long)(went_down(&rig) - before),
                     (unsigned long)row->count);
    for (unsigned k = 0; k < R10K_COUNTERS; k++)
        if (counted[k])
            cr_expect_eq(rig_counter(&rig, k), row->count, "%s, %s, '%s' (%s): %lu, by hand %lu",
                         r10k_chip_name(chip), r10k_signal_name(row->signal), row->code, row->why,
                         (unsigned long)rig_counter(&rig, k), (unsigned long)row->count);
    rig_free(&rig);
}

static bool has(enum r10k_chip chip, enum r10k_signal signal)
{
    unsigned events;
    const struct r10k_event *event = r10k_events(chip, &events);
    for (unsigned e = 0; e < events; e++)
        if (event[e].signal == signal)
            return true;
    return false;
}

Test(r10000_microbenchmarks, events_by_hand)
{
    for (unsigned n = 0; n < ROWS; n++)
        for (unsigned chip = 0; chip < R10K_CHIPS; chip++)
            if (has((enum r10k_chip)chip, rows[n].signal))
                check(&rows[n], (enum r10k_chip)chip);
}

/* A row in which it happens, of every signal and so of every event; but for what never does. */
Test(r10000_microbenchmarks, every_event_has_one)
{
    for (enum r10k_signal s = 0; s < R10K_SIGNALS; s++) {
        bool happens = s == R10K_SIGNAL_L2_ECC;
        for (unsigned n = 0; n < ROWS; n++)
            happens |= rows[n].signal == s && rows[n].count;
        cr_expect(happens, "%s", r10k_signal_name(s));
    }
}

/* ---- what a program's own counters have of what stands before them
 * ------------------------------- */

/* They touch other lines than what is counted, which are not in the primary cache, and are all as
 * long. */
static const char *const in_front[] = {
    "4*nop",
    "ddiv a0,a0; 3*nop",
    "lw v1,0(a0); 3*nop",
    "sw a0,0(a0); addu v1,a0,a0; 2*nop",
    "div.d f0,f2,f4; madd.d f6,f0,f2,f4; sqrt.d f8,f0; nop",
    "lw v1,0(a0); addu t0,v1,a0; sw t0,256(a0); lwc1 f0,512(a0)",
};
enum { IN_FRONT = sizeof in_front / sizeof *in_front };

#define GONE                                                                                  \
    "ori t0,zero,0x8000; addu t0,a0,t0; lw v0,0x4000(a0); lw v0,0(t0); lw v0,0x4400(a0); "    \
    "lw v0,0x400(t0); lw v0,0x4420(a0); lw v0,0x420(t0); lw v0,0x4440(a0); lw v0,0x440(t0); " \
    "lw v0,0x4100(a0); lw v0,0x100(t0); lw v0,0x4200(a0); lw v0,0x200(t0)"
#define COUNTED                                                                               \
    "lw v0,0x400(a0); mult a0,a0; mul.s f10,f12,f14; sw a0,0x420(a0); bne zero,zero,1; nop; " \
    "pref 0,0x440(a0); ll v0,0x400(a0); sc v0,0x400(a0); addu v0,a0,a0"

/* What counter k has counted between MTPC and MFPC. */
static uint64_t counted_behind(struct rig *rig, const char *front, unsigned k, unsigned event)
{
    char code[600];
    snprintf(code, sizeof code, "%s; mtpc zero,%u; " COUNTED "; mfpc v1,%u", front, k, k);
    rig_program(rig, k, event, R10K_COUNT_USER);
    rig_again(rig);
    rig_steps(rig, GONE);
    rig_steps(rig, code);
    return ((const struct mips_regs *)pc_thread_registers(rig->m, 0))->gpr[3];
}

static void check_front(enum r10k_chip chip, const char *front, struct rig *usual)
{
    char options[200];
    struct rig rig;
    unsigned events;
    const struct r10k_event *event = r10k_events(chip, &events);
    snprintf(options, sizeof options, "%s r10000.user_counters=1", chips[chip]);
    rig_init(&rig, options);
    counted_behind(&rig, front, 0, 0); /* caches and predictors know it */
    for (unsigned e = 0; e < 2 * events; e++) {
        const unsigned k = e % 2, number = event[e / 2].number[k];
        if (number == R10K_NO_EVENT)
            continue;
        const uint64_t found = counted_behind(&rig, front, k, number);
        const uint64_t alone = counted_behind(usual, in_front[0], k, number);
        cr_expect_eq(found, alone, "%s, %s behind '%s': %lu, and %lu behind nops",
                     r10k_chip_name(chip), event[e / 2].name, front, (unsigned long)found,
                     (unsigned long)alone);
    }
    rig_free(&rig);
}

/* Nothing behind MTPC begins before it, and all before it is over. */
Test(r10000_microbenchmarks, what_stands_in_front_of_mtpc_does_not_count)
{
    for (unsigned chip = 0; chip < R10K_CHIPS; chip++) {
        struct rig usual;
        char options[200];
        snprintf(options, sizeof options, "%s r10000.user_counters=1", chips[chip]);
        rig_init(&usual, options);
        counted_behind(&usual, in_front[0], 0, 0);
        for (unsigned i = 1; i < IN_FRONT; i++)
            check_front((enum r10k_chip)chip, in_front[i], &usual);
        rig_free(&usual);
    }
}
