/*
 * Kinds of programs: the binary interface an executable was made for, and what of Linux depends on
 * it. Everything else asks here for the width of a long, the order of bytes, and numbers.
 *
 * MIPS Linux has numbers of its own for flags, signals, limits and commands; most others have one
 * set in common (called "generic" here, as in the kernel's headers). The personality reckons in
 * MIPS's and translates where a program of another kind passes a number in or gets one out; only
 * signals are the guest's own inside (lx_signo).
 */
#ifndef LX_KIND_H
#define LX_KIND_H

#include <stdbool.h>
#include <stdint.h>

struct lx_isa; /* process/isa.h */

/** The instruction sets there are. */
extern const struct lx_isa lx_mips, lx_arm;

/** Code that programs find in the operating system's page. */
struct lx_os_function {
    const char *name;  /**< NULL: the end of a list */
    unsigned from, to; /**< [bytes] in the page, `to` is the first one behind */
};

/** One of lx_kinds(). */
struct lx_kind {
    const char *name;         /**< "o32", "n64", "armel" */
    const struct lx_isa *isa; /**< what its instructions are */
    unsigned word;            /**< [bytes] of a long and of an address: 4 or 8 */
    bool little;              /**< the lowest byte of a number comes first */
    bool generic;             /**< its numbers are not MIPS's own */
    unsigned signals;         /**< the highest one: 64 or 128 */
    unsigned column;          /**< its number's place in a row of syscalls.def */
    unsigned base;            /**< what such a number lacks */
    uint64_t end;             /**< one past the stack, and of what mmap may be asked for */
    uint64_t os;              /**< page of the operating system's: trampolines, helpers */
    const struct lx_os_function *os_functions; /**< of it; NULL: none has a name */
    uint64_t bias;                             /**< where an executable goes that may go anywhere */
    unsigned step;        /**< [bytes] addresses of instructions are multiples of it */
    uint64_t features;    /**< AT_HWCAP */
    const char *machine;  /**< as uname has it */
    const char *compiler; /**< the stock one, for people */
};

enum lx_kind_name { LX_O32, LX_N64, LX_ARMEL, LX_KINDS };

extern const struct lx_kind lx_kinds[LX_KINDS];

/** What lies at an address in the operating system's page. @return NULL: nothing that has a name */
const struct lx_os_function *lx_os_function_at(const struct lx_kind *k, uint64_t va);

/** Sets of numbers that are translated (numbers.def). Flags are so bit by bit. */
enum lx_number_set {
    LX_OPEN,
    LX_MAP,
    LX_FCNTL,
    LX_IOCTL,
    LX_LIMIT,
    LX_SIGNAL,
    LX_ACTION,
    LX_CODE,
    LX_HOW
};

/** MIPS's number for a guest's; one that means nothing becomes one that means nothing. */
uint64_t lx_number_in(const struct lx_kind *k, enum lx_number_set set, uint64_t v);
uint64_t lx_flags_in(const struct lx_kind *k, enum lx_number_set set, uint64_t v);
/** A guest's for MIPS's. */
uint64_t lx_number_out(const struct lx_kind *k, enum lx_number_set set, uint64_t v);
uint64_t lx_flags_out(const struct lx_kind *k, enum lx_number_set set, uint64_t v);

/** The number in `width` bytes (1, 2, 4, 8). */
uint64_t lx_kind_get(const struct lx_kind *k, const uint8_t *bytes, unsigned width);
void lx_kind_put(const struct lx_kind *k, uint8_t *bytes, unsigned width, uint64_t v);

/** What the int of a union sigval (or semun) holds: the first bytes of a long. */
static inline uint32_t lx_kind_int(const struct lx_kind *k, uint64_t value)
{
    return (uint32_t)(k->word == 8 && !k->little ? value >> 32 : value);
}

/** The union that holds such an int. */
static inline uint64_t lx_kind_union(const struct lx_kind *k, uint32_t value)
{
    return k->word == 8 && !k->little ? (uint64_t)value << 32 : value;
}

#endif
