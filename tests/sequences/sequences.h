/*
 * Random instruction sequences: the parts.
 *
 * A sequence is drawn from (seed, number) alone, executed on registers and memory drawn the same
 * way, and leaves a state behind that must be the same on every correct processor.
 */
#ifndef SEQUENCES_H
#define SEQUENCES_H

#include <stdint.h>

enum {
    SCRATCH = 256,   /**< [bytes] of memory a sequence may touch */
    MOST_CODE = 512, /**< [words] of the longest sequence, its return included */

    /* registers with a fixed meaning; 1 .. 15 hold words, 16 .. 23 hold anything */
    REG_HELP = 24,  /**< for operands made on the spot */
    REG_COUNT = 25, /**< turns of the loop being executed */
    REG_FRAME = 28, /**< middle of the scratch memory */
    REG_STATE = 30, /**< struct state */
};

/** Registers and memory before and after. enter.S knows the layout. */
struct state {
    long gpr[32];
    long hi, lo;
    uint64_t fpr[32]; /**< doubles in those that hold doubles, else a single in the first half */
    long fcsr;
    long code; /**< address of the sequence */
    uint8_t scratch[SCRATCH] __attribute__((aligned(16)));
};

/** Loads the registers from `s`, calls s->code, and stores them back. */
void enter(struct state *s);

/** A generator whose numbers depend on its seed and nothing else. */
struct dice {
    uint32_t a, b;
};
void dice_seed(struct dice *dice, uint32_t seed, uint32_t number);
uint32_t dice_word(struct dice *dice);
/** 0 .. n-1 */
uint32_t dice_below(struct dice *dice, uint32_t n);

/** Draws a sequence. @return its length in words, at most MOST_CODE */
unsigned generate(struct dice *dice, uint32_t *code);

/** True if floating-point register `n` holds doubles (or 64-bit integers). */
static inline int holds_double(unsigned n)
{
    return n >= 16;
}

#endif
