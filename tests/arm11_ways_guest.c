/*
 * An ARM11's performance monitoring unit driven as Linux and oprofile drive it: their accesses of
 * coprocessor 15, in their order. What their handlers do
 * is done when the flag is up; interrupts are arm11_interrupt_guest.c's. Ends with the number of
 * the first line that is not as it must be.
 */
#include "guests/arm11.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    INSTRUCTIONS = 0x07,
    BRANCHES = 0x05,
    NOTHING = 0x20,
    ROUNDS = 200,
};

#define MUST(what)          \
    do {                    \
        if (!(what))        \
            fail(__LINE__); \
    } while (0)

static void fail(int line)
{
    printf("line %d: PMNC %08x\n", line, READ(0));
    exit(1);
}

static void work(void)
{
    uint32_t n = ROUNDS;
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(n)::"cc");
}

/* Reset, a counter enabled, all started, one disabled: only its field and its enable change. */
static void as_linux(void)
{
    WRITE(0, 0);               /* stopped, no enables */
    WRITE(0, READ(0) | P | C); /* reset: PMN0, PMN1, CCNT */
    MUST(READ(1) == 0 && READ(2) == 0 && READ(3) == 0);
    WRITE(2, -100u);      /* the period's rest */
    uint32_t v = READ(0); /* enable_event of PMN0 */
    WRITE(0, (v & ~(0xffu << EVENT0)) | INSTRUCTIONS << EVENT0 | INT0);
    WRITE(1, -1000000u);
    WRITE(0, READ(0) | INTC); /* enable_event of CCNT */
    WRITE(0, READ(0) | E);    /* start */
    work();
    v = READ(0); /* the handler */
    MUST((v & FLAGS) == FLAG0);
    WRITE(0, v); /* which writes the flags back, on purpose */
    MUST(!(READ(0) & FLAGS) && (READ(0) & (E | INT0 | INTC)) == (E | INT0 | INTC));
    const uint32_t counted = READ(2);
    MUST(counted >= 2 * ROUNDS - 100 && counted < 2 * ROUNDS);
    WRITE(2, -50u); /* set_period */
    work();
    MUST(READ(0) & FLAG0);
    v = READ(0); /* disable_event: the event of nothing, no interrupt */
    WRITE(0, (v & ~(0xffu << EVENT0) & ~INT0) | NOTHING << EVENT0);
    const uint32_t still = READ(2);
    work();
    MUST(READ(2) == still && !(READ(0) & FLAG0));
    WRITE(0, READ(0) & ~INTC); /* CCNT is only masked, and goes on */
    const uint32_t cycles = READ(1);
    work();
    MUST(READ(1) > cycles);
    WRITE(0, READ(0) & ~E); /* stop */
    const uint32_t end = READ(1);
    work();
    MUST(READ(1) == end);
}

/* Setup of all at once, with the counters at minus their periods; each overflow reloads one. */
static void as_oprofile(void)
{
    enum { PERIOD = 64 };
    unsigned overflows = 0;
    WRITE(0, FLAGS); /* stopped: flags stay (E is 0) */
    WRITE(0, E | FLAGS);
    WRITE(0, 0);
    MUST(!(READ(0) & FLAGS));
    WRITE(0, INSTRUCTIONS << EVENT0 | BRANCHES << EVENT1 | INT0 | INT1);
    WRITE(2, -PERIOD);
    WRITE(3, -1000000u);
    WRITE(0, READ(0) | E); /* start */
    for (unsigned i = 0; i < 8; i++) {
        work();
        const uint32_t v = READ(0); /* the handler */
        MUST((v & FLAGS) == FLAG0);
        WRITE(0, v & ~E); /* stopped while it looks: flags stay */
        MUST(READ(0) & FLAG0);
        WRITE(2, -PERIOD);
        WRITE(0, v | E); /* on again, the flags written back */
        MUST(!(READ(0) & FLAG0));
        overflows++;
    }
    WRITE(0, 0);
    MUST(overflows == 8 && READ(3) >= -1000000u + 8 * ROUNDS);
}

int main(void)
{
    as_linux();
    as_oprofile();
    puts("ok");
    return 0;
}
