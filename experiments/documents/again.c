/*
 * Which lines would like to be updated: the monitor remembers the line of the most recent
 * invalidate and counts requests for it. One thread writes, the other one reads, ROUNDS times, and
 * what they share is of one of four kinds. The reader's card counts the copies it loses, the first
 * request for a line that it has lost (N-96, N-97), and all requests for it (N-48). Whose turn it
 * is stands in an uncached word, which no cache can lose.
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 50
#endif

enum { LINE = 64, PAGE = 4096, CACHE = 64 << 10, SEVERAL = 4, KINDS = 4, PASSES = 2, COUNTS = 2 };

struct line {
    volatile unsigned word;
} __attribute__((aligned(LINE)));

static struct line news, seldom, late[PASSES][ROUNDS + 1], several[SEVERAL];
/* Twice the cache's half for data: whatever pages it gets, nothing else stays. */
static struct line others[2 * CACHE / LINE] __attribute__((aligned(PAGE)));
static volatile unsigned *turn;
static unsigned counted[KINDS][PASSES][COUNTS];

static void wait_for(unsigned round)
{
    while (*turn != round)
        for (volatile unsigned i = 0; i < 20; i++)
            ;
}

/* Each time the other's news are read. */
static void read_news(unsigned pass, unsigned i)
{
    (void)pass, (void)i;
    (void)news.word;
}

/* Read once, and never again. */
static void read_once(unsigned pass, unsigned i)
{
    (void)late[pass][i].word;
}

/* Read, put out of the cache by other lines, and read again. */
static void read_seldom(unsigned pass, unsigned i)
{
    (void)pass, (void)i;
    (void)seldom.word;
    for (unsigned k = 0; k < 2 * CACHE / LINE; k++)
        (void)others[k].word;
    (void)seldom.word;
}

static void read_several(unsigned pass, unsigned i)
{
    (void)pass, (void)i;
    for (unsigned k = 0; k < SEVERAL; k++)
        (void)several[k].word;
}

static void write_several(unsigned pass, unsigned i)
{
    (void)pass;
    for (unsigned k = 0; k < SEVERAL; k++)
        several[k].word = i;
}

static void write_news(unsigned pass, unsigned i)
{
    (void)pass;
    news.word = i;
}

static void write_late(unsigned pass, unsigned i)
{
    late[pass][i].word = i;
}

static void write_seldom(unsigned pass, unsigned i)
{
    (void)pass;
    seldom.word = i;
}

static const struct {
    const char *name;
    void (*read)(unsigned pass, unsigned i), (*write)(unsigned pass, unsigned i);
} kinds[KINDS] = {{"read each time", read_news, write_news},
                  {"read once", read_once, write_late},
                  {"read, replaced, read", read_seldom, write_seldom},
                  {"four lines, each time", read_several, write_several}};

static void stay(unsigned me)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me, &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* Two counters have these events, so there are two passes. After the last write is one more read.
 */
static void read_kind(volatile unsigned *card, unsigned kind, unsigned pass, unsigned *round)
{
    static const unsigned event[PASSES][COUNTS] = {
        {NUMACHINE_EV_INVALIDATE_HITS, NUMACHINE_EV_REREFERENCES},
        {NUMACHINE_EV_INVALIDATE_HITS, NUMACHINE_EV_INVALIDATED_READS}};
    for (unsigned c = 0; c < COUNTS; c++) {
        NUMACHINE_CONTROL(card, c, event[pass][c]);
        NUMACHINE_LOAD(card, c, 0);
    }
    for (unsigned i = 0; i < ROUNDS; i++) {
        kinds[kind].read(pass, i);
        *turn = ++*round;
        wait_for(++*round);
    }
    kinds[kind].read(pass, ROUNDS);
    for (unsigned c = 0; c < COUNTS; c++)
        counted[kind][pass][c] = NUMACHINE_COUNTER(card, c);
}

static void *reader(void *nothing)
{
    stay(0);
    volatile unsigned *card = numachine_card(-1);
    for (unsigned kind = 0, round = 0; kind < KINDS; kind++)
        for (unsigned pass = 0; pass < PASSES; pass++)
            read_kind(card, kind, pass, &round);
    return nothing;
}

static void *writer(void *nothing)
{
    stay(1);
    for (unsigned kind = 0, round = 0; kind < KINDS; kind++)
        for (unsigned pass = 0; pass < PASSES; pass++)
            for (unsigned i = 0; i < ROUNDS; i++) {
                wait_for(++round);
                kinds[kind].write(pass, i);
                *turn = ++round;
            }
    return nothing;
}

int main(void)
{
    pthread_t id[2];
    turn = numachine_uncached(4096);
    if (!turn)
        return 1;
    pthread_create(&id[0], NULL, reader, NULL);
    pthread_create(&id[1], NULL, writer, NULL);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(id[i], NULL);
    printf("%-22s %12s %18s %18s\n", "the reader's lines", "copies lost", "asked again: first",
           "all (N-48)");
    for (unsigned kind = 0; kind < KINDS; kind++)
        printf("%-22s %12u %18u %18u\n", kinds[kind].name, counted[kind][0][0], counted[kind][0][1],
               counted[kind][1][1]);
    return 0;
}
