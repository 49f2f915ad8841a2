/* Tables for people. Files for programs are written elsewhere and never by these functions. */
#include "report/grid.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, GAP = 2 };

void rep_grid_init(struct rep_grid *grid, const char *align)
{
    *grid = (struct rep_grid){.align = align};
}

void rep_grid_free(struct rep_grid *grid)
{
    for (size_t i = 0; i < grid->cells; i++)
        free(grid->cell[i]);
    free(grid->cell);
}

void rep_grid_cell(struct rep_grid *grid, const char *format, ...)
{
    char **grown = realloc(grid->cell, (grid->cells + 1) * sizeof *grown);
    char *text;
    va_list args;
    va_start(args, format);
    if (!grown || vasprintf(&text, format, args) < 0)
        abort();
    va_end(args);
    grid->cell = grown;
    grid->cell[grid->cells++] = text;
}

static int column_width(const struct rep_grid *grid, size_t column)
{
    size_t columns = strlen(grid->align), widest = 0;
    for (size_t i = column; i < grid->cells; i += columns) {
        size_t length = strlen(grid->cell[i]);
        widest = length > widest ? length : widest;
    }
    return (int)widest;
}

/* One row without trailing blanks, as a string of the caller. */
static char *row_text(const struct rep_grid *grid, size_t row)
{
    size_t columns = strlen(grid->align), size;
    char *text;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%*s", INDENT, "");
    for (size_t c = 0; c < columns; c++) {
        int width = column_width(grid, c);
        fprintf(out, "%*s%*s", c ? GAP : 0, "", grid->align[c] == 'l' ? -width : width,
                grid->cell[row * columns + c]);
    }
    fclose(out);
    while (size > 0 && text[size - 1] == ' ')
        text[--size] = '\0';
    return text;
}

void rep_grid_print(const struct rep_grid *grid, FILE *out, bool bold, unsigned width)
{
    size_t rows = grid->cells / strlen(grid->align);
    for (size_t r = 0; r < rows; r++) {
        char *text = row_text(grid, r);
        bool mark = bold && r == 0;
        fprintf(out, "%s%.*s%s\n", mark ? "\033[1m" : "", width ? (int)width : (int)strlen(text),
                text, mark ? "\033[0m" : "");
        free(text);
    }
}

const char *rep_grouped(uint64_t value, char buf[32])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    char *to = buf;
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buf;
}
