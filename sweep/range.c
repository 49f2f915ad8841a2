/*
 * Values of a sweep's key: one by one, or as a range.
 *
 * {from: 1, to: 8}            1 2 3 4 5 6 7 8
 * {from: 0, to: 30, step: 10} 0 10 20 30
 * {from: 64KB, to: 1024KB, times: 4}  64KB 256KB 1024KB
 *
 * The end belongs to the range if a step reaches it.
 */
#include "sweep/parts.h"

#include "input/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 4096, DEPTH_MAX = 8 };

/* ---- one value ------------------------------------------------------------------------------- */

void swp_add_value(struct swp_key *key, const char *text, const struct in_value *read,
                   const struct in_place *at)
{
    const enum in_type type = key->key->form.type;
    key->value = sim_grow(key->value, key->values + 1, sizeof *key->value);
    struct swp_value *v = &key->value[key->values++];
    *v = (struct swp_value){.is_number = type <= IN_ENUM || type == IN_WORD,
                            .number = read->number,
                            .line = at->line,
                            .column = at->column};
    v->set = sim_format("%s=%s", key->key->path, text);
    v->text = v->set + strlen(key->key->path) + 1;
}

/** A single value inside a list, as YAML reads it back. Single quotes, where they will do, because
 *  a point's id comes of this text. */
static void write_scalar(FILE *out, const yaml_node_t *node, bool inside)
{
    const char *text = (const char *)node->data.scalar.value;
    const bool plain = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain && (!inside || !strpbrk(text, ",[]{}:#'\""))) {
        fputs(text, out);
        return;
    }
    if (!in_text_is_printable(text)) {
        in_text_write(out, text);
        return;
    }
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc(*text, out);
    }
    putc('\'', out);
}

static void write_node(FILE *out, struct in_doc *doc, const yaml_node_t *node, unsigned depth)
{
    if (depth > DEPTH_MAX || ftell(out) > TEXT_MAX) /* an anchor may hold itself */
        return;
    if (node->type == YAML_SCALAR_NODE) {
        write_scalar(out, node, depth);
    } else if (node->type == YAML_SEQUENCE_NODE) {
        const yaml_node_item_t *start = node->data.sequence.items.start;
        putc('[', out);
        for (const yaml_node_item_t *i = start; i < node->data.sequence.items.top; i++) {
            fputs(i > start ? ", " : "", out);
            write_node(out, doc, in_node(doc, *i), depth + 1);
        }
        putc(']', out);
    } else if (node->type == YAML_MAPPING_NODE) {
        const yaml_node_pair_t *start = node->data.mapping.pairs.start;
        putc('{', out);
        for (const yaml_node_pair_t *p = start; p < node->data.mapping.pairs.top; p++) {
            fputs(p > start ? ", " : "", out);
            write_node(out, doc, in_node(doc, p->key), depth + 1);
            fputs(": ", out);
            write_node(out, doc, in_node(doc, p->value), depth + 1);
        }
        putc('}', out);
    }
}

/** The text that --set takes; NULL: it would be too long. Allocated. */
static char *range_text_of(struct in_doc *doc, const yaml_node_t *node)
{
    char *text = NULL;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    write_node(out, doc, node, 0);
    sim_text_close(out, &text);
    if (size <= TEXT_MAX && !strpbrk(text, "\r\n"))
        return text;
    free(text);
    return NULL;
}

/** A time as everybody writes it who means the same: in the largest unit that divides it. What has
 *  no whole number of picoseconds, or too many, stays as it is. Allocated */
static char *time_text(const char *text)
{
    static const struct {
        uint64_t ps;
        const char *unit;
    } units[] = {{UINT64_C(1000000000000), "s"}, {1000000000, "ms"}, {1000000, "us"}, {1000, "ns"}};
    char why[IN_WHY_MAX];
    sim_tick ps;
    const bool cycles = strstr(text, "cy");
    if (cycles || !in_time_parse(text, units[0].ps, 0, &ps, why, sizeof why) || ps == SIM_NEVER)
        return in_strdup(text);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (ps % units[i].ps == 0)
            return sim_format("%" PRIu64 "%s", ps / units[i].ps, units[i].unit);
    return in_strdup(text);
}

char *swp_canonical(const struct swp_key *key, const char *text)
{
    const enum in_type type = key->key->form.type;
    char number[64], why[IN_WHY_MAX];
    uint64_t value;
    if (type == IN_TIME)
        return time_text(text);
    if (type > IN_ENUM && type != IN_SHARE && type != IN_DECIMAL)
        return in_strdup(text);
    if (!in_value_parse(&key->key->form, text, &value, why, sizeof why))
        return in_strdup(text);
    in_value_format(&key->key->form, value, number, sizeof number);
    return in_strdup(number);
}

void swp_read_value(struct in_reading *r, struct swp_key *key, struct in_doc *doc,
                    yaml_node_t *node)
{
    const struct in_place at = in_at(doc, node);
    struct in_value v = {0};
    if (!in_read_value(r, doc, node, key->key, &v))
        return;
    char *written = key->key->form.type == IN_TIME ? in_strdup(v.text) : range_text_of(doc, node);
    char *text = written ? swp_canonical(key, written) : NULL;
    if (text && *text)
        swp_add_value(key, text, &v, &at);
    else
        in_complain(r, &at, "sweep: a value of '%s' must be one line of 1 to %d characters",
                    key->key->path, TEXT_MAX);
    free(written);
    free(text);
    in_values_free(&v, 1);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

struct range {
    struct in_place at;
    uint64_t from, to, step, times; /* step or times 0: not given */
    const char *unit;               /* of from and to */
};

/** A whole number and what follows it. @return NULL after a complaint */
static const char *range_read_number(struct in_reading *r, const struct swp_key *key,
                                     struct in_doc *doc, const yaml_node_t *node, uint64_t *value)
{
    const struct in_place at = in_at(doc, node);
    const char *text = in_scalar(node), *end = text ? in_whole_parse(text, value) : NULL;
    if (end && *end != '.')
        return end;
    in_complain(r, &at,
                "sweep: '%s': a range has whole numbers from 0 on, such as {from: 1, to: 64, "
                "times: 2}, but this is %.40s",
                key->key->path, text ? text : in_kind(node));
    return NULL;
}

static void read_member(struct in_reading *r, const struct swp_key *key, struct in_doc *doc,
                        const yaml_node_pair_t *pair, struct range *range)
{
    const struct in_place at = in_at(doc, in_node(doc, pair->key));
    const char *name = in_scalar(in_node(doc, pair->key));
    const yaml_node_t *node = in_node(doc, pair->value);
    uint64_t *const field = !name                    ? NULL
                            : !strcmp(name, "from")  ? &range->from
                            : !strcmp(name, "to")    ? &range->to
                            : !strcmp(name, "step")  ? &range->step
                            : !strcmp(name, "times") ? &range->times
                                                     : NULL;
    if (!field) {
        in_complain(r, &at,
                    "sweep: '%s': unknown in a range; it has from:, to: and step: or times:, and "
                    "values that are mappings stand in a list",
                    key->key->path);
        return;
    }
    const char *unit = range_read_number(r, key, doc, node, field);
    const bool is_end = field == &range->from || field == &range->to;
    if (unit && is_end && range->unit && strcmp(unit, range->unit) != 0)
        in_complain(r, &at, "sweep: '%s': from: and to: need the same unit", key->key->path);
    if (unit && !is_end && *unit)
        in_complain(r, &at, "sweep: '%s': %s: has no unit", key->key->path, name);
    if (unit && is_end)
        range->unit = unit;
    if (unit && !is_end && *field < (field == &range->times ? 2 : 1))
        in_complain(r, &at, "sweep: '%s': %s: must be at least %d", key->key->path, name,
                    field == &range->times ? 2 : 1);
}

/** What all members together must be. */
static void check_range(struct in_reading *r, const struct swp_key *key, struct in_doc *doc,
                        yaml_node_t *map, const struct range *range)
{
    const char *path = key->key->path;
    if (!swp_member(doc, map, "from") || !swp_member(doc, map, "to"))
        in_complain(r, &range->at, "sweep: '%s': a range needs from: and to:", path);
    else if (range->step && range->times)
        in_complain(r, &range->at, "sweep: '%s': a range has step: or times:, not both", path);
    else if (range->from > range->to)
        in_complain(r, &range->at, "sweep: '%s': from: is above to:", path);
    else if (range->times && !range->from)
        in_complain(r, &range->at, "sweep: '%s': 0 %s %llu is 0", path, "times",
                    (unsigned long long)range->times);
    else if (!range->times &&
             (range->to - range->from) / (range->step ? range->step : 1) >= IN_ITEMS_MAX)
        in_complain(r, &range->at, "sweep: '%s' has more than %d values", path, IN_ITEMS_MAX);
}

/** The value after this one; false: it would not fit into 64 bits. */
static bool range_advance(const struct range *range, uint64_t *value)
{
    return range->times ? !__builtin_mul_overflow(*value, range->times, value)
                        : !__builtin_add_overflow(*value, range->step ? range->step : 1, value);
}

/** Reads a number of the range as if it stood in the file. */
static bool add_number(struct in_reading *r, struct swp_key *key, const struct range *range,
                       uint64_t number)
{
    char text[64];
    snprintf(text, sizeof text, "%" PRIu64 "%.20s", number, range->unit);
    char *set = sim_format("%s=%s", key->key->path, text);
    const struct in_swept swept = {set, range->at.line, range->at.column};
    struct in_doc *doc = in_open_swept(r, text, &swept);
    const size_t before = key->values;
    if (doc)
        swp_read_value(r, key, doc, in_root(doc));
    if (key->values > before) {
        key->value[before].line = range->at.line;
        key->value[before].column = range->at.column;
    }
    free(set);
    return key->values > before;
}

void swp_read_range(struct in_reading *r, struct swp_key *key, struct in_doc *doc, yaml_node_t *map)
{
    struct range range = {.at = in_at(doc, map)};
    const unsigned before = r->diag->errors;
    for (const yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
         p++)
        if (!in_scalar(in_node(doc, p->key)) || !in_is_repeated(r, doc, map, p))
            read_member(r, key, doc, p, &range);
    if (r->diag->errors == before)
        check_range(r, key, doc, map, &range);
    if (r->diag->errors != before)
        return;
    for (uint64_t v = range.from; v <= range.to;)
        if (!add_number(r, key, &range, v) || !range_advance(&range, &v))
            break;
}
