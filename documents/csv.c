/*
 * A row is taken apart where it lies. It is a line, or several: an end of line in quotes belongs to
 * its field, as in the arguments of a sweep's points.
 */
#include "documents/csv.h"

#include "base/alloc.h"
#include "documents/intact.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool doc_csv_refuse(struct doc_csv *csv, const char *what)
{
    snprintf(csv->why, csv->size, "%s: line %lu: %s", csv->path, csv->row, what);
    csv->bad = true;
    return false;
}

/* Whether all quotes of a text that have opened have closed. */
static bool is_closed(const char *text)
{
    bool closed = true;
    while ((text = strchr(text, '"'))) {
        closed = !closed;
        text++;
    }
    return closed;
}

/* Appends the next line to a row. @return false: there is none */
static bool append_line(struct doc_csv *csv, char **text, size_t *room)
{
    char *line = NULL;
    size_t line_room = 0;
    const bool there = getline(&line, &line_room, csv->in) >= 0;
    if (there) {
        const size_t before = strlen(*text), bytes = before + strlen(line) + 1;
        if (bytes > *room)
            *text = sim_grow(*text, *room = 2 * bytes, 1);
        memcpy(*text + before, line, bytes - before);
        csv->lines++;
    }
    free(line);
    return there;
}

/* @return false: the file has ended */
static bool read_text(struct doc_csv *csv, char **text, size_t *room)
{
    if (getline(text, room, csv->in) < 0)
        return false;
    csv->row = ++csv->lines;
    while (!is_closed(*text) && append_line(csv, text, room))
        ;
    return true;
}

/* Takes the quotes off a field that begins at `from`. @return behind it */
static char *csv_unquote(char *from)
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

/* What begins so is a formula in a spreadsheet: the last four are as wide as a letter of Chinese.
 */
static bool begins_formula(const char *text)
{
    static const char *const begins[] = {"=",  "+",  "-",  "@",  "\t", "\r",
                                         "\n", "＝", "＋", "－", "＠", "'"};
    if (isalnum((unsigned char)*text)) /* nearly all do */
        return false;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (!strncmp(text, begins[i], strlen(begins[i])))
            return true;
    return false;
}

static bool is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return *text && !*end && !text[strspn(text, "+-.0123456789eE")];
}

bool doc_csv_is_marked(const char *text)
{
    return begins_formula(text) && !is_number(text);
}

static void end_row(char *text)
{
    size_t n = strlen(text);
    while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
        text[--n] = '\0';
}

/* @return how many fields */
static unsigned csv_split(char *text, char ***field, unsigned *room)
{
    unsigned count = 0;
    end_row(text);
    for (char *at = text; at; count++) {
        if (count == *room)
            *field = sim_grow(*field, *room = *room ? 2 * *room : 16, sizeof **field);
        (*field)[count] = at;
        at = *at == '"' ? csv_unquote(at) : at + strcspn(at, ",");
        at = *at ? (*at = '\0', at + 1) : NULL;
        (*field)[count] += (*field)[count][0] == '\'' && begins_formula((*field)[count] + 1);
    }
    return count;
}

bool doc_csv_open(struct doc_csv *csv, const char *path, char *why, size_t size)
{
    unsigned room = 0;
    const char *wrong;
    *csv = (struct doc_csv){.path = path, .why = why, .size = size, .row = 1};
    csv->in = doc_ordinary_open(path, &wrong);
    if (!csv->in) {
        snprintf(why, size, "%s: %s", path, wrong);
        csv->bad = true;
        return false;
    }
    if (!read_text(csv, &csv->heading, &csv->heading_room))
        return doc_csv_refuse(csv, "there is no heading");
    csv->columns = csv_split(csv->heading, &csv->name, &room);
    return true;
}

bool doc_csv_next(struct doc_csv *csv)
{
    if (csv->bad || !read_text(csv, &csv->line, &csv->line_room))
        return false;
    return csv_split(csv->line, &csv->field, &csv->fields_room) == csv->columns ||
           doc_csv_refuse(csv, "it has not the columns of the heading");
}

void doc_csv_close(struct doc_csv *csv)
{
    if (csv->in)
        fclose(csv->in);
    free(csv->heading);
    free(csv->line);
    free(csv->name);
    free(csv->field);
}

unsigned doc_csv_column(struct doc_csv *csv, const char *name)
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

/* ---- written ----------------------------------------------------------------------------------
 */

void doc_csv_field(FILE *out, const char *text)
{
    doc_separated_field(out, text, ",");
}

void doc_csv_row(FILE *out, const char *const *field, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            putc(',', out);
        doc_csv_field(out, field[i]);
    }
    fputs("\r\n", out);
}

/* Files of statistics have a hundred thousand such texts: they are looked through once. */
static bool needs_quotes(const char *text, const char *separator)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\r' || *text == '\n' ||
            (*text == *separator && !strncmp(text, separator, strlen(separator))))
            return true;
    return false;
}

void doc_separated_field(FILE *out, const char *text, const char *separator)
{
    const bool quoted = needs_quotes(text, separator);
    if (quoted)
        putc('"', out);
    if (doc_csv_is_marked(text))
        putc('\'', out);
    if (!quoted) {
        fputs(text, out);
        return;
    }
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}
