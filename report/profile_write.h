/* A view of a profile, written: for people, for programs, and for tools that are there already. */
#ifndef REP_PROFILE_WRITE_H
#define REP_PROFILE_WRITE_H

#include "report/profile_view.h"

#include <stdio.h>

/** What is written of a view. */
struct rep_show {
    enum rep_by by;
    bool by_given; /**< else json and csv have the rows themselves */
    bool children; /**< inclusive costs: those of what was called from there, too */
    size_t most;   /**< lines of text with sums; 0: all */
};

/** Writes an open view. Errors stay with the stream (ferror). */
typedef void rep_profile_fn(struct rep_view *view, const struct rep_show *show, FILE *out);

#define FORMAT(name, write, sums, sentence) rep_profile_fn write;
#include "report/profile_formats.def"
#undef FORMAT

enum rep_as {
#define FORMAT(name, write, sums, sentence) REP_AS_##name,
#include "report/profile_formats.def"
#undef FORMAT
    REP_AS__COUNT
};

/** A row of profile_formats.def. Strings are static. */
struct rep_format {
    const char *name;
    rep_profile_fn *write;
    bool sums;
    const char *sentence;
};
extern const struct rep_format rep_formats[REP_AS__COUNT];

/** Writes source lines and instructions of the functions of that name, with what is measured beside
 *  each. @param name  NULL: the function that spent most
 *  @return false with one sentence in `why`: there is no such function */
bool rep_profile_annotate(struct rep_view *view, const char *name, FILE *out, char *why,
                          size_t size);

/** Writes what was looked at, as lines that begin with "# ". */
void rep_profile_head(const struct rep_view *view, FILE *out);

#endif
