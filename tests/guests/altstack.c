/* sigaltstack: a handler on a stack of its own, reached even when the main stack has run out. */
#include "guest.h"

#include <alloca.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

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

static ucontext_t back_to, small;
static char narrow[16384] __attribute__((aligned(4096)));

static void no_room(int signal, siginfo_t *info, void *context)
{
    char here;

    (void)signal;
    (void)context;
    printf("no room for a frame: code %d, on the other stack %d\n", info->si_code,
           &here >= stack && &here < stack + SIZE);
    siglongjmp(back, 1);
}

static void counted(int signal)
{
    (void)signal;
    CHECK(!"there was room");
}

/* So deep in the stack that a handler's frame finds no room on it. */
static void on_the_edge(void)
{
    char here;
    volatile char *filled = __builtin_alloca((size_t)(&here - narrow) - 4096 - 256);

    filled[0] = 1;
    raise(SIGUSR1);
}

/* The frame of one handler finds no room: SIGSEGV, whose handler has a stack. */
static void without_room(void)
{
    struct sigaction usual = {.sa_handler = counted}, segv = {.sa_flags = SA_SIGINFO | SA_ONSTACK};

    segv.sa_sigaction = no_room;
    sigaction(SIGUSR1, &usual, NULL);
    sigaction(SIGSEGV, &segv, NULL);
    CHECK(mprotect(narrow, 4096, PROT_NONE) == 0);
    if (sigsetjmp(back, 1))
        return;
    getcontext(&small);
    small.uc_stack.ss_sp = narrow;
    small.uc_stack.ss_size = sizeof narrow;
    small.uc_link = &back_to;
    makecontext(&small, on_the_edge, 0);
    swapcontext(&back_to, &small);
    printf("came back\n");
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
    without_room();
    return guest_result();
}
