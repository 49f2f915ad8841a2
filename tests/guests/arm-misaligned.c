/*
 * Pointers that are not aligned: single loads and stores, which an ARM11 does itself, and those of
 * several registers, which Linux carries out.
 */
#include "guest.h"

#include <string.h>

static uint8_t buffer[64] __attribute__((aligned(16)));

/* What must stand there: as if a byte at a time had been moved. */
static uint8_t wanted[sizeof buffer];

static uint32_t get(const uint8_t *at, unsigned bytes)
{
    uint32_t v = 0;

    while (bytes-- > 0)
        v = v << 8 | at[bytes];
    return v;
}

static void want(const uint8_t *at, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        wanted[at - buffer + i] = (uint8_t)(v >> 8 * i);
}

static void compare(const char *what)
{
    CHECK(memcmp(buffer, wanted, sizeof buffer) == 0);
    printf(" %s", what);
}

static void fill(void)
{
    for (size_t i = 0; i < sizeof buffer; i++)
        wanted[i] = buffer[i] = (uint8_t)(0x81 + 3 * i);
}

static void loads(uint8_t *at)
{
    uint32_t a, b, c;
    uint8_t *to = at;

    __asm__("ldr %0, [%1]" : "=r"(a) : "r"(at) : "memory");
    __asm__("ldrh %0, [%1]" : "=r"(b) : "r"(at) : "memory");
    __asm__("ldrsh %0, [%1]" : "=r"(c) : "r"(at) : "memory");
    CHECK(a == get(at, 4) && b == get(at, 2) && c == (uint32_t)(int16_t)b);
    printf("%u: ldr", (unsigned)(at - buffer));
    __asm__ volatile("ldmia %3!, {r4, r5, r6}\n\tmov %0, r4\n\tmov %1, r5\n\tmov %2, r6"
                     : "=&r"(a), "=&r"(b), "=&r"(c), "+&r"(to)
                     :
                     : "r4", "r5", "r6", "memory");
    CHECK(a == get(at, 4) && b == get(at + 4, 4) && c == get(at + 8, 4) && to == at + 12);
    to = at + 16;
    __asm__ volatile("ldmdb %2!, {r4, r5}\n\tmov %0, r4\n\tmov %1, r5"
                     : "=&r"(a), "=&r"(b), "+&r"(to)
                     :
                     : "r4", "r5", "memory");
    CHECK(a == get(at + 8, 4) && b == get(at + 12, 4) && to == at + 8);
    __asm__ volatile("ldrd r4, r5, [%2, #4]\n\tmov %0, r4\n\tmov %1, r5"
                     : "=&r"(a), "=&r"(b)
                     : "r"(at)
                     : "r4", "r5", "memory");
    CHECK(a == get(at + 4, 4) && b == get(at + 8, 4));
    printf(" ldm ldrd");
}

static void stores(uint8_t *at)
{
    uint8_t *to = at;

    fill();
    __asm__ volatile("str %1, [%0]\n\tstrh %1, [%0, #6]" : : "r"(at), "r"(0x12345678) : "memory");
    want(at, 0x12345678);
    wanted[at - buffer + 6] = 0x78;
    wanted[at - buffer + 7] = 0x56;
    compare("str");
    fill();
    __asm__ volatile("mov r4, #4\n\tmov r5, #0x5000000\n\tstmia %0!, {r4, r5}"
                     : "+r"(to)
                     :
                     : "r4", "r5", "memory");
    CHECK(to == at + 8);
    want(at, 4);
    want(at + 4, 0x5000000);
    compare("stmia");
    fill();
    to = at + 20;
    __asm__ volatile("mov r4, #4\n\tmov r5, #5\n\tmov r6, #6\n\tstmdb %0!, {r4, r5, r6}"
                     : "+r"(to)
                     :
                     : "r4", "r5", "r6", "memory");
    CHECK(to == at + 8);
    want(at + 8, 4);
    want(at + 12, 5);
    want(at + 16, 6);
    compare("stmdb");
    fill();
    to = at;
    __asm__ volatile("mov r4, #4\n\tmov r5, #5\n\tstrd r4, r5, [%0], #12"
                     : "+r"(to)
                     :
                     : "r4", "r5", "memory");
    CHECK(to == at + 12);
    want(at, 4);
    want(at + 4, 5);
    compare("strd");
    fill();
    __asm__ volatile(
        "adr r3, 1f + 1\n\tbx r3\n\t.thumb\n1:\tmov r1, %0\n\tmovs r2, #2\n\tmovs r3, #3\n\t"
        "stmia r1!, {r2, r3}\n\tldmia r1!, {r2, r3}\n\t.align 2\n\tbx pc\n\tnop\n\t.arm\n\tstr r2, "
        "[%0, #16]"
        :
        : "r"(at)
        : "r1", "r2", "r3", "memory");
    want(at, 2);
    want(at + 4, 3);
    want(at + 16, get(wanted + (at - buffer) + 8, 4));
    compare("Thumb\n");
}

int main(void)
{
    for (unsigned i = 0; i < 4; i++) {
        fill();
        loads(buffer + i);
        stores(buffer + i);
    }
    return guest_result();
}
