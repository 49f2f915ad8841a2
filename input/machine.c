/*
 * Machine files: a shipped name or a file, what it is based on, and assignments on top.
 *
 * The one hard idea: every value remembers the place it came from until all rules have been
 * checked, so that a clash between two parameters is shown at the line that caused it, in whichever
 * file of the inheritance that is.
 */
#include "input/cards.h"
#include "input/experiment.h"
#include "input/home.h"
#include "input/tables.h"
#include "machine/protocol.h"
#include "machine/values.h"
#include "monitor/taps.h"
#include "procard/procard.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct in_key machine_keys[] = {
    [IN_MACHINE_ABOUT] = {"about",
                          {IN_TEXT, "a sentence for people", 0, 0},
                          "",
                          "what the machine is, for people"},
    [IN_MACHINE_BASE] = {"base",
                         {IN_TEXT, "a shipped machine's name or a machine file", 0, 0},
                         "",
                         "the machine this one is built on; values given here replace its values"},
    [IN_MACHINE_STATUS] = {"status",
                           {IN_MAP, "a mapping of status states to 4-bit codes", 0, 0},
                           "{}",
                           "codes of the processors' Status pins, where they are not those of "
                           "'numachine list states': {load: 1, store: 4}"},
    [IN_MACHINE_CARDS] = {"cards",
                          {IN_ROWS, "a list of {at, base, ...}", 0, 0},
                          "[]",
                          "cards that are not what the machine says, with what differs: [{at: "
                          "[station 1, 6], base: r10000, l2: {size: 1MB}}]"},
#define PARAM(field, key, type, unit, min, max, def, source, sentence) \
    {key, {(enum in_type)NM_PARAM_##type, unit, min, max}, NULL, sentence},
#include "machine/params.def"
#undef PARAM
};

enum {
    MACHINE_KEYS = sizeof machine_keys / sizeof machine_keys[0],
    PARAM_ROWS = MACHINE_KEYS - IN_MACHINE_PARAMS,
    BASES_MAX = 16
};

const struct in_table in_machine_table = {machine_keys, MACHINE_KEYS, &in_experiment_table,
                                          "belongs to an experiment, not to its machine"};

/** One file of an inheritance, from the newest to its base. */
struct link {
    const struct link *newer;
    dev_t dev;
    ino_t ino;
    const char *shown;
};

/** A machine while it is read. */
struct machine_builder {
    struct in_reading *r;
    struct in_machine *mc;
    struct in_place places[PARAM_ROWS];
    struct in_place status; /**< where codes were given last */
    struct in_value cards;  /**< likewise */
};

static const uint8_t default_codes[IN_STATUS_STATES] = {
#define STATE(name, code, group, sentence) [MON_TAP_ST_##name] = (code),
#include "monitor/status.def"
#undef STATE
};

const char *in_state_name(unsigned state)
{
    return mon_state_name(state);
}

const struct nm_card_kind *in_cards(void)
{
    struct nm_params p;
    nm_params_default(&p);
    return pc_core_of(&p)->card;
}

enum mon_processor in_processor(const struct in_machine *mc)
{
    const bool alike = mc->params && !mc->mix.fittings; /* one that was not read has none */
    enum mon_processor all = alike ? pc_processor_of(mc->params) : MON_PROCESSORS;
    for (unsigned c = 0; mc->mix.fittings && c < nm_params_cards(mc->params); c++) {
        const enum mon_processor its = pc_processor_of(in_card_params(mc, c));
        if (its < MON_PROCESSORS && all < MON_PROCESSORS && its != all)
            return MON_PROCESSORS;
        all = its < MON_PROCESSORS ? its : all;
    }
    return all;
}

const struct mon_unit_ops *in_unit(const struct in_experiment *x)
{
    const struct mon_unit_ops *unit = nm_card_counters(x->machine.card);
    const enum mon_processor processor = in_processor(&x->machine);
    return unit->beside && processor < MON_PROCESSORS ? unit->beside[processor] : unit;
}

int in_state_find(const char *name)
{
    for (int s = 0; s < IN_STATUS_STATES; s++)
        if (!strcmp(name, in_state_name((unsigned)s)))
            return s;
    return -1;
}

char *in_origin_text(const struct in_place *at)
{
    if (!at->doc)
        return in_strdup("default");
    if (at->doc->swept_in)
        return in_strdup("sweep");
    if (at->doc->inline_text)
        return in_strdup(strncmp(at->doc->shown, "--set", 5) ? "default" : "--set");
    return sim_format("%s:%u", at->doc->shown, at->line);
}

/* ---- files ----------------------------------------------------------------------------------- */

bool in_is_file_name(const char *name)
{
    const size_t n = strlen(name);
    return strchr(name, '/') || (n > 5 && !strcmp(name + n - 5, ".yaml")) ||
           (n > 4 && !strcmp(name + n - 4, ".yml"));
}

void in_complain_unshipped(struct in_reading *r, const struct in_place *asked, const char *what,
                           const char *name, const char *directory)
{
    char **names = in_home_names(directory, ".yaml");
    const char *near = sim_nearest(name, in_next_item, names);
    if (near)
        in_complain(r, asked, "no %s '%.60s' is shipped; did you mean '%s'?", what, name, near);
    else
        in_complain(r, asked,
                    "no %s '%.60s' is shipped (numachine list %ss); a file's name needs a / or "
                    ".yaml",
                    what, name, what);
    in_free_list(names);
}

/* A processor's name where a machine's is asked for. */
static bool machine_is_core(const char *name)
{
    static const char *const cores[] = {
#define CORE(id, family, word, ...) word,
#include "procard/cores.def"
    };
    for (size_t i = 0; i < sizeof cores / sizeof *cores; i++)
        if (!strcmp(name, cores[i]))
            return true;
    return false;
}

/** Path of a machine and its name for people; NULL after a complaint. Both allocated. */
static char *machine_locate(struct in_reading *r, const char *name, const struct in_place *asked,
                            char **shown)
{
    struct stat st;
    if (in_is_file_name(name) || !strcmp(name, "-")) {
        char *path = in_path_beside(asked && asked->doc ? asked->doc->path : NULL, name);
        *shown = in_strdup(path);
        return path;
    }
    char *path = in_home_path("configs/%s.yaml", name);
    if (stat(path, &st)) {
        if (machine_is_core(name))
            in_complain(r, asked,
                        "'%s' is a processor, not a machine: take a machine of its kind "
                        "(numachine list machines), and --set processor.core=%s",
                        name, name);
        else
            in_complain_unshipped(r, asked, "machine", name, "configs");
        free(path);
        return NULL;
    }
    *shown = sim_format("configs/%s.yaml", name);
    return path;
}

/** Complains, naming the whole cycle, when `self` is already being read. */
static bool is_cycle(struct in_reading *r, const struct link *self, const struct in_place *asked)
{
    char cycle[500];
    size_t depth = 1, n = (size_t)snprintf(cycle, sizeof cycle, "%.100s", self->shown);
    for (const struct link *l = self->newer; l; l = l->newer, depth++) {
        if (n < sizeof cycle)
            n += (size_t)snprintf(cycle + n, sizeof cycle - n, " <- %.100s", l->shown);
        if (l->dev == self->dev && l->ino == self->ino) {
            in_complain(r, asked, "base: goes in a circle: %s", cycle);
            return true;
        }
    }
    if (depth > BASES_MAX)
        in_complain(r, asked, "more than %d machines based on each other", BASES_MAX);
    return depth > BASES_MAX;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void machine_take(struct machine_builder *b, const struct in_key *key,
                         const struct in_value *v)
{
    size_t count;
    const size_t row = (size_t)(key - machine_keys) - IN_MACHINE_PARAMS;
    nm_param_set(b->mc->params, &nm_param_rows(&count)[row], v->number);
    b->places[row] = v->at;
}

/** What no file says is as it must be with what they say. */
static void take_defaults(struct machine_builder *b)
{
    size_t count;
    const struct nm_param_row *rows = nm_param_rows(&count);

    for (size_t i = 0; i < count; i++)
        if (!b->places[i].doc)
            nm_param_set(b->mc->params, &rows[i], nm_param_default(b->mc->params, &rows[i]));
}

/** "load=1": a state, by the name of the event that counts it, and its code. */
static void take_code(struct machine_builder *b, const struct in_value *v, size_t i)
{
    const yaml_node_pair_t *pair = &v->node->data.mapping.pairs.start[i];
    const struct in_place at = in_at(v->at.doc, in_node(v->at.doc, pair->key));
    const char *equals = strrchr(v->list[i], '=');
    char *name = sim_format("%.*s", (int)(equals - v->list[i]), v->list[i]);
    const int state = in_state_find(name);
    uint64_t code;
    const char *end = in_whole_parse(equals + 1, &code);
    if (state < 0)
        in_complain(b->r, &at, "'status': unknown state '%.60s'; see 'numachine list states'",
                    name);
    else if (!end || *end || code > 15)
        in_complain(b->r, &at, "'status': '%.60s' is no code of 4 bits, 0 to 15", equals + 1);
    else
        b->mc->codes[state] = (uint8_t)code;
    free(name);
}

/** The codes of a mapping; they stay where it says nothing. */
static void take_codes(struct machine_builder *b, const struct in_value *v)
{
    for (size_t i = 0; v->list && v->list[i]; i++)
        take_code(b, v, i);
    b->status = v->at;
}

static void check_codes(struct machine_builder *b)
{
    for (unsigned s = 0; s < IN_STATUS_STATES; s++)
        for (unsigned t = 0; t < s; t++)
            if (b->mc->codes[s] == b->mc->codes[t])
                in_complain(b->r, &b->status, "'status': %s and %s both have code %u",
                            in_state_name(t), in_state_name(s), b->mc->codes[s]);
}

static void apply_file(struct machine_builder *b, const char *name, const struct in_place *asked,
                       const struct link *newer);

/** Reads one mapping: its base first, then its own values on top. */
static void apply_mapping(struct machine_builder *b, struct in_doc *doc, yaml_node_t *map,
                          const struct link *self)
{
    struct in_value values[MACHINE_KEYS] = {0};
    in_read_mapping(b->r, doc, map, &in_machine_table, values);
    const struct in_value *base = &values[IN_MACHINE_BASE];
    if (base->text)
        apply_file(b, base->text, &base->at, self);
    if (values[IN_MACHINE_STATUS].at.doc)
        take_codes(b, &values[IN_MACHINE_STATUS]);
    if (values[IN_MACHINE_CARDS].at.doc)
        b->cards = values[IN_MACHINE_CARDS];
    for (size_t i = IN_MACHINE_PARAMS; i < MACHINE_KEYS; i++)
        if (values[i].at.doc)
            machine_take(b, &machine_keys[i], &values[i]);
    in_values_free(values, MACHINE_KEYS);
}

static void apply_file(struct machine_builder *b, const char *name, const struct in_place *asked,
                       const struct link *newer)
{
    char *shown = NULL;
    const bool is_stdin = !strcmp(name, "-");
    if (is_stdin && asked) {
        in_complain(b->r, asked, "a machine named in a file cannot be standard input");
        return;
    }
    char *path = machine_locate(b->r, name, asked, &shown);
    struct stat st = {0};
    if (!path)
        return;
    if (!is_stdin)
        stat(path, &st);
    const struct link self = {newer, st.st_dev, st.st_ino, shown};
    struct in_doc *doc = is_cycle(b->r, &self, asked) ? NULL : in_open(b->r, path, shown, asked);
    if (doc) {
        if (!is_stdin)
            in_push(&b->mc->inputs, path);
        apply_mapping(b, doc, in_root(doc), &self);
    }
    free(shown);
    free(path);
}

/** A mapping inside a file that is open already: that file is the newest of the inheritance. */
static void apply_node(struct machine_builder *b, struct in_doc *doc, yaml_node_t *map)
{
    struct stat st;
    const bool is_file = doc->path && !stat(doc->path, &st) && map == in_root(doc);
    const struct link self = {NULL, is_file ? st.st_dev : 0, is_file ? st.st_ino : 0, doc->shown};
    apply_mapping(b, doc, map, is_file ? &self : NULL);
}

/* ---- assignments ----------------------------------------------------------------------------- */

/** The key of "a.b=c", or false when there is no '='. */
static bool set_path(const char *set, char path[IN_PATH_MAX])
{
    const char *equals = strchr(set, '=');
    if (!equals || equals == set)
        return false;
    snprintf(path, IN_PATH_MAX, "%.*s", (int)(equals - set), set);
    return true;
}

bool in_set_is_of(const char *set, const struct in_table *table)
{
    char path[IN_PATH_MAX];
    return set_path(set, path) && in_find_key(table, path);
}

/** The sweep's assignment of this text; NULL: it is a user's. */
static const struct in_swept *swept_as(const struct in_reading *r, const char *set)
{
    for (size_t i = 0; i < r->swept_count; i++)
        if (!strcmp(r->swept[i].set, set))
            return &r->swept[i];
    return NULL;
}

const struct in_key *in_open_set(struct in_reading *r, const char *set,
                                 const struct in_table *const *tables,
                                 const struct in_table **table, struct in_doc **doc)
{
    char path[IN_PATH_MAX], shown[200];
    const struct in_key *key = NULL;
    char near[200] = "", whole[200] = "";
    if (!set_path(set, path)) {
        in_complain(r, NULL, "--set %.100s: expected KEY=VALUE, such as bus.clock=25MHz", set);
        return NULL;
    }
    for (; *tables && !key; tables++) {
        key = in_find_key(*tables, path);
        if (!*near)
            in_suggest_keys(*tables, path, near, sizeof near);
        if (!*whole && in_suggest_path(*tables, path, whole, sizeof whole))
            strcpy(near, whole);
        *table = *tables;
    }
    if (!key) {
        in_complain(r, NULL, "--set %.100s: unknown key '%s'%s%s%s", set, path,
                    *near ? "; did you mean " : " (numachine list params)", near, *near ? "?" : "");
        return NULL;
    }
    if (key->form.type == IN_SWEEP) {
        in_complain(r, NULL, "--set %.100s: a sweep stands in a file", set);
        return NULL;
    }
    const char *value = strchr(set, '=') + 1;
    snprintf(shown, sizeof shown, "--set %.150s", set);
    if (*value == '\0') {
        in_complain(r, NULL, "%s: no value", shown);
        return NULL;
    }
    const struct in_swept *swept = swept_as(r, set);
    *doc = swept ? in_open_swept(r, value, swept) : in_open_text(r, value, shown);
    return *doc ? key : NULL;
}

static void machine_apply_set(struct machine_builder *b, const char *set)
{
    static const struct in_table *const tables[] = {&in_machine_table, NULL};
    const struct in_table *table;
    struct in_value v = {0};
    struct in_doc *doc;
    const struct in_key *key = in_open_set(b->r, set, tables, &table, &doc);
    if (!key || !in_read_value(b->r, doc, in_root(doc), key, &v))
        return;
    if (key == machine_keys + IN_MACHINE_STATUS)
        take_codes(b, &v);
    else if (key == machine_keys + IN_MACHINE_CARDS)
        b->cards = v;
    else if (key < machine_keys + IN_MACHINE_PARAMS)
        in_complain(b->r, &v.at, "'%s' cannot be set here; choose the machine instead", key->path);
    else
        machine_take(b, key, &v);
    in_values_free(&v, 1);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/** Place of a parameter; nowhere for a default. */
static const struct in_place *machine_place_of(const struct machine_builder *b, const char *path)
{
    static const struct in_place nowhere = {0};
    const struct in_key *key = in_find_key(&in_machine_table, path);
    return key ? &b->places[key - machine_keys - IN_MACHINE_PARAMS] : &nowhere;
}

void in_machine_values(const struct nm_params *p, const struct nm_param_rule *rule, char *out,
                       size_t size)
{
    const char *const paths[] = {rule->key, rule->with};
    size_t count, n = 0;
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < 2 && *paths[i] && n < size; i++) {
        char value[40];
        const struct in_key *key = in_find_key(&in_machine_table, paths[i]);
        const struct nm_param_row *row = &rows[key - machine_keys - IN_MACHINE_PARAMS];
        in_value_format(&key->form, nm_param_get(p, row), value, sizeof value);
        n += (size_t)snprintf(out + n, size - n, "%s%s is %s", i ? ", " : "", paths[i], value);
    }
}

static void check_rules(struct machine_builder *b)
{
    const struct nm_param_rule *broken[NM_PARAM_RULES_MAX];
    const size_t n = nm_param_rules_broken(b->mc->params, broken);
    for (size_t i = 0; i < n; i++) {
        char values[160];
        const struct in_place *at = machine_place_of(b, broken[i]->key);
        if (!at->doc)
            at = machine_place_of(b, broken[i]->with);
        in_machine_values(b->mc->params, broken[i], values, sizeof values);
        in_complain(b->r, at, "%s (%s)", broken[i]->sentence, values);
    }
}

void in_machine_like(struct in_reading *r, struct in_machine *mc, const char *name,
                     const struct in_place *asked, struct nm_params *like)
{
    struct nm_params values;
    struct in_machine other = {.params = &values};
    struct machine_builder b = {.r = r, .mc = &other};
    const unsigned before = r->diag->errors;
    nm_params_default(&values);
    apply_file(&b, name, asked, NULL);
    if (r->diag->errors == before && b.cards.at.doc)
        in_complain(r, asked, "'cards': machine '%.60s' has cards of several kinds itself", name);
    if (r->diag->errors == before)
        *like = values;
    for (char **input = other.inputs; input && *input; input++)
        in_push(&mc->inputs, *input);
    in_free_list(other.inputs);
}

static char *machine_name(const char *name)
{
    if (!name)
        return in_strdup("inline");
    return !strcmp(name, "-") ? in_strdup("stdin") : in_base_name(name);
}

bool in_machine_read(struct in_reading *r, struct in_machine *mc, const char *name,
                     struct in_doc *doc, yaml_node_t *node, const struct in_place *asked,
                     char *const *sets)
{
    struct machine_builder b = {.r = r, .mc = mc};
    const unsigned before = r->diag->errors;
    *mc = (struct in_machine){
        .name = machine_name(name), .card = in_cards(), .params = sim_alloc(1, sizeof *mc->params)};
    nm_params_default(mc->params);
    memcpy(mc->codes, default_codes, sizeof mc->codes);
    if (node)
        apply_node(&b, doc, node);
    else
        apply_file(&b, name, asked, NULL);
    for (; sets && *sets; sets++)
        machine_apply_set(&b, *sets);
    take_defaults(&b);
    mc->card = pc_core_of(mc->params)->card;
    if (r->diag->errors == before)
        check_rules(&b);
    if (r->diag->errors == before && b.cards.at.doc)
        in_cards_read(r, mc, &b.cards);
    if (r->diag->errors == before)
        check_codes(&b);
    mc->origins = sim_alloc(PARAM_ROWS, sizeof *mc->origins);
    for (size_t i = 0; i < PARAM_ROWS; i++)
        mc->origins[i].text = in_origin_text(&b.places[i]);
    return r->diag->errors == before;
}

bool in_machine_load(struct in_machine *mc, const char *name, char *const *sets,
                     struct in_diag *diag)
{
    struct in_reading r = {.diag = diag};
    const bool good =
        in_machine_read(&r, mc, name ? name : IN_DEFAULT_MACHINE, NULL, NULL, NULL, sets);
    in_close(&r);
    if (!good)
        in_machine_free(mc);
    return good;
}

void in_machine_free(struct in_machine *mc)
{
    for (size_t i = 0; mc->origins && i < PARAM_ROWS; i++)
        free(mc->origins[i].text);
    free(mc->origins);
    free(mc->name);
    free(mc->params);
    in_cards_free(mc);
    in_free_list(mc->inputs);
    *mc = (struct in_machine){0};
}
