/*
 * ARM: the addresses of accesses, as a handler of interrupts finds them out (mips_access.c has the
 * idea). Only ARM state: the forms of Thumb reach few registers and are told as nothing known.
 */
#include "programs/linux/isa/access.h"
#include "programs/linux/isa/arm.h"

/** An access with a base register and an offset that stands in the instruction. */
struct arm_form {
    uint8_t size; /**< [bytes] at most; 0: it is no such access */
    bool store, writes_base;
    unsigned base, target;
    uint32_t at; /**< from the base on */
};

/** LDR, STR, LDRB, STRB with a number. */
static struct arm_form single(uint32_t w)
{
    enum { LOAD = 1 << 20, BACK = 1 << 21, BYTE = 1 << 22, UP = 1 << 23, BEFORE = 1 << 24 };
    const uint32_t by = w & UP ? w & 0xfff : 0 - (w & 0xfff);

    return (struct arm_form){.size = w & BYTE ? 1 : 4,
                             .store = !(w & LOAD),
                             .writes_base = w & BACK || !(w & BEFORE),
                             .base = w >> 16 & 15,
                             .target = w >> 12 & 15,
                             .at = w & BEFORE ? by : 0};
}

/** LDRH, STRH, LDRSB, LDRSH, LDRD, STRD with a number. */
static struct arm_form half(uint32_t w)
{
    enum { LOAD = 1 << 20, BACK = 1 << 21, UP = 1 << 23, BEFORE = 1 << 24 };
    const unsigned kind =
        w >> 5 & 3; /* 1: halfword, 2: signed byte or LDRD, 3: signed half or STRD */
    const uint32_t offset = (w >> 4 & 0xf0) | (w & 15), by = w & UP ? offset : 0 - offset;
    const bool two = !(w & LOAD) && kind > 1;

    return (struct arm_form){.size = two         ? 8
                                     : kind == 2 ? 1
                                                 : 2,
                             .store = two ? kind == 3 : !(w & LOAD),
                             .writes_base = w & BACK || !(w & BEFORE),
                             .base = w >> 16 & 15,
                             .target = w >> 12 & 15,
                             .at = w & BEFORE ? by : 0};
}

/** LDREX, STREX: no offset. */
static struct arm_form arm_access_exclusive(uint32_t w)
{
    static const uint8_t sizes[] = {4, 8, 1, 2};
    return (struct arm_form){.size = sizes[w >> 21 & 3],
                             .store = !(w & 1 << 20),
                             .base = w >> 16 & 15,
                             .target = w >> 12 & 15};
}

static struct arm_form arm_form_of(uint32_t w)
{
    if (w >> 28 == 15)
        return (struct arm_form){0};
    if ((w & 0x0e000000) == 0x04000000)
        return single(w);
    if ((w & 0x0f8000f0) == 0x01800090)
        return arm_access_exclusive(w);
    if ((w & 0x0e400090) == 0x00400090 && w & 0x60)
        return half(w);
    return (struct arm_form){0};
}

/** Branches, calls, whatever goes to the operating system or may write the pc. */
static bool arm_access_ends_block(uint32_t w)
{
    return (w & 0x0e000000) == 0x0a000000 || (w & 0x0f000000) == 0x0f000000 ||
           (w & 0x0ffffff0) == 0x012fff10 || (w & 0x0ffffff0) == 0x012fff30 ||
           ((w & 0x0e108000) == 0x08108000) || ((w & 0x0c00f000) == 0x0000f000);
}

/** Whether it may write register `reg`: as the target of an operation, of a load, or among many. */
static bool arm_access_writes(uint32_t w, const struct arm_form *f, unsigned reg)
{
    if (f->size)
        return (f->writes_base && f->base == reg) ||
               (!f->store && (f->target == reg || (f->size == 8 && f->target + 1 == reg)));
    if ((w & 0x0e000000) == 0x08000000)
        return (w & 1 << 20 && w >> reg & 1) || (w & 1 << 21 && (w >> 16 & 15) == reg);
    return (w >> 12 & 15) == reg || (w >> 16 & 15) == reg;
}

unsigned lx_arm_accesses(struct lx_prog *p, const union lx_regs *regs, struct prog_access *out)
{
    const struct arm_regs *r = &regs->arm;
    const uint32_t from = r->r[ARM_PC];
    struct arm_form f = {0};
    uint32_t word;
    unsigned count = 0;

    if (r->t || !lx_read_code(p, from, 4, &word) || !(f = arm_form_of(word)).size)
        return 0;
    const unsigned base = f.base;
    for (uint32_t pc = from; count < LX_BLOCK_ACCESSES && pc - from < 4 * LX_BLOCK; pc += 4) {
        if (!lx_read_code(p, pc, 4, &word))
            break;
        f = arm_form_of(word);
        if (f.size && f.base == base)
            out[count++] = (struct prog_access){.pc = pc,
                                                .va = r->r[base] + f.at +
                                                      (base == ARM_PC ? 8 + (pc - from) : 0),
                                                .size = f.size,
                                                .store = f.store};
        if (arm_access_writes(word, &f, base) || arm_access_ends_block(word))
            break;
    }
    return count;
}
