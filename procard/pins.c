/*
 * Status(7:0), PCycle by PCycle.
 *
 * The interpreter adds status states per block and knows no single PCycle. The hard idea is that
 * its results do not depend on where a run is cut: run one tick at a time, it leaves one
 * instruction between two looks at the totals, and within one instruction the order of states is
 * known.
 */
#include "procard/pins.h"

#include <string.h>

const uint8_t pc_status_codes[PC_ST__COUNT] = {
#define STATE(name, code, group, sentence) [PC_ST_##name] = (code),
#include "monitor/status.def"
#undef STATE
};

void pc_pins_begin(struct pc_pins *p, sim_tick now, const uint64_t states[PC_ST__COUNT],
                   const uint8_t codes[PC_ST__COUNT], pc_pins_fn *edge, void *ctx)
{
    *p = (struct pc_pins){
        .codes = codes, .edge = edge, .ctx = ctx, .next = now, .older = codes[PC_ST_STALL_OTHER]};
    memcpy(p->seen, states, sizeof p->seen);
}

/* PCycle p->next was in this state. The edge two PCycles later shows it if that begins a
 * MasterClock; otherwise the edge after that shows it as the older one. */
static void pcycle(struct pc_pins *p, enum pc_status state)
{
    const uint8_t code = p->codes[state];

    if (p->next % 2 == 0)
        p->edge(p->ctx, p->next + 2, (uint8_t)(p->older << 4 | code));
    p->older = code;
    p->next++;
}

void pc_pins_stall(struct pc_pins *p, enum pc_status state, uint64_t n)
{
    for (p->seen[state] += n; n; n--)
        pcycle(p, state);
}

void pc_pins_follow(struct pc_pins *p, const uint64_t states[PC_ST__COUNT])
{
    static const uint8_t order[PC_ST__COUNT] = {
        PC_ST_STALL_L1D, PC_ST_STALL_L2,    PC_ST_STALL_MP,  PC_ST_STALL_OTHER, PC_ST_LOAD,
        PC_ST_STORE,     PC_ST_BR_UNTAKEN,  PC_ST_BR_TAKEN,  PC_ST_INT,         PC_ST_FP,
        PC_ST_KILL_EXC,  PC_ST_KILL_BRANCH, PC_ST_STALL_L1I, PC_ST_SLIP_INT,    PC_ST_SLIP_FP,
    };

    for (unsigned i = 0; i < PC_ST__COUNT; i++) {
        const uint8_t state = order[i];

        for (; p->seen[state] < states[state]; p->seen[state]++)
            pcycle(p, state);
    }
}
