/* Signals: handlers, siginfo, masks, pending sets, raise, pthread_kill, nesting, sigwait. */
#include "guest.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t depth, deepest, seen[65];
static volatile int sender_ok;

static void counting(int signal)
{
    seen[signal]++;
}

static void nesting(int signal)
{
    if (++depth > deepest)
        deepest = depth;
    seen[signal]++;
    if (signal == SIGUSR1)
        raise(SIGUSR2);
    depth--;
}

static void informed(int signal, siginfo_t *info, void *context)
{
    seen[signal]++;
    sender_ok = info->si_signo == signal && info->si_pid == getpid() && context != NULL;
}

static void handlers(void)
{
    struct sigaction action = {.sa_handler = nesting}, old;

    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGUSR2, &action, &old);
    CHECK(old.sa_handler == SIG_DFL);
    raise(SIGUSR1);
    printf("nested: %d %d, deepest %d\n", seen[SIGUSR1], seen[SIGUSR2], deepest);
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaction(SIGUSR1, &action, NULL);
    deepest = 0;
    raise(SIGUSR1);
    printf("masked: %d %d, deepest %d\n", seen[SIGUSR1], seen[SIGUSR2], deepest);
    memset(&action, 0, sizeof action);
    action.sa_sigaction = informed;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND;
    sigaction(SIGTERM, &action, NULL);
    kill(getpid(), SIGTERM);
    sigaction(SIGTERM, NULL, &old);
    CHECK(old.sa_handler == SIG_DFL);
    CHECK(seen[SIGTERM] == 1);
    CHECK(sender_ok);
    signal(SIGTERM, SIG_IGN);
    raise(SIGTERM);
    CHECK(seen[SIGTERM] == 1);
}

static void masks(void)
{
    sigset_t set, old, pending;

    signal(SIGHUP, counting);
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, &old);
    CHECK(!sigismember(&old, SIGHUP));
    raise(SIGHUP);
    raise(SIGHUP);
    sigpending(&pending);
    printf("blocked: seen %d pending %d\n", seen[SIGHUP], sigismember(&pending, SIGHUP));
    sigprocmask(SIG_SETMASK, &old, NULL);
    printf("unblocked: seen %d\n", seen[SIGHUP]);
    sigpending(&pending);
    CHECK(!sigismember(&pending, SIGHUP));
}

static pthread_barrier_t barrier;

static void *target(void *arg)
{
    int got = 0;
    sigset_t set;

    (void)arg;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_barrier_wait(&barrier);
    CHECK(sigwait(&set, &got) == 0);
    printf("sigwait got %d\n", got);
    pthread_barrier_wait(&barrier);
    while (!seen[SIGWINCH])
        sched_yield();
    return NULL;
}

static void threads(void)
{
    pthread_t thread;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGWINCH, counting);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, target, NULL);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_kill(thread, SIGALRM) == 0);
    pthread_barrier_wait(&barrier);
    CHECK(pthread_kill(thread, SIGWINCH) == 0);
    pthread_join(thread, NULL);
    printf("pthread_kill: %d\n", seen[SIGWINCH]);
}

enum { DEEP = 3000 }; /* more than a storm, on a stack of 8 MB */

static volatile int depth;

static void deeper(int signal)
{
    if (++depth < DEEP)
        raise(signal);
}

static void queued_deeper(int signal)
{
    if (++depth < DEEP)
        kill(getpid(), signal);
}

/* What a handler sends its own thread is taken before that goes on, however often. */
static void to_itself(void)
{
    signal(SIGUSR2, deeper);
    raise(SIGUSR2);
    printf("raised in the handler: %d\n", depth);
    depth = 0;
    signal(SIGRTMIN, queued_deeper);
    kill(getpid(), SIGRTMIN);
    printf("sent in the handler: %d\n", depth);
}

int main(void)
{
    handlers();
    masks();
    threads();
    to_itself();
    return guest_result();
}
