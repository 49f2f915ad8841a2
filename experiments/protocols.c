/*
 * What a protocol is good for: the same lines, used in four ways.
 *
 * Each thread owns blocks of lines; pages are on all stations in turn, so most homes are elsewhere.
 * "table": all threads read the same block. "reread": each reads a block of its own that is twice
 * as large as its secondary cache, over and over. "station": each reads what another card of its
 * station has written. "far": each reads what a card of another ring has written. "own": each reads
 * and then writes every line of a block that nobody else uses.
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 64, STATION = 4, RING = 16, STEPS = 4, LINE = 64, LINES = 256 };

struct line {
    volatile unsigned word;
    char rest[LINE - sizeof(unsigned)];
};

static struct line table[LINES], block[THREADS][LINES], large[THREADS][2 * LINES],
    own[THREADS][LINES];
static pthread_barrier_t barrier;

static void read_all(const struct line *line, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++)
        (void)line[i].word;
}

static void write_all(struct line *line, unsigned lines)
{
    for (unsigned i = 0; i < lines; i++)
        line[i].word = i;
}

static void read_table(unsigned me)
{
    (void)me;
    read_all(table, LINES);
}

static void reread(unsigned me)
{
    for (unsigned step = 0; step < STEPS; step++)
        read_all(large[me], 2 * LINES);
}

/* A step: everybody writes its block, then reads that of a partner. */
static void exchange(unsigned me, unsigned partner)
{
    for (unsigned step = 0; step < STEPS; step++) {
        write_all(block[me], LINES);
        pthread_barrier_wait(&barrier);
        read_all(block[partner], LINES);
        pthread_barrier_wait(&barrier);
    }
}

static void on_station(unsigned me)
{
    exchange(me, me / STATION * STATION + (me + 1) % STATION);
}

static void far_away(unsigned me)
{
    exchange(me, (me + RING) % THREADS);
}

static void read_and_write(unsigned me)
{
    for (unsigned i = 0; i < LINES; i++)
        own[me][i].word++;
}

/* Stays on the card of its number, as an operating system would place it. */
static void stay(unsigned me)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* One way, from when all are here until all are done; a region of its own in the results. */
#define WAY(me, name, run)              \
    do {                                \
        pthread_barrier_wait(&barrier); \
        if ((me) == 0)                  \
            NUMACHINE_BEGIN(name);      \
        pthread_barrier_wait(&barrier); \
        run(me);                        \
        pthread_barrier_wait(&barrier); \
        if ((me) == 0)                  \
            NUMACHINE_END(name);        \
    } while (0)

static void *thread(void *arg)
{
    const unsigned me = (unsigned)(size_t)arg;
    stay(me);
    WAY(me, "table", read_table);
    WAY(me, "reread", reread);
    WAY(me, "station", on_station);
    WAY(me, "far", far_away);
    WAY(me, "own", read_and_write);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    /* All pages have memory before it begins. */
    write_all(table, LINES);
    for (unsigned i = 0; i < THREADS; i++) {
        write_all(block[i], LINES);
        write_all(large[i], 2 * LINES);
        write_all(own[i], LINES);
    }
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
