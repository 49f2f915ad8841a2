/*
 * Locks with an owner (priority inheritance): handed over in order, left by owners that end, and
 * circles that are found. Also in condition variables, and through the futex calls themselves.
 * (Qemu writes owners in the host's byte order.)
 */
#include "futex.h"
#include "guest.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 200 };

static pthread_mutex_t lock;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long count, ready;

static void make(pthread_mutex_t *m, int type, int robust)
{
    pthread_mutexattr_t a;

    pthread_mutexattr_init(&a);
    pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_settype(&a, type);
    pthread_mutexattr_setrobust(&a, robust);
    CHECK(pthread_mutex_init(m, &a) == 0);
}

static void *counts(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *waits(void *unused)
{
    pthread_mutex_lock(&lock);
    ready++;
    while (ready <= THREADS)
        pthread_cond_wait(&changed, &lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *dies(void *unused)
{
    pthread_mutex_lock(&lock);
    usleep(3000); /* until somebody waits */
    return unused;
}

static void together(void *(*body)(void *))
{
    pthread_t t[THREADS];

    count = ready = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, body, NULL);
    if (body == waits) {
        for (int all = 0; !all;) {
            pthread_mutex_lock(&lock);
            all = ready == THREADS;
            ready += all;
            if (all)
                pthread_cond_broadcast(&changed);
            pthread_mutex_unlock(&lock);
        }
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", count);
}

static void ends(void)
{
    struct timespec soon;
    pthread_t t;
    int r;

    make(&lock, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED);
    CHECK(pthread_mutex_lock(&lock) == 0);
    printf("twice: %s\n", strerrorname_np(pthread_mutex_lock(&lock)));
    CHECK(pthread_mutex_unlock(&lock) == 0);
    printf("not mine: %s\n", strerrorname_np(pthread_mutex_unlock(&lock)));
    make(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST);
    pthread_create(&t, NULL, dies, NULL);
    usleep(1000);
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_nsec += 500000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    printf("in time: %s\n", strerrorname_np(pthread_mutex_timedlock(&lock, &soon)));
    CHECK(pthread_mutex_trylock(&lock) == EBUSY);
    r = pthread_mutex_lock(&lock);
    printf("its owner ended: %s\n", strerrorname_np(r));
    pthread_mutex_consistent(&lock);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    CHECK(pthread_mutex_lock(&lock) == 0);
    CHECK(pthread_mutex_unlock(&lock) == 0);
    pthread_join(t, NULL);
}

/* ---- the calls themselves -------------------------------------------------------------------- */

static volatile uint32_t word, condition;
static volatile int order[THREADS], arrived;

static long futex(volatile uint32_t *w, int op, uint32_t v, const void *t, volatile uint32_t *w2,
                  uint32_t v3)
{
    return syscall(GUEST_FUTEX, w, op, v, t, w2, v3);
}

static void *takes(void *which)
{
    CHECK(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
    CHECK((word & FUTEX_TID_MASK) == (uint32_t)gettid());
    order[arrived++] = (int)(intptr_t)which;
    CHECK(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
    return NULL;
}

static void *is_moved(void *which)
{
    CHECK(futex(&condition, FUTEX_WAIT_REQUEUE_PI, 0, NULL, &word, 0) == 0);
    CHECK((word & FUTEX_TID_MASK) == (uint32_t)gettid());
    order[arrived++] = (int)(intptr_t)which;
    CHECK(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
    return NULL;
}

static void show(const char *what)
{
    printf("%s:", what);
    for (int i = 0; i < THREADS; i++)
        printf(" %d", order[i]);
    printf("; free: %d\n", word == 0);
}

static void in_line(void)
{
    pthread_t t[THREADS];

    arrived = 0;
    CHECK(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
    for (intptr_t i = 0; i < THREADS; i++) {
        pthread_create(&t[i], NULL, takes, (void *)i);
        usleep(500);
    }
    CHECK(word >> 31 == 1);
    CHECK(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    show("in line");
    arrived = 0;
    for (intptr_t i = 0; i < THREADS; i++) {
        pthread_create(&t[i], NULL, is_moved, (void *)i);
        usleep(500);
    }
    CHECK(futex(&condition, FUTEX_WAKE, 1, NULL, NULL, 0) == -1 && errno == EINVAL);
    CHECK(futex(&condition, FUTEX_CMP_REQUEUE_PI, 1, (void *)1000, &word, 0) == THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    show("moved");
}

static volatile uint32_t pair[2];

static void *crosses(void *unused)
{
    CHECK(futex(&pair[1], FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
    CHECK(futex(&pair[0], FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
    CHECK(futex(&pair[0], FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
    CHECK(futex(&pair[1], FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
    return unused;
}

static void circle(void)
{
    pthread_t t;

    CHECK(futex(&pair[0], FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
    pthread_create(&t, NULL, crosses, NULL);
    while (!(pair[0] >> 31))
        sched_yield();
    CHECK(futex(&pair[1], FUTEX_LOCK_PI, 0, NULL, NULL, 0) == -1);
    printf("circle: %s\n", strerrorname_np(errno));
    CHECK(futex(&pair[0], FUTEX_UNLOCK_PI, 0, NULL, NULL, 0) == 0);
    pthread_join(t, NULL);
}

int main(void)
{
    make(&lock, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED);
    together(counts);
    together(waits);
    ends();
    in_line();
    circle();
    return guest_result();
}
