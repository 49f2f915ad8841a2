/*
 * The search for the changes that gain most together.
 *
 * The hard idea is that gains do not add up: two changes may lose alone and gain together, or the
 * reverse. So after each candidate has been tried alone, the search starts from several sets (the
 * best one alone, all that gained, everything), and goes on to neighbours: a set with one candidate
 * less, one exchanged for another layout of its objects, or one more. Candidates that come to gain
 * nothing beside others are dropped again. Pages come last, because data can be laid out for every
 * machine, and their places are this one's.
 */
#include "look/mend/mend.h"

#include "base/alloc.h"
#include "look/mend/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORK = 100,   /* one part in so many of the instructions is clearly more or less work */
    LEAST = 500,  /* each object that is changed has to bring one part in so many of the time */
    QUEUE = 1024, /* sets that wait for their run */
};

struct search {
    struct look_mend *m;
    look_mend_run_fn *run;
    void *ctx;
    look_mend_set queue[QUEUE]; /* [queued] */
    size_t queued;
    bool stopped;
};

/* ---- sets ------------------------------------------------------------------------------------ */

static look_mend_set bit_of(size_t candidate)
{
    return (look_mend_set)1 << candidate;
}

/* The objects that a set changes. */
static unsigned objects_of(const struct look_mend *m, look_mend_set set)
{
    unsigned objects = 0;
    for (size_t i = 0; i < m->candidates; i++)
        if (set & bit_of(i))
            objects |= m->candidate[i].objects;
    return objects;
}

/* The set without what changes the objects of a candidate, and with that. */
static look_mend_set mend_with(const struct look_mend *m, look_mend_set set, size_t candidate)
{
    for (size_t i = 0; i < m->candidates; i++)
        if (m->candidate[i].objects & m->candidate[candidate].objects)
            set &= ~bit_of(i);
    return set | bit_of(candidate);
}

const struct look_mend_trial *look_mend_tried(const struct look_mend *m, look_mend_set set)
{
    for (size_t i = 0; i < m->trials; i++)
        if (m->trial[i].set == set)
            return &m->trial[i];
    return NULL;
}

void look_mend_layout(const struct look_mend *m, look_mend_set set, struct look_layout *layout)
{
    for (size_t i = 0; i < m->candidates; i++)
        if (set & bit_of(i))
            look_layout_join(layout, &m->candidate[i].layout);
}

bool look_mend_moves(const struct look_mend_candidate *candidate)
{
    return !candidate->names[0];
}

const struct look_mend_candidate *look_mend_mover(const struct look_mend *m, look_mend_set set)
{
    for (size_t i = 0; i < m->candidates; i++)
        if (set & bit_of(i) && look_mend_moves(&m->candidate[i]))
            return &m->candidate[i];
    return NULL;
}

double look_mend_gain(const struct look_mend *m, const struct look_mend_trial *trial)
{
    return 100.0 * ((double)m->before - (double)trial->result.ticks) / (double)m->before;
}

/* [PCycles] that threads spun, in loops of the program or of a spin lock: they execute up to an
 * instruction in each. */
static uint64_t mend_spun(const struct look_mend *m)
{
    const struct look_locks_view *view = m->locks;
    uint64_t spun = 0;
    for (size_t i = 0; i < view->rows; i++) {
        const unsigned kind = view->locks->lock[view->row[i].lock].kind;
        if (kind == DOC_LOCK_spin || kind == DOC_LOCK_spinlock)
            spun += view->row[i].v[DOC_LOCK_SPUN];
    }
    return spun;
}

/* What is executed again because a line was away costs more time than instructions: of that, the
 * time changes more, and in the same direction. */
bool look_mend_differs(const struct look_mend *m, const struct look_mend_trial *trial)
{
    const double was = (double)m->instructions, more = (double)trial->result.instructions - was,
                 longer = -look_mend_gain(m, trial) / 100;
    const bool again = more / was * longer > 0 && fabs(more / was) <= fabs(longer);
    return was > 0 && trial->result.compares && fabs(more) > was / WORK && !again &&
           fabs(more) > (double)mend_spun(m);
}

/* ---- which is better ------------------------------------------------------------------------- */

/* How much work a change is to write: parts that no declaration has are the most. */
static const unsigned price[LOOK_UNIT__COUNT] = {
    [LOOK_UNIT_objects] = 1, [LOOK_UNIT_elements] = 1, [LOOK_UNIT_members] = 1,
    [LOOK_UNIT_leaves] = 1,  [LOOK_UNIT_sides] = 1,    [LOOK_UNIT_threads] = 5,
    [LOOK_UNIT_writers] = 5, [LOOK_UNIT_words] = 8};

/* Changes that bring next to nothing are not worth a programmer's time. [ticks] */
static double price_of(const struct look_mend *m, look_mend_set set)
{
    unsigned sum = 0;
    for (size_t i = 0; i < m->candidates; i++)
        if (set & bit_of(i))
            sum += look_mend_moves(&m->candidate[i]) ? 1 : price[m->candidate[i].unit];
    return (double)sum * (double)m->before / LEAST;
}

/* Of a set that was tried; the empty one is the program as it is. @return false: there is none */
static bool score_of(const struct look_mend *m, look_mend_set set, double *score)
{
    const struct look_mend_trial *trial = look_mend_tried(m, set);
    if (set && (!trial || !trial->result.compares))
        return false;
    *score = price_of(m, set) + (double)(set ? trial->result.ticks : m->before);
    return true;
}

static bool is_better(const struct look_mend *m, look_mend_set a, look_mend_set b)
{
    double of_a, of_b;
    return score_of(m, a, &of_a) && (!score_of(m, b, &of_b) || of_a < of_b);
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void search_ask(struct search *s, look_mend_set set)
{
    if (!set || look_mend_tried(s->m, set) || s->queued == QUEUE)
        return;
    for (size_t i = 0; i < s->queued; i++)
        if (s->queue[i] == set)
            return;
    s->queue[s->queued++] = set;
}

/* What was asked for, as far as the budget goes. */
static void search_try(struct search *s)
{
    struct look_mend *m = s->m;
    const size_t left = m->runs - m->trials, count = s->queued < left ? s->queued : left;
    struct look_mend_result *result = sim_alloc(count, sizeof *result);
    if (count && !s->stopped)
        s->stopped = !s->run(s->ctx, m, s->queue, count, result);
    for (size_t i = 0; i < count && !s->stopped; i++)
        m->trial[m->trials++] = (struct look_mend_trial){s->queue[i], result[i]};
    free(result);
    s->queued = 0;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* @param moves  candidates that move pages are among them */
static void ask_neighbours(struct search *s, look_mend_set set, bool moves)
{
    const struct look_mend *m = s->m;
    for (size_t i = 0; i < m->candidates; i++)
        if (set & bit_of(i))
            search_ask(s, set & ~bit_of(i));
    for (size_t i = 0; i < m->candidates; i++)
        if (!(set & bit_of(i)) && objects_of(m, set) & m->candidate[i].objects)
            search_ask(s, mend_with(m, set, i));
    for (size_t i = 0; i < m->candidates; i++)
        if (moves || !look_mend_moves(&m->candidate[i]))
            search_ask(s, mend_with(m, set, i));
}

/* @param moves  sets that move pages are among them */
static look_mend_set mend_best(const struct look_mend *m, bool moves)
{
    look_mend_set best = 0;
    for (size_t i = 0; i < m->trials; i++)
        if ((moves || !look_mend_mover(m, m->trial[i].set)) && is_better(m, m->trial[i].set, best))
            best = m->trial[i].set;
    return best;
}

/* The best by itself of those that change just these objects; 0: none did. */
static look_mend_set best_alone(const struct look_mend *m, unsigned objects)
{
    look_mend_set best = 0;
    for (size_t i = 0; i < m->candidates; i++)
        if (m->candidate[i].objects == objects && (!best || is_better(m, bit_of(i), best)))
            best = bit_of(i);
    return best;
}

/* Every object in the layout that was best for it; or only those that gained. */
static look_mend_set best_shapes(const struct look_mend *m, bool gained)
{
    look_mend_set all = 0;
    for (unsigned of = 0; of < m->objects; of++) {
        const look_mend_set best = best_alone(m, 1u << of);
        if (best && (!gained || is_better(m, best, 0)))
            all |= best;
    }
    return all;
}

static void try_alone(struct search *s)
{
    const size_t most = (s->m->runs + 1) / 2;
    for (size_t i = 0; i < s->m->candidates && i < most; i++)
        search_ask(s, bit_of(i));
    search_try(s);
}

/* From where the search goes on: sets of many. */
static void try_many(struct search *s)
{
    const look_mend_set all = best_shapes(s->m, false);
    search_ask(s, best_shapes(s->m, true));
    search_ask(s, all);
    search_try(s);
    for (size_t i = 0; i < s->m->candidates; i++)
        if (all & bit_of(i))
            search_ask(s, all & ~bit_of(i));
    search_try(s);
}

static void try_neighbours(struct search *s, bool moves)
{
    look_mend_set known;
    do {
        known = mend_best(s->m, moves);
        ask_neighbours(s, known, moves);
        search_try(s);
    } while (mend_best(s->m, moves) != known && !s->stopped && s->m->trials < s->m->runs);
}

/* What is left of the budget goes to pairs. */
static void try_pairs(struct search *s)
{
    for (size_t i = 0; i < s->m->candidates; i++)
        for (size_t k = 0; k < i; k++)
            search_ask(s, mend_with(s->m, bit_of(i), k));
    search_try(s);
}

bool look_mend_search(struct look_mend *m, unsigned runs, look_mend_run_fn *run, void *ctx)
{
    struct search s = {.m = m, .run = run, .ctx = ctx};
    m->runs = runs;
    m->trial = sim_alloc(runs, sizeof *m->trial);
    try_alone(&s);
    try_many(&s);
    try_neighbours(&s, false);
    if (!mend_best(m, false))
        try_pairs(&s);
    try_neighbours(&s, true);
    m->best = look_mend_tried(m, mend_best(m, true));
    m->best_layout = look_mend_tried(m, mend_best(m, false));
    return !s.stopped;
}

struct look_mend *look_mend_new(const struct look_sharing *sharing,
                                const struct look_locks_view *locks, const struct look_pages *pages,
                                const struct doc_objects *objects)
{
    struct look_mend *m = sim_alloc(1, sizeof *m);
    *m = (struct look_mend){
        .sharing = sharing, .locks = locks, .pages = pages, .before = sharing->code->ticks};
    look_mend_find(m, objects);
    return m;
}

void look_mend_free(struct look_mend *m)
{
    if (!m)
        return;
    look_mend_lose(m);
    free(m->trial);
    free(m);
}
