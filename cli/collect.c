/*
 * numachine collect: the results of a sweep from the directories of its shards.
 */
#include "base/alloc.h"
#include "base/owner.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "sweep/away.h"
#include "sweep/expect.h"
#include "sweep/index.h"
#include "sweep/result.h"
#include "sweep/shards.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool collect_is_same(const char *a, const char *b)
{
    struct stat one, other;
    return !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

/* Whether a directory holds a sweep that is none of those collected: its own results are there. */
static bool is_foreign(const char *out, char *const *directories)
{
    for (; *directories; directories++)
        if (collect_is_same(out, *directories))
            return false;
    return swp_dir_is(out);
}

/* A file that would be replaced, though no collecting has written it; NULL: none. */
static const char *foreign_file(const char *out)
{
    static const char *const files[] = {SWP_CSV, SWP_DATABASE, SWP_PLOT};
    const char *found = NULL;
    struct stat st;
    char *index = sim_format("%s/" SWP_COLLECTED, out);
    const bool ours = swp_dir_is(out) || !lstat(index, &st);
    for (size_t i = 0; !ours && !found && i < sizeof files / sizeof *files; i++) {
        char *path = sim_format("%s/%s", out, files[i]);
        found = lstat(path, &st) ? NULL : files[i];
        free(path);
    }
    free(index);
    return found;
}

/* Whether the results may go there. @return false: see `why` */
static bool may_take(const char *out, char *const *directories, char *why, size_t size)
{
    struct stat st;
    char *manifest = sim_format("%s/manifest.json", out);
    const bool there = !stat(out, &st);
    if (there && !S_ISDIR(st.st_mode))
        snprintf(why, size, "'%s' is not a directory", out);
    else if (is_foreign(out, directories))
        snprintf(why, size, "'%s' holds another sweep; give another --output", out);
    else if (there && !lstat(manifest, &st))
        snprintf(why, size, "'%s' holds the results of a run; give another --output", out);
    else if (there && foreign_file(out))
        snprintf(why, size,
                 "'%s' holds %s, which is not of a sweep collected there; give another --output",
                 out, foreign_file(out));
    else
        why[0] = '\0';
    free(manifest);
    return !why[0];
}

/* @return status 2, with a sentence in `why` */
static enum cli_exit refuse_nothing(const struct swp_result *result, char *why, size_t size)
{
    snprintf(why, size, "none of the sweep's %zu point%s is there: nothing is written",
             result->rows, sim_plural(result->rows));
    return CLI_EXIT_USAGE;
}

/* Writes into a directory in which no sweep runs meanwhile: that is said first. */
static enum cli_exit write_results(const struct swp_result *result, const char *out, char *why,
                                   size_t size)
{
    struct swp_dir dir;
    if (!result->there && access(out, F_OK))
        return refuse_nothing(result, why, size);
    if (mkdir(out, 0777) && errno != EEXIST) {
        snprintf(why, size, "cannot make directory '%s': %s", out, sim_refusal_of(errno, out).text);
        return CLI_EXIT_IO;
    }
    const enum doc_dir made = swp_dir_borrow(&dir, out, why, size);
    if (made != DOC_DIR_MADE)
        return made == DOC_DIR_REFUSED ? CLI_EXIT_USAGE : CLI_EXIT_IO;
    enum cli_exit status = CLI_EXIT_OK;
    if (!result->there)
        status = refuse_nothing(result, why, size);
    else if (!swp_result_write(result, out, why, size))
        status = CLI_EXIT_IO;
    swp_dir_close(&dir);
    return status;
}

/* The experiment, as the first point that is there was run. */
static bool load_experiment(const struct swp_result *result, struct in_experiment *x)
{
    struct in_diag diag = {.out = stderr};
    size_t i = 0;
    while (i < result->rows && !result->row[i].directory)
        i++;
    if (i == result->rows)
        return false;
    char *path = sim_format("%s/config.resolved.yaml", result->row[i].directory);
    const bool good = in_experiment_load(x, path, NULL, &diag);
    free(path);
    return good;
}

/* Notes in the index what came of all points. */
static enum cli_exit collect_conclude(const struct swp_result *result,
                                      const struct swp_judged *judged, const char *out)
{
    char why[5000];
    struct swp_dir dir;
    const bool borrowed = swp_dir_borrow(&dir, out, why, sizeof why) == DOC_DIR_MADE;
    const bool good = borrowed && swp_index_conclude(result, judged, out, why, sizeof why);
    if (borrowed)
        swp_dir_close(&dir);
    else
        json_decref(judged->list);
    if (!good)
        fprintf(stderr, "numachine: error: %s\n", why);
    return good ? CLI_EXIT_OK : CLI_EXIT_IO;
}

/* Holds points against each other, as the experiment says. */
static enum cli_exit collect_hold(const struct swp_result *result, const char *out, bool quiet)
{
    struct in_experiment x;
    if (!load_experiment(result, &x))
        return CLI_EXIT_OK;
    const struct swp_judged judged = swp_expect_judge(result, &x, stderr);
    if (!quiet)
        swp_shown_put(result, &x, stderr);
    const enum cli_exit status = collect_conclude(result, &judged, out);
    in_experiment_free(&x);
    if (judged.left)
        fprintf(stderr, "numachine: %zu expectations are not judged: points are not there\n",
                judged.left);
    return judged.broken && status == CLI_EXIT_OK ? CLI_EXIT_EXPECT : status;
}

/* What shards of a sweep have done that other hosts ran (sweep/shards.h) comes first. */
static enum doc_dir gather_one(const struct swp_dir *dir, const char *job, char *why, size_t size)
{
    const char *path = dir->place.path;
    if (!job && swp_slurm_waits(path, cli_stop_reason, why, size))
        return DOC_DIR_REFUSED;
    if (job && !swp_slurm_is_latest(path, job)) {
        snprintf(why, size, "'%s' has been resumed since job %s was submitted: it is left alone",
                 path, job);
        return DOC_DIR_REFUSED;
    }
    return swp_shards_gather(dir, why, size);
}

/* @param job  the only one that may gather; NULL: nobody waits for it */
static enum cli_exit collect_gather(char *const *directories, const char *job, char *why,
                                    size_t size)
{
    enum doc_dir made = DOC_DIR_MADE;
    for (; *directories && made == DOC_DIR_MADE; directories++) {
        struct swp_dir dir;
        if (!job && !swp_shards_are_there(*directories))
            continue;
        made = swp_dir_borrow(&dir, *directories, why, size);
        if (made == DOC_DIR_MADE) {
            made = gather_one(&dir, job, why, size);
            swp_dir_close(&dir);
        }
    }
    if (made == DOC_DIR_MADE)
        return CLI_EXIT_OK;
    return made == DOC_DIR_REFUSED ? CLI_EXIT_USAGE : CLI_EXIT_IO;
}

static enum cli_exit collect_collect(const struct cli_given *g)
{
    const char *out = g->out ? g->out : g->words[0];
    char why[5000];
    struct swp_result result = {0};
    enum cli_exit status = CLI_EXIT_USAGE;
    if (may_take(out, g->words, why, sizeof why))
        status = collect_gather(g->words, g->job, why, sizeof why);
    if (status == CLI_EXIT_OK)
        status = swp_result_open(&result, g->words, why, sizeof why)
                     ? write_results(&result, out, why, sizeof why)
                     : CLI_EXIT_USAGE;
    if (status != CLI_EXIT_OK)
        fprintf(stderr, "numachine: error: %s\n", why);
    else if (result.there < result.rows)
        fprintf(stderr, "numachine: %zu of %zu point%s %s not there\n", result.rows - result.there,
                result.rows, sim_plural(result.rows),
                result.rows - result.there == 1 ? "is" : "are");
    if (status == CLI_EXIT_OK) {
        printf("%s\n", out);
        status = collect_hold(&result, out, g->quiet);
        if (status == CLI_EXIT_OK && result.there < result.rows)
            status = CLI_EXIT_EXPECT;
    }
    swp_result_free(&result);
    return status;
}

int cli_collect(struct cli_given *g)
{
    if (g->count > 1 && !g->out)
        cli_refuse(g, "--output: where to? (of several DIR)");
    if (g->count > 1 && g->job)
        cli_refuse(g, "--job: a job has one DIR");
    cli_stop_listen(); /* a first wish to stop waits: all is written in a moment, or nothing */
    cli_stop_finish();
    return collect_collect(g);
}
