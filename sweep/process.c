#include "sweep/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* In the new process. */
static _Noreturn void become(const struct swp_process *p, pid_t parent)
{
    const int nothing = open("/dev/null", O_RDWR);
    sigset_t none;
    sigemptyset(&none);
    if (p->group)
        setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, p->death);
    if (getppid() != parent)
        _exit(p->orphaned);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 &&
        (p->log < 0 || dup2(p->log, STDERR_FILENO) >= 0) && (p->lock < 0 || dup(p->lock) >= 0))
        execvp(p->program, p->words);
    _exit(p->failed);
}

pid_t swp_process_start(const struct swp_process *process)
{
    const pid_t self = getpid(), pid = fork();
    if (pid == 0)
        become(process, self);
    return pid;
}

static sigset_t children(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    return set;
}

void swp_process_watch(void)
{
    const sigset_t set = children();
    sigprocmask(SIG_BLOCK, &set, NULL);
}

void swp_process_pause(void)
{
    const sigset_t set = children();
    sigtimedwait(&set, NULL, &(struct timespec){.tv_sec = 1});
}

/* ---- a question ------------------------------------------------------------------------------ */

static int spawn(char *const *words, int out, pid_t *pid)
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
static void process_read_all(int fd, pid_t pid, const char *(*stop)(void), char *said, size_t size)
{
    enum { PAUSE = 100 /**< [ms] */ };
    struct pollfd end = {.fd = fd, .events = POLLIN};
    char more[256];
    size_t kept = 0;
    for (ssize_t n = 1; n > 0;) {
        const bool more_is_there = poll(&end, 1, PAUSE) > 0;
        if (stop())
            kill(pid, SIGTERM);
        n = more_is_there ? TEMP_FAILURE_RETRY(read(fd, more, sizeof more)) : 1;
        for (ssize_t i = 0; more_is_there && i < n; i++)
            if (kept + 1 < size)
                said[kept++] = more[i];
    }
    said[kept] = '\0';
}

int swp_process_ask(char *const *words, const char *(*stop)(void), char *said, size_t size)
{
    int ends[2], status;
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    const int error = spawn(words, ends[1], &pid);
    close(ends[1]);
    if (!error) {
        process_read_all(ends[0], pid, stop, said, size);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    errno = error;
    if (error)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
