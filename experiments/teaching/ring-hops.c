/*
 * What distance costs: a thread on station 0 reads memory of its own station, of the other stations
 * on its ring, and of stations on the other rings.
 *
 * It visits each of these stations first and touches pages there, so that they get their home there
 * (memory.placement: first_touch). That brings one line of each page; the others are read later,
 * each once, and each of these reads goes to the home.
 */
#define _GNU_SOURCE /* processor affinity */

#include <numachine.h>
#include <sched.h>
#include <stdio.h>

enum { STATION = 4, STATIONS = 16, LINE = 64, PAGE = 4096, PAGES = 4 };

static volatile struct {
    unsigned word;
    char rest[LINE - sizeof(unsigned)];
} page[STATIONS][PAGES][PAGE / LINE] __attribute__((aligned(PAGE)));

/* Moves this thread to the first card of a station. */
static void go(unsigned station)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(STATION * station, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static unsigned touch(unsigned station)
{
    unsigned sum = 0;
    for (unsigned p = 0; p < PAGES; p++)
        sum += page[station][p][0].word;
    return sum;
}

static unsigned read_all(unsigned station)
{
    unsigned sum = 0;
    for (unsigned p = 0; p < PAGES; p++)
        for (unsigned i = 1; i < PAGE / LINE; i++)
            sum += page[station][p][i].word;
    return sum;
}

/* A region's name is a literal, so each station is written down. */
#define MEASURE(name, station)    \
    do {                          \
        touch(station);           \
        NUMACHINE_BEGIN(name);    \
        sum += read_all(station); \
        NUMACHINE_END(name);      \
    } while (0)

int main(void)
{
    unsigned sum = 0;
    for (unsigned station = 0; station < STATIONS; station++) {
        go(station);
        sum += touch(station);
    }
    go(0);
    MEASURE("own", 0);
    MEASURE("station1", 1);
    MEASURE("station2", 2);
    MEASURE("station3", 3);
    MEASURE("ring1", 4);
    MEASURE("ring2", 8);
    MEASURE("ring3", 12);
    printf("sum %u\n", sum);
    return sum != 0;
}
