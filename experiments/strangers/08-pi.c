/* Estimates pi by throwing darts at a square. Each thread has its own random generator. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 8
#define DARTS   12000

struct rng {
    unsigned int x;
    unsigned int c;
};

struct job {
    int id;
    struct rng *rng;
    int inside;
};

/* Multiply with carry. */
static __attribute__((noinline)) unsigned int rng_next(struct rng *r)
{
    unsigned long long t = 4164903690ULL * r->x + r->c;

    r->c = (unsigned int)(t >> 32);
    r->x = (unsigned int)t;
    return r->x;
}

static void rng_seed(struct rng *r, unsigned int seed)
{
    r->x = seed;
    r->c = 362436069u ^ seed;
}

static void *throw_darts(void *p)
{
    struct job *job = p;
    int inside = 0;

    for (int i = 0; i < DARTS; i++) {
        unsigned int x = rng_next(job->rng) >> 17;
        unsigned int y = rng_next(job->rng) >> 17;
        if (x * x + y * y < 1u << 30)
            inside++;
    }
    job->inside = inside;
    return NULL;
}

static int run(void)
{
    struct rng generators[THREADS];
    struct job jobs[THREADS];
    pthread_t tid[THREADS];
    int inside = 0;

    for (int i = 0; i < THREADS; i++) {
        rng_seed(&generators[i], 123456789u + 1000003u * (unsigned)i);
        jobs[i].id = i;
        jobs[i].rng = &generators[i];
        jobs[i].inside = 0;
    }
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&tid[i], NULL, throw_darts, &jobs[i])) {
            fprintf(stderr, "cannot create thread %d\n", i);
            exit(EXIT_FAILURE);
        }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(tid[i], NULL);
        inside += jobs[i].inside;
    }
    return inside;
}

int main(void)
{
    int inside = run();
    int thousandths = (int)(4000LL * inside / (THREADS * DARTS));

    printf("pi is about %d.%03d\n", thousandths / 1000, thousandths % 1000);
    return 0;
}
