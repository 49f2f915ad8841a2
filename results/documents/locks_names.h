/* The columns of a lock (results/documents/lock_columns.def) by name, and the layout of its file.
 */
#ifndef RES_DOCUMENTS_LOCKS_NAMES_H
#define RES_DOCUMENTS_LOCKS_NAMES_H

enum {
    RES_LOCKS_SCHEMA = 1, /**< version of the layout of locks.json */
    RES_LOCK_NAME = 32,   /**< [bytes] room for a column's name */
};

/** The name as results have it, in lower case. @return buf */
const char *res_lock_column_name(unsigned column, char buf[RES_LOCK_NAME]);

#endif
