/*
 * A profile as a card and its core see it: where the processor is, and what that costs.
 *
 * A cursor is a card's place in the profile: a node (the calls that led to the function that runs,
 * in one phase of one thread), and the instruction that whatever happens now is put down to. The
 * core moves it; the card, where it charges time between two runs. What has a total on the card
 * (PROFILE_TOTAL) is put down when the cursor moves on, by how much the total has grown: who counts
 * a NACK need not know of profiles.
 *
 * What an instruction costs when nothing goes wrong is counted by block, in counters of the node
 * that only the core can read (pc_core_ops.harvest).
 */
#ifndef PC_CURSOR_H
#define PC_CURSOR_H

#include "base/alloc.h"
#include "procard/card.h"
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
    struct pc_link *next;
};

struct pc_node_key {
    uint32_t path, phase, thread;
};

/** A path in one phase of one thread. */
struct pc_node {
    uint64_t **page; /**< [pages] of PC_COUNTERS counters each; NULL: all of them are 0 */
    uint32_t pages;
    struct pc_node_key key;
    uint64_t from, to;      /**< of the function; `to` is 0: not known */
    struct pc_node *parent; /**< NULL: none */
    struct pc_link *link;
    struct pc_tally **tally; /**< [1 << tally_bits] by pc, with gaps */
    unsigned tallies, tally_bits;
    UT_hash_handle hh; /**< in struct pc_profile */
};

/** A call under way. */
struct pc_frame {
    uint64_t back; /**< where it returns to; NOWHERE: it was no call */
    uint64_t sp;   /**< the stack pointer then: once it is above, the call is over */
    struct pc_node *caller;
};

/** What is known of a thread. */
struct pc_profiled_thread {
    uint32_t number;
    struct pc_node *node;   /**< where it is */
    struct pc_frame *frame; /**< [depth] from the first function on */
    size_t depth, room;
    UT_hash_handle hh;
};

/** A card's place in a profile. */
struct pc_cursor {
    struct pc_node *node;              /**< of what runs */
    struct pc_node *at;                /**< of what is charged, */
    uint64_t pc;                       /**< with the instruction, */
    struct pc_tally *tally;            /**< and theirs; NULL: not looked up yet */
    struct pc_profiled_thread *thread; /**< NULL: the card has had none */
    struct pc_profile *profile;
    struct pc_card *card;
    int64_t seen[PC_PROFILE__COUNT]; /**< totals that have been put down, by column */
};

/** The tally of an instruction of a node; made if need be. */
struct pc_tally *pc_node_tally(struct pc_node *node, uint64_t pc);

/** Makes a page of counters. @return the node's page, all 0 */
uint64_t *pc_node_page(struct pc_node *node, uint32_t page);

/** The node's counter of a number. */
static inline uint64_t *pc_node_counter(struct pc_node *node, uint32_t number)
{
    const uint32_t page = number / PC_COUNTERS;
    uint64_t *counters = __builtin_expect(page < node->pages, 1) ? node->page[page] : NULL;
    if (__builtin_expect(!counters, 0))
        counters = pc_node_page(node, page);
    return &counters[number % PC_COUNTERS];
}

/** Puts down what has happened since, and goes to an instruction of the node that runs. */
void pc_cursor_move(struct pc_cursor *c, uint64_t pc);

/** From here on things are put down to the instruction at `pc`. */
static inline void pc_cursor_at(struct pc_cursor *c, uint64_t pc)
{
    if (c->pc != pc || c->at != c->node)
        pc_cursor_move(c, pc);
}

/** To the one at which the core stands, between two of its runs. */
void pc_cursor_stand(struct pc_cursor *c);

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

/** Whether a jump between these addresses may leave the function. */
bool pc_profile_leaves(const struct pc_profile *profile, uint64_t from, uint64_t to);

/** All nodes, one after the other. */
struct pc_node *pc_profile_nodes(struct pc_profile *profile);

#endif
