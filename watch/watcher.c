/*
 * The observer. A line is meant by its virtual address, which has memory only when a page is given
 * to it: the machine's own addresses become known then.
 */
#include "watch/watcher.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t line_size(const struct watch_watcher *w)
{
    return nm_value_l2_line(nm_machine_params(w->live->machine));
}

/* The bytes of a symbol, or of the one at an offset in it. */
static bool watcher_find(struct watch_watcher *w, char *why, size_t size)
{
    struct prog_names *names = run_names(w->live);
    char *name = sim_strdup(w->symbol), *plus = strchr(name, '+');
    uint64_t from = 0, to = 0;
    if (plus)
        *plus = '\0';
    const bool found = names && names->find && names->find(names, name, &from, &to);
    if (!found)
        snprintf(why, size, "--symbol: the program has no variable and no function '%.100s'%s",
                 name, strpbrk(name, ".[") ? " (of a member, say its place: NAME+BYTES)" : "");
    w->va = from + (plus ? strtoull(plus + 1, NULL, 0) : 0);
    w->va_to = plus ? w->va + 1 : to;
    free(name);
    return found;
}

static enum run_begun watcher_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct watch_watcher *w = self;
    w->live = live;
    if (nm_value_mode(nm_machine_params(live->machine)) != NM_MODE_TIMED) {
        snprintf(why, size, "a run that is not timed has no messages to be watched");
        return RUN_REFUSED;
    }
    if (w->symbol ? !watcher_find(w, why, size) : false)
        return RUN_REFUSED;
    if (!w->symbol) {
        w->va = w->line;
        w->va_to = w->line + 1;
    }
    const uint64_t line = line_size(w);
    w->va -= w->va % line;
    w->va_to = (w->va_to + line - 1) / line * line;
    return RUN_BEGUN;
}

static void watcher_paged(void *self, uint64_t va, uint64_t pa)
{
    struct watch_watcher *w = self;
    const uint64_t page = nm_value_page_size(nm_machine_params(w->live->machine));
    const uint64_t from = w->va > va ? w->va : va, to = w->va_to < va + page ? w->va_to : va + page;
    if (from >= to)
        return;
    const struct watch_range range = {pa + (from - va), pa + (to - va)};
    SIM_ROOM(w->range, w->ranges, w->room, 4);
    w->range[w->ranges++] = range;
    w->placed = true;
    if (w->listening)
        watch_follow(w->listening, range);
}

static sim_tick watcher_first(void *self)
{
    return ((const struct watch_watcher *)self)->from;
}

static void watcher_end(struct watch_watcher *w)
{
    if (w->listening)
        watch_close(w->listening, &w->record);
    w->listening = NULL;
    w->over = true;
}

static sim_tick watcher_moment(void *self, sim_tick at)
{
    enum { LOOK = 100000 }; /* [ticks] is there still room? */
    struct watch_watcher *w = self;
    if (w->over)
        return SIM_NEVER;
    if (!w->listening) {
        w->listening = watch_open(w->live->machine, false);
        for (size_t i = 0; i < w->ranges; i++)
            watch_follow(w->listening, w->range[i]);
    } else if (at >= w->to || watch_is_full(w->listening)) {
        watcher_end(w);
        return SIM_NEVER;
    }
    return sim_earlier(w->to, at + LOOK);
}

static void watcher_finish(void *self, sim_tick at)
{
    (void)at;
    watcher_end(self);
    ((struct watch_watcher *)self)->ran = true;
}

static void watcher_concluded(void *self)
{
    struct watch_watcher *w = self;
    w->result = w->live->run.hash.result;
    w->whole = w->live->run.outcome.end == PROG_EXITED;
}

static void watcher_release(void *self)
{
    struct watch_watcher *w = self;
    watcher_end(w);
    free(w->range);
    w->range = NULL;
}

const struct run_observer watch_observer = {.begin = watcher_begin,
                                            .paged = watcher_paged,
                                            .first = watcher_first,
                                            .moment = watcher_moment,
                                            .finish = watcher_finish,
                                            .concluded = watcher_concluded,
                                            .release = watcher_release};
