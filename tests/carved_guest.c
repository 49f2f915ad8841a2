/*
 * A piece for each thread of an array of bytes, and of a structure with bytes behind its last
 * member, for tests/leads.py.
 */
#include <pthread.h>

enum { THREADS = 4, TURNS = 800, LINE = 64 };

struct piece {
    int even, odd;
};
static _Alignas(LINE) char slab[4 * LINE];
static _Alignas(LINE) volatile struct {
    long long sum[THREADS];
    int n;
} totals;

static void *in_thread(void *arg)
{
    const unsigned me = (unsigned)(unsigned long)arg;
    volatile struct piece *mine = (struct piece *)slab + me;
    for (int i = 0; i < TURNS; i++) {
        mine->odd++;
        totals.sum[me]++;
        if (me == 0)
            totals.n++;
    }
    return arg;
}

int main(void)
{
    pthread_t thread[THREADS];
    for (unsigned long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, in_thread, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
