/*
 * A guest with uncached and non-coherent pages: parts of words, messages between threads, code,
 * what is a bus error, and what the devices refuse.
 */
#include "numachine.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 65536, THREADS = 4, ROUNDS = 40, WORDS = 512 };

static sigjmp_buf back;
static volatile int signalled;

static void on_signal(int number)
{
    signalled = number;
    siglongjmp(back, 1);
}

/* ---- parts of doublewords ---- */

struct __attribute__((packed)) askew {
    uint8_t first;
    uint32_t word;
    uint16_t half;
    uint64_t whole;
    uint8_t last;
};

static void fill(volatile uint8_t *at, unsigned seed)
{
    for (unsigned i = 0; i < 64; i += 8) {
        *(volatile uint64_t *)(at + i) = 0x0101010101010101ull * (seed + i);
        at[i + seed % 8] = (uint8_t)(seed ^ i);
        *(volatile uint16_t *)(at + i + 2 * (seed % 4)) ^= (uint16_t)(seed * 77);
        *(volatile uint32_t *)(at + i + 4 * (seed % 2)) += seed * 99991;
    }
    volatile struct askew *s = (volatile struct askew *)(at + seed % 31);
    s->word = seed * 123457;
    s->whole = s->word * 1234567890123ull;
    s->half = (uint16_t)(s->whole >> 7);
    s->first = s->last;
}

static void parts(void)
{
    static uint8_t ordinary[64] __attribute__((aligned(64)));
    uint8_t *uncached = numachine_uncached(PAGE);
    int wrong = 0;
    for (unsigned seed = 0; seed < 64; seed++) {
        fill(ordinary, seed);
        fill(uncached, seed);
        for (unsigned i = 0; i < 64; i++)
            wrong += ((volatile uint8_t *)uncached)[i] != ordinary[i];
    }
    printf("uncached: parts %s\n", wrong ? "WRONG" : "right");
    munmap(uncached, PAGE);
}

/* ---- messages: every thread tells the next, in uncached memory alone ---- */

static volatile struct mailbox {
    uint32_t full, data[7];
} * mailbox;

static void *teller(void *arg)
{
    const unsigned me = (unsigned)(uintptr_t)arg, next = (me + 1) % THREADS;
    uintptr_t wrong = 0;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        while (mailbox[next].full)
            ;
        for (unsigned i = 0; i < 7; i++)
            mailbox[next].data[i] = round * 1000 + me * 10 + i;
        mailbox[next].full = round;
        while (mailbox[me].full != round)
            ;
        for (unsigned i = 0; i < 7; i++)
            wrong += mailbox[me].data[i] != round * 1000 + (me + THREADS - 1) % THREADS * 10 + i;
        mailbox[me].full = 0;
    }
    return (void *)wrong;
}

static uintptr_t everyone(void *(*work)(void *))
{
    pthread_t thread[THREADS];
    uintptr_t sum = 0;
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (unsigned i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        sum += (uintptr_t)result;
    }
    return sum;
}

/* ---- non-coherent: each thread its part, more than its cache holds ---- */

static uint32_t *table;

static void *adder(void *arg)
{
    const unsigned me = (unsigned)(uintptr_t)arg;
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < WORDS; i++)
            table[(me * WORDS + i) * 5 % (THREADS * WORDS)] += i * (round + 1);
    return NULL;
}

static int table_right(void)
{
    for (unsigned me = 0; me < THREADS; me++)
        for (unsigned i = 0; i < WORDS; i++)
            if (table[(me * WORDS + i) * 5 % (THREADS * WORDS)] != i * 6)
                return 0;
    return 1;
}

/* ---- what cannot be ---- */

static void attempt_lock(const char *what, int *at)
{
    signalled = 0;
    if (!sigsetjmp(back, 1))
        __atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST);
    printf("LL on %s page: signal %d\n", what, signalled);
}

static void attempt_call(const char *what, uint32_t *at)
{
    int (*function)(void) = (int (*)(void))at;
    at[0] = 0x03e00008; /* jr ra */
    at[1] = 0x2402002a; /* li v0, 42 */
    mprotect(at, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
    __builtin___clear_cache((char *)at, (char *)(at + 2));
    signalled = 0;
    if (!sigsetjmp(back, 1))
        printf("code on %s page: %d\n", what, function());
    else
        printf("code on %s page: signal %d\n", what, signalled);
}

static int map_error(const char *device, int flags, int rights, unsigned long bytes, long offset)
{
    int fd = open(device, flags);
    if (fd < 0)
        return errno;
    void *at = mmap(0, bytes, rights, MAP_SHARED, fd, offset);
    close(fd);
    if (at == MAP_FAILED)
        return errno;
    munmap(at, bytes);
    return 0;
}

static void refusals(void)
{
    const int both = PROT_READ | PROT_WRITE;
    char byte;
    int fd = open("/dev/numachine/uncached", O_RDWR);
    printf("refused: %d", map_error("/dev/numachine/uncached", O_RDONLY, both, PAGE, 0));
    printf(" %d", map_error("/dev/numachine/card0", O_WRONLY, PROT_READ, PAGE, 0));
    printf(" %d", map_error("/dev/numachine/card0", O_RDWR, both, 1 << 20, 0));
    printf(" %d", map_error("/dev/numachine/card", O_RDWR, both, PAGE, 1 << 19));
    printf(" %d", read(fd, &byte, 1) < 0 ? errno : 0);
    printf(" %d", write(fd, &byte, 1) < 0 ? errno : 0);
    printf(" %d", map_error("/dev/numachine/card64", O_RDWR, both, PAGE, 0));
    printf(" %d", map_error("/dev/numachine/card01", O_RDWR, both, PAGE, 0));
    printf(" %d", map_error("/dev/numachine/card-1", O_RDWR, both, PAGE, 0));
    printf(" %d\n", map_error("/dev/numachine/other", O_RDWR, both, PAGE, 0));
    close(fd);
}

static void system_calls(void)
{
    char *uncached = numachine_uncached(PAGE), got[6];
    volatile uint32_t *registers;
    int pipes[2], fd = open("/dev/numachine/card0", O_RDWR);
    memcpy(uncached, "hello", 6);
    if (pipe(pipes) < 0)
        exit(1);
    if (write(pipes[1], uncached, 6) != 6 || read(pipes[0], uncached + 6, 6) != 6)
        exit(1);
    memcpy(got, uncached + 6, 6);
    registers = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    printf("a system call copies: %d", strcmp(got, "hello"));
    printf(" %d\n", write(pipes[1], (char *)registers, 4) == 4 || errno != EFAULT);
}

int main(void)
{
    int *uncached = numachine_uncached(2 * PAGE), *noncoherent = numachine_noncoherent(2 * PAGE);
    signal(SIGBUS, on_signal);
    parts();
    mailbox = numachine_uncached(PAGE);
    printf("uncached: messages %s\n", everyone(teller) ? "WRONG" : "right");
    table = numachine_noncoherent(PAGE);
    everyone(adder);
    printf("non-coherent: data %s\n", table_right() ? "right" : "WRONG");
    attempt_lock("an uncached", uncached);
    attempt_lock("a non-coherent", noncoherent);
    attempt_call("an uncached", (uint32_t *)uncached);
    attempt_call("a non-coherent", (uint32_t *)noncoherent);
    system_calls();
    refusals();
    return 0;
}
