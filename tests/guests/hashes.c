/* Integer kernels with known answers: CRC-32, SHA-256, a 64-bit mixer, big-endian byte order. */
#include "guest.h"

#include <string.h>

static uint32_t crc32(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    return ~crc;
}

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

/* The constants are the fractional parts of roots of primes; computing them saves a table. */
static uint32_t root_fraction(unsigned prime, int cube)
{
    uint64_t low = 0, high = (uint64_t)1 << 36;
    while (high - low > 1) {
        uint64_t middle = (low + high) / 2;
        long double x = (long double)middle / 4294967296.0L;
        if ((cube ? x * x * x : x * x) <= prime)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static uint32_t k[64], h[8];

static void constants(void)
{
    unsigned found = 0;
    for (unsigned n = 2; found < 64; n++) {
        int prime = 1;
        for (unsigned d = 2; d * d <= n; d++)
            prime &= n % d != 0;
        if (!prime)
            continue;
        if (found < 8)
            h[found] = root_fraction(n, 0);
        k[found++] = root_fraction(n, 1);
    }
}

static void sha256_block(const uint8_t *block)
{
    uint32_t w[64], s[8];

    for (int i = 0; i < 16; i++)
        memcpy(&w[i], block + 4 * i, 4); /* big-endian, as the processor is */
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
                      ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
        uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

int main(void)
{
    uint8_t block[64] = "abc\x80";
    uint64_t x = 0;

    block[63] = 24;
    constants();
    sha256_block(block);
    for (int i = 0; i < 8; i++)
        printf("%08x", h[i]);
    putchar('\n');
    CHECK(h[0] == 0xba7816bf && h[7] == 0xf20015ad);
    CHECK(crc32((const uint8_t *)"123456789", 9) == 0xcbf43926);
    for (int i = 0; i < 1000; i++)
        x = mix(x + 0x9e3779b97f4a7c15);
    printf("%016llx\n", (unsigned long long)x);
    return guest_result();
}
