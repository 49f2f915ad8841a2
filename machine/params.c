/*
 * The machine's numbers: the rows of params.def as data, their defaults, and the rules of rules.def
 * that tie rows together.
 *
 * The one idea: a parameter is a row and nothing else. Its place in struct nm_params is an offset
 * in the row, so that loaders, writers and listings are loops and never name a parameter.
 */
#include "machine/params.h"

#include <stdio.h>

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

void nm_params_default(struct nm_params *p)
{
    for (size_t i = 0; i < ROWS; i++)
        nm_param_set(p, &rows[i], rows[i].def);
#ifdef NM_HOSTILE
#define HOSTILE(field, value) p->field = value;
#include "machine/hostile.def"
#undef HOSTILE
#endif
}

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
