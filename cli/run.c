/*
 * numachine run: an experiment file in, a run directory and a table out.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/session.h"

struct request {
    const char *file;
    struct cli_options options;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    (void)arg;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = &r->options;
    state->child_inputs[1] = &r->file;
    return 0;
}

static const struct argp_child children[] = {
    {&cli_options_argp, 0, NULL, 0}, {&cli_file_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .parser = parse,
    .children = children,
    .doc =
        "Runs the experiment in FILE (- is standard input; the name alone of a shipped one will "
        "do) and writes its results, without "
        "--output "
        "into a fresh results/NAME-NNN; the run directory is the last line of the output. Events "
        "and groups given here replace the file's."
        "\v"
        "SIGUSR1 prints the counts so far and where each thread is; SIGINT, SIGTERM and SIGHUP "
        "stop "
        "the run and keep its results, marked as partial; a second one, more than two seconds "
        "later, "
        "ends the program where it stands. Exit statuses: numachine --help."};

static enum cli_exit run(const struct request *r, struct in_experiment *x, int argc, char **argv)
{
    struct prog_outcome outcome;
    const struct cli_session session = {
        .experiment = x,
        .argc = argc,
        .argv = argv,
        .stdin_fd = -1,
        .keep = true,
        .out = r->options.out,
        .force = r->options.force,
        .quiet = r->options.quiet,
        .table = stdout,
    };
    const enum cli_exit status = cli_session_run(&session, &outcome);
    if (status == CLI_EXIT_EXPECT && outcome.end == PROG_EXITED &&
        (unsigned)outcome.status != x->expect_status)
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

    cli_parse(&argp, argc, argv, 0, &r);
    if (in_experiment_load(&x, r.file, r.options.sets, &diag)) {
        if (in_experiment_count(&x, r.options.events, r.options.groups, &diag) &&
            in_experiment_allow(&x, r.options.allow, &diag))
            status = run(&r, &x, argc, argv);
        in_experiment_free(&x);
    }
    cli_options_free(&r.options);
    return status;
}
