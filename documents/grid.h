/* A table of text cells for people: columns as wide as they need, two spaces between them; words in
 * the last column flow over several lines if need be. */
#ifndef DOC_GRID_H
#define DOC_GRID_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct doc_grid {
    const char *align; /**< one 'l' or 'r' per column; must outlive the grid */
    char **cell;
    size_t cells;
};

/** An empty table. Cells are added row by row; the first row is the heading. */
void doc_grid_init(struct doc_grid *grid, const char *align);
void doc_grid_free(struct doc_grid *grid);

/** Adds the next cell (printf). */
void doc_grid_cell(struct doc_grid *grid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Prints all rows, indented by two. @param bold  escape sequences around the heading
 *  @param width  of a line; the last column takes what the others leave, or lines of its own if
 *  that is too little */
void doc_grid_print(const struct doc_grid *grid, FILE *out, bool bold, unsigned width);

/** "1,234,567" in buf, returned. */
const char *doc_grouped(uint64_t value, char buf[32]);

#endif
