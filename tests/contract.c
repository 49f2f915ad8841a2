/*
 * The contract of a core (procard/core.h): one that keeps no more of it than it must gets
 * on, and one that forgets cpu->horizon ends with a message instead of never.
 */
#include "actors.h"

#include <criterion/criterion.h>
#include <signal.h>

enum { LOADS = 100, LINE = 64 };

static bool forgets;

enum pc_stop acting_run(struct pc_cpu *cpu, nm_tick horizon)
{
    unsigned *done = actor_of(cpu);
    enum pc_stop stop;
    if (!forgets)
        cpu->horizon = horizon;
    while (cpu->now < horizon) {
        if (*done == LOADS) {
            cpu->exc = PC_EXC_SYS;
            return PC_STOP_TRAP;
        }
        if (!pc_load(cpu, *done * LINE, 8, cpu->now, &stop))
            return stop;
        ++*done;
        pc_charge(cpu, PC_ST_LOAD, 1);
    }
    return PC_STOP_HORIZON;
}

static void load_all(void)
{
    struct nm_params p;
    unsigned done = 0;
    struct nm_trap trap;
    actors_params(&p, 1, 1, 1, 1);
    struct nm_machine *m = actors_machine(&p);
    actors_start(m, 0, &done, 0);
    cr_expect_eq(nm_machine_run(m, NM_NEVER, &trap), NM_RUN_TRAP, "%s", nm_machine_error(m));
    cr_expect_eq(done, LOADS);
    nm_machine_free(m);
}

Test(contract, kept)
{
    load_all();
}

Test(contract, horizon_forgotten, .signal = SIGABRT, .timeout = 20)
{
    forgets = true;
    load_all();
}
