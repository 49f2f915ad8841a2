/* A memory pool hands out small blocks in turn, so that neighbours belong to different threads. */
#include "shown.h"

struct block {
    APART struct block *next;
    unsigned key, uses;
};

struct pool {
    struct block *blocks;
    unsigned size, used;
    pthread_mutex_t lock;
};

enum { EACH = 12, ROUNDS = 250 };

static OWN_LINE struct pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER};
static OWN_LINE pthread_barrier_t filled;
static OWN_LINE unsigned long found[MOST][LINE / sizeof(unsigned long)];

static ALONE void pool_make(struct pool *p, unsigned size)
{
    p->blocks = (struct block *)GET(size * sizeof *p->blocks);
    p->size = size;
}

static struct block *pool_get(struct pool *p)
{
    struct block *b = NULL;
    pthread_mutex_lock(&p->lock);
    if (p->used < p->size)
        b = &p->blocks[p->used++];
    pthread_mutex_unlock(&p->lock);
    return b;
}

static struct block *list_make(unsigned me)
{
    struct block *first = NULL;
    for (unsigned i = 0; i < EACH; i++) {
        struct block *b = pool_get(&pool);
        b->key = me * 100 + i; /* shares: pool_make() */
        b->uses = 0;           /* shares: pool_make() */
        b->next = first;       /* shares: pool_make() */
        first = b;
        sched_yield();
    }
    return first;
}

static unsigned list_walk(struct block *first, unsigned round)
{
    unsigned hit = 0;
    for (struct block *b = first; b; b = b->next) {
        unsigned h = (b->key * 2654435761u) >> 7;
        if ((h + round) % 3) {
            b->uses++; /* shares: pool_make() */
            hit++;
        }
    }
    return hit;
}

static void *work(void *argument)
{
    int me = number(argument);
    unsigned hit = 0;
    struct block *list = list_make((unsigned)me);
    pthread_barrier_wait(&filled);
    for (unsigned r = 0; r < ROUNDS; r++)
        hit += list_walk(list, r);
    found[me][0] = hit;
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 2);
    unsigned long hit = 0, uses = 0;
    pool_make(&pool, (unsigned)n * EACH);
    pthread_barrier_init(&filled, NULL, (unsigned)n);
    shown("pool_make()", pool.blocks, pool.size * sizeof *pool.blocks);
    shown("pool", &pool, sizeof pool);
    crew(n, work);
    for (int i = 0; i < n; i++)
        hit += found[i][0];
    for (unsigned i = 0; i < pool.used; i++)
        uses += pool.blocks[i].uses;
    printf("%lu uses\n", uses);
    return hit != uses || pool.used != pool.size;
}
