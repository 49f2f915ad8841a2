/*
 * An array of locks, a pointer that is read at each access, and the block that it points to: each
 * thread has a lock and a count of its own, and all three objects are in the way.
 */
#include "../false-sharing-lab/first/lab.h"

#include <stdatomic.h>

enum { ROUNDS = 300, THREADS = 8 };

struct count {
    LAB_APART volatile unsigned n;
};

static struct {
    struct {
        LAB_APART atomic_uint taken;
    } locks[THREADS];
    LAB_APART struct count *volatile counts;
} access LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        while (atomic_exchange(&access.locks[me].taken, 1))
            ;
        for (unsigned k = 0; k < 3; k++)
            access.counts[me].n++;
        atomic_store(&access.locks[me].taken, 0);
        lab_think(20);
    }
}

int main(void)
{
    bool good = true;
    access.counts = (struct count *)lab_new(THREADS * sizeof *access.counts);
    lab_run(THREADS, work);
    for (unsigned t = 0; t < THREADS; t++)
        good &= access.counts[t].n == 3 * ROUNDS;
    return lab_end(good);
}
