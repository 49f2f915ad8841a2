/*
 * Two threads and a record of four words. In the first half they take turns with the first two
 * words; in the second each keeps to two of its own.
 */
#include "shown.h"

#include <pthread.h>

enum { HANDINGS = 600, STEPS = 4000 };

static struct record {
    struct {
        APART volatile unsigned a, b;
    } of[2];
} record LINE_ALIGNED;

static volatile int turn LINE_ALIGNED;
static pthread_barrier_t half LINE_ALIGNED;

static void *play(void *arg)
{
    const int me = (int)(size_t)arg;
    for (int i = 0; i < HANDINGS; i++) {
        while (turn != me)
            ;
        record.of[0].a++;
        record.of[0].b += record.of[0].a;
        __sync_synchronize();
        turn = !me;
    }
    pthread_barrier_wait(&half);
    for (int i = 0; i < STEPS; i++) {
        record.of[me].a++;        /* shares: record */
        record.of[me].b ^= 0x55u; /* shares: record */
    }
    return NULL;
}

int main(void)
{
    pthread_t ids[2];
    pthread_barrier_init(&half, NULL, 2);
    for (size_t t = 0; t < 2; t++)
        pthread_create(&ids[t], NULL, play, (void *)t);
    for (int t = 0; t < 2; t++)
        pthread_join(ids[t], NULL);
    SHOW(record);
    SHOW(turn);
    printf("%u %u\n", record.of[0].a, record.of[1].a);
    return record.of[0].a != 2 * HANDINGS + STEPS || record.of[1].a != STEPS ||
           record.of[0].b != HANDINGS * (2 * HANDINGS + 1) || record.of[1].b != 0;
}
