/*
 * Clustering of a stream: what it would cost to open another centre. Each thread has its sums in a
 * shared array, whose rows were padded for a machine with lines of 32 bytes.
 */
#include "shown.h"

#include <pthread.h>
#include <string.h>

#ifdef PADDED
enum { CACHE_LINE = 64 };
#else
enum { CACHE_LINE = 32 };
#endif

enum { POINTS = 600, DIMENSIONS = 3, CENTRES = 4 };

static float points[POINTS][DIMENSIONS] LINE_ALIGNED;
static double *costs;
static size_t stride;
static int threads;
static pthread_barrier_t step LINE_ALIGNED;

static float distance(const float *a, const float *b)
{
    float sum = 0;
    for (int d = 0; d < DIMENSIONS; d++)
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    return sum;
}

static void *gain(void *arg)
{
    const int me = (int)(size_t)arg;
    double *const mine = costs + (size_t)me * stride;
    for (int c = 0; c < CENTRES; c++) {
        pthread_barrier_wait(&step);
        mine[c % 2] = 0;
        for (int i = me; i < POINTS; i += threads) {
            const float d = distance(points[i], points[c]);
            if (d < 100) {
                mine[c % 2] += d; /* shares: main() */
                mine[2] += 1;     /* shares: main() */
            }
            __asm__ volatile("" ::: "memory");
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    double members = 0;
    threads = thread_count(argc, argv, 4);
    const int row = 3 * (int)sizeof(double);
    stride = (size_t)((row + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE) / sizeof(double);
    const size_t bytes = (size_t)threads * stride * sizeof(double);
    costs = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(costs, 0, bytes);
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < DIMENSIONS; d++)
            points[i][d] = (float)((i * (d + 3)) % 7);
    pthread_barrier_init(&step, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, gain, (void *)t);
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        members += costs[(size_t)t * stride + 2];
    }
    show_object("main()", costs, bytes);
    printf("members %.0f\n", members);
    return members != POINTS * CENTRES;
}
