/* Copies of arrays. */
#ifndef BASE_COPY_H
#define BASE_COPY_H

#include "base/alloc.h"

/** `count` objects of `size` bytes as they are in `array`; never NULL, the caller's. */
static inline void *sim_copy(const void *array, size_t count, size_t size)
{
    void *copy = sim_alloc(count, size);
    if (count)
        memcpy(copy, array, count * size);
    return copy;
}

#endif
