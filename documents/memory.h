/* Lists of texts for results. */
#ifndef DOC_MEMORY_H
#define DOC_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

/** Appends a text (printf) to a list of *count; ends the program when memory is exhausted. The
 *  caller frees texts and list. */
void doc_append(char ***list, size_t *count, const char *format, va_list args);

#endif
