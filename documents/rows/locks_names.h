/* The columns of a lock (documents/rows/lock_columns.def) by name, and the layout of its file.
 */
#ifndef DOC_DOCUMENTS_LOCKS_NAMES_H
#define DOC_DOCUMENTS_LOCKS_NAMES_H

enum {
    DOC_LOCKS_SCHEMA = 1, /**< version of the layout of locks.json */
    DOC_LOCK_NAME = 32,   /**< [bytes] room for a column's name */
};

/** The name as results have it, in lower case. @return buf */
const char *doc_lock_column_name(unsigned column, char buf[DOC_LOCK_NAME]);

#endif
