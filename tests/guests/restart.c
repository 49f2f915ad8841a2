/* System calls interrupted by signals: EINTR without SA_RESTART, continued with it. */
#include "guest.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static int ends[2];
static pthread_t reader;
static volatile sig_atomic_t seen;

static void handler(int signal)
{
    (void)signal;
    seen++;
}

static void nap(void)
{
    struct timespec t = {0, 2000000};
    nanosleep(&t, NULL);
}

static void *interrupter(void *arg)
{
    nap();
    pthread_kill(reader, SIGUSR1);
    nap();
    if (arg)
        CHECK(write(ends[1], arg, 1) == 1);
    return NULL;
}

static void attempt(const char *name, int flags, char *byte)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    pthread_t thread;
    char got = '-';

    seen = 0;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, interrupter, byte);
    errno = 0;
    ssize_t n = read(ends[0], &got, 1);
    printf("%s: read %zd '%c' %s, handled %d\n", name, n, got, errno == EINTR ? "EINTR" : "-",
           seen);
    pthread_join(thread, NULL);
}

static void *waker(void *arg)
{
    (void)arg;
    nap();
    pthread_kill(reader, SIGUSR1);
    return NULL;
}

static void sleeping(void)
{
    struct timespec t = {1, 0}, left = {9, 9};
    pthread_t thread;

    pthread_create(&thread, NULL, waker, NULL);
    CHECK(nanosleep(&t, &left) == -1 && errno == EINTR);
    CHECK(left.tv_sec == 0 && left.tv_nsec > 0);
    pthread_join(thread, NULL);
}

int main(void)
{
    CHECK(pipe(ends) == 0);
    reader = pthread_self();
    attempt("restarted", SA_RESTART, "x");
    attempt("interrupted", 0, NULL);
    sleeping();
    return guest_result();
}
