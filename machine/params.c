/*
 * The machine's numbers: the rows of params.def as data, their defaults, and the rules of rules.def
 * that tie rows together.
 *
 * The one idea: a parameter is a row and nothing else. Its place in struct nm_params is an offset
 * in the row, so that loaders, writers and listings are loops and never name a parameter.
 */
#include "machine/values.h"

#include "base/alloc.h"
#include "machine/protocol.h"

#include <stdio.h>
#include <string.h>

const char nm_core_words[] =
#define CORE(id, family, name, ...) " " name
#include "procard/cores.def"
    ;

static const struct nm_param_row rows[] = {
#define PARAM(field, key, type, unit, min, max, def, source, sentence) \
    {key,                                                              \
     NM_PARAM_##type,                                                  \
     unit,                                                             \
     min,                                                              \
     max,                                                              \
     def,                                                              \
     source,                                                           \
     sentence,                                                         \
     offsetof(struct nm_params, field)},
#include "machine/params.def"
#undef PARAM
};

enum { ROWS = sizeof rows / sizeof rows[0] };

const struct nm_param_row *nm_param_rows(size_t *count)
{
    *count = ROWS;
    return rows;
}

#define ASKED(function, field)                   \
    uint64_t function(const struct nm_params *p) \
    {                                            \
        return p->field;                         \
    }
#include "machine/asked.def"
#undef ASKED

size_t nm_params_size(void)
{
    return sizeof(struct nm_params);
}

struct nm_params *nm_params_copy(const struct nm_params *p)
{
    struct nm_params *copy = sim_alloc(1, sizeof *copy);
    *copy = *p;
    return copy;
}

void nm_params_place(struct nm_params *p, uint64_t rule)
{
    p->placement = rule;
}

uint64_t nm_params_stations(const struct nm_params *p)
{
    return p->ring_stations * p->ring_locals * p->ring_groups;
}

uint64_t nm_params_cards(const struct nm_params *p)
{
    return nm_params_stations(p) * p->processors;
}

void nm_params_default(struct nm_params *p)
{
    for (size_t i = 0; i < ROWS; i++)
        nm_param_set(p, &rows[i], rows[i].def);
}

uint64_t nm_param_default(const struct nm_params *p, const struct nm_param_row *row)
{
    /* Those that are so many a second, on any clock. */
    static const struct {
        size_t offset;
        uint64_t hertz;
    } rates[] = {{offsetof(struct nm_params, os_tick), 100}};

    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (rates[i].offset == row->offset)
            return p->cpu_clock / rates[i].hertz;
    return row->def;
}

bool nm_param_is_cards(const struct nm_param_row *row)
{
    bool is = false;
#define OF_CARDS(beginning) is |= !strncmp(row->key, beginning, sizeof beginning - 1);
#define OF_ALL(name)        is &= strcmp(row->key, name) != 0;
#include "machine/of_cards.def"
#undef OF_CARDS
#undef OF_ALL
    return is;
}

bool nm_params_same_machine(const struct nm_params *a, const struct nm_params *b)
{
    for (size_t i = 0; i < ROWS; i++)
        if (nm_param_get(a, &rows[i]) != nm_param_get(b, &rows[i]) && !nm_param_is_cards(&rows[i]))
            return false;
    return true;
}

uint64_t nm_params_slowest(const struct nm_params *p)
{
    const uint64_t tenure = p->bus_arbitration + 1 + p->l2_line / p->bus_width;
    const uint64_t bus = p->agent_request + p->agent_response + 2 * tenure + p->memory_directory +
                         p->memory_dram + p->memory_recovery + p->netcache_directory +
                         p->netcache_dram + p->netcache_recovery;
    const uint64_t ring = p->ring_generator + p->ring_handler + 2 * (p->ring_up + p->ring_down) +
                          2 * (p->ring_stations + p->ring_locals + p->ring_groups) +
                          p->l2_line / p->ring_width + p->ring_patience;
    return p->cpu_clock / p->bus_clock * (3 * bus + p->agent_retry + p->agent_spread) +
           p->cpu_clock / p->ring_clock * 3 * ring;
}

uint64_t nm_params_wait(const struct nm_params *p)
{
    return nm_params_slowest(p) * (8 * nm_params_cards(p) + p->directory_patience);
}

uint64_t nm_params_claim(const struct nm_params *p)
{
    return p->page_size / p->l2_line *
           (nm_params_slowest(p) + p->agent_create * (p->cpu_clock / p->bus_clock));
}

/* By core: bits of what l2.controller may be. */
static const uint8_t controllers[] = {
#define CORE(id, family, name, title, isa, own, controllers, keys) [NM_CORE_##id] = (controllers),
#include "procard/cores.def"
};

static const struct nm_param_rule rules[] = {
#define RULE(key, with, expression, sentence) {key, with, sentence},
#include "machine/rules.def"
#undef RULE
};

_Static_assert(sizeof rules / sizeof rules[0] <= NM_PARAM_RULES_MAX, "raise NM_PARAM_RULES_MAX");

size_t nm_param_rules_broken(const struct nm_params *p,
                             const struct nm_param_rule *broken[NM_PARAM_RULES_MAX])
{
    const struct nm_param_rule *rule = rules;
    size_t n = 0;
#define RULE(key, with, expression, sentence) \
    if (!(expression))                        \
        broken[n++] = rule;                   \
    rule++;
#include "machine/rules.def"
#undef RULE
    return n;
}

bool nm_params_check(const struct nm_params *p, const char **key, char *why, size_t size)
{
    for (size_t i = 0; i < ROWS; i++) {
        const uint64_t v = nm_param_get(p, &rows[i]);
        if (v < rows[i].min || v > rows[i].max) {
            *key = rows[i].key;
            snprintf(why, size, "'%s' is %llu %s; it must lie between %llu and %llu", rows[i].key,
                     (unsigned long long)v, rows[i].unit, (unsigned long long)rows[i].min,
                     (unsigned long long)rows[i].max);
            return false;
        }
    }
    const struct nm_param_rule *broken[NM_PARAM_RULES_MAX];
    if (nm_param_rules_broken(p, broken) == 0)
        return true;
    *key = broken[0]->key;
    snprintf(why, size, "'%s': %s", broken[0]->key, broken[0]->sentence);
    return false;
}
