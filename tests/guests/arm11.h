/*
 * An ARM11's performance monitoring unit, for guests: its registers, as coprocessor 15 has them, by
 * their opcode 2 (0: PMNC, 1: CCNT, 2: PMN0, 3: PMN1), and the bits of PMNC.
 */
#ifndef GUESTS_ARM11_H
#define GUESTS_ARM11_H

#include <stdint.h>

enum {
    E = 1,
    P = 2,
    C = 4,
    INT0 = 16,
    INT1 = 32,
    INTC = 64,
    FLAG0 = 256,
    FLAG1 = 512,
    FLAGC = 1024,
    FLAGS = FLAG0 | FLAG1 | FLAGC,
    EVENT1 = 12,
    EVENT0 = 20,
};

#define READ(reg)                                                        \
    ({                                                                   \
        uint32_t v;                                                      \
        __asm__ volatile("mrc p15, 0, %0, c15, c12, " #reg : "=r"(v)::); \
        v;                                                               \
    })
#define WRITE(reg, v) __asm__ volatile("mcr p15, 0, %0, c15, c12, " #reg ::"r"((uint32_t)(v)))

#endif
