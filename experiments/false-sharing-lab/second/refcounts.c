/*
 * Handles of a table: the reference counts stand in an array of their own, away from what they
 * count. Each thread opens and closes the handles that were dealt to it.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { HANDLES = 48, ROUNDS = 500 };

static struct {
    APART atomic_int references;
} counts[HANDLES] LINE_ALIGNED;

static int threads;

static void handle_open(int handle)
{
    atomic_fetch_add(&counts[handle].references, 1); /* shares: counts */
}

static int handle_close(int handle)
{
    return atomic_fetch_sub(&counts[handle].references, 1) == 1; /* shares: counts */
}

static void *client(void *arg)
{
    const int me = (int)(long)arg;
    long closed = 0;
    for (int i = 0; i < ROUNDS; i++)
        for (int h = me; h < HANDLES; h += HANDLES / 4) {
            handle_open(h % HANDLES);
            closed += handle_close(h % HANDLES);
        }
    return (void *)closed;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    long closed = 0;
    threads = thread_count(argc, argv, 8);
    for (long t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, client, (void *)t);
    for (int t = 0; t < threads; t++) {
        void *result;
        pthread_join(ids[t], &result);
        closed += (long)result;
    }
    SHOW(counts);
    printf("closed %ld\n", closed);
    return closed <= 0;
}
