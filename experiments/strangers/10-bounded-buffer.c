/*
 * Producers and consumers with a bounded buffer: producers put numbers into it, consumers take
 * them out and add them up.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define CAPACITY  32
#define PRODUCERS 4
#define CONSUMERS 4
#define ITEMS     2000 /* of each producer */

struct queue {
    int *items;
    unsigned head, tail, count;
    bool closed;
    pthread_mutex_t mutex;
    pthread_cond_t not_empty, not_full;
};

static void queue_init(struct queue *q)
{
    q->items = malloc(CAPACITY * sizeof(int));
    q->head = q->tail = q->count = 0;
    q->closed = false;
    pthread_mutex_init(&q->mutex, NULL);
    pthread_cond_init(&q->not_empty, NULL);
    pthread_cond_init(&q->not_full, NULL);
}

static void queue_put(struct queue *q, int item)
{
    pthread_mutex_lock(&q->mutex);
    while (q->count == CAPACITY)
        pthread_cond_wait(&q->not_full, &q->mutex);
    q->items[q->tail] = item;
    q->tail = (q->tail + 1) % CAPACITY;
    q->count++;
    pthread_cond_signal(&q->not_empty);
    pthread_mutex_unlock(&q->mutex);
}

static bool queue_get(struct queue *q, int *item)
{
    bool got = false;

    pthread_mutex_lock(&q->mutex);
    while (q->count == 0 && !q->closed)
        pthread_cond_wait(&q->not_empty, &q->mutex);
    if (q->count > 0) {
        *item = q->items[q->head];
        q->head = (q->head + 1) % CAPACITY;
        q->count--;
        got = true;
        pthread_cond_signal(&q->not_full);
    }
    pthread_mutex_unlock(&q->mutex);
    return got;
}

static void queue_close(struct queue *q)
{
    pthread_mutex_lock(&q->mutex);
    q->closed = true;
    pthread_cond_broadcast(&q->not_empty);
    pthread_mutex_unlock(&q->mutex);
}

static struct queue queue;

static void *producer(void *arg)
{
    int base = (int)(size_t)arg * ITEMS;

    for (int i = 0; i < ITEMS; i++)
        queue_put(&queue, base + i);
    return NULL;
}

static void *consumer(void *arg)
{
    long long *sum = arg;
    long long mine = 0;
    int item;

    while (queue_get(&queue, &item))
        mine += item;
    *sum = mine;
    return NULL;
}

int main(void)
{
    pthread_t makers[PRODUCERS], takers[CONSUMERS];
    long long sums[CONSUMERS], total = 0, n = (long long)PRODUCERS * ITEMS;

    queue_init(&queue);
    for (int i = 0; i < CONSUMERS; i++)
        pthread_create(&takers[i], NULL, consumer, &sums[i]);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&makers[i], NULL, producer, (void *)(size_t)i);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(makers[i], NULL);
    queue_close(&queue);
    for (int i = 0; i < CONSUMERS; i++) {
        pthread_join(takers[i], NULL);
        total += sums[i];
    }
    printf("%lld of %lld\n", total, n * (n - 1) / 2);
    return total != n * (n - 1) / 2;
}
