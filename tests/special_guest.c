/*
 * A guest that uses the special functions: its own data must survive them all, every command must
 * end, and what it says of itself is deterministic.
 */
#include "numachine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BYTES = 1 << 16, WORDS = BYTES / sizeof(unsigned), THREADS = 4, LINE = 64 };

static unsigned table[WORDS] __attribute__((aligned(65536)));
static volatile sig_atomic_t signals;
static pthread_barrier_t barrier;

static void on_signal(int number)
{
    signals += number == SIGIO;
}

static void fail(const char *what)
{
    printf("FAILED: %s (%d)\n", what, errno);
    exit(1);
}

static void command(int fd, unsigned function, unsigned flags, void *at, unsigned long length)
{
    const struct numachine_command c = {function, flags, (unsigned long)at, length};
    if (write(fd, &c, sizeof c) != sizeof c)
        fail("write");
}

static struct numachine_report report(int fd)
{
    struct numachine_report r;
    if (read(fd, &r, sizeof r) != sizeof r)
        fail("read");
    return r;
}

/* Each function on the whole table after every thread has written its part. */
static void *worker(void *arg)
{
    const unsigned me = (unsigned)(unsigned long)arg;
    int fd = open("/dev/numachine/memory", O_RDWR);
    for (unsigned f = NUMACHINE_INVALIDATE; f <= NUMACHINE_CLAIM; f++) {
        for (unsigned i = me; i < WORDS; i += THREADS)
            table[i] += i ^ f;
        pthread_barrier_wait(&barrier);
        command(fd, f, 0, table, BYTES);
        for (unsigned i = me; i < WORDS; i += 97) /* references while it is under way */
            table[i / THREADS * THREADS + me] += 1;
        if (report(fd).commands != 1)
            fail("one report for one command");
        pthread_barrier_wait(&barrier);
    }
    close(fd);
    return NULL;
}

static unsigned long long expected(void)
{
    unsigned long long sum = 0;
    static unsigned copy[WORDS];
    for (unsigned me = 0; me < THREADS; me++)
        for (unsigned f = NUMACHINE_INVALIDATE; f <= NUMACHINE_CLAIM; f++) {
            for (unsigned i = me; i < WORDS; i += THREADS)
                copy[i] += i ^ f;
            for (unsigned i = me; i < WORDS; i += 97)
                copy[i / THREADS * THREADS + me] += 1;
        }
    for (unsigned i = 0; i < WORDS; i++)
        sum += (unsigned long long)copy[i] * (i | 1);
    return sum;
}

static void everyone(void)
{
    pthread_t thread[THREADS];
    unsigned long long sum = 0;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (unsigned long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, worker, (void *)i);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < WORDS; i++)
        sum += (unsigned long long)table[i] * (i | 1);
    puts(sum == expected() ? "data survive" : "FAILED: data are lost");
}

static void many_commands(int fd)
{
    struct numachine_report r, all = {0, 0};
    for (unsigned i = 0; i < 10; i++)
        command(fd, 1 + i % 5, 0, (char *)table + i * 100, 1000);
    while (all.commands < 10) {
        r = report(fd);
        all.commands += r.commands;
        all.lines += r.lines;
    }
    printf("%llu commands, %llu lines\n", all.commands, all.lines);
    printf("nothing out: %ld\n", (long)read(fd, &r, sizeof r));
}

static void interrupts(int fd)
{
    sigset_t set, old;
    signal(SIGIO, on_signal);
    sigemptyset(&set);
    sigaddset(&set, SIGIO);
    pthread_sigmask(SIG_BLOCK, &set, &old);
    command(fd, NUMACHINE_WRITE_BACK, NUMACHINE_SIGNAL, table, 3 * LINE);
    while (!signals)
        sigsuspend(&old);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    printf("signal %d, %llu lines\n", (int)signals, report(fd).lines);
}

static void mistakes(int fd)
{
    static const struct numachine_command wrong[] = {
        {0, 0, 0, 64}, {7, 0, 0, 64}, {6, 0, 32, 64}, {6, 0, 64, 65},
        {1, 2, 0, 64}, {1, 0, 0, 0},  {1, 0, 8, 64},  {1, 0, 0xfffffffffffffff0ull, 64}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        printf("%d ", write(fd, &wrong[i], sizeof *wrong) < 0 ? errno : 0);
    printf("%d ", write(fd, wrong, 23) < 0 ? errno : 0);
    printf("%d\n", read(fd, table, 8) < 0 ? errno : 0);
}

/* Registers have no lines: neither alone nor behind a page of memory, which then is not touched. */
static void registers(int fd)
{
    const unsigned long page = (unsigned long)sysconf(_SC_PAGESIZE);
    const int card = open("/dev/numachine/card", O_RDWR);
    struct numachine_report r = {1, 1};
    char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (card < 0 ||
        mmap(at + page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, card, 0) != at + page)
        fail("mmap");
    for (unsigned behind = 0; behind < 2; behind++) {
        const struct numachine_command c = {NUMACHINE_WRITE_BACK, 0,
                                            (unsigned long)at + page * behind, page + 64};
        const struct numachine_command alone = {NUMACHINE_INVALIDATE, 0,
                                                (unsigned long)at + page + 64 * behind, 64};
        printf("%d ", write(fd, &c, sizeof c) < 0 ? errno : 0);
        printf("%d ", write(fd, &alone, sizeof alone) < 0 ? errno : 0);
    }
    printf("registers, %ld\n", (long)read(fd, &r, sizeof r));
    close(card);
}

static struct numachine_line look(int fd, unsigned where, unsigned flags, unsigned long long at)
{
    struct numachine_line l = {.where = where, .flags = flags, .address = at};
    if (ioctl(fd, NUMACHINE_LOOK, &l) < 0)
        fail("ioctl");
    return l;
}

/* The line may have left a small cache by itself; otherwise it is as it should be, and in a place
 * of the cache. */
static int look_here(int fd, const volatile void *at, const char *state)
{
    const struct numachine_line l = look(fd, NUMACHINE_CACHE, 0, (unsigned long)at);
    unsigned places = 1;
    struct numachine_line probe = l;
    if (!l.cards)
        return !strcmp(l.state, "I");
    do {
        places *= 2;
        probe = (struct numachine_line){.where = NUMACHINE_CACHE, .flags = 1, .address = places};
    } while (ioctl(fd, NUMACHINE_LOOK, &probe) == 0);
    probe = look(fd, NUMACHINE_CACHE, NUMACHINE_BY_INDEX, l.address / LINE % places);
    if (probe.cards && probe.address != l.address) /* unless it has made room meanwhile */
        return !look(fd, NUMACHINE_CACHE, 0, (unsigned long)at).cards;
    return !strcmp(l.state, state);
}

/* What is known of a line at home and here, after a store, a write-back and an invalidation. */
static void looks(int fd)
{
    static volatile unsigned line[LINE] __attribute__((aligned(1024)));
    struct numachine_line wrong = {.where = 3};
    line[0] = 1;
    printf("looks: %d", look_here(fd, line, "D"));
    command(fd, NUMACHINE_WRITE_BACK, 0, (void *)line, LINE);
    report(fd);
    printf(" %d", look_here(fd, line, "S"));
    command(fd, NUMACHINE_EXCLUSIVE, 0, (void *)line, LINE);
    report(fd);
    printf(" %d", look_here(fd, line, "I"));
    printf(" %s", look(fd, NUMACHINE_MEMORY, 0, (unsigned long)line).state);
    printf(" %d", ioctl(fd, NUMACHINE_LOOK, &wrong) < 0 ? errno : 0);
    wrong = (struct numachine_line){.where = NUMACHINE_CACHE, .flags = 1, .address = 1u << 30};
    printf(" %d\n", ioctl(fd, NUMACHINE_LOOK, &wrong) < 0 ? errno : 0);
}

/* In-cache zero and copy: the pages of others, taken and overwritten without their data. */
static void in_cache(int fd)
{
    static unsigned char from[1 << 14] __attribute__((aligned(64)));
    unsigned char *bytes = (unsigned char *)table;
    unsigned wrong = 0;
    for (unsigned i = 0; i < sizeof from; i++)
        from[i] = (unsigned char)(i * 7 + i / 256);
    for (unsigned round = 0; round < 3; round++) {
        numachine_zero(fd, bytes + 4096, 3 * 4096);
        for (unsigned i = 0; i < 3 * 4096; i++)
            wrong += bytes[4096 + i] != 0;
        numachine_copy(fd, bytes + 8192 * round, from, sizeof from);
        for (unsigned i = 0; i < sizeof from; i++)
            wrong += bytes[8192 * round + i] != from[i];
    }
    printf("in-cache zero and copy: %s\n", wrong ? "WRONG" : "right");
}

int main(void)
{
    int fd = open("/dev/numachine/memory", O_RDWR);
    if (fd < 0)
        fail("open");
    everyone();
    many_commands(fd);
    interrupts(fd);
    mistakes(fd);
    registers(fd);
    in_cache(fd);
    looks(fd);
    command(fd, NUMACHINE_EXCLUSIVE, NUMACHINE_SIGNAL, table, BYTES); /* the end does not wait */
    return 0;
}
