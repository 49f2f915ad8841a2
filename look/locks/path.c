/*
 * The critical path, and the run without a lock's waits.
 *
 * The hard idea of the second is that times only ever move towards the run's beginning. Each thread
 * has what it has saved so far; a wait that stays ends when what ended it now happens, or when the
 * thread now comes to it.
 */
#include "look/locks/path.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <uthash.h>

/** A thread's waits, by their ends. */
struct line {
    uint32_t number;
    const struct doc_lock_thread *thread;
    size_t *wait; /**< [waits] indices */
    size_t waits;
    uint64_t *saved; /**< [waits] [ticks] after each */
    size_t done;     /**< of `saved` */
    uint64_t born;   /**< [ticks] saved at its birth */
    UT_hash_handle hh;
};

static struct line *path_line_of(struct line *lines, uint32_t number)
{
    struct line *line;
    HASH_FIND(hh, lines, &number, sizeof number, line);
    return line;
}

/* @param calls  with those that did not have to wait */
static struct line *lines_new(const struct doc_locks *l, bool calls)
{
    struct line *lines = NULL;
    for (size_t i = 0; i < l->threads; i++) {
        if (path_line_of(lines, l->thread[i].number))
            continue;
        struct line *line = sim_alloc(1, sizeof *line);
        line->number = l->thread[i].number;
        line->thread = &l->thread[i];
        HASH_ADD(hh, lines, number, sizeof line->number, line);
    }
    for (size_t i = 0; i < l->waits; i++) {
        struct line *line = path_line_of(lines, l->wait[i].thread);
        if (l->wait[i].call && !calls)
            continue;
        if (!(line->waits & (line->waits + 1)))
            line->wait = sim_grow(line->wait, 2 * line->waits + 1, sizeof *line->wait);
        line->wait[line->waits++] = i;
    }
    return lines;
}

static void lines_free(struct line *lines)
{
    struct line *line, *next;
    HASH_ITER(hh, lines, line, next) {
        HASH_DEL(lines, line);
        free(line->wait);
        free(line->saved);
        free(line);
    }
}

/* How many of its waits end at `at` or before, and are before number `before` of all. */
static size_t waits_to(const struct doc_locks *l, const struct line *line, sim_tick at,
                       size_t before)
{
    size_t low = 0, high = line->waits;
    while (low < high) {
        const size_t middle = low + (high - low) / 2, i = line->wait[middle];
        if (l->wait[i].end <= at && i < before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ---- the path -------------------------------------------------------------------------------- */

struct walk {
    const struct doc_locks *l;
    struct look_lock_segment *segment;
    size_t count;
};

static void path_add(struct walk *w, enum look_lock_part part, uint32_t thread, uint32_t site,
                     sim_tick from, sim_tick to)
{
    if (from >= to)
        return;
    if (!(w->count & (w->count + 1)))
        w->segment = sim_grow(w->segment, 2 * w->count + 1, sizeof *w->segment);
    w->segment[w->count++] = (struct look_lock_segment){part, thread, site, from, to};
}

/* A thread at work: what it held for the path has been held since `since`. */
static void path_work(struct walk *w, uint32_t thread, uint32_t site, sim_tick since, sim_tick from,
                      sim_tick to)
{
    const sim_tick middle = since < from ? from : since > to ? to : since;
    if (site == DOC_LOCKS_NONE) {
        path_add(w, LOOK_PART_WORK, thread, DOC_LOCKS_NONE, from, to);
        return;
    }
    path_add(w, LOOK_PART_HOLDING, thread, site, middle, to);
    path_add(w, LOOK_PART_WORK, thread, DOC_LOCKS_NONE, from, middle);
}

struct look_lock_segment *look_locks_path(const struct doc_locks *l, size_t *count)
{
    struct line *lines = lines_new(l, false), *line = path_line_of(lines, l->last);
    struct walk w = {.l = l};
    sim_tick at = l->ticks, since = at;
    size_t before = l->waits, left = l->threads;
    uint32_t held = DOC_LOCKS_NONE;
    while (line && at) {
        const size_t n = waits_to(l, line, at, before);
        if (n) {
            const size_t i = line->wait[n - 1];
            const struct doc_lock_wait *wait = &l->wait[i];
            path_work(&w, line->number, held, since, wait->end, at);
            before = i;
            held = wait->by ? wait->holder : held;
            if (wait->by) {
                path_add(&w, LOOK_PART_HANDOVER, line->number, wait->site, wait->released,
                         wait->end);
                since = wait->since;
                at = wait->released;
                line = path_line_of(lines, wait->by);
            } else {
                path_add(&w, LOOK_PART_SLEEP, line->number, wait->site, wait->begin, wait->end);
                at = wait->begin;
            }
            continue;
        }
        const sim_tick born = line->thread->born < at ? line->thread->born : at;
        path_work(&w, line->number, held, since, born, at);
        at = born;
        held = DOC_LOCKS_NONE;
        line = left-- ? path_line_of(lines, line->thread->by) : NULL;
    }
    path_add(&w, LOOK_PART_WORK, 0, DOC_LOCKS_NONE, 0, at);
    lines_free(lines);
    *count = w.count;
    return w.segment;
}

/* ---- without a lock -------------------------------------------------------------------------- */

/* What a thread had saved at a moment of the run, as far as that has been worked out. */
static uint64_t saved_at(const struct doc_locks *l, const struct line *line, sim_tick at)
{
    size_t n = waits_to(l, line, at, l->waits);
    if (n > line->done)
        n = line->done;
    return n ? line->saved[n - 1] : line->born;
}

static uint64_t saved_by(const struct doc_locks *l, struct line *lines, uint32_t number,
                         sim_tick at)
{
    const struct line *line = number ? path_line_of(lines, number) : NULL;
    return line ? saved_at(l, line, at) : 0;
}

/* Whether a wait was open when the run was cut off: what comes behind it is not known. */
static bool is_open(const struct doc_locks *l, const struct doc_lock_wait *wait)
{
    return !wait->by && !wait->call && wait->end == l->ticks;
}

/* What the thread has saved behind a wait. */
static uint64_t path_save(const struct doc_locks *l, struct line *lines, const struct line *line,
                          const struct doc_lock_wait *wait, bool gone)
{
    const uint64_t mine = line->done ? line->saved[line->done - 1] : line->born;
    const uint64_t latest = mine + (wait->end - wait->begin); /* had it not waited at all */
    if (gone && !is_open(l, wait))
        return latest;
    if (!wait->by)
        return mine;
    const uint64_t theirs = saved_by(l, lines, wait->by, wait->released);
    const uint64_t most = wait->call ? mine : latest;
    const uint64_t least = wait->call ? theirs + (wait->begin - wait->released) : theirs;
    return least < most ? least : most;
}

/* Threads are born in order, too: what its maker has saved by then is known when the first of its
 * waits comes up. */
static void be_born(const struct doc_locks *l, struct line *lines, struct line *line)
{
    if (!line->saved) {
        line->saved = sim_alloc(line->waits, sizeof *line->saved);
        line->born = saved_by(l, lines, line->thread->by, line->thread->born);
    }
}

uint64_t look_locks_bound(const struct doc_locks *l, uint32_t lock)
{
    struct line *lines = lines_new(l, true), *line;
    size_t thread = 0;
    for (size_t i = 0; i < l->waits; i++) {
        const struct doc_lock_wait *wait = &l->wait[i];
        for (; thread < l->threads && l->thread[thread].born <= wait->end; thread++)
            be_born(l, lines, path_line_of(lines, l->thread[thread].number));
        line = path_line_of(lines, wait->thread);
        be_born(l, lines, line);
        const uint64_t saved = path_save(l, lines, line, wait, l->site[wait->site].lock == lock);
        line->saved[line->done++] = saved;
    }
    for (; thread < l->threads; thread++)
        be_born(l, lines, path_line_of(lines, l->thread[thread].number));
    line = path_line_of(lines, l->last);
    const uint64_t saved = line ? saved_at(l, line, l->ticks) : 0;
    lines_free(lines);
    return saved < l->ticks ? saved : l->ticks;
}
