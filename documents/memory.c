/* Lists of texts for results. */
#include "documents/memory.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

void doc_append(char ***list, size_t *count, const char *format, va_list args)
{
    char **grown = sim_grow(*list, *count + 1, sizeof *grown);
    grown[(*count)++] = sim_vformat(format, args);
    *list = grown;
}
