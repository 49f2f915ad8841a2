/*
 * numachine points: the points of an experiment file's sweep, one a line. Nothing is run.
 */
#include "cli/cli.h"
#include "documents/csv.h"
#include "documents/statistics/stats.h"
#include "input/write.h"
#include "run/possible.h"
#include "sweep/sweep.h"

#include <jansson.h>
#include <stdio.h>

static void points_print_text(const struct swp_sweep *sweep)
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

static void points_print_json(const struct swp_sweep *sweep)
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

static const struct points_format {
    const char *name;
    void (*print)(const struct swp_sweep *sweep);
} points_formats[] = {{"text", points_print_text}, {"csv", print_csv}, {"json", points_print_json}};

int cli_points(struct cli_given *g)
{
    struct in_diag diag = {.out = stderr};
    struct swp_sweep sweep;
    struct run_seen seen = {0};
    const char *file = g->words[0];
    const bool good = swp_load(&sweep, file, g->sets, &diag) &&
                      swp_check(&sweep, file, g->sets, run_possible_once, &seen, &diag);
    if (good)
        points_formats[CLI_NAMED(g, "no format", g->format, points_formats)].print(&sweep);
    run_seen_free(&seen);
    swp_free(&sweep);
    return good ? CLI_EXIT_OK : CLI_EXIT_USAGE;
}
