/*
 * Two threads count in one word, by turns of a lock that spins; for what compares runs.
 *
 *     compare_guest TIMES [ODD [WORD]]
 *
 * In round ODD (from 1) the first thread does something else, once: its first instruction there is
 * turn_off's. The arguments lie on its stack whatever they are, if they are as long. WORD is
 * printed, in the same time whatever it is.
 */
#include <numachine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile unsigned count __attribute__((aligned(128)));
static volatile unsigned elsewhere[4096] __attribute__((aligned(128)));
static volatile int lock __attribute__((aligned(128)));
static unsigned times, odd;

/** The other way: a miss that nobody else makes. */
static __attribute__((noinline)) void turn_off(void)
{
    elsewhere[2048]++;
}

static void *thread(void *first)
{
    for (unsigned i = 1; i <= times; i++) {
        while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
            ;
        count++;
        __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
        if (first && i == odd)
            turn_off();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t other;
    times = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    odd = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    NUMACHINE_BEGIN("work");
    pthread_create(&other, NULL, thread, NULL);
    thread(&other);
    pthread_join(other, NULL);
    NUMACHINE_END("work");
    NUMACHINE_BEGIN("rest");
    NUMACHINE_END("rest");
    printf("%u\n", count);
    if (argc > 3)
        puts(argv[3]);
    return 0;
}
