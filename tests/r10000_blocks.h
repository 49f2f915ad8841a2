/*
 * Random code for R10000s: a block of instructions of MIPS IV, drawn from the instruction table by
 * seed, that goes round a few times and ends with a SYSCALL, unless something in it traps before.
 */
#ifndef R10000_BLOCKS_H
#define R10000_BLOCKS_H

#include "procard/mips/isa.h"
#include "procard/r10000/r10000.h"

/** Whence a block's loads and stores go; its registers BLOCKS_HOT ... point there. */
enum blocks_base {
    BLOCKS_HOT = 16, /**< lines that the card keeps */
    BLOCKS_SHARED,   /**< lines that all cards write */
    BLOCKS_FAR,      /**< more than the secondary cache holds */
    BLOCKS_ODD,      /**< a page that is uncached, or not there */
    BLOCKS_INDEX,    /**< a small offset, for indexed ones ... */
    BLOCKS_VALUE,    /**< a value for the event counters' registers ... */
    BLOCKS_ROUNDS,   /**< rounds left ... */
    BLOCKS_TO,       /**< where a jump leads: these are not changed otherwise */
    BLOCKS_END
};

struct blocks {
    uint64_t seed;          /**< drawn from; goes on */
    uint64_t at;            /**< address of the code */
    unsigned flags;         /**< enum mips_flags the thread runs with */
    struct r10k_code *code; /**< of any memory: to ask what words do */
};

enum { BLOCKS_ROOM = 400 };

/** @param[out] words  [BLOCKS_ROOM] @return how many they are */
unsigned blocks_draw(struct blocks *b, uint32_t *words);

/** Registers to begin with, but for the addresses. */
void blocks_registers(struct blocks *b, struct mips_regs *regs);

/** Below n. */
unsigned blocks_below(struct blocks *b, unsigned n);

#endif
