/*
 * From keys with lists of values to points with ids.
 *
 * An axis is a key, or the keys of one mapping of zip:. The points are the product of the axes, the
 * first axis the slowest, without what the filters refuse.
 */
#include "sweep/parts.h"

#include "base/plural.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <xxhash.h>

/* ---- ids ------------------------------------------------------------------------------------- */

enum {
    NAME_MAX_BYTES = 46, /**< of the readable part */
    VALUE_MAX_BYTES = 14,
};

/** The keys in the order of their names. Allocated. */
static size_t *sorted_keys(const struct swp_sweep *sweep)
{
    size_t *order = sim_alloc(sweep->keys, sizeof *order);
    for (size_t k = 0; k < sweep->keys; k++) {
        size_t i = k;
        for (; i && strcmp(sweep->key[order[i - 1]].key->path, sweep->key[k].key->path) > 0; i--)
            order[i] = order[i - 1];
        order[i] = k;
    }
    return order;
}

/** Appends what of a text may be in a directory's name; runs of anything else become one '-'.
 *  @return bytes used so far */
static size_t append_clean(char *name, size_t n, const char *text, size_t most)
{
    const size_t start = n;
    for (; *text && n < start + most && n < NAME_MAX_BYTES; text++) {
        const bool good = isalnum((unsigned char)*text) || *text == '.' || *text == '_';
        if (good || (n > start && name[n - 1] != '-'))
            name[n++] = good ? *text : '-';
    }
    while (n > start && name[n - 1] == '-')
        n--;
    return n;
}

static const char *leaf_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/** A path or name's last part is what tells it from the others. */
static const char *expand_telling(const struct swp_key *key, const char *text)
{
    const enum in_type type = key->key->form.type;
    const char *slash = type == IN_FILE || type == IN_MACHINE ? strrchr(text, '/') : NULL;
    return slash ? slash + 1 : text;
}

void swp_id(const struct swp_sweep *sweep, const size_t *value, char id[SWP_ID_MAX])
{
    char name[NAME_MAX_BYTES + 1];
    size_t n = 0, *order = sorted_keys(sweep), size;
    char *canonical = NULL;
    FILE *out = sim_text_open(&canonical, &size);
    for (size_t i = 0; i < sweep->keys; i++) {
        const struct swp_key *key = &sweep->key[order[i]];
        const struct swp_value *v = &key->value[value[order[i]]];
        fprintf(out, "%s\n", v->set);
        if (n && n < NAME_MAX_BYTES)
            name[n++] = '-';
        n = append_clean(name, n, leaf_of(key->key->path), NAME_MAX_BYTES);
        n = append_clean(name, n, expand_telling(key, v->text), VALUE_MAX_BYTES);
    }
    sim_text_close(out, &canonical);
    while (n && strchr("-.", name[n - 1]))
        n--;
    name[n] = '\0';
    snprintf(id, SWP_ID_MAX, "%s-%012llx", name,
             (unsigned long long)XXH64(canonical, size, 0) & 0xffffffffffff);
    free(canonical);
    free(order);
}

/* ---- points ---------------------------------------------------------------------------------- */

/** Length of each axis. Allocated; 0 in *combinations: too many. */
static size_t *expand_lengths(const struct swp_sweep *sweep, size_t *combinations)
{
    size_t *length = sim_alloc(sweep->axes, sizeof *length);
    *combinations = 1;
    for (size_t k = 0; k < sweep->keys; k++)
        length[sweep->key[k].axis] = sweep->key[k].values;
    for (size_t a = 0; a < sweep->axes; a++) {
        if (!length[a]) /* an empty mapping of zip: */
            length[a] = 1;
        *combinations =
            *combinations > SWP_COMBINATIONS / length[a] ? 0 : *combinations * length[a];
    }
    return length;
}

static void add_point(struct swp_sweep *sweep, const size_t *value)
{
    sweep->point = sim_grow(sweep->point, sweep->points + 1, sizeof *sweep->point);
    struct swp_point *p = &sweep->point[sweep->points++];
    p->value = sim_alloc(sweep->keys, sizeof *p->value);
    memcpy(p->value, value, sweep->keys * sizeof *value);
    swp_id(sweep, value, p->id);
}

/** One id on its way into a table. */
struct seen {
    const char *id;
    const struct swp_point *point;
    UT_hash_handle hh;
};

/** Two points of one id are one point written twice: 48 bits of hash tell others apart. */
static void check_ids(struct in_reading *r, const struct swp_sweep *sweep, struct in_doc *doc)
{
    struct seen *table = NULL, *all = sim_alloc(sweep->points, sizeof *all), *other;
    for (size_t i = 0; i < sweep->points; i++) {
        all[i] = (struct seen){.id = sweep->point[i].id, .point = &sweep->point[i]};
        HASH_FIND_STR(table, all[i].id, other);
        if (!other) {
            HASH_ADD_KEYPTR(hh, table, all[i].id, strlen(all[i].id), &all[i]);
            continue;
        }
        size_t k = 0;
        while (k + 1 < sweep->keys && other->point->value[k] == sweep->point[i].value[k])
            k++;
        const struct swp_value *v = &sweep->key[k].value[sweep->point[i].value[k]];
        const struct in_place at = {doc, v->line, v->column};
        in_complain(r, &at, "sweep: a point is there twice: '%s' has the value %.60s twice",
                    sweep->key[k].key->path, v->text);
        break;
    }
    HASH_CLEAR(hh, table);
    free(all);
}

void swp_expand(struct in_reading *r, struct swp_sweep *sweep, const struct in_place *at,
                struct swp_filter *const *filters)
{
    size_t combinations, *length = expand_lengths(sweep, &combinations);
    size_t *value = sim_alloc(sweep->keys, sizeof *value);
    const unsigned before = r->diag->errors;
    for (size_t c = 0; c < combinations && r->diag->errors == before; c++) {
        size_t left = c, *row = sim_alloc(sweep->axes, sizeof *row);
        for (size_t a = sweep->axes; a-- > 0; left /= length[a])
            row[a] = left % length[a];
        for (size_t k = 0; k < sweep->keys; k++)
            value[k] = row[sweep->key[k].axis];
        free(row);
        if (swp_filters_pass(r, sweep, filters, value) && sweep->points <= SWP_POINTS_MAX)
            add_point(sweep, value);
    }
    if (!combinations || sweep->points > SWP_POINTS_MAX)
        in_complain(r, at, "sweep: more than %d points", SWP_POINTS_MAX);
    else if (r->diag->errors == before && !sweep->points)
        in_complain(r, at, "sweep: where: refuses all of %zu point%s", combinations,
                    sim_plural(combinations));
    else if (r->diag->errors == before)
        check_ids(r, sweep, at->doc);
    free(value);
    free(length);
}
