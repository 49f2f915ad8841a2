/*
 * numachine report: the results of a run, or of a sweep, as one page for a browser.
 */
#include "base/alloc.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "cli/options.h"
#include "cli/topology.h"
#include "documents/directory/rundir.h"
#include "page/page.h"
#include "page/sweep.h"

#include <string.h>

struct request {
    const char *directory, *output; /* output NULL: in the directory */
    bool output_given;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &r->directory;
        return 0;
    case 'o':
        cli_once(state, "--output", &r->output_given);
        r->output = cli_text(state, "--output", arg);
        if (!strcmp(arg, "-"))
            argp_error(state, "--output: a page is a file, not standard output; name one");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static char *draw(const struct in_machine *machine)
{
    const struct cli_topology t = cli_topology_of(machine, "");
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    cli_draw(&t, out);
    sim_text_close(out, &text);
    return text;
}

static void note(const char *sentence)
{
    if (sentence)
        fprintf(stderr, "numachine: note: %s\n", sentence);
}

static char *path_of(const struct request *r)
{
    return r->output ? sim_strdup(r->output) : sim_format("%s/" DOC_PAGE, r->directory);
}

/* Says what came of it. @return exit status */
static int conclude(bool good, bool host, const char *path, const struct page_notes *notes,
                    const char *why)
{
    if (!good) {
        fprintf(stderr, "numachine: error: %s\n", why);
        return host ? CLI_EXIT_IO : CLI_EXIT_USAGE;
    }
    note(notes->names);
    note(notes->charts);
    puts(path);
    return CLI_EXIT_OK;
}

/* @return exit status */
static int write_page(const struct request *r, const struct in_machine *machine)
{
    char why[8192];
    bool host;
    struct page_notes notes = {0};
    char *drawing = draw(machine);
    char *path = path_of(r);
    const struct page_run run = {
        .directory = r->directory, .params = &machine->params, .drawing = drawing};
    const bool good = page_write(&run, path, &notes, &host, why, sizeof why);
    const int status = conclude(good, host, path, &notes, why);
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
static int report_run(const struct request *r)
{
    struct in_experiment x;
    if (!is_run(r->directory) || !cli_again_load(&x, r->directory, false))
        return CLI_EXIT_USAGE;
    const int status = write_page(r, &x.machine);
    in_experiment_free(&x);
    return status;
}

/* @return exit status */
static int report_sweep(const struct request *r)
{
    char why[8192];
    bool host;
    struct page_notes notes = {0};
    char *path = path_of(r);
    const struct page_sweep sweep = {.directory = r->directory, .links = !r->output};
    const bool good = page_sweep_write(&sweep, path, &notes.charts, &host, why, sizeof why);
    const int status = conclude(good, host, path, &notes, why);
    free(path);
    return status;
}

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Write to FILE (default RUN_DIR/" DOC_PAGE ")", 0}, {0}};

static const struct argp_child children[] = {{&cli_run_dir_argp, 0, NULL, 0}, {0}};

int cli_report(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .children = children,
        .doc = "Writes the results of a run as one page for a browser, which needs no network: the "
               "machine and how busy it was, where time went, counters, time lines, histograms, "
               "and of a profiled run functions, shared lines and locks. RUN_DIR may be that of a "
               "sweep: its page has the curves."
               "\v"
               "docs/report.md says what is on it."};
    struct request r = {0};
    cli_parse(&argp, argc, argv, 0, &r);
    return page_is_sweep(r.directory) ? report_sweep(&r) : report_run(&r);
}
