/* Calls to be profiled: a loop, recursion, two ways to one function, a region, two threads. */
#include "numachine.h"

#include <pthread.h>
#include <stdio.h>

static volatile int words[1024];

__attribute__((noinline)) static int touch(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += words[i]++; /* the loop's load and store */
    return sum;
}

__attribute__((noinline)) static int climb(int n)
{
    return n ? climb(n - 1) + touch(1) : 0;
}

static void *work(void *arg)
{
    touch(1000);
    climb(20);
    return arg;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    NUMACHINE_BEGIN("climbing");
    climb(50);
    NUMACHINE_END("climbing");
    pthread_join(thread, NULL);
    printf("%d\n", words[0] > 0);
    return 0;
}
