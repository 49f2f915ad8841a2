/* Bit manipulation that compilers turn into MIPS32r2 instructions, and those instructions by name.
 */
#include "guest.h"

#define UNARY(op, a)                                      \
    ({                                                    \
        long r_;                                          \
        __asm__(op : "=r"(r_) : "r"((long)(int32_t)(a))); \
        r_;                                               \
    })

static void words(uint32_t x)
{
    printf("%08x: clz %d ctz %d popcount %d parity %d swap %08x rotate %08x %08x\n", x,
           x ? __builtin_clz(x) : 32, x ? __builtin_ctz(x) : 32, __builtin_popcount(x),
           __builtin_parity(x), __builtin_bswap32(x), x >> 5 | x << 27,
           x << OPAQUE(9) | x >> (32 - OPAQUE(9)));
    printf("  seb %lx seh %lx wsbh %lx clz %lx clo %lx ext %lx ins %lx rotr %lx\n",
           UNARY("seb %0, %1", x), UNARY("seh %0, %1", x), UNARY("wsbh %0, %1", x),
           UNARY("clz %0, %1", x), UNARY("clo %0, %1", x), UNARY("ext %0, %1, 5, 17", x),
           UNARY("move %0, $0\n\tins %0, %1, 7, 11", x), UNARY("rotr %0, %1, 13", x));
}

static void doubles(uint64_t x)
{
    printf("%016llx: clz %d ctz %d popcount %d swap %016llx rotate %016llx field %llx\n",
           (unsigned long long)x, x ? __builtin_clzll(x) : 64, x ? __builtin_ctzll(x) : 64,
           __builtin_popcountll(x), (unsigned long long)__builtin_bswap64(x),
           (unsigned long long)(x >> 41 | x << 23), (unsigned long long)(x >> 13 & 0x7fffffffff));
}

struct fields {
    unsigned a : 3;
    signed b : 7;
    unsigned c : 13;
    unsigned long long d : 37;
};

static void bit_fields(void)
{
    struct fields f = {0};
    for (unsigned i = 0; i < 20; i++) {
        f.a += OPAQUE(3u);
        f.b -= OPAQUE(11);
        f.c = f.c * 5u + OPAQUE(1u);
        f.d = f.d * 33 + f.c;
    }
    printf("%u %d %u %llu\n", f.a, f.b, f.c, (unsigned long long)f.d);
}

int main(void)
{
    static const uint64_t patterns[] = {
        0,          1,          0x80000000,         0xffffffff,         0x00ff8000,
        0x12345678, 0x9abcdef0, 0x7fffffffffffffff, 0x8000000000000000, 0x0123456789abcdef};
    for (size_t i = 0; i < COUNT(patterns); i++) {
        words(OPAQUE((uint32_t)patterns[i]));
        doubles(OPAQUE(patterns[i]));
    }
    bit_fields();
    return guest_result();
}
