/*
 * Sums by lock: who waited, how evenly, and who made them wait.
 */
#include "look/locks/view.h"

#include "base/alloc.h"
#include "documents/rows/locks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BOUNDS = 64 /**< locks whose bound is worked out: whose calls and waits took longest */ };

const struct look_locks_format look_locks_formats[] = {
    {"text", look_locks_text}, {"json", look_locks_json}, {"csv", look_locks_csv}};

/* ---- figures --------------------------------------------------------------------------------- */

static const char *const more_figures[] = {
    [LOOK_LOCK_HELD_P99 - DOC_LOCK_COLUMNS] = "held_p99",
    [LOOK_LOCK_HANDOVER_P99 - DOC_LOCK_COLUMNS] = "handover_p99",
    [LOOK_LOCK_WAITERS - DOC_LOCK_COLUMNS] = "waiters",
    [LOOK_LOCK_FAIRNESS - DOC_LOCK_COLUMNS] = "fairness",
    [LOOK_LOCK_PATH - DOC_LOCK_COLUMNS] = "path",
    [LOOK_LOCK_BOUND - DOC_LOCK_COLUMNS] = "bound",
};

const char *look_lock_figure_name(unsigned figure, char buf[DOC_COLUMN_NAME])
{
    if (figure < DOC_LOCK_COLUMNS)
        return doc_lock_column_name(figure, buf);
    snprintf(buf, DOC_COLUMN_NAME, "%s", more_figures[figure - DOC_LOCK_COLUMNS]);
    return buf;
}

bool look_lock_figure_find(const char *name, unsigned *figure)
{
    char known[DOC_COLUMN_NAME];
    for (unsigned i = 0; i < LOOK_LOCK_FIGURES; i++)
        if (!strcmp(name, look_lock_figure_name(i, known))) {
            *figure = i;
            return true;
        }
    return false;
}

static uint64_t no_more(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}

/* What 99 % did not exceed: a bucket's longest may be longer than any. */
static uint64_t most_of(const struct doc_times *times, uint64_t longest)
{
    return no_more(doc_times_quantile(times, 990), longest);
}

double look_lock_figure_of(const struct look_locks_view *view, const struct look_lock_row *row,
                           unsigned figure)
{
    const struct doc_lock *lock = &view->locks->lock[row->lock];
    switch (figure) {
    case LOOK_LOCK_HELD_P99:
        return (double)most_of(&lock->held, row->v[DOC_LOCK_HELD_LONGEST]);
    case LOOK_LOCK_HANDOVER_P99:
        return (double)most_of(&lock->handover, row->v[DOC_LOCK_HANDOVER_LONGEST]);
    case LOOK_LOCK_WAITERS:
        return row->waiters;
    case LOOK_LOCK_FAIRNESS:
        return row->fairness;
    case LOOK_LOCK_PATH:
        return (double)row->path;
    case LOOK_LOCK_BOUND:
        return row->bound_known ? (double)row->bound : 0;
    default:
        return (double)row->v[figure];
    }
}

bool look_lock_figure_known(const struct look_lock_row *row, unsigned figure)
{
    switch (figure) {
    case LOOK_LOCK_HELD_P99:
        return row->v[DOC_LOCK_HOLDS];
    case LOOK_LOCK_HANDOVER_P99:
        return row->v[DOC_LOCK_HANDOVERS];
    case LOOK_LOCK_FAIRNESS:
        return row->waiters;
    case LOOK_LOCK_BOUND:
        return row->bound_known;
    default:
        return true;
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The thread whose end is waited for. A join that need not wait begins when its thread is over. */
static const struct doc_thread *joined_thread(const struct look_locks_view *view, uint32_t lock,
                                              const struct look_object *object)
{
    const struct doc_lock *l = &view->locks->lock[lock];
    if (l->kind != DOC_LOCK_join)
        return NULL;
    return object->thread ? object->thread
                          : look_object_thread(view->finder, l->address, view->use[lock].to);
}

void look_lock_label(const struct look_locks_view *view, uint32_t lock, FILE *out)
{
    const struct doc_lock *l = &view->locks->lock[lock];
    struct look_object object;
    if (l->address == DOC_LOCKS_NOWHERE) {
        fputs(l->kind == DOC_LOCK_sleep ? "(no lock)" : "(others)", out);
        return;
    }
    look_object_at(view->finder, l->address, view->use[lock].from, view->use[lock].to, &object);
    const struct doc_thread *thread = joined_thread(view, lock, &object);
    if (thread) { /* its descriptor is at the end of its stack */
        fprintf(out, "thread %" PRIu32, thread->number);
        return;
    }
    look_object_cut_library(object.name); /* a lock is what the program calls one */
    fputs(object.name, out);
}

/* A lock that nobody waited for may have been used at any time. */
static void find_uses(struct look_locks_view *view)
{
    const struct doc_locks *l = view->locks;
    view->use = sim_alloc(l->locks, sizeof *view->use);
    for (size_t i = 0; i < l->locks; i++)
        view->use[i] = (struct look_lock_use){.from = SIM_NEVER};
    for (size_t i = 0; i < l->waits; i++) {
        struct look_lock_use *use = &view->use[l->site[l->wait[i].site].lock];
        use->from = sim_earlier(use->from, l->wait[i].begin);
        use->to = sim_later(use->to, l->wait[i].end);
    }
    for (size_t i = 0; i < l->locks; i++)
        if (view->use[i].from == SIM_NEVER)
            view->use[i] = (struct look_lock_use){0, l->ticks};
}

void look_lock_place_put(const struct look_locks_view *view, uint64_t pc, FILE *out)
{
    if (pc == DOC_LOCKS_NOWHERE)
        fputs("(not known)", out);
    else
        look_place_put(view->code, pc, out);
}

char *look_lock_label_text(const struct look_locks_view *view, uint32_t lock)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    look_lock_label(view, lock, out);
    sim_text_close(out, &text);
    return text;
}

/* ---- places ---------------------------------------------------------------------------------- */

static int place_by_pc(const void *x, const void *y)
{
    const struct look_lock_place *a = x, *b = y;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int place_by_most(const void *x, const void *y)
{
    const struct look_lock_place *a = x, *b = y;
    return a->n != b->n ? (a->n > b->n ? -1 : 1) : place_by_pc(x, y);
}

struct look_lock_place *look_lock_places(const struct look_locks_view *view, uint32_t lock,
                                         unsigned column, size_t *count)
{
    const struct doc_locks *l = view->locks;
    struct look_lock_place *place = sim_alloc(l->sites, sizeof *place);
    size_t all = 0;
    *count = 0;
    for (size_t i = 0; i < l->sites; i++)
        if (l->site[i].lock == lock && l->site[i].v[column])
            place[all++] = (struct look_lock_place){l->site[i].pc, l->site[i].v[column]};
    if (all)
        qsort(place, all, sizeof *place, place_by_pc);
    for (size_t i = 0; i < all; i++)
        if (*count && place[*count - 1].pc == place[i].pc)
            place[*count - 1].n += place[i].n;
        else
            place[(*count)++] = place[i];
    if (*count)
        qsort(place, *count, sizeof *place, place_by_most);
    return place;
}

static bool is_dear(const struct look_locks_view *view, const struct look_lock_row *row)
{
    const uint32_t how = 1u << DOC_LOCK_join | 1u << DOC_LOCK_sleep | 1u << DOC_LOCK_once |
                         1u << DOC_LOCK_condition | 1u << DOC_LOCK_semaphore;
    const struct doc_locks *l = view->locks;
    return !(how >> l->lock[row->lock].kind & 1) && row->v[DOC_LOCK_WAITED] &&
           row->v[DOC_LOCK_WAITED] >= look_locks_time(l) / LOOK_LOCK_DEAR && row->bound_known &&
           row->bound >= l->ticks / LOOK_LOCK_DEAR;
}

static bool is_waited_longer(const struct look_lock_row *a, const struct look_lock_row *b)
{
    const uint64_t of_a = a->v[DOC_LOCK_WAITED], of_b = b->v[DOC_LOCK_WAITED];
    return of_a != of_b ? of_a > of_b : a->lock < b->lock;
}

const struct look_lock_row *look_lock_dear(const struct look_locks_view *view,
                                           const struct look_lock_row *before)
{
    const struct look_lock_row *best = NULL;
    for (size_t i = 0; i < view->rows; i++) {
        const struct look_lock_row *row = &view->row[i];
        if ((!before || is_waited_longer(before, row)) && (!best || is_waited_longer(row, best)) &&
            is_dear(view, row))
            best = row;
    }
    return best;
}

uint64_t look_locks_time(const struct doc_locks *locks)
{
    uint64_t time = 0;
    for (size_t i = 0; i < locks->threads; i++)
        time += locks->thread[i].ended - locks->thread[i].born;
    return time;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void view_more(const struct doc_locks *l, uint32_t *most, uint32_t site, unsigned column)
{
    const uint64_t n = l->site[site].v[column];
    if (n && (*most == DOC_LOCKS_NONE || n > l->site[*most].v[column]))
        *most = site;
}

static void sum_sites(struct look_locks_view *view, struct look_lock_row *row)
{
    const struct doc_locks *l = view->locks;
    for (size_t i = 0; i < l->locks; i++)
        row[i] = (struct look_lock_row){
            .lock = (uint32_t)i, .holder = DOC_LOCKS_NONE, .waiter = DOC_LOCKS_NONE};
    for (uint32_t i = 0; i < l->sites; i++) {
        struct look_lock_row *of = &row[l->site[i].lock];
        doc_lock_add(of->v, l->site[i].v);
        view_more(l, &of->holder, i, DOC_LOCK_DELAYED);
        view_more(l, &of->waiter, i, DOC_LOCK_WAITED);
    }
}

/** How long a thread waited for a lock. */
struct share {
    uint32_t lock, thread;
    uint64_t waited;
};

static int by_lock(const void *x, const void *y)
{
    const struct share *a = x, *b = y;
    if (a->lock != b->lock)
        return a->lock < b->lock ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Jain's index of each lock's waiting times by thread. */
static void be_fair(const struct doc_locks *l, struct look_lock_row *row)
{
    struct share *share = sim_alloc(l->sites, sizeof *share);
    size_t count = 0;
    for (size_t i = 0; i < l->sites; i++)
        if (l->site[i].v[DOC_LOCK_WAITED])
            share[count++] =
                (struct share){l->site[i].lock, l->site[i].thread, l->site[i].v[DOC_LOCK_WAITED]};
    if (count)
        qsort(share, count, sizeof *share, by_lock);
    for (size_t i = 0; i < count;) {
        struct look_lock_row *of = &row[share[i].lock];
        double sum = 0, squares = 0;
        while (i < count && share[i].lock == of->lock) {
            const uint32_t thread = share[i].thread;
            double waited = 0;
            for (; i < count && share[i].lock == of->lock && share[i].thread == thread; i++)
                waited += (double)share[i].waited;
            of->waiters++;
            sum += waited;
            squares += waited * waited;
        }
        of->fairness = sum * sum / (of->waiters * squares);
    }
    free(share);
}

static void sum_path(const struct look_locks_view *view, struct look_lock_row *row)
{
    for (size_t i = 0; i < view->segments; i++) {
        const struct look_lock_segment *s = &view->segment[i];
        if (s->site != DOC_LOCKS_NONE)
            row[view->locks->site[s->site].lock].path += s->to - s->from;
    }
}

/* [ticks] What the calls of each lock took, and its waits: without it that would be gone. */
static uint64_t *times_of(const struct doc_locks *l)
{
    uint64_t *time = sim_alloc(l->locks, sizeof *time);
    for (size_t i = 0; i < l->waits; i++)
        time[l->site[l->wait[i].site].lock] += l->wait[i].end - l->wait[i].begin;
    return time;
}

static void find_bounds(const struct look_locks_view *view, struct look_lock_row *row, size_t rows)
{
    uint64_t *time = times_of(view->locks);
    for (unsigned n = 0; n < BOUNDS; n++) {
        struct look_lock_row *most = NULL;
        for (size_t i = 0; i < rows; i++)
            if (!row[i].bound_known && (!most || time[row[i].lock] > time[most->lock]))
                most = &row[i];
        if (!most)
            break;
        most->bound = time[most->lock] ? look_locks_bound(view->locks, most->lock) : 0;
        most->bound_known = true;
    }
    free(time);
}

/* ---- the view -------------------------------------------------------------------------------- */

static int by_figure(const void *x, const void *y, void *ctx)
{
    const struct look_lock_row *a = x, *b = y;
    const struct look_locks_view *view = ctx;
    const double of_a = look_lock_figure_of(view, a, view->sort);
    const double of_b = look_lock_figure_of(view, b, view->sort);
    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    return a->lock < b->lock ? -1 : a->lock > b->lock;
}

static bool is_named(const struct look_locks_view *view, uint32_t lock, const char *name)
{
    const uint64_t address = view->locks->lock[lock].address;
    char *label = look_lock_label_text(view, lock), *end;
    char *brief = look_object_brief(view->finder, name);
    const bool same = !strcmp(label, name) || (brief && !strcmp(label, brief)) ||
                      (!strncmp(name, "0x", 2) && strtoull(name, &end, 16) == address && !*end);
    free(brief);
    free(label);
    return same;
}

static bool view_pick(struct look_locks_view *view, const char *name, char *why, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < view->rows; i++)
        if (!name || is_named(view, view->row[i].lock, name))
            view->row[kept++] = view->row[i];
    view->rows = kept;
    if (name && !kept)
        snprintf(why, size, "--lock: the run has no lock '%.100s'", name);
    return kept || !name;
}

bool look_locks_view_open(struct look_locks_view *view, const char *lock, char *why, size_t size)
{
    find_uses(view);
    view->row = sim_alloc(view->locks->locks, sizeof *view->row);
    view->rows = view->locks->locks;
    view->segment = look_locks_path(view->locks, &view->segments);
    sum_sites(view, view->row);
    be_fair(view->locks, view->row);
    sum_path(view, view->row);
    find_bounds(view, view->row, view->rows);
    for (size_t i = 0; i < view->rows; i++)
        doc_lock_add(view->whole, view->row[i].v);
    if (!view_pick(view, lock, why, size))
        return false;
    if (view->rows)
        qsort_r(view->row, view->rows, sizeof *view->row, by_figure, view);
    return true;
}

void look_locks_view_close(struct look_locks_view *view)
{
    free(view->use);
    free(view->row);
    free(view->segment);
    view->use = NULL;
    view->row = NULL;
    view->segment = NULL;
}
