/* Whether a text is UTF-8: files' names, arguments and symbols may be any bytes. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The character that a text begins with. In too many bytes, or half a surrogate pair, it is none.
 *  @param most  [bytes] that are there @param[out] code  of the character, if there is one
 *  @return its length in bytes; 0: it begins with none */
size_t sim_utf8(const char *text, size_t most, uint32_t *code);

/** Whether all of a text is. */
bool sim_is_utf8(const char *text);

#endif
