/*
 * Another layout of an object, to be tried (machine/apart.h): which of its bytes get lines of their
 * own, by who touched them or by how the program declares them.
 */
#ifndef REP_WHAT_IF_H
#define REP_WHAT_IF_H

#include "machine/apart.h"
#include "report/sharing.h"

/** What gets lines of its own. */
enum rep_unit {
    REP_UNIT_threads,  /**< the bytes that the same processors touch */
    REP_UNIT_elements, /**< elements of an array, members of a struct */
    REP_UNIT_members,  /**< what has no parts */
    REP_UNIT_words,    /**< words of four bytes that any processor touches */
    REP_UNIT__COUNT
};
extern const char *const rep_unit_name[REP_UNIT__COUNT];

/** Another layout; its own, released with rep_layout_free. */
struct rep_layout {
    struct nm_apart_range *range; /**< [ranges] ascending */
    size_t ranges;
    size_t parts;                /**< that have lines of their own */
    int64_t requests, others;    /**< for these bytes, and those of them for other objects, which
                                      had the bytes at another time */
    char other[REP_OBJECT_NAME]; /**< the one of those that was asked for most */
};

/**
 * @param names  of objects, as rep_sharing_find takes them, NULL after the last; what the same
 *               processors touch of all of them may share lines
 * @return true, or false with one sentence in `why`
 */
bool rep_what_if(const struct rep_sharing *sharing, const struct rep_objects *objects,
                 char *const names[], enum rep_unit unit, struct rep_layout *layout, char *why,
                 size_t size);

/** That the object is hardly one to be tried, because others cost more: a sentence; NULL: it is
 *  one. @return buf, or NULL */
const char *rep_what_if_note(const struct rep_sharing *sharing, const char *name, char *buf,
                             size_t size);
void rep_layout_free(struct rep_layout *layout);

#endif
