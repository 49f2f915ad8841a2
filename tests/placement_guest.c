/*
 * Pages whose users are known: each thread, bound to the first card of a station, writes pages of
 * its own (`own`), or reads and writes them after the first thread has filled them (`filled`), or
 * all threads read the same pages, station 1 an eighth more of them (`same`), or twice as many, and
 * the thread of station 3 writes pages of its own as well (`uneven`).
 *
 *     placement_guest own|filled|same|uneven STATIONS PROCESSORS
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 3 * 65536, LINE = 64, STATIONS = 16 };

/* Of the thread of station i: row i. */
static char pages[STATIONS][PART] __attribute__((aligned(65536)));
static int processors, own, filled, uneven;
static volatile int seen;

static void bind_to(int card)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(card, &set);
    if (sched_setaffinity(0, sizeof set, &set))
        abort();
}

static void *work(void *argument)
{
    const int station = (int)(intptr_t)argument;
    int sum = 0;
    bind_to(station * processors);
    for (int i = 0; i < PART; i += LINE) {
        if (own || (uneven && station == 3))
            pages[station][i] = 1;
        else if (filled)
            pages[station][i]++;
        if (!own && !filled && (station == 1 || i / LINE % (uneven ? 2 : 8)))
            sum += pages[0][i];
    }
    seen = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[STATIONS];
    if (argc != 4 || atoi(argv[2]) > STATIONS)
        return 2;
    own = !strcmp(argv[1], "own");
    filled = !strcmp(argv[1], "filled");
    uneven = !strcmp(argv[1], "uneven");
    const int stations = atoi(argv[2]);
    processors = atoi(argv[3]);
    bind_to(0); /* all begin on one card, and leave it one after the other */
    for (int i = 0; filled && i < stations * PART; i += LINE)
        pages[i / PART][i % PART] = 1;
    for (int i = 1; i < stations; i++)
        pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i);
    work(NULL);
    for (int i = 1; i < stations; i++)
        pthread_join(thread[i], NULL);
    printf("%lu %d\n", (unsigned long)(uintptr_t)pages, PART);
    return 0;
}
