/*
 * Patterns as a workload: threads go from phase to phase, and in a phase through its batches.
 *
 * The hard idea is who begins and ends a region. Every thread that comes to the beginning of a
 * phase counts itself with LL and SC in a word of that phase, and what it finds there says whether
 * it is the first or the last: a simulated fact, which no order of events on the host can change.
 * The last one ends the region of the phase before; with a barrier it also begins the next one and
 * lets the others go on, and without, the first one begins it.
 */
#include "programs/patterns/parts.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <stdlib.h>

enum { WORD = 4 /**< [bytes] where threads meet */ };

static bool pattern_is_end(const struct patterns_run *p, size_t phase)
{
    return phase == p->work->phases;
}

static bool has_barrier(const struct patterns_run *p, size_t phase)
{
    return !pattern_is_end(p, phase) && p->plan[phase].phase->value[PATTERNS_barrier];
}

static void pattern_mark(const struct patterns_run *p, size_t phase, enum driven_act act,
                         struct driven_batch *out)
{
    out->act = act;
    out->name = p->plan[phase].phase->name;
}

/** Counts itself where threads meet. */
static void pattern_arrive(const struct patterns_run *p, struct patterns_member *m,
                           struct driven_batch *out)
{
    *out = (struct driven_batch){
        .act = DRIVEN_ADD, .size = WORD, .address = patterns_join(p, m->phase, 0), .value = 1};
    m->step = PATTERNS_ARRIVED;
}

/** It is the first, the last, or one of the others, who may have to wait. */
static void pattern_arrived(const struct patterns_run *p, struct patterns_member *m,
                            uint64_t before, struct driven_batch *out)
{
    m->first = before == 0;
    m->last = before == p->team.threads - 1;
    m->step = PATTERNS_LEFT;
    if (has_barrier(p, m->phase) && !m->last)
        *out = (struct driven_batch){.act = DRIVEN_WAIT,
                                     .size = WORD,
                                     .address = patterns_join(p, m->phase, 1),
                                     .value = 1,
                                     .relation = PC_IS};
    else if (m->last && m->phase)
        pattern_mark(p, m->phase - 1, DRIVEN_FINISH, out);
}

/** The phase before is over. */
static void pattern_left(const struct patterns_run *p, struct patterns_member *m,
                         struct driven_batch *out)
{
    const bool begins = has_barrier(p, m->phase) ? m->last : m->first;

    m->step = PATTERNS_RELEASES;
    if (pattern_is_end(p, m->phase))
        out->act = DRIVEN_OVER;
    else if (begins)
        pattern_mark(p, m->phase, DRIVEN_BEGIN, out);
}

/** The last one lets the others go on. */
static void pattern_release(const struct patterns_run *p, struct patterns_member *m,
                            struct driven_batch *out)
{
    m->step = PATTERNS_ENTERS;
    if (!m->last || !has_barrier(p, m->phase))
        return;
    m->batch[0] =
        (struct pc_packed){.what = pc_pack(PC_REFERENCE_STORE, 2, patterns_join(p, m->phase, 1)),
                           .ticks = 1,
                           .value = 1};
    *out = (struct driven_batch){.reference = m->batch, .count = 1, .act = DRIVEN_MORE};
}

static void pattern_enter(const struct patterns_run *p, struct patterns_member *m, sim_tick now)
{
    const struct patterns_plan *plan = &p->plan[m->phase];

    m->made = 0;
    m->waited = m->pending = false;
    m->stage = PATTERNS_FREE;
    m->began = m->due = now;
    m->done = patterns_seat(p, plan, m) ? 0 : plan->phase->value[PATTERNS_references];
    m->step = PATTERNS_RUNS;
}

/** The next batch of the phase; after the last one, its sums. */
static void pattern_run(struct patterns_run *p, struct patterns_member *m, sim_tick now,
                        const struct driven_result *result, struct driven_batch *out)
{
    struct patterns_plan *plan = &p->plan[m->phase];

    patterns_settle(p, m, now);
    if (m->done < plan->phase->value[PATTERNS_references]) {
        patterns_fill(p, m, now, result, out);
        return;
    }
    plan->sums.references += m->made;
    plan->sums.time += m->made ? now - m->began : 0;
    m->phase++;
    m->step = PATTERNS_ARRIVES;
}

/** Steps that hand over nothing follow one another until one does. */
static void pattern_refill(void *self, unsigned thread, sim_tick now,
                           const struct driven_result *result, struct driven_batch *out)
{
    struct patterns_run *p = self;
    struct patterns_member *m = &p->member[thread];
    bool handed = false;

    while (!handed) {
        *out = (struct driven_batch){.act = DRIVEN_MORE};
        switch (m->step) {
        case PATTERNS_ARRIVES:
            pattern_arrive(p, m, out);
            break;
        case PATTERNS_ARRIVED:
            pattern_arrived(p, m, result->value, out);
            break;
        case PATTERNS_LEFT:
            pattern_left(p, m, out);
            break;
        case PATTERNS_RELEASES:
            pattern_release(p, m, out);
            break;
        case PATTERNS_ENTERS:
            pattern_enter(p, m, now);
            break;
        case PATTERNS_RUNS:
            pattern_run(p, m, now, result, out);
            break;
        }
        handed = out->count || out->act != DRIVEN_MORE;
    }
}

static void pattern_ended(void *self)
{
    patterns_print(self);
}

static void pattern_over(void *self)
{
    patterns_tell(self);
}

static const struct driven_producer producer = {.refill = pattern_refill, .ended = pattern_ended};

/* ---- the workload ---------------------------------------------------------------------------- */

static bool pattern_prepare(void *self, struct prog_run *run)
{
    struct patterns_run *p = self;

    p->program = run->spec->what;
    p->work = p->program->described;
    p->hash = sim_hash_new(0);
    patterns_logs_make(&p->logs);
    p->plan = sim_alloc(p->work->phases, sizeof *p->plan);
    if (!driven_team_prepare(&p->team, run, &producer, 0))
        return false;
    p->member = sim_alloc(p->team.threads, sizeof *p->member);
    for (unsigned i = 0; i < p->team.threads; i++)
        p->member[i].thread = i;
    return patterns_lay_out(p);
}

static void pattern_end(void *self)
{
    struct patterns_run *p = self;

    p->team.run->out->stdout_hash = XXH64_digest(p->hash);
    XXH64_freeState(p->hash);
    for (size_t i = 0; i < p->work->phases; i++) {
        free(p->plan[i].zipf);
        free(p->plan[i].sums.latency);
    }
    free(p->plan);
    free(p->member);
    driven_team_end(&p->team);
}

const struct prog_workload patterns_workload = {
    .forwards = true,
    .name = "patterns",
    .sentence = "patterns of references that an experiment describes, on driver cores",
    .size = sizeof(struct patterns_run),
    .described = true,
    .prepare = pattern_prepare,
    DRIVEN_TEAM_OPS,
    .figure = patterns_figures,
    .figures = PATTERNS_FIGURES,
    .start = driven_team_start,
    .over = pattern_over,
    .end = pattern_end,
};
