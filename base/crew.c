/* Host threads that do one thing together: see crew.h. */
#include "base/crew.h"

#include "base/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/** Looks before a member sleeps, or leaves the processor to others: some 0.1 ms. */
enum { LOOKS = 5000 };

struct member {
    struct sim_crew *crew;
    unsigned number;
    pthread_t thread;
};

struct sim_crew {
    unsigned members; /* that there are; the caller has no thread here */
    sim_crew_fn *part;
    void *ctx;
    _Atomic unsigned round;  /* counts calls */
    _Atomic unsigned left;   /* threads that have not done their part */
    _Atomic unsigned asleep; /* threads that have to be woken */
    bool over;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t begun; /* a round */
    struct member member[];
};

static inline void look_again(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* A round other than `last` has begun. Whoever begins one counts it up and then looks who is
 * asleep; whoever goes to sleep says so and then looks at the count. So one of both sees it. */
static void await_round(struct sim_crew *crew, unsigned last)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&crew->round, memory_order_acquire) != last)
            return;
        look_again();
    }
    pthread_mutex_lock(&crew->lock);
    atomic_fetch_add(&crew->asleep, 1);
    while (atomic_load(&crew->round) == last)
        pthread_cond_wait(&crew->begun, &crew->lock);
    atomic_fetch_sub(&crew->asleep, 1);
    pthread_mutex_unlock(&crew->lock);
}

static void begin_round(struct sim_crew *crew)
{
    atomic_store_explicit(&crew->left, crew->members - 1, memory_order_relaxed);
    atomic_fetch_add(&crew->round, 1);
    if (!atomic_load(&crew->asleep))
        return;
    pthread_mutex_lock(&crew->lock);
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->lock);
}

static void *life(void *self)
{
    const struct member *me = self;
    struct sim_crew *crew = me->crew;
    for (unsigned round = 0;; round++) {
        await_round(crew, round);
        if (crew->over)
            return NULL;
        crew->part(crew->ctx, me->number);
        atomic_fetch_sub_explicit(&crew->left, 1, memory_order_release);
    }
}

void sim_crew_run(struct sim_crew *crew, sim_crew_fn *part, void *ctx)
{
    unsigned looks = 0;
    crew->part = part;
    crew->ctx = ctx;
    begin_round(crew);
    part(ctx, 0);
    while (atomic_load_explicit(&crew->left, memory_order_acquire))
        if (++looks < LOOKS)
            look_again();
        else
            sched_yield();
}

/* Threads but for the caller's; signals are for it alone. */
static bool start(struct sim_crew *crew, unsigned members)
{
    sigset_t all, before;
    int failed = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; crew->members < members && !failed; crew->members += !failed) {
        struct member *m = &crew->member[crew->members];
        *m = (struct member){.crew = crew, .number = crew->members};
        failed = pthread_create(&m->thread, NULL, life, m);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

struct sim_crew *sim_crew_new(unsigned members)
{
    struct sim_crew *crew = sim_alloc(1, sizeof *crew + members * sizeof *crew->member);
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->begun, NULL);
    crew->members = 1;
    if (start(crew, members))
        return crew;
    sim_crew_free(crew);
    return NULL;
}

void sim_crew_free(struct sim_crew *crew)
{
    if (!crew)
        return;
    crew->over = true;
    begin_round(crew);
    for (unsigned i = 1; i < crew->members; i++)
        pthread_join(crew->member[i].thread, NULL);
    pthread_cond_destroy(&crew->begun);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}
