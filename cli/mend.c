/*
 * numachine mend: what would make a program that shares its data badly faster, tried by runs side
 * by side: each as the run was, but for the layout of what it shares and the homes of its pages.
 */
#include "look/mend/mend.h"
#include "base/alloc.h"
#include "base/beside.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "documents/directory/rundir.h"
#include "machine/params.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets that are run at the same time. */
struct mending {
    const struct look_kept *kept;
    const struct in_experiment *experiment;
    const struct look_mend *mend;
    const look_mend_set *set;
    struct look_mend_result *result; /* shared memory */
    unsigned jobs;
};

/* ---- a run, in a process of its own ---------------------------------------------------------- */

/* Each reads a file from its beginning. What comes once only is nobody's. */
static void mend_own_stdin(void)
{
    struct stat st;
    const bool file = !fstat(STDIN_FILENO, &st) && S_ISREG(st.st_mode);
    const int fd = open(file ? "/proc/self/fd/0" : "/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        dup2(fd, STDIN_FILENO);
}

/* What a run has to complain of, all have: the first one does. */
static void mend_silence(void)
{
    const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        dup2(fd, STDERR_FILENO);
}

static void mend_lay_out(struct in_experiment *x, const struct look_mend *m, look_mend_set set)
{
    struct look_layout layout = {0};
    look_mend_layout(m, set, &layout);
    look_layout_spread(&layout, m->sharing->truth, x->machine.params);
    free(x->kept_apart);
    x->kept_apart = layout.range;
    x->apart_count = layout.ranges;
}

/* The first range that holds a page counts. */
static void mend_place(struct in_experiment *x, const struct look_mend_candidate *mover)
{
    if (mover->rule != LOOK_MEND_RULE) {
        nm_params_place(x->machine.params, mover->rule); /* this process's */
        return;
    }
    struct nm_range *all = sim_alloc(mover->ranges + x->range_count, sizeof *all);
    memcpy(all, mover->range, mover->ranges * sizeof *all);
    if (x->range_count)
        memcpy(all + mover->ranges, x->ranges, x->range_count * sizeof *all);
    free(x->ranges);
    x->ranges = all;
    x->range_count += (unsigned)mover->ranges;
}

static int mend_run_one(void *ctx, size_t i)
{
    const struct mending *now = ctx;
    struct in_experiment x = *now->experiment;
    struct cli_again again;
    const struct look_mend_candidate *mover = look_mend_mover(now->mend, now->set[i]);
    mend_own_stdin();
    if (now->set[i])
        mend_silence();
    mend_lay_out(&x, now->mend, now->set[i]);
    if (mover)
        mend_place(&x, mover);
    const enum cli_exit status = cli_again_run(now->kept, &x, &again);
    if (again.compares)
        now->result[i] = (struct look_mend_result){.compares = true,
                                                   .same_output = again.output != CLI_OUTPUT_other,
                                                   .ticks = again.ticks,
                                                   .instructions = again.instructions};
    return status == CLI_EXIT_INTERRUPTED || status == CLI_EXIT_IO ? (int)status : 0;
}

static bool mend_run_all(void *ctx, const struct look_mend *m, const look_mend_set *set,
                         size_t count, struct look_mend_result *result)
{
    struct mending now = *(const struct mending *)ctx;
    now.mend = m;
    now.set = set;
    now.result = sim_beside_memory(count * sizeof *result);
    const bool good = sim_beside(now.jobs, count, mend_run_one, &now);
    memcpy(result, now.result, count * sizeof *result);
    sim_beside_release(now.result, count * sizeof *result);
    return good;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void mend_write(void *ctx, FILE *out)
{
    look_mend_json(ctx, out);
}

/* What was measured stays with the run, for those who speak of it. */
static void mend_keep(const char *directory, struct look_mend *m)
{
    char why[1024];
    char *path = sim_format("%s/" DOC_MEND, directory);
    if (!doc_whole_write(path, false, mend_write, m, NULL, why, sizeof why))
        fprintf(stderr, "numachine: note: %s\n", why);
    free(path);
}

/* Whether the program as it is takes its time again: with another input, no run says anything. */
static bool mend_repeats(struct mending *mending, struct look_mend *m)
{
    static const look_mend_set nothing = 0;
    struct look_mend_result again = {0};
    if (!mend_run_all(mending, m, &nothing, 1, &again) || !again.compares)
        return false; /* has been said */
    m->instructions = again.instructions;
    if (again.ticks == m->before)
        return true;
    char *why = sim_format("the program as it is took %" PRIu64 " PCycles, and %" PRIu64
                           " now: no comparison; if it reads standard input, give this command "
                           "the same from a file (< FILE), or have the first run take one: "
                           "stat --set program.stdin=FILE",
                           m->before, again.ticks);
    cli_complain(CLI_EXIT_EXPECT, why);
    free(why);
    return false;
}

static int mend_search(const struct cli_given *g, const struct look_kept *kept,
                       const struct in_experiment *x, struct look_mend *m)
{
    struct mending mending = {.kept = kept,
                              .experiment = x,
                              .jobs = g->jobs ? (unsigned)g->jobs : sim_beside_processors()};
    if (m->candidates && !mend_repeats(&mending, m))
        return CLI_EXIT_EXPECT;
    if (!look_mend_search(m, (unsigned)g->budget, mend_run_all, &mending))
        return cli_complain(CLI_EXIT_IO, "a run could not be made, or was stopped");
    mend_keep(g->words[0], m);
    look_mend_formats[CLI_NAMED(g, "no format", g->format, look_mend_formats)].write(m, stdout);
    return CLI_EXIT_OK;
}

static int mend_open(const struct cli_given *g, struct look_kept *kept,
                     const struct in_experiment *x)
{
    char why[256];
    struct look_finder *finder = look_finder_new(&kept->objects, &kept->profile, &kept->code);
    struct look_sharing *sharing =
        look_sharing_new(&kept->truth, &kept->profile, finder, &kept->code);
    struct look_pages *pages =
        look_pages_new(&kept->truth, x, finder, &kept->code, why, sizeof why);
    struct look_locks_view locks = {
        .locks = &kept->locks, .code = &kept->code, .finder = finder, .sort = DOC_LOCK_WAITED};
    look_locks_view_open(&locks, NULL, why, sizeof why);
    struct look_mend *m = look_mend_new(sharing, &locks, pages, &kept->objects);
    const int status = mend_search(g, kept, x, m);
    look_mend_free(m);
    look_locks_view_close(&locks);
    look_pages_free(pages);
    look_sharing_free(sharing);
    look_finder_free(finder);
    return status;
}

int cli_mend(struct cli_given *g)
{
    struct look_kept kept = {0};
    struct in_experiment x;
    int status = CLI_EXIT_USAGE;
    if (cli_kept_open(&kept, g->words[0], LOOK_KEPT_TRUTH | LOOK_KEPT_LOCKS) &&
        cli_again_compares(&kept, "") && cli_again_load(&x, g->words[0], false)) {
        if (kept.code.lacks)
            fprintf(stderr, "numachine: note: %s\n", kept.code.lacks);
        status = mend_open(g, &kept, &x);
        in_experiment_free(&x);
    }
    look_kept_close(&kept);
    return status;
}
