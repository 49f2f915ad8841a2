/* Signals by name, by number, and by their senders. */
#ifndef LX_SIGNO_H
#define LX_SIGNO_H

#include "programs/linux/process/process.h"

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

/** The sender of a signal. */
enum { SI_USER_ = 0, SI_TIMER_ = -3, SI_MESGQ_ = -4, SI_TKILL_ = -6, SI_KERNEL_ = 0x80 };

/** The reason of a SIG_TRAP. */
enum { TRAP_BRKPT_ = 1 };

#endif
