/*
 * Lines that a secondary cache of 64 KB, half of it for data, loses to others in their places
 * although it has room for them: conflict misses where they were used last, capacity misses where
 * they were used first. For tests/used_last.py.
 *
 *     used_last_guest [used] [again]
 *     used_last_guest sweep           several times over four times as much: capacity misses
 */
#include <string.h>

enum { LINE = 64, HALF = 1 << 15, LINES = HALF / LINE, FEW = 8, ROOM = 64, MORE = 112, SWEEPS = 4 };

static volatile char data[4 * HALF] __attribute__((aligned(4 * HALF)));

static void touch(unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++)
        (void)data[i * LINE];
}

int main(int argc, char **argv)
{
    int used = 0, again = 0;
    for (int i = 1; i < argc; i++) {
        used |= strcmp(argv[i], "used") == 0;
        again |= strcmp(argv[i], "again") == 0;
    }
    for (int i = 0; argc > 1 && strcmp(argv[1], "sweep") == 0 && i < SWEEPS; i++)
        touch(0, 4 * LINES);
    touch(0, LINES - ROOM);
    if (used) /* of the secondary cache: the primary one has half as many lines */
        touch(0, FEW);
    touch(LINES, LINES + FEW);
    touch(2 * LINES + FEW, 2 * LINES + FEW + MORE);
    if (again)
        touch(0, FEW);
    return 0;
}
