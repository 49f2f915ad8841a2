/*
 * What a command line asks for. The options are rows of options.def, the commands and which options
 * each has rows of commands.def; one parser reads them all, so that they mean the same everywhere.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct in_machine;

enum cli_option {
#define OPTION(id, name, key, type, value, least, most, sentence) CLI_OPT_##id,
#include "cli/options.def"
    CLI_OPTION__COUNT
};

/* The field of each type. */
#define CLI_FLAG    bool
#define CLI_TEXT    const char *
#define CLI_NAME    const char *
#define CLI_MAYBE   const char *
#define CLI_CHOICE  const char *
#define CLI_HIDDEN  const char *
#define CLI_COUNT   uint64_t
#define CLI_MANY    char **
#define CLI_PARTS   char **
#define CLI_NUMBERS char **
#define CLI_SETS    bool
#define CLI_WINDOW  bool
#define CLI_ALIAS   bool
#define CLI_REFUSED bool

/** What a command is given. A field of an option that is not given is zero, or the default that the
 * command's row names. cli_given_free releases it. */
struct cli_given {
    const struct cli_command *command;
    int argc; /**< the command line; argv[0] is "numachine COMMAND" */
    char **argv;
    char **words; /**< [count] and a NULL: what is no option */
    size_t count;
    bool quoted;                       /**< "--" stands in front of the words */
    const char *by[CLI_OPTION__COUNT]; /**< the option as the user wrote it; NULL: not given */
    const char *window;                /**< of what is recorded; NULL: none given */
    char **kept;                       /**< texts that others here point to */
#define OPTION(id, name, key, type, value, least, most, sentence) CLI_##type id;
#include "cli/options.def"
};

/** Rows of commands.def. */
struct cli_arguments {
    const char *usage;
    unsigned least, most; /**< words; CLI_REST: the rest of the line */
    const char *which, *many;
};

struct cli_command {
    const char *name;
    int (*run)(struct cli_given *given);
    const struct cli_arguments *arguments;
    const char *options, *sentence, *text, *notes, *examples;
};

enum { CLI_REST = 1 << 20 };

/** Ended by one without a name. */
extern const struct cli_command cli_commands[];

/** Reads a command line. A wrong one ends the program with a message and status 2, and --help with
 * status 0. */
void cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_given *given);
void cli_given_free(struct cli_given *given);

/* What only a command can find wrong with its line, in the words of cli_parse. All end the program
 * if so. */

_Noreturn void cli_refuse(const struct cli_given *given, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/** Which row of a table has this name.
 *  @param what  for the message: "no format"
 *  @param table  `count` of `size` bytes, each begins with its name (const char *)
 *  @return its number */
size_t cli_named(const struct cli_given *given, const char *what, const char *name,
                 const void *table, size_t size, size_t count);
#define CLI_NAMED(given, what, name, rows) \
    cli_named(given, what, name, rows, sizeof *(rows), sizeof(rows) / sizeof *(rows))
/** Says in a note if a word behind a PROGRAM looks like an option of the command.
 *  @param program  its name and its words, NULL-terminated */
void cli_options_late(const struct cli_given *given, char *const *program);

/** Whether --format is this one. */
bool cli_is_format(const struct cli_given *given, const char *format);
/** The first of some options, by their ids, that is given, as the user wrote it. @return NULL: none
 */
const char *cli_first_given(const struct cli_given *given, const char *ids);
/** Reads the MACHINE that is the only word, with --set.
 *  @return false after a complaint; otherwise the caller ends with in_machine_free */
bool cli_machine_load(const struct cli_given *given, struct in_machine *machine);

#endif
