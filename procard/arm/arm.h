/*
 * The ARM instruction set, version 6 in user mode, for the rooms above: the registers of a thread,
 * and instructions as text. All cores that execute it share them.
 */
#ifndef ARM_ARM_H
#define ARM_ARM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    ARM_SP = 13,
    ARM_LR = 14,
    ARM_PC = 15,
    ARM_SINK = 16,  /**< takes results that go nowhere */
    ARM_PLACES = 17 /**< of struct arm_regs.r */
};

/** Bits of the CPSR that a user program has. */
#define ARM_CPSR_N    (UINT32_C(1) << 31)
#define ARM_CPSR_Z    (UINT32_C(1) << 30)
#define ARM_CPSR_C    (UINT32_C(1) << 29)
#define ARM_CPSR_V    (UINT32_C(1) << 28)
#define ARM_CPSR_Q    (UINT32_C(1) << 27)
#define ARM_CPSR_GE   (UINT32_C(15) << 16)
#define ARM_CPSR_E    (UINT32_C(1) << 9) /**< data accesses are big-endian */
#define ARM_CPSR_T    (UINT32_C(1) << 5) /**< Thumb state */
#define ARM_CPSR_USER UINT32_C(0x10)     /**< the mode bits of user mode */

/** Architectural state of one thread; copied whole at a context switch. Values are host-endian. The
 *  flags are kept apart, as the interpreter wants them; arm_cpsr and arm_set_cpsr put them
 * together.
 */
struct arm_regs {
    uint32_t r[ARM_PLACES]; /**< r[ARM_PC]: address of the next instruction to execute: even, in ARM
                                 state a multiple of 4 */
    uint32_t n;             /**< bit 31 is N */
    uint32_t z;             /**< Z is set exactly when this is 0 */
    uint32_t c;             /**< C: 0 or 1 */
    uint32_t v;             /**< bit 31 is V */
    uint8_t q;              /**< Q: 0 or 1 */
    uint8_t ge;             /**< GE[3:0] */
    bool t;                 /**< Thumb state */
    bool e;                 /**< data accesses are big-endian (SETEND BE) */
    uint32_t tls;           /**< CP15 c13,c0,3: user programs read it */
    uint32_t tls_user;      /**< CP15 c13,c0,2: user programs read and write it */
    uint32_t passed; /**< not the processor's: 1 more than the address of the awaited instruction,
                        if it has been counted here and is still to complete; 0: none */
};

/** The CPSR of a thread in user mode. */
static inline uint32_t arm_cpsr(const struct arm_regs *r)
{
    return (r->n & ARM_CPSR_N) | (r->z ? 0 : ARM_CPSR_Z) | (r->c ? ARM_CPSR_C : 0) |
           (r->v >> 31 ? ARM_CPSR_V : 0) | (r->q ? ARM_CPSR_Q : 0) | (uint32_t)(r->ge & 15) << 16 |
           (r->e ? ARM_CPSR_E : 0) | (r->t ? ARM_CPSR_T : 0) | ARM_CPSR_USER;
}

/** Sets the flags, GE, E and T. What a user program does not have is ignored. */
static inline void arm_set_cpsr(struct arm_regs *r, uint32_t cpsr)
{
    r->n = cpsr & ARM_CPSR_N;
    r->z = !(cpsr & ARM_CPSR_Z);
    r->c = cpsr >> 29 & 1;
    r->v = cpsr << 3;
    r->q = cpsr >> 27 & 1;
    r->ge = cpsr >> 16 & 15;
    r->e = cpsr >> 9 & 1;
    r->t = cpsr >> 5 & 1;
}

/** Disassembles the instruction at `va` into buf for diagnostics ("ldr r0, ..."); always
 * terminates.
 * @param word  the ARM word; in Thumb state the halfword, with the one behind it in bits 31 to 16
 * @param thumb  it is a Thumb instruction
 * @param va  its address
 * @param buf  takes the text
 * @param size  [bytes] of buf
 * @return [bytes] of the instruction: 2 or 4 */
unsigned arm_disassemble(uint32_t word, bool thumb, uint32_t va, char *buf, unsigned size);

#endif
