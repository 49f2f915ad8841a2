/*
 * What people have measured on a Raspberry Pi 1 (an ARM1176 at 700 MHz), to be run here:
 * docs/arm11.md, "Boards". Prints each figure beside the board's.
 *
 *     arm-linux-gnueabi-gcc -O2 -static -march=armv6 -marm experiments/arm11-board.c -o board
 *     numachine stat -m arm1176-l220 -- ./board
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef MOST /* that trial division goes up to */
#define MOST 10000
#endif

static inline void control(uint32_t v)
{
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 0" : : "r"(v) : "memory");
}

static inline uint32_t cycles(void)
{
    uint32_t v;
    __asm__ volatile("mrc p15, 0, %0, c15, c12, 1" : "=r"(v) : : "memory");
    return v;
}

/* Cycles, instructions and fetch stalls of 5 NOPs between two readings of all three counters. */
static void __attribute__((noinline, aligned(32))) five_nops(uint32_t took[3])
{
    uint32_t before[3], after[3];
    __asm__ volatile("mrc p15, 0, %0, c15, c12, 1\n mrc p15, 0, %1, c15, c12, 2\n"
                     "mrc p15, 0, %2, c15, c12, 3\n nop\n nop\n nop\n nop\n nop\n"
                     "mrc p15, 0, %3, c15, c12, 1\n mrc p15, 0, %4, c15, c12, 2\n"
                     "mrc p15, 0, %5, c15, c12, 3\n"
                     : "=&r"(before[0]), "=&r"(before[1]), "=&r"(before[2]), "=&r"(after[0]),
                       "=&r"(after[1]), "=&r"(after[2]));
    for (unsigned i = 0; i < 3; i++)
        took[i] = after[i] - before[i];
}

/* A ring of places, `step` bytes apart, that each point to the next one but some. */
static void **ring(unsigned bytes, unsigned step)
{
    enum { STRIDE = 7 };
    char *memory = malloc(bytes);
    const unsigned n = bytes / step;
    for (unsigned i = 0; i < n; i++)
        *(void **)(memory + (size_t)i * step) = memory + (size_t)((i + STRIDE) % n) * step;
    return (void **)memory;
}

/* Cycles of a load that waits for the one before, times 100. */
static unsigned chase(unsigned bytes, unsigned step)
{
    void **at = ring(bytes, step);
    const unsigned loads = 2 * bytes / step;
    for (unsigned i = 0; i < loads; i++)
        at = *at;
    const uint32_t from = cycles();
    for (unsigned i = 0; i < loads; i += 16)
        __asm__ volatile(".rept 16\n ldr %0, [%0]\n .endr" : "+r"(at) : : "memory");
    return (unsigned)((uint64_t)(cycles() - from) * 100 / loads);
}

/* Trial division of 64-bit numbers up to `most`: all up to 10000 are one event of the benchmark.
 * Its square roots, one for each number, are hardware's there, and left out here.
 * @return divisions */
static unsigned primes(unsigned most)
{
    unsigned divisions = 0;
    uint64_t root = 1;
    for (volatile uint64_t c = 3; c < most; c++) {
        const uint64_t number = c;
        root += (root + 1) * (root + 1) <= number;
        for (uint64_t l = 2; l <= root; l++) {
            divisions++;
            if (number % l == 0)
                break;
        }
    }
    return divisions;
}

int main(void)
{
    enum { LINE = 64, KB = 1024 };
    uint32_t took[3];
    control(0x7u << 20 | 0x1u << 12 | 7);
    for (unsigned i = 0; i < 3; i++) {
        five_nops(took);
        printf("5 NOPs, pass %u: %u cycles, %u instructions, %u fetch stalls\n", i,
               (unsigned)took[0], (unsigned)took[1], (unsigned)took[2]);
    }
    const unsigned near = chase(8 * KB, 32), second = chase(64 * KB, 32),
                   far = chase(512 * KB, LINE);
    printf("a load of the primary cache: %u.%02u cycles\n", near / 100, near % 100);
    printf("of the secondary cache: %u.%02u cycles\n", second / 100, second % 100);
    printf("of memory: %u.%02u cycles\n", far / 100, far % 100);
    const uint32_t from = cycles();
    const unsigned divisions = primes(MOST);
    printf("trial division: %u cycles each of %u\n", (unsigned)((cycles() - from) / divisions),
           divisions);
    return 0;
}
