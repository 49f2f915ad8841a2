/*
 * The books of a run. All of the clock that nobody has put down to anything is instructions' own:
 * the first PCycle of a load, store or branch is of its kind, the others are integer ones. So the
 * books of a run are the sum of those of its instructions.
 */
#include "procard/arm11/exec/books.h"

static uint64_t all_states(const struct pc_cpu *cpu)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        sum += cpu->states[s];
    return sum;
}

void arm11_put_down(struct arm11 *c, struct arm11_tally did, bool observed)
{
    struct pc_cpu *cpu = &c->base;
    const uint64_t stores = did.stores - did.swaps;
    cpu->instructions += did.insns;
    arm11_books(c, PC_ST_SLIP_INT, did.slips);
    c->loads += did.loads;
    c->stores += did.stores;
    arm11_signal(c, ARM11_SIGNAL_INSTRUCTIONS, did.insns);
    arm11_signal(c, ARM11_SIGNAL_DEPENDENCY, did.slips);
    arm11_signal(c, ARM11_SIGNAL_D_ACCESS, did.touches);
    arm11_signal(c, ARM11_SIGNAL_D_CACHEABLE, did.touches);
    arm11_signal(c, ARM11_SIGNAL_CYCLES, cpu->now - did.began);
    const uint64_t rest = cpu->now - all_states(cpu);
    if (observed)
        arm11_completes(c, did.insns, rest);
    arm11_books(c, PC_ST_LOAD, did.loads);
    arm11_books(c, PC_ST_STORE, stores);
    arm11_books(c, PC_ST_BR_TAKEN, did.taken);
    arm11_books(c, PC_ST_BR_UNTAKEN, did.branches - did.taken);
    arm11_books(c, PC_ST_INT, rest - did.loads - stores - did.branches);
}

void arm11_also_full(struct arm11 *c, sim_tick from, sim_tick to)
{
    if (c->full > from)
        arm11_signal(c, ARM11_SIGNAL_LSU_FULL, (c->full < to ? c->full : to) - from);
}

void arm11_enters_late(struct arm11 *c, sim_tick from, sim_tick to)
{
    const sim_tick free = c->ready[ARM11_LSU];
    arm11_also_full(c, from, to);
    if (free > from)
        arm11_not_for_registers(c, (free < to ? free : to) - from);
}

/* Whether that is the tick of a register that a load still waits for. So a wait is put down to the
 * same, wherever the horizon cuts it. */
static bool is_pending(sim_tick wants)
{
    enum { ADJUSTED = 64 }; /* by latencies */
    return wants >= ARM11_PENDING - ADJUSTED;
}

sim_tick arm11_waited(struct arm11 *c, sim_tick n, sim_tick wants, bool observed)
{
    if (is_pending(wants)) {
        arm11_signal(c, ARM11_SIGNAL_DEPENDENCY, n);
        arm11_books(c, PC_ST_STALL_L2, n);
        return 0;
    }
    if (observed)
        arm11_slips(c, n);
    return n;
}
