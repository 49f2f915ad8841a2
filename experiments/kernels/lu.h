/*
 * LU factorisation of a dense matrix in blocks, without pivoting. Blocks are dealt out in two
 * dimensions; a block's owner makes all that is written to it. A step factorises the block on the
 * diagonal, then the blocks below and beside it, then takes their products from all that is left.
 *
 * Where an element lies is the includer's: `element(f, block row, block column, row, column)` and
 * `pitch(f)`, the distance of two rows of a block in elements.
 */
#include "share.h"

struct lu {
    uint32_t blocks, size; /* blocks of a side, elements of a block's side */
    uint32_t deal_rows, deal_columns;
    uint32_t seed;
    kn_barrier *barrier;
    double *a;
};

static double *element(const struct lu *f, uint32_t i, uint32_t j, uint32_t row, uint32_t column);
static size_t pitch(const struct lu *f);

/** An element of the matrix that is factorised: small, but for the diagonal. */
static double origin(const struct lu *f, uint32_t row, uint32_t column)
{
    const uint32_t n = f->blocks * f->size;
    return fraction_of(f->seed, row * n + column) + (row == column ? n : 0);
}

static int owns(const kn_thread *t, const struct lu *f, uint32_t i, uint32_t j)
{
    return i % f->deal_rows * f->deal_columns + j % f->deal_columns == kn_self(t);
}

static void *setup(kn_program *p)
{
    struct lu *f = kn_alloc(p, sizeof *f);
    const unsigned threads = kn_threads(p);
    f->blocks = (uint32_t)kn_number(p, "blocks", 12, 1, 256);
    f->size = 8 * (uint32_t)kn_number(p, "lines", 2, 1, 8);
    f->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    for (unsigned rows = 1; rows * rows <= threads; rows++)
        if (threads % rows == 0)
            f->deal_rows = rows;
    f->deal_columns = threads / f->deal_rows;
    f->barrier = kn_alloc(p, sizeof *f->barrier);
    f->a = kn_alloc(p, sizeof *f->a * f->blocks * f->size * f->blocks * f->size);
    return f;
}

static void fill(kn_thread *t, const struct lu *f, uint32_t i, uint32_t j)
{
    for (uint32_t row = 0; row < f->size; row++)
        for (uint32_t column = 0; column < f->size; column++)
            KN_STORE(t, *element(f, i, j, row, column),
                     origin(f, i * f->size + row, j * f->size + column));
}

/** `from` less the product of a row with a column, of `count` elements. */
static inline double less(kn_thread *t, double from, double *row, double *column, size_t step,
                          uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        from -= KN_LOAD(t, row[k]) * KN_LOAD(t, column[k * step]);
        KN_COMPUTE(t, 15); /* mul.d and sub.d, each waited for; 2 addresses, branch */
    }
    return from;
}

/** The block on the diagonal becomes L and U. */
static void factorise(kn_thread *t, const struct lu *f, uint32_t k)
{
    const size_t step = pitch(f);
    double *d = element(f, k, k, 0, 0);
    for (uint32_t row = 0; row < f->size; row++)
        for (uint32_t column = 0; column < f->size; column++) {
            const uint32_t count = row < column ? row : column;
            double v = less(t, KN_LOAD(t, d[row * step + column]), d + row * step, d + column, step,
                            count);
            if (row > column) {
                v /= KN_LOAD(t, d[column * step + column]);
                KN_COMPUTE(t, 36); /* div.d */
            }
            KN_STORE(t, d[row * step + column], v);
            KN_COMPUTE(t, 6); /* minimum, count, branch */
        }
}

/** A block beside the diagonal becomes one of U: L of the diagonal is taken from its left. */
static void beside(kn_thread *t, const struct lu *f, double *d, double *b)
{
    const size_t step = pitch(f);
    for (uint32_t row = 0; row < f->size; row++)
        for (uint32_t column = 0; column < f->size; column++) {
            double *at = b + row * step + column;
            KN_STORE(t, *at, less(t, KN_LOAD(t, *at), d + row * step, b + column, step, row));
            KN_COMPUTE(t, 5); /* count, branch */
        }
}

/** A block below the diagonal becomes one of L: U of the diagonal is taken from its right. */
static void below(kn_thread *t, const struct lu *f, double *d, double *b)
{
    const size_t step = pitch(f);
    for (uint32_t row = 0; row < f->size; row++)
        for (uint32_t column = 0; column < f->size; column++) {
            double *at = b + row * step + column;
            const double v = less(t, KN_LOAD(t, *at), b + row * step, d + column, step, column);
            KN_STORE(t, *at, v / KN_LOAD(t, d[column * step + column]));
            KN_COMPUTE(t, 40); /* div.d, count, branch */
        }
}

/** A block less the product of one of L and one of U. */
static void update(kn_thread *t, const struct lu *f, double *l, double *u, double *b)
{
    const size_t step = pitch(f);
    for (uint32_t row = 0; row < f->size; row++)
        for (uint32_t column = 0; column < f->size; column++) {
            double *at = b + row * step + column;
            KN_STORE(t, *at, less(t, KN_LOAD(t, *at), l + row * step, u + column, step, f->size));
            KN_COMPUTE(t, 5); /* count, branch */
        }
}

static void border(kn_thread *t, const struct lu *f, uint32_t k)
{
    double *d = element(f, k, k, 0, 0);
    for (uint32_t i = k + 1; i < f->blocks; i++) {
        if (owns(t, f, k, i))
            beside(t, f, d, element(f, k, i, 0, 0));
        if (owns(t, f, i, k))
            below(t, f, d, element(f, i, k, 0, 0));
    }
}

static void rest(kn_thread *t, const struct lu *f, uint32_t k)
{
    for (uint32_t i = k + 1; i < f->blocks; i++)
        for (uint32_t j = k + 1; j < f->blocks; j++)
            if (owns(t, f, i, j))
                update(t, f, element(f, i, k, 0, 0), element(f, k, j, 0, 0),
                       element(f, i, j, 0, 0));
}

static void work(kn_thread *t, void *data)
{
    const struct lu *f = data;
    for (uint32_t i = 0; i < f->blocks; i++)
        for (uint32_t j = 0; j < f->blocks; j++)
            if (owns(t, f, i, j))
                fill(t, f, i, j);
    begin_together(t, f->barrier, "lu");
    for (uint32_t k = 0; k < f->blocks; k++) {
        kn_phase(t, 1);
        if (owns(t, f, k, k))
            factorise(t, f, k);
        kn_meet(t, f->barrier);
        kn_phase(t, 2);
        border(t, f, k);
        kn_meet(t, f->barrier);
        kn_phase(t, 3);
        rest(t, f, k);
    }
    kn_phase(t, 0);
    end_together(t, f->barrier, "lu");
}

static double at(const struct lu *f, uint32_t row, uint32_t column)
{
    return *element(f, row / f->size, column / f->size, row % f->size, column % f->size);
}

/** Row of L U x, and of A x, for x = 1, 1/2, 1/3, ... */
static void products(const struct lu *f, const double *ux, uint32_t row, double *lux, double *ax)
{
    const uint32_t n = f->blocks * f->size;
    *lux = ux[row];
    *ax = 0;
    for (uint32_t k = 0; k < row; k++)
        *lux += at(f, row, k) * ux[k];
    for (uint32_t k = 0; k < n; k++)
        *ax += origin(f, row, k) / (k + 1);
}

/** L U x is A x. */
static int check(kn_program *p, void *data)
{
    const struct lu *f = data;
    const uint32_t n = f->blocks * f->size;
    double *ux = kn_alloc(p, n * sizeof *ux), worst = 0, sum = 0;
    for (uint32_t row = 0; row < n; row++)
        for (uint32_t k = row; k < n; k++)
            ux[row] += at(f, row, k) / (k + 1);
    for (uint32_t row = 0; row < n; row++) {
        double lux, ax, error;
        products(f, ux, row, &lux, &ax);
        error = lux > ax ? lux - ax : ax - lux;
        worst = error > worst ? error : worst;
        sum += at(f, row, row);
    }
    kn_print(p, "lu: %u rows, diagonal %.12e, error %.1e\n", n, sum, worst);
    return !(worst < 1e-10 * n);
}

KN_KERNEL(setup, work, check)
