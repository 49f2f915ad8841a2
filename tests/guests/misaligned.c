/*
 * Misaligned pointers used with plain loads and stores. The processor raises an address error;
 * Linux on MIPS then does the access itself and the program never notices. (qemu-user gives SIGBUS
 * instead, so what real Linux prints is kept in misaligned.expect.)
 */
#include "guest.h"

static uint8_t buffer[32] __attribute__((aligned(16)));

#define LOAD(op, type, at)                                                     \
    ({                                                                         \
        type value_;                                                           \
        __asm__ volatile(op " %0, 0(%1)" : "=r"(value_) : "r"(at) : "memory"); \
        value_;                                                                \
    })
#define STORE(op, value, at) __asm__ volatile(op " %0, 0(%1)" : : "r"(value), "r"(at) : "memory")

int main(void)
{
    for (size_t i = 0; i < sizeof buffer; i++)
        buffer[i] = (uint8_t)(0x81 + i);
    for (size_t offset = 1; offset < 8; offset += 2) {
        const uint8_t *at = buffer + offset;
        printf("%zu: %d %d %d\n", offset, LOAD("lh", int, at), LOAD("lhu", int, at),
               LOAD("lw", int, at));
#ifdef __LP64__
        CHECK(LOAD("lwu", long, at) == (long)(uint32_t)LOAD("lw", int, at));
        CHECK(LOAD("ld", long, at) >> 32 == LOAD("lw", int, at));
#endif
    }
    STORE("sh", 0x1234, buffer + 3);
    STORE("sw", 0x56789abc, buffer + 9);
    for (size_t i = 0; i < 16; i++)
        printf("%02x", buffer[i]);
    putchar('\n');
    return guest_result();
}
