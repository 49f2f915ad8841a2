/*
 * "Did you mean": the candidate nearest to a word that was not found.
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/** The candidate nearest to `word` by edit distance, or NULL when none is near enough for a
 *  "did you mean". @param next  yields candidates until NULL */
const char *sim_nearest(const char *word, const char *(*next)(void *ctx, size_t i), void *ctx);

#endif
