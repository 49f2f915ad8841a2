/*
 * A program that is slow on many processors: eight threads count two kinds of numbers, each in its
 * own element of an array. Nothing is shared, and yet they wait for each other.
 *
 * README.md, "My program is slow", finds out why.
 */
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, NUMBERS = 4000 };

static struct {
    int thirds, others;
} found[THREADS];

static void *count(void *arg)
{
    const int me = (int)(size_t)arg;
    for (int n = 0; n < NUMBERS; n++)
        if (n * me % 3 == 0)
            found[me].thirds++;
        else
            found[me].others++;
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];
    int thirds = 0;
    for (size_t t = 0; t < THREADS; t++)
        pthread_create(&thread[t], NULL, count, (void *)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < THREADS; t++)
        thirds += found[t].thirds;
    printf("%d of %d\n", thirds, THREADS * NUMBERS);
    return 0;
}
