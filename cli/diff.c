/*
 * numachine diff: two runs held against each other. It reads their directories and changes nothing
 * there.
 */
#include "look/compare/diff.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "cli/options.h"
#include "cli/trail.h"
#include "look/compare/divergence.h"

#include <stdlib.h>
#include <string.h>

/* As diff(1) has it. */
enum { SAME = 0, DIFFERENT = 1 };

enum {
    OPT_ALL = 0x300,
    OPT_THRESHOLD,
    OPT_FIRST,
    THRESHOLD = 1 /**< [%] unless another is given */
};

struct request {
    const char *directory[2];
    double threshold;
    enum look_diff_as as;
    bool all, first;
    struct {
        bool format, threshold;
    } given;
};

static double percent_of(struct argp_state *state, const char *text)
{
    char *end;
    const double percent = strtod(text, &end);
    if (*end || !(percent >= 0 && percent <= 100))
        argp_error(state, "--threshold: '%.60s' is not a number of percent from 0 to 100", text);
    return percent;
}

static void add_directory(struct argp_state *state, struct request *r, const char *arg)
{
    if (r->directory[1])
        argp_error(state, "two RUN_DIRs; for more there is 'numachine compare'");
    r->directory[r->directory[0] != NULL] = cli_value(state, "RUN_DIR", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case 'f':
        cli_once(state, "--format", &r->given.format);
        r->as = (enum look_diff_as)cli_named(state, "format", cli_value(state, "--format", arg),
                                             look_diff_formats, sizeof *look_diff_formats,
                                             LOOK_DIFF_AS__COUNT);
        return 0;
    case OPT_ALL:
        r->all = true;
        return 0;
    case OPT_THRESHOLD:
        cli_once(state, "--threshold", &r->given.threshold);
        r->threshold = percent_of(state, cli_value(state, "--threshold", arg));
        return 0;
    case OPT_FIRST:
        r->first = true;
        return 0;
    case ARGP_KEY_ARG:
        add_directory(state, r, arg);
        return 0;
    case ARGP_KEY_END:
        if (!r->directory[1])
            argp_error(state, "which two RUN_DIRs? (directories that 'run', or 'stat -o', has "
                              "left)");
        if (r->first && (r->all || r->given.format || r->given.threshold))
            argp_error(state, "--first-divergence is text of one moment: not with other options");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
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
static bool hold_kept(struct look_diff *d)
{
    const bool truth = both_have(d, DOC_TRUTH) && both_have(d, DOC_OBJECTS);
    const unsigned parts = truth ? LOOK_KEPT_TRUTH : 0;
    struct look_kept kept[2] = {{0}};
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

static bool load_again(struct in_experiment *x, const char *directory)
{
    return cli_again_load(x, directory, false);
}

static int show_divergence(const struct look_diff *d)
{
    static const struct look_again again = {.load = load_again, .run = cli_trail_run};
    struct look_trail *const trail[2] = {cli_trail_new(), cli_trail_new()};
    const int status = look_first_divergence(d, &again, trail, stdout);
    cli_trail_free(trail[0]);
    cli_trail_free(trail[1]);
    return status;
}

static int show(const struct request *r, const struct doc_finished results[2])
{
    struct look_diff d = {.of = {&results[0], &results[1]},
                          .all = r->all,
                          .threshold = r->given.threshold ? r->threshold
                                       : r->all           ? 0
                                                          : THRESHOLD};
    int status = CLI_EXIT_USAGE;
    (r->first ? look_diff_make_head : look_diff_make)(&d);
    if (r->first) {
        status = show_divergence(&d);
    } else if (hold_kept(&d)) {
        look_diff_formats[r->as].write(&d, stdout);
        status = d.same ? SAME : DIFFERENT;
    }
    look_diff_free(&d);
    return status;
}

static const struct argp_option options[] = {
    {"all", OPT_ALL, NULL, 0, "Every change, and those of stations, cards, buses and rings, too",
     0},
    {"threshold", OPT_THRESHOLD, "PERCENT", 0,
     "Only what changes by at least this (default 1; with --all 0)", 0},
    {"first-divergence", OPT_FIRST, NULL, 0,
     "Simulate both again, and say in which cycle, on which card and at which instruction they "
     "first differ",
     0},
    {"format", 'f', "FORMAT", 0, "text (default), csv or json", 0},
    {0}};

int cli_diff(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "RUN_DIR RUN_DIR",
        .doc = "Shows in what two runs differ: first what was asked for, then what came out. Where "
               "both have a profile (run.profile) that is shown by function, where both have the "
               "truth of their misses (run.truth) by object."
               "\v"
               "The status is 0 if the machine did the same in both, 1 if not, 2 if one of them "
               "cannot be read. docs/compare.md says how changes are sorted."};
    struct request r = {.as = LOOK_DIFF_AS_text};
    struct doc_finished results[2] = {{0}};
    int status = CLI_EXIT_USAGE;
    cli_parse(&argp, argc, argv, 0, &r);
    if (cli_results_open(&results[0], r.directory[0]) &&
        cli_results_open(&results[1], r.directory[1]))
        status = show(&r, results);
    doc_finished_free(&results[0]);
    doc_finished_free(&results[1]);
    return status;
}
