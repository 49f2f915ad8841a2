/*
 * A hash table with chains, where most operations read. A bucket has a lock for many readers or one
 * writer: a word that counts readers, with a bit for the writer. A reader that meets a writer goes
 * back and waits until it has gone; a writer waits until nobody is there.
 *
 * What the table has in the end does not depend on the order of operations; what a reader finds
 * does, so it is not printed.
 */
#include "share.h"

#define WRITER UINT32_C(0x80000000)

enum { NONE = 0 /* no entry; else its number + 1 */ };

struct bucket {
    kn_word lock;
    uint32_t first; /* entry */
    char apart[64 - 8];
};

struct entry {
    uint32_t key, value, next;
    uint32_t spare;
};

struct slot {
    uint32_t found;
    char apart[KN_APART - 4];
};

struct table {
    uint32_t count, writes, buckets, keys, seed;
    kn_barrier *barrier;
    struct bucket *bucket;
    struct entry *entry; /* [count]: an operation that adds a key has the one of its number */
    struct slot *slot;   /* [thread] lookups that have found something */
};

static void *setup(kn_program *p)
{
    struct table *h = kn_alloc(p, sizeof *h);
    h->count = (uint32_t)kn_number(p, "n", 32768, 1, 1 << 24);
    h->writes = (uint32_t)kn_number(p, "writes", 20, 0, 100);
    h->buckets = (uint32_t)kn_number(p, "buckets", 1024, 1, 1 << 20);
    h->keys = (uint32_t)kn_number(p, "keys", 4096, 1, 1 << 24);
    h->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    h->barrier = kn_alloc(p, sizeof *h->barrier);
    h->bucket = kn_alloc(p, sizeof *h->bucket * h->buckets);
    h->entry = kn_alloc(p, sizeof *h->entry * h->count);
    h->slot = kn_alloc(p, sizeof *h->slot * kn_threads(p));
    return h;
}

/* ---- operations: what they are --------------------------------------------------------------- */

/** Small keys are frequent. */
static uint32_t key_of(const struct table *h, uint32_t operation)
{
    const double f = fraction_of(h->seed, 2 * operation);
    return (uint32_t)(f * f * h->keys);
}

static int writes(const struct table *h, uint32_t operation)
{
    return number_of(h->seed, 2 * operation + 1) % 100 < h->writes;
}

static uint32_t bucket_of(const struct table *h, uint32_t key)
{
    return number_of(h->seed + 1, key) % h->buckets;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void lock_to_read(kn_thread *t, kn_word *lock)
{
    while (kn_add(t, lock, 1) & WRITER) {
        kn_add(t, lock, (uint32_t)-1);
        kn_wait(t, lock, KN_AT_LEAST, 0); /* with the writer's bit it is less */
    }
}

static void unlock_read(kn_thread *t, kn_word *lock)
{
    kn_add(t, lock, (uint32_t)-1);
}

static void lock_to_write(kn_thread *t, kn_word *lock)
{
    while (kn_compare(t, lock, 0, WRITER) != 0)
        kn_wait(t, lock, KN_IS, 0);
}

static void unlock_write(kn_thread *t, kn_word *lock)
{
    kn_add(t, lock, WRITER); /* readers may be about to go back */
}

/* ---- operations: what they do ---------------------------------------------------------------- */

/** @return the key's entry in the bucket; NULL: it has none */
static struct entry *find(kn_thread *t, const struct table *h, struct bucket *b, uint32_t key)
{
    uint32_t number = KN_LOAD(t, b->first);
    while (number != NONE) {
        struct entry *e = &h->entry[number - 1];
        KN_COMPUTE(t, 8); /* loads waited for, address, 2 branches */
        if (KN_LOAD(t, e->key) == key)
            return e;
        number = KN_LOAD(t, e->next);
    }
    return NULL;
}

/** Adds 1 to the key's value, which is 0 for a new key. */
static void add(kn_thread *t, const struct table *h, uint32_t operation)
{
    const uint32_t key = key_of(h, operation);
    struct bucket *b = &h->bucket[bucket_of(h, key)];
    struct entry *e;
    lock_to_write(t, &b->lock);
    e = find(t, h, b, key);
    if (e) {
        KN_STORE(t, e->value, KN_LOAD(t, e->value) + 1);
    } else {
        e = &h->entry[operation];
        KN_STORE(t, e->key, key);
        KN_STORE(t, e->value, 1);
        KN_STORE(t, e->next, KN_LOAD(t, b->first));
        KN_STORE(t, b->first, operation + 1);
    }
    unlock_write(t, &b->lock);
}

/** @return whether there was something */
static uint32_t look_up(kn_thread *t, const struct table *h, uint32_t operation)
{
    const uint32_t key = key_of(h, operation);
    struct bucket *b = &h->bucket[bucket_of(h, key)];
    const struct entry *e;
    uint32_t value = 0;
    lock_to_read(t, &b->lock);
    e = find(t, h, b, key);
    if (e)
        value = KN_LOAD(t, e->value);
    unlock_read(t, &b->lock);
    return value != 0;
}

static void work(kn_thread *t, void *data)
{
    const struct table *h = data;
    const struct part part = part_of(t, h->count, KN_APART / sizeof *h->entry);
    uint32_t found = 0;
    begin_together(t, h->barrier, "table");
    for (uint32_t i = part.from; i < part.to; i++) {
        KN_COMPUTE(t, 362); /* the operation is made: 3 random numbers, 2 divisions */
        if (writes(h, i))
            add(t, h, i);
        else
            found += look_up(t, h, i);
    }
    KN_STORE(t, h->slot[kn_self(t)].found, found);
    end_together(t, h->barrier, "table");
}

/** The key has one entry, in its bucket, with what was added. */
static int is_right(const struct table *h, uint32_t key, uint32_t added)
{
    uint32_t entries = 0, value = 0;
    for (uint32_t n = h->bucket[bucket_of(h, key)].first; n != NONE; n = h->entry[n - 1].next)
        if (h->entry[n - 1].key == key) {
            entries++;
            value = h->entry[n - 1].value;
        }
    return entries == (added != 0) && value == added;
}

static int check(kn_program *p, void *data)
{
    const struct table *h = data;
    uint32_t *added = kn_alloc(p, h->keys * sizeof *added), all = 0, different = 0, wrong = 0;
    for (uint32_t i = 0; i < h->count; i++)
        added[key_of(h, i)] += (uint32_t)writes(h, i);
    for (uint32_t key = 0; key < h->keys; key++) {
        all += added[key];
        different += added[key] != 0;
        wrong += !is_right(h, key, added[key]);
    }
    kn_print(p, "table: %u operations, %u of them add, %u keys, %u of them wrong\n", h->count, all,
             different, wrong);
    return wrong != 0;
}

KN_KERNEL(setup, work, check)
