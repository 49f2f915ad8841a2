/*
 * The contracts of what is added from outside. Of a core (procard/core.h): one that keeps no more
 * of it than it must gets on, and each of its slips ends with a message instead of never or with
 * wrong results. Of a counter unit, and of a workload, what the simulator can see of them.
 */
#include "actors.h"
#include "machine/values.h"
#include "monitor/board/board.h"
#include "programs/driven/driven.h"
#include "programs/workload.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOADS = 100, LINE = 64, STEP = 50 };

/* What the core forgets. */
enum slip { KEPT, HORIZON, REASON, CHARGE, BOOKS, TICK, END, WAKING };
static enum slip forgets;

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
        if (forgets == WAKING && loader->done == LOADS / 2) {
            pc_charge(cpu, PC_ST_SLIP_INT, horizon - cpu->now);
            break;
        }
        if (!pc_load(cpu, loader->done * LINE, 8, cpu->now, &stop))
            return pc_stopped(cpu, stop);
        loader->done++;
        cpu->instructions++;
        if (forgets == BOOKS)
            cpu->now++;
        else if (forgets != CHARGE || loader->done % 2)
            pc_complete(cpu, PC_ST_LOAD, 1);
        for (unsigned i = 0; forgets == END && i < 1000; i++)
            pc_complete(cpu, PC_ST_INT, 1);
    }
    return cpu->now + (forgets == TICK);
}

static const struct pc_core_ops core = {
    .name = "loader", .size = sizeof(struct loader), .run = run};

static const struct nm_card_kind kind = {&pc_card_ops, &core, &mon_numachine};

/* Runs that end at a horizon, too. */
static void load_all(uint64_t mode)
{
    enum nm_run why;
    struct nm_params p;
    struct nm_trap trap;
    actors_params(&p, 1, 1, 1, 1);
    p.mode = mode;
    struct nm_machine *m = nm_machine_new(&p, &kind);
    nm_machine_set_space(m, &pc_flat_space);
    nm_card_resume(m, 0, 0);
    while ((why = nm_machine_run(m, nm_machine_now(m) + STEP, &trap)) == NM_RUN_UNTIL)
        ;
    cr_expect_eq(why, NM_RUN_TRAP, "%s", nm_machine_error(m));
    cr_expect_eq(((struct loader *)pc_cpu_at(m, 0))->done, LOADS);
    nm_machine_free(m);
}

/* It has work and waits for nothing: the watchdog names it, and its pc. */
Test(contract, core_that_stands_still)
{
    struct nm_params p;
    struct nm_trap trap;
    forgets = WAKING;
    actors_params(&p, 1, 1, 1, 1);
    struct nm_machine *m = nm_machine_new(&p, &kind);
    nm_machine_set_space(m, &pc_flat_space);
    nm_card_resume(m, 0, 0);
    cr_expect_eq(nm_machine_run(m, 4 * p.watchdog, &trap), NM_RUN_STUCK);
    cr_expect(strstr(nm_machine_error(m), "card 0 has a thread, waits for no access"), "%s",
              nm_machine_error(m));
    cr_expect_lt(nm_machine_now(m), 3 * p.watchdog);
    nm_machine_free(m);
}

Test(contract, kept)
{
    load_all(NM_MODE_TIMED);
    load_all(NM_MODE_FUNCTIONAL);
}

/* ---- a core that asks -------------------------------------------------------------------------
 */

/* Ticks by which its one request is behind the last tick that is before the horizon. */
static unsigned behind;

static sim_tick ask(struct pc_cpu *cpu, sim_tick horizon)
{
    struct pc_look look;
    cpu->horizon = horizon;
    if (cpu->now > 0) {
        cpu->exc = PC_EXC_SYS;
        return pc_stopped(cpu, PC_STOP_TRAP);
    }
    pc_find(cpu, 0, NM_LOAD, &look);
    pc_look_up(cpu, PC_SIDE_D, &look);
    cr_assert_eq(pc_ask(cpu, &look, NM_LOAD, horizon - 1 + behind), PC_ASKED);
    while (cpu->now < horizon)
        pc_complete(cpu, PC_ST_INT, 1);
    return pc_stopped(cpu, PC_STOP_ASKED);
}

static void answered(struct pc_cpu *cpu, enum pc_side side, uint64_t line, bool granted,
                     sim_tick now)
{
    (void)cpu, (void)side, (void)line, (void)granted, (void)now;
}

static void loses(struct pc_cpu *cpu, uint64_t line, enum pc_loss loss, sim_tick now)
{
    (void)cpu, (void)line, (void)loss, (void)now;
}

static void ask_once(void)
{
    static const struct pc_core_ops asking = {.name = "asking",
                                              .size = sizeof(struct pc_cpu),
                                              .run = ask,
                                              .requests = 1,
                                              .answered = answered,
                                              .loses = loses};
    static const struct nm_card_kind asks = {&pc_card_ops, &asking, &mon_numachine};
    struct nm_params p;
    struct nm_trap trap;
    actors_params(&p, 1, 1, 1, 1);
    struct nm_machine *m = nm_machine_new(&p, &asks);
    nm_machine_set_space(m, &pc_flat_space);
    nm_card_resume(m, 0, 0);
    cr_assert_eq(nm_machine_run(m, STEP, &trap), NM_RUN_UNTIL);
    nm_machine_free(m);
}

/* ---- what is said -----------------------------------------------------------------------------
 */

/* Runs what ends the process with a message, in a process of its own. What it has said. */
static void said_by(void (*fault)(void), char *text, size_t size)
{
    int ends[2], status;
    cr_assert(!pipe(ends));
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        fault();
        _exit(0);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "r");
    text[fread(text, 1, size - 1, in)] = '\0';
    fclose(in);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "%s", text);
}

static void load_timed(void)
{
    load_all(NM_MODE_TIMED);
}

static void load_functional(void)
{
    load_all(NM_MODE_FUNCTIONAL);
}

/* Whether a text is as expected, where # stands for a number that depends on the machine. A build
 * that looks at its state may find out sooner. */
static bool is_said(const char *text, const char *expected)
{
    for (; *expected; expected++) {
        const size_t digits = *expected == '#' ? strspn(text, "0123456789") : *text == *expected;
        if (!digits)
            return SIM_LOOKS_AT_INVARIANTS;
        text += digits;
    }
    return !*text || SIM_LOOKS_AT_INVARIANTS;
}

#define EARLY                                                                                  \
    "card 0 stopped at tick 0, before its horizon 50: it must go on to the horizon, wait, or " \
    "trap. A "                                                                                 \
    "core sets cpu->horizon before its first access (procard/core.h)\n"
#define COMPLETE \
    " PCycles that complete one: a core calls pc_complete for each instruction (procard/core.h)\n"
#define CHARGE_IT                                                                   \
    " PCycles in its states: a core moves its clock with pc_charge or pc_complete " \
    "(procard/core.h)\n"

/* Each slip, in both modes, and what is said of it. */
Test(contract, slips)
{
    static const struct {
        enum slip forgets;
        const char *timed, *functional;
    } rows[] = {
        {HORIZON, EARLY, EARLY},
        {REASON,
         "card 0 traps at tick # without a reason: a core sets cpu->exc first (procard/core.h)\n",
         "card 0 traps at tick 100 without a reason: a core sets cpu->exc first "
         "(procard/core.h)\n"},
        {CHARGE, "card 0 traps after 100 instructions and #" COMPLETE,
         "card 0 traps after 100 instructions and 50" COMPLETE},
        {BOOKS, "card 0 traps at tick # with #" CHARGE_IT,
         "card 0 traps at tick 100 with 0" CHARGE_IT},
#ifdef SIM_INVARIANTS
        {TICK, NULL, NULL},
        {END, NULL, NULL},
#endif
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned functional = 0; functional < 2; functional++) {
            char text[1000];
            const char *expected = functional ? rows[i].functional : rows[i].timed;
            forgets = rows[i].forgets;
            said_by(functional ? load_functional : load_timed, text, sizeof text);
            if (expected)
                cr_expect(is_said(text, expected), "slip %d: %s", rows[i].forgets, text);
        }
}

/* The last tick at which a core may ask, and the one behind it. */
Test(contract, asks)
{
    char text[1000];
    behind = 0;
    ask_once();
    behind = 1;
    said_by(ask_once, text, sizeof text);
    cr_expect(is_said(text, "card 0 asks for a line at tick 50, horizon 50: a core starts accesses "
                            "before its horizon only "
                            "(procard/core.h)\n"),
              "%s", text);
}

/* What an unused counter counts must be nothing. */
Test(contract, event_that_counts, .signal = SIGABRT, .timeout = 200)
{
    struct mon_unit_ops unit = mon_numachine;
    const struct nm_card_kind counting = {&pc_card_ops, &core, &unit};
    struct nm_params p;
    actors_params(&p, 1, 1, 1, 1);
    unit.nothing = MON_EV_run;
    nm_machine_new(&p, &counting);
}

/* ---- what a program hands over -------------------------------------------------------------- */

/* One that nobody has filled in, one of a row that is out of range, one of a broken rule. */
Test(contract, no_such_machine)
{
    struct nm_params p = {0};
    cr_expect_null(nm_machine_new(&p, &kind));
    actors_params(&p, 1, 1, 1, 1);
    p.processors = 5;
    cr_expect_null(nm_machine_new(&p, &kind));
    actors_params(&p, 1, 1, 1, 1);
    p.bus_clock--;
    cr_expect_null(nm_machine_new(&p, &kind));
}

/* What is called with what cannot be ends there, and says where. */
#define ENDS(name, statement)                               \
    Test(contract, name, .signal = SIGABRT, .timeout = 200) \
    {                                                       \
        struct nm_params p;                                 \
        actors_params(&p, 1, 1, 1, 1);                      \
        struct nm_machine *m = nm_machine_new(&p, &kind);   \
        statement;                                          \
        nm_machine_free(m);                                 \
    }

static const struct pc_core_ops still = {.name = "still", .size = sizeof(struct pc_cpu)};
static const struct nm_card_kind none = {&pc_card_ops, &still, NULL};

ENDS(core_that_cannot_run, m = nm_machine_new(&p, &none))
ENDS(no_such_card, nm_card_resume(m, 1, 0))
ENDS(no_such_function, nm_special_overwrites(0))
ENDS(no_such_command, nm_card_special(m, 0, 7, 0, 1, 0))
ENDS(no_such_line, nm_line_at_home(m, p.memory_size))
ENDS(no_such_page, nm_page_free(m, p.memory_size))
ENDS(no_such_station, nm_machine_place(m, &(struct nm_range){.to = 1, .station = 1}, 1))
ENDS(no_source, pc_drive(m, 0, NULL, NULL, 0))
ENDS(no_trap, nm_machine_run(m, 1, NULL))

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

Test(contract, date_that_goes, .timeout = 200)
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

Test(contract, date_that_stays, .timeout = 200)
{
    struct prog_outcome outcome;
    run_dated(&outcome, 1000);
    expect_named(&outcome, "its date is tick 1000");
}

Test(contract, date_in_the_past, .timeout = 200)
{
    struct prog_outcome outcome;
    run_dated(&outcome, 10);
    expect_named(&outcome, "its date is tick 10,");
}

static void nothing(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    (void)self, (void)card, (void)now, (void)out;
}

/* A work that a machine of one card cannot do says why. */
static void refuse(unsigned count, unsigned first, unsigned second, const char *why)
{
    static const struct pc_driver_source source = {.next = nothing};
    const struct driven_thread threads[] = {{.card = first, .source = &source},
                                            {.card = second, .source = &source}};
    const struct driven_work work = {threads, count};
    const struct prog_spec spec = {
        .workload = &driven_workload, .what = &work, .limit = SIM_NEVER, .moment = SIM_NEVER};
    struct prog_outcome outcome;
    struct nm_params p;
    actors_params(&p, 1, 1, 1, 1);
    struct nm_machine *m = actors_machine(&p);
    prog_run(m, &spec, NULL, &outcome);
    nm_machine_free(m);
    cr_expect_eq(outcome.end, PROG_UNLOADABLE, "%s: %d", why, (int)outcome.end);
    cr_expect(strstr(outcome.message, why), "%s: %s", why, outcome.message);
}

Test(contract, work_that_cannot_be_done)
{
    refuse(0, 0, 0, "no thread");
    refuse(1, 1, 0, "thread 0 shall run on card 1");
    refuse(2, 0, 0, "threads 0 and 1 shall both run on card 0");
}
