/*
 * What differs between two runs. Whatever both have by name is held together: keys, statistics,
 * functions, objects.
 */
#include "look/compare/diff.h"

#include "base/alloc.h"
#include "input/yaml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct look_diff_part_row look_diff_parts[] = {
#define PART(name, sentence) {#name, sentence},
#include "look/compare/diff_parts.def"
#undef PART
};

/* ---- the configuration ----------------------------------------------------------------------- */

static void add_setting(struct look_diff *d, const char *key,
                        const struct in_flat_row *const row[2])
{
    d->setting = sim_grow(d->setting, d->settings + 1, sizeof *d->setting);
    struct look_setting *s = &d->setting[d->settings++];
    *s = (struct look_setting){.key = sim_strdup(key)};
    for (int i = 0; i < 2; i++) {
        s->value[i] = row[i] ? sim_strdup(row[i]->value) : NULL;
        s->origin[i] = sim_strdup(row[i] ? row[i]->origin : "");
    }
}

/* A difference that no file of the configuration shows. */
static void hold_texts(struct look_diff *d, const char *key, const char *a, const char *b,
                       const char *origin[2])
{
    if (a && b ? !strcmp(a, b) : a == b)
        return;
    struct in_flat_row row[2] = {{.value = (char *)a, .origin = (char *)origin[0]},
                                 {.value = (char *)b, .origin = (char *)origin[1]}};
    add_setting(d, key,
                (const struct in_flat_row *const[]){a ? &row[0] : NULL, b ? &row[1] : NULL});
}

static const char *diff_version(const struct doc_finished *r)
{
    return json_string_value(json_object_get(json_object_get(r->manifest, "numachine"), "git"));
}

/* What the program's copy is a copy of. */
static const char *program_origin(const struct doc_finished *r)
{
    const struct in_flat_row *row = in_flat_find(&r->config, "program.path");
    return row ? row->origin : "";
}

static void hold_configs(struct look_diff *d)
{
    const struct in_flat *a = &d->of[0]->config, *b = &d->of[1]->config;
    const char *none[2] = {"", ""};
    const char *program[2] = {program_origin(d->of[0]), program_origin(d->of[1])};
    hold_texts(d, "numachine", diff_version(d->of[0]), diff_version(d->of[1]), none);
    hold_texts(d, "the program's bytes", doc_finished_input(d->of[0], "program"),
               doc_finished_input(d->of[1], "program"), program);
    hold_texts(d, "the input's bytes", doc_finished_input(d->of[0], "stdin"),
               doc_finished_input(d->of[1], "stdin"), none);
    for (size_t i = 0; i < a->rows; i++) {
        const struct in_flat_row *other = in_flat_find(b, a->row[i].key);
        if (!other || strcmp(other->value, a->row[i].value) != 0)
            add_setting(d, a->row[i].key, (const struct in_flat_row *const[]){&a->row[i], other});
    }
    for (size_t i = 0; i < b->rows; i++)
        if (!in_flat_find(a, b->row[i].key))
            add_setting(d, b->row[i].key, (const struct in_flat_row *const[]){NULL, &b->row[i]});
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool diff_equal(const struct doc_value *a, const struct doc_value *b)
{
    if (!a->is || !b->is)
        return a->is == b->is;
    return a->real || b->real ? a->value == b->value : a->count == b->count;
}

/* How much of the greater one the difference is: 0 to 2. */
static double diff_relative(const struct doc_value value[2])
{
    const double a = value[0].value, b = value[1].value, most = fmax(fabs(a), fabs(b));
    if (!value[0].is || !value[1].is)
        return 1;
    return most > 0 ? fabs(b - a) / most : 0;
}

static double diff_weigh(const struct doc_value value[2], bool adds_up)
{
    enum { FEW = 100 };
    if (adds_up)
        return fabs(value[1].value - value[0].value);
    const double most = fmax(fabs(value[0].value), fabs(value[1].value));
    const bool real = value[0].real || value[1].real;
    return diff_relative(value) * (real ? 1 : most / (most + FEW));
}

bool look_change_percent(const struct look_change *change, double *percent)
{
    const struct doc_value *a = &change->value[0], *b = &change->value[1];
    if (!a->is || !b->is || a->value == 0 || change->apart)
        return false;
    *percent = 100 * (b->value - a->value) / fabs(a->value);
    return isfinite(*percent);
}

/* Adds a change if it is one; takes `name`. */
static void add_change(struct look_diff *d, struct look_changes *to, const char *region, char *name,
                       const char *unit, const struct doc_value value[2])
{
    const bool small = 100 * diff_relative(value) < d->threshold;
    if (diff_equal(&value[0], &value[1]) || small) {
        to->small += !diff_equal(&value[0], &value[1]);
        free(name);
        return;
    }
    if (!(to->count & (to->count + 1)))
        to->change = sim_grow(to->change, 2 * (to->count + 1), sizeof *to->change);
    to->change[to->count++] = (struct look_change){.region = region ? sim_strdup(region) : NULL,
                                                   .name = name,
                                                   .unit = sim_strdup(unit),
                                                   .value = {value[0], value[1]},
                                                   .weight = diff_weigh(value, !region)};
}

static int by_weight(const void *x, const void *y)
{
    const struct look_change *a = x, *b = y;
    const int region = strcmp(a->region ? a->region : "", b->region ? b->region : "");
    const int name = strcmp(a->name, b->name);
    return a->weight != b->weight ? (a->weight < b->weight) - (a->weight > b->weight)
           : name                 ? name
                                  : region;
}

static void diff_sort(struct look_changes *changes)
{
    if (changes->count)
        qsort(changes->change, changes->count, sizeof *changes->change, by_weight);
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* A region that both have. */
struct shared_region {
    const char *name;
    const json_t *stats[2];
};

/* What cannot be held together says nothing: it comes last. */
static void set_apart(struct look_changes *to)
{
    to->change[to->count - 1].apart = true;
    to->change[to->count - 1].weight = -1;
    to->apart++;
}

static void hold_statistic(struct look_diff *d, const struct shared_region *region,
                           const char *component, const char *stat)
{
    struct look_changes *to = &d->part[LOOK_DIFF_statistics];
    struct doc_value value[2];
    for (int i = 0; i < 2; i++)
        value[i] = doc_finished_value(region->stats[i], component, stat);
    if (!d->all && strcmp(component, "machine") != 0) {
        to->parts += !diff_equal(&value[0], &value[1]);
        return;
    }
    const char *unit = doc_finished_unit(d->of[0], component, stat);
    if (!*unit)
        unit = doc_finished_unit(d->of[1], component, stat);
    const size_t before = to->count;
    add_change(d, to, region->name, sim_format("%s.%s", component, stat), unit, value);
    if (to->count > before && !doc_finished_comparable(d->of[0], d->of[1], component, stat))
        set_apart(to);
}

/* Those of one run, without what `not` has, too. */
static void hold_component(struct look_diff *d, const struct shared_region *region,
                           const char *component, int of)
{
    const json_t *here = json_object_get(region->stats[of], component);
    const json_t *before = of ? json_object_get(region->stats[0], component) : NULL;
    const char *stat;
    json_t *value;
    json_object_foreach((json_t *)here, stat, value) {
        if (!json_object_get(before, stat))
            hold_statistic(d, region, component, stat);
    }
}

static void hold_region(struct look_diff *d, const char *name)
{
    const struct shared_region region = {
        name, {doc_finished_stats(d->of[0], name), doc_finished_stats(d->of[1], name)}};
    const char *component;
    json_t *part;
    for (int of = 0; of < 2; of++)
        json_object_foreach((json_t *)region.stats[of], component, part) {
            hold_component(d, &region, component, of);
        }
}

static void hold_statistics(struct look_diff *d)
{
    for (int of = 0; of < 2; of++)
        for (size_t i = 0; i < doc_finished_regions(d->of[of]); i++) {
            const char *name = doc_finished_region(d->of[of], i);
            if (!doc_finished_stats(d->of[!of], name))
                in_push(&d->only[of], name);
            else if (of == 0)
                hold_region(d, name);
        }
    diff_sort(&d->part[LOOK_DIFF_statistics]);
}

void look_diff_make_head(struct look_diff *d)
{
    d->same = !strcmp(d->of[0]->result_hash, d->of[1]->result_hash);
    hold_configs(d);
}

void look_diff_make(struct look_diff *d)
{
    look_diff_make_head(d);
    if (!d->same || strcmp(d->of[0]->totals_hash, d->of[1]->totals_hash) != 0)
        hold_statistics(d);
}

/* ---- functions and objects ------------------------------------------------------------------- */

/* A sum with a name. */
struct named {
    char *name;
    int64_t sum;
};

struct named_list {
    struct named *item; /* [count] */
    size_t count;
};

static void add_named(struct named_list *list, char *name, int64_t sum)
{
    if (!(list->count & (list->count + 1)))
        list->item = sim_grow(list->item, 2 * (list->count + 1), sizeof *list->item);
    list->item[list->count++] = (struct named){name, sum};
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct named *)x)->name, ((const struct named *)y)->name);
}

/* Sorts by name; sums of one name become one. */
static void diff_gather(struct named_list *list)
{
    size_t n = 0;
    if (list->count)
        qsort(list->item, list->count, sizeof *list->item, by_name);
    for (size_t i = 0; i < list->count; i++)
        if (n && !strcmp(list->item[n - 1].name, list->item[i].name)) {
            list->item[n - 1].sum += list->item[i].sum;
            free(list->item[i].name);
        } else {
            list->item[n++] = list->item[i];
        }
    list->count = n;
}

/* Who is not in one of the lists has 0 there. */
static void hold_lists(struct look_diff *d, enum look_diff_part part, struct named_list list[2])
{
    size_t at[2] = {0, 0};
    diff_gather(&list[0]);
    diff_gather(&list[1]);
    while (at[0] < list[0].count || at[1] < list[1].count) {
        const struct named *item[2];
        struct doc_value value[2];
        for (int i = 0; i < 2; i++)
            item[i] = at[i] < list[i].count ? &list[i].item[at[i]] : NULL;
        const int order = !item[0] ? 1 : !item[1] ? -1 : by_name(item[0], item[1]);
        const char *name = order > 0 ? item[1]->name : item[0]->name;
        for (int i = 0; i < 2; i++) {
            const bool here = i ? order >= 0 : order <= 0;
            const int64_t sum = here ? item[i]->sum : 0;
            value[i] = (struct doc_value){true, false, sum, (double)sum};
            at[i] += here;
        }
        add_change(d, &d->part[part], NULL, sim_strdup(name), "PCycles", value);
    }
    diff_sort(&d->part[part]);
    for (int i = 0; i < 2; i++) {
        for (size_t k = 0; k < list[i].count; k++)
            free(list[i].item[k].name);
        free(list[i].item);
    }
}

void look_diff_functions(struct look_diff *d, struct look_view *const view[2])
{
    struct named_list list[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        struct look_sums sums = look_view_sum(view[i], LOOK_BY_function);
        for (size_t k = 0; k < sums.entries; k++)
            add_named(&list[i], look_view_label(view[i], LOOK_BY_function, sums.entry[k]->key),
                      look_measured(&view[i]->measure, &sums.entry[k]->self));
        look_sums_free(&sums);
    }
    hold_lists(d, LOOK_DIFF_functions, list);
}

void look_diff_objects(struct look_diff *d, const struct look_sharing *const sharing[2])
{
    struct named_list list[2] = {{0}};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < sharing[i]->objects; k++) {
            const struct look_shared_object *object = &sharing[i]->object[k];
            add_named(&list[i], sim_strdup(object->name),
                      doc_plus(object->lost.falsely, object->lost.truly));
        }
    hold_lists(d, LOOK_DIFF_objects, list);
}

void look_diff_free(struct look_diff *d)
{
    for (size_t i = 0; i < d->settings; i++) {
        free(d->setting[i].key);
        for (int k = 0; k < 2; k++) {
            free(d->setting[i].value[k]);
            free(d->setting[i].origin[k]);
        }
    }
    free(d->setting);
    for (int p = 0; p < LOOK_DIFF__COUNT; p++) {
        for (size_t i = 0; i < d->part[p].count; i++) {
            free(d->part[p].change[i].region);
            free(d->part[p].change[i].name);
            free(d->part[p].change[i].unit);
        }
        free(d->part[p].change);
    }
    in_free_list(d->only[0]);
    in_free_list(d->only[1]);
}
