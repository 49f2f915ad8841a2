/* What the signal files share: numbers, sets and frames of MIPS Linux. */
#ifndef PROG_SIGNAL_H
#define PROG_SIGNAL_H

#include "programs/syscall.h"

/** MIPS Linux signal numbers. */
enum {
    SIG_ILL = 4,
    SIG_TRAP = 5,
    SIG_FPE = 8,
    SIG_KILL = 9,
    SIG_BUS = 10,
    SIG_SEGV = 11,
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
    SIG_RTMIN = 32,
};

enum { HANDLER_DEFAULT = 0, HANDLER_IGNORE = 1 };
enum { SEGV_MAPERR_ = 1, SEGV_ACCERR_ = 2 };
/** Who sent it. */
enum { SI_USER_ = 0, SI_TIMER_ = -3, SI_MESGQ_ = -4, SI_TKILL_ = -6, SI_KERNEL_ = 0x80 };
/** Flags of the handlers' stack; the least it may have [bytes]. */
enum { SS_ONSTACK_ = 1, SS_DISABLE_ = 2, SS_MINIMUM = 2048 };
#define SS_AUTODISARM_ UINT32_C(0x80000000)

int signal_read_set(struct prog *p, uint64_t va, struct sigs *s);
int signal_write_set(struct prog *p, uint64_t va, const struct sigs *s);
/** Sets the mask; KILL and STOP stay open. */
void signal_set_mask(struct thread *t, const struct sigs *mask);
/** Signals queued for the thread or the process. */
void signal_pending_set(const struct thread *t, struct sigs *s);
/** Appends a 128-byte siginfo, and a stack_t. */
void signal_out_info(struct out *o, const struct prog *p, const struct siginfo *info);
void signal_out_altstack(struct out *o, const struct thread *t);
/** Whether the thread is on its handlers' stack. */
bool signal_on_altstack(const struct thread *t);
/** Gives the thread the handlers' stack that a stack_t at `va` describes.
 *  @return 0, -EFAULT, -EPERM, -EINVAL, -ENOMEM */
int signal_set_altstack(struct thread *t, uint64_t va);
/** Undoes a handler's frame (rt or o32's old one). @return 0 or -EFAULT */
int64_t signal_return(struct thread *t, bool rt);

#endif
