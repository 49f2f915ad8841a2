/*
 * A sweep on a list of hosts, by GNU parallel: a shard at a time on each, and there as many points
 * at a time as the host has processors.
 *
 * The one hard idea: who hears of an end. GNU parallel has a process group of its own, so that
 * Ctrl-C comes to us alone; we ask it to stop, and it stops its shards, here and elsewhere. If we
 * are killed, the kernel asks it.
 */
#include "sweep/away.h"

#include "base/alloc.h"
#include "base/shell.h"
#include "input/yaml.h"
#include "sweep/process.h"

#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define HOST_SCRIPT "host.sh"

enum { STOP = SIGINT /**< to GNU parallel, which does not hear SIGTERM while it begins */ };

/* ---- hosts ----------------------------------------------------------------------------------- */

/* What GNU parallel is told of hosts it gives to a shell: [N/]HOST, where HOST is ":" or
 * [USER@]NAME[:PORT]. All else that ssh is to know stands in its own file. */
static bool is_host(const char *name)
{
    static const char host[] = "^([0-9]+/)?(:|([a-z0-9_][a-z0-9_.-]*@)?([a-z0-9_][a-z0-9_.-]*|"
                               "\\[[0-9a-f:.]+(%[a-z0-9]+)?\\])(:[0-9]+)?)$";
    regex_t pattern;
    if (regcomp(&pattern, host, REG_EXTENDED | REG_ICASE | REG_NOSUB))
        sim_no_memory();
    const bool is = !regexec(&pattern, name, 0, NULL, 0);
    regfree(&pattern);
    return is;
}

/* Takes each name of a list, or of a file's lines, until one is none.
 * @param[out] wrong  that one; NULL: all are good. The caller's
 * @return how many are good */
static size_t count_listed(const char *hosts, char **wrong)
{
    size_t count = 0;
    char *copy = sim_strdup(hosts), *rest = copy;
    *wrong = NULL;
    for (char *name; !*wrong && (name = strsep(&rest, ","));)
        if (is_host(name))
            count++;
        else
            *wrong = sim_strdup(name);
    free(copy);
    return count;
}

static size_t count_lines(const char *path, char **wrong)
{
    FILE *in = fopen(path, "re");
    size_t count = 0, size = 0;
    char *line = NULL;
    *wrong = NULL;
    while (in && !*wrong && getline(&line, &size, in) >= 0) {
        char *word = line + strspn(line, " \t\r\n");
        for (size_t n = strlen(word); n && strchr(" \t\r\n", word[n - 1]); n--)
            word[n - 1] = '\0';
        if (*word && *word != '#' && !is_host(word))
            *wrong = sim_strdup(word);
        count += *word && *word != '#';
    }
    if (in)
        fclose(in);
    free(line);
    return count;
}

static size_t count_hosts(const struct swp_away *away, char **wrong)
{
    return away->hosts ? count_listed(away->hosts, wrong) : count_lines(away->hosts_file, wrong);
}

unsigned swp_hosts_shards(const struct swp_away *away)
{
    enum { EACH = 4 /**< so that a fast host takes more than a slow one */ };
    char *wrong;
    const size_t hosts = count_hosts(away, &wrong);
    free(wrong);
    const size_t points = away->plan->sweep->points, good = EACH * (hosts ? hosts : 1);
    return (unsigned)(good < points ? good : points);
}

/* Whether a file can be read and names somebody. */
static bool is_list(const char *path, char *why, size_t size)
{
    struct stat st;
    char *wrong = NULL;
    const int error = stat(path, &st) || access(path, R_OK) ? errno : 0;
    const bool any = !error && S_ISREG(st.st_mode) && (count_lines(path, &wrong) || wrong);
    free(wrong);
    if (any)
        return true;
    snprintf(why, size, "--sshloginfile: '%s' %s%s", path,
             error                 ? "cannot be read: "
             : S_ISREG(st.st_mode) ? "names no host"
                                   : "is no ordinary file",
             error ? strerror(error) : "");
    return false;
}

bool swp_hosts_possible(const struct swp_away *away, char *why, size_t size)
{
    char *wrong = NULL;
    if (away->hosts_file && !is_list(away->hosts_file, why, size))
        return false;
    count_hosts(away, &wrong);
    if (wrong)
        snprintf(why, size,
                 "%s: '%s' is no host; expected [N/][USER@]NAME[:PORT], or : for this one (what "
                 "else ssh is to know stands in ~/.ssh/config)",
                 away->hosts ? "--sshlogin" : "--sshloginfile", wrong);
    const bool good = !wrong;
    free(wrong);
    return good;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void write_host(void *ctx, FILE *out)
{
    fputs("#!/bin/sh\n# One shard of a sweep, by its number; written by numachine run for GNU "
          "parallel.\nshard=$1\n",
          out);
    swp_away_write(ctx, out, NULL);
    fprintf(out,
            "status=$?\n"
            "# What came to an end is not tried on another host.\n"
            "[ \"$status\" -gt %d ] || exit 0\n"
            "exit \"$status\"\n",
            ((const struct swp_away *)ctx)->ended);
}

static const struct swp_script hosts_scripts[] = {{HOST_SCRIPT, write_host}, {NULL, NULL}};

/* One that is asked to stop has ten seconds: as long as files may take. */
static char **hosts_command_of(const struct swp_away *away)
{
    const char *const fixed[] = {"parallel",
                                 "--jobs",
                                 "1",
                                 "--line-buffer",
                                 "--tagstring",
                                 "shard {}:",
                                 "--retries",
                                 "3",
                                 "--termseq",
                                 "TERM,10000,KILL,25",
                                 away->hosts ? "--sshlogin" : "--sshloginfile",
                                 away->hosts ? away->hosts : away->hosts_file};
    char **words = NULL, *command = NULL, *path = swp_away_script(away, HOST_SCRIPT);
    size_t size;
    FILE *out = sim_text_open(&command, &size);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        in_push(&words, fixed[i]);
    fputs("sh ", out);
    sim_shell_quote(out, path);
    fputs(" {}", out);
    sim_text_close(out, &command);
    in_push(&words, command);
    in_push(&words, ":::");
    for (unsigned i = 0; i < away->shards; i++)
        if (swp_shards_wait(away->plan, i, away->shards)) {
            char number[16];
            snprintf(number, sizeof number, "%u", i + 1);
            in_push(&words, number);
        }
    free(command);
    free(path);
    return words;
}

void swp_hosts_show(const struct swp_away *away)
{
    char **words = hosts_command_of(away);
    printf("# %s/cluster/" HOST_SCRIPT "\n", away->path);
    write_host((void *)away, stdout);
    fputs("\n# run as\n", stdout);
    for (char **word = words; *word; word++) {
        sim_shell_quote(stdout, *word);
        putchar(word[1] ? ' ' : '\n');
    }
    in_free_list(words);
}

/* Another program has the same name. */
bool swp_hosts_installed(const char *(*stop)(void), char *why, size_t size)
{
    char said[80];
    char *const words[] = {"parallel", "--version", NULL};
    if (!swp_process_ask(words, stop, said, sizeof said) && strstr(said, "GNU parallel"))
        return true;
    snprintf(why, size, "GNU parallel is not installed here; install the package parallel");
    return false;
}

/* ---- its run --------------------------------------------------------------------------------- */

/* @return how it ended, as waitpid has it */
static int hosts_await(pid_t pid, const char *(*stop)(void))
{
    bool stopped = false;
    int status = 0;
    while (!waitpid(pid, &status, WNOHANG)) {
        if (stop() && !stopped)
            kill(pid, STOP);
        stopped = stop();
        swp_process_pause();
    }
    return status;
}

/* Runs it to its end. @return false: it was not started */
static bool hosts_run(const struct swp_away *away, int *status)
{
    char **words = hosts_command_of(away);
    swp_process_watch();
    const pid_t pid = swp_process_start(&(struct swp_process){.program = words[0],
                                                              .words = words,
                                                              .death = STOP,
                                                              .group = true,
                                                              .log = -1,
                                                              .lock = -1,
                                                              .orphaned = away->orphaned,
                                                              .failed = away->failed});
    if (pid > 0)
        *status = hosts_await(pid, away->stop);
    in_free_list(words);
    return pid > 0;
}

/* What the shards have done. One that was stopped may be about to end elsewhere: --resume takes
 * what it has done. */
static bool hosts_take(const struct swp_away *away, const struct swp_dir *dir,
                       struct swp_plan *plan, int status, char *why, size_t size)
{
    if (swp_shards_gather(dir, why, size) != DOC_DIR_MADE) {
        if (away->stop())
            *why = '\0';
        return false;
    }
    swp_shards_ended(dir, plan);
    const size_t left = swp_plan_count(plan, SWP_WAITING);
    if (!left || away->stop())
        return true;
    snprintf(why, size, "%zu point%s not been run: GNU parallel ended with %s %d; --resume goes on",
             left, left == 1 ? " has" : "s have", WIFEXITED(status) ? "status" : "signal",
             WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return false;
}

bool swp_hosts_run(struct swp_away *away, const struct swp_dir *dir, struct swp_plan *plan,
                   const char *name, char *why, size_t size)
{
    int status;
    if (!swp_away_prepare(away, dir, name, hosts_scripts, why, size))
        return false;
    if (hosts_run(away, &status))
        return hosts_take(away, dir, plan, status, why, size);
    snprintf(why, size, "cannot start a process: %s", strerror(errno));
    return false;
}
