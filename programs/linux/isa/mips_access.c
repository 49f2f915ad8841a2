/*
 * MIPS: the addresses of accesses, as a handler of interrupts finds them out.
 *
 * The hard idea: a processor that waits for memory is interrupted at the instruction that waits, so
 * its address is an offset and a register that the handler has. What the block does next to the
 * same object is written in the code behind it: other offsets, the same register.
 */
#include "programs/linux/isa/access.h"
#include "programs/linux/isa/mips.h"

/** Instructions with a base register and an offset, by major opcode (bits 31 to 26). */
static const struct form {
    uint8_t size; /**< [bytes] at most; 0: it is no access to memory */
    bool store;
} forms[64] = {
    [0x1a] = {8, false}, [0x1b] = {8, false}, /* LDL, LDR */
    [0x20] = {1, false}, [0x21] = {2, false}, [0x22] = {4, false}, [0x23] = {4, false},
    [0x24] = {1, false}, [0x25] = {2, false}, [0x26] = {4, false}, [0x27] = {4, false},
    [0x28] = {1, true},  [0x29] = {2, true},  [0x2a] = {4, true},  [0x2b] = {4, true},
    [0x2c] = {8, true},  [0x2d] = {8, true},  [0x2e] = {4, true},  [0x30] = {4, false},
    [0x31] = {4, false}, [0x34] = {8, false},                     /* LL, LWC1, LLD */
    [0x35] = {8, false}, [0x37] = {8, false},                     /* LDC1, LD */
    [0x38] = {4, true},  [0x39] = {4, true},  [0x3c] = {8, true}, /* SC, SWC1, SCD */
    [0x3d] = {8, true},  [0x3f] = {8, true},                      /* SDC1, SD */
};

static const struct form *form_of(uint32_t word)
{
    return &forms[word >> 26];
}

static unsigned base_of(uint32_t word)
{
    return word >> 21 & 31;
}

/** Branches, jumps, and what goes to the operating system. */
static bool mips_access_ends_block(uint32_t word)
{
    const unsigned opcode = word >> 26, function = word & 63;
    if (opcode == 0)
        return function == 8 || function == 9 || function == 12 || function == 13;
    return opcode <= 7 || (opcode >= 0x14 && opcode <= 0x17);
}

/** Whether it may write register `reg`. */
static bool mips_access_writes(uint32_t word, unsigned reg)
{
    const unsigned opcode = word >> 26, target = opcode ? word >> 16 : word >> 11;
    return !form_of(word)->store && (target & 31) == reg;
}

static struct prog_access mips_access_of(const struct mips_regs *regs, uint64_t pc, uint32_t word)
{
    const uint64_t va = regs->gpr[base_of(word)] + (uint64_t)(int64_t)(int16_t)word;
    return (struct prog_access){
        .pc = pc, .va = va, .size = form_of(word)->size, .store = form_of(word)->store};
}

unsigned lx_mips_accesses(struct lx_prog *p, const union lx_regs *r, struct prog_access *out)
{
    const struct mips_regs *regs = &r->mips;
    uint32_t word;
    unsigned count = 0;

    if (!lx_read_code(p, regs->pc, 4, &word) || !form_of(word)->size)
        return 0;
    const unsigned base = base_of(word);
    bool last = regs->npc != regs->pc + 4; /* in a delay slot */
    for (uint64_t pc = regs->pc; count < PROG_ACCESSES_MAX && pc < regs->pc + 4 * LX_BLOCK;
         pc += 4) {
        if (!lx_read_code(p, pc, 4, &word))
            break;
        if (form_of(word)->size && base_of(word) == base)
            out[count++] = mips_access_of(regs, pc, word);
        if (last || mips_access_writes(word, base))
            break;
        last = mips_access_ends_block(word);
    }
    return count;
}
