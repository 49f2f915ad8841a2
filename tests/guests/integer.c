/* 32-bit integer arithmetic at its edges: wrap-around, signs, shifts, multiply, divide. */
#include "guest.h"

static const int32_t edges[] = {0,          1,
                                -1,         2,
                                -2,         7,
                                100,        -100,
                                0x7fffffff, -0x7fffffff - 1,
                                0x55555555, (int32_t)0xaaaaaaaa,
                                0x8000,     -0x8000,
                                0xffff};

static void pair(int32_t a, int32_t b)
{
    uint32_t ua = OPAQUE((uint32_t)a), ub = OPAQUE((uint32_t)b);
    printf("%08x %08x: %08x %08x %08x %d%d%d%d", ua, ub, ua + ub, ua - ub, ua * ub, a < b, ua < ub,
           a == b, a >= b);
    if (b != 0 && !(a == INT32_MIN && b == -1))
        printf(" %d %d", OPAQUE(a) / OPAQUE(b), OPAQUE(a) % OPAQUE(b));
    if (b != 0)
        printf(" %u %u", ua / ub, ua % ub);
    printf(" %016llx %016llx\n", (unsigned long long)((int64_t)OPAQUE(a) * OPAQUE(b)),
           (unsigned long long)((uint64_t)ua * ub));
}

static void shifts(int32_t a)
{
    uint32_t hash = 0;
    for (unsigned n = 0; n < 32; n++) {
        uint32_t u = OPAQUE((uint32_t)a);
        unsigned by = OPAQUE(n);
        hash = hash * 31 + (u << by);
        hash = hash * 31 + (u >> by);
        hash = hash * 31 + (uint32_t)(OPAQUE(a) >> by);
    }
    printf("shifts of %08x: %08x\n", (uint32_t)a, hash);
}

int main(void)
{
    int32_t sum;

    for (size_t i = 0; i < COUNT(edges); i++) {
        for (size_t j = 0; j < COUNT(edges); j++)
            pair(edges[i], edges[j]);
        shifts(edges[i]);
    }
    CHECK(__builtin_add_overflow(OPAQUE(INT32_MAX), 1, &sum));
    CHECK(!__builtin_add_overflow(OPAQUE(INT32_MAX), 0, &sum));
    CHECK(__builtin_mul_overflow(OPAQUE(65536), 32768, &sum));
    return guest_result();
}
