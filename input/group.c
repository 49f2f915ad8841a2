/*
 * Group files: an event set and formulas over it.
 *
 * The one hard idea: a formula may only name what its group counts. An event that is not in the
 * event set would need a counter of the card that nobody programmed, so it is refused where it
 * stands, inside the formula's text.
 */
#include "input/group.h"

#include "base/nearest.h"
#include "input/experiment.h"
#include "input/home.h"
#include "input/tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Directory of the shipped ones. */
#define GROUPS "monitor/groups"

enum { ROW_SHORT, ROW_EVENTSET, ROW_METRICS, ROW_LONG, GROUP_ROWS };
enum { METRIC_NAME, METRIC_UNIT, METRIC_FORMULA, METRIC_ROWS };
enum { METRICS_MAX = 64 /**< of one group */ };

/* A key without a default ("") must be there. */
static const struct in_key group_keys[] = {
    {"short", {IN_TEXT, "a line for people", 0, 0}, NULL, "what the group is about"},
    {"eventset",
     {IN_EVENTS, "a list of events or sets (numachine list events)", 0, 0},
     NULL,
     "what the cards count for it"},
    {"metrics",
     {IN_ROWS, "a list of {name, unit, formula}", 0, 0},
     "",
     "what is computed from the counts"},
    {"long", {IN_TEXT, "text for people", 0, 0}, "", "how to read the metrics"},
};

static const struct in_key metric_keys[] = {
    {"name", {IN_TEXT, "a name of a-z, 0-9 and _", 0, 0}, NULL, "the metric's name"},
    {"unit", {IN_TEXT, "a unit", 0, 0}, NULL, "its unit"},
    {"formula",
     {IN_TEXT, "a formula such as 100 * nack_time / read_latency", 0, 0},
     NULL,
     "how it is computed: numbers, + - * /, parentheses, events of the group's event set, "
     "parameters of the machine (bus.width), ground truth (truth.instructions), and what "
     "'numachine list words' lists"},
};

const struct in_table in_group_table = {group_keys, GROUP_ROWS, NULL, NULL};
const struct in_table in_metric_table = {metric_keys, METRIC_ROWS, NULL, NULL};

const struct in_word_row in_word_rows[IN_WORD__COUNT] = {
#define WORD(name, unit, sentence) [IN_WORD_##name] = {#name, unit, sentence},
#include "monitor/words.def"
#undef WORD
};

static const char *const truths[IN_TRUTH__COUNT] = {
#define TRUTH(field, unit, sentence)          "truth." #field,
#define TRUTH_TAP(field, tap, unit, sentence) "truth." #field,
#include "machine/truth.def"
#undef TRUTH
};

/** A group while it is read. */
struct group_builder {
    struct in_reading *r;
    struct in_group *g;
    struct in_value values[GROUP_ROWS];
};

/* ---- names in formulas ----------------------------------------------------------------------- */

static bool is_chosen(const struct mon_choice *choice, unsigned event)
{
    for (unsigned i = 0; i < choice->count; i++)
        if (choice->event[i] == event)
            return true;
    return false;
}

/** Every name a formula of this group may use, for "did you mean". */
static const char *group_next_operand(void *ctx, size_t i)
{
    const struct in_group *g = ctx;
    size_t params;
    const struct nm_param_row *rows = nm_param_rows(&params);
    if (i < g->choice.count)
        return mon_unit_event(g->unit, g->choice.event[i])->name;
    i -= g->choice.count;
    if (i < IN_WORD__COUNT)
        return in_word_rows[i].name;
    i -= IN_WORD__COUNT;
    if (i < params)
        return rows[i].key;
    i -= params;
    return i < IN_TRUTH__COUNT ? truths[i] : NULL;
}

static int group_operand(enum in_operand kind, size_t index)
{
    return (int)((unsigned)kind << IN_OPERAND_SHIFT | (unsigned)index);
}

/** Everything but events. */
static int find_other(const char *name)
{
    size_t count;
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < IN_WORD__COUNT; i++)
        if (!strcmp(in_word_rows[i].name, name))
            return group_operand(IN_OPERAND_WORD, i);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].key, name))
            return group_operand(IN_OPERAND_PARAM, i);
    for (size_t i = 0; i < IN_TRUTH__COUNT; i++)
        if (!strcmp(truths[i], name))
            return group_operand(IN_OPERAND_TRUTH, i);
    return -1;
}

static int group_find_operand(void *ctx, const char *name, char *why, size_t size)
{
    struct in_group *g = ctx;
    const int other = find_other(name), event = mon_event_find(g->unit, name);
    if (other >= 0)
        return other;
    if (event >= 0 && is_chosen(&g->choice, (unsigned)event))
        return group_operand(IN_OPERAND_EVENT, (size_t)event);
    const char *near = sim_nearest(name, group_next_operand, g);
    if (event >= 0)
        snprintf(why, size, "'%s' is not in the group's eventset; add it there", name);
    else if (near)
        snprintf(why, size, "unknown name '%s'; did you mean '%s'?", name, near);
    else
        snprintf(why, size, "unknown name '%s'; see 'numachine list events' and 'list words'",
                 name);
    return -1;
}

/* ---- metrics --------------------------------------------------------------------------------- */

/** Place of a byte of a scalar's text; the scalar's own if it is not written as it reads. */
static struct in_place place_in(struct in_doc *doc, const yaml_node_t *node, size_t offset)
{
    struct in_place at = in_at(doc, node);
    const size_t width = node->end_mark.column - node->start_mark.column;
    const size_t quotes = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 2;
    if (node->start_mark.line == node->end_mark.line &&
        width == node->data.scalar.length + quotes && !doc->inline_text)
        at.column += (unsigned)(offset + quotes / 2);
    return at;
}

static bool group_is_name(const char *text)
{
    assert(text);
    return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] &&
           strlen(text) < MON_NAME_MAX;
}

static void group_check_name(struct group_builder *b, const struct in_value *v)
{
    if (!group_is_name(v->text))
        in_complain(b->r, &v->at, "'%.60s' is not a name of a-z, 0-9 and _", v->text);
    for (unsigned i = 0; i < b->g->metrics; i++) {
        assert(b->g->metric[i].name);
        if (!strcmp(b->g->metric[i].name, v->text))
            in_complain(b->r, &v->at, "a metric '%.60s' is there already", v->text);
    }
}

static void read_metric(struct group_builder *b, struct in_doc *doc, yaml_node_t *node)
{
    struct in_value v[METRIC_ROWS] = {0};
    const struct in_place at = in_at(doc, node);
    const unsigned before = b->r->diag->errors;
    char why[300];
    size_t offset;
    in_read_mapping(b->r, doc, node, &in_metric_table, v);
    for (size_t i = 0; i < METRIC_ROWS && b->r->diag->errors == before; i++)
        if (!v[i].text)
            in_complain(b->r, &at, "the metric has no %s", metric_keys[i].path);
    if (b->r->diag->errors == before) {
        struct in_metric *m = &b->g->metric[b->g->metrics];
        group_check_name(b, &v[METRIC_NAME]);
        if (!mon_formula_read(&m->program, v[METRIC_FORMULA].text, group_find_operand, b->g,
                              &offset, why, sizeof why)) {
            const struct in_place where = place_in(doc, v[METRIC_FORMULA].node, offset);
            in_complain(b->r, &where, "formula of '%.60s': %s", v[METRIC_NAME].text, why);
        }
        m->name = in_take_text(&v[METRIC_NAME]);
        m->unit = in_take_text(&v[METRIC_UNIT]);
        m->formula = in_take_text(&v[METRIC_FORMULA]);
        b->g->metrics++;
    }
    in_values_free(v, METRIC_ROWS);
}

static void read_metrics(struct group_builder *b)
{
    const struct in_value *v = &b->values[ROW_METRICS];
    const yaml_node_item_t *i = v->node->data.sequence.items.start;
    const yaml_node_item_t *end = v->node->data.sequence.items.top;
    if (end - i > METRICS_MAX) {
        in_complain(b->r, &v->at, "more than %d metrics; make two groups", METRICS_MAX);
        return;
    }
    b->g->metric = sim_alloc((size_t)(end - i), sizeof *b->g->metric);
    for (; i < end; i++)
        read_metric(b, v->at.doc, in_node(v->at.doc, *i));
}

/* ---- the file -------------------------------------------------------------------------------- */

void in_choose_events(struct in_reading *r, const struct mon_unit_ops *unit,
                      const struct in_value *v, const char *path, struct mon_choice *choice)
{
    char why[400];
    for (size_t i = 0; v->list && v->list[i]; i++) {
        if (mon_choice_add(unit, choice, v->list[i], why, sizeof why))
            continue;
        const struct in_place at =
            in_at(v->at.doc, in_node(v->at.doc, v->node->data.sequence.items.start[i]));
        in_complain(r, &at, "'%s': %s", path, why);
    }
}

static void group_build(struct group_builder *b, struct in_doc *doc)
{
    const struct in_place whole = {doc, 1, 1};
    const unsigned before = b->r->diag->errors;
    in_read_mapping(b->r, doc, in_root(doc), &in_group_table, b->values);
    for (size_t i = 0; i < GROUP_ROWS && b->r->diag->errors == before; i++)
        if (!group_keys[i].def && !b->values[i].at.doc)
            in_complain(b->r, &whole, "the group has no '%s'", group_keys[i].path);
    if (b->r->diag->errors != before)
        return;
    in_choose_events(b->r, b->g->unit, &b->values[ROW_EVENTSET], "eventset", &b->g->choice);
    if (b->r->diag->errors == before && b->values[ROW_METRICS].at.doc)
        read_metrics(b);
    b->g->about = in_take_text(&b->values[ROW_SHORT]);
    b->g->text = in_take_text(&b->values[ROW_LONG]);
}

/** Path of a shipped group, whatever the case of its name; NULL: there is none. Allocated. */
static char *group_shipped(const char *name)
{
    char **names = in_home_names(GROUPS, ".yaml"), *path = NULL;
    for (size_t i = 0; names && names[i] && !path; i++)
        if (!strcasecmp(names[i], name))
            path = in_home_path(GROUPS "/%s.yaml", names[i]);
    in_free_list(names);
    return path;
}

/** Opens a group's file. NULL after a complaint.
 *  @param[out] path  of the file, allocated; NULL: there is none */
static struct in_doc *open_group(struct in_reading *r, const char *name,
                                 const struct in_place *asked, char **path)
{
    const bool is_file = in_is_file_name(name);
    *path = is_file ? in_path_beside(asked && asked->doc ? asked->doc->path : NULL, name)
                    : group_shipped(name);
    if (!*path) {
        in_complain_unshipped(r, asked, "group", name, GROUPS);
        return NULL;
    }
    return in_open(r, *path, is_file ? name : *path, asked);
}

/** Reads an open file as a group of a unit's. @return false after complaints, with an empty group
 */
static bool read_open(struct in_reading *r, const struct mon_unit_ops *unit, struct in_group *group,
                      struct in_doc *doc, const char *path)
{
    struct group_builder b = {.r = r, .g = group};
    const unsigned before = r->diag->errors;
    *group = (struct in_group){.unit = unit, .path = sim_strdup(path), .name = in_base_name(path)};
    group_build(&b, doc);
    in_values_free(b.values, GROUP_ROWS);
    if (r->diag->errors == before)
        return true;
    in_group_free(group);
    return false;
}

bool in_group_read(struct in_reading *r, const struct mon_unit_ops *unit, struct in_group *group,
                   const char *name, const struct in_place *asked)
{
    char *path;
    struct in_doc *doc = open_group(r, name, asked, &path);
    *group = (struct in_group){0};
    const bool good = doc && read_open(r, unit, group, doc, path);
    free(path);
    return good;
}

bool in_group_load(struct in_group *group, const struct mon_unit_ops *unit, const char *name,
                   struct in_diag *diag)
{
    struct in_reading r = {.diag = diag};
    const bool good = in_group_read(&r, unit, group, name, NULL);
    in_close(&r);
    return good;
}

bool in_group_load_any(struct in_group *group, const struct mon_unit_ops *unit, const char *name,
                       struct in_diag *diag)
{
    struct in_diag silent = {0};
    struct in_reading r = {.diag = diag};
    char *path;
    struct in_doc *doc = open_group(&r, name, NULL, &path);
    const struct mon_unit_ops *const *next = unit->beside, *one = doc ? unit : NULL;
    bool good = false;
    *group = (struct in_group){0};
    for (r.diag = &silent; one && !good; one = next && *next ? *next++ : NULL)
        good = read_open(&r, one, group, doc, path);
    r.diag = diag;
    if (doc && !good)
        good = read_open(&r, unit, group, doc, path); /* once more, for its complaints */
    in_close(&r);
    free(path);
    return good;
}

void in_group_free(struct in_group *group)
{
    for (unsigned i = 0; i < group->metrics; i++) {
        free(group->metric[i].name);
        free(group->metric[i].unit);
        free(group->metric[i].formula);
    }
    free(group->metric);
    free(group->name);
    free(group->path);
    free(group->about);
    free(group->text);
    *group = (struct in_group){0};
}
