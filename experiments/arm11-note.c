/*
 * The use cases of the application note on the ARM11's performance monitoring unit, in its order:
 * each line is what was counted, and the rule of the note that it shows (docs/arm11.md).
 */
#include <stdint.h>
#include <stdio.h>

#define READ(name, number)                                                             \
    static inline uint32_t name(void)                                                  \
    {                                                                                  \
        uint32_t v;                                                                    \
        __asm__ volatile("mrc p15, 0, %0, c15, c12, " #number : "=r"(v) : : "memory"); \
        return v;                                                                      \
    }                                                                                  \
    static inline void set_##name(uint32_t v)                                          \
    {                                                                                  \
        __asm__ volatile("mcr p15, 0, %0, c15, c12, " #number : : "r"(v) : "memory");  \
    }
READ(control, 0)
READ(cycles, 1)
READ(count0, 2)
READ(count1, 3)

enum { GO = 7, CLEAR = 7 << 8, DIVIDE = 8, LINE = 32, WORDS = 8 * 1024 };

static volatile uint32_t data[WORDS], sink;

static void add_up(void)
{
    for (unsigned i = 0; i < 512; i++)
        sink += data[i];
}

static void loop(void)
{
    for (volatile unsigned i = 0; i < 200; i++)
        ;
}

static void read_lines(void)
{
    for (unsigned i = 0; i < WORDS; i += LINE / 4)
        sink += data[i];
}

static void conditions(void)
{
    __asm__ volatile(".rept 100\n cmp r0, r0\n movne r1, r1\n .endr" : : : "r1", "cc");
}

static void __attribute__((aligned(32))) nops(void)
{
    __asm__ volatile(".rept 256\n nop\n .endr");
}

static void nothing(void)
{
}

/* Counts two events, and the cycles, while `work` is done. */
static void measure(unsigned event0, unsigned event1, uint32_t bits, void (*work)(void))
{
    const uint32_t events = event0 << 20 | event1 << 12 | bits;
    set_control(events | CLEAR | GO);
    work();
    set_control(events);
}

static void show(const char *what, const char *rule)
{
    printf("%-34s %8u %8u %8u  %s\n", what, (unsigned)count0(), (unsigned)count1(),
           (unsigned)cycles(), rule);
}

static void one_row(const char *what, unsigned event0, unsigned event1, void (*work)(void),
                    const char *rule)
{
    measure(event0, event1, 0, work);
    show(what, rule);
}

int main(void)
{
    printf("%-34s %8s %8s %8s\n", "", "first", "second", "cycles");
    one_row("branches, instructions", 0x5, 0x7, loop, "1: two events and the cycles at once");
    measure(0x5, 0x7, DIVIDE, loop);
    show("the same, divided", "1: D counts every 64th cycle");
    set_control(CLEAR | 1);
    set_control(0xff << 20);
    set_count0(0U - 1000);
    set_control(0xff << 20 | 1);
    loop();
    printf("%-34s %8u %8s %8s  %s\n", "overflow after 1000", (unsigned)(control() >> 8 & 1), "", "",
           "1: preloaded with 2^32 - 1000, the flag is up");
    one_row("I misses, instructions: cold", 0x0, 0x7, nops, "3: 256 words are 32 lines");
    one_row("again", 0x0, 0x7, nops, "3: they are in the cache");
    one_row("fetch stalls, data stalls", 0x1, 0x2, add_up, "4: a load's use is 0x2");
    one_row("LSU full, main TLB misses", 0x11, 0xf, read_lines, "4: walks are 0xF, no stalls");
    one_row("branches, mispredicted", 0x5, 0x6, loop, "5: 1 - 0x6/0x5 is the prediction ratio");
    one_row("pc changes, mispredicted", 0xd, 0x6, loop, "5: taken branches change the pc");
    one_row("instructions, branches", 0x7, 0x5, conditions, "6: failed conditions count");
    one_row("any access, cacheable", 0xa, 0x9, add_up, "7: 0xA - 0x9 is non-cacheable");
    one_row("cacheable, misses", 0x9, 0xb, read_lines, "8: 1 - 0xB/0x9 estimates the hits");
    one_row("outside, half lines back", 0x10, 0xc, read_lines,
            "8: refills leave; dirty halves go back");
    one_row("nothing at all", 0x5, 0x7, nothing, "what a measurement itself counts");
    return 0;
}
