/*
 * Sharing at other line sizes and offsets: what misses and upgrades there would be if a line had
 * another size, or if all objects lay some bytes further on, told from the accesses of one run.
 *
 * Each layout has lines of its own, and copies of them that nothing replaces: a card gets one when
 * it touches the line, and loses it when another card writes. Accesses come in the order of the run
 * that was made, where nobody has waited for these lines. So a copy is taken to live for
 * PC_SIZES_HOLD at least, while the others' requests for it are on their way: what its card does in
 * this time, it would have done before it lost it.
 *
 * True and false are as in copies.h, but for upgrades: one is true if the bytes that it is for had
 * been touched in a copy that it takes away. The lines end at pages' borders, because what is
 * behind one in memory is not what is behind it in the program. In lines of 256 bytes, two bytes
 * count as one.
 */
#ifndef PC_SIZES_H
#define PC_SIZES_H

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PC_SIZES_LEAST = 16,
    PC_SIZES_LARGEST = 256,
    PC_SIZES_OFFSETS = 64, /**< [bytes] objects are moved by less than this */
    PC_SIZES_STEP = 4,     /**< [bytes] ... and by so many more each time */
    PC_SIZES_HOLD = 32,    /**< [ticks] */
};

/** What there would be; by number. */
enum pc_sized {
    PC_SIZED_FALSE,
    PC_SIZED_TRUE,
    PC_SIZED_UPGRADE_FALSE,
    PC_SIZED_UPGRADE_TRUE,
    PC_SIZED__COUNT
};

/** Of what lies in one line of the run. */
struct pc_sized_line {
    uint64_t line;          /**< physical address */
    uint32_t bytes, offset; /**< the lines' size, and by how much objects were moved; below it */
    const uint32_t *v;      /**< by enum pc_sized */
};

struct pc_sizes;

/** @param line  [bytes] of the run's own lines */
struct pc_sizes *pc_sizes_new(unsigned cards, uint64_t line);
void pc_sizes_free(struct pc_sizes *s);

/** A card that waits for its requests begins to wait, or has waited. @param at  of its clock */
void pc_sizes_waits(struct pc_sizes *s, unsigned card, sim_tick at);
void pc_sizes_goes_on(struct pc_sizes *s, unsigned card, sim_tick at);

/** A card reads or writes bytes.
 *  @param pa       physical address, a multiple of 32
 *  @param touched  of the 32 bytes there, the first in bit 0: one access, bytes side by side; 0:
 *                  none
 *  @param at       of its clock */
void pc_sizes_see(struct pc_sizes *s, unsigned card, uint64_t pa, uint32_t touched, bool store,
                  sim_tick at);

/** No accesses come any more. */
void pc_sizes_end(struct pc_sizes *s);

/** Calls `fn` for all that is not 0, in any order. */
void pc_sizes_each(const struct pc_sizes *s,
                   void (*fn)(void *ctx, const struct pc_sized_line *sized), void *ctx);

#endif
