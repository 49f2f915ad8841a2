/*
 * Each function of documents/rows/lock_functions.def called on a lock of its own, for
 * tests/lock_functions.py: a line for each, "FUNCTION KIND ROLE ADDRESS", the address of the lock
 * or, of those that join, of nothing.
 *
 * With -D_TIME_BITS=64 where a `long` has 32 bits, functions with a date are others.
 */
#define ROWS_OF "../documents/rows/lock_functions.def"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static const struct row {
    const char *name, *kind, *role;
} rows[] = {
#define FUNCTION(name, kind, role) {name, #kind, #role},
#include ROWS_OF
#undef FUNCTION
};
enum { ROWS = sizeof rows / sizeof *rows };

/* A lock of every kind. */
struct locks {
    pthread_mutex_t mutex;
    mtx_t mtx;
    pthread_cond_t condition;
    cnd_t cnd;
    pthread_barrier_t barrier;
    sem_t semaphore;
    pthread_rwlock_t rwlock;
    pthread_spinlock_t spinlock;
    pthread_once_t once;
    once_flag flag;
} locks[ROWS];

static volatile unsigned spins;

/* Long enough for a lock that is still held to be seen. */
static void pause_a_while(void)
{
    for (unsigned i = 0; i < 20000; i++)
        spins++;
}

static void nothing(void)
{
}

static void *thread(void *arg)
{
    return arg;
}

static int thread_c11(void *arg)
{
    (void)arg;
    return 0;
}

/* Wakes who waits for the condition, once it waits. */
static void *waker(void *arg)
{
    struct locks *l = arg;
    pthread_mutex_lock(&l->mutex);
    pthread_cond_signal(&l->condition);
    pthread_mutex_unlock(&l->mutex);
    return NULL;
}

static int waker_c11(void *arg)
{
    struct locks *l = arg;
    mtx_lock(&l->mtx);
    cnd_signal(&l->cnd);
    mtx_unlock(&l->mtx);
    return 0;
}

static const volatile void *tries(struct locks *l, const char *name)
{
    if (strcmp(name, "mtx_trylock") == 0) {
        if (mtx_trylock(&l->mtx) || mtx_trylock(&l->mtx) == thrd_success)
            abort();
        mtx_unlock(&l->mtx);
        return &l->mtx;
    }
    if (strcmp(name, "pthread_mutex_trylock") == 0) {
        if (pthread_mutex_trylock(&l->mutex) || !pthread_mutex_trylock(&l->mutex))
            abort();
        pthread_mutex_unlock(&l->mutex);
        return &l->mutex;
    }
    if (strcmp(name, "pthread_rwlock_trywrlock") == 0) {
        if (pthread_rwlock_trywrlock(&l->rwlock) || !pthread_rwlock_trywrlock(&l->rwlock))
            abort();
        pthread_rwlock_unlock(&l->rwlock);
        return &l->rwlock;
    }
    if (strcmp(name, "sem_trywait") == 0) {
        if (sem_trywait(&l->semaphore) || !sem_trywait(&l->semaphore))
            abort();
        return &l->semaphore;
    }
    if (strcmp(name, "pthread_spin_trylock") == 0) {
        if (pthread_spin_trylock(&l->spinlock) || !pthread_spin_trylock(&l->spinlock))
            abort();
        pthread_spin_unlock(&l->spinlock);
        return &l->spinlock;
    }
    return NULL;
}

static const void *waits(struct locks *l, const char *name, const struct timespec *past)
{
    pthread_t other;
    thrd_t other_c11;
    const bool plain = strcmp(name, "pthread_cond_wait") == 0, c11 = strcmp(name, "cnd_wait") == 0;
    if (strncmp(name, "cnd_", 4) == 0) {
        mtx_lock(&l->mtx);
        if (c11 && thrd_create(&other_c11, waker_c11, l))
            abort();
        if (c11 ? cnd_wait(&l->cnd, &l->mtx)
                : cnd_timedwait(&l->cnd, &l->mtx, past) != thrd_timedout)
            abort();
        mtx_unlock(&l->mtx);
        return &l->cnd;
    }
    pthread_mutex_lock(&l->mutex);
    if (plain && pthread_create(&other, NULL, waker, l))
        abort();
    const int how = plain ? pthread_cond_wait(&l->condition, &l->mutex)
                    : strstr(name, "clock")
                        ? pthread_cond_clockwait(&l->condition, &l->mutex, CLOCK_REALTIME, past)
                        : pthread_cond_timedwait(&l->condition, &l->mutex, past);
    if (how != (plain ? 0 : ETIMEDOUT))
        abort();
    pthread_mutex_unlock(&l->mutex);
    return &l->condition;
}

static const void *joins(struct locks *l, const char *name, const struct timespec *future)
{
    pthread_t other;
    thrd_t other_c11;
    if (strcmp(name, "pthread_once") == 0)
        return pthread_once(&l->once, nothing) ? NULL : &l->once;
    if (strcmp(name, "call_once") == 0) {
        call_once(&l->flag, nothing);
        return &l->flag;
    }
    if (strcmp(name, "thrd_join") == 0) {
        if (thrd_create(&other_c11, thread_c11, NULL) || thrd_join(other_c11, NULL))
            abort();
        return NULL;
    }
    if (pthread_create(&other, NULL, thread, NULL))
        abort();
    if (strcmp(name, "pthread_join") == 0 ? pthread_join(other, NULL)
        : strstr(name, "clock") ? pthread_clockjoin_np(other, NULL, CLOCK_REALTIME, future)
                                : pthread_timedjoin_np(other, NULL, future))
        abort();
    return NULL;
}

/* What takes a lock and gives it back, with the row's function for one of both. NULL: there is none
 * of that name. */
static const volatile void *takes(struct locks *l, const char *name, const struct timespec *future)
{
#define TAKES(function, call, lock, back) \
    if (strcmp(name, function) == 0) {    \
        if (call)                         \
            abort();                      \
        back;                             \
        return &l->lock;                  \
    }
    TAKES("mtx_lock", mtx_lock(&l->mtx), mtx, mtx_unlock(&l->mtx))
    TAKES("mtx_timedlock", mtx_timedlock(&l->mtx, future), mtx, mtx_unlock(&l->mtx))
    TAKES("mtx_unlock", mtx_lock(&l->mtx), mtx, mtx_unlock(&l->mtx))
    TAKES("pthread_mutex_lock", pthread_mutex_lock(&l->mutex), mutex,
          pthread_mutex_unlock(&l->mutex))
    TAKES("pthread_mutex_timedlock", pthread_mutex_timedlock(&l->mutex, future), mutex,
          pthread_mutex_unlock(&l->mutex))
    TAKES("pthread_mutex_clocklock", pthread_mutex_clocklock(&l->mutex, CLOCK_REALTIME, future),
          mutex, pthread_mutex_unlock(&l->mutex))
    TAKES("pthread_mutex_unlock", pthread_mutex_lock(&l->mutex), mutex,
          pthread_mutex_unlock(&l->mutex))
    TAKES("pthread_rwlock_rdlock", pthread_rwlock_rdlock(&l->rwlock), rwlock,
          pthread_rwlock_unlock(&l->rwlock))
    TAKES("pthread_rwlock_wrlock", pthread_rwlock_wrlock(&l->rwlock), rwlock,
          pthread_rwlock_unlock(&l->rwlock))
    TAKES("pthread_rwlock_timedrdlock", pthread_rwlock_timedrdlock(&l->rwlock, future), rwlock,
          pthread_rwlock_unlock(&l->rwlock))
    TAKES("pthread_rwlock_timedwrlock", pthread_rwlock_timedwrlock(&l->rwlock, future), rwlock,
          pthread_rwlock_unlock(&l->rwlock))
    TAKES("pthread_rwlock_clockrdlock",
          pthread_rwlock_clockrdlock(&l->rwlock, CLOCK_REALTIME, future), rwlock,
          pthread_rwlock_unlock(&l->rwlock))
    TAKES("pthread_rwlock_clockwrlock",
          pthread_rwlock_clockwrlock(&l->rwlock, CLOCK_REALTIME, future), rwlock,
          pthread_rwlock_unlock(&l->rwlock))
    TAKES("pthread_rwlock_tryrdlock", pthread_rwlock_tryrdlock(&l->rwlock), rwlock,
          pthread_rwlock_unlock(&l->rwlock))
    TAKES("pthread_rwlock_unlock", pthread_rwlock_wrlock(&l->rwlock), rwlock,
          pthread_rwlock_unlock(&l->rwlock))
    TAKES("pthread_spin_lock", pthread_spin_lock(&l->spinlock), spinlock,
          pthread_spin_unlock(&l->spinlock))
    TAKES("pthread_spin_unlock", pthread_spin_lock(&l->spinlock), spinlock,
          pthread_spin_unlock(&l->spinlock))
    TAKES("pthread_barrier_wait",
          pthread_barrier_wait(&l->barrier) != PTHREAD_BARRIER_SERIAL_THREAD, barrier, (void)0)
    TAKES("cnd_signal", cnd_signal(&l->cnd), cnd, (void)0)
    TAKES("cnd_broadcast", cnd_broadcast(&l->cnd), cnd, (void)0)
    TAKES("pthread_cond_signal", pthread_cond_signal(&l->condition), condition, (void)0)
    TAKES("pthread_cond_broadcast", pthread_cond_broadcast(&l->condition), condition, (void)0)
    TAKES("sem_wait", sem_wait(&l->semaphore), semaphore, (void)0)
    TAKES("sem_timedwait", sem_timedwait(&l->semaphore, future), semaphore, (void)0)
    TAKES("sem_clockwait", sem_clockwait(&l->semaphore, CLOCK_REALTIME, future), semaphore, (void)0)
    TAKES("sem_post", sem_post(&l->semaphore), semaphore, (void)0)
#undef TAKES
    return NULL;
}

static void init(struct locks *l)
{
    pthread_mutex_init(&l->mutex, NULL);
    mtx_init(&l->mtx, mtx_plain);
    pthread_cond_init(&l->condition, NULL);
    cnd_init(&l->cnd);
    pthread_barrier_init(&l->barrier, NULL, 1);
    sem_init(&l->semaphore, 0, 1);
    pthread_rwlock_init(&l->rwlock, NULL);
    pthread_spin_init(&l->spinlock, PTHREAD_PROCESS_PRIVATE);
    l->once = PTHREAD_ONCE_INIT;
    l->flag = (once_flag)ONCE_FLAG_INIT;
}

int main(void)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        struct locks *l = &locks[i];
        struct timespec past, future;
        const volatile void *lock = NULL;
        bool known = true;
        if (strncmp(r->name, "__", 2) == 0) /* the library's own */
            continue;
        init(l);
        clock_gettime(CLOCK_REALTIME, &past);
        future = past;
        future.tv_sec += 100;
        if (strcmp(r->role, "TRY") == 0)
            known = (lock = tries(l, r->name));
        else if (strcmp(r->role, "WAIT") == 0)
            lock = waits(l, r->name, &past);
        else if (strcmp(r->role, "JOIN") == 0)
            lock = joins(l, r->name, &future);
        else if (strcmp(r->role, "CALL") != 0)
            known = (lock = takes(l, r->name, &future));
        pause_a_while();
        printf("%s %s %s %lx\n", known ? r->name : "unknown", r->kind, r->role,
               (unsigned long)(uintptr_t)lock);
    }
    return 0;
}
