/*
 * The ARM instruction set for cores: the table, and words and halfwords translated into operations.
 * What an operation does is in isa.def, which each core expands for itself with the arithmetic of
 * arithmetic.h.
 */
#ifndef ARM_ISA_H
#define ARM_ISA_H

#include "procard/arm/arm.h"

#include <stddef.h>

/* ---- the table ------------------------------------------------------------------------------- */

/** Encodings. */
enum arm_row_id {
#define LOGIC(id, ...)                                   ARM_ROW_##id##_I, ARM_ROW_##id##_H, ARM_ROW_##id##_V,
#define INSN(id, mask, value, name, operands, time, ...) ARM_ROW_##id,
#include "procard/arm/isa.def"
    ARM_ROWS
};

struct arm_row {
    uint32_t mask, value;
    const char *name;
    const char *operands;
};

extern const struct arm_row arm_rows[ARM_ROWS];

/** The row a word encodes; ARM_ROWS: none. */
enum arm_row_id arm_row_find(uint32_t word);

/* ---- operations ------------------------------------------------------------------------------ */

/** Loads and stores that have an address of a base and an offset. */
#define ARM_TRANSFERS(X) \
    X(LDR) X(LDRB) X(LDRH) X(LDRSB) X(LDRSH) X(LDRD) X(STR) X(STRB) X(STRH) X(STRD)

/** What is done. Data processing: operand I an immediate, R a register, L one shifted to the left
 * by an immediate, H otherwise, V by a register; with S it sets flags. Transfers: _I base and
 *  immediate, _R base and register shifted to the left, _X anything else. */
enum arm_opcode {
    ARM_OP_UNDEFINED,
#define LOGIC(id, ...)                                                                   \
    ARM_OP_##id##_I, ARM_OP_##id##_R, ARM_OP_##id##_L, ARM_OP_##id##_H, ARM_OP_##id##_V, \
        ARM_OP_##id##_IS, ARM_OP_##id##_RS, ARM_OP_##id##_LS, ARM_OP_##id##_HS, ARM_OP_##id##_VS,
#define INSN(id, mask, value, name, operands, time, ...) ARM_OP_##id,
#include "procard/arm/isa.def"
#define X(id) ARM_OP_##id##_X,
    ARM_TRANSFERS(X)
#undef X
        ARM_OP_NOP,
    ARM_OP_BL_SUFFIX,  /**< the second halfword of a Thumb BL, alone */
    ARM_OP_BLX_SUFFIX, /**< likewise of a BLX */
    ARM_OP__COUNT
};

/** What is special about an operation. */
enum arm_flags {
    ARM_READS_PC = 1,   /**< an operand is r15: the address of the instruction and 8, in Thumb 4 */
    ARM_WRITES_PC = 2,  /**< its result is r15, and so it is a jump */
    ARM_INTERWORKS = 4, /**< ... whose bit 0 says in which state it goes on */
    ARM_SETS = 8,       /**< sets N, Z, C or V */
    ARM_ALIGNS = 16,    /**< the r15 that it reads has bits 0 and 1 clear */
    ARM_ENDS = 32,      /**< a branch: what follows it need not be next */
};

/** Of transfers and multiple transfers, in `aux`. */
enum arm_addressing {
    ARM_PRE = 1, /**< the address includes the offset */
    ARM_UP = 2,  /**< the offset is added */
    ARM_WRITES_BACK = 4,
    ARM_REGISTER = 8, /**< the offset is m, shifted as imm says (enum arm_shift << 5 | amount) */
    ARM_EASY = 16,    /**< the offset takes the address unit no time of its own (timing) */
};

enum arm_shift { ARM_LSL, ARM_LSR, ARM_ASR, ARM_ROR, ARM_RRX };

/** Conditions, by their numbers: those that may fail, and the last one. */
#define ARM_CONDITIONS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13)
enum { ARM_ALWAYS = 14 };

/** One operation, ready to run. Registers are indices of struct arm_regs.r; what is not there is
 *  ARM_SINK. */
struct arm_op {
    uint16_t code; /**< enum arm_opcode, or one of a core's own behind these */
    uint8_t cond;  /**< condition; 14: always */
    uint8_t aux; /**< enum arm_addressing; of a data processing immediate its carry: 0, 1, 2: as it
                      was; of L the amount; of H enum arm_shift << 5 | amount, of V the shift */
    uint8_t flags;      /**< enum arm_flags */
    uint8_t size;       /**< [bytes] of the instruction: 2 or 4 */
    uint8_t row;        /**< enum arm_row_id; ARM_ROWS: of none */
    uint8_t d, e;       /**< results: Rd or RdLo, RdHi */
    uint8_t n, m, s, a; /**< operands; a: an accumulator, or the datum of a store */
    uint32_t imm; /**< immediate; signed offset; register list; target of a branch; the word, of
                       all others */
};
_Static_assert(ARM_ROWS <= 255, "a row's number fits a byte");

/** Translates an ARM word at `va`. */
void arm_decode(uint32_t word, uint32_t va, struct arm_op *op);

/** Translates a Thumb halfword at `va`. @param next  the halfword behind it, for BL; -1: there is
 *  none @param half  it @param va  its address @param op  takes it
 */
void arm_decode_thumb(uint16_t half, int32_t next, uint32_t va, struct arm_op *op);

/** The ARM word that does what a Thumb halfword does, of those that thumb.def has; 0: none. */
uint32_t arm_of_thumb(uint16_t half);

#endif
