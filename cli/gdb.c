/*
 * numachine gdb: a program under a debugger.
 *
 * The debugger and we talk over a socket that only this user can open, or over one of the loopback
 * interface; the first who connects is the only one. gdb has the terminal: what is typed there to
 * interrupt goes to gdb, which tells us.
 */
#include "cli/gdb.h"
#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/stat.h"
#include "cli/stop.h"
#include "debug/at_end.h"
#include "debug/rsp.h"
#include "debug/verbs.h"
#include "input/home.h"
#include "input/yaml.h"
#include "programs/scratch.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static const char debugger[] = "gdb-multiarch";

/* Who is talked to, and what has been made for that. */
struct talk {
    const struct cli_given *given;
    int fd, to;
    pid_t gdb;        /* 0: it is not ours */
    char socket[108]; /* for a gdb of ours */
    struct dbg_commands commands;
    char why[256]; /* it cannot be */
};

static bool gdb_fails(struct talk *t, const char *what)
{
    snprintf(t->why, sizeof t->why, "%s: %s", what, strerror(errno));
    return false;
}

/* ---- sockets --------------------------------------------------------------------------------- */

static bool gdb_is_over(const struct talk *t)
{
    siginfo_t info = {0};
    return t->gdb > 0 && waitid(P_PID, (id_t)t->gdb, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid;
}

/* The first who connects; nobody else can. A gdb of ours that ends instead is no reason to wait. */
static bool gdb_accept(struct talk *t, int listening, const char *what)
{
    enum { EACH_MS = 200 };
    struct pollfd in = {.fd = listening, .events = POLLIN};
    int ready = 0;
    /* a signal that asks for a look interrupts, too */
    while ((ready == 0 || (ready < 0 && errno == EINTR)) && !gdb_is_over(t) && !cli_stop_asked())
        ready = poll(&in, 1, EACH_MS);
    if (ready > 0)
        t->fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    close(listening);
    t->to = t->fd;
    if (t->fd < 0 && cli_stop_asked()) {
        snprintf(t->why, sizeof t->why, "%s: no debugger had come", what);
        return false;
    }
    return t->fd >= 0 || gdb_fails(t, what);
}

static int listen_at(struct talk *t, int family, const void *address, socklen_t size,
                     const char *what)
{
    const int one = 1, fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) == 0 &&
        bind(fd, address, size) == 0 && listen(fd, 1) == 0)
        return fd;
    gdb_fails(t, what);
    const int err = errno;
    if (fd >= 0)
        close(fd);
    errno = err;
    return -1;
}

/* Whether it is a socket at which nobody is any more, as a run that was killed leaves it. It is
 * asked by one of another kind: at such a one nobody gets in, who might be the only one that may.
 */
static bool socket_is_left(const struct sockaddr_un *address)
{
    struct stat st;
    if (lstat(address->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode))
        return false;
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const bool left = fd >= 0 &&
                      connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 &&
                      errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return left;
}

static int listen_at_file(struct talk *t, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        gdb_fails(t, path);
        return -1;
    }
    strcpy(address.sun_path, path);
    if (socket_is_left(&address))
        unlink(path);
    const mode_t mask = umask(0177);
    const int fd = listen_at(t, AF_UNIX, &address, sizeof address, path);
    if (fd < 0 && errno == EADDRINUSE)
        snprintf(t->why, sizeof t->why, "%s: it is there already: remove it, or name another",
                 path);
    umask(mask);
    return fd;
}

static bool talk_at_port(struct talk *t)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)t->given->port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = listen_at(t, AF_INET, &address, sizeof address, "--port");
    if (fd < 0)
        return false;
    fprintf(stderr, "numachine: waits for a debugger: target remote localhost:%u\n",
            (unsigned)t->given->port);
    return gdb_accept(t, fd, "--port");
}

static bool talk_at_socket(struct talk *t)
{
    const int fd = listen_at_file(t, t->given->socket);
    if (fd < 0)
        return false;
    fprintf(stderr, "numachine: waits for a debugger: target remote %s\n", t->given->socket);
    const bool good = gdb_accept(t, fd, t->given->socket);
    unlink(t->given->socket);
    return good;
}

/* The program's own output goes to standard error: standard output is the debugger's. */
static bool talk_on_stdio(struct talk *t)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    t->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    t->to = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const bool good = nothing >= 0 && t->fd >= 0 && t->to >= 0 &&
                      dup2(nothing, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    return good || gdb_fails(t, "--stdio");
}

/* ---- gdb ------------------------------------------------------------------------------------- */

/* Its command line, NULL behind the last; strings are the process's. */
static char **gdb_words(const struct talk *t, const char *program)
{
    char **word = sim_alloc(16, sizeof *word), **more = t->given->execute;
    char *script = in_home_path("debug/numachine-gdb.py");
    size_t n = 0, room = 16;
    word[n++] = sim_strdup(debugger);
    word[n++] = sim_strdup("-q");
    word[n++] = sim_strdup("-iex");
    word[n++] = sim_format("source %s", script);
    free(script);
    word[n++] = sim_strdup("-ex");
    word[n++] =
        sim_strdup("set remotetimeout unlimited"); /* a run that is made again answers late */
    word[n++] = sim_strdup("-ex");
    word[n++] = sim_format("target remote %s", t->socket);
    for (; more && *more; more++) {
        SIM_ROOM(word, n + 4, room, 16);
        word[n++] = sim_strdup("-ex");
        word[n++] = sim_strdup(*more);
    }
    SIM_ROOM(word, n + 2, room, 16);
    word[n++] = sim_strdup(program);
    word[n] = NULL;
    return word;
}

static void gdb_start(struct talk *t, const char *program)
{
    char **word = gdb_words(t, program);
    t->gdb = fork();
    if (t->gdb == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); /* it would stay at its prompt */
        execvp(debugger, word);
        fprintf(stderr, "numachine: error: %s: %s; it is in the package of that name\n", debugger,
                strerror(errno));
        _exit(CLI_EXIT_IO);
    }
    for (char **w = word; *w; w++)
        free(*w);
    free(word);
}

static bool talk_to_gdb(struct talk *t, const char *program)
{
    sigset_t interrupts;
    struct prog_scratch directory;
    const int err = prog_scratch_make(&directory);
    if (err) {
        errno = -err;
        return gdb_fails(t, "a directory for the debugger's socket (TMPDIR)");
    }
    snprintf(t->socket, sizeof t->socket, "%s/socket", directory.path);
    const int fd = listen_at_file(t, t->socket);
    if (fd < 0) {
        prog_scratch_remove(&directory);
        return false;
    }
    gdb_start(t, program);
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupts, NULL);
    const bool good = t->gdb > 0 ? gdb_accept(t, fd, debugger) : gdb_fails(t, debugger);
    prog_scratch_remove(&directory);
    return good;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static bool talk_to_file(struct talk *t)
{
    const char *file = t->given->batch;
    const bool ours = strcmp(file, "-") == 0;
    struct stat st;
    FILE *in = ours ? stdin : fopen(file, "re");
    if (!in || fstat(fileno(in), &st) < 0)
        return gdb_fails(t, file);
    t->commands = (struct dbg_commands){in, ours ? "standard input" : file};
    setvbuf(in, NULL, _IONBF, 0);
    errno = EISDIR;
    return !S_ISDIR(st.st_mode) || gdb_fails(t, file);
}

static bool talk_to_somebody(struct talk *t, const char *program)
{
    const struct cli_given *g = t->given;
    return g->batch    ? talk_to_file(t)
           : g->stdio  ? talk_on_stdio(t)
           : g->socket ? talk_at_socket(t)
           : g->port   ? talk_at_port(t)
                       : talk_to_gdb(t, program);
}

static bool open_log(struct talk *t, struct dbg *d, const char *path)
{
    if (path)
        d->session->log = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    return !path || d->session->log >= 0 || gdb_fails(t, path);
}

/* The program has been found good, and has not begun. */
static const char *talk_begins(void *ctx, struct dbg *d)
{
    struct talk *t = ctx;
    const bool good = open_log(t, d, t->given->packets) && talk_to_somebody(t, d->live->path);
    d->session->fd = t->fd;
    d->session->to = t->to;
    d->front_self = &t->commands;
    return good ? NULL : t->why;
}

/* Who is asked to end waits for nobody. @param its_own  the exit status is that of a gdb of ours
 * @return it */
static int talk_ends(struct talk *t, int status, bool its_own)
{
    int its = 0;
    if (t->fd >= 0)
        close(t->fd);
    if (t->gdb > 0 && !cli_stop_asked() && waitpid(t->gdb, &its, 0) == t->gdb && its_own)
        status = WIFEXITED(its) ? WEXITSTATUS(its) : CLI_EXIT_IO;
    if (t->commands.in && t->commands.in != stdin)
        fclose(t->commands.in);
    return status;
}

int cli_debugged(const struct cli_given *given, struct cli_session *session,
                 const struct cli_arrival *arrival, struct prog_outcome *outcome)
{
    struct talk t = {.given = given, .fd = -1, .to = -1};
    if (in_records(session->experiment)) /* copies that look ahead would record, too */
        return (int)cli_complain(CLI_EXIT_USAGE, "a run that is debugged records nothing (record)");
    struct dbg *d = dbg_new(given->batch ? &dbg_batch : &dbg_gdb, talk_begins, &t);
    if (arrival)
        dbg_to_end(d, arrival->tell, arrival->ctx);
    session->observer = &dbg_observer;
    session->self = d;
    session->copies = true;
    const enum cli_exit ended = cli_session_run(session, outcome);
    int status = session->passes ? cli_passed_status(ended, outcome) : (int)ended;
    if (arrival && ended != CLI_EXIT_USAGE && ended != CLI_EXIT_IO)
        status = CLI_EXIT_OK; /* the run's was another command's */
    if (d->session->failed && status == CLI_EXIT_OK)
        status = CLI_EXIT_USAGE;
    const bool nobody = d->session->fd < 0 && ended == CLI_EXIT_IO;
    t.fd = d->session->fd; /* it may have been lost */
    status = talk_ends(&t, status, session->passes);
    if (cli_stop_asked() && (nobody || d->session->going == DBG_KILLED))
        status = CLI_EXIT_INTERRUPTED;
    dbg_free(d);
    return status;
}

/* Standard input is the program's where nobody else has it. */
static int gdb_stdin(const struct cli_given *g, const struct dbg_at_end *end)
{
    const bool ours = g->port || g->socket || (g->batch && strcmp(g->batch, "-") != 0);
    return ours && (!end || dbg_at_end_reads(end)) ? STDIN_FILENO : -1;
}

static int gdb_run(const struct cli_given *g, const struct in_experiment *x, struct dbg_at_end *end)
{
    const struct cli_arrival arrival = {dbg_at_end_arrives, end};
    struct prog_outcome outcome;
    FILE *nothing = fopen("/dev/null", "we");
    struct cli_session session = {
        .experiment = x,
        .argc = g->argc,
        .argv = g->argv,
        .git = cli_git(),
        .stdin_fd = gdb_stdin(g, end),
        .keep = g->out != NULL,
        .out = g->out,
        .force = g->force,
        .quiet = !end,
        .again = end != NULL,
        .passes = true,
        .table = nothing ? nothing : stderr,
    };
    const int status = cli_debugged(g, &session, end ? &arrival : NULL, &outcome);
    if (nothing)
        fclose(nothing);
    return status == CLI_EXIT_OK && end && end->differs ? CLI_EXIT_EXPECT : status;
}

/* The run enters its own directory. @return the caller's */
static char *gdb_absolute(const char **file)
{
    char *here = !*file || **file == '/' || !strcmp(*file, "-") ? NULL : getcwd(NULL, 0);
    char *path = here ? sim_format("%s/%s", here, *file) : NULL;
    free(here);
    *file = path ? path : *file;
    return path;
}

static int gdb_at_end(struct cli_given *g, struct in_experiment *x)
{
    struct dbg_at_end end = {.quiet = g->batch != NULL};
    char *own[] = {gdb_absolute(&g->batch), gdb_absolute(&g->socket), gdb_absolute(&g->packets)};
    const int status = dbg_at_end_load(&end, x, g->at_end, g->sets, cli_git()) ? gdb_run(g, x, &end)
                                                                               : CLI_EXIT_USAGE;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        free(own[i]);
    dbg_at_end_free(&end);
    return status;
}

int cli_gdb(struct cli_given *g)
{
    struct in_diag diag = {.out = stderr};
    struct in_experiment x = {0};
    int status = CLI_EXIT_USAGE;

    if (!g->at_end && !g->count)
        cli_refuse(g, "which PROGRAM?");
    if (g->at_end && g->count)
        cli_refuse(g, "--at-end: the run has its program already");
    if (g->at_end)
        status = gdb_at_end(g, &x);
    else if (cli_stat_experiment(&x, g, &diag))
        status = gdb_run(g, &x, NULL);
    in_experiment_free(&x);
    return status;
}
