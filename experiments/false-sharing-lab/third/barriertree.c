/*
 * A tree of barriers: a thread waits for its two children, tells its parent, and waits to be
 * released. The flags that say who has come are bytes in one array, and those that release are
 * bytes in another.
 */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { ROUNDS = 60, WORK = 12 };

struct flag {
    APART atomic_uchar value;
};

static OWN_LINE struct flag come[MOST];
static OWN_LINE struct flag go[MOST];
static OWN_LINE unsigned results[MOST][LINE / sizeof(unsigned)];
static OWN_LINE int threads;

static void wait_for(struct flag *f, unsigned char value)
{
    while (atomic_load_explicit(&f->value, memory_order_acquire) != value)
        ;
}

static void tree_wait(int me, unsigned char round)
{
    int left = 2 * me + 1, right = 2 * me + 2;
    if (left < threads)
        wait_for(&come[left], round);
    if (right < threads)
        wait_for(&come[right], round);
    if (me > 0) {
        atomic_store(&come[me].value, round); /* shares: come */
        wait_for(&go[me], round);
    }
    if (left < threads)
        atomic_store(&go[left].value, round); /* shares: go */
    if (right < threads)
        atomic_store(&go[right].value, round); /* shares: go */
}

static unsigned compute(unsigned x, int n)
{
    while (n-- > 0)
        x = x * 69069u + 1;
    return x;
}

static void *work(void *argument)
{
    int me = number(argument);
    for (int r = 1; r <= ROUNDS; r++) {
        unsigned before = results[(me + 1) % threads][0];
        tree_wait(me, (unsigned char)(2 * r - 1));
        results[me][0] = before + compute(0, WORK * (1 + (me + r) % 5)) % 2 + 1;
        tree_wait(me, (unsigned char)(2 * r));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    threads = threads_asked(argc, argv, 8);
    shown("come", come, sizeof come);
    shown("go", go, sizeof go);
    crew(threads, work);
    for (int i = 0; i < threads; i++)
        wrong += results[i][0] < ROUNDS || results[i][0] > 2 * ROUNDS;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
