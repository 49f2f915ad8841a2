/*
 * From the first cycle to the last, and then what it came to. Every end of a run takes the same way
 * here.
 */
#include "run/simulate.h"

#include "base/alloc.h"
#include "documents/host.h"
#include "documents/statistics/table.h"
#include "programs/host.h"
#include "run/expect.h"
#include "run/progress.h"
#include "run/regions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct nm_machine *run_machine_new(const struct in_experiment *x, const struct nm_card_kind *cards)
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

void run_program_cards(struct run_live *live)
{
    const struct in_experiment *x = live->experiment;
    for (unsigned c = 0; c < live->cards; c++)
        for (unsigned i = 0; i < x->write_count; i++)
            nm_card_register_write(live->machine, c, x->write[i].offset, x->write[i].value);
}

/* ---- what people ask meanwhile --------------------------------------------------------------- */

struct run_asking {
    const struct run_surroundings *around;
    struct run_progress progress;
};

static void simulate_look(struct run_live *live, sim_tick now)
{
    struct doc_region region = run_regions_peek(&live->run, now, run_totals(live));
    run_progress_clear(&live->asking->progress);
    doc_table_region(&live->run, &region, stderr);
    run_region_free(&region);
}

static bool simulate_is_over(const struct run_surroundings *around)
{
    return around->over && *around->over;
}

bool run_stop_asked(const struct run_live *live)
{
    return live->asking && live->asking->around->stop();
}

static bool on_progress(void *ctx, sim_tick now, uint64_t instructions)
{
    struct run_live *live = ctx;
    const bool known = !live->run.outcome.references;
    if (!prog_host_past())
        run_progress_update(&live->asking->progress, now, known ? instructions : 0);
    if (live->asking->around->look())
        simulate_look(live, now);
    const struct run_surroundings *around = live->asking->around;
    return !run_stop_asked(live) && !simulate_is_over(around);
}

static bool on_asked(void *ctx)
{
    return ((struct run_live *)ctx)->asking->around->threads();
}

static void on_say(void *ctx, const char *text)
{
    struct run_asking *asking = ((struct run_live *)ctx)->asking;
    if (simulate_is_over(asking->around)) /* nobody wants to know */
        return;
    run_progress_clear(&asking->progress);
    fputs(text, stderr);
}

/* ---- the run --------------------------------------------------------------------------------- */

static int open_stdin(const struct in_experiment *x, int given)
{
    const char *path = x->stdin_path;
    if (!path && given >= 0)
        return dup(given);
    return open(path ? path : "/dev/null", O_RDONLY | O_CLOEXEC);
}

static struct prog_program program_of(const struct in_experiment *x,
                                      const struct run_surroundings *around)
{
    return (struct prog_program){
        .path = around->program,
        .described = around->described,
        .beside = x->program ? x->program : x->source,
        .allow = x->files,
        .root = x->root,
        .tool = around->tool,
        .confine = !around->within,
        .copies = around->copies,
        .doubles = around->again,
        .argv = x->argv,
        .envp = x->envp,
        .stdout_fd = STDOUT_FILENO,
        .stderr_fd = STDERR_FILENO,
    };
}

static struct prog_spec spec_of(const struct run_live *live, const struct prog_approach *approach)
{
    const struct in_experiment *x = live->experiment;
    return (struct prog_spec){
        .workload = live->workload,
        .seed = x->seed,
        .limit = x->limit,
        .moment = run_live_next(live),
        .processors = x->processors,
        .ranges = x->ranges,
        .range_count = x->range_count,
        .apart = x->kept_apart,
        .apart_count = x->apart_count,
        .approach = *approach,
        .counted = run_live_counted(live),
    };
}

bool run_simulate(struct run_live *live, const struct run_surroundings *around, char *why,
                  size_t size)
{
    const struct in_experiment *x = live->experiment;
    const char *const kept[] = {around->kept, NULL};
    struct run_asking asking = {.around = around};
    struct prog_program program = program_of(x, around);
    struct prog_spec spec = spec_of(live, around->approach);
    struct prog_hooks hooks = run_live_hooks(live);
    program.stdin_fd = open_stdin(x, around->stdin_fd);
    if (program.stdin_fd < 0) {
        snprintf(why, size, "%s: %s", x->stdin_path ? x->stdin_path : "stdin", strerror(errno));
        return false;
    }
    const int nowhere = around->again ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (nowhere >= 0)
        program.stdout_fd = program.stderr_fd = nowhere;
    program.off = kept;
    spec.what = &program;
    hooks.progress = on_progress;
    hooks.asked = on_asked;
    hooks.say = on_say;
    live->asking = &asking;
    fflush(stdout);
    run_progress_init(&asking.progress, around->quiet ? NULL : stderr,
                      nm_value_cpu_clock(x->machine.params), x->limit, around->earlier);
    prog_run(live->machine, &spec, &hooks, &live->run.outcome);
    run_progress_clear(&asking.progress);
    live->asking = NULL;
    close(program.stdin_fd);
    if (nowhere >= 0)
        close(nowhere);
    return true;
}

/* ---- what it came to ------------------------------------------------------------------------- */

static enum doc_status how_far(const struct prog_outcome *out)
{
    static const enum doc_status statuses[] = {
#define END(end, word, status, exit) [PROG_##end] = DOC_##status,
#include "documents/ends.def"
#undef END
    };
    const enum doc_status status = statuses[out->end];
    return status == DOC_COMPLETE && !out->reached ? DOC_FAILED : status; /* nothing was timed */
}

/* Every PCycle must be in one state, and, in a profile, be one instruction's. A machine that broke
 * down may stand in the middle of a cycle. */
static void check_sums(struct run_live *live)
{
    struct prog_outcome *out = &live->run.outcome;
    char why[512];
    if (out->end == PROG_BROKEN || out->end == PROG_STUCK ||
        run_live_adds_up(live, why, sizeof why))
        return;
    out->end = PROG_BROKEN;
    snprintf(out->message, sizeof out->message, "%s", why);
}

enum doc_status run_conclude(struct run_live *live)
{
    struct doc_run *run = &live->run;
    doc_host_stop(&run->host);
    run_live_finish(live, run->outcome.ticks);
    check_sums(live);
    run->hash = doc_hash(run);
    run_live_conclude(live);
    const enum doc_status status = how_far(&run->outcome);
    if (status == DOC_COMPLETE)
        run_expect_judge(run);
    return status;
}
