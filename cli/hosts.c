/*
 * A sweep on a list of hosts, by GNU parallel: a shard at a time on each, and there as many points
 * at a time as the host has processors.
 *
 * The one hard idea: who hears of an end. GNU parallel has a process group of its own, so that
 * Ctrl-C comes to us alone; we ask it to stop, and it stops its shards, here and elsewhere. If we
 * are killed, the kernel asks it.
 */
#include "cli/cluster.h"
#include "cli/stop.h"

#include "base/alloc.h"
#include "input/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHARD "host.sh"

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

static size_t count_hosts(const struct cli_given *c, char **wrong)
{
    return c->hosts ? count_listed(c->hosts, wrong) : count_lines(c->hosts_file, wrong);
}

unsigned cli_hosts_shards(const struct cli_sweep *ask, const struct swp_plan *plan)
{
    enum { EACH = 4 /**< so that a fast host takes more than a slow one */, MOST = 10000 };
    const struct cli_given *c = ask->given;
    char *wrong;
    const size_t hosts = count_hosts(c, &wrong);
    free(wrong);
    const size_t points = plan->sweep->points, good = EACH * (hosts ? hosts : 1);
    if (c->shards)
        return (unsigned)c->shards;
    return (unsigned)(good < points ? good : points);
}

/* Whether a file can be read and names somebody. */
static bool is_list(const char *path)
{
    struct stat st;
    char *wrong = NULL;
    const int error = stat(path, &st) || access(path, R_OK) ? errno : 0;
    const bool any = !error && S_ISREG(st.st_mode) && (count_lines(path, &wrong) || wrong);
    free(wrong);
    if (any)
        return true;
    fprintf(stderr, "numachine: error: --sshloginfile: '%s' %s%s\n", path,
            error                 ? "cannot be read: "
            : S_ISREG(st.st_mode) ? "names no host"
                                  : "is no ordinary file",
            error ? strerror(error) : "");
    return false;
}

bool cli_hosts_are_good(const struct cli_sweep *ask)
{
    const struct cli_given *c = ask->given;
    char *wrong = NULL;
    if (c->hosts_file && !is_list(c->hosts_file))
        return false;
    count_hosts(c, &wrong);
    if (wrong)
        fprintf(stderr,
                "numachine: error: %s: '%s' is no host; expected [N/][USER@]NAME[:PORT], or : for "
                "this one (what else ssh is to know stands in ~/.ssh/config)\n",
                cli_cluster_option(ask), wrong);
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
    cli_away_write(ctx, out, NULL);
    fprintf(out,
            "status=$?\n"
            "# What came to an end is not tried on another host.\n"
            "[ \"$status\" -gt %d ] || exit 0\n"
            "exit \"$status\"\n",
            CLI_EXIT_LIMIT);
}

static const struct cli_script scripts[] = {{SHARD, write_host}, {NULL, NULL}};

/* One that is asked to stop has ten seconds: as long as files may take. */
static char **command_of(const struct cli_away *away)
{
    const struct cli_given *c = away->ask->given;
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
                                 c->hosts ? "--sshlogin" : "--sshloginfile",
                                 c->hosts ? c->hosts : c->hosts_file};
    char **words = NULL, *command = NULL, *path = cli_away_script(away, SHARD);
    size_t size;
    FILE *out = sim_text_open(&command, &size);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        in_push(&words, fixed[i]);
    fputs("sh ", out);
    cli_away_quote(out, path);
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

void cli_hosts_show(struct cli_away *away)
{
    char **words = command_of(away);
    printf("# %s/cluster/" SHARD "\n", away->out);
    write_host(away, stdout);
    fputs("\n# run as\n", stdout);
    for (char **word = words; *word; word++) {
        cli_away_quote(stdout, *word);
        putchar(word[1] ? ' ' : '\n');
    }
    in_free_list(words);
}

/* Another program has the same name. */
bool cli_hosts_installed(void)
{
    char said[80];
    char *const words[] = {"parallel", "--version", NULL};
    if (!cli_away_ask(words, said, sizeof said) && strstr(said, "GNU parallel"))
        return true;
    fputs("numachine: error: GNU parallel is not installed here; install the package parallel\n",
          stderr);
    return false;
}

/* ---- its run --------------------------------------------------------------------------------- */

/* In the new process. */
static _Noreturn void become(char **words, pid_t parent)
{
    const int nothing = open("/dev/null", O_RDWR);
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, STOP);
    if (getppid() != parent)
        _exit(CLI_EXIT_INTERRUPTED);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0)
        execvp(words[0], words);
    _exit(CLI_EXIT_IO);
}

/* @return how it ended, as waitpid has it */
static int await(pid_t pid)
{
    const struct timespec second = {.tv_sec = 1};
    bool stopped = false;
    int status = 0;
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    while (!waitpid(pid, &status, WNOHANG)) {
        if (cli_stop_asked() && !stopped)
            kill(pid, STOP);
        stopped = cli_stop_asked();
        sigtimedwait(&children, NULL, &second);
    }
    return status;
}

static bool run(char **words, int *status)
{
    const pid_t self = getpid();
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    const pid_t pid = fork();
    if (pid == 0)
        become(words, self);
    if (pid < 0)
        fprintf(stderr, "numachine: error: cannot start a process: %s\n", strerror(errno));
    else
        *status = await(pid);
    return pid > 0;
}

/* What the shards have done. One that was stopped may be about to end elsewhere: --resume takes
 * what it has done. */
static enum cli_exit take(const struct swp_dir *dir, struct swp_plan *plan, int status)
{
    char why[5000];
    if (swp_shards_gather(dir, why, sizeof why) != DOC_DIR_MADE) {
        if (!cli_stop_asked())
            fprintf(stderr, "numachine: error: %s\n", why);
        return CLI_EXIT_IO;
    }
    swp_shards_ended(dir, plan);
    const size_t left = swp_plan_count(plan, SWP_WAITING);
    if (!left || cli_stop_asked())
        return CLI_EXIT_OK;
    fprintf(stderr,
            "numachine: error: %zu point%s not been run: GNU parallel ended with %s %d; "
            "--resume goes on\n",
            left, left == 1 ? " has" : "s have", WIFEXITED(status) ? "status" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return CLI_EXIT_IO;
}

enum cli_exit cli_hosts_run(const struct cli_sweep *ask, struct swp_plan *plan,
                            const struct swp_dir *dir, const char *name)
{
    struct cli_away away = {0};
    enum cli_exit result = CLI_EXIT_USAGE;
    int status;
    if (!swp_plan_count(plan, SWP_WAITING))
        return CLI_EXIT_OK;
    if (cli_away_open(&away, ask, plan, name, cli_hosts_shards(ask, plan))) {
        const bool good = cli_away_prepare(&away, dir, name, scripts);
        char **words = good ? command_of(&away) : NULL;
        result = good && run(words, &status) ? take(dir, plan, status) : CLI_EXIT_IO;
        in_free_list(words);
    }
    cli_away_close(&away);
    return result;
}
