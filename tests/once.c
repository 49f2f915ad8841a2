/*
 * A process has one SimGrid: the second workload of actors is told so, before anything of it has
 * happened, whatever ran before; workloads without actors run as often as one likes.
 */
#include "procard/r4400/r4400.h"
#include "programs/workload.h"

#include <criterion/criterion.h>
#include <string.h>

enum { END = 1000 /* [ticks] of a run */ };

struct idle {
    struct prog_run *run;
};

static bool prepare(void *self, struct prog_run *run)
{
    ((struct idle *)self)->run = run;
    return true;
}

static void start(void *self)
{
    ++*(unsigned *)((struct idle *)self)->run->spec->what;
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
        prog_finish(((struct idle *)self)->run, PROG_EXITED, 7, NULL);
}

static void trap(void *self, const struct nm_trap *trap)
{
    (void)self, (void)trap;
}

static void describe(void *self, FILE *out)
{
    (void)self, (void)out;
}

/** @return whether it has run to its end; if not, it must have been refused in so many words */
static bool goes(bool actors)
{
    const struct prog_workload idle = {.name = "idle",
                                       .size = sizeof(struct idle),
                                       .actors = actors,
                                       .prepare = prepare,
                                       .start = start,
                                       .runs = runs,
                                       .date = date,
                                       .due = due,
                                       .trap = trap,
                                       .describe = describe};
    unsigned starts = 0;
    const struct prog_spec spec = {
        .workload = &idle, .what = &starts, .limit = SIM_NEVER, .moment = SIM_NEVER};
    struct prog_outcome out;
    struct nm_params p;
    struct nm_machine *m;

    nm_params_default(&p);
    m = nm_machine_new(&p, &pc_r4400);
    prog_run(m, &spec, NULL, &out);
    nm_machine_free(m);
    if (out.end == PROG_EXITED) {
        cr_expect(starts == 1 && out.status == 7 && out.ticks >= END);
        return true;
    }
    cr_expect(out.end == PROG_UNLOADABLE && starts == 0 && out.ticks == 0);
    cr_expect(strstr(out.message, "only once in a process"), "%s", out.message);
    return false;
}

Test(once, a_second_workload_of_actors_is_refused)
{
    static const bool actors[] = {false, true, false, true, false, true};
    bool done = false;

    for (size_t i = 0; i < sizeof actors / sizeof *actors; i++) {
        cr_expect(goes(actors[i]) == !(actors[i] && done), "run %zu", i);
        done |= actors[i];
    }
}
