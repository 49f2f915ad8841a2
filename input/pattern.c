/*
 * program.pattern: a list of phases, each a kind and the keys it takes.
 *
 * Which keys those are is the table of kinds' to say (programs/patterns/kinds.def); a key that a
 * kind does not take is a mistake, because nothing would come of it.
 */
#include "input/pattern.h"

#include "input/tables.h"
#include "input/write.h"
#include "programs/patterns/patterns.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_KIND, ROW_NAME, ROW_VALUES, PATTERN_ROWS = ROW_VALUES + PATTERNS_KEYS };

static const char kind_words[] = ""
#define KIND(id, word, shape, footprint, keys, sentence) word " "
#include "programs/patterns/kinds.def"
#undef KIND
    ;

static const struct in_key pattern_keys[] = {
    {"kind", {IN_WORD, kind_words, 0, PATTERNS_KINDS - 1}, NULL, "the kind of references"},
    {"name",
     {IN_TEXT, "a name without spaces, of at most 60 characters", 0, 0},
     "",
     "of the phase's region in results; else its kind"},
#define KEY(key, type, unit, min, max, def, sentence) \
    {#key, {IN_##type, unit, min, max}, def, sentence},
#include "programs/patterns/keys.def"
#undef KEY
};

const struct in_table in_pattern_table = {.keys = pattern_keys, .count = PATTERN_ROWS};

/* ---- reading --------------------------------------------------------------------------------- */

/** The keys a kind takes: "references, size, stores". */
static void list_keys(enum patterns_kind kind, char *out, size_t size)
{
    size_t n = 0;

    for (int k = 0; k < PATTERNS_KEYS && n < size; k++)
        if (patterns_takes(kind, (enum patterns_key)k))
            n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "",
                                  pattern_keys[ROW_VALUES + k].path);
}

/** Complains of keys that the kind does not take. */
static void check_keys(struct in_reading *r, enum patterns_kind kind, const struct in_value *v)
{
    char takes[300];

    list_keys(kind, takes, sizeof takes);
    for (int k = 0; k < PATTERNS_KEYS; k++)
        if (v[ROW_VALUES + k].at.doc && !patterns_takes(kind, (enum patterns_key)k))
            in_complain(r, &v[ROW_VALUES + k].at, "'%s' is no key of '%s', which takes %s",
                        pattern_keys[ROW_VALUES + k].path, patterns_row(kind)->name, takes);
}

/** Who never comes back has no working set. */
static void check_footprint(struct in_reading *r, const struct in_value *v)
{
    const struct in_value *wrap = &v[ROW_VALUES + PATTERNS_wrap];

    if (wrap->at.doc && !wrap->number && v[ROW_VALUES + PATTERNS_footprint].at.doc)
        in_complain(r, &v[ROW_VALUES + PATTERNS_footprint].at,
                    "'footprint' is of those that come back: not with 'wrap: false'");
}

/** A value that is not given, as the table would have it written. */
static uint64_t pattern_standard(enum patterns_kind kind, int key)
{
    const struct in_key *row = &pattern_keys[ROW_VALUES + key];
    const char *text = key == PATTERNS_footprint ? patterns_row(kind)->footprint : row->def;
    char why[IN_WHY_MAX];
    uint64_t value = PATTERNS_ABSENT;

    if (*text)
        in_value_parse(&row->form, text, &value, why, sizeof why);
    return value;
}

/** What all of a kind's keys come to. */
static void take_values(struct patterns_phase *phase, const struct in_value *v, uint64_t rate)
{
    for (int k = 0; k < PATTERNS_KEYS; k++) {
        const bool open = k == PATTERNS_rate || k == PATTERNS_station;
        if (!patterns_takes(phase->kind, (enum patterns_key)k))
            phase->value[k] = open ? PATTERNS_ABSENT : 0;
        else if (v[ROW_VALUES + k].at.doc)
            phase->value[k] = v[ROW_VALUES + k].number;
        else
            phase->value[k] = k == PATTERNS_rate ? rate : pattern_standard(phase->kind, k);
    }
    if (!phase->value[PATTERNS_size])
        phase->value[PATTERNS_size] = 4;
}

/** A name as the mark of a region has it. */
static bool pattern_is_name(const char *text)
{
    size_t n = 0;

    while (text[n] && isgraph((unsigned char)text[n]))
        n++;
    return n && n <= PATTERNS_NAME_MAX && !text[n];
}

static void pattern_check_name(struct in_reading *r, const struct in_experiment *x,
                               const struct in_place *at, const char *name)
{
    if (!pattern_is_name(name))
        in_complain(r, at, "'name' is 1 to %d characters without spaces", PATTERNS_NAME_MAX);
    for (size_t i = 0; i < x->pattern_count; i++)
        if (!strcmp(x->pattern[i].name, name)) {
            in_complain(r, at, "there is a phase '%s' already; give this one a name of its own",
                        name);
            return;
        }
}

static unsigned pattern_threads(const struct in_experiment *x, const struct in_value *processors)
{
    return processors->number ? (unsigned)processors->number
                              : (unsigned)nm_params_cards(x->machine.params);
}

/** What values are together, and on this machine. */
static void check_phase(struct in_reading *r, const struct in_experiment *x,
                        const struct in_place *at, const struct patterns_phase *phase,
                        const struct in_value *processors)
{
    char why[200];

    if (!patterns_fits(phase, x->machine.params, pattern_threads(x, processors), why, sizeof why))
        in_complain(r, at, "'program.pattern', %s: %s", patterns_row(phase->kind)->name, why);
}

static void pattern_read_phase(struct in_reading *r, struct in_experiment *x, struct in_doc *doc,
                               yaml_node_t *node, const struct in_phase_context *c)
{
    struct in_value v[PATTERN_ROWS] = {0};
    const struct in_place at = in_at(doc, node);
    const unsigned before = r->diag->errors;
    struct patterns_phase *phase = &x->pattern[x->pattern_count];

    in_read_mapping(r, doc, node, &in_pattern_table, v);
    if (r->diag->errors == before && !v[ROW_KIND].at.doc)
        in_complain(r, &at, "'program.pattern': a phase has no 'kind' (numachine list patterns)");
    if (r->diag->errors == before) {
        phase->kind = (enum patterns_kind)v[ROW_KIND].number;
        phase->name =
            in_strdup(v[ROW_NAME].text ? v[ROW_NAME].text : patterns_row(phase->kind)->name);
        check_keys(r, phase->kind, v);
        check_footprint(r, v);
        take_values(phase, v, c->rate);
        pattern_check_name(r, x, v[ROW_NAME].at.doc ? &v[ROW_NAME].at : &at, phase->name);
        x->pattern_count++;
    }
    if (r->diag->errors == before && c->has_machine)
        check_phase(r, x, &at, phase, c->processors);
    in_values_free(v, PATTERN_ROWS);
}

void in_pattern_read(struct in_reading *r, struct in_experiment *x, const struct in_value *v,
                     const struct in_phase_context *context)
{
    if (!v->node)
        return;
    const yaml_node_item_t *item = v->node->data.sequence.items.start;
    const size_t count = (size_t)(v->node->data.sequence.items.top - item);
    if (!count || count > PATTERNS_PHASES_MAX) {
        in_complain(r, &v->at, "'program.pattern' has %zu phases; expected 1 to %d", count,
                    PATTERNS_PHASES_MAX);
        return;
    }
    x->pattern = sim_alloc(count, sizeof *x->pattern);
    for (size_t i = 0; i < count; i++)
        pattern_read_phase(r, x, v->at.doc, in_node(v->at.doc, item[i]), context);
}

void in_pattern_free(struct in_experiment *x)
{
    for (size_t i = 0; i < x->pattern_count; i++)
        free(x->pattern[i].name);
    free(x->pattern);
    x->pattern = NULL;
    x->pattern_count = 0;
}

void *in_pattern_work(const struct in_experiment *x)
{
    struct patterns_work *work = sim_alloc(1, sizeof *work);

    *work = (struct patterns_work){x->pattern, x->pattern_count};
    return work;
}

/* ---- writing --------------------------------------------------------------------------------- */

/** Whether its footprint says nothing. */
static bool has_none(const struct patterns_phase *phase)
{
    return patterns_takes(phase->kind, PATTERNS_wrap) && !phase->value[PATTERNS_wrap];
}

static void write_phase(FILE *out, const struct patterns_phase *phase)
{
    char text[64];

    fprintf(out, "{kind: %s, name: '", patterns_row(phase->kind)->name);
    for (const char *c = phase->name; *c; c++)
        fprintf(out, *c == '\'' ? "''" : "%c", *c);
    putc('\'', out);
    for (int k = 0; k < PATTERNS_KEYS; k++) {
        const struct in_key *key = &pattern_keys[ROW_VALUES + k];
        if (!patterns_takes(phase->kind, (enum patterns_key)k) ||
            phase->value[k] == PATTERNS_ABSENT || (k == PATTERNS_footprint && has_none(phase)))
            continue;
        in_value_format(&key->form, phase->value[k], text, sizeof text);
        fprintf(out, ", %s: %s", key->path, text);
    }
    putc('}', out);
}

void in_pattern_write(FILE *out, const struct in_experiment *x, const char *between)
{
    for (size_t i = 0; i < x->pattern_count; i++) {
        fputs(i ? between : "", out);
        write_phase(out, &x->pattern[i]);
    }
}

/* ---- listings -------------------------------------------------------------------------------- */

json_t *in_list_patterns(void)
{
    json_t *array = json_array();

    for (int kind = 0; kind < PATTERNS_KINDS; kind++) {
        const struct patterns_row *row = patterns_row((enum patterns_kind)kind);
        char takes[300];
        list_keys((enum patterns_kind)kind, takes, sizeof takes);
        json_array_append_new(array,
                              json_pack("{s:s,s:s,s:s,s:s}", "pattern", row->name, "footprint",
                                        row->footprint, "keys", takes, "sentence", row->sentence));
    }
    return array;
}
