/*
 * What a load, a byte read, written and copied take, as published tables of the time have it.
 *
 * A ring of pointers, one in each line, is followed: each load waits for the one before. Rings as
 * large as the primary and the secondary cache are warm. Then a large array is read, written, and
 * copied to another, by words, eight in a turn of the loop.
 */
#include "numachine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOADS = 20000,
    STRIDE = 128,
    PRIMARY = 4 << 10,
    SECONDARY = 128 << 10, /* more than any primary cache, less than a TLB reaches */
    ARRAY = 2 << 20,
    APART = 8 << 10, /* so that the arrays do not meet in direct-mapped caches */
    PAGE = 4 << 10,
    WORDS = ARRAY / sizeof(long),
};

#define EIGHT(x) x x x x x x x x

static void *volatile *ring(char *at, long bytes)
{
    for (long i = 0; i < bytes; i += STRIDE)
        *(void **)(at + i) = at + (i + STRIDE) % bytes;
    return (void *volatile *)at;
}

static void *volatile *follow(void *volatile *p, long loads)
{
    for (long i = 0; i < loads; i += 80) {
        EIGHT(EIGHT(p = *p;) p = *p; p = *p;)
    }
    return p;
}

/** A ring that has been followed twice. */
static void *volatile *warm(char *at, long bytes)
{
    return follow(ring(at, bytes), 2 * bytes / STRIDE);
}

static long reads(const volatile long *a)
{
    long sum = 0;

    for (unsigned long i = 0; i < WORDS; i += 8) {
        const volatile long *w = a + i;
        sum += w[0] + w[1] + w[2] + w[3] + w[4] + w[5] + w[6] + w[7];
    }
    return sum;
}

static void writes(volatile long *a)
{
    for (unsigned long i = 0; i < WORDS; i += 8) {
        volatile long *w = a + i;
        w[0] = w[1] = w[2] = w[3] = w[4] = w[5] = w[6] = w[7] = 1;
    }
}

static void copies(volatile long *to, const volatile long *from)
{
    for (unsigned long i = 0; i < WORDS; i += 8) {
        volatile long *t = to + i;
        const volatile long *f = from + i;
        t[0] = f[0], t[1] = f[1], t[2] = f[2], t[3] = f[3];
        t[4] = f[4], t[5] = f[5], t[6] = f[6], t[7] = f[7];
    }
}

int main(void)
{
    char *a = aligned_alloc(PAGE, 2 * ARRAY + APART), *b = a + ARRAY + APART;
    void *volatile *p;
    long sum;

    memset(a, 1, 2 * ARRAY + APART); /* pages are there */
    p = warm(a, PRIMARY);
    NUMACHINE_BEGIN("primary");
    sum = (long)follow(p, LOADS);
    NUMACHINE_END("primary");
    p = warm(a, SECONDARY);
    NUMACHINE_BEGIN("secondary");
    sum += (long)follow(p, LOADS);
    NUMACHINE_END("secondary");
    NUMACHINE_BEGIN("read");
    sum += reads((long *)a);
    NUMACHINE_END("read");
    NUMACHINE_BEGIN("write");
    writes((long *)b);
    NUMACHINE_END("write");
    NUMACHINE_BEGIN("copy");
    copies((long *)b, (long *)a);
    NUMACHINE_END("copy");
    printf("%s\n", sum ? "done" : "nothing");
    return 0;
}
