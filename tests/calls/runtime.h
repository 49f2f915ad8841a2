/*
 * What the rows of rows.txt are compiled with (calls.py makes C of them). Each row makes one raw
 * system call and compares: nothing of the C library stands between, and results are those of the
 * kernel.
 */
#ifndef CALLS_RUNTIME_H
#define CALLS_RUNTIME_H

/* The kernel's own struct stat, under other names: the C library's has macros for its members. */
#define stat   kernel_stat
#define stat64 kernel_stat64
#include <asm/stat.h>
#undef stat
#undef stat64
#include <stdint.h>

/** What all forms of stat tell of a file. */
struct about {
    unsigned mode, nlink, uid, gid;
    uint64_t ino, size, blocks;
    long atime, anano, mtime, mnano, ctime, cnano, block;
    uint64_t dev, rdev;
};

#define ABOUT(s)                                                                                \
    {                                                                                           \
        .mode = (s)->st_mode, .nlink = (s)->st_nlink, .uid = (s)->st_uid, .gid = (s)->st_gid,   \
        .ino = (s)->st_ino, .size = (uint64_t)(s)->st_size, .blocks = (uint64_t)(s)->st_blocks, \
        .atime = (long)(s)->st_atime, .anano = (long)(s)->st_atime_nsec,                        \
        .mtime = (long)(s)->st_mtime, .mnano = (long)(s)->st_mtime_nsec,                        \
        .ctime = (long)(s)->st_ctime, .cnano = (long)(s)->st_ctime_nsec,                        \
        .block = (long)(s)->st_blksize, .dev = (s)->st_dev, .rdev = (s)->st_rdev                \
    }

static inline struct about about_stat(const void *p)
{
    const struct kernel_stat *s = p;

    return (struct about)ABOUT(s);
}

/** Of 64 bits where there is one of its own. */
static inline struct about about_stat64(const void *p)
{
#if defined(__mips64)
    return about_stat(p);
#else
    const struct kernel_stat64 *s = p;

    return (struct about)ABOUT(s);
#endif
}

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BUF = 65536 /**< [bytes] whole pages of any size */ };

/** Of System V's objects: nobody else's. On qemu they are the host's, and several of this program
 * run at a time. */
#define KEY (0x6e000000 | (getpid() & 0xffffff))

static char *buf;      /**< BUF bytes; behind them nothing may be touched */
static char *end;      /**< buf + BUF */
static char *wild;     /**< not to be touched */
static char *ro;       /**< BUF bytes that can be read only */
static bool reference; /**< on qemu: rows it is known to do otherwise are left out */
static unsigned rows, failed;

/** An address of the kernel's, and one of nobody's. */
#ifdef __arm__
#define kernel ((void *)0xc0000000)
#else
#define kernel ((void *)(sizeof(long) == 8 ? (long)0xffffffff80000000 : (long)0x80000000))
#endif

/** [bytes] of the kernel's set of signals, and the highest one. */
#ifdef __mips__
enum { SET = 16, HIGHEST = 128 };
#else
enum { SET = 8, HIGHEST = 64 };
#endif
#define low ((void *)8)

static inline void clear(void)
{
    memset(buf, 0, BUF);
}

/** Storage that lasts for a few rows. */
static inline void *piece(size_t size)
{
    static char store[64][256];
    static unsigned next;
    char *at = store[next++ % 64];

    memset(at, 0, sizeof store[0]);
    return size <= sizeof store[0] ? at : NULL;
}

/** Lets so much time pass that short timers have expired. */
static inline void pass(void)
{
    struct timespec t = {0, 2000000};

    while (nanosleep(&t, &t))
        continue;
}

/* Times as the two kinds of calls take them. */
static inline void *ts(long sec, long nsec)
{
    long *t = piece(2 * sizeof *t);

    t[0] = sec;
    t[1] = nsec;
    return t;
}

static inline void *ts64(int64_t sec, int64_t nsec)
{
    int64_t *t = piece(2 * sizeof *t);

    t[0] = sec;
    t[1] = nsec;
    return t;
}

/** interval, then value */
static inline void *its(long every, long every_nsec, long sec, long nsec)
{
    long *t = piece(4 * sizeof *t);

    t[0] = every;
    t[1] = every_nsec;
    t[2] = sec;
    t[3] = nsec;
    return t;
}

static inline void *its64(int64_t every, int64_t every_nsec, int64_t sec, int64_t nsec)
{
    int64_t *t = piece(4 * sizeof *t);

    t[0] = every;
    t[1] = every_nsec;
    t[2] = sec;
    t[3] = nsec;
    return t;
}

#define sec(p)    (((long *)(p))[0])
#define nsec(p)   (((long *)(p))[1])
#define sec64(p)  ((long)((int64_t *)(p))[0])
#define nsec64(p) ((long)((int64_t *)(p))[1])

/** A word of 32 bits, a long. */
#define word(p) (*(volatile int32_t *)(p))
#define lng(p)  (*(volatile long *)(p))

static inline void *words(int32_t a, int32_t b, int32_t c, int32_t d)
{
    int32_t *w = piece(4 * sizeof *w);

    w[0] = a;
    w[1] = b;
    w[2] = c;
    w[3] = d;
    return w;
}

/** The kernel's set of signals, with up to two in it. */
static inline void *sigs(int a, int b)
{
    unsigned long *s = piece(16);
    const unsigned bits = 8 * sizeof *s;

    if (a)
        s[(a - 1) / bits] |= 1ul << ((a - 1) % bits);
    if (b)
        s[(b - 1) / bits] |= 1ul << ((b - 1) % bits);
    return s;
}

static inline bool has(const void *set, int s)
{
    const unsigned bits = 8 * sizeof(long);

    return ((const unsigned long *)set)[(s - 1) / bits] >> ((s - 1) % bits) & 1;
}

/** The kernel's sigaction: flags, handler, mask; or handler, flags, where to return to, mask. */
static inline void *act(void *handler, unsigned flags)
{
    char *a = piece(3 * sizeof(long) + SET);

#ifdef __mips__
    *(unsigned *)a = flags;
    ((void **)a)[1] = handler;
#else
    ((void **)a)[0] = handler;
    ((unsigned *)(void *)a)[1] = flags;
#endif
    return a;
}

static inline void *stack(void *sp, size_t size, int flags)
{
    stack_t *s = piece(sizeof *s);

    *s = (stack_t){.ss_sp = sp, .ss_size = size, .ss_flags = flags};
    return s;
}

static inline void *siginfo(int signo, int code, int value)
{
    siginfo_t *i = piece(sizeof *i);

    i->si_signo = signo;
    i->si_code = code;
    i->si_pid = getpid();
    i->si_uid = getuid();
    i->si_value.sival_int = value;
    return i;
}

static inline void *iov(void *a, size_t n, void *b, size_t m)
{
    struct iovec *v = piece(2 * sizeof *v);

    v[0] = (struct iovec){a, n};
    v[1] = (struct iovec){b, m};
    return v;
}

static inline void *pollfd(int fd, int events)
{
    struct pollfd *p = piece(sizeof *p);

    p->fd = fd;
    p->events = (short)events;
    return p;
}

static inline void *flags8(uint64_t v)
{
    uint64_t *p = piece(sizeof *p);

    *p = v;
    return p;
}

static inline void *sops(int number, int change, int flags)
{
    struct sembuf *s = piece(sizeof *s);

    *s = (struct sembuf){(unsigned short)number, (short)change, (short)flags};
    return s;
}

/** What semctl takes for union semun with a value: its first int. */
#define semval(v) (sizeof(long) == 8 ? (long)((uint64_t)(v) << 32) : (long)(v))

/** Whether a form of stat tells what statx tells of the same file. */
static inline bool tells(struct about a, const void *statx)
{
    const struct statx *x = statx;

    return a.mode == x->stx_mode && a.nlink == x->stx_nlink && a.uid == x->stx_uid &&
           a.gid == x->stx_gid && a.ino == x->stx_ino && a.size == x->stx_size &&
           a.blocks == x->stx_blocks && a.atime == (long)x->stx_atime.tv_sec &&
           a.anano == (long)x->stx_atime.tv_nsec && a.mtime == (long)x->stx_mtime.tv_sec &&
           a.mnano == (long)x->stx_mtime.tv_nsec && a.ctime == (long)x->stx_ctime.tv_sec &&
           a.cnano == (long)x->stx_ctime.tv_nsec && a.block == (long)x->stx_blksize &&
           (a.dev != 0) == (x->stx_dev_major || x->stx_dev_minor) &&
           (a.rdev != 0) == (x->stx_rdev_major || x->stx_rdev_minor);
}

/** What lstat tells of a file's times, mode and owner. */
static inline struct statx *now_of(const char *name)
{
    static struct statx x;

    syscall(SYS_statx, AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, 0x7ff, &x);
    return &x;
}

static volatile int seen;
static inline void handler(int signal)
{
    seen = signal;
}

/** A thread that lives as long as the program and only sleeps. */
static volatile int other;
static inline void *sleeps(void *unused)
{
    sigset_t all;

    (void)unused;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    other = gettid();
    for (;;)
        pause();
    return NULL;
}

static inline void start_other(void)
{
    pthread_t t;

    pthread_create(&t, NULL, sleeps, NULL);
    while (!other)
        sched_yield();
}

/** A system call. The C library's syscall() has six arguments, o32 up to seven words. */
static inline long go(long number, long a, long b, long c, long d, long e, long f, long g)
{
#if defined(__mips__) && _MIPS_SIM == _ABIO32
    register long v0 __asm__("$2") = number, a0 __asm__("$4") = a, a1 __asm__("$5") = b,
                     a2 __asm__("$6") = c, a3 __asm__("$7") = d;

    __asm__ volatile(".set noreorder\n\t"
                     "subu $29, 32\n\tsw %5, 16($29)\n\tsw %6, 20($29)\n\tsw %7, 24($29)\n\t"
                     "syscall\n\taddiu $29, 32\n\t.set reorder"
                     : "+r"(v0), "+r"(a3)
                     : "r"(a0), "r"(a1), "r"(a2), "r"(e), "r"(f), "r"(g)
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
                       "$25", "hi", "lo", "memory");
    const long result = v0, failed = a3; /* calls may change those registers */
    if (!failed)
        return result;
    errno = (int)result;
    return -1;
#else
    (void)g;
    return syscall(number, a, b, c, d, e, f);
#endif
}

/** What a row expects when there is more than one good answer. */
enum { EXPECT_VALUE, EXPECT_ERROR, EXPECT_OK, EXPECT_SOME };

static inline void row(int line, long r, int kind, long expected, bool then)
{
    const int error = r == -1 ? errno : 0;
    const bool good = kind == EXPECT_ERROR  ? r == -1 && error == expected
                      : kind == EXPECT_OK   ? r != -1
                      : kind == EXPECT_SOME ? r > 0
                                            : r == expected;

    rows++;
    if (good && then)
        return;
    failed++;
    printf("%d: ", line);
    if (good)
        printf("what must be true afterwards is not\n");
    else if (r == -1)
        printf("is %s\n", strerrorname_np(error) ? strerrorname_np(error) : "an unknown error");
    else
        printf("is %ld\n", r);
}

static inline void begin(int argc, char **argv)
{
    reference = argc > 2 && strcmp(argv[2], "reference") == 0;
    if (argc > 1 && chdir(argv[1]) < 0)
        exit(99);
    setvbuf(stdout, NULL, _IONBF, 0);
    buf = mmap(NULL, 2 * BUF, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    wild = end = buf + BUF;
    mprotect(wild, BUF, PROT_NONE);
    ro = mmap(NULL, BUF, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

#endif
