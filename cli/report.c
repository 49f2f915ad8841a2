/*
 * numachine report: the results of a run, or of a sweep, as one page for a browser.
 */
#include "base/alloc.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "documents/directory/rundir.h"
#include "page/page.h"
#include "page/sweep.h"
#include "show/topology.h"

#include <string.h>

static char *draw(const struct in_machine *machine)
{
    const struct show_topology t = show_topology_of(machine, "");
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    show_topology_svg(&t, out);
    sim_text_close(out, &text);
    return text;
}

static void report_note(const char *sentence)
{
    if (sentence)
        fprintf(stderr, "numachine: note: %s\n", sentence);
}

static char *report_path_of(const struct cli_given *g)
{
    return g->file ? sim_strdup(g->file) : sim_format("%s/" DOC_PAGE, g->words[0]);
}

/* Says what came of it. @return exit status */
static int report_conclude(bool good, bool host, const char *path, const struct page_notes *notes,
                           const char *why)
{
    if (!good) {
        fprintf(stderr, "numachine: error: %s\n", why);
        return host ? CLI_EXIT_IO : CLI_EXIT_USAGE;
    }
    report_note(notes->names);
    report_note(notes->charts);
    puts(path);
    return CLI_EXIT_OK;
}

/* @return exit status */
static int write_page(const struct cli_given *g, const struct in_experiment *x)
{
    char why[8192];
    bool host;
    struct page_notes notes = {0};
    char *drawing = draw(&x->machine);
    char *path = report_path_of(g);
    const struct look_files files = cli_files(g);
    const struct page_run run = {
        .directory = g->words[0], .experiment = x, .drawing = drawing, .files = &files};
    const bool good = page_write(&run, path, &notes, &host, why, sizeof why);
    const int status = report_conclude(good, host, path, &notes, why);
    free(notes.names);
    free(path);
    free(drawing);
    return status;
}

/* Whether the directory is a run's. */
static bool is_run(const char *directory)
{
    char why[8192];
    char *path = sim_format("%s/manifest.json", directory);
    const bool good = cli_kept_find(directory, path, "manifest, so this is not a run's directory",
                                    why, sizeof why);
    if (!good)
        fprintf(stderr, "numachine: error: %s\n", why);
    free(path);
    return good;
}

/* @return exit status */
static int report_run(const struct cli_given *g)
{
    struct in_experiment x;
    if (!is_run(g->words[0]) || !cli_again_load(&x, g->words[0], false))
        return CLI_EXIT_USAGE;
    const int status = write_page(g, &x);
    in_experiment_free(&x);
    return status;
}

/* @return exit status */
static int report_sweep(const struct cli_given *g)
{
    char why[8192];
    bool host;
    struct page_notes notes = {0};
    char *path = report_path_of(g);
    const struct page_sweep sweep = {.directory = g->words[0], .links = !g->file};
    const bool good = page_sweep_write(&sweep, path, &notes.charts, &host, why, sizeof why);
    const int status = report_conclude(good, host, path, &notes, why);
    free(path);
    return status;
}

int cli_report(struct cli_given *g)
{
    if (g->file && !strcmp(g->file, "-"))
        cli_refuse(g, "--output: a page is a file, not standard output; name one");
    cli_files(g); /* what is wrong is said first */
    return page_is_sweep(g->words[0]) ? report_sweep(g) : report_run(g);
}
