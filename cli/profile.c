/*
 * numachine profile: where a program spent its time, of a run that kept a profile. It reads the
 * run's directory and changes nothing there.
 */
#include "cli/cli.h"
#include "cli/kept.h"
#include "cli/options.h"
#include "input/units.h"
#include "look/profile/write.h"

#include <string.h>

enum { OPT_BY = 0x300, OPT_STATE, OPT_REGION, OPT_THREAD, OPT_CHILDREN, LINES = 20 };

struct request {
    const char *directory, *region, *function;
    enum look_as as;
    bool annotate;
    struct look_show show;
    struct look_view view;
    struct {
        bool format, state, region, thread, annotate, lines;
    } given;
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum look_by by_of(struct argp_state *state, const char *name)
{
    unsigned by = 0;
    while (by < LOOK_BY__COUNT && strcmp(name, look_by_rows[by].name) != 0)
        by++;
    if (by == LOOK_BY__COUNT)
        argp_error(state,
                   "--by: not by '%.60s'; there are function, line, instruction, thread, region "
                   "and path",
                   name);
    return (enum look_by)by;
}

static enum look_as format_of(struct argp_state *state, const char *name)
{
    unsigned as = 0;
    while (as < LOOK_AS__COUNT && strcmp(name, look_formats[as].name) != 0)
        as++;
    if (as == LOOK_AS__COUNT)
        argp_error(state,
                   "--format: no format '%.60s'; there are text, json, csv, folded and callgrind",
                   name);
    return (enum look_as)as;
}

static uint64_t number_of(struct argp_state *state, const char *option, const char *text)
{
    const struct in_form form = {IN_INT, "", 0, UINT32_MAX};
    uint64_t value = 0;
    char why[256];
    if (!in_value_parse(&form, cli_value(state, option, text), &value, why, sizeof why))
        argp_error(state, "%s: '%.60s' %s", option, text, why);
    return value;
}

/** What goes together. */
static void check(struct argp_state *state, const struct request *r)
{
    const bool sums = r->show.by_given || r->show.children;
    if (r->annotate && (sums || r->as != LOOK_AS_text))
        argp_error(state, "--annotate is text of one function: not with --by, --children or "
                          "another --format");
    if (sums && !look_formats[r->as].sums)
        argp_error(state, "--by and --children are not for --format=%s", look_formats[r->as].name);
    if (r->show.children && !r->show.by_given && r->as != LOOK_AS_text)
        argp_error(state, "--children is for sums: --by says of what");
    if (r->given.lines && (r->annotate || r->as != LOOK_AS_text))
        argp_error(state, "--lines is for the table: not with --annotate or another --format");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    char why[256];
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &r->directory;
        return 0;
    case OPT_BY:
        cli_once(state, "--by", &r->show.by_given);
        r->show.by = by_of(state, cli_value(state, "--by", arg));
        return 0;
    case OPT_STATE:
        cli_once(state, "--state", &r->given.state);
        if (!look_measure_find(cli_value(state, "--state", arg), &r->view.measure, why, sizeof why))
            argp_error(state, "--state: %s", why);
        return 0;
    case OPT_REGION:
        cli_once(state, "--region", &r->given.region);
        r->region = cli_text(state, "--region", arg);
        return 0;
    case OPT_THREAD:
        cli_once(state, "--thread", &r->given.thread);
        r->view.thread = (int64_t)number_of(state, "--thread", arg);
        return 0;
    case OPT_CHILDREN:
        r->show.children = true;
        return 0;
    case 'a':
        cli_once(state, "--annotate", &r->given.annotate);
        r->annotate = true;
        r->function = arg ? cli_value(state, "--annotate", arg) : NULL;
        return 0;
    case 'n':
        cli_once(state, "--lines", &r->given.lines);
        r->show.most = number_of(state, "--lines", arg);
        return 0;
    case 'f':
        cli_once(state, "--format", &r->given.format);
        r->as = format_of(state, cli_value(state, "--format", arg));
        return 0;
    case ARGP_KEY_END:
        check(state, r);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool complain(const char *why)
{
    fprintf(stderr, "numachine: error: %s\n", why);
    return false;
}

static bool find_region(struct request *r, const struct doc_profile *profile)
{
    char why[256];
    for (size_t i = 0; i < profile->regions; i++)
        if (!r->region || !strcmp(profile->region[i], r->region)) {
            r->view.region = (uint32_t)i;
            return true;
        }
    snprintf(why, sizeof why, "--region: the run has no region '%.100s'", r->region);
    return complain(why);
}

static bool find_thread(const struct request *r, const struct doc_profile *profile)
{
    char why[64];
    for (size_t i = 0; i < profile->rows; i++)
        if (r->view.thread < 0 || profile->row[i].thread == (uint64_t)r->view.thread)
            return true;
    snprintf(why, sizeof why, "--thread: the run has no thread %lld", (long long)r->view.thread);
    return r->view.thread < 0 || complain(why);
}

/* Source text that may be other than what ran. */
static void note_newer(const struct look_view *view)
{
    for (size_t i = 0; i < view->sources.files; i++)
        if (view->sources.file[i]->newer)
            fprintf(stderr,
                    "numachine: note: %s was changed after the run: its lines may be others than "
                    "those that ran\n",
                    view->sources.file[i]->path);
}

/* @return false with a complaint */
static bool show(struct request *r)
{
    char why[512];
    bool good = true;
    look_view_open(&r->view);
    if (r->annotate)
        good = look_profile_annotate(&r->view, r->function, stdout, why, sizeof why);
    else
        look_formats[r->as].write(&r->view, &r->show, stdout);
    note_newer(&r->view);
    look_view_close(&r->view);
    return good || complain(why);
}

static const struct argp_option options[] = {
    {"by", OPT_BY, "WHAT", 0,
     "Sum up by function (default), line, instruction, thread, region or path", 0},
    {"state", OPT_STATE, "STATE", 0,
     "Ask for these PCycles: a state (numachine list states), a group of them such as stall/cache, "
     "or total (default); or for another column (numachine list columns), such as waiting or nacks",
     0},
    {"children", OPT_CHILDREN, NULL, 0, "Inclusive: with what was called from there", 0},
    {"region", OPT_REGION, "NAME", 0, "Only while this region was open", 0},
    {"thread", OPT_THREAD, "TID", 0, "Only this thread", 0},
    {"annotate", 'a', "FUNCTION", OPTION_ARG_OPTIONAL,
     "Source lines and instructions of a function (default: the one that spent most)", 0},
    {"lines", 'n', "N", 0, "Show so many lines of the table (default 20, 0: all)", 0},
    {"format", 'f', "FORMAT", 0, "text (default), json, csv, folded or callgrind", 0},
    {0}};

static const struct argp_child children[] = {{&cli_run_dir_argp, 0, NULL, 0}, {0}};

int cli_profile(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .children = children,
        .doc = "Shows where the program of a run spent its time, and on what. The run has to have "
               "kept a profile. Nothing in it is sampled: sums are those of stats.json."
               "\v"
               "docs/profile.md says what the columns mean, and what the formats are good for."};
    struct request r = {.show = {.most = LINES},
                        .view = {.thread = -1, .measure = look_measure_total()}};
    struct look_kept kept = {0};
    int status = CLI_EXIT_USAGE;
    cli_parse(&argp, argc, argv, 0, &r);
    r.view.profile = &kept.profile;
    r.view.code = &kept.code;
    if (cli_kept_open(&kept, r.directory, 0) && find_region(&r, &kept.profile) &&
        find_thread(&r, &kept.profile)) {
        if (kept.code.lacks)
            fprintf(stderr, "numachine: note: %s\n", kept.code.lacks);
        if (show(&r))
            status = CLI_EXIT_OK;
    }
    look_kept_close(&kept);
    return status;
}
