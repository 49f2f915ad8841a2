/*
 * A second wall behind the file view: Landlock for files, seccomp for calls.
 *
 * The one idea: neither may be noticed. Whatever the view lets a guest do is allowed here too, so
 * that results are the same on a kernel without; what remains forbidden is what only a program that
 * has broken out of the simulator would try.
 */
#include "programs/confine.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef HAVE_SECCOMP
#include <errno.h>
#include <seccomp.h>
#endif

/* ---- files ----------------------------------------------------------------------------------- */

#ifdef LANDLOCK_ACCESS_FS_REFER

/* In kernels newer than some headers. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

enum { ABI_REFER = 2, ABI_TRUNCATE = 3 };

static const uint64_t of_files = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                                 LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_TRUNCATE;
static const uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t writing =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_WRITE_FILE |
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |
    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM |
    LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_TRUNCATE;

/** All rights that a ruleset of this kernel can speak of. */
static uint64_t handled(long abi)
{
    const uint64_t all = writing | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                         LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SOCK;

    return abi >= ABI_TRUNCATE ? all : all & ~LANDLOCK_ACCESS_FS_TRUNCATE;
}

struct ruleset {
    int fd;
    uint64_t handled;
    bool good;
};

static void allow(struct ruleset *r, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    struct stat st;

    if (rule.parent_fd < 0 || fstat(rule.parent_fd, &st) != 0) {
        r->good = false;
        return;
    }
    rule.allowed_access = rights & r->handled & (S_ISDIR(st.st_mode) ? ~UINT64_C(0) : of_files);
    if (syscall(SYS_landlock_add_rule, r->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0)
        r->good = false;
    close(rule.parent_fd);
}

/** The private directories, and the right to remove them at the end. */
static void allow_private(struct ruleset *r, const char *directory)
{
    char above[VIEW_PATH], *slash;

    allow(r, directory, writing);
    strcpy(above, directory);
    slash = strrchr(above, '/');
    slash[slash == above] = '\0';
    allow(r, above, LANDLOCK_ACCESS_FS_REMOVE_DIR);
}

/* A kernel that cannot allow files to move between directories would change what a guest sees. */
static void confine_files(const struct view *v, const char *program, const char *const *also)
{
    const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct landlock_ruleset_attr attr = {.handled_access_fs = handled(abi)};
    struct ruleset r = {.handled = attr.handled_access_fs, .good = true};
    const char *path;
    bool writable;

    if (abi < ABI_REFER)
        return;
    r.fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr.handled_access_fs, 0);
    if (r.fd < 0)
        return;
    allow_private(&r, view_private(v));
    allow(&r, program, reading);
    for (size_t i = 0; view_root(v, i, &path, &writable); i++)
        allow(&r, path, writable ? writing : reading);
    for (size_t i = 0; also && also[i]; i++)
        allow(&r, also[i], writing);
    if (r.good)
        syscall(SYS_landlock_restrict_self, r.fd, 0);
    close(r.fd);
}

#else

static void confine_files(const struct view *v, const char *program, const char *const *also)
{
    (void)v, (void)program, (void)also;
}

#endif

/* ---- calls ----------------------------------------------------------------------------------- */

/* The leak checker looks at its process by ptrace. */
#if defined HAVE_SECCOMP && !defined __SANITIZE_ADDRESS__

/** Calls that start, look into, talk to or change anything outside the process. */
static const char *const refused[] = {
    "execve",
    "execveat",
    "fork",
    "vfork",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "pidfd_open",
    "pidfd_getfd",
    "pidfd_send_signal",
    "process_madvise",
    "kcmp",
    "socket",
    "socketpair",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "sendto",
    "sendmsg",
    "mount",
    "umount2",
    "move_mount",
    "open_tree",
    "fsopen",
    "fspick",
    "mount_setattr",
    "pivot_root",
    "chroot",
    "setns",
    "unshare",
    "name_to_handle_at",
    "open_by_handle_at",
    "bpf",
    "perf_event_open",
    "keyctl",
    "add_key",
    "request_key",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "kexec_file_load",
    "io_uring_setup",
    "io_uring_enter",
    "userfaultfd",
    "reboot",
    "swapon",
    "swapoff",
    "acct",
    "settimeofday",
    "clock_settime",
    "adjtimex",
    "clock_adjtime",
    "sethostname",
    "setdomainname",
    "iopl",
    "ioperm",
    "quotactl",
    "quotactl_fd",
    "personality",
    "setuid",
    "setgid",
    "setreuid",
    "setregid",
    "setresuid",
    "setresgid",
    "setfsuid",
    "setfsgid",
    "setgroups",
    "capset",
    "syslog",
    "vhangup",
    "nfsservctl",
    "lookup_dcookie",
    "fanotify_init",
    "msgget",
    "semget",
    "shmget",
    "shmat",
    "mq_open",
};

static void refuse(scmp_filter_ctx ctx, const char *name, unsigned count,
                   const struct scmp_arg_cmp *when)
{
    const int number = seccomp_syscall_resolve_name(name);

    if (number != __NR_SCMP_ERROR)
        seccomp_rule_add_array(ctx, SCMP_ACT_ERRNO(EPERM), number, count, when);
}

/** Signals to others, new processes, devices. */
static void refuse_some(scmp_filter_ctx ctx)
{
    const struct scmp_arg_cmp other = SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid());
    const struct scmp_arg_cmp process = SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0);
    const mode_t devices[] = {S_IFCHR, S_IFBLK};

    refuse(ctx, "kill", 1, &other);
    refuse(ctx, "tgkill", 1, &other);
    refuse(ctx, "rt_sigqueueinfo", 1, &other);
    refuse(ctx, "clone", 1, &process);
    for (int i = 0; i < 2; i++) {
        const struct scmp_arg_cmp device = SCMP_A2(SCMP_CMP_MASKED_EQ, S_IFMT, devices[i]);
        refuse(ctx, "mknodat", 1, &device);
    }
    refuse(ctx, "mknod", 0, NULL);
    /* Its flags cannot be looked at; C libraries fall back to clone. */
    seccomp_rule_add(ctx, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
}

static void confine_calls(void)
{
    scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);

    if (!ctx)
        return;
    seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        refuse(ctx, refused[i], 0, NULL);
    refuse_some(ctx);
    seccomp_load(ctx);
    seccomp_release(ctx);
}

#else

static void confine_calls(void)
{
}

#endif

void confine(const struct view *v, const char *program, const char *const *also)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    confine_files(v, program, also);
    confine_calls();
}
