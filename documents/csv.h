/*
 * The tables of a run, written and read back: comma-separated values as RFC 4180 has them, with a
 * heading.
 */
#ifndef DOC_CSV_H
#define DOC_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** A table that is being read. doc_csv_open, then doc_csv_next; doc_csv_close is due in any case.
 */
struct doc_csv {
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
bool doc_csv_open(struct doc_csv *csv, const char *path, char *why, size_t size);

/** Whether a text has to have an apostrophe in front in a table: a spreadsheet would take it for a
 *  formula, or it begins with one itself. */
bool doc_csv_is_marked(const char *text);

/** Reads a row. @return false: there is none, or csv->bad */
bool doc_csv_next(struct doc_csv *csv);
void doc_csv_close(struct doc_csv *csv);

/** The number of a column. @return csv->columns: there is none, csv->bad */
unsigned doc_csv_column(struct doc_csv *csv, const char *name);

/** Says "file: line N: what" in `why`, and that the table is bad. @return false */
bool doc_csv_refuse(struct doc_csv *csv, const char *what);

/** Writes a field of a CSV file, quoted if need be (RFC 4180). A text that a spreadsheet would take
 * for a formula gets an apostrophe in front, which doc_csv_next takes off; a number does not. */
void doc_csv_field(FILE *out, const char *text);
/** Writes a row of fields, its end of line (CRLF) included. */
void doc_csv_row(FILE *out, const char *const *field, size_t count);
/** doc_csv_field where another text than "," stands between fields. */
void doc_separated_field(FILE *out, const char *text, const char *separator);

#endif
