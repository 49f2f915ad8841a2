/*
 * Whether two processors have the same registers: member by member, because a structure has holes.
 */
#ifndef TESTS_MIPS_REGISTERS_H
#define TESTS_MIPS_REGISTERS_H

#include "procard/mips/mips.h"

#include <string.h>

static inline bool mips_registers_are_same(const struct mips_regs *a, const struct mips_regs *b)
{
    return !memcmp(a->gpr, b->gpr, sizeof a->gpr) && !memcmp(a->fpr, b->fpr, sizeof a->fpr) &&
           a->hi == b->hi && a->lo == b->lo && a->pc == b->pc && a->npc == b->npc &&
           a->fcsr == b->fcsr && a->userlocal == b->userlocal && a->fr == b->fr &&
           a->addr64 == b->addr64 && a->passed == b->passed;
}

#endif
