/* Monte Carlo: each thread has its random generator, and all of them are in one array. */
#include "shown.h"

struct generator {
    APART uint32_t x, y, z, w;
};

enum { SHOTS = 2500 };

static OWN_LINE struct generator generators[MOST];
static OWN_LINE unsigned hits[MOST][LINE / sizeof(unsigned)];
static OWN_LINE int threads;

static ALONE uint32_t next(struct generator *g)
{
    uint32_t t = g->x ^ (g->x << 11);
    g->x = g->y;                                 /* shares: generators */
    g->y = g->z;                                 /* shares: generators */
    g->z = g->w;                                 /* shares: generators */
    g->w = g->w ^ (g->w >> 19) ^ (t ^ (t >> 8)); /* shares: generators */
    return g->w;
}

static void seed(struct generator *g, uint32_t s)
{
    g->x = 123456789u ^ s;
    g->y = 362436069u + s;
    g->z = 521288629u;
    g->w = 88675123u * (s + 1);
}

static int shot(struct generator *g)
{
    uint32_t x = next(g) >> 17, y = next(g) >> 17;
    return x * x + y * y < 1u << 30;
}

static void *work(void *argument)
{
    int me = number(argument);
    struct generator *g = &generators[me];
    unsigned inside = 0;
    for (int i = 0; i < SHOTS; i++)
        inside += (unsigned)shot(g);
    hits[me][0] = inside;
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned long inside = 0;
    threads = threads_asked(argc, argv, 6);
    for (int i = 0; i < threads; i++)
        seed(&generators[i], (uint32_t)i);
    shown("generators", generators, sizeof generators);
    crew(threads, work);
    for (int i = 0; i < threads; i++)
        inside += hits[i][0];
    unsigned long mille = inside * 4000 / ((unsigned long)threads * SHOTS);
    printf("pi is %lu / 1000\n", mille);
    return mille < 3000 || mille > 3280;
}
