/*
 * What a profiled run has kept in its directory: profile, objects, truth of its misses, locks, and
 * the names of its program.
 */
#ifndef LOOK_KEPT_H
#define LOOK_KEPT_H

#include "look/code.h"
#include "results/documents/locks.h"
#include "results/documents/objects.h"
#include "results/documents/profile.h"
#include "results/documents/truth.h"

/** Zero, then look_kept_open; look_kept_close is due in any case. */
struct look_kept {
    const char *directory; /**< the caller's */
    struct res_profile profile;
    struct look_code code;
    struct res_objects objects;
    struct res_truth truth;
    struct res_locks locks;
};

/** What else than the profile and the program's names is to be read; or-ed. */
enum look_kept_parts {
    LOOK_KEPT_OBJECTS = 1,
    LOOK_KEPT_TRUTH = 2 | LOOK_KEPT_OBJECTS, /**< what was asked of misses, which names objects */
    LOOK_KEPT_LOCKS = 4,
};

/** @param parts  of enum look_kept_parts
 *  @return false with one line in `why` */
bool look_kept_open(struct look_kept *kept, const char *directory, unsigned parts, char *why,
                    size_t size);
void look_kept_close(struct look_kept *kept);

#endif
