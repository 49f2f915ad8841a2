/*
 * Machines drawn by lot (lot.h).
 *
 * The one idea: only the tables are known here. A machine is drawn row by row, and then the rows
 * that a broken rule names are drawn again until none is broken; so a new row or rule is part of
 * the lot the day it is written.
 */
#include "lot.h"

#include <assert.h>
#include <string.h>

enum { TRIES = 100000 };

struct lot {
    uint64_t dice;
    const struct nm_param_row *row;
    size_t rows;
};

static uint64_t draw(struct lot *l, uint64_t below)
{
    l->dice = l->dice * 6364136223846793005ull + 1442695040888963407ull;
    const uint64_t high = l->dice >> 32;
    l->dice = l->dice * 6364136223846793005ull + 1442695040888963407ull;
    return (high << 32 | l->dice >> 32) % below;
}

/* Each order of magnitude is as likely as any other. */
static uint64_t between(struct lot *l, uint64_t min, uint64_t max)
{
    const unsigned low = min ? 64 - (unsigned)__builtin_clzll(min) : 0,
                   high = max ? 64 - (unsigned)__builtin_clzll(max) : 0;
    const unsigned bits = low + (unsigned)draw(l, high - low + 1);
    const uint64_t least = bits ? 1ull << (bits - 1) : 0, most = bits ? 2 * least - 1 : 0;
    const uint64_t from = least < min ? min : least, to = most > max ? max : most;
    return from + draw(l, to - from + 1);
}

/* Numbers that have many divisors: clocks must be multiples of each other. */
static uint64_t frequency(struct lot *l, uint64_t min, uint64_t max)
{
    uint64_t f = 1000000;
    while (f < min || draw(l, 8))
        f *= 2 + draw(l, 2) + 2 * !draw(l, 4);
    return f > max ? min : f;
}

static uint64_t power_of_two(uint64_t v)
{
    return v ? 1ull << (63 - __builtin_clzll(v)) : 0;
}

/* A design choice is switched off by 0, and its promise with it. */
static uint64_t least(const struct nm_param_row *r)
{
    return strcmp(r->source, "design") || r->type == NM_PARAM_BOOL || r->min ? r->min : 1;
}

static uint64_t value(struct lot *l, const struct nm_param_row *r)
{
    switch (draw(l, 6)) {
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
        return frequency(l, r->min, r->max);
    const uint64_t v = between(l, least(r), r->max), power = power_of_two(v);
    return power >= r->min && draw(l, 2) ? power : v;
}

/* Design choices other than numbers say what is simulated, not how fast it is; but every protocol
 * is drawn. In a secondary cache that is not split, an LL/SC loop's instructions may put out the
 * line it has linked, every time.
 */
static bool fixed(const struct nm_param_row *r)
{
    return strncmp(r->key, "run.", 4) == 0 || strcmp(r->key, "l2.split") == 0 ||
           (strncmp(r->key, "protocol.", 9) != 0 && strcmp(r->source, "design") == 0 &&
            r->type != NM_PARAM_INT);
}

static void redraw(struct lot *l, struct nm_params *p, const char *key)
{
    for (size_t i = 0; i < l->rows; i++)
        if (strcmp(l->row[i].key, key) == 0 && !fixed(&l->row[i]))
            nm_param_set(p, &l->row[i], value(l, &l->row[i]));
}

/* One of the rows that do not agree; at times the other too. */
static void mend(struct lot *l, struct nm_params *p, const char *key, const char *with)
{
    redraw(l, p, *with && draw(l, 2) ? with : key);
}

static bool fits(struct lot *l, uint64_t cards, uint64_t memory, struct nm_params *p)
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
        const struct nm_param_rule *rule = broken[draw(l, rules)];
        mend(l, p, rule->key, rule->with);
        return false;
    }
    if (nm_params_cards(p) > cards) {
        redraw(l, p, shape[draw(l, 4)]);
        return false;
    }
    if (nm_params_stations(p) * p->memory_size < memory) {
        mend(l, p, "memory.size", shape[draw(l, 3)]);
        return false;
    }
    return true;
}

void lot_draw(uint64_t seed, uint64_t cards, uint64_t memory, struct nm_params *p)
{
    static const unsigned often[] = {2, 4, 20, 60}; /* rows in so many are drawn */
    struct lot l = {.dice = seed * 0x9e3779b97f4a7c15ull};
    l.row = nm_param_rows(&l.rows);
    const uint64_t of = often[draw(&l, sizeof often / sizeof *often)];
    nm_params_default(p);
    p->check = true;
    for (size_t i = 0; i < l.rows; i++)
        if (!fixed(&l.row[i]) && draw(&l, of) < 2)
            nm_param_set(p, &l.row[i], value(&l, &l.row[i]));
    unsigned tries = 0;
    while (!fits(&l, cards, memory, p))
        assert(++tries < TRIES);
}
