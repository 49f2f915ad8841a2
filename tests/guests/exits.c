/* exit from a thread that is not the first, while others wait and run; the status is its argument.
 */
#include "guest.h"

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *waits(void *arg)
{
    pthread_mutex_lock(&lock);
    return arg;
}

static void *runs(void *arg)
{
    for (volatile unsigned i = 0;; i++)
        ;
    return arg;
}

static void *leaves(void *arg)
{
    printf("leaving\n");
    exit((int)(size_t)arg);
}

int main(void)
{
    pthread_t threads[3];

    pthread_mutex_lock(&lock);
    pthread_create(&threads[0], NULL, waits, NULL);
    pthread_create(&threads[1], NULL, runs, NULL);
    pthread_create(&threads[2], NULL, leaves, (void *)33);
    for (;;)
        pause();
}
