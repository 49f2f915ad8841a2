/*
 * A process runs workloads as often as it likes, one after another: also those whose threads have
 * stacks of their own, wherever they stand at the end. (Flows alone run once: tests/flows.c.)
 */
#include "procard/r4400/r4400.h"
#include "programs/stack.h"
#include "programs/workload.h"

#include <criterion/criterion.h>

enum { END = 1000 /* [ticks] of a run */, MOST = 3 /* turns */ };

struct turns {
    struct prog_run *run;
    struct prog_stack *stack;
    unsigned turns; /* that the thread had */
};

/* The thread stops for ever after as many turns as the run is told. */
static void thread(void *arg)
{
    struct turns *t = arg;

    for (volatile unsigned mine = 1; mine <= MOST; mine++) {
        t->turns++;
        cr_expect_eq(t->turns, mine);
        if (mine < MOST)
            prog_stack_leave(t->stack);
    }
}

static bool prepare(void *self, struct prog_run *run)
{
    ((struct turns *)self)->run = run;
    return true;
}

static void start(void *self)
{
    struct turns *t = self;
    const unsigned *granted = t->run->spec->what;

    t->stack = prog_stack_new(thread, t);
    for (unsigned i = 0; i < *granted; i++)
        prog_stack_enter(t->stack);
    cr_expect_eq(t->turns, *granted);
}

static bool runs(const void *self)
{
    (void)self;
    return false;
}

static sim_tick date(const void *self)
{
    (void)self;
    return END;
}

static void due(void *self, sim_tick now)
{
    if (now >= END)
        prog_finish(((struct turns *)self)->run, PROG_EXITED, 7, NULL);
}

static void trap(void *self, const struct nm_trap *trap)
{
    (void)self, (void)trap;
}

static void describe(void *self, FILE *out)
{
    (void)self, (void)out;
}

static void end(void *self)
{
    prog_stack_free(((struct turns *)self)->stack);
}

static void go(unsigned turns)
{
    const struct prog_workload workload = {.name = "turns",
                                           .size = sizeof(struct turns),
                                           .prepare = prepare,
                                           .start = start,
                                           .runs = runs,
                                           .date = date,
                                           .due = due,
                                           .trap = trap,
                                           .describe = describe,
                                           .end = end};
    const struct prog_spec spec = {
        .workload = &workload, .what = &turns, .limit = SIM_NEVER, .moment = SIM_NEVER};
    struct prog_outcome out;
    struct nm_params p;
    struct nm_machine *m;

    nm_params_default(&p);
    m = nm_machine_new(&p, &pc_r4400);
    prog_run(m, &spec, NULL, &out);
    nm_machine_free(m);
    cr_expect(out.end == PROG_EXITED && out.status == 7 && out.ticks >= END);
}

Test(once, runs_follow_each_other)
{
    for (unsigned i = 0; i < 2 * (MOST + 1); i++)
        go(i % (MOST + 1));
}
