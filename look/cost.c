/*
 * Costs, what of them is asked for, and sums by key.
 */
#include "look/cost.h"

#include "base/alloc.h"
#include "base/nearest.h"
#include "input/experiment.h"
#include "monitor/events.h"
#include "monitor/taps.h"

#include <stdio.h>
#include <string.h>
#include <uthash.h>

_Static_assert((int)PC_PROFILE_LOAD == MON_TAP_ST_LOAD &&
                   (int)PC_PROFILE_SLIP_FP == MON_TAP_ST_SLIP_FP,
               "the states are the first columns, in the order of their taps");

enum { STATES = PC_PROFILE_SLIP_FP + 1 };

#define ALL_STATES  ((UINT64_C(1) << STATES) - 1)
#define BIT(column) (UINT64_C(1) << PC_PROFILE_##column)

struct look_cost look_cost_of(const struct pc_profile_row *row)
{
    struct look_cost cost;
    memcpy(cost.v, row->v, sizeof cost.v);
    return cost;
}

void look_cost_add(struct look_cost *to, const struct look_cost *what)
{
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        to->v[c] = doc_plus(to->v[c], what->v[c]);
}

/* ---- measures -------------------------------------------------------------------------------- */

struct look_measure look_measure_total(void)
{
    return (struct look_measure){.name = "total", .unit = "PCycles", .columns = ALL_STATES};
}

static const char *const groups[] = {"total",    "run",           "run/branch",
                                     "stall",    "stall/cache",   "stall/mp",
                                     "killslip", "killslip/kill", "killslip/slip"};

enum { GROUPS = sizeof groups / sizeof *groups };

/* All names there are, for "did you mean". */
struct names {
    char column[PC_PROFILE__COUNT][DOC_COLUMN_NAME];
};

static const char *cost_next_name(void *ctx, size_t i)
{
    struct names *names = ctx;
    if (i < GROUPS)
        return groups[i];
    i -= GROUPS;
    if (i < LOOK_PROFILE_PARTS)
        return look_profile_parts[i].name;
    i -= LOOK_PROFILE_PARTS;
    return i < PC_PROFILE__COUNT ? doc_column_name((unsigned)i, names->column[i]) : NULL;
}

const struct look_measure look_profile_parts[LOOK_PROFILE_PARTS] = {
#define PART(part, which, off) \
    {.name = #part, .unit = "PCycles", .columns = (which), .less = (off)},
#define COUNT(part, which) {.name = #part, .unit = "", .columns = (which)},
#include "look/cost_parts.def"
#undef PART
#undef COUNT
};

/* The columns behind a name; 0: it is none. */
static uint64_t cost_columns_of(const char *name, const char **unit)
{
    char column[DOC_COLUMN_NAME];
    *unit = "PCycles";
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        if (!strcmp(name, doc_column_name(c, column))) {
            *unit = doc_columns.row[c].unit;
            return UINT64_C(1) << c;
        }
    for (unsigned s = 0; s < STATES; s++)
        if (!strcmp(name, in_state_name(s)))
            return UINT64_C(1) << s;
    return strcmp(name, "total") ? mon_states(name) : ALL_STATES;
}

bool look_measure_find(const char *name, struct look_measure *measure, char *why, size_t size)
{
    struct names names;
    *measure = (struct look_measure){0};
    measure->columns = cost_columns_of(name, &measure->unit);
    for (unsigned i = 0; !measure->columns && i < LOOK_PROFILE_PARTS; i++)
        if (!strcmp(name, look_profile_parts[i].name))
            *measure = look_profile_parts[i];
    if (measure->columns) {
        snprintf(measure->name, sizeof measure->name, "%s", name);
        return true;
    }
    const char *near = sim_nearest(name, cost_next_name, &names);
    snprintf(why, size, "no state, group of states or count '%.60s'%s%s%s", name,
             near ? "; did you mean '" : " (total, run, stall, stall_l2, l2_misses, nacks, ...)",
             near ? near : "", near ? "'?" : "");
    return false;
}

int64_t look_measured(const struct look_measure *measure, const struct look_cost *cost)
{
    int64_t sum = 0;
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        if (measure->columns >> c & 1)
            sum = doc_plus(sum, cost->v[c]);
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        if (measure->less >> c & 1)
            sum = doc_plus(sum, (int64_t)(0 - (uint64_t)cost->v[c]));
    if (measure->columns & BIT(STALL_OTHER))
        sum = doc_plus(sum, (int64_t)(0 - (uint64_t)cost->v[PC_PROFILE_IDLE]));
    return sum;
}

double look_percent(int64_t some, int64_t all)
{
    return all ? 100 * (double)some / (double)all : 0;
}

/* ---- sums by key ----------------------------------------------------------------------------- */

struct look_slot {
    struct look_entry entry;
    UT_hash_handle hh;
};

struct look_entry *look_sums_at(struct look_sums *sums, struct look_key key)
{
    struct look_slot *slot;
    HASH_FIND(hh, sums->slots, &key, sizeof key, slot);
    if (slot)
        return &slot->entry;
    slot = sim_alloc(1, sizeof *slot);
    slot->entry.key = key;
    HASH_ADD(hh, sums->slots, entry.key, sizeof key, slot);
    SIM_ROOM(sums->entry, sums->entries, sums->room, 64);
    sums->entry[sums->entries++] = &slot->entry;
    return &slot->entry;
}

static int compare_keys(const void *left, const void *right)
{
    const struct look_key *a = &(*(struct look_entry *const *)left)->key,
                          *b = &(*(struct look_entry *const *)right)->key;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

struct order {
    const struct look_measure *measure;
    bool all;
};

static int compare_costs(const void *left, const void *right, void *ctx)
{
    const struct order *order = ctx;
    const struct look_entry *a = *(struct look_entry *const *)left,
                            *b = *(struct look_entry *const *)right;
    const int64_t x = look_measured(order->measure, order->all ? &a->all : &a->self),
                  y = look_measured(order->measure, order->all ? &b->all : &b->self);
    return x == y ? compare_keys(left, right) : x > y ? -1 : 1;
}

void look_sums_sort(struct look_sums *sums, const struct look_measure *measure, bool all)
{
    struct order order = {measure, all};
    if (sums->entries)
        qsort_r(sums->entry, sums->entries, sizeof(struct look_entry *), compare_costs, &order);
}

void look_sums_sort_keys(struct look_sums *sums)
{
    if (sums->entries)
        qsort(sums->entry, sums->entries, sizeof(struct look_entry *), compare_keys);
}

void look_sums_free(struct look_sums *sums)
{
    struct look_slot *slot, *next;
    HASH_ITER(hh, sums->slots, slot, next) {
        HASH_DEL(sums->slots, slot);
        free(slot);
    }
    free(sums->entry);
    *sums = (struct look_sums){0};
}
