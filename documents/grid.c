/* Tables for people. Files for programs are written elsewhere and never by these functions. */
#include "documents/grid.h"

#include "base/alloc.h"
#include "documents/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, GAP = 2, DEEPER = 6, NARROW = 24 };

void doc_grid_init(struct doc_grid *grid, const char *align)
{
    *grid = (struct doc_grid){.align = align};
}

void doc_grid_free(struct doc_grid *grid)
{
    for (size_t i = 0; i < grid->cells; i++)
        free(grid->cell[i]);
    free(grid->cell);
}

void doc_grid_cell(struct doc_grid *grid, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    doc_append(&grid->cell, &grid->cells, format, args);
    va_end(args);
}

static int column_width(const struct doc_grid *grid, size_t column)
{
    size_t columns = strlen(grid->align), widest = 0;
    for (size_t i = column; i < grid->cells; i += columns) {
        size_t length = strlen(grid->cell[i]);
        widest = length > widest ? length : widest;
    }
    return (int)widest;
}

/* A row's cells but the last, as a string of the caller. */
static char *row_front(const struct doc_grid *grid, size_t row)
{
    size_t columns = strlen(grid->align), size;
    char *text;
    FILE *out = sim_text_open(&text, &size);
    fprintf(out, "%*s", INDENT, "");
    for (size_t c = 0; c + 1 < columns; c++) {
        int width = column_width(grid, c);
        fprintf(out, "%*s%*s", grid->align[c] == 'l' ? -width : width,
                grid->cell[row * columns + c], GAP, "");
    }
    sim_text_close(out, &text);
    return text;
}

/* Words from column `start` on, broken before `width`. */
static void flow(FILE *out, const char *words, size_t start, size_t width)
{
    size_t room = width - start;
    while (strlen(words) > room) {
        size_t n = room;
        while (n > 0 && words[n] != ' ')
            n--;
        n = n ? n : strcspn(words, " ");
        fprintf(out, "%.*s\n", (int)n, words);
        words += n + strspn(words + n, " ");
        if (!*words)
            return;
        fprintf(out, "%*s", (int)start, "");
    }
    fprintf(out, "%s\n", words);
}

static void print_row(const struct doc_grid *grid, size_t row, FILE *out, size_t width)
{
    const char *words = grid->cell[(row + 1) * strlen(grid->align) - 1];
    char *front = row_front(grid, row);
    size_t start = strlen(front), end = start;
    bool below = start + NARROW > width && start + strlen(words) > width;
    if (below || !*words)
        while (end > 0 && front[end - 1] == ' ')
            end--;
    fprintf(out, "%.*s", (int)end, front);
    if (below)
        fprintf(out, "\n%*s", DEEPER, "");
    flow(out, words, below ? DEEPER : start, width > DEEPER ? width : DEEPER + NARROW);
    free(front);
}

void doc_grid_print(const struct doc_grid *grid, FILE *out, bool bold, unsigned width)
{
    size_t rows = grid->cells / strlen(grid->align);
    for (size_t r = 0; r < rows; r++) {
        fputs(bold && r == 0 ? "\033[1m" : "", out);
        print_row(grid, r, out, width);
        fputs(bold && r == 0 ? "\033[0m" : "", out);
    }
}

const char *doc_grouped(uint64_t value, char buf[32])
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
