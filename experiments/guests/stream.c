/*
 * How fast memory is: four kernels over three arrays of doubles, and memcpy.
 *
 *     stream FIRST THREADS ELEMENTS ROUNDS
 *
 *   copy    c = a             16 bytes an element
 *   scale   b = 3 c           16
 *   add     c = a + b         24
 *   triad   a = b + 3 c       24
 *   memcpy  c = a, by the C library, 16
 *
 * A page has its home on the station that touches it first. FIRST says who does: `own`, each thread
 * its part; `one`, the first thread all of them, as a program does that was made parallel in a
 * hurry. THREADS (0: one for each processor) share ELEMENTS of each array; each kernel is a region,
 * of ROUNDS rounds. The values in the end are compared with those of one element computed alone.
 */
#define _GNU_SOURCE 1 /* processor affinity */

#include "team.h"

enum { PAGE = 4096 };

static double *a, *b, *c;
static unsigned elements, rounds;
static int own, bad;

/* The part of a thread, whole pages but for the last. */
static void part(const struct team_self *self, unsigned *from, unsigned *to)
{
    const unsigned page = PAGE / sizeof *a, pages = (elements + page - 1) / page;
    const unsigned long first = self->me, next = self->me + 1;
    *from = (unsigned)(pages * first / self->threads) * page;
    *to = (unsigned)(pages * next / self->threads) * page;
    *to = *to < elements ? *to : elements;
}

static void touch(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        a[i] = 1;
        b[i] = 2;
        c[i] = 0;
    }
}

static void copy(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        c[i] = a[i];
}

static void scale(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        b[i] = 3 * c[i];
}

static void add(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        c[i] = a[i] + b[i];
}

static void triad(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        a[i] = b[i] + 3 * c[i];
}

static void library(unsigned from, unsigned to)
{
    memcpy(c + from, a + from, (to - from) * sizeof *a);
}

static const struct kernel {
    const char *name;
    void (*run)(unsigned from, unsigned to);
} kernels[] = {
    {"copy", copy}, {"scale", scale}, {"add", add}, {"triad", triad}, {"memcpy", library},
};

enum { KERNELS = sizeof kernels / sizeof *kernels };

static void work(struct team_self *self)
{
    unsigned from, to;
    part(self, &from, &to);
    if (own)
        touch(from, to);
    else if (self->me == 0)
        touch(0, elements);
    for (unsigned k = 0; k < KERNELS; k++) {
        team_begin(self, kernels[k].name);
        for (unsigned i = 0; i < rounds; i++)
            kernels[k].run(from, to);
        team_end(self, kernels[k].name);
    }
}

static void check(const char *name, const double *array, double value)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < elements; i++)
        wrong += array[i] != value;
    printf("%s: %u elements of %g: %s\n", name, elements, value, wrong ? "WRONG" : "right");
    bad |= wrong != 0;
}

/* Whole pages, which nobody has touched. */
static double *array(void)
{
    void *at = mmap(NULL, elements * sizeof(double), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
        fprintf(stderr, "no memory\n");
        exit(2);
    }
    return at;
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "own";
    const unsigned threads = team_number(argc, argv, 2, team_processors());
    elements = team_number(argc, argv, 3, 65536);
    rounds = team_number(argc, argv, 4, 2);
    own = !strcmp(first, "own");
    if ((!own && strcmp(first, "one") != 0) || threads > TEAM_MOST) {
        fprintf(stderr, "stream own|one THREADS ELEMENTS ROUNDS; at most %u threads\n", TEAM_MOST);
        return 2;
    }
    a = array();
    b = array();
    c = array();
    team_run(threads, work, NULL);
    /* copy, scale, add and triad of a = 1, as often as one likes; then c is a again. */
    check("a", a, 15);
    check("b", b, 3);
    check("c", c, 15);
    return bad;
}
