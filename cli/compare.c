/*
 * numachine compare: many runs side by side. It reads their directories and changes nothing there.
 */
#include "look/compare/compare.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "documents/run.h"
#include "input/yaml.h"
#include "sweep/dir.h"
#include "sweep/result.h"

#include <stdlib.h>
#include <string.h>

struct compare_request {
    const struct cli_given *given;
    char **directories; /* NULL-terminated: of runs; a sweep's points are put in their order */
    char **names;       /* [count] NULL-terminated: of their columns */
    size_t count;       /* of runs */
};

static void add_run(struct compare_request *r, const char *directory, const char *name)
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
static char *compare_name_of(const struct swp_result *sweep, const struct swp_row *row)
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

static bool add_points(struct compare_request *r, char *directory)
{
    struct swp_result sweep;
    char why[1024] = "none of its points has been run";
    const bool read = swp_result_open(&sweep, (char *[]){directory, NULL}, why, sizeof why);
    const bool good = read && sweep.there;
    if (!good)
        fprintf(stderr, "numachine: error: %s%s%s\n", read ? directory : "", read ? ": " : "", why);
    for (size_t i = 0; i < sweep.rows && good; i++) {
        const struct swp_row *row = &sweep.row[i];
        char *name = compare_name_of(&sweep, row);
        if (row->directory)
            add_run(r, row->directory, *name ? name : row->id);
        free(name);
    }
    swp_result_free(&sweep);
    return good;
}

/* Puts the points of each sweep in its place. */
static bool find_runs(struct compare_request *r)
{
    bool good = true;
    for (char **given = r->given->words; *given && good; given++) {
        const char *slash = strrchr(*given, '/');
        if (swp_dir_is(*given))
            good = add_points(r, *given);
        else
            add_run(r, *given, slash && slash[1] ? slash + 1 : *given);
    }
    return good;
}

static int compare_show(const struct compare_request *r, const struct doc_finished *results)
{
    const struct cli_given *g = r->given;
    struct look_comparison c = {.run = results,
                                .runs = r->count,
                                .name = r->names,
                                .region = g->region ? g->region : DOC_WHOLE};
    char why[1024];
    const bool good = look_compare_make(&c, g->patterns, why, sizeof why);
    if (good)
        look_compare_formats[CLI_NAMED(g, "no format", g->format, look_compare_formats)].write(
            &c, stdout);
    else
        fprintf(stderr, "numachine: error: %s\n", why);
    look_compare_free(&c);
    return good ? CLI_EXIT_OK : CLI_EXIT_USAGE;
}

int cli_compare(struct cli_given *g)
{
    struct compare_request r = {.given = g};
    bool good = find_runs(&r);
    struct doc_finished *results = sim_alloc(r.count, sizeof *results);
    for (size_t i = 0; i < r.count && good; i++)
        good = cli_results_open(&results[i], r.directories[i]);
    const int status = good ? compare_show(&r, results) : CLI_EXIT_USAGE;
    for (size_t i = 0; i < r.count; i++)
        doc_finished_free(&results[i]);
    free(results);
    in_free_list(r.directories);
    in_free_list(r.names);
    return status;
}
