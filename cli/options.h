/*
 * Options several subcommands share. A subcommand names a parser here as its argp child and gives
 * it what it fills in, in ARGP_KEY_INIT: state->child_inputs[0] = &options.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct in_machine;

/** --set; the input is a char **: the NULL-terminated list of assignments, NULL when empty. */
extern const struct argp cli_set_argp;

/** The one FILE of a subcommand that reads one; the input is a const char **, NULL at first. */
extern const struct argp cli_file_argp;

/** The one RUN_DIR of a subcommand that looks at a run; its input likewise. */
extern const struct argp cli_run_dir_argp;

/** What a subcommand that shows one machine is given. Zero is a good start. */
struct cli_machine {
    const char *name; /**< NULL: the default machine */
    char **sets;      /**< NULL-terminated assignments, NULL when empty */
};

/** [MACHINE] and --set; the input is a struct cli_machine. */
extern const struct argp cli_machine_argp;

/** Reads the machine, and releases what was given.
 *  @return false after a complaint; otherwise the caller ends with in_machine_free */
bool cli_machine_load(struct cli_machine *given, struct in_machine *machine);

/** What `run` and `stat` have in common. Zero is a good start; cli_options_free releases it. */
struct cli_options {
    char **sets;             /**< NULL-terminated assignments; the rest likewise */
    char **events, **groups; /**< NULL: none given */
    char **allow;            /**< as in_experiment_allow */
    const char *out;         /**< NULL: not given */
    bool force, quiet;
    bool out_given, host_threads_given;
    unsigned host_threads; /**< 0: not given */
    const char *window;    /**< of --waves, --trace or --paje; NULL: none given */
};

/** --event, --group, --set, --allow, --check, --output, --force, --quiet, --host-threads; the input
 * is a struct cli_options. */
extern const struct argp cli_options_argp;

/* What holds for the argument of every option: it is not empty, and an option that says one thing
 * is given once. All end the program with a message otherwise (status 2).
 * @param option  as the user writes it: "--output" */

/** @return arg */
const char *cli_value(struct argp_state *state, const char *option, const char *arg);
/** The same for an option that takes any text: what looks like the next option is that, and its own
 *  argument was forgotten. */
const char *cli_text(struct argp_state *state, const char *option, const char *arg);
/** Notes that the option is given. @param given  false at first */
void cli_once(struct argp_state *state, const char *option, bool *given);
/** The same for one of several that exclude each other; the same one again says nothing new.
 *  @param[in,out] given  the one that is given; NULL at first */
void cli_only(struct argp_state *state, const char *option, const char **given);
/** @return a whole number from 1 on */
unsigned cli_count(struct argp_state *state, const char *option, const char *arg);
/** Which row of a table has this name.
 *  @param what  for the message: "format"
 *  @param rows  `count` of `size` bytes, each begins with its name (const char *)
 *  @return its number */
size_t cli_named(struct argp_state *state, const char *what, const char *name, const void *rows,
                 size_t size, size_t count);

/** For a help_filter: has `print` write what stands in --help below the options.
 *  @return as of a help_filter */
char *cli_help(int key, const char *text, void (*print)(FILE *out));

void cli_options_free(struct cli_options *options);

#endif
