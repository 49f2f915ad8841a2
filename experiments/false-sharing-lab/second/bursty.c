/*
 * Two threads log events into buffers of their own. The buffers are apart, but their fill levels
 * are neighbours; events come in bursts.
 */
#include "shown.h"

#include <pthread.h>

enum { BURSTS = 12, EVENTS = 150, QUIET = 6000, BUFFER = 512 };

static unsigned buffers[16][BUFFER] LINE_ALIGNED;

static struct {
    APART volatile unsigned level;
} levels[16] LINE_ALIGNED;

static pthread_barrier_t together LINE_ALIGNED;

static void log_event(size_t me, unsigned event)
{
    if (levels[me].level == BUFFER)
        levels[me].level = 0;
    buffers[me][levels[me].level] = event;
    levels[me].level++; /* shares: levels */
}

static void *watch(void *arg)
{
    const size_t me = (size_t)arg;
    for (unsigned b = 0; b < BURSTS; b++) {
        pthread_barrier_wait(&together);
        for (unsigned e = 0; e < EVENTS; e++)
            log_event(me, b * EVENTS + e);
        for (int i = 0; i < QUIET; i++)
            __asm__ volatile("");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int asked = thread_count(argc, argv, 2), threads = asked < 16 ? asked : 16;
    pthread_t ids[16];
    int wrong = 0;
    pthread_barrier_init(&together, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, watch, (void *)t);
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        wrong += levels[t].level != (BURSTS * EVENTS - 1) % BUFFER + 1;
    }
    show_object("levels", levels, (size_t)threads * sizeof levels[0]);
    printf("wrong %d\n", wrong);
    return wrong != 0;
}
