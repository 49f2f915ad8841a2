/*
 * Accounts of 40 bytes on the heap, an array of one calloc; each thread books on its own.
 */
#include "lab.h"

enum { ROUNDS = 900 };

static struct account {
    LAB_APART volatile unsigned owner;
    volatile unsigned turnover[8];
    volatile unsigned last;
} * accounts LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    struct account *mine = &accounts[me];
    (void)threads;
    mine->owner = me;
    for (unsigned i = 0; i < ROUNDS; i++) {
        mine->turnover[i % 8] += i; /* shares: main() */
        mine->last = i;             /* shares: main() */
        lab_think(40);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    accounts = lab_new(threads * sizeof *accounts);
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= accounts[t].owner == t && accounts[t].last == ROUNDS - 1;
    lab_show("main()", accounts, threads * sizeof *accounts);
    return lab_end(good);
}
