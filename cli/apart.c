/* A process that simulates, and a pipe to it. */
#include "cli/apart.h"

#include "cli/session.h"
#include "run/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

bool cli_apart_give(int fd, const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        const ssize_t n = write(fd, at, size);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

bool cli_apart_take(int fd, void *bytes, size_t size)
{
    for (char *at = bytes; size;) {
        const ssize_t n = read(fd, at, size);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void apart_simulate(const struct in_experiment *x, const struct cli_apart *apart, int fd,
                           FILE *said)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const struct cli_session session = {.experiment = x,
                                        .stdin_fd = isatty(STDIN_FILENO) ? -1 : STDIN_FILENO,
                                        .quiet = true,
                                        .observer = apart->observer,
                                        .self = apart->self,
                                        .table = fopen("/dev/null", "we")};
    struct prog_outcome outcome;
    if (session.table && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 &&
        dup2(fileno(said), STDERR_FILENO) >= 0)
        apart->give(apart->self, cli_session_run(&session, &outcome), fd);
}

static void apart_repeat(FILE *said)
{
    rewind(said);
    for (int c; (c = getc(said)) != EOF;)
        putc(c, stderr);
}

bool cli_apart_run(const struct in_experiment *x, const struct cli_apart *apart)
{
    int fd[2];
    FILE *said = tmpfile();
    if (!said || pipe(fd)) {
        perror("numachine: error: a process of its own");
        return false;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(fd[0]);
        apart_simulate(x, apart, fd[1], said);
        fflush(NULL);
        _exit(0);
    }
    close(fd[1]);
    const bool good = child > 0 && apart->take(apart->self, fd[0]);
    close(fd[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        perror("numachine: error: fork");
    else if (!good)
        apart_repeat(said);
    fclose(said);
    return good;
}
