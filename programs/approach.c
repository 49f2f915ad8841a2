/*
 * Fast-forwarding. A point is noticed when the machine stands; then it changes its mode, at once
 * from a functional one, or when what is under way has come to its end (sample.c).
 *
 * The hard idea is whose pages lie where. That depends on who touches them first, and all that
 * follows depends on it: so on the way to the first point the machine is warmed only while
 * processors do not take pages from each other, and timed at the begin and while they do. A program
 * whose threads come soon, and fill their data then, has the places of the timed run.
 */
#include "programs/approach.h"

#include "base/alloc.h"
#include "procard/procard.h"
#include "programs/sample.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOKS = 1024,   /**< [PCycles] at least, between two looks at instructions */
    WINDOW = 100000 /**< [PCycles] Pages that are taken no further apart could come in another
                         order if the machine were warmed meanwhile */
};

/** How a machine comes to the first point. */
enum way {
    TIMED,   /**< processors take pages, or the program begins */
    RESTING, /**< they have stopped to: the machine comes to rest, to be warmed */
    UNTIMED, /**< warmed or, if caches shall not be, functional */
};

/** What a run with an approach does at present. */
enum stage {
    FORWARD, /**< functional or warmed, to the first point */
    DETAIL,  /**< timed, or sampled, to the second point */
    AFTER,   /**< functional: behind the second point */
};

struct prog_stages {
    struct prog_run *run;
    const struct prog_approach *approach;
    struct prog_sampler *sampler; /**< of DETAIL */
    enum stage stage;
    enum way way;         /**< of FORWARD */
    uint64_t turns;       /**< of pages, at the last look (prog_page_turns) */
    sim_tick turned;      /**< when that was last another number */
    bool reached, passed; /**< the first point, and the second */
    uint64_t left;        /**< times that the awaited point is still to come; an address is counted
                               by the workload */
};

static struct nm_machine *approach_machine(const struct prog_stages *s)
{
    return s->run->m;
}

struct prog_stages *prog_stages_new(struct prog_run *run)
{
    const struct prog_approach *a = &run->spec->approach;
    struct prog_stages *s;

    run->out->reached = a->from.kind == PROG_AT_NONE;
    if (a->from.kind == PROG_AT_NONE && a->to.kind == PROG_AT_NONE && !a->sampling.every)
        return NULL;
    s = sim_alloc(1, sizeof *s);
    s->run = run;
    s->approach = a;
    s->reached = run->out->reached;
    return s;
}

void prog_stages_end(struct prog_stages *s)
{
    if (s)
        prog_sampler_free(s->sampler);
    free(s);
}

/* ---- points ---------------------------------------------------------------------------------- */

/** The point that is waited for. */
static const struct prog_point *approach_awaited(const struct prog_stages *s)
{
    return s->reached ? &s->approach->to : &s->approach->from;
}

static bool approach_counts(const struct prog_stages *s)
{
    return !s->passed && approach_awaited(s)->kind == PROG_AT_INSTRUCTIONS;
}

static uint64_t approach_instructions(const struct prog_stages *s)
{
    uint64_t n = 0;

    for (unsigned c = 0; c < nm_machine_cards(approach_machine(s)); c++)
        n += pc_cpu_at(approach_machine(s), c)->instructions;
    return n;
}

/** The next look at instructions: before it, there cannot be enough, or only just. */
static sim_tick approach_look_at(const struct prog_stages *s)
{
    const uint64_t wanted = approach_awaited(s)->instructions, done = approach_instructions(s);
    const uint64_t left = done < wanted ? wanted - done : 0;

    return nm_machine_now(approach_machine(s)) +
           sim_later(left / nm_machine_cards(approach_machine(s)), LOOKS);
}

/** The next point is waited for; an address costs nothing while it is not. @return whether the
 * point has come already */
static bool approach_aim(struct prog_stages *s)
{
    const struct prog_point *point = approach_awaited(s);
    const struct prog_workload *ops = s->run->spec->workload;
    const bool address = !s->passed && point->kind == PROG_AT_PC;

    s->left = point->times ? point->times : 1;
    return ops->await && ops->await(s->run->self, address ? point->pc : 0, s->left);
}

static void approach_reach(struct prog_stages *s)
{
    do {
        s->passed = s->reached;
        s->reached = true;
        s->run->out->reached = true;
        s->run->out->passed = s->passed;
    } while (approach_aim(s));
}

void prog_stages_mark(struct prog_stages *s, const char *name, bool begin)
{
    if (s && !s->passed && begin == !s->reached && approach_awaited(s)->kind == PROG_AT_MARK &&
        !strcmp(approach_awaited(s)->mark, name) && !--s->left)
        approach_reach(s);
}

void prog_stages_come(struct prog_stages *s, uint64_t va)
{
    if (s && !s->passed && approach_awaited(s)->kind == PROG_AT_PC && approach_awaited(s)->pc == va)
        approach_reach(s);
}

/* ---- stages ---------------------------------------------------------------------------------- */

static void begin_detail(struct prog_stages *s)
{
    s->stage = DETAIL;
    s->sampler = prog_sampler_new(s->run);
}

void prog_stages_begin(struct prog_stages *s)
{
    approach_aim(s);
    if (s->reached) {
        begin_detail(s);
        return;
    }
    s->stage = FORWARD;
    if (s->approach->warms)
        return; /* it is timed as long as processors take pages */
    nm_machine_freeze(approach_machine(s));
    nm_machine_set_mode(approach_machine(s), NM_MODE_FUNCTIONAL);
    s->way = UNTIMED;
}

/* ---- on the way to the first point ----------------------------------------------------------- */

static sim_tick forward_date(const struct prog_stages *s)
{
    return s->stage != FORWARD || s->way == UNTIMED ? SIM_NEVER
           : s->way == TIMED                        ? s->turned + WINDOW
                             : nm_machine_now(approach_machine(s)) + PROG_REST_LOOKS;
}

static void warm_again(struct prog_stages *s)
{
    nm_machine_set_mode(approach_machine(s), NM_MODE_WARM);
    s->way = UNTIMED;
}

/** Times the machine while processors take pages from each other. */
static void follow_pages(struct prog_stages *s)
{
    const sim_tick now = nm_machine_now(approach_machine(s));
    const uint64_t turns = prog_page_turns(s->run);

    if (turns != s->turns) {
        s->turned = now;
        s->run->out->page_turns += turns - s->turns;
    }
    if (turns != s->turns && s->way == UNTIMED) {
        nm_machine_set_mode(approach_machine(s), NM_MODE_TIMED);
        s->way = TIMED;
    }
    s->turns = turns;
    if (s->way == TIMED && now >= s->turned + WINDOW) {
        nm_machine_freeze(approach_machine(s));
        s->way = RESTING;
    }
    if (s->way == RESTING && nm_machine_rests(approach_machine(s)))
        warm_again(s);
}

/** The first point has come. @return false: the machine must come to rest first */
static bool approach_arrive(struct prog_stages *s)
{
    if (s->way == RESTING)
        return false;
    if (s->way != TIMED)
        nm_machine_set_mode(approach_machine(s), NM_MODE_TIMED);
    begin_detail(s);
    return true;
}

sim_tick prog_stages_date(const struct prog_stages *s)
{
    if (!s)
        return SIM_NEVER;
    const sim_tick sampled = s->stage == DETAIL ? prog_sampler_date(s->sampler) : SIM_NEVER;
    const sim_tick next = sim_earlier(sampled, forward_date(s));
    return approach_counts(s) ? sim_earlier(next, approach_look_at(s)) : next;
}

void prog_stages_step(struct prog_stages *s)
{
    if (!s || s->run->over)
        return;
    if (approach_counts(s) && approach_instructions(s) >= approach_awaited(s)->instructions)
        approach_reach(s);
    if (s->stage == FORWARD && s->approach->warms)
        follow_pages(s);
    if (s->stage == FORWARD && s->reached && !approach_arrive(s))
        return;
    if (s->stage == DETAIL && !prog_sampler_step(s->sampler, s->passed)) {
        nm_machine_set_mode(approach_machine(s), NM_MODE_FUNCTIONAL);
        s->stage = AFTER;
    }
}
