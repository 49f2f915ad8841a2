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

static volatile int inside;

/** Goes on below the one before, and would write over it if the stack were not given up. */
static void nested(int signal)
{
    volatile char mark[64];
    const uintptr_t at = OPAQUE((uintptr_t)mark);
    stack_t now;

    memset((char *)mark, 77, sizeof mark);
    CHECK(sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE);
    CHECK(at - (uintptr_t)stack < SIZE);
    if (!inside++)
        raise(signal);
    for (size_t i = 0; i < sizeof mark; i++)
        CHECK(mark[i] == 77);
}

static void told(int signal, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    nested(signal);
}

/* A handler takes the stack away from the next one, of either form. What comes back with a
 * ucontext comes back for good; a frame without has none. */
static void given_up(void)
{
    stack_t alt = {.ss_sp = stack, .ss_size = SIZE, .ss_flags = (int)(1u << 31)}, now;
    struct sigaction plain = {.sa_handler = nested, .sa_flags = SA_ONSTACK | SA_NODEFER};
    struct sigaction with = {.sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO};

    with.sa_sigaction = told;
    CHECK(sigaltstack(&alt, NULL) == 0 && sigaction(SIGUSR1, &with, NULL) == 0);
    raise(SIGUSR1);
    CHECK(sigaltstack(NULL, &now) == 0 && now.ss_size == SIZE && inside == 2);
    inside = 0;
    CHECK(sigaction(SIGUSR1, &plain, NULL) == 0);
    raise(SIGUSR1);
    CHECK(inside == 2);
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
    given_up();
    return guest_result();
}
