/*
 * Threads take tasks from one counter and work on them in private: a little true sharing.
 */
#include "lab.h"

enum { TASKS = 800 };

static struct {
    LAB_ALIGNED unsigned next;
} tasks;

static struct {
    LAB_ALIGNED volatile unsigned n;
} done[LAB_THREADS_MAX];

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    while (__sync_fetch_and_add(&tasks.next, 1) < TASKS) {
        done[me].n++;
        lab_think(700);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 16);
    unsigned sum = 0;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        sum += done[t].n;
    LAB_SHOW(tasks);
    LAB_SHOW(done);
    return lab_end(sum == TASKS);
}
