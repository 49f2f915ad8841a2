/*
 * All to all: in each round every thread fills a parcel of one line for every other thread, and
 * then opens those that the others left for it.
 */
#include "shown.h"

#include <pthread.h>

enum { WORDS = 16, MOST = 16, ROUNDS = 70 };

static unsigned parcels[MOST][MOST][WORDS] LINE_ALIGNED;
static int threads LINE_ALIGNED;
static pthread_barrier_t meet LINE_ALIGNED;

static void *trade(void *arg)
{
    const int me = (int)(size_t)arg;
    size_t wrong = 0;
    for (unsigned r = 0; r < ROUNDS; r++) {
        for (int to = 0; to < threads; to++)
            for (unsigned w = 0; w < WORDS; w++)
                parcels[me][to][w] = r + (unsigned)me + w;
        pthread_barrier_wait(&meet);
        for (int from = 0; from < threads; from++)
            for (unsigned w = 0; w < WORDS; w++)
                wrong += parcels[from][me][w] != r + (unsigned)from + w;
        pthread_barrier_wait(&meet);
    }
    return (void *)wrong;
}

int main(int argc, char **argv)
{
    pthread_t ids[MOST];
    size_t wrong = 0;
    threads = thread_count(argc, argv, 4);
    if (threads > MOST)
        threads = MOST;
    pthread_barrier_init(&meet, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, trade, (void *)t);
    for (int t = 0; t < threads; t++) {
        void *result;
        pthread_join(ids[t], &result);
        wrong += (size_t)result;
    }
    SHOW(parcels);
    SHOW(meet);
    printf("wrong %zu\n", wrong);
    return wrong != 0;
}
