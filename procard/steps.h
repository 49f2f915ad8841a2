/*
 * What becomes of instructions in a pipeline, step by step: for who wants to draw it. A core tells
 * it at once and changes nothing by it; its ticks are its own, ahead of the machine's.
 *
 * A core with a list of instructions under way (R10000, R12000) tells of each by its place there.
 * One that issues in order (ARM11) has one at a time: it stands, perhaps waits, and issues then.
 */
#ifndef PC_STEPS_H
#define PC_STEPS_H

#include "procard/core.h"

/** What happens to an instruction. */
enum pc_step_kind {
    PC_STEP_FETCHED,   /**< it has been fetched */
    PC_STEP_DECODED,   /**< it has been decoded, and has its place */
    PC_STEP_ISSUED,    /**< a unit begins with it, or with its address */
    PC_STEP_GRADUATED, /**< it is the program's; `done`: since when it could be */
    PC_STEP_SQUASHED,  /**< it has never been: the path was wrong, or an older one raised an
                            exception */
    PC_STEP_STANDS,    /**< in order: it is next */
    PC_STEP_WAITS,     /**< in order: for `done` PCycles, before it issues */
};

struct pc_step {
    enum pc_step_kind kind;
    unsigned card;
    unsigned place; /**< in the list; 0 of a core in order */
    sim_tick at;
    sim_tick done;
    uint64_t pc;      /**< of FETCHED and STANDS */
    const char *name; /**< likewise: mnemonic. Static; NULL: not known */
};

/** Who is told. The caller's; outlives the following. */
struct pc_steps {
    void (*told)(void *ctx, const struct pc_step *step);
    void *ctx;
};

/** Whether a card's core tells of its steps. */
bool pc_has_steps(struct nm_machine *m, unsigned card);

/** Has it tell `steps` from now on, while the machine stands; NULL: no longer. One that has_steps,
 *  and tells no profile and no recording. */
void pc_follow_steps(struct nm_machine *m, unsigned card, const struct pc_steps *steps);

static inline void pc_step_told(const struct pc_cpu *cpu, const struct pc_step *step)
{
    cpu->steps->told(cpu->steps->ctx, step);
}

#endif
