/*
 * Two processors that may be of different kinds, and what they share: nothing, an array that both
 * work on, and a word that goes to and fro. Prints what each has done.
 *
 *     mixed CARD CARD
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
    CARDS = 2,
    LINE = 128,
    LINES = 2048,
    PIECE = 16,
    WORDS = LINE / sizeof(unsigned),
    TURNS = 200,
    PAGE = 4096
};

static unsigned own[CARDS][LINES][WORDS] __attribute__((aligned(LINE))),
    shared[LINES][WORDS] __attribute__((aligned(LINE)));
static volatile unsigned word __attribute__((aligned(LINE)));
static unsigned next __attribute__((aligned(LINE)));
static int card[CARDS];
static unsigned long took[CARDS], pieces[CARDS], sums[CARDS];
static pthread_barrier_t barrier;

static unsigned long now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return 1000000000UL * (unsigned long)at.tv_sec + (unsigned long)at.tv_nsec;
}

/* A word of each line: misses that do not wait for each other. */
static unsigned long sum_of(unsigned (*line)[WORDS], unsigned lines)
{
    unsigned long sum = 0;
    for (unsigned i = 0; i < lines; i++)
        sum += line[i][0];
    return sum;
}

static void read_own(unsigned me)
{
    const unsigned long from = now();
    sums[me] += sum_of(own[me], LINES);
    took[me] = now() - from;
}

static void take_pieces(unsigned me)
{
    unsigned piece;
    while ((piece = __atomic_fetch_add(&next, PIECE, __ATOMIC_SEQ_CST)) < LINES) {
        sums[me] += sum_of(&shared[piece], PIECE);
        pieces[me]++;
    }
}

static void hand_over(unsigned me)
{
    for (unsigned turn = 0; turn < TURNS; turn++) {
        while (word != CARDS * turn + me)
            ;
        word++;
    }
}

/* The first thread is in a region of this name while both are at work. */
#define PHASE(name, me, does)           \
    do {                                \
        pthread_barrier_wait(&barrier); \
        if ((me) == 0)                  \
            NUMACHINE_BEGIN(name);      \
        does(me);                       \
        pthread_barrier_wait(&barrier); \
        if ((me) == 0)                  \
            NUMACHINE_END(name);        \
    } while (0)

static void *work(void *arg)
{
    const unsigned me = *(const unsigned *)arg;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(card[me], &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
    PHASE("own", me, read_own);
    PHASE("shared", me, take_pieces);
    PHASE("handover", me, hand_over);
    return NULL;
}

int main(int argc, char **argv)
{
    static const unsigned number[CARDS] = {0, 1};
    pthread_t thread;
    for (int i = 0; i < CARDS; i++)
        card[i] = argc > i + 1 ? atoi(argv[i + 1]) : i;
    for (unsigned i = 0; i < LINES; i += PAGE / LINE) /* pages are there, lines in no cache */
        own[0][i][1] = own[1][i][1] = shared[i][0] = 1;
    pthread_barrier_init(&barrier, NULL, CARDS);
    pthread_create(&thread, NULL, work, (void *)&number[1]);
    work((void *)&number[0]);
    pthread_join(thread, NULL);
    for (unsigned i = 0; i < CARDS; i++)
        printf("card %d: %lu ns for a line of its own, %lu pieces of %d\n", card[i],
               took[i] / LINES, pieces[i], LINES / PIECE);
    printf("sum %lu\n", sums[0] + sums[1]);
    return 0;
}
