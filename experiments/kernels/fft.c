/*
 * A fast Fourier transform of side * side complex points in six steps: the points are a square
 * matrix, which is transposed, its rows transformed, multiplied by roots of unity, transposed, its
 * rows transformed, and transposed. Rows are a thread's own; only in the transpositions does it
 * read what others have written.
 *
 * Nothing here needs a sine: roots of unity are products of the 2^b-th ones, which come of halving
 * the angle.
 */
#include "share.h"

enum { TILE = 8 /* points of a row that are transposed together: two lines of 64 bytes */ };

struct complex {
    double re, im;
};

struct fft {
    unsigned bits; /* of a row's index */
    uint32_t side;
    uint32_t seed;
    kn_barrier *barrier;
    struct complex *x, *y;    /* points, and what they are transposed into */
    struct complex *twist;    /* [row][column] root of side * side, to the row * column */
    struct complex *root;     /* [side / 2] roots of side */
    struct complex power[33]; /* [b]: root of 2^b */
};

static struct complex times(struct complex a, struct complex b)
{
    return (struct complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/** The root of 2^bits, to the k. */
static struct complex root_of(const struct fft *f, unsigned bits, uint32_t k)
{
    struct complex r = {1, 0};
    for (; k; k >>= 1, bits--)
        if (k & 1)
            r = times(r, f->power[bits]);
    return r;
}

static struct complex point_of(const struct fft *f, uint32_t i)
{
    return (struct complex){fraction_of(f->seed, 2 * i) - 0.5,
                            fraction_of(f->seed, 2 * i + 1) - 0.5};
}

static struct complex get(kn_thread *t, struct complex *at)
{
    struct complex c;
    c.re = KN_LOAD(t, at->re);
    c.im = KN_LOAD(t, at->im);
    return c;
}

static void put(kn_thread *t, struct complex *at, struct complex c)
{
    KN_STORE(t, at->re, c.re);
    KN_STORE(t, at->im, c.im);
}

static void *setup(kn_program *p)
{
    struct fft *f = kn_alloc(p, sizeof *f);
    size_t points;
    f->bits = (unsigned)kn_number(p, "m", 8, 3, 11);
    f->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    f->side = UINT32_C(1) << f->bits;
    points = (size_t)f->side * f->side;
    f->barrier = kn_alloc(p, sizeof *f->barrier);
    f->x = kn_alloc(p, points * sizeof *f->x);
    f->y = kn_alloc(p, points * sizeof *f->y);
    f->twist = kn_alloc(p, points * sizeof *f->twist);
    f->root = kn_alloc(p, f->side / 2 * sizeof *f->root);
    f->power[0] = (struct complex){1, 0};
    f->power[1] = (struct complex){-1, 0};
    f->power[2] = (struct complex){0, -1};
    for (unsigned b = 3; b <= 2 * f->bits; b++) { /* the cosine of half the angle is positive */
        const double c = square_root((1 + f->power[b - 1].re) * 0.5);
        f->power[b] = (struct complex){c, f->power[b - 1].im / (2 * c)};
    }
    return f;
}

static void fill(kn_thread *t, const struct fft *f, struct part rows)
{
    const struct part roots = part_of(t, f->side / 2, KN_APART / sizeof *f->root);
    for (uint32_t i = rows.from; i < rows.to; i++)
        for (uint32_t j = 0; j < f->side; j++) {
            put(t, &f->x[i * f->side + j], point_of(f, i * f->side + j));
            put(t, &f->y[i * f->side + j], (struct complex){0, 0});
            put(t, &f->twist[i * f->side + j], root_of(f, 2 * f->bits, i * j));
        }
    for (uint32_t k = roots.from; k < roots.to; k++)
        put(t, &f->root[k], root_of(f, f->bits, k));
}

/** The thread's rows of `to` are columns of `from`. Each begins at its own columns, so that not all
 *  read of one memory. */
static void transpose(kn_thread *t, const struct fft *f, struct part rows, struct complex *to,
                      struct complex *from)
{
    const uint32_t side = f->side, start = rows.from / TILE * TILE;
    for (uint32_t step = 0; step < side; step += TILE)
        for (uint32_t i = rows.from; i < rows.to; i++) {
            const uint32_t first = (start + step) & (side - 1);
            for (uint32_t j = first; j < first + TILE; j++) {
                put(t, &to[i * side + j], get(t, &from[j * side + i]));
                KN_COMPUTE(t, 4); /* 2 addresses, count, branch */
            }
        }
}

/** A point goes where its index is read backwards. */
static void reverse(kn_thread *t, const struct fft *f, struct complex *row)
{
    for (uint32_t i = 0, j = 0; i < f->side; i++) {
        if (i < j) {
            const struct complex a = get(t, &row[i]), b = get(t, &row[j]);
            put(t, &row[i], b);
            put(t, &row[j], a);
        }
        for (uint32_t bit = f->side >> 1; bit && !((j ^= bit) & bit); bit >>= 1)
            ;
        KN_COMPUTE(t, 12); /* compare, 2 rounds of the carry on average, count, branch */
    }
}

/** One butterfly: a, b become a + w b, a - w b. */
static inline void butterfly(kn_thread *t, struct complex *at, struct complex *other,
                             struct complex w)
{
    const struct complex a = get(t, at), b = times(get(t, other), w);
    put(t, at, (struct complex){a.re + b.re, a.im + b.im});
    put(t, other, (struct complex){a.re - b.re, a.im - b.im});
    KN_COMPUTE(t, 50); /* 4 mul.d, 6 add.d with what they wait for, 3 addresses, count, branch */
}

static void transform(kn_thread *t, const struct fft *f, struct complex *row)
{
    reverse(t, f, row);
    for (uint32_t half = 1; half < f->side; half *= 2)
        for (uint32_t from = 0; from < f->side; from += 2 * half)
            for (uint32_t k = 0; k < half; k++)
                butterfly(t, &row[from + k], &row[from + k + half],
                          get(t, &f->root[k * (f->side / 2 / half)]));
}

static void twist(kn_thread *t, const struct fft *f, uint32_t i, struct complex *row)
{
    for (uint32_t j = 0; j < f->side; j++) {
        put(t, &row[j], times(get(t, &row[j]), get(t, &f->twist[i * f->side + j])));
        KN_COMPUTE(t, 24); /* 4 mul.d, 2 add.d with what they wait for, count, branch */
    }
}

static void work(kn_thread *t, void *data)
{
    const struct fft *f = data;
    const struct part rows = part_of(t, f->side, 1);
    fill(t, f, rows);
    begin_together(t, f->barrier, "fft");
    kn_phase(t, 1);
    transpose(t, f, rows, f->y, f->x);
    for (uint32_t i = rows.from; i < rows.to; i++) {
        transform(t, f, &f->y[i * f->side]);
        twist(t, f, i, &f->y[i * f->side]);
    }
    kn_meet(t, f->barrier);
    kn_phase(t, 2);
    transpose(t, f, rows, f->x, f->y);
    for (uint32_t i = rows.from; i < rows.to; i++)
        transform(t, f, &f->x[i * f->side]);
    kn_meet(t, f->barrier);
    kn_phase(t, 3);
    transpose(t, f, rows, f->y, f->x);
    kn_phase(t, 0);
    end_together(t, f->barrier, "fft");
}

/** One point of the transform, by its definition. */
static struct complex plain(const struct fft *f, uint32_t k)
{
    const uint32_t points = f->side * f->side;
    struct complex sum = {0, 0};
    for (uint32_t i = 0; i < points; i++) {
        const struct complex c =
            times(point_of(f, i), root_of(f, 2 * f->bits, i * k & (points - 1)));
        sum.re += c.re;
        sum.im += c.im;
    }
    return sum;
}

/** The energy is that of the points, and two points of the transform are what they should. */
static int check(kn_program *p, void *data)
{
    const struct fft *f = data;
    const uint32_t points = f->side * f->side, sample[] = {1, points / 3};
    double before = 0, after = 0, worst = 0;
    for (uint32_t i = 0; i < points; i++) {
        const struct complex c = point_of(f, i);
        before += c.re * c.re + c.im * c.im;
        after += f->y[i].re * f->y[i].re + f->y[i].im * f->y[i].im;
    }
    for (unsigned i = 0; i < 2; i++) {
        const struct complex is = f->y[sample[i]], shall = plain(f, sample[i]);
        const double re = is.re - shall.re, im = is.im - shall.im;
        worst = re * re + im * im > worst ? re * re + im * im : worst;
    }
    after /= points;
    kn_print(p, "fft: %u points, energy %.9e, squared error %.0e\n", points, after,
             worst < 1e-18 ? 0.0 : worst);
    return !(worst < 1e-18 && (after - before) * (after - before) < 1e-20 * before * before);
}

KN_KERNEL(setup, work, check)
