/*
 * The benchmark's work: threads that load and store in arrays, in one of seven patterns.
 *
 *     work THREADS REFERENCES WORDS WRITE_PERCENT PATTERN
 *
 * THREADS is 1 to 1024, WORDS a power of two.
 *
 * private:  at random, an array of WORDS for each thread; neighbours share the line between them.
 * settled:  the same, in lines of its own, when each thread has been through its array, and all
 *           begin at one moment.
 * shared:   at random, one array for all.
 * mixed:    every eighth reference as shared, the others as private in an eighth of WORDS.
 * stream:   one word of every 64 bytes of an array of WORDS for each thread, in order.
 * exchange: as an FFT's transposition: every thread writes its own part of one array, waits for the
 *           others, then reads a slice of everybody's part.
 * locks:    every reference adds to a counter under its mutex; there are WORDS of them.
 *
 * References are 4 bytes and per thread. What is printed depends on the arguments only: a checksum,
 * or 0 where threads race. The region "work" begins when all threads are ready, in `settled` when
 * all go on, and ends when thread 0 is done. Threads start, report to and wake each other
 * as a tree, so that 1,024 of them do not meet in one place before there is anything to measure.
 */
#include <numachine.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS_MAX = 1024, LINE = 64 };

struct job {
    _Alignas(64) sem_t ready, go;
    volatile unsigned *words, *own;
    unsigned number, threads, mask, references, write_percent, random, sum;
};

struct counter {
    pthread_mutex_t mutex;
    unsigned count;
    char apart[64];
};

static pthread_barrier_t barrier;
static struct counter *counter;

static unsigned draw(struct job *job)
{
    return job->random = job->random * 1664525 + 1013904223;
}

static void wander(struct job *job)
{
    unsigned random = job->random, sum = 0;
    for (unsigned i = 0; i < job->references; i++) {
        random = random * 1664525 + 1013904223;
        volatile unsigned *word = &job->words[(random >> 8) & job->mask];
        if ((random >> 24) * 100 >> 8 < job->write_percent)
            *word = random;
        else
            sum += *word;
    }
    job->sum = sum;
}

static void mix(struct job *job)
{
    unsigned random = job->random, sum = 0;
    for (unsigned i = 0; i < job->references; i++) {
        random = random * 1664525 + 1013904223;
        volatile unsigned *word = i % 8 ? &job->own[(random >> 8) & job->mask >> 3]
                                        : &job->words[(random >> 8) & job->mask];
        if ((random >> 24) * 100 >> 8 < job->write_percent)
            *word = random;
        else
            sum += *word;
    }
    job->sum = sum;
}

static void stream(struct job *job)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < job->references; i++)
        sum += job->words[i * (LINE / sizeof *job->words) & job->mask];
    job->sum = sum;
}

static void exchange(struct job *job)
{
    const unsigned part = (job->mask + 1) / job->threads, slice = part / job->threads;
    for (unsigned done = 0; done < job->references; done += 2 * part) {
        volatile unsigned *own = job->words + (size_t)job->number * part;
        for (unsigned i = 0; i < part; i++)
            own[i] = draw(job);
        pthread_barrier_wait(&barrier);
        for (unsigned k = 1; k <= job->threads; k++) {
            const unsigned other = (job->number + k) % job->threads;
            volatile unsigned *theirs = job->words + (size_t)other * part + job->number * slice;
            for (unsigned i = 0; i < slice; i++)
                job->sum += theirs[i];
        }
        pthread_barrier_wait(&barrier);
    }
}

static void count(struct job *job)
{
    for (unsigned i = 0; i < job->references; i++) {
        struct counter *c = &counter[draw(job) >> 8 & job->mask];
        pthread_mutex_lock(&c->mutex);
        c->count++;
        pthread_mutex_unlock(&c->mutex);
    }
}

static const struct pattern {
    const char *name;
    void (*run)(struct job *);
    int own, races; /* an array for each thread; the sums depend on who is first */
    int settled;    /* see above */
} patterns[] = {
    {"private", wander, 1, 0}, {"settled", wander, 1, 0, 1}, {"shared", wander, 0, 1},
    {"mixed", mix, 0, 1},      {"stream", stream, 1, 0},     {"exchange", exchange, 0, 0},
    {"locks", count, 0, 0},
};

static const struct pattern *pattern;

static struct job job[THREADS_MAX];
static pthread_t thread[THREADS_MAX];
static pthread_attr_t attr;
static void *work(void *arg);

/* Of a thread's two children, does something to those that exist. */
static void children(const struct job *own, void (*what)(unsigned child))
{
    for (unsigned child = 2 * own->number + 1; child <= 2 * own->number + 2; child++)
        if (child < own->threads)
            what(child);
}

static void start(unsigned child)
{
    sem_init(&job[child].ready, 0, 0);
    sem_init(&job[child].go, 0, 0);
    if (pthread_create(&thread[child], &attr, work, &job[child]))
        exit(1);
}

static void await(unsigned child)
{
    sem_wait(&job[child].ready);
}

static void release(unsigned child)
{
    sem_post(&job[child].go);
}

static void join(unsigned child)
{
    pthread_join(thread[child], NULL);
}

/* When all threads begin that have settled. Waking 1,024 of them, one by one, takes longer than
 * their work; the time of day is the same for all. */
static struct timespec moment;

static void choose_moment(unsigned threads)
{
    enum { LEAST = 1000000, EACH = 10000, SECOND = 1000000000 }; /* [ns] */
    clock_gettime(CLOCK_MONOTONIC, &moment);
    moment.tv_nsec += LEAST + (long)threads * EACH;
    moment.tv_sec += moment.tv_nsec / SECOND;
    moment.tv_nsec %= SECOND;
}

static void wait_for_moment(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec > moment.tv_sec ||
        (now.tv_sec == moment.tv_sec && now.tv_nsec >= moment.tv_nsec)) {
        fputs("work: a thread came after the common moment: EACH is too short here\n", stderr);
        exit(3);
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
}

/* Every line of the thread's array is its own, and so is the code. */
static void settle(struct job *own)
{
    const unsigned random = own->random, references = own->references;
    for (unsigned i = 0; i <= own->mask; i++)
        own->words[i] = i;
    own->references = own->mask;
    pattern->run(own);
    own->random = random;
    own->references = references;
}

static void *work(void *arg)
{
    struct job *own = arg;
    children(own, start);
    if (pattern->settled)
        settle(own);
    children(own, await);
    if (own->number != 0) {
        sem_post(&own->ready);
        sem_wait(&own->go);
    } else if (pattern->settled) {
        choose_moment(own->threads);
    }
    if (own->number == 0 && !pattern->settled)
        NUMACHINE_BEGIN("work");
    children(own, release);
    if (pattern->settled) {
        wait_for_moment();
        if (own->number == 0)
            NUMACHINE_BEGIN("work");
    }
    pattern->run(own);
    if (own->number == 0)
        NUMACHINE_END("work");
    children(own, join);
    return NULL;
}

static unsigned total(unsigned threads, unsigned words)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < threads; i++)
        sum += job[i].sum;
    for (unsigned i = 0; counter && i < words; i++)
        sum += counter[i].count;
    return pattern->races ? 0 : sum;
}

static const struct pattern *pattern_called(const char *name)
{
    for (const struct pattern *p = patterns; p < patterns + sizeof patterns / sizeof *patterns; p++)
        if (!strcmp(p->name, name))
            return p;
    return NULL;
}

int main(int argc, char **argv)
{
    const unsigned threads = argc == 6 ? atoi(argv[1]) : 0, words = threads ? atoi(argv[3]) : 0;
    pattern = words ? pattern_called(argv[5]) : NULL;
    if (!pattern || threads > THREADS_MAX || words & (words - 1)) {
        fputs("usage: work THREADS REFERENCES WORDS WRITE_PERCENT PATTERN (see work.c)\n", stderr);
        return 2;
    }
    const size_t each = pattern->own ? words : 0;
    unsigned *array = pattern->settled ? aligned_alloc(LINE, each * threads * sizeof *array)
                                       : calloc(each ? each * threads : words, sizeof *array);
    unsigned *own = pattern->run == mix ? calloc((size_t)threads * (words / 8), sizeof *own) : NULL;
    if (pattern->run == count) {
        counter = calloc(words, sizeof *counter);
        for (unsigned i = 0; i < words; i++)
            pthread_mutex_init(&counter[i].mutex, NULL);
    }
    pthread_barrier_init(&barrier, NULL, threads);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 1 << 18);
    for (unsigned i = 0; i < threads; i++)
        job[i] = (struct job){.words = array + each * i,
                              .own = own ? own + (size_t)i * (words / 8) : NULL,
                              .number = i,
                              .threads = threads,
                              .mask = words - 1,
                              .references = atoi(argv[2]),
                              .write_percent = atoi(argv[4]),
                              .random = i + 1};
    work(&job[0]);
    printf("%u\n", total(threads, words));
    return 0;
}
