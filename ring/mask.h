/*
 * Routing masks: which stations a packet is for, or which stations may hold a copy of a line.
 *
 * A mask has one field of 16 bits per ring level. Field 0 (bits 0..15) names stations on a local
 * ring, field 1 (bits 16..31) local rings on the ring above, field 2 (bits 32..47) those rings on
 * the central ring of a machine with three levels. It covers every station whose position is set in
 * every field, so or-ing the masks of two stations may cover others as well: masks are imprecise
 * by construction, and everything that reads one must live with that.
 */
#ifndef RING_MASK_H
#define RING_MASK_H

#include <stdbool.h>
#include <stdint.h>

enum { RING_LEVELS = 3, RING_FAN_MAX = 16, RING_STATIONS_MAX = 16 * 16 * 16 };

typedef uint64_t ring_mask;

/**
 * The hierarchy. Station s sits at position s % fan[0] of local ring s / fan[0], which sits at
 * position (s / fan[0]) % fan[1] of the ring above, and so on.
 */
struct ring_shape {
    unsigned levels;           /**< 1..3 */
    unsigned fan[RING_LEVELS]; /**< stations per local ring, local rings per ring above, ...:
                                    1..16 each; those at or above `levels` are not looked at */
};

/** Stations of the machine: the product of the fan-outs. */
unsigned ring_shape_stations(const struct ring_shape *shape);

/** The mask that covers exactly this station. Precondition: station < ring_shape_stations(). */
ring_mask ring_mask_station(const struct ring_shape *shape, unsigned station);

/** Covers at least what `a` and `b` cover. */
ring_mask ring_mask_or(ring_mask a, ring_mask b);

bool ring_mask_covers(const struct ring_shape *shape, ring_mask mask, unsigned station);

/** How many stations the mask covers. */
unsigned ring_mask_count(const struct ring_shape *shape, ring_mask mask);

/**
 * Lists the covered stations in ascending order.
 * @param[out] out  room for ring_mask_count() numbers, or NULL to count only
 * @return how many
 */
unsigned ring_mask_stations(const struct ring_shape *shape, ring_mask mask, uint16_t *out);

/** Highest ring level a packet from `station` to the mask needs: 0 when all covered stations are on
 *  its own local ring. Precondition: the mask covers some station. */
unsigned ring_mask_level(const struct ring_shape *shape, unsigned station, ring_mask mask);

/** Bits of one field. */
static inline uint32_t ring_mask_field(ring_mask mask, unsigned level)
{
    return (uint32_t)(mask >> (16 * level)) & 0xffff;
}

/** The lowest of them: where the ring of that level has the station, of a mask that covers one. */
static inline uint32_t ring_mask_node(ring_mask mask, unsigned level)
{
    return (uint32_t)__builtin_ctz(ring_mask_field(mask, level));
}

#endif
