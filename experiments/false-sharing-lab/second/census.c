/*
 * Many threads, a byte for each: the states of all of them fit into a line or two, which is why
 * they were put so.
 */
#include "shown.h"

#include <pthread.h>
#include <stdint.h>

enum { CHANGES = 30 };

static struct {
    APART volatile uint8_t state;
} states[64] LINE_ALIGNED;

static pthread_barrier_t begin LINE_ALIGNED;

static void *live(void *arg)
{
    const size_t me = (size_t)arg;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < CHANGES; i++) {
        states[me].state = (uint8_t)(states[me].state + 1); /* shares: states */
        for (int rest = 0; rest < 50; rest++)
            __asm__ volatile("");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 64);
    pthread_t ids[64];
    int wrong = 0;
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, live, (void *)t);
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        wrong += states[t].state != CHANGES;
    }
    show_object("states", states, (size_t)threads * sizeof states[0]);
    printf("wrong %d\n", wrong);
    return wrong != 0;
}
