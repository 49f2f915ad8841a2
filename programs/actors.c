/*
 * Actors: a stack each, and a place to sleep in SimGrid once they have blocked.
 *
 * The hard idea: the order of system calls is part of the result, and SimGrid may run any actor
 * whose wait is over. So what sleeps in SimGrid is not the thread itself: its stack goes on only
 * when the hardware grants it a turn.
 */
#include "programs/actors.h"
#include "base/alloc.h"
#include "programs/sleepers.h"
#include "programs/stack.h"

#include <errno.h>
#include <utlist.h>

struct prog_actor {
    struct prog_actors *as;
    struct prog_actor *prev, *next;
    struct prog_stack *stack;
    struct prog_sleeper *sleeper; /* of a thread that has blocked */
    unsigned card;
    char name[32];
};

struct prog_actors {
    const struct nm_params *p;
    const struct prog_actors_ops *ops;
    void *ctx;
    struct prog_actor *all;
    struct prog_sleepers *sleepers; /* NULL: nobody has blocked */
    sim_tick now;
};

void prog_actor_free(struct prog_actors *as, struct prog_actor *a)
{
    DL_DELETE(as->all, a);
    if (a->sleeper)
        prog_sleeper_free(a->sleeper);
    prog_stack_free(a->stack);
    free(a);
}

int prog_actors_run(const struct nm_params *p, const struct prog_actors_ops *ops, void *ctx)
{
    struct prog_actors as = {.p = p, .ops = ops, .ctx = ctx};
    struct prog_actor *a, *tmp;

    if (prog_sleepers_started())
        return -EALREADY;
    ops->hardware(&as, ctx);
    DL_FOREACH_SAFE(as.all, a, tmp)
        prog_actor_free(&as, a);
    if (as.sleepers)
        prog_sleepers_free(as.sleepers);
    return 0;
}

struct prog_actor *prog_actor_new(struct prog_actors *as, const char *name, unsigned card,
                                  void (*body)(void *arg), void *arg)
{
    struct prog_actor *a = sim_alloc(1, sizeof *a);

    a->as = as;
    a->stack = prog_stack_new(body, arg);
    a->card = card;
    snprintf(a->name, sizeof a->name, "%s", name);
    DL_APPEND(as->all, a);
    return a;
}

void prog_actor_move(struct prog_actor *a, unsigned card)
{
    a->card = card;
    if (a->sleeper)
        prog_sleeper_move(a->sleeper, card);
}

void prog_actors_advance(struct prog_actors *as, sim_tick to)
{
    as->now = sim_later(as->now, to);
    if (as->sleepers)
        prog_sleepers_advance(as->sleepers, as->now);
}

void prog_actor_grant(struct prog_actor *a)
{
    if (a->sleeper)
        prog_sleeper_wake(a->sleeper);
    prog_stack_enter(a->stack);
}

void prog_actor_wait(struct prog_actor *a)
{
    prog_stack_leave(a->stack);
}

/** @return 0 or -errno */
static int find_sleeper(struct prog_actor *a)
{
    struct prog_actors *as = a->as;
    int err = 0;

    if (!as->sleepers) {
        as->sleepers = prog_sleepers_new(as->p, &err);
        if (!as->sleepers)
            return err;
        prog_sleepers_advance(as->sleepers, as->now);
    }
    if (!a->sleeper)
        a->sleeper = prog_sleeper_new(as->sleepers, a->name, a->card);
    return 0;
}

void prog_actor_block(struct prog_actor *a, sim_tick date)
{
    const int err = find_sleeper(a);

    if (err == 0)
        prog_sleeper_sleep(a->sleeper, date);
    else
        a->as->ops->failed(a->as->ctx, err);
    prog_stack_leave(a->stack);
}
