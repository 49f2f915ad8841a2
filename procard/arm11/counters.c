/*
 * The performance monitoring unit (monitor/arm11/pmu.h) in its place: what coprocessor 15 reads and
 * writes, and the interrupt of an overflow at the exact PCycle.
 *
 * Nobody increments a counter. So the card is asked for an event where one can overflow at the
 * soonest, or where the delay of their start is over; the unit is looked at there, and once more,
 * until there is nothing to wait for.
 */
#include "procard/arm11/pipeline.h"

#include "machine/values.h"

/* The core's totals at tick `at`: all time is cycles, whoever has the processor. */
static struct arm11_signals counters_totals(const struct arm11 *c, sim_tick at)
{
    struct arm11_signals now = c->signals;
    now.total[ARM11_SIGNAL_CYCLES] = at;
    return now;
}

/* After anything that may have changed what is waited for: an interrupt of flags that assert a line
 * and have not yet, each once until it is cleared, and the next looks. */
static void counters_attend(struct arm11 *c, sim_tick at)
{
    const struct arm11_signals now = counters_totals(c, at);
    const unsigned lines = arm11_pmu_lines(&c->pmu, &now);
    if (lines & ~c->lines)
        pc_counters_interrupt(&c->base, at);
    c->lines = lines;
    c->attended = at;
    c->awaits = arm11_pmu_awaits(&c->pmu, &now);
    for (unsigned alone = 0; alone < 2; alone++) {
        const uint64_t next = arm11_pmu_next(&c->pmu, &now, alone);
        if (next)
            pc_counters_look(&c->base, at + next, alone);
    }
}

void arm11_grew(struct arm11 *c)
{
    pc_counters_look(&c->base, c->base.now + 1, false);
}

void arm11_look(struct pc_cpu *base, sim_tick at)
{
    struct arm11 *c = arm11_of(base);
    at = sim_later(at, c->attended); /* where no time is kept, looks are late */
    const struct arm11_signals now = counters_totals(c, at);
    arm11_pmu_settle(&c->pmu, &now);
    counters_attend(c, at);
}

void arm11_pmu_new(struct arm11 *c)
{
    c->pmu.chip = c->p->core == NM_CORE_ARM1176 ? ARM11_1176 : ARM11_1136;
}

uint32_t arm11_counter_read(struct arm11 *c, enum arm11_pmu_register reg)
{
    const struct arm11_signals now = counters_totals(c, c->base.now);
    c->base.polls++;
    return arm11_pmu_read(&c->pmu, reg, &now);
}

/* The first number that is none is told of (pc_core_ops.unknown_event). */
static void note_unknown(struct arm11 *c, unsigned unknown)
{
    const unsigned field = unknown & 1 ? ARM11_PMNC_EVENT0 : ARM11_PMNC_EVENT1;
    if (!unknown || c->chose_unknown)
        return;
    c->chose_unknown = true;
    c->unknown = (struct pc_unknown_event){c->r.r[ARM_PC], (uint8_t)(c->pmu.control >> field)};
}

void arm11_counter_write(struct arm11 *c, enum arm11_pmu_register reg, uint32_t value)
{
    const struct arm11_signals now = counters_totals(c, c->base.now);
    note_unknown(c, arm11_pmu_write(&c->pmu, reg, value, &now));
    counters_attend(c, c->base.now);
    if (!c->base.untimed) /* an interrupt may be there */
        c->base.horizon = sim_earlier(c->base.horizon, c->base.now + 1);
}
