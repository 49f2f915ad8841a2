/*
 * numachine profile: where a program spent its time, of a run that kept a profile. It reads the
 * run's directory and changes nothing there.
 */
#include "cli/cli.h"
#include "cli/kept.h"
#include "look/profile/write.h"

#include <string.h>

/* ---- the command line ------------------------------------------------------------------------ */

/** What was asked for, as report/ has it. */
struct profile_request {
    const struct cli_given *given;
    const struct look_format *as;
    struct look_show show;
    struct look_view view;
};

/** What goes together. */
static void profile_check(const struct cli_given *g, const struct look_format *format)
{
    const bool sums = g->by[CLI_OPT_sum_by] || g->children, text = cli_is_format(g, "text");
    if (g->by[CLI_OPT_annotate] && !text)
        cli_refuse(g, "--annotate is text of one function: not with another --format");
    if (sums && !format->sums)
        cli_refuse(g, "--by and --children are not for --format=%s", format->name);
    if (g->children && !g->by[CLI_OPT_sum_by] && !text)
        cli_refuse(g, "--children is for sums: --by says of what");
    if (g->by[CLI_OPT_lines] && !text)
        cli_refuse(g, "--lines is for the table: not with another --format");
}

static struct profile_request profile_read_request(const struct cli_given *g)
{
    struct profile_request r = {
        .given = g,
        .as = &look_formats[CLI_NAMED(g, "no format", g->format, look_formats)],
        .show = {.by = (enum look_by)CLI_NAMED(g, "no sum", g->sum_by, look_by_rows),
                 .by_given = g->by[CLI_OPT_sum_by],
                 .children = g->children,
                 .most = g->lines},
        .view = {.thread = g->by[CLI_OPT_thread] ? (int64_t)g->thread : -1,
                 .measure = look_measure_total()}};
    char why[256];
    profile_check(g, r.as);
    if (g->state && !look_measure_find(g->state, &r.view.measure, why, sizeof why))
        cli_refuse(g, "--state: %s", why);
    return r;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool profile_complain(const char *why)
{
    fprintf(stderr, "numachine: error: %s\n", why);
    return false;
}

static bool profile_find_region(struct profile_request *r, const struct doc_profile *profile)
{
    char why[256];
    for (size_t i = 0; i < profile->regions; i++)
        if (!r->given->region || !strcmp(profile->region[i], r->given->region)) {
            r->view.region = (uint32_t)i;
            return true;
        }
    snprintf(why, sizeof why, "--region: the run has no region '%.100s'", r->given->region);
    return profile_complain(why);
}

static bool find_thread(const struct profile_request *r, const struct doc_profile *profile)
{
    char why[64];
    for (size_t i = 0; i < profile->rows; i++)
        if (r->view.thread < 0 || profile->row[i].thread == (uint64_t)r->view.thread)
            return true;
    snprintf(why, sizeof why, "--thread: the run has no thread %lld", (long long)r->view.thread);
    return r->view.thread < 0 || profile_complain(why);
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
static bool cli_profile_show(struct profile_request *r)
{
    char why[512];
    bool good = true;
    look_view_open(&r->view);
    if (r->given->by[CLI_OPT_annotate])
        good = look_profile_annotate(&r->view, r->given->annotate, stdout, why, sizeof why);
    else
        r->as->write(&r->view, &r->show, stdout);
    note_newer(&r->view);
    look_view_close(&r->view);
    return good || profile_complain(why);
}

int cli_profile(struct cli_given *g)
{
    struct profile_request r = profile_read_request(g);
    struct look_kept kept = {.files = cli_files(g)};
    int status = CLI_EXIT_USAGE;
    r.view.profile = &kept.profile;
    r.view.code = &kept.code;
    if (cli_kept_open(&kept, g->words[0], 0) && profile_find_region(&r, &kept.profile) &&
        find_thread(&r, &kept.profile)) {
        if (kept.code.lacks)
            fprintf(stderr, "numachine: note: %s\n", kept.code.lacks);
        if (cli_profile_show(&r))
            status = CLI_EXIT_OK;
    }
    look_kept_close(&kept);
    return status;
}
