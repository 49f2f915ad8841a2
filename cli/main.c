/*
 * numachine: the command line. One word chooses a subcommand, which reads the rest.
 */
#include "base/alloc.h"
#include "base/nearest.h"
#include "cli/cite.h"
#include "cli/cli.h"
#include "cli/host.h"
#include "cli/options.h"
#include "cli/version.h"
#include "cli/words.h"
#include "input/diag.h"
#include "input/home.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)SIM_EXIT_MEMORY == (int)CLI_EXIT_USAGE, "a status of exit.def");

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, function, sentence) {#name, function},
#include "cli/commands.def"
#undef COMMAND
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char doc[] =
    "A cycle-level simulator of the Toronto NUMAchine and of its monitoring cards.\v ";

static void print_help(FILE *out)
{
    fputs("Commands (numachine COMMAND --help tells more):\n", out);
#define COMMAND(name, function, sentence) fprintf(out, "  %-10s%s\n", #name, sentence);
#include "cli/commands.def"
#undef COMMAND
    fputs("  test      build and run the tests (only as ./numachine test)\n\nExit status:\n", out);
#define EXIT(name, status, sentence) fprintf(out, "  %-5d%s\n", status, sentence);
#include "cli/exit.def"
#undef EXIT
}

static char *help(int key, const char *text, void *input)
{
    (void)input;
    return cli_help(key, text, print_help);
}

/** What was asked for. */
struct choice {
    int first;                        /**< the subcommand's place in argv; 0: none */
    const struct cli_cite_form *cite; /**< NULL: not asked for */
};

enum { OPT_CITE = 0x400 };

static const char *next_command(void *ctx, size_t i)
{
    (void)ctx;
    return i < COMMANDS ? commands[i].name : NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct choice *choice = state->input;
    switch (key) {
    case OPT_CITE:
        choice->cite = cli_cite_forms;
        if (arg)
            choice->cite += cli_named(state, "format", arg, cli_cite_forms, sizeof *cli_cite_forms,
                                      cli_cite_form_count);
        return 0;
    case ARGP_KEY_ARG:
        if (choice->cite)
            argp_error(state, "--cite: it goes without '%.60s'", arg);
        choice->first = state->next - 1;
        state->next = state->argc; /* the rest is the subcommand's */
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (choice->cite)
            return 0;
        argp_state_help(state, stderr, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void cli_parse(const struct argp *argp, int argc, char **argv, unsigned flags, void *input)
{
    cli_options_mistyped(argp, argc, argv, flags);
    if (argp_parse(argp, argc, argv, flags, NULL, input))
        sim_no_memory();
}

static int dispatch(int argc, char **argv)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[0], commands[i].name) != 0)
            continue;
        char name[64];
        snprintf(name, sizeof name, "numachine %s", argv[0]);
        argv[0] = name;
        return commands[i].run(argc, argv);
    }
    const char *near = sim_nearest(argv[0], next_command, NULL);
    fprintf(stderr, "numachine: error: no command '%.60s'%s%s%s\n", argv[0],
            near ? "; did you mean '" : " (numachine --help)", near ? near : "", near ? "'?" : "");
    return CLI_EXIT_USAGE;
}

/** Whether the shipped files are where the user says. */
static bool has_files(void)
{
    char *wrong = in_home_wrong();
    const bool good = !wrong;
    if (!good)
        fprintf(stderr, "numachine: error: %s\n", wrong);
    free(wrong);
    return good;
}

/** What the whole command line asks for. @return exit status */
static int obey(const struct choice *choice, int argc, char **argv)
{
    if (choice->cite) {
        choice->cite->print(stdout);
        return CLI_EXIT_OK;
    }
    if (choice->first == 0 || !has_files())
        return CLI_EXIT_USAGE;
    return dispatch(argc - choice->first, argv + choice->first);
}

static const struct argp_option options[] = {
    {"cite", OPT_CITE, "FORMAT", OPTION_ARG_OPTIONAL,
     "What to cite, of this program and of the machine: as bibtex (default), or cff", 0},
    {0}};

/** For jansson, whose callers do not ask for every member whether there was memory for it. */
static void *alloc_text(size_t size)
{
    return sim_alloc(size, 1);
}

/** However the program ends, also behind --help: what it wrote has come to where it goes, or the
 *  status says that it has not. */
static void close_output(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return;
    perror("numachine: error: standard output");
    fflush(stderr);
    _exit(CLI_EXIT_IO);
}

const char *cli_git(void)
{
    return CLI_GIT;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {.options = options,
                                     .parser = parse,
                                     .args_doc = "COMMAND [ARGUMENTS]",
                                     .doc = doc,
                                     .help_filter = help};
    struct choice choice = {0};
    argp_program_version = "numachine " NM_VERSION;
    argp_err_exit_status = CLI_EXIT_USAGE;
    argv[0] = "numachine";
    if (!cli_host_prepare())
        return CLI_EXIT_USAGE;
    json_set_alloc_funcs(alloc_text, free);
    atexit(close_output);
    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &choice);
    return obey(&choice, argc, argv);
}
