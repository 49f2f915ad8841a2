/*
 * Gravity of many bodies in three dimensions, with a tree (Barnes and Hut): a cell that is far away
 * acts as one body. All threads build the tree together. A body goes down from the root without a
 * lock; only the cell that gets it is locked. Then masses are summed up from the leaves: a cell's
 * maker waits for its children, whoever made them.
 *
 * The tree does not depend on who was first, and sums are made in the order of octants, so the
 * result is the same for every number of threads.
 */
#include "share.h"
#include "vector.h"

enum {
    EMPTY = 0,      /* a child; else a cell's number + 1, */
    BODY = 1 << 30, /* ... or with this bit a body's */
    OCTANTS = 8,
    NONE = ~0u, /* no cell */
};

struct body {
    struct vector place, speed, pull;
    char apart[128 - 3 * sizeof(struct vector)];
};

struct cell {
    kn_word child[OCTANTS];
    uint32_t settled[OCTANTS]; /* the same, when the tree is done */
    kn_lock lock;
    kn_word summed;
    struct vector centre;
    double mass;
    char apart[KN_APART - 112];
};

_Static_assert(sizeof(struct cell) == KN_APART, "cells do not share lines");

struct tree {
    uint32_t count, steps, seed;
    uint32_t pool; /* cells that a thread may make */
    kn_barrier *barrier;
    struct body *body;
    struct cell *cell; /* [thread][pool]; the first is the root */
    kn_word *full;     /* bodies for which a pool was too small */
};

/** A cube of the tree: its centre, half its side. */
struct cube {
    struct vector at;
    double half;
};

static const struct cube WORLD = {{0.5, 0.5, 0.5}, 2};
static const double STEP = 1e-3, SOFT = 1e-4 /* square of the distance that is no distance */;

static void *setup(kn_program *p)
{
    struct tree *w = kn_alloc(p, sizeof *w);
    w->count = (uint32_t)kn_number(p, "n", 512, 2, 1 << 20);
    w->steps = (uint32_t)kn_number(p, "steps", 2, 1, 1000);
    w->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    w->pool = 2 * w->count / (kn_threads(p) < 8 ? kn_threads(p) : 8) + 64;
    w->barrier = kn_alloc(p, sizeof *w->barrier);
    w->body = kn_alloc(p, w->count * sizeof *w->body);
    w->cell = kn_alloc(p, sizeof *w->cell * w->pool * kn_threads(p));
    w->full = kn_alloc(p, sizeof *w->full);
    return w;
}

static struct part mine(const kn_thread *t, const struct tree *w)
{
    return part_of(t, w->count, 2);
}

static double square(struct vector a)
{
    return a.x * a.x + a.y * a.y + a.z * a.z;
}

static void fill(kn_thread *t, const struct tree *w)
{
    const struct part part = mine(t, w);
    for (uint32_t i = part.from; i < part.to; i++) {
        const struct vector at = {fraction_of(w->seed, 3 * i), fraction_of(w->seed, 3 * i + 1),
                                  fraction_of(w->seed, 3 * i + 2)};
        put(t, &w->body[i].place, at);
        put(t, &w->body[i].speed, (struct vector){0, 0, 0});
        put(t, &w->body[i].pull, (struct vector){0, 0, 0});
    }
}

/* ---- the tree -------------------------------------------------------------------------------- */

/** Goes to the octant with a place. @return its number */
static unsigned descend(kn_thread *t, struct cube *cube, struct vector place)
{
    const unsigned right = place.x >= cube->at.x, upper = place.y >= cube->at.y,
                   far = place.z >= cube->at.z;
    cube->half *= 0.5;
    cube->at.x += right ? cube->half : -cube->half;
    cube->at.y += upper ? cube->half : -cube->half;
    cube->at.z += far ? cube->half : -cube->half;
    KN_COMPUTE(t, 30); /* 3 comparisons, mul.d, 3 add.d with what they wait for, 3 branches */
    return right | upper << 1 | far << 2;
}

/** An empty cell of the thread's. @return its number; NONE: there is none left */
static uint32_t take(kn_thread *t, const struct tree *w, uint32_t *taken)
{
    const uint32_t number = kn_self(t) * w->pool + *taken;
    if (*taken == w->pool)
        return NONE;
    ++*taken;
    for (unsigned i = 0; i < OCTANTS; i++)
        kn_set(t, &w->cell[number].child[i], EMPTY);
    kn_set(t, &w->cell[number].summed, 0);
    return number;
}

/** New cells for two bodies in one cube, until they part. @return the first; NONE: there is no room
 */
static uint32_t part_bodies(kn_thread *t, const struct tree *w, uint32_t *taken, struct cube cube,
                            uint32_t a, uint32_t b)
{
    const struct vector at = get(t, &w->body[a].place), other = get(t, &w->body[b].place);
    const uint32_t first = take(t, w, taken);
    uint32_t cell = first;
    while (cell != NONE) {
        struct cube beside = cube;
        const unsigned i = descend(t, &cube, at), j = descend(t, &beside, other);
        uint32_t next;
        if (i != j) {
            kn_set(t, &w->cell[cell].child[i], BODY | a);
            kn_set(t, &w->cell[cell].child[j], BODY | b);
            return first;
        }
        next = take(t, w, taken);
        kn_set(t, &w->cell[cell].child[i], next + 1);
        cell = next;
    }
    return NONE;
}

/** Puts a body into a child that is empty, or has another body. @return 0: meanwhile it is a cell;
 *  -1: there was no room */
static int place_body(kn_thread *t, const struct tree *w, uint32_t *taken, struct cell *cell,
                      unsigned octant, struct cube cube, uint32_t body)
{
    uint32_t child, becomes = BODY | body;
    int placed = 1;
    kn_acquire(t, &cell->lock);
    child = kn_get(t, &cell->child[octant]);
    if (child & BODY) {
        const uint32_t made = part_bodies(t, w, taken, cube, child & ~(uint32_t)BODY, body);
        placed = made == NONE ? -1 : 1;
        becomes = made + 1;
    } else if (child != EMPTY) {
        placed = 0;
    }
    if (placed == 1)
        kn_set(t, &cell->child[octant], becomes);
    kn_release(t, &cell->lock);
    return placed;
}

static void insert(kn_thread *t, const struct tree *w, uint32_t *taken, uint32_t body)
{
    const struct vector place = get(t, &w->body[body].place);
    struct cube cube = WORLD;
    uint32_t cell = 0;
    int placed = 0;
    while (!placed) {
        struct cube inner = cube;
        const unsigned octant = descend(t, &inner, place);
        const uint32_t child = kn_get(t, &w->cell[cell].child[octant]);
        if (child != EMPTY && !(child & BODY)) {
            cell = child - 1;
            cube = inner;
        } else {
            placed = place_body(t, w, taken, &w->cell[cell], octant, inner, body);
        }
    }
    if (placed < 0)
        kn_add(t, w->full, 1);
}

/** A cell's mass and centre, when its children have theirs. */
static void sum_up(kn_thread *t, const struct tree *w, struct cell *cell)
{
    struct vector sum = {0, 0, 0};
    double mass = 0;
    for (unsigned i = 0; i < OCTANTS; i++) {
        const uint32_t child = kn_get(t, &cell->child[i]);
        KN_STORE(t, cell->settled[i], child);
        if (child & BODY) {
            sum = plus(sum, get(t, &w->body[child & ~(uint32_t)BODY].place), 1);
            mass += 1;
        } else if (child != EMPTY) {
            struct cell *c = &w->cell[child - 1];
            double m;
            kn_wait(t, &c->summed, KN_IS, 1);
            m = KN_LOAD(t, c->mass);
            sum = plus(sum, get(t, &c->centre), m);
            mass += m;
        }
        KN_COMPUTE(t, 20); /* 3 mul.d, 4 add.d, branches */
    }
    put(t, &cell->centre, plus((struct vector){0, 0, 0}, sum, 1 / mass));
    KN_STORE(t, cell->mass, mass);
    kn_set(t, &cell->summed, 1);
}

/** Cells that came later are lower, so the last one waits for nobody that waits for it. */
static void sum_up_all(kn_thread *t, const struct tree *w, uint32_t taken)
{
    while (taken--)
        sum_up(t, w, &w->cell[kn_self(t) * w->pool + taken]);
}

static void build(kn_thread *t, const struct tree *w)
{
    const struct part part = mine(t, w);
    uint32_t taken = 0;
    if (!kn_self(t))
        take(t, w, &taken);
    kn_meet(t, w->barrier);
    for (uint32_t i = part.from; i < part.to; i++)
        insert(t, w, &taken, i);
    kn_meet(t, w->barrier);
    kn_phase(t, 2);
    sum_up_all(t, w, taken);
    kn_meet(t, w->barrier);
}

/* ---- forces ---------------------------------------------------------------------------------- */

static struct vector pull_of(kn_thread *t, struct vector d, double mass)
{
    const double r2 = square(d) + SOFT, pull = mass / (r2 * square_root(r2));
    KN_COMPUTE(t, 230); /* sqrt.d, div.d, 7 mul.d, 6 add.d, one after the other */
    return (struct vector){d.x * pull, d.y * pull, d.z * pull};
}

/** The pull of a cell, whose cube has so long a half side, on a place. */
static struct vector pull_of_cell(kn_thread *t, const struct tree *w, struct cell *cell,
                                  double half, struct vector place)
{
    const struct vector d = plus(get(t, &cell->centre), place, -1);
    struct vector sum = {0, 0, 0};
    KN_COMPUTE(t, 85); /* 3 mul.d, 6 add.d, comparison, call and return, which save registers */
    if (half * half * 8 < square(d)) /* its side is less than 0.7 of the distance */
        return pull_of(t, d, KN_LOAD(t, cell->mass));
    for (unsigned i = 0; i < OCTANTS; i++) {
        const uint32_t child = KN_LOAD(t, cell->settled[i]);
        if (child & BODY) {
            const struct vector at = get(t, &w->body[child & ~(uint32_t)BODY].place);
            sum = plus(sum, pull_of(t, plus(at, place, -1), 1), 1);
        } else if (child != EMPTY) {
            sum = plus(sum, pull_of_cell(t, w, &w->cell[child - 1], half * 0.5, place), 1);
        }
        KN_COMPUTE(t, 25); /* 2 branches, address, 3 add.d of some; what is kept on the stack */
    }
    return sum;
}

static void pull(kn_thread *t, const struct tree *w)
{
    const struct part part = mine(t, w);
    for (uint32_t i = part.from; i < part.to; i++)
        put(t, &w->body[i].pull,
            pull_of_cell(t, w, &w->cell[0], WORLD.half, get(t, &w->body[i].place)));
}

static void move(kn_thread *t, const struct tree *w)
{
    const struct part part = mine(t, w);
    for (uint32_t i = part.from; i < part.to; i++) {
        struct body *b = &w->body[i];
        const struct vector speed = plus(get(t, &b->speed), get(t, &b->pull), STEP / w->count);
        put(t, &b->speed, speed);
        put(t, &b->place, plus(get(t, &b->place), speed, STEP));
        KN_COMPUTE(t, 50); /* 6 mul.d, 6 add.d, addresses, branch */
    }
}

static void work(kn_thread *t, void *data)
{
    const struct tree *w = data;
    fill(t, w);
    begin_together(t, w->barrier, "tree");
    for (uint32_t step = 0; step < w->steps; step++) {
        kn_phase(t, 4);
        move(t, w);
        kn_phase(t, 1);
        build(t, w);
        kn_phase(t, 3);
        pull(t, w);
        kn_meet(t, w->barrier);
    }
    kn_phase(t, 0);
    end_together(t, w->barrier, "tree");
}

/* ---- the result ------------------------------------------------------------------------------ */

/** The pull on a body, each of the others by itself. */
static struct vector plain(const struct tree *w, uint32_t i)
{
    struct vector sum = {0, 0, 0};
    for (uint32_t j = 0; j < w->count; j++) {
        const struct vector d = plus(w->body[j].place, w->body[i].place, -1);
        const double r2 = square(d) + SOFT;
        sum = plus(sum, d, 1 / (r2 * square_root(r2)));
    }
    return sum;
}

/** Pulls of some bodies are near the plain ones; every body had its place. */
static int check(kn_program *p, void *data)
{
    const struct tree *w = data;
    double error = 0, size = 0;
    struct vector sum = {0, 0, 0};
    for (uint32_t i = 0; i < w->count; i += 1 + w->count / 16) {
        const struct vector shall = plain(w, i), is = w->body[i].pull;
        error += square(plus(is, shall, -1));
        size += square(shall);
    }
    for (uint32_t i = 0; i < w->count; i++)
        sum = plus(sum, w->body[i].place, 1);
    kn_print(p, "tree: %u bodies, %u steps, mass %.0f, centre %.9e %.9e %.9e, error %.1e\n",
             w->count, w->steps, w->cell->mass, sum.x / w->count, sum.y / w->count,
             sum.z / w->count, square_root(error / size));
    return !(w->cell->mass == w->count && error < 1e-3 * size);
}

KN_KERNEL(setup, work, check)
