/*
 * Orders that Linux promises, whatever keeps others from starving: each line is the same on every
 * correct system. The simulator's rules of liveness (docs/saturation.md) put things off; what is
 * put off must not be missed by anybody who may expect it.
 *
 * order_guest any     on any number of processors
 * order_guest one     with all threads on one
 * order_guest waiting signals that wait for one thread
 *
 * By signal(7) a thread that comes back from the kernel has first entered the handlers of all
 * signals that waited by then.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { EIGHT = 8, CHAIN = 100, ROUNDS = 20 };

static volatile int handled, queued, entered;
static volatile char order[64]; /* a letter for each handler, as they began */
static volatile int in_order;
static pthread_t first;

static void nap(long ns)
{
    const struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}

static void reset(void)
{
    handled = queued = entered = in_order = 0;
    memset((char *)order, 0, sizeof order);
}

/* ---- how a signal is sent ---------------------------------------------------------------------
 */

static void by_queue(int number, int value)
{
    const union sigval v = {.sival_int = value};
    sigqueue(getpid(), number, v);
}

static void to_thread(int number, int value)
{
    (void)value;
    pthread_kill(first, number);
}

static void queued_to_thread(int number, int value)
{
    const union sigval v = {.sival_int = value};
    pthread_sigqueue(first, number, v);
}

typedef void (*send_fn)(int number, int value);
static const struct {
    const char *name;
    send_fn send;
} ways[] = {
    {"sigqueue", by_queue}, {"pthread_kill", to_thread}, {"pthread_sigqueue", queued_to_thread}};
enum { WAYS = sizeof ways / sizeof *ways };

/* ---- handlers ---------------------------------------------------------------------------------
 */

static void counts(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)info;
    (void)context;
    handled++;
}

/** Comes back when eight others have been sent. */
static void waits(int number, siginfo_t *info, void *context)
{
    entered = 1;
    while (!queued)
        sched_yield();
    counts(number, info, context);
}

/** Comes back when the next has been sent. */
static void waits_for_next(int number, siginfo_t *info, void *context)
{
    const int self = ++entered;

    while (queued <= self)
        sched_yield();
    counts(number, info, context);
}

static void writes(int number, siginfo_t *info, void *context)
{
    order[in_order++] = number == SIGRTMIN + 1 ? '0' + info->si_value.sival_int
                        : number == SIGUSR1    ? 'u'
                                               : 'a' + info->si_value.sival_int;
    counts(number, info, context);
}

typedef void (*handler_fn)(int number, siginfo_t *info, void *context);

static void handle(int number, handler_fn by, int flags)
{
    struct sigaction a = {.sa_flags = SA_SIGINFO | flags, .sa_sigaction = by};
    sigaction(number, &a, NULL);
}

static void mask(int how, int number)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, number);
    sigaddset(&s, SIGRTMIN + 2);
    sigaddset(&s, SIGUSR1);
    pthread_sigmask(how, &s, NULL);
}

/** Runs `body` in a thread with all signals blocked. */
static pthread_t beside(void *(*body)(void *), const void *arg)
{
    sigset_t all, before;
    pthread_t t;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_create(&t, NULL, body, (void *)arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return t;
}

/** The first number other than 0 that the main line sees. */
static int seen(void)
{
    int n;

    while (!(n = handled))
        continue;
    return n;
}

/* ---- while a handler runs ---------------------------------------------------------------------
 */

static void *sends_nine(void *arg)
{
    const send_fn *send = arg;

    (*send)(SIGRTMIN + 1, 0);
    while (!entered)
        sched_yield();
    for (int i = 0; i < EIGHT; i++)
        (*send)(SIGRTMIN + 1, i);
    queued = 1;
    return NULL;
}

static void while_a_handler_runs(void)
{
    for (int i = 0; i < WAYS; i++) {
        reset();
        handle(SIGRTMIN + 1, waits, 0);
        const pthread_t t = beside(sends_nine, &ways[i].send);
        const int n = seen();
        pthread_join(t, NULL);
        printf("sent while the handler runs, %s: %d of 9\n", ways[i].name, n);
    }
}

static void *sends_others(void *arg)
{
    (void)arg;
    by_queue(SIGRTMIN + 1, 0);
    while (!entered)
        sched_yield();
    pthread_kill(first, SIGUSR1);
    by_queue(SIGRTMIN + 2, 0); /* the handler lets these two in */
    by_queue(SIGRTMIN + 1, 0);
    queued = 1;
    return NULL;
}

static void of_several_numbers(void)
{
    reset();
    handle(SIGRTMIN + 1, waits, 0);
    handle(SIGRTMIN + 2, counts, 0);
    handle(SIGUSR1, counts, 0);
    const pthread_t t = beside(sends_others, NULL);
    const int n = seen();
    pthread_join(t, NULL);
    printf("of three numbers: %d of 4\n", n);
}

static void *sends_chain(void *arg)
{
    (void)arg;
    for (int i = 0; i < CHAIN; i++) {
        by_queue(SIGRTMIN + 1, i);
        queued = i + 1;
        while (entered <= i)
            sched_yield();
    }
    queued = CHAIN + 1; /* the last waits for none */
    return NULL;
}

static void in_a_chain(void)
{
    reset();
    handle(SIGRTMIN + 1, waits_for_next, 0);
    const pthread_t t = beside(sends_chain, NULL);
    const int n = seen();
    pthread_join(t, NULL);
    printf("each sent while the last one's handler runs: %d of %d\n", n, CHAIN);
}

static void *rings(void *arg)
{
    (void)arg;
    by_queue(SIGRTMIN + 1, 0);
    while (!entered)
        sched_yield();
    nap(20000000);
    queued = 1;
    return NULL;
}

/** A timer that comes due while a handler runs. */
static void timed(void)
{
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    const struct itimerspec once = {.it_value.tv_nsec = 1000000};
    timer_t timer;

    reset();
    handle(SIGRTMIN + 1, waits, 0);
    timer_create(CLOCK_MONOTONIC, &e, &timer);
    timer_settime(timer, 0, &once, NULL);
    const pthread_t t = beside(rings, NULL);
    const int n = seen();
    pthread_join(t, NULL);
    timer_delete(timer);
    printf("a timer that was due: %d of 2\n", n);
}

/* ---- when the thread lets them in -------------------------------------------------------------
 */

static void *sends_eight(void *arg)
{
    const send_fn *send = arg;

    for (int i = 0; i < EIGHT; i++)
        (*send)(SIGRTMIN + 1, i);
    queued = 1;
    return NULL;
}

static void unblocked(void)
{
    for (int i = 0; i < WAYS; i++) {
        reset();
        handle(SIGRTMIN + 1, counts, 0);
        mask(SIG_BLOCK, SIGRTMIN + 1);
        pthread_join(beside(sends_eight, &ways[i].send), NULL);
        mask(SIG_UNBLOCK, SIGRTMIN + 1);
        printf("unblocked, %s: %d of 8\n", ways[i].name, handled);
    }
}

static void suspended(void)
{
    const send_fn send = by_queue;
    sigset_t none;

    reset();
    handle(SIGRTMIN + 1, counts, 0);
    mask(SIG_BLOCK, SIGRTMIN + 1);
    pthread_join(beside(sends_eight, &send), NULL);
    sigemptyset(&none);
    sigsuspend(&none);
    printf("sigsuspend: %d of 8", handled);
    mask(SIG_UNBLOCK, SIGRTMIN + 1);
    printf(", then %d\n", handled);
}

static void *sends_five(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        by_queue(SIGRTMIN + 2, i);
        by_queue(SIGRTMIN + 1, i);
    }
    pthread_kill(first, SIGUSR1);
    return NULL;
}

static void lowest_first(int flags)
{
    reset();
    handle(SIGRTMIN + 1, writes, flags);
    handle(SIGRTMIN + 2, writes, flags);
    handle(SIGUSR1, writes, flags);
    mask(SIG_BLOCK, SIGRTMIN + 1);
    pthread_join(beside(sends_five, NULL), NULL);
    mask(SIG_UNBLOCK, SIGRTMIN + 1);
    printf("handlers of three numbers%s: %s\n", flags ? ", nested" : "", (char *)order);
}

/* ---- in a call --------------------------------------------------------------------------------
 */

static int ends[2];

static void *sends_and_writes(void *arg)
{
    nap(1000000);
    sends_eight(arg);
    if (write(ends[1], "", 1) != 1)
        printf("not written\n");
    return NULL;
}

static void in_a_read(void)
{
    char byte;

    for (int i = 0; i < WAYS; i++) {
        reset();
        handle(SIGRTMIN + 1, counts, SA_RESTART);
        const pthread_t t = beside(sends_and_writes, &ways[i].send);
        const ssize_t n = read(ends[0], &byte, 1);
        printf("read, %s: %d of 8, %d byte\n", ways[i].name, handled, (int)n);
        pthread_join(t, NULL);
    }
}

static void after_a_call(void)
{
    const send_fn send = by_queue;
    int least = EIGHT;

    handle(SIGRTMIN + 1, counts, 0);
    for (int i = 0; i < ROUNDS; i++) {
        reset();
        const pthread_t t = beside(sends_eight, &send);
        while (!queued)
            continue;
        syscall(SYS_getppid);
        const int n = handled;
        least = n < least ? n : least;
        pthread_join(t, NULL);
    }
    printf("after a call: %d of 8\n", least);
}

/* ---- what waits for one thread ----------------------------------------------------------------
 */

static const struct {
    const char *name;
    int number;
} named[] = {{"HUP", SIGHUP},   {"ILL", SIGILL},   {"TRAP", SIGTRAP}, {"FPE", SIGFPE},
             {"BUS", SIGBUS},   {"SEGV", SIGSEGV}, {"SYS", SIGSYS},   {"TERM", SIGTERM},
             {"CONT", SIGCONT}, {"TSTP", SIGTSTP}, {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU}};
enum { NAMED = sizeof named / sizeof *named, FAULTS = 1, TERM = 7, CONT = 8, STOPS = 9 };

static void prints(int number, siginfo_t *info, void *context)
{
    (void)info;
    (void)context;
    for (int i = 0; i < NAMED; i++)
        if (named[i].number == number)
            printf(" %s", named[i].name);
}

/** Sends three to the thread or the process, and takes them as they come. */
static void three(int fault, int to_process, int by_handler)
{
    const int sent[] = {SIGHUP, SIGTERM, named[fault].number};
    const struct timespec at_once = {0, 0};
    sigset_t all, none;
    int number;

    sigfillset(&all);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &all, NULL);
    printf("%s with two others, %s:", named[fault].name, to_process ? "process" : "thread");
    for (int i = 0; i < 3; i++) {
        struct sigaction a = {.sa_flags = SA_SIGINFO, .sa_sigaction = prints, .sa_mask = all};
        sigaction(sent[i], &a, NULL);
        if (to_process)
            kill(getpid(), sent[i]);
        else
            pthread_kill(first, sent[i]);
    }
    if (by_handler)
        sigprocmask(SIG_SETMASK, &none, NULL);
    else
        while ((number = sigtimedwait(&all, NULL, &at_once)) > 0)
            prints(number, NULL, NULL);
    printf("\n");
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/** One of two that take each other back is sent behind the other. */
static void takes_back(int before, int behind)
{
    const struct timespec at_once = {0, 0};
    sigset_t all, before_all;
    int number;

    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before_all);
    printf("%s, then %s:", named[before].name, named[behind].name);
    pthread_kill(first, named[before].number);
    kill(getpid(), named[behind].number);
    while ((number = sigtimedwait(&all, NULL, &at_once)) > 0)
        prints(number, NULL, NULL);
    printf("\n");
    sigprocmask(SIG_SETMASK, &before_all, NULL);
}

static void waiting(void)
{
    for (int fault = FAULTS; fault < TERM; fault++)
        for (int way = 0; way < 4; way++)
            three(fault, way & 1, way & 2);
    for (int stop = STOPS; stop < NAMED; stop++) {
        takes_back(stop, CONT);
        takes_back(CONT, stop);
    }
}

/* ---- on one processor: who runs has all signals that others have sent -------------------------
 */

static void on_one(const char *what, void (*wait)(void))
{
    for (int way = 0; way < WAYS; way++) {
        int least = EIGHT;

        handle(SIGRTMIN + 1, counts, 0);
        for (int i = 0; i < ROUNDS; i++) {
            reset();
            const pthread_t t = beside(sends_eight, &ways[way].send);
            while (!queued)
                wait();
            const int n = handled;
            least = n < least ? n : least;
            pthread_join(t, NULL);
        }
        printf("on one processor, %s, %s: %d of 8\n", what, ways[way].name, least);
    }
}

static void spins(void)
{
}

static void yields(void)
{
    sched_yield();
}

static void sleeps(void)
{
    nap(10000);
}

int main(int argc, char **argv)
{
    first = pthread_self();
    if (pipe(ends) < 0)
        return 1;
    if (argc > 1 && strcmp(argv[1], "one") == 0) {
        on_one("spinning", spins);
        on_one("yielding", yields);
        on_one("sleeping", sleeps);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "waiting") == 0) {
        waiting();
        return 0;
    }
    while_a_handler_runs();
    of_several_numbers();
    in_a_chain();
    timed();
    unblocked();
    suspended();
    lowest_first(0);
    lowest_first(SA_NODEFER);
    in_a_read();
    after_a_call();
    return 0;
}
