/*
 * Statistics in two buffers. In the first phase each thread counts in its own entries: neighbours
 * do not matter to it. In the second all entries of the same buffers go round: what one has
 * written, the next reads.
 */
#include "shown.h"

enum { KINDS = 3, SAMPLES = 900, TURNS = 40 };

struct entry {
    APART unsigned count[KINDS];
};

static OWN_LINE struct entry buffers[2][MOST];
static OWN_LINE pthread_barrier_t together;
static OWN_LINE int threads;

static unsigned kind_of(unsigned sample)
{
    unsigned h = sample * 2246822519u;
    return (h ^ (h >> 13)) % KINDS;
}

static void collect(int me)
{
    for (unsigned i = 0; i < SAMPLES; i++) {
        struct entry *e = &buffers[i / 64 % 2][me];
        e->count[kind_of((unsigned)me * SAMPLES + i)]++; /* shares: buffers */
        __asm__ volatile("" ::: "memory");
    }
}

static void rotate(int me, int turn)
{
    const struct entry *from = &buffers[turn % 2][(me + 1) % threads];
    struct entry *to = &buffers[(turn + 1) % 2][me];
    for (int k = 0; k < KINDS; k++)
        to->count[k] = from->count[k];
}

static void *work(void *argument)
{
    int me = number(argument);
    collect(me);
    pthread_barrier_wait(&together);
    for (int k = 0; k < KINDS; k++)
        buffers[0][me].count[k] += buffers[1][me].count[k];
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_barrier_wait(&together);
        rotate(me, turn);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    unsigned all = 0;
    threads = threads_asked(argc, argv, 8);
    pthread_barrier_init(&together, NULL, (unsigned)threads);
    shown("buffers", buffers, sizeof buffers);
    crew(threads, work);
    for (int i = 0; i < threads; i++) {
        unsigned sum = 0;
        for (int k = 0; k < KINDS; k++)
            sum += buffers[TURNS % 2][i].count[k];
        wrong += sum != SAMPLES;
        all += sum;
    }
    printf("%u samples\n", all);
    return wrong != 0;
}
