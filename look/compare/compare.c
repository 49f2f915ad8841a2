/*
 * Many runs side by side.
 */
#include "look/compare/compare.h"

#include "base/alloc.h"
#include "base/nearest.h"
#include "documents/cells.h"
#include "documents/csv.h"
#include "documents/schemas.h"
#include "documents/statistics/statistics.h"
#include "documents/statistics/stats.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

static const enum doc_statistic usual[] = {
#define STAT(id) DOC_STATISTIC_##id,
#include "look/compare/compare.def"
#undef STAT
};

enum {
    COMPARED_NUMBER = 24, /**< [bytes] that a number takes */
    COMPARED_WIDTH = 14,  /**< of a column of numbers, at least */
    STATUS = 320          /**< [bytes] of how a run ended */
};

/* ---- the rows -------------------------------------------------------------------------------- */

/* A path that is there, once. */
struct path {
    char *text;
    size_t component; /* [bytes] of it */
    bool shown;       /* a row has it */
    UT_hash_handle hh;
};

/* Every path that a run has in the region, in the order in which they come. */
static void note_paths(const struct look_comparison *c, struct path **paths)
{
    for (size_t i = 0; i < c->runs; i++) {
        const char *component, *stat;
        json_t *part, *value;
        json_t *stats = (json_t *)doc_finished_stats(&c->run[i], c->region);
        json_object_foreach(stats, component, part)
            json_object_foreach(part, stat, value) {
                char *text = sim_format("%s.%s", component, stat);
                struct path *known;
                HASH_FIND_STR(*paths, text, known);
                if (known) {
                    free(text);
                    continue;
                }
                known = sim_alloc(1, sizeof *known);
                *known = (struct path){.text = text, .component = strlen(component)};
                HASH_ADD_KEYPTR(hh, *paths, known->text, strlen(known->text), known);
            }
    }
}

static void free_paths(struct path *paths)
{
    struct path *first = paths;
    HASH_CLEAR(hh, paths); /* its tables; the list stays */
    for (struct path *path = first, *next; path; path = next) {
        next = path->hh.next;
        free(path->text);
        free(path);
    }
}

static const char *unit_of(const struct look_comparison *c, const char *component, const char *stat)
{
    const char *unit = "";
    for (size_t i = 0; i < c->runs && !*unit; i++)
        unit = doc_finished_unit(&c->run[i], component, stat);
    return unit;
}

static void compare_add_row(struct look_comparison *c, const struct path *path)
{
    struct look_compared row = {.component = sim_format("%.*s", (int)path->component, path->text),
                                .stat = sim_strdup(path->text + path->component + 1)};
    row.unit = sim_strdup(unit_of(c, row.component, row.stat));
    if (!(c->rows & (c->rows + 1)))
        c->row = sim_grow(c->row, 2 * (c->rows + 1), sizeof *c->row);
    c->row[c->rows++] = row;
}

/* Brackets are indices in a path, not a choice of letters. Allocated. */
static char *shell_pattern(const char *pattern)
{
    char *text = sim_alloc(2 * strlen(pattern) + 1, 1), *to = text;
    for (; *pattern; pattern++) {
        if (*pattern == '[' || *pattern == ']')
            *to++ = '\\';
        *to++ = *pattern;
    }
    return text;
}

static size_t add_matches(struct look_comparison *c, struct path *paths, const char *pattern)
{
    size_t matches = 0;
    char *text = shell_pattern(pattern);
    for (struct path *path = paths; path; path = path->hh.next)
        if (!fnmatch(text, path->text, 0)) {
            if (!path->shown)
                compare_add_row(c, path);
            path->shown = true;
            matches++;
        }
    free(text);
    return matches;
}

/* For sim_nearest, which goes from one to the next. */
struct walk {
    const struct path *paths, *path;
};

static const char *compare_next_path(void *ctx, size_t i)
{
    struct walk *w = ctx;
    w->path = i && w->path ? w->path->hh.next : i ? NULL : w->paths;
    return w->path ? w->path->text : NULL;
}

static bool has_region(const struct look_comparison *c)
{
    for (size_t i = 0; i < c->runs; i++)
        if (doc_finished_stats(&c->run[i], c->region))
            return true;
    return false;
}

bool look_compare_make(struct look_comparison *c, char *const *patterns, char *why, size_t size)
{
    struct path *paths = NULL;
    bool good = has_region(c);
    if (!good)
        snprintf(why, size, "no run has a region '%.100s'", c->region);
    note_paths(c, &paths);
    for (size_t i = 0; good && !patterns && i < sizeof usual / sizeof *usual; i++) {
        char *path = sim_format("machine.%s", doc_statistic_name(usual[i]));
        add_matches(c, paths, path);
        free(path);
    }
    for (char *const *p = patterns; good && p && *p; p++)
        if (!add_matches(c, paths, *p)) {
            struct walk walk = {.paths = paths};
            const char *near = sim_nearest(*p, compare_next_path, &walk);
            snprintf(why, size, "no run has a statistic '%.100s'%s%s%s", *p,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
            good = false;
        }
    free_paths(paths);
    return good;
}

void look_compare_free(struct look_comparison *c)
{
    for (size_t i = 0; i < c->rows; i++) {
        free(c->row[i].component);
        free(c->row[i].stat);
        free(c->row[i].unit);
    }
    free(c->row);
}

struct doc_value look_compared_value(const struct look_comparison *c, size_t row, size_t run)
{
    return doc_finished_value(doc_finished_stats(&c->run[run], c->region), c->row[row].component,
                              c->row[row].stat);
}

/* ---- for people ------------------------------------------------------------------------------ */

static int width_of(const struct look_comparison *c, size_t i)
{
    const int n = (int)strlen(c->name[i]);
    return n < COMPARED_WIDTH ? COMPARED_WIDTH : n;
}

static void comparison_write_text(const struct look_comparison *c, FILE *out)
{
    char text[COMPARED_NUMBER], marked[COMPARED_NUMBER + 1], status[STATUS];
    for (size_t i = 0; i < c->runs; i++)
        fprintf(out, "# %s: %s, %s\n", c->run[i].directory,
                doc_finished_status(&c->run[i], status, sizeof status), c->run[i].result_hash);
    fprintf(out, "# region %s\n#\n", c->region);
    for (size_t i = 0; i < c->runs; i++)
        fprintf(out, "%s%*s ", i ? "" : "# ", width_of(c, i) - (i ? 0 : 2), c->name[i]);
    fputs(" statistic\n", out);
    for (size_t k = 0; k < c->rows; k++) {
        for (size_t i = 0; i < c->runs; i++) {
            const struct doc_value value = look_compared_value(c, k, i);
            doc_value_text(&value, DOC_DIGITS, text, sizeof text);
            snprintf(marked, sizeof marked, "%s%s",
                     doc_finished_tilde(&c->run[i], c->row[k].stat, c->row[k].unit), text);
            fprintf(out, "%*s ", width_of(c, i), *text ? marked : "-");
        }
        fprintf(out, " %s.%s [%s]\n", c->row[k].component, c->row[k].stat, c->row[k].unit);
    }
}

/* ---- for programs ---------------------------------------------------------------------------- */

static void comparison_write_csv(const struct look_comparison *c, FILE *out)
{
    const char **field = sim_alloc(2 + c->runs, sizeof *field);
    char(*text)[COMPARED_NUMBER] = sim_alloc(c->runs, sizeof *text);
    field[0] = "statistic", field[1] = "unit";
    for (size_t i = 0; i < c->runs; i++)
        field[2 + i] = c->run[i].directory;
    doc_csv_row(out, field, 2 + c->runs);
    for (size_t k = 0; k < c->rows; k++) {
        char *path = sim_format("%s.%s", c->row[k].component, c->row[k].stat);
        field[0] = path, field[1] = c->row[k].unit;
        for (size_t i = 0; i < c->runs; i++) {
            const struct doc_value value = look_compared_value(c, k, i);
            field[2 + i] = doc_value_text(&value, DOC_DIGITS_ALL, text[i], sizeof text[i]);
        }
        doc_csv_row(out, field, 2 + c->runs);
        free(path);
    }
    free(field);
    free(text);
}

static json_t *runs_json(const struct look_comparison *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->runs; i++) {
        json_array_append_new(list, json_pack("{s:o,s:s,s:s,s:b}", "directory",
                                              doc_json_text(c->run[i].directory), "status",
                                              c->run[i].status, "result_hash",
                                              c->run[i].result_hash, "sampled", c->run[i].sampled));
    }
    return list;
}

static json_t *row_json(const struct look_comparison *c, size_t k)
{
    json_t *values = json_array();
    for (size_t i = 0; i < c->runs; i++) {
        const struct doc_value value = look_compared_value(c, k, i);
        json_array_append_new(values, doc_value_json(&value));
    }
    char *path = sim_format("%s.%s", c->row[k].component, c->row[k].stat);
    json_t *row =
        json_pack("{s:s,s:s,s:o}", "name", path, "unit", c->row[k].unit, "values", values);
    free(path);
    return row;
}

static void comparison_write_json(const struct look_comparison *c, FILE *out)
{
    json_t *rows = json_array();
    for (size_t k = 0; k < c->rows; k++)
        json_array_append_new(rows, row_json(c, k));
    json_t *root = json_pack("{s:i,s:s,s:o,s:o}", "schema", DOC_SCHEMA_compare, "region", c->region,
                             "runs", runs_json(c), "statistics", rows);
    doc_json_put(out, root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
}

const struct look_compare_format look_compare_formats[] = {{"text", comparison_write_text},
                                                           {"csv", comparison_write_csv},
                                                           {"json", comparison_write_json}};
