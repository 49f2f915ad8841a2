/*
 * Signals and their changes.
 *
 * A value that lasts no time is none: a change is taken back by another one at the same moment.
 * That is how the end of a tenure and the begin of the next become one change of the bus's owner.
 */
#include "trace/book.h"

#include "base/alloc.h"

#include <assert.h>

enum { NO_SIGNAL = UINT32_MAX };

void trc_book_open(struct trc_book *book, sim_tick from, sim_tick to)
{
    *book = (struct trc_book){.from = from, .to = to};
}

void trc_book_free(struct trc_book *book)
{
    free(book->signal);
    free(book->change);
    *book = (struct trc_book){0};
}

uint32_t trc_book_add(struct trc_book *book, const struct trc_signal *signal)
{
    SIM_ROOM(book->signal, book->signals, book->signals_room, 64);
    struct trc_signal *s = &book->signal[book->signals];
    *s = *signal;
    s->now = s->before = s->first;
    s->last = SIZE_MAX;
    return (uint32_t)book->signals++;
}

static void book_append(struct trc_book *book, uint32_t signal, sim_tick at, uint64_t value)
{
    SIM_ROOM(book->change, book->changes, book->changes_room, 4096);
    book->signal[signal].last = book->changes;
    book->change[book->changes] = (struct trc_change){at, value, signal, (uint32_t)book->changes};
    book->changes++;
}

void trc_book_set(struct trc_book *book, uint32_t signal, sim_tick at, uint64_t value)
{
    struct trc_signal *s = &book->signal[signal];
    struct trc_change *last = s->last == SIZE_MAX ? NULL : &book->change[s->last];
    assert(!last || at >= last->at);
    if (at <= book->from) {
        s->first = s->now = s->before = value;
    } else if (last && last->at == at) {
        last->value = value;
        s->now = value;
        if (value == s->before) {
            last->signal = NO_SIGNAL;
            s->last = SIZE_MAX;
        }
    } else if (at < book->to && value != s->now) {
        s->before = s->now;
        s->now = value;
        book_append(book, signal, at, value);
    }
}

static int book_by_time(const void *x, const void *y)
{
    const struct trc_change *a = x, *b = y;
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->signal != b->signal)
        return a->signal < b->signal ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void trc_book_close(struct trc_book *book, sim_tick to)
{
    size_t kept = 0;
    if (book->from >= to)
        book->signals = book->changes = 0;
    book->to = sim_later(sim_earlier(book->to, to), book->from);
    for (size_t i = 0; i < book->changes; i++)
        if (book->change[i].signal != NO_SIGNAL && book->change[i].at < book->to)
            book->change[kept++] = book->change[i];
    book->changes = kept;
    if (kept)
        qsort(book->change, kept, sizeof *book->change, book_by_time);
}
