/*
 * Rows for programs, as commands print them: what a row has is said once, as cells in the order of
 * their names, and written as CSV or as a JSON object.
 */
#ifndef DOC_CELLS_H
#define DOC_CELLS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum doc_cell_kind {
    DOC_CELL_NONE, /**< not known: null, or nothing */
    DOC_CELL_TEXT,
    DOC_CELL_INTEGER,
    DOC_CELL_REAL,
    DOC_CELL_ADDRESS, /**< 0x... in both */
};

struct doc_cell {
    enum doc_cell_kind kind;
    union {
        const char *text;
        int64_t integer;
        uint64_t address;
        double real; /**< in CSV with six digits behind the point */
    };
};

/** @param text  the caller's; NULL: not known */
static inline struct doc_cell doc_cell_text(const char *text)
{
    return (struct doc_cell){.kind = text ? DOC_CELL_TEXT : DOC_CELL_NONE, .text = text};
}

static inline struct doc_cell doc_cell_integer(int64_t integer)
{
    return (struct doc_cell){.kind = DOC_CELL_INTEGER, .integer = integer};
}

/** @param none  that is no address */
static inline struct doc_cell doc_cell_address(uint64_t address, uint64_t none)
{
    return (struct doc_cell){.kind = address == none ? DOC_CELL_NONE : DOC_CELL_ADDRESS,
                             .address = address};
}

/** Writes a row of CSV, its end of line (CRLF) included. */
void doc_cells_csv(FILE *out, const struct doc_cell *cell, size_t count);

/** Writes an object of JSON in a line, without an end of line. */
void doc_cells_json(FILE *out, const char *const *name, const struct doc_cell *cell, size_t count);

/** Adds the cells to an object. */
void doc_cells_add(json_t *object, const char *const *name, const struct doc_cell *cell,
                   size_t count);

/** A JSON string of any bytes: of a text that is no UTF-8, as a file's name may be, each byte that
 * is no ASCII shows as '?'. @param text  NULL: null */
json_t *doc_json_text(const char *text);

/** The same; `text` is released. */
json_t *doc_json_taken(char *text);

/** Writes it, an end of line behind it, and releases it. @param flags  jansson's: JSON_INDENT(1) */
void doc_json_put(FILE *out, json_t *value, size_t flags);

#endif
