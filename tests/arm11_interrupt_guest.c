/*
 * The interrupts of an ARM11's performance monitoring unit, and of the event monitor of its L210 or
 * L220, as a program gets them: SIGIO, from a descriptor of its card. Every figure is a hand count.
 * Ends with the number of the first line that is not as it must be.
 */
#include "guests/arm11.h"
#include "numachine.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DRAINED = 0x12, /* a barrier has waited for the write buffer */
    PERIOD = 10,
    PERIODS = 10,
    SLEEP = 1000000, /* [cycles] */
    INCREMENT = 1,
    OVERFLOW = 2,
    LINE = 32,
    LINES = 64,
    WHILE = 1000, /* turns of a loop */
    WARM = 3,     /* times until what the program itself touches is in its caches */
};

#define BARRIER() __asm__ volatile("mcr p15, 0, %0, c7, c10, 4" ::"r"(0) : "memory")
#define MUST(what)          \
    do {                    \
        if (!(what))        \
            fail(__LINE__); \
    } while (0)

static volatile unsigned *card;
static volatile sig_atomic_t signals, barriers, touching;
static unsigned came_at[2 * PERIODS];
static int l220;
static char memory[LINES][LINE] __attribute__((aligned(4096)));

static void fail(int line)
{
    printf("line %d: %d signals, PMNC %08x\n", line, (int)signals, READ(0));
    exit(1);
}

static void put(unsigned reg, unsigned value)
{
    numachine_card_write(card, reg, value);
}

static unsigned get(unsigned reg)
{
    return numachine_card_read(card, reg);
}

/* ---- the unit -------------------------------------------------------------------------------- */

/* As Linux's: flags that are written back are cleared. The counter goes on from where it is. */
static void on_overflow(int number)
{
    const uint32_t control = READ(0);
    (void)number;
    MUST((control & FLAGS) == FLAG0);
    WRITE(0, control);
    WRITE(2, READ(2) - PERIOD);
    came_at[signals++] = (unsigned)barriers;
}

/* The operating system takes its time until a signal is there: less than this. */
static void a_while(void)
{
    uint32_t n = WHILE;
    __asm__ volatile("1: subs %0, %0, #1\n bne 1b" : "+r"(n)::"cc");
}

static void drain(unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        barriers++;
        BARRIER();
        a_while();
    }
}

static void periods(int fd)
{
    unsigned count = 0;
    signal(SIGIO, on_overflow);
    WRITE(0, P | C);
    WRITE(2, -PERIOD);
    WRITE(0, DRAINED << EVENT0 | INT0 | E);
    drain(PERIOD - 1);
    MUST(signals == 0 && READ(2) == UINT32_MAX);
    drain(PERIOD * PERIODS - (PERIOD - 1));
    MUST(signals == PERIODS && READ(2) == -(uint32_t)PERIOD && !(READ(0) & FLAGS));
    for (unsigned i = 0; i < PERIODS; i++)
        MUST(came_at[i] == PERIOD * (i + 1));
    MUST(read(fd, &count, sizeof count) == sizeof count && count == PERIODS);

    WRITE(0, DRAINED << EVENT0 | E); /* without its enable there is a flag, and no interrupt */
    drain(PERIOD);
    MUST(signals == PERIODS && (READ(0) & FLAGS) == FLAG0);
    WRITE(0, DRAINED << EVENT0 | INT0 | E); /* ... which is a level: enabled, it is there */
    a_while();
    MUST(signals == PERIODS + 1);
    WRITE(0, 0);
}

/* A thread that sleeps is woken by a cycle counter, though another counter, which its sleep keeps
 * from counting, is nearer its end. */
static void asleep(int fd)
{
    unsigned count = 0;
    signal(SIGIO, SIG_IGN);
    MUST(read(fd, &count, sizeof count) == sizeof count && count == PERIODS + 1);
    WRITE(0, P | C);
    WRITE(1, -SLEEP);
    WRITE(2, -PERIOD);
    WRITE(0, FLAGS | DRAINED << EVENT0 | INT0 | INTC | E);
    MUST(read(fd, &count, sizeof count) == sizeof count && count == PERIODS + 2);
    MUST((READ(0) & FLAGS) == FLAGC && READ(1) < SLEEP);
    WRITE(0, READ(0));
    MUST(!(READ(0) & FLAGS));
    WRITE(0, 0);
}

/* ---- the controller's monitor ---------------------------------------------------------------- */

static void disarm(void)
{
    put(l220 ? NUMACHINE_L220_EVENT_CONFIG0 : NUMACHINE_L210_EMCC0, 0);
    put(l220 ? NUMACHINE_L220_INTERRUPT_CLEAR : NUMACHINE_L210_EMCS, 1);
}

static void on_monitor(int number)
{
    (void)number;
    MUST(touching && (get(l220 ? NUMACHINE_L220_MASKED_STATUS : NUMACHINE_L210_EMCS) & 1));
    disarm();
    signals++;
}

/* Counter 0 interrupts when it counts a read of data. An L220's begins at `value`. */
static void arm(unsigned condition, unsigned value)
{
    if (l220) {
        put(NUMACHINE_L220_EVENT_VALUE0, value);
        put(NUMACHINE_L220_INTERRUPT_MASK, 1);
        put(NUMACHINE_L220_EVENT_CONTROL, 1);
        put(NUMACHINE_L220_EVENT_CONFIG0,
            NUMACHINE_L220_SRC_DR_REQUESTS << NUMACHINE_BIT_EVENT_CONFIG0_SOURCE | condition);
        return;
    }
    put(NUMACHINE_L210_EMMC, 1 | 1 << NUMACHINE_BIT_EMMC_INTERRUPT);
    put(NUMACHINE_L210_EMCC0, NUMACHINE_L210_SRC_DR_REQUESTS << NUMACHINE_BIT_EMCC0_SOURCE |
                                  condition << NUMACHINE_BIT_EMCC0_CONDITION |
                                  1 << NUMACHINE_BIT_EMCC0_INTERRUPT);
}

static void touch(unsigned line)
{
    BARRIER();
    touching = 1;
    (void)*(volatile char *)memory[line];
    BARRIER();
    a_while();
    touching = 0;
}

static void monitor(void)
{
    unsigned line = 0;
    signal(SIGIO, on_monitor);
    signals = 0;
    for (unsigned i = 0; i < WARM; i++) {
        touching = 1;
        arm(INCREMENT, 0);
        touch(line++);
        disarm();
    }
    signals = 0;
    for (int i = 1; i <= WARM; i++) {
        arm(INCREMENT, 0);
        a_while();
        MUST(signals == i - 1);
        touch(line++);
        MUST(signals == i);
    }
    if (!l220) /* an L210's counters cannot be written */
        return;
    signals = 0;
    arm(OVERFLOW, -(unsigned)PERIOD);
    for (unsigned i = 1; i < PERIOD; i++)
        touch(line++);
    MUST(signals == 0);
    touch(line++);
    MUST(signals == 1);
}

int main(void)
{
    const int fd = open("/dev/numachine/card", O_RDWR);
    card = numachine_card(-1);
    MUST(fd >= 0 && card);
    MUST(!fcntl(fd, F_SETOWN, getpid()) && !fcntl(fd, F_SETFL, O_RDWR | O_ASYNC));
    l220 = (get(NUMACHINE_L2C_ID) >> 6 & 15) == 2;
    periods(fd);
    asleep(fd);
    monitor();
    puts("ok");
    return 0;
}
