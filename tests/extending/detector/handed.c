/*
 * A detector of one's own (docs/extending.md): each card has a few counters, and counts how often
 * each line was taken from it. It names what was taken most. A line that comes to the place of
 * another one begins anew.
 */
#include "detect/model.h"

#include "base/alloc.h"

/** A counter. */
struct handed_counter {
    uint64_t line;
    uint64_t taken;
};

/** All that it keeps; it begins zeroed. */
struct handed {
    struct det_seat *seat;
    struct handed_counter *counter; /* [cards * entries] */
    uint64_t entries;
};

static void handed_begin(void *self, struct det_seat *seat)
{
    struct handed *h = self;
    h->seat = seat;
    h->entries = (uint64_t)det_parameter(seat, DET_handed_entries);
    h->counter = sim_alloc(det_machine(seat)->cards * h->entries, sizeof *h->counter);
}

static void handed_taken(void *self, const struct det_event *event)
{
    struct handed *h = self;
    const uint64_t place = event->line / det_machine(h->seat)->line % h->entries;
    struct handed_counter *counter = &h->counter[event->card * h->entries + place];
    if (counter->line != event->line)
        *counter = (struct handed_counter){.line = event->line};
    counter->taken++;
    det_counted(h->seat, 1);
}

/* An address and 16 bits of a counter, in each place. */
static uint64_t handed_bits(const void *self, const struct det_seat *seat)
{
    const struct handed *h = self;
    enum { COUNTER = 16 };
    return det_machine(seat)->cards * h->entries * (det_machine(seat)->address + COUNTER);
}

/* A line that several cards have counted is named once, by the first of them. */
static bool handed_is_named(const struct handed *h, unsigned card, uint64_t place)
{
    for (unsigned c = 0; c < card; c++)
        if (h->counter[c * h->entries + place].line == h->counter[card * h->entries + place].line)
            return true;
    return false;
}

static void handed_answer(void *self, struct det_seat *seat)
{
    const struct handed *h = self;
    const uint64_t least = (uint64_t)det_parameter(seat, DET_handed_least);
    for (unsigned card = 0; card < det_machine(seat)->cards; card++)
        for (uint64_t place = 0; place < h->entries; place++) {
            const struct handed_counter *counter = &h->counter[card * h->entries + place];
            if (counter->taken >= least && !handed_is_named(h, card, place))
                det_name(seat, &(struct det_named){
                                   .at = counter->line, .score = 1, .count = counter->taken});
        }
}

static void handed_end(void *self)
{
    free(((struct handed *)self)->counter);
}

const struct det_ops det_handed = {
    .size = sizeof(struct handed),
    .sees = DET_SEES_LINE,
    .bits = handed_bits,
    .begin = handed_begin,
    .answer = handed_answer,
    .end = handed_end,
    .taken = handed_taken,
};
