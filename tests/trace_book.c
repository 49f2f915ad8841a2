/*
 * Signals that are kept by their changes, against a table of every tick.
 */
#include "trace/book.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>

enum { TICKS = 400, SIGNALS = 5, BOOKS = 300 };

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((*state >> 32) * below) >> 32);
}

typedef uint64_t table[SIGNALS][TICKS];

/* Values come signal by signal, each from a tick on; some last no time, some come again. */
static void fill(struct trc_book *book, table want, uint64_t *state)
{
    for (unsigned s = 0; s < SIGNALS; s++) {
        const uint64_t first = draw(state, 3) ? 0 : TRC_UNKNOWN;
        const uint32_t signal = trc_book_add(book, &(struct trc_signal){.bits = 8, .first = first});
        cr_assert_eq(signal, s);
        for (unsigned t = 0; t < TICKS; t++)
            want[s][t] = first;
        for (unsigned at = draw(state, 20); at < TICKS; at += draw(state, 12)) {
            const uint64_t value = draw(state, 3);
            trc_book_set(book, signal, at, value);
            for (unsigned t = at; t < TICKS; t++)
                want[s][t] = value;
        }
    }
}

/* What a reader of the book sees in its window; and that every change is one. */
static void check(const struct trc_book *book, table want, uint64_t seed)
{
    uint64_t now[SIGNALS];
    size_t next = 0;
    for (unsigned s = 0; s < SIGNALS; s++)
        now[s] = book->signal[s].first;
    for (sim_tick t = book->from; t < book->to; t++) {
        for (; next < book->changes && book->change[next].at == t; next++) {
            const struct trc_change *c = &book->change[next];
            cr_assert(t > book->from && now[c->signal] != c->value,
                      "book %" PRIu64 ": no change at %" PRIu64, seed, t);
            now[c->signal] = c->value;
        }
        for (unsigned s = 0; s < SIGNALS; s++)
            cr_assert_eq(now[s], want[s][t], "book %" PRIu64 ": signal %u at %" PRIu64, seed, s, t);
    }
    cr_assert_eq(next, book->changes, "book %" PRIu64 ": out of order or beyond the window", seed);
}

Test(trace_book, changes_are_the_table)
{
    static table want;
    for (uint64_t seed = 0; seed < BOOKS; seed++) {
        uint64_t state = seed;
        struct trc_book book;
        const sim_tick from = draw(&state, 2) * draw(&state, TICKS / 2),
                       to = from + 1 + draw(&state, TICKS / 2),
                       end = draw(&state, 2) ? TICKS : draw(&state, TICKS);
        trc_book_open(&book, from, to);
        fill(&book, want, &state);
        trc_book_close(&book, end);
        cr_assert_eq(book.to, sim_later(sim_earlier(to, end), from));
        check(&book, want, seed);
        trc_book_free(&book);
    }
}
