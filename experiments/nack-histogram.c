/*
 * Where NACKs come from: one counter for all processors, then for fewer and fewer.
 *
 * Each argument is a round: how many processors share a counter. In every round each of the 64
 * threads adds to its counter the same number of times, so the work is the same; only how many want
 * one line at a time differs. A round is a phase of the program: its number is in every request the
 * card sends, and so in the card's histogram.
 */
#include <numachine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef NUMACHINE_PHASE
static __thread volatile unsigned *card;

static void set_phase(unsigned phase)
{
    if (!card) {
        const int fd = open("/dev/numachine/card", O_RDWR);
        card = mmap(0, 0x1000, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    }
    card[0x90 / 4] = phase;
}
#define NUMACHINE_PHASE(n) set_phase(n)
#endif

enum { THREADS = 64, LINE = 64, TIMES = 40 };

static struct {
    unsigned count;
} __attribute__((aligned(LINE))) counters[THREADS];

static pthread_barrier_t barrier;
static unsigned sharers[16], rounds;

static void *thread(void *arg)
{
    const unsigned me = (unsigned)(size_t)arg;
    for (unsigned r = 0; r < rounds; r++) {
        pthread_barrier_wait(&barrier);
        NUMACHINE_PHASE(r + 1);
        for (unsigned i = 0; i < TIMES; i++)
            __atomic_fetch_add(&counters[me / sharers[r]].count, 1, __ATOMIC_RELAXED);
        NUMACHINE_PHASE(0);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    unsigned sum = 0;

    for (int i = 1; i < argc && i <= 15; i++)
        sharers[rounds++] = (unsigned)strtoul(argv[i], NULL, 10);
    for (unsigned r = 0; r < rounds; r++)
        if (sharers[r] < 1 || sharers[r] > THREADS)
            return 2;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        sum += counters[i].count;
    printf("%u rounds, %u additions\n", rounds, sum);
    return sum == rounds * THREADS * TIMES ? 0 : 1;
}
