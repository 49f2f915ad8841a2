/*
 * numachine compare: many runs side by side. It reads their directories and changes nothing there.
 */
#include "look/compare/compare.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "cli/options.h"
#include "documents/run.h"
#include "input/yaml.h"
#include "sweep/dir.h"
#include "sweep/result.h"

#include <stdlib.h>
#include <string.h>

enum { OPT_STAT = 0x300, OPT_REGION };

struct request {
    char **given_runs;  /* NULL-terminated: runs, and sweeps */
    char **directories; /* the same, of runs; a sweep's points are put in their order */
    char **names;       /* [count] NULL-terminated: of their columns */
    char **patterns;    /* the same; NULL: none given */
    size_t count;       /* of runs */
    const char *region;
    enum look_compare_as as;
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
        r->as = (enum look_compare_as)cli_named(state, "format", cli_value(state, "--format", arg),
                                                look_compare_formats, sizeof *look_compare_formats,
                                                LOOK_COMPARE_AS__COUNT);
        return 0;
    case OPT_STAT:
        in_push(&r->patterns, cli_text(state, "--stat", arg));
        return 0;
    case OPT_REGION:
        cli_once(state, "--region", &r->given.region);
        r->region = cli_text(state, "--region", arg);
        return 0;
    case ARGP_KEY_ARG:
        in_push(&r->given_runs, cli_value(state, "RUN_DIR", arg));
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which RUN_DIRs? (directories that 'run', or 'stat -o', has left)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void add_run(struct request *r, const char *directory, const char *name)
{
    in_push(&r->directories, directory);
    in_push(&r->names, name);
    r->count++;
}

static bool differs(const struct swp_result *sweep, size_t key)
{
    for (size_t i = 1; i < sweep->rows; i++)
        if (strcmp(sweep->row[i].text[key], sweep->row[0].text[key]) != 0)
            return true;
    return false;
}

/* A point by its values that differ, such as "processors=4". Allocated. */
static char *name_of(const struct swp_result *sweep, const struct swp_row *row)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    for (size_t k = 0; k < sweep->keys; k++)
        if (differs(sweep, k)) {
            const char *dot = strrchr(sweep->key[k], '.');
            fprintf(out, "%s%s=%s", ftell(out) ? "," : "", dot ? dot + 1 : sweep->key[k],
                    row->text[k]);
        }
    sim_text_close(out, &text);
    return text;
}

static bool add_points(struct request *r, char *directory)
{
    struct swp_result sweep;
    char why[1024] = "none of its points has been run";
    const bool read = swp_result_open(&sweep, (char *[]){directory, NULL}, why, sizeof why);
    const bool good = read && sweep.there;
    if (!good)
        fprintf(stderr, "numachine: error: %s%s%s\n", read ? directory : "", read ? ": " : "", why);
    for (size_t i = 0; i < sweep.rows && good; i++) {
        const struct swp_row *row = &sweep.row[i];
        char *name = name_of(&sweep, row);
        if (row->directory)
            add_run(r, row->directory, *name ? name : row->id);
        free(name);
    }
    swp_result_free(&sweep);
    return good;
}

/* Puts the points of each sweep in its place. */
static bool find_runs(struct request *r)
{
    bool good = true;
    for (char **given = r->given_runs; *given && good; given++) {
        const char *slash = strrchr(*given, '/');
        if (swp_dir_is(*given))
            good = add_points(r, *given);
        else
            add_run(r, *given, slash && slash[1] ? slash + 1 : *given);
    }
    return good;
}

static int show(const struct request *r, const struct doc_finished *results)
{
    struct look_comparison c = {
        .run = results, .runs = r->count, .name = r->names, .region = r->region};
    char why[1024];
    const bool good = look_compare_make(&c, r->patterns, why, sizeof why);
    if (good)
        look_compare_formats[r->as].write(&c, stdout);
    else
        fprintf(stderr, "numachine: error: %s\n", why);
    look_compare_free(&c);
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
        .args_doc = "DIR...",
        .doc = "Shows the statistics of several runs side by side: a column for each run, and for "
               "each point of a sweep's directory."
               "\v"
               "In a PATTERN * stands for anything and ? for one character; brackets stand for "
               "themselves."};
    struct request r = {.region = DOC_WHOLE, .as = LOOK_COMPARE_AS_text};
    cli_parse(&argp, argc, argv, 0, &r);
    bool good = find_runs(&r);
    struct doc_finished *results = sim_alloc(r.count, sizeof *results);
    for (size_t i = 0; i < r.count && good; i++)
        good = cli_results_open(&results[i], r.directories[i]);
    const int status = good ? show(&r, results) : CLI_EXIT_USAGE;
    for (size_t i = 0; i < r.count; i++)
        doc_finished_free(&results[i]);
    free(results);
    in_free_list(r.given_runs);
    in_free_list(r.directories);
    in_free_list(r.names);
    in_free_list(r.patterns);
    return status;
}
