/* printf and scanf: every conversion the C library has. */
#include "guest.h"

#include <string.h>

static void integers(void)
{
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%x] [%#X] [%o] [%u]\n", -42, 42, 42, 42, 42, 42,
           48879, 48879, 8, 4294967295u);
    printf("[%hhd] [%hd] [%ld] [%lld] [%zu] [%jd] [%td]\n", (signed char)-1, (short)-2, -3L,
           -9223372036854775807LL - 1, (size_t)7, (intmax_t)-8, (ptrdiff_t)9);
    printf("[%c] [%s] [%.3s] [%10s] [%-10s] [%%] [%*d] [%.*s]\n", 'x', "string", "string", "right",
           "left", 6, 42, 2, "cut");
}

static void floats(void)
{
    static const double values[] = {0.0, 1.0,  -1.5,  3.141592653589793, 1e100, 1e-100, 123456789.0,
                                    0.1, 1e21, 5e-324};
    for (size_t i = 0; i < COUNT(values); i++)
        printf("[%f] [%.3f] [%e] [%g] [%a] [%.17g] [%10.2f]\n", values[i], values[i], values[i],
               values[i], values[i], values[i], values[i]);
    printf("[%Lf] [%Lg]\n", 1.25L, 1e30L);
}

static void scanning(void)
{
    int i = 0, x = 0, n = 0;
    double d = 0;
    char word[16] = "";
    long long l = 0;
    int got = sscanf(" 42 0x1f 2.5e3 hello -99999999999 rest", "%d %x %lf %15s %lld %n", &i,
                     (unsigned *)&x, &d, word, &l, &n);
    printf("%d: %d %d %g %s %lld %d\n", got, i, x, d, word, l, n);
    printf("%ld %ld %lu %g\n", strtol("-0x7f", NULL, 0), strtol("077", NULL, 0),
           strtoul("4294967295", NULL, 10), strtod("0x1.8p3", NULL));
}

int main(void)
{
    const char *text = OPAQUE((const char *)"too long for it");
    char small[8];
    int wanted = snprintf(small, sizeof small, "%s", text);
    integers();
    floats();
    scanning();
    printf("%d %s\n", wanted, small);
    return guest_result();
}
