/*
 * numachine compare: many runs side by side. It reads their directories and changes nothing there.
 */
#include "report/compare.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "cli/options.h"
#include "input/yaml.h"
#include "report/run.h"

#include <stdlib.h>

enum { OPT_STAT = 0x300, OPT_REGION };

struct request {
    char **directories; /* NULL-terminated */
    char **patterns;    /* the same; NULL: none given */
    size_t count;       /* of directories */
    const char *region;
    enum rep_compare_as as;
    struct {
        bool format, region;
    } given;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case 'f':
        cli_once(state, "--format", &r->given.format);
        r->as = (enum rep_compare_as)cli_named(state, "format", cli_value(state, "--format", arg),
                                               rep_compare_formats, sizeof *rep_compare_formats,
                                               REP_COMPARE_AS__COUNT);
        return 0;
    case OPT_STAT:
        in_push(&r->patterns, cli_text(state, "--stat", arg));
        return 0;
    case OPT_REGION:
        cli_once(state, "--region", &r->given.region);
        r->region = cli_text(state, "--region", arg);
        return 0;
    case ARGP_KEY_ARG:
        in_push(&r->directories, cli_value(state, "RUN_DIR", arg));
        r->count++;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which RUN_DIRs? (directories that 'run', or 'stat -o', has left)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int show(const struct request *r, const struct rep_results *results)
{
    struct rep_comparison c = {.run = results, .runs = r->count, .region = r->region};
    char why[1024];
    const bool good = rep_compare_make(&c, r->patterns, why, sizeof why);
    if (good)
        rep_compare_formats[r->as].write(&c, stdout);
    else
        fprintf(stderr, "numachine: error: %s\n", why);
    rep_compare_free(&c);
    return good ? CLI_EXIT_OK : CLI_EXIT_USAGE;
}

static const struct argp_option options[] = {
    {"stat", OPT_STAT, "PATTERN", 0,
     "Show these statistics instead, by their paths in stats.json: 'machine.truth.*'; may be given "
     "several times",
     0},
    {"region", OPT_REGION, "NAME", 0, "Of this region (default: the whole run)", 0},
    {"format", 'f', "FORMAT", 0, "text (default), csv or json", 0},
    {0}};

int cli_compare(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "RUN_DIR...",
        .doc = "Shows the statistics of several runs side by side: a column for each run."
               "\v"
               "In a PATTERN * stands for anything and ? for one character; brackets stand for "
               "themselves."};
    struct request r = {.region = REP_WHOLE, .as = REP_COMPARE_AS_text};
    bool good = true;
    cli_parse(&argp, argc, argv, 0, &r);
    struct rep_results *results = sim_alloc(r.count, sizeof *results);
    for (size_t i = 0; i < r.count && good; i++)
        good = cli_results_open(&results[i], r.directories[i]);
    const int status = good ? show(&r, results) : CLI_EXIT_USAGE;
    for (size_t i = 0; i < r.count; i++)
        rep_results_free(&results[i]);
    free(results);
    in_free_list(r.directories);
    in_free_list(r.patterns);
    return status;
}
