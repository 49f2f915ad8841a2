/*
 * Points of one or several directories of a sweep, and the table of all they have counted.
 */
#include "sweep/result.h"

#include "base/alloc.h"
#include "base/owner.h"
#include "documents/csv.h"
#include "documents/intact.h"
#include "documents/run.h"
#include "documents/schemas.h"
#include "documents/statistics/stats.h"
#include "documents/whole.h"
#include "sweep/index.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- which points there are ------------------------------------------------------------------ */

static json_t *result_read_index(const char *directory, char *why, size_t size)
{
    char *path = sim_format("%s/" SWP_INDEX, directory);
    const bool there = !access(path, F_OK) || errno != ENOENT;
    json_t *root = there ? swp_index_read(directory, SWP_INDEX, why, size) : NULL;
    if (!there)
        snprintf(why, size, "'%s' holds no sweep", directory);
    free(path);
    return root;
}

/** A text of the index; never NULL. */
static char *result_text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return sim_strdup(text ? text : "");
}

static char *result_number_of(const json_t *object, const char *name)
{
    const json_t *number = json_object_get(object, name);
    return json_is_integer(number) ? sim_format("%" JSON_INTEGER_FORMAT, json_integer_value(number))
                                   : NULL;
}

static void result_read_keys(struct swp_result *result, const json_t *root)
{
    const json_t *keys = json_object_get(root, "parameters");
    size_t i;
    json_t *key;
    result->name = result_text_of(root, "name");
    result->keys = json_array_size(keys);
    result->key = sim_alloc(result->keys, sizeof *result->key);
    json_array_foreach(keys, i, key) {
        const char *text = json_string_value(key);
        result->key[i] = sim_strdup(text ? text : "");
    }
}

static void result_read_rows(struct swp_result *result, const json_t *root)
{
    const json_t *points = json_object_get(root, "points");
    size_t i;
    json_t *point;
    result->rows = json_array_size(points);
    result->row = sim_alloc(result->rows, sizeof *result->row);
    json_array_foreach(points, i, point) {
        struct swp_row *row = &result->row[i];
        row->id = result_text_of(point, "id");
        row->digest = result_text_of(point, "digest");
        row->text = sim_alloc(result->keys, sizeof *row->text);
        row->number = sim_alloc(result->keys, sizeof *row->number);
        for (size_t k = 0; k < result->keys; k++) {
            row->text[k] = result_text_of(json_object_get(point, "values"), result->key[k]);
            row->number[k] = result_number_of(json_object_get(point, "numbers"), result->key[k]);
        }
    }
}

/** How far the points of one directory are: of several, what is done counts, then what failed. */
static void read_states(struct swp_result *result, const json_t *root)
{
    const json_t *points = json_object_get(root, "points");
    size_t i;
    json_t *point;
    json_array_foreach(points, i, point) {
        struct swp_row *row = &result->row[i];
        const char *state = json_string_value(json_object_get(point, "state"));
        const bool done = state && !strcmp(state, "done"),
                   failed = state && !strcmp(state, "failed");
        if (done || (failed && !row->failed))
            row->exit_code = (int)json_integer_value(json_object_get(point, "exit_code"));
        row->failed = row->failed || failed;
    }
}

/** Whether an index is of the sweep that was read first. */
static bool result_is_same(const struct swp_result *result, const json_t *root)
{
    const json_t *points = json_object_get(root, "points");
    size_t i;
    json_t *point;
    if (json_array_size(points) != result->rows)
        return false;
    json_array_foreach(points, i, point) {
        const char *id = json_string_value(json_object_get(point, "id"));
        const char *digest = json_string_value(json_object_get(point, "digest"));
        if (!id || strcmp(id, result->row[i].id) != 0 || !digest ||
            strcmp(digest, result->row[i].digest) != 0)
            return false;
    }
    return true;
}

static const char *hash_of(const json_t *manifest)
{
    const char *hash =
        json_string_value(json_object_get(json_object_get(manifest, "end"), "result_hash"));
    return hash ? hash : "";
}

/** Whether a point may be taken: it is whole, and what another directory has of it is the same. */
static bool is_good(const struct swp_row *row, const char *path, char *why, size_t size)
{
    char reason[160];
    json_t *manifest = doc_document(path, "manifest.json");
    json_t *other = row->directory ? doc_document(row->directory, "manifest.json") : NULL;
    const char *digest = json_string_value(json_object_get(manifest, "digest"));
    bool whole = doc_is_whole(path, manifest, reason, sizeof reason);
    if (whole && (!digest || strcmp(digest, row->digest) != 0)) {
        snprintf(reason, sizeof reason, "its inputs were others than the sweep's");
        whole = false;
    }
    const bool same = !other || !strcmp(hash_of(manifest), hash_of(other));
    if (!whole)
        snprintf(why, size, "'%s' cannot be taken: %s; remove it and resume the sweep", path,
                 reason);
    else if (!same)
        snprintf(why, size, "'%s' and '%s' are the same point with other results", row->directory,
                 path);
    json_decref(manifest);
    json_decref(other);
    return whole && same;
}

static bool find_runs(struct swp_result *result, const char *directory, char *why, size_t size)
{
    bool good = true;
    for (size_t i = 0; i < result->rows && good; i++) {
        struct swp_row *row = &result->row[i];
        char *path = sim_format("%s/points/%s", directory, row->id);
        const bool there = !access(path, F_OK);
        good = !there || is_good(row, path, why, size);
        if (!good || !there || row->directory) {
            free(path);
            continue;
        }
        row->directory = path;
        result->there++;
    }
    return good;
}

bool swp_result_open(struct swp_result *result, char *const *directories, char *why, size_t size)
{
    bool good = true;
    *result = (struct swp_result){0};
    for (char *const *directory = directories; *directory && good; directory++) {
        json_t *root = result_read_index(*directory, why, size);
        good = root;
        if (root && directory == directories) {
            result_read_keys(result, root);
            result_read_rows(result, root);
        } else if (root && !result_is_same(result, root)) {
            snprintf(why, size,
                     "'%s' and '%s' hold different sweeps: other points, or points with other "
                     "inputs",
                     directories[0], *directory);
            good = false;
        }
        if (good)
            read_states(result, root);
        if (good)
            good = find_runs(result, *directory, why, size);
        json_decref(root);
    }
    return good;
}

static void free_texts(char **list, size_t count)
{
    for (size_t i = 0; list && i < count; i++)
        free(list[i]);
    free(list);
}

void swp_result_free(struct swp_result *result)
{
    for (size_t i = 0; i < result->rows; i++) {
        free(result->row[i].id);
        free(result->row[i].digest);
        free(result->row[i].directory);
        free_texts(result->row[i].text, result->keys);
        free_texts(result->row[i].number, result->keys);
    }
    free(result->row);
    free_texts(result->key, result->keys);
    free(result->name);
    *result = (struct swp_result){0};
}

/* ---- what it is about ------------------------------------------------------------------------ */

static const char *result_directory_of(const struct swp_result *result)
{
    const char *directory = NULL;
    for (size_t i = 0; i < result->rows && !directory; i++)
        directory = result->row[i].directory;
    return directory;
}

char *swp_result_region(const struct swp_result *result)
{
    json_t *root = doc_document(result_directory_of(result), "stats.json"),
           *snapshots = json_object_get(root, "snapshots");
    const json_t *snapshot = json_array_get(snapshots, json_array_size(snapshots) > 1);
    const char *name = json_string_value(json_object_get(snapshot, "name"));
    char *region = sim_strdup(name ? name : DOC_WHOLE);
    json_decref(root);
    return region;
}

/* ---- the table ------------------------------------------------------------------------------- */

struct result_table {
    const struct swp_result *result;
    char failed[4200]; /* a file that could not be read; "": none */
};

/** What each row of a point begins with: its id and its values. Allocated. */
static char *front_of(const struct swp_result *result, const struct swp_row *row)
{
    char *front = NULL;
    size_t size;
    FILE *out = sim_text_open(&front, &size);
    doc_csv_field(out, row->id);
    for (size_t k = 0; k < result->keys; k++) {
        putc(',', out);
        doc_csv_field(out, row->number[k] ? row->number[k] : row->text[k]);
    }
    sim_text_close(out, &front);
    return front;
}

/** Copies the rows of a point's stats.csv, each behind its front. */
static void copy_rows(struct result_table *table, const struct swp_row *row, FILE *out)
{
    char *path = sim_format("%s/stats.csv", row->directory);
    char *front = front_of(table->result, row);
    struct doc_csv csv;
    doc_csv_open(&csv, path, table->failed, sizeof table->failed);
    while (doc_csv_next(&csv)) {
        fputs(front, out);
        for (unsigned i = 0; i < csv.columns; i++) {
            putc(',', out);
            doc_csv_field(out, csv.field[i]);
        }
        fputs("\r\n", out);
    }
    doc_csv_close(&csv);
    free(front);
    free(path);
}

static void write_table(void *ctx, FILE *out)
{
    struct result_table *table = ctx;
    const struct swp_result *result = table->result;
    fputs("point", out);
    for (size_t k = 0; k < result->keys; k++) {
        putc(',', out);
        doc_csv_field(out, result->key[k]);
    }
    fputs(",region,component,stat,value,unit\r\n", out);
    for (size_t i = 0; i < result->rows && !*table->failed; i++)
        if (result->row[i].directory)
            copy_rows(table, &result->row[i], out);
}

/* ---- the index ------------------------------------------------------------------------------- */

static json_t *point_json(const struct swp_result *result, const struct swp_row *row)
{
    json_t *values = json_object(), *numbers = json_object();
    for (size_t k = 0; k < result->keys; k++) {
        json_object_set_new(values, result->key[k], json_string(row->text[k]));
        if (row->number[k])
            json_object_set_new(numbers, result->key[k],
                                json_integer(strtoll(row->number[k], NULL, 10)));
    }
    const char *state = row->directory ? "done" : row->failed ? "failed" : "waiting";
    return json_pack("{s:s,s:o,s:o,s:s,s:o}", "id", row->id, "values", values, "numbers", numbers,
                     "state", state, "exit_code",
                     row->directory || row->failed ? json_integer(row->exit_code) : json_null());
}

static void result_write_index(void *ctx, FILE *out)
{
    const struct swp_result *result = ctx;
    json_t *keys = json_array(), *points = json_array();
    for (size_t k = 0; k < result->keys; k++)
        json_array_append_new(keys, json_string(result->key[k]));
    for (size_t i = 0; i < result->rows; i++)
        json_array_append_new(points, point_json(result, &result->row[i]));
    json_t *root = json_pack("{s:i,s:s,s:o,s:o}", "schema", DOC_SCHEMA_sweep, "name", result->name,
                             "parameters", keys, "points", points);
    doc_manifest_put(root, out);
    json_decref(root);
}

/** Which points there are and how they ended, beside results that are not in the sweep's own
 *  directory. */
static bool write_collected(const struct swp_result *result, const char *directory, char *why,
                            size_t size)
{
    char *own = sim_format("%s/" SWP_INDEX, directory);
    char *path = sim_format("%s/" SWP_COLLECTED, directory);
    const bool good = !access(own, F_OK) || doc_whole_write(path, false, result_write_index,
                                                            (void *)result, NULL, why, size);
    free(own);
    free(path);
    return good;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/** Brings a file that somebody else has written to the disk, and gives it its name. */
static bool give_name(const char *unfinished, const char *path, char *why, size_t size)
{
    const int fd = open(unfinished, O_RDONLY | O_CLOEXEC);
    const bool good = fd >= 0 && !fsync(fd) && !rename(unfinished, path);
    if (!good)
        snprintf(why, size, "cannot write '%s': %s", path, sim_refusal_of(errno, path).text);
    if (fd >= 0)
        close(fd);
    return good;
}

static bool write_database(const struct swp_result *result, const char *directory, char *why,
                           size_t size)
{
    char *path = sim_format("%s/" SWP_DATABASE, directory);
    char *unfinished = sim_format("%s" DOC_UNFINISHED, path);
    unlink(unfinished);
    const bool good =
        swp_database_write(result, unfinished, why, size) && give_name(unfinished, path, why, size);
    if (!good)
        unlink(unfinished);
    free(unfinished);
    free(path);
    return good;
}

bool swp_result_write(const struct swp_result *result, const char *directory, char *why,
                      size_t size)
{
    struct result_table table = {.result = result};
    char *path = sim_format("%s/" SWP_CSV, directory);
    bool good = doc_whole_write(path, false, write_table, &table, NULL, why, size);
    if (good && *table.failed) {
        unlink(path);
        snprintf(why, size, "%s", table.failed);
        good = false;
    }
    free(path);
    good = good && write_database(result, directory, why, size) &&
           write_collected(result, directory, why, size) &&
           swp_plot_write(result, directory, why, size);
    doc_whole_sync(directory);
    return good;
}
