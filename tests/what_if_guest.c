/*
 * Bytes of one word: some threads store them, others do so by LL and SC, which are of the whole
 * word. What it prints does not depend on time, wherever the bytes lie. With an argument, it reads
 * from standard input how often it is all to be done.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, TURNS = 150, LINE = 64 };

static _Alignas(LINE) _Atomic unsigned char bytes[THREADS];
static _Alignas(LINE) atomic_flag locks[THREADS];
static struct {
    _Alignas(LINE) volatile unsigned n;
} lost[THREADS], counted[THREADS / 2];
static struct {
    struct {
        volatile unsigned a, b;
    } pair;
    volatile unsigned row[3];
} nested[2]; /* what has parts in several ways */
static struct {
    struct {
        struct {
            volatile unsigned x, y;
        } c[4];
    } in;
} wrapped; /* what is as large as its only member, twice */
static unsigned turns = TURNS;
static volatile char many[3 << 20]; /* more elements than can lie apart */

/* The first thread adds to its byte; nobody but its owner stores another. */
static void own_bytes(unsigned me)
{
    for (unsigned i = 1; i <= turns; i++) {
        if (me == 0)
            bytes[me]++;
        else
            atomic_store_explicit(&bytes[me], (unsigned char)i, memory_order_release);
        for (volatile unsigned k = 0; k < 5; k++)
            ;
        lost[me].n += bytes[me] != (unsigned char)i;
    }
}

/* Two threads for each lock. */
static void take_turns(unsigned me)
{
    for (unsigned i = 0; i < turns; i++) {
        while (atomic_flag_test_and_set(&locks[me / 2]))
            ;
        counted[me / 2].n++;
        atomic_flag_clear(&locks[me / 2]);
    }
}

static void *body(void *arg)
{
    many[(unsigned)(unsigned long)arg] = 1;
    nested[0].pair.a = nested[1].row[2] = 1;
    wrapped.in.c[1].x = wrapped.in.c[2].y = 1;
    own_bytes((unsigned)(unsigned long)arg);
    take_turns((unsigned)(unsigned long)arg);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    (void)argv;
    if (argc > 1 && scanf("%u", &turns) != 1)
        return 3;
    for (unsigned long i = 1; i < THREADS; i++)
        pthread_create(&thread[i], NULL, body, (void *)i);
    body(NULL);
    for (unsigned i = 1; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        printf("byte %u: lost %u times, is %u\n", i, lost[i].n, bytes[i]);
    for (unsigned i = 0; i < THREADS / 2; i++)
        printf("lock %u: taken %u times\n", i, counted[i].n);
    return 0;
}
