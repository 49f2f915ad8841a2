/*
 * A core: the processor of a processor card, and the contract between a card and its core.
 *
 * A card has the caches, the TLB, the agent on the bus and the monitoring unit. Its core makes the
 * references. A kind of core is a struct pc_core_ops; together with the card (pc_card_ops in
 * procard.h) and a kind of counter unit (monitor/unit.h) it makes a kind of card for
 * nm_machine_new:
 *
 *     const struct nm_card_kind mine = {&pc_card_ops, &my_core, &its_counters};
 *
 * docs/extending.md builds one, step by step.
 *
 * The hard idea is that a hit need not ask the card. Each place of a primary cache shows the core
 * the *virtual* address of the line that may be read or written there (all ones when none may), and
 * where its bytes are in the machine's memory image. Misalignment, page protection, coherence and
 * the checking mode all show up as "no match" and take a slow path of the card (pc_load ...). A
 * core may look at its places before it calls a slow path, or always call it: the results and the
 * times are the same.
 *
 * Time: one tick is one PCycle of the core. A core starts instructions before its horizon only; up
 * to there nothing outside the card can reach it (docs/machine.md, "Run-ahead").
 */
#ifndef PC_CORE_H
#define PC_CORE_H

#include "base/time.h"
#include "machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/** What a processor does in a PCycle. */
enum pc_status {
#define STATE(name, code, group, sentence) PC_ST_##name,
#include "monitor/status.def"
#undef STATE
    PC_ST__COUNT
};

/** Exceptions a user program can raise; the numbers are MIPS's (Cause.ExcCode), which end at 31. */
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
    PC_EXC_POINT = 32, /**< none: it stands before the instruction that the run waits for, and
                            nothing is charged */
};

/** Of a bus error: IvdErr, the store's upgrade has lost its line. Nothing is wrong with the store;
 * it may be executed again. */
enum { PC_FAILED_UPGRADE = 1 };

/** PCycles an exception or interrupt kills: the instruction in WB and the seven younger ones
 *  (R44-5; manual p. 44: eight stages). ERET has no delay slot: the three behind it. */
enum { PC_KILLED_BY_EXCEPTION = 8, PC_KILLED_BY_ERET = 3 };

/** Registers that a calling convention has every function give back as they were, at most. */
enum { PC_KEPT = 10 };

/** Why a run came to its end. */
enum pc_stop {
    PC_STOP_HORIZON, /**< the next instruction would start at or after the horizon */
    PC_STOP_MISS,    /**< an access waits for the card; it is made again in the next run */
    PC_STOP_TRAP,    /**< cpu->exc is set: the core needs the operating system */
    PC_STOP_ASKED, /**< it has made a request (pc_ask, pc_counters_look), and goes on: its clock is
                        behind the tick of the request */
};

/** A place of a primary cache as the core sees it. Two words, because the host's caches must hold
 *  those of all processors. */
struct pc_line {
    uint64_t tag;   /**< virtual address of the line that may be read here, and PC_LINE_READ_ONLY if
                         it may not be written without asking; pc_line_none: there is none */
    uintptr_t host; /**< what to add to an address in the line: where its byte lies in the memory
                         image (big-endian). Meaningless without a tag */
};
enum { PC_LINE_SHIFT = 4 };
_Static_assert(sizeof(struct pc_line) == 1 << PC_LINE_SHIFT, "a power of two");

/** Neither of a line's address (16 bytes at least) nor looked at for alignment (8 at most). */
#define PC_LINE_READ_ONLY UINT64_C(8)

/** The tag of an empty place: it belongs to another place, so that there must be two of data.
 * Memory that is zero is empty places, but for place 0. */
static inline uint64_t pc_line_none(unsigned place)
{
    return place ? 0 : ~UINT64_C(0);
}

/** Whether an access may read at `va`, which belongs to this place.
 *  @param bits  of the address, that must be the line's: all above its offset, and size - 1, so
 *               that an access that is not aligned may not */
static inline bool pc_line_reads(const struct pc_line *line, uint64_t va, uint64_t bits)
{
    return !(((va & bits) ^ line->tag) & ~PC_LINE_READ_ONLY);
}

/** Whether it may write there without asking. */
static inline bool pc_line_writes(const struct pc_line *line, uint64_t va, uint64_t bits)
{
    return line->tag == (va & bits);
}

struct pc_card;
union mon_own_signals;
struct pc_exported;

/** The two sides of both cache levels. */
enum pc_side { PC_SIDE_I, PC_SIDE_D, PC_SIDES };

/** How a card loses a line. */
enum pc_loss {
    PC_LOSS_TAKEN,   /**< another card wants it */
    PC_LOSS_EVICTED, /**< it makes room */
    PC_LOSS_SHARED,  /**< it stays, and may only be read */
};

/** The last PCycles of a run but for stalls, from old to young. */
struct pc_tail {
    uint16_t did;    /**< [PCycles] of the last instruction: 0 if it is not known */
    uint16_t killed; /**< [PCycles] killed by it (PC_ST_KILL_BRANCH) */
    uint16_t held;   /**< [PCycles] slipped by the next, or killed by a trap */
    uint8_t done;    /**< state of `did` */
    uint8_t holds;   /**< state of `held` */
};

/** The store-conditionals of the thread on the processor, for people: no instruction reads it. */
struct pc_tries {
    uint32_t thread; /**< the operating system's number of it, for people */
    uint64_t failed; /**< ever */
    uint64_t row;    /**< of these since the last success, at ... */
    uint64_t pc, va; /**< ... this instruction; where the last of them would have stored */
};

/** An event number that a processor's own counters do not have: "unpredictable". It counts 0. */
struct pc_unknown_event {
    uint64_t pc; /**< of the instruction that has chosen it */
    unsigned number;
};

/** What a card and its core share: the first member of every core's own struct. The card makes it
 *  zero and sets what it names here, before the first call. */
struct pc_cpu {
    sim_tick now;     /**< the core's own clock; what it may be while a run lasts is the core's */
    sim_tick horizon; /**< instructions start only before this tick; set by `run` */

    /* primary data cache: index (va >> dshift) & dmask; a line is 1 << dshift bytes. The card's */
    struct pc_line *d;
    uint32_t dshift, dmask;
    /* primary instruction cache; nothing is read-only there. The card's */
    struct pc_line *i;
    uint32_t ishift, imask;
    uint32_t number; /**< machine-wide processor number */
    bool untimed;    /**< functional mode: every instruction takes one PCycle. The card's */

    /* the books: how far they may lag is said at `settle` */
    uint64_t states[PC_ST__COUNT]; /**< PCycles in each state; their sum is `now` */
    uint64_t instructions;         /**< completed (ground truth, not a card event); one at most in
                                        each PCycle of a state that completes one */
    uint64_t scs_failed;           /**< store-conditionals, of all threads that were here */
    uint64_t polls; /**< reads of values that change by themselves: a clock, cards' registers */
    struct pc_tail tail; /**< the PCycles before `now` */
    struct pc_tries tries;

    /* LL/SC (R4400 manual p. 328): set by pc_load_linked, dropped by the card */
    bool link;
    uint64_t link_pa; /**< physical address of the linked line, valid while `link` */

    bool posted; /**< an uncached store is in the store buffer; pc_sync waits for it. The card's */

    /* exception report, valid after PC_STOP_TRAP; set by the slow paths for accesses that they
     * refuse */
    enum pc_exc exc;
    uint64_t badvaddr;  /**< address of the failed access (ADEL/ADES/DBE) */
    uint32_t trap_code; /**< code field of break/trap/syscall; coprocessor number for CPU; for DBE
                             PC_FAILED_UPGRADE or 0 */
    bool absent;        /**< ADEL/ADES: the page has no memory yet */
    bool unmapped;      /**< ADEL/ADES: no page there (Linux SEGV_MAPERR) */
    bool protected;     /**< ADEL/ADES: page there, access forbidden (SEGV_ACCERR) */

    struct pc_card *card;

    struct pc_record *record;     /**< what it tells of its references (record.h); NULL: nothing */
    const struct pc_steps *steps; /**< told what becomes of instructions (steps.h); NULL: nobody */
    struct pc_cursor *cursor;     /**< its place in a profile (cursor.h); NULL: there is none */
    uint64_t *touches; /**< in a profile with the truth of misses, by place of `d`: which bytes of
                            its line the core has read (bits 0 to 31, by the address's low five) and
                            written (32 to 63) since the card looked. The card's */
    uint64_t *touched; /**< where those of the last access through a slow path belong */
    bool seen;         /**< each access is told at once, too (pc_misses_see) */
};

/**
 * A kind of core. The card makes all calls, from events of its station or between two calls of
 * nm_machine_run; never two at a time on one station, nor, without `together`, on one machine. An
 * operation may call the slow paths below
 * and pc_charge where it says so, and nothing else of the machine. What must not be NULL says so;
 * NULL elsewhere means that there is nothing to do.
 */
struct pc_core_ops {
    const char *name; /**< for people; not NULL */
    bool foresees;    /**< it calls pc_foresee */
    bool together;    /**< cores of different stations may run at a time, on several host threads:
                           they share only what lies in memory, and the code of their block of
                           stations (nm_machine_block) */
    bool little;      /**< its programs have the lowest byte of a number first */
    bool sleeps;      /**< it calls pc_sleeps */
    size_t size;      /**< [bytes] of the core's struct, which begins with a struct pc_cpu; the card
                           allocates it, zeroed */

    /** The core begins: its struct is zero but for the fields that its card has set (struct
     * pc_cpu). */
    void (*create)(struct pc_cpu *cpu);

    /** The core ends; its struct is the card's. */
    void (*free)(struct pc_cpu *cpu);

    /**
     * Executes until the horizon, a miss or a trap, from where the last run stopped. Not NULL.
     *
     * The core must:
     *  - return cpu->now at once, and touch nothing, if cpu->now >= horizon;
     *  - set cpu->horizon = horizon before the first access: the slow paths refuse, with
     *    PC_STOP_HORIZON, each access that starts at or after cpu->horizon, so with an old one
     *    nothing ever goes on (the process ends with a message then);
     *  - start an access only at cpu->now or later, and move its clock past the access by what that
     *    takes, with pc_charge or pc_complete;
     *  - hand on what a slow path stopped with, by pc_stopped, and make the same access in the next
     *    run.
     *
     * It may call the slow paths and pc_charge. On return cpu->now is the tick at which the next
     * instruction starts, or starts again. On a miss that instruction has had no effect. On a trap
     * cpu->exc says why, and the PCycles it kills are charged. The process ends with a message on a
     * trap without cpu->exc, and, of a core without `settle`, with books that are not the clock's
     * or have more instructions than PCycles that complete one. It is not checked that it returns
     * cpu->now, or that no instruction started behind the horizon, where results are wrong without
     * a word: try a new core in a build with -Dinvariants=true, which ends the process there.
     *
     * @return cpu->now, >= horizon, if it has come to the horizon, or what pc_sleeps returns;
     *         otherwise what pc_stopped returns, which it calls last
     */
    sim_tick (*run)(struct pc_cpu *cpu, sim_tick horizon);

    /** Brings cpu->states, cpu->instructions and cpu->tail up to cpu->now. NULL: they always are,
     *  when `run` returns. */
    void (*settle)(struct pc_cpu *cpu);

    /** Of the ground truth, what the core counts and its card does not: loads and stores, if those
     *  are not the PCycles in their states; misses of primary caches and the TLB that it keeps
     *  itself. NULL: nothing. */
    void (*truth)(const struct pc_cpu *cpu, struct nm_truth *out);

    /** What cpu->states and cpu->tail would be after `settle`, which must change nothing that can
     *  be simulated. NULL exactly if `settle` is. */
    void (*totals)(const struct pc_cpu *cpu, uint64_t states[PC_ST__COUNT], struct pc_tail *tail);

    /** Settles, and forgets what has been fetched or looked up: the thread is interrupted or goes
     *  on, or mappings have changed. The next run begins with a look at the caches. */
    void (*leave)(struct pc_cpu *cpu);

    /** The thread is interrupted: what is under way in memory stays so, as behind a trap, until the
     *  operating system takes the registers. Then all cards stand at one tick; now others may be
     *  before this one or behind it. NULL: `leave`, and nothing is under way. */
    void (*interrupted)(struct pc_cpu *cpu);

    /** Places of the primary caches will be others (cpu->d, cpu->i, their shifts and masks), and
     * time may pass in another way (cpu->untimed): pointers to them, and what was made for them,
     * must go. NULL: it has none but for a reference under way. */
    void (*moved)(struct pc_cpu *cpu);

    /** It executes programs. NULL: it does not. */
    const struct pc_program_ops *programs;

    /** Address of the instruction at which it stands after a miss, a trap, or `settle`: for people.
     *  NULL: 0. */
    uint64_t (*pc)(const struct pc_cpu *cpu);

    /** Which bytes of its doubleword the store writes that called pc_store for `size` bytes at
     *  physical address `pa`, one bit each, the first in bit 0. NULL: exactly those. */
    uint8_t (*store_bytes)(const struct pc_cpu *cpu, uint64_t pa, unsigned size);

    /** What it has in its pipeline, a line each, for people. @param file  a FILE *. NULL: nothing
     *  that `dump` of its card does not say */
    void (*pipeline)(const struct pc_cpu *cpu, void *file);

    /** The same core, that tells cpu->cursor (procard/cursor.h) its place, its completed
     *  instructions and its calls. It does the same in the same time. NULL: it cannot be profiled,
     *  and the rest is not called. */
    const struct pc_core_ops *profiled;

    /** Of a profiled one: the same once more, that notes the bytes it touches beside its lines
     *  (cpu->touches), and at cpu->touched after a slow path. NULL: the truth of its misses is
     *  not to be had. */
    const struct pc_core_ops *touching;

    /** The same core, that tells of its references (procard/record.h). It does the same in the same
     *  time. NULL: it cannot. */
    const struct pc_core_ops *recording;

    /** The same core, that tells cpu->steps (procard/steps.h), if there is one. It does the same in
     *  the same time. NULL: it cannot. */
    const struct pc_core_ops *stepping;

    /** A thread (cpu->tries) goes on: the calls under way are its own now. */
    void (*placed)(struct pc_cpu *cpu);

    /** The registers in which the calling convention has the first integer arguments of a function,
     *  and its integer result: of one that has just been entered, or has just returned. */
    uint64_t (*argument)(const struct pc_cpu *cpu, unsigned i);
    uint64_t (*result)(const struct pc_cpu *cpu);

    /** The stack pointer at present. */
    uint64_t (*sp)(const struct pc_cpu *cpu);

    /** General registers, by their numbers in debugging information: of a function that is just
     *  called or executes. NULL: they are not to be had.
     *  @param number  [count] */
    void (*general)(const struct pc_cpu *cpu, const uint8_t *number, unsigned count, uint64_t *out);
    /** [PC_KEPT] those that a function gives back as they were when it was called; with `general`
     */
    const uint8_t *kept;

    /** The PCycles that `settle` adds, and that the core will only put down to instructions later,
     *  are put down now; with sign -1, they are taken back. */
    void (*under_way)(struct pc_cpu *cpu, int sign);

    /** What is in counters of nodes becomes tallies. */
    void (*harvest)(struct pc_cpu *cpu);

    /* ---- a core that does not wait for its requests (pc_ask) ---- */

    /** Requests that may be outstanding at once, at most PC_REQUESTS. 0: `run` stops at a miss, the
     *  primary caches are the card's, and nothing below is called but
     *  `signals`. Else the core keeps its primary
     *  caches itself, of lines that the secondary cache has, and its TLB; only an access to an
     *  uncached page stops it with PC_STOP_MISS (pc_load, pc_store, pc_sync). In functional mode
     *  (cpu->untimed) all its accesses are made with pc_load and the like, and nothing below is
     *  called. What is called from here on may call pc_read, pc_write and the like, not pc_ask. */
    unsigned requests;

    /** A request is over at tick `now`: cpu->now, of a core that runs; in warming, where requests
     *  take no time, a later tick: the data are to be used from then on. The oldest instruction's
     *  access to the line is done before this returns: later the line may be gone. Also called
     *  while the core waits, has trapped or has no thread. Not NULL.
     *  @param side, line  as they were asked for
     *  @param granted  false: nothing has come of it; ask again if it is still wanted */
    void (*answered)(struct pc_cpu *cpu, enum pc_side side, uint64_t line, bool granted,
                     sim_tick now);

    /** The secondary cache loses a line, or may no longer write it. A load that has read of it and
     *  has not graduated must read again. Called before another card's store can be seen. Not NULL.
     */
    void (*loses)(struct pc_cpu *cpu, uint64_t line, enum pc_loss loss, sim_tick now);

    /** What pc_show said of a line is no longer so, though the card still has it. NULL: it never
     *  asks. */
    void (*hides)(struct pc_cpu *cpu, uint64_t line);

    /** Totals of its own counters' signals (monitor/own.h: the member of its kind), up to
     * cpu->now; NULL: it has none. Of an R10000, cycles of kernel mode are not the core's: the card
     * puts down to them all time that is no other mode's. Its clock passes its horizon only by
     * PCycles of exception level, in which nothing else is counted, and in functional mode.
     *  @param at  the total of the signal that counts all time; 0: it is not asked for. Of a core
     *  that sleeps, all totals are as of this tick */
    void (*signals)(const struct pc_cpu *cpu, sim_tick at, union mon_own_signals *out);

    /** A look at its own counters, for which it has asked (pc_counters_look), at tick `at`: it has
     *  come to that. NULL: it never asks. */
    void (*look)(struct pc_cpu *cpu, sim_tick at);

    /** The first event number chosen for its own counters that the processor does not have; NULL:
     * none was. NULL: its counters have no such numbers, or it has none. */
    const struct pc_unknown_event *(*unknown_event)(const struct pc_cpu *cpu);

    /** What its counters have heard goes out on its lines up to cpu->now (procard/exported.h).
     * NULL: it has none. */
    void (*exports)(struct pc_cpu *cpu, struct pc_exported *exported);

    /** A line's words leave the secondary cache for the outgoing buffer: it makes room and was
     * dirty, or another card has asked for it.
     *  @param bytes  of the line */
    void (*leaves)(struct pc_cpu *cpu, unsigned bytes, sim_tick now);

    /** An external request has looked for a line in the secondary cache.
     *  @param state  enum nm_line it had there */
    void (*asked)(struct pc_cpu *cpu, bool invalidate, uint8_t state, sim_tick now);
};

/**
 * What a core must hear that reads or fetches before the oldest instruction's turn. It says so in
 * its `create` (pc_core_heed). Apart from pc_core_ops, which has kept its members since before
 * (docs/compatibility.md).
 */
struct pc_core_heeds {
    /** Bytes have been written by nobody's store: the operating system's, outside the caches. A
     *  load that has read of them and has not graduated must read again, as behind `loses`. */
    void (*os_wrote)(struct pc_cpu *cpu, uint64_t pa, uint64_t len);

    /** What lies in [va, va + len) has changed, or is gone: what has been fetched there and has not
     *  graduated is fetched again. */
    void (*code_changed)(struct pc_cpu *cpu, uint64_t va, uint64_t len);
};
/** @param heeds  no member is NULL; outlives the card */
void pc_core_heed(struct pc_cpu *cpu, const struct pc_core_heeds *heeds);

enum { PC_REQUESTS = 4 };

/** @return the host's address of the 4 bytes at `va`, in the guest's order, or NULL */
typedef const uint8_t *pc_fetch_fn(void *ctx, uint64_t va);

/** Instructions whose executions are told. */
struct pc_points {
    const uint64_t *va; /**< [count] their addresses; bits that say how to execute are ignored */
    size_t count;
    bool all; /**< these, and all others */
};

/** @param points  NULL: none */
static inline bool pc_points_have(const struct pc_points *points, uint64_t va)
{
    bool have = points && points->all;
    for (size_t i = 0; points && !have && i < points->count; i++)
        have = points->va[i] == va;
    return have;
}

/** The last system call's instruction of a processor, and what follows it. */
struct pc_call_site {
    uint64_t pc, npc;
};

/**
 * What an operating system asks of a core that executes programs: for the calls of procard.h, while
 * the machine stands. Registers are a thread's, in its instruction set's struct (mips_regs,
 * arm_regs). Code is what lies at addresses of one space, as such a core's instructions; processors
 * share it. Only code_flush may be NULL.
 */
struct pc_program_ops {
    /** The registers of a thread that has trapped. */
    void (*take)(struct pc_cpu *cpu, void *regs, struct pc_call_site *call);

    /** Another thread's, or those of `registers`, of a core that has trapped or is idle. */
    void (*put)(struct pc_cpu *cpu, const void *regs);

    /** Those of the thread that is on it; its own. They may be changed while it has trapped. */
    void *(*registers)(struct pc_cpu *cpu);

    /** @param card  parameters of the cards that will execute it
     *  @return for the calls below; it outlives the machine's run */
    void *(*code_new)(pc_fetch_fn *fetch, void *ctx, const struct nm_params *card);

    void (*code_give)(struct pc_cpu *cpu, void *code);

    /** What lies in [va, va + len) has changed, or is gone. NULL: nothing is kept of it. */
    void (*code_flush)(void *code, uint64_t va, uint64_t len);

    /**
     * The processor that is about to execute the instruction at `va` for the so-manieth time stops
     * there with PC_EXC_POINT. Counted is what all of them do from now on, in the order in which
     * they are simulated; where `va` is awaited already, from the last such time on. An instruction
     * that must begin again before it completes is one time. Nothing is charged, and memory holds
     * what it held; as with any trap, an LL before it has lost its link.
     * @param va  0: none any more; bits of it that say how to execute are ignored
     * @param times  from 1
     * @return false; true: others have done it so often meanwhile, and no processor stops
     */
    bool (*code_await)(void *code, uint64_t va, uint64_t times);

    /** From now on a processor whose references are told (pc_record_point) tells of each time that
     *  it is about to execute one of these instructions, and goes on. Nothing simulated changes.
     *  @param points  the caller's, stays as it is until the next call; NULL: no more */
    void (*code_points)(void *code, const struct pc_points *points);

    void (*code_free)(void *code);
};

/* ---- the card's slow paths, called by a core while it runs (cache.c) ------------------------- */
/**
 * `at` is the tick at which the instruction starts, cpu->now or later. Each either
 *  - succeeds: the place is shown where that is allowed, stall PCycles are already added to
 *    cpu->now and cpu->states, and the host address of the bytes is returned, which holds until the
 *    run ends; or
 *  - returns NULL: *stop says PC_STOP_MISS (the card lets the core run again when the access can be
 *    made), PC_STOP_HORIZON (at >= horizon) or PC_STOP_TRAP (exc, badvaddr ... are set), and
 *    nothing has happened.
 * `size` is 1, 2, 4 or 8 [bytes]; one that is not aligned to itself is an address error. Bytes are
 * in the guest's order (pc_core_ops.little).
 */
uint8_t *pc_load(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at, enum pc_stop *stop);
uint8_t *pc_store(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at, enum pc_stop *stop);

/** As pc_load, and sets the link. */
uint8_t *pc_load_linked(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at,
                        enum pc_stop *stop);

/** As pc_store, but sets *failed and returns NULL without stopping when the link is gone. */
uint8_t *pc_store_conditional(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at,
                              enum pc_stop *stop, bool *failed);

/** Waits for the store in the uncached store buffer: false until that has been acknowledged. */
bool pc_sync(struct pc_cpu *cpu, sim_tick at, enum pc_stop *stop);

/** Instruction fetch of the line at `va`; false as for NULL above. Needed only when the `tag` of
 *  its place in cpu->i is not the line's address; then its `host` says where the bytes are. */
bool pc_fetch(struct pc_cpu *cpu, uint64_t va, sim_tick at, enum pc_stop *stop);

/** The same before the horizon, if no time passes for it: the line is in the primary cache, and has
 *  only been hidden. @return false: nothing has been done */
bool pc_fetch_again(struct pc_cpu *cpu, uint64_t va);

/* ---- the same for a core that does not wait (pc_core_ops.requests), cache.c and agent.c --------
 */

/** What the card has of an address. */
struct pc_look {
    uint64_t pa;
    uint8_t page;   /**< enum nm_xlate: the page's attribute, or why there is none; then nothing
                         below is set */
    uint8_t state;  /**< enum nm_line: what the secondary cache has of the line. Of a non-coherent
                         page I, E or D: nobody else is asked before it is written */
    uint8_t way;    /**< of the secondary cache, if it has it ... */
    bool predicted; /**< ... and whether that was the way it looked at first */
};

/** Translates: no more, and without a trap. [PCycles] none. */
void pc_find(struct pc_cpu *cpu, uint64_t va, enum nm_access access, struct pc_look *look);

/** Looks into the secondary cache for look->pa of a cached page, and trains the prediction of its
 *  way. */
void pc_look_up(struct pc_cpu *cpu, enum pc_side side, struct pc_look *look);

/** In the truth of misses (pc_core_ops.touching): the line that pc_ask has just asked for is wanted
 *  by the access of `size` bytes at `va`; 0: pc_touched will tell what an upgrade is for. Whether
 * it is one is as the agent has decided. No effect otherwise. */
void pc_asked_for(struct pc_cpu *cpu, const struct pc_look *look, uint64_t va, unsigned size,
                  sim_tick at);

/** Likewise: an instruction has touched some bytes. @param bytes  of the doubleword at pa & ~7, bit
 * 0 the first */
void pc_touched(struct pc_cpu *cpu, uint64_t pa, uint8_t bytes, bool load, bool store);

/** Why a line cannot be asked for. */
enum pc_asking {
    PC_ASKED, /**< it is: the core goes on up to cpu->horizon, which may be nearer now, and then
                   ends its run with pc_stopped(cpu, PC_STOP_ASKED) */
    PC_ASKED_LINE, /**< a request for the line is outstanding */
    PC_ASKED_SET,  /**< its place is kept for another that is */
    PC_ASKED_FULL, /**< as many requests are outstanding as there may be */
};

/**
 * Asks for the line of `pa` (coherent or not, as pc_find said) at tick `at`: at cpu->now, when its
 * look-up in the secondary cache has failed, or found it shared for an access that writes.
 * `answered` will be called.
 * @param access  NM_FETCH, NM_LOAD, NM_STORE, NM_LINKED or NM_CONDITIONAL
 */
enum pc_asking pc_ask(struct pc_cpu *cpu, const struct pc_look *look, enum nm_access access,
                      sim_tick at);

/** The card's own copy is written from now on: clean exclusive becomes dirty. Precondition: it is
 *  exclusive, dirty, or of a non-coherent page. */
void pc_own(struct pc_cpu *cpu, const struct pc_look *look);

/** Where the bytes of the card's copy are read, at tick `at`. Precondition: there is one. */
const uint8_t *pc_read(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at);
/** Where they are written. Precondition: it is dirty. */
uint8_t *pc_write(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at);

/** Where the bytes of a line that the card has may be read without a call, and written if the line
 * is dirty, until `loses` or `hides` says otherwise. @return NULL: each access must be a call */
uint8_t *pc_show(struct pc_cpu *cpu, const struct pc_look *look);

/** An access under way when a thread leaves is done at once, as the operating system does it:
 * `size` bytes are read or, of a store, written, in no time and without a look at the card's lines.
 * @param cpu  the core @param look  as pc_find said @param size  [bytes], within a line
 * @param bytes  to write; NULL: read only @return where they are */
const uint8_t *pc_settle_access(struct pc_cpu *cpu, const struct pc_look *look, unsigned size,
                                const uint8_t *bytes);

/** A load linked has its line, which it reads in the same call of `run` or `answered`. */
void pc_link(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at);
/** Whether a load linked must ask for its line exclusively (and pc_own it not). */
bool pc_links_exclusively(const struct pc_cpu *cpu);
/** A store conditional that has its line dirty, or whose link is gone: whether it stores now. */
bool pc_conditional(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at);

/** Lines outstanding. */
unsigned pc_outstanding(const struct pc_cpu *cpu);
/** Of these, requests that have been put out and wait for the bus or memory. */
unsigned pc_under_way(const struct pc_cpu *cpu);

/* ---- event counters of the processor, for a core with signals (counters.c) ------------------- */

/** A core that keeps its counters itself wants to be called (pc_core_ops.look) at tick `at`, or
 *  sooner; where that is over, at the next tick. Looks that were asked for before may come, too. A
 * run goes on up to cpu->horizon, which may be nearer now, and then ends with PC_STOP_ASKED.
 *  @param cpu  the core
 *  @param at  later than cpu->now, or than the look in which it is called
 *  @param alone  it matters even if the processor has no thread and nothing else happens */
void pc_counters_look(struct pc_cpu *cpu, sim_tick at, bool alone);

/** They interrupt the processor, at tick `at` (NM_INTERRUPT_COUNTERS). */
void pc_counters_interrupt(struct pc_cpu *cpu, sim_tick at);

/** Registers of the counters, as MFPS, MFPC, MTPS and MTPC and Linux number them. */
enum pc_pmc { PC_PMC_CONTROL0, PC_PMC_COUNTER0, PC_PMC_CONTROL1, PC_PMC_COUNTER1 };

/** MFPS, MFPC: the register at cpu->now. Others read 0, and so do all of a core without signals.
 *  Between two runs, or from `run` with signals up to cpu->now. */
uint32_t pc_pmc_read(const struct pc_cpu *cpu, unsigned reg);

/** MTPS, MTPC at cpu->now: writes of other registers are lost. A core that runs ends its run then
 *  (PC_STOP_ASKED): an overflow may be due sooner than it was. */
void pc_pmc_write(struct pc_cpu *cpu, unsigned reg, uint32_t value);

/**
 * Two calls that let the machine go on in longer steps: a core that knows its next accesses says
 * how long no other card could notice them (struct nm_card). They change nothing that is simulated.
 */

/** Whether an access to the card's own cache would be served now without asking anybody and without
 *  a trap. It will be until the caches lose something, of which the card takes care. */
bool pc_served(const struct pc_cpu *cpu, uint64_t va, unsigned size, bool store);

/** Before tick `until` the core makes only accesses that are pc_served, or shown to it, and does
 *  not trap: so long as the caches lose nothing. An earlier call is forgotten. */
void pc_foresee(struct pc_cpu *cpu, sim_tick until);

/** @return up to when that holds as far as is known; 0: nothing is */
sim_tick pc_foreseen(const struct pc_cpu *cpu);

/**
 * Beside pc_foresee: up to tick `until`, later than cpu->now, the core only waits. Of a run it
 * would make nothing but PCycles of one state, so it is not run, and its clock stands still, until
 * then; or until the card has something to tell it: first, then, that time has passed, by a run up
 * to then. `totals` and `signals` may be asked for while it sleeps. `run` calls this last, or
 * pc_stopped after it; that holds until the next run.
 * @param state  enum pc_status @return the tick at which it goes on if nobody calls it
 */
sim_tick pc_sleeps(struct pc_cpu *cpu, sim_tick until, enum pc_status state);

/** @return whether the core sleeps */
bool pc_is_asleep(const struct pc_cpu *cpu);

/** An interrupt comes, or comes again: a line that is kept for a store-conditional is let go of. */
void pc_let_go(struct pc_cpu *cpu);

/** A core's run ends for this reason. The core is as it must be when `run` returns; it returns what
 *  this returns: 0, or cpu->now for PC_STOP_HORIZON. */
sim_tick pc_stopped(struct pc_cpu *cpu, enum pc_stop why);

/** Whether a PCycle in this state completes an instruction. */
static inline bool pc_status_completes(enum pc_status state)
{
    return state <= PC_ST_FP;
}

_Static_assert(PC_ST_LOAD < PC_ST_FP && PC_ST_STORE < PC_ST_FP && PC_ST_BR_UNTAKEN < PC_ST_FP &&
                   PC_ST_BR_TAKEN < PC_ST_FP && PC_ST_INT < PC_ST_FP && PC_ST_FP == 5,
               "the states of instructions come first");

/** Charges `n` PCycles to `state` and moves the processor's clock. */
static inline void pc_charge(struct pc_cpu *cpu, enum pc_status state, uint64_t n)
{
    cpu->now += n;
    cpu->states[state] += n;
}

/** The same for `n` instructions that complete, a PCycle each, for a core without `settle`. */
static inline void pc_complete(struct pc_cpu *cpu, enum pc_status state, uint16_t n)
{
    cpu->tail = (struct pc_tail){.did = n, .done = (uint8_t)state};
    pc_charge(cpu, state, n);
}

#pragma GCC visibility pop

#endif
