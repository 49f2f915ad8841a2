/*
 * What the kernels of this folder share: which part of the work is a thread's, numbers made of a
 * seed, and the region that is measured.
 */
#ifndef KERNELS_SHARE_H
#define KERNELS_SHARE_H

#include "numachine_kernel.h"

/** Things [from, to) of many. */
struct part {
    uint32_t from, to;
};

/** The thread's part of `count` things; parts begin at multiples of `unit` things, so that two
 *  threads do not write one line if `unit` things take KN_APART bytes. */
static inline struct part part_of(const kn_thread *t, uint32_t count, uint32_t unit)
{
    const uint64_t units = (count + unit - 1) / unit, self = kn_self(t);
    const uint32_t threads = kn_threads(kn_program_of((kn_thread *)t));
    const uint64_t from = units * self / threads * unit, to = units * (self + 1) / threads * unit;
    return (struct part){(uint32_t)(from < count ? from : count),
                         (uint32_t)(to < count ? to : count)};
}

/** Number `i` of the sequence that `seed` begins; any of them at any time, in any thread. */
static inline uint32_t number_of(uint32_t seed, uint32_t i)
{
    uint32_t x = i * 0x9e3779b1u + seed;
    for (int round = 0; round < 3; round++) {
        x ^= x >> 15;
        x *= 0x2c1b3c6du + 2 * (uint32_t)round * 0x297a2d39u;
    }
    return x ^ x >> 16;
}

/** The same in [0, 1). */
static inline double fraction_of(uint32_t seed, uint32_t i)
{
    return number_of(seed, i) * (1.0 / 4294967296.0);
}

/** The processor's own square root: the compiler's would want a library, for numbers below 0. */
static inline double square_root(double x)
{
#ifdef __mips__
    double r;
    __asm__("sqrt.d %0, %1" : "=f"(r) : "f"(x));
    return r;
#else
    return __builtin_sqrt(x);
#endif
}

/** What is measured begins for all threads, when all have come; thread 0 says so. */
static inline void begin_together(kn_thread *t, kn_barrier *barrier, const char *name)
{
    kn_meet(t, barrier);
    if (!kn_self(t))
        kn_begin(t, name);
    kn_meet(t, barrier);
}

/** It ends when all have come. */
static inline void end_together(kn_thread *t, kn_barrier *barrier, const char *name)
{
    kn_meet(t, barrier);
    if (!kn_self(t))
        kn_end(t, name);
}

#endif
