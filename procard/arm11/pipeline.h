/*
 * Private to the core: what an ARM11 holds.
 *
 * Instructions issue in order. Each names what it reads; what it writes has a tick from which it
 * may be read (`ready`), and that is all there is of the pipeline: nothing is in flight but loads
 * that have missed, whose registers are ready never, until their line comes.
 *
 * The hard idea is how a run may end anywhere. A load that waits has issued, and what follows it
 * goes on; its register is written when the card answers (lsu.c), whether the core runs or not. So
 * do the stores in the write buffer. Before a trap all are done; a thread that is taken off without
 * one has them done there and then.
 */
#ifndef ARM11_PIPELINE_H
#define ARM11_PIPELINE_H

#include "base/alloc.h"
#include "machine/params.h"
#include "monitor/arm11/pmu.h"
#include "monitor/own.h"
#include "procard/arm/isa.h"
#include "procard/arm11/arm11.h"
#include "procard/core.h"
#include "procard/loop.h"

#include <uthash.h>

/* ---- decoded code (code.c) ------------------------------------------------------------------- */

/** Operations that are no instructions, and those whose code an operation has in place of its own.
 */
enum arm11_opcode {
    ARM11_OP_CONDITION = ARM_OP__COUNT, /**< of `real`, if its condition holds: one for each */
    ARM11_OP_BRANCH = ARM11_OP_CONDITION + ARM_ALWAYS, /**< B with a condition, likewise */
    ARM11_OP_PC = ARM11_OP_BRANCH + ARM_ALWAYS, /**< the next reads r15, which is `imm` then */
    ARM11_OP_LINE,   /**< the next instruction is the first of its line */
    ARM11_OP_POINT,  /**< the next instruction is the awaited one */
    ARM11_OP_END,    /**< the block runs on */
    ARM11_OP_END_PC, /**< the instruction before has written r15 */
    ARM11_OP__COUNT
};

/** What reads of registers that are no registers wait for: places behind those of arm_regs. */
enum {
    ARM11_LSU = ARM_PLACES, /**< the load/store pipe takes another instruction */
    ARM11_READY
};

/** Of a register that a load still waits for: later than any tick, also by what a reader may
 * differ. */
#define ARM11_PENDING (SIM_NEVER / 4)

/** One operation of a block. */
struct arm11_op {
    struct arm_op a;
    uint16_t real;     /**< of a CONDITION: its own code */
    uint16_t at;       /**< [halfwords] from its block's start */
    uint8_t source[5]; /**< registers it waits for, or ARM_SINK */
    int8_t adjust[5];  /**< how much later than `ready` it may read them */
    uint8_t cycles, latency, second;
    uint8_t memory; /**< [PCycles] the load/store pipe is busy */
    uint8_t wrong;  /**< [PCycles] of a branch: if it is predicted wrong */
    uint8_t folds;  /**< a branch: another instruction stands beside it */
    uint8_t pops;   /**< a write of the pc: it is a return */
};

/** Whether an edge leads into another function. */
enum arm11_leaves { ARM11_LEAVES_UNKNOWN, ARM11_LEAVES_NOT, ARM11_LEAVES };

struct arm11_edge {
    struct arm11_block *to; /**< NULL: not looked up yet */
    uint32_t pc;
    uint8_t leaves; /**< enum arm11_leaves: in a profile */
};

/** Through which edge a block is left. */
enum { ARM11_FALL, ARM11_TAKEN };

/** A loop that only looks, which the last branch of a block closes: in a profile (loops.c). */
struct arm11_loop {
    bool looked_for;
    bool known_word;             /**< `word` is the load that it looks at */
    uint8_t count;               /**< registers that tell one time round from another; 0: no loop */
    uint8_t reg[PC_LOOP_VALUES]; /**< ... which they are */
    unsigned scs;                /**< store-conditionals in it */
    bool waits;                  /**< what it loads decides whether it stays */
    struct arm_op word;
};

struct arm11_key {
    uint32_t pc;
    uint32_t thumb;
};

struct arm11_block {
    struct arm11_key key;
    uint32_t count; /**< instructions */
    struct arm11_edge edge[2];
    struct arm11_loop loop;
    UT_hash_handle hh;
    struct arm11_op op[];
};

struct arm11_chunk;

struct arm11_code {
    pc_fetch_fn *fetch;
    void *ctx;
    uint32_t byte_load;  /**< [PCycles] */
    bool mov_returns;    /**< mov pc, lr is a return */
    uint64_t generation; /**< all blocks of another are gone; */
    uint64_t alike;   /**< from this one on they have been decoded again as they were, but for what
                           is told of */
    uint64_t awaited; /**< 1 more than the address of an instruction; 0: none */
    uint64_t came, due;
    const struct pc_points *points; /**< told of; NULL: none */
    struct arm11_block *blocks;
    uint64_t low, high; /**< addresses decoded so far lie in [low, high) */
    uint64_t bytes;     /**< of blocks */
};

/** The block that begins there, decoded if need be; NULL: there is no instruction in memory. */
struct arm11_block *arm11_block_get(struct arm11_code *code, uint32_t pc, bool thumb);

/** The instruction at `pc`, decoded. @return false: there is none in memory */
bool arm11_decode(const struct arm11_code *code, uint32_t pc, bool thumb, struct arm_op *op);

/** Forgets all blocks. */
void arm11_code_drop(struct arm11_code *code);

/* ---- caches ---------------------------------------------------------------------------------- */

enum {
    ARM11_WAYS = 4,
    ARM11_LINE = 32, /**< [bytes] */
    ARM11_LINE_SHIFT = 5,
    ARM11_VIEWS = 1024, /**< places of a view: a power of two */
    ARM11_MICRO = 16,   /**< at most, of a MicroTLB */
    ARM11_WRITES = 16,  /**< at most, of the write buffer */
    ARM11_MISSES = 2,
    ARM11_PARTS = 16,
    ARM11_CALLS = 3, /**< places of the return stack [M] 5-7 */
};

struct arm11_line {
    uint64_t line; /**< physical address; ~0: none */
    uint32_t va;   /**< where it is shown */
    uint8_t state; /**< enum nm_line, as the secondary cache's */
    uint8_t dirty; /**< halves written: bits 0 and 1 */
};

/** Of four ways. What is to be replaced is the first way that is empty, else the next in turn of
 * one counter for all sets ([M] 7-4). */
struct arm11_cache {
    struct arm11_line *line; /**< [sets][ways] */
    uint32_t mask;           /**< sets - 1 */
    unsigned next;
};

/** Replaced in turn ([M] 6-4). */
struct arm11_micro {
    uint32_t page[ARM11_MICRO]; /**< number and 1; 0: none */
    unsigned next, last;
};

/** What a load does with its bytes when they come. */
struct arm11_part {
    uint8_t reg;    /**< ARM_SINK: nothing */
    uint8_t kind;   /**< enum arm11_kind */
    uint8_t offset; /**< in its line */
    uint8_t extra;  /**< [PCycles] later than the first */
};

enum arm11_kind {
    ARM11_WORD,
    ARM11_BYTE,
    ARM11_HALF,
    ARM11_SIGNED_BYTE,
    ARM11_SIGNED_HALF,
    ARM11_KINDS
};

enum arm11_access {
    ARM11_LOAD,
    ARM11_LINKED,
    ARM11_CONDITIONAL,
    ARM11_SWAP,
};

/** A miss under which the core goes on, or of an exclusive access. */
struct arm11_miss {
    enum arm11_miss_phase {
        ARM11_MISS_NONE,
        ARM11_MISS_ASK,     /**< the card is still to be asked */
        ARM11_MISS_MEMORY,  /**< it has been */
        ARM11_MISS_ARRIVES, /**< served; its place is taken until `until` */
    } phase;
    uint8_t access;   /**< enum arm11_access */
    bool big;         /**< big-endian */
    unsigned latency; /**< [PCycles] of the instruction, if its line is here */
    uint8_t size;     /**< [bytes] of a conditional store or a swap */
    unsigned parts;
    uint32_t va, pc;
    uint64_t order; /**< counts misses */
    sim_tick until;
    struct pc_look look;
    struct arm11_part part[ARM11_PARTS];
    uint8_t data[8]; /**< of a conditional store or a swap */
};

/** A line of stores that wait. */
struct arm11_write {
    uint64_t line;   /**< physical */
    uint32_t va, pc; /**< pc: of the first store */
    uint32_t mask;   /**< bytes */
    uint8_t page;
    bool looked;      /**< into the secondary cache, for the first time: */
    sim_tick latency; /**< [PCycles] until it is written there */
    uint8_t data[ARM11_LINE];
};

/** Words of an uncached page that a multiple load has. It begins anew when its thread leaves. */
struct arm11_words {
    unsigned n;
    uint8_t bytes[4 * ARM11_PARTS];
};

/* ---- the core -------------------------------------------------------------------------------- */

struct arm11_target {
    uint32_t tag; /**< address and state, and 1; 0: none */
    uint8_t counter;
};

/** An instruction that has written r15, which is not known yet: the jump is still to be made. It
 *  needs no block: those may be forgotten meanwhile. */
struct arm11_jump {
    struct arm11_op by;
    uint32_t pc; /**< of that instruction */
    bool waits;
};

/** PCycles in a row that were put down to one thing other than instructions. */
struct arm11_spent {
    sim_tick to; /**< behind the last of them */
    uint64_t n;
    enum pc_status state;
};

struct arm11 {
    struct pc_cpu base;
    struct arm_regs r; /**< as of the last instruction */
    sim_tick ready[ARM11_READY];
    sim_tick
        lock[ARM_PLACES]; /**< a store-multiple holds them up to here: they may not be written */
    sim_tick locked;      /**< the last of these */
    struct pc_line *view, *blind; /**< of the data cache: what needs no look; what it has when data
                                     are big-endian: nothing */
    uint32_t view_mask;
    struct pc_line *views, *iviews;
    struct arm11_line **shown; /**< by place of `views`: the line ... */
    uint8_t *wrote;            /**< ... and its halves that have been written through it */
    struct arm11_code *code;
    const struct nm_params *p;

    /* where it stands: behind an instruction whose jump waits; else at r.r[ARM_PC], and, of the
     * same generation of blocks: */
    struct arm11_jump jump;
    struct arm11_block *block;
    struct arm11_op *op;
    uint32_t begins; /**< `block` does */
    uint64_t generation;
    struct arm11_block *hot[256];
    uint32_t call_pc, call_npc;
    enum pc_stop why;

    /* caches */
    struct arm11_cache cache[PC_SIDES];
    struct arm11_micro micro[PC_SIDES];
    uint32_t *main_tlb[2]; /**< ways: page and 1; 0: none */
    uint8_t *main_old;     /**< which way next */
    struct arm11_miss miss[ARM11_MISSES];
    uint64_t misses; /**< so far */
    sim_tick full; /**< up to here all their places are taken; ARM11_PENDING: until one is answered
                    */
    struct arm11_write write[ARM11_WRITES];
    unsigned writes;  /**< from the oldest, at write[0] */
    bool write_asked; /**< the oldest waits for the card */
    struct arm11_words outside;
    bool drains; /**< an uncached load waits, and found stores that did */
    sim_tick
        write_free[ARM11_WRITES]; /**< places whose line is on its way to the secondary cache */
    bool asked;                   /**< in this run ... */
    sim_tick ends;                /**< ... which was to end here */
    struct {
        sim_tick
            latency; /**< [PCycles] of the secondary cache, if it has the line; 0: not looked */
        bool wanted, asked,
            came; /**< `came`: may be read once, though it is in the cache no more */
        uint64_t line;
        uint32_t va;
        struct pc_look look;
    } fetch;
    struct {
        uint64_t line;  /**< that the secondary cache is sending to a fetch from where nothing is
                             executed */
        sim_tick until; /**< its first doubleword has come; ARM11_PENDING: the card is asked */
    } ahead;

    /* prediction */
    struct arm11_target *btac;
    uint32_t stack[ARM11_CALLS];
    unsigned calls, top; /**< places of the stack in use; where the next goes */

    /* books */
    struct arm11_spent spent[2]; /**< the last, and the one before */
    unsigned kills;              /**< [PCycles] of the branch or jump that issues now */
    uint64_t loads, stores, l1_misses[PC_SIDES], l1_writebacks;
    struct arm11_signals signals;

    /* in a trace: the instruction that has been told of last and its line, and how many references
     * before their PCycle */
    uint64_t told_line, told_early;
    uint32_t told_pc;
    struct {
        sim_tick behind; /**< one more than when it came */
        unsigned order;
    } came; /**< the last instruction that was told of as it came (pc_record_point) */

    /* its counters */
    struct arm11_pmu pmu;
    unsigned lines;    /**< what has asserted its lines, has interrupted, and still does */
    sim_tick attended; /**< when they were looked at or written last */
    uint32_t awaits;   /**< signals that a counter near its end waits for, a bit each */
    bool chose_unknown;
    struct pc_unknown_event unknown; /**< valid then: the first */
};

static inline struct arm11 *arm11_of(struct pc_cpu *base)
{
    return (struct arm11 *)base;
}

static inline const struct arm11 *arm11_const_of(const struct pc_cpu *base)
{
    return (const struct arm11 *)base;
}

/** A signal that the counters wait for has grown: they are looked at in the next PCycle.
 *  (counters.c) */
void arm11_grew(struct arm11 *c);

static inline void arm11_signal(struct arm11 *c, enum arm11_signal s, uint64_t n)
{
    c->signals.total[s] += n;
    if (ARM11_RARE >> s & 1 && __builtin_expect(c->awaits >> s & 1, 0))
        arm11_grew(c);
}

/** Caches and predictors are empty. @param c  the core @param p  outlives it */
void arm11_new(struct arm11 *c, const struct nm_params *p);
void arm11_free(struct arm11 *c);

/* ---- exec.c ---------------------------------------------------------------------------------- */

/** pc_core_ops.run: with time; without; both observed (profile.h). */
sim_tick arm11_run(struct pc_cpu *base, sim_tick horizon);
sim_tick arm11_run_untimed(struct pc_cpu *base, sim_tick horizon);
sim_tick arm11_run_observed(struct pc_cpu *base, sim_tick horizon);
sim_tick arm11_run_untimed_observed(struct pc_cpu *base, sim_tick horizon);

/* ---- lsu.c: what is no plain hit. They begin at base.now, and may move it
 * ------------------------
 *
 * @return false: base.now is where the instruction begins again, and c->why says why; nothing has
 * happened
 */

/** A load: register `reg`, ready `latency` later. */
bool arm11_load(struct arm11 *c, uint32_t va, enum arm11_kind kind, unsigned reg, unsigned latency);
/** The same of `n` words, 16 at most, of which each pair is a PCycle later than the one before. */
bool arm11_load_words(struct arm11 *c, uint32_t va, const uint8_t *regs, unsigned n,
                      unsigned latency);
bool arm11_store(struct arm11 *c, uint32_t va, const uint32_t *words, unsigned n, unsigned size);
bool arm11_linked(struct arm11 *c, uint32_t va, unsigned size, unsigned d, unsigned e,
                  unsigned latency);
bool arm11_conditional(struct arm11 *c, uint32_t va, unsigned size, uint32_t low, uint32_t high,
                       unsigned d, unsigned latency);
bool arm11_swap(struct arm11 *c, uint32_t va, unsigned size, uint32_t datum, unsigned d,
                unsigned latency);
void arm11_preload(struct arm11 *c, uint32_t va);
/** All loads and stores are done. @param counts  as a drain of the write buffer */
bool arm11_barrier(struct arm11 *c, bool counts);
/** The line of an instruction. */
bool arm11_fetch(struct arm11 *c, uint32_t pc);
/** Fetch has been at `va`, and nothing there is executed. At base.now, which is before
 * base.horizon; that may be nearer now.
 *  @param fills  false: it is cancelled before a line that misses is asked for */
void arm11_fetch_ahead(struct arm11 *c, uint32_t va, bool fills);
/** What is under way in memory is done now, in no time (arm11_settle). */
void arm11_settle_memory(struct arm11 *c);
/** What could not be asked for is: as every run begins. */
void arm11_ask_again(struct arm11 *c);
/** No line is shown any more. */
void arm11_hide_all(struct arm11 *c);
void arm11_answered(struct pc_cpu *base, enum pc_side side, uint64_t line, bool granted,
                    sim_tick now);
void arm11_loses(struct pc_cpu *base, uint64_t line, enum pc_loss loss, sim_tick now);
void arm11_hides(struct pc_cpu *base, uint64_t line);
/** A store-conditional of `size` bytes has been tried, by the instruction at `pc`: for people. */
void arm11_tried(struct arm11 *c, uint32_t pc, uint32_t va, unsigned size, bool failed);

/* ---- untimed.c: the same through the card's slow paths ----------------------------------------
 */

bool arm11_untimed_load(struct arm11 *c, uint32_t va, enum arm11_kind kind, unsigned reg);
bool arm11_untimed_load_words(struct arm11 *c, uint32_t va, const uint8_t *regs, unsigned n);
bool arm11_untimed_store(struct arm11 *c, uint32_t va, const uint32_t *words, unsigned n,
                         unsigned size);
bool arm11_untimed_linked(struct arm11 *c, uint32_t va, unsigned size, unsigned d, unsigned e);
bool arm11_untimed_conditional(struct arm11 *c, uint32_t va, unsigned size, uint32_t low,
                               uint32_t high, unsigned d);
bool arm11_untimed_swap(struct arm11 *c, uint32_t va, unsigned size, uint32_t datum, unsigned d);

/** Bytes as a value, and a value as bytes, in the order that data have. */
uint32_t arm11_value(const uint8_t *p, enum arm11_kind kind, bool big);
void arm11_bytes(uint8_t *p, uint32_t v, unsigned size, bool big);
unsigned arm11_size(enum arm11_kind kind);

/** base.exc and what belongs to it: an instruction or a datum cannot be had. */
bool arm11_fault(struct arm11 *c, uint32_t va, enum nm_access access, enum nm_xlate why);

/* ---- predict.c: cycles of a branch, and what the predictors learn ------------------------------
 * They issue at base.now, before base.horizon; that may be nearer afterwards.
 */

/** A branch to a fixed address at `pc`. */
unsigned arm11_branch(struct arm11 *c, const struct arm11_op *op, uint32_t pc, bool taken);
/** A write of the pc by `op` at `pc`, to `target`, whose bit 0 is the state. */
unsigned arm11_jump_predict(struct arm11 *c, const struct arm11_op *op, uint32_t pc,
                            uint32_t target);
/** A call: its return address, bit 0 its state, is remembered. */
void arm11_calls(struct arm11 *c, uint32_t back);

/* ---- counters.c ------------------------------------------------------------------------------ */

void arm11_pmu_new(struct arm11 *c);
/** A register of the performance monitoring unit, at base.now: up to there all signals are put
 * down. */
uint32_t arm11_counter_read(struct arm11 *c, enum arm11_pmu_register reg);
void arm11_counter_write(struct arm11 *c, enum arm11_pmu_register reg, uint32_t value);
/** pc_core_ops.look */
void arm11_look(struct pc_cpu *base, sim_tick at);

/** pc_core_ops.exports (export.c) */
struct pc_exported;
void arm11_exports(struct pc_cpu *base, struct pc_exported *e);

/* ---- cp15.c ---------------------------------------------------------------------------------- */

/** A register of coprocessor 15, as MCR and MRC name it. */
struct arm11_cp15 {
    uint8_t crn, op1, crm, op2;
    const char *name;
    /** Its value; NULL: it cannot be read by a user program. May end the run at base.now with
     * false: then as the functions of lsu.c. Undefined to a user at the moment: base.exc is
     * PC_EXC_RI. */
    bool (*read)(struct arm11 *c, uint32_t *value);
    bool (*write)(struct arm11 *c, uint32_t value);
};

/** The register that the word of an MCR or MRC names; NULL: there is none. */
const struct arm11_cp15 *arm11_cp15_find(const struct arm11 *c, uint32_t word);

#endif
