/*
 * Lines and objects, summed up from the rows of the truth (sharing.h).
 */
#include "look/sharing/sharing.h"

#include "base/alloc.h"
#include "look/cost.h"
#include "look/sharing/overlap.h"
#include "procard/miss_columns.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { SMALL = 100 /* one part in so many of the threads' time is none */ };

const char *const look_verdict_name[] = {"none", "false", "true", "mixed"};

struct look_lost look_lost_of(const int64_t *v)
{
    return (struct look_lost){
        doc_plus(v[PC_MISS_FALSE_SHARING_TIME], v[PC_MISS_UPGRADE_FALSE_TIME]),
        doc_plus(v[PC_MISS_TRUE_SHARING_TIME], v[PC_MISS_UPGRADE_TRUE_TIME])};
}

struct look_lost look_lost_plus(struct look_lost lost, struct look_lost other)
{
    return (struct look_lost){doc_plus(lost.falsely, other.falsely),
                              doc_plus(lost.truly, other.truly)};
}

struct look_lost look_lost_less(struct look_lost lost, struct look_lost other)
{
    return look_lost_plus(lost, (struct look_lost){-other.falsely, -other.truly});
}

const struct look_request_class look_request_class[] = {
#define MISS(name, heading, sentence)    {heading, PC_MISS_##name},
#define UPGRADE(name, heading, sentence) {heading, PC_MISS_##name},
#define OTHERWISE(name, unit, sentence)
#include "procard/misses.def"
};
const unsigned look_request_classes = sizeof look_request_class / sizeof *look_request_class;

static int64_t sharing_cost_of(const struct look_lost *lost)
{
    return doc_plus(lost->falsely, lost->truly);
}

static void sharing_add(int64_t *to, const int64_t *v)
{
    for (unsigned c = 0; c < doc_truth_columns.count; c++)
        to[c] = doc_plus(to[c], v[c]);
}

enum look_verdict look_verdict_of(const struct look_sharing *s, const struct look_lost *lost)
{
    const int64_t greater = lost->falsely > lost->truly ? lost->falsely : lost->truly;
    return greater < s->time / SMALL ? LOOK_VERDICT_none : look_kind_of(lost);
}

enum look_verdict look_kind_of(const struct look_lost *lost)
{
    const int64_t cost = sharing_cost_of(lost);
    if (lost->falsely <= 0 && lost->truly <= 0)
        return LOOK_VERDICT_none;
    if (lost->falsely >= cost - cost / 4)
        return LOOK_VERDICT_false;
    return lost->falsely <= cost / 4 ? LOOK_VERDICT_true : LOOK_VERDICT_mixed;
}

/* ---- who asked ------------------------------------------------------------------------------- */

uint64_t look_asker_shown(const struct look_asker *asker)
{
    return asker->call == PC_PROFILE_NOWHERE ? asker->pc : asker->call;
}

/* Of an instruction without a source line of the program's own, the last call before it that has
 * one. */
static uint64_t call_of(const struct look_sharing *s, const struct pc_missed_row *row)
{
    const struct pc_profile_path *all = s->profile->path;
    uint32_t path = row->path;
    if (row->pc == PC_PROFILE_NOWHERE || look_code_own(s->code, row->pc))
        return PC_PROFILE_NOWHERE;
    for (;; path = all[path].parent) {
        const uint64_t call = all[path].call;
        if (call != PC_PROFILE_NOWHERE && look_code_own(s->code, call))
            return call;
        if (all[path].parent == path)
            return PC_PROFILE_NOWHERE;
    }
}

static void sharing_ask(const struct look_sharing *s, struct look_asker **list, size_t *count,
                        const struct pc_missed_row *row)
{
    const uint64_t call = call_of(s, row);
    size_t i = 0;
    while (i < *count && ((*list)[i].pc != row->pc || (*list)[i].call != call))
        i++;
    if (i == *count) {
        *list = sim_grow(*list, ++*count, sizeof **list);
        (*list)[i] = (struct look_asker){.pc = row->pc, .call = call};
    }
    sharing_add((*list)[i].v, row->v);
    (*list)[i].lost = look_lost_of((*list)[i].v);
}

static int sharing_order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_asker(const void *x, const void *y)
{
    const struct look_asker *a = x, *b = y;
    const int cost = sharing_order(sharing_cost_of(&b->lost), sharing_cost_of(&a->lost));
    const int pc = (a->pc > b->pc) - (a->pc < b->pc);
    return cost ? cost : pc ? pc : (a->call > b->call) - (a->call < b->call);
}

static void sort_askers(struct look_asker *list, size_t count)
{
    if (count)
        qsort(list, count, sizeof *list, by_asker);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool is_touched(const struct pc_missed_copy *copy)
{
    return copy->read[0] || copy->read[1] || copy->written[0] || copy->written[1];
}

static bool is_shared(const struct doc_truth *truth, const struct look_shared_line *line)
{
    unsigned cards = 0;
    for (size_t i = line->copy; i < line->copy + line->copies; i++)
        cards += is_touched(&truth->copy[i]);
    return cards > 1;
}

static int sharing_by_line(const void *x, const void *y)
{
    const struct look_shared_line *a = x, *b = y;
    const int cost = sharing_order(sharing_cost_of(&b->lost), sharing_cost_of(&a->lost));
    return cost ? cost : sharing_order((int64_t)a->copy, (int64_t)b->copy);
}

/* @param row  first row of the line's first copy @return the first one behind the line's */
static size_t sum_line(const struct look_sharing *s, struct look_shared_line *line, size_t row)
{
    const struct doc_truth *truth = s->truth;
    line->row = row;
    for (; row < truth->rows && truth->row[row].copy < line->copy + line->copies; row++) {
        sharing_add(line->v, truth->row[row].v);
        sharing_ask(s, &line->asker, &line->askers, &truth->row[row]);
    }
    line->rows = row - line->row;
    line->lost = look_lost_of(line->v);
    sort_askers(line->asker, line->askers);
    return row;
}

static void find_lines(struct look_sharing *s)
{
    const struct doc_truth *truth = s->truth;
    size_t row = 0, next;
    for (size_t i = 0; i < truth->copies; i = next) {
        struct look_shared_line line = {.copy = i};
        for (next = i; next < truth->copies && truth->copy[next].line == truth->copy[i].line;)
            next++;
        line.copies = next - i;
        row = sum_line(s, &line, row);
        sharing_add(s->v, line.v);
        if (!is_shared(truth, &line)) {
            free(line.asker);
            continue;
        }
        if (!(s->lines & (s->lines + 1)))
            s->line = sim_grow(s->line, 2 * s->lines + 1, sizeof *s->line);
        s->line[s->lines++] = line;
    }
    s->lost = look_lost_of(s->v);
    if (s->lines)
        qsort(s->line, s->lines, sizeof *s->line, sharing_by_line);
}

/* The row of an object that has `va` which lost most; NULL: none. */
static const struct pc_missed_row *sharing_dearest(const struct look_sharing *s,
                                                   const struct look_shared_line *line, uint64_t va)
{
    const struct pc_missed_row *best = NULL;
    int64_t most = -1;
    for (size_t i = line->row; i < line->row + line->rows; i++) {
        const struct pc_missed_row *row = &s->truth->row[i];
        const struct look_lost lost = look_lost_of(row->v);
        struct look_object at;
        if (sharing_cost_of(&lost) <= most || !look_object_same(s->finder, s->truth, row, va, &at))
            continue;
        best = row;
        most = sharing_cost_of(&lost);
    }
    return best;
}

void look_sharing_object(const struct look_sharing *s, const struct look_shared_line *line,
                         uint64_t va, struct look_object *out)
{
    sim_tick first = SIM_NEVER, last = 0;
    const struct pc_missed_row *row = sharing_dearest(s, line, va);
    if (row && look_object_same(s->finder, s->truth, row, va, out))
        return;
    for (size_t i = line->copy; i < line->copy + line->copies; i++) {
        first = sim_earlier(first, s->truth->copy[i].first);
        last = sim_later(last, s->truth->copy[i].last);
    }
    look_object_at(s->finder, va, first, last, out);
}

/* ---- objects --------------------------------------------------------------------------------- */

struct known {
    char *name;
    size_t number;
    uint64_t line; /* the last one that was counted */
    UT_hash_handle hh;
};

static struct look_shared_object *sharing_object_of(struct look_sharing *s, struct known **names,
                                                    size_t number)
{
    const struct pc_missed_row *row = &s->truth->row[number];
    const struct pc_missed_copy *copy = &s->truth->copy[row->copy];
    char place[LOOK_OBJECT_NAME];
    struct look_object at;
    struct known *known;
    look_object_asked(s->finder, s->truth, row, &at);
    look_object_group(&at);
    HASH_FIND_STR(*names, at.key, known);
    if (!known) {
        known = sim_alloc(1, sizeof *known);
        known->name = sim_strdup(at.key);
        known->number = s->objects;
        HASH_ADD_KEYPTR(hh, *names, known->name, strlen(known->name), known);
        if (!(s->objects & (s->objects + 1)))
            s->object = sim_grow(s->object, 2 * s->objects + 1, sizeof *s->object);
        s->object[s->objects++] =
            (struct look_shared_object){.name = sim_strdup(at.key),
                                        .place = sim_strdup(look_object_place(&at, place)),
                                        .header = at.kind == LOOK_OBJECT_HEADER,
                                        .row = number};
    }
    struct look_shared_object *object = &s->object[known->number];
    if (!object->lines || known->line != copy->line)
        object->lines++;
    known->line = copy->line;
    return object;
}

static int by_object(const void *x, const void *y)
{
    const struct look_shared_object *a = x, *b = y;
    const int weight = sharing_order(sharing_cost_of(&b->weight), sharing_cost_of(&a->weight));
    const int cost = sharing_order(sharing_cost_of(&b->lost), sharing_cost_of(&a->lost));
    return weight ? weight : cost ? cost : strcmp(a->name, b->name);
}

/* What an object lost in a line. */
struct share {
    struct look_lost lost;
    bool written;
};

static bool share_is_read(const struct share *share)
{
    return sharing_cost_of(&share->lost) && !share->written;
}

/* Who keeps reading waits for those who write beside it: what is read alone weighs on that which is
 * written and lost most. @param of  [rows] the number of its object @param share  [objects] zero */
static void weigh_line(struct look_sharing *s, const struct look_shared_line *line,
                       const size_t *of, struct share *share)
{
    const pc_bytes written = look_sharing_written(s, line);
    struct look_shared_object *most = NULL;
    for (size_t i = line->row; i < line->row + line->rows; i++) {
        const struct pc_missed_row *row = &s->truth->row[i];
        struct share *its = of[i] < s->objects ? &share[of[i]] : NULL;
        if (!its)
            continue;
        its->lost = look_lost_plus(its->lost, look_lost_of(row->v));
        its->written |= written >> (row->va & (s->truth->line - 1)) & 1;
        if (its->written &&
            (!most || sharing_cost_of(&its->lost) > sharing_cost_of(&share[most - s->object].lost)))
            most = &s->object[of[i]];
    }
    for (size_t i = line->row; i < line->row + line->rows; i++) {
        if (of[i] >= s->objects)
            continue;
        if (most && share_is_read(&share[of[i]]))
            most->weight = look_lost_plus(most->weight, share[of[i]].lost);
        share[of[i]] = (struct share){0};
    }
}

static void weigh_objects(struct look_sharing *s, const size_t *of)
{
    struct share *share = sim_alloc(s->objects + 1, sizeof *share);
    for (size_t i = 0; i < s->objects; i++)
        s->object[i].weight = s->object[i].lost;
    for (size_t i = 0; i < s->lines; i++)
        weigh_line(s, &s->line[i], of, share);
    free(share);
}

/* Of each place that has shared headers the first object, by the place's name. */
static struct known *lead_places(const struct look_sharing *s)
{
    struct known *places = NULL, *known;
    for (size_t i = 0; i < s->objects; i++) {
        if (!s->object[i].header)
            continue;
        HASH_FIND_STR(places, s->object[i].place, known);
        if (known)
            continue;
        known = sim_alloc(1, sizeof *known);
        *known = (struct known){.name = s->object[i].place, .number = SIZE_MAX};
        HASH_ADD_KEYPTR(hh, places, known->name, strlen(known->name), known);
    }
    return places;
}

/* Of objects in their order. */
static void lead_objects(struct look_sharing *s)
{
    struct known *places = lead_places(s), *known, *next;
    for (size_t i = 0; i < s->objects; i++) {
        struct look_shared_object *o = &s->object[i];
        HASH_FIND_STR(places, o->place, known);
        if (known && known->number == SIZE_MAX)
            known->number = i;
        o->lead = known ? known->number : i;
        struct look_shared_object *lead = &s->object[o->lead];
        lead->all = look_lost_plus(lead->all, o->lost);
        lead->all_weight = look_lost_plus(lead->all_weight, o->weight);
    }
    HASH_ITER(hh, places, known, next) {
        HASH_DEL(places, known);
        free(known);
    }
}

static void find_objects(struct look_sharing *s)
{
    struct known *names = NULL, *known, *next;
    size_t *of = sim_alloc(s->truth->rows + 1, sizeof *of);
    for (size_t i = 0; i < s->truth->rows; i++) {
        const struct pc_missed_row *row = &s->truth->row[i];
        const struct look_lost lost = look_lost_of(row->v);
        of[i] = SIZE_MAX;
        if (!lost.falsely && !lost.truly)
            continue;
        struct look_shared_object *object = sharing_object_of(s, &names, i);
        of[i] = (size_t)(object - s->object);
        sharing_add(object->v, row->v);
        sharing_ask(s, &object->asker, &object->askers, row);
    }
    HASH_ITER(hh, names, known, next) {
        HASH_DEL(names, known);
        free(known->name);
        free(known);
    }
    for (size_t i = 0; i < s->objects; i++) {
        s->object[i].lost = look_lost_of(s->object[i].v);
        sort_askers(s->object[i].asker, s->object[i].askers);
    }
    weigh_objects(s, of);
    free(of);
    if (s->objects)
        qsort(s->object, s->objects, sizeof *s->object, by_object);
    lead_objects(s);
}

/* ---- all ------------------------------------------------------------------------------------- */

struct look_sharing *look_sharing_new(const struct doc_truth *truth,
                                      const struct doc_profile *profile, struct look_finder *finder,
                                      struct look_code *code)
{
    struct look_measure awake = look_measure_total();
    struct look_cost all = {{0}};
    struct look_sharing *s = sim_alloc(1, sizeof *s);
    *s = (struct look_sharing){.truth = truth, .profile = profile, .finder = finder, .code = code};
    awake.less = UINT64_C(1) << PC_PROFILE_WAITING | UINT64_C(1) << PC_PROFILE_ASLEEP;
    for (size_t i = 0; i < profile->rows; i++) {
        const struct look_cost cost = look_cost_of(&profile->row[i]);
        look_cost_add(&all, &cost);
    }
    s->time = look_measured(&awake, &all);
    s->part = look_overlap_part(truth, &all);
    if (s->part < 1)
        s->truth = s->less = look_overlap_less(truth, s->part);
    find_lines(s);
    find_objects(s);
    s->rest = s->time;
    for (unsigned r = 0; r < look_request_classes; r++)
        s->rest = doc_plus(s->rest, -s->v[look_request_class[r].count + 1]);
    return s;
}

void look_sharing_free(struct look_sharing *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->lines; i++)
        free(s->line[i].asker);
    for (size_t i = 0; i < s->objects; i++) {
        free(s->object[i].asker);
        free(s->object[i].name);
        free(s->object[i].place);
    }
    free(s->line);
    free(s->object);
    look_overlap_free(s->less);
    free(s);
}
