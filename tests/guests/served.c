/*
 * Who is served when several threads wait for one file: the one that began to wait first, whoever
 * of them is older. And a call that waits works on what it was given when it began. (Under qemu the
 * host's clock would decide.)
 */
#include "guest.h"

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WAITERS = 5, TURNS = 20, LATER = 5000 /* [us] */, PIPE = 65536 };

/* A thing that threads wait for: `take` waits until there is one of it, and has it. */
struct kind {
    const char *name;
    void (*make)(void);
    void (*take)(int which);
    void (*give)(void);
};

static int fds[2], counter, locked[WAITERS + 1], holder, semaphore;
static mqd_t queue;

/* ---- what one waits for ---------------------------------------------------------------------- */

static void pipe_make(void)
{
    CHECK(pipe(fds) == 0);
}

static void pipe_take(int which)
{
    char c;

    (void)which;
    CHECK(read(fds[0], &c, 1) == 1);
}

static void pipe_give(void)
{
    CHECK(write(fds[1], "x", 1) == 1);
}

static char page[4096];

static void full_make(void)
{
    CHECK(pipe(fds) == 0);
    for (int i = 0; i < PIPE / (int)sizeof page; i++)
        CHECK(write(fds[1], page, sizeof page) == sizeof page);
}

static void full_take(int which)
{
    (void)which;
    CHECK(write(fds[1], page, sizeof page) == sizeof page);
}

static void full_give(void)
{
    for (size_t n = 0; n < sizeof page;)
        n += (size_t)read(fds[0], page, sizeof page - n);
}

static void counter_make(void)
{
    counter = eventfd(0, EFD_SEMAPHORE);
}

static void counter_take(int which)
{
    uint64_t n;

    (void)which;
    CHECK(read(counter, &n, sizeof n) == sizeof n);
}

static void counter_give(void)
{
    const uint64_t one = 1;

    CHECK(write(counter, &one, sizeof one) == sizeof one);
}

static void flock_make(void)
{
    char name[] = "/tmp/served.XXXXXX";

    locked[0] = mkstemp(name);
    for (int i = 1; i <= WAITERS; i++)
        locked[i] = open(name, O_RDWR);
    unlink(name);
    holder = WAITERS;
    CHECK(flock(locked[holder], LOCK_EX) == 0);
}

static void flock_take(int which)
{
    CHECK(flock(locked[which], LOCK_EX) == 0);
    holder = which;
}

static void flock_give(void)
{
    CHECK(flock(locked[holder], LOCK_UN) == 0);
}

static void message_make(void)
{
    struct mq_attr a = {.mq_maxmsg = 8, .mq_msgsize = 8};

    queue = mq_open("/served", O_RDWR | O_CREAT, 0600, &a);
    CHECK(queue >= 0);
    mq_unlink("/served");
}

static void message_take(int which)
{
    char text[8];

    (void)which;
    CHECK(mq_receive(queue, text, sizeof text, NULL) == 1);
}

static void message_give(void)
{
    CHECK(mq_send(queue, "x", 1, 0) == 0);
}

static void semaphore_make(void)
{
    semaphore = semget(IPC_PRIVATE, 1, 0600);
}

static void semaphore_take(int which)
{
    struct sembuf down = {0, -1, 0};

    (void)which;
    CHECK(semop(semaphore, &down, 1) == 0);
}

static void semaphore_give(void)
{
    struct sembuf up = {0, 1, 0};

    CHECK(semop(semaphore, &up, 1) == 0);
}

static void signal_make(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    fds[0] = signalfd(-1, &set, 0);
}

static void signal_take(int which)
{
    struct signalfd_siginfo info;

    (void)which;
    CHECK(read(fds[0], &info, sizeof info) == sizeof info);
}

static void signal_give(void)
{
    CHECK(sigqueue(getpid(), SIGRTMIN, (union sigval){0}) == 0);
}

static const struct kind kinds[] = {
    {"bytes of a pipe", pipe_make, pipe_take, pipe_give},
    {"room in a pipe", full_make, full_take, full_give},
    {"a counter", counter_make, counter_take, counter_give},
    {"a lock on a file", flock_make, flock_take, flock_give},
    {"messages", message_make, message_take, message_give},
    {"a semaphore", semaphore_make, semaphore_take, semaphore_give},
    {"signals", signal_make, signal_take, signal_give},
};

/* ---- the order ------------------------------------------------------------------------------- */

static const struct kind *kind;
static int served[WAITERS], times;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* In another order than that of their creation. */
static int begins(int which)
{
    return which * 3 % WAITERS;
}

static void *waiter(void *which)
{
    const int own = (int)(intptr_t)which;

    usleep((unsigned)(LATER * (1 + begins(own))));
    kind->take(own);
    pthread_mutex_lock(&mutex);
    served[times++] = begins(own);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void in_order(void)
{
    pthread_t thread[WAITERS];

    times = 0;
    kind->make();
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&thread[i], NULL, waiter, (void *)(intptr_t)i);
    usleep(LATER * 2 * WAITERS);
    for (int i = 0; i < WAITERS; i++) {
        kind->give();
        usleep(LATER);
    }
    for (int i = 0; i < WAITERS; i++)
        pthread_join(thread[i], NULL);
    printf("%s:", kind->name);
    for (int i = 0; i < WAITERS; i++)
        printf(" %d", served[i]);
    printf("\n");
}

/* ---- turns ----------------------------------------------------------------------------------- */

static int had[WAITERS];

/* Whoever has taken something wants more of it at once. */
static void *greedy(void *which)
{
    for (;;) {
        kind->take((int)(intptr_t)which);
        had[(intptr_t)which]++;
    }
    return NULL;
}

static void by_turns(const struct kind *of)
{
    pthread_t thread;

    kind = of;
    kind->make();
    memset(had, 0, sizeof had);
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&thread, NULL, greedy, (void *)(intptr_t)i);
    usleep(LATER);
    for (int i = 0; i < TURNS * WAITERS; i++) {
        kind->give();
        usleep(LATER);
    }
    printf("%s by turns:", kind->name);
    for (int i = 0; i < WAITERS; i++)
        printf(" %d", had[i]);
    printf("\n");
}

/* ---- what a call was given ------------------------------------------------------------------- */

static struct pollfd polled[2];

static void *polls(void *unused)
{
    SHOW(poll(polled, 2, -1));
    return unused;
}

static void poll_given(void)
{
    pthread_t thread;

    CHECK(pipe(fds) == 0);
    polled[0] = (struct pollfd){.fd = fds[0], .events = POLLIN};
    polled[1] = (struct pollfd){.fd = fds[1], .events = 0};
    pthread_create(&thread, NULL, polls, NULL);
    usleep(LATER);
    polled[0].events = 0;
    polled[0].fd = -1;
    polled[1].events = POLLOUT;
    CHECK(write(fds[1], "x", 1) == 1);
    pthread_join(thread, NULL);
    printf("revents %x %x\n", (unsigned)polled[0].revents, (unsigned)polled[1].revents);
}

static struct iovec vector[2];

static void *writes(void *unused)
{
    SHOW(writev(fds[1], vector, 2));
    return unused;
}

static void vector_given(void)
{
    static char first[PIPE], got[PIPE];
    char old[] = "old", new[] = "new";
    pthread_t thread;
    size_t n = 0;

    full_make();
    vector[0] = (struct iovec){first, sizeof first};
    vector[1] = (struct iovec){old, sizeof old};
    pthread_create(&thread, NULL, writes, NULL);
    usleep(LATER);
    vector[1].iov_base = new;
    while (n < 2 * PIPE)
        n += (size_t)read(fds[0], got, 2 * PIPE - n < PIPE ? 2 * PIPE - n : PIPE);
    CHECK(read(fds[0], got, PIPE) == sizeof old);
    pthread_join(thread, NULL);
    printf("from the vector that it was given: %s\n", got);
}

static int asked; /* the descriptor by which a lock is waited for */

static void *locks(void *unused)
{
    struct flock want = {.l_type = F_WRLCK, .l_len = 1};

    CHECK(fcntl(asked, F_SETLKW, &want) < 0 && errno == EBADF);
    return unused;
}

/** The process closes the descriptor while it waits for a lock by it: then it has none. */
static void lock_closed(void)
{
    const int file = memfd_create("locked", 0);
    struct flock all = {.l_type = F_WRLCK};
    pthread_t thread;

    asked = dup(file);
    CHECK(fcntl(file, F_OFD_SETLK, &all) == 0);
    pthread_create(&thread, NULL, locks, NULL);
    usleep(LATER);
    close(asked);
    all.l_type = F_UNLCK;
    CHECK(fcntl(file, F_OFD_SETLK, &all) == 0);
    pthread_join(thread, NULL);
    all.l_type = F_WRLCK;
    CHECK(fcntl(file, F_OFD_GETLK, &all) == 0 && all.l_type == F_UNLCK);
    close(file);
}

int main(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (kind = kinds; kind < kinds + COUNT(kinds); kind++)
        in_order();
    poll_given();
    vector_given();
    lock_closed();
    by_turns(&kinds[2]);
    by_turns(&kinds[0]);
    fflush(stdout);
    _exit(guest_result());
}
