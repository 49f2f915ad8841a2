/* Requests that go side by side; private to look/sharing/. */
#ifndef LOOK_SHARING_OVERLAP_H
#define LOOK_SHARING_OVERLAP_H

#include "look/cost.h"
#include "look/sharing/sharing.h"

/** Which part of the time of requests threads stalled for them: 1 where requests come one at a
 *  time. @param all  what the threads' time went into */
double look_overlap_part(const struct doc_truth *truth, const struct look_cost *all);

/** The truth with that part of each request's time. @return the caller's: look_overlap_free */
struct doc_truth *look_overlap_less(const struct doc_truth *truth, double part);
void look_overlap_free(struct doc_truth *truth);

#endif
