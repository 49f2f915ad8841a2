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

int main(void)
{
    for (int i = 0; i < COUNTS; i++)
        counted = i;
    signals();
    return 5;
}
