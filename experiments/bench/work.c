/*
 * The benchmark's work: threads that load and store at random in an array.
 *
 *     work THREADS REFERENCES WORDS WRITE_PERCENT private|shared
 *
 * private: an array for each thread; shared: one for all. References are 4 bytes. What is printed
 * is a checksum that only depends on the arguments when the array is private.
 */
#include <numachine.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 1024 };

struct job {
    volatile unsigned *words;
    unsigned mask, references, write_percent, seed, sum;
};

static pthread_barrier_t barrier;

static void *work(void *arg)
{
    struct job *job = arg;
    unsigned random = job->seed, sum = 0;
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < job->references; i++) {
        random = random * 1664525 + 1013904223;
        volatile unsigned *word = &job->words[(random >> 8) & job->mask];
        if ((random >> 24) * 100 >> 8 < job->write_percent)
            *word = random;
        else
            sum += *word;
    }
    job->sum = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    static struct job job[THREADS_MAX];
    pthread_t thread[THREADS_MAX];
    if (argc != 6)
        return 2;
    unsigned threads = atoi(argv[1]), words = atoi(argv[3]), sum = 0;
    int shared = !strcmp(argv[5], "shared");
    unsigned *array = calloc(shared ? words : (size_t)words * threads, sizeof *array);
    pthread_barrier_init(&barrier, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        job[i] = (struct job){.words = array + (shared ? 0 : (size_t)words * i),
                              .mask = words - 1,
                              .references = atoi(argv[2]),
                              .write_percent = atoi(argv[4]),
                              .seed = i + 1};
        if (i)
            pthread_create(&thread[i], NULL, work, &job[i]);
    }
    work(&job[0]);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < threads; i++)
        sum += job[i].sum;
    printf("%u\n", shared ? 0 : sum);
    return 0;
}
