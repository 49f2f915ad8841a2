/*
 * Vectors of three dimensions, for kernels of bodies in space: each of the three numbers is one
 * reference.
 */
#ifndef KERNELS_VECTOR_H
#define KERNELS_VECTOR_H

#include "numachine_kernel.h"

struct vector {
    double x, y, z;
};

static inline struct vector get(kn_thread *t, struct vector *at)
{
    struct vector v;
    v.x = KN_LOAD(t, at->x);
    v.y = KN_LOAD(t, at->y);
    v.z = KN_LOAD(t, at->z);
    return v;
}

static inline void put(kn_thread *t, struct vector *at, struct vector v)
{
    KN_STORE(t, at->x, v.x);
    KN_STORE(t, at->y, v.y);
    KN_STORE(t, at->z, v.z);
}

/** a + b times c. */
static inline struct vector plus(struct vector a, struct vector b, double c)
{
    return (struct vector){a.x + b.x * c, a.y + b.y * c, a.z + b.z * c};
}

#endif
