/*
 * What a profiled run has kept in its directory: profile, objects, truth of its misses, locks, and
 * the names of its program.
 */
#ifndef REP_KEPT_H
#define REP_KEPT_H

#include "report/locks.h"
#include "report/objects.h"
#include "report/profile.h"
#include "report/profile_code.h"
#include "report/truth.h"

/** Zero, then rep_kept_open; rep_kept_close is due in any case. */
struct rep_kept {
    const char *directory; /**< the caller's */
    struct rep_profile profile;
    struct rep_code code;
    struct rep_objects objects;
    struct rep_truth truth;
    struct rep_locks locks;
};

/** What else than the profile and the program's names is to be read; or-ed. */
enum rep_kept_parts {
    REP_KEPT_OBJECTS = 1,
    REP_KEPT_TRUTH = 2 | REP_KEPT_OBJECTS, /**< what was asked of misses, which names objects */
    REP_KEPT_LOCKS = 4,
};

/** @param parts  of enum rep_kept_parts
 *  @return false with one line in `why` */
bool rep_kept_open(struct rep_kept *kept, const char *directory, unsigned parts, char *why,
                   size_t size);
void rep_kept_close(struct rep_kept *kept);

#endif
