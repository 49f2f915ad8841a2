/*
 * The MIPS instruction set for cores: the table, words translated into operations, and the
 * floating-point arithmetic. Semantics of all other instructions: semantics.def, which each core
 * expands for itself.
 */
#ifndef MIPS_ISA_H
#define MIPS_ISA_H

#include "machine/params.h"
#include "procard/mips/mips.h"

/* ---- the table ------------------------------------------------------------------------------- */

enum mips_opcode {
    MIPS_OP_RI, /**< reserved instruction */
#define INSN(id, ...) MIPS_OP_##id,
#define FPOP(id, ...) MIPS_OP_##id,
#include "procard/mips/isa.def"
#undef INSN
#undef FPOP
    MIPS_OP_ROWS_END,
    MIPS_OP_NOP = MIPS_OP_ROWS_END, /**< sll r0, r0, 0 */
    MIPS_OP_MOVE,                   /**< or, addu, subu, daddu or dsubu with r0 */
    MIPS_OP__COUNT
};

enum mips_class {
    MIPS_CLASS_LOAD,
    MIPS_CLASS_STORE,
    MIPS_CLASS_BRANCH,
    MIPS_CLASS_LIKELY,
    MIPS_CLASS_JUMP,
    MIPS_CLASS_JUMPR,
    MIPS_CLASS_INT,
    MIPS_CLASS_FP,
};

/** Levels of the isa column, and its flags. */
enum {
    MIPS_ISA_R1 = 5,
    MIPS_ISA_R2 = 6,
    MIPS_ISA_LEVEL = 0xf,
    MIPS_ISA_W64 = 0x10,
    MIPS_ISA_FR1 = 0x20
};

/** What an instruction can read or write: registers (r1..r31, f0..f31), and what is beside them. */
enum mips_resource {
    MIPS_RES_GPR = 0,
    MIPS_RES_FPR = 32,
    MIPS_RES_FCC = 64, /**< the condition bits, as one */
    MIPS_RES_NONE,
    MIPS_RES_HILO, /**< the multiplier/divider with its HI and LO */
    MIPS_RES__COUNT
};

struct mips_row {
    const char *mnemonic;
    uint32_t match, mask;
    uint8_t isa;   /**< level and flags */
    uint8_t klass; /**< enum mips_class */
    const char *operands;
};

/** Indexed by enum mips_opcode below MIPS_OP_ROWS_END; row 0 (RI) matches nothing. */
extern const struct mips_row mips_rows[MIPS_OP_ROWS_END];

/** The last level of the isa column that a processor of this set executes. */
unsigned mips_level(enum nm_isa isa);

/** The row a word encodes, of any ISA level; MIPS_OP_RI when none. */
enum mips_opcode mips_row_find(uint32_t word);

/** enum mips_class of an operation. */
static inline unsigned mips_class_of(unsigned code)
{
    return code < MIPS_OP_ROWS_END ? mips_rows[code].klass : MIPS_CLASS_INT;
}

/** Bytes from an address to in front of another. */
struct mips_reach {
    uint64_t first, end;
};

/**
 * What a load or a store touches. The unaligned pairs ask the card for one byte and reach to the
 * end, or from the beginning, of their word.
 * @param word  the instruction
 * @param size  [bytes] it has asked for
 */
static inline struct mips_reach mips_reach_of(uint32_t word, uint64_t at, unsigned size)
{
    enum { LDL = 0x1a, LDR, LWL = 0x22, LWR = 0x26, SWL = 0x2a, SDL = 0x2c, SDR, SWR };
    switch (word >> 26) {
    case LWL:
    case SWL:
        return (struct mips_reach){at, (at | 3) + 1};
    case LDL:
    case SDL:
        return (struct mips_reach){at, (at | 7) + 1};
    case LWR:
    case SWR:
        return (struct mips_reach){at & ~UINT64_C(3), at + 1};
    case LDR:
    case SDR:
        return (struct mips_reach){at & ~UINT64_C(7), at + 1};
    default:
        return (struct mips_reach){at, at + size};
    }
}

/** Which bytes of its doubleword a store at `pa` writes, one bit each (pc_core_ops.store_bytes).
 *  The others as of mips_reach_of. */
static inline uint8_t mips_store_bytes(uint32_t word, uint64_t pa, unsigned size)
{
    const struct mips_reach reach = mips_reach_of(word, pa & 7, size);
    return (uint8_t)((1u << reach.end) - (1u << reach.first));
}

/* ---- operations ------------------------------------------------------------------------------ */

/** Modes of a thread that decide what a word means. */
enum mips_flags {
    MIPS_FR = 1,  /**< 32 double registers */
    MIPS_W64 = 2, /**< 64-bit operation */
};

/** One operation, ready to run. Offsets count bytes from the start of struct mips_regs. */
struct mips_op {
    uint16_t code;    /**< enum mips_opcode, or one of a core's own behind these */
    uint16_t cycle;   /**< the core's: [PCycles] from its block's start */
    uint16_t d, s, t; /**< destination and sources */
    uint16_t at;      /**< the core's: instructions before it in its block */
    int32_t imm;
};

/** The registers it reads and writes besides HI and LO: resources. */
struct mips_use {
    uint8_t reads[5], writes[2];
    uint8_t nreads, nwrites;
};

/** Translates one word for the flags given; fills d, s, t, imm and code of `op` and what it uses.
 * Words reserved under `flags` or above `level` become MIPS_OP_RI. */
void mips_translate(uint32_t word, unsigned flags, unsigned level, struct mips_op *op,
                    struct mips_use *use);

/* ---- floating point (fpu.c) ------------------------------------------------------------------ */

/** Executes an FPOP; false: an enabled exception, the destination is unchanged. */
typedef bool mips_fpu_fn(struct mips_regs *regs, const struct mips_op *op);
extern mips_fpu_fn *const mips_fpu[MIPS_OP_ROWS_END];

/** FCR0, FCR25/26/28 and FCR31 as cfc1 and ctc1 see them. */
uint32_t mips_fpu_control_read(const struct mips_regs *regs, unsigned reg);
/** false: cause bits with their enables set raise an exception (the register is written).
 *  @param level  as mips_level gives it: before the fourth there is one condition code */
bool mips_fpu_control_write(struct mips_regs *regs, unsigned reg, uint32_t value, unsigned level);

#endif
