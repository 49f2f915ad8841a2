/* What the signal files share: numbers and sets. */
#ifndef LX_SIGNAL_H
#define LX_SIGNAL_H

#include "programs/linux/process/call.h"

/** Signals by name: MIPS Linux's numbers. Another kind of guest has other ones (lx_signo). */
enum {
    SIG_ILL = 4,
    SIG_TRAP = 5,
    SIG_FPE = 8,
    SIG_KILL = 9,
    SIG_BUS = 10,
    SIG_SEGV = 11,
    SIG_SYS = 12,
    SIG_PIPE = 13,
    SIG_ALRM = 14,
    SIG_CHLD = 18,
    SIG_WINCH = 20,
    SIG_URG = 21,
    SIG_IO = 22,
    SIG_STOP = 23,
    SIG_TSTP = 24,
    SIG_CONT = 25,
    SIG_TTIN = 26,
    SIG_TTOU = 27,
    SIG_VTALRM = 28,
    SIG_PROF = 29,
    SIG_XCPU = 30,
    SIG_XFSZ = 31,
    SIG_RTMIN = 32,
};

/** The guest's number of a signal. */
static inline int lx_signo(const struct lx_prog *p, int name)
{
    return (int)lx_number_out(p->kind, LX_SIGNAL, (uint64_t)name);
}

/** The name of the guest's number. */
static inline int lx_signal_called(const struct lx_prog *p, int signo)
{
    return (int)lx_number_in(p->kind, LX_SIGNAL, (uint64_t)signo);
}

enum { SA_SIGINFO_ = 8, SA_ONSTACK_ = 0x08000000, SA_RESTORER_ = 0x04000000 };
enum { HANDLER_DEFAULT = 0, HANDLER_IGNORE = 1 };
enum { SEGV_MAPERR_ = 1, SEGV_ACCERR_ = 2 };
/** Who sent it. */
enum { SI_USER_ = 0, SI_TIMER_ = -3, SI_MESGQ_ = -4, SI_TKILL_ = -6, SI_KERNEL_ = 0x80 };
/** Flags of the handlers' stack; the least it may have [bytes]. */
enum { SS_ONSTACK_ = 1, SS_DISABLE_ = 2, SS_MINIMUM = 2048 };
#define SS_AUTODISARM_ UINT32_C(0x80000000)

/** [bytes] of a guest's set. */
static inline unsigned lx_signal_set_bytes(const struct lx_prog *p)
{
    return p->kind->signals / 8;
}

int lx_signal_read_set(struct lx_prog *p, uint64_t va, struct lx_sigs *s);
int lx_signal_write_set(struct lx_prog *p, uint64_t va, const struct lx_sigs *s);
/** Sets the mask; KILL and STOP stay open. */
void lx_signal_set_mask(struct lx_thread *t, const struct lx_sigs *mask);
/** Signals queued for the thread or the process. */
void lx_signal_pending_set(const struct lx_thread *t, struct lx_sigs *s);
/** Appends a 128-byte siginfo, and a stack_t. */
void lx_signal_out_info(struct lx_out *o, const struct lx_prog *p, const struct lx_siginfo *info);
void lx_signal_out_altstack(struct lx_out *o, const struct lx_thread *t);
/** Whether the thread is on its handlers' stack. */
bool lx_signal_on_altstack(const struct lx_thread *t);
/** Gives the thread the handlers' stack that a stack_t at `va` describes.
 *  @return 0, -EFAULT, -EPERM, -EINVAL, -ENOMEM */
int lx_signal_set_altstack(struct lx_thread *t, uint64_t va);
/** What a handler's address and flags ask for. */
static inline bool lx_signal_tells(const struct lx_prog *p, const struct lx_action *a)
{
    return lx_flags_in(p->kind, LX_ACTION, a->flags) & SA_SIGINFO_;
}

/** Where a frame may end that is to begin below `sp`: there, or at the end of the handlers' stack.
 */
uint64_t lx_signal_top(const struct lx_thread *t, const struct lx_action *a, uint64_t sp);

#endif
