/*
 * Basic blocks counted with the monitoring card's SRAM: each block writes to a word of its own, and
 * each write adds one (NUMAchine's monitor, "dynamic basic-block counting"). The program is
 * Euclid's algorithm on all pairs of numbers up to NUMBERS, once with the writes and once without.
 */
#include <numachine.h>
#include <stdio.h>

#ifndef NUMBERS
#define NUMBERS 40
#endif

enum block { ENTRY, STEP, COPRIME, OTHERS, DONE, BLOCKS };

static const char *const names[BLOCKS] = {"a pair", "a step", "coprime", "not coprime", "the end"};
static volatile unsigned *card;

/* A write to the word of the block, whatever is written. */
#define BLOCK(block)                                                         \
    do {                                                                     \
        if (counts)                                                          \
            numachine_card_write(card, NUMACHINE_REG_SRAM + 4 * (block), 0); \
    } while (0)

static inline __attribute__((always_inline)) unsigned coprimes(int counts)
{
    unsigned found = 0;
    for (unsigned i = 1; i <= NUMBERS; i++)
        for (unsigned k = 1; k <= NUMBERS; k++) {
            unsigned a = i, b = k;
            BLOCK(ENTRY);
            while (b) {
                const unsigned rest = a % b;
                BLOCK(STEP);
                a = b;
                b = rest;
            }
            if (a == 1) {
                BLOCK(COPRIME);
                found++;
            } else {
                BLOCK(OTHERS);
            }
        }
    BLOCK(DONE);
    return found;
}

static __attribute__((noinline)) unsigned with_counts(void)
{
    return coprimes(1);
}

static __attribute__((noinline)) unsigned without(void)
{
    return coprimes(0);
}

int main(void)
{
    card = numachine_card(-1);
    NUMACHINE_BEGIN("without");
    const unsigned found = without();
    NUMACHINE_END("without");
    NUMACHINE_BEGIN("counted");
    const unsigned again = with_counts();
    NUMACHINE_END("counted");
    printf("%u coprime pairs of numbers up to %u\n%-14s %8s\n", found, NUMBERS, "block", "SRAM");
    for (unsigned b = 0; b < BLOCKS; b++)
        printf("%-14s %8u\n", names[b], NUMACHINE_SRAM(card, b));
    printf("%-14s %8u\n", "lost", NUMACHINE_READ(card, SRAM_LOST));
    return found != again;
}
