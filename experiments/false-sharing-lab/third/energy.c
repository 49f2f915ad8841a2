/*
 * Two threads follow bodies on their orbits. Only in one step in the middle, a short one, do they
 * add up the energies, in an array by the number of the thread.
 */
#include "shown.h"
#include <omp.h>

enum { BODIES = 48, STEPS = 9, FINE = 8, CHECK = 4 };

struct body {
    int x, y, vx, vy;
};

struct energy {
    APART long moving;
    long bound;
};

static OWN_LINE struct body bodies[2][BODIES];
static OWN_LINE struct energy energies[2];

static void body_set(struct body *b, int seed)
{
    b->x = seed * 37 % 400 - 200;
    b->y = seed * 59 % 400 - 200;
    b->vx = seed % 7 - 3;
    b->vy = seed % 5 - 2;
}

static void body_step(struct body *b)
{
    for (int k = 0; k < FINE; k++) {
        b->vx -= b->x / 64;
        b->vy -= b->y / 64;
        b->x += b->vx;
        b->y += b->vy;
    }
}

static ALONE void add(struct energy *e, const struct body *b, int part)
{
    e->moving += b->vx * b->vx + b->vy * b->vy + part;         /* shares: energies */
    e->bound += (b->x * b->x + b->y * b->y) / 64 * (part + 1); /* shares: energies */
}

static void step(struct body *mine, struct energy *e, int now)
{
    for (int i = 0; i < BODIES; i++)
        body_step(&mine[i]);
#pragma omp barrier
    if (now != STEPS / 2)
        return;
    for (int i = 0; i < BODIES * CHECK; i++)
        add(e, &mine[i / CHECK], i % CHECK);
}

static void energy_of(struct energy *e, int which)
{
    struct body b;
    e->moving = e->bound = 0;
    for (int i = 0; i < BODIES; i++) {
        body_set(&b, which * BODIES + i);
        for (int s = 0; s <= STEPS / 2; s++)
            body_step(&b);
        for (int part = 0; part < CHECK; part++)
            add(e, &b, part);
    }
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 2), wrong = 0;
    if (n != 2)
        return 2;
    omp_set_num_threads(n);
    shown("energies", energies, sizeof energies);
#pragma omp parallel
    {
        int me = omp_get_thread_num();
        for (int i = 0; i < BODIES; i++)
            body_set(&bodies[me][i], me * BODIES + i);
        for (int s = 0; s < STEPS; s++)
            step(bodies[me], &energies[me], s);
    }
    for (int i = 0; i < 2; i++) {
        struct energy right;
        energy_of(&right, i);
        wrong += right.moving != energies[i].moving || right.bound != energies[i].bound;
        printf("%ld, %ld\n", energies[i].moving, energies[i].bound);
    }
    return wrong;
}
