/*
 * A sweep as jobs of Slurm: an array with a job for each shard, and one that collects when all of
 * these have ended, however they have.
 *
 * Jobs are requeued when their node dies, and go on with what is finished. What else a cluster
 * wants to know of a job (partition, time, account) sbatch reads from its own environment.
 */
#include "cli/cluster.h"

#include "base/alloc.h"
#include "cli/stop.h"

#include <stdlib.h>
#include <string.h>

#define SHARD   "shard.sh"
#define COLLECT "collect.sh"

unsigned cli_slurm_shards(const struct cli_sweep *ask, const struct swp_plan *plan)
{
    enum { ROUNDS = 8 /**< points one after another */, MOST = 64 };
    const size_t each = (size_t)ROUNDS * (ask->processes ? ask->processes : 1);
    const size_t good = (plan->sweep->points + each - 1) / each;
    if (ask->cluster->shards)
        return ask->cluster->shards;
    return good < MOST ? (unsigned)good : MOST;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* sbatch replaces what begins with a per cent. */
static void write_log(const struct cli_away *away, FILE *out, const char *name)
{
    fputs("#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --output=\"", out);
    for (const char *c = away->out; *c; c++)
        fputs(*c == '%' ? "%%" : (const char[]){*c, '\0'}, out);
    fprintf(out, "/cluster/%s.txt\"\n", name);
}

static void write_shard(void *ctx, FILE *out)
{
    const struct cli_away *away = ctx;
    char *jobs = sim_format("\"${SLURM_CPUS_ON_NODE:-%u}\"",
                            away->ask->processes ? away->ask->processes : 1);
    fputs(
        "#!/bin/sh\n# One shard of a sweep, a job of an array; written by numachine run --slurm.\n",
        out);
    fprintf(out, "#SBATCH --job-name=%s\n#SBATCH --array=", away->name);
    cli_away_numbers(away, out, ",");
    putc('\n', out);
    if (away->ask->processes)
        fprintf(out, "#SBATCH --cpus-per-task=%u\n", away->ask->processes);
    write_log(away, out, "shard-%a");
    fputs("shard=$SLURM_ARRAY_TASK_ID\n", out);
    cli_away_write(away, out, jobs);
    free(jobs);
}

static void write_collect(void *ctx, FILE *out)
{
    const struct cli_away *away = ctx;
    fputs("#!/bin/sh\n# Puts a sweep together when its shards have ended; written by numachine run "
          "--slurm.\n",
          out);
    fprintf(out, "#SBATCH --job-name=%s-collect\n", away->name);
    write_log(away, out, "collect");
    cli_away_quote(out, away->program);
    fputs(" collect ", out);
    cli_away_quote(out, away->out);
    putc('\n', out);
}

static const struct cli_script scripts[] = {
    {SHARD, write_shard}, {COLLECT, write_collect}, {NULL, NULL}};

void cli_slurm_show(struct cli_away *away)
{
    for (const struct cli_script *s = scripts; s->name; s++) {
        printf("# %s/cluster/%s\n", away->out, s->name);
        s->write(away, stdout);
        putchar('\n');
    }
    fputs("# submitted as\njob=$(sbatch --parsable ", stdout);
    char *shard = cli_away_script(away, SHARD), *collect = cli_away_script(away, COLLECT);
    cli_away_quote(stdout, shard);
    fputs(") &&\n    sbatch --dependency=afterany:\"${job%%;*}\" ", stdout);
    cli_away_quote(stdout, collect);
    putchar('\n');
    free(shard);
    free(collect);
}

bool cli_slurm_installed(void)
{
    char said[8];
    char *const words[] = {"sh", "-c", "command -v sbatch", NULL};
    if (!cli_away_ask(words, said, sizeof said))
        return true;
    fputs("numachine: error: --slurm: there is no sbatch here; submit from a host of the cluster, "
          "or install Slurm's commands (Debian: slurm-client)\n",
          stderr);
    return false;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

/* Takes the number from what sbatch says, "12" or "12;cluster". @return false: it says no number */
static bool take_number(char *said)
{
    const size_t digits = strspn(said, "0123456789");
    const bool good = digits && strchr(";\n", said[digits]);
    said[good ? digits : strcspn(said, "\n")] = '\0';
    return good;
}

/* Submits a script. @param after  the job it waits for; "": none @param[out] job  its number */
static enum cli_exit submit(const struct cli_away *away, const char *script, const char *after,
                            char *job, size_t size)
{
    char *path = cli_away_script(away, script),
         *dependency = sim_format("--dependency=afterany:%s", after);
    char *const words[] = {"sbatch", "--parsable", *after ? dependency : path, *after ? path : NULL,
                           NULL};
    enum cli_exit result = CLI_EXIT_OK;
    const int status = cli_away_ask(words, job, size);
    if (status && cli_stop_asked()) {
        fprintf(stderr, "numachine: error: %s\n", cli_stop_reason());
        result = CLI_EXIT_INTERRUPTED;
    } else if (status) {
        fprintf(stderr, "numachine: error: sbatch has not taken %s (its words are above)\n", path);
        result = CLI_EXIT_IO;
    } else if (!take_number(job)) {
        fprintf(stderr,
                "numachine: error: sbatch was to say the number of the job for %s, but says "
                "'%.60s'; squeue shows whether there is one\n",
                path, job);
        result = CLI_EXIT_IO;
    }
    free(path);
    free(dependency);
    return result;
}

static enum cli_exit submit_both(const struct cli_away *away)
{
    char job[80], last[80];
    enum cli_exit status = submit(away, SHARD, "", job, sizeof job);
    if (status != CLI_EXIT_OK) {
        fputs("numachine: nothing is submitted; --resume tries again\n", stderr);
        return status;
    }
    status =
        cli_stop_asked() ? CLI_EXIT_INTERRUPTED : submit(away, COLLECT, job, last, sizeof last);
    if (status != CLI_EXIT_OK)
        fprintf(stderr, "numachine: job %s is submitted; when it has ended: numachine collect %s\n",
                job, away->out);
    else if (!away->ask->options->quiet)
        fprintf(stderr, "job %s runs the points, job %s collects; squeue --jobs=%s,%s shows them\n",
                job, last, job, last);
    return status;
}

enum cli_exit cli_slurm_submit(const struct cli_sweep *ask, const struct swp_plan *plan,
                               const struct swp_dir *dir, const char *name)
{
    struct cli_away away;
    enum cli_exit status = CLI_EXIT_USAGE;
    if (cli_away_open(&away, ask, plan, name, cli_slurm_shards(ask, plan)))
        status = cli_away_prepare(&away, dir, name, scripts) ? submit_both(&away) : CLI_EXIT_IO;
    if (status == CLI_EXIT_OK)
        printf("%s\n", dir->place.path);
    cli_away_close(&away);
    return status;
}
