/*
 * Private to the interpreter: the instruction table, decoded blocks, and the pipeline's memory.
 *
 * The hard idea: how long an instruction is held back depends on what is still under way when it
 * arrives. A block is therefore decoded for one *context* - the latencies outstanding at its entry
 * - and all its slips are constants. Contexts are few (nearly always none), so this costs nothing
 * when the code runs, and status totals can be added per block instead of per instruction.
 */
#ifndef PC_CODE_H
#define PC_CODE_H

#include "base/alloc.h"
#include "procard/r4400/r4400.h"

#include <stddef.h>
#include <uthash.h>

/* ---- the instruction table ------------------------------------------------------------------- */

enum pc_opcode {
    PC_OP_RI, /**< reserved instruction */
#define INSN(id, ...) PC_OP_##id,
#define FPOP(id, ...) PC_OP_##id,
#include "procard/r4400/isa.def"
#undef INSN
#undef FPOP
    PC_OP_ROWS_END,
    PC_OP_NOP = PC_OP_ROWS_END, /**< sll r0, r0, 0 */
    PC_OP_MOVE,                 /**< or, addu, subu, daddu or dsubu with r0 */
    /* Not instructions, they take no time. */
    PC_OP_LINE, /**< the next instruction is the first of its line: look it up in L1I */
    PC_OP_STOP, /**< stands for the first operation that starts at or after the horizon */
    /* Where a run may go on, beside operations of a block. */
    PC_OP_ENTER,  /**< at the first instruction of a block ... */
    PC_OP_LOOK,   /**< ... which is still to be looked up */
    PC_OP_BEHIND, /**< behind a LINE that has been looked up */
    /* How a block ends. */
    PC_OP_END_FALL,  /**< runs on */
    PC_OP_END_COND,  /**< conditional branch whose delay slot is in the block */
    PC_OP_END_JUMP,  /**< jump to a fixed address, delay slot in the block */
    PC_OP_END_REG,   /**< to an address known only now */
    PC_OP_END_SPLIT, /**< the delay slot is in no block with its branch */
    PC_OP_END_SYNCI, /**< instructions may have changed */
    PC_OP__COUNT
};

enum pc_class {
    PC_CLASS_LOAD,
    PC_CLASS_STORE,
    PC_CLASS_BRANCH,
    PC_CLASS_LIKELY,
    PC_CLASS_JUMP,
    PC_CLASS_JUMPR,
    PC_CLASS_INT,
    PC_CLASS_FP,
};

/** Levels of the isa column, and its flags. */
enum { PC_ISA_R1 = 5, PC_ISA_R2 = 6, PC_ISA_LEVEL = 0xf, PC_ISA_W64 = 0x10, PC_ISA_FR1 = 0x20 };

/** What latencies are kept for: registers (r1..r31, f0..f31) and units. */
enum pc_resource {
    PC_RES_GPR = 0,
    PC_RES_FPR = 32,
    PC_RES_FCC = 64, /**< the condition bits, as one */
    PC_RES_NONE,
    PC_RES_HILO, /**< the multiplier/divider with its HI and LO */
    PC_RES__COUNT
};

/** What executes an instruction, beside the integer pipeline. */
enum pc_unit {
    PC_UNIT_NONE,
    PC_UNIT_HILO,
#define PIPE(id, length, ...) PC_UNIT_##id, /**< a way through the floating-point unit */
#include "procard/r4400/fpu_stages.def"
#undef PIPE
    PC_UNIT__COUNT
};

struct pc_row {
    const char *mnemonic;
    uint32_t match, mask;
    uint8_t isa;     /**< level and flags */
    uint8_t klass;   /**< enum pc_class */
    uint8_t unit;    /**< enum pc_unit */
    uint8_t latency; /**< [PCycles] */
    uint8_t busy;    /**< [PCycles] issue interval; for the FPU a consequence of its stages */
    const char *operands;
};

/** Indexed by enum pc_opcode below PC_OP_ROWS_END; row 0 (RI) matches nothing. */
extern const struct pc_row pc_rows[PC_OP_ROWS_END];

/** The row a word encodes, whatever the ISA level; PC_OP_RI when none. */
enum pc_opcode pc_row_find(uint32_t word);

/* ---- the pipeline ---------------------------------------------------------------------------- */

enum { PC_FLIGHTS = 6 }; /**< more floating-point operations never overlap; see isa_stages */

/** An operation under way in the floating-point unit. */
struct pc_flight {
    uint8_t unit; /**< enum pc_unit; NONE: none from here on */
    uint8_t age;  /**< [PCycles that ran] since it was issued: the stage it is in now */
};

/** What is under way at a moment, in one form only: flights from old to young, none that can no
 *  longer be in anybody's way. All bytes, so that it can be compared and hashed as it is. */
struct pc_pending {
    uint8_t left[PC_RES__COUNT]; /**< [PCycles that run] until ready, by resource */
    struct pc_flight flight[PC_FLIGHTS];
};

/** A pc_pending, unique within a pc_code. */
struct pc_context {
    struct pc_pending pending;
    uint32_t id; /**< 0: nothing outstanding */
    UT_hash_handle hh;
};

struct pc_op;

/** What an instruction waits for and occupies. */
struct pc_use {
    uint8_t reads[5], writes[2]; /**< resources */
    uint8_t nreads, nwrites;
    uint8_t unit, latency, busy;
};

/** [PCycles] an operation spends in the floating-point unit; 0: it does not go there. */
unsigned pc_stages(enum pc_unit unit);

/** [PCycles] the instruction is held before it can start. */
unsigned pc_slip(const struct pc_pending *pending, const struct pc_use *use);

/** Starts it: its results and its unit become outstanding. Its own PCycle has not passed yet. */
void pc_start(struct pc_pending *pending, const struct pc_use *use);

/** Lets n PCycles pass. */
void pc_elapse(struct pc_pending *pending, unsigned n);

/** Translates one word for the block flags given; fills d, s, t, imm and code of `op` and what the
 *  pipeline must know. Words reserved under `flags` or `mips3` become PC_OP_RI. */
void pc_translate(uint32_t word, unsigned flags, bool mips3, struct pc_op *op, struct pc_use *use);

/* ---- decoded code ---------------------------------------------------------------------------- */

_Static_assert(PC_OP__COUNT <= UINT16_MAX + 1 && PC_UNIT__COUNT <= UINT8_MAX + 1,
               "what a struct pc_op and a struct pc_row hold");

/** One operation, ready to run. Offsets count bytes from the start of struct r4400. */
struct pc_op {
    uint16_t code; /**< enum pc_opcode */
    uint16_t
        cycle; /**< [PCycles] from the block's start to this instruction's, own slip included */
    uint16_t d, s, t; /**< destination and sources */
    uint16_t at;      /**< instructions before it in the block */
    int32_t imm;      /**< of LINE: [bytes] of the line's entry in cpu->base.i */
};

/** Block flags: part of the key. */
enum {
    PC_BLOCK_FR = 1,   /**< 32 double registers */
    PC_BLOCK_W64 = 2,  /**< 64-bit operation */
    PC_BLOCK_SLOT = 4, /**< the delay slot, alone, of a branch that was taken */
};

struct pc_key {
    uint64_t pc;
    uint32_t context;
    uint32_t flags;
};

/** A way out of a block. */
struct pc_edge {
    union pc_spent spent;             /**< by the whole block when left this way */
    struct pc_block *to;              /**< pc_unlinked: not looked up yet */
    const struct pc_context *context; /**< on arrival */
    uint64_t pc;                      /**< unused by END_REG */
    uint32_t cycles;                  /**< [PCycles] sum of spent */
    bool check;    /**< enters another line or is a transfer: look it up in L1I */
    uint8_t flags; /**< of the block it leads to */
    uint8_t done;  /**< state of the last instruction, as in struct pc_tail */
};

/** Whose delay slot an instruction is in. */
enum pc_slot {
    PC_SLOT_NONE,
    PC_SLOT_BRANCH, /**< of a conditional branch */
    PC_SLOT_JUMP,   /**< of a jump to a fixed address */
    PC_SLOT_REG,    /**< of a jump to an address known only when it runs */
};

/** The moment an operation inside a block starts: to stop at and go on from. */
struct pc_point {
    union pc_spent spent; /**< from the block's start, own slip included; a branch counts untaken */
    const struct pc_context *context;
    uint64_t target;     /**< of a PC_SLOT_BRANCH or PC_SLOT_JUMP */
    struct pc_tail tail; /**< before it in the block */
    uint8_t slot;        /**< enum pc_slot */
};

enum { PC_EDGE_FALL, PC_EDGE_TAKEN };

struct pc_block {
    struct pc_edge edge[2]; /**< FALL: also a nullified slot; TAKEN */
    struct pc_key key;
    uint64_t line;                    /**< virtual address of its primary-cache line */
    uint32_t place;                   /**< [bytes] of that line's entry in cpu->base.i */
    uint32_t span;                    /**< [PCycles] all instructions start earlier than this */
    uint32_t count;                   /**< instructions */
    const struct pc_context *context; /**< at entry */
    struct pc_point *points;          /**< of ops[], without the END */
    const uint16_t *stop;             /**< [bytes] in here, by PCycle below span: the first of
                                           ops[] to start then or later */
    UT_hash_handle hh;
    struct pc_op ops[]; /**< the instructions, a LINE where a line begins, an END */
};

/** Where edges lead that have not been taken yet: never ends before any horizon. */
extern struct pc_block pc_unlinked;

/** ENTER, LOOK and BEHIND, for pc_pipe.op. */
extern const struct pc_op pc_enter, pc_look, pc_behind_line;

struct pc_code {
    const uint8_t *(*fetch)(void *ctx, uint64_t va);
    void *ctx;
    bool mips3, untimed;
    uint32_t line_shift, line_mask; /**< geometry of the primary instruction cache */
    struct pc_block *blocks;
    struct pc_context *contexts;
    const struct pc_context *idle; /**< the context with nothing outstanding */
    struct pc_chunk *arena;
    uint64_t arena_bytes;
    uint64_t low, high; /**< addresses decoded so far lie in [low, high) */
    struct r4400 *cpus; /**< that may stand in one of its blocks */
};

/** The block for a key, decoded if need be; NULL when its first instruction is not in memory. */
struct pc_block *pc_block_get(struct pc_code *code, uint64_t pc, const struct pc_context *context,
                              unsigned flags);

/** Forgets all blocks; processors leave them. */
void pc_code_drop(struct pc_code *code);

/* ---- processors between two runs (stopped.c) ------------------------------------------------- */

/* Values of cpu->fetched_pc that are no addresses of instructions: what was fetched may have become
 * wrong; the processor stopped before a look-up. */
#define PC_NOWHERE     (~UINT64_C(0))
#define PC_NOT_FETCHED (~UINT64_C(2))

/** Settles, and the next run begins at what r.pc then says: call it before registers are changed.
 */
void r4400_leave(struct pc_cpu *base);

/** Brings r.pc and r.npc up to where the processor stopped. */
void r4400_show(struct r4400 *cpu);

/** Lets the processor run cpu->code. */
void r4400_attach(struct r4400 *cpu);

/* ---- floating point (fpu.c) ------------------------------------------------------------------ */

/** Executes an FPOP; false: an enabled exception, the destination is unchanged. */
typedef bool pc_fpu_fn(struct r4400 *cpu, const struct pc_op *op);
extern pc_fpu_fn *const pc_fpu[PC_OP_ROWS_END];

/** FCR0, FCR25/26/28 and FCR31 as cfc1 and ctc1 see them. */
uint32_t pc_fpu_control_read(const struct r4400 *cpu, unsigned reg);
/** false: cause bits with their enables set raise an exception (the register is written). */
bool pc_fpu_control_write(struct r4400 *cpu, unsigned reg, uint32_t value);

#endif
