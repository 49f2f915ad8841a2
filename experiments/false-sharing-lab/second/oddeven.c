/*
 * Two threads raise the elements of one array, without a lock, since one has the even elements and
 * the other the odd.
 */
#include "shown.h"

#include <pthread.h>

enum { ELEMENTS = 64, ROUNDS = 30 };

static struct element {
    APART volatile unsigned value;
} array[ELEMENTS] LINE_ALIGNED;

static int threads LINE_ALIGNED;
static pthread_barrier_t begin LINE_ALIGNED;

static void *raise_elements(void *arg)
{
    const int first = (int)(size_t)arg, step = threads;
    pthread_barrier_wait(&begin);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = first; i < ELEMENTS; i += step)
            for (int k = 0; k < 8; k++)
                array[i].value++; /* shares: array */
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    unsigned sum = 0;
    threads = thread_count(argc, argv, 2);
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (int t = 1; t < threads; t++)
        pthread_create(&ids[t], NULL, raise_elements, (void *)(size_t)t);
    raise_elements((void *)0);
    for (int t = 1; t < threads; t++)
        pthread_join(ids[t], NULL);
    for (int i = 0; i < ELEMENTS; i++)
        sum += array[i].value;
    SHOW(array);
    printf("sum %u\n", sum);
    return sum != ELEMENTS * ROUNDS * 8;
}
