/*
 * What the registers AM (CARE) and AF (VALUE) can say of physical addresses: which of 40 bits must
 * be as given. A range of addresses is one such pattern only if it is a power of two long and
 * aligned to it; otherwise the pattern that holds it holds others, too.
 */
#ifndef MON_PATTERN_H
#define MON_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

enum { MON_ADDRESS_BITS = 40 /**< of a physical address the mask can see */ };

/** Bits that must be as in `value`; the others of `value` are 0. */
struct mon_pattern {
    uint64_t care, value;
};

/** Matches no line: there is no memory at that address. */
struct mon_pattern mon_pattern_none(void);

/** Reads "0x0040_1xxx" or "0b10xx": x is a digit that may be anything, as are those before the
 * first one given. @return false: it is no pattern */
bool mon_pattern_read(const char *text, struct mon_pattern *pattern);

/** Writes what mon_pattern_read reads. @param out  at least 48 bytes */
void mon_pattern_write(const struct mon_pattern *pattern, char *out, size_t size);

/** Widens it until all lines of [from, to) match. @param line  [bytes] */
void mon_pattern_widen(struct mon_pattern *pattern, uint64_t from, uint64_t to, unsigned line);

/** How many lines of 2^40 bytes match. */
uint64_t mon_pattern_lines(const struct mon_pattern *pattern, unsigned line);

#pragma GCC visibility pop

#endif
