/* A view of a profile, written: for people, for programs, and for tools that are there already. */
#ifndef LOOK_PROFILE_WRITE_H
#define LOOK_PROFILE_WRITE_H

#include "look/profile/view.h"

#include <stdio.h>

/** What is written of a view. */
struct look_show {
    enum look_by by;
    bool by_given; /**< else json and csv have the rows themselves */
    bool children; /**< inclusive costs: those of what was called from there, too */
    size_t most;   /**< lines of text with sums; 0: all */
};

/** Writes an open view. Errors stay with the stream (ferror). */
typedef void look_profile_fn(struct look_view *view, const struct look_show *show, FILE *out);

/** A table for people; an object or a line of CSV for each row or, with `by`, for each sum; a line
 * for each stack, for flame graphs; Callgrind's format, for KCachegrind and callgrind_annotate;
 * pprof's, compressed. */
look_profile_fn look_profile_text, look_profile_json, look_profile_csv, look_profile_folded,
    look_profile_callgrind, look_profile_pprof;

/** Strings are static. */
enum { LOOK_FORMATS = 6 };
extern const struct look_format {
    const char *name;
    look_profile_fn *write;
    bool sums; /**< it can have sums */
} look_formats[LOOK_FORMATS];

/** Writes source lines and instructions of the functions of that name, with what is measured beside
 *  each. @param name  NULL: the function that spent most
 *  @return false with one sentence in `why`: there is no such function */
bool look_profile_annotate(struct look_view *view, const char *name, FILE *out, char *why,
                           size_t size);

/** Writes what was looked at, as lines that begin with "# ". */
void look_profile_head(const struct look_view *view, FILE *out);

#endif
