/*
 * A process has one SimGrid, and threads sleep in it: once one has slept, the next workload of
 * actors is told so, before anything of it has happened, whatever ran before. Workloads without
 * actors, and those whose threads never sleep, run as often as one likes. If somebody else has
 * started SimGrid, who wants to sleep ends the run.
 */
#include "machine/values.h"
#include "procard/r4400/r4400.h"
#include "programs/actors.h"
#include "programs/sleepers.h"
#include "programs/workload.h"

#include <criterion/criterion.h>
#include <string.h>

enum { END = 1000 /* [ticks] of a run */ };

enum kind {
    ALONE /* without actors */,
    AWAKE,
    SLEEPS,
    ROBBED /* of SimGrid, when it wants to sleep */
};

struct idle {
    struct prog_run *run;
    struct prog_actor *actor;
    unsigned turns;
};

/** What a run shall do, and what it did. */
struct asked {
    enum kind kind;
    unsigned starts, turns;
};

static bool prepare(void *self, struct prog_run *run)
{
    ((struct idle *)self)->run = run;
    return true;
}

static const struct asked *asked_of(const struct idle *i)
{
    return i->run->spec->what;
}

/** Two turns: to the middle of the run, and to its end. */
static void thread(void *arg)
{
    struct idle *i = arg;

    int err = 0;

    i->turns++;
    if (asked_of(i)->kind == ROBBED)
        prog_sleepers_free(prog_sleepers_new(i->run->par, &err));
    cr_expect_eq(err, 0);
    if (asked_of(i)->kind >= SLEEPS)
        prog_actor_block(i->actor, END / 2);
    else
        prog_actor_wait(i->actor);
    i->turns++;
}

static void start(void *self)
{
    struct idle *i = self;
    struct asked *asked = (struct asked *)(uintptr_t)asked_of(i);

    asked->starts++;
    if (asked->kind == ALONE)
        return;
    i->actor = prog_actor_new(i->run->actors, "thread", 0, thread, i);
    prog_actor_grant(i->actor);
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
    struct idle *i = self;

    if (now < END || i->run->over)
        return;
    if (i->actor) {
        prog_actors_advance(i->run->actors, now);
        prog_actor_grant(i->actor);
    }
    ((struct asked *)(uintptr_t)asked_of(i))->turns = i->turns;
    prog_finish(i->run, PROG_EXITED, 7, NULL);
}

static void trap(void *self, const struct nm_trap *trap)
{
    (void)self, (void)trap;
}

static void describe(void *self, FILE *out)
{
    (void)self, (void)out;
}

/** @return how many starts there were, of one that ended; 0 for one that was refused before it
 * began, -1 for one that was refused in the middle, each in so many words */
static int goes(enum kind kind)
{
    const struct prog_workload idle = {.name = "idle",
                                       .size = sizeof(struct idle),
                                       .actors = kind != ALONE,
                                       .prepare = prepare,
                                       .start = start,
                                       .runs = runs,
                                       .date = date,
                                       .due = due,
                                       .trap = trap,
                                       .describe = describe};
    struct asked asked = {.kind = kind};
    const struct prog_spec spec = {
        .workload = &idle, .what = &asked, .limit = SIM_NEVER, .moment = SIM_NEVER};
    struct prog_outcome out;
    struct nm_params p;
    struct nm_machine *m;

    nm_params_default(&p);
    m = nm_machine_new(&p, &pc_r4400);
    prog_run(m, &spec, NULL, &out);
    nm_machine_free(m);
    if (out.end == PROG_EXITED) {
        cr_expect(out.status == 7 && out.ticks >= END);
        cr_expect_eq(asked.turns, kind == ALONE ? 0 : 2);
        return (int)asked.starts;
    }
    cr_expect(out.end == PROG_UNLOADABLE && asked.turns == 0 && out.ticks == 0);
    cr_expect(strstr(out.message, "only once in a process"), "%s", out.message);
    return asked.starts ? -1 : 0;
}

Test(once, actors_after_one_that_slept_are_refused)
{
    static const enum kind kinds[] = {ALONE, AWAKE,  AWAKE, ALONE, SLEEPS, ALONE,
                                      AWAKE, SLEEPS, ALONE, AWAKE, SLEEPS};
    bool slept = false;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cr_expect_eq(goes(kinds[i]), kinds[i] == ALONE || !slept, "run %zu", i);
        slept |= kinds[i] == SLEEPS;
    }
    cr_expect(prog_sleepers_started());
}

Test(once, who_cannot_sleep_ends_the_run)
{
    cr_expect_eq(goes(ROBBED), -1);
}
