/*
 * A simulation that first settles: each thread counts its rejected moves in an array until the
 * system is warm. After that it measures, in variables of its own.
 */
#include "shown.h"

#include <pthread.h>

enum { WARM = 900, MEASURED = 2600 };

static struct {
    APART volatile unsigned rejected;
    volatile unsigned accepted;
} moves[32] LINE_ALIGNED;

static unsigned next_random(unsigned x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

static void *simulate(void *arg)
{
    const size_t me = (size_t)arg;
    unsigned x = (unsigned)me * 7919 + 1;
    size_t energy = 0;
    for (int i = 0; i < WARM; i++) {
        x = next_random(x);
        if (x % 4 == 0)
            moves[me].accepted++; /* shares: moves */
        else
            moves[me].rejected++; /* shares: moves */
    }
    for (int i = 0; i < MEASURED; i++) {
        for (int k = 0; k < 5; k++)
            x = next_random(x);
        energy += x % 16;
    }
    return (void *)energy;
}

int main(int argc, char **argv)
{
    const int asked = thread_count(argc, argv, 4), threads = asked < 32 ? asked : 32;
    pthread_t ids[32];
    unsigned all = 0;
    size_t energy = 0;
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, simulate, (void *)t);
    for (int t = 0; t < threads; t++) {
        void *result;
        pthread_join(ids[t], &result);
        energy += (size_t)result;
        all += moves[t].accepted + moves[t].rejected;
    }
    show_object("moves", moves, (size_t)threads * sizeof moves[0]);
    printf("%u moves, energy %zu\n", all, energy);
    return all != (unsigned)threads * WARM || energy == 0;
}
