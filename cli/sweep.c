/*
 * Running a sweep.
 *
 * A point is a process: this program again, with --point. The kernel ends it if this process dies,
 * and both hold the directory's lock. So whenever this process is killed, each point is whole or
 * not there, and nobody goes on in secret.
 *
 * The one hard idea: nothing that is decided here shows in results. The order, the number of
 * processes and what was kept from before change when a point runs, never what it does.
 */
#include "cli/sweep.h"

#include "base/beside.h"
#include "cli/cli.h"
#include "cli/observers.h"
#include "cli/stop.h"
#include "documents/directory/digest.h"
#include "documents/host.h"
#include "input/yaml.h"
#include "machine/values.h"
#include "run/possible.h"
#include "sweep/away.h"
#include "sweep/dir.h"
#include "sweep/expect.h"
#include "sweep/index.h"
#include "sweep/process.h"
#include "sweep/result.h"
#include "sweep/shards.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SAID = 60,          /**< [s] between lines about progress that go to a file */
    MEMORY_PERCENT = 90 /**< of the host's free memory are given to points */
};

struct sweep_state {
    const struct cli_sweep *ask;
    struct swp_sweep sweep;
    struct swp_plan plan;
    struct swp_dir dir;
    struct run_seen seen;
    size_t kept; /* of our points: by an earlier sweep into this directory */
    char *name;
    pid_t *pid; /* [points] of those that run */
    enum cli_exit status;
    bool terminal, line;  /* progress goes to one; a line of it stands there */
    double said, written; /* [s] when progress and sweep.json were last */
};

static void clear_line(struct sweep_state *s)
{
    if (s->line)
        fputs("\r\033[K", stderr);
    s->line = false;
}

static __attribute__((format(printf, 2, 3))) void sweep_complain(struct sweep_state *s,
                                                                 const char *format, ...)
{
    va_list ap;
    clear_line(s);
    fputs("numachine: error: ", stderr);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    putc('\n', stderr);
}

/* ---- statuses -------------------------------------------------------------------------------- */

/* From the worst to the best. */
static const enum cli_exit severity[] = {
    CLI_EXIT_INTERRUPTED, CLI_EXIT_BROKEN, CLI_EXIT_IO,    CLI_EXIT_STUCK,
    CLI_EXIT_USAGE,       CLI_EXIT_EXPECT, CLI_EXIT_LIMIT, CLI_EXIT_OK,
};

static void sweep_worsen(struct sweep_state *s, int status)
{
    for (size_t i = 0; i < sizeof severity / sizeof *severity; i++)
        if (s->status == severity[i] || status == (int)severity[i]) {
            s->status = severity[i];
            return;
        }
}

/* ---- what is to be done ---------------------------------------------------------------------- */

/* [bytes] the most that a machine's simulation can need: its memories and network caches, and as
 * much as the program itself takes. */
static uint64_t bound_of(const struct in_experiment *x)
{
    enum { PROGRAM = 64 << 20 };
    const struct nm_params *p = x->machine.params;
    return nm_params_stations(p) * (p->memory_size + p->netcache_size) +
           nm_params_cards(p) * p->l2_size + PROGRAM;
}

/* Reads each point as it will be run. */
static bool load_points(struct sweep_state *s)
{
    const struct cli_given *o = s->ask->given;
    struct in_diag diag = {.out = stderr};
    for (size_t i = 0; i < s->sweep.points; i++) {
        struct swp_job *job = &s->plan.job[i];
        struct in_experiment x;
        if (!swp_point_load(&x, &s->sweep, &s->sweep.point[i], s->ask->file, o->sets, &diag))
            return false;
        const bool good = in_experiment_count(&x, o->events, o->groups, &diag) &&
                          in_experiment_allow(&x, o->allow, &diag) &&
                          (i || swp_expect_check(&s->sweep, &x, stderr)) &&
                          run_possible_once(&s->seen, &x);
        job->inputs = doc_digest(&x, cli_git());
        job->digest = doc_digest_text(&job->inputs);
        job->bound = bound_of(&x);
        job->ours =
            !s->ask->shards || swp_shard(s->sweep.point[i].id, s->ask->shards) == s->ask->shard;
        if (!s->name)
            s->name = in_strdup(x.name);
        in_experiment_free(&x);
        if (!good)
            return false;
    }
    return true;
}

/* ---- processes ------------------------------------------------------------------------------- */

static void push_each(char ***words, const char *option, char *const *list)
{
    for (; list && *list; list++) {
        in_push(words, option);
        in_push(words, *list);
    }
}

/* The command that runs a point. */
static char **sweep_command_of(const struct sweep_state *s, const char *id, const char *out)
{
    const struct cli_given *o = s->ask->given;
    const char *const fixed[] = {"numachine", "run", "--quiet", "--point", id, "--output", out};
    char **words = NULL;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        in_push(&words, fixed[i]);
    push_each(&words, "--set", o->sets);
    push_each(&words, "--event", o->events);
    push_each(&words, "--group", o->groups);
    push_each(&words, "--allow", o->allow);
    in_push(&words, "--");
    in_push(&words, s->ask->file);
    return words;
}

static bool sweep_start(struct sweep_state *s, size_t i)
{
    const char *id = s->sweep.point[i].id;
    char *out = swp_dir_name(&s->dir, "points", id, ".part"),
         *log = swp_dir_name(&s->dir, "logs", id, ".txt"),
         *logs = swp_dir_name(&s->dir, "logs", "", "");
    char **words = sweep_command_of(s, id, out);
    mkdir(logs, 0777);
    const int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    const struct swp_process process = {.program = "/proc/self/exe",
                                        .words = words,
                                        .death = SIGKILL,
                                        .log = fd,
                                        .lock = s->dir.place.lock,
                                        .orphaned = CLI_EXIT_INTERRUPTED,
                                        .failed = CLI_EXIT_IO};
    const pid_t pid = fd < 0 ? -1 : swp_process_start(&process);
    if (pid < 0)
        sweep_complain(s, "%s: %s: %s", id, fd < 0 ? log : "cannot start a process",
                       strerror(errno));
    if (fd >= 0)
        close(fd);
    s->pid[i] = pid;
    s->plan.job[i].began = doc_host_seconds();
    s->plan.job[i].state = pid < 0 ? SWP_FAILED : SWP_RUNNING;
    s->plan.job[i].exit_code = CLI_EXIT_IO;
    if (pid < 0)
        sweep_worsen(s, CLI_EXIT_IO);
    in_free_list(words);
    free(out);
    free(log);
    free(logs);
    return pid > 0;
}

static void fail_point(struct sweep_state *s, size_t i, int code, const char *why)
{
    const char *id = s->sweep.point[i].id;
    s->plan.job[i].state = SWP_FAILED;
    s->plan.job[i].exit_code = code;
    swp_dir_fail(&s->dir, id);
    sweep_complain(s, "point %s failed: %s; see %s/logs/%s.txt", id, why, s->dir.place.path, id);
    sweep_worsen(s, code);
}

/* Statuses of runs that came to their end, as far as files go. */
static bool has_results(int code)
{
    return code == CLI_EXIT_OK || code == CLI_EXIT_EXPECT || code == CLI_EXIT_LIMIT;
}

static void sweep_finish(struct sweep_state *s, size_t i, int status)
{
    struct swp_job *job = &s->plan.job[i];
    const char *id = s->sweep.point[i].id;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : CLI_EXIT_BROKEN;
    char why[5000];
    char *part = swp_dir_name(&s->dir, "points", id, ".part");
    if (cli_stop_asked() && !has_results(code)) {
        job->state = SWP_WAITING;
        swp_dir_drop(&s->dir, id);
    } else if (!WIFEXITED(status)) {
        snprintf(why, sizeof why, "signal %d ended it", WTERMSIG(status));
        fail_point(s, i, CLI_EXIT_BROKEN, why);
    } else if (!has_results(code)) {
        snprintf(why, sizeof why, "status %d", code);
        fail_point(s, i, code, why);
    } else if (!swp_run_read(part, job, why, sizeof why)) {
        fail_point(s, i, code ? code : CLI_EXIT_USAGE, why);
    } else if (!swp_dir_keep(&s->dir, id, why, sizeof why)) {
        fail_point(s, i, CLI_EXIT_IO, why);
    } else {
        job->exit_code = code;
        swp_plan_done(&s->plan, i);
        sweep_worsen(s, code);
        if (code != CLI_EXIT_OK)
            sweep_complain(s, "point %s ended with status %d", id, code);
    }
    free(part);
}

static void start_waiting(struct sweep_state *s)
{
    for (size_t i; !cli_stop_asked() && (i = swp_plan_next(&s->plan)) != SIZE_MAX;)
        sweep_start(s, i);
}

/* Takes a process that has ended. Its successor starts before its files are brought to the disk:
 * otherwise a processor would wait for the disk. @return whether there was one */
static bool sweep_reap(struct sweep_state *s)
{
    int status;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    for (size_t i = 0; pid > 0 && i < s->sweep.points; i++)
        if (s->plan.job[i].state == SWP_RUNNING && s->pid[i] == pid) {
            s->plan.job[i].state = SWP_ENDED;
            start_waiting(s);
            sweep_finish(s, i, status);
            break;
        }
    return pid > 0;
}

static void stop_all(struct sweep_state *s)
{
    for (size_t i = 0; i < s->sweep.points; i++)
        if (s->plan.job[i].state == SWP_RUNNING)
            kill(s->pid[i], SIGTERM);
}

/* ---- progress -------------------------------------------------------------------------------- */

static char *sweep_duration(double seconds)
{
    const unsigned long t = (unsigned long)ceil(seconds);
    if (t >= 3600)
        return sim_format("%lu h %lu min", t / 3600, t / 60 % 60);
    return t >= 60 ? sim_format("%lu min %lu s", t / 60, t % 60) : sim_format("%lu s", t);
}

static void sweep_say(struct sweep_state *s, double now)
{
    if (s->ask->given->quiet || now - s->said < (s->terminal ? 0.2 : SAID))
        return;
    const double left = swp_plan_left(&s->plan, now);
    char *time = left < 0 ? in_strdup("not known yet") : sweep_duration(left);
    const size_t done = swp_plan_count(&s->plan, SWP_DONE),
                 failed = swp_plan_count(&s->plan, SWP_FAILED),
                 running = swp_plan_count(&s->plan, SWP_RUNNING);
    clear_line(s);
    fprintf(stderr, "%zu done, %zu failed, %zu running, %zu to do; time left: %s%s", done, failed,
            running, swp_plan_count(&s->plan, SWP_WAITING), time, s->terminal ? "" : "\n");
    s->line = s->terminal;
    s->said = now;
    free(time);
}

/* sweep.json once a second: what it says is only news, the points themselves are what counts. */
static void sweep_note(struct sweep_state *s, double now)
{
    char why[5000];
    if (now - s->written < 1)
        return;
    swp_dir_write(&s->dir, &s->plan, s->name, why, sizeof why);
    s->written = now;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void say_stopped(struct sweep_state *s)
{
    if (!cli_stop_asked())
        return;
    sweep_complain(s, "%s; numachine run --resume goes on", cli_stop_reason());
    sweep_worsen(s, CLI_EXIT_INTERRUPTED);
}

static void sweep_run_all(struct sweep_state *s)
{
    bool stopped = false;
    swp_process_watch();
    s->said = s->written = doc_host_seconds();
    for (;;) {
        start_waiting(s);
        if (!swp_plan_count(&s->plan, SWP_RUNNING))
            break;
        if (cli_stop_asked() && !stopped)
            stop_all(s);
        stopped = cli_stop_asked();
        const double now = doc_host_seconds();
        sweep_say(s, now);
        sweep_note(s, now);
        if (!sweep_reap(s))
            swp_process_pause();
    }
    clear_line(s);
    say_stopped(s);
}

/* ---- elsewhere ------------------------------------------------------------------------------- */

const char *cli_sweep_away(const struct cli_sweep *ask)
{
    return cli_first_given(ask->given, CLI_SWEEP_AWAY);
}

static struct swp_away away_of(const struct cli_sweep *ask, const struct swp_plan *plan)
{
    const struct cli_given *g = ask->given;
    return (struct swp_away){.file = ask->file,
                             .out = g->out,
                             .sets = g->sets,
                             .events = g->events,
                             .groups = g->groups,
                             .allow = g->allow,
                             .slurm = g->slurm,
                             .quiet = g->quiet,
                             .hosts = g->hosts,
                             .hosts_file = g->hosts_file,
                             .jobs = (unsigned)g->jobs,
                             .asked = (unsigned)g->shards,
                             .ended = CLI_EXIT_LIMIT,
                             .orphaned = CLI_EXIT_INTERRUPTED,
                             .failed = CLI_EXIT_IO,
                             .stop = cli_stop_reason,
                             .plan = plan};
}

bool cli_sweep_is_good(const struct cli_sweep *ask)
{
    const struct cli_given *g = ask->given;
    const struct swp_away away = away_of(ask, NULL);
    const char *option = cli_sweep_away(ask);
    char why[5000];
    if (!option)
        return true;
    if (ask->shards)
        snprintf(why, sizeof why, "%s: it has shards of its own; leave --shard away", option);
    else if (!g->out)
        snprintf(why, sizeof why, "%s: which directory? (--output, where all hosts see it)",
                 option);
    else if (swp_away_possible(&away, why, sizeof why) &&
             (g->dry_run || swp_away_installed(&away, why, sizeof why)))
        return true;
    cli_complain(CLI_EXIT_USAGE, why);
    return false;
}

static void run_on_hosts(struct sweep_state *s)
{
    char why[5000] = "";
    struct swp_away away = away_of(s->ask, &s->plan);
    if (!swp_away_open(&away, s->name, why, sizeof why))
        sweep_worsen(s, CLI_EXIT_USAGE);
    else if (!swp_hosts_run(&away, &s->dir, &s->plan, s->name, why, sizeof why))
        sweep_worsen(s, CLI_EXIT_IO);
    if (*why)
        sweep_complain(s, "%s", why);
    swp_away_close(&away);
}

/* All points, by other hosts. */
static void run_away(struct sweep_state *s)
{
    if (swp_plan_count(&s->plan, SWP_WAITING))
        run_on_hosts(s);
    for (size_t i = 0; i < s->sweep.points; i++)
        if (s->plan.job[i].state != SWP_WAITING && !s->plan.job[i].kept)
            sweep_worsen(s, s->plan.job[i].exit_code);
    say_stopped(s);
}

/* Which jobs there are now. */
static void say_submitted(const struct swp_away *away, const struct swp_slurm_jobs *jobs)
{
    if (!*jobs->shards)
        fputs("numachine: nothing is submitted; --resume tries again\n", stderr);
    else if (!*jobs->collect)
        fprintf(stderr, "numachine: job %s is submitted; when it has ended: numachine collect %s\n",
                jobs->shards, away->path);
    else if (!away->quiet)
        fprintf(stderr, "job %s runs the points, job %s collects; squeue --jobs=%s,%s shows them\n",
                jobs->shards, jobs->collect, jobs->shards, jobs->collect);
}

static enum cli_exit sweep_submit(struct sweep_state *s)
{
    static const enum cli_exit status[] = {[SWP_WENT_WELL] = CLI_EXIT_OK,
                                           [SWP_WENT_NOWHERE] = CLI_EXIT_IO,
                                           [SWP_WENT_WRONG] = CLI_EXIT_IO,
                                           [SWP_WENT_STOPPED] = CLI_EXIT_INTERRUPTED};
    char why[5000] = "";
    struct swp_slurm_jobs jobs;
    struct swp_away away = away_of(s->ask, &s->plan);
    enum swp_went went = SWP_WENT_NOWHERE;
    const bool open = swp_away_open(&away, s->name, why, sizeof why);
    if (open)
        went = swp_slurm_submit(&away, &s->dir, s->name, &jobs, why, sizeof why);
    if (*why)
        sweep_complain(s, "%s", why);
    if (went != SWP_WENT_NOWHERE)
        say_submitted(&away, &jobs);
    if (went == SWP_WENT_WELL)
        printf("%s\n", s->dir.place.path);
    swp_away_close(&away);
    return open ? status[went] : CLI_EXIT_USAGE;
}

static enum cli_exit show_away(struct sweep_state *s)
{
    char why[5000];
    struct swp_away away = away_of(s->ask, &s->plan);
    const bool none = !swp_plan_count(&s->plan, SWP_WAITING);
    const bool good = none || swp_away_open(&away, s->name, why, sizeof why);
    if (!good)
        sweep_complain(s, "%s", why);
    else if (!none)
        swp_away_show(&away);
    swp_away_close(&away);
    return good ? CLI_EXIT_OK : CLI_EXIT_USAGE;
}

/* ---- in its directory ------------------------------------------------------------------------ */

/* What earlier runs of these points ended with counts, too. */
static void count_kept(struct sweep_state *s)
{
    for (size_t i = 0; i < s->sweep.points; i++) {
        const struct swp_job *job = &s->plan.job[i];
        if (!job->ours || !job->kept)
            continue;
        sweep_worsen(s, job->exit_code);
        s->kept++;
        if (job->exit_code != CLI_EXIT_OK)
            sweep_complain(s, "point %s had ended with status %d, and is kept",
                           s->sweep.point[i].id, job->exit_code);
    }
}

static enum cli_exit open_dir(struct sweep_state *s)
{
    const struct cli_given *o = s->ask->given;
    char why[5000];
    enum doc_dir made = swp_dir_make(&s->dir, cli_file_name, o->out, s->name, s->ask->given->resume,
                                     why, sizeof why);
    if (made == DOC_DIR_MADE &&
        swp_slurm_waits(s->dir.place.path, cli_stop_reason, why, sizeof why))
        made = DOC_DIR_REFUSED;
    if (made == DOC_DIR_MADE)
        made = swp_shards_gather(&s->dir, why, sizeof why);
    if (made != DOC_DIR_MADE) {
        sweep_complain(s, "%s", why);
        return made == DOC_DIR_REFUSED ? CLI_EXIT_USAGE : CLI_EXIT_IO;
    }
    swp_slurm_forget(s->dir.place.path);
    if (!swp_dir_look(&s->plan, s->dir.place.path, s->name, why, sizeof why)) {
        sweep_complain(s, "%s", why);
        return CLI_EXIT_USAGE;
    }
    if (s->plan.anew)
        fprintf(stderr,
                "numachine: '%s' has no sweep.json that can be read; its points are this "
                "sweep's, and it is written anew\n",
                s->dir.place.path);
    if (!swp_dir_sweep(&s->dir, why, sizeof why) ||
        !swp_dir_write(&s->dir, &s->plan, s->name, why, sizeof why)) {
        sweep_complain(s, "%s", why);
        return CLI_EXIT_IO;
    }
    return CLI_EXIT_OK;
}

/* Holds points against each other, as the file says, and notes it in the index. */
static void sweep_hold(struct sweep_state *s, const struct swp_result *result)
{
    char why[5000];
    struct in_diag diag = {.out = stderr};
    struct in_experiment x;
    if (!swp_point_load(&x, &s->sweep, &s->sweep.point[0], s->ask->file, s->ask->given->sets,
                        &diag))
        return;
    const struct swp_judged judged = swp_expect_judge(result, &x, stderr);
    if (judged.broken)
        sweep_worsen(s, CLI_EXIT_EXPECT);
    if (!s->ask->given->quiet)
        swp_shown_put(result, &x, stderr);
    if (!swp_index_conclude(result, &judged, s->dir.place.path, why, sizeof why)) {
        sweep_complain(s, "%s", why);
        sweep_worsen(s, CLI_EXIT_IO);
    }
    in_experiment_free(&x);
}

/* The results of all points that are there. */
static void sweep_collect(struct sweep_state *s)
{
    char why[5000];
    char *const directories[] = {s->dir.place.path, NULL};
    struct swp_result result;
    if (!swp_result_open(&result, directories, why, sizeof why) ||
        !swp_result_write(&result, s->dir.place.path, why, sizeof why)) {
        sweep_complain(s, "%s; numachine collect %s tries again", why, s->dir.place.path);
        sweep_worsen(s, CLI_EXIT_IO);
    } else {
        sweep_hold(s, &result);
    }
    swp_result_free(&result);
}

/* What somebody has removed meanwhile is not done. */
static void sweep_look_again(struct sweep_state *s)
{
    for (size_t i = 0; i < s->sweep.points; i++) {
        const char *id = s->sweep.point[i].id;
        if (s->plan.job[i].state != SWP_DONE || swp_dir_has(&s->dir, id))
            continue;
        s->plan.job[i].state = SWP_FAILED;
        s->plan.job[i].exit_code = CLI_EXIT_IO;
        sweep_complain(s, "point %s was finished, and is gone: somebody has removed it", id);
        sweep_worsen(s, CLI_EXIT_IO);
    }
}

static void close_dir(struct sweep_state *s)
{
    char why[5000];
    sweep_look_again(s);
    swp_dir_tidy(&s->dir);
    if (!swp_dir_write(&s->dir, &s->plan, s->name, why, sizeof why)) {
        sweep_complain(s, "%s", why);
        sweep_worsen(s, CLI_EXIT_IO);
    } else if (!cli_stop_asked()) {
        sweep_collect(s);
    }
    if (!s->ask->given->quiet)
        fprintf(stderr, "%zu done (%zu kept from before), %zu failed, %zu not run\n",
                swp_plan_count(&s->plan, SWP_DONE), s->kept, swp_plan_count(&s->plan, SWP_FAILED),
                swp_plan_count(&s->plan, SWP_WAITING));
    printf("%s\n", s->dir.place.path);
}

static enum cli_exit run_in_directory(struct sweep_state *s)
{
    const enum cli_exit opened = open_dir(s);
    const bool slurm = s->ask->given->slurm;
    if (opened == CLI_EXIT_OK && slurm && swp_plan_count(&s->plan, SWP_WAITING)) {
        s->status = sweep_submit(s);
    } else if (opened == CLI_EXIT_OK) {
        count_kept(s);
        if (cli_sweep_away(s->ask) && !slurm)
            run_away(s);
        else
            sweep_run_all(s);
        cli_stop_finish();
        close_dir(s);
    } else {
        s->status = opened;
    }
    swp_dir_close(&s->dir);
    return s->status;
}

/* What would be done, in which order, and why. */
static enum cli_exit show_plan(struct sweep_state *s)
{
    char why[5000];
    const char *out = s->ask->given->out;
    if (out && !swp_dir_free_to_begin(out, cli_file_name, s->ask->given->resume, why, sizeof why)) {
        sweep_complain(s, "%s", why);
        return CLI_EXIT_USAGE;
    }
    if (out && s->ask->given->resume &&
        (!swp_dir_look(&s->plan, out, s->name, why, sizeof why) ||
         !swp_shards_look(&s->plan, out, why, sizeof why))) {
        sweep_complain(s, "%s", why);
        return CLI_EXIT_USAGE;
    }
    for (size_t i = 0; i < s->sweep.points; i++)
        if (s->plan.job[i].ours && s->plan.job[i].state == SWP_DONE)
            printf("keep %s: it is there, and its inputs are the same\n", s->sweep.point[i].id);
    if (cli_sweep_away(s->ask))
        return show_away(s);
    s->plan.processes = (unsigned)s->sweep.points + 1;
    s->plan.memory = UINT64_MAX;
    for (size_t i; (i = swp_plan_next(&s->plan)) != SIZE_MAX;) {
        const struct swp_job *job = &s->plan.job[i];
        printf("run %s: ", s->sweep.point[i].id);
        if (job->near < HUGE_VAL)
            printf("about %.1f s and %.0f MB, as the nearest that is there\n", job->cost,
                   job->memory / 1e6);
        else
            printf("its time is not known; at most %.0f MB, by its machine\n",
                   (double)job->bound / 1e6);
        s->plan.job[i].state = SWP_RUNNING;
    }
    return CLI_EXIT_OK;
}

enum cli_exit cli_sweep_run(const struct cli_sweep *ask)
{
    struct in_diag diag = {.out = stderr};
    struct sweep_state s = {.ask = ask, .terminal = isatty(STDERR_FILENO), .dir.place.lock = -1};
    enum cli_exit status = CLI_EXIT_USAGE;
    cli_stop_listen();
    s.plan = (struct swp_plan){.sweep = &s.sweep,
                               .base = doc_digest(ask->base, cli_git()),
                               .processes = ask->given->jobs ? (unsigned)ask->given->jobs
                                                             : sim_beside_processors(),
                               .memory = doc_host_memory() / 100 * MEMORY_PERCENT};
    if (swp_load(&s.sweep, ask->file, ask->given->sets, &diag)) {
        swp_plan_init(&s.plan);
        s.pid = sim_alloc(s.sweep.points, sizeof *s.pid);
        if (load_points(&s))
            status = ask->given->dry_run ? show_plan(&s) : run_in_directory(&s);
    }
    run_seen_free(&s.seen);
    swp_plan_free(&s.plan);
    swp_free(&s.sweep);
    free(s.pid);
    free(s.name);
    return status;
}
