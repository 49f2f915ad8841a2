/*
 * numachine run: an experiment file in, a run directory and a table out.
 */
#include "cli/cli.h"
#include "cli/gdb.h"
#include "cli/session.h"
#include "cli/sweep.h"
#include "input/units.h"
#include "sweep/sweep.h"

/** "2/7": the second of seven. */
static void read_shard(const struct cli_given *g, struct cli_sweep *sweep)
{
    uint64_t shard = 0, shards = 0;
    const char *slash = in_whole_parse(g->shard, &shard);
    const char *end = slash && *slash == '/' ? in_whole_parse(slash + 1, &shards) : NULL;
    if (!end || *end || !shard || shard > shards || shards > UINT32_MAX)
        cli_refuse(g, "--shard: '%.60s' is not I/N with I from 1 to N, such as 2/7", g->shard);
    sweep->shard = (unsigned)shard - 1;
    sweep->shards = (unsigned)shards;
}

static enum cli_exit run_run(const struct cli_given *g, struct in_experiment *x)
{
    struct prog_outcome outcome;
    struct cli_session session = {
        .experiment = x,
        .argc = g->argc,
        .argv = g->argv,
        .git = cli_git(),
        .stdin_fd = -1,
        .keep = true,
        .out = g->out,
        .force = g->force,
        .quiet = g->quiet,
        .host_threads = (unsigned)g->host_threads,
        .table = stdout,
    };
    const enum cli_exit status = g->gdb ? (enum cli_exit)cli_debugged(g, &session, NULL, &outcome)
                                        : cli_session_run(&session, &outcome);
    if (status == CLI_EXIT_EXPECT && outcome.end == PROG_EXITED &&
        (unsigned)outcome.status != x->expect_status)
        fprintf(stderr, "numachine: error: the program exited with status %d; expected was %u\n",
                outcome.status, x->expect_status);
    return status;
}

/** Reads the experiment, or of its sweep the point asked for. */
static bool run_load(struct in_experiment *x, const struct cli_given *g, struct in_diag *diag)
{
    struct swp_sweep sweep;
    const char *file = g->words[0];
    if (!g->point)
        return in_experiment_load(x, file, g->sets, diag);
    bool good = swp_load(&sweep, file, g->sets, diag);
    const struct swp_point *point = good ? swp_find(&sweep, g->point) : NULL;
    if (good && !point)
        in_error(diag, NULL, NULL, 0, 0, "%s has no point '%.80s' (numachine points %s)", file,
                 g->point, file);
    good = point && swp_point_load(x, &sweep, point, file, g->sets, diag);
    swp_free(&sweep);
    return good;
}

static enum cli_exit run_sweep(const struct cli_given *g, struct cli_sweep *sweep)
{
    if (g->gdb) {
        fputs("numachine: error: --gdb: which of the sweep's runs? (--point ID)\n", stderr);
        return CLI_EXIT_USAGE;
    }
    if (!g->force)
        return cli_sweep_is_good(sweep) ? cli_sweep_run(sweep) : CLI_EXIT_USAGE;
    fputs("numachine: error: --force: a sweep replaces nothing; --resume goes on with one, and "
          "another --output begins one\n",
          stderr);
    return CLI_EXIT_USAGE;
}

int cli_run(struct cli_given *g)
{
    struct in_diag diag = {.out = stderr};
    struct in_experiment x;
    struct cli_sweep sweep = {.file = g->words[0], .given = g, .base = &x};
    const char *of_sweep = cli_first_given(g, CLI_SWEEP_AWAY " jobs shard shards dry_run resume");
    int status = CLI_EXIT_USAGE;

    if (g->shard)
        read_shard(g, &sweep);
    if (run_load(&x, g, &diag)) {
        if (x.sweep && !g->point)
            status = run_sweep(g, &sweep);
        else if (of_sweep)
            in_error(&diag, NULL, NULL, 0, 0, "%s: %s has no sweep: (docs/sweeps.md)", of_sweep,
                     g->words[0]);
        else if (in_experiment_count(&x, g->events, g->groups, &diag) &&
                 in_experiment_allow(&x, g->allow, &diag))
            status = run_run(g, &x);
        in_experiment_free(&x);
    }
    return status;
}
