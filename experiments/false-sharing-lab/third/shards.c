/* A counter in as many shards as there are threads, so that none waits for another; but a shard is
 * small. */
#include "shown.h"
#include <stdatomic.h>

struct shard {
    APART atomic_uint hits;
    atomic_uint misses;
};

struct counter {
    const char *name;
    unsigned shards;
    struct shard *shard;
};

enum { REQUESTS = 400 };

static OWN_LINE struct counter *lookups;

static ALONE struct counter *counter_make(const char *name, unsigned shards)
{
    struct counter *c = (struct counter *)aligned_alloc(LINE, LINE);
    c->name = name;
    c->shards = shards;
    c->shard = (struct shard *)GET(shards * sizeof *c->shard);
    for (unsigned i = 0; i < shards; i++) {
        atomic_init(&c->shard[i].hits, 0);
        atomic_init(&c->shard[i].misses, 0);
    }
    return c;
}

static void counter_note(struct counter *c, unsigned who, int hit)
{
    struct shard *s = &c->shard[who % c->shards];
    atomic_uint *count = hit ? &s->hits : &s->misses;
    atomic_fetch_add_explicit(count, 1, memory_order_relaxed); /* shares: counter_make() */
}

static unsigned counter_read(struct counter *c)
{
    unsigned all = 0;
    for (unsigned i = 0; i < c->shards; i++)
        all += atomic_load(&c->shard[i].hits) + atomic_load(&c->shard[i].misses);
    return all;
}

static int look_up(unsigned key)
{
    unsigned h = key;
    for (int i = 0; i < 10; i++)
        h = (h ^ (h >> 15)) * 0x2c1b3c6du;
    return h % 4 != 0;
}

static void *work(void *argument)
{
    unsigned me = (unsigned)number(argument);
    for (unsigned i = 0; i < REQUESTS; i++)
        counter_note(lookups, me, look_up(me * REQUESTS + i));
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 16);
    lookups = counter_make("lookups", (unsigned)n);
    shown("counter_make()", lookups->shard, lookups->shards * sizeof(struct shard));
    crew(n, work);
    unsigned all = counter_read(lookups);
    printf("%s: %u\n", lookups->name, all);
    return all != (unsigned)n * REQUESTS;
}
