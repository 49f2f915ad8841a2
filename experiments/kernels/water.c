/*
 * Molecular dynamics: molecules without inner parts that attract and repel each other
 * (Lennard-Jones, in its own units), each with every other. A thread has molecules, and the pairs
 * of each with the next half of all; forces on both are added up in an array of the thread's own,
 * and the arrays are added up afterwards, in the order of threads.
 */
#include "share.h"
#include "vector.h"

/** What a thread sums up. */
struct slot {
    double potential, kinetic;
    char apart[KN_APART - 2 * sizeof(double)];
};

struct water {
    uint32_t count, steps, seed;
    uint32_t row; /* molecules of an array of forces, to the next KN_APART */
    kn_barrier *barrier;
    struct vector *place, *speed, *force;
    struct vector *partial; /* [thread][row] */
    struct slot *slot;      /* [step][thread] */
};

static const double STEP = 0.002, HALF = 0.001, APART = 1.2;

static void *setup(kn_program *p)
{
    struct water *w = kn_alloc(p, sizeof *w);
    const unsigned threads = kn_threads(p);
    w->count = (uint32_t)kn_number(p, "n", 512, 2, 32768);
    w->steps = (uint32_t)kn_number(p, "steps", 2, 1, 1000);
    w->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    w->row = (w->count + 31) / 32 * 32;
    w->barrier = kn_alloc(p, sizeof *w->barrier);
    w->place = kn_alloc(p, w->row * sizeof *w->place);
    w->speed = kn_alloc(p, w->row * sizeof *w->speed);
    w->force = kn_alloc(p, w->row * sizeof *w->force);
    w->partial = kn_alloc(p, sizeof *w->partial * w->row * threads);
    w->slot = kn_alloc(p, sizeof *w->slot * (w->steps + 1) * threads);
    return w;
}

/** The thread's molecules: eight of 24 bytes end with a line. */
static struct part mine(const kn_thread *t, const struct water *w)
{
    return part_of(t, w->count, 8);
}

/** A lattice, each molecule a little beside its place. */
static void fill(kn_thread *t, const struct water *w)
{
    const struct part part = mine(t, w);
    uint32_t side = 1;
    while (side * side * side < w->count)
        side++;
    for (uint32_t i = part.from; i < part.to; i++) {
        const uint32_t row = i / side, layer = row / side;
        const struct vector at = {i % side, row % side, layer};
        const struct vector beside = {fraction_of(w->seed, 3 * i), fraction_of(w->seed, 3 * i + 1),
                                      fraction_of(w->seed, 3 * i + 2)};
        const struct vector still = {0, 0, 0};
        put(t, &w->place[i], plus(plus(still, at, APART), beside, 0.1));
        put(t, &w->speed[i], still);
        put(t, &w->force[i], still);
    }
    for (uint32_t i = 0; i < w->row; i++)
        put(t, &w->partial[kn_self(t) * w->row + i], (struct vector){0, 0, 0});
}

/** How many molecules behind i make a pair with it: of two, the one with the shorter way round. */
static uint32_t partners(const struct water *w, uint32_t i)
{
    return w->count % 2 ? w->count / 2 : w->count / 2 - (i >= w->count / 2);
}

/** The pairs of a molecule. @return their potential energy */
static double pairs(kn_thread *t, const struct water *w, uint32_t i, struct vector *partial)
{
    const struct vector a = get(t, &w->place[i]);
    struct vector sum = {0, 0, 0};
    double potential = 0;
    for (uint32_t k = 1; k <= partners(w, i); k++) {
        const uint32_t j = i + k < w->count ? i + k : i + k - w->count;
        const struct vector d = plus(a, get(t, &w->place[j]), -1);
        const double near = 1 / (d.x * d.x + d.y * d.y + d.z * d.z), six = near * near * near;
        const double pull = 24 * six * (2 * six - 1) * near;
        potential += 4 * six * (six - 1);
        sum = plus(sum, d, pull);
        put(t, &partial[j], plus(get(t, &partial[j]), d, -pull));
        KN_COMPUTE(t, 163); /* div.d, 21 mul.d, 17 add.d, half of them waited for */
    }
    put(t, &partial[i], plus(get(t, &partial[i]), sum, 1));
    return potential;
}

/** Adds up the forces on the thread's molecules, and clears them. */
static void add_up(kn_thread *t, const struct water *w)
{
    const struct part part = mine(t, w);
    for (uint32_t i = part.from; i < part.to; i++) {
        struct vector sum = {0, 0, 0};
        for (unsigned from = 0; from < kn_threads(kn_program_of(t)); from++) {
            struct vector *at = &w->partial[from * w->row + i];
            sum = plus(sum, get(t, at), 1);
            put(t, at, (struct vector){0, 0, 0});
            KN_COMPUTE(t, 10); /* 3 add.d, address, branch */
        }
        put(t, &w->force[i], sum);
    }
}

/** Half a step of speeds, and, if `whole`, a step of places. @return kinetic energy */
static double advance(kn_thread *t, const struct water *w, int whole)
{
    const struct part part = mine(t, w);
    double kinetic = 0;
    for (uint32_t i = part.from; i < part.to; i++) {
        const struct vector v = plus(get(t, &w->speed[i]), get(t, &w->force[i]), HALF);
        put(t, &w->speed[i], v);
        if (whole)
            put(t, &w->place[i], plus(get(t, &w->place[i]), v, STEP));
        kinetic += 0.5 * (v.x * v.x + v.y * v.y + v.z * v.z);
        KN_COMPUTE(t, 60); /* 9 mul.d, 9 add.d, addresses, branch */
    }
    return kinetic;
}

/** Forces of all pairs; the potential energy goes into the thread's slot of the step. */
static void forces(kn_thread *t, const struct water *w, uint32_t step)
{
    const struct part part = mine(t, w);
    double potential = 0;
    for (uint32_t i = part.from; i < part.to; i++)
        potential += pairs(t, w, i, w->partial + (size_t)kn_self(t) * w->row);
    KN_STORE(t, w->slot[step * kn_threads(kn_program_of(t)) + kn_self(t)].potential, potential);
    kn_meet(t, w->barrier);
    kn_phase(t, 2);
    add_up(t, w);
}

static void work(kn_thread *t, void *data)
{
    const struct water *w = data;
    fill(t, w);
    begin_together(t, w->barrier, "water");
    kn_phase(t, 1);
    forces(t, w, 0);
    for (uint32_t step = 1; step <= w->steps; step++) {
        double kinetic;
        kn_phase(t, 3);
        advance(t, w, 1);
        kn_meet(t, w->barrier);
        kn_phase(t, 1);
        forces(t, w, step);
        kn_phase(t, 3);
        kinetic = advance(t, w, 0);
        KN_STORE(t, w->slot[step * kn_threads(kn_program_of(t)) + kn_self(t)].kinetic, kinetic);
    }
    kn_phase(t, 0);
    end_together(t, w->barrier, "water");
}

static double energy(kn_program *p, const struct water *w, uint32_t step)
{
    double sum = 0;
    for (unsigned i = 0; i < kn_threads(p); i++) {
        const struct slot *slot = &w->slot[step * kn_threads(p) + i];
        sum += slot->potential + slot->kinetic;
    }
    return sum;
}

/** Energy and momentum are what they were. */
static int check(kn_program *p, void *data)
{
    const struct water *w = data;
    const double before = energy(p, w, 0), after = energy(p, w, w->steps), drift = after - before;
    struct vector sum = {0, 0, 0};
    for (uint32_t i = 0; i < w->count; i++)
        sum = plus(sum, w->speed[i], 1);
    kn_print(p, "water: %u molecules, %u steps, energy %.12e, drift %.1e\n", w->count, w->steps,
             after, drift);
    return !(drift * drift < 1e-6 * before * before &&
             sum.x * sum.x + sum.y * sum.y + sum.z * sum.z < 1e-18 * w->count);
}

KN_KERNEL(setup, work, check)
