/* Conversions between integers and floating point of every width, in range. */
#include "guest.h"

#include <math.h>

static const double values[] = {0,     -0.0,         0.49999999999999994, 0.5,  1.5,
                                -1.5,  2147483647.0, -2147483648.0,       1e9,  -1e9,
                                1e-20, 4294967295.0, 9007199254740993.0,  3e18, -9.2e18};
static const int64_t integers[] = {
    0,        1,         -1,        INT32_MAX,        INT32_MIN,         16777217,
    33554435, INT64_MAX, INT64_MIN, 9007199254740993, 0x7fffffbfffffffff};

static void from_double(double d)
{
    printf("%.17g:", d);
    if (fabs(d) <= 2147483648.0)
        printf(" i32 %d", (int32_t)fmin(d, 2147483647.0));
    if (d >= 0 && d < 4294967296.0)
        printf(" u32 %u", (uint32_t)d);
    printf(" i64 %lld", (long long)(int64_t)d);
    if (d >= 0)
        printf(" u64 %llu", (unsigned long long)(uint64_t)d);
    printf(" f %.9g floor %.17g ceil %.17g trunc %.17g rint %.17g round %.17g\n", (float)d,
           floor(d), ceil(d), trunc(d), rint(d), round(d));
}

static void from_integer(int64_t i)
{
    printf("%lld: %.17g %.9g %.17g %.9g %.17g\n", (long long)i, (double)i, (float)i,
           (double)(uint64_t)i, (float)(uint64_t)i, (double)(int32_t)i);
}

int main(void)
{
    for (size_t i = 0; i < COUNT(values); i++)
        from_double(OPAQUE(values[i]));
    for (size_t i = 0; i < COUNT(integers); i++)
        from_integer(OPAQUE(integers[i]));
    for (int e = -60; e <= 60; e += 7)
        printf("%d: %a %d\n", e, ldexp(OPAQUE(1.75), e), ilogb(OPAQUE(ldexp(1.75, e))));
    return guest_result();
}
