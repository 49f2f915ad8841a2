/*
 * A guest at its monitoring cards: counters of its own card and of another's, the SRAM, a refused
 * write, the interrupt as a signal, by read and by poll, and registers whose mapping changes.
 */
#include "numachine.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { OTHER = 2, SOON = 20000 };

static volatile sig_atomic_t signals;
static sigjmp_buf back;

static void on_interrupt(int number)
{
    signals += number == SIGIO;
}

static void on_fault(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

static void fail(const char *what)
{
    printf("FAILED: %s (%d)\n", what, errno);
    exit(1);
}

static void wait_a_little(void)
{
    for (volatile unsigned i = 0; i < 1000; i++)
        ;
}

static void counters(volatile unsigned *own)
{
    NUMACHINE_COUNT(own, 0, TIME);
    NUMACHINE_COUNT(own, 1, STORE);
    NUMACHINE_LOAD(own, 1, 0);
    NUMACHINE_LOAD(own, 0, 0);
    unsigned early = NUMACHINE_COUNTER(own, 0);
    wait_a_little();
    unsigned late = NUMACHINE_COUNTER(own, 0), stores = NUMACHINE_COUNTER(own, 1);
    const int right = early < 200 && late > early + 1000 && stores > 1000 && stores < late * 3;
    printf("counters: time %s\n", right ? "passes" : "is WRONG");
}

/* Card clocks go alike: a stretch of time is the same on both cards, but for the accesses' way. */
static void remote(volatile unsigned *own, volatile unsigned *other)
{
    NUMACHINE_COUNT(other, 3, TIME);
    NUMACHINE_LOAD(other, 3, 1000000);
    if (NUMACHINE_READ(other, CARD) != OTHER || NUMACHINE_COUNTER(other, 3) < 1000000)
        fail("card 2");
    unsigned own_first = NUMACHINE_COUNTER(own, 0), other_first = NUMACHINE_COUNTER(other, 3);
    wait_a_little();
    unsigned own_passed = NUMACHINE_COUNTER(own, 0) - own_first;
    unsigned other_passed = NUMACHINE_COUNTER(other, 3) - other_first;
    printf("remote counters: %s\n",
           other_passed - own_passed + 100 < 1000 && own_passed > 1000 ? "right" : "WRONG");
}

static void sram(volatile unsigned *own, volatile unsigned *other)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < 65536; i += 999) {
        numachine_card_write(own, NUMACHINE_REG_SRAM + 4 * i, i * 3);
        numachine_card_write(other, NUMACHINE_REG_SRAM + 4 * i, i * 5);
    }
    for (unsigned i = 0; i < 65536; i += 999)
        wrong += NUMACHINE_SRAM(own, i) != i * 3 || NUMACHINE_SRAM(other, i) != i * 5;
    printf("SRAM: %s\n", wrong ? "WRONG" : "right");
}

/* Stores to lines that are not here, so many in one phase and so many in the next: none of them is
 * counted in the other's, although the writes of PHASE are buffered. */
static void phases(volatile unsigned *own)
{
    enum {
        FIRST = 3,
        LINE = 64,
        LINES = 150,
        MANY = 100,
        RDEXCL = 1,
        BY_COMMAND_AND_PHASE_OUT = 0x16
    };
    static volatile char data[2][LINES * LINE] __attribute__((aligned(4096)));
    unsigned counted[2];
    NUMACHINE_WRITE(own, COMMAND, RDEXCL);
    NUMACHINE_WRITE(own, MASK, BY_COMMAND_AND_PHASE_OUT);
    for (unsigned k = 0; k < 2; k++) {
        NUMACHINE_WRITE(own, PHASE_MATCH, FIRST + k);
        NUMACHINE_CONTROL(own, 0, NUMACHINE_EV_PACKET_HEADERS | 1 << NUMACHINE_BIT_CONTROL_MASK);
        NUMACHINE_LOAD(own, 0, 0);
        NUMACHINE_PHASE(own, FIRST);
        for (unsigned i = 0; i < MANY; i++)
            data[k][i * LINE] = 1;
        NUMACHINE_PHASE(own, FIRST + 1);
        for (unsigned i = MANY; i < LINES; i++)
            data[k][i * LINE] = 1;
        NUMACHINE_PHASE(own, 0);
        counted[k] = NUMACHINE_COUNTER(own, 0);
    }
    if (!data[0][0] || !data[1][0])
        fail("store");
    printf("phases: %u and %u stores\n", counted[0], counted[1]);
}

/* Counter 2 of the own card overflows soon. */
static void arm(volatile unsigned *own)
{
    NUMACHINE_LOAD(own, 2, 0u - SOON);
    NUMACHINE_CONTROL(own, 2, NUMACHINE_EV_TIME | 1 << NUMACHINE_BIT_CONTROL_INTERRUPT);
}

static void disarm(volatile unsigned *own)
{
    if (!(NUMACHINE_READ(own, INTERRUPT) >> 2 & 1))
        fail("the interrupt is not counter 2's");
    NUMACHINE_COUNT(own, 2, NOTHING);
    NUMACHINE_WRITE(own, OVERFLOW, 1 << 2);
}

static void interrupts(volatile unsigned *own, int fd)
{
    unsigned count = 0;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    if (fcntl(fd, F_SETOWN, getpid()) < 0 || fcntl(fd, F_SETFL, O_RDWR | O_ASYNC) < 0)
        fail("fcntl");
    arm(own);
    while (!signals)
        ;
    disarm(own);
    if (read(fd, &count, sizeof count) != sizeof count)
        fail("read");
    printf("interrupt: %d signal, count %u\n", (int)signals, count);
    fcntl(fd, F_SETFL, O_RDWR | O_NONBLOCK);
    arm(own);
    while (read(fd, &count, sizeof count) < 0 && errno == EAGAIN)
        ;
    disarm(own);
    arm(own);
    const int before = poll(&ready, 1, -1);
    disarm(own);
    const int late = read(fd, &count, sizeof count) == sizeof count && count == 3;
    printf("read: %d, poll: %d %d\n", late, before, poll(&ready, 1, 0));
}

/* They have been used, so a processor knows where they are. */
static void mappings(volatile unsigned *card)
{
    void *const at = (void *)card;
    volatile unsigned char *const bytes = at;
    unsigned others = 0;

    if (mprotect(at, NUMACHINE_REGISTERS, PROT_READ) != 0)
        fail("mprotect");
    if (!sigsetjmp(back, 1)) {
        card[0] = 1;
        puts("registers: written after PROT_READ");
    }
    if (mmap(at, NUMACHINE_REGISTERS, PROT_READ | PROT_WRITE,
             MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != at)
        fail("mmap");
    card[0] = 0x01020304;
    for (unsigned i = 1; i < NUMACHINE_REGISTERS / sizeof *card; i++)
        others |= card[i];
    printf("registers: memory in their place, %x %x %x\n", card[0], bytes[3], others);
    if (munmap(at, NUMACHINE_REGISTERS) != 0)
        fail("munmap");
    if (!sigsetjmp(back, 1))
        printf("registers: %u behind munmap\n", card[0]);
    else
        puts("registers: gone");
}

int main(void)
{
    volatile unsigned *own = numachine_card(-1), *other = numachine_card(OTHER);
    int fd = open("/dev/numachine/card", O_RDWR);
    if (!own || !other || fd < 0)
        fail("open");
    signal(SIGIO, on_interrupt);
    signal(SIGBUS, on_fault);
    signal(SIGSEGV, on_fault);
    printf("identity %x, %x\n", NUMACHINE_READ(own, IDENTITY), NUMACHINE_READ(other, IDENTITY));
    counters(own);
    remote(own, other);
    NUMACHINE_COUNT(own, 3, INVALIDATE_HITS);
    NUMACHINE_COUNT(other, 3, INVALIDATE_HITS);
    printf("refused writes: %u %u\n", NUMACHINE_READ(own, ERROR) & 0xff,
           NUMACHINE_READ(other, ERROR) & 0xff);
    sram(own, other);
    phases(own);
    interrupts(own, fd);
    if (!sigsetjmp(back, 1))
        printf("registers: a byte is %d\n", *(volatile unsigned char *)own);
    else
        printf("registers: bytes are bus errors\n");
    if (!sigsetjmp(back, 1))
        printf("registers: an unaligned word is %u\n",
               *(volatile unsigned *)((volatile char *)own + 2));
    else
        printf("registers: unaligned words are bus errors\n");
    mappings(other);
    return 0;
}
