/* The search for mends, taken apart; private to look/mend/. */
#ifndef LOOK_MEND_PARTS_H
#define LOOK_MEND_PARTS_H

#include "look/mend/mend.h"
#include "look/source.h"

/** Fills in the objects and the candidates. */
void look_mend_find(struct look_mend *mend, const struct doc_objects *objects);
/** Releases them. */
void look_mend_lose(struct look_mend *mend);

/** A line of a source that declares something; `file` NULL: none. */
struct look_declared {
    const char *file, *text;
    unsigned line;
};

/** Looks in a file for the declaration that fits best.
 *  @param name  of a type; or a path that begins with a variable: "*pool->list", "worker::count",
 *               "rows[] (local of make)"
 *  @param[out] out  of a fit above 0 @return how well it fits; 0: there is none */
typedef unsigned look_declared_fn(struct look_sources *sources, const char *file, const char *name,
                                  struct look_declared *out);
look_declared_fn look_declared_type;     /**< a struct, union or class */
look_declared_fn look_declared_variable; /**< no parameter or member of another one's */

#endif
