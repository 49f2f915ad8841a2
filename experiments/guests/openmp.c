/*
 * OpenMP in C: loops shared out in three ways, a reduction, a critical section, tasks.
 *
 *     openmp N
 *
 * OMP_NUM_THREADS says how many threads; without it there is one for each processor. Each part is a
 * region, and each result is known: sums of the first N numbers (the critical section: a
 * hundredth of them), and a Fibonacci number.
 */
#include <numachine.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { FIBONACCI = 15, ALONE = 8 /* below this no tasks are made */ };

static int bad;

static void check(const char *name, unsigned long found, unsigned long wanted)
{
    printf("%s: %lu: %s\n", name, found, found == wanted ? "right" : "WRONG");
    bad |= found != wanted;
}

/* Of the first n numbers. */
static unsigned long sum(unsigned n)
{
    return (unsigned long)n * (n + 1) / 2;
}

/* Each thread has a part of the loop, decided before. */
static unsigned long fixed(unsigned n)
{
    unsigned long total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (unsigned i = 1; i <= n; i++)
        total += i;
    return total;
}

/* Each takes 32 turns whenever it has none left. */
static unsigned long dynamic(unsigned n)
{
    unsigned long total = 0;
#pragma omp parallel for schedule(dynamic, 32) reduction(+ : total)
    for (unsigned i = 1; i <= n; i++)
        total += i;
    return total;
}

/* All add to one sum, one at a time. */
static unsigned long critical(unsigned n)
{
    unsigned long total = 0;
#pragma omp parallel for schedule(static)
    for (unsigned i = 1; i <= n; i++)
#pragma omp critical
        total += i;
    return total;
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
    const unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20000;
#pragma omp parallel /* the threads are made outside the regions */
    ;
    unsigned long found[4];
    NUMACHINE_BEGIN("static");
    found[0] = fixed(n);
    NUMACHINE_END("static");
    NUMACHINE_BEGIN("dynamic");
    found[1] = dynamic(n);
    NUMACHINE_END("dynamic");
    NUMACHINE_BEGIN("critical");
    found[2] = critical(n / 100);
    NUMACHINE_END("critical");
    NUMACHINE_BEGIN("tasks");
    found[3] = tasks();
    NUMACHINE_END("tasks");
    check("static", found[0], sum(n));
    check("dynamic", found[1], sum(n));
    check("critical", found[2], sum(n / 100));
    check("tasks", found[3], 610);
    return bad;
}
