/*
 * Private to the core: the state of an R10000.
 *
 * An instruction is an entry of the active list from decode to graduation. It names the physical
 * registers that it reads and writes, and, if it is a branch or goes to memory, what became of
 * that. Queues hold numbers of entries. Ticks are PCycles. Values are computed when the hardware
 * computes them, also on wrong paths.
 *
 * A cycle goes through the stages from the last to the first, so that each sees what the one behind
 * it had at the end of the cycle before: misses (memory.c), branches that are verified (branch.c),
 * graduation (graduate.c), loads and stores (memory.c), issue (issue.c), decode (decode.c), fetch
 * (fetch.c). Where nothing can happen, cycles are passed over (core.c).
 */
#ifndef R10000_PIPELINE_H
#define R10000_PIPELINE_H

#include "base/invariant.h"
#include "machine/params.h"
#include "monitor/r10000/signals.h"
#include "procard/core.h"
#include "procard/mips/isa.h"
#include "procard/profile.h"
#include "procard/r10000/r10000.h"
#include "procard/steps.h"

enum {
    R10K_ENTRIES = 64, /**< places in the ring of the active list; it holds active_list of them */
    R10K_QUEUE = 16,   /**< entries of each queue */
    R10K_FILE = 64,    /**< physical registers of each file */
    R10K_GROUP = 4,    /**< instructions fetched, decoded, graduated in a cycle */
    R10K_BUFFER = 8,   /**< fetched instructions */
    R10K_BRANCHES = 4, /**< places of the branch stack */
    R10K_WAYS = 2,
    R10K_FINISHING = 128, /**< longer than any latency */
    R10K_QUADWORD = 16,   /**< [bytes] */
    R10K_RECENT = 1024,   /**< places of a program whose words are found at once */
};

/* ---- words (words.c) ------------------------------------------------------------------------- */

/** What renaming knows: r1..r31, HI, LO, the floating-point registers, the condition bits. */
enum r10k_logical {
    R10K_LOGICAL_GPR = 0,
    R10K_LOGICAL_HI = 32,
    R10K_LOGICAL_LO,
    R10K_LOGICAL_FPR,
    R10K_LOGICAL_FCC = R10K_LOGICAL_FPR + 32,
    R10K_LOGICALS = R10K_LOGICAL_FCC + 8
};

enum r10k_queue { R10K_QUEUE_NONE, R10K_QUEUE_INT, R10K_QUEUE_FP, R10K_QUEUE_ADDRESS };

/** Which units of its queue execute an instruction. */
enum r10k_own {
    R10K_OWN_ANY,    /**< both integer units; of floating point all but the adder */
    R10K_OWN_FIRST,  /**< the first integer unit; the adder */
    R10K_OWN_SECOND, /**< the second integer unit */
    R10K_OWNS
};

/** Physical registers. */
enum r10k_file { R10K_FILE_INT, R10K_FILE_FP, R10K_FILE_CODES, R10K_FILES };

static inline enum r10k_file r10k_file_of(unsigned logical)
{
    return logical < R10K_LOGICAL_FPR   ? R10K_FILE_INT
           : logical < R10K_LOGICAL_FCC ? R10K_FILE_FP
                                        : R10K_FILE_CODES;
}

/** [bytes] into struct mips_regs; of conditions all are together. */
static inline unsigned r10k_location(unsigned logical)
{
    return logical == R10K_LOGICAL_HI   ? offsetof(struct mips_regs, hi)
           : logical == R10K_LOGICAL_LO ? offsetof(struct mips_regs, lo)
           : logical < R10K_LOGICAL_FPR ? offsetof(struct mips_regs, gpr) + 8 * logical
           : logical < R10K_LOGICAL_FCC
               ? offsetof(struct mips_regs, fpr) + 8 * (logical - R10K_LOGICAL_FPR)
               : offsetof(struct mips_regs, fcsr);
}

enum r10k_unit {
    R10K_UNIT_NONE,
    R10K_UNIT_ALU,
    R10K_UNIT_ALU1,
    R10K_UNIT_ALU2, /**< follows R10K_UNIT_ALU1 */
    R10K_UNIT_LSU,
    R10K_UNIT_ADD,
    R10K_UNIT_MUL,
    R10K_UNIT_MADD,
    R10K_UNIT_DIV,
    R10K_UNIT_SQRT,
    R10K_UNIT_RSQRT,
};

/** What is special about an instruction. */
enum r10k_trait {
    R10K_LOAD = 1 << 0,
    R10K_STORE = 1 << 1,
    R10K_LINKED = 1 << 2,
    R10K_CONDITIONAL = 1 << 3,
    R10K_PREFETCH = 1 << 4,
    R10K_SYNC = 1 << 5,
    R10K_BRANCH = 1 << 6,   /**< conditional */
    R10K_LIKELY = 1 << 7,   /**< a branch that nullifies its slot if it is not taken */
    R10K_JUMP = 1 << 8,     /**< to a fixed address */
    R10K_REGISTER = 1 << 9, /**< jump to a register */
    R10K_LINKS = 1 << 10,   /**< writes the return address */
    R10K_FP_BRANCH = 1 << 11,
    R10K_ALONE = 1 << 12,   /**< executes when it is the oldest */
    R10K_FLUSHES = 1 << 13, /**< what is younger begins again */
    R10K_FLAGS = 1 << 14,   /**< sets status flags of the floating-point unit */
    R10K_TWO = 1 << 15,     /**< of two registers: counts as two */
    R10K_HALF = 1 << 16,    /**< writes one half of a register and leaves the other */
    R10K_FP_LOAD = 1 << 17,
    R10K_CACHE = 1 << 18,
    R10K_WHOLE = 1 << 19,  /**< reads both halves of a register */
    R10K_NOW = 1 << 20,    /**< is done as it is decoded */
    R10K_FP = 1 << 21,     /**< counts as a floating-point instruction (event 21) */
    R10K_SERIAL = 1 << 22, /**< nothing behind it is decoded before it has graduated */
    R10K_CODES = 1 << 23,  /**< reads or writes condition bits */
    R10K_TRANSFER = R10K_BRANCH | R10K_JUMP | R10K_REGISTER,
    R10K_MEMORY = R10K_LOAD | R10K_STORE | R10K_PREFETCH | R10K_SYNC | R10K_CACHE,
};

/** What an instruction that graduates counts as: bytes of r10k_word.counts. */
enum r10k_count {
    R10K_COUNT_PLACES, /**< of the active list */
    R10K_COUNT_LOADS,  /**< loads, prefetches, SYNC and CACHE */
    R10K_COUNT_STORES,
    R10K_COUNT_CONDITIONALS,
    R10K_COUNT_FP,
    R10K_COUNT_READS, /**< loads */
    R10K_COUNT_TWOS,
    R10K_COUNT_WITHOUT_UNIT
};

/** A word as the decoder sees it; made once for each word (words.c). */
struct r10k_word {
    struct mips_op op;
    uint64_t counts; /**< bytes by enum r10k_count; four of them add up to less than 256 */
    uint32_t word;
    uint32_t traits;
    uint8_t flags; /**< enum mips_flags it was decoded for */
    uint8_t klass; /**< enum mips_class */
    uint8_t queue, unit, latency, high, repeat;
    uint8_t size;   /**< [bytes] of the access, as the card is asked for them */
    uint8_t around; /**< [bytes] aligned, that it may touch */
    uint8_t data;   /**< which source its access needs, but not its address; 0xff: none */
    uint8_t addend; /**< which source a multiply-add needs two PCycles later; 0xff: none */
    uint8_t sources, results;
    uint8_t source[6], result[2]; /**< enum r10k_logical */
    uint16_t from[6], into[2];    /**< the same, but for condition bits: where in the registers */
    uint8_t file[2];              /**< enum r10k_file, of the results; of none R10K_FILES */
    uint32_t places;              /**< it may enter: bits as in struct r10k_places */
    uint8_t own;                  /**< enum r10k_own */
    struct r10k_word *next;
};

/** One of the bytes of counts. */
static inline unsigned r10k_counted(uint64_t counts, enum r10k_count what)
{
    return counts >> 8 * what & 0xff;
}

struct r10k_code;

/** What a word means with these flags. Never NULL; it lives as long as the code. */
const struct r10k_word *r10k_word_get(struct r10k_code *code, uint32_t word, unsigned flags);

struct r10k_code {
    pc_fetch_fn *fetch;
    void *ctx;
    unsigned level;
    uint64_t awaited, came, due; /**< as in pc_program_ops.code_await */
    struct r10k_word **words;    /**< [1 << bits] by hash, chained */
    unsigned bits, count;
    const struct r10k_word *recent[R10K_RECENT]; /**< by place in the program: what was fetched
                                                      from there last; NULL: nothing */
};

/** The same of the word at `pc`, sooner if it is what was there. */
static inline const struct r10k_word *r10k_word_at(struct r10k_code *code, uint64_t pc,
                                                   uint32_t word, unsigned flags)
{
    const struct r10k_word **recent = &code->recent[pc / 4 % R10K_RECENT];
    if (!*recent || (*recent)->word != word || (*recent)->flags != flags)
        *recent = r10k_word_get(code, word, flags);
    return *recent;
}

/* ---- values (evaluate.c) --------------------------------------------------------------------- */

/** What comes of an instruction beside the registers it writes. */
struct r10k_outcome {
    uint64_t pc;     /**< in: of the instruction */
    unsigned level;  /**< in */
    uint64_t target; /**< of a jump to a register */
    bool taken;
    enum pc_exc exc; /**< PC_EXC_NONE: it has results */
    uint32_t trap_code;
};

void r10k_compute(struct mips_regs *regs, const struct mips_op *op, struct r10k_outcome *out);
/** [bytes] of a memory instruction's access; 0: it is none. */
unsigned r10k_access_size(unsigned code);
uint64_t r10k_address(const struct mips_regs *regs, const struct mips_op *op);
/** @param p  host's address of the byte at `va` */
void r10k_load(struct mips_regs *regs, const struct mips_op *op, uint64_t va, const uint8_t *p);
void r10k_store(const struct mips_regs *regs, const struct mips_op *op, uint64_t va, uint8_t *p);

/* ---- the active list ------------------------------------------------------------------------- */

/** How far a memory instruction is. */
enum r10k_access {
    R10K_ACCESS_QUEUED,  /**< its address is not known */
    R10K_ACCESS_READY,   /**< it is, and it tries from `again` on */
    R10K_ACCESS_MISSED,  /**< waits for its line */
    R10K_ACCESS_DONE,    /**< a load has its value; a store has found its line once */
    R10K_ACCESS_WRITTEN, /**< what cannot be done twice has been done */
};

struct r10k_entry {
    const struct r10k_word *w;
    uint64_t pc;
    sim_tick done;  /**< [tick] from here on it may graduate; SIM_NEVER: not known */
    sim_tick again; /**< a memory instruction tries at this tick; a branch is verified */
    uint8_t source[6], result[2],
        before[2]; /**< physical registers; before: what result replaced */
    uint8_t place; /**< in its queue, but for the address queue */
    bool slot;     /**< stands in a delay slot */
    /* From here on all is nothing to begin with (decode_begin). */
    _Alignas(16) uint64_t to; /**< where a transfer leads, if it is `known` */
    uint64_t next;     /**< where it has been taken to go on, behind the delay slot of a transfer */
    sim_tick finishes; /**< its unit does, at this tick; 0: it is in none */
    sim_tick wakes;    /**< its registers are not there before; SIM_NEVER: not known */
    uint64_t va;
    struct pc_look look; /**< where its bytes are, if its address is known */
    uint32_t trap_code;
    uint16_t history;    /**< place in the branch history table */
    uint8_t raised;      /**< causes of the floating-point unit */
    uint8_t access;      /**< enum r10k_access */
    uint8_t bytes;       /**< of its doubleword, one bit each */
    uint8_t passed_over; /**< places of the miss handling table that younger ones have taken since
                            it was the oldest and found none, and 1; 0: it has not */
    bool known;          /**< a transfer has its outcome: */
    bool goes;           /**< it is taken */
    bool issued;
    bool guessed; /**< a transfer whose target is to be verified: it has a place of the stack */
    bool taken;   /**< predicted; then, as it is */
    bool oldest;  /**< nothing was older when the load read */
    union {
        struct {
            uint8_t exc; /**< enum pc_exc: what it will raise */
            bool tlb;    /**< its page is not in the TLB */
            bool unsure; /**< has read a line that was taken since: it and its followers begin again
                          */
            bool absent; /**< the instruction itself cannot be fetched: `look.page` says why */
        };
        uint32_t odd; /**< any of these */
    };
};
_Static_assert(sizeof(struct r10k_entry) == 128, "numbers of entries come from a shift");

/* ---- caches ---------------------------------------------------------------------------------- */

struct r10k_line {
    uint64_t line; /**< physical address; ~0: none */
    uint8_t state; /**< enum nm_line, as the secondary cache's */
    bool dirty;    /**< newer than there */
};

struct r10k_cache {
    struct r10k_line *way[R10K_WAYS];
    uint8_t *oldest; /**< by set: the way to replace */
    unsigned shift, mask;
};

/** An entry of the miss handling table. */
struct r10k_miss {
    enum r10k_phase {
        R10K_MISS_NONE,
        R10K_MISS_LOOK,   /**< looks into the secondary cache at `at` */
        R10K_MISS_MEMORY, /**< the card has been asked */
        R10K_MISS_FILL,   /**< the primary cache has the line at `at` */
    } phase;
    enum pc_side side;
    bool owns;      /**< for a store: it is to be exclusive */
    bool linked;    /**< for a load linked that wants it exclusively */
    bool condition; /**< for a store conditional */
    bool fetched;   /**< comes from memory, and not only its ownership */
    bool lost;      /**< and went, before it arrived here */
    bool written;   /**< the store that waited for it has been done */
    bool prefetch;
    bool requested; /**< memory has been asked for it before */
    bool refused;   /**< the card was asked, and had no place for it or room */
    uint64_t line;  /**< primary line, physical */
    uint64_t va;
    uint64_t pc; /**< of the instruction that wants it first */
    struct pc_look look;
    sim_tick at;
};

enum {
    R10K_MISSES = 4,
    R10K_TLB = 64,
};

/** The two queues in no order: the integer one's places, and behind them the other one's. */
struct r10k_places {
    uint8_t entry[2 * R10K_QUEUE]; /**< numbers of entries ... */
    uint32_t used;                 /**< ... in the places with a bit here; of these, in whose ... */
    uint32_t ready;                /**< ... all registers are there, */
    uint32_t coming;               /**< ... or will be when it `wakes`; of others nobody knows */
    uint32_t own[R10K_OWNS];       /**< ... and that these units execute */
};
#define R10K_PLACES_INT UINT32_C(0x0000ffff)
#define R10K_PLACES_FP  UINT32_C(0xffff0000)

/** A transfer that has graduated, and whose delay slot has not: kept in a profile only. */
struct r10k_move {
    uint64_t pc, target; /**< pc 0: there is none */
    bool calls, jumps;
};

/* ---- the core -------------------------------------------------------------------------------- */

/** A fetched instruction. */
struct r10k_fetched {
    const struct r10k_word *w; /**< r10k_no_word: cannot be fetched, see `page` */
    uint64_t pc;
    uint64_t target; /**< fetch has gone on here behind its delay slot (BTAC); 0: it has not */
    sim_tick at;
    uint8_t page;
};

struct r10k {
    struct pc_cpu base;
    struct mips_regs r; /**< as of the last graduated instruction */
    uint64_t call_pc, call_npc;
    struct r10k_code *code;
    const struct nm_params *p;

    /* registers */
    uint64_t value[3 * R10K_FILE]; /**< physical: integer, floating-point, conditions */
    sim_tick ready[3 * R10K_FILE]; /**< an instruction that reads it may issue from here on */
    bool half[3 * R10K_FILE];      /**< only one half of it has been written */
    bool product[3 * R10K_FILE];   /**< of a multiply-add: ready for another's addend sooner */
    uint32_t
        waiting[3 * R10K_FILE];     /**< of one whose time is not known, who waits for it: places
                                       of the integer queue, and behind them of the other one ... */
    uint64_t asking[3 * R10K_FILE]; /**< ... and of the others bits of entries */
    uint64_t free[R10K_FILES + 1];  /**< bit: physical register */
    uint8_t map[R10K_LOGICALS];
    struct mips_regs scratch; /**< to compute in (evaluate.c) */

    /* active list */
    struct r10k_entry entry[R10K_ENTRIES];
    unsigned head, count;
    unsigned twos; /**< of these, that take two places */
    unsigned list; /**< places it has */
    struct r10k_finishing {
        uint8_t integer, fp;
    } finishing[R10K_FINISHING];       /**< by tick: instructions that units finish then */
    uint64_t due[R10K_FINISHING / 64]; /**< bit: some may finish at that tick */
    sim_tick unfinished;               /**< what finishes before this tick has counted */
    struct r10k_places places;
    sim_tick issues;               /**< the first tick at which the queues have not issued yet */
    unsigned addresses;            /**< entries of the address queue */
    uint64_t queued;               /**< bit: these ... */
    uint64_t unknown;              /**< ... whose address is neither known nor under way */
    uint64_t trying;               /**< ... that may try their accesses */
    uint64_t storing;              /**< ... that are stores */
    uint8_t branch[R10K_BRANCHES]; /**< stack of those to be verified, from old to young ... */
    unsigned branches;             /**< ... so many */
    sim_tick
        branches_at; /**< the first tick at which any may be verified, or asks for its registers */

    /* units: free from this tick on */
    sim_tick alu2_free, div_free, sqrt_free, add_free;
    sim_tick madd_adds[4]; /**< by tick: a multiply-add needs the adder then */

    /* fetch */
    struct r10k_fetched buffer[R10K_BUFFER]; /**< a ring (r10k_fetched_at) */
    unsigned buffer_first, buffered;
    uint64_t fetch_pc;
    uint64_t redirect;   /**< behind the delay slot at fetch_pc fetch goes on here */
    bool slot_first;     /**< that is so */
    bool slot_next;      /**< the next instruction decoded stands in a delay slot ... */
    bool stopped_behind; /**< fetch stops behind that slot */
    bool stopped;        /**< fetch waits for a jump to a register, or a serialising one */
    bool begun;          /**< there is anything in the pipeline */
    sim_tick fetch_at;
    uint8_t *history; /**< [histories] branch history table: 2 bits each */
    unsigned histories, targets_known;
    uint64_t outcomes;  /**< of the last branches, for the R12000 */
    uint64_t return_pc; /**< branch return cache: the address it has */
    struct {
        uint64_t pc, target;
    } * targets;      /**< BTAC of the R12000 */
    uint64_t line_va; /**< the instruction line being read; ~0: none ... */
    uint64_t line_pa;
    const uint8_t *line_host; /**< ... and where it is */

    /* memory */
    struct r10k_cache cache[PC_SIDES];
    struct r10k_miss miss[R10K_MISSES];
    unsigned taken;     /**< bit: of these that have a phase */
    sim_tick misses_at; /**< the first tick at which any goes on, or is to be counted */
    sim_tick l2_free;
    sim_tick bank_busy[2];
    bool entered;       /**< a request for data has entered the miss handling table in this cycle */
    bool stored;        /**< a store has been written in this cycle */
    uint64_t line_once; /**< an instruction line that has come and gone: may be read
                             once; ~0: none */
    uint64_t tlb[R10K_TLB];      /**< numbers of pairs of pages */
    unsigned tlb_next;           /**< to replace */
    uint8_t tlb_found[R10K_TLB]; /**< by pair: where one like it was found last */
    sim_tick exception_until;    /**< a handler runs up to here */
    unsigned used, in_memory;    /**< entries of the miss handling table */

    /* books */
    uint64_t loads, stores, l1_misses[PC_SIDES], l1_writebacks, tlb_refills; /**< for the truth */
    uint64_t timed;          /**< instructions, but for those of functional mode; of these ... */
    uint64_t twos_done;      /**< ... that count twice, ... */
    uint64_t without_unit;   /**< ... that no unit executes: they graduate and are never issued */
    sim_tick external_until; /**< an external request has a place in the miss handling table */
    struct r10k_move move;
    uint64_t told_line;  /**< of instructions, that has been told last; kept in a recording only */
    uint64_t told_early; /**< [PCycles] references told have taken that have not passed yet */
    struct r10k_told {   /**< the last instruction told of as it graduated (pc_record_point) */
        sim_tick at;
        unsigned order;
        struct mips_regs after;
    } told;
    struct r10k_signals signals;
    uint8_t late[R10K_SIGNALS]; /**< increments of this cycle that show in the next */
    uint64_t lately;            /**< bit: signal */
    enum r10k_mode mode;
    bool waits;           /**< the run ended because the oldest waits for its card ... */
    sim_tick seen;        /**< ... since this tick */
    bool away;            /**< the operating system has the processor */
    bool asked;           /**< the card has been asked in this run */
    bool worked;          /**< anything has happened in this cycle ... */
    bool quiet;           /**< ... but nothing that a stage looks at */
    bool refused;         /**< the card has not taken a request */
    sim_tick next;        /**< the first tick at which anything may, if it has not */
    sim_tick sleeps;      /**< cycles before this tick are like the last one */
    bool must_stop;       /**< the run ends here, ... */
    enum pc_stop stop;    /**< ... for this reason */
    enum pc_status state; /**< what the last cycle was put down to */
    enum pc_status idle;  /**< what a cycle is put down to while the list is empty */
};

static inline struct r10k *r10k_of(struct pc_cpu *base)
{
    return (struct r10k *)base;
}

static inline const struct r10k *r10k_const_of(const struct pc_cpu *base)
{
    return (const struct r10k *)base;
}

/** The i-th entry from the oldest. */
static inline struct r10k_entry *r10k_entry(struct r10k *c, unsigned i)
{
    return &c->entry[(c->head + i) % R10K_ENTRIES];
}

static inline uint64_t r10k_bit(const struct r10k *c, const struct r10k_entry *e)
{
    return UINT64_C(1) << (e - c->entry);
}

/** Bits of entries, the oldest one's first: bit i is r10k_entry(c, i)'s. */
static inline uint64_t r10k_by_age(const struct r10k *c, uint64_t bits)
{
    return bits >> c->head | bits << (-c->head & (R10K_ENTRIES - 1));
}

/** An entry is no longer in the address queue. */
static inline void r10k_no_access(struct r10k *c, const struct r10k_entry *e)
{
    const uint64_t others = ~r10k_bit(c, e);
    c->queued &= others;
    c->unknown &= others;
    c->trying &= others;
    c->storing &= others;
    c->addresses--;
}

/** Tells who listens of an entry's step. */
void r10k_tell(const struct r10k *c, const struct r10k_entry *e, enum pc_step_kind kind,
               sim_tick at);

static inline void r10k_step(const struct r10k *c, const struct r10k_entry *e,
                             enum pc_step_kind kind, sim_tick at)
{
    if (c->base.steps)
        r10k_tell(c, e, kind, at);
}

static inline bool r10k_is_oldest(const struct r10k *c, const struct r10k_entry *e)
{
    return c->count && e == &c->entry[c->head];
}

/** As the rows say: known to the compiler wherever a signal is named. */
static const uint8_t r10k_delays[R10K_SIGNALS] = {
#define SIGNAL(name, delay, most, sentence) [R10K_SIGNAL_##name] = (delay),
#include "monitor/r10000/signals.def"
#undef SIGNAL
};

/** A signal grows by `n` in a cycle of the core: now, or in the next cycle if its row says so. */
static inline void r10k_signal(struct r10k *c, enum r10k_signal s, unsigned n)
{
    if (!r10k_delays[s]) {
        c->signals.total[s][c->mode] += n;
    } else if (n) {
        c->late[s] = (uint8_t)(c->late[s] + n);
        c->lately |= UINT64_C(1) << s;
    }
}

/** The same by others, for whom the core may be away: interventions, lines that leave. */
static inline void r10k_signal_outside(struct r10k *c, enum r10k_signal s, unsigned n)
{
    SIM_OWED(!pc_is_asleep(&c->base)); /* pc_core_wakes came first */
    c->sleeps = 0;
    if (c->away)
        c->signals.total[s][R10K_KERNEL] += n;
    else
        r10k_signal(c, s, n);
}
_Static_assert(R10K_SIGNALS <= 64, "bits of `lately`");

/** Instructions that units finish when this one is finished, of its kind. */
static inline uint8_t *r10k_finishing(struct r10k *c, const struct r10k_entry *e)
{
    struct r10k_finishing *f = &c->finishing[e->finishes % R10K_FINISHING];
    return e->w->queue == R10K_QUEUE_FP ? &f->fp : &f->integer;
}

/** The i-th fetched instruction from the oldest. */
static inline struct r10k_fetched *r10k_fetched_at(struct r10k *c, unsigned i)
{
    return &c->buffer[(c->buffer_first + i) % R10K_BUFFER];
}

/** Others have done something that a stage looks at. */
static inline void r10k_disturb(struct r10k *c)
{
    SIM_OWED(!pc_is_asleep(&c->base)); /* as above */
    c->next = c->sleeps = 0;
}

/** Something may happen at `at`. */
static inline void r10k_wait_for(struct r10k *c, sim_tick at)
{
    if (at < c->next)
        c->next = at;
}

/* ---- the whole (core.c) -----------------------------------------------------------------------
 */

/** Caches, predictors and queues are empty. @param p  outlives it */
void r10k_new(struct r10k *c, const struct nm_params *p);
void r10k_free(struct r10k *c);

/** pc_core_ops.run, .signals, and .leave: everything in flight begins again. */
sim_tick r10k_run(struct pc_cpu *base, sim_tick horizon);
void r10k_signals(const struct pc_cpu *base, sim_tick at, union mon_own_signals *out);
void r10k_leave(struct pc_cpu *base);

/* ---- stages ---------------------------------------------------------------------------------- */

/** decode.c: takes up to four instructions from the buffer into the list. */
void r10k_decode(struct r10k *c, sim_tick now);
/** Takes the youngest entries out of the list until `keep` are left; they have never been. */
void r10k_squash(struct r10k *c, unsigned keep);
/** Maps and free lists as with an empty list, values from c->r. */
void r10k_rename_reset(struct r10k *c);
/** An instruction may read all its sources at `now`. If not, its `wakes` says when to ask again.
 * For one in no queue, or the address queue. */
bool r10k_operands(struct r10k *c, struct r10k_entry *e, sim_tick now);
/** Of one that reads both halves of a register, and whose registers are there: they are in one. */
bool r10k_halves(const struct r10k *c, const struct r10k_entry *e);
/** From when on an instruction can read its i-th source; SIM_NEVER: not known. */
sim_tick r10k_ready_for(const struct r10k *c, const struct r10k_entry *e, unsigned i);

/** fetch.c */
void r10k_fetch(struct r10k *c, sim_tick now);
void r10k_predictors_new(struct r10k *c);
void r10k_predictors_free(struct r10k *c);
/** The words at `pc` and behind it, of a group, are in the buffer already (branch resume buffer).
 */
void r10k_fetch_resumes(struct r10k *c, uint64_t pc, sim_tick now);
/** Fetch goes on at `pc` from tick `at` on; with a slot, behind the one instruction at `pc`. */
void r10k_fetch_from(struct r10k *c, uint64_t pc, sim_tick at);
void r10k_fetch_slot(struct r10k *c, uint64_t pc, uint64_t target, sim_tick at);
/** Predicts a transfer that is decoded. @return false: a jump to an address that is not known */
bool r10k_predict(struct r10k *c, struct r10k_entry *e);
void r10k_train(struct r10k *c, const struct r10k_entry *e, bool taken);

/** branch.c: branches whose tick has come are found right or wrong. */
void r10k_resolve(struct r10k *c, sim_tick now);
/** A branch has its outcome. @param at  it is verified */
void r10k_branch_done(struct r10k *c, struct r10k_entry *e, const struct r10k_outcome *out,
                      sim_tick at);

/** issue.c */
void r10k_issue(struct r10k *c, sim_tick now);

/** memory.c */
void r10k_caches_new(struct r10k *c);
void r10k_caches_free(struct r10k *c);
void r10k_misses(struct r10k *c, sim_tick now);
void r10k_accesses(struct r10k *c, sim_tick now);
/** The oldest entry, which goes to memory, tries what only the oldest may. @return it is done */
bool r10k_oldest_access(struct r10k *c, struct r10k_entry *e, sim_tick now, bool granted);
/** The same of an access that goes to no cache; may end the run. */
bool r10k_oldest_uncached(struct r10k *c, struct r10k_entry *e, sim_tick now);
/** A primary instruction line: true if it can be read now. */
bool r10k_fetch_line(struct r10k *c, uint64_t va, const struct pc_look *look, sim_tick now);
void r10k_answered(struct pc_cpu *base, enum pc_side side, uint64_t line, bool granted,
                   sim_tick now);
void r10k_loses(struct pc_cpu *base, uint64_t line, enum pc_loss loss, sim_tick now);
void r10k_os_wrote(struct pc_cpu *base, uint64_t pa, uint64_t len);
void r10k_asked(struct pc_cpu *base, bool invalidate, uint8_t state, sim_tick now);
void r10k_leaves(struct pc_cpu *base, unsigned bytes, sim_tick now);
/** The next address is calculated. */
void r10k_calculate(struct r10k *c, sim_tick now);
bool r10k_tlb_has(struct r10k *c, uint64_t va);
/** If nothing is in flight, software refills the TLB for `va`. @return false: it must wait */
bool r10k_tlb_refill(struct r10k *c, uint64_t va, sim_tick now);

/** graduate.c: up to four leave the list. @return what the cycle is put down to */
enum pc_status r10k_graduate(struct r10k *c, sim_tick now);
/** The four instructions of the event counters, if programs may use them (r10000.user_counters).
 *  @param r  where its operand is, and its result goes @return it was one of them, and is done */
bool r10k_event_counter(struct r10k *c, const struct r10k_word *w, struct mips_regs *r);
/** Everything in flight begins again, but for actions that the oldest has done for good. */
void r10k_flush(struct r10k *c, sim_tick at);
/** Everything in flight begins again: c->r says where. */
void r10k_restart(struct r10k *c, sim_tick at);

/** shown.c: pc_core_ops.pipeline. */
void r10k_pipeline(const struct pc_cpu *base, void *file);

/** books.c: ends the process if the signals are not what the instructions and each other say. */
void r10k_look_at_books(const struct r10k *c);
/** Between two cycles: no signal has grown by more than its row says since `before`. */
void r10k_look_at_growth(const struct r10k *c, const struct r10k_signals *before);

/** One that issues from a queue has its registers, and register 0 is 0. */
void r10k_look_at_issue(const struct r10k *c, const struct r10k_entry *e, sim_tick now);
/** Between two cycles: the queues know which of their entries have their registers. */
void r10k_look_at_places(const struct r10k *c);
/** Nothing is ready before tick `next`, up to which cycles are passed over. */
void r10k_look_at_sleep(const struct r10k *c, sim_tick now, sim_tick next);

/** profile.c: nothing, unless there is a profile. What happens now is put down to the instruction
 * at `pc`; it spends cycles; one graduates. */
void r10k_profile_at(struct r10k *c, uint64_t pc);
void r10k_profile_spends(struct r10k *c, uint64_t pc, enum pc_status state, sim_tick n);
void r10k_profile_graduates(struct r10k *c, const struct r10k_entry *e);
/** One more in a column: a SYSCALL, which traps instead of graduating, a store
 *  conditional that has failed, a miss. */
void r10k_profile_counts(struct r10k *c, uint64_t pc, enum pc_profile_column column);

/** profile.c, in a recording (procard/record.h): an instruction graduates; `n` cycles pass, put
 * down to `state`. Those of a wait for memory are not the core's own.
 *  @param va  of a load or store */
void r10k_record_graduates(struct r10k *c, const struct r10k_word *w, uint64_t pc, uint64_t va);
void r10k_record_comes(struct r10k *c, uint64_t pc);
void r10k_record_passes(struct r10k *c, enum pc_status state, sim_tick n);

extern const struct r10k_word r10k_no_word; /**< of an instruction that cannot be fetched */

/** untimed.c: one instruction after the other, without a pipeline. */
sim_tick r10k_run_untimed(struct r10k *c, sim_tick horizon);
/** An instruction at `pc` cannot be fetched: base says why. */
void r10k_fetch_fault(struct r10k *c, uint64_t pc, enum nm_xlate why);

#endif
