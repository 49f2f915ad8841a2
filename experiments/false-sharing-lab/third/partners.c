/*
 * Two threads first pass values to and fro through the two halves of a pair, which each reads and
 * writes; then each goes on with its own half alone. It is the same line all the time.
 */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { TALKS = 90, ALONE_TURNS = 1600 };

struct half {
    APART atomic_uint round;
    unsigned value, turns;
};

struct pair {
    struct half half[2];
};

static OWN_LINE struct pair pair;

static ALONE unsigned mixed(unsigned x, unsigned y)
{
    x ^= y + 0x9e3779b9u + (x << 6) + (x >> 2);
    for (int i = 0; i < 5; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

/* Each waits for the other's value of this round, and makes its own next from it. */
static void talk(struct half *mine, struct half *other)
{
    for (unsigned r = 1; r <= TALKS; r++) {
        atomic_store_explicit(&mine->round, 2 * r - 1, memory_order_release);
        while (atomic_load_explicit(&other->round, memory_order_acquire) < 2 * r - 1)
            sched_yield();
        unsigned heard = other->value;
        atomic_store_explicit(&mine->round, 2 * r, memory_order_release);
        while (atomic_load_explicit(&other->round, memory_order_acquire) < 2 * r)
            sched_yield();
        mine->value = mixed(mine->value, heard);
    }
}

static ALONE void ponder(struct half *mine, unsigned i)
{
    mine->value = mixed(mine->value, i); /* shares: pair */
    mine->turns++;                       /* shares: pair */
}

static void *work(void *argument)
{
    int me = number(argument);
    talk(&pair.half[me], &pair.half[1 - me]);
    for (unsigned i = 0; i < ALONE_TURNS; i++)
        ponder(&pair.half[me], i);
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned value[2] = {11, 22};
    int wrong = 0;
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    for (int i = 0; i < 2; i++)
        pair.half[i].value = value[i];
    shown("pair", &pair, sizeof pair);
    crew(2, work);
    for (unsigned r = 1; r <= TALKS; r++) {
        unsigned first = mixed(value[0], value[1]);
        value[1] = mixed(value[1], value[0]);
        value[0] = first;
    }
    for (int h = 0; h < 2; h++) {
        for (unsigned i = 0; i < ALONE_TURNS; i++)
            value[h] = mixed(value[h], i);
        wrong += value[h] != pair.half[h].value || pair.half[h].turns != ALONE_TURNS;
    }
    printf("%d wrong\n", wrong);
    return wrong;
}
