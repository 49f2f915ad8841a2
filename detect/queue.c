/*
 * A calendar: a list of events for each of so many ticks from `from` on, and one of all that comes
 * later. A tick's list is by card, with its last event in front: a station's cards tell in their
 * order, and stations in theirs, so that a new event nearly always goes there.
 */
#include "detect/queue.h"

#include "base/alloc.h"

#include <assert.h>

enum { QUEUE_TICKS = 4096 /* a power of two; more than a window, and what cards run ahead */ };

/** Number of an entry; 0: none. */
typedef uint32_t queue_place;

struct queue_told {
    struct det_event event;
    enum det_event_kind kind;
};

struct queue_entry {
    struct queue_told told;
    queue_place next; /* of its tick the one before it; of a free one another that is free */
};

struct det_queue {
    sim_tick from;                 /* all before has been taken */
    queue_place last[QUEUE_TICKS]; /* of each tick from `from` on: its last event */
    size_t count;                  /* events that these ticks have */
    struct queue_entry *entry;     /* [entries]; the first is none */
    size_t entries, room;
    queue_place free;
    struct queue_told *later; /* [laters] of later ticks, as they came */
    size_t laters, later_room;
};

struct det_queue *det_queue_new(void)
{
    struct det_queue *q = sim_alloc(1, sizeof *q);
    SIM_ROOM(q->entry, q->entries, q->room, 256);
    q->entries = 1;
    return q;
}

void det_queue_free(struct det_queue *q)
{
    if (!q)
        return;
    free(q->entry);
    free(q->later);
    free(q);
}

static queue_place *queue_last_of(struct det_queue *q, sim_tick at)
{
    return &q->last[at % QUEUE_TICKS];
}

/* ---- what is put ----------------------------------------------------------------------------- */

static queue_place queue_new_entry(struct det_queue *q)
{
    const queue_place place = q->free;
    if (place) {
        q->free = q->entry[place].next;
        return place;
    }
    SIM_ROOM(q->entry, q->entries, q->room, 256);
    return (queue_place)q->entries++;
}

static bool queue_is_later(const struct det_queue *q, sim_tick at)
{
    return at >= q->from + QUEUE_TICKS;
}

/** Puts an event into the calendar, behind those of its tick and its card. */
static void queue_enter(struct det_queue *q, const struct queue_told *told)
{
    const queue_place place = queue_new_entry(q);
    queue_place *last = queue_last_of(q, sim_later(told->event.at, q->from));
    while (*last && q->entry[*last].told.event.card > told->event.card)
        last = &q->entry[*last].next;
    q->entry[place] = (struct queue_entry){*told, *last};
    *last = place;
    q->count++;
}

void det_queue_put(struct det_queue *q, enum det_event_kind kind, const struct det_event *event)
{
    const struct queue_told told = {*event, kind};
    if (!queue_is_later(q, event->at)) {
        queue_enter(q, &told);
        return;
    }
    SIM_ROOM(q->later, q->laters, q->later_room, 256);
    q->later[q->laters++] = told;
}

/* ---- what is taken --------------------------------------------------------------------------- */

/** The calendar begins at a tick before which there is nothing. */
static void queue_begin_at(struct det_queue *q, sim_tick from)
{
    size_t left = 0;
    q->from = sim_later(q->from, from);
    for (size_t i = 0; i < q->laters; i++)
        if (queue_is_later(q, q->later[i].event.at))
            q->later[left++] = q->later[i];
        else
            queue_enter(q, &q->later[i]);
    q->laters = left;
}

/** The first tick of what comes later; SIM_NEVER: nothing does. */
static sim_tick queue_first_of_later(const struct det_queue *q)
{
    sim_tick first = SIM_NEVER;
    for (size_t i = 0; i < q->laters; i++)
        first = sim_earlier(first, q->later[i].event.at);
    return first;
}

/** Takes the events of a tick. */
static void queue_take_tick(struct det_queue *q, sim_tick at, det_queue_fn *taken, void *ctx)
{
    queue_place first = 0;
    for (queue_place place = *queue_last_of(q, at), next; place; place = next) {
        next = q->entry[place].next;
        q->entry[place].next = first;
        first = place;
    }
    *queue_last_of(q, at) = 0;
    for (queue_place place = first, next; place; place = next) {
        struct queue_entry *entry = &q->entry[place];
        next = entry->next;
        taken(ctx, entry->told.kind, &entry->told.event);
        assert(entry == &q->entry[place] && "nothing is put meanwhile");
        entry->next = q->free;
        q->free = place;
        q->count--;
    }
}

void det_queue_take(struct det_queue *q, sim_tick before, det_queue_fn *taken, void *ctx)
{
    while (q->count || queue_first_of_later(q) < before) {
        const sim_tick end = sim_earlier(before, q->from + QUEUE_TICKS);
        sim_tick at = q->from;
        for (; q->count && at < end; at++)
            queue_take_tick(q, at, taken, ctx);
        if (q->count && at >= before)
            break;
        queue_begin_at(q, q->count ? at : sim_earlier(before, queue_first_of_later(q)));
    }
    if (before != SIM_NEVER)
        queue_begin_at(q, before);
}
