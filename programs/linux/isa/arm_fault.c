/*
 * ARM: what Linux makes of exceptions for a user program.
 *
 * The hard idea: an ARM11 does single words and halfwords at any address itself, but not several
 * registers at once, nor exclusives. Linux carries out the former (LDM, STM, LDRD, STRD and their
 * Thumb forms), word by word; the latter are bus errors.
 */
#include "programs/linux/isa/arm.h"
#include "programs/linux/signals/signal.h"

#include <errno.h>

enum { ILL_ILLOPC_ = 1 };

/** Registers to be moved, from the lowest address on. */
struct move {
    unsigned list; /**< bit n: register n */
    bool load;
    uint32_t from; /**< address of the lowest register's word */
    int base;      /**< register that gets `after`; -1: none */
    uint32_t after;
};

/* ---- what an instruction moves --------------------------------------------------------------- */

/** LDM and STM: bit 24 before, 23 up, 21 write back, 20 load. */
static struct move arm_many(const struct arm_regs *r, uint32_t w)
{
    enum { LOAD = 1 << 20, BACK = 1 << 21, UP = 1 << 23, BEFORE = 1 << 24 };
    const unsigned base = w >> 16 & 15, bytes = 4 * (unsigned)__builtin_popcount(w & 0xffff);
    const uint32_t at = r->r[base];
    struct move m = {.list = w & 0xffff, .load = w & LOAD, .base = -1};

    m.from = w & UP ? at + (w & BEFORE ? 4 : 0) : at - bytes + (w & BEFORE ? 0 : 4);
    m.after = w & UP ? at + bytes : at - bytes;
    if (w & BACK && !(m.load && m.list >> base & 1))
        m.base = (int)base;
    return m;
}

/** LDRD and STRD: bit 22 offset in the instruction. */
static struct move arm_two(const struct arm_regs *r, uint32_t w)
{
    enum { STORE = 1 << 5, BACK = 1 << 21, INSIDE = 1 << 22, UP = 1 << 23, BEFORE = 1 << 24 };
    const unsigned base = w >> 16 & 15, first = w >> 12 & 15;
    const uint32_t by = w & INSIDE ? (w >> 4 & 0xf0) | (w & 15) : r->r[w & 15];
    const uint32_t at = r->r[base] + (base == ARM_PC ? 8 : 0), there = w & UP ? at + by : at - by;
    struct move m = {.list = 3u << first, .load = !(w & STORE), .base = -1, .after = there};

    m.from = w & BEFORE ? there : at;
    if ((w & BACK || !(w & BEFORE)) && base != ARM_PC)
        m.base = (int)base;
    return m;
}

/** LDMIA, STMIA, PUSH and POP. */
static struct move thumb_many(const struct arm_regs *r, uint32_t w)
{
    enum { LOAD = 1 << 11, WITH = 1 << 8 };
    const bool stack = w >> 12 == 0xb;
    const unsigned base = stack ? ARM_SP : w >> 8 & 7;
    struct move m = {.list = w & 0xff, .load = w & LOAD, .base = (int)base};

    if (stack && w & WITH)
        m.list |= 1u << (m.load ? ARM_PC : ARM_LR);
    const unsigned bytes = 4 * (unsigned)__builtin_popcount(m.list);
    m.from = stack && !m.load ? r->r[base] - bytes : r->r[base];
    m.after = stack && !m.load ? m.from : r->r[base] + bytes;
    if (!stack && m.load && m.list >> base & 1)
        m.base = -1;
    return m;
}

/** @return whether the instruction is one of those that are carried out */
static bool arm_fault_decode(const struct arm_regs *r, uint32_t w, struct move *m)
{
    if (r->t) {
        if ((w & 0xf000) != 0xc000 && (w & 0xf600) != 0xb400)
            return false;
        *m = thumb_many(r, w);
        return m->list;
    }
    if ((w & 0x0e000000) == 0x08000000 && !(w & 1 << 22))
        *m = arm_many(r, w);
    else if ((w & 0x0e1000d0) == 0x000000d0)
        *m = arm_two(r, w);
    else
        return false;
    return w >> 28 != 15 && m->list && m->list < 1 << 16;
}

/* ---- carrying it out ------------------------------------------------------------------------- */

/** @return 0 or -EFAULT; r[ARM_PC] has been loaded, or is still that of the instruction */
static int carry_out(struct lx_thread *t, const struct move *m)
{
    struct arm_regs r = t->regs.arm; /* nothing of it happens if a part cannot */
    uint32_t at = m->from;

    for (unsigned n = 0; n <= ARM_PC; n++) {
        uint32_t v = n == ARM_PC ? r.r[n] + 8 : r.r[n];
        if (!(m->list >> n & 1))
            continue;
        v = r.e ? __builtin_bswap32(v) : v;
        if (m->load ? lx_vm_read32(&t->p->vm, at, &v) < 0 : lx_vm_write32(&t->p->vm, at, v) < 0)
            return -EFAULT;
        if (m->load)
            r.r[n] = r.e ? __builtin_bswap32(v) : v;
        at += 4;
    }
    if (m->base >= 0)
        r.r[m->base] = m->after;
    if (m->load && m->list >> ARM_PC & 1) {
        r.t = r.r[ARM_PC] & 1;
        r.r[ARM_PC] &= r.t ? ~1u : ~3u;
    } else {
        r.r[ARM_PC] += r.t ? 2 : 4;
    }
    t->regs.arm = r;
    return 0;
}

int lx_arm_unaligned(struct lx_thread *t)
{
    const struct lx_vm_area *area = lx_vm_find(&t->p->vm, t->badvaddr);
    const struct arm_regs *r = &t->regs.arm;
    const unsigned width = r->t ? 2 : 4;
    struct move m;
    uint64_t word;
    int err;

    if (area && area->kind == VM_REGISTERS) /* which have no bytes to be put together */
        return 0;
    if (lx_vm_read_word(&t->p->vm, r->r[ARM_PC], width, &word) < 0 ||
        t->badvaddr >= lx_vm_end(&t->p->vm) || !arm_fault_decode(r, (uint32_t)word, &m))
        return 0;
    err = carry_out(t, &m);
    return err < 0 ? err : 1;
}

/* ---- from exception to signal ---------------------------------------------------------------- */

/** The undefined instructions that debuggers break with: a breakpoint even without a debugger. */
static bool is_breakpoint(const struct lx_thread *t)
{
    const struct arm_regs *r = &t->regs.arm;
    uint64_t word;

    if (lx_vm_read_word(&t->p->vm, r->r[ARM_PC], r->t ? 2 : 4, &word) < 0)
        return false;
    return r->t ? word == 0xde01 : (word & 0x0fffffff) == 0x07f001f0;
}

void lx_arm_fault(struct lx_thread *t)
{
    const uint32_t pc = t->regs.arm.r[ARM_PC];

    if (t->exc == PC_EXC_BP || (t->exc == PC_EXC_RI && is_breakpoint(t)))
        lx_signal_force(t, SIG_TRAP, TRAP_BRKPT_, pc);
    else
        lx_signal_force(t, SIG_ILL, ILL_ILLOPC_, pc);
}

/** Behind the call's instruction, as Linux has it; r0 stays. */
int64_t lx_sys_arm_breakpoint(struct lx_call *c)
{
    c->replaced = true;
    lx_signal_force(c->t, SIG_TRAP, TRAP_BRKPT_, c->t->call.pc);
    return 0;
}
