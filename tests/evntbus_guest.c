/*
 * A loop while an ARM11 exports its events (PMNC bit X) and counts two of them: prints what it has
 * counted of instructions and branches.
 */
#include <stdio.h>

enum { E = 1, P = 2, X = 1 << 11, INSTRUCTIONS = 0x07 << 20, BRANCHES = 0x05 << 12 };

int main(void)
{
    unsigned n = 50, instructions, branches;
    const unsigned on = E | P | X | INSTRUCTIONS | BRANCHES, off = INSTRUCTIONS | BRANCHES;
    __asm__ volatile("mcr p15, 0, %3, c15, c12, 0\n"
                     "1: subs %0, %0, #1\n"
                     "nop\n"
                     "bne 1b\n"
                     "mcr p15, 0, %4, c15, c12, 0\n"
                     "mrc p15, 0, %1, c15, c12, 2\n"
                     "mrc p15, 0, %2, c15, c12, 3\n"
                     : "+r"(n), "=&r"(instructions), "=&r"(branches)
                     : "r"(on), "r"(off)
                     : "cc");
    printf("%u %u\n", instructions, branches);
    return 0;
}
