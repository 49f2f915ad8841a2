/*
 * A machine whose cards have the counter unit of two_counters.c (docs/extending-unit.md): counter 0
 * counts loads, counter 1 the reads that they need.
 */
#include "machine/values.h"
#include "procard/driver/driver.h"
#include "two_counters.h"

#include <stdio.h>

enum { LINES = 4, PER_LINE = 5, CONTROL0 = 0, COUNTER0 = 4, CONTROL1 = 8, COUNTER1 = 12 };
enum { COUNTS = 1 << 3, EVENT = 5, LOADS = 2, READS = 10 };

/* Loads each line as often as it says, line by line. */
static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    unsigned *made = self;
    (void)card, (void)now;
    if (*made < LINES * PER_LINE)
        *out = (struct pc_reference){.kind = PC_REFERENCE_LOAD,
                                     .size = 8,
                                     .address = 0x1000 + *made / PER_LINE * UINT64_C(64)};
    ++*made;
}

int main(void)
{
    static const struct pc_driver_source source = {.next = next};
    struct nm_card_kind kind = pc_driver;
    struct nm_params p;
    struct nm_trap trap;
    unsigned made = 0;
    kind.counters = &two_counters;
    nm_params_default(&p);
    struct nm_machine *m = nm_machine_new(&p, &kind);
    nm_machine_set_space(m, &pc_flat_space);
    nm_card_register_write(m, 0, CONTROL0, LOADS << EVENT | COUNTS);
    nm_card_register_write(m, 0, CONTROL1, READS << EVENT | COUNTS);
    pc_drive(m, 0, &source, &made, 0);
    const enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
    const unsigned loads = nm_card_register_read(m, 0, COUNTER0);
    const unsigned reads = nm_card_register_read(m, 0, COUNTER1);
    nm_machine_free(m);
    printf("%u loads, %u reads\n", loads, reads);
    return why == NM_RUN_TRAP && loads == LINES * PER_LINE && reads == LINES ? 0 : 1;
}
