/*
 * Jobs of a line each go round: a thread takes the oldest from a list under a lock, works on all of
 * it, and puts it back at the end.
 */
#include "shown.h"

#include <pthread.h>

enum { JOBS = 8, TURNS = 300, WORDS = 15 };

struct job {
    LINE_ALIGNED struct job *next;
    unsigned words[WORDS];
};

static struct job jobs[JOBS];

static struct {
    pthread_mutex_t lock;
    struct job *first, **last;
} list LINE_ALIGNED = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL};

static struct job *take(void)
{
    struct job *job;
    do {
        pthread_mutex_lock(&list.lock);
        job = list.first;
        if (job && !(list.first = job->next))
            list.last = &list.first;
        pthread_mutex_unlock(&list.lock);
    } while (!job);
    return job;
}

static void put(struct job *job)
{
    job->next = NULL;
    pthread_mutex_lock(&list.lock);
    *list.last = job;
    list.last = &job->next;
    pthread_mutex_unlock(&list.lock);
}

static void *work(void *arg)
{
    for (int turn = 0; turn < TURNS; turn++) {
        struct job *job = take();
        for (int step = 0; step < 4; step++)
            for (int w = 0; w < WORDS; w++)
                job->words[w]++;
        put(job);
    }
    return arg;
}

int main(int argc, char **argv)
{
    const int asked = thread_count(argc, argv, 4), threads = asked < JOBS ? asked : JOBS;
    pthread_t ids[JOBS];
    unsigned done = 0;
    list.last = &list.first;
    for (int j = 0; j < JOBS; j++)
        put(&jobs[j]);
    for (int t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, work, NULL);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    for (int j = 0; j < JOBS; j++)
        done += jobs[j].words[WORDS - 1];
    SHOW(jobs);
    SHOW(list);
    printf("done %u\n", done);
    return done != (unsigned)threads * TURNS * 4;
}
