/*
 * A ring of letters of a line each, from one thread to another. A letter's last
 * word says whether the letter is there.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { RING = 8, WORDS = 15, LETTERS = 900 };

static struct {
    LINE_ALIGNED unsigned words[WORDS];
    atomic_uint full;
} ring[RING];

static void *write_letters(void *arg)
{
    for (unsigned l = 0; l < LETTERS; l++) {
        while (atomic_load_explicit(&ring[l % RING].full, memory_order_acquire))
            for (int i = 0; i < 30; i++)
                __asm__ volatile("");
        for (unsigned w = 0; w < WORDS; w++)
            ring[l % RING].words[w] = l + w;
        atomic_store_explicit(&ring[l % RING].full, 1, memory_order_release);
    }
    return arg;
}

int main(void)
{
    pthread_t writer;
    unsigned wrong = 0;
    pthread_create(&writer, NULL, write_letters, NULL);
    for (unsigned l = 0; l < LETTERS; l++) {
        while (!atomic_load_explicit(&ring[l % RING].full, memory_order_acquire))
            for (int i = 0; i < 30; i++)
                __asm__ volatile("");
        for (unsigned w = 0; w < WORDS; w++)
            wrong += ring[l % RING].words[w] != l + w;
        atomic_store_explicit(&ring[l % RING].full, 0, memory_order_release);
    }
    pthread_join(writer, NULL);
    SHOW(ring);
    printf("wrong %u\n", wrong);
    return wrong != 0;
}
