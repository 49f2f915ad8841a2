/*
 * A record of 24 bytes for each thread: the borders of records are not those of lines.
 */
#include "lab.h"

enum { ROUNDS = 700 };

static struct {
    LAB_APART volatile unsigned calls;
    volatile unsigned bytes;
    volatile unsigned most[4];
} records[LAB_THREADS_MAX] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        records[me].calls++;         /* shares: records */
        records[me].bytes += i;      /* shares: records */
        records[me].most[i % 4] = i; /* shares: records */
        lab_think(100);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 12);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= records[t].calls == ROUNDS && records[t].bytes == ROUNDS * (ROUNDS - 1) / 2 &&
                records[t].most[3] == ROUNDS - 1;
    LAB_SHOW(records);
    return lab_end(good);
}
