/*
 * The R4400 pipeline's interlocks: how long an instruction slips for a result, a unit or a stage.
 *
 * Latencies count PCycles in which the pipeline runs: a cache stall freezes all eight stages
 * (manual p. 53), the multiplier and the floating-point units with them. That is what makes slips
 * constants of a block and its context.
 *
 * The hard idea is the floating-point unit. Its adder, multiplier and divider share stages, and an
 * operation is known by the stages it is in, one PCycle after the other (fpu_stages.def). A new one
 * is held until none of its PCycles meets an older one in the same stage; every structural hazard
 * of the unit is that comparison. Results of the integer pipeline are written in order, so a later
 * one simply replaces an earlier; floating-point operations differ in length, so one that would
 * write its register before an earlier one does is held too (assumed: the manual says "fully
 * interlocked").
 */
#include "procard/r4400/code.h"

enum {
    U = 1 << 0,
    S = 1 << 1,
    A = 1 << 2,
    R = 1 << 3,
    E = 1 << 4,
    M = 1 << 5,
    N = 1 << 6,
    D = 1 << 7,
    X = 1 << 8,
    K = 1 << 9,
    LONGEST = 148,
};

static const struct pipe {
    uint8_t length; /**< [PCycles] 0: not in the floating-point unit */
    uint16_t stage[LONGEST];
} pipes[R4400_UNIT__COUNT] = {
#define PIPE(id, length, ...) [R4400_UNIT_##id] = {length, {__VA_ARGS__}},
#include "procard/r4400/fpu_stages.def"
#undef PIPE
};

/** Rows of timing.def; all 0: one PCycle. */
static const struct r4400_time times[MIPS_OP__COUNT] = {
#define TIME(id, unit, latency, busy) [MIPS_OP_##id] = {R4400_UNIT_##unit, latency, busy},
#include "procard/r4400/timing.def"
#undef TIME
};

struct r4400_time r4400_time(unsigned code)
{
    static const struct r4400_time one = {R4400_UNIT_NONE, 1, 1};

    return times[code].latency ? times[code] : one;
}

unsigned r4400_stages(enum r4400_unit unit)
{
    return pipes[unit].length;
}

/** Whether an operation issued `wait` PCycles from now would meet an older one in a stage. */
static bool pipeline_meets(const struct r4400_flight *old, const struct pipe *new, unsigned wait)
{
    const struct pipe *pipe = &pipes[old->unit];
    unsigned t = old->age + wait;

    for (unsigned i = 0; i < new->length &&t < pipe->length; i++, t++) {
        if (pipe->stage[t] & new->stage[i])
            return true;
    }
    return false;
}

static bool stages_free(const struct r4400_pending *pending, const struct pipe *new, unsigned wait)
{
    unsigned under_way = 0;

    for (unsigned i = 0; i < R4400_FLIGHTS && pending->flight[i].unit; i++) {
        const struct r4400_flight *old = &pending->flight[i];

        if (pipeline_meets(old, new, wait))
            return false;
        under_way += old->age + wait + 1 < pipes[old->unit].length;
    }
    return under_way < R4400_FLIGHTS;
}

unsigned r4400_slip(const struct r4400_pending *pending, const struct r4400_use *use)
{
    const struct pipe *pipe = &pipes[use->time.unit];
    unsigned slip = use->time.unit == R4400_UNIT_HILO ? pending->left[MIPS_RES_HILO] : 0;

    for (unsigned i = 0; i < use->regs.nreads; i++) {
        if (pending->left[use->regs.reads[i]] > slip)
            slip = pending->left[use->regs.reads[i]];
    }
    for (unsigned i = 0; i < use->regs.nwrites; i++) {
        const unsigned left = pending->left[use->regs.writes[i]];

        if (use->regs.writes[i] >= MIPS_RES_FPR && left >= use->time.latency + slip)
            slip = left - use->time.latency + 1;
    }
    while (pipe->length && !stages_free(pending, pipe, slip))
        slip++;
    return slip;
}

static void take_off(struct r4400_pending *pending, uint8_t unit)
{
    for (unsigned i = 0; i < R4400_FLIGHTS; i++) {
        if (pending->flight[i].unit == R4400_UNIT_NONE) {
            pending->flight[i] = (struct r4400_flight){.unit = unit};
            return;
        }
    }
}

void r4400_start(struct r4400_pending *pending, const struct r4400_use *use)
{
    for (unsigned i = 0; i < use->regs.nwrites; i++)
        pending->left[use->regs.writes[i]] = use->time.latency;
    if (use->time.unit == R4400_UNIT_HILO)
        pending->left[MIPS_RES_HILO] = use->time.busy;
    if (pipes[use->time.unit].length)
        take_off(pending, use->time.unit);
}

/** Ages the flights. One in its last PCycle is done with: a new one is still at U, which it alone
 *  can be at. */
static void pipeline_fly(struct r4400_pending *pending, unsigned n)
{
    struct r4400_flight still[R4400_FLIGHTS] = {{0}};
    unsigned count = 0;

    for (unsigned i = 0; i < R4400_FLIGHTS && pending->flight[i].unit; i++) {
        const struct r4400_flight old = pending->flight[i];

        if (old.age + n + 1 < pipes[old.unit].length)
            still[count++] = (struct r4400_flight){old.unit, (uint8_t)(old.age + n)};
    }
    for (unsigned i = 0; i < R4400_FLIGHTS; i++)
        pending->flight[i] = still[i];
}

void r4400_elapse(struct r4400_pending *pending, unsigned n)
{
    uint8_t *left = pending->left;
    const uint8_t most = n < UINT8_MAX ? (uint8_t)n : UINT8_MAX;

    for (unsigned i = 0; i < MIPS_RES__COUNT; i++)
        left[i] = left[i] > most ? (uint8_t)(left[i] - most) : 0;
    pipeline_fly(pending, n);
}
