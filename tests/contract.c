/*
 * The contract of a core (procard/core.h): one that keeps no more of it than it must gets
 * on, and one that forgets cpu->horizon ends with a message instead of never.
 */
#include "actors.h"
#include "monitor/board/board.h"

#include <criterion/criterion.h>
#include <signal.h>

enum { LOADS = 100, LINE = 64 };

static bool forgets;

/* The smallest of cores. */
struct loader {
    struct pc_cpu cpu;
    unsigned done;
};

static enum pc_stop run(struct pc_cpu *cpu, nm_tick horizon)
{
    struct loader *loader = (struct loader *)cpu;
    enum pc_stop stop;
    if (!forgets)
        cpu->horizon = horizon;
    while (cpu->now < horizon) {
        if (loader->done == LOADS) {
            cpu->exc = PC_EXC_SYS;
            return PC_STOP_TRAP;
        }
        if (!pc_load(cpu, loader->done * LINE, 8, cpu->now, &stop))
            return stop;
        loader->done++;
        pc_charge(cpu, PC_ST_LOAD, 1);
    }
    return PC_STOP_HORIZON;
}

static const struct pc_core_ops core = {
    .name = "loader", .size = sizeof(struct loader), .run = run};

static const struct nm_card_kind kind = {&pc_card_ops, &core, &mon_numachine};

static void load_all(void)
{
    struct nm_params p;
    struct nm_trap trap;
    actors_params(&p, 1, 1, 1, 1);
    struct nm_machine *m = nm_machine_new(&p, &kind);
    nm_machine_set_space(m, &pc_flat_space);
    nm_card_resume(m, 0, 0);
    cr_expect_eq(nm_machine_run(m, NM_NEVER, &trap), NM_RUN_TRAP, "%s", nm_machine_error(m));
    cr_expect_eq(((struct loader *)pc_cpu_at(m, 0))->done, LOADS);
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
