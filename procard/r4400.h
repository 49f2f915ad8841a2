/*
 * The R4400 processor: architectural state, primary-cache look-up arrays, and the calls between the
 * instruction interpreter (decode.c, exec.c, fpu.c) and the card's caches (cache.c).
 *
 * The hard idea: a load or store that hits costs one compare. Each primary-cache line holds the
 * *virtual* line address it may be read or written at (all-ones when it may not) and the host
 * address of its bytes in the machine's memory image. Misalignment, page protection, coherence
 * state and the checking mode all show up as "no match" and take the slow path in cache.c.
 *
 * Time: one tick is one PCycle. The interpreter executes instructions that *start* before
 * `horizon`; up to there nothing outside the card can reach it (docs/machine.md, "Run-ahead").
 */
#ifndef PC_R4400_H
#define PC_R4400_H

#include "base/time.h"
#include "machine/machine.h"

#include <stdbool.h>

enum pc_status {
#define STATE(name, code, group, sentence) PC_ST_##name,
#include "monitor/status.def"
#undef STATE
    PC_ST__COUNT
};

/** Architectural state of one thread; copied whole at a context switch. Values are host-endian. */
struct pc_regs {
    uint64_t gpr[32]; /**< 32-bit results are kept sign-extended, as on the R4400; gpr[0] is 0 */
    uint64_t hi, lo;
    uint64_t pc;        /**< address of the next instruction to execute */
    uint64_t npc;       /**< address after it; differs from pc + 4 only in a branch delay slot */
    uint64_t fpr[32];   /**< FR=1: 32 doubles. FR=0: fpr[even] holds an even/odd pair, see `fr` */
    uint32_t fcsr;      /**< FCR31: rounding mode, flags, enables, causes, FS, condition bits */
    uint64_t userlocal; /**< thread pointer, read by rdhwr $29 */
    bool fr;            /**< floating-point register mode: true for n64, false for o32 */
    bool addr64;        /**< 64-bit addressing and instructions allowed in user mode (n64) */
};

/** MIPS exception codes (Cause.ExcCode) a user program can raise. */
enum pc_exc {
    PC_EXC_NONE = 0,
    PC_EXC_ADEL =
        4, /**< address error, or a page that is absent, unmapped or protected; load or fetch */
    PC_EXC_ADES = 5, /**< the same, store */
    PC_EXC_IBE = 6,
    PC_EXC_DBE = 7, /**< bus error on data (failed invalidate, erroneous data) */
    PC_EXC_SYS = 8,
    PC_EXC_BP = 9,
    PC_EXC_RI = 10,
    PC_EXC_CPU = 11,
    PC_EXC_OV = 12,
    PC_EXC_TR = 13,
    PC_EXC_FPE = 15,
};

/** Why pc_run returned. */
enum pc_stop {
    PC_STOP_HORIZON, /**< the next instruction would start at or after the horizon */
    PC_STOP_MISS,    /**< an access waits for the card; re-executed when the card resumes it */
    PC_STOP_TRAP,    /**< cpu->exc is set: syscall, or an exception for the operating system */
};

/** One primary-cache line as the fast path sees it. */
struct pc_line {
    uint64_t rtag;   /**< virtual line address that may be read here; ~0: none */
    uint64_t wtag;   /**< virtual line address that may be written here without asking; ~0: none */
    uintptr_t host;  /**< what to add to an address in the line: where its byte lies in the memory
                          image (big-endian). Meaningless without a tag */
    uint64_t unused; /**< a power of two is found faster */
};
enum { PC_LINE_SHIFT = 5 };
_Static_assert(sizeof(struct pc_line) == 1 << PC_LINE_SHIFT, "a power of two");

struct pc_card; /* cache.c, agent.c: the card around the processor */
struct pc_code; /* decode.c: decoded instructions of one program */
struct pc_block;
struct pc_context;
struct pc_op;

/** PCycles by state (enum pc_status), added eight at a time. */
typedef uint16_t pc_counts __attribute__((vector_size(16)));
union pc_spent {
    uint16_t state[16];
    pc_counts half[2];
};

/** The last PCycles of a run but for stalls, from old to young. */
struct pc_tail {
    uint16_t did;    /**< [PCycles] of the last instruction: 1, or 0 if it is not known */
    uint16_t killed; /**< [PCycles] killed by it (PC_ST_KILL_BRANCH) */
    uint16_t held;   /**< [PCycles] slipped by the next, or killed by a trap */
    uint8_t done;    /**< state of `did` */
    uint8_t holds;   /**< state of `held` */
};

/**
 * What the pipeline holds between two runs: private to the interpreter, cleared by pc_cpu_reset.
 * A run begins with the first members and, at its horizon, leaves only them behind (stopped.c).
 */
struct pc_pipe {
    const struct pc_op *op;   /**< goes on at this operation; NULL: at what is at r.pc */
    struct pc_block *block;   /**< it is in, or about to begin */
    uint64_t target;          /**< of the block's register jump, or of that whose slot it is */
    bool taken;               /**< the last branch of the block */
    nm_tick full;             /**< `spent` may overflow after this tick */
    union pc_spent spent;     /**< whole blocks, not yet in cpu->states; modulo 65536 */
    uint64_t outside;         /**< bits of an address that name a line of the data cache */
    uint64_t places;          /**< offsets of lines in cpu->d, */
    uint64_t turn;            /**< found there when an address is rotated right by this */
    uint64_t sink;            /**< takes results whose destination is register 0 */
    const struct pc_op *line; /**< it is behind this one, when op is pc_behind_line */
    /* valid while op is NULL: */
    uint64_t pc; /**< where the last run stopped */
    const struct pc_context
        *context; /**< latencies outstanding there; lost if another pc goes on */
    bool slot;    /**< pc is the delay slot of a taken branch */
    /* and unless it is inside a block: */
    struct pc_tail tail;        /**< the PCycles before cpu->now */
    struct pc_code *code;       /**< the rest belongs to this code */
    struct pc_cpu *prev, *next; /**< in its list */
};

/** The store-conditionals of the thread on the processor, for people: no instruction reads it. */
struct pc_tries {
    uint32_t thread; /**< the operating system's number of it, for people */
    uint64_t failed; /**< ever */
    uint64_t row;    /**< of these since the last success, at ... */
    uint64_t pc, va; /**< ... this instruction; where the last of them would have stored */
};

/** The first store of a processor to a register (of its own card or of another) that was refused.
 */
struct pc_refused {
    nm_tick at;      /**< when it heard of it */
    uint64_t pc;     /**< of the store */
    uint32_t thread; /**< struct pc_tries.thread */
    unsigned card;   /**< whose register */
    uint32_t offset; /**< in the card's register space */
    unsigned reason; /**< as mon_unit_ops.write gave it */
};

struct pc_cpu {
    struct pc_regs r;

    nm_tick now;     /**< start of the block being executed; an op's own time is now + op->cyc */
    nm_tick horizon; /**< instructions start only before this tick; set by pc_run */

    /* primary data cache, fast view: index (va >> dshift) & dmask; a line is 1 << dshift bytes */
    struct pc_line *d;
    uint32_t dshift, dmask;
    /* primary instruction cache, fast view (wtag and host unused by the interpreter) */
    struct pc_line *i;
    uint32_t ishift, imask;
    bool untimed; /**< every instruction takes one PCycle: nothing slips, nothing is killed */

    struct pc_pipe pipe;

    uint64_t fetched_pc; /**< this instruction is already in the pipeline: no fetch check; odd:
                            none. For the card: pc_refetch. */

    uint64_t states[PC_ST__COUNT]; /**< PCycles in each state; their sum is `now` after pc_settle */
    uint64_t instructions; /**< completed (ground truth, not a card event), after pc_settle */

    /* LL/SC (R4400 manual p. 328): the link is dropped by the card, or by a context switch */
    bool link;
    uint64_t link_pa; /**< physical address of the linked line, valid while `link` */

    struct pc_tries tries;
    uint64_t scs_failed; /**< of all threads that were here (ground truth) */

    bool posted; /**< an uncached store is in the store buffer; SYNC waits for it */

    /* exception report, valid after PC_STOP_TRAP */
    enum pc_exc exc;
    uint64_t badvaddr;  /**< address of the failed access (ADEL/ADES/DBE) */
    uint32_t trap_code; /**< code field of break/trap/syscall; coprocessor number for CPU; for DBE
                             PC_FAILED_UPGRADE or 0 */
    bool absent;        /**< ADEL/ADES: the page has no memory yet */
    bool unmapped;      /**< ADEL/ADES: no page there (Linux SEGV_MAPERR) */
    bool protected;     /**< ADEL/ADES: page there, access forbidden (SEGV_ACCERR) */
    uint64_t call_pc;   /**< SYS: the SYSCALL instruction and the address after it, which in a */
    uint64_t call_npc;  /**< delay slot is the branch's target: what restarts the call */

    struct pc_code *code;
    struct pc_card *card;
    uint32_t number;           /**< machine-wide processor number (rdhwr $0) */
    struct pc_block *hot[256]; /**< private as `pipe`: targets of register jumps, by address */
};

/** Of a bus error: IvdErr, the store's upgrade has lost its line. Nothing is wrong with the store;
 * it may be executed again. */
enum { PC_FAILED_UPGRADE = 1 };

/** PCycles an exception or interrupt kills: the instruction in WB and the seven younger ones
 *  (R44-5; manual p. 44: eight stages). ERET has no delay slot: the three behind it. */
enum { PC_KILLED_BY_EXCEPTION = 8, PC_KILLED_BY_ERET = 3 };

/* ---- the interpreter, called by the card ---------------------------------------------------- */

/**
 * Executes until the horizon, a miss or a trap: from where the last run stopped, or from cpu->r.pc
 * after a trap, pc_leave or pc_refetch.
 *
 * Whoever implements it otherwise (tests do) must:
 *  - return PC_STOP_HORIZON at once, and touch nothing, if cpu->now >= horizon;
 *  - set cpu->horizon = horizon before the first access: the slow paths below refuse, with
 *    PC_STOP_HORIZON, whatever starts at or after cpu->horizon, so with an old one nothing ever
 * goes on (pc_card_execute ends the process with a message then);
 *  - start an access only at cpu->now or later, move cpu->now past each access by at least what it
 *    takes, and hand on PC_STOP_MISS, PC_STOP_TRAP and PC_STOP_HORIZON as the slow paths gave them,
 *    repeating the same access when it is called again;
 *  - return PC_STOP_HORIZON only with cpu->now >= horizon.
 *
 * On return cpu->now is the tick at which the next instruction (re)starts, which on a miss or a
 * trap is at cpu->r.pc, else see pc_settle. On a miss that instruction has had no effect. On a trap
 * the PCycles it kills are charged: for SYS pc is past the instruction; for others pc is the
 * faulting one (npc tells whether it sits in a delay slot) and nothing of it took effect.
 */
enum pc_stop pc_run(struct pc_cpu *cpu, nm_tick horizon);

/** PCycles in each state, up to cpu->now. */
void pc_states(const struct pc_cpu *cpu, uint64_t out[PC_ST__COUNT]);

/** The PCycles before cpu->now. */
struct pc_tail pc_tail(const struct pc_cpu *cpu);

/** Brings cpu->states, cpu->instructions, r.pc and r.npc up to cpu->now. */
void pc_settle(struct pc_cpu *cpu);

/** The same, and the next run begins at what r.pc then says: call it before registers are changed.
 */
void pc_leave(struct pc_cpu *cpu);

/** pc_leave, and what has been fetched is forgotten: the instruction is looked up again. */
void pc_refetch(struct pc_cpu *cpu);

/** Resets registers, states and exception; the caches and code stay. The struct must be zero before
 *  its first use. */
void pc_cpu_reset(struct pc_cpu *cpu);

/** The processor ends: it no longer runs any code. */
void pc_cpu_detach(struct pc_cpu *cpu);

/**
 * Decoded code of one address space, shared by all its processors.
 * @param fetch  returns the host address of the 4 instruction bytes at `va` (big-endian) or NULL
 * @param mips3  true: only MIPS III as the R4400 had it; later instructions are reserved
 */
struct pc_code *pc_code_new(const uint8_t *(*fetch)(void *ctx, uint64_t va), void *ctx, bool mips3);
void pc_code_free(struct pc_code *code);

/** Forgets decoded instructions in [va, va+len): the guest changed or unmapped them. Must not be
 *  called while pc_run is active on any processor. */
void pc_code_flush(struct pc_code *code, uint64_t va, uint64_t len);

/** Disassembles the word at `va` into buf for diagnostics ("lw v0,8(sp)"); always terminates. */
void pc_disassemble(uint32_t word, uint64_t va, char *buf, unsigned size);

/* ---- the card's slow paths, called by the interpreter (cache.c) ------------------------------ */
/*
 * `at` is the tick at which the instruction starts. Each either
 *  - succeeds: the fast-path line is filled where that is allowed, stall PCycles are already added
 *    to cpu->now and cpu->states, and the host address of the bytes is returned; or
 *  - returns NULL: *stop says PC_STOP_MISS (the card resumes later), PC_STOP_HORIZON (at >=
 * horizon) or PC_STOP_TRAP (exc, badvaddr ... are set), and nothing has happened. A size that is
 * not aligned to itself is an address error.
 */
uint8_t *pc_load(struct pc_cpu *cpu, uint64_t va, unsigned size, nm_tick at, enum pc_stop *stop);
uint8_t *pc_store(struct pc_cpu *cpu, uint64_t va, unsigned size, nm_tick at, enum pc_stop *stop);

/** LL/LLD: as pc_load, and sets the link. */
uint8_t *pc_load_linked(struct pc_cpu *cpu, uint64_t va, unsigned size, nm_tick at,
                        enum pc_stop *stop);

/** SC/SCD: as pc_store, but sets *failed and returns NULL without stopping when the link is gone.
 */
uint8_t *pc_store_conditional(struct pc_cpu *cpu, uint64_t va, unsigned size, nm_tick at,
                              enum pc_stop *stop, bool *failed);

/** SYNC with a store in the uncached store buffer: false until that has been acknowledged. */
bool pc_sync(struct pc_cpu *cpu, nm_tick at, enum pc_stop *stop);

/** Instruction fetch of the line at `va`; false as for NULL above. Only called when
 *  cpu->i[...].rtag does not match the line address of va. */
bool pc_fetch(struct pc_cpu *cpu, uint64_t va, nm_tick at, enum pc_stop *stop);

/** Charges `n` PCycles to `state` and moves the processor's clock. */
static inline void pc_charge(struct pc_cpu *cpu, enum pc_status state, uint64_t n)
{
    cpu->now += n;
    cpu->states[state] += n;
}

#endif
