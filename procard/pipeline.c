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
