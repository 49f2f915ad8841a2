/*
 * Relaxation on a square grid with fixed borders: red points are made of black ones, then black
 * ones of red ones, until they hardly change. A thread has rows, and reads one row of each
 * neighbour. How much the points have changed is summed up after every sweep.
 */
#include "share.h"

struct slot {
    double change;
    char apart[KN_APART - sizeof(double)];
};

struct ocean {
    uint32_t side, pitch, sweeps, seed;
    kn_barrier *barrier;
    double *grid;       /* [side + 2][pitch] */
    struct slot *slot;  /* [thread] how much its points have changed */
    struct slot *total; /* all of them */
    struct slot *swept; /* sweeps that were made */
};

static void *setup(kn_program *p)
{
    struct ocean *o = kn_alloc(p, sizeof *o);
    o->side = (uint32_t)kn_number(p, "n", 128, 2, 8192);
    o->sweeps = (uint32_t)kn_number(p, "sweeps", 30, 1, 100000);
    o->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    o->pitch = (o->side + 2 + KN_APART / 8 - 1) / (KN_APART / 8) * (KN_APART / 8);
    o->barrier = kn_alloc(p, sizeof *o->barrier);
    o->grid = kn_alloc(p, sizeof *o->grid * (o->side + 2) * o->pitch);
    o->slot = kn_alloc(p, sizeof *o->slot * kn_threads(p));
    o->total = kn_alloc(p, sizeof *o->total);
    o->swept = kn_alloc(p, sizeof *o->swept);
    return o;
}

/** The borders are random, what they enclose is 0. */
static double origin(const struct ocean *o, uint32_t row, uint32_t column)
{
    const int border = !row || !column || row == o->side + 1 || column == o->side + 1;
    return border ? fraction_of(o->seed, row * o->pitch + column) : 0;
}

static void fill(kn_thread *t, const struct ocean *o)
{
    const struct part rows = part_of(t, o->side + 2, 1);
    for (uint32_t row = rows.from; row < rows.to; row++)
        for (uint32_t column = 0; column < o->side + 2; column++)
            KN_STORE(t, o->grid[row * o->pitch + column], origin(o, row, column));
}

/** Every other point of a row. @return the sum of the squares of what they changed by */
static double relax_row(kn_thread *t, const struct ocean *o, uint32_t row, uint32_t first)
{
    double *x = o->grid + (size_t)row * o->pitch, *above = x - o->pitch, *below = x + o->pitch;
    double change = 0;
    for (uint32_t i = first; i <= o->side; i += 2) {
        const double was = KN_LOAD(t, x[i]);
        const double around = KN_LOAD(t, above[i]) + KN_LOAD(t, below[i]) + KN_LOAD(t, x[i - 1]) +
                              KN_LOAD(t, x[i + 1]);
        const double by = 1.5 * (0.25 * around - was);
        KN_STORE(t, x[i], was + by);
        change += by * by;
        KN_COMPUTE(t, 44); /* 6 add.d, 3 mul.d one after the other, 3 addresses, branch */
    }
    return change;
}

static double relax(kn_thread *t, const struct ocean *o, unsigned colour)
{
    const struct part rows = part_of(t, o->side, 1);
    double change = 0;
    for (uint32_t row = rows.from + 1; row <= rows.to; row++)
        change += relax_row(t, o, row, 1 + ((row + colour) & 1));
    return change;
}

/** @return what all points have changed by */
static double total(kn_thread *t, const struct ocean *o, double mine)
{
    KN_STORE(t, o->slot[kn_self(t)].change, mine);
    kn_meet(t, o->barrier);
    if (!kn_self(t)) {
        double sum = 0;
        for (unsigned i = 0; i < kn_threads(kn_program_of(t)); i++) {
            sum += KN_LOAD(t, o->slot[i].change);
            KN_COMPUTE(t, 6); /* add.d, address, branch */
        }
        KN_STORE(t, o->total->change, sum);
    }
    kn_meet(t, o->barrier);
    return KN_LOAD(t, o->total->change);
}

static void work(kn_thread *t, void *data)
{
    const struct ocean *o = data;
    uint32_t sweep = 0;
    double change = 1;
    fill(t, o);
    begin_together(t, o->barrier, "ocean");
    for (; sweep < o->sweeps && change > 1e-12; sweep++) {
        double mine;
        kn_phase(t, 1);
        mine = relax(t, o, 0);
        kn_meet(t, o->barrier);
        kn_phase(t, 2);
        mine += relax(t, o, 1);
        kn_phase(t, 3);
        change = total(t, o, mine);
    }
    kn_phase(t, 0);
    if (!kn_self(t))
        KN_STORE(t, o->swept->change, sweep);
    end_together(t, o->barrier, "ocean");
}

/** The same sweeps by one, in the same order, on a grid of its own. @return points that differ */
static uint32_t again(kn_program *p, const struct ocean *o, uint32_t sweeps)
{
    double *x = kn_alloc(p, sizeof *x * (o->side + 2) * o->pitch);
    uint32_t differ = 0;
    for (uint32_t i = 0; i < o->side + 2; i++)
        for (uint32_t j = 0; j < o->side + 2; j++)
            x[i * o->pitch + j] = origin(o, i, j);
    for (uint32_t half = 0; half < 2 * sweeps; half++)
        for (uint32_t i = 1; i <= o->side; i++)
            for (uint32_t j = 1 + ((i + half) & 1); j <= o->side; j += 2) {
                double *at = x + i * o->pitch + j;
                const double around = at[-(int)o->pitch] + at[o->pitch] + at[-1] + at[1];
                *at += 1.5 * (0.25 * around - *at);
            }
    for (uint32_t i = 0; i < (o->side + 2) * o->pitch; i++)
        differ += x[i] != o->grid[i];
    return differ;
}

static int check(kn_program *p, void *data)
{
    const struct ocean *o = data;
    const uint32_t sweeps = (uint32_t)o->swept->change, differ = again(p, o, sweeps);
    double sum = 0;
    for (uint32_t i = 0; i < (o->side + 2) * o->pitch; i++)
        sum += o->grid[i];
    kn_print(p, "ocean: %u x %u points, %u sweeps, sum %.12e, %u differ\n", o->side, o->side,
             sweeps, sum, differ);
    return differ || !(o->total->change < 1e3);
}

KN_KERNEL(setup, work, check)
