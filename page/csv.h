/*
 * The tables of a run, read back: comma-separated values as RFC 4180 has them, with a heading.
 */
#ifndef PAGE_CSV_H
#define PAGE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PAGE_COLUMNS = 32 /**< that a table may have */ };

/** A table that is being read. page_csv_open, then page_csv_next; page_csv_close is due in any
 *  case. */
struct page_csv {
    const char *path;
    unsigned columns;
    char *name[PAGE_COLUMNS];  /**< of the heading */
    char *field[PAGE_COLUMNS]; /**< of the present row; valid until the next one */
    bool bad;                  /**< a row was not like the heading; `why` says which */

    /* its own */
    FILE *in;
    char *heading, *line;
    size_t room;
    unsigned long row;
    char *why; /* of `size` bytes */
    size_t size;
};

/** @param why  gets one line about the file when it cannot be read, or is no such table
 *  @return false: so it is */
bool page_csv_open(struct page_csv *csv, const char *path, char *why, size_t size);

/** Reads a row. @return false: there is none, or csv->bad */
bool page_csv_next(struct page_csv *csv);
void page_csv_close(struct page_csv *csv);

/** The number of a column. @return csv->columns: there is none, csv->bad */
unsigned page_csv_column(struct page_csv *csv, const char *name);

/** Says "file: line N: what" in `why`, and that the table is bad. @return false */
bool page_csv_refuse(struct page_csv *csv, const char *what);

#endif
