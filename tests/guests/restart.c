/* System calls interrupted by signals: EINTR without SA_RESTART, continued with it. */
#include "guest.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
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

#ifdef __arm__
#define PLACE "in Thumb state"

/** read() from Thumb state. */
__attribute__((target("thumb"), noinline)) static ssize_t read_in_place(int fd, void *to,
                                                                        size_t size)
{
    register int r0 __asm__("r0") = fd;
    register void *r1 __asm__("r1") = to;
    register size_t r2 __asm__("r2") = size;

    __asm__ volatile("push {r7}\n\tmovs r7, #3\n\tsvc #0\n\tpop {r7}"
                     : "+r"(r0)
                     : "r"(r1), "r"(r2)
                     : "memory");
    return r0;
}
#else
#define PLACE "in a delay slot"

/** read() whose SYSCALL sits in the delay slot of a taken branch; negative: the error. */
static ssize_t read_in_place(int fd, void *to, size_t size)
{
    register long v0 __asm__("$2") = SYS_read;
    register long a0 __asm__("$4") = fd;
    register void *a1 __asm__("$5") = to;
    register size_t a2 __asm__("$6") = size;
    register long a3 __asm__("$7");

    __asm__ volatile(".set push\n.set noreorder\n"
                     "b 1f\n"
                     " syscall\n"
                     "li $2, 99\n" /* jumped over */
                     "1:\n.set pop\n"
                     : "+r"(v0), "=r"(a3)
                     : "r"(a0), "r"(a1), "r"(a2)
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
                       "$25", "hi", "lo", "memory");
    return a3 ? -v0 : v0;
}
#endif

static ssize_t plain_read(int fd, void *to, size_t size)
{
    return read(fd, to, size);
}

typedef ssize_t reading(int fd, void *to, size_t size);

static void attempt(const char *name, reading *how, int flags, char *byte)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    pthread_t thread;
    char got = '-';

    seen = 0;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, interrupter, byte);
    errno = 0;
    ssize_t n = how(ends[0], &got, 1);
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
    attempt("restarted", plain_read, SA_RESTART, "x");
    attempt("interrupted", plain_read, 0, NULL);
    attempt("restarted " PLACE, read_in_place, SA_RESTART, "y");
    sleeping();
    return guest_result();
}
