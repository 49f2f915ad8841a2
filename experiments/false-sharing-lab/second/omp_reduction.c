/*
 * An integral by rectangles, and the least and the greatest of its steps, with OpenMP's own
 * reductions: all of it is in registers, nothing is shared.
 */
#include "shown.h"

#include <math.h>
#include <omp.h>

enum { STEPS = 20000 };

static double height(int step)
{
    const double x = (step + 0.5) / STEPS;
    return 4 / (1 + x * x);
}

int main(int argc, char **argv)
{
    double pi = 0, least = 10, greatest = 0;
    omp_set_num_threads(thread_count(argc, argv, 4));
#pragma omp parallel for reduction(+ : pi) reduction(min : least) reduction(max : greatest)
    for (int i = 0; i < STEPS; i++) {
        const double y = height(i);
        pi += y / STEPS;
        least = y < least ? y : least;
        greatest = y > greatest ? y : greatest;
    }
    printf("%.5f, between %.3f and %.3f\n", pi, least, greatest);
    return fabs(pi - 3.14159265) > 1e-5 || least < 2 || greatest > 4;
}
