/*
 * The event kernel: what happens next on one station.
 *
 * The hard idea: nearly every event lies a few dozen ticks ahead, so the near future is a wheel of
 * buckets, one per tick, with a bit each in one word to find the next full one; the far future
 * (time slices, retries, sampling) is a binary heap that is poured into the wheel as time comes
 * near. Within a bucket records are kept in the total order (rank, component, sequence), so the
 * order in which they were posted, or by which route they came, cannot be seen. The wheel need not
 * store the sequence: what is poured was posted before anything that is posted straight into the
 * bucket.
 *
 * Nearly all events are standing ones: a component has one of a kind, and what it does never
 * changes. Of these a bucket needs no more than a bit. The few others are records in a list.
 *
 * What runs for every event is inline (kernel.h).
 */
#include "base/kernel.h"

#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>

_Static_assert(SIM_WHEEL == 64, "a bit of a word for each tick");

enum { POOL = 32 };

struct sim_far {
    sim_tick at;
    uint64_t sequence; /* order of posting, the last key */
    uint32_t event;    /* its record, or SIM_STANDING_FAR and a number */
    uint32_t order;
};

struct sim_kernel *sim_kernel_new(void)
{
    struct sim_kernel *k = sim_alloc(1, sizeof *k);
    k->free_list = SIM_NO_EVENT;
    for (unsigned i = 0; i < SIM_WHEEL; i++)
        k->bucket[i] = SIM_NO_EVENT;
    k->heap_first = k->pours = k->closes = SIM_NEVER;
    return k;
}

void sim_kernel_free(struct sim_kernel *k)
{
    if (!k)
        return;
    free(k->pool);
    free(k->heap);
    free(k);
}

void sim_pool_grow(struct sim_kernel *k)
{
    uint32_t old = k->pool_size, size = old ? 2 * old : POOL;
    k->pool = sim_grow(k->pool, size, sizeof *k->pool);
    for (uint32_t i = size; i-- > old;) {
        k->pool[i].next = k->free_list;
        k->free_list = i;
    }
    k->pool_size = size;
}

void sim_kernel_stand(struct sim_kernel *k, enum sim_rank rank, uint32_t component,
                      sim_fire_fn *fire, void *self)
{
    const uint32_t number = sim_standing_number(rank, component);
    assert(rank == SIM_RANK_MODULE ? component < SIM_STANDING_COMPONENTS : component == 0);
    assert(rank >= SIM_RANK_DELIVER && rank <= SIM_RANK_ARBITRATE && !k->standing[number].fire);
    k->standing[number] = (struct sim_standing){fire, self, sim_order(rank, component)};
}

/* ---- events that are not standing ------------------------------------------------------------ */

/* Of one order they go before the standing one. */
bool sim_pool_first(const struct sim_kernel *k)
{
    const uint32_t slot = k->now % SIM_WHEEL;
    const uint64_t due = k->due[slot];
    return !due || k->pool[k->bucket[slot]].order <= k->standing[__builtin_ctzll(due)].order;
}

uint32_t sim_pool_step(struct sim_kernel *k)
{
    const uint32_t slot = k->now % SIM_WHEEL, e = k->bucket[slot];
    const struct sim_event ev = k->pool[e];
    k->bucket[slot] = ev.next;
    if (sim_slot_empty(k, slot))
        k->full &= ~(1ull << slot);
    k->pool[e].next = k->free_list;
    k->free_list = e;
    ev.fire(ev.self, k->now, ev.arg);
    return ev.order;
}

/* ---- the far future -------------------------------------------------------------------------- */

static bool before(const struct sim_far *a, const struct sim_far *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->order != b->order)
        return a->order < b->order;
    return a->sequence < b->sequence;
}

/* The heap's first event is another, or there is none. */
static void heap_headed(struct sim_kernel *k)
{
    k->heap_first = k->heap_count ? k->heap[0].at : SIM_NEVER;
    k->pours =
        k->heap_count ? sim_later(k->heap_first, SIM_WHEEL - 1) - (SIM_WHEEL - 1) : SIM_NEVER;
}

void sim_post_far(struct sim_kernel *k, sim_tick at, uint32_t event, uint32_t order)
{
    const struct sim_far far = {
        .at = at, .sequence = k->sequence++, .event = event, .order = order};
    if (k->heap_count == k->heap_size) {
        k->heap_size = k->heap_size ? 2 * k->heap_size : 16;
        k->heap = sim_grow(k->heap, k->heap_size, sizeof *k->heap);
    }
    uint32_t i = k->heap_count++;
    while (i && before(&far, &k->heap[(i - 1) / 2])) {
        k->heap[i] = k->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    k->heap[i] = far;
    heap_headed(k);
}

static struct sim_far heap_pop(struct sim_kernel *k)
{
    const struct sim_far top = k->heap[0], last = k->heap[--k->heap_count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= k->heap_count)
            break;
        if (child + 1 < k->heap_count && before(&k->heap[child + 1], &k->heap[child]))
            child++;
        if (!before(&k->heap[child], &last))
            break;
        k->heap[i] = k->heap[child];
        i = child;
    }
    k->heap[i] = last;
    heap_headed(k);
    return top;
}

/* The clock has come near the first of them. */
void sim_heap_pour(struct sim_kernel *k)
{
    while (k->now >= k->pours) {
        struct sim_far far = heap_pop(k);
        if (far.event & SIM_STANDING_FAR)
            sim_standing_insert(k, far.at, far.event & ~SIM_STANDING_FAR);
        else
            sim_wheel_insert(k, far.at, far.event);
    }
}

/* ---- looks at what is posted ----------------------------------------------------------------- */

/* Events of one order lie side by side. */
void sim_slot_ties(const struct sim_kernel *k, uint32_t slot, sim_tie_fn *fn, void *ctx)
{
    for (uint32_t e = k->bucket[slot]; e != SIM_NO_EVENT; e = k->pool[e].next) {
        const struct sim_event *a = &k->pool[e];
        if (a->next != SIM_NO_EVENT && a->order == k->pool[a->next].order)
            fn(ctx, a, &k->pool[a->next]);
    }
}

void sim_kernel_ties(const struct sim_kernel *k, sim_tie_fn *fn, void *ctx)
{
    for (uint32_t slot = 0; slot < SIM_WHEEL; slot++)
        sim_slot_ties(k, slot, fn, ctx);
}

/* Every event of the heap is at a distance of SIM_WHEEL or more. */
uint32_t sim_kernel_count(const struct sim_kernel *k)
{
    uint32_t count = k->heap_count;
    for (unsigned slot = 0; slot < SIM_WHEEL; slot++)
        count += (uint32_t)__builtin_popcountll(k->due[slot]);
    for (unsigned slot = 0; slot < SIM_WHEEL; slot++)
        for (uint32_t e = k->bucket[slot]; e != SIM_NO_EVENT; e = k->pool[e].next)
            count++;
    return count;
}
