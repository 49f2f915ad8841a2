/* Producers and consumers around a bounded buffer; every item arrives once. */
#include "guest.h"

#include <pthread.h>

enum { PRODUCERS = 3, CONSUMERS = 2, ITEMS = 60, ROOM = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static unsigned buffer[ROOM], head, used, taken;
static unsigned char arrived[PRODUCERS * ITEMS];

static void put(unsigned item)
{
    pthread_mutex_lock(&lock);
    while (used == ROOM)
        pthread_cond_wait(&not_full, &lock);
    buffer[(head + used++) % ROOM] = item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    int item = -1;

    pthread_mutex_lock(&lock);
    while (used == 0 && taken < PRODUCERS * ITEMS)
        pthread_cond_wait(&not_empty, &lock);
    if (used > 0) {
        item = (int)buffer[head++ % ROOM];
        used--;
        if (++taken == PRODUCERS * ITEMS)
            pthread_cond_broadcast(&not_empty);
    }
    pthread_cond_signal(&not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *produce(void *arg)
{
    for (unsigned i = 0; i < ITEMS; i++)
        put((unsigned)(size_t)arg * ITEMS + i);
    return NULL;
}

static void *consume(void *arg)
{
    int item;

    while ((item = take()) >= 0)
        __atomic_add_fetch(&arrived[item], 1, __ATOMIC_SEQ_CST);
    return arg;
}

int main(void)
{
    pthread_t threads[PRODUCERS + CONSUMERS];
    unsigned once = 0;

    for (size_t i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_create(&threads[i], NULL, i < PRODUCERS ? produce : consume, (void *)i);
    for (size_t i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < COUNT(arrived); i++)
        once += arrived[i] == 1;
    printf("taken %u, %u of them once\n", taken, once);
    CHECK(once == PRODUCERS * ITEMS);
    return guest_result();
}
