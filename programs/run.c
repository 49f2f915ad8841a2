/*
 * One run of a workload, from its first reference to its end.
 *
 * The hard idea: two clocks move together. The machine is simulated up to the next date at which
 * the workload has something to do (a deadline, an alarm, the limit) or until a card traps; then
 * the workload does what is to be done at that tick, in an order that depends on nothing but the
 * simulation. Which workload it is the loop does not know.
 */
#include "base/alloc.h"
#include "procard/procard.h"
#include "programs/actors.h"
#include "programs/approach.h"
#include "programs/host.h"
#include "programs/inspect.h"
#include "programs/sleepers.h"
#include "programs/workload.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* How far the machine runs before the host's clock is looked at, and how often the hook is called.
 */
enum { CHUNK_TICKS = 1 << 18, PROGRESS_NS = 100000000 };

/* How often in a row a workload may have something due at the present tick, and nothing else
 * happen: more than that never ends. */
enum { DATES_MAX = 1 << 16 };

static const int64_t HOST_STANDS_NS = INT64_C(60000000000);

static const struct prog_workload *run_ops(const struct prog_run *run)
{
    return run->spec->workload;
}

void prog_finish(struct prog_run *run, enum prog_end end, int status, const char *format, ...)
{
    va_list ap;

    if (run->over)
        return;
    run->over = true;
    run->over_at = nm_machine_now(run->m);
    if (end == PROG_EXITED || end == PROG_SIGNALED)
        run->over_at += nm_machine_ahead(run->m);
    run->over_at = sim_earlier(run->over_at, run->spec->limit);
    run->out->end = end;
    run->out->status = status;
    if (!format)
        return;
    va_start(ap, format);
    vsnprintf(run->out->message, sizeof run->out->message, format, ap);
    va_end(ap);
}

/* ---- for people ------------------------------------------------------------------------------ */

void prog_say(struct prog_run *run, const char *text)
{
    if (prog_host_past())
        return; /* it has been said */
    if (run->hooks && run->hooks->say)
        run->hooks->say(run->hooks->ctx, text);
    else
        fputs(text, stderr);
}

void prog_put_out(struct prog_run *run, int fd, const char *text, size_t size)
{
    if (run->hooks && run->hooks->wrote)
        run->hooks->wrote(run->hooks->ctx, 1, text, size);
    while (size) {
        const ssize_t n = prog_host_write(fd, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            prog_finish(run, PROG_IO, 0, "standard output: %s", strerror(errno));
            return;
        }
        text += n;
        size -= (size_t)n;
    }
}

/** Where all threads are; to be freed. */
static char *run_threads(struct prog_run *run)
{
    char *text = NULL;
    size_t size;
    FILE *out = sim_text_open(&text, &size);

    run_ops(run)->describe(run->self, out);
    sim_text_close(out, &text);
    return text;
}

static void say_threads(struct prog_run *run)
{
    char *text = run_threads(run);

    prog_say(run, text);
    free(text);
}

static int64_t host_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/** Says so if no simulated time passes for long. @param now_ns  the host's clock */
static void look_at_host(struct prog_run *run, int64_t now_ns)
{
    const sim_tick now = nm_machine_now(run->m);
    char line[128];

    if (now != run->moved_at || !run->moved_ns) {
        run->moved_at = now;
        run->moved_ns = now_ns;
        run->stood = false;
    }
    if (run->stood || now_ns - run->moved_ns < HOST_STANDS_NS)
        return;
    run->stood = true;
    snprintf(line, sizeof line,
             "numachine: warning: no simulated time has passed for %d s; cycle %" PRIu64 ":\n",
             (int)(HOST_STANDS_NS / 1000000000), now);
    prog_say(run, line);
    say_threads(run);
}

static uint64_t run_instructions(const struct prog_run *run)
{
    uint64_t n = 0;

    for (unsigned c = 0; c < nm_machine_cards(run->m); c++)
        n += pc_cpu_at(run->m, c)->instructions;
    return n;
}

void prog_tell(struct prog_run *run)
{
    const struct prog_hooks *hooks = run->hooks;
    const int64_t now = host_ns();

    if (prog_host_past())
        return; /* people have been told, and what they have asked has been answered */
    if (now - run->told_ns < PROGRESS_NS)
        return;
    run->told_ns = now;
    look_at_host(run, now);
    if (hooks && hooks->asked && hooks->asked(hooks->ctx))
        say_threads(run);
    if (!hooks || !hooks->progress)
        return;
    if (!hooks->progress(hooks->ctx, nm_machine_now(run->m), run_instructions(run)))
        prog_finish(run, PROG_INTERRUPTED, 0, "interrupted");
}

void prog_mark(struct prog_run *run, const char *name, bool begin)
{
    prog_stages_mark(run->stages, name, begin);
    if (run->hooks && run->hooks->mark)
        run->hooks->mark(run->hooks->ctx, name, begin, nm_machine_now(run->m));
}

void prog_measure(struct prog_run *run, bool on)
{
    if (run->hooks && run->hooks->measure)
        run->hooks->measure(run->hooks->ctx, on, nm_machine_now(run->m));
}

void prog_come(struct prog_run *run, uint64_t va)
{
    prog_stages_come(run->stages, va);
}

/* ---- the loop -------------------------------------------------------------------------------- */

static sim_tick run_date(const struct prog_run *run)
{
    return run_ops(run)->date ? run_ops(run)->date(run->self) : SIM_NEVER;
}

/** Lets the hook look if its date has come. */
static void run_moment(struct prog_run *run)
{
    const sim_tick now = nm_machine_now(run->m);

    if (now >= run->moment_at)
        run->moment_at = run->hooks->moment(run->hooks->ctx, now);
}

static void report_deadlock(struct prog_run *run)
{
    char *text = run_threads(run);

    prog_finish(run, PROG_DEADLOCK, 0, "deadlock: every thread waits\n%s", text);
    free(text);
}

static void machine_failed(struct prog_run *run, enum nm_run why)
{
    const char *error = nm_machine_error(run->m);

    if (why == NM_RUN_STUCK)
        prog_finish(run, PROG_STUCK, 0, "%s",
                    *error ? error : "a processor waited too long for one access");
    else
        prog_finish(run, PROG_BROKEN, 0, "%s", error);
}

/** A workload whose date never gets beyond the present tick breaks its contract: it would be called
 *  for ever. @param next  its date before this round, in which the machine stopped for `why` */
static void check_date(struct prog_run *run, sim_tick next, enum nm_run why)
{
    const sim_tick now = nm_machine_now(run->m);

    run->dates = next <= now && why == NM_RUN_UNTIL && run->dated_at == now ? run->dates + 1 : 0;
    run->dated_at = now;
    if (run->dates == DATES_MAX)
        prog_finish(run, PROG_BROKEN, 0,
                    "workload '%s' gets nowhere: at tick %" PRIu64 " its date is tick %" PRIu64
                    ", and still was when `due` had been called %d times. A date is not before the "
                    "present tick, and what `due` has done is due no more (programs/workload.h)",
                    run->spec->workload->name, now, next, DATES_MAX);
}

/** An interrupt of a counter unit, for who listens. */
static void tell_interrupt(const struct prog_run *run, const struct nm_trap *trap)
{
    const struct prog_hooks *hooks = run->hooks;
    struct prog_access access[PROG_ACCESSES_MAX];
    unsigned count = 0;
    if (!hooks || !hooks->interrupted || trap->cause != NM_INTERRUPT_MONITOR)
        return;
    if (run_ops(run)->accesses)
        count = run_ops(run)->accesses(run->self, trap->card, access);
    hooks->interrupted(hooks->ctx, trap->card, access, count);
}

/** Hands over what the machine stopped for. */
static void run_handle(struct prog_run *run, enum nm_run why, const struct nm_trap *trap)
{
    if (why == NM_RUN_INTERRUPT)
        tell_interrupt(run, trap);
    if (why == NM_RUN_TRAP)
        run_ops(run)->trap(run->self, trap);
    else if (why == NM_RUN_INTERRUPT && run_ops(run)->interrupt)
        run_ops(run)->interrupt(run->self, trap);
    else if (why == NM_RUN_STUCK || why == NM_RUN_BROKEN)
        machine_failed(run, why);
    if (run_ops(run)->stepped)
        run_ops(run)->stepped(run->self);
    if (nm_machine_now(run->m) >= run->spec->limit)
        prog_finish(run, PROG_LIMIT, 0, "stopped at the limit of %" PRIu64 " PCycles",
                    run->spec->limit);
}

/** The next tick at which something happens that no card does. @param next  the workload's date */
static sim_tick run_until(const struct prog_run *run, sim_tick next)
{
    const sim_tick until = sim_earlier(next, run->spec->limit);
    return sim_earlier(until, prog_stages_date(run->stages));
}

sim_tick prog_next_date(const struct prog_run *run)
{
    return run_until(run, run_date(run));
}

static void run_step(struct prog_run *run)
{
    const bool runs = run_ops(run)->runs(run->self);
    const sim_tick next = run_date(run);
    sim_tick until = sim_earlier(run_until(run, next), run->moment_at);
    struct nm_trap trap;
    enum nm_run why;

    if (!runs && next == SIM_NEVER) {
        report_deadlock(run);
        return;
    }
    /* Whoever waits for the host's clock need not wait for a sleeping machine. */
    if (runs)
        until = sim_earlier(until, (nm_machine_now(run->m) | (CHUNK_TICKS - 1)) + 1);
    why = nm_machine_run(run->m, until, &trap);
    if (run_ops(run)->due)
        run_ops(run)->due(run->self, nm_machine_now(run->m));
    if (run->over)
        return;
    run_handle(run, why, &trap);
    check_date(run, next, why);
    prog_stages_step(run->stages);
    if (why == NM_RUN_UNTIL) {
        run_moment(run);
        prog_tell(run);
    }
}

/** All cards stop at one tick: run to it, and leave alone whatever traps on the way. */
static void run_out(struct prog_run *run)
{
    struct nm_trap trap;
    enum nm_run why = NM_RUN_TRAP;

    while ((why == NM_RUN_TRAP || why == NM_RUN_INTERRUPT) && nm_machine_now(run->m) < run->over_at)
        why = nm_machine_run(run->m, run->over_at, &trap);
}

/** Whether the run ended before the workload, so that one asks where its threads were. A deadlock's
 *  are in its message, unless they are too many. */
static bool wants_threads(const struct prog_outcome *out)
{
    if (out->end == PROG_DEADLOCK)
        return strlen(out->message) == sizeof out->message - 1;
    return out->end == PROG_LIMIT || out->end == PROG_INTERRUPTED || out->end == PROG_STUCK ||
           out->end == PROG_LIVELOCK;
}

static void run_hardware(struct prog_actors *actors, void *ctx)
{
    struct prog_run *run = ctx;

    run->actors = actors;
    run->told_ns = host_ns();
    if (run->stages)
        prog_stages_begin(run->stages);
    run_ops(run)->start(run->self);
    if (run->hooks && run->hooks->begun)
        run->hooks->begun(run->hooks->ctx, run);
    while (!run->over)
        run_step(run);
    if (run->out->end == PROG_EXITED || run->out->end == PROG_SIGNALED)
        run_out(run);
    else if (wants_threads(run->out))
        say_threads(run);
    if (run->hooks && run->hooks->ended)
        run->hooks->ended(run->hooks->ctx);
    if (run_ops(run)->over)
        run_ops(run)->over(run->self);
}

/** The host does not let the run start, or go on. */
static void not_started(void *ctx, int err)
{
    struct prog_run *run = ctx;
    char missing[96];
    const char *why = strerror(-err);

    if (err == -EALREADY)
        why = "SimGrid, in which threads sleep, starts only once in a process";
    else if (err == -ELIBACC) {
        snprintf(missing, sizeof missing, "SimGrid, in which threads sleep, is not installed: %s",
                 prog_sleepers_library());
        why = missing;
    }
    prog_finish(run, PROG_UNLOADABLE, 0, "cannot start the simulation: %s", why);
}

/** Runs what has been prepared. */
static void run_start(struct prog_run *run)
{
    static const struct prog_actors_ops actors = {.hardware = run_hardware, .failed = not_started};
    const int err = run_ops(run)->actors ? prog_actors_run(run->par, &actors, run) : 0;

    if (err < 0)
        not_started(run, err);
    if (!run_ops(run)->actors)
        run_hardware(NULL, run);
}

void prog_run(struct nm_machine *m, const struct prog_spec *spec, const struct prog_hooks *hooks,
              struct prog_outcome *out)
{
    assert(m && spec->workload && spec->processors <= nm_machine_cards(m));
    struct prog_run run = {.m = m,
                           .par = nm_machine_params(m),
                           .spec = spec,
                           .hooks = hooks,
                           .out = out,
                           .self = sim_alloc(1, spec->workload->size),
                           .moment_at = hooks && hooks->moment ? spec->moment : SIM_NEVER};

    *out = (struct prog_outcome){0};
    nm_machine_place(m, spec->ranges, spec->range_count);
    nm_machine_keep_apart(m, spec->apart, spec->apart_count);
    run.stages = prog_stages_new(&run);
    if (run_ops(&run)->prepare(run.self, &run))
        run_start(&run);
    else
        prog_finish(&run, PROG_UNLOADABLE, 0,
                    "workload '%s' cannot run this, and does not say why: a `prepare` that returns "
                    "false calls prog_finish first (programs/workload.h)",
                    spec->workload->name);
    if (!run.over)
        prog_finish(&run, PROG_BROKEN, 0, "the simulation ended before the program");
    out->ticks = nm_machine_now(m);
    out->instructions = run_instructions(&run);
    prog_stages_end(run.stages);
    if (run_ops(&run)->end)
        run_ops(&run)->end(run.self);
    free(run.self);
}
