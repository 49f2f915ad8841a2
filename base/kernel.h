/*
 * The event kernel of one station (an "island").
 *
 * Every event has a place in a total order (tick, rank, component, sequence), so that a run gives
 * the same bytes on any host, in any build and with any settings of the monitor. Nothing is
 * allocated while time passes: event records come from a pool that grows only when it is empty.
 */
#ifndef BASE_KERNEL_H
#define BASE_KERNEL_H

#include "base/invariant.h"
#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Order of events that fall on one tick; lower ranks first. */
enum sim_rank {
    SIM_RANK_LOOK,      /**< a monitoring card looks at what has been before this tick */
    SIM_RANK_DELIVER,   /**< a packet arrives, a fill completes */
    SIM_RANK_MODULE,    /**< a module works on what has arrived */
    SIM_RANK_ARBITRATE, /**< the bus decides, having seen every request of the tick */
    SIM_RANK_OS,        /**< the world outside the hardware: traps, marks, limits */
};

/** What an event does when it is due. `self` is the component, `arg` the word given at posting. */
typedef void sim_fire_fn(void *self, sim_tick now, uint64_t arg);

/** Ticks of the near future that have a bucket each: a bit of a word. */
enum { SIM_WHEEL = 64 };

/** Standing events (sim_kernel_stand). */
enum { SIM_STANDING = 64, SIM_STANDING_COMPONENTS = SIM_STANDING - 2 };

/** An event's record; time.c's own, as the members of struct sim_kernel are. */
struct sim_event {
    uint32_t order; /**< rank, then component */
    uint32_t next;  /**< in its bucket, or in the free list */
    sim_fire_fn *fire;
    void *self;
    uint64_t arg;
};

/** What a standing event does. */
struct sim_standing {
    sim_fire_fn *fire;
    void *self;
    uint32_t order; /**< as an event's */
};

struct sim_far; /**< an event beyond the wheel */

/** Told of two events of one tick, rank and component: nothing but the order of their postings says
 *  which comes first, and that is none of the machine's where two causes post. */
typedef void sim_tie_fn(void *ctx, const struct sim_event *first, const struct sim_event *second);

/** Event queue; one per island. Its members are for the inline functions below only. */
struct sim_kernel {
    sim_tick now;
    uint64_t full;       /**< in which of the next ticks something is due: bit tick % SIM_WHEEL */
    sim_tick heap_first; /**< tick of the first event of the heap, SIM_NEVER if none */
    sim_tick pours;      /**< from this tick on the wheel has a bucket for it */
    sim_tick limit;      /**< see sim_kernel_allow */
    sim_tick closes;     /**< see sim_kernel_close; SIM_NEVER: it is not known */
    bool alone;          /**< see sim_kernel_told */
    uint32_t free_list;  /**< of the pool; SIM_NO_EVENT: empty */
    struct sim_event *pool;     /**< grows only when it is empty */
    uint64_t due[SIM_WHEEL];    /**< standing events of the tick, a bit each, lowest first */
    uint32_t bucket[SIM_WHEEL]; /**< first of the other events of the tick, in order */
    struct sim_standing standing[SIM_STANDING];
    struct sim_far *heap; /**< events at or beyond now + SIM_WHEEL when posted */
    uint32_t heap_count, heap_size, pool_size;
    uint64_t sequence; /**< of postings to the heap */
    sim_tie_fn *tie;   /**< builds with -Dinvariants=true tell it of each tie; NULL: nobody */
    void *tie_ctx;
};

#define SIM_NO_EVENT     UINT32_MAX
#define SIM_STANDING_FAR 0x80000000u /**< a far event that is a standing one: with its number */

/** Makes an empty queue at tick 0. Ownership: caller; release with sim_kernel_free. */
struct sim_kernel *sim_kernel_new(void);
void sim_kernel_free(struct sim_kernel *k);

/** Slow parts of the functions below. */
void sim_pool_grow(struct sim_kernel *k);
void sim_post_far(struct sim_kernel *k, sim_tick at, uint32_t event, uint32_t order);
void sim_heap_pour(struct sim_kernel *k);
bool sim_pool_first(const struct sim_kernel *k);
uint32_t sim_pool_step(struct sim_kernel *k);
void sim_slot_ties(const struct sim_kernel *k, uint32_t slot, sim_tie_fn *fn, void *ctx);

static inline uint32_t sim_order(enum sim_rank rank, uint32_t component)
{
    return (uint32_t)rank << 24 | component;
}

static inline enum sim_rank sim_order_rank(uint32_t order)
{
    return (enum sim_rank)(order >> 24);
}

static inline uint32_t sim_order_component(uint32_t order)
{
    return order & 0xffffff;
}

/** A number for a standing event; numbers have the order of (rank, component). */
static inline uint32_t sim_standing_number(enum sim_rank rank, uint32_t component)
{
    return rank == SIM_RANK_MODULE ? 1 + component : rank < SIM_RANK_MODULE ? 0 : SIM_STANDING - 1;
}

/** Puts an event into its bucket, behind all of its order. */
static inline void sim_wheel_insert(struct sim_kernel *k, sim_tick at, uint32_t event)
{
    const uint32_t slot = at % SIM_WHEEL, order = k->pool[event].order;
    uint32_t *link = &k->bucket[slot];
    while (*link != SIM_NO_EVENT && k->pool[*link].order <= order)
        link = &k->pool[*link].next;
    k->pool[event].next = *link;
    *link = event;
    k->full |= 1ull << slot;
    if (SIM_LOOKS_AT_INVARIANTS && k->tie)
        sim_slot_ties(k, slot, k->tie, k->tie_ctx);
}

static inline void sim_standing_insert(struct sim_kernel *k, sim_tick at, uint32_t number)
{
    const size_t slot = at % SIM_WHEEL;
    k->due[slot] |= 1ull << number;
    k->full |= 1ull << slot;
}

/** Whether anything is due at the tick of a bucket. */
static inline bool sim_slot_empty(const struct sim_kernel *k, uint32_t slot)
{
    return !k->due[slot] && k->bucket[slot] == SIM_NO_EVENT;
}

/**
 * Posts an event.
 * @param at         [ticks] not before sim_kernel_now()
 * @param rank       order within the tick
 * @param component  id of the receiving component, the next key of the order; below 2^24
 * @param fire       the function that runs
 * @param self       handed to it: the component
 * @param arg        handed to it, too
 */
static inline void sim_post(struct sim_kernel *k, sim_tick at, enum sim_rank rank,
                            uint32_t component, sim_fire_fn *fire, void *self, uint64_t arg)
{
    SIM_OWED(at >= k->now && component < 1u << 24);
    if (k->free_list == SIM_NO_EVENT)
        sim_pool_grow(k);
    const uint32_t e = k->free_list;
    struct sim_event *ev = &k->pool[e];
    k->free_list = ev->next;
    ev->order = sim_order(rank, component);
    ev->fire = fire;
    ev->self = self;
    ev->arg = arg;
    if (at - k->now < SIM_WHEEL)
        sim_wheel_insert(k, at, e);
    else
        sim_post_far(k, at, e, ev->order);
}

/**
 * Makes the action of the standing event of a rank and component known. It costs half of what
 * others do, since nothing but its number is posted; so a tick has at most one, however often it
 * was posted. Behind other events of its rank and component on a tick it comes last.
 * @param rank       SIM_RANK_DELIVER, SIM_RANK_MODULE or SIM_RANK_ARBITRATE
 * @param component  below SIM_STANDING_COMPONENTS for modules, 0 for the others
 * @param fire       its `arg` is 0
 * @param self       handed to it
 */
void sim_kernel_stand(struct sim_kernel *k, enum sim_rank rank, uint32_t component,
                      sim_fire_fn *fire, void *self);

/** Posts a standing event. @param at  [ticks] not before sim_kernel_now() */
static inline void sim_post_standing(struct sim_kernel *k, sim_tick at, enum sim_rank rank,
                                     uint32_t component)
{
    const uint32_t number = sim_standing_number(rank, component);
    SIM_OWED(at >= k->now && k->standing[number].fire);
    if (at - k->now < SIM_WHEEL)
        sim_standing_insert(k, at, number);
    else
        sim_post_far(k, at, SIM_STANDING_FAR | number, k->standing[number].order);
}

/** Events posted and not yet fired; walks through them. A standing one posted twice for one tick
 * may count twice while it is far. */
uint32_t sim_kernel_count(const struct sim_kernel *k);

/** Tells `fn` of the ties among the events of the near future. */
void sim_kernel_ties(const struct sim_kernel *k, sim_tie_fn *fn, void *ctx);

/** Tick of the next event, or SIM_NEVER. */
static inline sim_tick sim_kernel_next(const struct sim_kernel *k)
{
    if (!k->full)
        return k->heap_first; /* farther than anything in the wheel */
    const uint32_t start = k->now % SIM_WHEEL, end = -start % SIM_WHEEL;
    return k->now + (sim_tick)__builtin_ctzll(k->full >> start | k->full << end);
}

/** Current tick: that of the last event fired, or set by sim_kernel_advance. */
static inline sim_tick sim_kernel_now(const struct sim_kernel *k)
{
    return k->now;
}

/** Whether a standing event would be the first of a tick in the wheel: nothing is there but
 * standing ones that come after it. */
static inline bool sim_kernel_leads(const struct sim_kernel *k, sim_tick at, enum sim_rank rank,
                                    uint32_t component)
{
    const size_t slot = at % SIM_WHEEL;
    const uint64_t before = (1ull << sim_standing_number(rank, component)) - 1;
    return k->bucket[slot] == SIM_NO_EVENT && !(k->due[slot] & before);
}

/** Moves the clock to `to` without firing; precondition: no event before `to`. */
static inline void sim_kernel_advance(struct sim_kernel *k, sim_tick to)
{
    SIM_OWED(to >= k->now);
    k->now = to;
    if (to >= k->pours)
        sim_heap_pour(k);
}

/** From now on nothing but events happens on the island before `limit`. */
static inline void sim_kernel_allow(struct sim_kernel *k, sim_tick limit)
{
    k->limit = limit;
}

/** From `at` on the island's owner acts, or another island: it stands at no later tick. */
static inline void sim_kernel_close(struct sim_kernel *k, sim_tick at)
{
    k->closes = sim_earlier(k->closes, at);
}

/** In an event: others have been told of something, and may answer from `at` on. That closes an
 * island that is awake alone; the window of several ends before. */
static inline void sim_kernel_told(struct sim_kernel *k, sim_tick at)
{
    if (!k->alone)
        return;
    sim_kernel_close(k, at);
    k->limit = sim_earlier(k->limit, at);
}

/**
 * Instead of posting a standing event, at the end of one that is fired: whether it would be the
 * very next thing to happen on the island. Then the clock stands at `at`, and the caller does what
 * the event would have done; sim_kernel_fire gives the order of the first of them.
 */
static inline bool sim_kernel_goes_on(struct sim_kernel *k, sim_tick at, enum sim_rank rank,
                                      uint32_t component)
{
    const sim_tick next = sim_kernel_next(k);
    if (at >= k->limit || next < at)
        return false;
    if (next == at && (at - k->now >= SIM_WHEEL || !sim_kernel_leads(k, at, rank, component)))
        return false;
    sim_kernel_advance(k, at);
    return true;
}

/** Fires the first event. @param at  its tick, sim_kernel_next() @return its order */
static inline uint32_t sim_kernel_fire(struct sim_kernel *k, sim_tick at)
{
    k->now = at;
    if (at >= k->pours)
        sim_heap_pour(k);
    const size_t slot = at % SIM_WHEEL;
    const uint64_t due = k->due[slot], rest = due & (due - 1);
    const bool others = k->bucket[slot] != SIM_NO_EVENT;
    if (others && sim_pool_first(k))
        return sim_pool_step(k);
    k->due[slot] = rest;
    if (!rest && !others)
        k->full ^= 1ull << slot;
    const struct sim_standing *s = &k->standing[__builtin_ctzll(due)];
    const uint32_t order = s->order;
    s->fire(s->self, at, 0);
    return order;
}

/** The same. Precondition: there is one. */
static inline uint32_t sim_kernel_step(struct sim_kernel *k)
{
    return sim_kernel_fire(k, sim_kernel_next(k));
}

#endif
