/*
 * numachine stat: perf stat's habit. A program is named on the command line, runs with its own
 * standard streams, and the counts come on stderr, so that its output stays what it was.
 *
 * The exit status is the guest's own (128 + n when signal n killed it), as with perf stat, unless
 * the simulation itself could not go on: then it is one of cli/exit.def.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/words.h"
#include "input/tables.h"
#include "input/yaml.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_ENV = 256, OPT_LIMIT, OPT_PROFILE, OPT_SEED, OPT_TRUTH };

struct request {
    struct cli_options options;
    const char *machine, *limit;
    bool profile, truth;
    bool json;             /* lines for other programs, as objects, */
    const char *separator; /* or with this between fields; NULL: not so */
    const char *lines;     /* the option that says which; NULL: neither */
    bool quoted;           /* -- stands in front of the program */
    char **env, **program;
    uint64_t seed, processors;
    struct {
        bool machine, limit, seed, separator, processors;
    } given;
};

static uint64_t number(struct argp_state *state, const char *what, const char *text, uint64_t least)
{
    const struct in_form form = {IN_INT, "", least, INT64_MAX};
    uint64_t value = 0;
    char why[256];
    if (!in_value_parse(&form, text, &value, why, sizeof why))
        argp_error(state, "%s: '%.60s' %s", what, text, why);
    return value;
}

/** Adds a variable of the program's, each of which has one value. */
static void add_variable(struct argp_state *state, char ***env, char *arg)
{
    const size_t name = strcspn(arg, "=") + 1;
    if (!strchr(cli_value(state, "--env", arg), '=') || *arg == '=')
        argp_error(state, "--env: '%.60s' is not NAME=VALUE", arg);
    for (char **other = *env; other && *other; other++)
        if (!strncmp(*other, arg, name))
            argp_error(state, "--env: '%.*s' is given twice", (int)name - 1, arg);
    in_push(env, arg);
}

static error_t parse_value(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case OPT_ENV:
        add_variable(state, &r->env, arg);
        return 0;
    case OPT_SEED:
        cli_once(state, "--seed", &r->given.seed);
        r->seed = number(state, "--seed", arg, 0);
        return 0;
    case 'x':
        cli_once(state, "--field-separator", &r->given.separator);
        cli_only(state, "--field-separator", &r->lines);
        r->separator = cli_text(state, "--field-separator", arg);
        return 0;
    case 'j':
        cli_only(state, "--json", &r->lines);
        r->json = true;
        return 0;
    case OPT_PROFILE:
        r->profile = true;
        return 0;
    case OPT_TRUTH:
        r->truth = true;
        return 0;
    case 'p':
        cli_once(state, "--processors", &r->given.processors);
        r->processors = number(state, "--processors", arg, 1);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &r->options;
        return 0;
    case 'm':
        cli_once(state, "--machine", &r->given.machine);
        r->machine = cli_value(state, "--machine", arg);
        return 0;
    case OPT_LIMIT:
        cli_once(state, "--limit", &r->given.limit);
        r->limit = cli_value(state, "--limit", arg);
        return 0;
    case ARGP_KEY_ARGS:
        r->program = state->argv + state->next;
        r->quoted = state->quoted != 0;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which PROGRAM?");
        return 0;
    default:
        return parse_value(key, arg, state);
    }
}

static const struct argp_option options[] = {
    {"machine", 'm', "FILE", 0, "A shipped machine's name or a machine file", 0},
    {"processors", 'p', "N", 0, "Threads run on cards 0 to N-1 only", 0},
    {"env", OPT_ENV, "NAME=VALUE", 0, "Put a variable into the program's environment, else empty",
     0},
    {"field-separator", 'x', "SEP", 0,
     "Print counts and metrics as lines of fields, as perf stat -x does", 0},
    {"json", 'j', NULL, 0, "Print counts and metrics as JSON objects, a line each", 0},
    {"limit", OPT_LIMIT, "TIME", 0, "Stop after this simulated time: 100ms, 3000000cy (PCycles)",
     0},
    {"profile", OPT_PROFILE, NULL, 0,
     "Put every PCycle down to its instruction, calls and thread (numachine profile)", 0},
    {"truth", OPT_TRUTH, NULL, 0,
     "Find out why each miss had to be, and who touches which bytes of which line (numachine c2c)",
     0},
    {"seed", OPT_SEED, "N", 0, "Of everything random the program can see (default 1)", 0},
    {0}};

static const struct argp_child children[] = {{&cli_options_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc = "[--] PROGRAM [ARGUMENT...]",
    .doc = "Runs a static Linux PROGRAM, big-endian MIPS or armel, and counts, as the monitoring "
           "cards would."
           "\v"
           "The program has our standard input and output; the counts come on standard error. With "
           "--output there is a run directory too, and --quiet leaves only the counts where there "
           "is none. The "
           "exit status is the program's own, 128 + n if signal n killed it; numachine's own "
           "(numachine --help) come with a message."};

/* ---- the experiment -------------------------------------------------------------------------- */

static bool set_limit(struct in_experiment *x, const char *text, struct in_diag *diag)
{
    char why[256];
    if (!text)
        return true;
    in_set_origin(x, IN_KEY_limit);
    if (in_time_parse(text, x->machine.params.cpu_clock, 1, &x->limit, why, sizeof why))
        return true;
    in_error(diag, NULL, NULL, 0, 0, "--limit: '%.60s' %s", text, why);
    return false;
}

static bool set_processors(struct in_experiment *x, uint64_t processors, struct in_diag *diag)
{
    const uint64_t cards = nm_params_cards(&x->machine.params);
    if (!processors)
        return true;
    if (processors > cards) {
        in_error(diag, NULL, NULL, 0, 0, "--processors %llu: the machine has %llu cards",
                 (unsigned long long)processors, (unsigned long long)cards);
        return false;
    }
    x->processors = (unsigned)processors;
    in_set_origin(x, IN_KEY_processors);
    return true;
}

static bool make_experiment(struct in_experiment *x, const struct request *r, struct in_diag *diag)
{
    if (!in_experiment_make(x, r->machine, r->options.sets, diag))
        return false;
    if (x->expects) {
        in_error(
            diag, NULL, NULL, 0, 0,
            "--set expect.stats: expectations are an experiment's, and 'run' holds it to them");
        return false;
    }
    x->name = in_strdup("stat");
    if (!in_experiment_command(x, r->program, diag))
        return false;
    if (in_records(x) && !r->options.out) {
        in_error(diag, NULL, NULL, 0, 0, "what is recorded needs a place: --output DIR");
        return false;
    }
    if (r->seed != IN_ABSENT) {
        x->seed = r->seed;
        in_set_origin(x, IN_KEY_seed);
    }
    if (r->profile) {
        x->profile = 1;
        in_set_origin(x, IN_KEY_profile);
    }
    if (r->truth) {
        x->truth = 1;
        in_set_origin(x, IN_KEY_truth);
    }
    if (r->env)
        in_replace_list(x, IN_KEY_envp, r->env);
    for (char **input = x->machine.inputs; input && *input; input++)
        in_push(&x->inputs, *input);
    return in_experiment_count(x, r->options.events, r->options.groups, diag) &&
           in_experiment_allow(x, r->options.allow, diag) && set_limit(x, r->limit, diag) &&
           set_processors(x, r->processors, diag);
}

int cli_stat(int argc, char **argv)
{
    struct request r = {.seed = IN_ABSENT};
    struct in_diag diag = {.out = stderr};
    struct in_experiment x = {0};
    int status = CLI_EXIT_USAGE;

    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &r);
    if (!r.quoted && !r.lines)
        cli_options_late(&argp, r.program);
    if (make_experiment(&x, &r, &diag)) {
        const struct cli_session session = {
            .experiment = &x,
            .argc = argc,
            .argv = argv,
            .git = cli_git(),
            .stdin_fd = STDIN_FILENO,
            .keep = r.options.out != NULL,
            .out = r.options.out,
            .force = r.options.force,
            .quiet = r.options.quiet,
            .host_threads = r.options.host_threads,
            .passes = true,
            .lines = r.json || r.separator,
            .separator = r.separator,
            .table = stderr,
        };
        struct prog_outcome outcome;
        status = cli_passed_status(cli_session_run(&session, &outcome), &outcome);
    }
    in_experiment_free(&x);
    cli_options_free(&r.options);
    in_free_list(r.env);
    return status;
}
