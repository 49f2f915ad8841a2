/*
 * Counts of events by processor, in the manner of an operating system: a table with a row for
 * each processor and a column for each kind of event.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum event { INTERRUPT, SYSCALL, PAGE_FAULT, EVENTS };
enum { NCPU = 8, TURNS = 11000 };

static unsigned counters[NCPU][EVENTS];

static __attribute__((noinline)) void count_event(int cpu, enum event event)
{
    counters[cpu][event]++;
}

static enum event what_happens(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    unsigned draw = *state >> 24;

    if (draw < 16)
        return PAGE_FAULT;
    return draw < 96 ? INTERRUPT : SYSCALL;
}

static void *cpu_main(void *arg)
{
    int cpu = *(int *)arg;
    unsigned state = 31u * (unsigned)cpu + 7u;

    for (int i = 0; i < TURNS; i++)
        count_event(cpu, what_happens(&state));
    return NULL;
}

static unsigned total(enum event event)
{
    unsigned sum = 0;

    for (int cpu = 0; cpu < NCPU; cpu++)
        sum += counters[cpu][event];
    return sum;
}

int main(void)
{
    pthread_t threads[NCPU];
    int numbers[NCPU];

    for (int cpu = 0; cpu < NCPU; cpu++) {
        numbers[cpu] = cpu;
        pthread_create(&threads[cpu], NULL, cpu_main, &numbers[cpu]);
    }
    for (int cpu = 0; cpu < NCPU; cpu++)
        pthread_join(threads[cpu], NULL);
    printf("%u interrupts, %u system calls, %u page faults\n", total(INTERRUPT), total(SYSCALL),
           total(PAGE_FAULT));
    return 0;
}
