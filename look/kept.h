/*
 * What a profiled run has kept in its directory: profile, objects, truth of its misses, locks, and
 * the names of its program.
 */
#ifndef LOOK_KEPT_H
#define LOOK_KEPT_H

#include "documents/rows/locks.h"
#include "documents/rows/objects.h"
#include "documents/rows/profile.h"
#include "documents/rows/truth.h"
#include "look/code.h"

/** Zero, then look_kept_open; look_kept_close is due in any case. */
struct look_kept {
    const char *directory;   /**< the caller's */
    struct look_files files; /**< what the user says of source files, before look_kept_open */
    struct doc_profile profile;
    struct look_code code;
    struct doc_objects objects;
    struct doc_truth truth;
    struct doc_locks locks;
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
