/*
 * Random programs from the instruction table, for comparing one execution with another.
 *
 * A program is a number of sequences. Each loads all registers from its own block of the data area,
 * runs random instructions, and stores all registers back into the block. At the end it writes the
 * whole data area to file 1 and exits: a complete Linux program without a library.
 */
#ifndef ISA_RANDOM_H
#define ISA_RANDOM_H

#include "tests/isa_rig.h"

enum {
    RANDOM_BASE = 0x400000, /**< code */
    RANDOM_DATA = 0x600000, /**< blocks, then scratch memory */
    RANDOM_SIZE = 0x400000, /**< from RANDOM_BASE */
    RANDOM_BLOCK = 560,     /**< bytes per sequence */
    RANDOM_SCRATCH = 1024,  /**< bytes that loads and stores use, behind the blocks */
};

struct random_program {
    unsigned sequences, length; /**< instructions of each */
    uint64_t seed;
    bool n64;
    enum nm_isa isa; /**< instructions of this set only */
    bool loops;      /**< every sequence runs several times (not for comparison with others) */
};

/** Writes the program into the rig's memory. Returns the bytes of the data area. */
unsigned random_write(struct rig *rig, const struct random_program *program);

/** Offsets in a block. */
enum { BLOCK_GPR = 0, BLOCK_FPR = 256, BLOCK_HI = 512, BLOCK_LO = 520, BLOCK_FCSR = 528 };

#endif
