#include "sweep/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const char *const swp_state_word[] = {"waiting", "running", "ended", "done", "failed"};

enum { OTHER_VALUE = 4 /**< [doublings] as far apart as values are that are no numbers */ };

void swp_plan_init(struct swp_plan *plan)
{
    plan->job = sim_alloc(plan->sweep->points, sizeof *plan->job);
    for (size_t i = 0; i < plan->sweep->points; i++)
        plan->job[i] = (struct swp_job){.ours = true, .near = HUGE_VAL};
}

void swp_plan_free(struct swp_plan *plan)
{
    for (size_t i = 0; plan->job && i < plan->sweep->points; i++)
        free(plan->job[i].digest);
    free(plan->job);
    plan->job = NULL;
}

unsigned swp_shard(const char *id, unsigned count)
{
    return (unsigned)(XXH64(id, strlen(id), 0) % count);
}

/* ---- what is learned ------------------------------------------------------------------------- */

static double plan_distance(const struct swp_sweep *sweep, const struct swp_point *a,
                            const struct swp_point *b)
{
    double sum = 0;
    for (size_t k = 0; k < sweep->keys; k++) {
        const struct swp_key *key = &sweep->key[k];
        const struct swp_value *x = &key->value[a->value[k]], *y = &key->value[b->value[k]];
        const enum in_type type = key->key->form.type;
        if (a->value[k] == b->value[k])
            continue;
        sum += type < IN_ENUM && type != IN_BOOL
                   ? fabs(log2(((double)x->number + 1) / ((double)y->number + 1)))
                   : OTHER_VALUE;
    }
    return sum;
}

static void plan_learn(struct swp_job *job, const struct swp_job *done, double far)
{
    if (far > job->near)
        return;
    if (far < job->near) {
        job->near = far;
        job->as_near = 0;
        job->cost = job->memory = 0;
    }
    job->as_near++;
    job->cost += (done->seconds - job->cost) / job->as_near;
    job->memory += ((double)done->peak - job->memory) / job->as_near;
}

void swp_plan_done(struct swp_plan *plan, size_t job)
{
    const struct swp_point *point = plan->sweep->point;
    plan->job[job].state = SWP_DONE;
    for (size_t i = 0; i < plan->sweep->points; i++)
        if (plan->job[i].state <= SWP_RUNNING)
            plan_learn(&plan->job[i], &plan->job[job],
                       plan_distance(plan->sweep, &point[i], &point[job]));
}

uint64_t swp_plan_memory(const struct swp_plan *plan, size_t job)
{
    const struct swp_job *j = &plan->job[job];
    return j->near < HUGE_VAL ? (uint64_t)j->memory : j->bound;
}

/* ---- what follows ---------------------------------------------------------------------------- */

size_t swp_plan_count(const struct swp_plan *plan, enum swp_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->sweep->points; i++)
        count += plan->job[i].ours && plan->job[i].state == state;
    return count;
}

static uint64_t memory_taken(const struct swp_plan *plan)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < plan->sweep->points; i++)
        if (plan->job[i].state == SWP_RUNNING)
            sum += swp_plan_memory(plan, i);
    return sum;
}

size_t swp_plan_next(const struct swp_plan *plan)
{
    const size_t running = swp_plan_count(plan, SWP_RUNNING);
    const uint64_t taken = memory_taken(plan);
    const uint64_t left = taken < plan->memory ? plan->memory - taken : 0;
    size_t best = SIZE_MAX;
    for (size_t i = 0; running < plan->processes && i < plan->sweep->points; i++) {
        const struct swp_job *job = &plan->job[i];
        const bool fits = !running || swp_plan_memory(plan, i) <= left;
        if (job->ours && job->state == SWP_WAITING && fits &&
            (best == SIZE_MAX || job->cost > plan->job[best].cost))
            best = i;
    }
    return best;
}

double swp_plan_left(const struct swp_plan *plan, double now)
{
    double sum = 0, longest = 0;
    for (size_t i = 0; i < plan->sweep->points; i++) {
        const struct swp_job *job = &plan->job[i];
        double left = job->cost;
        if (!job->ours || job->state > SWP_RUNNING)
            continue;
        if (job->near == HUGE_VAL)
            return -1;
        if (job->state == SWP_RUNNING)
            left = now - job->began < left ? left - (now - job->began) : 0;
        sum += left;
        longest = left > longest ? left : longest;
    }
    return fmax(sum / plan->processes, longest);
}
