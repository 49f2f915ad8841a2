/*
 * Draws by lot, in integers: the same numbers on every host.
 *
 * A draw is four words that follow from the seed, the phase, the thread and the reference's number
 * (Random123's Philox). Logarithms and powers, which Zipf's law and geometric distributions want,
 * are worked out bit by bit beforehand and looked up afterwards.
 */
#ifndef PATTERNS_DRAWS_H
#define PATTERNS_DRAWS_H

#include <stddef.h>
#include <stdint.h>

enum { PATTERNS_LOG_BITS = 40, PATTERNS_LOG_STEPS = 1024 };

struct patterns_draw {
    uint32_t word[4];
};

/** @param stream  the phase and the thread, at most 65536 of each */
struct patterns_draw patterns_draw(uint64_t seed, uint32_t stream, uint64_t number);

/** A number below n, all alike but for one in 2^32 / n. @param n  at most 2^32 */
static inline uint64_t patterns_below(uint32_t word, uint64_t n)
{
    return word * n >> 32;
}

/** Logarithms of 1 to 2 to base 2, [2^-PATTERNS_LOG_BITS]. */
struct patterns_logs {
    uint64_t log[PATTERNS_LOG_STEPS + 1];
};
void patterns_logs_make(struct patterns_logs *logs);

/** Numbers 0, 1, ... that come with a geometric distribution. */
struct patterns_geometric {
    const struct patterns_logs *logs;
    uint64_t decay; /**< [2^-PATTERNS_LOG_BITS] log2 of (mean + 1) / mean; 0: always 0 */
};

/** @param mean  [PATTERNS_ONE] below 2^50 */
void patterns_geometric_make(struct patterns_geometric *g, const struct patterns_logs *logs,
                             uint64_t mean);
uint64_t patterns_geometric_draw(const struct patterns_geometric *g, uint32_t word);

/** Numbers below n by Zipf's law: one throw among n, and one whether it is its number or the other
 *  one's (Walker's alias method). */
struct patterns_alias {
    uint32_t own;   /**< [2^-32] how often it is its own number */
    uint32_t other; /**< ... else this one */
};

/** The table, the caller's. @param n  at most 2^23 @param skew  [PATTERNS_ONE] at most 4 */
struct patterns_alias *patterns_zipf_make(uint32_t n, uint64_t skew);

#endif
