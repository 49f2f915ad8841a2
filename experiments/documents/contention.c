/*
 * Victim and writer, as the R10000's events tell them apart: the writer stores to shared lines
 * (event 31), the victim loses copies (event 29). Two threads take turns ROUNDS times: the victim
 * reads its word, then the writer writes the word beside it. Once both words are in one line, once
 * each has a line of its own. Whose turn it is stands in two more lines, in both cases.
 *
 * Then both count with LL and SC, each in a word of its own: event 20 counts store-conditionals,
 * and event 5 those that failed.
 */
#define _GNU_SOURCE /* processor affinity */

#include "contention.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#ifndef ROUNDS
#define ROUNDS 500
#endif

enum { LINE = 128, WORD = 4, PARTS = 3, CONDITIONAL = 2, VICTIM = 0, WRITER = 1, WORK = 30 };

struct alone {
    volatile unsigned word;
} __attribute__((aligned(LINE)));

static volatile unsigned together[LINE / WORD] __attribute__((aligned(LINE)));
static struct alone apart[2], turn[2];
static volatile unsigned *word[2]; /* of victim and writer */
static const int event[PARTS][2] = {{29, 29}, {31, 31}, {20, 5}};
static unsigned long long counted[2][2][PARTS][2]; /* [padded][who][part][event] */
static pthread_barrier_t barrier;

static void wait_for(struct alone *whose, unsigned round)
{
    while (whose->word != round)
        ;
}

/* Reads, and lets the other one write. */
static void victim(unsigned base)
{
    for (unsigned i = base + 1; i <= base + ROUNDS; i++) {
        (void)*word[VICTIM];
        turn[WRITER].word = i;
        wait_for(&turn[VICTIM], i);
    }
}

static void writer(unsigned base)
{
    for (unsigned i = base + 1; i <= base + ROUNDS; i++) {
        wait_for(&turn[WRITER], i);
        *word[WRITER] = i;
        turn[VICTIM].word = i;
    }
}

/* LL and SC, and between two of them a little work of another length for each. */
static void count(unsigned me)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        __atomic_fetch_add(word[me], 1, __ATOMIC_RELAXED);
        for (volatile unsigned k = 0; k < WORK + me; k++)
            ;
    }
}

static void stay(unsigned me)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* A part, in one layout. */
static void measure(int fd, unsigned me, unsigned padded, unsigned part)
{
    const unsigned base = (padded * PARTS + part) * ROUNDS;
    if (me == VICTIM) {
        word[VICTIM] = padded ? &apart[VICTIM].word : &together[0];
        word[WRITER] = padded ? &apart[WRITER].word : &together[1];
    }
    pthread_barrier_wait(&barrier);
    counters_start(fd, event[part]);
    pthread_barrier_wait(&barrier);
    if (part == CONDITIONAL)
        count(me);
    else if (me == VICTIM)
        victim(base);
    else
        writer(base);
    counters_read(fd, event[part], counted[padded][me][part]);
    pthread_barrier_wait(&barrier);
}

static void *thread(void *number)
{
    const unsigned me = (unsigned)(size_t)number;
    stay(me);
    const int fd = counters_open();
    for (unsigned padded = 0; padded < 2; padded++)
        for (unsigned part = 0; part < PARTS; part++)
            measure(fd, me, padded, part);
    close(fd);
    return NULL;
}

static void print_row(const char *name, unsigned long long row[PARTS][2])
{
    const unsigned long long all = row[CONDITIONAL][0], failed = row[CONDITIONAL][1];
    printf("%-24s %9llu %9llu %9llu %9llu %8.1f %%\n", name, row[0][0], row[1][0], all, failed,
           all ? 100.0 * (double)failed / (double)all : 0.0);
}

int main(void)
{
    pthread_t id[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (size_t i = 0; i < 2; i++)
        pthread_create(&id[i], NULL, thread, (void *)i);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(id[i], NULL);
    printf("%u rounds                 event 29  event 31  event 20   event 5   5 of 20\n", ROUNDS);
    print_row("one line: victim", counted[0][VICTIM]);
    print_row("one line: writer", counted[0][WRITER]);
    print_row("a line each: victim", counted[1][VICTIM]);
    print_row("a line each: writer", counted[1][WRITER]);
    return 0;
}
