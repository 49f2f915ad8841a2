/*
 * The benchmark's storms: small parallel programs in which many processors meet in one place, at
 * barriers, locks and atomic counters, and are refused again and again.
 *
 *     storms THREADS N ROUNDS KIND
 *
 * barrier: ROUNDS barriers, between which a thread adds to a word of its own N times.
 * product: ROUNDS products of two matrices of N by N doubles in blocks, with four barriers each and
 *          a histogram of the result by atomic additions.
 * stencil: ROUNDS sweeps, red and black, over a grid of N by N doubles with a border, with two
 *          barriers each; the changes are summed under a lock.
 * fft:     ROUNDS transforms of N by N complex numbers: rows, transposition, factors, rows and
 *          transposition, with a barrier behind each.
 *
 * N is a multiple of THREADS, but of the blocks of `product`; for `fft` a power of two. What is
 * printed depends on the arguments only. The region "work" begins and ends behind a barrier.
 */
#include <math.h>
#include <numachine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64, BLOCK = 8, BINS = 16 };

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned threads, n, rounds, bins[BINS];
static double change;

struct complex {
    double re, im;
};

static double *a, *b, *c;
static struct complex *from, *to, *root;

static struct {
    _Alignas(64) volatile unsigned word;
} own[THREADS_MAX];

/* The parts of a thread: those of `count` that are its own, side by side. */
static unsigned first_of(unsigned me, unsigned count)
{
    return me * count / threads;
}

static void await_all(void)
{
    pthread_barrier_wait(&barrier);
}

/* ---- barrier --------------------------------------------------------------------------------- */

static void meet(unsigned me)
{
    for (unsigned i = 0; i < n; i++)
        own[me].word++;
    await_all();
}

/* ---- product --------------------------------------------------------------------------------- */

static void product_init(void)
{
    a = calloc((size_t)n * n, sizeof *a);
    b = calloc((size_t)n * n, sizeof *b);
    c = calloc((size_t)n * n, sizeof *c);
}

static void multiply_block(unsigned row, unsigned column)
{
    for (unsigned k = 0; k < n; k++)
        for (unsigned i = row; i < row + BLOCK; i++)
            for (unsigned j = column; j < column + BLOCK; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
}

static void product(unsigned me)
{
    const unsigned blocks = n / BLOCK, first = first_of(me, n), last = first_of(me + 1, n);
    for (unsigned i = first; i < last; i++)
        for (unsigned j = 0; j < n; j++) {
            a[i * n + j] = (i + 2 * j) % 5;
            b[i * n + j] = (3 * i + j) % 7;
        }
    await_all();
    for (unsigned i = first; i < last; i++)
        memset(&c[i * n], 0, n * sizeof *c);
    await_all();
    for (unsigned k = first_of(me, blocks * blocks); k < first_of(me + 1, blocks * blocks); k++)
        multiply_block(k / blocks * BLOCK, k % blocks * BLOCK);
    await_all();
    for (unsigned i = first; i < last; i++)
        for (unsigned j = 0; j < n; j++)
            __atomic_fetch_add(&bins[(unsigned)c[i * n + j] % BINS], 1, __ATOMIC_RELAXED);
    await_all();
}

/* ---- stencil --------------------------------------------------------------------------------- */

static void stencil_init(void)
{
    const unsigned wide = n + 2;
    a = calloc((size_t)wide * wide, sizeof *a);
    for (unsigned i = 0; i < wide; i++)
        a[i] = a[i * wide] = i % 16;
}

static double sweep(unsigned me, unsigned colour)
{
    const unsigned wide = n + 2;
    double sum = 0;
    for (unsigned i = 1 + first_of(me, n); i < 1 + first_of(me + 1, n); i++)
        for (unsigned j = 1 + (i + colour) % 2; j <= n; j += 2) {
            double *at = &a[i * wide + j];
            const double next = 0.25 * (at[-1] + at[1] + at[-(int)wide] + at[wide]);
            sum += fabs(next - *at);
            *at = next;
        }
    return sum;
}

static void stencil(unsigned me)
{
    for (unsigned colour = 0; colour < 2; colour++) {
        const double sum = sweep(me, colour);
        pthread_mutex_lock(&lock);
        change += sum;
        pthread_mutex_unlock(&lock);
        await_all();
    }
}

/* ---- fft ------------------------------------------------------------------------------------- */

static struct complex times(struct complex x, struct complex y)
{
    return (struct complex){x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}

static void fft_init(void)
{
    const unsigned all = n * n;
    from = calloc(all, sizeof *from);
    to = calloc(all, sizeof *to);
    root = calloc(all, sizeof *root);
    const double angle = 2 * M_PI / all, square = angle * angle;
    const struct complex step = {1 - square / 2 * (1 - square / 12),
                                 -angle * (1 - square / 6 * (1 - square / 20))};
    struct complex turned = {1, 0};
    for (unsigned i = 0; i < all; i++, turned = times(turned, step)) {
        from[i] = (struct complex){i % 11, 0};
        root[i] = turned;
    }
}

static void reverse_bits(struct complex *row)
{
    for (unsigned i = 0, j = 0; i < n; i++) {
        if (i < j) {
            const struct complex kept = row[i];
            row[i] = row[j];
            row[j] = kept;
        }
        unsigned bit = n >> 1;
        for (; j & bit; bit >>= 1)
            j ^= bit;
        j ^= bit;
    }
}

static void transform(struct complex *row)
{
    reverse_bits(row);
    for (unsigned half = 1; half < n; half *= 2)
        for (unsigned start = 0; start < n; start += 2 * half)
            for (unsigned k = 0; k < half; k++) {
                struct complex *low = &row[start + k], *high = low + half;
                const struct complex y = times(*high, root[k * (n / 2 / half) * n]);
                *high = (struct complex){low->re - y.re, low->im - y.im};
                *low = (struct complex){low->re + y.re, low->im + y.im};
            }
}

static void transpose(unsigned me, const struct complex *x, struct complex *y)
{
    for (unsigned i = first_of(me, n); i < first_of(me + 1, n); i++)
        for (unsigned j = 0; j < n; j++)
            y[i * n + j] = x[j * n + i];
    await_all();
}

static void fft(unsigned me)
{
    const unsigned first = first_of(me, n), last = first_of(me + 1, n);
    transpose(me, from, to);
    for (unsigned i = first; i < last; i++) {
        transform(&to[i * n]);
        for (unsigned j = 0; j < n; j++)
            to[i * n + j] = times(to[i * n + j], root[i * j]);
    }
    await_all();
    transpose(me, to, from);
    for (unsigned i = first; i < last; i++)
        transform(&from[i * n]);
    await_all();
}

/* ---- the threads ----------------------------------------------------------------------------- */

static const struct kind {
    const char *name;
    void (*init)(void); /* NULL: nothing to do */
    void (*round)(unsigned me);
} kinds[] = {
    {"barrier", NULL, meet},
    {"product", product_init, product},
    {"stencil", stencil_init, stencil},
    {"fft", fft_init, fft},
};

static const struct kind *kind;

static void *storm(void *arg)
{
    const unsigned me = (unsigned)(size_t)arg;
    await_all();
    if (me == 0)
        NUMACHINE_BEGIN("work");
    for (unsigned i = 0; i < rounds; i++)
        kind->round(me);
    if (me == 0)
        NUMACHINE_END("work");
    return NULL;
}

static const struct kind *kind_called(const char *name)
{
    for (const struct kind *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(k->name, name))
            return k;
    return NULL;
}

static unsigned total(void)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < threads; i++)
        sum += own[i].word;
    for (unsigned i = 0; i < BINS; i++)
        sum += i * bins[i];
    return sum;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS_MAX];
    kind = argc == 5 ? kind_called(argv[4]) : NULL;
    threads = kind ? atoi(argv[1]) : 0;
    if (threads == 0 || threads > THREADS_MAX) {
        fputs("usage: storms THREADS N ROUNDS KIND (see storms.c)\n", stderr);
        return 2;
    }
    n = atoi(argv[2]);
    rounds = atoi(argv[3]);
    if (kind->init)
        kind->init();
    pthread_barrier_init(&barrier, NULL, threads);
    for (unsigned i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, storm, (void *)(size_t)i);
    storm(NULL);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%u %s\n", total(), change >= 0 ? "done" : "wrong");
    return 0;
}
