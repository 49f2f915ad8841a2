/*
 * Ways (block.c) that come behind each other again and again, said as one: a pair, of which either
 * half may be a pair. Private to the room.
 */
#ifndef TR_PAIRS_H
#define TR_PAIRS_H

#include <stddef.h>
#include <stdint.h>

struct tr_pair {
    uint16_t first, second; /**< numbers of ways */
};

struct tr_pairs_seen; /* how often two ways come behind each other */

/** The ways of a block, and its pairs. */
struct tr_pairs {
    uint32_t *length;     /**< [most + 1] records of each way, by its number, from 1 on */
    unsigned ways, most;  /**< how many there are, pairs too; may be */
    uint32_t steps, room; /**< records of all ways; that they may have */
    struct tr_pair
        *pair;      /**< [most] those that have been found, in the order of their numbers, ... */
    unsigned pairs; /**< ... which begin behind the ways that there were before */
    struct tr_pairs_seen *seen;
    size_t seen_room, seen_mask;
};

/** Finds pairs, and says them where they come.
 *  @param[in,out] number  [count] of the ways in the order in which they come; 0: no way
 *  @return how many numbers are left */
size_t tr_pairs_join(struct tr_pairs *pairs, uint16_t *number, size_t count);

void tr_pairs_free(struct tr_pairs *pairs);

#endif
