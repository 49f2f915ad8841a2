/* Rows of CSV files, as RFC 4180 has them. */
#ifndef SWP_CSV_H
#define SWP_CSV_H

#include <stdbool.h>
#include <stdio.h>

/** A file that is read row by row. Zero but for `in` is a good start; swp_csv_free releases it. */
struct swp_csv {
    FILE *in;
    char *text;   /**< fields of the row, one behind the other, each NUL-terminated */
    char **field; /**< [fields] */
    size_t fields, room, fields_room;
};

/** Reads the next row. @return false at the end of the file */
bool swp_csv_next(struct swp_csv *csv);

/** Column of a name in the row that was read; SIZE_MAX: none. */
size_t swp_csv_column(const struct swp_csv *csv, const char *name);

/** A field of the row; "" if it has none there. */
const char *swp_csv_field(const struct swp_csv *csv, size_t column);

void swp_csv_free(struct swp_csv *csv);

#endif
