/*
 * Sampled HITM: a counter of each processor counts accesses that another cache served which had
 * written the line, and interrupts when it overflows. The handler, or the processor for it, puts
 * the address of the access into a buffer. Afterwards samples are put together by line: a line of
 * which several threads were seen at different bytes is a suspect.
 *
 * perf c2c prints such lines with their bytes, threads and instructions, and leaves the verdict to
 * its reader; Cheetah's is the one here. A byte counts for the rule if it was sampled: nobody sees
 * more.
 *
 * The sample is not of the access that made the counter overflow, but of the first that is counted
 * `skid` PCycles later. The counter is loaded with the period, up to an eighth more or less by lot,
 * or samples would keep step with the program.
 */
#include "detect/model.h"

#include "base/alloc.h"

#include <uthash.h>

enum { HITM_GRAINS = 64 /* of a line, of which a sample knows */ };

/** A processor's counter. */
struct hitm_counter {
    uint64_t chance;
    uint64_t left;  /* until it overflows */
    sim_tick armed; /* from then on the next one counted is the sample; SIM_NEVER: it counts */
    uint64_t buffered;
};

/** What was sampled of a thread at a line. */
struct hitm_user {
    struct {
        uint64_t line, thread;
    } key;
    uint64_t read, written; /* grains */
    uint64_t samples;
    struct hitm_user *next; /* of the line */
    UT_hash_handle hh;
};

struct hitm_line {
    uint64_t line; /* virtual */
    struct hitm_user *users;
    UT_hash_handle hh;
};

struct hitm {
    struct det_seat *seat;
    const struct det_machine *machine;
    uint64_t period, skid, buffer, handler, least;
    struct hitm_counter *counter; /* [cards] */
    struct hitm_user *users;
    struct hitm_line *lines;
};

/* ---- samples --------------------------------------------------------------------------------- */

static uint64_t hitm_grains(const struct hitm *h, const struct det_event *e)
{
    const unsigned line = h->machine->line;
    const unsigned grain = line > HITM_GRAINS ? line / HITM_GRAINS : 1;
    const uint64_t first = e->va % line / grain, last = (e->va % line + e->bytes - 1) / grain;
    uint64_t grains = 0;
    for (uint64_t i = first; i <= last && i < HITM_GRAINS; i++)
        grains |= UINT64_C(1) << i;
    return grains;
}

static struct hitm_line *hitm_line_at(struct hitm *h, uint64_t at)
{
    struct hitm_line *line;
    HASH_FIND(hh, h->lines, &at, sizeof at, line);
    if (!line) {
        line = sim_alloc(1, sizeof *line);
        line->line = at;
        HASH_ADD(hh, h->lines, line, sizeof line->line, line);
    }
    return line;
}

static struct hitm_user *hitm_user_at(struct hitm *h, uint64_t at, uint64_t thread)
{
    const struct hitm_user wanted = {.key = {at, thread}};
    struct hitm_user *user;
    HASH_FIND(hh, h->users, &wanted.key, sizeof wanted.key, user);
    if (!user) {
        struct hitm_line *line = hitm_line_at(h, at);
        user = sim_alloc(1, sizeof *user);
        *user = (struct hitm_user){.key = {at, thread}, .next = line->users};
        line->users = user;
        HASH_ADD(hh, h->users, key, sizeof user->key, user);
    }
    return user;
}

/** The sample goes into the buffer, which a handler empties when it is full. */
static void hitm_sample(struct hitm *h, const struct det_event *e)
{
    struct hitm_counter *counter = &h->counter[e->card];
    struct hitm_user *user = hitm_user_at(h, e->va - e->va % h->machine->line, e->thread);
    *(e->store ? &user->written : &user->read) |= hitm_grains(h, e);
    user->samples++;
    if (++counter->buffered < h->buffer)
        return;
    counter->buffered = 0;
    det_interrupt(h->seat, e->card, h->handler * h->buffer);
}

static void hitm_filled(void *self, const struct det_event *e)
{
    struct hitm *h = self;
    struct hitm_counter *counter = &h->counter[e->card];
    if (e->served != DET_SERVED_DIRTY)
        return;
    det_counted(h->seat, 1);
    if (counter->armed == SIM_NEVER && --counter->left == 0)
        counter->armed = e->at + h->skid;
    if (e->at < counter->armed)
        return;
    hitm_sample(h, e);
    counter->armed = SIM_NEVER;
    counter->left = det_about(&counter->chance, h->period);
}

/* ---- the answer ------------------------------------------------------------------------------ */

/** How many samples of a line are of a thread that others were seen beside, at other bytes only,
 * and one of both writes; and how many of one that others were seen at its bytes. */
static void hitm_weigh(const struct hitm_line *line, uint64_t *apart, uint64_t *common)
{
    *apart = *common = 0;
    for (const struct hitm_user *a = line->users; a; a = a->next) {
        bool beside = false, meets = false;
        for (const struct hitm_user *b = line->users; b; b = b->next) {
            if (a == b || !(a->written | b->written))
                continue;
            beside = true;
            meets |= (a->written & (b->read | b->written)) || (b->written & a->read);
        }
        *apart += beside && !meets ? a->samples : 0;
        *common += meets ? a->samples : 0;
    }
}

static void hitm_answer(void *self, struct det_seat *seat)
{
    const struct hitm *h = self;
    uint64_t apart, common;
    for (const struct hitm_line *line = h->lines; line; line = line->hh.next) {
        hitm_weigh(line, &apart, &common);
        if (apart + common >= h->least)
            det_name(seat, &(struct det_named){.at = line->line,
                                               .virtual = true,
                                               .score = (double)apart / (double)(apart + common),
                                               .count = apart + common});
    }
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void hitm_begin(void *self, struct det_seat *seat)
{
    struct hitm *h = self;
    h->seat = seat;
    h->machine = det_machine(seat);
    h->period = (uint64_t)det_parameter(seat, DET_hitm_period);
    h->skid = (uint64_t)det_parameter(seat, DET_hitm_skid);
    h->buffer = (uint64_t)det_parameter(seat, DET_hitm_buffer);
    h->handler = (uint64_t)det_parameter(seat, DET_hitm_handler);
    h->least = (uint64_t)det_parameter(seat, DET_hitm_least);
    h->counter = sim_alloc(h->machine->cards, sizeof *h->counter);
    for (unsigned c = 0; c < h->machine->cards; c++) {
        struct hitm_counter *counter = &h->counter[c];
        counter->chance = det_lots(det_parameter(seat, DET_hitm_seed), c);
        counter->left = det_about(&counter->chance, h->period);
        counter->armed = SIM_NEVER;
    }
}

/* A counter of 48 bits for each processor; its buffer, and what software knows of each line and
 * thread, is memory: addresses of 64 bits, two numbers of 32, and the grains. */
static uint64_t hitm_bits(const void *self, const struct det_seat *seat)
{
    enum { COUNTER = 48, SAMPLE = 64 + 64 + 32, USER = 64 + 32 + 32 + 2 * HITM_GRAINS };
    const struct hitm *h = self;
    return det_machine(seat)->cards * (COUNTER + h->buffer * SAMPLE) +
           HASH_COUNT(h->users) * (uint64_t)USER;
}

static void hitm_end(void *self)
{
    struct hitm *h = self;
    struct hitm_user *user, *next_user;
    struct hitm_line *line, *next_line;
    HASH_ITER(hh, h->users, user, next_user) {
        HASH_DEL(h->users, user);
        free(user);
    }
    HASH_ITER(hh, h->lines, line, next_line) {
        HASH_DEL(h->lines, line);
        free(line);
    }
    free(h->counter);
}

const struct det_ops det_hitm = {
    .size = sizeof(struct hitm),
    .sees = DET_SEES_VA | DET_SEES_BYTES | DET_SEES_STORE | DET_SEES_THREAD | DET_SEES_SERVED,
    .bits = hitm_bits,
    .begin = hitm_begin,
    .answer = hitm_answer,
    .end = hitm_end,
    .filled = hitm_filled,
};
