/*
 * Termination detection: workers take items from their own heaps and from others', and say in an
 * array of bytes whether they are busy, with each item. A worker with nothing to do looks at the
 * whole array.
 */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { ITEMS = 500 };

struct sign {
    APART atomic_uchar busy;
};

struct heap {
    OWN_LINE atomic_int left;
    OWN_LINE unsigned done;
    unsigned result;
};

static OWN_LINE struct sign signs[MOST];
static OWN_LINE struct heap heaps[MOST];
static OWN_LINE int threads;

static int take(struct heap *h)
{
    if (atomic_load_explicit(&h->left, memory_order_relaxed) <= 0)
        return 0;
    return atomic_fetch_sub(&h->left, 1) > 0;
}

static void process(struct heap *mine)
{
    unsigned x = mine->result;
    for (int i = 0; i < 16; i++)
        x = x * 1103515245u + 12345u;
    mine->result = x;
    mine->done++;
}

static int all_idle(void)
{
    for (int i = 0; i < threads; i++)
        if (atomic_load(&signs[i].busy))
            return 0;
    return 1;
}

static int one_item(int me)
{
    for (int i = 0; i < threads; i++) {
        if (atomic_load(&heaps[(me + i) % threads].left) <= 0)
            continue;
        atomic_store_explicit(&signs[me].busy, 1, memory_order_release); /* shares: signs */
        int got = take(&heaps[(me + i) % threads]);
        if (got)
            process(&heaps[me]);
        atomic_store_explicit(&signs[me].busy, 0, memory_order_release); /* shares: signs */
        if (got)
            return 1;
    }
    return 0;
}

static void *work(void *argument)
{
    int me = number(argument);
    for (;;) {
        while (one_item(me))
            ;
        if (all_idle())
            return NULL;
        sched_yield();
    }
}

int main(int argc, char **argv)
{
    unsigned done = 0;
    threads = threads_asked(argc, argv, 6);
    for (int i = 0; i < threads; i++)
        atomic_init(&heaps[i].left, i % 2 ? ITEMS : ITEMS + ITEMS / 10);
    shown("signs", signs, sizeof signs);
    shown("heaps", heaps, sizeof heaps);
    crew(threads, work);
    for (int i = 0; i < threads; i++)
        done += heaps[i].done;
    unsigned right = 0;
    for (int i = 0; i < threads; i++)
        right += i % 2 ? ITEMS : ITEMS + ITEMS / 10;
    printf("%u items\n", done);
    return done != right;
}
