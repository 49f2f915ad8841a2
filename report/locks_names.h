/* The columns of a lock (report/lock_columns.def) by name, and the layout of its file. */
#ifndef REP_LOCKS_NAMES_H
#define REP_LOCKS_NAMES_H

enum {
    REP_LOCKS_SCHEMA = 1, /**< version of the layout of locks.json */
    REP_LOCK_NAME = 32,   /**< [bytes] room for a column's name */
};

/** The name as results have it, in lower case. @return buf */
const char *rep_lock_column_name(unsigned column, char buf[REP_LOCK_NAME]);

#endif
