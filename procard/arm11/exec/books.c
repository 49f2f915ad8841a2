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

/* The last instruction, what it killed, and what it or the next was stalled by may have passed the
 * horizon; one PCycle of it has not. */
void arm11_tail(struct arm11 *c)
{
    struct pc_cpu *cpu = &c->base;
    const struct arm11_spent *last = &c->spent[0], *before = &c->spent[1];
    const sim_tick over = cpu->now > cpu->horizon ? cpu->now - cpu->horizon + 1 : 0;
    const sim_tick held = last->to == cpu->now ? sim_earlier(last->n, over) : 0, rest = over - held;
    const bool two = held && before->to == cpu->now - held;
    const bool kills = two && before->state == PC_ST_KILL_BRANCH;
    const sim_tick killed = kills ? sim_earlier(before->n, rest) : 0;
    cpu->tail =
        (struct pc_tail){.did = (uint16_t)(rest - killed),
                         .done = two && !kills ? (uint8_t)before->state : (uint8_t)PC_ST_INT,
                         .killed = (uint16_t)killed,
                         .held = (uint16_t)held,
                         .holds = (uint8_t)last->state};
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
