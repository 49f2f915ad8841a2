/*
 * What a debugger that talks by packets is tried on (debug_packets.py): one thread, whose each step
 * is known.
 */
enum { COUNTS = 4 };

volatile int counted;

int main(void)
{
    for (int i = 0; i < COUNTS; i++)
        counted = i;
    return 5;
}
