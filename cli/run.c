/*
 * numachine run: an experiment file in, a run directory and a table out.
 */
#include "cli/cli.h"
#include "cli/cluster.h"
#include "cli/options.h"
#include "cli/session.h"
#include "cli/sweep.h"
#include "input/units.h"
#include "sweep/sweep.h"

struct request {
    const char *file;
    const char *point; /**< NULL: not given */
    bool point_given, processes_given, shard_given, shards_given;
    struct cli_sweep sweep;
    struct cli_cluster cluster;
    const char *of_sweep; /**< an option that only a sweep has; NULL: none was given */
    struct cli_options options;
};

enum { OPT_POINT = 0x300, OPT_SHARD, OPT_SHARDS, OPT_DRY, OPT_RESUME };

/** "2/7": the second of seven. */
static void read_shard(struct argp_state *state, const char *text, struct cli_sweep *sweep)
{
    uint64_t shard = 0, shards = 0;
    const char *slash = in_whole_parse(text, &shard);
    const char *end = slash && *slash == '/' ? in_whole_parse(slash + 1, &shards) : NULL;
    if (!end || *end || !shard || shard > shards || shards > UINT32_MAX)
        argp_error(state, "--shard: '%.60s' is not I/N with I from 1 to N, such as 2/7", text);
    sweep->shard = (unsigned)shard - 1;
    sweep->shards = (unsigned)shards;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &r->options;
        state->child_inputs[1] = &r->file;
        state->child_inputs[2] = &r->cluster;
        return 0;
    case OPT_POINT:
        cli_once(state, "--point", &r->point_given);
        r->point = cli_text(state, "--point", arg);
        return 0;
    case 'j':
        cli_once(state, "--jobs", &r->processes_given);
        r->sweep.processes = cli_count(state, "--jobs", arg);
        r->of_sweep = "--jobs";
        return 0;
    case OPT_SHARD:
        cli_once(state, "--shard", &r->shard_given);
        read_shard(state, cli_value(state, "--shard", arg), &r->sweep);
        r->of_sweep = "--shard";
        return 0;
    case OPT_SHARDS:
        cli_once(state, "--shards", &r->shards_given);
        r->cluster.shards = cli_count(state, "--shards", arg);
        r->of_sweep = "--shards";
        return 0;
    case OPT_DRY:
        r->sweep.dry = true;
        r->of_sweep = "--dry-run";
        return 0;
    case OPT_RESUME:
        r->sweep.resume = true;
        r->of_sweep = "--resume";
        return 0;
    case ARGP_KEY_END:
        if (r->cluster.option)
            r->of_sweep = r->cluster.option;
        if (r->point && r->of_sweep)
            argp_error(state, "--point and %s exclude each other", r->of_sweep);
        if (r->sweep.resume && !r->options.out)
            argp_error(state, "--resume: which directory? (--output)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"point", OPT_POINT, "ID", 0, "Of a sweep: this point (numachine points FILE)", 0},
    {"jobs", 'j', "N", 0, "Of a sweep: so many points at a time; else one a processor", 0},
    /* In front of --shard: a mistyped one is as near to both. */
    {"shards", OPT_SHARDS, "N", 0, "Of a sweep for Slurm or other hosts: cut it into N parts", 0},
    {"shard", OPT_SHARD, "I/N", 0, "Of a sweep: the I-th of N parts, the same ones everywhere", 0},
    {"resume", OPT_RESUME, NULL, 0,
     "Of a sweep: go on in --output's directory; what is finished there is kept", 0},
    {"dry-run", OPT_DRY, NULL, 0, "Of a sweep: say what would be run, and why; run nothing", 0},
    {0}};

static const struct argp_child children[] = {{&cli_options_argp, 0, NULL, 0},
                                             {&cli_file_argp, 0, NULL, 0},
                                             {&cli_cluster_argp, 0, NULL, 0},
                                             {0}};

static const struct argp argp = {
    .options = options,
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
        "ends the program where it stands. Exit statuses: numachine --help. "
        "Of a FILE with sweep: all points are run, and the status is the worst of theirs "
        "(docs/sweeps.md)."};

static enum cli_exit run(const struct request *r, struct in_experiment *x, int argc, char **argv)
{
    struct prog_outcome outcome;
    const struct cli_session session = {
        .experiment = x,
        .argc = argc,
        .argv = argv,
        .git = cli_git(),
        .stdin_fd = -1,
        .keep = true,
        .out = r->options.out,
        .force = r->options.force,
        .quiet = r->options.quiet,
        .host_threads = r->options.host_threads,
        .table = stdout,
    };
    const enum cli_exit status = cli_session_run(&session, &outcome);
    if (status == CLI_EXIT_EXPECT && outcome.end == PROG_EXITED &&
        (unsigned)outcome.status != x->expect_status)
        fprintf(stderr, "numachine: error: the program exited with status %d; expected was %u\n",
                outcome.status, x->expect_status);
    return status;
}

/** Reads the experiment, or of its sweep the point asked for. */
static bool load(struct in_experiment *x, const struct request *r, struct in_diag *diag)
{
    char *const *sets = r->options.sets;
    struct swp_sweep sweep;
    if (!r->point)
        return in_experiment_load(x, r->file, sets, diag);
    bool good = swp_load(&sweep, r->file, sets, diag);
    const struct swp_point *point = good ? swp_find(&sweep, r->point) : NULL;
    if (good && !point)
        in_error(diag, NULL, NULL, 0, 0, "%s has no point '%.80s' (numachine points %s)", r->file,
                 r->point, r->file);
    good = point && swp_point_load(x, &sweep, point, r->file, sets, diag);
    swp_free(&sweep);
    return good;
}

static enum cli_exit run_sweep(struct request *r, const struct in_experiment *base)
{
    r->sweep.base = base;
    r->sweep.file = r->file;
    r->sweep.options = &r->options;
    r->sweep.cluster = r->cluster.option ? &r->cluster : NULL;
    if (!r->options.force)
        return cli_cluster_is_good(&r->cluster, &r->sweep) ? cli_sweep_run(&r->sweep)
                                                           : CLI_EXIT_USAGE;
    fputs("numachine: error: --force: a sweep replaces nothing; --resume goes on with one, and "
          "another --output begins one\n",
          stderr);
    return CLI_EXIT_USAGE;
}

int cli_run(int argc, char **argv)
{
    struct request r = {0};
    struct in_diag diag = {.out = stderr};
    struct in_experiment x;
    int status = CLI_EXIT_USAGE;

    cli_parse(&argp, argc, argv, 0, &r);
    if (load(&x, &r, &diag)) {
        if (x.sweep && !r.point)
            status = run_sweep(&r, &x);
        else if (r.of_sweep)
            in_error(&diag, NULL, NULL, 0, 0, "%s: %s has no sweep: (docs/sweeps.md)", r.of_sweep,
                     r.file);
        else if (in_experiment_count(&x, r.options.events, r.options.groups, &diag) &&
                 in_experiment_allow(&x, r.options.allow, &diag))
            status = run(&r, &x, argc, argv);
        in_experiment_free(&x);
    }
    cli_options_free(&r.options);
    return status;
}
