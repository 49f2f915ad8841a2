/*
 * Another layout of an object, to be tried (machine/apart.h): which of its bytes get lines of their
 * own, by the processors that touched them or by the program's declarations.
 */
#ifndef LOOK_SHARING_WHAT_IF_H
#define LOOK_SHARING_WHAT_IF_H

#include "look/sharing/sharing.h"
#include "machine/apart.h"

/** What gets lines of its own. */
enum look_unit {
    LOOK_UNIT_threads,  /**< the bytes that the same processors touch */
    LOOK_UNIT_elements, /**< elements of an array, members of a struct */
    LOOK_UNIT_members,  /**< what has no parts */
    LOOK_UNIT_words,    /**< words of four bytes that any processor touches */
    LOOK_UNIT__COUNT
};
extern const char *const look_unit_name[LOOK_UNIT__COUNT];

/** Another layout; its own, released with look_layout_free. */
struct look_layout {
    struct nm_apart_range *range; /**< [ranges] ascending */
    size_t ranges;
    size_t parts;                 /**< that have lines of their own */
    int64_t requests, others;     /**< for these bytes, and those of them for other objects, which
                                       had the bytes at another time */
    char other[LOOK_OBJECT_NAME]; /**< the one of those that was asked for most */
};

/**
 * @param names  of objects, as look_sharing_find takes them, NULL after the last; what the same
 *               processors touch of all of them may share lines
 * @return true, or false with one sentence in `why`
 */
bool look_what_if(const struct look_sharing *sharing, const struct doc_objects *objects,
                  char *const names[], enum look_unit unit, struct look_layout *layout, char *why,
                  size_t size);

/** That the object is hardly one to be tried, because others cost more: a sentence; NULL: it is
 *  one. @return buf, or NULL */
const char *look_what_if_note(const struct look_sharing *sharing, const char *name, char *buf,
                              size_t size);
void look_layout_free(struct look_layout *layout);

#endif
