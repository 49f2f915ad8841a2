/*
 * The index of a sweep is written before its points run; what came of all of them is added when
 * they have ended.
 */
#include "sweep/index.h"

#include "base/alloc.h"
#include "documents/intact.h"
#include "documents/whole.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether each point's id names a directory of its own, which somebody may be told to remove. */
static bool index_names_points(const json_t *root)
{
    size_t i;
    json_t *point;
    json_array_foreach(json_object_get(root, "points"), i, point) {
        const char *id = json_string_value(json_object_get(point, "id"));
        if (!id || !*id || *id == '.' || strchr(id, '/'))
            return false;
    }
    return true;
}

json_t *swp_index_read(const char *directory, const char *name, char *why, size_t size)
{
    char file[160], *path = sim_format("%s/%s", directory, name);
    const char *wrong = doc_not_ordinary(path, NULL);
    json_t *root = wrong ? NULL : doc_document(directory, name);
    if (!root) {
        snprintf(why, size, "cannot read '%s': %s", path, wrong ? wrong : "it is no JSON document");
    } else if (!index_names_points(root)) {
        snprintf(why, size, "'%s' has a point whose id is no name", path);
        json_decref(root);
        root = NULL;
    } else if (!doc_manifest_is_intact(name, root, file, sizeof file)) {
        snprintf(why, size, "%s/%s", directory, file);
        json_decref(root);
        root = NULL;
    }
    free(path);
    return root;
}

/* Whether a key is swept that is `name`, or one of `name`'s. */
static bool is_swept(const struct swp_result *result, const char *name)
{
    const size_t length = strlen(name);
    bool is = false;
    for (size_t k = 0; k < result->keys; k++)
        is = is || (!strncmp(result->key[k], name, length) &&
                    (!result->key[k][length] || result->key[k][length] == '.'));
    return is;
}

/* The command line of the program, as far as it is that of all points. */
static json_t *shared_argv(const struct swp_result *result, const json_t *argv)
{
    if (!json_array_size(argv) || is_swept(result, "program.path") ||
        is_swept(result, "program.source"))
        return json_null();
    return is_swept(result, "program.args") ? json_pack("[O]", json_array_get(argv, 0))
                                            : json_deep_copy(argv);
}

/* @return a new reference; null if there is none */
static json_t *index_part_of(const json_t *object, const char *name)
{
    json_t *part = json_object_get(object, name);
    return part ? json_incref(part) : json_null();
}

static void add_shared(json_t *root, const struct swp_result *result, const json_t *manifest)
{
    const json_t *experiment = json_object_get(manifest, "experiment");
    json_t *machine =
        is_swept(result, "machine") ? json_null() : index_part_of(experiment, "machine");
    json_object_set_new(root, "experiment",
                        json_pack("{s:o,s:o,s:o}", "about", index_part_of(experiment, "about"),
                                  "machine", machine, "argv",
                                  shared_argv(result, json_object_get(experiment, "argv"))));
    json_object_set_new(root, "numachine", index_part_of(manifest, "numachine"));
}

/* Those of its own that a point has not kept. */
static void add_broken(json_t *list, const struct swp_row *row, const json_t *manifest)
{
    size_t i;
    json_t *expectation;
    json_array_foreach(json_object_get(manifest, "expect"), i, expectation) {
        if (!json_is_false(json_object_get(expectation, "kept")))
            continue;
        json_object_set_new(expectation, "points", json_pack("[s]", row->id));
        json_array_append(list, expectation);
    }
}

static void add_points(json_t *root, json_t *list, const struct swp_result *result)
{
    bool first = true;
    for (size_t i = 0; i < result->rows; i++) {
        const struct swp_row *row = &result->row[i];
        if (!row->directory || (!first && !row->exit_code))
            continue;
        json_t *manifest = doc_document(row->directory, "manifest.json");
        if (first)
            add_shared(root, result, manifest);
        add_broken(list, row, manifest);
        first = false;
        json_decref(manifest);
    }
}

static void put_file(json_t *files, json_t *hashes, const char *directory, const char *name)
{
    struct doc_content content;
    const char *wrong;
    char *path = sim_format("%s/%s", directory, name);
    FILE *in = doc_ordinary_open(path, &wrong);
    if (in && doc_content_of(fileno(in), &content)) {
        json_object_set_new(files, name, json_integer((json_int_t)content.bytes));
        json_object_set_new(hashes, name, doc_hash_json(content.xxh64));
    }
    if (in)
        fclose(in);
    free(path);
}

/* What was collected, by which a reader knows that it still is that. */
static void put_files(json_t *root, const char *directory)
{
    static const char *const names[] = {SWP_CSV, SWP_DATABASE, SWP_PLOT};
    json_t *files = json_object(), *hashes = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_file(files, hashes, directory, names[i]);
    json_object_set_new(root, "files", files);
    json_object_set_new(root, "hashes", hashes);
}

static void write_root(void *ctx, FILE *out)
{
    doc_manifest_put(ctx, out);
}

bool swp_index_conclude(const struct swp_result *result, const struct swp_judged *judged,
                        const char *directory, char *why, size_t size)
{
    char *own = sim_format("%s/" SWP_INDEX, directory);
    const char *name = access(own, F_OK) ? SWP_COLLECTED : SWP_INDEX;
    char *path = sim_format("%s/%s", directory, name);
    json_t *root = swp_index_read(directory, name, why, size), *list = judged->list;
    bool good = root;
    if (root) {
        add_points(root, list, result);
        json_object_set(root, "expect", list);
        put_files(root, directory);
        good = doc_whole_write(path, false, write_root, root, NULL, why, size);
    }
    json_decref(list);
    json_decref(root);
    free(path);
    free(own);
    return good;
}
