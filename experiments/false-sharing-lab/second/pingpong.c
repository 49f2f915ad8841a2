/*
 * Two threads raise one number in turn: the odd ones are made by one, the even ones by the other.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { LAST = 1600 };

static atomic_uint ball LINE_ALIGNED;

static void *play(void *arg)
{
    const unsigned mine = (unsigned)(size_t)arg;
    unsigned seen;
    while ((seen = atomic_load(&ball)) < LAST)
        if (seen % 2 == mine)
            atomic_store(&ball, seen + 1);
    return NULL;
}

int main(void)
{
    pthread_t ids[2];
    for (size_t t = 0; t < 2; t++)
        pthread_create(&ids[t], NULL, play, (void *)t);
    for (int t = 0; t < 2; t++)
        pthread_join(ids[t], NULL);
    SHOW(ball);
    printf("ball %u\n", ball);
    return ball != LAST;
}
