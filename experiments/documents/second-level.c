/*
 * The application note's section 9: an ARM11's own counters beside those of its L220. Each part is
 * measured three times, for instruction reads, data reads and data writes, as the L220 has two
 * counters and the processor two. The processor's are 0x0 and 0xB each time.
 */
#include <numachine.h>
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 1000
#endif

enum { LINE = 32, LINES = 64, ARRAY = 64 << 10, PASSES = 3, PAIR = 2, GO = 7 };

struct counts {
    unsigned own[PASSES][PAIR], level2[PASSES][PAIR];
};

static volatile unsigned array[ARRAY / sizeof(unsigned)] __attribute__((aligned(LINE)));
static volatile unsigned *card;

static const unsigned source[PASSES][PAIR] = {
    {NUMACHINE_L220_SRC_IR_REQUESTS, NUMACHINE_L220_SRC_IR_HITS},
    {NUMACHINE_L220_SRC_DR_REQUESTS, NUMACHINE_L220_SRC_DR_HITS},
    {NUMACHINE_L220_SRC_DW_REQUESTS, NUMACHINE_L220_SRC_DW_HITS}};

/* Nothing passes a barrier. */
static inline void barrier(void)
{
    __asm__ volatile("mcr p15, 0, %0, c7, c10, 4" : : "r"(0) : "memory");
}

static inline void set_control(unsigned value)
{
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 0" : : "r"(value) : "memory");
}

static inline unsigned own_count(unsigned which)
{
    unsigned value;
    if (which)
        __asm__ volatile("mrc p15, 0, %0, c15, c12, 3" : "=r"(value) : : "memory");
    else
        __asm__ volatile("mrc p15, 0, %0, c15, c12, 2" : "=r"(value) : : "memory");
    return value;
}

/* ---- what is measured ------------------------------------------------------------------------ */

/* Straight code of so many lines. */
static void __attribute__((aligned(LINE), noinline)) straight(void)
{
    __asm__ volatile(".rept %c0\n nop\n .endr" : : "i"(LINES * LINE / 4));
}

/* A loop whose branch is the last word of its line: what lies behind is in the next one, and is
 * executed once, when all is done. */
static void __attribute__((noinline)) loop(void)
{
    unsigned n = ROUNDS;
    __asm__ volatile("b 1f\n .balign 32\n 1: nop\n nop\n nop\n nop\n nop\n nop\n subs %0, %0, #1\n"
                     " bne 1b\n b 2f\n .balign 32\n 2:"
                     : "+r"(n)
                     :
                     : "cc");
}

/* A function whose return is the last word of its line; the next one is never executed. */
__asm__(".text\n .arm\n .balign 32\n returns_at_the_end: nop\n nop\n nop\n nop\n nop\n nop\n nop\n "
        "bx lr\n"
        " .balign 32\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n nop\n");

static void __attribute__((noinline)) calls(void)
{
    for (unsigned n = ROUNDS; n; n--)
        __asm__ volatile("bl returns_at_the_end" : : : "lr", "cc", "memory");
}

/* Twice as much as the primary cache has room for. */
static void __attribute__((noinline)) reads(void)
{
    for (unsigned i = 0; i < ARRAY / sizeof(unsigned); i++)
        (void)array[i];
}

static void __attribute__((noinline)) writes(void)
{
    for (unsigned i = 0; i < ARRAY / sizeof(unsigned); i++)
        array[i] = i;
}

static const struct {
    const char *name;
    void (*part)(void);
} parts[] = {{"straight code, first time", straight},
             {"a loop at its line's end", loop},
             {"returns at their line's end", calls},
             {"reads, word by word", reads},
             {"writes, word by word", writes}};
enum { PARTS = sizeof parts / sizeof *parts };

/* ---- measuring ------------------------------------------------------------------------------- */

/* The processor counts a little longer than its L220 does. */
static void measure(void (*part)(void), unsigned pass, struct counts *out)
{
    const unsigned events = 0x0 << 20 | 0xb << 12;
    numachine_card_write(card, NUMACHINE_L220_EVENT_CONFIG0,
                         source[pass][0] << NUMACHINE_BIT_EVENT_CONFIG0_SOURCE);
    numachine_card_write(card, NUMACHINE_L220_EVENT_CONFIG1,
                         source[pass][1] << NUMACHINE_BIT_EVENT_CONFIG0_SOURCE);
    barrier();
    set_control(events | GO);
    numachine_card_write(card, NUMACHINE_L220_EVENT_CONTROL,
                         1 | NUMACHINE_MAX_EVENT_CONTROL_RESET
                                 << NUMACHINE_BIT_EVENT_CONTROL_RESET);
    barrier();
    part();
    barrier();
    numachine_card_write(card, NUMACHINE_L220_EVENT_CONTROL, 0);
    barrier();
    set_control(events);
    for (unsigned i = 0; i < PAIR; i++)
        out->own[pass][i] = own_count(i);
    out->level2[pass][0] = numachine_card_read(card, NUMACHINE_L220_EVENT_VALUE0);
    out->level2[pass][1] = numachine_card_read(card, NUMACHINE_L220_EVENT_VALUE1);
}

static void print_row(const char *name, const struct counts *c)
{
    printf("%-28s", name);
    for (unsigned pass = 0; pass < PASSES; pass++)
        printf(" %6u %6u %6u ", c->own[pass][pass > 0], c->level2[pass][0], c->level2[pass][1]);
    putchar('\n');
}

int main(void)
{
    static struct counts counts[PARTS];
    card = numachine_card(-1);
    for (unsigned p = 0; p < PARTS; p++)
        for (unsigned pass = 0; pass < PASSES; pass++)
            measure(parts[p].part, pass, &counts[p]);
    printf("%-28s %6s %6s %6s  %6s %6s %6s  %6s %6s %6s\n", "", "0x0", "IRREQ", "IRHIT", "0xB",
           "DRREQ", "DRHIT", "0xB", "DWREQ", "DWHIT");
    for (unsigned p = 0; p < PARTS; p++)
        print_row(parts[p].name, &counts[p]);
    return 0;
}
