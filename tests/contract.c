/*
 * The contracts of what is added from outside. Of a core (procard/core.h): one that keeps no more
 * of it than it must gets on, and each of its slips ends with a message instead of never or with
 * wrong results. Of a counter unit, and of a workload, what the simulator can see of them.
 */
#include "actors.h"
#include "monitor/board/board.h"
#include "programs/workload.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>

enum { LOADS = 100, LINE = 64 };

/* What the core forgets. */
static enum { KEPT, HORIZON, REASON, CHARGE, BOOKS } forgets;

/* The smallest of cores. */
struct loader {
    struct pc_cpu cpu;
    unsigned done;
};

static sim_tick run(struct pc_cpu *cpu, sim_tick horizon)
{
    struct loader *loader = (struct loader *)cpu;
    enum pc_stop stop;
    if (forgets != HORIZON)
        cpu->horizon = horizon;
    while (cpu->now < horizon) {
        if (loader->done == LOADS) {
            if (forgets != REASON)
                cpu->exc = PC_EXC_SYS;
            return pc_stopped(cpu, PC_STOP_TRAP);
        }
        if (!pc_load(cpu, loader->done * LINE, 8, cpu->now, &stop))
            return pc_stopped(cpu, stop);
        loader->done++;
        cpu->instructions++;
        if (forgets == BOOKS)
            cpu->now++;
        else if (forgets != CHARGE || loader->done % 2)
            pc_complete(cpu, PC_ST_LOAD, 1);
    }
    return cpu->now;
}

static const struct pc_core_ops core = {
    .name = "loader", .size = sizeof(struct loader), .run = run};

static const struct nm_card_kind kind = {&pc_card_ops, &core, &mon_numachine};

static void load_all(uint64_t mode)
{
    struct nm_params p;
    struct nm_trap trap;
    actors_params(&p, 1, 1, 1, 1);
    p.mode = mode;
    struct nm_machine *m = nm_machine_new(&p, &kind);
    nm_machine_set_space(m, &pc_flat_space);
    nm_card_resume(m, 0, 0);
    cr_expect_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_TRAP, "%s", nm_machine_error(m));
    cr_expect_eq(((struct loader *)pc_cpu_at(m, 0))->done, LOADS);
    nm_machine_free(m);
}

Test(contract, kept)
{
    load_all(NM_MODE_TIMED);
    load_all(NM_MODE_FUNCTIONAL);
}

/* In both modes. */
#define FORGOTTEN(name, what)                                        \
    Test(contract, name, .signal = SIGABRT, .timeout = 20)           \
    {                                                                \
        forgets = what;                                              \
        load_all(NM_MODE_TIMED);                                     \
    }                                                                \
    Test(contract, name##_untimed, .signal = SIGABRT, .timeout = 20) \
    {                                                                \
        forgets = what;                                              \
        load_all(NM_MODE_FUNCTIONAL);                                \
    }

FORGOTTEN(horizon_forgotten, HORIZON)
FORGOTTEN(reason_forgotten, REASON)
FORGOTTEN(pcycle_forgotten, CHARGE)
FORGOTTEN(books_forgotten, BOOKS)

/* What an unused counter counts must be nothing. */
Test(contract, event_that_counts, .signal = SIGABRT, .timeout = 20)
{
    struct mon_unit_ops unit = mon_numachine;
    const struct nm_card_kind counting = {&pc_card_ops, &core, &unit};
    struct nm_params p;
    actors_params(&p, 1, 1, 1, 1);
    unit.nothing = MON_EV_run;
    nm_machine_new(&p, &counting);
}

/* ---- a workload ------------------------------------------------------------------------------ */

static bool refuses(void *self, struct prog_run *run)
{
    (void)self, (void)run;
    return false;
}

Test(contract, refusal_without_a_reason)
{
    static const struct prog_workload silent = {.name = "silent", .size = 1, .prepare = refuses};
    const struct prog_spec spec = {.workload = &silent, .limit = SIM_NEVER, .moment = SIM_NEVER};
    struct prog_outcome outcome;
    struct nm_params p;
    actors_params(&p, 1, 1, 1, 1);
    struct nm_machine *m = nm_machine_new(&p, &kind);
    prog_run(m, &spec, NULL, &outcome);
    nm_machine_free(m);
    cr_expect_eq(outcome.end, PROG_UNLOADABLE);
    cr_expect(strstr(outcome.message, "silent") && strstr(outcome.message, "prog_finish"), "%s",
              outcome.message);
}

/* A workload whose only affair is a date, at first to come. */
static sim_tick dates[2];

struct dated {
    struct prog_run *run;
    bool done;
};

static bool agrees(void *self, struct prog_run *run)
{
    ((struct dated *)self)->run = run;
    return true;
}

static void begins(void *self)
{
    (void)self;
}

static bool never_runs(const void *self)
{
    (void)self;
    return false;
}

static sim_tick dated(const void *self)
{
    return dates[((const struct dated *)self)->done];
}

static void falls_due(void *self, sim_tick now)
{
    ((struct dated *)self)->done |= now >= dates[0];
}

static void describes(void *self, FILE *out)
{
    (void)self, (void)out;
}

static void run_dated(struct prog_outcome *outcome, sim_tick second)
{
    static const struct prog_workload workload = {.name = "calendar",
                                                  .size = sizeof(struct dated),
                                                  .prepare = agrees,
                                                  .start = begins,
                                                  .runs = never_runs,
                                                  .date = dated,
                                                  .due = falls_due,
                                                  .describe = describes};
    const struct prog_spec spec = {.workload = &workload, .limit = SIM_NEVER, .moment = SIM_NEVER};
    struct nm_params p;
    dates[0] = 1000;
    dates[1] = second;
    actors_params(&p, 1, 1, 1, 1);
    struct nm_machine *m = nm_machine_new(&p, &kind);
    prog_run(m, &spec, NULL, outcome);
    nm_machine_free(m);
}

Test(contract, date_that_goes, .timeout = 20)
{
    struct prog_outcome outcome;
    run_dated(&outcome, SIM_NEVER);
    cr_expect_eq(outcome.end, PROG_DEADLOCK);
    cr_expect_eq(outcome.ticks, 1000);
}

static void expect_named(const struct prog_outcome *outcome, const char *date)
{
    cr_expect_eq(outcome->end, PROG_BROKEN);
    cr_expect_eq(outcome->ticks, 1000);
    cr_expect(strstr(outcome->message, "'calendar'") && strstr(outcome->message, date) &&
                  strstr(outcome->message, "tick 1000"),
              "%s", outcome->message);
}

Test(contract, date_that_stays, .timeout = 20)
{
    struct prog_outcome outcome;
    run_dated(&outcome, 1000);
    expect_named(&outcome, "its date is tick 1000");
}

Test(contract, date_in_the_past, .timeout = 20)
{
    struct prog_outcome outcome;
    run_dated(&outcome, 10);
    expect_named(&outcome, "its date is tick 10,");
}
