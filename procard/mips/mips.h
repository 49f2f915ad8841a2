/*
 * The MIPS instruction set for the rooms above: the registers of a thread, and instructions as
 * text. All cores that execute it share them.
 */
#ifndef MIPS_MIPS_H
#define MIPS_MIPS_H

#include <stdbool.h>
#include <stdint.h>

/** Architectural state of one thread; copied whole at a context switch. Values are host-endian. */
struct mips_regs {
    uint64_t gpr[32]; /**< 32-bit results are kept sign-extended, as MIPS III does; gpr[0] is 0 */
    uint64_t hi, lo;
    uint64_t pc;        /**< address of the next instruction to execute */
    uint64_t npc;       /**< address after it; differs from pc + 4 only in a branch delay slot */
    uint64_t fpr[32];   /**< FR=1: 32 doubles. FR=0: fpr[even] holds an even/odd pair, see `fr` */
    uint32_t fcsr;      /**< FCR31: rounding mode, flags, enables, causes, FS, condition bits */
    uint64_t userlocal; /**< thread pointer, read by rdhwr $29 */
    bool fr;            /**< floating-point register mode: true for n64, false for o32 */
    bool addr64;        /**< 64-bit addressing and instructions allowed in user mode (n64) */
    uint64_t passed; /**< not the processor's: the awaited instruction here has been counted, and is
                          still to complete; 0: none */
    uint64_t sink;   /**< takes results whose destination is register 0 */
};

/** The number of a general register by what an assembler calls it: "31", "ra", "s8".
 *  @param n64  the ABI's names, of which a4 to a7 are o32's t0 to t3 @return 32: there is none */
unsigned mips_register_called(const char *name, bool n64);

/** Disassembles the word at `va` into buf for diagnostics ("lw v0,8(sp)"); always terminates. */
void mips_disassemble(uint32_t word, uint64_t va, char *buf, unsigned size);

#endif
