/* A ticket lock, whose two counters are wanted by all, guards a table of prices. Both are apart
 * already. */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { GOODS = 8, TRADES = 150 };

struct ticket_lock {
    OWN_LINE atomic_uint next;
    OWN_LINE atomic_uint serving;
};

struct market {
    struct ticket_lock lock;
    OWN_LINE unsigned trades;
    unsigned price[GOODS];
};

static OWN_LINE struct market market;
static OWN_LINE unsigned spent[MOST][LINE / sizeof(unsigned)];

static void lock(struct ticket_lock *l)
{
    unsigned mine = atomic_fetch_add_explicit(&l->next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&l->serving, memory_order_acquire) != mine)
        sched_yield();
}

static void unlock(struct ticket_lock *l)
{
    unsigned now = atomic_load_explicit(&l->serving, memory_order_relaxed);
    atomic_store_explicit(&l->serving, now + 1, memory_order_release);
}

static unsigned think(unsigned x)
{
    for (int i = 0; i < 150; i++)
        x = x * 69069u + 5;
    return x;
}

static unsigned trade(struct market *m, unsigned wish)
{
    unsigned good = wish % GOODS;
    lock(&m->lock);
    m->trades++;
    m->price[good] += 2;
    for (unsigned g = 0; g < GOODS; g++)
        if (g != good && m->price[g] > 10)
            m->price[g]--;
    unsigned paid = m->price[good];
    unlock(&m->lock);
    return paid;
}

static void *work(void *argument)
{
    int me = number(argument);
    unsigned x = (unsigned)me;
    for (int i = 0; i < TRADES; i++) {
        x = think(x);
        spent[me][0] += trade(&market, x >> 20);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 4), poor = 0;
    for (int g = 0; g < GOODS; g++)
        market.price[g] = 20;
    shown("market", &market, sizeof market);
    crew(n, work);
    for (int i = 0; i < n; i++)
        poor += spent[i][0] < TRADES * 10;
    printf("%u trades\n", market.trades);
    return market.trades != (unsigned)n * TRADES || poor;
}
