/*
 * Timers: POSIX ones that tell by signal, by thread or not at all, on simulated and on processor
 * time, and setitimer's three. What is printed does not depend on how fast anything is. (Qemu loses
 * the pointer in a timer's signal, by which the C library finds what to call in a thread.)
 */
#include "guest.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000 };

static volatile sig_atomic_t fired, value, code;
static volatile pthread_t fired_in;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)context;
    fired++;
    value = info->si_value.sival_int;
    code = info->si_code;
    fired_in = pthread_self();
}

static void handle(int signal)
{
    struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

    sigaction(signal, &a, NULL);
    fired = 0;
}

static struct itimerspec every(long first_ns, long ns)
{
    return (struct itimerspec){{0, ns}, {0, first_ns}};
}

static double seconds(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void once_and_again(void)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 42};
    struct itimerspec t = every(2 * MS, 0), left;
    timer_t timer;

    handle(SIGUSR1);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    timer_settime(timer, 0, &t, NULL);
    while (!fired)
        usleep(100);
    printf("once: value %d, from a timer: %d\n", value, code == SI_TIMER);
    timer_gettime(timer, &left);
    CHECK(left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    fired = 0;
    t = every(1 * MS, 1 * MS);
    timer_settime(timer, 0, &t, NULL);
    while (fired < 5)
        usleep(100);
    timer_gettime(timer, &left);
    CHECK(left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= MS);
    CHECK(left.it_interval.tv_nsec == MS);
    printf("again: five\n");
    CHECK(timer_delete(timer) == 0);
    CHECK(timer_delete(timer) == -1);
}

/** While its signal is blocked a timer counts what it misses. */
static void overrun(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec t = every(1 * MS, 1000);
    struct timespec wait = {0, 5 * MS};
    timer_t timer;
    siginfo_t info;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN + 1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    CHECK(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
    timer_settime(timer, 0, &t, NULL);
    nanosleep(&wait, NULL);
    CHECK(sigwaitinfo(&set, &info) == SIGRTMIN + 1);
    printf("overrun: many %d, the same %d\n", info.si_overrun > 3000,
           info.si_overrun == timer_getoverrun(timer));
    timer_delete(timer);
}

static volatile int told;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void on_thread(union sigval v)
{
    pthread_mutex_lock(&lock);
    told += v.sival_int;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void by_thread(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD,
                             .sigev_notify_function = on_thread,
                             .sigev_value.sival_int = 3};
    struct itimerspec t = every(1 * MS, 2 * MS);
    timer_t timer;

    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    timer_settime(timer, 0, &t, NULL);
    pthread_mutex_lock(&lock);
    while (told < 9)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    timer_delete(timer);
    printf("by thread: three times\n");
}

static volatile int stop;
static volatile uint64_t turns;

static void *work(void *tid)
{
    *(volatile pid_t *)tid = gettid();
    while (!stop)
        turns++;
    return NULL;
}

/** To one thread, on its processor time, which passes only because it works. */
static void on_processor_time(void)
{
    volatile pid_t tid = 0;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR2};
    struct itimerspec t = every(2 * MS, 0);
    pthread_t thread;
    timer_t timer;
    clockid_t clock;

    handle(SIGUSR2);
    stop = 0;
    pthread_create(&thread, NULL, work, (void *)&tid);
    while (!tid)
        sched_yield();
    event._sigev_un._tid = tid;
    CHECK(pthread_getcpuclockid(thread, &clock) == 0);
    CHECK(timer_create(clock, &event, &timer) == 0);
    timer_settime(timer, 0, &t, NULL);
    while (!fired)
        usleep(100);
    CHECK(pthread_equal(fired_in, thread));
    stop = 1;
    pthread_join(thread, NULL);
    CHECK(timer_delete(timer) == 0);
    CHECK(timer_create(CLOCK_PROCESS_CPUTIME_ID, NULL, &timer) == 0);
    handle(SIGALRM);
    timer_settime(timer, 0, &t, NULL);
    while (!fired)
        turns++;
    printf("processor time: told in the thread, and by SIGALRM\n");
    timer_delete(timer);
}

/** As profilers do: SIGPROF every so much processor time. */
static void profile(int which, int signal, const char *name)
{
    struct itimerval t = {{0, 1000}, {0, 1000}}, old;
    double began;

    handle(signal);
    CHECK(setitimer(which, &t, NULL) == 0);
    began = seconds(CLOCK_PROCESS_CPUTIME_ID);
    while (fired < 10)
        turns++;
    memset(&t, 0, sizeof t);
    CHECK(seconds(CLOCK_PROCESS_CPUTIME_ID) - began > 0.009);
    setitimer(which, &t, &old);
    CHECK(old.it_interval.tv_usec == 1000);
    printf("%s: ten\n", name);
}

/** An ignored one goes on, and is heard again later. */
static void ignored(void)
{
    struct itimerval t = {{0, 100}, {0, 100}};
    struct timespec wait = {0, 3 * MS};

    signal(SIGALRM, SIG_IGN);
    setitimer(ITIMER_REAL, &t, NULL);
    nanosleep(&wait, NULL);
    handle(SIGALRM);
    while (fired < 3)
        usleep(100);
    alarm(0);
    printf("ignored: for a while\n");
}

static void silent(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_NONE};
    struct itimerspec t = every(50 * MS, 0), left;
    struct timespec wait = {0, 60 * MS};
    timer_t timer;

    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    timer_settime(timer, 0, &t, NULL);
    timer_gettime(timer, &left);
    CHECK(left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= 50 * MS);
    nanosleep(&wait, NULL);
    timer_gettime(timer, &left);
    CHECK(left.it_value.tv_nsec == 0);
    t.it_value.tv_nsec = 1;
    timer_settime(timer, TIMER_ABSTIME, &t, NULL);
    timer_delete(timer);
    printf("silent\n");
}

static unsigned told_by_timer(const sigset_t *set)
{
    struct timespec none = {0, 0};
    siginfo_t info;
    unsigned told = 0;

    while (sigtimedwait(set, &info, &none) > 0)
        told += info.si_code == SI_TIMER;
    return told;
}

/** One that runs out while there is no room for signals, and its own waits already. */
static void crowded(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct rlimit few = {50, 50}, before;
    struct itimerspec t = every(MS, MS);
    unsigned first, later = 0;
    timer_t timer;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    sigprocmask(SIG_BLOCK, &set, NULL);
    getrlimit(RLIMIT_SIGPENDING, &before);
    few.rlim_max = before.rlim_max;
    CHECK(setrlimit(RLIMIT_SIGPENDING, &few) == 0);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    while (sigqueue(getpid(), SIGRTMIN, (union sigval){0}) == 0)
        ;
    timer_settime(timer, 0, &t, NULL);
    usleep(5000);
    first = told_by_timer(&set);
    for (int i = 0; i < 5; i++) {
        usleep(3000);
        later += told_by_timer(&set);
    }
    printf("crowded: told %d, and later %d\n", first > 0, later == 5);
    timer_delete(timer);
    told_by_timer(&set); /* a slow machine's timer has run out once more */
    setrlimit(RLIMIT_SIGPENDING, &before);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
    once_and_again();
    overrun();
    by_thread();
    on_processor_time();
    profile(ITIMER_PROF, SIGPROF, "SIGPROF");
    profile(ITIMER_VIRTUAL, SIGVTALRM, "SIGVTALRM");
    ignored();
    silent();
    crowded();
    return guest_result();
}
