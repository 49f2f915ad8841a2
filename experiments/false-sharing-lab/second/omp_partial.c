/*
 * An integral by rectangles, with the reduction written by hand: each OpenMP thread adds to its
 * element of an array.
 */
#include "shown.h"

#include <math.h>
#include <omp.h>

enum { STEPS = 6000 };

static struct {
    APART volatile double sum;
} partial[64] LINE_ALIGNED;

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 4);
    double pi = 0;
    omp_set_num_threads(threads);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < STEPS; i++) {
        const double x = (i + 0.5) / STEPS;
        partial[omp_get_thread_num()].sum += 4 / (1 + x * x); /* shares: partial */
    }
    for (int t = 0; t < threads; t++)
        pi += partial[t].sum / STEPS;
    show_object("partial", partial, (size_t)threads * sizeof partial[0]);
    printf("%.5f\n", pi);
    return fabs(pi - 3.14159265) > 1e-5;
}
