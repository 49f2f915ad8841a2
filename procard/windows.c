/*
 * A line's windows (windows.h).
 *
 * The hard idea is that requests are told when they are decided, nearly in their order only, and
 * that a run has too many to be kept. So there are twice as many windows as are wanted in the end,
 * and those that have to go together do it before it is known what comes. Whether others touch a
 * miss's bytes in its window is known when all have come, so a window keeps the sets of bytes that
 * misses have touched, each set of a row once.
 */
#include "procard/windows.h"

#include "base/alloc.h"
#include "procard/miss_columns.h"

enum { ROOM = 2 * PC_WINDOWS_MOST };

/* Bytes that a card has touched in lives or ownerships. */
struct windows_touch {
    uint32_t card;
    bool loose;   /* it is no request of the window: it belongs here by its beginning only */
    int64_t *row; /* of misses that are to be counted; NULL: of none */
    int64_t lives;
    sim_tick at; /* when the last began */
    pc_bytes bytes;
};

struct window {
    struct windows_touch *touch; /* [touches] */
    size_t touches, room;
    sim_tick begin, end;
    sim_tick cost[2]; /* truly, falsely */
    int64_t v[PC_MISS__COUNT];
};

struct pc_windows {
    size_t count, room;
    struct window window[]; /* [room] */
};

static sim_tick windows_less(sim_tick a, sim_tick b)
{
    return a < b ? a : b;
}

/* ---- bytes that are touched ------------------------------------------------------------------ */

static bool windows_alike(const struct windows_touch *a, const struct windows_touch *b)
{
    return a->card == b->card && a->row == b->row && a->loose == b->loose;
}

/* Puts down more. */
static void windows_touched(struct window *window, const struct windows_touch *more)
{
    struct windows_touch *last = NULL;
    unsigned sets = 0;
    for (size_t i = 0; i < window->touches; i++) {
        struct windows_touch *touch = &window->touch[i];
        if (!windows_alike(touch, more))
            continue;
        last = touch;
        sets++;
        if (touch->bytes == more->bytes && !more->loose)
            break;
    }
    const bool same = last && last->bytes == more->bytes && !more->loose;
    if (!last || (!same && sets < PC_WINDOWS_SETS)) {
        SIM_ROOM(window->touch, window->touches, window->room, 4);
        window->touch[window->touches++] = *more;
        return;
    }
    last->bytes |= more->bytes;
    last->lives += more->lives;
    last->at = sim_later(last->at, more->at);
}

/* A border has come between two windows: what is loose goes to its own side.
 * @param later  `to` is the one behind the border */
static void windows_move(struct window *from, struct window *to, sim_tick border, bool later)
{
    for (size_t i = from->touches; i-- > 0;) {
        const struct windows_touch touch = from->touch[i];
        if (!touch.loose || (touch.at >= border) != later)
            continue;
        windows_touched(to, &touch);
        from->touch[i] = from->touch[--from->touches];
    }
}

/* Whether others touch a miss's bytes in the window, but for what a window may mix. */
static bool windows_is_own(const struct window *window, const struct windows_touch *miss)
{
    int64_t own = 0, others = 0;
    for (size_t i = 0; i < window->touches; i++) {
        const struct windows_touch *touch = &window->touch[i];
        if (touch->bytes & miss->bytes)
            *(touch->card == miss->card ? &own : &others) += touch->lives;
    }
    return others * PC_WINDOWS_PART < own || !others;
}

/* The programmer-centric definition. */
static void windows_decide(struct window *window)
{
    for (size_t i = 0; i < window->touches; i++) {
        const struct windows_touch *touch = &window->touch[i];
        if (!touch->row)
            continue;
        const enum pc_miss_column column =
            windows_is_own(window, touch) ? PC_MISS_PROGRAMMER_FALSE : PC_MISS_PROGRAMMER_TRUE;
        window->v[column] += touch->lives;
        touch->row[column] += touch->lives;
    }
    free(window->touch);
    window->touch = NULL;
    window->touches = 0;
}

/* ---- two neighbours -------------------------------------------------------------------------- */

static sim_tick windows_mixed(const struct window *a, const struct window *b)
{
    return windows_less(a->cost[0] + b->cost[0], a->cost[1] + b->cost[1]) -
           windows_less(a->cost[0], a->cost[1]) - windows_less(b->cost[0], b->cost[1]);
}

static sim_tick windows_gap(const struct window *a, const struct window *b)
{
    return b->begin - a->end;
}

static void windows_join(struct pc_windows *w, size_t i)
{
    struct window *a = &w->window[i], *b = a + 1;
    a->end = b->end;
    for (unsigned kind = 0; kind < 2; kind++)
        a->cost[kind] += b->cost[kind];
    for (unsigned c = 0; c < PC_MISS__COUNT; c++)
        a->v[c] += b->v[c];
    for (size_t k = 0; k < b->touches; k++)
        windows_touched(a, &b->touch[k]);
    free(b->touch);
    memmove(b, b + 1, (w->count - i - 2) * sizeof *b);
    w->count--;
}

/* The window that mixes least with its follower, of those with at most `most` and `pause` between
 * them; w->count: none. */
static size_t windows_nearest(const struct pc_windows *w, sim_tick most, sim_tick pause)
{
    size_t best = w->count;
    sim_tick least = 0, gap = 0;
    for (size_t i = 0; i + 1 < w->count; i++) {
        const struct window *a = &w->window[i];
        const sim_tick mixed = windows_mixed(a, a + 1), far = windows_gap(a, a + 1);
        if (mixed > most || far > pause)
            continue;
        if (best < w->count && (mixed > least || (mixed == least && far >= gap)))
            continue;
        best = i;
        least = mixed;
        gap = far;
    }
    return best;
}

/* ---- a request ------------------------------------------------------------------------------- */

static void windows_count(struct window *window, const struct pc_shared_request *r)
{
    window->begin = sim_earlier(window->begin, r->at);
    window->end = sim_later(window->end, r->at);
    window->cost[r->falsely] += r->took;
    for (unsigned i = 0; i < r->columns; i++)
        window->v[r->column[i]]++;
    window->v[r->column[0] + 1] += (int64_t)r->took;
    windows_touched(window, &(struct windows_touch){r->card, false, r->row, 1, r->at, r->touched});
}

/* Windows that begin at or before a tick. */
static size_t windows_begun(const struct pc_windows *w, sim_tick at)
{
    size_t n = w->count;
    while (n && w->window[n - 1].begin > at)
        n--;
    return n;
}

/* Whether a window goes on with a request beside it, whatever comes: nothing is mixed, and the time
 * between them is no pause even of the line's time up to now. */
static bool windows_goes_on(const struct pc_windows *w, const struct window *window,
                            const struct pc_shared_request *r)
{
    const sim_tick first = sim_earlier(w->window[0].begin, r->at);
    const sim_tick last = sim_later(w->window[w->count - 1].end, r->at);
    const sim_tick gap = r->at > window->end ? r->at - window->end : window->begin - r->at;
    return !window->cost[!r->falsely] && gap <= (last - first) / PC_WINDOWS_PART;
}

static struct window *windows_new(struct pc_windows **windows, size_t place, sim_tick at)
{
    struct pc_windows *w = *windows;
    if (w->count == w->room) {
        w->room *= 2;
        *windows = w = sim_grow(w, 1, sizeof *w + w->room * sizeof *w->window);
    }
    struct window *window = &w->window[place];
    memmove(window + 1, window, (w->count - place) * sizeof *window);
    w->count++;
    *window = (struct window){.begin = at, .end = at};
    if (place)
        windows_move(window - 1, window, at, true);
    else if (w->count > 1)
        windows_move(window + 1, window, window[1].begin, false);
    return window;
}

void pc_windows_add(struct pc_windows **windows, const struct pc_shared_request *r)
{
    if (!*windows) {
        *windows = sim_alloc(1, sizeof **windows + sizeof(struct window));
        (*windows)->room = 1;
    }
    struct pc_windows *w = *windows;
    const size_t next = windows_begun(w, r->at);
    struct window *before = next ? &w->window[next - 1] : NULL;
    struct window *behind = next < w->count ? &w->window[next] : NULL;
    if (before && (r->at <= before->end || windows_goes_on(w, before, r))) {
        windows_count(before, r);
    } else if (behind && windows_goes_on(w, behind, r)) {
        windows_count(behind, r);
        if (before)
            windows_move(before, behind, r->at, true);
    } else {
        windows_count(windows_new(windows, next, r->at), r);
    }
    if ((*windows)->count == ROOM)
        windows_join(*windows, windows_nearest(*windows, SIM_NEVER, SIM_NEVER));
}

void pc_windows_touch(struct pc_windows *w, sim_tick at, uint32_t card, pc_bytes touched)
{
    const size_t begun = windows_begun(w, at);
    windows_touched(&w->window[begun ? begun - 1 : 0],
                    &(struct windows_touch){card, true, NULL, 1, at, touched});
}

/* ---- the end --------------------------------------------------------------------------------- */

void pc_windows_close(struct pc_windows *w)
{
    sim_tick cost = 0;
    for (size_t i = 0; i < w->count; i++)
        cost += w->window[i].cost[0] + w->window[i].cost[1];
    const sim_tick time = w->window[w->count - 1].end - w->window[0].begin;
    size_t i;
    while ((i = windows_nearest(w, cost / PC_WINDOWS_PART, time / PC_WINDOWS_PART)) < w->count)
        windows_join(w, i);
    while (w->count > PC_WINDOWS_MOST)
        windows_join(w, windows_nearest(w, SIM_NEVER, SIM_NEVER));
    for (i = 0; i < w->count; i++)
        windows_decide(&w->window[i]);
}

void pc_windows_free(struct pc_windows *w)
{
    for (size_t i = 0; w && i < w->count; i++)
        free(w->window[i].touch);
    free(w);
}

size_t pc_windows_count(const struct pc_windows *w)
{
    return w ? w->count : 0;
}

struct pc_window pc_windows_at(const struct pc_windows *w, size_t i)
{
    const struct window *window = &w->window[i];
    return (struct pc_window){window->begin, window->end, window->v};
}
