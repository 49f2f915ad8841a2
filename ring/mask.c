/*
 * Routing masks, as they stand in packet headers and in the directories.
 *
 * The one hard idea is that a mask is a product of sets, one per level, and not a set of stations:
 * that is what lets one word name any group of 4,096 stations, and what makes it imprecise.
 */
#include "ring/mask.h"

#include <stddef.h>

unsigned ring_shape_stations(const struct ring_shape *shape)
{
    unsigned n = 1;
    for (unsigned l = 0; l < shape->levels; l++)
        n *= shape->fan[l];
    return n;
}

ring_mask ring_mask_station(const struct ring_shape *shape, unsigned station)
{
    ring_mask mask = 0;
    for (unsigned l = 0; l < shape->levels; l++) {
        mask |= 1ull << (16 * l + station % shape->fan[l]);
        station /= shape->fan[l];
    }
    return mask;
}

ring_mask ring_mask_or(ring_mask a, ring_mask b)
{
    return a | b;
}

bool ring_mask_covers(const struct ring_shape *shape, ring_mask mask, unsigned station)
{
    ring_mask own = ring_mask_station(shape, station);
    return (mask & own) == own;
}

unsigned ring_mask_count(const struct ring_shape *shape, ring_mask mask)
{
    unsigned n = 1;
    for (unsigned l = 0; l < shape->levels; l++)
        n *= (unsigned)__builtin_popcount(ring_mask_field(mask, l));
    return n;
}

/* The positions that a mask names on the rings of a level; where there is no such level, one. */
static uint32_t positions(const struct ring_shape *shape, ring_mask mask, unsigned level)
{
    return level < shape->levels ? ring_mask_field(mask, level) : 1;
}

unsigned ring_mask_stations(const struct ring_shape *shape, ring_mask mask, uint16_t *out)
{
    unsigned n = 0;
    if (!out)
        return ring_mask_count(shape, mask);
    for (uint32_t top = positions(shape, mask, 2); top; top &= top - 1)
        for (uint32_t ring = positions(shape, mask, 1); ring; ring &= ring - 1)
            for (uint32_t at = positions(shape, mask, 0); at; at &= at - 1) {
                const unsigned above = shape->levels > 2 ? (unsigned)__builtin_ctz(top) : 0;
                const unsigned local =
                    shape->levels > 1 ? (unsigned)__builtin_ctz(ring) + above * shape->fan[1] : 0;
                out[n++] = (uint16_t)((unsigned)__builtin_ctz(at) + local * shape->fan[0]);
            }
    return n;
}

unsigned ring_mask_level(const struct ring_shape *shape, unsigned station, ring_mask mask)
{
    ring_mask other = mask & ~ring_mask_station(shape, station);
    for (unsigned l = shape->levels - 1; l > 0; l--)
        if (ring_mask_field(other, l))
            return l;
    return 0;
}
