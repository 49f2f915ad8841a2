/*
 * Words for a shell. Between single quotes it takes everything as it is, but for the quote itself.
 */
#include "base/shell.h"

#include "base/alloc.h"

#include <string.h>

void sim_shell_quote(FILE *out, const char *word)
{
    putc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

char *sim_shell_quoted(const char *word)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    sim_shell_quote(out, word);
    sim_text_close(out, &text);
    return text;
}

char *sim_shell_word(const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "%+,-./:=@_";
    return *word && !word[strspn(word, plain)] ? sim_strdup(word) : sim_shell_quoted(word);
}
