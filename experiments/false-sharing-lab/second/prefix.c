/*
 * Prefix sums of an array in two parts, by two threads; the parts meet in the middle of a line, and
 * both threads go over their ends there again and again while they settle carries.
 */
#include "shown.h"

#include <pthread.h>

enum { HALF = 40, CARRIES = 1200, TOUCHED = 6 };

static struct {
    volatile unsigned left[HALF];
    APART volatile unsigned right[HALF];
} sums LINE_ALIGNED;

static pthread_barrier_t begin LINE_ALIGNED;

static void scan(volatile unsigned *part)
{
    for (int i = 1; i < HALF; i++)
        part[i] += part[i - 1];
}

static void *scan_left(void *arg)
{
    pthread_barrier_wait(&begin);
    scan(sums.left);
    for (int c = 0; c < CARRIES; c++)
        sums.left[HALF - 1 - c % TOUCHED] += 1; /* shares: sums */
    return arg;
}

static void *scan_right(void *arg)
{
    pthread_barrier_wait(&begin);
    scan(sums.right);
    for (int c = 0; c < CARRIES; c++)
        sums.right[c % TOUCHED] += 1; /* shares: sums */
    return arg;
}

int main(void)
{
    pthread_t left, right;
    for (int i = 0; i < HALF; i++)
        sums.left[i] = sums.right[i] = 1;
    pthread_barrier_init(&begin, NULL, 2);
    pthread_create(&left, NULL, scan_left, NULL);
    pthread_create(&right, NULL, scan_right, NULL);
    pthread_join(left, NULL);
    pthread_join(right, NULL);
    SHOW(sums);
    printf("%u %u\n", sums.left[HALF - 1], sums.right[0]);
    return sums.left[HALF - 1] != HALF + CARRIES / TOUCHED ||
           sums.right[0] != 1 + CARRIES / TOUCHED;
}
