/*
 * Texts that are no UTF-8, as a file's name or an argument may be: YAML holds them as !!binary, in
 * base64.
 */
#ifndef INPUT_BINARY_H
#define INPUT_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Writes bytes as a scalar of YAML. */
void in_binary_write(FILE *out, const char *text);
/** Reads base64, in its place, and ends it with a 0. Blanks are nothing.
 *  @param[in,out] length  [bytes] @return false: it is none; the text is as it was */
bool in_binary_read(char *text, size_t *length);

#endif
