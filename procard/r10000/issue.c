/*
 * Issue: each queue starts one instruction in each unit it feeds. Queues are in no order: the first
 * integer unit and the floating-point units look from the lowest place on, the second integer unit
 * from the highest, each integer unit first at what only it executes (assumed; the manual says only
 * that age does not count. Without the latter old branches wait for young sums while the other unit
 * has nothing to do). Addresses are calculated in program order.
 */
#include "base/invariant.h"
#include "procard/r10000/registers.h"

/* What finishes at `at` counts then as done, or later if two of its kind do already (the counters'
 * document: 0, 1 or 2 a cycle); it is gone before if it is squashed. */
static void issue_finishes(struct r10k *c, struct r10k_entry *e, sim_tick at)
{
    enum { MARKED = 2 };
    e->issued = true;
    e->finishes = at;
    while (*r10k_finishing(c, e) == MARKED)
        e->finishes++;
    at = e->finishes;
    (*r10k_finishing(c, e))++;
    c->due[at / 64 % 2] |= UINT64_C(1) << at % 64;
    c->worked = true;
}

static void raise_or_deliver(struct r10k *c, struct r10k_entry *e, const struct r10k_outcome *out,
                             sim_tick now)
{
    const uint32_t causes = c->scratch.fcsr >> 12 & 0x3f;
    e->exc = (uint8_t)out->exc;
    e->trap_code = out->trap_code;
    e->raised = e->w->traits & R10K_FLAGS ? (uint8_t)causes : 0;
    r10k_deliver(c, e, now + e->w->latency, now + e->w->high);
}

/* [PCycles] from a result's first use to its place in the registers. A floating-point unit writes 4
 * behind the operands' reading (manual 15.1), though another can use the result after 2. */
static sim_tick issue_written(const struct r10k_entry *e)
{
    return e->w->queue == R10K_QUEUE_FP ? 2 : 1;
}

static void issue_execute(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    struct r10k_outcome out = {.pc = e->pc, .level = c->code->level};
    if (e->w->traits & R10K_FLAGS) /* rounding and enables are the thread's */
        c->scratch.fcsr = c->r.fcsr;
    r10k_step(c, e, PC_STEP_ISSUED, now);
    if (SIM_LOOKS_AT_INVARIANTS)
        r10k_look_at_issue(c, e, now);
    r10k_gather(c, e);
    r10k_compute(&c->scratch, &e->w->op, &out);
    if (e->w->traits & R10K_BRANCH) {
        issue_finishes(c, e, now + 2);
        r10k_branch_done(c, e, &out, now + 2);
        return;
    }
    raise_or_deliver(c, e, &out, now);
    issue_finishes(c, e, now + (e->w->high ? e->w->high : e->w->latency) + issue_written(e));
    e->done = e->finishes;
}

/* Those whose registers come now are ready. */
static void issue_comes(struct r10k *c, sim_tick now)
{
    for (uint32_t left = c->places.coming; left; left &= left - 1) {
        const sim_tick at = c->entry[c->places.entry[__builtin_ctz(left)]].wakes;
        if (at > now) {
            r10k_wait_for(c, at);
            continue;
        }
        c->places.ready |= left & -left;
        c->places.coming &= ~(left & -left);
    }
}

/* ---- integer --------------------------------------------------------------------------------- */

static bool free_unit(struct r10k *c, const struct r10k_entry *e, sim_tick now)
{
    if (e->w->repeat <= 1 || c->alu2_free <= now)
        return true;
    r10k_wait_for(c, c->alu2_free);
    return false;
}

/* One of these places, from the lowest or the highest on. @return it was one */
static inline bool issue_one_of(struct r10k *c, uint32_t left, bool lowest, sim_tick now)
{
    for (unsigned i; left; left &= ~(1u << i)) {
        i = (unsigned)(lowest ? __builtin_ctz(left) : 31 - __builtin_clz(left));
        struct r10k_entry *e = &c->entry[c->places.entry[i]];
        if ((e->w->traits & R10K_WHOLE && !r10k_halves(c, e)) || !free_unit(c, e, now))
            continue;
        r10k_leave_places(c, e);
        if (e->w->repeat > 1)
            c->alu2_free = now + e->w->repeat;
        issue_execute(c, e, now);
        return true;
    }
    return false;
}

/* @param ready  in the integer queue, when the cycle began */
static void issue_integer(struct r10k *c, uint32_t ready, sim_tick now)
{
    const uint32_t *own = c->places.own;
    const uint32_t first = ready & own[R10K_OWN_FIRST], second = ready & own[R10K_OWN_SECOND];
    if (!issue_one_of(c, first, true, now))
        issue_one_of(c, ready & own[R10K_OWN_ANY], true, now);
    if (!issue_one_of(c, second, false, now))
        issue_one_of(c, ready & own[R10K_OWN_ANY], false, now);
}

/* ---- floating point -------------------------------------------------------------------------- */

/* Divide and square root enter through the multiplier's port, and then run alone. A reciprocal
 * square root holds the root's unit and then the divider; on an R12000 both to its end. */
static bool multiplier_free(struct r10k *c, const struct r10k_entry *e, sim_tick now)
{
    const bool divides = e->w->unit == R10K_UNIT_DIV;
    const bool roots = e->w->unit == R10K_UNIT_SQRT || e->w->unit == R10K_UNIT_RSQRT;
    const sim_tick free = divides ? c->div_free : roots ? c->sqrt_free : 0;
    if (free <= now)
        return true;
    r10k_wait_for(c, free);
    return false;
}

static void issue_occupy(struct r10k *c, const struct r10k_entry *e, sim_tick now)
{
    enum { ADDER_BEHIND = 2, RSQRT_ENDS = 4 };
    switch (e->w->unit) {
    case R10K_UNIT_ADD:
        c->add_free = now + e->w->repeat;
        break;
    case R10K_UNIT_MADD:
        c->madd_adds[(now + ADDER_BEHIND) % 4] = now + ADDER_BEHIND;
        break;
    case R10K_UNIT_DIV:
        c->div_free = now + e->w->repeat;
        break;
    case R10K_UNIT_SQRT:
        c->sqrt_free = now + e->w->repeat;
        break;
    case R10K_UNIT_RSQRT:
        c->div_free = now + e->w->latency + RSQRT_ENDS;
        c->sqrt_free = nm_value_core(c->p) == NM_CORE_R12000 ? c->div_free : now + e->w->repeat;
        break;
    }
}

/* A multiply-add that needs the adder now goes before what could issue to it. */
static bool adder_free(struct r10k *c, sim_tick now)
{
    const sim_tick free = c->madd_adds[now % 4] == now ? now + 1 : 0;
    const sim_tick from = sim_later(free, c->add_free);
    if (from <= now)
        return true;
    r10k_wait_for(c, from);
    return false;
}

static void issue_fp(struct r10k *c, uint32_t left, sim_tick now)
{
    for (; left; left &= left - 1) {
        struct r10k_entry *e = &c->entry[c->places.entry[__builtin_ctz(left)]];
        if ((e->w->traits & R10K_WHOLE && !r10k_halves(c, e)) || !multiplier_free(c, e, now))
            continue;
        r10k_leave_places(c, e);
        issue_occupy(c, e, now);
        issue_execute(c, e, now);
        r10k_signal(c, R10K_SIGNAL_ISSUED_AGAIN, 1);
        return;
    }
}

void r10k_issue(struct r10k *c, sim_tick now)
{
    if (c->places.coming)
        issue_comes(c, now);
    const uint32_t integer = c->places.ready & R10K_PLACES_INT;
    const uint32_t fp = c->places.ready & R10K_PLACES_FP;
    const uint32_t adds = fp & c->places.own[R10K_OWN_FIRST];
    c->issues = now + 1;
    if (integer)
        issue_integer(c, integer, now);
    if (fp & ~adds)
        issue_fp(c, fp & ~adds, now);
    if (adds && adder_free(c, now))
        issue_fp(c, adds, now);
}
