/* A sequence lock: one thread sets the clock and its offset, others read both and try again if it
 * was at work. */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { TICKS = 250, READS = 600, LEAP = 37 };

struct clock {
    OWN_LINE atomic_uint sequence;
    atomic_uint seconds, nanoseconds, offset;
};

static OWN_LINE struct clock wall;
static OWN_LINE unsigned wrong[MOST][LINE / sizeof(unsigned)];

static unsigned spend(unsigned x, int n)
{
    while (n-- > 0)
        x = x * 1664525u + 1013904223u;
    return x;
}

static void clock_set(struct clock *c, unsigned tick)
{
    unsigned s = atomic_load(&c->sequence);
    atomic_store(&c->sequence, s + 1);
    atomic_store(&c->seconds, tick);
    atomic_store(&c->nanoseconds, tick * LEAP);
    atomic_store(&c->offset, ~tick);
    atomic_store(&c->sequence, s + 2);
}

static int clock_read(struct clock *c)
{
    unsigned s, seconds, nanoseconds, offset;
    do {
        while ((s = atomic_load(&c->sequence)) & 1)
            sched_yield();
        seconds = atomic_load(&c->seconds);
        nanoseconds = atomic_load(&c->nanoseconds);
        offset = atomic_load(&c->offset);
    } while (atomic_load(&c->sequence) != s);
    return nanoseconds == seconds * LEAP && offset == ~seconds;
}

static void *work(void *argument)
{
    int me = number(argument);
    volatile unsigned kept = (unsigned)me;
    if (me == 0) {
        for (unsigned t = 1; t <= TICKS; t++) {
            clock_set(&wall, t);
            kept = spend(kept, 300);
        }
        return NULL;
    }
    for (int i = 0; i < READS; i++) {
        wrong[me][0] += !clock_read(&wall);
        kept = spend(kept, 60);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 4);
    unsigned all = 0;
    clock_set(&wall, 0);
    shown("wall", &wall, sizeof wall);
    crew(n, work);
    for (int i = 0; i < n; i++)
        all += wrong[i][0];
    printf("%u wrong, at the end %u\n", all, atomic_load(&wall.seconds));
    return all != 0 || atomic_load(&wall.seconds) != TICKS;
}
