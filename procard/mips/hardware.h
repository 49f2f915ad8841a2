/*
 * Hardware registers that a user program may read (MIPS32 Architecture, RDHWR), one set for all
 * cores that execute the instruction set.
 */
#ifndef MIPS_HARDWARE_H
#define MIPS_HARDWARE_H

#include "procard/core.h"
#include "procard/mips/mips.h"

enum {
    MIPS_SYNCI_STEP = 32,   /**< [bytes]; the shortest step is always safe */
    MIPS_COUNT_DIVIDER = 2, /**< PCycles per tick of Count (R4400 manual p. 86) */
};

/** Numbers of hardware registers. */
enum {
    MIPS_HARDWARE_CPU = 0,
    MIPS_HARDWARE_SYNCI = 1,
    MIPS_HARDWARE_COUNT = 2,
    MIPS_HARDWARE_DIVIDER = 3,
    MIPS_HARDWARE_USER_LOCAL = 29,
};

/**
 * Reads a hardware register for the thread whose registers are `r`.
 * @param at  [PCycles] when the instruction reads it. Reads of the clock are counted
 * (pc_cpu.polls).
 * @return false: reserved, *value is unchanged
 */
static inline bool mips_hardware_read(struct pc_cpu *cpu, const struct mips_regs *r, int32_t number,
                                      sim_tick at, uint64_t *value)
{
    switch (number) {
    case MIPS_HARDWARE_CPU:
        *value = cpu->number;
        return true;
    case MIPS_HARDWARE_SYNCI:
        *value = MIPS_SYNCI_STEP;
        return true;
    case MIPS_HARDWARE_COUNT:
        cpu->polls++;
        *value = (uint64_t)(int32_t)(at / MIPS_COUNT_DIVIDER);
        return true;
    case MIPS_HARDWARE_DIVIDER:
        *value = MIPS_COUNT_DIVIDER;
        return true;
    case MIPS_HARDWARE_USER_LOCAL:
        *value = r->userlocal;
        return true;
    default:
        return false;
    }
}

#endif
