/*
 * Ways for threads to wait for each other: the C library's barrier, whose waiters sleep; one in
 * memory, whose waiters spin on a line; and the processor cards' barrier registers, where everybody
 * tells everybody, or one of each station tells all.
 *
 * For 1, 2, 4 ... 64 threads, each on a card of its own, it prints what a barrier takes. Each
 * thread owns a word, which it changes before a barrier and which its neighbour reads behind it: a
 * barrier that lets somebody through too early is found out.
 */
#define _GNU_SOURCE             /* processor affinity */
#define NUMACHINE_CARDS_CHECKED /* no register is a barrier where there are none */

#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 64, ROUNDS = 16, LINE = 64, MHZ = 150 };

/* Windows and barriers of a card. */
enum { ALL, LEADER };
enum { EVERYBODY, GATHERED, STATIONS, BARRIERS };

struct padded {
    volatile unsigned word;
    char rest[LINE - sizeof(unsigned)];
} __attribute__((aligned(LINE)));

/* What a thread knows of itself. */
struct self {
    unsigned number, sense;
    unsigned leads;           /* it is the first of its station */
    unsigned round[BARRIERS]; /* the last it has arrived in */
    volatile unsigned *card;
};

static struct padded own[THREADS], arrived, sense;
static pthread_barrier_t library;
static unsigned threads, too_early;
static double took[4]; /* [PCycles] a barrier, by way */

/* The C library's: who is early sleeps, and the operating system wakes him. */
static void by_library(struct self *self)
{
    (void)self;
    pthread_barrier_wait(&library);
}

/* A counter in memory, and a flag that the last one turns. */
static void by_memory(struct self *self)
{
    self->sense = !self->sense;
    if (__sync_add_and_fetch(&arrived.word, 1) == threads) {
        arrived.word = 0;
        __sync_synchronize();
        sense.word = self->sense;
    }
    while (sense.word != self->sense)
        ;
    __sync_synchronize();
}

/* Everybody tells everybody. */
static void by_registers(struct self *self)
{
    numachine_barrier(self->card, ALL, EVERYBODY, ++self->round[EVERYBODY]);
}

/* Everybody tells the first of the station, and that one tells all. */
static void by_stations(struct self *self)
{
    numachine_barrier_arrive(self->card, LEADER, GATHERED);
    if (self->leads) {
        numachine_barrier_await(self->card, GATHERED, ++self->round[GATHERED]);
        numachine_barrier_arrive(self->card, ALL, STATIONS);
    }
    numachine_barrier_await(self->card, STATIONS, ++self->round[STATIONS]);
}

static void go_round(struct self *self, void (*wait)(struct self *))
{
    struct padded *mine = &own[self->number], *next = &own[(self->number + 1) % threads];
    for (unsigned i = 0; i < ROUNDS; i++) {
        const unsigned before = mine->word;
        wait(self);
        mine->word = before + 1;
        wait(self);
        if (next->word != before + 1)
            __sync_fetch_and_add(&too_early, 1);
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* Once to get warm, once to be measured; all threads are a region. */
#define MEASURE(self, way, name)                              \
    do {                                                      \
        go_round(self, by_##name);                            \
        if (self->number == 0 && threads == THREADS)          \
            NUMACHINE_BEGIN(#name);                           \
        by_library(self);                                     \
        const double begun = now();                           \
        go_round(self, by_##name);                            \
        if (self->number == 0)                                \
            took[way] = (now() - begun) * MHZ / (2 * ROUNDS); \
        by_library(self);                                     \
        if (self->number == 0 && threads == THREADS)          \
            NUMACHINE_END(#name);                             \
    } while (0)

/* Lets the own card wait for those there are. The first so many cards have a thread. */
static void prepare(struct self *self)
{
    const unsigned shape = NUMACHINE_READ(self->card, SHAPE);
    const unsigned cards = NUMACHINE_FIELD(shape, SHAPE_CARDS) + !self->card;
    const unsigned ring = NUMACHINE_FIELD(shape, SHAPE_STATIONS) + !self->card;
    const unsigned members = threads < cards ? threads : cards, stations = threads / members;
    const unsigned on_ring = stations < ring ? stations : ring, rings = stations / on_ring;
    const unsigned station = self->number / cards;
    self->leads = self->number % cards == 0;
    numachine_window(self->card, ALL, ~0u, (1u << on_ring) - 1, (1u << rings) - 1, ~0u);
    numachine_window(self->card, LEADER, 1, 1u << station % ring, 1u << station / ring, ~0u);
    numachine_barrier_expect(self->card, EVERYBODY, threads);
    numachine_barrier_expect(self->card, GATHERED, members);
    numachine_barrier_expect(self->card, STATIONS, stations);
}

static void *thread(void *arg)
{
    struct self me = {.number = (unsigned)(size_t)arg, .sense = sense.word};
    struct self *self = &me;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me.number, &set);
    sched_setaffinity(0, sizeof set, &set);
    me.card = numachine_card((int)me.number);
    own[me.number].word = 0;
    prepare(self);
    by_library(self);
    MEASURE(self, 0, library);
    MEASURE(self, 1, memory);
    if (me.card)
        MEASURE(self, 2, registers);
    if (me.card)
        MEASURE(self, 3, stations);
    return NULL;
}

int main(void)
{
    pthread_t id[THREADS];

    printf("threads  library   memory registers stations  [PCycles a barrier]\n");
    for (threads = 1; threads <= THREADS; threads *= 2) {
        pthread_barrier_init(&library, NULL, threads);
        for (size_t i = 0; i < threads; i++)
            pthread_create(&id[i], NULL, thread, (void *)i);
        for (unsigned i = 0; i < threads; i++)
            pthread_join(id[i], NULL);
        printf("%7u %8.0f %8.0f %9.0f %8.0f\n", threads, took[0], took[1], took[2], took[3]);
    }
    if (too_early)
        printf("%u times somebody was let through too early\n", too_early);
    return too_early != 0;
}
