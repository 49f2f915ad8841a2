/*
 * Words of a command line that are not what somebody meant: options of no command, and options that
 * stand where they are the program's.
 */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <argp.h>
#include <stdbool.h>

/** Ends the program, with a "did you mean" and status 2, if a long option is none of the command's
 *  but near to one. Else it does nothing: argp_parse complains of what is wrong.
 *  @param flags  of argp_parse */
void cli_options_mistyped(const struct argp *argp, int argc, char *const *argv, unsigned flags);

/** Says in a note if a word behind a PROGRAM looks like an option of the command.
 *  @param words  the program and its arguments, NULL-terminated */
void cli_options_late(const struct argp *argp, char *const *words);

#endif
