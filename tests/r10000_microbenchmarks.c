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

enum { ROWS = sizeof rows / sizeof rows[0] };

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

static void check(const struct row *row, enum r10k_chip chip)
{
    char options[200];
    bool counted[R10K_COUNTERS] = {0};
    struct rig rig;
    snprintf(options, sizeof options, "%s %s", chips[chip], row->options);
    rig_init(&rig, options);
    for (unsigned turn = 0; turn < 3; turn++) {
        rig_again(&rig);
        if (*row->before)
            rig_steps(&rig, row->before);
        for (unsigned k = 0; k < R10K_COUNTERS; k++)
            counted[k] = program(&rig, chip, k, row);
        rig_steps(&rig, row->code);
    }
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
