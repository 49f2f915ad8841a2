/*
 * The host around the program: its limits, and libraries that cannot bear them.
 *
 * The one hard idea: SimGrid and C++ under it call abort() when memory, address space, threads or
 * descriptors run out, and so does a violated invariant of ours. Both must end in a sentence and a
 * status of exit.def, but not in the same: whose code called abort() tells which it was.
 */
#include "cli/host.h"

#include "base/alloc.h"
#include "cli/exit.h"
#include "machine/machine.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    STACK_LEAST = 256 << 10, /**< [bytes] for our deepest calls, blocks of files among them */
    STACK_WANTED = 8 << 20,  /**< [bytes] what hosts usually give */
    FRAMES = 32,
};

/* The object a code address is in; NULL: unknown. */
static const void *host_object_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Whether the nearest caller of abort() outside the C library is of this program. */
static bool host_is_ours(void)
{
    void *frame[FRAMES];
    const void *const ours = host_object_of((const void *)(uintptr_t)host_is_ours);
    const void *const libc = host_object_of((const void *)(uintptr_t)abort);
    const int count = backtrace(frame, FRAMES);
    int i = 0;
    while (i < count && host_object_of(frame[i]) != libc) /* this handler's own */
        i++;
    while (i < count && host_object_of(frame[i]) == libc)
        i++;
    return i == count || host_object_of(frame[i]) == ours;
}

static void on_abort(int number)
{
    static const char bug[] = "numachine: error: an internal invariant was violated: a bug\n";
    static const char host[] = "numachine: error: aborted: SimGrid needs more than the host gives: "
                               "memory, address space, threads "
                               "or open files (ulimit -a)\n";
    (void)number;
    const bool ours = host_is_ours();
    (void)!write(STDERR_FILENO, ours ? bug : host, (ours ? sizeof bug : sizeof host) - 1);
    _exit(ours ? CLI_EXIT_BROKEN : CLI_EXIT_USAGE);
}

static void catch_abort(void)
{
    const struct sigaction action = {.sa_handler = on_abort};
    void *frame[1];
    backtrace(frame, 1); /* loads what it needs, while there is memory */
    sigaction(SIGABRT, &action, NULL);
}

/* A stack grows as far as the limit says at that moment, so raising it helps at once. */
static bool has_stack(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= STACK_WANTED)
        return true;
    limit.rlim_cur = limit.rlim_max < STACK_WANTED ? limit.rlim_max : STACK_WANTED;
    setrlimit(RLIMIT_STACK, &limit);
    getrlimit(RLIMIT_STACK, &limit);
    if (limit.rlim_cur >= STACK_LEAST)
        return true;
    char message[128]; /* fprintf() to a stream without a buffer would need more stack than there is
                        */
    const int length = snprintf(
        message, sizeof message,
        "numachine: error: a stack of %llu KB is too small; %d KB are needed (ulimit -s)\n",
        (unsigned long long)limit.rlim_cur >> 10, STACK_LEAST >> 10);
    (void)!write(STDERR_FILENO, message, (size_t)length);
    return false;
}

/* So that no file opened later takes a stream's place; using it still fails. */
static bool has_streams(void)
{
    static const int useless[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", useless[fd]) != fd) {
            fputs("numachine: error: cannot open /dev/null\n", stderr);
            return false;
        }
    return true;
}

bool cli_host_prepare(void)
{
    if (!has_streams() || !has_stack()) /* the first: what follows needs some stack */
        return false;
    signal(SIGXFSZ, SIG_IGN);
    sim_heap_large();
    catch_abort();
    return true;
}

/* ---- kernels that end the process ------------------------------------------------------------ */

static bool under_way;

static void on_end(int status, void *ctx)
{
    static const char words[] = "numachine: error: the program has ended the simulator (exit); "
                                "there are no results\n";
    (void)ctx;
    if (!under_way || status)
        return;
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(CLI_EXIT_EXPECT);
}

void cli_host_runs(bool runs)
{
    static bool listens;
    under_way = runs;
    if (!listens)
        on_exit(on_end, NULL);
    listens = true;
}

void cli_host_threads(const struct nm_machine *m, unsigned asked, unsigned got)
{
    if (asked > got)
        fprintf(stderr,
                "numachine: note: --host-threads: this run has %u; a station is simulated by one, "
                "and docs/performance.md says what else limits them\n",
                got);
    else if (got > 1 && !nm_machine_ever_shares(m))
        fprintf(stderr, "numachine: note: --host-threads: without effect on so few stations "
                        "(docs/performance.md, Host threads)\n");
}
