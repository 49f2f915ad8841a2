/*
 * Files of detectors: passes of the cards, and formulas over what they have counted on a line.
 *
 * The one hard idea: what the cards are programmed with is not read here. A pass holds settings of
 * an experiment's `monitor`, and the experiment that is made of them complains of what is wrong.
 */
#include "input/detector.h"

#include "base/nearest.h"
#include "input/home.h"
#include "input/tables.h"

#include <stdlib.h>
#include <string.h>

enum {
#define KEY(field, key, type, unit, min, max, sentence) KEY_##field,
#define PASS(field, key, type, unit, min, max, def, sentence)
#include "input/detector.def"
#undef KEY
#undef PASS
    DETECTOR_KEYS
};

enum {
#define KEY(field, key, type, unit, min, max, sentence)
#define PASS(field, key, type, unit, min, max, def, sentence) PASS_##field,
#include "input/detector.def"
#undef KEY
#undef PASS
    PASS_KEYS
};

static const struct in_key detector_keys[] = {
#define KEY(field, key, type, unit, min, max, sentence) \
    {key, {IN_##type, unit, min, max}, NULL, sentence},
#define PASS(field, key, type, unit, min, max, def, sentence)
#include "input/detector.def"
#undef KEY
#undef PASS
};

static const struct in_key pass_keys[] = {
#define KEY(field, key, type, unit, min, max, sentence)
#define PASS(field, key, type, unit, min, max, def, sentence) \
    {key, {IN_##type, unit, min, max}, def, sentence},
#include "input/detector.def"
#undef KEY
#undef PASS
};

const struct in_table in_detector_table = {detector_keys, DETECTOR_KEYS, NULL, NULL};
const struct in_table in_pass_table = {pass_keys, PASS_KEYS, NULL, NULL};

const struct in_measure_row in_measure_rows[IN_MEASURE__COUNT] = {
#define MEASURE(name, suffix, unit, sentence) {suffix, unit, sentence},
#include "input/measures.def"
#undef MEASURE
};

/** A detector while it is read. */
struct detector_builder {
    struct in_reading *r;
    struct in_detector *d;
    struct in_value values[DETECTOR_KEYS];
    char name[IN_PASSES_MAX][IN_MEASURE__COUNT][MON_NAME_MAX]; /* of operands */
};

/* ---- passes ---------------------------------------------------------------------------------- */

static bool detector_is_name(const char *text)
{
    return *text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789")] &&
           strlen(text) < MON_NAME_MAX / 2 && strcmp(text, "pcycles") != 0;
}

static void detector_check_name(struct detector_builder *b, const struct in_value *v)
{
    if (!detector_is_name(v->text))
        in_complain(b->r, &v->at, "'%.60s' is not a name of a-z and 0-9, or is taken", v->text);
    for (unsigned i = 0; i < b->d->passes; i++)
        if (!strcmp(b->d->pass[i].name, v->text))
            in_complain(b->r, &v->at, "a pass '%.60s' is there already", v->text);
}

/* The settings, as assignments to an experiment. */
static char **as_sets(char *const *list)
{
    char **sets = NULL;
    for (; list && *list; list++) {
        char *set = sim_format("monitor.%s", *list);
        in_push(&sets, set);
        free(set);
    }
    return sets;
}

static void check_pass(struct detector_builder *b, const struct in_place *at,
                       const struct in_value *v)
{
    const bool sampled = v[PASS_sample].at.doc && v[PASS_sample].number != IN_SAMPLE_NONE;
    if (!v[PASS_name].text || !v[PASS_monitor].list)
        in_complain(b->r, at, "a pass needs 'name' and 'monitor'");
    else
        detector_check_name(b, &v[PASS_name]);
    if (sampled + !!v[PASS_slices].at.doc + !!v[PASS_sweep].at.doc > 1)
        in_complain(b->r, at, "a pass has one of 'sample', 'slices' and 'sweep'; make it several");
}

static void read_pass(struct detector_builder *b, struct in_doc *doc, yaml_node_t *node)
{
    struct in_value v[PASS_KEYS] = {0};
    const struct in_place at = in_at(doc, node);
    const unsigned before = b->r->diag->errors;
    in_read_mapping(b->r, doc, node, &in_pass_table, v);
    if (b->r->diag->errors == before)
        check_pass(b, &at, v);
    if (b->r->diag->errors == before) {
        struct in_pass *pass = &b->d->pass[b->d->passes];
        *pass = (struct in_pass){
            .name = in_take_text(&v[PASS_name]),
            .sets = as_sets(v[PASS_monitor].list),
            .sample = v[PASS_sample].at.doc ? (enum in_sample)v[PASS_sample].number : 0,
            .slices = v[PASS_slices].at.doc ? (unsigned)v[PASS_slices].number : 1,
            .sweep = v[PASS_sweep].at.doc ? (unsigned)v[PASS_sweep].number : 0,
        };
        for (unsigned m = 0; m < IN_MEASURE__COUNT; m++)
            snprintf(b->name[b->d->passes][m], MON_NAME_MAX, "%s%s", pass->name,
                     in_measure_rows[m].suffix);
        b->d->passes++;
    }
    in_values_free(v, PASS_KEYS);
}

static void read_passes(struct detector_builder *b)
{
    const struct in_value *v = &b->values[KEY_passes];
    const yaml_node_item_t *i = v->node->data.sequence.items.start;
    const yaml_node_item_t *end = v->node->data.sequence.items.top;
    if (i == end || end - i > IN_PASSES_MAX)
        in_complain(b->r, &v->at, "a detector has 1 to %d passes", IN_PASSES_MAX);
    else
        for (; i < end; i++)
            read_pass(b, v->at.doc, in_node(v->at.doc, *i));
}

/* ---- formulas -------------------------------------------------------------------------------- */

static const char *detector_next_operand(void *ctx, size_t i)
{
    const struct detector_builder *b = ctx;
    if (i < (size_t)b->d->passes * IN_MEASURE__COUNT)
        return b->name[i / IN_MEASURE__COUNT][i % IN_MEASURE__COUNT];
    return i == (size_t)b->d->passes * IN_MEASURE__COUNT ? "pcycles" : NULL;
}

static int detector_find_operand(void *ctx, const char *name, char *why, size_t size)
{
    const char *operand, *near;
    for (unsigned i = 0; (operand = detector_next_operand(ctx, i)); i++)
        if (!strcmp(operand, name))
            return (int)(strcmp(name, "pcycles") ? i : IN_DETECTOR_PCYCLES);
    near = sim_nearest(name, detector_next_operand, ctx);
    snprintf(why, size, "no pass has a measure '%s'%s%s%s", name, near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "");
    return -1;
}

static void read_formula(struct detector_builder *b, const struct in_place *at, const char *text,
                         struct mon_formula *formula)
{
    char why[300];
    size_t offset;
    if (!mon_formula_read(formula, text, detector_find_operand, b, &offset, why, sizeof why))
        in_complain(b->r, at, "formula '%.100s': %s", text, why);
}

static void read_formulas(struct detector_builder *b)
{
    const struct in_value *require = &b->values[KEY_require];
    const struct in_value *score = &b->values[KEY_score];
    for (char **text = require->list; text && *text; text++) {
        if (b->d->requires == IN_REQUIRE_MAX) {
            in_complain(b->r, &require->at, "more than %d formulas", IN_REQUIRE_MAX);
            return;
        }
        read_formula(b, &require->at, *text, &b->d->require[b->d->requires ++]);
    }
    read_formula(b, &score->at, score->text, &b->d->score);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void detector_build(struct detector_builder *b, struct in_doc *doc)
{
    const struct in_place whole = {doc, 1, 1};
    const unsigned before = b->r->diag->errors;
    in_read_mapping(b->r, doc, in_root(doc), &in_detector_table, b->values);
    for (size_t i = 0; i < DETECTOR_KEYS && b->r->diag->errors == before; i++)
        if (!b->values[i].at.doc)
            in_complain(b->r, &whole, "the detector has no '%s'", detector_keys[i].path);
    if (b->r->diag->errors == before)
        read_passes(b);
    if (b->r->diag->errors == before)
        read_formulas(b);
    b->d->about = in_take_text(&b->values[KEY_about]);
    b->d->text = in_take_text(&b->values[KEY_text]);
}

/** Path of a shipped detector; NULL: there is none. Allocated. */
static char *detector_shipped(const char *name)
{
    char **names = in_home_names(IN_DETECTORS, ".yaml"), *path = NULL;
    for (size_t i = 0; names && names[i] && !path; i++)
        if (!strcmp(names[i], name))
            path = in_home_path(IN_DETECTORS "/%s.yaml", name);
    in_free_list(names);
    return path;
}

bool in_detector_load(struct in_detector *detector, const char *name, struct in_diag *diag)
{
    struct in_reading r = {.diag = diag};
    struct detector_builder b = {.r = &r, .d = detector};
    const unsigned before = diag->errors;
    const bool is_file = in_is_file_name(name);
    *detector = (struct in_detector){.path = is_file ? in_strdup(name) : detector_shipped(name)};
    if (!detector->path)
        in_complain_unshipped(&r, NULL, "detector", name, IN_DETECTORS);
    struct in_doc *doc =
        detector->path ? in_open(&r, detector->path, is_file ? name : detector->path, NULL) : NULL;
    if (doc) {
        detector->name = in_base_name(detector->path);
        detector_build(&b, doc);
    }
    in_values_free(b.values, DETECTOR_KEYS);
    in_close(&r);
    if (diag->errors == before)
        return true;
    in_detector_free(detector);
    return false;
}

void in_detector_free(struct in_detector *detector)
{
    for (unsigned i = 0; i < detector->passes; i++) {
        free(detector->pass[i].name);
        in_free_list(detector->pass[i].sets);
    }
    free(detector->name);
    free(detector->path);
    free(detector->about);
    free(detector->text);
    *detector = (struct in_detector){0};
}

bool in_detector_sees_words(const struct in_detector *detector)
{
    bool sees = false;
    for (unsigned i = 0; i < detector->passes; i++)
        sees |= detector->pass[i].sample == IN_SAMPLE_ACCESS;
    return sees;
}
