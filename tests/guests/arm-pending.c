/*
 * A load that misses, and behind it an instruction that writes the same register and does not wait
 * for it: what the load brings later is nobody's. Each row on a line that is cold, and again on it.
 */
#include "guest.h"

#include <stdint.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* the code of a row has them in registers */

typedef uint32_t row_fn(const uint32_t *cold, const uint32_t *hot, uint32_t value);

/* Of a row: the register that the load and the code write. */
#define ROW(name, reg, code)                                                                 \
    __attribute__((naked)) static uint32_t name(const uint32_t *cold, const uint32_t *hot,   \
                                                uint32_t value)                              \
    {                                                                                        \
        __asm__("push {r4-r8, lr}\n add r3, r2, #1\n ldr r8, [r0, #2048]\n add r8, r8, r8\n" \
                "ldr " reg ", [r0]\n" code "\n"                                              \
                "ldr r8, [r0, #4]\n add r8, r8, r8\n mov r0, " reg "\n pop {r4-r8, pc}");    \
    }
#include "arm-pending.def"
#undef ROW

static const struct {
    const char *name;
    row_fn *call;
} rows[] = {
#define ROW(name, reg, code) {#name, name},
#include "arm-pending.def"
#undef ROW
};

enum { ROWS = sizeof rows / sizeof *rows, APART = 8192 / sizeof(uint32_t) };

static uint32_t memory[(ROWS + 1) * APART] __attribute__((aligned(4096)));
static uint32_t hot[8] __attribute__((aligned(32))) = {1, 2, 3, 4, 5, 6, 7, 8};

int main(void)
{
    for (unsigned i = 0; i < ROWS; i++) {
        const uint32_t *cold = memory + i * APART; /* zeros */
        uint32_t got[3];

        for (unsigned turn = 0; turn < 3; turn++) {
            hot[0] = 1;
            got[turn] = rows[i].call(cold, hot, 0x1234567);
        }
        if (got[0] != got[2])
            printf("%s: %x, and then %x\n", rows[i].name, (unsigned)got[0], (unsigned)got[2]);
    }
    printf("%u instructions write a register that is on its way\n", (unsigned)ROWS);
    return guest_result();
}
