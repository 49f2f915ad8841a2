/* Memory for results is small; without it there is nothing sensible left to do, so these end the
 * program. */
#ifndef REP_MEMORY_H
#define REP_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/** calloc. */
void *rep_get(size_t count, size_t size);

/** Appends a text (printf) to a list of *count. The caller frees texts and list. */
void rep_append(char ***list, size_t *count, const char *format, va_list args);

#endif
