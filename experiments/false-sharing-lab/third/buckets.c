/* A hash table with a lock for each bucket: any thread may want any bucket, but the locks are words
 * in a row. */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { BUCKETS = 128, EACH = 500 };

struct entry {
    struct entry *next;
    unsigned key, value;
};

struct bucket_lock {
    APART atomic_uint held;
};

struct head {
    OWN_LINE struct entry *first;
    unsigned entries;
};

static OWN_LINE struct bucket_lock locks[BUCKETS];
static OWN_LINE struct head heads[BUCKETS];
static OWN_LINE struct entry entries[MOST][EACH];

static unsigned bucket_of(unsigned key)
{
    unsigned h = key * 0x9e3779b1u;
    h ^= h >> 13;
    return h * 0x85ebca6bu >> 25;
}

static void lock(unsigned b)
{
    while (atomic_exchange_explicit(&locks[b].held, 1, memory_order_acquire)) /* shares: locks */
        sched_yield();
}

static void unlock(unsigned b)
{
    atomic_store_explicit(&locks[b].held, 0, memory_order_release); /* shares: locks */
}

static void insert(struct entry *e)
{
    unsigned b = bucket_of(e->key);
    lock(b);
    e->next = heads[b].first;
    heads[b].first = e;
    heads[b].entries++;
    unlock(b);
}

static void *work(void *argument)
{
    int me = number(argument);
    for (int i = 0; i < EACH; i++) {
        struct entry *e = &entries[me][i];
        e->key = (unsigned)(me * EACH + i);
        e->value = e->key ^ 0x55aa;
        insert(e);
    }
    return NULL;
}

static int check(int n)
{
    unsigned char *seen = (unsigned char *)calloc((size_t)n, EACH);
    int wrong = 0;
    for (unsigned b = 0; b < BUCKETS; b++)
        for (struct entry *e = heads[b].first; e; e = e->next)
            wrong += seen[e->key]++ != 0 || e->value != (e->key ^ 0x55aa);
    for (int i = 0; i < n * EACH; i++)
        wrong += !seen[i];
    free(seen);
    return wrong;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 8);
    shown("locks", locks, sizeof locks);
    shown("heads", heads, sizeof heads);
    crew(n, work);
    int wrong = check(n);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
