/*
 * Limits of resources: each that is set is kept to. (Descriptors, size of a file, memory mapped,
 * data, locked memory, threads, the first stack. What a second of processor time brings,
 * tests/os_ends.py shows.)
 */
#include "guest.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KB = 1024, MB = 1 << 20, RW = PROT_READ | PROT_WRITE, OWN = MAP_PRIVATE | MAP_ANONYMOUS };

/** Sets the soft limit; the hard one stays. */
static void limit(int resource, rlim_t soft)
{
    struct rlimit l, now;

    CHECK(getrlimit(resource, &l) == 0);
    l.rlim_cur = soft;
    CHECK(setrlimit(resource, &l) == 0);
    CHECK(getrlimit(resource, &now) == 0 && now.rlim_cur == soft && now.rlim_max == l.rlim_max);
}

static void end_limit(int resource)
{
    struct rlimit l;

    CHECK(getrlimit(resource, &l) == 0);
    limit(resource, l.rlim_max);
}

static volatile int signals;

static void count(int signal)
{
    (void)signal;
    signals++;
}

/** 0 or 1 for a call that gives an address. */
static long mapped(void *at)
{
    return at == MAP_FAILED ? -1 : 0;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static void files(void)
{
    struct pollfd polled[11] = {{.fd = -1}};
    const int high = fcntl(1, F_DUPFD, 100);
    int ends[2], n = 0, last = -1;

    for (int i = 0; i < 11; i++)
        polled[i].fd = -1;
    limit(RLIMIT_NOFILE, 10);
    for (int fd; (fd = dup(1)) >= 0; n++)
        last = fd;
    printf("%d descriptors, the last %d: %s\n", n, last, strerror(errno));
    SHOW(open("/dev/null", O_RDONLY));
    SHOW(pipe(ends));
    close(last);
    SHOW(pipe(ends));
    SHOW(dup2(1, 10));
    SHOW(dup2(1, 9));
    SHOW(fcntl(1, F_DUPFD, 10));
    SHOW(fcntl(1, F_DUPFD, 5));
    SHOW(poll(polled, 10, 0));
    SHOW(poll(polled, 11, 0));
    SHOW(fcntl(high, F_GETFD)); /* one that is open stays */
    SHOW(dup2(high, 9));
    end_limit(RLIMIT_NOFILE);
    for (int fd = 3; fd < 10; fd++)
        close(fd);
    close(high);
}

/* ---- the size of a file ---------------------------------------------------------------------- */

static void sizes(void)
{
    static char text[100];
    const int f = (int)syscall(SYS_memfd_create, "file", 0);
    const int from = (int)syscall(SYS_memfd_create, "from", 0);

    CHECK(write(from, text, sizeof text) == sizeof text && lseek(from, 0, SEEK_SET) == 0);
    signal(SIGXFSZ, count);
    limit(RLIMIT_FSIZE, 100);
    SHOW(write(f, text, 60));
    SHOW(write(f, text, 60));
    SHOW(write(f, text, 0));
    CHECK(signals == 0);
    SHOW(write(f, text, 1));
    SHOW(pwrite(f, text, 50, 90));
    SHOW(pwrite(f, text, 1, 100));
    SHOW(ftruncate(f, 101));
    SHOW(ftruncate(f, 100));
    SHOW(ftruncate(f, 80));
    SHOW(posix_fallocate(f, 0, 101));
    SHOW(lseek(f, 0, SEEK_END));
    SHOW(sendfile(f, from, NULL, 100));
    SHOW(sendfile(f, from, NULL, 100));
    printf("%d signals\n", signals);
    end_limit(RLIMIT_FSIZE);
    SHOW(write(f, text, 1));
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void memory(void)
{
    char *at;

    limit(RLIMIT_AS, 64 * MB);
    SHOW(mapped(mmap(NULL, 128 * MB, RW, OWN, -1, 0)));
    SHOW(mapped(mmap(NULL, 128 * MB, PROT_NONE, OWN, -1, 0)));
    SHOW(mapped(mmap(NULL, 128 * MB, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0)));
    SHOW(mapped(at = mmap(NULL, 40 * MB, RW, OWN, -1, 0)));
    SHOW(mapped(mmap(NULL, 40 * MB, RW, OWN, -1, 0)));
    SHOW(mapped(mmap(at, 40 * MB, PROT_READ, OWN | MAP_FIXED, -1, 0)));
    SHOW(mapped(mremap(at, 40 * MB, 128 * MB, MREMAP_MAYMOVE)));
    SHOW(mapped(mremap(at, 40 * MB, 16 * MB, 0)));
    SHOW(mapped(mmap(NULL, 40 * MB, RW, OWN, -1, 0)));
    SHOW(mapped(sbrk(64 * MB)));
    end_limit(RLIMIT_AS);
    SHOW(mapped(mmap(NULL, 128 * MB, PROT_NONE, OWN, -1, 0)));
}

static void data(void)
{
    char *at;
    struct rlimit l;

    CHECK(getrlimit(RLIMIT_DATA, &l) == 0);
    limit(RLIMIT_DATA, 96 * MB);
    SHOW(mapped(mmap(NULL, 128 * MB, RW, OWN, -1, 0)));
    SHOW(mapped(mmap(NULL, 128 * MB, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0)));
    SHOW(mapped(at = mmap(NULL, 128 * MB, PROT_READ, OWN, -1, 0)));
    SHOW(mprotect(at, 128 * MB, RW));
    SHOW(mprotect(at, 1 * MB, RW));
    SHOW(mapped(sbrk(128 * MB)));
    end_limit(RLIMIT_DATA);
    SHOW(mprotect(at, 128 * MB, RW));
    munmap(at, 128 * MB);
}

static void locked(void)
{
    char *at = mmap(NULL, 512 * KB, RW, OWN, -1, 0);

    limit(RLIMIT_MEMLOCK, 256 * KB);
    SHOW(mlock(at, 512 * KB));
    SHOW(mlock(at, 128 * KB));
    SHOW(mlock(at, 256 * KB)); /* a part of it counts already */
    SHOW(mlock(at + 256 * KB, 64 * KB));
    SHOW(msync(at, 512 * KB, MS_INVALIDATE));
    SHOW(msync(at, 512 * KB, MS_ASYNC | MS_INVALIDATE));
    SHOW(msync(at, 512 * KB, MS_SYNC));
    SHOW(msync(at + 256 * KB, 256 * KB, MS_SYNC | MS_INVALIDATE));
    SHOW(munlock(at, 256 * KB));
    SHOW(msync(at, 512 * KB, MS_INVALIDATE));
    SHOW(mapped(mmap(NULL, 512 * KB, RW, OWN | MAP_LOCKED, -1, 0)));
    SHOW(mapped(at = mmap(NULL, 128 * KB, RW, OWN | MAP_LOCKED, -1, 0)));
    SHOW(msync(at, 64 * KB, MS_INVALIDATE));
    SHOW(mapped(mremap(at, 128 * KB, 512 * KB, MREMAP_MAYMOVE)));
    SHOW(mlockall(MCL_CURRENT));
    SHOW(mlockall(MCL_FUTURE));
    SHOW(mapped(mmap(NULL, 512 * KB, RW, OWN, -1, 0)));
    SHOW(munlockall());
    SHOW(msync(at, 64 * KB, MS_INVALIDATE));
    SHOW(mapped(mmap(NULL, 512 * KB, RW, OWN, -1, 0)));
    limit(RLIMIT_MEMLOCK, 0);
    SHOW(mlock(at, 1));
    SHOW(mlockall(MCL_CURRENT));
    SHOW(mapped(mmap(NULL, 4096, RW, OWN | MAP_LOCKED, -1, 0)));
    SHOW(munlock(at, 1));
    end_limit(RLIMIT_MEMLOCK);
}

/* ---- threads --------------------------------------------------------------------------------- */

static void *returns(void *arg)
{
    return arg;
}

static void threads(void)
{
    pthread_t t;

    limit(RLIMIT_NPROC, 1);
    printf("a thread more: %s\n", strerror(pthread_create(&t, NULL, returns, NULL)));
    end_limit(RLIMIT_NPROC);
    CHECK(pthread_create(&t, NULL, returns, NULL) == 0 && pthread_join(t, NULL) == 0);
}

/* ---- the first stack ------------------------------------------------------------------------- */

static sigjmp_buf back;

static void faults(int signal)
{
    (void)signal;
    siglongjmp(back, 1);
}

/** Uses that much of the stack, from the top down. */
static void __attribute__((noinline)) use(size_t bytes)
{
    volatile char piece[4096];

    piece[0] = (char)bytes;
    if (bytes > sizeof piece)
        use(bytes - sizeof piece);
    piece[1] = piece[0];
}

static const char *stack_of(size_t bytes)
{
    if (sigsetjmp(back, 1))
        return "too much";
    use(bytes);
    return "there is";
}

static void stack(void)
{
    static char other[65536];
    const stack_t handlers = {.ss_sp = other, .ss_size = sizeof other};
    const struct sigaction action = {.sa_handler = faults, .sa_flags = SA_ONSTACK};

    sigaltstack(&handlers, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    limit(RLIMIT_STACK, 512 * KB);
    printf("%s a stack of 256 KB\n", stack_of(256 * KB));
    printf("%s a stack of 1 MB\n", stack_of(1 * MB));
    limit(RLIMIT_STACK, 2 * MB);
    printf("%s a stack of 1 MB\n", stack_of(1 * MB));
    limit(RLIMIT_STACK, 12 * MB);
    printf("%s a stack of 10 MB\n", stack_of(10 * MB));
    limit(RLIMIT_STACK, 1 * MB); /* what has been used stays */
    printf("%s a stack of 3 MB\n", stack_of(3 * MB));
}

int main(void)
{
    files();
    sizes();
    memory();
    data();
    locked();
    threads();
    stack();
    return guest_result();
}
