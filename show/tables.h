/* The tables that the program is made of, as rows for people and for programs (numachine list). */
#ifndef SHOW_TABLES_H
#define SHOW_TABLES_H

#include "input/diag.h"

#include <jansson.h>
#include <stdio.h>

/** What can be listed. One of the makers is there. */
struct show_table {
    const char *name;
    void (*add)(json_t *rows, struct in_diag *diag); /**< adds its rows; may complain */
    json_t *(*make)(void);                           /**< new reference */
    const char *columns; /**< members shown to people; the last may be long. NULL: as JSON only */
    const char *sentence;
};

extern const struct show_table show_tables[];
extern const unsigned show_table_count;

/** The rows of a table. New reference; NULL after a complaint. */
json_t *show_table_rows(const struct show_table *table);

/** Those that a pattern matches: it is a part of a text of theirs or, with wildcards, the whole
 *  name. A group's whole name means it alone. Takes the reference, returns a new one. */
json_t *show_rows_matching(json_t *rows, const char *pattern);

/* Of rows: */

/** For people: all that is known of one row, if it has more to tell, or the columns of all. */
void show_rows_text(const json_t *rows, const char *columns, FILE *out);
/** As a table of a document, with every column that is a single value. */
void show_rows_markdown(const json_t *rows, FILE *out);

#endif
