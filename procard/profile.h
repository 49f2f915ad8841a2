/*
 * An exact profile: every PCycle of every processor, by instruction, by the calls
 * that led there, by thread and by phase of the run.
 *
 * Nothing is sampled, and nothing simulated changes: each column (profile.def) sums up to the total
 * that the cards show. The core says how often it went through which instructions, and from where
 * it was called; what a stall, a miss or a NACK cost goes to the instruction that stood there.
 *
 * A path is a list of calls, from a thread's first function to the one in question: a node of a
 * tree. The core keeps a stack of the calls under way in each thread (a shadow stack). Unwinding
 * with the program's own tables would take far longer at every event, and needs tables that are
 * right at every instruction. A function that is on the path already is not entered again, so
 * recursion does not make paths longer.
 *
 * A phase is a number that its caller gives a stretch of the run: of which regions are open, say.
 */
#ifndef PC_PROFILE_H
#define PC_PROFILE_H

#include "machine/machine.h"

#pragma GCC visibility push(default)

enum pc_profile_column {
#define COLUMN(name, unit, sentence) PC_PROFILE_##name,
#include "procard/profile.def"
#undef COLUMN
    PC_PROFILE__COUNT
};

/** A pc that is none: of costs without an instruction. */
#define PC_PROFILE_NOWHERE (~UINT64_C(0))

/** A node of the paths. */
struct pc_profile_path {
    uint32_t parent;   /**< its caller's path; its own number: there is none */
    uint64_t call;     /**< virtual address of the call; NOWHERE: not called (a thread's first
                            function, a jump, a signal's handler) */
    uint64_t function; /**< virtual address of the function's first instruction; NOWHERE: of a card
                            that has had no thread yet */
};

/** What one instruction did on one path of a thread in a phase. */
struct pc_profile_row {
    uint32_t phase;
    uint32_t thread; /**< the operating system's number of it; 0: none has been on the card yet */
    uint32_t path;
    uint64_t pc; /**< virtual address; NOWHERE: PCycles of instructions that a change of phase cut
                      through. What was counted of such an instruction too early is negative there,
                      and too late in the next phase: so every phase's sums are exact */
    int64_t v[PC_PROFILE__COUNT];
};

struct pc_profile;

/** The function that holds an address: its first address and the one after its last.
 *  @return false: not known, both stay as they are */
typedef bool pc_function_fn(void *ctx, uint64_t va, uint64_t *from, uint64_t *to);

/**
 * Profiles all cards of a machine of processor cards, from now on, in phase 0; before its first
 * run.
 * @param function  tells jumps between functions from those within; NULL: nothing is known
 * @return the caller's, released after the machine's last run and before its end; NULL: the cards'
 *         core cannot be profiled
 */
struct pc_profile *pc_profile_new(struct nm_machine *m, pc_function_fn *function, void *ctx);
void pc_profile_free(struct pc_profile *profile);

/** What becomes of a call. */
enum pc_crossed {
    PC_CROSSED_ENTERED,
    PC_CROSSED_RETURNED,
    PC_CROSSED_LEFT, /**< longjmp, an exception, or a jump that starts the function again: there is
                          no result */
};

enum { PC_ARGUMENTS = 4 };

/** A watched function is entered by a call, a jump or a signal, or is over. */
struct pc_crossing {
    enum pc_crossed what;
    unsigned watch;   /**< the listener's number for the function */
    unsigned card;    /**< on which it happens */
    uint32_t thread;  /**< the thread of the call, as in struct pc_profile_row */
    uint32_t path;    /**< of the caller; of a jump, of the caller of the function that jumps */
    uint64_t call;    /**< virtual address of the call; NOWHERE: there is none */
    sim_tick entered; /**< [ticks] of the card's clock, when the first instruction begins */
    sim_tick at;      /**< ... when this happens: `entered`, or when the caller goes on */
    uint64_t argument[PC_ARGUMENTS]; /**< on entry: the first registers for integer arguments */
    uint64_t result; /**< the first register for integer results; 0 unless RETURNED. What a function
                          returns that jumps to another one is that one's result */
};

/** Is told of a crossing: reads it, and changes nothing that can be simulated. */
typedef void pc_watch_fn(void *ctx, const struct pc_crossing *crossing);

/**
 * Watches a function: `told` is called whenever it is entered, by recursion too, and when that call
 * is over. Before the machine's first run. A function may be watched by several listeners: they are
 * told in the order in which they came. Calls that are inlined are none, and a thread's first
 * function has no caller. The end of a call that is under way when its thread ends is not told.
 *
 * One card's crossings come in the order of time. Cards run ahead of each other, so crossings of
 * different cards do not: a listener that needs an order sorts by `at`, then by card.
 * @param function  virtual address, in the function
 */
void pc_profile_watch(struct pc_profile *profile, uint64_t function, unsigned watch,
                      pc_watch_fn *told, void *ctx);

/** A thread has gone round a loop, in which it did nothing but look (loop.h). */
struct pc_spin {
    unsigned card;
    uint32_t thread;
    uint64_t pc;       /**< virtual address of the loop's last transfer */
    uint64_t va;       /**< of the word that it looked at; NOWHERE: not known */
    uint64_t rounds;   /**< in which nothing was new */
    sim_tick from, to; /**< [ticks] of the card's clock: the first time round, and when it was out,
                          or the last time round if it left otherwise than by the transfer */
    sim_tick at;       /**< when it is told */
    sim_tick lost;     /**< [ticks] when another card took the word's line away last; 0: none did */
    uint32_t lost_to;  /**< the thread on that card */
    bool open;         /**< the card stands in the loop: it goes on, if the run does */
};

/** Is told of it: reads it, and changes nothing that can be simulated. */
typedef void pc_spin_fn(void *ctx, const struct pc_spin *spin);

/** Has `told` called when a loop is over. Before the machine's first run; there is one listener.
 *  Calls come in order as those of pc_profile_watch do. */
void pc_profile_spins(struct pc_profile *profile, pc_spin_fn *told, void *ctx);

/** Tells of the loops that cards are still in at tick `now`: nothing comes behind it. */
void pc_profile_spins_end(struct pc_profile *profile, sim_tick now);

/** A thread's stack begins at `from` now: it has grown. */
typedef void pc_stack_fn(void *ctx, uint32_t thread, uint64_t from);

/** Has `told` called whenever a thread's stack is deeper than ever. Before the machine's first run;
 *  there is one listener. */
void pc_profile_stacks(struct pc_profile *profile, pc_stack_fn *told, void *ctx);

/** A thread is about to begin with the stack pointer `sp`. @param room  its stack begins there at
 * the lowest: what is below has nothing to do with it */
void pc_profile_stack(struct pc_profile *profile, uint32_t thread, uint64_t room, uint64_t sp);

enum { PC_REGISTERS = 32 };

/** A function under way, as its thread's stack and registers have it. */
struct pc_profile_frame {
    uint32_t thread;
    uint32_t depth; /**< so many functions of its thread are under way around it */
    uint64_t pc;    /**< the instruction at which it stands: a call, or the one that executes */
    uint64_t cfa;   /**< the stack pointer of its caller when it was called */
    uint32_t known; /**< registers whose values it has, a bit for each, */
    uint64_t reg[PC_REGISTERS]; /**< by their numbers in debugging information */
};

/** Functions' registers are kept from now on, so that pc_profile_frames has them. */
void pc_profile_keep(struct pc_profile *profile);

/** The functions under way in a thread that have been called, the oldest first.
 *  @param now  its card has stopped: the registers of the function that executes are known, too
 *  @return how many; *frames is the caller's (free) */
size_t pc_profile_frames(struct pc_profile *profile, uint32_t thread, bool now,
                         struct pc_profile_frame **frames);

/** Where a card's thread stands. @param[out] path  of the function that executes
 *  @param[out] pc  the instruction that what happens there is put down to
 *  @return false: the card has another thread, or none; both stay as they are */
bool pc_profile_stands(const struct pc_profile *profile, unsigned card, uint32_t thread,
                       uint32_t *path, uint64_t *pc);

/** What happens from here on belongs to `phase`. The machine stands at `now`. */
void pc_profile_phase(struct pc_profile *profile, uint32_t phase, sim_tick now);

/** Brings the rows up to `now`, at which the machine stands, and sorts them by phase, thread, path
 *  and pc. @return how many; *rows holds until the next call of this room */
size_t pc_profile_rows(struct pc_profile *profile, sim_tick now,
                       const struct pc_profile_row **rows);

/** All paths, by number: a parent comes before its children. @return how many */
size_t pc_profile_paths(const struct pc_profile *profile, const struct pc_profile_path **paths);

#pragma GCC visibility pop

#endif
