/*
 * A run's directory is a claim: what its manifest lists has to be there and to be what it should
 * be, or there is no page.
 */
#include "page/page.h"

#include "base/alloc.h"
#include "documents/claims.h"
#include "documents/intact.h"
#include "documents/rows/locks.h"
#include "documents/rows/objects.h"
#include "documents/rows/profile.h"
#include "documents/rows/truth.h"
#include "documents/schemas.h"
#include "machine/statistics.h"
#include "page/kept.h"
#include "page/samples.h"
#include "page/sheet.h"
#include "page/sums.h"

#include <string.h>

enum {
    TABLE_ROWS = 12000,   /* of a table that the page has room for */
    STATS_BYTES = 600000, /* of statistics: beyond, regions have the machine's only */
};

struct making {
    const struct page_run *run;
    json_t *root; /* the document of the page */
    char *why;    /* of `size` bytes */
    size_t size;
};

static char *page_path_of(const struct making *m, const char *name)
{
    return sim_format("%s/%s", m->run->directory, name);
}

/* Whether the manifest lists a file. */
static bool page_has(const struct making *m, const char *name)
{
    return json_object_get(json_object_get(json_object_get(m->root, "manifest"), "files"), name);
}

/* ---- files as they are ----------------------------------------------------------------------- */

/* Adds a JSON file under `name`. */
static bool add_json(struct making *m, const char *name, const char *file, int schema)
{
    char *path = page_path_of(m, file);
    const struct doc_claims claims = {path, m->why, m->size};
    json_t *root = doc_claim_file(&claims);
    const bool good = root && doc_claim_schema(&claims, root, schema);
    if (good)
        json_object_set(m->root, name, root);
    json_decref(root);
    free(path);
    return good;
}

static bool add_config(struct making *m)
{
    char *path = page_path_of(m, "config.resolved.yaml");
    char *text = page_text(path, m->why, m->size);
    json_t *string = text ? json_string(text) : NULL;
    if (text && !string)
        snprintf(m->why, m->size, "%s: not UTF-8", path);
    if (string)
        json_object_set_new(m->root, "config", string);
    free(text);
    free(path);
    return string;
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* Of what was timed the same: the machine's. */
static json_t *measured_only(const json_t *snapshot)
{
    json_t *only = json_object();
    json_object_set(only, "machine",
                    json_object_get(json_object_get(snapshot, "measured"), "machine"));
    return only;
}

/* Later regions keep the machine's statistics only, once there is too much. */
static void page_shorten(json_t *snapshots)
{
    size_t i, bytes = 0;
    json_t *snapshot;
    json_array_foreach(snapshots, i, snapshot) {
        json_t *stats = json_object_get(snapshot, "stats"), *only = json_object();
        bytes += json_dumpb(stats, NULL, 0, JSON_COMPACT);
        if (json_object_get(snapshot, "measured"))
            bytes += json_dumpb(json_object_get(snapshot, "measured"), NULL, 0, JSON_COMPACT);
        json_object_set(only, "machine", json_object_get(stats, "machine"));
        if (i && bytes > STATS_BYTES) {
            json_object_set(snapshot, "stats", only);
            if (json_object_get(snapshot, "measured"))
                json_object_set_new(snapshot, "measured", measured_only(snapshot));
            json_object_set_new(snapshot, "machine_only", json_true());
        }
        json_decref(only);
    }
}

static bool add_stats(struct making *m)
{
    if (!page_has(m, "stats.json")) {
        snprintf(m->why, m->size,
                 "%s: the run has no results: its manifest does not list stats.json",
                 m->run->directory);
        return false;
    }
    if (!add_json(m, "stats", "stats.json", DOC_SCHEMA_stats))
        return false;
    json_t *snapshots = json_object_get(json_object_get(m->root, "stats"), "snapshots");
    const json_t *first = json_object_get(json_array_get(snapshots, 0), "stats");
    if (!json_is_object(json_object_get(first, "machine"))) {
        snprintf(m->why, m->size, "%s/stats.json: it has no statistics of the machine",
                 m->run->directory);
        return false;
    }
    page_shorten(snapshots);
    return true;
}

/* What of the machine the drawing and the shares need. */
static void add_machine(struct making *m)
{
    const struct nm_params *p = m->run->experiment->machine.params;
    const struct ring_shape shape = nm_ring_shape(p);
    const bool rings = nm_ring_count(p);
    json_t *fan = json_array();
    for (unsigned level = 0; rings && level < shape.levels; level++)
        json_array_append_new(fan, json_integer(shape.fan[level]));
    json_object_set_new(
        m->root, "machine",
        json_pack("{s:I,s:I,s:o,s:I,s:I,s:I}", "stations", (json_int_t)nm_params_stations(p),
                  "processors", (json_int_t)nm_value_processors(p), "fan", fan, "cpu_clock",
                  (json_int_t)nm_value_cpu_clock(p), "bus_clock", (json_int_t)nm_value_bus_clock(p),
                  "ring_clock", (json_int_t)nm_value_ring_clock(p)));
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A table of the run, if it has it. */
static const struct wanted {
    const char *name, *file;
    struct page_table table;
} tables[] = {
    {"groups", "monitor/groups.csv", {.only = "component", .is = "machine", .most = TABLE_ROWS}},
    {"histogram", "monitor/histogram.csv", {.without = "card", .sum = "count", .most = TABLE_ROWS}},
    {"coherence",
     "monitor/coherence_histogram.csv",
     {.without = "station", .sum = "count", .most = TABLE_ROWS}},
    {"status", "monitor/status.csv", {.most = TABLE_ROWS}},
};

static bool add_table(struct making *m, const struct wanted *wanted)
{
    if (!page_has(m, wanted->file))
        return true;
    char *path = page_path_of(m, wanted->file);
    json_t *table = page_table_read(path, &wanted->table, m->why, m->size);
    if (table)
        json_object_set_new(m->root, wanted->name, table);
    free(path);
    return table;
}

static bool add_tables(struct making *m)
{
    bool good = true;
    for (size_t i = 0; good && i < sizeof tables / sizeof *tables; i++)
        good = add_table(m, &tables[i]);
    return good;
}

static bool add_samples(struct making *m)
{
    if (!page_has(m, "monitor/samples.csv"))
        return true;
    char *path = page_path_of(m, "monitor/samples.csv");
    json_t *samples = page_samples_read(
        path, (unsigned)nm_params_stations(m->run->experiment->machine.params), m->why, m->size);
    if (samples)
        json_object_set_new(m->root, "samples", samples);
    free(path);
    return samples;
}

static bool add_kept(struct making *m, struct page_notes *notes)
{
    const struct page_kept kept = {.truth = page_has(m, DOC_TRUTH),
                                   .locks = page_has(m, DOC_LOCKS)};
    return !page_has(m, DOC_PROFILE) || !page_has(m, DOC_OBJECTS) ||
           page_kept_add(m->root, m->run, &kept, &notes->names, m->why, m->size);
}

/* Whether the page would replace one of the run's files. */
static bool page_page_is_own(const struct making *m, const char *path)
{
    const char *name;
    const json_t *bytes;
    json_object_foreach(json_object_get(json_object_get(m->root, "manifest"), "files"), name, bytes)
        if (page_is_own(path, m->run->directory, name, m->why, m->size))
            return true;
    return page_is_own(path, m->run->directory, "manifest.json", m->why, m->size);
}

static bool page_gather(struct making *m, const char *path, struct page_notes *notes)
{
    if (!add_json(m, "manifest", "manifest.json", DOC_SCHEMA_manifest) ||
        page_page_is_own(m, path) || !page_may_be(path, m->why, m->size) ||
        !doc_run_is_intact(m->run->directory, m->why, m->size) || !add_config(m) || !add_stats(m))
        return false;
    add_machine(m);
    return add_tables(m) && add_samples(m) && add_kept(m, notes);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The experiment's name; of a program that was run by itself (`numachine stat`), the program's. */
static const char *title_of(const struct making *m)
{
    const json_t *experiment = json_object_get(json_object_get(m->root, "manifest"), "experiment");
    const char *name = json_string_value(json_object_get(experiment, "name")),
               *program = json_string_value(json_array_get(json_object_get(experiment, "argv"), 0));
    if (name && !strcmp(name, "stat") && program && *program)
        return basename(program);
    return name ? name : m->run->directory;
}

bool page_write(const struct page_run *run, const char *path, struct page_notes *notes, bool *host,
                char *why, size_t size)
{
    struct making m = {.run = run, .root = json_object(), .why = why, .size = size};
    bool good = page_gather(&m, path, notes);
    *host = good;
    if (good) {
        json_object_set_new(m.root, "title", json_string(title_of(&m)));
        const struct page_sheet sheet = {.title = title_of(&m),
                                         .kind = "run",
                                         .command = "report",
                                         .script = "report.js",
                                         .drawing = run->drawing,
                                         .data = m.root};
        good = page_sheet_write(&sheet, path, &notes->charts, why, size);
    }
    json_decref(m.root);
    return good;
}
