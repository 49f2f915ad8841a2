/*
 * A computation in very many short phases, between which the threads wait for each other at a
 * barrier that is written by hand: a counter, and a flag whose sense changes with each phase.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define NTHREADS 8
#define PHASES   500
#define CELLS    32

typedef struct {
    atomic_int waiting;
    atomic_int sense;
    int parties;
} gate_t;

typedef struct {
    int cell[CELLS];
} __attribute__((aligned(64))) lane_t;

static gate_t gate = {.parties = NTHREADS};
static lane_t lanes[NTHREADS];

static void gate_wait(gate_t *g, int *sense)
{
    *sense = !*sense;
    if (atomic_fetch_add(&g->waiting, 1) == g->parties - 1) {
        atomic_store(&g->waiting, 0);
        atomic_store(&g->sense, *sense);
        return;
    }
    while (atomic_load(&g->sense) != *sense)
        ;
}

static void advance(lane_t *lane, int phase)
{
    for (int i = 1; i < CELLS; i++)
        lane->cell[i] = (lane->cell[i] + lane->cell[i - 1] + phase) & 0xffff;
}

static void *runner(void *arg)
{
    lane_t *mine = arg;
    int sense = 0;

    for (int phase = 0; phase < PHASES; phase++) {
        advance(mine, phase);
        gate_wait(&gate, &sense);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[NTHREADS];
    unsigned check = 0;

    for (int t = 0; t < NTHREADS; t++) {
        lanes[t].cell[0] = t;
        pthread_create(&threads[t], NULL, runner, &lanes[t]);
    }
    for (int t = 0; t < NTHREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < NTHREADS; t++)
        check = check * 31u + (unsigned)lanes[t].cell[CELLS - 1];
    printf("%08x\n", check);
    return 0;
}
