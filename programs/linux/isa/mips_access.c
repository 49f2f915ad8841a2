/*
 * MIPS: the addresses of accesses, as a handler of interrupts finds them out.
 *
 * The hard idea: a processor that waits for memory is interrupted at the instruction that waits, so
 * its address is an offset and a register that the handler has. What the block does next to the
 * same object is written in the code behind it: other offsets, the same register. What it may do
 * later, behind branches and calls, is written there too, as long as nothing writes the register.
 */
#include "programs/linux/isa/access.h"
#include "programs/linux/isa/mips.h"

/** Instructions with a base register and an offset, by major opcode (bits 31 to 26). */
static const struct mips_form {
    uint8_t size; /**< [bytes] at most; 0: it is no access to memory */
    bool store;
} mips_forms[64] = {
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

static const struct mips_form *mips_form_of(uint32_t word)
{
    return &mips_forms[word >> 26];
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
    return !mips_form_of(word)->store && (target & 31) == reg;
}

static struct prog_access mips_access_of(const struct mips_regs *regs, uint64_t pc, uint32_t word)
{
    const uint64_t va = regs->gpr[base_of(word)] + (uint64_t)(int64_t)(int16_t)word;
    return (struct prog_access){
        .pc = pc, .va = va, .size = mips_form_of(word)->size, .store = mips_form_of(word)->store};
}

/* ---- behind branches ------------------------------------------------------------------------- */

enum { AROUND = 64 /* [instructions] before and behind the first that are looked at */ };

/** Ways through the code. */
struct ways {
    struct lx_prog *p;
    const struct mips_regs *regs;
    unsigned base; /* register */
    bool seen[2 * AROUND];
    uint64_t todo[2 * AROUND]; /* pc */
    unsigned todos;
    struct prog_access *out;
    unsigned count;
};

static void way_add(struct ways *w, uint64_t pc)
{
    const uint64_t at = (pc + (uint64_t)4 * AROUND - w->regs->pc) / 4;
    if (at >= sizeof w->seen || w->seen[at])
        return;
    w->seen[at] = true;
    w->todo[w->todos++] = pc;
}

/** Notes what an instruction accesses. @return whether the base register is the same behind it */
static bool way_note(struct ways *w, uint64_t pc, uint32_t word)
{
    if (mips_form_of(word)->size && base_of(word) == w->base && w->count < PROG_ACCESSES_MAX) {
        w->out[w->count] = mips_access_of(w->regs, pc, word);
        w->out[w->count++].later = true;
    }
    return !mips_access_writes(word, w->base);
}

/** Whether a function leaves the register as it was: s0 to s7, sp and fp. */
static bool is_kept(unsigned reg)
{
    return (reg >= 16 && reg <= 23) || reg == 29 || reg == 30;
}

/** Where the program may be after a branch, a jump or a call at `pc`. A call comes back. */
static void way_fork(struct ways *w, uint64_t pc, uint32_t word)
{
    enum { SPECIAL = 0, REGIMM = 1, J = 2, JAL = 3, JALR = 9, SYSCALL = 12 };
    const unsigned opcode = word >> 26, function = word & 63;
    const bool always = word >> 16 == 0x1000; /* BEQ of register 0 to itself */
    if (opcode == JAL || (opcode == REGIMM && word & 1 << 20) ||
        (opcode == SPECIAL && (function == JALR || function == SYSCALL))) {
        if (is_kept(w->base))
            way_add(w, pc + 8);
    } else if (opcode == J) {
        way_add(w, ((pc + 4) & ~UINT64_C(0xfffffff)) | (word & 0x3ffffff) << 2);
    } else if (opcode != SPECIAL) {
        way_add(w, pc + 4 + (uint64_t)(int64_t)(int16_t)word * 4);
        if (!always)
            way_add(w, pc + 8);
    }
}

static void way_walk(struct ways *w, uint64_t pc)
{
    uint32_t word, slot;
    if (!lx_read_code(w->p, pc, 4, &word))
        return;
    if (!mips_access_ends_block(word)) {
        if (way_note(w, pc, word))
            way_add(w, pc + 4);
    } else if (lx_read_code(w->p, pc + 4, 4, &slot) && way_note(w, pc + 4, slot)) {
        way_fork(w, pc, word);
    }
}

/** What may be accessed later. @return count, with these */
static unsigned mips_access_later(struct lx_prog *p, const struct mips_regs *regs, unsigned base,
                                  struct prog_access *out, unsigned count)
{
    struct ways w = {.p = p, .regs = regs, .base = base, .out = out, .count = count};
    way_add(&w, regs->pc);
    while (w.todos)
        way_walk(&w, w.todo[--w.todos]);
    return w.count;
}

unsigned lx_mips_accesses(struct lx_prog *p, const union lx_regs *r, struct prog_access *out)
{
    const struct mips_regs *regs = &r->mips;
    uint32_t word;
    unsigned count = 0;

    if (!lx_read_code(p, regs->pc, 4, &word) || !mips_form_of(word)->size)
        return 0;
    const unsigned base = base_of(word);
    bool last = regs->npc != regs->pc + 4; /* in a delay slot */
    for (uint64_t pc = regs->pc; count < LX_BLOCK_ACCESSES && pc < regs->pc + 4 * LX_BLOCK;
         pc += 4) {
        if (!lx_read_code(p, pc, 4, &word))
            break;
        if (mips_form_of(word)->size && base_of(word) == base)
            out[count++] = mips_access_of(regs, pc, word);
        if (last || mips_access_writes(word, base))
            break;
        last = mips_access_ends_block(word);
    }
    if (regs->npc == regs->pc + 4)
        count = mips_access_later(p, regs, base, out, count);
    return count;
}
