/*
 * The tables of a run, read back: comma-separated values as RFC 4180 has them, with a heading.
 */
#ifndef REP_CSV_READ_H
#define REP_CSV_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** A table that is being read. rep_csv_open, then rep_csv_next; rep_csv_close is due in any case.
 */
struct rep_csv {
    const char *path; /**< the caller's */
    unsigned columns;
    char **name;  /**< [columns] of the heading */
    char **field; /**< [columns] of the present row; valid until the next one */
    bool bad;     /**< a row was not like the heading; `why` says which */

    /* its own */
    FILE *in;
    char *heading, *line;
    size_t heading_room, line_room;
    unsigned fields_room;
    unsigned long row; /* the line that the present row begins in */
    unsigned long lines;
    char *why; /* of `size` bytes */
    size_t size;
};

/** @param why  gets one line about the file when it cannot be read, or is no such table
 *  @return false: so it is */
bool rep_csv_open(struct rep_csv *csv, const char *path, char *why, size_t size);

/** Whether a text has to have an apostrophe in front in a table: a spreadsheet would take it for a
 *  formula, or it begins with one itself. */
bool rep_csv_is_marked(const char *text);

/** Reads a row. @return false: there is none, or csv->bad */
bool rep_csv_next(struct rep_csv *csv);
void rep_csv_close(struct rep_csv *csv);

/** The number of a column. @return csv->columns: there is none, csv->bad */
unsigned rep_csv_column(struct rep_csv *csv, const char *name);

/** Says "file: line N: what" in `why`, and that the table is bad. @return false */
bool rep_csv_refuse(struct rep_csv *csv, const char *what);

#endif
