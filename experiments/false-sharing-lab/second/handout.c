/*
 * Buffers of two lines each go from thread to thread round a ring, and each thread changes all of a
 * buffer.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { WORDS = 32, ROUNDS = 120 };

struct buffer {
    LINE_ALIGNED unsigned words[WORDS];
};

static struct buffer *buffer_new(void)
{
    struct buffer *buffer = aligned_alloc(64, sizeof *buffer);
    for (int w = 0; w < WORDS; w++)
        buffer->words[w] = 0;
    show_object("buffer_new()", buffer, sizeof *buffer);
    return buffer;
}

static struct {
    LINE_ALIGNED _Atomic(struct buffer *) buffer;
} desks[64];

static int threads LINE_ALIGNED;

static void *pass_on(void *arg)
{
    const int me = (int)(size_t)arg;
    for (int r = 0; r < ROUNDS; r++) {
        struct buffer *buffer;
        while (!(buffer = atomic_load(&desks[me].buffer)))
            for (int i = 0; i < 25; i++)
                __asm__ volatile("");
        atomic_store(&desks[me].buffer, NULL);
        for (int w = 0; w < WORDS; w++)
            buffer->words[w] += (unsigned)w;
        while (atomic_load(&desks[(me + 1) % threads].buffer))
            ;
        atomic_store(&desks[(me + 1) % threads].buffer, buffer);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    threads = thread_count(argc, argv, 4);
    struct buffer *buffers[2] = {buffer_new(), threads > 3 ? buffer_new() : NULL};
    desks[0].buffer = buffers[0];
    if (buffers[1])
        desks[2].buffer = buffers[1];
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, pass_on, (void *)t);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    SHOW(desks);
    unsigned sum = 0;
    for (int b = 0; b < 2; b++)
        sum += buffers[b] ? buffers[b]->words[WORDS - 1] : 0;
    printf("sum %u\n", sum);
    return sum != (unsigned)threads * ROUNDS * (WORDS - 1);
}
