/* MIPS as the personality's instruction set (isa.h): what its files share. */
#ifndef LX_MIPS_H
#define LX_MIPS_H

#include "programs/linux/process/isa.h"

/* struct lx_isa's functions of the same names. */
int lx_mips_page(struct lx_prog *p);
int lx_mips_enter(struct lx_thread *t, const struct lx_action *a, const struct lx_siginfo *info,
                  const struct lx_sigs *mask);
int64_t lx_mips_leave(struct lx_thread *t, bool rt);
int lx_mips_unaligned(struct lx_thread *t);
void lx_mips_fault(struct lx_thread *t);
unsigned lx_mips_accesses(struct lx_prog *p, const union lx_regs *regs, struct prog_access *out);

#endif
