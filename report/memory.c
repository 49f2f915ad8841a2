/* Lists of texts for results. */
#include "report/memory.h"

#include "machine/alloc.h"

#include <stdio.h>
#include <stdlib.h>

void rep_append(char ***list, size_t *count, const char *format, va_list args)
{
    char **grown = nm_grow(*list, *count + 1, sizeof *grown);
    char *text;
    if (vasprintf(&text, format, args) < 0)
        nm_no_memory();
    grown[(*count)++] = text;
    *list = grown;
}
