/* Threads that wait for counters, timers, signals and pipes behind one epoll; asynchronous files.
 */
#include "guest.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { COUNTER, TIMER, SIGNAL, PIPE, KINDS, MS = 1000000 };

static int fds[KINDS], pipes[2], epoll;

static void watch(int kind, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.u32 = (uint32_t)kind};

    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, fds[kind], &e) == 0);
}

static void *causes(void *unused)
{
    uint64_t five = 5;

    usleep(500);
    CHECK(write(fds[COUNTER], &five, sizeof five) == 8);
    usleep(500);
    CHECK(write(pipes[1], "bytes", 5) == 5);
    usleep(500);
    kill(getpid(), SIGUSR1);
    return unused;
}

static void all_kinds(void)
{
    struct itimerspec t = {{0, 0}, {0, 4 * MS}};
    struct signalfd_siginfo info;
    struct epoll_event e;
    uint64_t n;
    char text[16];
    pthread_t thread;
    sigset_t set;
    int seen[KINDS] = {0};

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    CHECK(pipe(pipes) == 0);
    epoll = epoll_create1(0);
    fds[COUNTER] = eventfd(0, 0);
    fds[TIMER] = timerfd_create(CLOCK_MONOTONIC, 0);
    fds[SIGNAL] = signalfd(-1, &set, 0);
    fds[PIPE] = pipes[0];
    for (int kind = 0; kind < KINDS; kind++)
        watch(kind, EPOLLIN);
    CHECK(epoll_wait(epoll, &e, 1, 1) == 0);
    timerfd_settime(fds[TIMER], 0, &t, NULL);
    pthread_create(&thread, NULL, causes, NULL);
    for (int i = 0; i < KINDS; i++) {
        CHECK(epoll_wait(epoll, &e, 1, -1) == 1);
        seen[e.data.u32]++;
        if (e.data.u32 == SIGNAL)
            CHECK(read(fds[SIGNAL], &info, sizeof info) == sizeof info &&
                  info.ssi_signo == SIGUSR1);
        else if (e.data.u32 == PIPE)
            CHECK(read(pipes[0], text, sizeof text) == 5);
        else
            CHECK(read(fds[e.data.u32], &n, sizeof n) == 8 && n == (e.data.u32 == TIMER ? 1 : 5));
    }
    pthread_join(thread, NULL);
    printf("seen: %d %d %d %d\n", seen[COUNTER], seen[TIMER], seen[SIGNAL], seen[PIPE]);
}

/** An edge comes once, and again with every write; a closed file is no longer watched. */
static void edges(void)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLET};
    char c;

    epoll = epoll_create1(0);
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, pipes[0], &e) == 0);
    CHECK(write(pipes[1], "a", 1) == 1);
    printf("edges: %d", epoll_wait(epoll, &e, 1, 0));
    printf(" %d", epoll_wait(epoll, &e, 1, 0));
    CHECK(write(pipes[1], "b", 1) == 1);
    printf(" %d", epoll_wait(epoll, &e, 1, 0));
    CHECK(read(pipes[0], &c, 1) == 1 && read(pipes[0], &c, 1) == 1);
    CHECK(write(pipes[1], "c", 1) == 1);
    printf(" %d", epoll_wait(epoll, &e, 1, 0));
    close(pipes[0]);
    printf(" %d\n", epoll_wait(epoll, &e, 1, 0));
}

static void *takes(void *sum)
{
    uint64_t n;

    for (int i = 0; i < 10; i++) {
        CHECK(read(fds[COUNTER], &n, sizeof n) == 8);
        __sync_fetch_and_add((long *)sum, (long)n);
    }
    return NULL;
}

static void semaphore(void)
{
    uint64_t one = 1;
    pthread_t t[4];
    long sum = 0;

    fds[COUNTER] = eventfd(0, EFD_SEMAPHORE);
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, takes, &sum);
    for (int i = 0; i < 40; i++)
        CHECK(write(fds[COUNTER], &one, sizeof one) == 8);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("semaphore: %ld\n", sum);
}

/** Sends what may wait, one beyond `most` at the most, and takes it all. @return how many were sent
 */
static int fill(const sigset_t *set, int most, const char **error)
{
    const struct timespec none = {0, 0};
    int sent = 0, got = 0;

    while (sent <= most && sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = sent}) == 0)
        sent++;
    *error = strerrorname_np(errno);
    for (siginfo_t info; sigtimedwait(set, &info, &none) == SIGRTMIN; got++)
        CHECK(info.si_value.sival_int == got);
    CHECK(got == sent);
    return sent;
}

/** Signals wait up to a limit. Under qemu those of the host's user count too, however many they
 * are: so the limit grows until most of it is the guest's. */
static void limit(void)
{
    enum { MOST = 6400 };
    const char *error;
    struct rlimit l;
    sigset_t set;
    int most = 100, sent;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    getrlimit(RLIMIT_SIGPENDING, &l);
    for (;; most *= 2) {
        l.rlim_cur = (rlim_t)most;
        CHECK(setrlimit(RLIMIT_SIGPENDING, &l) == 0);
        sent = fill(&set, most, &error);
        if (sent > most / 2 || most == MOST)
            break;
    }
    printf("limit: %d, %s\n", sent > most / 2 && sent <= most, error);
}

static volatile int cloned;

static int clone_body(void *unused)
{
    (void)unused;
    cloned = 1;
    return 0;
}

/** A thread whose number cannot be stored is there all the same, and ends. */
static void nowhere(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    static volatile pid_t gone = 1;
    const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
                      CLONE_SYSVSEM | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;

    CHECK(clone(clone_body, stack + sizeof stack, flags, NULL, (pid_t *)8, NULL, &gone) > 0);
    while (gone)
        usleep(100);
    printf("cloned: %d\n", cloned);
}

/** Glibc does these in threads that tell each other by queued signals. */
static void asynchronous(void)
{
    char name[] = "/tmp/events-XXXXXX", text[16] = "";
    int fd = mkstemp(name);
    struct aiocb w = {.aio_fildes = fd, .aio_buf = "hello", .aio_nbytes = 5}, r;
    const struct aiocb *list[] = {&w};

    unlink(name);
    w.aio_sigevent.sigev_notify = SIGEV_SIGNAL;
    w.aio_sigevent.sigev_signo = 0;
    CHECK(aio_write(&w) == 0);
    while (aio_error(&w) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    r = (struct aiocb){.aio_fildes = fd, .aio_buf = text, .aio_nbytes = 5};
    r.aio_sigevent.sigev_notify = SIGEV_NONE;
    CHECK(aio_return(&w) == 5 && aio_read(&r) == 0);
    list[0] = &r;
    while (aio_error(&r) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    printf("asynchronous: %d %s\n", (int)aio_return(&r), text);
    close(fd);
}

int main(void)
{
    all_kinds();
    edges();
    semaphore();
    limit();
    nowhere();
    asynchronous();
    return guest_result();
}
