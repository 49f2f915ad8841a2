/*
 * The R4400 pipeline's interlocks: how long an instruction slips for a result or a unit.
 *
 * Latencies count PCycles in which the pipeline runs: a cache stall freezes all eight stages
 * (manual p. 53), the multiplier and the floating-point units with them. That is what makes slips
 * constants of a block and its context. A later result for the same register replaces the earlier
 * one without waiting for it; conflicts between the floating-point units' stages are not modelled.
 */
#include "procard/code.h"

unsigned pc_slip(const uint8_t left[PC_RES__COUNT], const struct pc_use *use)
{
    unsigned slip = left[use->unit];

    for (unsigned i = 0; i < use->nreads; i++) {
        if (left[use->reads[i]] > slip)
            slip = left[use->reads[i]];
    }
    return slip;
}

void pc_start(uint8_t left[PC_RES__COUNT], const struct pc_use *use)
{
    for (unsigned i = 0; i < use->nwrites; i++)
        left[use->writes[i]] = use->latency;
    if (use->unit != PC_RES_NONE)
        left[use->unit] = use->busy;
}

void pc_elapse(uint8_t left[PC_RES__COUNT], unsigned n)
{
    for (unsigned i = 0; i < PC_RES__COUNT; i++)
        left[i] = left[i] > n ? (uint8_t)(left[i] - n) : 0;
}

enum { FULL = 50000 }; /* [PCycles] counts fit 16 bits up to here and a block */

void pc_settle(struct pc_cpu *cpu)
{
    struct pc_pipe *pipe = &cpu->pipe;
    const bool inside = pipe->block && pipe->op;
    uint16_t *s = pipe->spent.state;

    for (unsigned i = 0; i < PC_ST__COUNT; i++) {
        const uint16_t part = inside ? pipe->part.state[i] : 0;
        const uint16_t n = (uint16_t)(s[i] + part);

        cpu->states[i] += n;
        s[i] = (uint16_t)-part; /* when the block is left, all of it will be added */
        switch (i) {
        case PC_ST_LOAD:
        case PC_ST_STORE:
        case PC_ST_BR_UNTAKEN:
        case PC_ST_BR_TAKEN:
        case PC_ST_INT:
        case PC_ST_FP:
            cpu->instructions += n;
            break;
        default:
            break;
        }
    }
    pipe->full = cpu->now + FULL;
}
