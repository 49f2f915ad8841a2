/*
 * Litmus tests as a program: what its threads see of each other's stores must be what some
 * interleaving of their accesses would show. The tests, and what is allowed, are in litmus.h.
 *
 *     litmus ITERATIONS SEED
 *
 * The threads of a test sit on one station, on neighbouring stations and on different rings in
 * turn. In every iteration they start together, each after a delay of its own; the variables are in
 * one line, in lines of one home, or in pages of different homes. Prints each test's histogram; the
 * exit status is 1 if there is an outcome that sequential consistency forbids. (Hosts are weaker:
 * under qemu-user there may be some.)
 */
#define _GNU_SOURCE 1 /* processor affinity */

#include "litmus.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PAGE = 16384 };

static struct litmus test;
static struct litmus_outcome outcome;
static unsigned count[LITMUS_OUTCOMES];
static unsigned iterations, stride;
static unsigned random_state[LITMUS_THREADS];
static volatile unsigned *variable[LITMUS_VARS];
static char memory[LITMUS_VARS * PAGE] __attribute__((aligned(PAGE)));
static struct {
    unsigned arrived, generation;
} barrier __attribute__((aligned(128)));

/* Spins, so that threads leave it as much together as the machine lets them. */
static void meet(void)
{
    unsigned now = __atomic_load_n(&barrier.generation, __ATOMIC_SEQ_CST);
    if (__atomic_add_fetch(&barrier.arrived, 1, __ATOMIC_SEQ_CST) == test.threads) {
        barrier.arrived = 0;
        __atomic_store_n(&barrier.generation, now + 1, __ATOMIC_SEQ_CST);
        return;
    }
    while (__atomic_load_n(&barrier.generation, __ATOMIC_SEQ_CST) == now)
        ;
}

static unsigned draw(unsigned thread, unsigned below)
{
    random_state[thread] = random_state[thread] * 1664525 + 1013904223;
    return (random_state[thread] >> 16) % below;
}

/* A few cycles, now and then many. */
static void dawdle(unsigned thread)
{
    static const unsigned longest[] = {1, 4, 30, 300};
    unsigned turns = draw(thread, longest[draw(thread, 4)]);
    while (turns--)
        __asm__ volatile("");
}

/* Where the variables are in this iteration, all 0. Thread 0 alone. */
static void begin(unsigned iteration)
{
    static const unsigned apart[] = {8, 256, PAGE};
    for (unsigned v = 0; v < LITMUS_VARS; v++) {
        variable[v] = (volatile unsigned *)(memory + v * apart[iteration % 3]);
        *variable[v] = 0;
    }
}

static void end(void)
{
    for (unsigned v = 0; v < test.vars; v++)
        outcome.last[v] = *variable[v];
    count[litmus_code(&outcome)]++;
}

/* The thread's accesses. Loaded values are put away after the last one. */
static void accesses(unsigned me)
{
    unsigned loaded[LITMUS_OPS];
    for (unsigned i = 0; i < test.ops[me]; i++) {
        const struct litmus_op *op = &test.op[me][i];
        if (op->store)
            *variable[op->var] = op->value;
        else
            loaded[i] = *variable[op->var];
    }
    for (unsigned i = 0; i < test.ops[me]; i++)
        if (!test.op[me][i].store)
            outcome.loaded[test.op[me][i].value] = loaded[i];
}

static void *thread(void *arg)
{
    const unsigned me = (unsigned)(size_t)arg;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(me * stride, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        exit(2);
    for (unsigned i = 0; i < iterations; i++) {
        if (me == 0)
            begin(i);
        meet();
        if (draw(me, 2)) /* a copy of its own before it starts */
            (void)*variable[draw(me, test.vars)];
        dawdle(me);
        accesses(me);
        meet();
        if (me == 0)
            end();
    }
    return NULL;
}

static void run_apart(unsigned processors)
{
    pthread_t threads[LITMUS_THREADS];
    if ((test.threads - 1) * stride >= processors)
        return;
    for (size_t i = 0; i < test.threads; i++)
        if (pthread_create(&threads[i], NULL, thread, (void *)i) != 0)
            exit(2);
    for (unsigned i = 0; i < test.threads; i++)
        pthread_join(threads[i], NULL);
}

static int report(void)
{
    int forbidden = 0;
    char text[32];
    printf("%s:", test.name);
    for (unsigned code = 0; code < LITMUS_OUTCOMES; code++) {
        if (!count[code])
            continue;
        litmus_text(&test, code, text);
        printf(" [%s]%s %u", text, test.allowed[code] ? "" : " FORBIDDEN", count[code]);
        forbidden |= !test.allowed[code];
    }
    printf("\n");
    return forbidden;
}

int main(int argc, char **argv)
{
    static const unsigned strides[] = {1, 4, 16}; /* prototype: one station, one ring, many */
    const unsigned processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    int bad = 0;
    if (argc != 3) {
        fprintf(stderr, "litmus ITERATIONS SEED\n");
        return 2;
    }
    iterations = ((unsigned)strtoul(argv[1], NULL, 10) + 2) / 3;
    for (unsigned i = 0; i < LITMUS_THREADS; i++)
        random_state[i] = (unsigned)strtoul(argv[2], NULL, 10) * 7919 + i;
    for (unsigned row = 0; row < LITMUS_ROWS; row++) {
        litmus_read(&test, &litmus_rows[row]);
        memset(count, 0, sizeof count);
        memset(&outcome, 0, sizeof outcome);
        for (unsigned i = 0; i < sizeof strides / sizeof *strides; i++) {
            stride = strides[i];
            run_apart(processors);
        }
        bad |= report();
    }
    return bad;
}
