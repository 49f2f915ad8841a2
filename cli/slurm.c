/*
 * A sweep as jobs of Slurm: an array with a job for each shard, and one that collects when all of
 * these have ended, however they have.
 *
 * Jobs are requeued when their node dies, and go on with what is finished. What else a cluster
 * wants to know of a job (partition, time, account) sbatch reads from its own environment.
 *
 * The one hard idea: jobs that wait. Nothing of theirs is locked, but they will come, and what they
 * come for must be there. So their numbers are kept with the sweep, nobody else takes their shards
 * while Slurm knows of them, and a job that collects asks whether it is still the one to do so.
 */
#include "cli/cluster.h"
#include "documents/cells.h"

#include "base/alloc.h"
#include "cli/stop.h"
#include "documents/intact.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHARD   "shard.sh"
#define COLLECT "collect.sh"
#define JOBS    "cluster/jobs.json"

unsigned cli_slurm_shards(const struct cli_sweep *ask, const struct swp_plan *plan)
{
    enum { ROUNDS = 8 /**< points one after another */, MOST = 64 };
    const size_t each = ROUNDS * (ask->given->jobs ? ask->given->jobs : 1);
    const size_t good = (plan->sweep->points + each - 1) / each;
    if (ask->given->shards)
        return (unsigned)ask->given->shards;
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
    const unsigned asked = (unsigned)away->ask->given->jobs;
    char *jobs = sim_format("\"${SLURM_CPUS_ON_NODE:-%u}\"", asked ? asked : 1);
    fputs(
        "#!/bin/sh\n# One shard of a sweep, a job of an array; written by numachine run --slurm.\n",
        out);
    fprintf(out, "#SBATCH --job-name=%s\n#SBATCH --array=", away->name);
    cli_away_numbers(away, out, ",");
    putc('\n', out);
    if (asked)
        fprintf(out, "#SBATCH --cpus-per-task=%u\n", asked);
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
    fputs(" collect ${1:+\"--job=$1\"} ", out);
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
    puts(" \"${job%%;*}\"");
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

enum { NUMBER = 80 /**< bytes of what sbatch says */ };

/* What was submitted for a directory: numbers, and the cluster if sbatch names one. */
struct jobs {
    char shards[NUMBER], collect[NUMBER], cluster[NUMBER];
};

static void write_jobs(void *ctx, FILE *out)
{
    const struct jobs *jobs = ctx;
    json_t *root = json_pack("{s:s,s:s,s:s}", "shards", jobs->shards, "collect", jobs->collect,
                             "cluster", jobs->cluster);
    doc_json_put(out, root, JSON_INDENT(1));
}

static void take_text(const json_t *root, const char *name, char text[NUMBER])
{
    const char *found = json_string_value(json_object_get(root, name));
    snprintf(text, NUMBER, "%s", found ? found : "");
}

/* @return false: none are known */
static bool read_jobs(const char *directory, struct jobs *jobs)
{
    json_t *root = doc_document(directory, JOBS);
    take_text(root, "shards", jobs->shards);
    take_text(root, "collect", jobs->collect);
    take_text(root, "cluster", jobs->cluster);
    json_decref(root);
    return *jobs->shards;
}

/* Whether a line of squeue begins with the number of a job. */
static bool names_job(const char *said)
{
    for (const char *line = said; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        if (line[strspn(line, " ")] >= '0' && line[strspn(line, " ")] <= '9')
            return true;
    return false;
}

bool cli_slurm_waits(const char *directory, char *why, size_t size)
{
    struct jobs jobs;
    char said[256];
    if (!read_jobs(directory, &jobs))
        return false;
    /* Of one job that it has forgotten squeue complains; of two it does not. */
    const char *last = *jobs.collect ? jobs.collect : jobs.shards;
    char *which = sim_format("--jobs=%s,%s", jobs.shards, last),
         *where = sim_format("--clusters=%s", jobs.cluster);
    char *const words[] = {
        "squeue", "--noheader", "--format=%i", which, *jobs.cluster ? where : NULL, NULL};
    const int status = cli_away_ask(words, said, sizeof said);
    const bool waits = status || names_job(said);
    if (status)
        snprintf(why, size,
                 "Slurm does not say whether jobs %s and %s, which were submitted for '%s', still "
                 "wait or run (squeue: %s); ask on a host of the cluster, or, if they are gone, "
                 "remove '%s/" JOBS "'",
                 jobs.shards, last, directory, status < 0 ? strerror(errno) : "it failed",
                 directory);
    else if (waits)
        snprintf(why, size,
                 "jobs %s and %s, which were submitted for '%s', still wait or run: squeue "
                 "--jobs=%s,%s shows them, scancel %s %s ends them",
                 jobs.shards, last, directory, jobs.shards, last, jobs.shards, last);
    free(which);
    free(where);
    return waits;
}

bool cli_slurm_is_latest(const char *directory, const char *job)
{
    struct jobs jobs;
    return read_jobs(directory, &jobs) && !strcmp(jobs.shards, job);
}

void cli_slurm_forget(const char *directory)
{
    char *path = sim_format("%s/" JOBS, directory);
    unlink(path);
    free(path);
}

/* Takes the number from what sbatch says, "12" or "12;cluster". @param[out] cluster  its name, or
 * ""
 *  @return false: it says no number */
static bool take_number(char *said, char cluster[NUMBER])
{
    const size_t digits = strspn(said, "0123456789");
    const bool good = digits && strchr(";\n", said[digits]);
    const char *name = good && said[digits] == ';' ? said + digits + 1 : "";
    snprintf(cluster, NUMBER, "%.*s", (int)strcspn(name, "\n"), name);
    said[good ? digits : strcspn(said, "\n")] = '\0';
    return good;
}

/* Submits a script. @param after  the job it waits for, which is its argument; "": none
 *  @param[out] job  its number, and its cluster */
static enum cli_exit submit(const struct cli_away *away, const char *script, const char *after,
                            char job[NUMBER], char cluster[NUMBER])
{
    char *path = cli_away_script(away, script),
         *dependency = sim_format("--dependency=afterany:%s", after), *argument = sim_strdup(after);
    char *const first[] = {"sbatch", "--parsable", path, NULL}, *const second[] = {
                                                                    "sbatch",   "--parsable",
                                                                    dependency, path,
                                                                    argument,   NULL};
    enum cli_exit result = CLI_EXIT_OK;
    const int status = cli_away_ask(*after ? second : first, job, NUMBER);
    if (status && cli_stop_asked()) {
        fprintf(stderr, "numachine: error: %s\n", cli_stop_reason());
        result = CLI_EXIT_INTERRUPTED;
    } else if (status) {
        fprintf(stderr, "numachine: error: sbatch has not taken %s (its words are above)\n", path);
        result = CLI_EXIT_IO;
    } else if (!take_number(job, cluster)) {
        fprintf(stderr,
                "numachine: error: sbatch was to say the number of the job for %s, but says "
                "'%.60s'; squeue shows whether there is one\n",
                path, job);
        result = CLI_EXIT_IO;
    }
    free(path);
    free(dependency);
    free(argument);
    return result;
}

/* Without their numbers nobody would know of jobs that wait. */
static enum cli_exit keep_jobs(const struct cli_away *away, struct jobs *jobs)
{
    char why[5000];
    char *path = sim_format("%s/" JOBS, away->out);
    const bool good = doc_whole_write(path, false, write_jobs, jobs, NULL, why, sizeof why);
    if (!good)
        fprintf(stderr, "numachine: error: %s\n", why);
    free(path);
    return good ? CLI_EXIT_OK : CLI_EXIT_IO;
}

static enum cli_exit submit_both(const struct cli_away *away)
{
    struct jobs jobs = {0};
    enum cli_exit status = submit(away, SHARD, "", jobs.shards, jobs.cluster);
    if (status != CLI_EXIT_OK) {
        fputs("numachine: nothing is submitted; --resume tries again\n", stderr);
        return status;
    }
    status = keep_jobs(away, &jobs);
    if (status == CLI_EXIT_OK)
        status = cli_stop_asked() ? CLI_EXIT_INTERRUPTED
                                  : submit(away, COLLECT, jobs.shards, jobs.collect, jobs.cluster);
    if (status != CLI_EXIT_OK)
        fprintf(stderr, "numachine: job %s is submitted; when it has ended: numachine collect %s\n",
                jobs.shards, away->out);
    else if (!away->ask->given->quiet)
        fprintf(stderr, "job %s runs the points, job %s collects; squeue --jobs=%s,%s shows them\n",
                jobs.shards, jobs.collect, jobs.shards, jobs.collect);
    if (status == CLI_EXIT_OK)
        status = keep_jobs(away, &jobs);
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
