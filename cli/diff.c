/*
 * numachine diff: two runs held against each other. It reads their directories and changes nothing
 * there.
 */
#include "look/compare/diff.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "cli/trail.h"
#include "look/compare/divergence.h"

#include <stdlib.h>
#include <string.h>

/* As diff(1) has it. */
enum { SAME = 0, DIFFERENT = 1 };

enum { THRESHOLD = 1 /**< [%] unless another is given */ };

static double threshold_of(const struct cli_given *g)
{
    char *end = "";
    const double percent = g->threshold     ? strtod(g->threshold, &end)
                           : g->all_changes ? 0
                                            : THRESHOLD;
    if (*end || !(percent >= 0 && percent <= 100))
        cli_refuse(g, "--threshold: '%.60s' is not a number of percent from 0 to 100",
                   g->threshold);
    return percent;
}

/* ---- what both have kept --------------------------------------------------------------------- */

/* Whether both runs have a file. */
static bool both_have(const struct look_diff *d, const char *file)
{
    for (int i = 0; i < 2; i++)
        if (!json_object_get(json_object_get(d->of[i]->manifest, "files"), file))
            return false;
    return true;
}

static void hold_functions(struct look_diff *d, struct look_kept kept[2])
{
    struct look_view view[2];
    for (int i = 0; i < 2; i++) {
        view[i] = (struct look_view){.profile = &kept[i].profile,
                                     .code = &kept[i].code,
                                     .thread = -1,
                                     .measure = look_measure_total()};
        look_view_open(&view[i]);
    }
    look_diff_functions(d, (struct look_view *const[]){&view[0], &view[1]});
    for (int i = 0; i < 2; i++)
        look_view_close(&view[i]);
}

static void hold_objects(struct look_diff *d, struct look_kept kept[2])
{
    struct look_finder *finder[2];
    struct look_sharing *sharing[2];
    for (int i = 0; i < 2; i++) {
        finder[i] = look_finder_new(&kept[i].objects, &kept[i].profile, &kept[i].code);
        sharing[i] = look_sharing_new(&kept[i].truth, &kept[i].profile, finder[i], &kept[i].code);
    }
    look_diff_objects(d, (const struct look_sharing *const[]){sharing[0], sharing[1]});
    for (int i = 0; i < 2; i++) {
        look_sharing_free(sharing[i]);
        look_finder_free(finder[i]);
    }
}

/* By function where both are profiled, by object where both have the truth of their misses.
 * @return false after a complaint */
static bool hold_kept(struct look_diff *d, const struct look_files *files)
{
    const bool truth = both_have(d, DOC_TRUTH) && both_have(d, DOC_OBJECTS);
    const unsigned parts = truth ? LOOK_KEPT_TRUTH : 0;
    struct look_kept kept[2] = {{.files = *files}, {.files = *files}};
    if (d->same || !both_have(d, DOC_PROFILE))
        return true;
    const bool good = cli_kept_open(&kept[0], d->of[0]->directory, parts) &&
                      cli_kept_open(&kept[1], d->of[1]->directory, parts);
    if (good)
        hold_functions(d, kept);
    if (good && truth)
        hold_objects(d, kept);
    look_kept_close(&kept[0]);
    look_kept_close(&kept[1]);
    return good;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool load_run_again(struct in_experiment *x, const char *directory)
{
    return cli_again_load(x, directory, false);
}

static int show_divergence(const struct look_diff *d, const struct look_files *files)
{
    const struct look_again again = {.load = load_run_again, .run = cli_trail_run, .files = files};
    struct look_trail *const trail[2] = {cli_trail_new(), cli_trail_new()};
    const int status = look_first_divergence(d, &again, trail, stdout);
    cli_trail_free(trail[0]);
    cli_trail_free(trail[1]);
    return status;
}

static int diff_show(const struct cli_given *g, const struct doc_finished results[2])
{
    struct look_diff d = {
        .of = {&results[0], &results[1]}, .all = g->all_changes, .threshold = threshold_of(g)};
    const struct look_files files = cli_files(g);
    int status = CLI_EXIT_USAGE;
    (g->first ? look_diff_make_head : look_diff_make)(&d);
    if (g->first) {
        status = show_divergence(&d, &files);
    } else if (hold_kept(&d, &files)) {
        look_diff_formats[CLI_NAMED(g, "no format", g->format, look_diff_formats)].write(&d,
                                                                                         stdout);
        status = d.same ? SAME : DIFFERENT;
    }
    look_diff_free(&d);
    return status;
}

int cli_diff(struct cli_given *g)
{
    struct doc_finished results[2] = {{0}};
    int status = CLI_EXIT_USAGE;
    threshold_of(g); /* what is wrong is said first */
    cli_files(g);
    if (cli_results_open(&results[0], g->words[0]) && cli_results_open(&results[1], g->words[1]))
        status = diff_show(g, results);
    doc_finished_free(&results[0]);
    doc_finished_free(&results[1]);
    return status;
}
