/* How rows of tables are shown. */
#include "base/plural.h"
#include "documents/grid.h"
#include "input/units.h"
#include "input/yaml.h"
#include "show/tables.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE = 110 /**< [characters] */ };

/** A member as people read it. Allocated. */
static char *rows_cell(json_t *row, const char *column)
{
    json_t *value = json_object_get(row, column);
    if (json_is_string(value))
        return in_strdup(json_string_value(value));
    if (!value || json_is_null(value))
        return in_strdup("");
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    return text ? text : in_strdup("");
}

static size_t column_width(const json_t *rows, const char *column)
{
    size_t width = 0, i;
    json_t *row;
    json_array_foreach(rows, i, row) {
        char *text = rows_cell(row, column);
        width = strlen(text) > width ? strlen(text) : width;
        free(text);
    }
    return width;
}

static void columns_print(const json_t *rows, const char *columns, FILE *out)
{
    enum { COLUMNS = 5 };
    size_t width[COLUMNS], n = 0, i;
    char name[COLUMNS][32];
    json_t *row;
    while (n < COLUMNS && in_word_at(columns, n, name[n], sizeof name[n])) {
        width[n] = column_width(rows, name[n]);
        n++;
    }
    json_array_foreach(rows, i, row) {
        for (size_t c = 0; c < n; c++) {
            char *text = rows_cell(row, name[c]);
            fprintf(out, "%-*s%s", c + 1 < n ? (int)width[c] : 0, text, c + 1 < n ? "  " : "\n");
            free(text);
        }
    }
}

void show_rows_markdown(const json_t *rows, FILE *out)
{
    size_t i;
    const char *key;
    json_t *row, *value, *first = json_array_get(rows, 0);
    for (int line = 0; line < 2; line++) {
        json_object_foreach(first, key, value) {
            fprintf(out, "| %s ", line ? "---" : key);
        }
        fputs("|\n", out);
    }
    json_array_foreach(rows, i, row) {
        json_object_foreach(first, key, value) {
            char *text = rows_cell(row, key);
            fputs("| ", out);
            for (const char *c = text; *c; c++)
                fprintf(out, *c == '|' ? "\\%c" : "%c", *c);
            putc(' ', out);
            free(text);
        }
        fputs("|\n", out);
    }
}

/** A pattern matches a part of any text of the row, or, with wildcards, its whole name. */
static bool rows_matches(json_t *row, const char *pattern)
{
    const char *key;
    json_t *value;
    json_object_foreach(row, key, value) {
        const char *text = json_string_value(value);
        const bool is_name = !strcmp(key, "name") || !strcmp(key, "key") || !strcmp(key, "ref");
        if (text &&
            (strcasestr(text, pattern) || (is_name && !fnmatch(pattern, text, FNM_CASEFOLD))))
            return true;
    }
    return false;
}

/** A group's whole name means it alone: the texts of the others may well mention it. */
static bool is_group(json_t *row, const char *pattern)
{
    const char *name = json_string_value(json_object_get(row, "name"));
    return name && json_object_get(row, "long") && !strcasecmp(name, pattern);
}

json_t *show_rows_matching(json_t *rows, const char *pattern)
{
    size_t i;
    json_t *row, *alone = json_array(), *all = json_array();
    json_array_foreach(rows, i, row) {
        if (is_group(row, pattern))
            json_array_append(alone, row);
        if (rows_matches(row, pattern))
            json_array_append(all, row);
    }
    const bool one = json_array_size(alone);
    json_decref(one ? all : alone);
    json_decref(rows);
    return one ? alone : all;
}

static const char *rows_member(json_t *row, const char *name)
{
    return json_string_value(json_object_get(row, name));
}

/** What a group counts, and its formulas. */
static void counts_print(json_t *group, FILE *out)
{
    struct doc_grid grid;
    size_t i;
    json_t *row;
    const json_int_t runs = json_integer_value(json_object_get(group, "runs"));
    fputs("events:", out);
    json_array_foreach(json_object_get(group, "events"), i, row) {
        fprintf(out, " %s", json_string_value(row));
    }
    fprintf(out, "\n        (%lld run%s of %s)\n\n", (long long)runs, sim_plural(runs),
            rows_member(group, "counters"));
    doc_grid_init(&grid, "lll");
    json_array_foreach(json_object_get(group, "metrics"), i, row) {
        doc_grid_cell(&grid, "%s", rows_member(row, "name"));
        doc_grid_cell(&grid, "%s", rows_member(row, "unit"));
        doc_grid_cell(&grid, "= %s", rows_member(row, "formula"));
    }
    doc_grid_print(&grid, out, false, LINE);
    doc_grid_free(&grid);
}

/** A model of a detector, and what it can be built with. */
static void model_print(json_t *model, FILE *out)
{
    struct doc_grid grid;
    size_t i;
    json_t *row;
    fprintf(out, "finds:  %s\npaper:  %s\n\n", rows_member(model, "finds"),
            rows_member(model, "paper"));
    doc_grid_init(&grid, "lrrrll");
    for (const char *const *head = (const char *const[]){"parameter", "default", "least", "most",
                                                         "unit", "meaning", NULL};
         *head; head++)
        doc_grid_cell(&grid, "%s", *head);
    json_array_foreach(json_object_get(model, "parameters"), i, row) {
        doc_grid_cell(&grid, "%s", rows_member(row, "name"));
        for (const char *const *key = (const char *const[]){"default", "least", "most", NULL}; *key;
             key++)
            doc_grid_cell(&grid, "%lld", (long long)json_integer_value(json_object_get(row, *key)));
        doc_grid_cell(&grid, "%s", rows_member(row, "unit"));
        doc_grid_cell(&grid, "%s", rows_member(row, "sentence"));
    }
    doc_grid_print(&grid, out, false, LINE);
    doc_grid_free(&grid);
}

/** Everything about one group or detector, as people read it. */
static void row_print_long(json_t *row, FILE *out)
{
    fprintf(out, "%s: %s\n\n", rows_member(row, "name"), rows_member(row, "sentence"));
    if (json_object_get(row, "paper")) {
        model_print(row, out);
        return;
    }
    if (json_object_get(row, "events"))
        counts_print(row, out);
    else
        fprintf(out, "finds:  %s\nfile:   %s\n", rows_member(row, "finds"),
                rows_member(row, "file"));
    fprintf(out, "\n%s", rows_member(row, "long"));
}

void show_rows_text(const json_t *rows, const char *columns, FILE *out)
{
    json_t *first = json_array_get(rows, 0);
    if (json_array_size(rows) == 1 &&
        (json_object_get(first, "long") || json_object_get(first, "paper")))
        row_print_long(first, out);
    else
        columns_print(rows, columns, out);
}
