/*
 * Litmus tests as a program: what its threads see of each other's stores must be what some
 * interleaving of their accesses would show. The tests and what is allowed are in
 * experiments/guests/litmus.h.
 *
 *     litmus [ITERATIONS [SEED]]
 *
 * Threads sit on processors far apart (every fourth, if there are so many) and start every
 * iteration together, each after a delay of its own. The variables are in one line, in lines of one
 * page, or in pages of different homes, in turn. Forbidden outcomes are printed and counted in the
 * exit status; "-v" as SEED prints every test's histogram, which depends on the machine.
 */
#include "../../experiments/guests/litmus.h"
#include "guest.h"

#include <pthread.h>
#include <sched.h>

enum { PAGE = 16384, PLACES = 3, STRIDE = 4 };

static struct litmus test;
static struct litmus_outcome outcome;
static unsigned counts[LITMUS_OUTCOMES];
static unsigned iterations = 60, seed = 1;
static unsigned arrived, generation; /* of the barrier */
static char memory[LITMUS_VARS * PAGE] __attribute__((aligned(PAGE)));
static pthread_t threads[LITMUS_THREADS];

/* A barrier that spins: threads leave it as much together as the machine lets them. */
static void meet(void)
{
    unsigned now = __atomic_load_n(&generation, __ATOMIC_SEQ_CST);

    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == test.threads) {
        __atomic_store_n(&arrived, 0, __ATOMIC_SEQ_CST);
        __atomic_store_n(&generation, now + 1, __ATOMIC_SEQ_CST);
        return;
    }
    while (__atomic_load_n(&generation, __ATOMIC_SEQ_CST) == now)
        sched_yield_sometimes();
}
