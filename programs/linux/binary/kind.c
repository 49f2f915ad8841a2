/*
 * Kinds of programs (kind.h): the table of them, numbers in and out, and bytes.
 *
 * The one hard idea: a set of numbers need not be translated whole. What is not in numbers.def is
 * the same in both; a guest's number that only MIPS gives another meaning must lose it.
 */
#include "programs/linux/binary/kind.h"

#include <stddef.h>

/* Names are Linux's; where they lie is arm_page.def's. */
static const struct lx_os_function arm_functions[] = {
    {"__kernel_sigreturn", 0x500, 0x50c},
    {"__kernel_rt_sigreturn", 0x50c, 0x518},
    {"__kuser_cmpxchg64", 0xf60, 0xf9c},
    {"__kuser_memory_barrier", 0xfa0, 0xfa8},
    {"__kuser_cmpxchg", 0xfc0, 0xfe0},
    {"__kuser_get_tls", 0xfe0, 0xfe8},
    {NULL, 0, 0},
};

const struct lx_kind lx_kinds[LX_KINDS] = {
    {.name = "o32",
     .isa = &lx_mips,
     .word = 4,
     .step = 4,
     .signals = 128,
     .column = 0,
     .base = 4000,
     .end = UINT64_C(0x7fff0000),
     .os = UINT64_C(0x7fff0000),
     .bias = UINT64_C(0x400000),
     .machine = "mips",
     .compiler = "mips-linux-gnu-gcc -static"},
    {.name = "n64",
     .isa = &lx_mips,
     .word = 8,
     .step = 4,
     .signals = 128,
     .column = 1,
     .base = 5000,
     .end = UINT64_C(0xffffff0000),
     .os = UINT64_C(0xffffff0000),
     .bias = UINT64_C(0x120000000),
     .machine = "mips64",
     .compiler = "mips64-linux-gnuabi64-gcc -static"},
    /* SWP, halfwords, Thumb, long multiplications, EDSP: no floating point, which libraries ask for
     * before they use it. The kernel's page is where all programs look for it; 0xbf000000 is where
     * Linux on ARM ends a user's addresses if the kernel has the last gigabyte. */
    {.name = "armel",
     .isa = &lx_arm,
     .word = 4,
     .step = 2,
     .little = true,
     .generic = true,
     .signals = 64,
     .column = 2,
     .end = UINT64_C(0xbf000000),
     .os = UINT64_C(0xffff0000),
     .os_functions = arm_functions,
     .bias = UINT64_C(0x400000),
     .features = 0x97,
     .machine = "armv6l",
     .compiler = "arm-linux-gnueabi-gcc -static"},
};

const struct lx_os_function *lx_os_function_at(const struct lx_kind *k, uint64_t va)
{
    for (const struct lx_os_function *f = k->os_functions; f && f->name; f++)
        if (va >= k->os + f->from && va < k->os + f->to)
            return f;
    return NULL;
}

static const struct number {
    enum lx_number_set set;
    uint32_t mips, generic;
} numbers[] = {
#define NUMBER(set, name, mips, generic) {set, mips, generic},
#include "programs/linux/binary/numbers.def"
#undef NUMBER
};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

/** A bit of flags, and a number, that mean nothing. */
#define NO_FLAG   (UINT64_C(1) << 31)
#define NO_NUMBER UINT64_C(0xffffffff)

uint64_t lx_number_in(const struct lx_kind *k, enum lx_number_set set, uint64_t v)
{
    bool other = false;

    for (size_t i = 0; k->generic && i < NUMBERS; i++) {
        if (numbers[i].set == set && numbers[i].generic == v)
            return numbers[i].mips;
        other |= numbers[i].set == set && numbers[i].mips == v;
    }
    return other ? NO_NUMBER : v;
}

uint64_t lx_number_out(const struct lx_kind *k, enum lx_number_set set, uint64_t v)
{
    for (size_t i = 0; k->generic && i < NUMBERS; i++)
        if (numbers[i].set == set && numbers[i].mips == v)
            return numbers[i].generic;
    return v;
}

uint64_t lx_flags_in(const struct lx_kind *k, enum lx_number_set set, uint64_t v)
{
    uint64_t out = 0, ours = 0;

    if (!k->generic)
        return v;
    for (size_t i = 0; i < NUMBERS; i++)
        if (numbers[i].set == set) {
            out |= v & numbers[i].generic ? numbers[i].mips : 0;
            v &= ~(uint64_t)numbers[i].generic;
            ours |= numbers[i].mips;
        }
    return out | (v & ~ours) | (v & ours ? NO_FLAG : 0);
}

uint64_t lx_flags_out(const struct lx_kind *k, enum lx_number_set set, uint64_t v)
{
    uint64_t out = 0;

    if (!k->generic)
        return v;
    for (size_t i = 0; i < NUMBERS; i++)
        if (numbers[i].set == set) {
            out |= v & numbers[i].mips ? numbers[i].generic : 0;
            v &= ~(uint64_t)numbers[i].mips;
        }
    return out | v;
}

uint64_t lx_kind_get(const struct lx_kind *k, const uint8_t *bytes, unsigned width)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < width; i++)
        v = v << 8 | bytes[k->little ? width - 1 - i : i];
    return v;
}

void lx_kind_put(const struct lx_kind *k, uint8_t *bytes, unsigned width, uint64_t v)
{
    for (unsigned i = 0; i < width; i++, v >>= 8)
        bytes[k->little ? i : width - 1 - i] = (uint8_t)v;
}
