/*
 * A profile as a card and its core see it: the processor's place, and the cost there.
 *
 * A cursor is a card's place in the profile: a node (the calls that led to the function that runs,
 * in one phase of one thread), and the instruction that the present events are put down to. The
 * core moves it; the card, where it charges time between two runs. A column with a total on the
 * card (PROFILE_TOTAL) is put down when the cursor moves on, by the total's growth: the code that
 * counts a NACK need not know of profiles.
 *
 * What an instruction costs when nothing goes wrong is counted by block, in counters of the node
 * that only the core can read (pc_core_ops.harvest).
 */
#ifndef PC_CURSOR_H
#define PC_CURSOR_H

#include "base/alloc.h"
#include "procard/card.h"
#include "procard/loop.h"
#include "procard/profile.h"

#include <uthash.h>

/** What is put down to one instruction of a node. */
struct pc_tally {
    uint64_t pc;
    int64_t v[PC_PROFILE__COUNT];
};

enum { PC_COUNTERS = 64 }; /**< in a page of them */

/** Where a call or a jump from a node leads. */
struct pc_link {
    uint64_t call, target; /**< the call (NOWHERE: none), and where it went */
    struct pc_node *to;
    const struct pc_watched *watched; /**< the function it enters; NULL: it is not watched */
    struct pc_link *next;
};

struct pc_node_key {
    uint32_t path, phase, thread;
};

/** A path in one phase of one thread. */
struct pc_node {
    uint64_t **page; /**< [pages] of PC_COUNTERS counters each; NULL: all of them are 0 */
    uint32_t first;  /**< the number of page[0]: a function's blocks are close together */
    uint32_t pages;
    struct pc_node_key key;
    uint64_t from, to;      /**< of the function; `to` is 0: not known */
    struct pc_node *parent; /**< NULL: none */
    struct pc_link *link;
    uint32_t links, depth;   /**< depth: calls from the thread's first function on */
    struct pc_tally **tally; /**< [1 << tally_bits] by pc, with gaps */
    unsigned tallies, tally_bits;
    UT_hash_handle hh; /**< in struct pc_profile */
};

/** A call under way. */
struct pc_frame {
    uint64_t call; /**< its instruction; NOWHERE: it was no call */
    uint64_t back; /**< where it returns to; likewise */
    uint64_t sp;   /**< the stack pointer then: once it is above, the call is over */
    struct pc_node *caller;
    uint64_t kept[PC_KEPT]; /**< pc_core_ops.kept, if the profile keeps them */
};

/** A listener to a watched function. */
struct pc_listener {
    unsigned watch;
    pc_watch_fn *told;
    void *ctx;
};

struct pc_watched {
    uint64_t function;
    struct pc_listener *listener; /**< [listeners] */
    unsigned listeners;
    UT_hash_handle hh; /**< in struct pc_profile */
};

/** A watched function under way. */
struct pc_visit {
    const struct pc_watched *watched;
    size_t depth; /**< the frames of its thread, with its own: with fewer it is over */
    struct pc_crossing entry;
};

/** How deep a thread's stack went (stack.c). */
struct pc_stack {
    uint32_t thread;
    uint64_t room, low; /**< [low, its first stack pointer) is its stack; low >= room */
    bool away;          /**< the stack pointer points to another stack */
    UT_hash_handle hh;  /**< in struct pc_profile */
};

/** What is known of a thread. */
struct pc_profiled_thread {
    uint32_t number;
    struct pc_node *node;   /**< where it is */
    struct pc_frame *frame; /**< [depth] from the first function on */
    size_t depth, room;
    struct pc_visit *visit; /**< [visits] */
    size_t visits, visit_room;
    struct pc_stack *stack; /**< NULL: not known */
    UT_hash_handle hh;
};

/** A card's place in a profile. */
struct pc_cursor {
    struct pc_node *node;              /**< of the function that runs */
    struct pc_node *at;                /**< of the charged instruction, */
    uint64_t pc;                       /**< with the instruction, */
    struct pc_tally *tally;            /**< and theirs; NULL: not looked up yet */
    struct pc_profiled_thread *thread; /**< NULL: the card has had none */
    struct pc_profile *profile;
    struct pc_card *card;
    struct pc_loop loop;
    struct pc_looks looks;
    uint64_t changed, failed;        /**< store-conditionals: as struct pc_round has them */
    uint64_t linked;                 /**< the core's: what the last load-linked brought */
    int64_t seen[PC_PROFILE__COUNT]; /**< totals that have been put down, by column */
    uint64_t untouched;              /**< bytes of accesses that leave no trace: of no cache */
};

/** What tells one path from another; no padding, it is hashed. */
struct pc_path_key {
    uint64_t parent, call, function; /**< parent: all ones: none */
};

struct pc_path {
    struct pc_path_key key;
    uint32_t number;
    UT_hash_handle hh; /**< in struct pc_profile */
};

struct pc_profile {
    struct nm_machine *m;
    struct pc_cursor *cursor; /**< [cards] */
    unsigned cards;
    pc_function_fn *function; /**< NULL: no function is known */
    void *ctx;
    uint32_t phase; /**< the present one */
    bool keeps;     /**< registers of calls */

    struct pc_path *path_by_key;
    struct pc_profile_path *path; /**< [paths] */
    size_t paths;
    struct pc_node *nodes;
    struct pc_profiled_thread *threads;
    struct pc_stack *stacks;
    pc_stack_fn *grown; /**< NULL: nobody listens */
    void *grown_ctx;
    struct pc_watched *watched;
    pc_spin_fn *spins; /**< NULL: nobody listens */
    void *spins_ctx;
    uint32_t (*tenant)(void *ctx, uint32_t thread, uint64_t va); /**< NULL: not asked */
    void *tenant_ctx;
    struct pc_profile_row *row; /**< [rows] as last asked for */
    size_t rows;
};

/** The tally of an instruction of a node; made if need be. */
struct pc_tally *pc_node_tally(struct pc_node *node, uint64_t pc);

/** Makes a page of counters. @param page  its number @return the node's page, all 0 */
uint64_t *pc_node_page(struct pc_node *node, uint32_t page);

void pc_node_free(struct pc_node *node);

/** The node's counter of a number. */
static inline uint64_t *pc_node_counter(struct pc_node *node, uint32_t number)
{
    const uint32_t page = number / PC_COUNTERS - node->first; /* huge below the first */
    uint64_t *counters = __builtin_expect(page < node->pages, 1) ? node->page[page] : NULL;
    if (__builtin_expect(!counters, 0))
        counters = pc_node_page(node, number / PC_COUNTERS);
    return &counters[number % PC_COUNTERS];
}

/** What has happened since the cursor came goes to its instruction. */
void pc_cursor_put_down(struct pc_cursor *c);

/** Puts that down, and goes to an instruction of the node that runs. */
void pc_cursor_move(struct pc_cursor *c, uint64_t pc);

/** From here on things are put down to the instruction at `pc`. */
static inline void pc_cursor_at(struct pc_cursor *c, uint64_t pc)
{
    if (c->pc != pc || c->at != c->node)
        pc_cursor_move(c, pc);
    const unsigned look = c->looks.count++ % PC_LOOKS;
    c->looks.look[look].pc = pc;
    c->looks.look[look].at = c->card->cpu.now;
}

/** To the one at which the core stands, between two of its runs. */
void pc_cursor_stand(struct pc_cursor *c);

/** What the card's time has gone to before tick `at` is put down. (profile.c) */
void pc_cursor_used(struct pc_cursor *c, sim_tick at);

/** Adds to a column of the instruction. */
void pc_cursor_add(struct pc_cursor *c, enum pc_profile_column column, int64_t n);

/* ---- the calls of the thread that runs: told by the core --------------------------------------
 */

/** A call from the instruction at `call` went to `target`; it will return to `back`.
 *  @param sp  the stack pointer there */
void pc_cursor_call(struct pc_cursor *c, uint64_t call, uint64_t back, uint64_t target,
                    uint64_t sp);

/** A jump, return or other transfer that is no call went to `target`. */
void pc_cursor_jump(struct pc_cursor *c, uint64_t target, uint64_t sp);

/** A thread (struct pc_tries) goes on at `pc`: its own, or wherever the operating system sent it.
 */
void pc_cursor_placed(struct pc_cursor *c, uint32_t thread, uint64_t pc, uint64_t sp);

/** The thread that runs makes a request for `va`. (stack.c) */
void pc_cursor_asks(struct pc_cursor *c, uint64_t va);

/** The stack of a thread that has one; NULL. (stack.c) */
struct pc_stack *pc_stack_of(struct pc_profile *profile, uint32_t thread);

/** How the stack pointer came where it is. */
enum pc_stack_by {
    PC_STACK_CALLS, /**< the function that has it calls another one */
    PC_STACK_JUMPS, /**< a jump, or a signal: it may be another stack's */
};

/** The stack pointer is below the thread's stack, or was at another one. (stack.c) */
void pc_stack_seen(struct pc_profile *profile, struct pc_stack *stack, uint64_t sp,
                   enum pc_stack_by by);

/** The core has come round a loop. (spin.c) */
void pc_cursor_round(struct pc_cursor *c, const struct pc_round *round);

/** It is out of any loop: by a call, a jump or a return, or all is at its end.
 *  @param now  [ticks] (spin.c) */
void pc_cursor_out(struct pc_cursor *c, sim_tick now);

/** It has not gone round the loop that the transfer at `pc` closes, but on behind it.
 *  @param tries  the loop has a store-conditional (spin.c) */
void pc_cursor_fell(struct pc_cursor *c, uint64_t pc, bool tries);

/** Another card has taken a line away at tick `at`, on behalf of `thread`. */
void pc_cursor_lost(struct pc_cursor *c, uint64_t line, uint32_t thread, sim_tick at);

/** Whether a jump between these addresses may leave the function. */
bool pc_profile_leaves(const struct pc_profile *profile, uint64_t from, uint64_t to);

/** The node of a thread's first function, which holds `pc`; NOWHERE: of a card without a thread. */
struct pc_node *pc_profile_root(struct pc_profile *profile, uint32_t thread, uint64_t pc);

/** A call begins: the registers that it will give back. (stack.c) */
void pc_cursor_keep(const struct pc_cursor *c, struct pc_frame *frame);

/** The same path of the same thread in the present phase. */
struct pc_node *pc_profile_renewed(struct pc_profile *profile, struct pc_node *node);

/** The thread's calls are in the present phase from here on. */
void pc_profile_renew(struct pc_profile *profile, struct pc_profiled_thread *t);

#endif
