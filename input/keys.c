/*
 * From YAML nodes to checked values, driven by a table of keys.
 *
 * The one hard idea: the walk follows the table, not the document. It descends only where a row's
 * path leads, so depth is bounded by the longest path, whatever cycles of aliases a document holds;
 * and because the rows know what belongs where, a wrong key can be answered with the right one.
 */
#include "input/keys.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- keys ------------------------------------------------------------------------------------ */

const struct in_key *in_find_key(const struct in_table *table, const char *path)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(table->keys[i].path, path))
            return &table->keys[i];
    return NULL;
}

static bool is_section(const struct in_table *table, const char *path)
{
    const size_t n = strlen(path);
    for (size_t i = 0; i < table->count; i++)
        if (!strncmp(table->keys[i].path, path, n) && table->keys[i].path[n] == '.')
            return true;
    return false;
}

/** Iterates the names that may stand directly under a prefix, for sim_nearest and for listings. */
struct names {
    const struct in_table *table;
    const char *prefix; /**< "" or "bus." */
    char name[IN_PATH_MAX];
};

static bool keys_name_at(const struct names *names, size_t row, char name[IN_PATH_MAX])
{
    const size_t n = strlen(names->prefix);
    const char *path = names->table->keys[row].path;
    if (strncmp(path, names->prefix, n) != 0)
        return false;
    snprintf(name, IN_PATH_MAX, "%.*s", (int)strcspn(path + n, "."), path + n);
    return true;
}

/** The `i`-th different name; rows of one section stand together in every table. */
static const char *keys_next_name(void *ctx, size_t i)
{
    struct names *names = ctx;
    char last[IN_PATH_MAX] = "";
    for (size_t row = 0; row < names->table->count; row++) {
        if (!keys_name_at(names, row, names->name) || !strcmp(names->name, last))
            continue;
        if (i-- == 0)
            return names->name;
        strcpy(last, names->name);
    }
    return NULL;
}

static const char *keys_next_path(void *ctx, size_t i)
{
    const struct in_table *table = ctx;
    return i < table->count ? table->keys[i].path : NULL;
}

static const char *leaf_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

static const char *next_leaf(void *ctx, size_t i)
{
    const char *path = keys_next_path(ctx, i);
    return path ? leaf_of(path) : NULL;
}

/** Whether a key in some section has that very name. */
static bool has_leaf(const struct in_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (!strcmp(leaf_of(table->keys[i].path), name))
            return true;
    return false;
}

bool in_suggest_path(const struct in_table *table, const char *path, char *out, size_t size)
{
    if (has_leaf(table, leaf_of(path)))
        return in_suggest_keys(table, path, out, size);
    const char *near = strchr(path, '.') ? sim_nearest(path, keys_next_path, (void *)table) : NULL;
    snprintf(out, size, near ? "'%s'" : "%s", near ? near : "");
    return near;
}

bool in_suggest_keys(const struct in_table *table, const char *path, char *out, size_t size)
{
    const bool bare = !strchr(path, '.') || has_leaf(table, leaf_of(path));
    const char *near = bare ? NULL : sim_nearest(path, keys_next_path, (void *)table);
    const char *leaf = near ? leaf_of(near) : sim_nearest(leaf_of(path), next_leaf, (void *)table);
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; leaf && i < table->count && n < size; i++) {
        const char *candidate = table->keys[i].path;
        if (near ? candidate == near : !strcmp(leaf_of(candidate), leaf))
            n += (size_t)snprintf(out + n, size - n, "%s'%s'", n ? " or " : "", candidate);
    }
    return n > 0;
}

/** The name nearest to `word` under the prefix, copied to `out`. */
static bool nearest_name(struct names *names, const char *word, char out[IN_PATH_MAX])
{
    char **list = NULL;
    for (size_t i = 0; keys_next_name(names, i); i++)
        in_push(&list, names->name);
    const char *near = sim_nearest(word, in_next_item, list);
    if (near)
        strcpy(out, near);
    in_free_list(list);
    return near;
}

static void complain_unknown(struct in_reading *r, const struct in_place *at,
                             const struct in_table *table, const char *prefix, const char *name)
{
    struct names names = {table, prefix, ""};
    char path[2 * IN_PATH_MAX], near[IN_PATH_MAX], list[600];
    snprintf(path, sizeof path, "%s%.100s", prefix, name);
    char suggestion[200];
    const bool suggested = in_suggest_keys(table, path, suggestion, sizeof suggestion);

    if (strchr(name, '.') && in_find_key(table, path))
        in_complain(r, at, "unknown key '%s': in a file, write nested keys as {%.*s: {%s: ...}}",
                    path, (int)strcspn(path, "."), path, path + strcspn(path, ".") + 1);
    else if (table->other && (in_find_key(table->other, path) || is_section(table->other, path)))
        in_complain(r, at, "'%s' %s", path, table->hint);
    else if (in_find_key(table, name))
        in_complain(r, at, "unknown key '%s'; '%s' stands at the top of the file, not in '%.*s:'",
                    path, name, (int)strlen(prefix) - 1, prefix);
    else if (has_leaf(table, name))
        in_complain(r, at, "unknown key '%s'; did you mean %s?", path, suggestion);
    else if (nearest_name(&names, name, near))
        in_complain(r, at, "unknown key '%s'; did you mean '%s%s'?", path, prefix, near);
    else if (suggested)
        in_complain(r, at, "unknown key '%s'; did you mean %s?", path, suggestion);
    else {
        size_t n = 0;
        for (size_t i = 0; keys_next_name(&names, i) && n < sizeof list; i++)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", names.name);
        in_complain(r, at, "unknown key '%s'; known here: %s", path, list);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/** The text of a scalar, or NULL after a complaint. */
static const char *keys_text_of(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                                const struct in_key *key)
{
    char expected[IN_EXPECTED_MAX];
    in_form_describe(&key->form, expected, sizeof expected);
    if (in_is_null(node))
        in_complain(r, at, "'%s' has no value; expected %s", key->path, expected);
    else if (!in_scalar(node))
        in_complain(r, at, "'%s' is %s; expected %s", key->path, in_kind(node), expected);
    else
        return in_scalar(node);
    return NULL;
}

static bool read_plain(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                       const struct in_key *key, struct in_value *v)
{
    char why[IN_WHY_MAX];
    const char *text = keys_text_of(r, at, node, key);
    if (!text)
        return false;
    const bool quoted = node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (quoted && (key->form.type == IN_INT || key->form.type == IN_BOOL)) {
        in_complain(r, at, "'%s' is text in quotes; leave the quotes out", key->path);
        return false;
    }
    if (!in_value_parse(&key->form, text, &v->number, why, sizeof why)) {
        in_complain(r, at, "'%s': %.60s %s", key->path, text, why);
        return false;
    }
    v->text = key->form.type == IN_WORD ? in_strdup(text) : NULL;
    return true;
}

static bool keys_read_time(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                           const struct in_key *key, struct in_value *v)
{
    char why[400];
    sim_tick ticks;
    const char *text = keys_text_of(r, at, node, key);
    if (!text)
        return false;
    if (!in_time_parse(text, 0, key->form.min, &ticks, why, sizeof why)) {
        in_complain(r, at, "'%s': %.60s %s", key->path, text, why);
        return false;
    }
    v->text = in_strdup(text);
    return true;
}

static bool read_text(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                      const struct in_key *key, struct in_value *v)
{
    const char *text = keys_text_of(r, at, node, key);
    v->text = text ? in_strdup(text) : NULL;
    return text;
}

/** The value of `name` in a mapping of single values; NULL: there is none. */
static const char *keys_member(struct in_doc *doc, const yaml_node_t *map, const char *name)
{
    const yaml_node_pair_t *end = map->data.mapping.pairs.top;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < end; p++) {
        const char *key = in_scalar(in_node(doc, p->key));
        if (key && !strcmp(key, name))
            return in_scalar(in_node(doc, p->value));
    }
    return NULL;
}

/** A pattern as written, or a mapping as the text that would be one. */
static bool keys_read_pattern(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                              const struct in_key *key, struct in_value *v)
{
    char text[200];
    if (node->type != YAML_MAPPING_NODE)
        return read_text(r, at, node, key, v);
    const yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
    const size_t count = (size_t)(node->data.mapping.pairs.top - pairs);
    const char *symbol = keys_member(at->doc, node, "symbol"),
               *from = keys_member(at->doc, node, "from"), *to = keys_member(at->doc, node, "to");
    if (count == 1 && symbol)
        snprintf(text, sizeof text, "{symbol: %.150s}", symbol);
    else if (count == 2 && from && to)
        snprintf(text, sizeof text, "{from: %.60s, to: %.60s}", from, to);
    else
        in_complain(r, at, "'%s': expected %s", key->path, key->form.unit);
    v->text = (count == 1 && symbol) || (count == 2 && from && to) ? in_strdup(text) : NULL;
    return v->text;
}

/** Whether a file is of the kind and size its key allows. @return NULL, or the complaint */
static const char *check_file(const char *path, const struct in_form *form, char buf[64])
{
    struct stat st;
    if (stat(path, &st) || access(path, R_OK))
        return strerror(errno);
    if (!form->max && S_ISCHR(st.st_mode))
        return NULL;
    if (S_ISREG(st.st_mode) && form->max && (uint64_t)st.st_size > form->max) {
        snprintf(buf, 64, "it is larger than %llu MB", (unsigned long long)form->max >> 20);
        return buf;
    }
    return in_unreadable_kind(st.st_mode);
}

/** A path, seen from the file that names it; the file must exist. */
static bool keys_read_file(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                           const struct in_key *key, struct in_value *v)
{
    char buf[64];
    const char *text = keys_text_of(r, at, node, key);
    if (!text)
        return false;
    char *path = in_path_beside(at->doc->path, text);
    const char *complaint = check_file(path, &key->form, buf);
    if (complaint) {
        in_complain(r, at, "'%s': cannot read '%.200s': %s", key->path, path, complaint);
        free(path);
        return false;
    }
    v->text = path;
    return true;
}

/** One text of a list or mapping; keeps the sum of all texts within bounds. */
static const char *item_text(struct in_reading *r, struct in_doc *doc, yaml_node_t *node,
                             const struct in_key *key, size_t *room)
{
    const struct in_place at = in_at(doc, node);
    if (in_is_null(node)) {
        in_complain(r, &at,
                    "an empty value in '%s'; write '' for an empty text, 'null' in quotes "
                    "for the word",
                    key->path);
        return NULL;
    }
    const char *text = in_scalar(node);
    if (!text) {
        in_complain(r, &at, "%s in '%s'; expected single values", in_kind(node), key->path);
        return NULL;
    }
    const size_t n = strlen(text) + 1;
    if (n > *room) {
        in_complain(r, &at, "'%s' holds more than 128 KB of text", key->path);
        *room = 0;
        return NULL;
    }
    *room -= n;
    return text;
}

static bool read_list(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                      const struct in_key *key, struct in_value *v)
{
    size_t room = IN_STRINGS_MAX;
    if (node->type != YAML_SEQUENCE_NODE) {
        in_complain(r, at, "'%s' is %s; expected %s, in brackets: [...]", key->path, in_kind(node),
                    key->form.unit);
        return false;
    }
    const yaml_node_item_t *end = node->data.sequence.items.top;
    if (end - node->data.sequence.items.start > IN_ITEMS_MAX) {
        in_complain(r, at, "'%s' has more than %d entries", key->path, IN_ITEMS_MAX);
        return false;
    }
    bool good = true;
    for (const yaml_node_item_t *i = node->data.sequence.items.start; i < end && room; i++) {
        const char *text = item_text(r, at->doc, in_node(at->doc, *i), key, &room);
        if (text)
            in_push(&v->list, text);
        good = good && text;
    }
    return good;
}

bool in_grant_check(const char *grant, char *why, size_t size)
{
    const char *colon = strrchr(grant, ':');
    const bool suffix = colon && (!strcmp(colon, ":ro") || !strcmp(colon, ":rw"));
    char *path = in_strdup(grant);
    struct stat st;
    if (suffix)
        path[colon - grant] = '\0';
    const char *complaint = NULL;
    if (stat(path, &st))
        complaint = strerror(errno);
    else if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        complaint = "it is neither a directory nor a regular file";
    if (complaint)
        snprintf(why, size, "cannot give the program '%.200s': %s", path, complaint);
    free(path);
    return !complaint;
}

/** Paths that the program may use, seen from the file that names them. */
static bool read_grants(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                        const struct in_key *key, struct in_value *v)
{
    char why[400];
    bool good = read_list(r, at, node, key, v);
    for (char **grant = v->list; good && grant && *grant; grant++) {
        char *path = in_path_beside(at->doc->path, *grant);
        free(*grant);
        *grant = path;
        if (!in_grant_check(path, why, sizeof why)) {
            in_complain(r, at, "'%s': %s", key->path, why);
            good = false;
        }
    }
    return good;
}

bool in_is_repeated(struct in_reading *r, struct in_doc *doc, const yaml_node_t *map,
                    const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = in_node(doc, pair->key);
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < pair; p++) {
        const yaml_node_t *other = in_node(doc, p->key);
        const char *text = in_scalar(other);
        if (text && !strcmp(text, in_scalar(key))) {
            const struct in_place at = in_at(doc, key);
            in_complain(r, &at, "'%.60s' is given twice; first in line %zu", text,
                        other->start_mark.line + 1);
            return true;
        }
    }
    return false;
}

/** Whether a mapping may be walked: its size is bounded. */
static bool is_small(struct in_reading *r, struct in_doc *doc, const yaml_node_t *map)
{
    const struct in_place at = in_at(doc, map);
    const bool small = map->data.mapping.pairs.top - map->data.mapping.pairs.start <= IN_ITEMS_MAX;
    if (!small)
        in_complain(r, &at, "more than %d entries", IN_ITEMS_MAX);
    return small;
}

/** Key of a pair as text, or NULL after a complaint. */
static const char *pair_name(struct in_reading *r, struct in_doc *doc, yaml_node_t *map,
                             const yaml_node_pair_t *pair)
{
    yaml_node_t *key = in_node(doc, pair->key);
    const struct in_place at = in_at(doc, key);
    const char *name = in_scalar(key);
    if (!name || !*name) {
        in_complain(r, &at, "a key must be a word, but this is %s", name ? "empty" : in_kind(key));
        return NULL;
    }
    if (!strcmp(name, "<<")) {
        in_complain(r, &at,
                    "merge keys (<<) are not read here; use base: to build on another "
                    "machine");
        return NULL;
    }
    return in_is_repeated(r, doc, map, pair) ? NULL : name;
}

static bool read_map(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                     const struct in_key *key, struct in_value *v)
{
    size_t room = IN_STRINGS_MAX;
    bool good = true;
    if (node->type != YAML_MAPPING_NODE) {
        in_complain(r, at, "'%s' is %s; expected %s, in braces: {NAME: value}", key->path,
                    in_kind(node), key->form.unit);
        return false;
    }
    if (!is_small(r, at->doc, node))
        return false;
    const yaml_node_pair_t *end = node->data.mapping.pairs.top;
    for (const yaml_node_pair_t *p = node->data.mapping.pairs.start; p < end && room; p++) {
        const char *name = pair_name(r, at->doc, node, p);
        const char *text = item_text(r, at->doc, in_node(at->doc, p->value), key, &room);
        if (name && strchr(name, '=')) {
            const struct in_place where = in_at(at->doc, in_node(at->doc, p->key));
            in_complain(r, &where, "'%.60s': a name in '%s' must not contain '='", name, key->path);
            name = NULL;
        }
        good = good && name && text;
        if (!name || !text)
            continue;
        char *entry = sim_alloc(strlen(name) + strlen(text) + 2, 1);
        stpcpy(stpcpy(stpcpy(entry, name), "="), text);
        in_push(&v->list, entry);
        free(entry);
    }
    return good;
}

/** A machine: its name, or a mapping that the machine's own table will read. */
static bool keys_read_machine(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                              const struct in_key *key, struct in_value *v)
{
    return node->type == YAML_MAPPING_NODE || read_text(r, at, node, key, v);
}

/** A mapping that the room sweep reads. */
static bool read_sweep(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                       const struct in_key *key, struct in_value *v)
{
    (void)v;
    if (node->type == YAML_MAPPING_NODE)
        return true;
    in_complain(r, at, "'%s' is %s; expected %s", key->path, in_kind(node), key->form.unit);
    return false;
}

/** A list of mappings; whoever owns the key reads each with a table of its own. */
static bool keys_read_rows(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                           const struct in_key *key, struct in_value *v)
{
    (void)v;
    if (node->type != YAML_SEQUENCE_NODE) {
        in_complain(r, at, "'%s' is %s; expected %s, in brackets: [...]", key->path, in_kind(node),
                    key->form.unit);
        return false;
    }
    if (node->data.sequence.items.top - node->data.sequence.items.start > IN_ITEMS_MAX) {
        in_complain(r, at, "'%s' has more than %d entries", key->path, IN_ITEMS_MAX);
        return false;
    }
    return true;
}

typedef bool read_fn(struct in_reading *r, const struct in_place *at, yaml_node_t *node,
                     const struct in_key *key, struct in_value *v);

static read_fn *const readers[] = {
    [IN_INT] = read_plain,
    [IN_BOOL] = read_plain,
    [IN_CYCLES] = read_plain,
    [IN_BYTES] = read_plain,
    [IN_FREQ] = read_plain,
    [IN_ENUM] = read_plain,
    [IN_SHARE] = read_plain,
    [IN_DECIMAL] = read_plain,
    [IN_WORD] = read_plain,
    [IN_TIME] = keys_read_time,
    [IN_TEXT] = read_text,
    [IN_FILE] = keys_read_file,
    [IN_LIST] = read_list,
    [IN_EVENTS] = read_list,
    [IN_GRANTS] = read_grants,
    [IN_MAP] = read_map,
    [IN_MACHINE] = keys_read_machine,
    [IN_ROWS] = keys_read_rows,
    [IN_PATTERN] = keys_read_pattern,
    [IN_SWEEP] = read_sweep,
};

bool in_read_value(struct in_reading *r, struct in_doc *doc, yaml_node_t *node,
                   const struct in_key *key, struct in_value *v)
{
    struct in_value fresh = {.at = in_at(doc, node), .node = node};
    if (!readers[key->form.type](r, &fresh.at, node, key, &fresh)) {
        in_values_free(&fresh, 1);
        return false;
    }
    in_values_free(v, 1);
    *v = fresh;
    return true;
}

char *in_take_text(struct in_value *v)
{
    char *text = v->text;
    v->text = NULL;
    return text;
}

void in_values_free(struct in_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(values[i].text);
        in_free_list(values[i].list);
        values[i] = (struct in_value){0};
    }
}

/* ---- mappings -------------------------------------------------------------------------------- */

static void read_section(struct in_reading *r, struct in_doc *doc, yaml_node_t *map,
                         const struct in_table *table, const char *prefix, struct in_value *values);

static void read_pair(struct in_reading *r, struct in_doc *doc, yaml_node_t *map,
                      const yaml_node_pair_t *pair, const struct in_table *table,
                      const char *prefix, struct in_value *values)
{
    char path[IN_PATH_MAX];
    const char *name = pair_name(r, doc, map, pair);
    yaml_node_t *node = in_node(doc, pair->value);
    if (!name)
        return;
    const struct in_place key_at = in_at(doc, in_node(doc, pair->key));
    const int n = snprintf(path, sizeof path, "%s%s", prefix, name);
    const bool nested = strchr(name, '.') || n >= (int)sizeof path;
    const struct in_key *key = nested ? NULL : in_find_key(table, path);

    if (key) {
        in_read_value(r, doc, node, key, &values[key - table->keys]);
    } else if (nested || !is_section(table, path)) {
        complain_unknown(r, &key_at, table, prefix, name);
    } else if (node->type != YAML_MAPPING_NODE) {
        const struct in_place at = in_at(doc, node);
        struct names names = {table, strcat(path, "."), ""};
        const char *first = keys_next_name(&names, 0);
        in_complain(r, &at, "'%.*s' is %s; expected a mapping: {%s: ...}", (int)strlen(path) - 1,
                    path, in_kind(node), first);
    } else {
        read_section(r, doc, node, table, strcat(path, "."), values);
    }
}

static void read_section(struct in_reading *r, struct in_doc *doc, yaml_node_t *map,
                         const struct in_table *table, const char *prefix, struct in_value *values)
{
    const yaml_node_pair_t *end = map->data.mapping.pairs.top;
    if (!is_small(r, doc, map))
        return;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < end; p++)
        read_pair(r, doc, map, p, table, prefix, values);
}

void in_read_mapping(struct in_reading *r, struct in_doc *doc, yaml_node_t *map,
                     const struct in_table *table, struct in_value *values)
{
    struct names names = {table, "", ""};
    if (map->type == YAML_MAPPING_NODE) {
        read_section(r, doc, map, table, "", values);
        return;
    }
    const struct in_place at = in_at(doc, map);
    in_complain(r, &at, "expected keys with values, such as '%s: ...', but this is %s",
                keys_next_name(&names, 0), in_kind(map));
}
