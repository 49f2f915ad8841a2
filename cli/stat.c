/*
 * numachine stat: perf stat's habit. A program is named on the command line, runs with its own
 * standard streams, and the counts come on stderr, so that its output stays what it was.
 *
 * The exit status is the guest's own (128 + n when signal n killed it), as with perf stat, unless
 * the simulation itself could not go on: then it is one of documents/exit.def.
 */
#include "cli/stat.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/session.h"
#include "input/tables.h"
#include "input/yaml.h"

#include <string.h>
#include <unistd.h>

/** The program's variables each have one value. */
static void check_variables(const struct cli_given *g)
{
    for (char **arg = g->env; arg && *arg; arg++) {
        const size_t name = strcspn(*arg, "=") + 1;
        if (!strchr(*arg, '=') || **arg == '=')
            cli_refuse(g, "--env: '%.60s' is not NAME=VALUE", *arg);
        for (char **other = g->env; other < arg; other++)
            if (!strncmp(*other, *arg, name))
                cli_refuse(g, "--env: '%.*s' is given twice", (int)name - 1, *arg);
    }
}

/* ---- the experiment -------------------------------------------------------------------------- */

static bool set_limit(struct in_experiment *x, const char *text, struct in_diag *diag)
{
    char why[256];
    if (!text)
        return true;
    in_set_origin(x, IN_KEY_limit);
    if (in_time_parse(text, nm_value_cpu_clock(x->machine.params), 1, &x->limit, why, sizeof why))
        return true;
    in_error(diag, NULL, NULL, 0, 0, "--limit: '%.60s' %s", text, why);
    return false;
}

static bool set_processors(struct in_experiment *x, uint64_t processors, struct in_diag *diag)
{
    const uint64_t cards = nm_params_cards(x->machine.params);
    if (!processors)
        return true;
    if (processors > cards) {
        in_error(diag, NULL, NULL, 0, 0, "--processors %llu: the machine has %llu card%s",
                 (unsigned long long)processors, (unsigned long long)cards, sim_plural(cards));
        return false;
    }
    x->processors = (unsigned)processors;
    in_set_origin(x, IN_KEY_processors);
    return true;
}

bool cli_stat_experiment(struct in_experiment *x, const struct cli_given *g, struct in_diag *diag)
{
    check_variables(g);
    if (!in_experiment_make(x, g->machine, g->sets, diag))
        return false;
    if (x->expects) {
        in_error(
            diag, NULL, NULL, 0, 0,
            "--set expect.stats: expectations are an experiment's, and 'run' holds it to them");
        return false;
    }
    x->name = in_strdup("stat");
    if (!in_experiment_command(x, g->words, diag))
        return false;
    if (in_records(x) && !g->out) {
        in_error(diag, NULL, NULL, 0, 0, "what is recorded needs a place: --output DIR");
        return false;
    }
    if (g->by[CLI_OPT_seed]) {
        x->seed = g->seed;
        in_set_origin(x, IN_KEY_seed);
    }
    if (g->profile) {
        x->profile = 1;
        in_set_origin(x, IN_KEY_profile);
    }
    if (g->truth || g->truth_sizes) {
        x->truth = 1;
        in_set_origin(x, IN_KEY_truth);
    }
    if (g->truth_sizes) {
        x->truth_sizes = 1;
        in_set_origin(x, IN_KEY_truth_sizes);
    }
    if (g->env)
        in_replace_list(x, IN_KEY_envp, g->env);
    for (char **input = x->machine.inputs; input && *input; input++)
        in_push(&x->inputs, *input);
    return in_experiment_count(x, g->events, g->groups, diag) &&
           in_experiment_allow(x, g->allow, diag) && set_limit(x, g->limit, diag) &&
           set_processors(x, g->processors, diag);
}

/** What stands between fields; NULL: none, they are of JSON objects, or not in lines. */
static const char *separator_of(const struct cli_given *g)
{
    return cli_is_format(g, "csv") ? "," : g->separator;
}

int cli_stat(struct cli_given *g)
{
    struct in_diag diag = {.out = stderr};
    struct in_experiment x = {0};
    const bool lines = !cli_is_format(g, "text") || g->separator;
    int status = CLI_EXIT_USAGE;

    if (!g->quoted && !lines)
        cli_options_late(g, g->words);
    if (cli_stat_experiment(&x, g, &diag)) {
        const struct cli_session session = {
            .experiment = &x,
            .argc = g->argc,
            .argv = g->argv,
            .git = cli_git(),
            .stdin_fd = STDIN_FILENO,
            .keep = g->out != NULL,
            .out = g->out,
            .force = g->force,
            .quiet = g->quiet,
            .host_threads = (unsigned)g->host_threads,
            .passes = true,
            .lines = lines,
            .separator = separator_of(g),
            .table = stderr,
        };
        struct prog_outcome outcome;
        status = cli_passed_status(cli_session_run(&session, &outcome), &outcome);
    }
    in_experiment_free(&x);
    return status;
}
