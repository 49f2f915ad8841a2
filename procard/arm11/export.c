/*
 * EVNTBUS: what the events' signals do in each PCycle, while X says so ([S]; the lines: AR-4). A
 * signal grows by no more in a PCycle than signals.def says.
 */
#include "procard/arm11/pipeline.h"
#include "procard/exported.h"

/* A PCycle's share of what is still to be exported. @return whether there was any */
static bool export_take(struct arm11_signals *left, struct arm11_signals *grown)
{
    bool any = false;
    for (unsigned s = 0; s < ARM11_SIGNALS; s++) {
        const uint64_t most = arm11_most((enum arm11_signal)s);
        const uint64_t n = left->total[s] < most ? left->total[s] : most;
        grown->total[s] = n;
        left->total[s] -= n;
        any |= n != 0 && s != ARM11_SIGNAL_CYCLES;
    }
    return any;
}

static void export_show(struct pc_exported *e, uint32_t lines)
{
    if (lines != e->lines)
        e->changed(e->ctx, e->next, lines);
    e->lines = lines;
}

void arm11_exports(struct pc_cpu *base, struct pc_exported *e)
{
    struct arm11 *c = arm11_of(base);
    struct arm11_signals left, grown;
    for (unsigned s = 0; s < ARM11_SIGNALS; s++)
        left.total[s] = c->signals.total[s] - e->seen.arm11.core.total[s];
    for (bool any = true; e->next < base->now && any; e->next++) {
        any = export_take(&left, &grown);
        export_show(e, arm11_pmu_bus(&c->pmu, &grown));
    }
    e->next = base->now;
    for (unsigned s = 0; s < ARM11_SIGNALS; s++)
        e->seen.arm11.core.total[s] = c->signals.total[s] - left.total[s];
}
