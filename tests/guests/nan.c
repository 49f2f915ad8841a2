/* NaNs, infinities and signed zeros: how they propagate, compare, convert and print. */
#include "guest.h"

#include <math.h>
#include <string.h>

static const uint64_t patterns[] = {0x7ff7ffffffffffff, /* the NaN legacy MIPS makes */
                                    0x7ff0000000000001, /* quiet in the legacy encoding */
                                    0x7ff0000000000000, 0xfff0000000000000, 0x0000000000000000,
                                    0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
                                    0x0000000000000001, 0x7fefffffffffffff};

static double value(uint64_t u)
{
    double d;
    memcpy(&d, &u, sizeof d);
    return d;
}

static uint64_t bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static void pair(double a, double b)
{
    printf("%016llx %016llx: %016llx %016llx %016llx %016llx %d%d%d%d%d%d\n",
           (unsigned long long)bits(a), (unsigned long long)bits(b),
           (unsigned long long)bits(a + b), (unsigned long long)bits(a - b),
           (unsigned long long)bits(a * b), (unsigned long long)bits(a / b),
           a<b, a <= b, a == b, a != b, a> b, !!isunordered(a, b));
}

int main(void)
{
    for (size_t i = 0; i < COUNT(patterns); i++)
        for (size_t j = 0; j < COUNT(patterns); j++)
            pair(OPAQUE(value(patterns[i])), OPAQUE(value(patterns[j])));
    for (size_t i = 0; i < COUNT(patterns); i++) {
        double a = OPAQUE(value(patterns[i]));
        float f = (float)a;
        uint32_t u;
        memcpy(&u, &f, sizeof u);
        printf("%g %a %08x %016llx %d %d\n", a, a, u, (unsigned long long)bits((double)f),
               fpclassify(a), !!signbit(a));
    }
    CHECK(isnan(OPAQUE(0.0) / OPAQUE(0.0)));
    CHECK(isnan(sqrt(OPAQUE(-1.0))));
    CHECK(isinf(OPAQUE(1.0) / OPAQUE(0.0)));
    CHECK(signbit(OPAQUE(-0.0) * OPAQUE(1.0)));
    CHECK(!signbit(OPAQUE(0.0) + OPAQUE(-0.0)));
    CHECK(fmax(OPAQUE((double)NAN), 1.0) == 1.0);
    return guest_result();
}
