/*
 * Machines drawn by lot (lot.h).
 *
 * The one idea: only the tables are known here. A machine is drawn row by row, and then the rows
 * that a broken rule names are drawn again until none is broken; so a new row or rule is part of
 * the lot the day it is written. Every row has dice of its own, made of its key and the machine's
 * number, so a row that comes or goes leaves the choices of the others alone.
 */
#include "lot.h"

#include "base/alloc.h"
#include "machine/values.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { TRIES = 100000 };

struct lot {
    const struct nm_param_row *row;
    size_t rows;
    uint64_t *dice;   /* [rows] */
    const char *left; /* the row that is not drawn, or NULL */
    bool of_cards;    /* only what may differ from card to card is drawn */
};

static uint64_t text_dice(const char *text, uint64_t seed)
{
    return XXH64(text, strlen(text), seed);
}

static uint64_t draw(uint64_t *dice, uint64_t below)
{
    assert(below);
    *dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
    const uint64_t high = *dice >> 32;
    *dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
    return (high << 32 | *dice >> 32) % below;
}

/* Each order of magnitude is as likely as any other. */
static uint64_t between(uint64_t *dice, uint64_t min, uint64_t max)
{
    const unsigned low = min ? 64 - (unsigned)__builtin_clzll(min) : 0,
                   high = max ? 64 - (unsigned)__builtin_clzll(max) : 0;
    const unsigned bits = low + (unsigned)draw(dice, high - low + 1);
    const uint64_t least = bits ? 1ull << (bits - 1) : 0, most = bits ? 2 * least - 1 : 0;
    const uint64_t from = least < min ? min : least, to = most > max ? max : most;
    return from + draw(dice, to - from + 1);
}

/* Numbers that have many divisors: clocks must be multiples of each other. */
static uint64_t frequency(uint64_t *dice, uint64_t min, uint64_t max)
{
    uint64_t f = 1000000;
    while (f < min || draw(dice, 8))
        f *= 2 + draw(dice, 2) + 2 * !draw(dice, 4);
    return f > max ? min : f;
}

static uint64_t power_of_two(uint64_t v)
{
    return v ? 1ull << (63 - __builtin_clzll(v)) : 0;
}

static bool is_protocol(const struct nm_param_row *r)
{
    return strcmp(r->key, "protocol") == 0;
}

/* A design choice is switched off by 0, and its promise with it. */
static uint64_t least(const struct nm_param_row *r)
{
    return strcmp(r->source, "design") || r->type == NM_PARAM_BOOL || is_protocol(r) || r->min
               ? r->min
               : 1;
}

static uint64_t value(uint64_t *dice, const struct nm_param_row *r)
{
    switch (draw(dice, 6)) {
    case 0:
        return least(r);
    case 1:
        return r->max;
    case 2:
        return r->def;
    default:
        break;
    }
    if (r->type == NM_PARAM_FREQ)
        return frequency(dice, r->min, r->max);
    const uint64_t v = between(dice, least(r), r->max), power = power_of_two(v);
    return power >= r->min && draw(dice, 2) ? power : v;
}

/* Design choices other than numbers say what is simulated, not how fast it is; but every protocol
 * is drawn. In a secondary cache that is not split, an LL/SC loop's instructions may put out the
 * line it has linked, every time.
 */
static bool fixed(const struct nm_param_row *r)
{
    return strncmp(r->key, "run.", 4) == 0 || strcmp(r->key, "l2.split") == 0 ||
           (!is_protocol(r) && strcmp(r->source, "design") == 0 && r->type != NM_PARAM_INT);
}

/* The second kind of card has a joint secondary cache (fixed): it keeps its size. */
static bool is_drawn(const struct lot *l, size_t i)
{
    if (l->of_cards && (!nm_param_is_cards(&l->row[i]) || !strncmp(l->row[i].key, "l2.", 3)))
        return false;
    return !fixed(&l->row[i]) && (!l->left || strcmp(l->row[i].key, l->left));
}

/* Precondition: there is such a row. */
static size_t find(const struct lot *l, const char *key)
{
    size_t i = 0;
    while (strcmp(l->row[i].key, key))
        assert(++i < l->rows);
    return i;
}

/* The dice of a row: all that is chosen because of it. */
static uint64_t *dice_of(const struct lot *l, const char *key)
{
    return &l->dice[find(l, key)];
}

static void redraw(const struct lot *l, struct nm_params *p, const char *key)
{
    const size_t i = find(l, key);
    if (is_drawn(l, i))
        nm_param_set(p, &l->row[i], value(&l->dice[i], &l->row[i]));
}

/* One of the rows that do not agree; at times the other too. */
static void mend(const struct lot *l, struct nm_params *p, const char *key, const char *with)
{
    redraw(l, p, draw(dice_of(l, key), 2) && *with ? with : key);
}

/* Any of them, but by what it ties and not by its place; after each mending another. */
static const struct nm_param_rule *choose(const struct lot *l,
                                          const struct nm_param_rule *const *broken, size_t rules)
{
    const struct nm_param_rule *least = broken[0];
    uint64_t least_score = UINT64_MAX;
    for (size_t i = 0; i < rules; i++) {
        const uint64_t score = text_dice(broken[i]->with, *dice_of(l, broken[i]->key));
        if (score < least_score) {
            least = broken[i];
            least_score = score;
        }
    }
    return least;
}

static bool fits(const struct lot *l, uint64_t cards, uint64_t memory, struct nm_params *p)
{
    static const char *const shape[] = {"rings.stations", "rings.locals", "rings.groups",
                                        "station.processors"};
    const struct nm_param_rule *broken[NM_PARAM_RULES_MAX];
    const size_t rules = nm_param_rules_broken(p, broken);
    if (rules == 1 && strcmp(broken[0]->key, "run.watchdog") == 0) {
        p->watchdog *= 2; /* it is no part of the machine */
        return false;
    }
    if (rules) {
        const struct nm_param_rule *rule = choose(l, broken, rules);
        mend(l, p, rule->key, rule->with);
        return false;
    }
    if (nm_params_cards(p) > cards) {
        redraw(l, p, shape[draw(dice_of(l, shape[3]), 4)]);
        return false;
    }
    if (nm_params_stations(p) * p->memory_size < memory) {
        mend(l, p, "memory.size", shape[draw(dice_of(l, shape[0]), 3)]);
        return false;
    }
    return true;
}

unsigned lot_draw_without(const char *key, uint64_t seed, uint64_t cards, uint64_t memory,
                          struct nm_params *p)
{
    static const unsigned often[] = {2, 4, 20, 60}; /* rows in so many are drawn */
    uint64_t dice = text_dice("", seed);
    const uint64_t of = often[draw(&dice, sizeof often / sizeof *often)];
    unsigned tries = 0;
    struct lot l = {.left = key};
    l.row = nm_param_rows(&l.rows);
    l.dice = sim_alloc(l.rows, sizeof *l.dice);
    nm_params_default(p);
    p->check = true;
    for (size_t i = 0; i < l.rows; i++) {
        l.dice[i] = text_dice(l.row[i].key, seed);
        if (is_drawn(&l, i) && draw(&l.dice[i], of) < 2)
            nm_param_set(p, &l.row[i], value(&l.dice[i], &l.row[i]));
    }
    while (!fits(&l, cards, memory, p))
        assert(++tries < TRIES);
    free(l.dice);
    return tries;
}

/* ---- cards of another kind ------------------------------------------------------------------- */

/* A card of configs/r10000.yaml on the machine `p`. */
static struct nm_params r10000_card(const struct nm_params *p, uint64_t *dice)
{
    struct nm_params other = *p;
    other.core = draw(dice, 2) ? NM_CORE_R12000 : NM_CORE_R10000;
    other.l1i_size = other.l1d_size = 32 << 10;
    other.l1i_line = 64;
    other.l1d_line = 32;
    other.l2_size = 4 << 20;
    other.l2_split = false;
    other.l2_ways = 2;
    return other;
}

/* @return whether no rule is broken; else something has been drawn again */
static bool card_fits(const struct lot *l, struct nm_params *p, struct nm_params *other)
{
    const struct nm_param_rule *broken[NM_PARAM_RULES_MAX];
    const size_t rules = nm_param_rules_broken(other, broken);
    if (rules == 1 && strcmp(broken[0]->key, "run.watchdog") == 0) {
        p->watchdog = other->watchdog *= 2; /* the machine's, and no part of it */
    } else if (rules) {
        const struct nm_param_rule *rule = choose(l, broken, rules);
        mend(l, other, rule->key, rule->with);
    }
    return !rules;
}

bool lot_mix(uint64_t seed, struct nm_params *p, struct nm_params *other, bool *of)
{
    enum { MIXED = 5 /* one machine in so many */, OFTEN = 12 /* rows in so many, twice */ };
    const uint64_t cards = nm_params_cards(p);
    uint64_t dice = text_dice("cards", seed);
    struct lot l = {.of_cards = true};
    if (cards < 2 || draw(&dice, MIXED))
        return false;
    *other = r10000_card(p, &dice);
    l.row = nm_param_rows(&l.rows);
    l.dice = sim_alloc(l.rows, sizeof *l.dice);
    for (size_t i = 0; i < l.rows; i++) {
        l.dice[i] = text_dice(l.row[i].key, dice);
        if (is_drawn(&l, i) && draw(&l.dice[i], OFTEN) < 2)
            nm_param_set(other, &l.row[i], value(&l.dice[i], &l.row[i]));
    }
    for (unsigned tries = 0; !card_fits(&l, p, other); tries++)
        assert(tries < TRIES);
    for (uint64_t c = 0; c < cards; c++)
        of[c] = draw(&dice, 2);
    const uint64_t some = draw(&dice, cards);
    of[some] = true;
    of[(some + 1) % cards] = false;
    free(l.dice);
    return true;
}

void lot_draw(uint64_t seed, uint64_t cards, uint64_t memory, struct nm_params *p)
{
    lot_draw_without(NULL, seed, cards, memory, p);
}
