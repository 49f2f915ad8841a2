/*
 * What Slurm and GNU parallel have in common: shards, and the script that runs one.
 *
 * The one hard idea: names. A script is read by sh, by sbatch (which has its own rules for quotes
 * and per cents) and by GNU parallel (which replaces braces). All names are absolute and quoted for
 * sh; a directory whose name means something to the others is refused.
 */
#include "cli/cluster.h"

#include "base/alloc.h"
#include "cli/stop.h"
#include "input/yaml.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static bool complain(const char *option, const char *sentence)
{
    fprintf(stderr, "numachine: error: %s: %s\n", option, sentence);
    return false;
}

static bool is_plain(const char *path)
{
    for (; *path; path++)
        if (iscntrl((unsigned char)*path) || strchr("\"\\{}", *path))
            return false;
    return true;
}

const char *cli_cluster_option(const struct cli_sweep *ask)
{
    return cli_first_given(ask->given, CLI_CLUSTER);
}

bool cli_cluster_is_good(const struct cli_sweep *ask)
{
    const struct cli_given *g = ask->given;
    const char *option = cli_cluster_option(ask);
    if (!option)
        return true;
    if (ask->shards)
        return complain(option, "it has shards of its own; leave --shard away");
    if (!g->out)
        return complain(option, "which directory? (--output, where all hosts see it)");
    if (!is_plain(g->out))
        return complain("--output", "a directory on a cluster has no quotes, backslashes, braces "
                                    "or control characters in its name");
    if (!g->slurm && !cli_hosts_are_good(ask))
        return false;
    return g->dry_run || (g->slurm ? cli_slurm_installed() : cli_hosts_installed());
}

/* ---- names ----------------------------------------------------------------------------------- */

static char *absolute(const char *home, const char *path)
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

bool cli_away_open(struct cli_away *away, const struct cli_sweep *ask, const struct swp_plan *plan,
                   const char *name, unsigned shards)
{
    char *home = getcwd(NULL, 0);
    *away = (struct cli_away){.ask = ask, .plan = plan, .shards = shards, .home = home};
    if (!home) {
        fprintf(stderr, "numachine: error: the current directory is gone\n");
        return false;
    }
    away->program = program_path();
    away->out = absolute(home, ask->given->out);
    away->name = plain_name(name);
    if (!is_plain(home))
        return complain(
            "the current directory",
            "on a cluster its name has no quotes, backslashes, braces or control characters");
    return true;
}

void cli_away_close(struct cli_away *away)
{
    free(away->program);
    free(away->home);
    free(away->out);
    free(away->name);
}

void cli_away_quote(FILE *out, const char *word)
{
    putc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            putc(*word, out);
    putc('\'', out);
}

/* ---- the script ------------------------------------------------------------------------------ */

static void write_each(FILE *out, const char *option, char *const *list)
{
    for (; list && *list; list++) {
        fprintf(out, " %s=", option);
        cli_away_quote(out, *list);
    }
}

/* Which files the program finds depends on this; not every way to another host takes it along. */
static void write_home(FILE *out)
{
    const char *home = getenv("NUMACHINE_HOME");
    if (!home)
        return;
    fputs("export NUMACHINE_HOME=", out);
    cli_away_quote(out, home);
    putc('\n', out);
}

void cli_away_write(const struct cli_away *away, FILE *out, const char *jobs)
{
    enum { NOT_RUN = 127 };
    const struct cli_given *o = away->ask->given;
    fputs("out=", out);
    cli_away_quote(out, away->out);
    fprintf(out, "/shards/$shard\nif ! cd ");
    cli_away_quote(out, away->home);
    fprintf(out,
            " || [ ! -d \"$out\" ]; then\n"
            "    echo \"$(hostname) does not see $out, or not the directory of the files\" >&2\n"
            "    exit %d\nfi\n",
            NOT_RUN);
    write_home(out);
    cli_away_quote(out, away->program);
    fprintf(out, " run --shard=\"$shard/%u\" --resume --output=\"$out\"", away->shards);
    if (jobs)
        fprintf(out, " --jobs=%s", jobs);
    else if (o->jobs)
        fprintf(out, " --jobs=%u", (unsigned)o->jobs);
    fputs(o->quiet ? " --quiet" : "", out);
    write_each(out, "--set", o->sets);
    write_each(out, "--event", o->events);
    write_each(out, "--group", o->groups);
    write_each(out, "--allow", o->allow);
    fputs(" -- ", out);
    cli_away_quote(out, away->ask->file);
    fputs(" >/dev/null\n", out);
}

char *cli_away_script(const struct cli_away *away, const char *script)
{
    return sim_format("%s/cluster/%s", away->out, script);
}

bool cli_away_prepare(struct cli_away *away, const struct swp_dir *dir, const char *name,
                      const struct cli_script *scripts)
{
    char why[5000];
    char *room = cli_away_script(away, "");
    bool good = swp_shards_deal(dir, away->plan, name, away->shards, why, sizeof why);
    mkdir(room, 0777);
    for (; good && scripts->name; scripts++) {
        char *path = cli_away_script(away, scripts->name);
        good = doc_whole_write(path, false, scripts->write, away, NULL, why, sizeof why);
        free(path);
    }
    if (!good)
        fprintf(stderr, "numachine: error: %s\n", why);
    free(room);
    return good;
}

void cli_away_numbers(const struct cli_away *away, FILE *out, const char *between)
{
    const char *front = "";
    for (unsigned i = 0; i < away->shards; i++)
        if (swp_shards_wait(away->plan, i, away->shards)) {
            fprintf(out, "%s%u", front, i + 1);
            front = between;
        }
}

/* ---- other programs -------------------------------------------------------------------------- */

static int start(char *const *words, int out, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    const int error = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* All that comes, of which the beginning is kept. A wish to stop goes on to who says it: it may
 * come at any moment, so nothing here waits for long. */
static void read_all(int fd, pid_t pid, char *said, size_t size)
{
    enum { PAUSE = 100 /**< [ms] */ };
    struct pollfd end = {.fd = fd, .events = POLLIN};
    char more[256];
    size_t kept = 0;
    for (ssize_t n = 1; n > 0;) {
        const bool more_is_there = poll(&end, 1, PAUSE) > 0;
        if (cli_stop_asked())
            kill(pid, SIGTERM);
        n = more_is_there ? TEMP_FAILURE_RETRY(read(fd, more, sizeof more)) : 1;
        for (ssize_t i = 0; more_is_there && i < n; i++)
            if (kept + 1 < size)
                said[kept++] = more[i];
    }
    said[kept] = '\0';
}

int cli_away_ask(char *const *words, char *said, size_t size)
{
    int ends[2], status;
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    const int error = start(words, ends[1], &pid);
    close(ends[1]);
    if (!error) {
        read_all(ends[0], pid, said, size);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    errno = error;
    if (error)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

enum cli_exit cli_cluster_show(const struct cli_sweep *ask, const struct swp_plan *plan,
                               const char *name)
{
    const bool slurm = ask->given->slurm;
    struct cli_away away;
    if (!swp_plan_count(plan, SWP_WAITING))
        return CLI_EXIT_OK;
    const bool good = cli_away_open(
        &away, ask, plan, name, slurm ? cli_slurm_shards(ask, plan) : cli_hosts_shards(ask, plan));
    if (good && slurm)
        cli_slurm_show(&away);
    else if (good)
        cli_hosts_show(&away);
    cli_away_close(&away);
    return good ? CLI_EXIT_OK : CLI_EXIT_USAGE;
}
