/* Deep and broad recursion: Ackermann, Fibonacci, queens, mutual calls through pointers. */
#include "guest.h"

static unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

static unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned queens(unsigned all, unsigned columns, unsigned left, unsigned right)
{
    unsigned count = 0;

    if (columns == all)
        return 1;
    for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
        unsigned bit = free & -free;
        count += queens(all, columns | bit, (left | bit) << 1, (right | bit) >> 1);
    }
    return count;
}

typedef int parity_fn(unsigned n);
static parity_fn even, odd;
static parity_fn *volatile parity[] = {even, odd};

static int even(unsigned n)
{
    return n == 0 ? 1 : parity[1](n - 1);
}

static int odd(unsigned n)
{
    return n == 0 ? 0 : parity[0](n - 1);
}

int main(void)
{
    printf("%u %u %u %d\n", ackermann(2, OPAQUE(40u)), fibonacci(OPAQUE(16u)),
           queens((1u << OPAQUE(6u)) - 1, 0, 0, 0), even(OPAQUE(2001u)));
    return guest_result();
}
