/* 64-bit integer arithmetic: carries, variable shifts, multiply, divide, comparison. */
#include "guest.h"

static const uint64_t edges[] = {
    0,          1,           UINT64_MAX,         INT64_MAX,          (uint64_t)INT64_MAX + 1,
    0xffffffff, 0x100000000, 0xffffffff00000000, 0x0123456789abcdef, 0xfedcba9876543210,
    1000000007};

static void pair(uint64_t a, uint64_t b)
{
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    printf("%016llx %016llx: %016llx %016llx %016llx %d%d", (unsigned long long)a,
           (unsigned long long)b, (unsigned long long)(a + b), (unsigned long long)(a - b),
           (unsigned long long)(a * b), a < b, sa < sb);
    if (b != 0)
        printf(" %llu %llu", (unsigned long long)(a / b), (unsigned long long)(a % b));
    if (b != 0 && !(sa == INT64_MIN && sb == -1))
        printf(" %lld %lld", (long long)(sa / sb), (long long)(sa % sb));
    putchar('\n');
}

static uint64_t shifts(uint64_t a)
{
    uint64_t hash = 0;
    for (unsigned n = 0; n < 64; n++) {
        unsigned by = OPAQUE(n);
        hash = hash * 1099511628211u + (a << by);
        hash = hash * 1099511628211u + (a >> by);
        hash = hash * 1099511628211u + (uint64_t)((int64_t)a >> by);
    }
    return hash;
}

/* High half of a product the long way, to exercise carries. */
static uint64_t mulhi(uint64_t a, uint64_t b)
{
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t middle = ah * bl + (al * bl >> 32);
    uint64_t other = al * bh + (uint32_t)middle;
    return ah * bh + (middle >> 32) + (other >> 32);
}

int main(void)
{
    for (size_t i = 0; i < COUNT(edges); i++) {
        uint64_t a = OPAQUE(edges[i]);
        for (size_t j = 0; j < COUNT(edges); j++)
            pair(a, OPAQUE(edges[j]));
        printf("shifts %016llx, high %016llx\n", (unsigned long long)shifts(a),
               (unsigned long long)mulhi(a, 0xfedcba9876543210));
#ifdef __LP64__
        CHECK(mulhi(a, edges[9]) == (uint64_t)(((unsigned __int128)a * edges[9]) >> 64));
#endif
    }
    return guest_result();
}
