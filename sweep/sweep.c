/*
 * From the sweep: of a file to keys with lists of values.
 *
 * The one hard idea: a value is checked where it stands, by the table that would read it in the
 * file, and kept as the text that --set would take. So a complaint shows the value's own place, and
 * a point needs no reading of its own.
 */
#include "sweep/parts.h"

#include "input/tables.h"

#include <stdlib.h>
#include <string.h>

yaml_node_t *swp_member(struct in_doc *doc, const yaml_node_t *map, const char *name)
{
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
         p++) {
        const char *key = in_scalar(in_node(doc, p->key));
        if (key && !strcmp(key, name))
            return in_node(doc, p->value);
    }
    return NULL;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void complain_unknown(struct in_reading *r, const struct in_place *at, const char *name)
{
    char near[200] = "";
    if (!in_suggest_path(&in_experiment_table, name, near, sizeof near) &&
        !in_suggest_path(&in_machine_table, name, near, sizeof near) &&
        !in_suggest_keys(&in_machine_table, name, near, sizeof near))
        in_suggest_keys(&in_experiment_table, name, near, sizeof near);
    in_complain(r, at, "sweep: unknown key '%.60s'; %s%s%s", name,
                *near ? "did you mean " : "keys are those of --set, such as program.processors",
                near, *near ? "?" : "");
}

/** Rows of the machine's table that are no parameters. */
static bool is_of_a_file(const struct in_key *key)
{
    return key == &in_machine_table.keys[IN_MACHINE_BASE] || key->form.type == IN_SWEEP ||
           key->form.type == IN_ROWS;
}

static const struct in_key *sweep_find_key(struct in_reading *r, const struct in_place *at,
                                           const char *name)
{
    const struct in_key *key = in_find_key(&in_experiment_table, name);
    if (!key)
        key = in_find_key(&in_machine_table, name);
    if (!key)
        complain_unknown(r, at, name);
    else if (is_of_a_file(key))
        in_complain(r, at, "sweep: '%s' cannot be swept", name);
    return key && !is_of_a_file(key) ? key : NULL;
}

/** Whether somebody else sets this key, too. */
static bool is_taken(struct in_reading *r, const struct swp_sweep *sweep, const struct in_place *at,
                     const char *name, char *const *sets)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < sweep->keys; i++)
        if (!strcmp(sweep->key[i].key->path, name)) {
            in_complain(r, at, "sweep: '%s' is there twice; first in line %u", name,
                        sweep->key[i].line);
            return true;
        }
    for (; sets && *sets; sets++)
        if (!strncmp(*sets, name, n) && (*sets)[n] == '=') {
            in_complain(r, at, "--set %.100s: the sweep sets '%s' for each of its points", *sets,
                        name);
            return true;
        }
    return false;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void read_values(struct in_reading *r, struct swp_key *key, struct in_doc *doc,
                        yaml_node_t *node)
{
    const struct in_place at = in_at(doc, node);
    const char *path = key->key->path;
    if (node->type == YAML_MAPPING_NODE) {
        swp_read_range(r, key, doc, node);
        return;
    }
    if (node->type != YAML_SEQUENCE_NODE) {
        in_complain(r, &at,
                    "sweep: '%s' is %s; expected a list of values, [...], or a range, {from: 1, "
                    "to: 8} with step: or times:",
                    path, in_kind(node));
        return;
    }
    const yaml_node_item_t *start = node->data.sequence.items.start,
                           *end = node->data.sequence.items.top;
    if (start == end)
        in_complain(r, &at, "sweep: '%s' has no values", path);
    if (end - start > IN_ITEMS_MAX) {
        in_complain(r, &at, "sweep: '%s' has more than %d values", path, IN_ITEMS_MAX);
        return;
    }
    for (const yaml_node_item_t *i = start; i < end; i++)
        swp_read_value(r, key, doc, in_node(doc, *i));
}

static void read_key(struct in_reading *r, struct swp_sweep *sweep, struct in_doc *doc,
                     const yaml_node_pair_t *pair, char *const *sets)
{
    const yaml_node_t *node = in_node(doc, pair->key);
    const struct in_place at = in_at(doc, node);
    const char *name = in_scalar(node);
    if (!name || !*name) {
        in_complain(r, &at, "sweep: a key must be a word, but this is %s",
                    name ? "empty" : in_kind(node));
        return;
    }
    const struct in_key *key = sweep_find_key(r, &at, name);
    if (!key || is_taken(r, sweep, &at, name, sets))
        return;
    sweep->key = sim_grow(sweep->key, sweep->keys + 1, sizeof *sweep->key);
    struct swp_key *fresh = &sweep->key[sweep->keys++];
    *fresh = (struct swp_key){key, at.line, at.column, NULL, 0, sweep->axes};
    read_values(r, fresh, doc, in_node(doc, pair->value));
}

/* ---- zip ------------------------------------------------------------------------------------- */

/** Lists that go along together are of one length. */
static void check_lengths(struct in_reading *r, struct swp_sweep *sweep, struct in_doc *doc,
                          size_t first)
{
    for (size_t i = first + 1; i < sweep->keys; i++) {
        const struct swp_key *key = &sweep->key[i], *other = &sweep->key[first];
        const struct in_place at = {doc, key->line, key->column};
        if (key->values != other->values)
            in_complain(r, &at,
                        "sweep: '%s' has %zu values, but '%s', which it goes along with, "
                        "has %zu",
                        key->key->path, key->values, other->key->path, other->values);
    }
}

static void read_zip(struct in_reading *r, struct swp_sweep *sweep, struct in_doc *doc,
                     yaml_node_t *list, char *const *sets)
{
    const struct in_place at = in_at(doc, list);
    if (list->type != YAML_SEQUENCE_NODE) {
        in_complain(r, &at,
                    "sweep: 'zip' is %s; expected a list of mappings, [{KEY: [...], KEY: "
                    "[...]}]",
                    in_kind(list));
        return;
    }
    for (const yaml_node_item_t *i = list->data.sequence.items.start;
         i < list->data.sequence.items.top; i++) {
        yaml_node_t *map = in_node(doc, *i);
        const struct in_place here = in_at(doc, map);
        const size_t first = sweep->keys;
        const unsigned before = r->diag->errors;
        if (map->type != YAML_MAPPING_NODE) {
            in_complain(r, &here, "sweep: %s in 'zip'; expected mappings, {KEY: [...], KEY: [...]}",
                        in_kind(map));
            continue;
        }
        for (const yaml_node_pair_t *p = map->data.mapping.pairs.start;
             p < map->data.mapping.pairs.top; p++)
            read_key(r, sweep, doc, p, sets);
        if (r->diag->errors == before)
            check_lengths(r, sweep, doc, first);
        sweep->axes++;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void sweep_read_keys(struct in_reading *r, struct swp_sweep *sweep, struct in_doc *doc,
                            const yaml_node_t *map, char *const *sets)
{
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
         p++) {
        const char *name = in_scalar(in_node(doc, p->key));
        const bool own = name && (!strcmp(name, "where") || !strcmp(name, "zip"));
        if (own && (in_is_repeated(r, doc, map, p) || !strcmp(name, "where")))
            continue;
        if (own) {
            read_zip(r, sweep, doc, in_node(doc, p->value), sets);
            continue;
        }
        read_key(r, sweep, doc, p, sets);
        sweep->axes++;
    }
}

static void read_sweep(struct in_reading *r, struct swp_sweep *sweep, yaml_node_t *map,
                       char *const *sets)
{
    struct in_doc *doc = r->file;
    const struct in_place at = in_at(doc, map);
    const unsigned before = r->diag->errors;
    yaml_node_t *where = swp_member(doc, map, "where");
    sweep_read_keys(r, sweep, doc, map, sets);
    if (r->diag->errors == before && !sweep->keys)
        in_complain(r, &at, "sweep: nothing in it; for example {program.processors: [1, 2, 4]}");
    if (r->diag->errors != before)
        return;
    struct swp_filter **filters = swp_filters_read(r, sweep, doc, where);
    if (r->diag->errors == before)
        swp_expand(r, sweep, &at, filters);
    swp_filters_free(filters);
}

bool swp_load(struct swp_sweep *sweep, const char *path, char *const *sets, struct in_diag *diag)
{
    struct in_reading r = {.diag = diag};
    const unsigned before = diag->errors;
    *sweep = (struct swp_sweep){0};
    if (!strcmp(path, "-"))
        in_complain(&r, NULL,
                    "a sweep is read again for each of its points: give a file, not "
                    "standard input");
    else
        r.file = in_open_experiment(&r, path);
    const yaml_node_t *root = r.file ? in_root(r.file) : NULL;
    yaml_node_t *map =
        root && root->type == YAML_MAPPING_NODE ? swp_member(r.file, root, "sweep") : NULL;
    const struct in_place whole = {r.file, 1, 1}, at = map ? in_at(r.file, map) : whole;
    if (r.file && !map)
        in_complain(&r, &whole, "no sweep: in this file (docs/sweeps.md)");
    else if (map && map->type != YAML_MAPPING_NODE)
        in_complain(&r, &at, "'sweep' is %s; expected a mapping of keys to lists of values",
                    in_kind(map));
    else if (map)
        read_sweep(&r, sweep, map, sets);
    in_close(&r);
    return diag->errors == before;
}

void swp_free(struct swp_sweep *sweep)
{
    for (size_t k = 0; k < sweep->keys; k++) {
        for (size_t i = 0; i < sweep->key[k].values; i++)
            free(sweep->key[k].value[i].set);
        free(sweep->key[k].value);
    }
    for (size_t i = 0; i < sweep->points; i++)
        free(sweep->point[i].value);
    free(sweep->key);
    free(sweep->point);
    *sweep = (struct swp_sweep){0};
}
