/*
 * A second wall behind the file view: Landlock for files, seccomp for calls.
 *
 * The one idea: neither may be noticed. Whatever the view lets a guest do is allowed here too, so
 * that results are the same on a kernel without; what remains forbidden is what only a program that
 * has broken out of the simulator would try.
 */
#include "programs/linux/view/confine.h"

#include "base/alloc.h"
#include "base/sanitized.h"
#include "programs/sleepers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

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
static uint64_t confine_handled(long abi)
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

static void confine_allow(struct ruleset *r, const char *path, uint64_t rights)
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

    confine_allow(r, directory, writing);
    strcpy(above, directory);
    slash = strrchr(above, '/');
    slash[slash == above] = '\0';
    confine_allow(r, above, LANDLOCK_ACCESS_FS_REMOVE_DIR);
}

/* A kernel that cannot allow files to move between directories would change what a guest sees. */
static void confine_files(const struct lx_view *v, const char *program, const char *const *also)
{
    char libraries[PATH_MAX];
    const long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct landlock_ruleset_attr attr = {.handled_access_fs = confine_handled(abi)};
    struct ruleset r = {.handled = attr.handled_access_fs, .good = true};
    const char *path;
    bool writable;

    if (abi < ABI_REFER)
        return;
    r.fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr.handled_access_fs, 0);
    if (r.fd < 0)
        return;
    allow_private(&r, lx_view_private(v));
    confine_allow(&r, program, reading);
    prog_sleepers_directory(libraries);
    if (*libraries)
        confine_allow(&r, libraries, reading);
    for (size_t i = 0; lx_view_root(v, i, &path, &writable); i++)
        confine_allow(&r, path, writable ? writing : reading);
    for (size_t i = 0; also && also[i]; i++)
        confine_allow(&r, also[i], writing);
#if SIM_ADDRESSES_WATCHED
    /* The leak checker looks for its process's threads there. */
    confine_allow(&r, "/proc", reading);
#endif
    if (r.good)
        syscall(SYS_landlock_restrict_self, r.fd, 0);
    close(r.fd);
}

#else

static void confine_files(const struct lx_view *v, const char *program, const char *const *also)
{
    (void)v, (void)program, (void)also;
}

#endif

/* ---- calls ----------------------------------------------------------------------------------- */

/* The leak checker looks at its process by ptrace. */
#if defined __x86_64__ && !SIM_ADDRESSES_WATCHED

/** Calls that start, look into, talk to or change anything outside the process. */
static const unsigned refused[] = {
    SYS_execve,
    SYS_execveat,
    SYS_fork,
    SYS_vfork,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_pidfd_open,
    SYS_pidfd_getfd,
    SYS_pidfd_send_signal,
    SYS_process_madvise,
    SYS_kcmp,
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_mount,
    SYS_umount2,
    SYS_move_mount,
    SYS_open_tree,
    SYS_fsopen,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_pivot_root,
    SYS_chroot,
    SYS_setns,
    SYS_unshare,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_kexec_file_load,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_userfaultfd,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_adjtimex,
    SYS_clock_adjtime,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_iopl,
    SYS_ioperm,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_personality,
    SYS_setuid,
    SYS_setgid,
    SYS_setreuid,
    SYS_setregid,
    SYS_setresuid,
    SYS_setresgid,
    SYS_setfsuid,
    SYS_setfsgid,
    SYS_setgroups,
    SYS_capset,
    SYS_syslog,
    SYS_vhangup,
    SYS_nfsservctl,
    SYS_lookup_dcookie,
    SYS_fanotify_init,
    SYS_msgget,
    SYS_semget,
    SYS_shmget,
    SYS_shmat,
    SYS_mq_open,
};

/** A call that fails with `error` if its argument says so: (argument & mask) == value, or != if
 *  `other`. Of an argument its lower word is looked at, as the kernel does with these. */
struct rule {
    unsigned call;
    int error;
    unsigned argument;
    uint32_t mask, value;
    bool other;
};

enum {
    RULE = 6, /* instructions of a rule */
    RULES = sizeof refused / sizeof *refused + 8,
};

#define LOAD(field)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)

/** With the call's number in the accumulator, before and after. */
static struct sock_filter *confine_put(struct sock_filter *to, const struct rule *r)
{
    const struct sock_filter code[RULE] = {
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->call, 0, RULE - 1),
        LOAD(args[r->argument]),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, r->mask),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->value, r->other, !r->other),
        RETURN(SECCOMP_RET_ERRNO | (unsigned)r->error),
        LOAD(nr),
    };

    memcpy(to, code, sizeof code);
    return to + RULE;
}

/** Calls of another ABI have other numbers. */
static struct sock_filter *put_abi(struct sock_filter *to)
{
    const struct sock_filter code[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 2),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, __X32_SYSCALL_BIT, 0, 1),
        RETURN(SECCOMP_RET_KILL_PROCESS),
    };

    memcpy(to, code, sizeof code);
    return to + sizeof code / sizeof *code;
}

/* Made by hand, because libseccomp asks for memory on the way, and without it may make a filter
 * with holes, or none, and say nothing. */
static void confine_calls(bool copies)
{
    const uint32_t self = (uint32_t)getpid();
    const struct rule some[] = {
        /* signals to others, new processes, devices */
        {SYS_kill, EPERM, 0, UINT32_MAX, self, true},
        {SYS_tgkill, EPERM, 0, UINT32_MAX, self, true},
        {SYS_rt_sigqueueinfo, EPERM, 0, UINT32_MAX, self, true},
        {SYS_clone, EPERM, 0, CLONE_THREAD, 0, false},
        {SYS_mknodat, EPERM, 2, S_IFMT, S_IFCHR, false},
        {SYS_mknodat, EPERM, 2, S_IFMT, S_IFBLK, false},
        {SYS_mknod, EPERM, 0, 0, 0, false},
        /* Its flags cannot be looked at; C libraries fall back to clone. */
        {SYS_clone3, ENOSYS, 0, 0, 0, false},
    };
    struct sock_filter code[RULES * RULE + 8], *end = put_abi(code);
    struct sock_fprog program = {.filter = code};

    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        if (some[i].call != SYS_clone || !copies)
            end = confine_put(end, &some[i]);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        end = confine_put(end, &(struct rule){refused[i], EPERM, 0, 0, 0, false});
    *end++ = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    program.len = (unsigned short)(end - code);
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0 &&
        errno == ENOMEM)
        sim_no_memory();
}

#undef LOAD
#undef RETURN

#else

static void confine_calls(bool copies)
{
    (void)copies;
}

#endif

void lx_confine(const struct lx_view *v, const char *program, const char *const *also, bool copies)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    confine_files(v, program, also);
    confine_calls(copies);
}
