/*
 * What the index of a sweep (sweep.json, or collected.json) says of all its points together, when
 * it has results.
 */
#ifndef SWP_INDEX_H
#define SWP_INDEX_H

#include "sweep/expect.h"
#include "sweep/result.h"

#include <jansson.h>

/**
 * Adds to the index of a directory:
 *
 *     experiment  {about, machine, argv} that all points share; null: it is swept, or no point is
 *                 there
 *     numachine   that has run them, as in a manifest
 *     expect      expectations as in a manifest, each with the ids of its `points`: those about
 *                 several points, and of those about one that are broken
 *
 * @param judged  its list is given away
 * @return false: see `why`
 */
bool swp_index_conclude(const struct swp_result *result, const struct swp_judged *judged,
                        const char *directory, char *why, size_t size);

/** An index, as a sweep or a collecting has left it; the caller's.
 *  @param name  SWP_INDEX or SWP_COLLECTED
 *  @return NULL: it is there, but cannot be taken; see `why` */
json_t *swp_index_read(const char *directory, const char *name, char *why, size_t size);

#endif
