/*
 * cards: of a machine file: cards that are not what the machine says, place by place.
 *
 * The one hard idea: an entry says only what differs, and the machine's own values may still be
 * replaced by assignments. So entries are read last, on top of what the machine has become.
 */
#include "input/cards.h"

#include "input/tables.h"
#include "machine/values.h"
#include "procard/procard.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_AT, KEY_BASE, KEY_PARAMS, FITTINGS_MAX = UINT8_MAX };
_Static_assert(KEY_PARAMS + sizeof(struct nm_params) / sizeof(uint64_t) <= IN_CARDS_KEYS,
               "an entry has room for all");

struct in_table in_cards_table(struct in_key keys[IN_CARDS_KEYS])
{
    size_t count, n = KEY_PARAMS;
    const struct nm_param_row *rows = nm_param_rows(&count);
    keys[KEY_AT] =
        (struct in_key){"at",
                        {IN_LIST, "a list of cards: [0, 4-7, station 2, station 8-9]", 0, 0},
                        NULL,
                        "the cards, by their numbers or by their stations'"};
    keys[KEY_BASE] = (struct in_key){
        "base",
        {IN_TEXT, "a shipped machine's name or a machine file", 0, 0},
        "",
        "a machine whose cards these are like; of it only what may differ from card to card is "
        "taken, and values given here replace its values"};
    for (size_t i = 0; i < count; i++)
        if (nm_param_is_cards(&rows[i]))
            keys[n++] = (struct in_key){rows[i].key, in_param_form(&rows[i]), "", rows[i].sentence};
    return (struct in_table){keys, n, &in_machine_table, "is the whole machine's, not a card's"};
}

/* ---- reading --------------------------------------------------------------------------------- */

/** An entry while it is read. */
struct entry {
    struct in_reading *r;
    struct in_machine *mc;
    struct nm_params params;
    struct in_place at;
    struct in_value values[IN_CARDS_KEYS];
    struct in_key keys[IN_CARDS_KEYS];
    struct in_table table;
};

/** "4" or "4-7", both below `end`. @return false: it is neither */
static bool cards_read_range(const char *text, uint64_t end, uint64_t *first, uint64_t *last)
{
    const char *rest = in_whole_parse(text, first);
    *last = *first;
    if (rest && *rest == '-')
        rest = in_whole_parse(rest + 1, last);
    return rest && !*rest && *first <= *last && *last < end;
}

static void take_card(struct entry *e, const struct in_place *at, size_t card)
{
    uint8_t *of = (uint8_t *)e->mc->mix.of;
    if (of[card])
        in_complain(e->r, at, "'cards': card %zu is there twice", card);
    of[card] = (uint8_t)e->mc->mix.fittings;
}

static void take_place(struct entry *e, const struct in_place *at, const char *text)
{
    static const char word[] = "station ";
    const struct nm_params *p = e->mc->params;
    const bool station = !strncmp(text, word, sizeof word - 1);
    const uint64_t each = station ? p->processors : 1, end = nm_params_cards(p) / each;
    uint64_t first, last;
    if (!cards_read_range(text + (station ? sizeof word - 1 : 0), end, &first, &last)) {
        in_complain(e->r, at,
                    "'cards': '%.60s' is no place; the machine has cards 0 to %llu on stations 0 "
                    "to %llu: [0, 4-7, station 2]",
                    text, (unsigned long long)nm_params_cards(p) - 1,
                    (unsigned long long)nm_params_stations(p) - 1);
        return;
    }
    for (uint64_t card = first * each; card < (last + 1) * each; card++)
        take_card(e, at, card);
}

static void take_places(struct entry *e)
{
    const struct in_value *v = &e->values[KEY_AT];
    if (!v->list)
        in_complain(e->r, &e->at, "'cards': an entry has no place: at: [0, 4-7, station 2]");
    for (size_t i = 0; v->list && v->list[i]; i++) {
        const struct in_place at =
            in_at(v->at.doc, in_node(v->at.doc, v->node->data.sequence.items.start[i]));
        take_place(e, &at, v->list[i]);
    }
}

/** What it is like, then its own values. */
static void take_params(struct entry *e)
{
    size_t count, n = KEY_PARAMS;
    const struct nm_param_row *rows = nm_param_rows(&count);
    struct nm_params like = e->params;
    if (e->values[KEY_BASE].text)
        in_machine_like(e->r, e->mc, e->values[KEY_BASE].text, &e->values[KEY_BASE].at, &like);
    for (size_t i = 0; i < count; i++) {
        if (!nm_param_is_cards(&rows[i]))
            continue;
        const struct in_value *v = &e->values[n++];
        nm_param_set(&e->params, &rows[i], v->at.doc ? v->number : nm_param_get(&like, &rows[i]));
    }
}

static const struct in_place *cards_place_of(const struct entry *e, const char *path)
{
    const struct in_key *key = in_find_key(&e->table, path);
    return key && e->values[key - e->keys].at.doc ? &e->values[key - e->keys].at : NULL;
}

static void cards_check(struct entry *e)
{
    const struct nm_param_rule *broken[NM_PARAM_RULES_MAX];
    const size_t n = nm_param_rules_broken(&e->params, broken);
    for (size_t i = 0; i < n; i++) {
        char values[160];
        const struct in_place *at = cards_place_of(e, broken[i]->key);
        at = at ? at : cards_place_of(e, broken[i]->with);
        in_machine_values(&e->params, broken[i], values, sizeof values);
        in_complain(e->r, at ? at : &e->at, "'cards': %s (%s)", broken[i]->sentence, values);
    }
}

static void read_entry(struct in_reading *r, struct in_machine *mc, struct in_doc *doc,
                       yaml_node_t *node)
{
    struct entry e = {.r = r, .mc = mc, .params = *mc->params, .at = in_at(doc, node)};
    const unsigned before = r->diag->errors;
    e.table = in_cards_table(e.keys);
    in_read_mapping(r, doc, node, &e.table, e.values);
    mc->mix.fittings++;
    if (r->diag->errors == before)
        take_places(&e);
    if (r->diag->errors == before)
        take_params(&e);
    if (r->diag->errors == before)
        cards_check(&e);
    ((struct nm_fitting *)mc->mix.fitting)[mc->mix.fittings - 1] =
        (struct nm_fitting){pc_core_of(&e.params)->card, nm_params_copy(&e.params)};
    in_values_free(e.values, IN_CARDS_KEYS);
}

void in_cards_read(struct in_reading *r, struct in_machine *mc, const struct in_value *v)
{
    const size_t cards = nm_params_cards(mc->params);
    const yaml_node_item_t *item = v->node->data.sequence.items.start;
    const size_t count = (size_t)(v->node->data.sequence.items.top - item);
    if (count > FITTINGS_MAX) {
        in_complain(r, &v->at, "'cards' has more than %d entries", FITTINGS_MAX);
        return;
    }
    if (!count)
        return;
    mc->mix = (struct nm_mix){sim_alloc(count, sizeof(struct nm_fitting)), 0, sim_alloc(cards, 1)};
    for (size_t i = 0; i < count; i++)
        read_entry(r, mc, v->at.doc, in_node(v->at.doc, item[i]));
}

void in_cards_free(struct in_machine *mc)
{
    for (unsigned i = 0; i < mc->mix.fittings; i++)
        free((void *)mc->mix.fitting[i].params);
    free((void *)mc->mix.fitting);
    free((void *)mc->mix.of);
    mc->mix = (struct nm_mix){0};
}

/* ---- looking --------------------------------------------------------------------------------- */

const struct nm_params *in_card_params(const struct in_machine *mc, unsigned card)
{
    return mc->mix.fittings && mc->mix.of[card] ? mc->mix.fitting[mc->mix.of[card] - 1].params
                                                : mc->params;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_places(FILE *out, const struct in_machine *mc, unsigned fitting)
{
    const size_t cards = nm_params_cards(mc->params);
    const char *between = "";
    for (size_t first = 0, last; first < cards; first = last + 1) {
        for (last = first; last < cards && mc->mix.of[last] == fitting;)
            last++;
        if (last == first)
            continue;
        last--;
        fprintf(out, first == last ? "%s%zu" : "%s%zu-%zu", between, first, last);
        between = ", ";
    }
}

/** What differs from the machine's own: "processor: {core: r10000}, l1i: {line: 64B}". */
static void write_differences(FILE *out, const struct in_machine *mc, const struct nm_params *its)
{
    size_t count, open = 0;
    const struct nm_param_row *rows = nm_param_rows(&count);
    const char *section = "";
    for (size_t i = 0; i < count; i++) {
        char value[64];
        const struct in_form form = in_param_form(&rows[i]);
        const size_t n = strcspn(rows[i].key, ".") + 1;
        if (nm_param_get(its, &rows[i]) == nm_param_get(mc->params, &rows[i]))
            continue;
        const bool same = open == n && !strncmp(section, rows[i].key, n);
        in_value_format(&form, nm_param_get(its, &rows[i]), value, sizeof value);
        if (same)
            fprintf(out, ", %s: %s", rows[i].key + n, value);
        else
            fprintf(out, "%s, %.*s: {%s: %s", open ? "}" : "", (int)n - 1, rows[i].key,
                    rows[i].key + n, value);
        section = rows[i].key;
        open = n;
    }
    fputs(open ? "}" : "", out);
}

void in_cards_write(FILE *out, int indent, const struct in_machine *mc)
{
    if (mc->mix.fittings)
        fprintf(out, "%*scards:\n", indent, "");
    for (unsigned i = 0; i < mc->mix.fittings; i++) {
        fprintf(out, "%*s- {at: [", indent + 2, "");
        write_places(out, mc, i + 1);
        putc(']', out);
        write_differences(out, mc, mc->mix.fitting[i].params);
        fputs("}\n", out);
    }
}
