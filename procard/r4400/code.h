/*
 * Private to the interpreter: the instruction table, decoded blocks, and the pipeline's memory.
 *
 * The hard idea: how long an instruction is held back depends on what is still under way when it
 * arrives. A block is therefore decoded for one *context* - the latencies outstanding at its entry
 * - and all its slips are constants. Contexts are few (nearly always none), so this costs nothing
 * when the code runs, and status totals can be added per block instead of per instruction.
 */
#ifndef R4400_CODE_H
#define R4400_CODE_H

#include "base/alloc.h"
#include "procard/loop.h"
#include "procard/mips/isa.h"
#include "procard/r4400/r4400.h"

#include <stddef.h>
#include <uthash.h>

/* ---- operations that are no instructions ------------------------------------------------------
 */

enum r4400_opcode {
    /* They take no time. */
    R4400_OP_LINE =
        MIPS_OP__COUNT, /**< the next instruction is the first of its line: look it up in L1I */
    R4400_OP_POINT,     /**< the next instruction is the awaited one */
    R4400_OP_STOP,      /**< stands for the first operation that starts at or after the horizon */
    /* Where a run may go on, beside operations of a block. */
    R4400_OP_ENTER,  /**< at the first instruction of a block ... */
    R4400_OP_LOOK,   /**< ... which is still to be looked up */
    R4400_OP_BEHIND, /**< behind a LINE that has been looked up */
    /* How a block ends. */
    R4400_OP_END_FALL,  /**< runs on */
    R4400_OP_END_COND,  /**< conditional branch whose delay slot is in the block */
    R4400_OP_END_JUMP,  /**< jump to a fixed address, delay slot in the block */
    R4400_OP_END_REG,   /**< to an address known only now */
    R4400_OP_END_SPLIT, /**< the delay slot is in no block with its branch */
    R4400_OP_END_SYNCI, /**< instructions may have changed */
    R4400_OP__COUNT
};

/** What executes an instruction, beside the integer pipeline. */
enum r4400_unit {
    R4400_UNIT_NONE,
    R4400_UNIT_HILO,
#define PIPE(id, length, ...) R4400_UNIT_##id, /**< a way through the floating-point unit */
#include "procard/r4400/fpu_stages.def"
#undef PIPE
    R4400_UNIT__COUNT
};

/** What an instruction takes: a row of timing.def. */
struct r4400_time {
    uint8_t unit;    /**< enum r4400_unit */
    uint8_t latency; /**< [PCycles] */
    uint8_t busy;    /**< [PCycles] issue interval; for the FPU a consequence of its stages */
};

/** Of an operation that is an instruction, by enum mips_opcode. */
struct r4400_time r4400_time(unsigned code);

/* ---- the pipeline ---------------------------------------------------------------------------- */

enum { R4400_FLIGHTS = 6 }; /**< more floating-point operations never overlap; see isa_stages */

/** An operation under way in the floating-point unit. */
struct r4400_flight {
    uint8_t unit; /**< enum r4400_unit; NONE: none from here on */
    uint8_t age;  /**< [PCycles that ran] since it was issued: the stage it is in now */
};

/** What is under way at a moment, in one form only: flights from old to young, none that can no
 *  longer be in anybody's way. All bytes, so that it can be compared and hashed as it is. */
struct r4400_pending {
    uint8_t left[MIPS_RES__COUNT]; /**< [PCycles that run] until ready, by resource */
    struct r4400_flight flight[R4400_FLIGHTS];
};

/** A r4400_pending, unique within a r4400_code. */
struct r4400_context {
    struct r4400_pending pending;
    uint32_t id; /**< 0: nothing outstanding */
    UT_hash_handle hh;
};

/** What an instruction waits for and occupies. */
struct r4400_use {
    struct mips_use regs;
    struct r4400_time time;
};

/** [PCycles] an operation spends in the floating-point unit; 0: it does not go there. */
unsigned r4400_stages(enum r4400_unit unit);

/** [PCycles] the instruction is held before it can start. */
unsigned r4400_slip(const struct r4400_pending *pending, const struct r4400_use *use);

/** Starts it: its results and its unit become outstanding. Its own PCycle has not passed yet. */
void r4400_start(struct r4400_pending *pending, const struct r4400_use *use);

/** Lets n PCycles pass. */
void r4400_elapse(struct r4400_pending *pending, unsigned n);

/* ---- decoded code ---------------------------------------------------------------------------- */

_Static_assert(R4400_OP__COUNT <= UINT16_MAX + 1 && R4400_UNIT__COUNT <= UINT8_MAX + 1,
               "what a struct mips_op and a struct r4400_time hold");

/** Block flags beside those of enum mips_flags: part of the key. */
enum {
    R4400_BLOCK_SLOT = 4, /**< the delay slot, alone, of a branch that was taken */
};

struct r4400_key {
    uint64_t pc;
    uint32_t context;
    uint32_t flags;
};

/** A way out of a block. */
struct r4400_edge {
    union r4400_spent spent;             /**< by the whole block when left this way */
    struct r4400_block *to;              /**< r4400_unlinked: not looked up yet */
    const struct r4400_context *context; /**< on arrival */
    uint64_t pc;                         /**< unused by END_REG */
    uint32_t cycles;                     /**< [PCycles] sum of spent */
    bool check;    /**< enters another line or is a transfer: look it up in L1I */
    uint8_t flags; /**< of the block it leads to */
    uint8_t done;  /**< state of the last instruction, as in struct pc_tail */
    uint8_t moves; /**< enum r4400_moves: kept in a profile only */
};

/** How a way out may change the function that runs. */
enum r4400_moves {
    R4400_STAYS,
    R4400_CALLS, /**< the instruction in front of the delay slot has linked */
    R4400_JUMPS, /**< it may return, or enter another function */
    R4400_SPLIT, /**< the slot is alone in its block: a call, if it finds itself linked */
    R4400_ROUND, /**< to the beginning of a loop that stores nothing but by SC */
    R4400_OUT,   /**< not taken, of a block that may go round */
};

/** Whose delay slot an instruction is in. */
enum r4400_slot {
    R4400_SLOT_NONE,
    R4400_SLOT_BRANCH, /**< of a conditional branch */
    R4400_SLOT_JUMP,   /**< of a jump to a fixed address */
    R4400_SLOT_REG,    /**< of a jump to an address known only when it runs */
};

/** The moment an operation inside a block starts: to stop at and go on from. */
struct r4400_point {
    union r4400_spent
        spent; /**< from the block's start, own slip included; a branch counts untaken */
    const struct r4400_context *context;
    uint64_t target;     /**< of a R4400_SLOT_BRANCH or R4400_SLOT_JUMP */
    struct pc_tail tail; /**< before it in the block */
    uint8_t slot;        /**< enum r4400_slot */
};

enum { R4400_EDGE_FALL, R4400_EDGE_TAKEN };

/** A loop that the last transfer of a block closes: kept in a profile only. */
struct r4400_loop {
    uint8_t reg[PC_LOOP_VALUES]; /**< [count] what it loads from comes of, and to which */
    uint8_t count, base;         /**< base: of the word that it looks at; 0: not known */
    uint8_t scs;                 /**< store-conditionals in it */
    bool waits;                  /**< what it loads decides whether it stays */
    int16_t offset;              /**< of that word */
};

struct r4400_block {
    struct r4400_edge edge[2]; /**< FALL: also a nullified slot; TAKEN */
    struct r4400_key key;
    uint64_t line;                       /**< virtual address of its primary-cache line */
    uint32_t place;                      /**< [bytes] of that line's entry in cpu->base.i */
    uint32_t span;                       /**< [PCycles] all instructions start earlier than this */
    uint32_t count;                      /**< instructions */
    uint32_t id;                         /**< in its code, from 0 */
    const struct r4400_context *context; /**< at entry */
    struct r4400_point *points;          /**< of ops[], without the END */
    struct r4400_loop loop;
    const uint16_t *stop; /**< [bytes] in here, by PCycle below span: the first of
                               ops[] to start then or later */
    UT_hash_handle hh;
    struct mips_op ops[]; /**< the instructions, a LINE where a line begins, a POINT in front of
                              the awaited one, an END */
};

/** Where edges lead that have not been taken yet: never ends before any horizon. Never written. */
extern const struct r4400_block r4400_unlinked;

/** ENTER, LOOK and BEHIND, for r4400_pipe.op. */
extern const struct mips_op r4400_enter, r4400_look, r4400_behind_line;

struct r4400_code {
    pc_fetch_fn *fetch;
    void *ctx;
    unsigned level; /**< rows of isa.def above it are reserved */
    bool untimed;
    uint64_t awaited;   /**< address of an instruction; 0: none */
    uint64_t came, due; /**< times it has been executed, and at which a processor stops */
    const struct pc_points *points; /**< told of; NULL: none */
    uint32_t line_shift, line_mask; /**< geometry of the primary instruction cache */
    struct r4400_block *blocks;
    struct r4400_context *contexts;
    struct r4400_context *recent;     /**< the one asked for last */
    const struct r4400_context *idle; /**< the context with nothing outstanding */
    struct r4400_chunk *arena;
    uint64_t arena_bytes;
    uint32_t count;             /**< blocks */
    struct pc_profile *profile; /**< of the processors that run it; NULL: none */
    uint64_t low, high;         /**< addresses decoded so far lie in [low, high) */
    struct r4400 *cpus;         /**< that may stand in one of its blocks */
};

/** The block for a key, decoded if need be; NULL when its first instruction is not in memory. */
struct r4400_block *r4400_block_get(struct r4400_code *code, uint64_t pc,
                                    const struct r4400_context *context, unsigned flags);

/** Forgets all blocks; processors leave them. */
void r4400_code_drop(struct r4400_code *code);

/* ---- processors between two runs (stopped.c) ------------------------------------------------- */

/** Values of cpu->fetched_pc that are no addresses of instructions: what was fetched may have
 * become wrong; the processor stopped before a look-up. */
#define R4400_NOWHERE     (~UINT64_C(0))
#define R4400_NOT_FETCHED (~UINT64_C(2))

/** Settles, and the next run begins at what r.pc then says: call it before registers are changed.
 */
void r4400_leave(struct pc_cpu *base);

/** Brings r.pc and r.npc up to where the processor stopped. */
void r4400_show(struct r4400 *cpu);

/** Lets the processor run cpu->code. */
void r4400_attach(struct r4400 *cpu);

/* ---- in a profile (profile.c) ---------------------------------------------------------------- */

/** The core that keeps a cursor. */
extern const struct pc_core_ops r4400_profiled;
sim_tick r4400_run_profiled(struct pc_cpu *base, sim_tick horizon);
sim_tick r4400_run_touching(struct pc_cpu *base, sim_tick horizon);
sim_tick r4400_run_recording(struct pc_cpu *base, sim_tick horizon);

/** Says of a new block's ways out how they move. */
void r4400_profile_mark(const struct r4400_code *code, struct r4400_block *block);

/** It has left a block through an edge that moves, to `target`. */
void r4400_profile_moves(struct r4400 *cpu, const struct r4400_block *block,
                         const struct r4400_edge *edge, uint64_t target);

/** It leaves a block where it stands: what it has completed there is put down. */
void r4400_profile_leaves(struct r4400 *cpu, int sign);

/** Counters become tallies: before their blocks are forgotten. */
void r4400_profile_harvest(struct r4400_code *code);

#endif
