/*
 * numachine run: an experiment file in, a run directory and a table out.
 */
#include "cli/cli.h"
#include "cli/session.h"
#include "input/yaml.h"

#include <stdlib.h>

enum { OPT_FORCE = 256, OPT_CHECK, OPT_FUNCTIONAL };

struct request {
    const char *file, *out;
    char **sets, **events;
    bool force, quiet;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case 'e':
        cli_add_events(&r->events, arg);
        return 0;
    case 'o':
        r->out = arg;
        return 0;
    case 'q':
        r->quiet = true;
        return 0;
    case 's':
        in_push(&r->sets, arg);
        return 0;
    case OPT_CHECK:
        in_push(&r->sets, "run.check=true");
        return 0;
    case OPT_FUNCTIONAL:
        in_push(&r->sets, "run.mode=functional");
        return 0;
    case OPT_FORCE:
        r->force = true;
        return 0;
    case ARGP_KEY_ARG:
        if (r->file)
            argp_error(state, "one FILE at a time");
        r->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which FILE? (- is standard input)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"event", 'e', "EVENTS", 0, "Count these instead of the file's: events, groups and sets", 0},
    {"set", 's', "KEY=VALUE", 0, "Replace a value of the file or of its machine", 0},
    {"check", OPT_CHECK, NULL, 0, "Carry data through the caches and compare every load", 0},
    {"functional", OPT_FUNCTIONAL, NULL, 0, "No caches and no timing: instructions only, but fast",
     0},
    {"output", 'o', "DIR", 0, "Where the results go (default: a fresh results/NAME-NNN)", 0},
    {"force", OPT_FORCE, NULL, 0, "Replace results that are already there", 0},
    {"quiet", 'q', NULL, 0, "No table and no progress", 0},
    {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "FILE",
    .doc =
        "Runs the experiment in FILE (- is standard input) and writes its results; the run "
        "directory is the last line of the output."
        "\v"
        "SIGUSR1 prints the counts so far; SIGINT and SIGTERM stop the run and keep its results, "
        "marked as partial. Exit statuses: numachine --help."};

static enum cli_exit run(const struct request *r, struct in_experiment *x, int argc, char **argv)
{
    struct prog_outcome outcome;
    const struct cli_session session = {
        .experiment = x,
        .argc = argc,
        .argv = argv,
        .stdin_fd = -1,
        .keep = true,
        .out = r->out,
        .force = r->force,
        .quiet = r->quiet,
        .table = stdout,
    };
    const enum cli_exit status = cli_session_run(&session, &outcome);
    if (status == CLI_EXIT_EXPECT && outcome.end == PROG_EXITED)
        fprintf(stderr, "numachine: error: the program exited with status %d; expected was %u\n",
                outcome.status, x->expect_status);
    return status;
}

int cli_run(int argc, char **argv)
{
    struct request r = {0};
    struct in_diag diag = {.out = stderr};
    struct in_experiment x;
    int status = CLI_EXIT_USAGE;

    argp_parse(&argp, argc, argv, 0, NULL, &r);
    if (in_experiment_load(&x, r.file, r.sets, &diag)) {
        if (r.events) {
            in_free_list(x.events);
            x.events = r.events;
            r.events = NULL;
        }
        status = run(&r, &x, argc, argv);
        in_experiment_free(&x);
    }
    in_free_list(r.sets);
    in_free_list(r.events);
    return status;
}
