/*
 * One experiment: directory, machine, program, results.
 *
 * The order is what matters here. Whatever can be refused is refused before anything is written.
 * What was understood is on disk before cycle 0. Every end of a run - the program's own, a limit, a
 * signal, a deadlock, a broken invariant - takes the same way through the results, which name it.
 * Who listens meanwhile, and what they leave, is not known here (observers.def).
 */
#include "cli/session.h"

#include "base/alloc.h"
#include "cli/approach.h"
#include "cli/guest.h"
#include "cli/host.h"
#include "cli/observers.h"
#include "cli/stop.h"
#include "documents/host.h"
#include "documents/statistics/lines.h"
#include "documents/statistics/replayed.h"
#include "documents/statistics/sampling.h"
#include "documents/statistics/table.h"
#include "input/write.h"
#include "input/yaml.h"
#include "run/expect.h"
#include "run/possible.h"
#include "run/simulate.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct session_state {
    const struct cli_session *ask;
    struct cli_guest guest;
    struct run_live live;
    char program[sizeof((struct doc_rundir *)0)->path + sizeof "/" DOC_PROGRAM]; /* that runs */
    bool copied;                   /* it is one in the results */
    struct prog_approach approach; /* the experiment's, with addresses of the program */
    struct doc_rundir dir;
    bool begun; /* the directory's manifest is ours */
    struct doc_manifest manifest;
    struct run_earlier earlier; /* by which progress tells the end */
};

/* ---- small things ---------------------------------------------------------------------------- */

static void session_complain(const char *what)
{
    fprintf(stderr, "numachine: error: %s\n", what);
}

/* Something the host refused: said, and the first of it kept for the manifest. */
static __attribute__((format(printf, 2, 3))) void session_fail(struct session_state *s,
                                                               const char *format, ...)
{
    char why[sizeof s->manifest.error];
    va_list ap;
    va_start(ap, format);
    vsnprintf(why, sizeof why, format, ap);
    va_end(ap);
    session_complain(why);
    if (!*s->manifest.error)
        strcpy(s->manifest.error, why);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void write_resolved(void *ctx, FILE *out)
{
    const struct in_experiment *x = ((struct session_state *)ctx)->ask->experiment;
    in_experiment_write_resolved(out, x, x->pattern_count ? NULL : DOC_PROGRAM);
}

static bool session_write_file(struct session_state *s, const char *name, doc_write_fn *write,
                               void *ctx)
{
    char why[512];
    if (doc_rundir_write(&s->dir, name, write, ctx, why, sizeof why))
        return true;
    session_fail(s, "%s", why);
    return false;
}

static void write_program(void *ctx, FILE *out)
{
    struct session_state *s = ctx;
    s->copied = cli_guest_copy(&s->guest, out);
}

/* The program stays with its results and runs from there; however the run ends, nothing of its
 * making is left elsewhere. */
static bool keep_program(struct session_state *s)
{
    if (!session_write_file(s, DOC_PROGRAM, write_program, s))
        return false;
    if (!s->copied)
        session_fail(s, "cannot read %s: %s", s->guest.path, strerror(errno));
    snprintf(s->program, sizeof s->program, "%s/" DOC_PROGRAM, s->dir.path);
    cli_guest_release(&s->guest);
    return s->copied;
}

static bool write_manifest(struct session_state *s)
{
    return session_write_file(s, DOC_MANIFEST, doc_manifest_write, &s->manifest);
}

/* From the first file on, the directory says that a run is under way: only then goes what an
 * earlier one has left. */
static bool write_start(struct session_state *s)
{
    char why[512];
    s->manifest = (struct doc_manifest){.run = &s->live.run,
                                        .dir = &s->dir,
                                        .argc = s->ask->argc,
                                        .argv = s->ask->argv,
                                        .git = s->ask->git};
    s->begun = write_manifest(s);
    if (!s->begun)
        return false;
    if (!doc_rundir_clear(&s->dir, why, sizeof why)) {
        session_fail(s, "%s", why);
        return false;
    }
    if (s->guest.path && !keep_program(s))
        return false;
    doc_manifest_hash(&s->manifest);
    return session_write_file(s, DOC_RESOLVED, write_resolved, s) && write_manifest(s);
}

/* A run that could not begin: what is there must not look like one that goes on. */
static void session_give_up(struct session_state *s)
{
    s->manifest.status = DOC_FAILED;
    s->manifest.exit_code = CLI_EXIT_IO;
    s->manifest.unstarted = true;
    write_manifest(s);
}

/* Whether --force would replace a file that the run reads, with a complaint. */
static bool would_replace(const struct cli_session *ask, const char *path)
{
    char *file = path && ask->force && ask->out ? realpath(path, NULL) : NULL;
    char *out = file ? realpath(ask->out, NULL) : NULL;
    const size_t n = out ? strlen(out) : 0;
    const bool within = n && !strncmp(file, out, n) && file[n] == '/';
    if (within)
        fprintf(stderr,
                "numachine: error: the run reads %s, which --force would replace; copy it, or name "
                "another directory with -o\n",
                path);
    free(file);
    free(out);
    return within;
}

/* The directory, and in it what was understood. */
static enum cli_exit open_results(struct session_state *s)
{
    const struct cli_session *ask = s->ask;
    char why[512];
    if (!ask->keep)
        return CLI_EXIT_OK;
    if (would_replace(ask, s->guest.path) || would_replace(ask, ask->experiment->stdin_path))
        return CLI_EXIT_USAGE;
    enum doc_dir made = doc_rundir_make(&s->dir, cli_file_name, ask->out, ask->experiment->name,
                                        ask->force, why, sizeof why);
    if (made != DOC_DIR_MADE) {
        session_complain(why);
        return made == DOC_DIR_REFUSED ? CLI_EXIT_USAGE : CLI_EXIT_IO;
    }
    s->live.directory = s->dir.path;
    return write_start(s) ? CLI_EXIT_OK : CLI_EXIT_IO;
}

static void write_observed(void *ctx, const char *name, doc_write_fn *fn, void *file)
{
    session_write_file(ctx, name, fn, file);
}

/* All that can be written is, whatever becomes of the rest; what the manifest says comes last and
 * from what is on the disk. */
static bool close_results(struct session_state *s)
{
    if (!s->ask->keep)
        return true;
    run_live_write(&s->live, write_observed, s);
    const bool whole = doc_rundir_is_whole(&s->dir);
    doc_rundir_sync(&s->dir);
    if (!whole) {
        s->manifest.status = DOC_INCOMPLETE;
        s->manifest.exit_code = CLI_EXIT_IO;
    }
    const bool good = write_manifest(s);
    doc_rundir_sync(&s->dir);
    return good && whole;
}

/* ---- the run --------------------------------------------------------------------------------- */

static enum cli_exit session_simulate(struct session_state *s)
{
    char why[1024], **tool = cli_guest_tool();
    const struct run_surroundings around = {
        .program = s->program,
        .described = s->guest.described,
        .kept = s->ask->keep ? s->dir.path : NULL,
        .approach = &s->approach,
        .stdin_fd = s->ask->stdin_fd,
        .quiet = s->ask->quiet,
        .copies = s->ask->copies,
        .again = s->ask->again,
        .tool = (const char *const *)tool,
        .earlier = &s->earlier,
        .stop = cli_stop_asked,
        .look = cli_look_asked,
        .threads = cli_threads_asked,
    };
    cli_host_runs(true);
    const bool good = run_simulate(&s->live, &around, why, sizeof why);
    cli_host_runs(false);
    in_free_list(tool);
    if (!good)
        session_fail(s, "%s", why);
    return good ? CLI_EXIT_OK : CLI_EXIT_IO;
}

int cli_passed_status(enum cli_exit status, const struct prog_outcome *outcome)
{
    if (status == CLI_EXIT_EXPECT && outcome->end == PROG_EXITED && !outcome->reached)
        return status;
    if (status != CLI_EXIT_OK && status != CLI_EXIT_EXPECT)
        return status;
    return outcome->end == PROG_SIGNALED ? 128 + outcome->status : outcome->status;
}

static enum cli_exit exit_status(const struct doc_run *run)
{
    static const enum cli_exit statuses[] = {
#define END(end, word, status, exit) [PROG_##end] = CLI_EXIT_##exit,
#include "documents/ends.def"
#undef END
    };
    const struct prog_outcome *out = &run->outcome;
    const bool expected = out->end == PROG_EXITED &&
                          (unsigned)out->status == run->experiment->expect_status && out->reached &&
                          !run_expect_broken(run);
    return expected ? CLI_EXIT_OK : statuses[out->end];
}

/* The run's own end comes first, unless that was a good one. */
static void never_reached(struct prog_outcome *out, const char *from)
{
    const bool own = out->end != PROG_EXITED && *out->message;
    char *before = own ? sim_format("%s; ", out->message) : sim_strdup("");
    snprintf(out->message, sizeof out->message,
             "%srun.from: %s has not been reached: nothing was timed", before, from);
    free(before);
}

/* Who stopped the run, ahead of what it says itself. */
static void name_stop(struct prog_outcome *out)
{
    char *own = sim_strdup(out->message);
    const bool says = strcmp(own, "interrupted") != 0;
    snprintf(out->message, sizeof out->message, "%s%s%s", cli_stop_reason(), says ? ": " : "",
             says ? own : "");
    free(own);
}

/* What a person should know of the end. */
static void name_end(struct session_state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    struct prog_outcome *out = &s->live.run.outcome;
    if (out->end == PROG_INTERRUPTED && cli_stop_reason()) {
        s->manifest.stopped_by = cli_stop_cause();
        name_stop(out);
    }
    if (!out->reached && s->manifest.status == DOC_FAILED)
        never_reached(out, x->from);
    else if (out->end == PROG_EXITED && x->to && !out->passed)
        fprintf(
            stderr,
            "numachine: warning: run.to: %s has not been reached: all up to the end was timed\n",
            x->to);
    if (*out->message)
        session_complain(out->message);
    if (out->end == PROG_STUCK || out->end == PROG_BROKEN)
        nm_machine_dump(s->live.machine, stderr);
}

static enum cli_exit session_conclude(struct session_state *s)
{
    s->manifest.status = run_conclude(&s->live);
    const enum cli_exit status = exit_status(&s->live.run);
    s->manifest.exit_code =
        s->ask->passes ? cli_passed_status(status, &s->live.run.outcome) : (int)status;
    if (!s->ask->again)
        name_end(s);
    return status;
}

static void show_results(struct session_state *s, FILE *table)
{
    const struct cli_session *ask = s->ask;
    if (!ask->lines && !(ask->quiet && ask->keep))
        run_live_say(&s->live, table);
    if (ask->lines)
        doc_lines(&s->live.run, ask->separator, table);
    else if (!ask->quiet)
        doc_table(&s->live.run, table);
    else if (!ask->keep) /* there is no other place for them */
        doc_table_counts(&s->live.run, table);
    if (!ask->lines)
        run_live_show(&s->live, table);
}

/* Of a program that has never begun there is nothing to show: why, has been said.
 * @return false, with a complaint, if the table did not get to where it goes */
static bool session_show(struct session_state *s)
{
    const struct cli_session *ask = s->ask;
    FILE *table = ask->table;
    if (s->live.run.outcome.end != PROG_UNLOADABLE)
        show_results(s, table);
    fflush(table);
    if (ask->quiet || ask->lines) {
        doc_note_estimate(&s->live.run, stderr);
        doc_note_replayed(&s->live.run, stderr);
    }
    run_expect_say(&s->live.run, stderr); /* behind the table, where people look */
    if (ask->keep)
        fprintf(table, "%s\n", s->dir.path);
    if ((ask->quiet && ask->keep) || !(fflush(table) || ferror(table)))
        return true;
    session_complain("the table could not be written");
    return false;
}

static enum cli_exit session_run(struct session_state *s)
{
    if (s->ask->keep && !s->ask->quiet)
        s->earlier = run_earlier_find(s->ask->experiment, s->ask->git, s->ask->out);
    doc_host_start(&s->live.run.host);
    enum cli_exit status = open_results(s);
    if (status == CLI_EXIT_OK)
        status = session_simulate(s);
    cli_stop_finish();
    if (status == CLI_EXIT_OK) {
        status = session_conclude(s);
        const bool written = close_results(s), shown = session_show(s);
        status = written && shown ? status : CLI_EXIT_IO;
    } else if (s->begun) {
        session_give_up(s);
    }
    doc_manifest_free(&s->manifest);
    run_earlier_free(&s->earlier);
    doc_rundir_close(&s->dir);
    return status;
}

/* Several host threads, if they were asked for. Who waits for the so-manieth time that processors
 * come somewhere counts them in the order in which they are simulated. */
static void share_out(const struct session_state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    const unsigned asked = s->ask->host_threads;
    if (asked < 2)
        return;
    const bool counts = x->from || x->to || x->approach.sampling.every;
    const unsigned got = counts ? 1 : nm_machine_host_threads(s->live.machine, asked);
    if (!s->ask->quiet)
        cli_host_threads(s->live.machine, asked, got);
}

/* A machine, and the run on it, with the program that has been found good. */
static enum cli_exit run_on_machine(struct session_state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    struct run_live *live = &s->live;
    char why[512];
    live->workload = s->guest.workload;
    live->machine = run_machine_new(x, live->workload->cards);
    live->cards = nm_machine_cards(live->machine);
    const enum run_begun begun = run_live_begin(live, why, sizeof why);
    if (begun != RUN_BEGUN) {
        session_complain(why);
        return begun == RUN_REFUSED ? CLI_EXIT_USAGE : CLI_EXIT_IO;
    }
    run_program_cards(live);
    share_out(s);
    return session_run(s);
}

/* The program, and what is wanted of it. */
static enum cli_exit session_prepare(struct session_state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    struct run_live *live = &s->live;
    if (!run_choose_events(x, &live->choice) || !run_possible(x, &live->choice))
        return CLI_EXIT_USAGE;
    const enum cli_exit status = cli_guest_get(&s->guest, x);
    if (status != CLI_EXIT_OK)
        return status;
    if (s->guest.path) {
        snprintf(s->program, sizeof s->program, "%s", s->guest.path);
        live->path = s->program;
    }
    return run_live_prepare(live) && cli_approach_find(&s->approach, x, &s->guest) ? CLI_EXIT_OK
                                                                                   : CLI_EXIT_USAGE;
}

enum cli_exit cli_session_run(const struct cli_session *session, struct prog_outcome *outcome)
{
    struct session_state s = {
        .ask = session,
        .live = {.experiment = session->experiment,
                 .kept = session->keep,
                 .row = cli_observer,
                 .rows = cli_observers,
                 .own = session->observer,
                 .own_self = session->self,
                 .run.outcome.end = PROG_UNLOADABLE},
        .dir.lock = -1,
    };
    cli_stop_listen(); /* whoever stops us now, nothing is left half done */
    enum cli_exit status = session_prepare(&s);
    if (cli_stop_asked()) { /* nothing has been written yet */
        session_complain(cli_stop_reason());
        status = CLI_EXIT_INTERRUPTED;
    }
    if (status == CLI_EXIT_OK)
        status = run_on_machine(&s);
    run_live_free(&s.live);
    if (s.live.machine)
        nm_machine_free(s.live.machine);
    cli_guest_release(&s.guest);
    *outcome = s.live.run.outcome;
    return status;
}
