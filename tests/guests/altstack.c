/* sigaltstack: a handler on a stack of its own, reached even when the main stack has run out. */
#include "guest.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>

enum { SIZE = 65536 };

static char stack[SIZE] __attribute__((aligned(16)));
static sigjmp_buf back;
static volatile int on_it;

static void handler(int signal, siginfo_t *info, void *context)
{
    char here;

    (void)info;
    (void)context;
    on_it = &here >= stack && &here < stack + SIZE;
    if (signal == SIGSEGV)
        siglongjmp(back, 1);
}

static volatile int enough; /* never true */

static int endless(volatile char *above)
{
    volatile char here[4096];

    here[0] = above[0];
    return enough ? 0 : endless(here) + here[0];
}

int main(void)
{
    stack_t alt = {.ss_sp = stack, .ss_size = SIZE}, old;
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    volatile char top = 1;

    CHECK(sigaltstack(&alt, NULL) == 0);
    CHECK(sigaltstack(NULL, &old) == 0);
    CHECK(old.ss_sp == stack && old.ss_size == SIZE && old.ss_flags == 0);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    raise(SIGUSR1);
    printf("handler on the other stack: %d\n", on_it);
    on_it = 0;
    if (sigsetjmp(back, 1) == 0)
        endless(&top);
    printf("stack overflow caught on the other stack: %d\n", on_it);
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    printf("handler on the main stack: %d\n", !on_it);
    return guest_result();
}
