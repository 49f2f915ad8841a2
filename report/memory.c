/* Memory and lists of texts for results. */
#include "report/memory.h"

#include <stdio.h>
#include <stdlib.h>

void *rep_get(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        abort();
    return p;
}

void rep_append(char ***list, size_t *count, const char *format, va_list args)
{
    char **grown = realloc(*list, (*count + 1) * sizeof *grown);
    char *text;
    if (!grown || vasprintf(&text, format, args) < 0)
        abort();
    grown[(*count)++] = text;
    *list = grown;
}
