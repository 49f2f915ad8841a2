/*
 * Tables of a run as the page has them: {"columns": [names], "rows": [[values]]}. Numbers are
 * numbers, but in columns of names; everything else is text.
 */
#ifndef PAGE_SUMS_H
#define PAGE_SUMS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** A field of a table as it stands in a document: as a number if it is one. @return the caller's */
json_t *page_value(const char *text);

/** What becomes of a table's rows. */
struct page_table {
    const char *only, *is; /**< rows whose column `only` is `is`; NULL: all */
    const char *without;   /**< this column is left out, and rows are one that differ in nothing
                                else than it and `sum`; NULL: all rows are kept */
    const char *sum; /**< what is added up then; it becomes the last column. [whole numbers] */
    size_t most;     /**< rows; of more, those with the greatest sums are kept, or the first */
};

/** Reads a table. What was left out for being too much is in "left": {"rows", "sum"}.
 *  @return the caller's; NULL with one line in `why` */
json_t *page_table_read(const char *path, const struct page_table *table, char *why, size_t size);

#endif
