/*
 * OpenMP in C: loops shared out in three ways, a reduction, a critical section, tasks.
 *
 *     openmp N
 *
 * OMP_NUM_THREADS says how many threads; without it there is one for each processor. Each part is a
 * region, and each result is known: sums of the first N numbers, and a Fibonacci number.
 */
#include <numachine.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIBONACCI = 12, ALONE = 6 /* below this no tasks are made */ };

static int bad;

static void check(const char *name, unsigned long found, unsigned long wanted)
{
    printf("%s: %lu: %s\n", name, found, found == wanted ? "right" : "WRONG");
    bad |= found != wanted;
}

/* Each thread has a part of the loop, decided before. */
static unsigned long fixed(unsigned n)
{
    unsigned long sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (unsigned i = 1; i <= n; i++)
        sum += i;
    return sum;
}

/* Each takes eight turns whenever it has none left. */
static unsigned long dynamic(unsigned n)
{
    unsigned long sum = 0;
#pragma omp parallel for schedule(dynamic, 8) reduction(+ : sum)
    for (unsigned i = 1; i <= n; i++)
        sum += i;
    return sum;
}

/* All add to one sum, one at a time. */
static unsigned long critical(unsigned n)
{
    unsigned long sum = 0;
#pragma omp parallel for schedule(static)
    for (unsigned i = 1; i <= n; i++)
#pragma omp critical
        sum += i;
    return sum;
}

static unsigned long fibonacci(unsigned n)
{
    unsigned long one, other;
    if (n < 2)
        return n;
#pragma omp task shared(one) if (n > ALONE)
    one = fibonacci(n - 1);
#pragma omp task shared(other) if (n > ALONE)
    other = fibonacci(n - 2);
#pragma omp taskwait
    return one + other;
}

static unsigned long tasks(void)
{
    unsigned long found = 0;
#pragma omp parallel
#pragma omp single
    found = fibonacci(FIBONACCI);
    return found;
}

int main(int argc, char **argv)
{
    const unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 2000;
    const unsigned long sum = (unsigned long)n * (n + 1) / 2;
#pragma omp parallel /* the threads are made outside the regions */
    ;
    NUMACHINE_BEGIN("static");
    check("static", fixed(n), sum);
    NUMACHINE_END("static");
    NUMACHINE_BEGIN("dynamic");
    check("dynamic", dynamic(n), sum);
    NUMACHINE_END("dynamic");
    NUMACHINE_BEGIN("critical");
    check("critical", critical(n / 10), (unsigned long)(n / 10) * (n / 10 + 1) / 2);
    NUMACHINE_END("critical");
    NUMACHINE_BEGIN("tasks");
    check("tasks", tasks(), 144);
    NUMACHINE_END("tasks");
    return bad;
}
