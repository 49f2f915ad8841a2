/*
 * Complaints, printed where the user can act on them: place, sentence, source line, caret.
 *
 * The one hard idea: nothing of a hostile file may reach the terminal as it is. Words quoted in a
 * sentence and the source line itself pass through one filter that lets through printable UTF-8
 * only, and one output column per input character, so that the caret stays under its character.
 */
#include "input/diag.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <string.h>

enum {
    MESSAGE_MAX = 2048,
    EXCERPT_MAX = 160, /**< [characters] longer source lines are shown in part */
    EXCERPT_LEAD = 60, /**< [characters] shown before the caret when the line is cut */
    ERRORS_MAX = 100,  /**< complaints printed; later ones are only counted */
};

/** Length in bytes of the printable UTF-8 character at `p` (`n` bytes left), 0 when there is none.
 */
static size_t printable(const unsigned char *p, size_t n)
{
    uint32_t c;
    const size_t length = sim_utf8((const char *)p, n, &c);
    return length && c >= 0x20 && (c < 0x7f || c >= 0xa0) ? length : 0;
}

/** Copies one character to `out` (NULL: nowhere) and returns its length in `p`. */
static size_t put_clean(FILE *out, const unsigned char *p, size_t n)
{
    const size_t len = printable(p, n);
    if (out && len)
        fwrite(p, 1, len, out);
    else if (out)
        fputc(*p == '\t' ? ' ' : '?', out);
    return len ? len : 1;
}

static void print_clean(FILE *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n;)
        i += put_clean(out, (const unsigned char *)text + i, n - i);
}

/** Bytes of the line break at `p`, 0 if there is none. The breaks are those of YAML 1.1. */
static size_t line_break(const char *p)
{
    if (p[0] == '\r')
        return p[1] == '\n' ? 2 : 1;
    if (p[0] == '\n')
        return 1;
    if (!strncmp(p, "\xc2\x85", 2))
        return 2;
    return !strncmp(p, "\xe2\x80\xa8", 3) || !strncmp(p, "\xe2\x80\xa9", 3) ? 3 : 0;
}

/** Start of line `line` (from 1) and its length; NULL past the end. */
static const char *find_line(const char *text, unsigned line, size_t *length)
{
    if (!strncmp(text, "\xef\xbb\xbf", 3))
        text += 3;
    for (; line > 1 && *text; line--) {
        while (*text && !line_break(text))
            text++;
        text += *text ? line_break(text) : 0;
    }
    if (line > 1)
        return NULL;
    *length = 0;
    while (text[*length] && !line_break(text + *length))
        ++*length;
    return text;
}

static void print_excerpt(FILE *out, const char *text, unsigned line, unsigned column)
{
    size_t length;
    const char *p = find_line(text, line, &length);
    if (!p)
        return;
    const unsigned skip = column > EXCERPT_MAX - EXCERPT_LEAD ? column - EXCERPT_LEAD : 0;
    size_t i = 0;
    for (unsigned c = 0; c < skip && i < length; c++)
        i += put_clean(NULL, (const unsigned char *)p + i, length - i);

    fprintf(out, "%5u | %s", line, skip ? "..." : "");
    for (unsigned c = 0; c < EXCERPT_MAX && i < length; c++)
        i += put_clean(out, (const unsigned char *)p + i, length - i);
    fprintf(out, "%s\n", i < length ? "..." : "");
    if (column)
        fprintf(out, "      | %*s^\n", (int)(column - 1 - skip) + (skip ? 3 : 0), "");
}

void in_error(struct in_diag *diag, const char *file, const char *text, unsigned line,
              unsigned column, const char *format, ...)
{
    if (++diag->errors > ERRORS_MAX || !diag->out) {
        if (diag->errors == ERRORS_MAX + 1 && diag->out)
            fprintf(diag->out, "numachine: further errors are not shown\n");
        return;
    }
    char message[MESSAGE_MAX];
    va_list ap;
    va_start(ap, format);
    vsnprintf(message, sizeof message, format, ap);
    va_end(ap);

    const char *where = file ? file : "numachine";
    print_clean(diag->out, where, strlen(where));
    if (file && line)
        fprintf(diag->out, ":%u:%u", line, column);
    fputs(": error: ", diag->out);
    print_clean(diag->out, message, strlen(message));
    fputc('\n', diag->out);
    if (text && line)
        print_excerpt(diag->out, text, line, column);
}
