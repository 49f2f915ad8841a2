/* What a user may write of the status register, field by field: flags and Q, GE, and E, by which
 * data are read. */
#include "guest.h"

#include <stdint.h>

static const uint32_t word = 0x11223344;

/** Writes a field, reads `word` and the status, and puts E back. */
#define FIELD(field, value)                                                                   \
    do {                                                                                      \
        uint32_t got, status;                                                                 \
        __asm__ volatile("msr cpsr_" field ", %2\n ldr %0, [%3]\n mrs %1, cpsr\n setend le\n" \
                         : "=&r"(got), "=&r"(status)                                          \
                         : "r"(value), "r"(&word)                                             \
                         : "cc", "memory");                                                   \
        printf("%s %08x: %08x, status %08x\n", field, (unsigned)(value), (unsigned)got,       \
               (unsigned)(status & 0xf80f0200));                                              \
        __asm__ volatile("msr cpsr_fs, %0" : : "r"(0) : "cc");                                \
    } while (0)

int main(void)
{
    static const uint32_t values[] = {0, 0xffffffc0u & ~(1u << 5), 0x200, 0xf8000000, 0x000f0000};

    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        FIELD("f", values[i]);
        FIELD("s", values[i]);
        FIELD("x", values[i]);
        FIELD("fsx", values[i]);
    }
    __asm__ volatile("setend be\n msr cpsr_x, %0" : : "r"(0) : "memory");
    printf("little again: %08x\n", (unsigned)*(const volatile uint32_t *)&word);
    return guest_result();
}
