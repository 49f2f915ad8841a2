/*
 * The least, the greatest and how many of a sequence, kept for each OpenMP thread in one array; two
 * threads, as on a small machine.
 */
#include "shown.h"

#include <omp.h>

enum { VALUES = 3000 };

static struct extremes {
    APART int least;
    int greatest;
    int many;
} found[64] LINE_ALIGNED;

static __attribute__((noipa)) void see(struct extremes *e, int value)
{
    if (value < e->least)
        e->least = value;
    if (value > e->greatest)
        e->greatest = value;
    e->many++; /* shares: found */
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 2);
    struct extremes all = {1 << 30, -1, 0};
    for (int t = 0; t < threads; t++)
        found[t] = (struct extremes){1 << 30, -1, 0};
    omp_set_num_threads(threads);
#pragma omp parallel
    {
        struct extremes *mine = &found[omp_get_thread_num()];
#pragma omp for
        for (int i = 0; i < VALUES; i++)
            see(mine, i * 7919 % VALUES);
    }
    for (int t = 0; t < threads; t++) {
        all.least = found[t].least < all.least ? found[t].least : all.least;
        all.greatest = found[t].greatest > all.greatest ? found[t].greatest : all.greatest;
        all.many += found[t].many;
    }
    show_object("found", found, (size_t)threads * sizeof found[0]);
    printf("%d to %d, %d values\n", all.least, all.greatest, all.many);
    return all.least != 0 || all.greatest != VALUES - 1 || all.many != VALUES;
}
