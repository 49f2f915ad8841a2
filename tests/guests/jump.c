/* setjmp and longjmp: callee-saved registers, floating-point ones too, and the signal mask. */
#include "guest.h"

#include <setjmp.h>
#include <signal.h>

static jmp_buf back;

/* Goes n calls deep and leaves by longjmp; only the compiler must think that it may return. */
static __attribute__((noinline)) void dive(int n, double x)
{
    if (OPAQUE(n) < 0)
        return;
    if (n == 0)
        longjmp(back, (int)x);
    dive(n - 1, x + 0.5);
    printf("never\n");
}

static void registers(int seed, double f)
{
    int a = seed, b = seed * 3, c = seed * 5, d = seed * 7;
    double x = f, y = f * 3, z = f * 5;
    volatile int turns = 0;
    int value = setjmp(back);

    turns++;
    if (turns < 4)
        dive(10 * turns, 1);
    printf("value %d turns %d: %d %d %d %d %g %g %g\n", value, turns, a, b, c, d, x, y, z);
}

static void mask(int save)
{
    sigjmp_buf there;
    sigset_t set, now;
    volatile int turn = 0;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    sigsetjmp(there, save);
    if (turn++ == 0) {
        sigprocmask(SIG_BLOCK, &set, NULL);
        siglongjmp(there, 1);
    }
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("mask saved %d: blocked %d\n", save, sigismember(&now, SIGUSR1));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
    int value = setjmp(back);

    if (value == 0)
        longjmp(back, 0);
    printf("longjmp(0) gives %d\n", value);
    registers(OPAQUE(11), OPAQUE(1.25));
    mask(0);
    mask(1);
    return guest_result();
}
