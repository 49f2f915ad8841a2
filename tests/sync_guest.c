/*
 * Guests that call each other and wait for each other by their processor cards: interrupts between
 * processors as signals to the thread of the card that is called, and barriers of which each
 * thread's stores before are another's loads behind.
 */
#include "numachine.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 4, ROUNDS = 200, CALLS = 5, BARRIER = 6, WINDOW = 3 };

static volatile unsigned words[THREADS][16];
static volatile unsigned calls[THREADS], taken[THREADS];
static __thread volatile unsigned *own;
static __thread unsigned number;
static pthread_barrier_t begun;
static volatile unsigned polled, over;
static unsigned wrong;

static void fail(const char *what)
{
    printf("FAILED: %s (%d)\n", what, errno);
    exit(1);
}

static void on_call(int signal)
{
    calls[number] += signal == SIGIO;
    taken[number] |= NUMACHINE_READ(own, IRQ_TAKE);
}

/* This thread is told when its card is called. */
static int listen_to_card(void)
{
    const int fd = open("/dev/numachine/card", O_RDWR);
    if (fd < 0 || fcntl(fd, F_SETOWN, gettid()) < 0 || fcntl(fd, F_SETFL, O_RDWR | O_ASYNC) < 0)
        fail("listen");
    NUMACHINE_WRITE(own, IRQ_ENABLE, ~0u);
    return fd;
}

static void meet(unsigned *round)
{
    numachine_barrier(own, WINDOW, BARRIER, ++*round);
}

/* Each changes its word, meets the others, and reads what they wrote. */
static void barriers(unsigned *round)
{
    for (unsigned i = 1; i <= ROUNDS; i++) {
        words[number][i % 16] = i;
        meet(round);
        for (unsigned t = 0; t < THREADS; t++)
            if (words[t][i % 16] != i)
                __sync_fetch_and_add(&wrong, 1);
        meet(round);
    }
}

/* Thread 0 calls each of the others by a store to its card, then all of them at once. */
static void call(unsigned *round)
{
    if (number == 0) {
        for (unsigned t = 1; t < THREADS; t++) {
            volatile unsigned *other = numachine_card((int)t);
            for (unsigned i = 0; i < CALLS; i++) {
                const unsigned before = calls[t];
                NUMACHINE_WRITE(other, IRQ_SET, 1u << (4 * t + i % 4));
                while (calls[t] == before)
                    ;
            }
        }
        numachine_cast(own, WINDOW, NUMACHINE_REG_IRQ_SET, 1u << 31);
    }
    while (!(taken[number] >> 31))
        ;
    meet(round);
}

/* A call is one even if nobody takes it; not enabled it is none. */
static void quiet(int fd)
{
    unsigned count, before;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
    while (read(fd, &before, sizeof before) == sizeof before)
        ;
    NUMACHINE_WRITE(own, IRQ_ENABLE, 2);
    NUMACHINE_WRITE(own, IRQ_SET, 1);
    for (unsigned i = 0; i < 100; i++)
        if (poll(&ready, 1, 0))
            fail("called by a bit that is not enabled");
    NUMACHINE_WRITE(own, IRQ_SET, 2);
    poll(&ready, 1, -1);
    NUMACHINE_WRITE(own, IRQ_SET, 2);
    if (read(fd, &count, sizeof count) != sizeof count)
        fail("read");
    for (unsigned i = 0; i < 100; i++)
        if (poll(&ready, 1, 0))
            fail("called twice");
    printf("bits: %x, then %x\n", NUMACHINE_READ(own, IRQ_TAKE), NUMACHINE_READ(own, IRQ));
}

/* Thread 0 sets bits, which thread 1 takes by a load that clears them, while thread 2 changes
 * mappings: whatever that does to the load under way, no bit is lost. */
static void set_bits(void)
{
    enum { BITS = 500, LONG = 3000 };
    volatile unsigned *other = numachine_card(1);
    unsigned lost = 0;
    for (unsigned i = 0; i < BITS; i++) {
        const unsigned before = polled;
        unsigned n = 0;
        NUMACHINE_WRITE(other, IRQ_SET, 1);
        while (polled == before && n < LONG)
            n++;
        lost += n == LONG;
    }
    over = 1;
    printf("bits set: %u, lost: %u\n", BITS, lost);
}

static void change_mappings(void)
{
    enum { PAGE = 65536 };
    char *page = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *page = 1;
    for (unsigned i = 0; !over; i++)
        mprotect(page, PAGE, i & 1 ? PROT_READ | PROT_WRITE : PROT_READ);
}

static void take_bits(unsigned *round)
{
    NUMACHINE_WRITE(own, IRQ_ENABLE, 0);
    meet(round);
    if (number == 0)
        set_bits();
    while (number == 1 && !over)
        polled += NUMACHINE_READ(own, IRQ_TAKE) != 0;
    if (number == 2)
        change_mappings();
}

static void *thread(void *arg)
{
    unsigned round = 0;
    cpu_set_t set;
    number = (unsigned)(size_t)arg;
    CPU_ZERO(&set);
    CPU_SET(number, &set);
    sched_setaffinity(0, sizeof set, &set);
    own = numachine_card(-1);
    if (!own || NUMACHINE_READ(own, CARD) != number)
        fail("card");
    numachine_window(own, WINDOW, ~0u, ~0u, ~0u, ~0u);
    numachine_barrier_expect(own, BARRIER, THREADS);
    const int fd = listen_to_card();
    pthread_barrier_wait(&begun);
    barriers(&round);
    call(&round);
    if (number == 0)
        quiet(fd);
    meet(&round);
    take_bits(&round);
    meet(&round);
    return NULL;
}

int main(void)
{
    pthread_t id[THREADS];
    signal(SIGIO, on_call);
    pthread_barrier_init(&begun, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, thread, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    printf("barriers: %u words wrong\n", wrong);
    for (unsigned t = 0; t < THREADS; t++)
        printf("thread %u: %u calls, bits %x\n", t, calls[t], taken[t]);
    volatile unsigned *card = numachine_card(0);
    numachine_window(card, WINDOW, 3, 1, 1, 1); /* two cards */
    numachine_cast(card, WINDOW, NUMACHINE_REG_SHAPE, 1);
    while (!NUMACHINE_READ(card, ERROR))
        ;
    NUMACHINE_WRITE(card, SHAPE, 1);
    printf("a refused write: %u, shape %x\n", NUMACHINE_READ(card, ERROR) & 0xff,
           NUMACHINE_READ(card, SHAPE) & 0xff);
    return wrong != 0;
}
