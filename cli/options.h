/*
 * Options several subcommands share. A subcommand names a parser here as its argp child and gives
 * it what it fills in, in ARGP_KEY_INIT: state->child_inputs[0] = &options.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

/** --set; the input is a char **: the NULL-terminated list of assignments, NULL when empty. */
extern const struct argp cli_set_argp;

/** The one FILE of a subcommand that reads one; the input is a const char **, NULL at first. */
extern const struct argp cli_file_argp;

/** What `run` and `stat` have in common. Zero is a good start; cli_options_free releases it. */
struct cli_options {
    char **sets;             /**< NULL-terminated assignments; the rest likewise */
    char **events, **groups; /**< NULL: none given */
    char **allow;            /**< as in_experiment_allow */
    const char *out;         /**< NULL: not given */
    bool force, quiet;
    bool out_given;
};

/** --event, --group, --set, --allow, --check, --output, --force, --quiet; the input is a struct
 *  cli_options. */
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

void cli_options_free(struct cli_options *options);

#endif
