/*
 * One experiment: directory, machine, program, results.
 *
 * The order is what matters here. Whatever can be refused is refused before anything is written.
 * What was understood is on disk before cycle 0. Every end of a run - the program's own, a limit, a
 * signal, a deadlock, a broken invariant - takes the same way through the results, which name it.
 */
#include "cli/session.h"

#include "cli/approach.h"
#include "cli/guest.h"
#include "cli/host.h"
#include "cli/mask.h"
#include "cli/stop.h"
#include "documents/directory/manifest.h"
#include "documents/directory/output.h"
#include "documents/directory/rundir.h"
#include "documents/host.h"
#include "documents/rows/objects.h"
#include "documents/rows/truth.h"
#include "documents/statistics/components.h"
#include "documents/statistics/gnuplot.h"
#include "documents/statistics/group.h"
#include "documents/statistics/histogram.h"
#include "documents/statistics/lines.h"
#include "documents/statistics/replayed.h"
#include "documents/statistics/sampling.h"
#include "documents/statistics/stats.h"
#include "documents/statistics/table.h"
#include "documents/totals.h"
#include "documents/traffic.h"
#include "input/write.h"
#include "input/yaml.h"
#include "look/profile/write.h"
#include "look/sharing/sharing.h"
#include "monitor/taps.h"
#include "procard/procard.h"
#include "programs/traces/recording.h"
#include "programs/workload.h"
#include "run/expect.h"
#include "run/heap.h"
#include "run/locking.h"
#include "run/profiling.h"
#include "run/progress.h"
#include "run/regions.h"
#include "run/samples.h"
#include "trace/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* The executable's name in the results. */
#define GUEST_COPY "guest.elf"

struct state {
    const struct cli_session *ask;
    struct cli_guest guest;
    const struct prog_workload *workload;
    char program[sizeof(struct doc_rundir) + 16]; /* the executable that runs */
    bool copied;                                  /* it is one in the results */
    struct nm_machine *machine;
    struct doc_sample now;
    struct doc_run run;
    struct doc_samples samples;
    struct doc_output output, errors; /* what the program wrote */
    struct cli_mask mask;
    struct prog_approach approach; /**< the experiment's, with addresses of the program */
    struct trc_recorder recorder;
    struct tr_recording *references; /* NULL: they are not recorded */
    sim_tick asked;        /* [ticks] at which the listener wants to look; SIM_NEVER: never */
    struct look_code code; /* the program's names, for the profile */
    struct run_profiling profiling;
    struct doc_profile profile; /* as the run left it */
    struct doc_truth truth;     /* the same */
    struct run_heap *heap;
    struct doc_objects objects; /* the same */
    struct run_locking *locking;
    struct doc_locks locks; /* as the run left them */
    struct doc_rundir dir;
    bool begun; /* the directory's manifest is ours */
    struct doc_manifest manifest;
    struct run_progress progress;
    struct run_earlier earlier; /* by which progress tells the end */
};

/* ---- small things ---------------------------------------------------------------------------- */

static void complain(const char *what)
{
    fprintf(stderr, "numachine: error: %s\n", what);
}

/* Something the host refused: said, and the first of it kept for the manifest. */
static __attribute__((format(printf, 2, 3))) void fail(struct state *s, const char *format, ...)
{
    char why[sizeof s->manifest.error];
    va_list ap;
    va_start(ap, format);
    vsnprintf(why, sizeof why, format, ap);
    va_end(ap);
    complain(why);
    if (!*s->manifest.error)
        strcpy(s->manifest.error, why);
}

/* The events of the experiment, then those its groups need. */
static bool choose_events(const struct in_experiment *x, struct mon_choice *choice)
{
    char why[256];
    for (char *const *event = x->events; *event; event++)
        if (!mon_choice_add(in_unit(x), choice, *event, why, sizeof why)) {
            complain(why);
            return false;
        }
    for (unsigned i = 0; i < x->group_count; i++)
        mon_choice_merge(choice, &x->group[i].choice);
    return true;
}

/* Whether a run can have what is expected of its statistics. Their names depend on machine, events
 * and groups, not on what the machine does: totals of 0 show them. */
static bool is_possible(const struct in_experiment *x, const struct mon_choice *choice)
{
    const struct nm_params *p = x->machine.params;
    const size_t cards = nm_params_cards(p);

    if (!x->expects)
        return true;
    struct doc_sample nothing = {
        .card = sim_alloc(cards, sizeof *nothing.card),
        .station = sim_alloc(nm_params_stations(p), sizeof *nothing.station),
        .ring = sim_alloc(nm_ring_count(p) + 1, sizeof *nothing.ring),
    };
    struct doc_run run = {0};
    run_regions_init(&run, x, "", (unsigned)cards, (unsigned)nm_value_processors(p), choice,
                     &nothing);
    const bool possible = run_expect_possible(&run, &nothing, stderr);
    run_regions_free(&run);
    free(nothing.card);
    free(nothing.station);
    free(nothing.ring);
    return possible;
}

/* Of what names of statistics depend on. Bytes that mean nothing may differ: then it is looked at
 * twice. */
static uint64_t hash_of(const struct in_experiment *x, const struct mon_choice *choice)
{
    uint64_t hash = XXH64(x->machine.params, nm_params_size(), 0);
    hash = XXH64(&x->machine.card, sizeof x->machine.card, hash);
    for (unsigned c = 0; x->machine.mix.fittings && c < nm_params_cards(x->machine.params); c++)
        hash = XXH64(in_card_params(&x->machine, c), nm_params_size(), hash);
    hash = XXH64(&x->approach, sizeof x->approach, hash);
    hash = XXH64(choice, sizeof *choice, hash);
    hash = XXH64(&x->pattern_count, sizeof x->pattern_count, hash);
    for (unsigned i = 0; i < x->group_count; i++)
        hash = XXH64(x->group[i].path, strlen(x->group[i].path), hash);
    return hash;
}

/* Notes it. @return whether it is there already */
static bool is_seen(struct cli_seen *seen, uint64_t hash)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->hash[i] == hash)
            return true;
    seen->hash = sim_grow(seen->hash, seen->count + 1, sizeof *seen->hash);
    seen->hash[seen->count++] = hash;
    return false;
}

bool cli_session_possible(void *seen, const struct in_experiment *x)
{
    struct mon_choice choice = {0};
    return !x->expects || (choose_events(x, &choice) &&
                           (is_seen(seen, hash_of(x, &choice)) || is_possible(x, &choice)));
}

void cli_seen_free(struct cli_seen *seen)
{
    free(seen->hash);
    *seen = (struct cli_seen){0};
}

static const struct doc_sample *totals(struct state *s)
{
    for (unsigned c = 0; c < s->run.cards; c++) {
        nm_card_taps(s->machine, c, &s->now.card[c].taps);
        nm_card_truth(s->machine, c, &s->now.card[c].truth);
        if (s->now.own)
            pc_own_signals(s->machine, c, &s->now.own[c]);
    }
    for (unsigned i = 0; i < nm_machine_stations(s->machine); i++)
        nm_machine_station(s->machine, i, &s->now.station[i]);
    for (unsigned i = 0; i < nm_ring_count(s->ask->experiment->machine.params); i++)
        nm_machine_ring(s->machine, i, &s->now.ring[i]);
    for (unsigned i = 0; s->now.traffic && i < nm_machine_stations(s->machine); i++)
        s->now.traffic[i] = nm_machine_traffic(s->machine, i);
    return &s->now;
}

/* ---- calls out of the run -------------------------------------------------------------------- */

static void on_thread(void *ctx, const struct prog_thread *thread)
{
    run_heap_thread(((struct state *)ctx)->heap, thread);
}

static void on_mark(void *ctx, const char *name, bool begin, sim_tick at)
{
    struct state *s = ctx;
    run_regions_mark(&s->run, name, begin, at, totals(s));
    run_profiling_mark(&s->profiling, &s->run, at);
    if (s->references)
        tr_recording_mark(s->references, name, begin);
}

static void on_figures(void *ctx, const char *region, const struct prog_quotient *figure)
{
    struct state *s = ctx;
    run_regions_figures(&s->run, region, figure);
}

static void on_measure(void *ctx, bool on, sim_tick at)
{
    struct state *s = ctx;
    run_regions_measure(&s->run, on, at, totals(s));
}

static sim_tick next_moment(const struct state *s)
{
    const sim_tick sample = s->samples.interval ? s->samples.next : SIM_NEVER;
    return sim_earlier(s->asked, sim_earlier(sample, s->recorder.next));
}

static sim_tick on_moment(void *ctx, sim_tick at)
{
    struct state *s = ctx;
    trc_moment(&s->recorder, at);
    if (at >= s->asked)
        s->asked = s->ask->listener->moment(s->ask->listener->ctx, s->machine, at);
    if (s->samples.interval && at >= s->samples.next)
        run_samples_take(&s->samples, &s->run, at, totals(s));
    return next_moment(s);
}

static void on_paged(void *ctx, uint64_t va, uint64_t pa)
{
    struct state *s = ctx;
    const struct cli_listener *listener = s->ask->listener;
    if (s->mask.from < s->mask.to)
        cli_mask_page(&s->mask, s->machine, s->ask->experiment->machine.params, va, pa);
    if (listener && listener->paged)
        listener->paged(listener->ctx, va, pa);
    trc_paged(&s->recorder, va, pa);
    if (s->references)
        tr_recording_paged(s->references, va, pa);
}

static void on_interrupted(void *ctx, unsigned card, const struct prog_access *access,
                           unsigned count)
{
    struct state *s = ctx;
    const struct cli_listener *listener = s->ask->listener;
    listener->interrupted(listener->ctx, s->machine, card, access, count);
}

static void look(struct state *s, sim_tick now)
{
    struct doc_region region = run_regions_peek(&s->run, now, totals(s));
    run_progress_clear(&s->progress);
    doc_table_region(&s->run, &region, stderr);
    run_region_free(&region);
}

static void on_wrote(void *ctx, int stream, const void *bytes, size_t count)
{
    struct state *s = ctx;
    doc_output_add(stream == 1 ? &s->output : &s->errors, bytes, count);
}

static void on_turn(void *ctx, const struct prog_turn *turn)
{
    struct state *s = ctx;
    if (s->locking)
        run_locking_turn(s->locking, turn);
    trc_turn(&s->recorder, turn);
    if (s->references)
        tr_recording_turn(s->references, turn);
}

static bool on_progress(void *ctx, sim_tick now, uint64_t instructions)
{
    struct state *s = ctx;
    run_progress_update(&s->progress, now, instructions);
    if (cli_look_asked())
        look(s, now);
    return !cli_stop_asked();
}

static bool on_asked(void *ctx)
{
    (void)ctx;
    return cli_threads_asked();
}

static void on_say(void *ctx, const char *text)
{
    struct state *s = ctx;
    run_progress_clear(&s->progress);
    fputs(text, stderr);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void write_resolved(void *ctx, FILE *out)
{
    const struct in_experiment *x = ((struct state *)ctx)->ask->experiment;
    in_experiment_write_resolved(out, x, x->pattern_count ? NULL : GUEST_COPY);
}

static void write_samples(void *ctx, FILE *out)
{
    const struct state *s = ctx;
    doc_write_samples(&s->samples, &s->run, out);
}

static void write_status(void *ctx, FILE *out)
{
    trc_write_status(&((struct state *)ctx)->recorder, out);
}

static void write_waves(void *ctx, FILE *out)
{
    trc_write_waves(&((struct state *)ctx)->recorder, out);
}

static void write_trace(void *ctx, FILE *out)
{
    const struct state *s = ctx;
    trc_write_trace(&s->recorder, s->code.names, s->profiling.profile ? &s->locks : NULL, out);
}

static void write_paje(void *ctx, FILE *out)
{
    trc_write_paje(&((struct state *)ctx)->recorder, out);
}

static void write_references(void *ctx, FILE *out)
{
    tr_recording_write(((struct state *)ctx)->references, out);
}

static void write_profile(void *ctx, FILE *out)
{
    doc_profile_write(&((struct state *)ctx)->profile, out);
}

static void write_truth(void *ctx, FILE *out)
{
    doc_truth_write(&((struct state *)ctx)->truth, out);
}

static void write_objects(void *ctx, FILE *out)
{
    doc_objects_write(&((struct state *)ctx)->objects, out);
}

static void write_locks(void *ctx, FILE *out)
{
    doc_locks_write(&((struct state *)ctx)->locks, out);
}

static bool write_file(struct state *s, const char *name, doc_write_fn *write, void *ctx)
{
    char why[512];
    if (doc_rundir_write(&s->dir, name, write, ctx, why, sizeof why))
        return true;
    fail(s, "%s", why);
    return false;
}

static bool has_groups(const struct doc_run *run)
{
    return run->experiment->group_count;
}

static bool has_histogram(const struct doc_run *run)
{
    return doc_histogram_total(run).cards;
}

static bool has_samples(const struct doc_run *run)
{
    return run->experiment->interval != SIM_NEVER;
}

/* What a run has counted, file by file. */
static const struct result {
    const char *name;
    void (*write)(const struct doc_run *run, FILE *out);
    bool (*is_there)(const struct doc_run *run); /* NULL: always */
} results[] = {
    {"stats.json", doc_write_json, NULL},
    {"stats.csv", doc_write_csv, NULL},
    {"stats.txt", doc_write_text, NULL},
    {DOC_HISTOGRAM, doc_write_histogram, NULL},
    {DOC_GROUPS, doc_write_groups, has_groups},
    {DOC_TRAFFIC, doc_write_traffic, doc_traffic_is},
    {DOC_SAMPLING, doc_write_sampling, doc_sampling_is},
    {DOC_COUNTERS, doc_write_counters, doc_registers_used},
    {DOC_BINS, doc_write_bins, has_histogram},
    {DOC_NPY, doc_write_npy, has_histogram},
    {DOC_BINS_PLOT, doc_write_bins_plot, has_histogram},
    {DOC_SAMPLES_PLOT, doc_write_samples_plot, has_samples},
};

struct result_of {
    const struct result *result;
    const struct doc_run *run;
};

static void write_result(void *ctx, FILE *out)
{
    const struct result_of *of = ctx;
    of->result->write(of->run, out);
}

static void write_results(struct state *s)
{
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        struct result_of of = {&results[i], &s->run};
        if (!of.result->is_there || of.result->is_there(of.run))
            write_file(s, of.result->name, write_result, &of);
    }
}

static void write_program(void *ctx, FILE *out)
{
    struct state *s = ctx;
    s->copied = cli_guest_copy(&s->guest, out);
}

/* The program stays with its results and runs from there; however the run ends, nothing of its
 * making is left elsewhere. */
static bool keep_program(struct state *s)
{
    if (!write_file(s, GUEST_COPY, write_program, s))
        return false;
    if (!s->copied)
        fail(s, "cannot read %s: %s", s->guest.path, strerror(errno));
    snprintf(s->program, sizeof s->program, "%s/" GUEST_COPY, s->dir.path);
    cli_guest_release(&s->guest);
    return s->copied;
}

static bool write_manifest(struct state *s)
{
    return write_file(s, "manifest.json", doc_manifest_write, &s->manifest);
}

/* From the first file on, the directory says that a run is under way: only then goes what an
 * earlier one has left. */
static bool write_start(struct state *s)
{
    char why[512];
    s->manifest = (struct doc_manifest){.run = &s->run,
                                        .dir = &s->dir,
                                        .argc = s->ask->argc,
                                        .argv = s->ask->argv,
                                        .git = s->ask->git};
    s->begun = write_manifest(s);
    if (!s->begun)
        return false;
    if (!doc_rundir_clear(&s->dir, why, sizeof why)) {
        fail(s, "%s", why);
        return false;
    }
    if (s->guest.path && !keep_program(s))
        return false;
    doc_manifest_hash(&s->manifest);
    return write_file(s, "config.resolved.yaml", write_resolved, s) && write_manifest(s);
}

/* A run that could not begin: what is there must not look like one that goes on. */
static void give_up(struct state *s)
{
    s->manifest.status = DOC_FAILED;
    s->manifest.exit_code = CLI_EXIT_IO;
    s->manifest.unstarted = true;
    write_manifest(s);
}

/* The directory, and in it what was understood. */
static enum cli_exit open_results(struct state *s)
{
    const struct cli_session *ask = s->ask;
    char why[512];
    if (!ask->keep)
        return CLI_EXIT_OK;
    enum doc_dir made =
        doc_rundir_make(&s->dir, ask->out, ask->experiment->name, ask->force, why, sizeof why);
    if (made != DOC_DIR_MADE) {
        complain(why);
        return made == DOC_DIR_REFUSED ? CLI_EXIT_USAGE : CLI_EXIT_IO;
    }
    return write_start(s) ? CLI_EXIT_OK : CLI_EXIT_IO;
}

static void write_recorded(struct state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    if (trc_has_status(&s->recorder))
        write_file(s, DOC_STATUS_CSV, write_status, s);
    if (x->record_waves)
        write_file(s, DOC_WAVES, write_waves, s);
    if (x->record_trace)
        write_file(s, DOC_TRACE, write_trace, s);
    if (x->record_paje)
        write_file(s, DOC_PAJE, write_paje, s);
    if (s->references)
        write_file(s, DOC_REFERENCES, write_references, s);
}

/* All that can be written is, whatever becomes of the rest; what the manifest says comes last and
 * from what is on the disk. */
static bool close_results(struct state *s)
{
    if (!s->ask->keep)
        return true;
    write_results(s);
    write_file(s, DOC_STDOUT, doc_output_write, &s->output);
    write_file(s, DOC_STDERR, doc_output_write, &s->errors);
    if (s->samples.interval)
        write_file(s, DOC_SAMPLES, write_samples, s);
    write_recorded(s);
    if (s->profiling.profile) {
        write_file(s, DOC_PROFILE, write_profile, s);
        write_file(s, DOC_OBJECTS, write_objects, s);
        write_file(s, DOC_LOCKS, write_locks, s);
    }
    if (s->profiling.misses)
        write_file(s, DOC_TRUTH, write_truth, s);
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

static int open_stdin(const struct cli_session *ask)
{
    const char *path = ask->experiment->stdin_path;
    if (!path && ask->stdin_fd >= 0)
        return dup(ask->stdin_fd);
    return open(path ? path : "/dev/null", O_RDONLY | O_CLOEXEC);
}

static enum cli_exit simulate(struct state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    int in = open_stdin(s->ask);
    if (in < 0) {
        fail(s, "%s: %s", x->stdin_path ? x->stdin_path : "stdin", strerror(errno));
        return CLI_EXIT_IO;
    }
    const char *const kept[] = {s->ask->keep ? s->dir.path : NULL, NULL};
    char **tool = cli_guest_tool();
    const struct prog_program program = {
        .path = s->program,
        .described = s->guest.described,
        .beside = x->program ? x->program : x->source,
        .allow = x->files,
        .root = x->root,
        .off = kept,
        .tool = (const char *const *)tool,
        .confine = true,
        .argv = x->argv,
        .envp = x->envp,
        .stdin_fd = in,
        .stdout_fd = STDOUT_FILENO,
        .stderr_fd = STDERR_FILENO,
    };
    const struct prog_spec spec = {
        .workload = s->workload,
        .what = &program,
        .seed = x->seed,
        .limit = x->limit,
        .moment = next_moment(s),
        .processors = x->processors,
        .ranges = x->ranges,
        .range_count = x->range_count,
        .apart = x->kept_apart,
        .apart_count = x->apart_count,
        .approach = s->approach,
    };
    const struct cli_listener *listener = s->ask->listener;
    const bool paged = s->mask.from < s->mask.to || (listener && listener->paged) ||
                       x->record_trace || s->references;
    const struct prog_hooks hooks = {
        .ctx = s,
        .thread = s->heap ? on_thread : NULL,
        .mark = on_mark,
        .measure = on_measure,
        .figures = on_figures,
        .wrote = s->ask->keep ? on_wrote : NULL,
        .moment = on_moment,
        .paged = paged ? on_paged : NULL,
        .interrupted = listener && listener->interrupted ? on_interrupted : NULL,
        .turn = s->locking || s->references || in_records(x) ? on_turn : NULL,
        .progress = on_progress,
        .asked = on_asked,
        .say = on_say};
    fflush(stdout);
    run_progress_init(&s->progress, s->ask->quiet ? NULL : stderr,
                      nm_value_cpu_clock(x->machine.params), x->limit, &s->earlier);
    cli_host_runs(true);
    prog_run(s->machine, &spec, &hooks, &s->run.outcome);
    cli_host_runs(false);
    run_progress_clear(&s->progress);
    in_free_list(tool);
    close(in);
    return CLI_EXIT_OK;
}

/* Every PCycle must be in one state, and, in a profile, be one instruction's. A machine that broke
 * down may stand in the middle of a cycle.
 */
static void check_states(struct state *s)
{
    struct prog_outcome *out = &s->run.outcome;
    char why[512];
    if (out->end == PROG_BROKEN || out->end == PROG_STUCK ||
        (run_regions_add_up(&s->run, why, sizeof why) &&
         (!s->profiling.profile || (run_profile_adds_up(&s->profile, &s->run, why, sizeof why) &&
                                    run_locks_add_up(&s->locks, &s->run, why, sizeof why))) &&
         (!s->profiling.misses ||
          run_truth_adds_up(&s->truth, &s->profile, &s->run, why, sizeof why))))
        return;
    out->end = PROG_BROKEN;
    snprintf(out->message, sizeof out->message, "%s", why);
}

int cli_passed_status(enum cli_exit status, const struct prog_outcome *outcome)
{
    if (status == CLI_EXIT_EXPECT && outcome->end == PROG_EXITED && !outcome->reached)
        return status;
    if (status != CLI_EXIT_OK && status != CLI_EXIT_EXPECT)
        return status;
    return outcome->end == PROG_SIGNALED ? 128 + outcome->status : outcome->status;
}

static enum cli_exit exit_status(const struct state *s)
{
    const struct prog_outcome *out = &s->run.outcome;
    switch (out->end) {
    case PROG_EXITED:
        return (unsigned)out->status == s->ask->experiment->expect_status && out->reached &&
                       !run_expect_broken(&s->run)
                   ? CLI_EXIT_OK
                   : CLI_EXIT_EXPECT;
    case PROG_SIGNALED:
        return CLI_EXIT_EXPECT;
    case PROG_LIMIT:
        return CLI_EXIT_LIMIT;
    case PROG_DEADLOCK:
    case PROG_STUCK:
    case PROG_LIVELOCK:
        return CLI_EXIT_STUCK;
    case PROG_INTERRUPTED:
        return CLI_EXIT_INTERRUPTED;
    case PROG_UNLOADABLE:
    case PROG_NOMEM:
        return CLI_EXIT_USAGE;
    case PROG_IO:
        return CLI_EXIT_IO;
    default:
        return CLI_EXIT_BROKEN;
    }
}

static enum doc_status how_far(const struct prog_outcome *out)
{
    switch (out->end) {
    case PROG_EXITED:
    case PROG_SIGNALED:
    case PROG_LIMIT:
        return out->reached ? DOC_COMPLETE : DOC_FAILED; /* nothing was timed */
    case PROG_INTERRUPTED:
        return DOC_PARTIAL;
    default:
        return DOC_FAILED;
    }
}

/* The counter units as they stand now; looking changes nothing. */
static void read_registers(struct state *s)
{
    s->run.registers = sim_alloc(s->run.cards, sizeof *s->run.registers);
    for (unsigned c = 0; c < s->run.cards; c++) {
        struct doc_registers *r = &s->run.registers[c];
        const struct mon_unit *unit = nm_card_unit(s->machine, c);
        struct mon_taps taps;
        nm_card_taps(s->machine, c, &taps);
        for (unsigned k = 0; k < unit->ops->counters; k++)
            unit->ops->reading(unit, k, &taps, &r->counter[k]);
        if (unit->ops->words)
            unit->ops->memory(unit, &r->memory);
    }
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

/* Closes the books: regions, checks, hash. */
static enum cli_exit conclude(struct state *s)
{
    struct prog_outcome *out = &s->run.outcome;
    run_regions_finish(&s->run, out->ticks, totals(s));
    run_samples_finish(&s->samples, &s->run, out->ticks, totals(s));
    doc_output_remark(&s->output, DOC_STDOUT, &s->run);
    doc_output_remark(&s->errors, DOC_STDERR, &s->run);
    read_registers(s);
    trc_end(&s->recorder, &s->run);
    if (s->references)
        tr_recording_end(s->references);
    doc_histogram_remark(&s->run);
    cli_mask_remark(&s->mask, &s->run);
    doc_host_stop(&s->run.host);
    if (s->profiling.profile) {
        s->profile = run_profiling_take(&s->profiling, &s->run, out->ticks);
        s->objects = run_heap_take(s->heap);
        s->locks = run_locking_take(s->locking, out->ticks);
    }
    if (s->profiling.misses)
        s->truth = run_profiling_truth(&s->profiling, s->heap, s->ask->experiment->machine.params);
    check_states(s);
    s->run.hash = doc_hash(&s->run);
    if (s->ask->listener && s->ask->listener->ended)
        s->ask->listener->ended(s->ask->listener->ctx, &s->run);
    s->manifest.status = how_far(out);
    if (s->manifest.status == DOC_COMPLETE)
        run_expect_judge(&s->run);
    const enum cli_exit status = exit_status(s);
    s->manifest.exit_code = s->ask->passes ? cli_passed_status(status, out) : (int)status;
    if (out->end == PROG_INTERRUPTED && cli_stop_reason()) {
        s->manifest.stopped_by = cli_stop_cause();
        char *own = sim_strdup(out->message);
        snprintf(out->message, sizeof out->message, "%s%s%s", cli_stop_reason(),
                 strcmp(own, "interrupted") ? ": " : "", strcmp(own, "interrupted") ? own : "");
        free(own);
    }
    if (!out->reached && s->manifest.status == DOC_FAILED)
        never_reached(out, s->ask->experiment->from);
    else if (out->end == PROG_EXITED && s->ask->experiment->to && !out->passed)
        fprintf(
            stderr,
            "numachine: warning: run.to: %s has not been reached: all up to the end was timed\n",
            s->ask->experiment->to);
    if (*out->message)
        complain(out->message);
    if (out->end == PROG_STUCK || out->end == PROG_BROKEN)
        nm_machine_dump(s->machine, stderr);
    return status;
}

/* A profile that no directory keeps: the functions that took most. */
static void show_profile(struct state *s, FILE *table)
{
    enum { MOST = 20 };
    const struct look_show what = {.most = MOST};
    struct look_view view = {
        .profile = &s->profile, .code = &s->code, .thread = -1, .measure = look_measure_total()};
    look_view_open(&view);
    putc('\n', table);
    look_profile_text(&view, &what, table);
    look_view_close(&view);
    fputs("# with -o DIR the profile stays: numachine profile DIR has lines, calls, threads ...\n",
          table);
}

/* The same of the truth: the objects, and the lines that lost most. */
static void show_truth(struct state *s, FILE *table)
{
    enum { LINES = 3 };
    struct look_finder *finder = look_finder_new(&s->objects, &s->profile, &s->code);
    struct look_sharing *sharing = look_sharing_new(&s->truth, &s->profile, finder, &s->code);
    putc('\n', table);
    look_sharing_text(sharing, LINES, table);
    look_sharing_free(sharing);
    look_finder_free(finder);
    fputs("# with -o DIR the truth stays: numachine c2c DIR, and c2c --what-if OBJECT DIR\n",
          table);
}

static void show_results(struct state *s, FILE *table)
{
    const struct cli_session *ask = s->ask;
    if (ask->lines)
        doc_lines(&s->run, ask->separator, table);
    else if (!ask->quiet)
        doc_table(&s->run, table);
    else if (!ask->keep) /* there is no other place for them */
        doc_table_counts(&s->run, table);
    if (ask->experiment->profile && !ask->keep && !ask->lines)
        show_profile(s, table);
    if (ask->experiment->truth && !ask->keep && !ask->lines)
        show_truth(s, table);
}

/* Of a program that has never begun there is nothing to show: why, has been said.
 * @return false, with a complaint, if the table did not get to where it goes */
static bool show(struct state *s)
{
    const struct cli_session *ask = s->ask;
    FILE *table = ask->table;
    if (s->run.outcome.end != PROG_UNLOADABLE)
        show_results(s, table);
    fflush(table);
    if (ask->quiet || ask->lines) {
        doc_note_estimate(&s->run, stderr);
        doc_note_replayed(&s->run, stderr);
    }
    run_expect_say(&s->run, stderr); /* behind the table, where people look */
    if (ask->keep)
        fprintf(table, "%s\n", s->dir.path);
    if ((ask->quiet && ask->keep) || !(fflush(table) || ferror(table)))
        return true;
    complain("the table could not be written");
    return false;
}

static enum cli_exit run(struct state *s)
{
    if (s->ask->keep && !s->ask->quiet)
        s->earlier = run_earlier_find(s->ask->experiment, s->ask->git, s->ask->out);
    doc_host_start(&s->run.host);
    enum cli_exit status = open_results(s);
    if (status == CLI_EXIT_OK)
        status = simulate(s);
    cli_stop_finish();
    if (status == CLI_EXIT_OK) {
        status = conclude(s);
        const bool written = close_results(s), shown = show(s);
        status = written && shown ? status : CLI_EXIT_IO;
    } else if (s->begun) {
        give_up(s);
    }
    doc_manifest_free(&s->manifest);
    run_earlier_free(&s->earlier);
    doc_rundir_close(&s->dir);
    return status;
}

/* What the file says about the monitoring cards, before the first cycle. */
static void program_cards(struct state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    for (unsigned c = 0; c < s->run.cards; c++)
        for (unsigned i = 0; i < x->write_count; i++)
            nm_card_register_write(s->machine, c, x->write[i].offset, x->write[i].value);
}

static bool function_at(void *ctx, uint64_t va, uint64_t *from, uint64_t *to)
{
    struct prog_names *names = ctx;
    struct prog_place place;
    if (!names || !names->at(names, va, &place) || !place.function)
        return false;
    *from = place.from;
    *to = place.to;
    return true;
}

static bool function_named(void *ctx, const char *name, uint64_t *va)
{
    struct prog_names *names = ctx;
    return names && names->function && names->function(names, name, va);
}

/* The program's names, for those who show them. */
static void open_names(struct state *s)
{
    char why[256];
    if (s->workload->names)
        s->code.names = s->workload->names(s->guest.path, why, sizeof why);
}

static enum cli_exit begin_profile(struct state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    const bool sampled = x->approach.sampling.every;
    if (sampled || (x->truth && (x->from || x->to))) {
        complain(sampled ? "sampling does not go with run.profile and run.truth, which want to see "
                           "every PCycle and every miss"
                         : "a fast-forward does not go with run.truth, which wants to see every "
                           "miss");
        return CLI_EXIT_USAGE;
    }
    if (!run_profiling_begin(&s->profiling, s->machine, function_at, s->code.names)) {
        complain(x->profile ? "run.profile: this kind of processor cannot be profiled"
                            : "run.truth: this kind of processor cannot tell of its misses");
        return CLI_EXIT_USAGE;
    }
    s->heap = run_heap_new(s->profiling.profile, s->code.names);
    s->locking =
        run_locking_begin(s->profiling.profile, s->run.cards, function_named, s->code.names);
    if (!s->ask->experiment->truth || run_profiling_ask(&s->profiling, s->heap))
        return CLI_EXIT_OK;
    complain("run.truth: a machine of mode: functional has no caches, and no misses");
    return CLI_EXIT_USAGE;
}

/* What is recorded goes into the directory; without one, nothing is. */
static enum cli_exit begin_references(struct state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    char why[256];
    if (!x->record_references || !s->ask->keep)
        return CLI_EXIT_OK;
    s->references = tr_recording_begin(s->machine, x->name, why, sizeof why);
    if (s->references)
        return CLI_EXIT_OK;
    const bool refused = errno == ENOTSUP;
    fprintf(stderr, "numachine: error: record.references: %s\n", why);
    return refused ? CLI_EXIT_USAGE : CLI_EXIT_IO;
}

/* The truth, to who wants it. */
static void hand_over(struct state *s)
{
    if (!s->ask->truth)
        return;
    *s->ask->truth = s->truth;
    s->truth = (struct doc_truth){0};
}

/* @param cards  the workload's own; NULL: the machine's */
static struct nm_machine *machine_new(const struct in_experiment *x,
                                      const struct nm_card_kind *cards)
{
    const struct in_machine *mc = &x->machine;
    struct nm_mix mix = mc->mix;
    struct nm_fitting *own = cards ? sim_alloc(mix.fittings, sizeof *own) : NULL;
    for (unsigned i = 0; own && i < mix.fittings; i++)
        own[i] = (struct nm_fitting){cards, mix.fitting[i].params};
    mix.fitting = own ? own : mix.fitting;
    struct nm_machine *m = nm_machine_new_mixed(mc->params, cards ? cards : mc->card, &mix);
    free(own);
    return m;
}

/* Whether a card's processor has counters of its own, whose events can be chosen. */
static bool count_themselves(const struct state *s)
{
    bool any = false;
    for (unsigned c = 0; c < nm_machine_cards(s->machine); c++)
        any |= pc_own_counts(s->machine, c);
    return any && in_unit(s->ask->experiment)->own;
}

/* Several host threads, if they were asked for. Who waits for the so-manieth time that processors
 * come somewhere counts them in the order in which they are simulated. */
static void share_out(const struct state *s)
{
    const struct in_experiment *x = s->ask->experiment;
    const unsigned asked = s->ask->host_threads;
    if (asked < 2)
        return;
    const bool counts = x->from || x->to || x->approach.sampling.every;
    const unsigned got = counts ? 1 : nm_machine_host_threads(s->machine, asked);
    if (!s->ask->quiet)
        cli_host_threads(asked, got);
}

/* A machine, and the run on it, with the program that has been found good. */
static enum cli_exit run_on_machine(struct state *s, const struct mon_choice *choice)
{
    const struct in_experiment *x = s->ask->experiment;
    s->workload = s->guest.workload;
    s->machine = machine_new(x, s->workload->cards);
    s->run.cards = nm_machine_cards(s->machine);
    s->now = (struct doc_sample){
        .card = sim_alloc(s->run.cards, sizeof *s->now.card),
        .station = sim_alloc(nm_machine_stations(s->machine), sizeof *s->now.station),
        .ring = sim_alloc(nm_ring_count(x->machine.params) + 1, sizeof *s->now.ring),
        .traffic = nm_ring_count(x->machine.params)
                       ? sim_alloc(nm_machine_stations(s->machine), sizeof(struct nm_traffic *))
                       : NULL,
        .own = count_themselves(s) ? sim_alloc(s->run.cards, sizeof *s->now.own) : NULL,
    };
    if (s->guest.path)
        snprintf(s->program, sizeof s->program, "%s", s->guest.path);
    run_regions_init(&s->run, x, s->guest.path ? s->program : NULL, s->run.cards,
                     (unsigned)nm_value_processors(x->machine.params), choice, totals(s));
    run_samples_init(&s->samples, &s->run, x->interval, totals(s));
    s->recorder.next = SIM_NEVER;
    if (s->ask->keep) /* there is a place for it */
        trc_begin(&s->recorder, &s->run, s->machine);
    trc_moment(&s->recorder, 0);
    s->asked =
        s->ask->listener && s->ask->listener->moment ? s->ask->listener->moment_at : SIM_NEVER;
    program_cards(s);
    if (x->profile || x->truth || x->record_trace)
        open_names(s);
    enum cli_exit status = CLI_EXIT_OK;
    if (x->profile || x->truth)
        status = begin_profile(s);
    if (status == CLI_EXIT_OK)
        status = begin_references(s);
    share_out(s);
    if (status == CLI_EXIT_OK)
        status = run(s);
    tr_recording_free(s->references);
    hand_over(s);
    doc_truth_free(&s->truth);
    doc_objects_free(&s->objects);
    doc_profile_free(&s->profile);
    run_profiling_free(&s->profiling);
    run_heap_free(s->heap);
    doc_locks_free(&s->locks);
    run_locking_free(s->locking);
    look_code_close(&s->code);
    free(s->run.registers);
    run_samples_free(&s->samples);
    doc_output_free(&s->output);
    doc_output_free(&s->errors);
    trc_free(&s->recorder);
    run_regions_free(&s->run);
    free(s->now.card);
    free(s->now.station);
    free(s->now.ring);
    free(s->now.traffic);
    free(s->now.own);
    nm_machine_free(s->machine);
    return status;
}

enum cli_exit cli_session_run(const struct cli_session *session, struct prog_outcome *outcome)
{
    struct state s = {.ask = session, .dir.lock = -1};
    struct mon_choice choice = {0};
    s.run.outcome.end = PROG_UNLOADABLE;
    enum cli_exit status = CLI_EXIT_USAGE;
    cli_stop_listen(); /* whoever stops us now, nothing is left half done */
    if (choose_events(session->experiment, &choice) && is_possible(session->experiment, &choice))
        status = cli_guest_get(&s.guest, session->experiment);
    if (status == CLI_EXIT_OK && (!cli_mask_find(&s.mask, session->experiment, s.guest.path) ||
                                  !cli_approach_find(&s.approach, session->experiment, &s.guest)))
        status = CLI_EXIT_USAGE;
    if (cli_stop_asked()) { /* nothing has been written yet */
        complain(cli_stop_reason());
        status = CLI_EXIT_INTERRUPTED;
    }
    if (status == CLI_EXIT_OK)
        status = run_on_machine(&s, &choice);
    cli_guest_release(&s.guest);
    *outcome = s.run.outcome;
    return status;
}
