/*
 * What a handler finds in its frame and may change: registers, flags, state, mask; handlers in ARM
 * and in Thumb state, with and without siginfo, with and without a function of the program's own to
 * return to.
 */
#include "guest.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int seen;
static volatile unsigned long flags, lr, sp, word;

/* The kernel's structure: with no restorer the kernel's trampolines are used. */
struct kernel_action {
    void *handler;
    unsigned long flags;
    void *restorer;
    unsigned long mask[2];
};

static void act(int signal, void *handler, unsigned long how)
{
    struct kernel_action a = {.handler = handler, .flags = how};

    CHECK(syscall(SYS_rt_sigaction, signal, &a, NULL, 8) == 0);
}

static void with_info(int signal, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    mcontext_t *m = &uc->uc_mcontext;

    seen = signal;
    CHECK(info->si_signo == signal && info->si_code == SI_TKILL && info->si_pid == getpid());
    CHECK((size_t)info % 8 == 0 && (char *)uc - (char *)info == 128);
    CHECK(uc->uc_flags == 0 && uc->uc_link == NULL);
    CHECK(sigismember(&uc->uc_sigmask, SIGUSR2) == 1 && sigismember(&uc->uc_sigmask, signal) == 0);
    flags = m->arm_cpsr;
    lr = m->arm_lr;
    sp = m->arm_sp;
    m->arm_r4 ^= 0xff;
    m->arm_cpsr ^= 0xf0000000;
    sigaddset(&uc->uc_sigmask, SIGWINCH);
}

__attribute__((target("thumb"), noinline)) static void in_thumb(int signal, siginfo_t *info,
                                                                void *context)
{
    (void)info, (void)context;
    seen = signal;
}

__attribute__((noinline)) static void plain(int signal)
{
    seen = signal;
}

__attribute__((target("thumb"), noinline)) static void plain_in_thumb(int signal)
{
    seen = signal;
}

/* Sends itself a signal from assembly; what is in r4 and the flags afterwards. */
__attribute__((noinline)) static unsigned raise_here(int signal, unsigned *cpsr)
{
    register int r0 __asm__("r0") = getpid();
    register int r1 __asm__("r1") = (int)syscall(SYS_gettid);
    register int r2 __asm__("r2") = signal;
    unsigned out, after;

    __asm__ volatile("mov r4, #0x11\n\tmsr cpsr_f, #0x60000000\n\tpush {r7}\n\tldr r7, =268\n\tsvc "
                     "#0\n\tpop {r7}\n\t"
                     "mrs %1, cpsr\n\tmov %0, r4"
                     : "=&r"(out), "=&r"(after), "+r"(r0)
                     : "r"(r1), "r"(r2)
                     : "r4", "cc", "memory");
    CHECK(r0 == 0);
    *cpsr = after >> 28;
    return out;
}

static void attempt(const char *name, void *handler, unsigned long how)
{
    unsigned cpsr, r4;

    seen = 0;
    act(SIGUSR1, handler, how);
    r4 = raise_here(SIGUSR1, &cpsr);
    printf("%-24s signal %d, r4 %x, flags %x\n", name, seen, r4, cpsr);
}

int main(void)
{
    sigset_t set, now;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    sigprocmask(SIG_BLOCK, &set, NULL);
    attempt("siginfo", with_info, SA_SIGINFO);
    printf("flags %lx\n", flags >> 28);
    sigprocmask(SIG_BLOCK, NULL, &now);
    CHECK(sigismember(&now, SIGWINCH) == 1 && sigismember(&now, SIGUSR2) == 1);
    attempt("siginfo, Thumb", in_thumb, SA_SIGINFO);
    attempt("no siginfo", plain, 0);
    attempt("no siginfo, Thumb", plain_in_thumb, 0);
    return guest_result();
}
