/*
 * The event kernel: what happens next on one station.
 *
 * The hard idea: nearly every event lies a few dozen ticks ahead, so the near future is a wheel of
 * buckets, one per tick, with a bitmap to find the next full one; the far future (time slices,
 * retries, sampling) is a binary heap that is poured into the wheel as time comes near. Within a
 * bucket records are kept in the total order (rank, component, sequence), so the order in which
 * they were posted, or by which route they came, cannot be seen.
 */
#include "machine/time.h"

#include <assert.h>
#include <stdlib.h>

enum { WHEEL = 1024, WORDS = WHEEL / 64 };
static const uint32_t NONE = UINT32_MAX;

struct nm_event {
    nm_tick at;
    uint64_t sequence; /* order of posting, the last key */
    uint32_t order;    /* rank, then component */
    uint32_t next;     /* in its bucket, or in the free list */
    nm_fire_fn *fire;
    void *self;
    uint64_t arg;
};

struct nm_kernel {
    nm_tick now;
    uint64_t sequence;
    uint32_t bucket[WHEEL]; /* first event of the tick, in order */
    uint64_t full[WORDS];   /* which buckets are not empty */
    struct nm_event *pool;
    uint32_t pool_size, free_list;
    uint32_t *heap; /* events at or beyond now + WHEEL when posted */
    uint32_t heap_count, heap_size;
    uint32_t pending; /* events in the wheel */
    nm_tick next;     /* no event before this tick */
    bool exact;       /* and there is one at it */
};

struct nm_kernel *nm_kernel_new(void)
{
    struct nm_kernel *k = calloc(1, sizeof *k);
    k->free_list = NONE;
    for (unsigned i = 0; i < WHEEL; i++)
        k->bucket[i] = NONE;
    k->next = NM_NEVER;
    k->exact = true;
    return k;
}

void nm_kernel_free(struct nm_kernel *k)
{
    if (!k)
        return;
    free(k->pool);
    free(k->heap);
    free(k);
}

static void pool_grow(struct nm_kernel *k)
{
    uint32_t old = k->pool_size, size = old ? 2 * old : 256;
    k->pool = realloc(k->pool, size * sizeof *k->pool);
    for (uint32_t i = old; i < size; i++) {
        k->pool[i].next = k->free_list;
        k->free_list = i;
    }
    k->pool_size = size;
}

static bool before(const struct nm_event *a, const struct nm_event *b)
{
    if (a->at != b->at)
        return a->at < b->at;
    if (a->order != b->order)
        return a->order < b->order;
    return a->sequence < b->sequence;
}

static void wheel_insert(struct nm_kernel *k, uint32_t e)
{
    struct nm_event *ev = &k->pool[e];
    uint32_t slot = ev->at % WHEEL;
    uint32_t *link = &k->bucket[slot];
    while (*link != NONE && before(&k->pool[*link], ev))
        link = &k->pool[*link].next;
    ev->next = *link;
    *link = e;
    k->full[slot / 64] |= 1ull << (slot % 64);
    k->pending++;
}

static void heap_push(struct nm_kernel *k, uint32_t e)
{
    if (k->heap_count == k->heap_size) {
        k->heap_size = k->heap_size ? 2 * k->heap_size : 64;
        k->heap = realloc(k->heap, k->heap_size * sizeof *k->heap);
    }
    uint32_t i = k->heap_count++;
    while (i && before(&k->pool[e], &k->pool[k->heap[(i - 1) / 2]])) {
        k->heap[i] = k->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    k->heap[i] = e;
}

static uint32_t heap_pop(struct nm_kernel *k)
{
    uint32_t top = k->heap[0], last = k->heap[--k->heap_count], i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= k->heap_count)
            break;
        if (child + 1 < k->heap_count &&
            before(&k->pool[k->heap[child + 1]], &k->pool[k->heap[child]]))
            child++;
        if (!before(&k->pool[k->heap[child]], &k->pool[last]))
            break;
        k->heap[i] = k->heap[child];
        i = child;
    }
    k->heap[i] = last;
    return top;
}

void nm_post(struct nm_kernel *k, nm_tick at, enum nm_rank rank, uint32_t component,
             nm_fire_fn *fire, void *self, uint64_t arg)
{
    assert(at >= k->now && component < 1u << 24);
    if (k->free_list == NONE)
        pool_grow(k);
    uint32_t e = k->free_list;
    struct nm_event *ev = &k->pool[e];
    k->free_list = ev->next;
    *ev = (struct nm_event){.at = at,
                            .sequence = k->sequence++,
                            .order = (uint32_t)rank << 24 | component,
                            .fire = fire,
                            .self = self,
                            .arg = arg};
    if (at < k->next) {
        k->next = at;
        k->exact = true;
    }
    if (at - k->now < WHEEL)
        wheel_insert(k, e);
    else
        heap_push(k, e);
}

/* Distance from `now` to the first full bucket. Precondition: the wheel is not empty. */
static nm_tick wheel_first(const struct nm_kernel *k)
{
    uint32_t start = k->now % WHEEL, word = start / 64;
    uint64_t bits = k->full[word] & (~0ull << (start % 64));
    for (unsigned i = 0; i <= WORDS; i++) {
        if (bits) {
            uint32_t slot = word * 64 + (uint32_t)__builtin_ctzll(bits);
            return (slot - start) % WHEEL;
        }
        word = (word + 1) % WORDS;
        bits = k->full[word];
    }
    return NM_NEVER;
}

nm_tick nm_kernel_next(struct nm_kernel *k)
{
    if (k->exact)
        return k->next;
    k->next = k->pending ? k->now + wheel_first(k) : NM_NEVER;
    if (k->heap_count && k->pool[k->heap[0]].at < k->next)
        k->next = k->pool[k->heap[0]].at;
    k->exact = true;
    return k->next;
}

uint32_t nm_kernel_count(const struct nm_kernel *k)
{
    return k->pending + k->heap_count;
}

nm_tick nm_kernel_now(const struct nm_kernel *k)
{
    return k->now;
}

void nm_kernel_advance(struct nm_kernel *k, nm_tick to)
{
    assert(to >= k->now && to <= nm_kernel_next(k));
    k->now = to;
    while (k->heap_count && k->pool[k->heap[0]].at - to < WHEEL)
        wheel_insert(k, heap_pop(k));
}

void nm_kernel_step(struct nm_kernel *k)
{
    nm_kernel_advance(k, nm_kernel_next(k));
    uint32_t slot = k->now % WHEEL, e = k->bucket[slot];
    struct nm_event ev = k->pool[e];
    k->bucket[slot] = ev.next;
    if (ev.next == NONE) {
        k->full[slot / 64] &= ~(1ull << (slot % 64));
        k->exact = false;
    }
    k->pool[e].next = k->free_list;
    k->free_list = e;
    k->pending--;
    ev.fire(ev.self, k->now, ev.arg);
}
