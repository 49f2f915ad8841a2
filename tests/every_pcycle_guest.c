/*
 * Threads on one processor, interrupted by clock, timer and each other, that do over and over what
 * every_pcycle_arm.S does: their results are printed, and are what anybody else finds.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { THREADS = 3, WORDS = 64, LEAST = 20 };

uint32_t every_pcycle(unsigned rounds, uint32_t *data);

static struct {
    uint32_t data[WORDS] __attribute__((aligned(64)));
    uint32_t result;
} work[THREADS];
static unsigned rounds;
static volatile sig_atomic_t handled;

static void handler(int signal)
{
    (void)signal;
    handled++;
}

static void *thread(void *number)
{
    const unsigned i = (unsigned)(uintptr_t)number;
    work[i].result = every_pcycle(rounds, work[i].data);
    for (unsigned w = 0; w < WORDS; w++)
        work[i].result = work[i].result * 31 + work[i].data[w];
    return NULL;
}

/* What is executed meanwhile is not to be the handler alone. */
static void interrupt_every(long microseconds)
{
    const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    const struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

int main(int argc, char **argv)
{
    pthread_t id[THREADS];
    if (argc < 3)
        return 2;
    rounds = (unsigned)atoi(argv[1]);
    for (unsigned i = 0; i < THREADS; i++)
        for (uint32_t w = 0; w < WORDS; w++)
            work[i].data[w] = (w + 1) * (i + 7) * 0x9e3779b1u;
    interrupt_every(atol(argv[2]));
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, thread, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
    interrupt_every(0);
    for (unsigned i = 0; i < THREADS; i++)
        printf("%08x\n", (unsigned)work[i].result);
    return atol(argv[2]) && handled < LEAST;
}
