/*
 * numachine points: which points the sweep of an experiment file has, one a line. Nothing is run.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/session.h"
#include "documents/csv.h"
#include "documents/statistics/stats.h"
#include "input/write.h"
#include "input/yaml.h"
#include "sweep/sweep.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPT_CSV = 0x300, OPT_JSON };

struct request {
    const char *file;
    char **sets;      /**< NULL-terminated */
    const char *form; /**< NULL: for people */
    bool csv, json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &r->sets;
        state->child_inputs[1] = &r->file;
        return 0;
    case OPT_CSV:
        cli_only(state, "--csv", &r->form);
        r->csv = true;
        return 0;
    case OPT_JSON:
        cli_only(state, "--json", &r->form);
        r->json = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_text(const struct swp_sweep *sweep)
{
    for (size_t i = 0; i < sweep->points; i++) {
        const struct swp_point *p = &sweep->point[i];
        fputs(p->id, stdout);
        for (size_t k = 0; k < sweep->keys; k++)
            printf(" %s", sweep->key[k].value[p->value[k]].set);
        putchar('\n');
    }
}

static void print_csv(const struct swp_sweep *sweep)
{
    fputs("point", stdout);
    for (size_t k = 0; k < sweep->keys; k++) {
        putchar(',');
        doc_csv_field(stdout, sweep->key[k].key->path);
    }
    fputs("\r\n", stdout);
    for (size_t i = 0; i < sweep->points; i++) {
        doc_csv_field(stdout, sweep->point[i].id);
        for (size_t k = 0; k < sweep->keys; k++) {
            putchar(',');
            doc_csv_field(stdout, swp_text(sweep, &sweep->point[i], k));
        }
        fputs("\r\n", stdout);
    }
}

static void print_json(const struct swp_sweep *sweep)
{
    json_t *points = json_array();
    for (size_t i = 0; i < sweep->points; i++) {
        json_t *values = json_object();
        for (size_t k = 0; k < sweep->keys; k++)
            json_object_set_new(values, sweep->key[k].key->path,
                                json_string(swp_text(sweep, &sweep->point[i], k)));
        json_array_append_new(points,
                              json_pack("{s:s,s:o}", "id", sweep->point[i].id, "values", values));
    }
    in_write_json(stdout, points);
    json_decref(points);
}

int cli_points(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"csv", OPT_CSV, NULL, 0, "Comma-separated, a column for each key", 0},
        {"json", OPT_JSON, NULL, 0, "As JSON", 0},
        {0}};
    static const struct argp_child children[] = {
        {&cli_set_argp, 0, NULL, 0}, {&cli_file_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .children = children,
        .doc = "Prints the points of the sweep: in an experiment FILE, one a line: its id, which "
               "stays the same when values are added or moved, and what it sets. Each has been "
               "found to be a good experiment. numachine run FILE runs them all, and with --point "
               "ID one."};
    struct request r = {0};
    struct in_diag diag = {.out = stderr};
    struct swp_sweep sweep;
    struct cli_seen seen = {0};
    cli_parse(&argp, argc, argv, 0, &r);
    const bool good = swp_load(&sweep, r.file, r.sets, &diag) &&
                      swp_check(&sweep, r.file, r.sets, cli_session_possible, &seen, &diag);
    if (good && r.csv)
        print_csv(&sweep);
    else if (good && r.json)
        print_json(&sweep);
    else if (good)
        print_text(&sweep);
    cli_seen_free(&seen);
    swp_free(&sweep);
    in_free_list(r.sets);
    return good ? CLI_EXIT_OK : CLI_EXIT_USAGE;
}
