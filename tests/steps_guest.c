/*
 * Thirteen kernels of floating-point arithmetic in parallel, each small: `prog KERNEL THREADS`
 * prints a sum that hangs neither on the threads nor on their order.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 32, BODIES = 24, POINTS = 256, ROUNDS = 3, THREADS_MAX = 64 };

static unsigned threads;
static pthread_barrier_t all;
static double a[N][N], b[N][N], c[N][N], re[POINTS], im[POINTS], sums[THREADS_MAX];
static struct body {
    double p[3], v[3], f[3];
} body[BODIES];

struct part {
    unsigned number, from, to; /* of N rows */
};

static void wait_for_all(void)
{
    pthread_barrier_wait(&all);
}

/* Rows or points that are a thread's, of `count`. */
static unsigned first(const struct part *p, unsigned count)
{
    return count * p->number / threads;
}

static unsigned behind(const struct part *p, unsigned count)
{
    return count * (p->number + 1) / threads;
}

static void nbody(const struct part *p)
{
    for (unsigned t = 0; t < ROUNDS; t++) {
        for (unsigned i = first(p, BODIES); i < behind(p, BODIES); i++) {
            memset(body[i].f, 0, sizeof body[i].f);
            for (unsigned j = 0; j < BODIES; j++) {
                double d[3], r = 0.01;
                for (unsigned k = 0; k < 3; k++) {
                    d[k] = body[j].p[k] - body[i].p[k];
                    r += d[k] * d[k];
                }
                const double s = 1 / (r * sqrt(r));
                for (unsigned k = 0; k < 3; k++)
                    body[i].f[k] += d[k] * s;
            }
        }
        wait_for_all();
        for (unsigned i = first(p, BODIES); i < behind(p, BODIES); i++)
            for (unsigned k = 0; k < 3; k++) {
                body[i].v[k] += body[i].f[k] * 1e-3;
                body[i].p[k] += body[i].v[k] * 1e-3;
            }
        wait_for_all();
    }
    for (unsigned i = first(p, BODIES); i < behind(p, BODIES); i++)
        re[i] = body[i].p[0] + body[i].v[1];
}

static void multiply(const struct part *p)
{
    for (unsigned i = p->from; i < p->to; i++)
        for (unsigned j = 0; j < N; j++) {
            double s = 0;
            for (unsigned k = 0; k < N; k++)
                s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
}

static void lu(const struct part *p)
{
    for (unsigned k = 0; k < N; k++) {
        for (unsigned i = p->from; i < p->to; i++) {
            if (i <= k)
                continue;
            a[i][k] /= a[k][k];
            for (unsigned j = k + 1; j < N; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
        wait_for_all();
    }
}

static void cholesky(const struct part *p)
{
    for (unsigned k = 0; k < N; k++) {
        if (k >= p->from && k < p->to)
            a[k][k] = sqrt(fabs(a[k][k]));
        wait_for_all();
        for (unsigned i = p->from; i < p->to; i++)
            if (i > k)
                a[i][k] /= a[k][k];
        wait_for_all();
        for (unsigned i = p->from; i < p->to; i++)
            for (unsigned j = k + 1; j <= i; j++)
                a[i][j] -= a[i][k] * a[j][k];
        wait_for_all();
    }
}

/* The half-th root of -1 to the power n. */
static void root(unsigned half, unsigned n, double *r, double *s)
{
    double c = -1, d;
    for (unsigned h = 1; h < half; h *= 2)
        c = sqrt((1 + c) / 2);
    d = -sqrt(1 - c * c);
    *r = 1;
    *s = 0;
    while (n--) {
        const double was = *r;
        *r = was * c - *s * d;
        *s = was * d + *s * c;
    }
}

static void fft(const struct part *p)
{
    for (unsigned half = POINTS / 2; half; half /= 2) {
        for (unsigned i = first(p, POINTS / 2); i < behind(p, POINTS / 2); i++) {
            const unsigned low = i % half, x = i / half * 2 * half + low, y = x + half;
            const double dr = re[x] - re[y], di = im[x] - im[y];
            double r, s;
            root(half, low % 16, &r, &s);
            re[x] += re[y];
            im[x] += im[y];
            re[y] = dr * r - di * s;
            im[y] = dr * s + di * r;
        }
        wait_for_all();
    }
}

static void stencil(const struct part *p)
{
    for (unsigned t = 0; t < ROUNDS; t++) {
        double(*from)[N] = t % 2 ? c : a, (*to)[N] = t % 2 ? a : c;
        for (unsigned i = p->from; i < p->to; i++)
            for (unsigned j = 1; i && i < N - 1 && j < N - 1; j++)
                to[i][j] = 0.2 * (from[i][j] + from[i - 1][j] + from[i + 1][j] + from[i][j - 1] +
                                  from[i][j + 1]);
        wait_for_all();
    }
}

/* Red and black. */
static void relax(const struct part *p)
{
    for (unsigned t = 0; t < 2 * ROUNDS; t++) {
        for (unsigned i = p->from; i < p->to; i++)
            for (unsigned j = 1 + (i + t) % 2; i && i < N - 1 && j < N - 1; j += 2)
                a[i][j] +=
                    0.3 * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1] - 4 * a[i][j]);
        wait_for_all();
    }
}

static void polynomial(const struct part *p)
{
    for (unsigned i = first(p, POINTS); i < behind(p, POINTS); i++) {
        double s = 0;
        for (unsigned k = 0; k < N; k++)
            s = s * re[i] * 0.5 + a[k][k];
        im[i] = s;
    }
}

static void mandelbrot(const struct part *p)
{
    for (unsigned i = p->from; i < p->to; i++)
        for (unsigned j = 0; j < N; j++) {
            double x = 0, y = 0;
            unsigned n = 0;
            for (; n < 30 && x * x + y * y < 4; n++) {
                const double z = x * x - y * y + (j * 3.0 / N - 2);
                y = 2 * x * y + (i * 2.0 / N - 1);
                x = z;
            }
            c[i][j] = n;
        }
}

static void spectral(const struct part *p)
{
    for (unsigned t = 0; t < ROUNDS; t++) {
        for (unsigned i = p->from; i < p->to; i++) {
            im[i] = 0;
            for (unsigned j = 0; j < N; j++)
                im[i] += re[j] / ((i + j) * (i + j + 1) / 2 + i + 1);
        }
        wait_for_all();
        for (unsigned i = p->from; i < p->to; i++)
            re[i] = im[i];
        wait_for_all();
    }
}

/* Single precision, conversions and square roots. */
static void normalise(const struct part *p)
{
    for (unsigned i = p->from; i < p->to; i++) {
        float s = 1e-3f;
        for (unsigned j = 0; j < N; j++)
            s += (float)a[i][j] * (float)a[i][j];
        const float scale = 1 / sqrtf(s);
        for (unsigned j = 0; j < N; j++)
            c[i][j] = (float)a[i][j] * scale + (float)(int)(a[i][j] * 100);
    }
}

static void filter(const struct part *p)
{
    for (unsigned i = first(p, POINTS); i < behind(p, POINTS); i++) {
        double s = 0;
        for (unsigned k = 0; k < 16; k++)
            s += re[(i + k) % POINTS] * b[0][k] - im[(i + k) % POINTS] * b[1][k];
        sums[p->number] = s; /* on one line with the others' */
        c[i / N][i % N] = s;
    }
}

static void quadrature(const struct part *p)
{
    for (unsigned i = first(p, POINTS); i < behind(p, POINTS); i++) {
        const double x = (i + 0.5) / POINTS;
        im[i] = 4 / (1 + x * x) + sqrt(1 - x * x) - x / 3;
    }
}

static const struct kernel {
    const char *name;
    void (*run)(const struct part *part);
} kernels[] = {
    {"nbody", nbody},
    {"multiply", multiply},
    {"lu", lu},
    {"cholesky", cholesky},
    {"fft", fft},
    {"stencil", stencil},
    {"relax", relax},
    {"polynomial", polynomial},
    {"mandelbrot", mandelbrot},
    {"spectral", spectral},
    {"normalise", normalise},
    {"filter", filter},
    {"quadrature", quadrature},
};

static const struct kernel *kernel;

static void *work(void *ctx)
{
    const unsigned number = (unsigned)(unsigned long)ctx;
    const struct part part = {number, N * number / threads, N * (number + 1) / threads};
    wait_for_all();
    kernel->run(&part);
    return NULL;
}

static void begin(void)
{
    for (unsigned i = 0; i < N; i++)
        for (unsigned j = 0; j < N; j++) {
            a[i][j] = 1.0 / (1 + i + j) + (i == j) * N;
            b[i][j] = (i * 7 + j * 3) % 11 / 11.0;
        }
    for (unsigned i = 0; i < POINTS; i++) {
        re[i] = (i * 5 + 1) % 17 / 17.0;
        im[i] = (i * 3 + 2) % 13 / 13.0;
    }
    for (unsigned i = 0; i < BODIES; i++)
        for (unsigned k = 0; k < 3; k++)
            body[i].p[k] = (i * (k + 3) + k) % 19 / 19.0;
}

static double sum(void)
{
    double s = 0;
    for (unsigned i = 0; i < N * N; i++)
        s += a[i / N][i % N] + c[i / N][i % N] * 0.5;
    for (unsigned i = 0; i < POINTS; i++)
        s += re[i] - im[i] / 3;
    return s;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS_MAX];
    threads = argc == 3 ? (unsigned)atoi(argv[2]) : 0;
    for (kernel = kernels; kernel < kernels + sizeof kernels / sizeof *kernels; kernel++)
        if (argc == 3 && !strcmp(kernel->name, argv[1]))
            break;
    if (kernel == kernels + sizeof kernels / sizeof *kernels || !threads || threads > THREADS_MAX)
        return 2;
    begin();
    pthread_barrier_init(&all, NULL, threads);
    for (unsigned i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, work, (void *)(unsigned long)i);
    work(NULL);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%s %.12g\n", kernel->name, sum());
    return 0;
}
