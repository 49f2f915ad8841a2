/* A sparse matrix times a vector, row by row round the threads: neighbours in y are different
 * threads'. */
#include "shown.h"
#include <omp.h>
#include <string.h>

enum { ROWS = 240, PER_ROW = 7, TIMES = 8 };

struct matrix {
    unsigned rows;
    unsigned start[ROWS + 1];
    unsigned column[ROWS * PER_ROW];
    int value[ROWS * PER_ROW];
};

struct element {
    APART long value;
};

static OWN_LINE struct matrix matrix;
static OWN_LINE long x[ROWS];

static ALONE struct element *vector_make(unsigned n)
{
    struct element *v = (struct element *)GET(n * sizeof *v);
    memset(v, 0, n * sizeof *v);
    return v;
}

static void matrix_fill(struct matrix *m)
{
    m->rows = ROWS;
    for (unsigned r = 0, at = 0; r < ROWS; r++) {
        m->start[r] = at;
        for (unsigned k = 0; k < PER_ROW; k++, at++) {
            m->column[at] = (r + k * k * 5) % ROWS;
            m->value[at] = (int)(r % 9) - (int)k;
        }
        m->start[r + 1] = at;
    }
}

static void multiply(const struct matrix *m, const long *from, struct element *y)
{
#pragma omp for schedule(static, 1)
    for (unsigned r = 0; r < m->rows; r++) {
        for (unsigned k = m->start[r]; k < m->start[r + 1]; k++) {
            y[r].value += m->value[k] * from[m->column[k]]; /* shares: vector_make() */
            __asm__ volatile("" ::: "memory");
        }
    }
}

static int check(const struct element *y)
{
    int wrong = 0;
    for (unsigned r = 0; r < ROWS; r++) {
        long sum = 0;
        for (unsigned k = 0; k < PER_ROW; k++)
            sum += ((int)(r % 9) - (int)k) * x[(r + k * k * 5) % ROWS];
        wrong += y[r].value != sum * TIMES;
    }
    return wrong;
}

int main(int argc, char **argv)
{
    omp_set_num_threads(threads_asked(argc, argv, 4));
    struct element *y = vector_make(ROWS);
    matrix_fill(&matrix);
    for (int i = 0; i < ROWS; i++)
        x[i] = i % 17 - 8;
    shown("vector_make()", y, ROWS * sizeof *y);
#pragma omp parallel
    for (int t = 0; t < TIMES; t++)
        multiply(&matrix, x, y);
    int wrong = check(y);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
