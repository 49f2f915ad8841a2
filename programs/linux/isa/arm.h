/* ARM as the personality's instruction set (isa.h): what its files share. */
#ifndef LX_ARM_H
#define LX_ARM_H

#include "programs/linux/process/isa.h"

/** Where the trampolines lie in the operating system's page: ARM, Thumb, and with siginfo. */
enum {
    LX_ARM_RETURN = 0x500,
    LX_ARM_RETURN_T = 0x508,
    LX_ARM_RETURN_RT = 0x50c,
    LX_ARM_RETURN_RT_T = 0x514
};

/* struct lx_isa's functions of the same names. */
int lx_arm_page(struct lx_prog *p);
int lx_arm_enter(struct lx_thread *t, const struct lx_action *a, const struct lx_siginfo *info,
                 const struct lx_sigs *mask);
int64_t lx_arm_leave(struct lx_thread *t, bool rt);
int lx_arm_unaligned(struct lx_thread *t);
void lx_arm_fault(struct lx_thread *t);
unsigned lx_arm_accesses(struct lx_prog *p, const union lx_regs *regs, struct prog_access *out);

#endif
