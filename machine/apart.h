/*
 * Bytes that are kept apart: what a run would be if the program had laid out its data otherwise.
 *
 * Each range of virtual addresses, or group of them, has lines of its own, at the home
 * of the page that it is in. That concerns time only: caches, directories and rings see the address
 * of those lines, and the bytes stay where the program put them. So its output is what it was,
 * unless it depends on time. No hardware could do that.
 *
 * The lines are in pages that no program gets: the last ones of each station's memory. Ranges of
 * group 0 come first, by address, then the groups by number.
 */
#ifndef NM_APART_H
#define NM_APART_H

#include "machine/params.h"

#include <stdbool.h>
#include <stddef.h>

/** Virtual addresses [from, to). */
struct nm_apart_range {
    uint64_t from, to;
    uint32_t group; /**< other than 0: ranges of one number lie one after the other on lines that
                         are theirs, in the order of their addresses */
    uint32_t skip; /**< [lines] that are left free in front of it; of a group, of its first range */
};

struct nm_apart;

/** @param p       outlives it
 *  @param ranges  none is empty, none overlaps another; copied
 *  @return the caller's */
struct nm_apart *nm_apart_new(const struct nm_params *p, const struct nm_apart_range *ranges,
                              size_t count);
void nm_apart_free(struct nm_apart *apart);

/** [bytes] from the first line to the end of the last range. @param line  [bytes] */
uint64_t nm_apart_bytes(uint64_t line, const struct nm_apart_range *ranges, size_t count);

/** [pages] of each station's memory that the lines take. */
uint64_t nm_apart_pages(const struct nm_params *p, const struct nm_apart_range *ranges,
                        size_t count);

/** @param[in,out] pa  physical address of the byte at `va`; if that is in a range, the address that
 *                     caches and directories see instead */
bool nm_apart_at(const struct nm_apart *apart, uint64_t va, uint64_t *pa);

/** Whether a byte of [from, to) is in a range. */
bool nm_apart_meets(const struct nm_apart *apart, uint64_t from, uint64_t to);

#endif
