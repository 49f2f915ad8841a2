/* Floating point under each of the four rounding modes, in single and double precision. */
#include "guest.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

static const struct {
    int mode;
    const char *name;
} modes[] = {
    {FE_TONEAREST, "nearest"}, {FE_TOWARDZERO, "zero"}, {FE_UPWARD, "up"}, {FE_DOWNWARD, "down"}};

static const double values[] = {0.1, -0.1,   1.0 / 3, 1e300, -1e-300, 4503599627370497.5,
                                2.5, -2.5,   1.5,     0.5,   -0.5,    16777217.0,
                                1e9, 1e-310, -7.0};

static uint64_t bits(double d)
{
    uint64_t u;
    memcpy(&u, &d, sizeof u);
    return u;
}

static uint32_t fbits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static void doubles(void)
{
    for (size_t i = 0; i < COUNT(values); i++) {
        double a = OPAQUE(values[i]), b = OPAQUE(values[(i + 4) % COUNT(values)]);
        printf("%016llx %016llx %016llx %016llx %016llx\n", (unsigned long long)bits(a + b),
               (unsigned long long)bits(a - b), (unsigned long long)bits(a * b),
               (unsigned long long)bits(a / b), (unsigned long long)bits(sqrt(fabs(a))));
    }
}

static void singles(void)
{
    for (size_t i = 0; i < COUNT(values); i++) {
        float a = OPAQUE((float)values[i]), b = OPAQUE((float)values[(i + 7) % COUNT(values)]);
        printf("%08x %08x %08x %08x %08x\n", fbits(a + b), fbits(a - b), fbits(a * b), fbits(a / b),
               fbits(sqrtf(fabsf(a))));
    }
}

static void conversions(void)
{
    for (size_t i = 0; i < COUNT(values); i++)
        if (fabs(values[i]) < 2e9)
            printf("%ld %d %ld %08x\n", lrint(OPAQUE(values[i])), (int)OPAQUE(values[i]),
                   lrintf(OPAQUE((float)values[i])), fbits((float)OPAQUE(values[i])));
}

int main(void)
{
    for (size_t m = 0; m < COUNT(modes); m++) {
        CHECK(fesetround(modes[m].mode) == 0);
        CHECK(fegetround() == modes[m].mode);
        fesetround(FE_TONEAREST);
        printf("%s\n", modes[m].name);
        fesetround(modes[m].mode);
        doubles();
        singles();
        conversions();
    }
    return guest_result();
}
