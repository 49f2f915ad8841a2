/*
 * A program to start from: threads take turns at one shared total. Ask the counters what the lock
 * costs, then give each thread a total of its own and ask again.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;

static void *add(void *arg)
{
    const unsigned long n = *(const unsigned long *)arg;
    for (unsigned long i = 0; i < n; i++) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, add, &n);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%lu\n", total);
    return total != THREADS * n;
}
