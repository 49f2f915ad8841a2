/*
 * Instructions that raise exceptions, in ARM and in Thumb state, and the signal, code and address
 * each becomes. (qemu-user has other codes, so what real Linux gives is kept in arm-traps.expect.)
 */
#include "guest.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

static sigjmp_buf back;
static volatile int number, code;
static char *volatile address, *volatile pc;
static volatile unsigned long thumb;

static void on_signal(int signal, siginfo_t *info, void *context)
{
    const mcontext_t *m = &((const ucontext_t *)context)->uc_mcontext;

    number = signal;
    code = info->si_code;
    address = info->si_addr;
    pc = (char *)m->arm_pc;
    thumb = m->arm_cpsr >> 5 & 1;
    siglongjmp(back, 1);
}

static const char *where(const char *nowhere)
{
    return address == pc ? "pc" : address == nowhere ? "there" : "elsewhere";
}

#define TRY(name, state, text, a)                                                                  \
    do {                                                                                           \
        number = code = 0;                                                                         \
        if (sigsetjmp(back, 1) == 0)                                                               \
            __asm__ volatile(state text "\n\t.arm" : : "r"(a) : "r1", "r2", "r3", "lr", "memory"); \
        printf("%-24s signal %d code %d at %s, state %lu\n", name, number, code,                   \
               where((const char *)(size_t)(a)), thumb);                                           \
    } while (0)

#define ARM   ""
#define THUMB "adr r3, 1f + 1\n\tbx r3\n\t.thumb\n1:\t"
#define BACK  "\n\t.align 2\n\tbx pc\n\tnop"

int main(void)
{
    static const int signals[] = {SIGFPE, SIGTRAP, SIGILL, SIGSEGV, SIGBUS};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    for (size_t i = 0; i < COUNT(signals); i++)
        sigaction(signals[i], &action, NULL);
    TRY("undefined", ARM, "udf #3", 0);
    TRY("undefined in Thumb", THUMB, "udf #3" BACK, 0);
    TRY("debugger's breakpoint", ARM, ".word 0xe7f001f0", 0);
    TRY("the same in Thumb", THUMB, ".short 0xde01" BACK, 0);
    TRY("bkpt", ARM, "bkpt #7", 0);
    TRY("bkpt in Thumb", THUMB, "bkpt #7" BACK, 0);
    TRY("mrc to the pc", ARM, ".word 0xee1fff1c", 0);
    TRY("mcr from the pc", ARM, ".word 0xee0fff1c", 0);
    TRY("load from nowhere", ARM, "ldr r1, [%0]", 8);
    TRY("store to nowhere", ARM, "str r1, [%0]", 8);
    TRY("load in Thumb", THUMB, "ldr r1, [r3, %0]" BACK, 0xc0000000);
    TRY("store where read only", ARM, "str r1, [%0]", page);
    TRY("many from nowhere", ARM, "ldm %0, {r1, r2, r3}", 16);
    TRY("jump to nowhere", ARM, "bx %0", 16);
    TRY("exclusive not aligned", ARM, ".arch armv6\n\tldrex r1, [%0]", page + 2);
    TRY("the kernel's", ARM, "ldr r1, [%0]", 0xc0001000);
    return guest_result();
}
