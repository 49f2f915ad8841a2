/*
 * References of one's own: a trace, which a driver core makes (docs/extending.md).
 */
#include "procard/driver/driver.h"

#include "machine/values.h"

#include <stdio.h>

/* What processor 0 does: stores to a line, then to the next one, then reads the first again. */
static const struct pc_reference trace[] = {
    {.kind = PC_REFERENCE_STORE, .address = 0x1000, .size = 8, .value = 42},
    {.kind = PC_REFERENCE_COMPUTE, .ticks = 100, .state = PC_ST_INT},
    {.kind = PC_REFERENCE_STORE, .address = 0x1040, .size = 4, .value = 7},
    {.kind = PC_REFERENCE_LOAD, .address = 0x1000, .size = 8, .at = 5000},
};

struct player {
    unsigned next;
    uint64_t loaded;
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct player *p = self;
    (void)card, (void)now;
    if (p->next < sizeof trace / sizeof *trace)
        *out = trace[p->next++];
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct player *p = self;
    printf("card %u: 0x%lx from tick %lu to %lu\n", card, (unsigned long)reference->address,
           (unsigned long)result->began, (unsigned long)result->done);
    if (reference->kind == PC_REFERENCE_LOAD)
        p->loaded = result->value;
}

int main(void)
{
    static const struct pc_driver_source source = {.next = next, .done = done};
    struct player player = {0};
    struct nm_params p;
    struct nm_trap trap;
    nm_params_default(&p);
    struct nm_machine *m = nm_machine_new(&p, &pc_driver);
    nm_machine_set_space(m, &pc_flat_space);
    pc_drive(m, 0, &source, &player, 0);
    const enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
    nm_machine_free(m);
    return why == NM_RUN_TRAP && player.loaded == 42 && trap.at > 5000 ? 0 : 1;
}
