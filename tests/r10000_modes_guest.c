/*
 * A program that has the event counters of its R10000 itself (r10000.user_counters): prints whether
 * they can be written and read, and whether cycles grow, before and in the region "work". With an
 * argument a counter is as near to its overflow as that says, and may interrupt.
 */
#include <numachine.h>
#include <stdio.h>
#include <stdlib.h>

#define IN_T0(word, v)                                                   \
    ({                                                                   \
        register unsigned t0 __asm__("$8") = (v);                        \
        __asm__ volatile(".set push\n.set noreorder\n.word %1\n.set pop" \
                         : "+r"(t0)                                      \
                         : "i"(word)                                     \
                         : "memory");                                    \
        t0;                                                              \
    })
enum {
    CONTROL = 0x4000c800 | 8 << 16, /* mfps t0, 0 */
    COUNTER = CONTROL | 1,
    WRITES = 1 << 23,
    SECOND = 2,
    ALL_MODES = 15,
    MAY_INTERRUPT = 16
};

static __attribute__((noinline)) void spin(unsigned n)
{
    __asm__ volatile("1: addiu %0,%0,-1\n bnez %0,1b\n" : "+r"(n));
}

static unsigned counter(void)
{
    return IN_T0(COUNTER | SECOND, 0);
}

int main(int argc, char **argv)
{
    const unsigned left = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    const unsigned control = left ? ALL_MODES | MAY_INTERRUPT : ALL_MODES;
    const unsigned first = left ? 0x80000000 - left : 0;
    unsigned at[4];
    IN_T0(CONTROL | SECOND | WRITES, control);
    IN_T0(COUNTER | SECOND | WRITES, first);
    at[0] = counter();
    spin(3000);
    at[1] = counter();
    NUMACHINE_BEGIN("work");
    at[2] = counter();
    spin(3000);
    at[3] = counter();
    NUMACHINE_END("work");
    spin(3000);
    printf("control %d, first %d, grows %d %d %d, in time %d\n",
           IN_T0(CONTROL | SECOND, 0) == control, at[0] - first < 200000, at[1] - at[0] >= 6000,
           at[2] >= at[1], at[3] - at[2] >= 6000, counter() - first < 10000000);
    return 0;
}
