/* Unaligned data the way compilers do it: packed structures and memcpy (lwl/lwr, ldl/ldr...). */
#include "guest.h"

#include <string.h>

struct packed {
    uint8_t a;
    uint16_t b;
    uint32_t c;
    uint64_t d;
    float e;
    double f;
    int16_t g;
} __attribute__((packed));

static uint8_t buffer[64];

static void structures(void)
{
    for (size_t offset = 0; offset < 8; offset++) {
        struct packed *p = (struct packed *)(buffer + OPAQUE(offset));
        memset(buffer, 0xee, sizeof buffer);
        p->a = 1;
        p->b = 0x0203;
        p->c = 0x04050607;
        p->d = 0x08090a0b0c0d0e0f;
        p->e = 1.5f;
        p->f = -2.25;
        p->g = -2;
        for (size_t i = 0; i < sizeof buffer; i++)
            printf("%02x", buffer[i]);
        printf(" %d %g %g %llx\n", p->g, p->e, p->f, (unsigned long long)(p->d + p->c + p->b));
    }
}

static void copies(void)
{
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = (uint8_t)(i * 7 + 1);
    for (size_t offset = 0; offset < 16; offset++) {
        uint16_t h;
        uint32_t w;
        uint64_t d;
        memcpy(&h, buffer + OPAQUE(offset), sizeof h);
        memcpy(&w, buffer + OPAQUE(offset), sizeof w);
        memcpy(&d, buffer + OPAQUE(offset), sizeof d);
        printf("%zu: %04x %08x %016llx\n", offset, h, w, (unsigned long long)d);
    }
    for (size_t from = 0; from < 9; from++)
        for (size_t to = 0; to < 9; to++) {
            uint8_t other[64] = {0};
            memcpy(other + to, buffer + from, OPAQUE((size_t)41));
            CHECK(memcmp(other + to, buffer + from, 41) == 0);
            memmove(other + to + 3, other + to, OPAQUE((size_t)38));
            CHECK(memcmp(other + to + 3, buffer + from, 38) == 0);
        }
}

int main(void)
{
    structures();
    copies();
    return guest_result();
}
