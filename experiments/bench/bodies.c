/*
 * What liveness costs a program that would end without it: bodies that attract each other, with the
 * C library's locks and barriers. Each step has three parts: bodies go into cells (a lock for
 * each cell), pairs of near bodies add to both (a lock for each body), and all are moved.
 */
#include "numachine.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { BODIES = 1024, CELLS = 64, NEAR = 24, STEPS = 3, THREADS_MAX = 64 };

static struct body {
    double at[3], speed[3], force[3];
    pthread_mutex_t lock;
    struct body *next;
} bodies[BODIES];

static struct cell {
    pthread_mutex_t lock;
    struct body *first;
    int count;
} cells[CELLS];

static pthread_barrier_t all;
static int threads;

static void into_cell(struct body *b)
{
    struct cell *c = &cells[(unsigned)(b->at[0] * 8) * 8 + (unsigned)(b->at[1] * 8)];

    pthread_mutex_lock(&c->lock);
    b->next = c->first;
    c->first = b;
    c->count++;
    pthread_mutex_unlock(&c->lock);
}

static void add(struct body *b, const double *force, double sign)
{
    pthread_mutex_lock(&b->lock);
    for (int k = 0; k < 3; k++)
        b->force[k] += sign * force[k];
    pthread_mutex_unlock(&b->lock);
}

static void attract(struct body *a, struct body *b)
{
    double d[3], r2 = 1e-3;

    for (int k = 0; k < 3; k++) {
        d[k] = b->at[k] - a->at[k];
        r2 += d[k] * d[k];
    }
    for (int k = 0; k < 3; k++)
        d[k] *= 1e-6 / (r2 * sqrt(r2));
    add(a, d, 1);
    add(b, d, -1);
}

static void move(struct body *b)
{
    for (int k = 0; k < 3; k++) {
        b->speed[k] += b->force[k];
        b->at[k] = fabs(fmod(b->at[k] + 1e-3 * b->speed[k], 0.999));
        b->force[k] = 0;
    }
}

static void *works(void *arg)
{
    const int me = (int)(long)arg, first = me * BODIES / threads,
              last = (me + 1) * BODIES / threads;

    for (int step = 0; step < STEPS; step++) {
        for (int i = first; i < last; i++)
            into_cell(&bodies[i]);
        pthread_barrier_wait(&all);
        for (int i = first; i < last; i++)
            for (int n = 1; n <= NEAR; n++)
                attract(&bodies[i], &bodies[(i + n * n) % BODIES]);
        pthread_barrier_wait(&all);
        for (int i = first; i < last; i++)
            move(&bodies[i]);
        for (int i = me; i < CELLS; i += threads)
            cells[i].first = NULL;
        pthread_barrier_wait(&all);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS_MAX];
    int entered = 0;

    threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    pthread_barrier_init(&all, NULL, (unsigned)threads);
    for (int i = 0; i < CELLS; i++)
        pthread_mutex_init(&cells[i].lock, NULL);
    for (int i = 0; i < BODIES; i++) {
        pthread_mutex_init(&bodies[i].lock, NULL);
        for (int k = 0; k < 3; k++)
            bodies[i].at[k] = (i * (7 + 4 * k) % 101) / 101.5;
    }
    NUMACHINE_BEGIN("bodies");
    for (long i = 1; i < threads; i++)
        pthread_create(&t[i], NULL, works, (void *)i);
    works(NULL);
    for (int i = 1; i < threads; i++)
        pthread_join(t[i], NULL);
    NUMACHINE_END("bodies");
    for (int i = 0; i < CELLS; i++)
        entered += cells[i].count;
    printf("%d bodies entered\n", entered);
    return 0;
}
