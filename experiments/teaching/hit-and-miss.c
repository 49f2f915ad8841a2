/*
 * What a load costs: one thread reads arrays of growing size, one word of each line, over and over.
 *
 * A load uses the address that the one before has brought, so that none can hide behind another.
 * The array is walked once before it is measured: what fits into a cache is there then.
 */
#include <numachine.h>
#include <stdio.h>

enum { LINE = 64, KB = 1024, MOST = 1024 * KB, LOADS = 16384 };

static struct line {
    struct line *next;
    char rest[LINE - sizeof(struct line *)];
} array[MOST / LINE] __attribute__((aligned(MOST)));

/* A ring through the first `bytes` of the array. */
static void tie(unsigned bytes)
{
    const unsigned lines = bytes / LINE;
    for (unsigned i = 0; i < lines; i++)
        array[i].next = &array[(i + 1) % lines];
}

/* One loop for all sizes: a compiler that puts it in each place makes it a little different there.
 */
static __attribute__((noinline)) struct line *walk(struct line *at, unsigned loads)
{
    for (unsigned i = 0; i < loads; i++)
        at = *(struct line *volatile *)&at->next;
    return at;
}

/* A region's name is a literal, so each size is written down. */
#define MEASURE(name, bytes)               \
    do {                                   \
        tie(bytes);                        \
        walk(array, (bytes) / LINE);       \
        NUMACHINE_BEGIN(name);             \
        end += walk(array, LOADS) - array; \
        NUMACHINE_END(name);               \
    } while (0)

int main(void)
{
    long end = 0;
    MEASURE("8KB", 8 * KB);
    MEASURE("16KB", 16 * KB);
    MEASURE("32KB", 32 * KB);
    MEASURE("256KB", 256 * KB);
    MEASURE("512KB", 512 * KB);
    MEASURE("1MB", 1024 * KB);
    printf("%d loads of each size, %ld\n", LOADS, end);
    return 0;
}
