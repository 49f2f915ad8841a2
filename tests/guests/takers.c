/*
 * Which thread takes a signal of the process: the one that is told, and if it does not want it any
 * more, the next; not just any that happens to come by. And that nobody else hears of it. (Qemu
 * gives signals to threads as its host does, which does not know what they block.)
 */
#include "guest.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, SLEEP = 20, WAKE = 15 /* [ms] */ };

static pthread_t first;
static volatile sig_atomic_t here, elsewhere;

static long now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long)(t.tv_sec % 1000) * 1000 + t.tv_nsec / MS;
}

static void nap(int ms)
{
    const struct timespec t = {0, (long)ms * MS};

    nanosleep(&t, NULL);
}

static void counts(int signal)
{
    (void)signal;
    if (pthread_equal(pthread_self(), first))
        here++;
    else
        elsewhere++;
}

static void handle(int signal, void (*by)(int), int blocked)
{
    struct sigaction a = {.sa_handler = by};

    if (blocked)
        sigaddset(&a.sa_mask, blocked);
    sigaction(signal, &a, NULL);
    here = elsewhere = 0;
}

static void mask(int how, int one, int two)
{
    sigset_t s;

    sigemptyset(&s);
    sigaddset(&s, one);
    sigaddset(&s, two);
    pthread_sigmask(how, &s, NULL);
}

/* ---- four ways to wait for some time ----------------------------------------------------------
 */

static int sleeps(void)
{
    const struct timespec t = {0, SLEEP * MS};

    return nanosleep(&t, NULL) ? errno : 0;
}

static int polls(void)
{
    return poll(NULL, 0, SLEEP) ? errno : 0;
}

static int polls_masked(void)
{
    const struct timespec t = {0, SLEEP * MS};
    sigset_t none;

    sigemptyset(&none);
    return ppoll(NULL, 0, &t, &none) ? errno : 0;
}

static int waits(void)
{
    struct timespec t;
    sem_t s;

    sem_init(&s, 0, 0);
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += SLEEP * MS;
    t.tv_sec += t.tv_nsec / (1000 * MS);
    t.tv_nsec %= 1000 * MS;
    return sem_timedwait(&s, &t) ? errno : 0;
}

static const struct {
    const char *name;
    int (*call)(void);
} ways[] = {
    {"nanosleep", sleeps}, {"poll", polls}, {"ppoll", polls_masked}, {"sem_timedwait", waits}};

/* ---- the sender comes back from the kernel first ----------------------------------------------
 */

static void *sends(void *arg)
{
    (void)arg;
    nap(WAKE);
    kill(getpid(), SIGUSR1);
    return NULL;
}

static void told(void)
{
    for (size_t i = 0; i < COUNT(ways); i++) {
        pthread_t t;

        handle(SIGUSR1, counts, 0);
        pthread_create(&t, NULL, sends, NULL);
        const int error = ways[i].call();
        pthread_join(t, NULL);
        printf("%s: %s, handled in the first thread %d, in the sender %d\n", ways[i].name,
               error == EINTR ? "EINTR" : "-", here, elsewhere);
    }
}

/* ---- woken for nothing ------------------------------------------------------------------------
 */

static int error_of;
static long took;

static void *waits_alone(void *way)
{
    const long began = now();

    error_of = ways[*(size_t *)way].call();
    took = now() - began;
    return NULL;
}

/** The first thread blocks the signal, so it is not thrown away; the other does nothing about it.
 */
static void in_vain(void)
{
    static const size_t some[] = {0, 1, 3}; /* ppoll keeps what is left of its time in memory */

    for (size_t n = 0; n < COUNT(some); n++) {
        size_t i = some[n];
        pthread_t t;

        pthread_create(&t, NULL, waits_alone, &i);
        mask(SIG_BLOCK, SIGURG, SIGURG);
        nap(WAKE);
        kill(getpid(), SIGURG);
        pthread_join(t, NULL);
        mask(SIG_UNBLOCK, SIGURG, SIGURG);
        printf("%s woken in vain: %s, %s\n", ways[i].name, error_of == EINTR ? "EINTR" : "over",
               took < SLEEP + WAKE / 2 ? "in time" : "late");
    }
}

/* ---- whoever was told does not take it --------------------------------------------------------
 */

/** Both come at one moment. */
static void two_at_once(timer_t timers[2])
{
    const int signals[2] = {SIGUSR1, SIGUSR2};
    struct itimerspec t = {{0, 0}, {0, 0}};

    clock_gettime(CLOCK_MONOTONIC, &t.it_value);
    t.it_value.tv_nsec += WAKE * MS;
    t.it_value.tv_sec += t.it_value.tv_nsec / (1000 * MS);
    t.it_value.tv_nsec %= 1000 * MS;
    for (int i = 0; i < 2; i++) {
        struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signals[i]};
        timer_create(CLOCK_MONOTONIC, &e, &timers[i]);
        timer_settime(timers[i], TIMER_ABSTIME, &t, NULL);
    }
}

static void delete_both(timer_t timers[2])
{
    timer_delete(timers[0]);
    timer_delete(timers[1]);
}

static volatile sig_atomic_t passed;

/** Blocks SIGUSR2, and gives another thread time to take it. */
static void keeps_busy(int signal)
{
    const long until = now() + SLEEP;

    (void)signal;
    while (!elsewhere && now() < until)
        continue;
    passed = elsewhere;
}

static void *dozes(void *arg)
{
    (void)arg;
    mask(SIG_BLOCK, SIGUSR1, SIGUSR1);
    nap(4 * SLEEP); /* it does not come by itself */
    return NULL;
}

static void blocked_by_a_handler(void)
{
    timer_t timers[2];
    pthread_t t;

    handle(SIGUSR1, keeps_busy, SIGUSR2);
    handle(SIGUSR2, counts, 0);
    pthread_create(&t, NULL, dozes, NULL);
    nap(1);
    two_at_once(timers);
    nap(SLEEP);
    pthread_join(t, NULL);
    delete_both(timers);
    printf("blocked by a handler: taken by the other thread %d, by this one %d\n", passed, here);
}

static void *waits_for_one(void *got)
{
    const struct timespec most = {0, 5 * SLEEP * MS};
    const long began = now();
    sigset_t s;

    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    sigaddset(&s, SIGUSR2);
    *(int *)got = sigtimedwait(&s, NULL, &most);
    if (now() - began > 3 * SLEEP)
        *(int *)got = 0; /* found when its time was over */
    return NULL;
}

static void left_by_a_waiter(void)
{
    timer_t timers[2];
    pthread_t t[2];
    int got[2];

    mask(SIG_BLOCK, SIGUSR1, SIGUSR2);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, waits_for_one, &got[i]);
    nap(1);
    two_at_once(timers);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    mask(SIG_UNBLOCK, SIGUSR1, SIGUSR2);
    delete_both(timers);
    printf("left by a waiting thread: each of two has one %d\n",
           got[0] + got[1] == SIGUSR1 + SIGUSR2 && got[0] > 0 && got[1] > 0);
}

/* ---- profiles ---------------------------------------------------------------------------------
 */

enum { ENOUGH = 10, MOST = 2000 };

static volatile pthread_t workers[2];
static volatile sig_atomic_t samples[2];

static void sampled(int signal)
{
    counts(signal);
    for (int i = 0; i < 2; i++)
        samples[i] += pthread_equal(pthread_self(), workers[i]) != 0;
}

/** Until each that works has enough, or nobody will. */
static void *works(void *index)
{
    workers[(size_t)index] = pthread_self();
    while (here + elsewhere < MOST && (samples[0] < ENOUGH || (workers[1] && samples[1] < ENOUGH)))
        continue;
    return NULL;
}

/** The first thread sleeps while others work. */
static void profile(int which, int signal, const char *name, size_t threads)
{
    struct itimerval every = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
    pthread_t t[2];

    handle(signal, sampled, 0);
    samples[0] = samples[1] = 0;
    workers[0] = workers[1] = first;
    for (size_t i = threads; i < 2; i++)
        workers[i] = 0;
    for (size_t i = 0; i < threads; i++)
        pthread_create(&t[i], NULL, works, (void *)i);
    setitimer(which, &every, NULL);
    for (size_t i = 0; i < threads; i++)
        pthread_join(t[i], NULL);
    setitimer(which, &off, NULL);
    printf("%s, %zu busy: each has some %d, who sleeps has fewer %d\n", name, threads,
           samples[0] > 0 && (threads == 1 || samples[1] > 0), here < elsewhere);
}

int main(void)
{
    first = pthread_self();
    told();
    in_vain();
    blocked_by_a_handler();
    left_by_a_waiter();
    profile(ITIMER_PROF, SIGPROF, "ITIMER_PROF", 1);
    profile(ITIMER_VIRTUAL, SIGVTALRM, "ITIMER_VIRTUAL", 1);
    profile(ITIMER_PROF, SIGPROF, "ITIMER_PROF", 2);
    return guest_result();
}
