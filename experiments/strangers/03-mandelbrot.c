/*
 * Mandelbrot set in fixed-point arithmetic. Threads take the next pixel from a common counter, so
 * that the work is evenly spread whatever the picture is. The picture is printed in letters.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH      160
#define HEIGHT     120
#define ITERATIONS 8
#define NTHREADS   8

#define FRACTION 12
#define ONE      (1 << FRACTION)

static struct {
    _Alignas(64) atomic_int next;
} work;

static _Alignas(64) int histogram[NTHREADS][64 / sizeof(int)];

static int escape_time(int pixel)
{
    int cx = (pixel % WIDTH) * 3 * ONE / WIDTH - 2 * ONE;
    int cy = (pixel / WIDTH) * 2 * ONE / HEIGHT - ONE;
    int x = 0, y = 0, n = 0;

    while (n < ITERATIONS) {
        int xx = x * x >> FRACTION, yy = y * y >> FRACTION;
        if (xx + yy > 4 * ONE)
            break;
        y = (2 * x * y >> FRACTION) + cy;
        x = xx - yy + cx;
        n++;
    }
    return n;
}

static void *render(void *arg)
{
    int me = (int)(long)arg;
    int pixel;

    while ((pixel = atomic_fetch_add(&work.next, 1)) < WIDTH * HEIGHT) {
        int n = escape_time(pixel);
        histogram[me][n]++;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[NTHREADS];
    int total[ITERATIONS + 1] = {0};

    for (long t = 0; t < NTHREADS; t++)
        if (pthread_create(&threads[t], NULL, render, (void *)t))
            abort();
    for (int t = 0; t < NTHREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < NTHREADS; t++)
        for (int n = 0; n <= ITERATIONS; n++)
            total[n] += histogram[t][n];
    for (int n = 0; n <= ITERATIONS; n++)
        printf("%d:%d%s", n, total[n], n < ITERATIONS ? " " : "\n");
    return 0;
}
