/* Threads that wait for counters, timers, signals and pipes behind one epoll; asynchronous files.
 */
#include "guest.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/select.h>
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

/* ---- what an edge is, and is not ------------------------------------------------------------- */

/** A new epoll that watches one descriptor. */
static int watcher(int fd, uint32_t events)
{
    struct epoll_event e = {.events = events, .data.fd = fd};
    const int watching = epoll_create1(0);

    CHECK(epoll_ctl(watching, EPOLL_CTL_ADD, fd, &e) == 0);
    return watching;
}

/** Prints the events it tells of; 0: none. */
static void told(int watching)
{
    struct epoll_event e = {0};

    printf(" %x", epoll_wait(watching, &e, 1, 0) == 1 ? e.events : 0);
}

static short polled(int fd, short events)
{
    struct pollfd f = {.fd = fd, .events = events};

    return poll(&f, 1, 0) >= 0 ? f.revents : -1;
}

/** Who reads is told by each write, even one that found no room, and not by reads. To ask whether
 *  the epoll is ready changes nothing. */
static void edges_of_reader(int *ends, int reader)
{
    char block[4096] = "";

    printf("reader:");
    told(reader);
    CHECK(write(ends[1], "abcd", 4) == 4 && polled(reader, POLLIN) == POLLIN);
    told(reader);
    told(reader);
    printf(" polled %x", polled(reader, POLLIN));
    CHECK(read(ends[0], block, 2) == 2);
    told(reader);
    CHECK(write(ends[1], "e", 1) == 1);
    told(reader);
    while (write(ends[1], block, sizeof block) > 0)
        continue;
    told(reader);
    CHECK(write(ends[1], block, sizeof block) < 0);
    told(reader);
    printf("\n");
}

/** Who writes is told when a full pipe has room again, by nothing else. */
static void edges_of_writer(int *ends, int writer)
{
    char block[4096] = "";

    printf("writer:");
    told(writer);
    CHECK(write(ends[1], "abcd", 4) == 4);
    told(writer);
    CHECK(read(ends[0], block, 2) == 2);
    told(writer);
    while (read(ends[0], block, sizeof block) > 0)
        continue;
    while (write(ends[1], block, sizeof block) > 0)
        continue;
    told(writer);
    CHECK(read(ends[0], block, 1) == 1);
    told(writer);
    CHECK(read(ends[0], block, sizeof block) == sizeof block);
    told(writer);
    CHECK(read(ends[0], block, sizeof block) == sizeof block);
    told(writer);
    close(ends[0]);
    told(writer);
    told(writer);
    printf("\n");
}

static void edges_of_pipes(void)
{
    int ends[2];

    CHECK(pipe2(ends, O_NONBLOCK) == 0);
    edges_of_reader(ends, watcher(ends[0], EPOLLIN | EPOLLET));
    CHECK(pipe2(ends, O_NONBLOCK) == 0);
    edges_of_writer(ends, watcher(ends[1], EPOLLIN | EPOLLOUT | EPOLLET));
}

/** A counter tells readers of each addition, writers of each read. */
static void edges_of_counters(void)
{
    const int fd = eventfd(3, EFD_SEMAPHORE);
    const int reads = watcher(fd, EPOLLIN | EPOLLET),
              both = watcher(fd, EPOLLIN | EPOLLOUT | EPOLLET);
    uint64_t n = 1;

    printf("counter:");
    told(reads);
    told(both);
    CHECK(read(fd, &n, sizeof n) == 8);
    told(reads);
    told(both);
    CHECK(write(fd, &n, sizeof n) == 8);
    told(reads);
    told(both);
    told(both);
    printf("\n");
}

/** A timer that is set again without having been read, and has fired again before anybody looked.
 */
static void edges_of_timers(void)
{
    const int fd = timerfd_create(CLOCK_MONOTONIC, 0), watching = watcher(fd, EPOLLIN | EPOLLET);
    struct itimerspec soon = {{0, 0}, {0, 1000}};

    printf("timer:");
    told(watching);
    for (int i = 0; i < 2; i++) {
        CHECK(timerfd_settime(fd, 0, &soon, NULL) == 0);
        usleep(1000);
        told(watching);
        told(watching);
    }
    printf("\n");
}

/** An epoll tells of each event of what it watches, also when it was ready. */
static void edges_of_epolls(void)
{
    int ends[2], inner, outer;
    char c;

    CHECK(pipe(ends) == 0);
    inner = watcher(ends[0], EPOLLIN);
    outer = watcher(inner, EPOLLIN | EPOLLET);
    printf("nested:");
    told(outer);
    CHECK(write(ends[1], "a", 1) == 1);
    told(outer);
    told(outer);
    CHECK(read(ends[0], &c, 1) == 1 && write(ends[1], "b", 1) == 1);
    told(outer);
    CHECK(write(ends[1], "c", 1) == 1);
    told(outer);
    told(outer);
    told(inner);
    told(outer);
    printf("\n");
}

/** A queue tells of each message, and of each that was taken. */
static void edges_of_queues(void)
{
    struct mq_attr two = {.mq_maxmsg = 2, .mq_msgsize = 8};
    char name[32], text[8];
    int reads, both;
    mqd_t queue;

    snprintf(name, sizeof name, "/events-%d", (int)getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &two);
    CHECK(queue != (mqd_t)-1 && mq_unlink(name) == 0);
    reads = watcher(queue, EPOLLIN | EPOLLET);
    both = watcher(queue, EPOLLIN | EPOLLOUT | EPOLLET);
    printf("queue:");
    for (int i = 0; i < 2; i++) {
        CHECK(mq_send(queue, "a", 1, 0) == 0);
        told(reads);
        told(both);
    }
    CHECK(mq_receive(queue, text, sizeof text, NULL) == 1);
    told(reads);
    told(both);
    told(both);
    printf("\n");
}

/** What nobody asked for is told; once, if once only. */
static void closed_ends(void)
{
    int ends[2], silent, once;

    CHECK(pipe(ends) == 0);
    silent = watcher(ends[0], 0);
    once = watcher(ends[0], EPOLLONESHOT);
    printf("closed:");
    told(silent);
    close(ends[1]);
    told(silent);
    told(silent);
    told(once);
    told(once);
    printf("\n");
}

/** Two that are ready, and room for one: they take turns, and come in the order of their events. */
static void turns(void)
{
    const int one = eventfd(0, 0), two = eventfd(0, 0), watching = watcher(one, EPOLLIN);
    struct epoll_event e = {.events = EPOLLIN, .data.fd = two};
    uint64_t n = 1;

    CHECK(epoll_ctl(watching, EPOLL_CTL_ADD, two, &e) == 0);
    CHECK(write(two, &n, sizeof n) == 8 && write(one, &n, sizeof n) == 8);
    printf("turns:");
    for (int i = 0; i < 4; i++)
        printf(" %d", epoll_wait(watching, &e, 1, 0) == 1 ? 1 + (e.data.fd == two) : 0);
    printf("\n");
}

/** The other names of POLLIN and POLLOUT, which pipes, files and epolls have, and counters not. */
static void names_of_events(void)
{
    const int counter = eventfd(1, 0), null = open("/dev/null", O_RDWR);
    int ends[2], watching;
    fd_set set;
    struct timeval none = {0, 0};

    CHECK(pipe(ends) == 0 && write(ends[1], "a", 1) == 1);
    watching = watcher(ends[0], EPOLLIN);
    printf("names: %d %d", polled(ends[0], POLLRDNORM) == POLLRDNORM,
           polled(ends[1], POLLWRNORM) == POLLWRNORM);
    printf(" %d %d", polled(null, POLLRDNORM) == POLLRDNORM,
           polled(null, POLLWRNORM) == POLLWRNORM);
    printf(" %d %d,", polled(watching, POLLRDNORM) == POLLRDNORM, polled(counter, POLLRDNORM));
    told(watcher(ends[0], EPOLLRDNORM));
    told(watcher(ends[1], EPOLLWRNORM));
    told(watcher(counter, EPOLLRDNORM));
    close(ends[0]);
    FD_ZERO(&set);
    FD_SET(ends[1], &set);
    printf(", an error to read: %d\n", select(ends[1] + 1, &set, NULL, NULL, &none));
}

static volatile int caught;

static void on_signal(int signo)
{
    caught += signo == SIGUSR2;
}

static void *read_signal(void *fd)
{
    struct signalfd_siginfo info;

    CHECK(read(*(int *)fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGHUP);
    return NULL;
}

/** Each signal is an edge, and so is a new mask; that also wakes who reads. */
static void edges_of_signals(void)
{
    pthread_t thread;
    sigset_t all, some;
    int fd, watching;

    sigemptyset(&all);
    sigaddset(&all, SIGUSR1);
    some = all;
    sigaddset(&all, SIGUSR2);
    sigaddset(&all, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    fd = signalfd(-1, &some, 0);
    watching = watcher(fd, EPOLLIN | EPOLLET);
    printf("signal:");
    told(watching);
    kill(getpid(), SIGUSR1);
    told(watching);
    told(watching);
    kill(getpid(), SIGHUP);
    told(watching);
    sigdelset(&some, SIGUSR1);
    CHECK(signalfd(fd, &some, 0) == fd);
    told(watching);
    pthread_create(&thread, NULL, read_signal, &fd);
    usleep(1000);
    CHECK(signalfd(fd, &all, 0) == fd);
    told(watching);
    pthread_join(thread, NULL);
    printf("\n");
}

/** A look that does not wait is not interrupted, so the signal stays blocked. */
static void uninterrupted(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct epoll_event e;
    sigset_t others;

    sigfillset(&others);
    sigdelset(&others, SIGUSR2);
    sigaction(SIGUSR2, &action, NULL);
    kill(getpid(), SIGUSR2);
    printf("uninterrupted: %d", epoll_pwait(epoll_create1(0), &e, 1, 0, &others));
    printf(" %d\n", caught);
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
    edges_of_pipes();
    edges_of_counters();
    edges_of_timers();
    edges_of_epolls();
    edges_of_queues();
    closed_ends();
    turns();
    names_of_events();
    edges_of_signals();
    uninterrupted();
    semaphore();
    limit();
    nowhere();
    asynchronous();
    return guest_result();
}
