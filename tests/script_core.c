/* The signals of a core that executes nothing. Every growth is drawn by hashing card, PCycle and
 * signal, so nothing needs to be remembered but the totals. */
#include "script_core.h"

struct script {
    struct pc_cpu cpu;
    struct r10k_signals signals;
    uint64_t trap;
};

static uint64_t draw(unsigned card, uint64_t pcycle, unsigned what)
{
    uint64_t x = (pcycle << 16 | card << 8 | what) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ x >> 29;
}

/* Short exceptions now and then, and a stretch of each other mode. */
enum r10k_mode script_mode(unsigned card, uint64_t pcycle)
{
    const uint64_t in = (pcycle + card) % 512;
    return in < 40 ? R10K_EXCEPTION : in < 60 ? R10K_SUPERVISOR : in < 90 ? R10K_KERNEL : R10K_USER;
}

unsigned script_growth(unsigned card, uint64_t pcycle, enum r10k_signal signal)
{
    if (signal == R10K_SIGNAL_CYCLES)
        return 1;
    const uint64_t drawn = draw(card, pcycle, signal), seldom = 1 + 7 * (signal % 8);
    return drawn % seldom ? 0 : (unsigned)((drawn >> 32) % (r10k_signal_most(signal) + 1));
}

static void grow(struct r10k_signals *signals, unsigned card, uint64_t pcycle)
{
    const enum r10k_mode mode = script_mode(card, pcycle);
    for (unsigned s = 0; s < R10K_SIGNALS; s++)
        signals->total[s][mode] += script_growth(card, pcycle, (enum r10k_signal)s);
}

void script_totals(unsigned card, uint64_t pcycle, struct r10k_signals *out)
{
    *out = (struct r10k_signals){0};
    for (uint64_t t = 0; t < pcycle; t++)
        grow(out, card, t);
}

static sim_tick run(struct pc_cpu *cpu, sim_tick horizon)
{
    struct script *script = (struct script *)cpu;
    if (cpu->now >= horizon)
        return cpu->now;
    cpu->horizon = horizon;
    for (; cpu->now < horizon; pc_charge(cpu, PC_ST_SLIP_INT, 1)) {
        if (script->trap && cpu->now >= script->trap) {
            cpu->exc = PC_EXC_SYS;
            return pc_stopped(cpu, PC_STOP_TRAP);
        }
        grow(&script->signals, cpu->number, cpu->now);
    }
    return cpu->now;
}

static void signals(const struct pc_cpu *cpu, sim_tick at, union mon_own_signals *out)
{
    (void)at;
    out->r10000 = ((const struct script *)cpu)->signals;
}

void script_trap(struct nm_machine *m, unsigned card, uint64_t pcycle)
{
    ((struct script *)pc_cpu_at(m, card))->trap = pcycle;
}

static const struct pc_core_ops core = {
    .name = "script", .size = sizeof(struct script), .run = run, .signals = signals};

const struct nm_card_kind script_card = {&pc_card_ops, &core, NULL};
