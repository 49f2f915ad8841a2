/*
 * A sparse matrix, row by row (CSR), times a vector, again and again: x = b + A x, which comes to
 * rest because rows of A are small. A thread has rows; the columns of a row are anywhere, so a
 * thread reads what all others have written in the last round.
 */
#include "share.h"

struct spmv {
    uint32_t rows, most, rounds, seed;
    kn_barrier *barrier;
    uint32_t *start;  /* [rows + 1] of a row's elements */
    uint32_t *column; /* [elements] */
    double *value;    /* [elements] */
    double *x[2];
};

static uint32_t length_of(const struct spmv *s, uint32_t row)
{
    return 1 + number_of(s->seed, row) % s->most;
}

static uint32_t column_of(const struct spmv *s, uint32_t element)
{
    return number_of(s->seed + 1, element) % s->rows;
}

/** So small that a row's sum is at most a half. */
static double value_of(const struct spmv *s, uint32_t element)
{
    return fraction_of(s->seed + 2, element) / (2 * s->most);
}

static double right_of(const struct spmv *s, uint32_t row)
{
    return fraction_of(s->seed + 3, row);
}

/** Where a row begins. */
static uint32_t start_of(const struct spmv *s, uint32_t row)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < row; i++)
        sum += length_of(s, i);
    return sum;
}

static void *setup(kn_program *p)
{
    struct spmv *s = kn_alloc(p, sizeof *s);
    uint32_t elements;
    s->rows = (uint32_t)kn_number(p, "n", 8192, 1, 1 << 22);
    s->most = (uint32_t)kn_number(p, "most", 15, 1, 256);
    s->rounds = (uint32_t)kn_number(p, "rounds", 12, 1, 100000);
    s->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    elements = start_of(s, s->rows);
    s->barrier = kn_alloc(p, sizeof *s->barrier);
    s->start = kn_alloc(p, (s->rows + 1) * sizeof *s->start);
    s->column = kn_alloc(p, elements * sizeof *s->column);
    s->value = kn_alloc(p, elements * sizeof *s->value);
    s->x[0] = kn_alloc(p, s->rows * sizeof *s->x[0]);
    s->x[1] = kn_alloc(p, s->rows * sizeof *s->x[1]);
    return s;
}

static struct part rows_of(const kn_thread *t, const struct spmv *s)
{
    return part_of(t, s->rows, KN_APART / sizeof *s->x[0]);
}

static void fill(kn_thread *t, const struct spmv *s)
{
    const struct part rows = rows_of(t, s);
    uint32_t at = start_of(s, rows.from);
    for (uint32_t row = rows.from; row < rows.to; row++) {
        const uint32_t end = at + length_of(s, row);
        KN_STORE(t, s->start[row], at);
        for (; at < end; at++) {
            KN_STORE(t, s->column[at], column_of(s, at));
            KN_STORE(t, s->value[at], value_of(s, at));
        }
        KN_STORE(t, s->x[0][row], 0);
        KN_STORE(t, s->x[1][row], 0);
    }
    if (rows.to == s->rows && rows.from < rows.to)
        KN_STORE(t, s->start[s->rows], at);
}

static void multiply(kn_thread *t, const struct spmv *s, double *to, double *from)
{
    const struct part rows = rows_of(t, s);
    for (uint32_t row = rows.from; row < rows.to; row++) {
        const uint32_t end = KN_LOAD(t, s->start[row + 1]);
        double sum = right_of(s, row);
        KN_COMPUTE(t, 30); /* the right side, which is made anew; count, branch */
        for (uint32_t i = KN_LOAD(t, s->start[row]); i < end; i++) {
            sum += KN_LOAD(t, s->value[i]) * KN_LOAD(t, from[KN_LOAD(t, s->column[i])]);
            KN_COMPUTE(t, 16); /* mul.d and add.d, each waited for; 3 addresses, branch */
        }
        KN_STORE(t, to[row], sum);
    }
}

static void work(kn_thread *t, void *data)
{
    const struct spmv *s = data;
    fill(t, s);
    begin_together(t, s->barrier, "spmv");
    kn_phase(t, 1);
    for (uint32_t round = 0; round < s->rounds; round++) {
        multiply(t, s, s->x[~round & 1], s->x[round & 1]);
        kn_meet(t, s->barrier);
    }
    kn_phase(t, 0);
    end_together(t, s->barrier, "spmv");
}

static double row_again(const struct spmv *s, uint32_t row, uint32_t *at, const double *x)
{
    double sum = right_of(s, row);
    for (const uint32_t end = *at + length_of(s, row); *at < end; ++*at)
        sum += value_of(s, *at) * x[column_of(s, *at)];
    return sum;
}

/** One more round changes nothing but by what is left; the last one is made again by one. */
static int check(kn_program *p, void *data)
{
    const struct spmv *s = data;
    const double *last = s->x[s->rounds & 1], *before = s->x[~s->rounds & 1];
    double sum = 0, rest = 0;
    uint32_t at = 0, next = 0, differ = 0;
    for (uint32_t row = 0; row < s->rows; row++) {
        const double change = row_again(s, row, &at, last) - last[row];
        differ += row_again(s, row, &next, before) != last[row];
        rest = change > rest ? change : -change > rest ? -change : rest;
        sum += last[row];
    }
    kn_print(p, "spmv: %u rows, %u elements, sum %.12e, rest %.1e, %u differ\n", s->rows, at, sum,
             rest, differ);
    for (uint32_t round = 0; round < s->rounds; round++)
        rest *= 2;
    return differ || !(rest < 1);
}

KN_KERNEL(setup, work, check)
