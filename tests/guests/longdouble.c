/* long double: the same as double in o32, 128 bits done in software in n64. */
#include "guest.h"

#include <float.h>
#include <math.h>

int main(void)
{
    long double third = OPAQUE(1.0L) / OPAQUE(3.0L), sum = 0;

    printf("digits %d\n", LDBL_MANT_DIG);
    for (int i = 1; i <= 30; i++)
        sum += 1.0L / OPAQUE((long double)i);
    printf("%.34Lg %.34Lg\n", third, sum);
    printf("%.34Lg %.34Lg\n", sqrtl(OPAQUE(2.0L)), third * 3 - 1);
    printf("%La %d %d\n", OPAQUE(0x1.8p+10L), OPAQUE(1.0L) < third, (int)(sum * 100));
    printf("%lld %.17g\n", (long long)(OPAQUE(1e18L) + 3), (double)(sum * sum));
    return guest_result();
}
