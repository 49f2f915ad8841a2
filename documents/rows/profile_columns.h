/* The columns of a profile (procard/profile.def) by name, and the layout of its file. */
#ifndef DOC_DOCUMENTS_PROFILE_COLUMNS_H
#define DOC_DOCUMENTS_PROFILE_COLUMNS_H

#include "procard/profile.h"

#include <stdio.h>

enum {
    DOC_PROFILE_SCHEMA = 1, /**< version of the layout of profile.json */
    DOC_COLUMN_NAME = 32,   /**< [bytes] room for a column's name */
};

/** A row of profile.def or misses.def; strings are static. */
struct doc_column {
    const char *name; /**< in upper case */
    const char *unit, *sentence;
};
extern const struct doc_column doc_columns[PC_PROFILE__COUNT];

/** A column's name in lower case. @return buf */
const char *doc_lower(const char *name, char buf[DOC_COLUMN_NAME]);

/** Writes rows of columns as JSON, without brackets around them. */
void doc_put_columns(const struct doc_column *columns, unsigned count, FILE *out);

/** The name as results have it, in lower case. @return buf */
const char *doc_column_name(unsigned column, char buf[DOC_COLUMN_NAME]);

/** a + b. Sums that a made-up file drives out of 64 bits wrap around. */
static inline int64_t doc_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
