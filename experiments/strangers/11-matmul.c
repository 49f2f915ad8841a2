/*
 * Product of two square matrices of integers. Threads share out the columns of the result: the
 * first takes columns 0, 8, 16 and so on. Sums are built up in the result itself.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define N        40
#define NTHREADS 8

struct matrix {
    int rows, columns;
    int *data;
};

struct product {
    const struct matrix *a, *b;
    struct matrix *c;
};

struct part {
    struct product *product;
    int number;
};

static void matrix_init(struct matrix *m, int rows, int columns)
{
    m->rows = rows;
    m->columns = columns;
    m->data = calloc((size_t)rows * columns, sizeof *m->data);
    assert(m->data);
}

static int *at(const struct matrix *m, int row, int column)
{
    return &m->data[row * m->columns + column];
}

static void *multiply(void *arg)
{
    struct part *part = arg;
    const struct matrix *a = part->product->a, *b = part->product->b;
    struct matrix *c = part->product->c;

    for (int k = 0; k < a->columns; k++)
        for (int i = 0; i < a->rows; i++)
            for (int j = part->number; j < b->columns; j += NTHREADS)
                *at(c, i, j) += *at(a, i, k) * *at(b, k, j);
    return NULL;
}

int main(void)
{
    struct matrix a, b, c;
    struct product product = {&a, &b, &c};
    struct part parts[NTHREADS];
    pthread_t threads[NTHREADS];
    long trace = 0;

    matrix_init(&a, N, N);
    matrix_init(&b, N, N);
    matrix_init(&c, N, N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            *at(&a, i, j) = i + j;
            *at(&b, i, j) = i - j;
        }
    for (int t = 0; t < NTHREADS; t++) {
        parts[t] = (struct part){&product, t};
        pthread_create(&threads[t], NULL, multiply, &parts[t]);
    }
    for (int t = 0; t < NTHREADS; t++)
        pthread_join(threads[t], NULL);
    for (int i = 0; i < N; i++)
        trace += *at(&c, i, i);
    printf("trace %ld\n", trace);
    free(a.data);
    free(b.data);
    free(c.data);
    return 0;
}
