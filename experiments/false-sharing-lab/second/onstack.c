/*
 * OpenMP threads sort small things into an array that is a local variable of main.
 */
#include "shown.h"

#include <omp.h>

enum { THINGS = 4000, KINDS = 3 };

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 8);
    LINE_ALIGNED struct {
        APART volatile unsigned of_kind[KINDS];
    } found[64];
    unsigned all = 0;
    omp_set_num_threads(threads);
#pragma omp parallel
    {
        const int me = omp_get_thread_num();
        for (int k = 0; k < KINDS; k++)
            found[me].of_kind[k] = 0;
#pragma omp for schedule(static)
        for (int i = 0; i < THINGS; i++)
            found[me].of_kind[i * 31 % KINDS]++; /* shares: main() */
    }
    for (int t = 0; t < threads; t++)
        for (int k = 0; k < KINDS; k++)
            all += found[t].of_kind[k];
    show_object("main()", found, (size_t)threads * sizeof found[0]);
    printf("things %u\n", all);
    return all != THINGS;
}
