/*
 * What Slurm and GNU parallel have in common: shards, and the script that runs one.
 *
 * The one hard idea: names. A script is read by sh, by sbatch (which has its own rules for quotes
 * and per cents) and by GNU parallel (which replaces braces). All names are absolute and quoted for
 * sh; a directory whose name means something to the others is refused.
 */
#include "sweep/away.h"

#include "base/alloc.h"
#include "base/shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool away_is_plain(const char *path)
{
    for (; *path; path++)
        if (iscntrl((unsigned char)*path) || strchr("\"\\{}", *path))
            return false;
    return true;
}

bool swp_away_possible(const struct swp_away *away, char *why, size_t size)
{
    if (away_is_plain(away->out))
        return away->slurm || swp_hosts_possible(away, why, size);
    snprintf(why, size,
             "--output: a directory on a cluster has no quotes, backslashes, braces or "
             "control characters in its name");
    return false;
}

bool swp_away_installed(const struct swp_away *away, char *why, size_t size)
{
    return away->slurm ? swp_slurm_installed(away->stop, why, size)
                       : swp_hosts_installed(away->stop, why, size);
}

/* ---- names ----------------------------------------------------------------------------------- */

static char *away_absolute(const char *home, const char *path)
{
    return path[0] == '/' ? sim_strdup(path) : sim_format("%s/%s", home, path);
}

static char *program_path(void)
{
    char path[4096];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    return sim_strndup(path, n < 0 ? 0 : (size_t)n);
}

static char *plain_name(const char *name)
{
    char *copy = sim_strdup(name);
    for (char *c = copy; *c; c++)
        if (!isascii(*c) || (!isalnum(*c) && !strchr(".-_", *c)))
            *c = '_';
    return copy;
}

bool swp_away_open(struct swp_away *away, const char *name, char *why, size_t size)
{
    away->home = getcwd(NULL, 0);
    if (!away->home) {
        snprintf(why, size, "the current directory is gone");
        return false;
    }
    const unsigned good = away->slurm ? swp_slurm_shards(away) : swp_hosts_shards(away);
    away->shards = away->asked ? away->asked : good;
    away->program = program_path();
    away->path = away_absolute(away->home, away->out);
    away->name = plain_name(name);
    if (away_is_plain(away->home))
        return true;
    snprintf(why, size,
             "the current directory: on a cluster its name has no quotes, backslashes, "
             "braces or control characters");
    return false;
}

void swp_away_close(struct swp_away *away)
{
    free(away->program);
    free(away->home);
    free(away->path);
    free(away->name);
}

void swp_away_show(const struct swp_away *away)
{
    if (away->slurm)
        swp_slurm_show(away);
    else
        swp_hosts_show(away);
}

/* ---- the script ------------------------------------------------------------------------------ */

static void write_each(FILE *out, const char *option, char *const *list)
{
    for (; list && *list; list++) {
        fprintf(out, " %s=", option);
        sim_shell_quote(out, *list);
    }
}

/* Which files the program finds depends on this; not every way to another host takes it along. */
static void write_home(FILE *out)
{
    const char *home = getenv("NUMACHINE_HOME");
    if (!home)
        return;
    fputs("export NUMACHINE_HOME=", out);
    sim_shell_quote(out, home);
    putc('\n', out);
}

void swp_away_write(const struct swp_away *away, FILE *out, const char *jobs)
{
    enum { NOT_RUN = 127 };
    fputs("out=", out);
    sim_shell_quote(out, away->path);
    fprintf(out, "/shards/$shard\nif ! cd ");
    sim_shell_quote(out, away->home);
    fprintf(out,
            " || [ ! -d \"$out\" ]; then\n"
            "    echo \"$(hostname) does not see $out, or not the directory of the files\" >&2\n"
            "    exit %d\nfi\n",
            NOT_RUN);
    write_home(out);
    sim_shell_quote(out, away->program);
    fprintf(out, " run --shard=\"$shard/%u\" --resume --output=\"$out\"", away->shards);
    if (jobs)
        fprintf(out, " --jobs=%s", jobs);
    else if (away->jobs)
        fprintf(out, " --jobs=%u", away->jobs);
    fputs(away->quiet ? " --quiet" : "", out);
    write_each(out, "--set", away->sets);
    write_each(out, "--event", away->events);
    write_each(out, "--group", away->groups);
    write_each(out, "--allow", away->allow);
    fputs(" -- ", out);
    sim_shell_quote(out, away->file);
    fputs(" >/dev/null\n", out);
}

char *swp_away_script(const struct swp_away *away, const char *script)
{
    return sim_format("%s/cluster/%s", away->path, script);
}

bool swp_away_prepare(struct swp_away *away, const struct swp_dir *dir, const char *name,
                      const struct swp_script *scripts, char *why, size_t size)
{
    char *room = swp_away_script(away, "");
    bool good = swp_shards_deal(dir, away->plan, name, away->shards, why, size);
    mkdir(room, 0777);
    for (; good && scripts->name; scripts++) {
        char *path = swp_away_script(away, scripts->name);
        good = doc_whole_write(path, false, scripts->write, away, NULL, why, size);
        free(path);
    }
    free(room);
    return good;
}

void swp_away_numbers(const struct swp_away *away, FILE *out, const char *between)
{
    const char *front = "";
    for (unsigned i = 0; i < away->shards; i++)
        if (swp_shards_wait(away->plan, i, away->shards)) {
            fprintf(out, "%s%u", front, i + 1);
            front = between;
        }
}
