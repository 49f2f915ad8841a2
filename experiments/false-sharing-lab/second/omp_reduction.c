/*
 * An integral by rectangles with OpenMP's own reduction: the sums are in registers, nothing is
 * shared.
 */
#include "shown.h"

#include <math.h>
#include <omp.h>

enum { STEPS = 30000 };

int main(int argc, char **argv)
{
    double pi = 0;
    omp_set_num_threads(thread_count(argc, argv, 4));
#pragma omp parallel for reduction(+ : pi)
    for (int i = 0; i < STEPS; i++) {
        const double x = (i + 0.5) / STEPS;
        pi += 4 / (1 + x * x) / STEPS;
    }
    printf("%.5f\n", pi);
    return fabs(pi - 3.14159265) > 1e-5;
}
