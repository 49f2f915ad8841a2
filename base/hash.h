/*
 * Hashes of what comes piece by piece: xxhash's states, for which there is always memory
 * (base/alloc.h).
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/alloc.h"

#include <xxhash.h>

/** Of nothing yet; never NULL. The caller's, for XXH64_freeState. */
static inline XXH64_state_t *sim_hash_new(uint64_t seed)
{
    XXH64_state_t *state = XXH64_createState();
    if (!state)
        sim_no_memory();
    XXH64_reset(state, seed);
    return state;
}

/** The same with 128 bits, for XXH3_freeState. */
static inline XXH3_state_t *sim_hash_128_new(void)
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        sim_no_memory();
    XXH3_128bits_reset(state);
    return state;
}

#endif
