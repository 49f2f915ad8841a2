/* The R10000's and R12000's pipeline to the PCycle: r10000_cycles.def against the core. */
#include "r10000_rig.h"

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

static void check(const struct row *row, const char *options)
{
    struct rig rig;
    rig_init(&rig, options);
    for (unsigned turn = 0; turn < 3; turn++) {
        rig_again(&rig);
        if (*row->before)
            rig_steps(&rig, row->before);
        rig_steps(&rig, row->code);
    }
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
