/* Words of commands that are printed or written for a shell. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include <stdio.h>

/** Writes a word as a shell reads it: in quotes. */
void sim_shell_quote(FILE *out, const char *word);

/** The same, the caller's. */
char *sim_shell_quoted(const char *word);

/** The same, without quotes if a shell takes it as it is. */
char *sim_shell_word(const char *word);

#endif
