/*
 * where: which combinations of a sweep are points.
 *
 * A filter is one comparison. KEY == VALUE (and !=, <, <=, >, >=), with a value as the key takes
 * it: "l2.size >= 64KB", "protocol != flat". Or two formulas of swept keys whose values are
 * numbers, in the units they are stored in: "program.processors * 2 <= bus.fifo". All filters of
 * the list must hold.
 */
#include "sweep/parts.h"

#include "monitor/formula.h"

#include <stdlib.h>
#include <string.h>

static const char *const operators[] = {"==", "!=", "<=", ">=", "<", ">"};
enum op { EQUAL, UNEQUAL, AT_MOST, AT_LEAST, BELOW, ABOVE, OPS };

struct swp_filter {
    struct in_place at;
    enum op op;
    size_t key;      /* formulas: SIZE_MAX */
    char *text;      /* compared with the key's as text; NULL: as number ... */
    uint64_t number; /* ... in stored units */
    struct mon_formula left, right;
};

/** The sides of a comparison. */
struct sides {
    char *left, *right;
    size_t left_at, right_at; /* [bytes] from the text's begin */
    enum op op;
};

static char *where_trimmed(const char *from, size_t n, size_t *at)
{
    while (n && strchr(" \t", *from)) {
        from++;
        n--;
        ++*at;
    }
    while (n && strchr(" \t", from[n - 1]))
        n--;
    return sim_format("%.*s", (int)n, from);
}

static bool where_split(const char *text, struct sides *sides)
{
    const size_t left = strcspn(text, "=!<>");
    for (sides->op = 0; sides->op < OPS; sides->op++) {
        const size_t n = strlen(operators[sides->op]);
        if (strncmp(text + left, operators[sides->op], n) != 0)
            continue;
        sides->left_at = 0;
        sides->right_at = left + n;
        sides->left = where_trimmed(text, left, &sides->left_at);
        sides->right = where_trimmed(text + left + n, strlen(text + left + n), &sides->right_at);
        return true;
    }
    return false;
}

static size_t where_find_key(const struct swp_sweep *sweep, const char *name)
{
    for (size_t k = 0; k < sweep->keys; k++)
        if (!strcmp(sweep->key[k].key->path, name))
            return k;
    return SIZE_MAX;
}

static bool is_number(const struct swp_key *key)
{
    return key->key->form.type <= IN_ENUM || key->key->form.type == IN_WORD;
}

static bool is_word(const struct swp_key *key)
{
    return key->key->form.type == IN_ENUM || key->key->form.type == IN_WORD;
}

/* ---- formulas -------------------------------------------------------------------------------- */

static int where_name_of(void *ctx, const char *name, char *why, size_t size)
{
    const struct swp_sweep *sweep = ctx;
    const size_t k = where_find_key(sweep, name);
    if (k == SIZE_MAX)
        snprintf(why, size, "'%.60s' is not swept here", name);
    else if (!is_number(&sweep->key[k]) || is_word(&sweep->key[k]))
        snprintf(why, size, "values of '%.60s' are no numbers; compare them with == or !=", name);
    else
        return (int)k;
    return -1;
}

static void read_formula(struct in_reading *r, const struct swp_sweep *sweep, const char *text,
                         const struct in_place *at, size_t offset, struct mon_formula *formula)
{
    char why[200];
    size_t wrong;
    struct in_place here = *at;
    if (mon_formula_read(formula, text, where_name_of, (void *)sweep, &wrong, why, sizeof why))
        return;
    here.column += (unsigned)(offset + wrong);
    in_complain(r, &here, "sweep: where: %s", why);
}

/* ---- one filter ------------------------------------------------------------------------------ */

/** KEY OP VALUE. @return whether it was that, good or not */
static bool read_simple(struct in_reading *r, const struct swp_sweep *sweep,
                        const struct sides *sides, struct swp_filter *f)
{
    const size_t k = where_find_key(sweep, sides->left);
    const struct swp_key *key = k == SIZE_MAX ? NULL : &sweep->key[k];
    uint64_t number;
    char why[IN_WHY_MAX];
    if (!key)
        return false;
    const bool ordered = sides->op != EQUAL && sides->op != UNEQUAL;
    if (ordered && (is_word(key) || !is_number(key))) {
        in_complain(r, &f->at,
                    "sweep: where: values of '%s' are no numbers; compare them with == "
                    "or !=",
                    key->key->path);
        return true;
    }
    if (!is_number(key)) {
        f->key = k;
        f->text = swp_canonical(key, sides->right);
        return true;
    }
    if (in_value_parse(&key->key->form, sides->right, &number, why, sizeof why)) {
        f->key = k;
        f->number = number;
    } else if (is_word(key)) {
        in_complain(r, &f->at, "sweep: where: '%s': %.60s %s", key->key->path, sides->right, why);
        return true;
    }
    return f->key != SIZE_MAX;
}

static struct swp_filter *read_filter(struct in_reading *r, const struct swp_sweep *sweep,
                                      struct in_doc *doc, const yaml_node_t *node)
{
    struct swp_filter *f = sim_alloc(1, sizeof *f);
    struct sides sides = {0};
    const char *text = in_scalar(node);
    f->at = in_at(doc, node);
    f->key = SIZE_MAX;
    if (!text || !where_split(text, &sides)) {
        in_complain(r, &f->at,
                    "sweep: where: expected a comparison, such as program.processors <= "
                    "8, with ==, !=, <, <=, > or >=");
        return f;
    }
    f->at.column += node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    f->op = sides.op;
    if (!read_simple(r, sweep, &sides, f)) {
        read_formula(r, sweep, sides.left, &f->at, sides.left_at, &f->left);
        read_formula(r, sweep, sides.right, &f->at, sides.right_at, &f->right);
    }
    free(sides.left);
    free(sides.right);
    return f;
}

struct swp_filter **swp_filters_read(struct in_reading *r, const struct swp_sweep *sweep,
                                     struct in_doc *doc, yaml_node_t *list)
{
    if (list && list->type != YAML_SEQUENCE_NODE) {
        const struct in_place at = in_at(doc, list);
        in_complain(r, &at, "sweep: 'where' is %s; expected a list of comparisons, [...]",
                    in_kind(list));
        list = NULL;
    }
    const yaml_node_item_t *start = list ? list->data.sequence.items.start : NULL;
    const size_t count = list ? (size_t)(list->data.sequence.items.top - start) : 0;
    struct swp_filter **filters = sim_alloc(count + 1, sizeof *filters);
    for (size_t i = 0; i < count; i++)
        filters[i] = read_filter(r, sweep, doc, in_node(doc, start[i]));
    return filters;
}

void swp_filters_free(struct swp_filter **filters)
{
    for (size_t i = 0; filters[i]; i++) {
        free(filters[i]->text);
        free(filters[i]);
    }
    free(filters);
}

/* ---- computing ------------------------------------------------------------------------------- */

struct combination {
    const struct swp_sweep *sweep;
    const size_t *value;
};

static double where_number_of(void *ctx, unsigned name)
{
    const struct combination *c = ctx;
    return (double)c->sweep->key[name].value[c->value[name]].number;
}

/* @param order  of the left side to the right one: below 0, 0, above 0 */
static bool where_holds(enum op op, int order)
{
    switch (op) {
    case EQUAL:
        return order == 0;
    case UNEQUAL:
        return order != 0;
    case AT_MOST:
        return order <= 0;
    case AT_LEAST:
        return order >= 0;
    case BELOW:
        return order < 0;
    default:
        return order > 0;
    }
}

/* Values as they are stored: a double would take neighbours above 2^53 for the same. */
static int order_of(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static bool where_passes(struct in_reading *r, const struct swp_filter *f, struct combination *c)
{
    double left, right;
    if (f->text) {
        const char *text = c->sweep->key[f->key].value[c->value[f->key]].text;
        return !strcmp(text, f->text) == (f->op == EQUAL);
    }
    if (f->key != SIZE_MAX)
        return where_holds(
            f->op, order_of(c->sweep->key[f->key].value[c->value[f->key]].number, f->number));
    if (mon_formula_value(&f->left, where_number_of, c, &left) &&
        mon_formula_value(&f->right, where_number_of, c, &right))
        return where_holds(f->op, (left > right) - (left < right));
    in_complain(r, &f->at,
                "sweep: where: for one of the combinations it divides by zero, or "
                "leaves the range of numbers");
    return false;
}

bool swp_filters_pass(struct in_reading *r, const struct swp_sweep *sweep,
                      struct swp_filter *const *filters, const size_t *value)
{
    struct combination c = {sweep, value};
    for (; *filters; filters++)
        if (!where_passes(r, *filters, &c))
            return false;
    return true;
}
