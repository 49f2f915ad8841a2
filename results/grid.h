/* A table of text cells for people: columns as wide as they need, two spaces between them; words in
 * the last column flow over several lines if need be. */
#ifndef RES_GRID_H
#define RES_GRID_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct res_grid {
    const char *align; /**< one 'l' or 'r' per column; must outlive the grid */
    char **cell;
    size_t cells;
};

/** An empty table. Cells are added row by row; the first row is the heading. */
void res_grid_init(struct res_grid *grid, const char *align);
void res_grid_free(struct res_grid *grid);

/** Adds the next cell (printf). */
void res_grid_cell(struct res_grid *grid, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Prints all rows, indented by two. @param bold  escape sequences around the heading
 *  @param width  of a line; the last column takes what the others leave, or lines of its own if
 *  that is too little */
void res_grid_print(const struct res_grid *grid, FILE *out, bool bold, unsigned width);

/** "1,234,567" in buf, returned. */
const char *res_grouped(uint64_t value, char buf[32]);

#endif
