/* The columns of a profile (procard/profile.def) by name, and the layout of its file. */
#ifndef REP_PROFILE_COLUMNS_H
#define REP_PROFILE_COLUMNS_H

#include "procard/profile.h"

#include <stdio.h>

enum {
    REP_PROFILE_SCHEMA = 1, /**< version of the layout of profile.json */
    REP_COLUMN_NAME = 32,   /**< [bytes] room for a column's name */
};

/** A row of profile.def or misses.def; strings are static. */
struct rep_column {
    const char *name; /**< in upper case */
    const char *unit, *sentence;
};
extern const struct rep_column rep_columns[PC_PROFILE__COUNT];

/** A column's name in lower case. @return buf */
const char *rep_lower(const char *name, char buf[REP_COLUMN_NAME]);

/** Writes rows of columns as JSON, without brackets around them. */
void rep_put_columns(const struct rep_column *columns, unsigned count, FILE *out);

/** The name as results have it, in lower case. @return buf */
const char *rep_column_name(unsigned column, char buf[REP_COLUMN_NAME]);

#endif
