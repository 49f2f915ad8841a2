/*
 * What a debugger is tried on (debug.py): calls, floating point, threads that lose updates, one
 * that writes behind its array, a signal, and, if asked for, a deadlock or a death.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { THREADS = 3, BUMPS = 20, CELLS = 4 };

static volatile int counter;
static struct {
    int cell[CELLS];
    volatile int neighbour;
} together = {.neighbour = 7};
static volatile int heard;
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static volatile int both;

/* Arrays whose types have names, one of which holds another's. */
typedef int cells_of[CELLS];
typedef char name_of[16];
cells_of cells = {1};
name_of named = "counter";

__attribute__((noinline)) int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

__attribute__((noinline)) void bump(int by)
{
    const int seen = counter;
    counter = seen + by;
}

__attribute__((noinline)) void fill(int cells)
{
    for (int i = 0; i < cells; i++)
        together.cell[i] = i;
}

static void hear(int signal)
{
    heard = signal;
}

/* Their names are cut in the middle of a character. */
static void *worker(void *argument)
{
    prctl(PR_SET_NAME, "counting\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
    for (int i = 0; i < BUMPS; i++)
        bump(1);
    return argument;
}

static void meet(void)
{
    both++;
    while (both < 2)
        ;
}

static void *crosses(void *argument)
{
    pthread_mutex_lock(&second);
    meet();
    pthread_mutex_lock(&first);
    return argument;
}

static void deadlock(void)
{
    pthread_t other;
    pthread_create(&other, NULL, crosses, NULL);
    pthread_mutex_lock(&first);
    meet();
    pthread_mutex_lock(&second);
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    volatile double half = 0.5, three = half * 6;
    const char *how = argc > 1 ? argv[1] : "";
    const int product = factorial(6);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, worker, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    fill(CELLS + 1);
    signal(SIGUSR1, hear);
    raise(SIGUSR1);
    printf("%d %d %g %d\n", product, together.neighbour, three, heard == SIGUSR1);
    fflush(stdout);
    if (!strcmp(how, "deadlock"))
        deadlock();
    if (!strcmp(how, "death"))
        *(volatile int *)16 = 1;
    return 3;
}
