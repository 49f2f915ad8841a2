/*
 * What the personality does with a thread's registers, instruction set by instruction set: a struct
 * of functions for each (mips.c, arm.c and the files named after them). Code that needs a register
 * asks here (struct lx_kind has the kind's).
 */
#ifndef LX_ISA_H
#define LX_ISA_H

#include "programs/linux/process/process.h"

enum { LX_RAW_ARGS = 8 /**< words that a call's arguments take at most */ };

struct lx_isa {
    const char *name; /**< for people */

    /* ---- registers ---- */

    /** Of the next instruction. */
    uint64_t (*pc)(const union lx_regs *r);
    uint64_t (*sp)(const union lx_regs *r);
    void (*set_sp)(union lx_regs *r, uint64_t va);
    /** Where the call that was made last returns to, unless it has been moved away since. */
    uint64_t (*back)(const union lx_regs *r);
    /** The thread pointer, and where the thread's variables begin if it is that. */
    uint64_t (*tls)(const union lx_regs *r);
    void (*set_tls)(union lx_regs *r, uint64_t va);
    uint64_t (*variables)(const struct lx_elf_image *image, uint64_t tls);
    /** A hash of all that the program could tell states apart by. */
    uint64_t (*state)(const union lx_regs *r);
    /** As execve leaves them, but for the stack pointer. */
    void (*begin)(const struct lx_elf_image *image, union lx_regs *r);

    /* ---- system calls ---- */

    /** The call that the thread makes; keeps what `again` needs. */
    uint64_t (*number)(struct lx_thread *t);
    /** Its arguments' words, the first `skip` left out. What cannot be read is 0. */
    void (*arguments)(struct lx_thread *t, unsigned skip, uint64_t raw[LX_RAW_ARGS]);
    /** @param error  the result is the guest's errno */
    void (*result)(struct lx_thread *t, uint64_t result, bool error);
    /** A second result, of calls that have one; NULL: there are none. */
    void (*second)(struct lx_thread *t, uint64_t result);
    /** The thread makes its last call again. */
    void (*again)(struct lx_thread *t);

    /* ---- signals ---- */

    /** Writes what lies in the operating system's page. @return 0 or -errno */
    int (*page)(struct lx_prog *p);
    /** Writes a handler's frame and sends the thread there.
     *  @return 0, or -EFAULT when its stack cannot take the frame */
    int (*enter)(struct lx_thread *t, const struct lx_action *a, const struct lx_siginfo *info,
                 const struct lx_sigs *mask);
    /** Puts back what a frame holds. @param rt  one with siginfo @return 0 or -EFAULT */
    int64_t (*leave)(struct lx_thread *t, bool rt);

    /* ---- exceptions ---- */

    /** Carries out the access at pc, whose address is not aligned, as Linux does.
     *  @return 1: done; 0: it is not one of those; -EFAULT: no such memory */
    int (*unaligned)(struct lx_thread *t);
    /** Any exception that is neither a call nor one of memory. */
    void (*fault)(struct lx_thread *t);
    /** struct prog_workload's `accesses`, of a thread with these registers. */
    unsigned (*accesses)(struct lx_prog *p, const union lx_regs *regs, struct prog_access *out);
};

/** A thread's. */
static inline const struct lx_isa *lx_isa_of(const struct lx_thread *t)
{
    return t->p->kind->isa;
}

/** Its registers now: its card's while it runs. */
static inline const union lx_regs *lx_regs_now(const struct lx_thread *t)
{
    return t->state == TH_RUNNING ? pc_thread_registers(t->p->m, t->card) : &t->regs;
}

static inline uint64_t lx_pc_now(const struct lx_thread *t)
{
    return lx_isa_of(t)->pc(lx_regs_now(t));
}

#endif
