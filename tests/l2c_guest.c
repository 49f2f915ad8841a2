/*
 * A guest at its board's L210 or L220: its registers, and its event monitor held against hand
 * counts of strides through memory.
 */
#include "numachine.h"

#include <stdint.h>
#include <stdio.h>

enum {
    LINE = 32,
    BYTES =
        4096, /* of a region: a page. Few, so that the secondary cache evicts none of its lines */
    REGIONS = 4,
    COUNTERS = 2,
};

/* What a counter counts, by controller. */
struct source {
    unsigned on210, on220;
};
#define SOURCE(name)                                         \
    {                                                        \
        NUMACHINE_L210_SRC_##name, NUMACHINE_L220_SRC_##name \
    }

static char memory[REGIONS][BYTES] __attribute__((aligned(4096)));
static volatile unsigned *card;
static int l220;

static void put(unsigned reg, unsigned value)
{
    numachine_card_write(card, reg, value);
}

static unsigned get(unsigned reg)
{
    return numachine_card_read(card, reg);
}

/* Says what is counted. @return the register that starts and stops, and what starts */
static unsigned prepare(const struct source source[COUNTERS], unsigned *begin)
{
    if (l220) {
        put(NUMACHINE_L220_EVENT_CONFIG0, source[0].on220 << NUMACHINE_BIT_EVENT_CONFIG0_SOURCE);
        put(NUMACHINE_L220_EVENT_CONFIG1, source[1].on220 << NUMACHINE_BIT_EVENT_CONFIG0_SOURCE);
        *begin = 1 | NUMACHINE_MAX_EVENT_CONTROL_RESET << NUMACHINE_BIT_EVENT_CONTROL_RESET;
        return NUMACHINE_L220_EVENT_CONTROL;
    }
    put(NUMACHINE_L210_EMCC0, source[0].on210 << NUMACHINE_BIT_EMCC0_SOURCE);
    put(NUMACHINE_L210_EMCC1, source[1].on210 << NUMACHINE_BIT_EMCC0_SOURCE);
    *begin = 1 | 1 << NUMACHINE_BIT_EMMC_RESET;
    return NUMACHINE_L210_EMMC;
}

/* Starts the counters, reads or writes a word at each stride, and stops them: nothing else in
 * memory is touched between. Cached accesses would overtake the stores to the registers; a barrier
 * lets none. */
#define DRAIN " mcr p15, 0, %6, c7, c10, 4\n"
#define PASS(name, access)                                                                        \
    static void __attribute__((noinline))                                                         \
    name(volatile unsigned *control, unsigned begin, const char *at, unsigned stride, unsigned n) \
    {                                                                                             \
        unsigned datum = 0;                                                                       \
        __asm__ volatile(" str %5, [%4]\n" DRAIN "1: " access " %0, [%1], %2\n"                   \
                         " subs %3, %3, #1\n bne 1b\n str %6, [%4]\n" DRAIN                       \
                         : "+r"(datum), "+r"(at), "+r"(stride), "+r"(n)                           \
                         : "r"(control), "r"(begin), "r"(0)                                       \
                         : "memory", "cc");                                                       \
    }
PASS(reads, "ldr")
PASS(writes, "str")

typedef void pass(volatile unsigned *control, unsigned begin, const char *at, unsigned stride,
                  unsigned n);

static void count(const char *what, pass *pass, unsigned region, unsigned stride,
                  const struct source source[COUNTERS])
{
    unsigned begin;
    const unsigned control = prepare(source, &begin);
    pass(card + control / 4, begin, memory[region], stride, BYTES / stride);
    printf("%s, region %u, %u bytes apart: %u, %u\n", what, region, stride,
           get(l220 ? NUMACHINE_L220_EVENT_VALUE0 : NUMACHINE_L210_EMC0),
           get(l220 ? NUMACHINE_L220_EVENT_VALUE1 : NUMACHINE_L210_EMC1));
}

/* Writes are in no primary cache, but for lines that are there already. */
static void strides(void)
{
    static const struct source read[] = {SOURCE(DR_REQUESTS), SOURCE(DR_HITS)};
    static const struct source written[] = {SOURCE(DW_REQUESTS), SOURCE(DW_HITS)};
    static const struct source made[] = {SOURCE(DW_REQUESTS), SOURCE(ALLOCATES)};
    count("cold reads", reads, 0, LINE, read);
    count("cold writes", writes, 1, LINE, written);
    count("cold writes", writes, 2, LINE, made);
    count("cold writes", writes, 3, LINE, made);
    count("writes again", writes, 1, LINE, written);
    count("reads", reads, 1, LINE, read);
    count("reads", reads, 2, LINE / 4, read);
    count("reads", reads, 3, 4 * LINE, read);
}

/* Registers keep what the document says, and nothing else. */
static void registers(void)
{
    const unsigned aux = get(NUMACHINE_L2C_AUX);
    printf("identity %08x, on %u, ways %u\n", get(NUMACHINE_L2C_ID), get(NUMACHINE_L2C_CONTROL),
           aux >> 13 & 15);
    put(NUMACHINE_L2C_AUX, 0);
    printf("latencies %03x, ways %u\n", get(NUMACHINE_L2C_AUX) & 0xfff,
           get(NUMACHINE_L2C_AUX) >> 13 & 15);
    put(NUMACHINE_L2C_AUX, aux);
    printf("back: %d\n", get(NUMACHINE_L2C_AUX) == aux);
    put(NUMACHINE_L2C_CONTROL, 0); /* refused */
    printf("on %u\n", get(NUMACHINE_L2C_CONTROL));
}

/* An L220's counter can be written while it has no source; an L210's cannot. */
static void values(void)
{
    if (l220) {
        put(NUMACHINE_L220_EVENT_CONFIG0, 0);
        put(NUMACHINE_L220_EVENT_VALUE0, 0x12345678);
        printf("value %x\n", get(NUMACHINE_L220_EVENT_VALUE0));
    } else {
        const unsigned before = get(NUMACHINE_L210_EMC0);
        put(NUMACHINE_L210_EMC0, 0x12345678); /* refused */
        printf("value kept: %d\n", get(NUMACHINE_L210_EMC0) == before);
    }
}

/* Several registers at once are what each of them is. */
static void together(void)
{
    enum { FIRST = NUMACHINE_L2C_CONTROL, WORDS = 2 };
    const volatile unsigned *at = card + FIRST / 4;
    unsigned two[WORDS], pair[WORDS];
    __asm__ volatile("ldmia %2, {r4, r5}\n mov %0, r4\n mov %1, r5"
                     : "=&r"(two[0]), "=&r"(two[1])
                     : "r"(at)
                     : "r4", "r5", "memory");
    __asm__ volatile("ldrd r4, r5, [%2]\n mov %0, r4\n mov %1, r5"
                     : "=&r"(pair[0]), "=&r"(pair[1])
                     : "r"(at)
                     : "r4", "r5", "memory");
    for (unsigned i = 0; i < WORDS; i++)
        if (two[i] != at[i] || pair[i] != at[i])
            printf("word %u is %x, not %x or %x\n", i, at[i], two[i], pair[i]);
}

int main(void)
{
    card = numachine_card(-1);
    if (!card)
        return 1;
    l220 = (get(NUMACHINE_L2C_ID) >> 6 & 15) == 2;
    registers();
    together();
    values();
    strides();
    return 0;
}
