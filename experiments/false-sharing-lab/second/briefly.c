/*
 * Monte Carlo: long sums in registers, and now and then a short report of each thread to its place
 * in an array of results.
 */
#include "shown.h"

#include <pthread.h>

enum { SAMPLES = 16000, REPORTED = 400 };

static struct {
    APART volatile unsigned inside;
    volatile unsigned samples;
} results[32] LINE_ALIGNED;

static pthread_barrier_t meet LINE_ALIGNED;

static unsigned sample(unsigned *x)
{
    *x = *x * 1664525u + 1013904223u;
    const unsigned a = *x >> 20, b = *x >> 8 & 0xfff;
    return a * a + b * b < 1u << 24;
}

static void *throw_darts(void *arg)
{
    const size_t me = (size_t)arg;
    unsigned x = (unsigned)me * 77 + 1, inside = 0;
    pthread_barrier_wait(&meet);
    for (int i = 0; i < SAMPLES; i++)
        inside += sample(&x);
    pthread_barrier_wait(&meet);
    for (int i = 0; i < REPORTED; i++) {
        results[me].inside += inside / REPORTED;   /* shares: results */
        results[me].samples += SAMPLES / REPORTED; /* shares: results */
    }
    pthread_barrier_wait(&meet);
    for (int i = 0; i < SAMPLES; i++)
        inside += sample(&x);
    return (void *)(size_t)inside;
}

int main(int argc, char **argv)
{
    const int asked = thread_count(argc, argv, 4), threads = asked < 32 ? asked : 32;
    pthread_t ids[32];
    unsigned samples = 0;
    size_t inside = 0;
    pthread_barrier_init(&meet, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, throw_darts, (void *)t);
    for (int t = 0; t < threads; t++) {
        void *result;
        pthread_join(ids[t], &result);
        inside += (size_t)result;
        samples += results[t].samples;
    }
    show_object("results", results, (size_t)threads * sizeof results[0]);
    printf("%u samples reported, %s\n", samples, inside ? "some inside" : "none inside");
    return inside == 0 || samples != (unsigned)threads * REPORTED * (SAMPLES / REPORTED);
}
