/*
 * Heartbeats: each thread works by itself and stamps its place in a common array once in a long
 * while. Two stamps in one line cost next to nothing.
 */
#include "shown.h"

#include <pthread.h>

enum { WORK = 7000, BEATS = 12 };

static struct {
    APART volatile unsigned stamp;
} heartbeats[16] LINE_ALIGNED;

static void *worker(void *arg)
{
    const size_t me = (size_t)arg;
    unsigned long sum = 0;
    for (unsigned beat = 1; beat <= BEATS; beat++) {
        for (unsigned i = 0; i < WORK; i++) {
            sum += i ^ beat;
            __asm__ volatile("" : "+r"(sum));
        }
        heartbeats[me].stamp = beat;
    }
    return (void *)sum;
}

int main(int argc, char **argv)
{
    const int asked = thread_count(argc, argv, 2), threads = asked < 16 ? asked : 16;
    pthread_t ids[16];
    int wrong = 0;
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, worker, (void *)t);
    for (int t = 0; t < threads; t++) {
        void *sum;
        pthread_join(ids[t], &sum);
        wrong += sum == NULL || heartbeats[t].stamp != BEATS;
    }
    printf("wrong %d\n", wrong);
    return wrong != 0;
}
