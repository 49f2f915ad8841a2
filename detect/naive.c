/*
 * The naive rule: a line that two cards write is shared falsely. It sees no bytes, so it names
 * lines of locks and mailboxes, too, and memory that was one's and then another's. It stands here
 * for what is to be better.
 */
#include "detect/model.h"

#include "base/alloc.h"

#include <uthash.h>

/** A line that was written. */
struct naive_line {
    uint64_t line;
    uint64_t *cards; /* a bit for each that has written it */
    unsigned writers;
    sim_tick when;   /* ... there were enough of them; 0: there are not */
    uint64_t stores; /* times that a card came to store to it */
    UT_hash_handle hh;
};

struct naive {
    const struct det_seat *seat;
    unsigned least;           /* cards */
    struct naive_line *lines; /* by address */
    struct naive_line *last;  /* that was written; NULL: none */
};

enum { NAIVE_WORD = 64 /* [bits] */ };

static size_t naive_words(const struct naive *n)
{
    return (det_machine(n->seat)->cards + NAIVE_WORD - 1) / NAIVE_WORD;
}

static struct naive_line *naive_line_at(struct naive *n, uint64_t at)
{
    struct naive_line *line = n->last;
    if (line && line->line == at)
        return line;
    HASH_FIND(hh, n->lines, &at, sizeof at, line);
    if (!line) {
        line = sim_alloc(1, sizeof *line);
        line->line = at;
        line->cards = sim_alloc(naive_words(n), sizeof *line->cards);
        HASH_ADD(hh, n->lines, line, sizeof line->line, line);
    }
    return n->last = line;
}

static void naive_access(void *self, const struct det_event *e)
{
    struct naive *n = self;
    struct naive_line *line = naive_line_at(n, e->line);
    uint64_t *word = &line->cards[e->card / NAIVE_WORD];
    const uint64_t bit = UINT64_C(1) << e->card % NAIVE_WORD;
    if (!(*word & bit) && ++line->writers == n->least)
        line->when = e->at;
    *word |= bit;
    line->stores++;
}

static void naive_begin(void *self, struct det_seat *seat)
{
    struct naive *n = self;
    n->seat = seat;
    n->least = (unsigned)det_parameter(seat, DET_naive_writers);
}

/* A bit for each card and line that was written, and the line's address. */
static uint64_t naive_bits(const void *self, const struct det_seat *seat)
{
    const struct naive *n = self;
    return HASH_COUNT(n->lines) * (uint64_t)(det_machine(seat)->address + det_machine(seat)->cards);
}

static void naive_answer(void *self, struct det_seat *seat)
{
    struct naive *n = self;
    for (struct naive_line *line = n->lines; line; line = line->hh.next)
        if (line->writers >= n->least)
            det_name(seat,
                     &(struct det_named){
                         .at = line->line, .score = 1, .count = line->stores, .when = line->when});
}

static void naive_end(void *self)
{
    struct naive *n = self;
    struct naive_line *line, *next;
    HASH_ITER(hh, n->lines, line, next) {
        HASH_DEL(n->lines, line);
        free(line->cards);
        free(line);
    }
}

const struct det_ops det_naive = {
    .size = sizeof(struct naive),
    .sees = DET_SEES_LINE,
    .leaves = DET_LEAVES_LOADS | DET_LEAVES_REPEATS,
    .bits = naive_bits,
    .begin = naive_begin,
    .answer = naive_answer,
    .end = naive_end,
    .access = naive_access,
};
