/*
 * The points come from sweep.json, their statistics from sweep.csv, which has a row for each value.
 *
 * The one hard idea is room: 10,000 points of a few hundred statistics are more than a browser
 * likes. The page has the machine's statistics, not those of its parts, and of these at most
 * NUMBERS numbers: whole columns, a value for each point, in the order of the table, but `elapsed`
 * of every region first of all.
 */
#include "page/sweep.h"

#include "base/alloc.h"
#include "documents/cells.h"
#include "documents/claims.h"
#include "documents/csv.h"
#include "documents/directory/rundir.h"
#include "documents/intact.h"
#include "documents/schemas.h"
#include "page/sheet.h"
#include "page/sums.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

enum {
    NUMBERS = 600000, /* in the page */
    POINTS = 10000,
    REGIONS = 64, /* that have their own `elapsed` in any case */
};

/* A point, as the index has it. */
struct point {
    const char *id;
    bool has; /* rows in the table */
    UT_hash_handle hh;
};

/* One statistic of one region. */
struct column {
    char *key; /* region and statistic, with a 1 between them */
    char *unit;
    size_t region, name; /* the name begins there in `key` */
    json_t *values;      /* [points] */
    UT_hash_handle hh;
};

struct sweep_reading {
    const struct page_sweep *sweep;
    json_t *index;
    size_t points;
    struct point *point, *by_id; /* [points] */
    json_t *regions;             /* names in their order */
    struct column *columns;      /* by key, in their order */
    size_t left;                 /* columns that there was no room for: of the first point */
    size_t elapsed;              /* columns that are one */
    struct doc_csv csv;
    unsigned id, region, component, stat, value, unit; /* columns of the table */
    char *why;
    size_t size;
};

static char *sweep_path_of(const struct sweep_reading *r, const char *name)
{
    return sim_format("%s/%s", r->sweep->directory, name);
}

static bool sweep_is_there(const char *directory, const char *name)
{
    char *path = sim_format("%s/%s", directory, name);
    const bool there = !access(path, F_OK);
    free(path);
    return there;
}

static const char *index_of(const struct sweep_reading *r)
{
    return sweep_is_there(r->sweep->directory, PAGE_SWEEP_INDEX) ? PAGE_SWEEP_INDEX
                                                                 : PAGE_SWEEP_COLLECTED;
}

bool page_is_sweep(const char *directory)
{
    return sweep_is_there(directory, PAGE_SWEEP_INDEX) ||
           sweep_is_there(directory, PAGE_SWEEP_COLLECTED);
}

/* ---- which points there are ------------------------------------------------------------------ */

/* Whether an id can be a part of a path. */
static bool is_id(const char *id)
{
    return id && *id && *id != '.' &&
           !id[strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")];
}

static bool is_list_of_texts(const json_t *list)
{
    size_t i;
    const json_t *text;
    json_array_foreach(list, i, text)
        if (!json_is_string(text))
            return false;
    return true;
}

/* Whether a point has a text for each parameter. */
static bool has_values(const json_t *keys, const json_t *point)
{
    const json_t *values = json_object_get(point, "values");
    size_t i;
    const json_t *key;
    json_array_foreach(keys, i, key)
        if (!json_is_string(json_object_get(values, json_string_value(key))))
            return false;
    return json_is_string(json_object_get(point, "state"));
}

static bool take_points(struct sweep_reading *r, const struct doc_claims *claims,
                        const json_t *keys)
{
    const json_t *points = doc_claim_list(claims, r->index, "points");
    r->points = json_array_size(points);
    if (!points || !r->points || r->points > POINTS)
        return points && doc_refuse(claims, "points: not 1 to %d", POINTS);
    r->point = sim_alloc(r->points, sizeof *r->point);
    for (size_t i = 0; i < r->points; i++) {
        struct point *point = &r->point[i], *other;
        const json_t *claimed = json_array_get(points, i);
        point->id = json_string_value(json_object_get(claimed, "id"));
        if (!is_id(point->id) || !has_values(keys, claimed))
            return doc_refuse(claims, "points[%zu]: not {id, values, state}", i);
        HASH_FIND_STR(r->by_id, point->id, other);
        if (other)
            return doc_refuse(claims, "points[%zu]: %s is there twice", i, point->id);
        HASH_ADD_KEYPTR(hh, r->by_id, point->id, strlen(point->id), point);
    }
    return true;
}

static bool sweep_read_index(struct sweep_reading *r)
{
    char *path = sweep_path_of(r, index_of(r));
    const struct doc_claims claims = {path, r->why, r->size};
    r->index = doc_claim_file(&claims);
    bool good = r->index && doc_claim_schema(&claims, r->index, DOC_SCHEMA_sweep);
    const json_t *keys = good ? doc_claim_list(&claims, r->index, "parameters") : NULL;
    if (keys && !is_list_of_texts(keys))
        good = doc_refuse(&claims, "parameters: not texts");
    good = good && keys && take_points(r, &claims, keys);
    free(path);
    return good;
}

/* ---- what they counted ----------------------------------------------------------------------- */

static bool sweep_find_columns(struct sweep_reading *r)
{
    r->id = doc_csv_column(&r->csv, "point");
    r->region = doc_csv_column(&r->csv, "region");
    r->component = doc_csv_column(&r->csv, "component");
    r->stat = doc_csv_column(&r->csv, "stat");
    r->value = doc_csv_column(&r->csv, "value");
    r->unit = doc_csv_column(&r->csv, "unit");
    return !r->csv.bad;
}

static size_t sweep_region_of(struct sweep_reading *r, const char *name)
{
    size_t i;
    const json_t *region;
    json_array_foreach(r->regions, i, region)
        if (!strcmp(json_string_value(region), name))
            return i;
    json_array_append_new(r->regions, doc_json_text(name));
    return i;
}

/* Whether there is room for one more. */
static bool has_room(struct sweep_reading *r, const char *stat)
{
    const size_t most = NUMBERS / r->points, now = HASH_COUNT(r->columns);
    const bool first = !strcmp(stat, "elapsed") && r->elapsed < REGIONS;
    r->elapsed += first;
    return first || now < (most > 1 ? most : 1);
}

static json_t *sweep_blanks(size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_null());
    return list;
}

/* @return NULL: there is no room for it */
static struct column *sweep_column_of(struct sweep_reading *r)
{
    char *const *field = r->csv.field;
    struct column *column;
    char *key = sim_format("%s\1%s", field[r->region], field[r->stat]);
    HASH_FIND_STR(r->columns, key, column);
    if (column || !has_room(r, field[r->stat])) {
        free(key);
        return column;
    }
    column = sim_alloc(1, sizeof *column);
    *column = (struct column){.key = key,
                              .unit = sim_strdup(field[r->unit]),
                              .region = sweep_region_of(r, field[r->region]),
                              .name = strlen(field[r->region]) + 1,
                              .values = sweep_blanks(r->points)};
    HASH_ADD_KEYPTR(hh, r->columns, column->key, strlen(column->key), column);
    return column;
}

static bool sweep_read_row(struct sweep_reading *r)
{
    char *const *field = r->csv.field;
    struct point *point;
    HASH_FIND_STR(r->by_id, field[r->id], point);
    if (!point)
        return doc_csv_refuse(&r->csv, "not a point of this sweep");
    point->has = true;
    if (strcmp(field[r->component], "machine") != 0)
        return true;
    struct column *column = sweep_column_of(r);
    if (column)
        json_array_set_new(column->values, (size_t)(point - r->point),
                           *field[r->value] ? page_value(field[r->value]) : json_null());
    r->left += !column && point == r->point;
    return true;
}

static bool is_intact(const struct sweep_reading *r)
{
    char file[160];
    const bool good = doc_is_intact(r->sweep->directory, index_of(r), r->index, file, sizeof file);
    if (!good)
        snprintf(r->why, r->size, "%s/%s", r->sweep->directory, file);
    return good;
}

/* The same of the points that lie there. */
static bool are_points_intact(const struct sweep_reading *r)
{
    bool good = true;
    for (size_t i = 0; i < r->points && good; i++) {
        char *path = sim_format("%s/points/%s", r->sweep->directory, r->point[i].id);
        good = doc_run_is_intact(path, r->why, r->size);
        free(path);
    }
    return good;
}

static bool read_table(struct sweep_reading *r)
{
    char *path = sweep_path_of(r, PAGE_SWEEP_TABLE);
    if (access(path, F_OK) && errno == ENOENT)
        snprintf(r->why, r->size,
                 "%s: the sweep has no results yet; 'numachine run --resume' goes on with it, "
                 "'numachine collect' makes them of the points that are there",
                 path);
    else if (is_intact(r) && are_points_intact(r) && doc_csv_open(&r->csv, path, r->why, r->size) &&
             sweep_find_columns(r))
        while (doc_csv_next(&r->csv) && sweep_read_row(r))
            ;
    const bool good = r->csv.in && !r->csv.bad;
    doc_csv_close(&r->csv);
    free(path);
    return good;
}

/* ---- as a document --------------------------------------------------------------------------- */

/* A parameter's values: their texts, and their numbers if all are numbers. */
struct values {
    const char *key;
    json_t *texts, *numbers;
    json_t *place; /* {text: number in the list} */
};

static void add_value(struct values *v, const json_t *point)
{
    const char *text = json_string_value(json_object_get(json_object_get(point, "values"), v->key));
    const json_t *number = json_object_get(json_object_get(point, "numbers"), v->key);
    if (json_object_get(v->place, text))
        return;
    json_object_set_new(v->place, text, json_integer((json_int_t)json_array_size(v->texts)));
    json_array_append_new(v->texts, json_string(text));
    json_array_append_new(v->numbers, json_is_integer(number)
                                          ? json_integer(json_integer_value(number))
                                          : json_null());
}

static bool are_numbers(const json_t *list)
{
    size_t i;
    const json_t *number;
    json_array_foreach(list, i, number)
        if (!json_is_integer(number))
            return false;
    return true;
}

static struct values values_of(const struct sweep_reading *r, const char *key)
{
    const json_t *points = json_object_get(r->index, "points");
    struct values v = {key, json_array(), json_array(), json_object()};
    for (size_t i = 0; i < r->points; i++)
        add_value(&v, json_array_get(points, i));
    if (!are_numbers(v.numbers)) {
        json_decref(v.numbers);
        v.numbers = json_null();
    }
    return v;
}

/* [id, [number of each parameter's value], state, exit code, has rows, has a page] */
static json_t *point_of(const struct sweep_reading *r, size_t i, const struct values *v,
                        size_t keys)
{
    const json_t *claimed = json_array_get(json_object_get(r->index, "points"), i);
    const json_t *values = json_object_get(claimed, "values"),
                 *code = json_object_get(claimed, "exit_code");
    const struct point *point = &r->point[i];
    char *page = sim_format("points/%s/" DOC_PAGE, point->id);
    json_t *at = json_array();
    for (size_t k = 0; k < keys; k++)
        json_array_append(
            at, json_object_get(v[k].place, json_string_value(json_object_get(values, v[k].key))));
    json_t *out =
        json_pack("[s,o,O,o,b,b]", point->id, at, json_object_get(claimed, "state"),
                  json_is_integer(code) ? json_integer(json_integer_value(code)) : json_null(),
                  point->has, r->sweep->links && sweep_is_there(r->sweep->directory, page));
    free(page);
    return out;
}

static void put_points(const struct sweep_reading *r, json_t *root)
{
    const json_t *keys = json_object_get(r->index, "parameters");
    const size_t count = json_array_size(keys);
    struct values *v = sim_alloc(count, sizeof *v);
    json_t *parameters = json_array(), *points = json_array();
    for (size_t k = 0; k < count; k++)
        v[k] = values_of(r, json_string_value(json_array_get(keys, k)));
    for (size_t i = 0; i < r->points; i++)
        json_array_append_new(points, point_of(r, i, v, count));
    for (size_t k = 0; k < count; k++) {
        json_array_append_new(parameters, json_pack("{s:s,s:o,s:o}", "key", v[k].key, "texts",
                                                    v[k].texts, "numbers", v[k].numbers));
        json_decref(v[k].place);
    }
    free(v);
    json_object_set_new(root, "parameters", parameters);
    json_object_set_new(root, "points", points);
}

/* [region, statistic, unit, [values]] */
static json_t *sweep_columns_of(const struct sweep_reading *r)
{
    json_t *list = json_array();
    for (const struct column *c = r->columns; c; c = c->hh.next)
        json_array_append_new(list, json_pack("[I,o,o,O]", (json_int_t)c->region,
                                              doc_json_text(c->key + c->name),
                                              doc_json_text(c->unit), c->values));
    return list;
}

/* What the index says of all points together, as it is; of a sweep that has not ended, nothing. */
static void put_whole(const struct sweep_reading *r, json_t *root)
{
    json_t *experiment = json_object_get(r->index, "experiment"),
           *numachine = json_object_get(r->index, "numachine"),
           *expect = json_object_get(r->index, "expect");
    if (json_is_object(experiment))
        json_object_set(root, "experiment", experiment);
    if (json_is_object(numachine))
        json_object_set(root, "numachine", numachine);
    if (json_is_array(expect))
        json_object_set(root, "expect", expect);
}

static json_t *document_of(const struct sweep_reading *r)
{
    const char *name = json_string_value(json_object_get(r->index, "name"));
    json_t *root =
        json_pack("{s:s,s:O,s:o,s:I}", "name", name ? name : "a sweep", "regions", r->regions,
                  "columns", sweep_columns_of(r), "left", (json_int_t)r->left);
    put_points(r, root);
    put_whole(r, root);
    return root;
}

static void sweep_release(struct sweep_reading *r)
{
    struct column *column, *next;
    HASH_ITER(hh, r->columns, column, next) {
        HASH_DEL(r->columns, column);
        json_decref(column->values);
        free(column->key);
        free(column->unit);
        free(column);
    }
    HASH_CLEAR(hh, r->by_id);
    free(r->point);
    json_decref(r->regions);
    json_decref(r->index);
}

/* Whether the page would replace one of the sweep's files. */
static bool sweep_is_own(const struct sweep_reading *r, const char *path)
{
    static const char *const names[] = {PAGE_SWEEP_INDEX, PAGE_SWEEP_COLLECTED, PAGE_SWEEP_TABLE,
                                        "sweep.sqlite"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (page_is_own(path, r->sweep->directory, names[i], r->why, r->size))
            return true;
    return false;
}

bool page_sweep_write(const struct page_sweep *sweep, const char *path, const char **charts,
                      bool *host, char *why, size_t size)
{
    struct sweep_reading r = {.sweep = sweep, .regions = json_array(), .why = why, .size = size};
    bool good = !sweep_is_own(&r, path) && page_may_be(path, why, size) && sweep_read_index(&r) &&
                read_table(&r);
    *host = good;
    if (good) {
        json_t *data = document_of(&r);
        const struct page_sheet sheet = {.title = json_string_value(json_object_get(data, "name")),
                                         .kind = "sweep",
                                         .command = "report",
                                         .script = "sweep.js",
                                         .data = data};
        good = page_sheet_write(&sheet, path, charts, why, size);
        json_decref(data);
    }
    sweep_release(&r);
    return good;
}
