/*
 * Sums, products and quotients: what "An ideal profile" is held against the count of graduated
 * instructions for.
 */
#include <stdio.h>

#ifndef ROUNDS
#define ROUNDS 2000
#endif

static volatile unsigned result;

static __attribute__((noinline)) unsigned sums(unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s += i ^ (s >> 3);
    return s;
}

/* A product each, of 64 bits: MULTU. */
static __attribute__((noinline)) unsigned products(unsigned n)
{
    unsigned s = 1;
    for (unsigned i = 0; i < n; i++)
        s = (unsigned)((unsigned long long)s * 0x9e3779b9U >> 32) + i;
    return s;
}

/* A quotient each: DIVU. */
static __attribute__((noinline)) unsigned quotients(unsigned n)
{
    unsigned s = ~0U;
    for (unsigned i = 1; i <= n; i++)
        s ^= s / i;
    return s;
}

int main(void)
{
    result = sums(ROUNDS);
    result += products(ROUNDS);
    result += quotients(ROUNDS);
    printf("%u\n", result);
    return 0;
}
