/*
 * Instructions that raise exceptions, and the signal and code each becomes. (qemu-user loses the
 * codes of trap and break instructions, so what real Linux prints is kept in traps.expect.)
 */
#include "guest.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>

static sigjmp_buf back;
static volatile int number, code;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)context;
    number = signal;
    code = info->si_code;
    siglongjmp(back, 1);
}

#define TRY(name, text, a, b)                                               \
    do {                                                                    \
        number = code = 0;                                                  \
        if (sigsetjmp(back, 1) == 0)                                        \
            __asm__ volatile(".set push\n.set noat\n\t" text "\n\t.set pop" \
                             :                                              \
                             : "r"(a), "r"(b)                               \
                             : "$1", "memory");                             \
        printf("%-24s signal %d code %d\n", name, number, code);            \
    } while (0)

static void arithmetic(void)
{
    TRY("add overflow", "add $1, %0, %1", INT32_MAX, 1);
    TRY("add", "add $1, %0, %1", INT32_MAX, -1);
    TRY("sub overflow", "sub $1, %0, %1", INT32_MIN, 1);
    TRY("addi overflow", "addi $1, %0, 1", INT32_MAX, 0);
    TRY("divide trap", "teq %1, $0, 7", 1, 0);
    TRY("overflow trap", "teq %1, $0, 6", 1, 0);
    TRY("break 7", "break 7", 0, 0);
    TRY("break 6", "break 6", 0, 0);
    TRY("break 5", "break 5", 0, 0);
    TRY("trap without code", "teq %1, $0", 1, 0);
}

static void conditional(void)
{
    TRY("teq not taken", "teq %0, %1", 1, 2);
    TRY("tne not taken", "tne %0, %1", 1, 1);
    TRY("tge not taken", "tge %0, %1", -1, 0);
    TRY("tlt not taken", "tlt %0, %1", 0, -1);
    TRY("tltu not taken", "tltu %0, %1", -1, 0);
    TRY("tne, divide code", "tne %0, %1, 7", 1, 2);
    TRY("tge, divide code", "tge %0, %1, 7", 1, 1);
    TRY("tgeu, divide code", "tgeu %0, %1, 7", -1, 1);
    TRY("tlt, divide code", "tlt %0, %1, 7", -1, 1);
    TRY("tltu, divide code", "tltu %0, %1, 7", 1, -1);
}

#ifdef __LP64__
#define ADDIU "daddiu"
#else
#define ADDIU "addiu"
#endif

static void others(void)
{
    TRY("reserved instruction", ".word 0x7000003b", 0, 0);
    TRY("load from nowhere", "lw $1, 0(%0)", 8, 0);
    TRY("store to nowhere", "sw $1, 0(%0)", 8, 0);
    TRY("store to code", "sw $1, 0(%0)", (void *)on_signal, 0);
    TRY("jump to nowhere", "jr %0", 16, 0);
    /* To a trap that stands askew, in the line that is being fetched. */
    TRY("jump between two words",
        ".set noreorder\n\t.balign 64\n\tbal 1f\n\tnop\n1:\t" ADDIU
        " $1, $31, 14\n\tjr $1\n\tnop\n\t"
        ".half 0, 0, 0x34, 0",
        0, 0);
    TRY("trap in a delay slot", ".set noreorder\n\tb 1f\n\tteq %1, $0, 7\n1:", 1, 0);
}

int main(void)
{
    static const int signals[] = {SIGFPE, SIGTRAP, SIGILL, SIGSEGV, SIGBUS};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

    for (size_t i = 0; i < COUNT(signals); i++)
        sigaction(signals[i], &action, NULL);
    arithmetic();
    conditional();
    others();
    return guest_result();
}
