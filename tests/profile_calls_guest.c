/*
 * Calls of every kind, for tests/profile_calls.py, which knows how often each function is called
 * from where: plain, recursive, through pointers, as a tail, out of longjmp, of a signal's handler,
 * in threads and between marks.
 */
#include "numachine.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#define APART __attribute__((noinline, noclone))

static volatile int sink;

APART void leaf(void)
{
    sink++;
}

APART void twice(void)
{
    leaf();
    leaf();
    sink++;
}

/* Nothing comes after the call: a jump. */
APART void tail(void)
{
    sink++;
    leaf();
}

APART void recurses(int depth)
{
    leaf();
    if (depth > 1)
        recurses(depth - 1);
    sink++;
}

APART void odd(int n);

APART void even(int n)
{
    if (n)
        odd(n - 1);
    sink++;
}

APART void odd(int n)
{
    leaf();
    if (n)
        even(n - 1);
    sink++;
}

static jmp_buf back;

APART void throws(int depth)
{
    if (!depth && sink)
        longjmp(back, 1);
    if (depth)
        throws(depth - 1);
    sink++;
}

APART void catches(void)
{
    if (!setjmp(back))
        throws(5);
    leaf();
    sink++;
}

static void handler(int signal)
{
    (void)signal;
    leaf();
    sink++;
}

APART void signals(void)
{
    raise(SIGUSR1);
    leaf();
    sink++;
}

APART void points(void)
{
    static void (*const volatile table[])(void) = {leaf, twice, leaf};
    for (int i = 0; i < 3; i++)
        table[i]();
    sink++;
}

APART void *worker(void *arg)
{
    (void)arg;
    for (int i = 0; i < 10; i++)
        twice();
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    signal(SIGUSR1, handler);
    leaf();
    for (int i = 0; i < 3; i++)
        tail();
    NUMACHINE_BEGIN("recursion");
    recurses(4);
    even(6);
    NUMACHINE_END("recursion");
    catches();
    signals();
    points();
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    printf("done\n");
    return 0;
}
