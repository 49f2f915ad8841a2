/*
 * Another layout of an object, to be tried (machine/apart.h): which of its bytes get lines of their
 * own, by the processors that touched them or by the program's declarations.
 */
#ifndef LOOK_SHARING_WHAT_IF_H
#define LOOK_SHARING_WHAT_IF_H

#include "look/sharing/sharing.h"
#include "machine/apart.h"

enum { LOOK_CARDS_MAX = 1024 /**< others are left out */ };

/** What gets lines of its own. */
enum look_unit {
    LOOK_UNIT_threads,  /**< the bytes that the same processors touch */
    LOOK_UNIT_writers,  /**< of these, those that the same processors write */
    LOOK_UNIT_objects,  /**< the object as a whole; of a site, each of its blocks */
    LOOK_UNIT_elements, /**< elements of an array, members of a struct */
    LOOK_UNIT_members,  /**< members of these, too; an array among them is one */
    LOOK_UNIT_leaves,   /**< what has no parts */
    LOOK_UNIT_words,    /**< words of four bytes that any processor touches */
    LOOK_UNIT_sides,    /**< what is named, and what is in front of it and behind it in its object;
                             so where others of its name are: in each element, in each block */
    LOOK_UNIT__COUNT
};
extern const char *const look_unit_name[LOOK_UNIT__COUNT];
/** What it puts on lines of its own, for sentences: "each element". */
extern const char *const look_unit_part[LOOK_UNIT__COUNT];
/** Whether the program's types have to be known for it. */
bool look_unit_is_typed(enum look_unit unit);

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

/** Adds another layout's ranges, whose groups stay its own. Of bytes that both have, the one with
 * the lower beginning has them. */
void look_layout_join(struct look_layout *to, const struct look_layout *from);

/** Whether both put the same bytes together, and the same bytes apart. */
bool look_layout_is_same(const struct look_layout *a, const struct look_layout *b);

/** Gives the parts lines that collide in direct-mapped caches neither with each other nor with what
 *  else the program touches, as far as there are such lines. @param p  of the machine that runs it
 */
void look_layout_spread(struct look_layout *layout, const struct doc_truth *truth,
                        const struct nm_params *p);

/** The first range that ends behind `va`, by its index; layout->ranges: none. They are in the order
 * of their addresses. */
size_t look_layout_behind(const struct look_layout *layout, uint64_t va);

/** Whether the parts leave half of a station's memory to the program. */
bool look_layout_fits(const struct look_layout *layout, const struct doc_truth *truth);

/** That the object is hardly one to be tried, because others cost more: a sentence; NULL: it is
 *  one. @return buf, or NULL */
const char *look_what_if_note(const struct look_sharing *sharing, const char *name, char *buf,
                              size_t size);
void look_layout_free(struct look_layout *layout);

#endif
