/* The floating-point exception flags: raised by arithmetic, tested, cleared, saved, trapped. */
#include "guest.h"

#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

static void show(const char *what)
{
    int raised = fetestexcept(FE_ALL_EXCEPT);
    printf("%-10s%s%s%s%s%s\n", what, raised & FE_INEXACT ? " inexact" : "",
           raised & FE_UNDERFLOW ? " underflow" : "", raised & FE_OVERFLOW ? " overflow" : "",
           raised & FE_DIVBYZERO ? " divide" : "", raised & FE_INVALID ? " invalid" : "");
    feclearexcept(FE_ALL_EXCEPT);
}

static volatile double sink;
static sigjmp_buf back;
static volatile int code;

static void on_fpe(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
#ifdef __mips__ /* a cause that is enabled would be raised again when FCSR is written */
    const unsigned fcsr = ((ucontext_t *)context)->uc_mcontext.fpc_csr;
    CHECK(!(fcsr & (fcsr & 0xf80) << 5));
#endif
    code = info->si_code;
    siglongjmp(back, 1);
}

static void trapped(int exception, double a, double b)
{
    code = 0;
    if (sigsetjmp(back, 1) == 0) {
        feclearexcept(FE_ALL_EXCEPT);
        feenableexcept(exception);
        sink = OPAQUE(a) / OPAQUE(b);
    }
    fedisableexcept(FE_ALL_EXCEPT);
    feclearexcept(FE_ALL_EXCEPT);
    printf("trap %g/%g: code %d\n", a, b, code);
}

int main(void)
{
    fenv_t saved;
    struct sigaction action = {.sa_sigaction = on_fpe, .sa_flags = SA_SIGINFO};

    show("start");
    sink = OPAQUE(1.0) / OPAQUE(3.0);
    show("1/3");
    sink = OPAQUE(1.0) / OPAQUE(0.0);
    show("1/0");
    sink = OPAQUE(0.0) / OPAQUE(0.0);
    show("0/0");
    sink = OPAQUE(1e308) * OPAQUE(10.0);
    show("big*10");
    sink = OPAQUE(1e-308) * OPAQUE(1e-10);
    show("tiny*tiny");
    sink = sqrt(OPAQUE(-2.0));
    show("sqrt(-2)");
    sink = (double)(float)OPAQUE(1e300);
    show("(float)");
    sink = OPAQUE(1.0) + OPAQUE(2.0);
    show("1+2");
    feraiseexcept(FE_OVERFLOW | FE_INVALID);
    show("raised");
    feraiseexcept(FE_DIVBYZERO);
    feholdexcept(&saved);
    show("held");
    feupdateenv(&saved);
    show("updated");
    sigaction(SIGFPE, &action, NULL);
    trapped(FE_DIVBYZERO, 1, 0);
    trapped(FE_INVALID, 0, 0);
    trapped(FE_OVERFLOW, 1e300, 1e-300);
    trapped(FE_INEXACT, 1, 3);
    trapped(FE_INEXACT, 1, 2);
    return guest_result();
}
