/* The kernel's wall around calls, from within: what it must refuse, and what it must leave alone.
 */
#include "base/sanitized.h"
#include "machine/values.h"
#include "programs/linux/view/confine.h"
#include "programs/sleepers.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SELF = -1 /* this process's number */ };

static const struct row {
    long call, argument[3];
    int error; /* 0: it succeeds */
} rows[] = {
    {SYS_execve, {0}, EPERM},
    {SYS_ptrace, {0}, EPERM},
    {SYS_socket, {1, 1, 0}, EPERM},
    {SYS_mount, {0}, EPERM},
    {SYS_mq_open, {0}, EPERM},
    {SYS_fork, {0}, EPERM},
    {SYS_clone, {SIGCHLD}, EPERM},
    {SYS_clone, {CLONE_THREAD}, EINVAL}, /* the kernel's own answer: without CLONE_SIGHAND */
    {SYS_clone3, {0}, ENOSYS},
    {SYS_kill, {SELF, 0}, 0},
    {SYS_kill, {1, 0}, EPERM},
    {SYS_tgkill, {1, 1, 0}, EPERM},
    {SYS_rt_sigqueueinfo, {1, 0, 0}, EPERM},
    {SYS_mknod, {0}, EPERM},
    {SYS_mknodat, {-1, 0, S_IFCHR | 0600}, EPERM},
    {SYS_mknodat, {-1, 0, S_IFBLK | 0600}, EPERM},
    {SYS_mknodat, {-1, 0, S_IFIFO | 0600}, EFAULT}, /* which is made when there is a name */
    {SYS_getppid, {0}, 0},
    {SYS_close, {-1}, EBADF},
};

/** SimGrid is opened late. @return 0, or -1: it cannot be, or what is elsewhere can */
static int look_for_files(void)
{
    struct nm_params p;
    struct prog_sleepers *sleepers;
    int err;

    if (syscall(SYS_landlock_create_ruleset, NULL, 0, 1 /* asks for its version */) >= 2 &&
        open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0)
        return -1;
    nm_params_default(&p);
    sleepers = prog_sleepers_new(&p, &err);
    if (sleepers)
        prog_sleepers_free(sleepers);
    return sleepers && err == 0 ? 0 : -1;
}

/** In a child: behind the wall. @return 0, or 1 + the number of a row that is not so */
static int look(const struct lx_view *v, bool copies)
{
    const char *const nothing[] = {NULL};

    lx_confine(v, "/dev/null", nothing, copies);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        if (copies && r->call == SYS_clone)
            continue;
        const long first = r->argument[0] == SELF && !r->error ? getpid() : r->argument[0];

        errno = 0;
        if ((syscall(r->call, first, r->argument[1], r->argument[2]) < 0) != (r->error != 0) ||
            errno != r->error)
            return 1 + (int)i;
    }
    if (copies && fork() == 0)
        _exit(0);
    return copies && wait(NULL) < 0 ? -1 : look_for_files();
}

static void in_a_child(bool copies)
{
#if defined __x86_64__ && !SIM_ADDRESSES_WATCHED
    const struct lx_view_spec spec = {0};
    char why[200];
    struct lx_view *v = lx_view_new(&spec, why, sizeof why);
    int status;
    pid_t child;

    cr_assert(v, "%s", why);
    child = fork();
    if (child == 0)
        _exit(look(v, copies));
    cr_assert(waitpid(child, &status, 0) == child);
    lx_view_free(v);
    cr_assert(WIFEXITED(status), "the child died of signal %d", WTERMSIG(status));
    cr_assert(WEXITSTATUS(status) == 0, "row %d of the table", WEXITSTATUS(status) - 1);
#else
    (void)copies;
#endif
}

Test(os_confine, refuses_what_leads_out_and_nothing_else)
{
    in_a_child(false);
}

Test(os_confine, lets_a_run_with_a_past_copy_itself)
{
    in_a_child(true);
}
