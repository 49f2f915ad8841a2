/*
 * Waits until the event counters of its R10000 (r10000.user_counters) have counted a cycle of user
 * mode: for ever, where nothing is timed.
 */
enum { CONTROL = 0x4000c800 | 8 << 16 /* mfps t0, 0 */, COUNTER = CONTROL | 1, WRITES = 1 << 23 };
enum { CYCLES_OF_USER_MODE = 8 };

#define IN_T0(word, v)                                                                            \
    ({                                                                                            \
        register unsigned t0 __asm__("$8") = (v);                                                 \
        __asm__ volatile(".set push\n.set noreorder\n.word %1\n.set pop" : "+r"(t0) : "i"(word)); \
        t0;                                                                                       \
    })

int main(void)
{
    IN_T0(CONTROL | WRITES, CYCLES_OF_USER_MODE);
    const unsigned first = IN_T0(COUNTER, 0);
    while (IN_T0(COUNTER, 0) == first)
        ;
    return 0;
}
