/*
 * Load-latency samples (PEBS load latency, IBS): each processor samples one of so many loads that
 * take at least so long, with its address, its latency and where it was served; and one of so many
 * stores, with its address. Samples go into a buffer, and the processor is interrupted when it is
 * full. Afterwards samples are put together by line: a line is a suspect if its slow loads were
 * served by others' caches, and were seen at other bytes than those that the others use, of which
 * one at least was seen to write.
 *
 * It cannot see lines that are only stored to: a slow store has no latency. Nor that a line is
 * written whose stores were not sampled.
 */
#include "detect/model.h"

#include "base/alloc.h"

#include <uthash.h>

enum { LOADLAT_GRAINS = 64 /* of a line, of which a sample knows */ };

/** A processor's counters and its buffer. */
struct loadlat_counter {
    uint64_t chance;
    uint64_t loads, stores; /* until the next one is sampled */
    uint64_t buffered;
};

/** What was sampled of a card at a line. */
struct loadlat_user {
    uint64_t read, written; /* grains */
    uint64_t slow;          /* samples of loads that another's cache served */
};

struct loadlat_line {
    uint64_t line;             /* virtual */
    struct loadlat_user *user; /* [cards] */
    UT_hash_handle hh;
};

struct loadlat {
    struct det_seat *seat;
    const struct det_machine *machine;
    uint64_t period, latency, stores, buffer, handler, sample, least;
    struct loadlat_counter *counter; /* [cards] */
    struct loadlat_line *lines;
};

/* ---- samples --------------------------------------------------------------------------------- */

static uint64_t loadlat_grains(const struct loadlat *l, const struct det_event *e)
{
    const unsigned line = l->machine->line;
    const unsigned grain = line > LOADLAT_GRAINS ? line / LOADLAT_GRAINS : 1;
    const uint64_t first = e->va % line / grain, last = (e->va % line + e->bytes - 1) / grain;
    uint64_t grains = 0;
    for (uint64_t i = first; i <= last && i < LOADLAT_GRAINS; i++)
        grains |= UINT64_C(1) << i;
    return grains;
}

static struct loadlat_line *loadlat_line_at(struct loadlat *l, uint64_t at)
{
    struct loadlat_line *line;
    HASH_FIND(hh, l->lines, &at, sizeof at, line);
    if (!line) {
        line = sim_alloc(1, sizeof *line);
        line->line = at;
        line->user = sim_alloc(l->machine->cards, sizeof *line->user);
        HASH_ADD(hh, l->lines, line, sizeof line->line, line);
    }
    return line;
}

/** The sample goes into the buffer, which a handler empties when it is full. */
static void loadlat_sample(struct loadlat *l, const struct det_event *e)
{
    struct loadlat_line *line = loadlat_line_at(l, e->va - e->va % l->machine->line);
    struct loadlat_counter *counter = &l->counter[e->card];
    struct loadlat_user *user = &line->user[e->card];
    const bool others = e->served == DET_SERVED_CLEAN || e->served == DET_SERVED_DIRTY;
    *(e->store ? &user->written : &user->read) |= loadlat_grains(l, e);
    user->slow += others && !e->store;
    det_counted(l->seat, 1);
    if (++counter->buffered < l->buffer)
        return;
    counter->buffered = 0;
    det_interrupt(l->seat, e->card, l->handler + l->sample * l->buffer);
}

static void loadlat_access(void *self, const struct det_event *e)
{
    struct loadlat *l = self;
    struct loadlat_counter *counter = &l->counter[e->card];
    uint64_t *left = e->store ? &counter->stores : &counter->loads;
    const uint64_t period = e->store ? l->stores : l->period;
    if (!period || (!e->store && e->latency < l->latency) || --*left)
        return;
    *left = det_about(&counter->chance, period);
    loadlat_sample(l, e);
}

/* ---- the answer ------------------------------------------------------------------------------ */

static bool loadlat_is_apart(const struct loadlat_user *a, const struct loadlat_user *b)
{
    return !(a->written & (b->read | b->written)) && !(b->written & a->read);
}

/** How many slow loads are of a card that others were seen beside, one of both writing: at other
 *  bytes only, and at its bytes. */
static void loadlat_weigh(const struct loadlat *l, const struct loadlat_line *line, uint64_t *apart,
                          uint64_t *common)
{
    const unsigned cards = l->machine->cards;
    *apart = *common = 0;
    for (const struct loadlat_user *a = line->user; a < line->user + cards; a++) {
        bool beside = false, meets = false;
        for (const struct loadlat_user *b = line->user; a->slow && b < line->user + cards; b++) {
            if (a == b || !(b->read | b->written) || !(a->written | b->written))
                continue;
            beside = true;
            meets |= !loadlat_is_apart(a, b);
        }
        *apart += beside && !meets ? a->slow : 0;
        *common += meets ? a->slow : 0;
    }
}

static void loadlat_answer(void *self, struct det_seat *seat)
{
    const struct loadlat *l = self;
    uint64_t apart, common;
    for (const struct loadlat_line *line = l->lines; line; line = line->hh.next) {
        loadlat_weigh(l, line, &apart, &common);
        if (apart + common >= l->least)
            det_name(seat, &(struct det_named){.at = line->line,
                                               .virtual = true,
                                               .score = (double)apart / (double)(apart + common),
                                               .count = apart + common});
    }
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void loadlat_begin(void *self, struct det_seat *seat)
{
    struct loadlat *l = self;
    l->seat = seat;
    l->machine = det_machine(seat);
    l->period = (uint64_t)det_parameter(seat, DET_loadlat_period);
    l->latency = (uint64_t)det_parameter(seat, DET_loadlat_latency);
    l->stores = (uint64_t)det_parameter(seat, DET_loadlat_stores);
    l->buffer = (uint64_t)det_parameter(seat, DET_loadlat_buffer);
    l->handler = (uint64_t)det_parameter(seat, DET_loadlat_handler);
    l->sample = (uint64_t)det_parameter(seat, DET_loadlat_sample);
    l->least = (uint64_t)det_parameter(seat, DET_loadlat_least);
    l->counter = sim_alloc(l->machine->cards, sizeof *l->counter);
    for (unsigned c = 0; c < l->machine->cards; c++) {
        struct loadlat_counter *counter = &l->counter[c];
        counter->chance = det_lots(det_parameter(seat, DET_loadlat_seed), c);
        counter->loads = det_about(&counter->chance, l->period);
        counter->stores = det_about(&counter->chance, l->stores);
    }
}

/* Two counters of 48 bits for each processor. A sample has the instruction's address and that of
 * the data, the latency and where it was served. Software has of each line and card two rows of
 * grains and a number. */
static uint64_t loadlat_bits(const void *self, const struct det_seat *seat)
{
    enum { COUNTER = 48, SAMPLE = 64 + 64 + 16 + 8, USER = 2 * LOADLAT_GRAINS + 32, LINE = 64 };
    const struct loadlat *l = self;
    const uint64_t cards = det_machine(seat)->cards;
    uint64_t users = 0;
    for (const struct loadlat_line *line = l->lines; line; line = line->hh.next)
        for (uint64_t c = 0; c < cards; c++)
            users += (line->user[c].read | line->user[c].written) != 0;
    return cards * (2 * COUNTER + l->buffer * SAMPLE) + users * USER + HASH_COUNT(l->lines) * LINE;
}

static void loadlat_end(void *self)
{
    struct loadlat *l = self;
    struct loadlat_line *line, *next;
    HASH_ITER(hh, l->lines, line, next) {
        HASH_DEL(l->lines, line);
        free(line->user);
        free(line);
    }
    free(l->counter);
}

const struct det_ops det_loadlat = {
    .size = sizeof(struct loadlat),
    .sees = DET_SEES_VA | DET_SEES_BYTES | DET_SEES_STORE | DET_SEES_SERVED | DET_SEES_LATENCY,
    .bits = loadlat_bits,
    .begin = loadlat_begin,
    .answer = loadlat_answer,
    .end = loadlat_end,
    .access = loadlat_access,
};
