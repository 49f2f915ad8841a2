/*
 * n bodies attract each other in a plane. All threads read all positions; each moves the bodies
 * of its own block, whose state is kept on cache lines of its own. A barrier parts the two halves
 * of a step.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 96, THREADS = 4, STEPS = 12, LINE = 64 };

struct block {
    int x[BODIES / THREADS], y[BODIES / THREADS];
    int vx[BODIES / THREADS], vy[BODIES / THREADS];
    int mass[BODIES / THREADS];
} __attribute__((aligned(LINE)));

static struct block *blocks;
static pthread_barrier_t step_barrier;

static int isqrt(unsigned n)
{
    unsigned root = 0, bit = 1u << 30;

    while (bit > n)
        bit >>= 2;
    while (bit) {
        if (n >= root + bit) {
            n -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
        bit >>= 2;
    }
    return (int)root;
}

static void pull(int x, int y, const struct block *from, int *fx, int *fy)
{
    for (int i = 0; i < BODIES / THREADS; i++) {
        int dx = from->x[i] - x, dy = from->y[i] - y;
        int distance = isqrt((unsigned)(dx * dx + dy * dy)) + 1;
        int force = from->mass[i] * 64 / distance;

        *fx += force * dx / distance;
        *fy += force * dy / distance;
    }
}

static void *mover(void *arg)
{
    struct block *mine = &blocks[(size_t)arg];
    int fx[BODIES / THREADS], fy[BODIES / THREADS];

    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < BODIES / THREADS; i++) {
            fx[i] = fy[i] = 0;
            for (int b = 0; b < THREADS; b++)
                pull(mine->x[i], mine->y[i], &blocks[b], &fx[i], &fy[i]);
        }
        pthread_barrier_wait(&step_barrier);
        for (int i = 0; i < BODIES / THREADS; i++) {
            mine->vx[i] += fx[i] / 256;
            mine->vy[i] += fy[i] / 256;
            mine->x[i] += mine->vx[i] / 16;
            mine->y[i] += mine->vy[i] / 16;
        }
        pthread_barrier_wait(&step_barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    unsigned seed = 7, check = 0;

    blocks = aligned_alloc(LINE, THREADS * sizeof *blocks);
    for (int b = 0; b < THREADS; b++)
        for (int i = 0; i < BODIES / THREADS; i++) {
            seed = seed * 1664525u + 1013904223u;
            blocks[b].x[i] = (int)(seed >> 20);
            seed = seed * 1664525u + 1013904223u;
            blocks[b].y[i] = (int)(seed >> 20);
            blocks[b].vx[i] = blocks[b].vy[i] = 0;
            blocks[b].mass[i] = 1 + (int)(seed >> 28);
        }
    pthread_barrier_init(&step_barrier, NULL, THREADS);
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, mover, (void *)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int b = 0; b < THREADS; b++)
        for (int i = 0; i < BODIES / THREADS; i++)
            check = check * 33u + (unsigned)(blocks[b].x[i] ^ blocks[b].y[i]);
    printf("%08x\n", check);
    free(blocks);
    return 0;
}
