/*
 * A line of a table is taken apart where it lies. No field that a run writes has an end of line in
 * it, so a row is a line.
 */
#include "page/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool page_csv_refuse(struct page_csv *csv, const char *what)
{
    snprintf(csv->why, csv->size, "%s: line %lu: %s", csv->path, csv->row, what);
    csv->bad = true;
    return false;
}

/* Takes the quotes off a field that begins at `from`. @return behind it */
static char *unquote(char *from)
{
    char *to = from;
    for (from++; *from && (*from != '"' || from[1] == '"'); from++)
        from += *from == '"', *to++ = *from;
    from += *from == '"';
    if (to != from) {
        memmove(to, from, strlen(from) + 1);
        from = to;
    }
    return from;
}

/* @return how many fields; PAGE_COLUMNS + 1: too many */
static unsigned split(char *line, char *field[PAGE_COLUMNS])
{
    unsigned count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at; count++) {
        if (count == PAGE_COLUMNS)
            return PAGE_COLUMNS + 1;
        field[count] = at;
        at = *at == '"' ? unquote(at) : at + strcspn(at, ",");
        at = *at ? (*at = '\0', at + 1) : NULL;
    }
    return count;
}

bool page_csv_open(struct page_csv *csv, const char *path, char *why, size_t size)
{
    *csv = (struct page_csv){.path = path, .why = why, .size = size, .row = 1};
    csv->in = fopen(path, "re");
    if (!csv->in) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        csv->bad = true;
        return false;
    }
    size_t room = 0;
    if (getline(&csv->heading, &room, csv->in) < 0)
        return page_csv_refuse(csv, "there is no heading");
    csv->columns = split(csv->heading, csv->name);
    return csv->columns <= PAGE_COLUMNS || page_csv_refuse(csv, "too many columns");
}

bool page_csv_next(struct page_csv *csv)
{
    if (csv->bad || getline(&csv->line, &csv->room, csv->in) < 0)
        return false;
    csv->row++;
    return split(csv->line, csv->field) == csv->columns ||
           page_csv_refuse(csv, "it has not the columns of the heading");
}

void page_csv_close(struct page_csv *csv)
{
    if (csv->in)
        fclose(csv->in);
    free(csv->heading);
    free(csv->line);
}

unsigned page_csv_column(struct page_csv *csv, const char *name)
{
    unsigned c = 0;
    while (c < csv->columns && strcmp(csv->name[c], name) != 0)
        c++;
    if (c == csv->columns) {
        snprintf(csv->why, csv->size, "%s: there is no column '%s'", csv->path, name);
        csv->bad = true;
    }
    return c;
}
