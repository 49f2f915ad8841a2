/*
 * What a debugger that talks by packets is tried on (debug_packets.py): one thread, whose each step
 * is known.
 */
#include <signal.h>

enum { COUNTS = 4 };

volatile int counted;

static void hear(int number)
{
    (void)number;
}

/* Of each rule by which gdb numbers them the first and the last that a program may have. */
__attribute__((noinline)) void signals(void)
{
    static const int numbers[] = {SIGUSR1, 35, 63, 64, 65, 70, 78, 127};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        signal(numbers[i], hear);
        raise(numbers[i]);
    }
}

/* Words that are not at their alignment: each is written and read by a pair of instructions. */
struct __attribute__((packed)) apart {
    char before[2];
    unsigned word;
    unsigned long register_wide;
};

union {
    unsigned long aligned[4];
    struct apart apart;
} room;

__attribute__((noinline)) void pairs(volatile struct apart *to)
{
    to->word = 0xdeadbeef;
    to->register_wide = to->word;
}

enum { CELLS = 64 };

volatile int cell[CELLS];

/* More than a debugger keeps of a thread that goes alone. */
__attribute__((noinline)) void fill(void)
{
    for (int i = 0; i < CELLS; i++)
        cell[i] = i + 1;
}

int main(void)
{
    for (int i = 0; i < COUNTS; i++)
        counted = i;
    pairs(&room.apart);
    fill();
    signals();
    return 5;
}
