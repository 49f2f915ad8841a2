/*
 * The tables as JSON: a schema for editors, and listings.
 *
 * The schema says what the loader says, as far as JSON Schema can: which keys exist, their types,
 * the form of values with units. Ranges of values with units and rules between keys are the
 * loader's alone. One schema serves both kinds of file: a file with a program is an experiment.
 */
#include "input/cards.h"
#include "input/tables.h"
#include "input/write.h"

#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {
    [IN_INT] = "number",     [IN_BOOL] = "flag",   [IN_CYCLES] = "cycles",   [IN_BYTES] = "size",
    [IN_FREQ] = "clock",     [IN_ENUM] = "word",   [IN_TIME] = "time",       [IN_TEXT] = "text",
    [IN_WORD] = "word",      [IN_FILE] = "file",   [IN_LIST] = "list",       [IN_EVENTS] = "list",
    [IN_GRANTS] = "list",    [IN_MAP] = "mapping", [IN_MACHINE] = "machine", [IN_SHARE] = "share",
    [IN_DECIMAL] = "number", [IN_ROWS] = "list",   [IN_PATTERN] = "pattern", [IN_SWEEP] = "mapping",
};

static json_t *schema_words(const char *list)
{
    char word[64];
    json_t *array = json_array();
    for (size_t i = 0; in_word_at(list, i, word, sizeof word); i++)
        json_array_append_new(array, json_string(word));
    return array;
}

/** A stored number as JSON: a number, a flag, or text with its unit. */
static json_t *number_json(const struct in_form *form, uint64_t v)
{
    char text[64];
    if (form->type == IN_INT)
        return json_integer((json_int_t)v);
    if (form->type == IN_BOOL)
        return json_boolean(v);
    if (form->type == IN_DECIMAL)
        return json_real((double)v / 1e6);
    in_value_format(form, v, text, sizeof text);
    return json_string(text);
}

/** A default written as YAML; NULL when there is none. */
static json_t *default_json(const struct in_key *key)
{
    if (!key->def || *key->def == '\0')
        return NULL;
    if (key->form.type == IN_INT)
        return json_integer((json_int_t)strtoull(key->def, NULL, 10));
    if (key->form.type == IN_DECIMAL)
        return json_real(strtod(key->def, NULL));
    if (key->form.type == IN_MAP)
        return json_object();
    if (key->form.type != IN_LIST && key->form.type != IN_EVENTS && key->form.type != IN_GRANTS)
        return json_string(key->def);
    char inside[100];
    snprintf(inside, sizeof inside, "%.*s", (int)strlen(key->def) - 2, key->def + 1);
    for (char *c = inside; (c = strchr(c, ','));)
        *c = ' ';
    return schema_words(inside);
}

/* ---- the schema ------------------------------------------------------------------------------ */

static json_t *scalar_schema(void)
{
    return json_pack("{s:[s,s,s]}", "type", "string", "number", "boolean");
}

static bool is_among(json_t *names, const char *name)
{
    size_t i;
    json_t *row;
    json_array_foreach(names, i, row) {
        if (!strcmp(json_string_value(row), name))
            return true;
    }
    return false;
}

/** Words of events that are not there yet. */
static void add_words(json_t *names, const struct mon_unit_ops *unit)
{
    for (size_t i = 0; mon_word(unit, i); i++)
        if (!is_among(names, mon_word(unit, i)))
            json_array_append_new(names, json_string(mon_word(unit, i)));
}

/** A word of an event string, or a reference. */
static json_t *event_schema(void)
{
    const struct mon_unit_ops *unit = nm_card_counters(in_cards());
    json_t *names = json_array();
    add_words(names, unit);
    for (const struct mon_unit_ops *const *b = unit->beside; b && *b; b++)
        add_words(names, *b);
    return json_pack("{s:[{s:o},{s:s}]}", "anyOf", "enum", names, "pattern",
                     "^([Nn]-[0-9]+|.*,.*)$");
}

/** Lists of values, or ranges, by key. */
static json_t *axes_schema(json_t *properties)
{
    json_t *axis = json_pack(
        "{s:[{s:s,s:i,s:i},{s:s,s:b,s:[s,s],s:{s:o,s:o,s:{s:s},s:{s:s,s:i}}}]}", "anyOf", "type",
        "array", "minItems", 1, "maxItems", IN_ITEMS_MAX, "type", "object", "additionalProperties",
        0, "required", "from", "to", "properties", "from", scalar_schema(), "to", scalar_schema(),
        "step", "type", "integer", "times", "type", "integer", "minimum", 2);
    return json_pack("{s:s,s:o,s:o}", "type", "object", "properties", properties,
                     "additionalProperties", axis);
}

static json_t *sweep_schema(void)
{
    return axes_schema(json_pack("{s:{s:s,s:o},s:{s:s,s:{s:s}}}", "zip", "type", "array", "items",
                                 axes_schema(json_object()), "where", "type", "array", "items",
                                 "type", "string"));
}

static json_t *form_schema(const struct in_form *form)
{
    switch (form->type) {
    case IN_INT:
        return json_pack("{s:s,s:I,s:I}", "type", "integer", "minimum", (json_int_t)form->min,
                         "maximum", (json_int_t)form->max);
    case IN_DECIMAL:
        return json_pack("{s:s,s:o,s:o}", "type", "number", "minimum", number_json(form, form->min),
                         "maximum", number_json(form, form->max));
    case IN_BOOL:
        return json_pack("{s:s}", "type", "boolean");
    case IN_ENUM:
    case IN_WORD:
        return json_pack("{s:o}", "enum", schema_words(form->unit));
    case IN_LIST:
    case IN_EVENTS:
    case IN_GRANTS:
        return json_pack("{s:s,s:i,s:o}", "type", "array", "maxItems", IN_ITEMS_MAX, "items",
                         form->type == IN_EVENTS ? event_schema() : scalar_schema());
    case IN_MAP:
        return json_pack("{s:s,s:o}", "type", "object", "additionalProperties", scalar_schema());
    case IN_MACHINE:
        return json_pack("{s:[{s:s},{s:s}]}", "anyOf", "type", "string", "$ref",
                         "#/definitions/machine");
    case IN_PATTERN:
        return json_pack("{s:[o,{s:s,s:b,s:{s:{s:s},s:o,s:o}}]}", "anyOf", scalar_schema(), "type",
                         "object", "additionalProperties", 0, "properties", "symbol", "type",
                         "string", "from", scalar_schema(), "to", scalar_schema());
    case IN_SWEEP:
        return sweep_schema();
    case IN_TEXT:
        return scalar_schema();
    default:
        break;
    }
    json_t *schema = json_pack("{s:s}", "type", "string");
    if (in_form_pattern(form->type))
        json_object_set_new(schema, "pattern", json_string(in_form_pattern(form->type)));
    if (in_form_pattern(form->type) && form->min == 0)
        schema = json_pack("{s:[o,{s:i}]}", "anyOf", schema, "const", 0);
    else if (in_form_pattern(form->type))
        json_object_set_new(schema, "not", json_pack("{s:s}", "pattern", "^[0.]+[A-Za-z]+$"));
    return schema;
}

/** The object that holds the members of `path`'s section, made when it is new; *leaf receives
 *  what is left of the path. */
static json_t *schema_section(json_t *properties, const char *path, const char **leaf)
{
    const char *dot = strchr(path, '.');
    *leaf = path;
    if (!dot)
        return properties;
    char name[IN_PATH_MAX];
    snprintf(name, sizeof name, "%.*s", (int)(dot - path), path);
    json_t *object = json_object_get(properties, name);
    if (!object) {
        object =
            json_pack("{s:s,s:b,s:{}}", "type", "object", "additionalProperties", 0, "properties");
        json_object_set_new(properties, name, object);
    }
    return schema_section(json_object_get(object, "properties"), dot + 1, leaf);
}

static const struct nm_param_row *param_of(const char *key)
{
    size_t count;
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].key, key))
            return &rows[i];
    return NULL;
}

static json_t *table_schema(const struct in_table *table);

/** A list of mappings. */
static json_t *rows_schema(const struct in_key *key)
{
    struct in_key keys[IN_COUNTER_KEYS], of_cards[IN_CARDS_KEYS];
    const struct in_table cards = in_cards_table(of_cards);
    const struct {
        const char *path;
        const struct in_table *table;
    } lists[] = {{"cards", &cards},
                 {"metrics", &in_metric_table},
                 {"passes", &in_pass_table},
                 {"expect.stats", &in_expect_table},
                 {"program.pattern", &in_pattern_table}};
    struct in_table table = in_counter_table(nm_card_counters(in_cards()), keys);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!strcmp(key->path, lists[i].path))
            table = *lists[i].table;
    return json_pack("{s:s,s:i,s:o}", "type", "array", "maxItems", IN_ITEMS_MAX, "items",
                     table_schema(&table));
}

static json_t *key_schema(const struct in_key *key)
{
    char expected[IN_EXPECTED_MAX], text[IN_EXPECTED_MAX + 400];
    json_t *schema = key->form.type == IN_ROWS ? rows_schema(key) : form_schema(&key->form);
    const struct nm_param_row *param = key->def ? NULL : param_of(key->path);
    in_form_describe(&key->form, expected, sizeof expected);
    snprintf(text, sizeof text, "%s (%s%s%s)", key->sentence, expected,
             param ? "; source of the default: " : "", param ? param->source : "");
    json_object_set_new(schema, "description", json_string(text));
    json_t *def = param ? number_json(&key->form, param->def) : default_json(key);
    if (def)
        json_object_set_new(schema, "default", def);
    return schema;
}

static json_t *table_schema(const struct in_table *table)
{
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = 0; i < table->count; i++) {
        const struct in_key *key = &table->keys[i];
        const char *leaf;
        json_t *members = schema_section(properties, key->path, &leaf);
        json_object_set_new(members, leaf, key_schema(key));
        if (!key->def && !param_of(key->path))
            json_array_append_new(required, json_string(key->path));
    }
    json_t *schema = json_pack("{s:s,s:b,s:o}", "type", "object", "additionalProperties", 0,
                               "properties", properties);
    if (json_array_size(required))
        json_object_set(schema, "required", required);
    json_decref(required);
    return schema;
}

/** A file that has one of these keys is of this kind, else it is what `otherwise` says. */
static json_t *kind_schema(json_t *having, const char *kind, json_t *otherwise)
{
    char reference[64];
    json_t *any = json_array();
    size_t i;
    json_t *key;
    json_array_foreach(having, i, key) {
        json_array_append_new(any, json_pack("{s:[O]}", "required", key));
    }
    json_decref(having);
    snprintf(reference, sizeof reference, "#/definitions/%s", kind);
    return json_pack("{s:{s:o},s:{s:s},s:o}", "if", "anyOf", any, "then", "$ref", reference, "else",
                     otherwise);
}

json_t *in_schema(void)
{
    json_t *root =
        json_pack("{s:s,s:s}", "$schema", "http://json-schema.org/draft-07/schema#", "title",
                  "NUMAchine simulator: machine, experiment, group and detector files");
    json_t *machine = json_pack("{s:s}", "$ref", "#/definitions/machine");
    json_t *detector = kind_schema(json_pack("[s]", "passes"), "detector", machine);
    json_t *group = kind_schema(json_pack("[s]", "eventset"), "group", detector);
    json_object_update_new(
        root, kind_schema(json_pack("[s,s,s,s]", "program", "monitor", "expect", "sweep"),
                          "experiment", group));
    json_object_set_new(root, "definitions",
                        json_pack("{s:o,s:o,s:o,s:o}", "machine", table_schema(&in_machine_table),
                                  "experiment", table_schema(&in_experiment_table), "group",
                                  table_schema(&in_group_table), "detector",
                                  table_schema(&in_detector_table)));
    return root;
}

/* ---- listings -------------------------------------------------------------------------------- */

static json_t *key_row(const struct in_key *key)
{
    char expected[IN_EXPECTED_MAX];
    in_form_describe(&key->form, expected, sizeof expected);
    json_t *def = default_json(key);
    return json_pack("{s:s,s:s,s:s,s:o,s:s}", "key", key->path, "type", type_names[key->form.type],
                     "expected", expected, "default", def ? def : json_null(), "sentence",
                     key->sentence);
}

json_t *in_list_keys(void)
{
    json_t *array = json_array();
    for (size_t i = 0; i < in_experiment_table.count; i++)
        json_array_append_new(array, key_row(&in_experiment_table.keys[i]));
    return array;
}

json_t *in_list_params(void)
{
    size_t count;
    json_t *array = json_array();
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const struct in_form form = in_param_form(&rows[i]);
        const bool choice = form.type == IN_ENUM;
        json_t *row = json_pack("{s:s,s:s,s:s}", "key", rows[i].key, "type", type_names[form.type],
                                "unit", choice ? "" : rows[i].unit);
        if (choice)
            json_object_set_new(row, "choices", schema_words(form.unit));
        else if (form.type != IN_BOOL)
            json_object_update_new(row, json_pack("{s:o,s:o}", "min", number_json(&form, form.min),
                                                  "max", number_json(&form, form.max)));
        json_object_update_new(row, json_pack("{s:o,s:s,s:s}", "default",
                                              number_json(&form, rows[i].def), "source",
                                              rows[i].source, "sentence", rows[i].sentence));
        json_array_append_new(array, row);
    }
    return array;
}

void in_write_json(FILE *out, const json_t *value)
{
    json_dumpf(value, out, JSON_INDENT(2));
    fputc('\n', out);
}
