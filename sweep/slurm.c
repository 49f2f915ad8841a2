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
#include "sweep/away.h"

#include "base/alloc.h"
#include "base/shell.h"
#include "documents/cells.h"
#include "documents/intact.h"
#include "sweep/process.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHARD_SCRIPT   "shard.sh"
#define COLLECT_SCRIPT "collect.sh"
#define JOBS           "cluster/jobs.json"

unsigned swp_slurm_shards(const struct swp_away *away)
{
    enum { ROUNDS = 8 /**< points one after another */, MOST = 64 };
    const size_t each = ROUNDS * (away->jobs ? away->jobs : 1);
    const size_t good = (away->plan->sweep->points + each - 1) / each;
    return good < MOST ? (unsigned)good : MOST;
}

/* ---- scripts --------------------------------------------------------------------------------- */

/* sbatch replaces what begins with a per cent. */
static void write_log(const struct swp_away *away, FILE *out, const char *name)
{
    fputs("#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --output=\"", out);
    for (const char *c = away->path; *c; c++)
        fputs(*c == '%' ? "%%" : (const char[]){*c, '\0'}, out);
    fprintf(out, "/cluster/%s.txt\"\n", name);
}

static void write_shard(void *ctx, FILE *out)
{
    const struct swp_away *away = ctx;
    const unsigned asked = away->jobs;
    char *jobs = sim_format("\"${SLURM_CPUS_ON_NODE:-%u}\"", asked ? asked : 1);
    fputs(
        "#!/bin/sh\n# One shard of a sweep, a job of an array; written by numachine run --slurm.\n",
        out);
    fprintf(out, "#SBATCH --job-name=%s\n#SBATCH --array=", away->name);
    swp_away_numbers(away, out, ",");
    putc('\n', out);
    if (asked)
        fprintf(out, "#SBATCH --cpus-per-task=%u\n", asked);
    write_log(away, out, "shard-%a");
    fputs("shard=$SLURM_ARRAY_TASK_ID\n", out);
    swp_away_write(away, out, jobs);
    free(jobs);
}

static void write_collect(void *ctx, FILE *out)
{
    const struct swp_away *away = ctx;
    fputs("#!/bin/sh\n# Puts a sweep together when its shards have ended; written by numachine run "
          "--slurm.\n",
          out);
    fprintf(out, "#SBATCH --job-name=%s-collect\n", away->name);
    write_log(away, out, "collect");
    sim_shell_quote(out, away->program);
    fputs(" collect ${1:+\"--job=$1\"} ", out);
    sim_shell_quote(out, away->path);
    putc('\n', out);
}

static const struct swp_script slurm_scripts[] = {
    {SHARD_SCRIPT, write_shard}, {COLLECT_SCRIPT, write_collect}, {NULL, NULL}};

void swp_slurm_show(const struct swp_away *away)
{
    for (const struct swp_script *s = slurm_scripts; s->name; s++) {
        printf("# %s/cluster/%s\n", away->path, s->name);
        s->write((void *)away, stdout);
        putchar('\n');
    }
    fputs("# submitted as\njob=$(sbatch --parsable ", stdout);
    char *shard = swp_away_script(away, SHARD_SCRIPT),
         *collect = swp_away_script(away, COLLECT_SCRIPT);
    sim_shell_quote(stdout, shard);
    fputs(") &&\n    sbatch --dependency=afterany:\"${job%%;*}\" ", stdout);
    sim_shell_quote(stdout, collect);
    puts(" \"${job%%;*}\"");
    free(shard);
    free(collect);
}

bool swp_slurm_installed(const char *(*stop)(void), char *why, size_t size)
{
    char said[8];
    char *const words[] = {"sh", "-c", "command -v sbatch", NULL};
    if (!swp_process_ask(words, stop, said, sizeof said))
        return true;
    snprintf(why, size,
             "--slurm: there is no sbatch here; submit from a host of the cluster, or "
             "install Slurm's commands (Debian: slurm-client)");
    return false;
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void write_jobs(void *ctx, FILE *out)
{
    const struct swp_slurm_jobs *jobs = ctx;
    json_t *root = json_pack("{s:s,s:s,s:s}", "shards", jobs->shards, "collect", jobs->collect,
                             "cluster", jobs->cluster);
    doc_json_put(out, root, JSON_INDENT(1));
}

static void slurm_take_text(const json_t *root, const char *name, char text[SWP_JOB_NUMBER])
{
    const char *found = json_string_value(json_object_get(root, name));
    snprintf(text, SWP_JOB_NUMBER, "%s", found ? found : "");
}

/* @return false: none are known */
static bool read_jobs(const char *directory, struct swp_slurm_jobs *jobs)
{
    json_t *root = doc_document(directory, JOBS);
    slurm_take_text(root, "shards", jobs->shards);
    slurm_take_text(root, "collect", jobs->collect);
    slurm_take_text(root, "cluster", jobs->cluster);
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

bool swp_slurm_waits(const char *directory, const char *(*stop)(void), char *why, size_t size)
{
    struct swp_slurm_jobs jobs;
    char said[256];
    if (!read_jobs(directory, &jobs))
        return false;
    /* Of one job that it has forgotten squeue complains; of two it does not. */
    const char *last = *jobs.collect ? jobs.collect : jobs.shards;
    char *which = sim_format("--jobs=%s,%s", jobs.shards, last),
         *where = sim_format("--clusters=%s", jobs.cluster);
    char *const words[] = {
        "squeue", "--noheader", "--format=%i", which, *jobs.cluster ? where : NULL, NULL};
    const int status = swp_process_ask(words, stop, said, sizeof said);
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

bool swp_slurm_is_latest(const char *directory, const char *job)
{
    struct swp_slurm_jobs jobs;
    return read_jobs(directory, &jobs) && !strcmp(jobs.shards, job);
}

void swp_slurm_forget(const char *directory)
{
    char *path = sim_format("%s/" JOBS, directory);
    unlink(path);
    free(path);
}

/* Takes the number from what sbatch says, "12" or "12;cluster". @param[out] cluster  its name, or
 * ""
 *  @return false: it says no number */
static bool take_number(char *said, char cluster[SWP_JOB_NUMBER])
{
    const size_t digits = strspn(said, "0123456789");
    const bool good = digits && strchr(";\n", said[digits]);
    const char *name = good && said[digits] == ';' ? said + digits + 1 : "";
    snprintf(cluster, SWP_JOB_NUMBER, "%.*s", (int)strcspn(name, "\n"), name);
    said[good ? digits : strcspn(said, "\n")] = '\0';
    return good;
}

/* Submits a script. @param after  the job it waits for, which is its argument; "": none
 *  @param[out] job  its number, and its cluster; "" if there is none: see `why` */
static enum swp_went slurm_submit(const struct swp_away *away, const char *script,
                                  const char *after, char job[SWP_JOB_NUMBER],
                                  char cluster[SWP_JOB_NUMBER], char *why, size_t size)
{
    char *path = swp_away_script(away, script),
         *dependency = sim_format("--dependency=afterany:%s", after), *argument = sim_strdup(after);
    char *const first[] = {"sbatch", "--parsable", path, NULL};
    char *const second[] = {"sbatch", "--parsable", dependency, path, argument, NULL};
    enum swp_went went = SWP_WENT_WRONG;
    const int status = swp_process_ask(*after ? second : first, away->stop, job, SWP_JOB_NUMBER);
    if (status && away->stop()) {
        snprintf(why, size, "%s", away->stop());
        went = SWP_WENT_STOPPED;
    } else if (status) {
        snprintf(why, size, "sbatch has not taken %s (its words are above)", path);
    } else if (!take_number(job, cluster)) {
        snprintf(why, size,
                 "sbatch was to say the number of the job for %s, but says '%.60s'; squeue shows "
                 "whether there is one",
                 path, job);
    } else {
        went = SWP_WENT_WELL;
    }
    if (went != SWP_WENT_WELL)
        job[0] = '\0';
    free(path);
    free(dependency);
    free(argument);
    return went;
}

/* Without their numbers nobody would know of jobs that wait. */
static enum swp_went keep_jobs(const struct swp_away *away, struct swp_slurm_jobs *jobs, char *why,
                               size_t size)
{
    char *path = sim_format("%s/" JOBS, away->path);
    const bool good = doc_whole_write(path, false, write_jobs, jobs, NULL, why, size);
    free(path);
    return good ? SWP_WENT_WELL : SWP_WENT_WRONG;
}

enum swp_went swp_slurm_submit(struct swp_away *away, const struct swp_dir *dir, const char *name,
                               struct swp_slurm_jobs *jobs, char *why, size_t size)
{
    *jobs = (struct swp_slurm_jobs){.shards = ""};
    if (!swp_away_prepare(away, dir, name, slurm_scripts, why, size))
        return SWP_WENT_NOWHERE;
    enum swp_went went =
        slurm_submit(away, SHARD_SCRIPT, "", jobs->shards, jobs->cluster, why, size);
    if (went == SWP_WENT_WELL)
        went = keep_jobs(away, jobs, why, size);
    if (went == SWP_WENT_WELL && away->stop())
        went = SWP_WENT_STOPPED;
    if (went == SWP_WENT_WELL)
        went = slurm_submit(away, COLLECT_SCRIPT, jobs->shards, jobs->collect, jobs->cluster, why,
                            size);
    return went == SWP_WENT_WELL ? keep_jobs(away, jobs, why, size) : went;
}
