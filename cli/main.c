/*
 * numachine: the command line. One word chooses a subcommand, which reads the rest.
 */
#include "base/alloc.h"
#include "base/nearest.h"
#include "base/version.h"
#include "cli/cli.h"
#include "cli/host.h"
#include "cli/version.h"
#include "input/diag.h"
#include "input/home.h"
#include "show/cite.h"

#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert((int)SIM_EXIT_MEMORY == (int)CLI_EXIT_USAGE, "a status of exit.def");

/* A name and a sentence, whose further lines stand below its first one: argp would begin them at
 * the left. Who sets ARGP_HELP_FMT wants lines of another length, and has the sentence in one. */
static void put_row(FILE *out, int width, const char *name, const char *sentence)
{
    enum { COLUMNS = 77 };
    const size_t indent = 2 + (size_t)width, most = getenv("ARGP_HELP_FMT") ? SIZE_MAX : COLUMNS;
    size_t column = indent;
    fprintf(out, "  %-*s", width, name);
    for (const char *word = sentence; *word;) {
        const size_t length = strcspn(word, " ");
        if (column > indent && column + 1 + length > most) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)length, word);
        column += length;
        word += length + strspn(word + length, " ");
    }
    putc('\n', out);
}

/* What stands below the options in --help. Allocated. */
static char *commands_below(void)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    fputs("Commands (numachine COMMAND --help tells more):\n", out);
#define SECTION(title) fputs(" " title "\n", out);
#define COMMAND(name, arguments, options, sentence, text, notes, examples) \
    put_row(out, 10, #name, sentence);
#include "cli/commands.def"
    fputs("  test      build and run the tests (only as ./numachine test)\n\nExit status:\n", out);
#define EXIT(name, status, sentence) put_row(out, 5, #status, sentence);
#include "documents/exit.def"
#undef EXIT
    sim_text_close(out, &text);
    return text;
}

static const char *next_command(void *ctx, size_t i)
{
    (void)ctx;
    return cli_commands[i].name;
}

static int run_command(const struct cli_command *command, int argc, char **argv)
{
    struct cli_given given;
    char name[64];
    snprintf(name, sizeof name, "numachine %s", argv[0]);
    argv[0] = name;
    cli_parse(command, argc, argv, &given);
    const int status = command->run(&given);
    cli_given_free(&given);
    return status;
}

static int command_dispatch(int argc, char **argv)
{
    for (const struct cli_command *c = cli_commands; c->name; c++)
        if (!strcmp(argv[0], c->name))
            return run_command(c, argc, argv);
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

static int citation_print(const struct cli_given *given)
{
    size_t form = 0;
    if (given->count)
        cli_refuse(given, "--cite: it goes without '%.60s'", given->words[0]);
    if (given->cite)
        form = cli_named(given, "no format", given->cite, show_cite_forms, sizeof *show_cite_forms,
                         show_cite_form_count);
    show_cite_forms[form].print(stdout);
    return CLI_EXIT_OK;
}

/** What the whole command line asks for. @return exit status */
static int command_line_obey(const struct cli_given *given, int argc, char **argv)
{
    const int first = argc - (int)given->count;
    if (given->by[CLI_OPT_cite])
        return citation_print(given);
    return given->count && has_files() ? command_dispatch(argc - first, argv + first)
                                       : CLI_EXIT_USAGE;
}

/** For jansson, whose callers do not ask for every member whether there was memory for it. */
static void *alloc_text(size_t size)
{
    return sim_alloc(size, 1);
}

/** However the program ends, also behind --help: what it wrote has come to where it goes, or the
 *  status says that it has not. */
static void close_output(void)
{
    const bool flushed = !fflush(stdout);
    if (flushed && !ferror(stdout))
        return;
    fprintf(stderr, "numachine: error: standard output: %s\n",
            flushed ? "not all of it could be written" /* why, who wrote it has been told */
                    : strerror(errno));
    fflush(stderr);
    _exit(CLI_EXIT_IO);
}

const char *cli_git(void)
{
    return CLI_GIT;
}

int main(int argc, char **argv)
{
    static const struct cli_arguments arguments = {.usage = "COMMAND [ARGUMENTS]",
                                                   .most = CLI_REST};
    struct cli_command self = {
        .name = "numachine",
        .arguments = &arguments,
        .options = "cite",
        .text = "A cycle-level simulator of the Toronto NUMAchine and of its monitoring cards."};
    struct cli_given given;
    argp_program_version = "numachine " SIM_VERSION;
    argp_err_exit_status = CLI_EXIT_USAGE;
    argv[0] = "numachine";
    if (!cli_host_prepare())
        return CLI_EXIT_USAGE;
    json_set_alloc_funcs(alloc_text, free);
    atexit(close_output);
    char *notes = commands_below();
    self.notes = notes;
    cli_parse(&self, argc, argv, &given);
    const int status = command_line_obey(&given, argc, argv);
    cli_given_free(&given);
    free(notes);
    return status;
}
