/* Records that move: whoever has the lock of a parcel reads all of it, works on it and writes all
 * of it. */
#include "shown.h"

enum { PARCELS = 6, STATIONS = 220, PARTS = 20 };

struct parcel {
    OWN_LINE pthread_mutex_t lock;
    OWN_LINE unsigned moves;
    unsigned part[PARTS];
};

static struct parcel *parcels;
static OWN_LINE unsigned handled[MOST][LINE / sizeof(unsigned)];

static ALONE struct parcel *parcels_make(int n)
{
    struct parcel *p = (struct parcel *)aligned_alloc(LINE, (size_t)n * sizeof *p);
    for (int i = 0; i < n; i++) {
        pthread_mutex_init(&p[i].lock, NULL);
        p[i].moves = 0;
        for (unsigned k = 0; k < PARTS; k++)
            p[i].part[k] = k;
    }
    return p;
}

static void stamp(struct parcel *p)
{
    unsigned first = p->part[0];
    for (unsigned k = 0; k + 1 < PARTS; k++)
        p->part[k] = p->part[k + 1];
    p->part[PARTS - 1] = first;
    p->moves++;
}

static unsigned travel(unsigned x)
{
    for (int i = 0; i < 40; i++)
        x = x * 1103515245u + 12345u;
    return x;
}

static void *work(void *argument)
{
    int me = number(argument);
    unsigned x = (unsigned)me * 77 + 1;
    for (int s = 0; s < STATIONS; s++) {
        x = travel(x);
        struct parcel *p = &parcels[(x >> 16) % PARCELS];
        pthread_mutex_lock(&p->lock);
        stamp(p);
        pthread_mutex_unlock(&p->lock);
        handled[me][0]++;
    }
    return NULL;
}

static int parcel_wrong(const struct parcel *p)
{
    int wrong = 0;
    for (unsigned k = 0; k < PARTS; k++)
        wrong += p->part[k] != (k + p->moves) % PARTS;
    return wrong;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 6), wrong = 0;
    unsigned moves = 0;
    parcels = parcels_make(PARCELS);
    shown("parcels_make()", parcels, PARCELS * sizeof *parcels);
    crew(n, work);
    for (int i = 0; i < PARCELS; i++) {
        moves += parcels[i].moves;
        wrong += parcel_wrong(&parcels[i]);
    }
    printf("%u moves, %d wrong\n", moves, wrong);
    return wrong || moves != (unsigned)n * STATIONS;
}
