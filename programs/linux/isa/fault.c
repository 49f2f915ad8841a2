/*
 * Exceptions that are not system calls: what Linux makes of them for a user program.
 *
 * The hard idea: not every address error is a fault. A page gets its memory when it is first
 * touched; and Linux carries out some accesses at unaligned addresses in software. Which, and what
 * other exceptions mean, the instruction set knows (isa.h).
 */
#include "programs/linux/isa/fault.h"
#include "programs/linux/process/isa.h"
#include "programs/linux/signals/signal.h"

enum { BUS_ADRALN_ = 1, BUS_ADRERR_ = 2, BUS_OBJERR_ = 3 };

static bool fault_allowed(struct lx_thread *t, enum nm_access access)
{
    uint64_t pa;
    const enum nm_xlate now = lx_vm_translate(&t->p->vm, t->card, t->badvaddr, access, &pa);

    return nm_xlate_found(now) || now == NM_XLATE_ABSENT;
}

/** Whether the page may be used by now: another thread has changed the mapping after the access, or
 * after a core has looked ahead. A fetch looks like a load: of what may have been either, both must
 * be allowed. */
static bool is_over(struct lx_thread *t)
{
    enum { NEAR = 8 }; /* [bytes] an instruction, and one in its delay slot */
    const uint64_t pc = lx_isa_of(t)->pc(&t->regs) & ~UINT64_C(3);

    if (t->exc == PC_EXC_ADES)
        return fault_allowed(t, NM_STORE);
    return fault_allowed(t, NM_LOAD) && (t->badvaddr - pc >= NEAR || fault_allowed(t, NM_FETCH));
}

static void address_error(struct lx_thread *t)
{
    int done;

    if (t->absent) { /* and is tried again */
        lx_vm_bring_in(&t->p->vm, t->card, t->badvaddr);
        if (lx_vm_beyond(&t->p->vm, t->badvaddr))
            lx_signal_force(t, SIG_BUS, BUS_ADRERR_, t->badvaddr);
        else
            lx_signal_deliver(t);
        return;
    }
    if ((t->unmapped || t->protected) && is_over(t)) {
        lx_signal_deliver(t); /* the same */
        return;
    }
    if (t->unmapped || t->protected) {
        lx_signal_force(t, SIG_SEGV, t->unmapped ? SEGV_MAPERR_ : SEGV_ACCERR_, t->badvaddr);
        return;
    }
    done = lx_isa_of(t)->unaligned(t);
    if (done == 0)
        lx_signal_force(t, SIG_BUS, BUS_ADRALN_, t->badvaddr);
    else if (done < 0)
        lx_signal_force(t, SIG_SEGV,
                        lx_vm_find(&t->p->vm, t->badvaddr) ? SEGV_ACCERR_ : SEGV_MAPERR_,
                        t->badvaddr);
    else
        lx_signal_deliver(t);
}

/* A thread that blocks the signal could not count the failure: its store is only made again. The C
 * library starts and ends threads with all signals blocked. */
static void failed_upgrade(struct lx_thread *t)
{
    if (lx_sigs_has(&t->mask, lx_signo(t->p, SIG_BUS)))
        lx_signal_deliver(t);
    else
        lx_signal_force(t, SIG_BUS, BUS_OBJERR_, t->badvaddr);
}

void lx_fault_trap(struct lx_thread *t)
{
    if (t->p->vm.full || t->p->vm.unreadable)
        return; /* the run ends, and it is not the program's fault */
    switch (t->exc) {
    case PC_EXC_ADEL:
    case PC_EXC_ADES:
        address_error(t);
        break;
    case PC_EXC_IBE:
    case PC_EXC_DBE:
        if (t->trap_code == PC_FAILED_UPGRADE)
            failed_upgrade(t);
        else
            lx_signal_force(t, SIG_BUS, BUS_ADRERR_, t->badvaddr);
        break;
    default:
        lx_isa_of(t)->fault(t);
        break;
    }
}
