/*
 * Particles in a box: in each step a thread moves its particles, which only it touches, and then
 * counts those of its own columns of cells. Columns go round the threads.
 */
#include "shown.h"

enum { SIDE = 8, EACH = 48, STEPS = 8, REPEATS = 6 };

struct particle {
    int x, y, vx, vy;
};

struct cell {
    APART unsigned count;
    int momentum;
};

static OWN_LINE struct particle particles[MOST][EACH];
static OWN_LINE struct cell cells[SIDE * SIDE];
static OWN_LINE int threads;
static OWN_LINE pthread_barrier_t step;

static void place(int me)
{
    for (int i = 0; i < EACH; i++) {
        struct particle *p = &particles[me][i];
        p->x = (me * 131 + i * 57) & 511;
        p->y = (me * 71 + i * 93) & 511;
        p->vx = i % 13 - 6;
        p->vy = i % 11 - 5;
    }
}

static void move(struct particle *p)
{
    for (int k = 0; k < 24; k++) {
        p->x = (p->x + p->vx) & 511;
        p->y = (p->y + p->vy) & 511;
        if ((p->x ^ p->y) % 7 == 3)
            p->vx = -p->vx;
    }
}

/* The cell of this particle among those of thread me: its row, and the nearest of me's columns. */
static struct cell *cell_of(const struct particle *p, int me)
{
    int columns = (SIDE - me + threads - 1) / threads;
    int column = me + (p->x >> 6) % columns * threads;
    return &cells[(p->y >> 6) * SIDE + column];
}

static void deposit(const struct particle *p, int me)
{
    struct cell *c = cell_of(p, me);
    c->count++;           /* shares: cells */
    c->momentum += p->vx; /* shares: cells */
}

static void *work(void *argument)
{
    int me = number(argument);
    place(me);
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < EACH; i++)
            move(&particles[me][i]);
        pthread_barrier_wait(&step);
        for (int r = 0; r < REPEATS; r++)
            for (int i = 0; i < EACH; i++)
                deposit(&particles[me][i], me);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned all = 0;
    threads = threads_asked(argc, argv, 4);
    if (threads > SIDE)
        return 2;
    pthread_barrier_init(&step, NULL, (unsigned)threads);
    shown("cells", cells, sizeof cells);
    crew(threads, work);
    for (int i = 0; i < SIDE * SIDE; i++)
        all += cells[i].count;
    printf("%u counted\n", all);
    return all != (unsigned)threads * EACH * STEPS * REPEATS;
}
