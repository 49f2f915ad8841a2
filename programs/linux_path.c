/*
 * Files by name: opening, stat in its four layouts, directories, links.
 *
 * Paths go to the host relative to the guest's own working directory. /proc and /sys never do: the
 * host's processors and processes are not the simulated machine's, so the few files C libraries
 * read there are written here.
 */
#include "programs/device.h"
#include "programs/linux_file.h"
#include "programs/mapped.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { G_AT_REMOVEDIR = 0x200, G_AT_EMPTY_PATH = 0x1000, G_AT_NOFOLLOW = 0x100 };
enum { BLOCK_BYTES = 4096 }; /* st_blksize, the same on every host: stdio sizes its buffers by it */

/* ---- files that are not the host's ----------------------------------------------------------- */

static void cpu_list(struct prog *p, FILE *f)
{
    if (p->processors > 1)
        fprintf(f, "0-%u\n", p->processors - 1);
    else
        fprintf(f, "0\n");
}

static void cpu_info(struct prog *p, FILE *f)
{
    fprintf(f, "system type\t\t: NUMAchine\n");
    for (unsigned i = 0; i < p->processors; i++)
        fprintf(f, "\nprocessor\t\t: %u\ncpu model\t\t: R4400\n", i);
}

/** /proc/stat: enough for those who count its cpu lines. */
static void cpu_stat(struct prog *p, FILE *f)
{
    fprintf(f, "cpu  0 0 0 0 0 0 0 0 0 0\n");
    for (unsigned i = 0; i < p->processors; i++)
        fprintf(f, "cpu%u 0 0 0 0 0 0 0 0 0 0\n", i);
}

static void zero_line(struct prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "0\n");
}

/** /proc/self/maps: pthread_getattr_np looks for the first thread's stack in it. */
static void maps(struct prog *p, FILE *f)
{
    uint64_t stack = vm_trampoline(&p->vm) - 0x20000;

    for (size_t i = 0; i < p->vm.count; i++) {
        const struct vm_area *a = &p->vm.areas[i];
        fprintf(f, "%08" PRIx64 "-%08" PRIx64 " %c%c%c%c %08" PRIx64 " 00:00 0%s\n", a->start,
                a->end, a->rights & PROG_R ? 'r' : '-', a->rights & PROG_W ? 'w' : '-',
                a->rights & PROG_X ? 'x' : '-', a->shared ? 's' : 'p', a->offset,
                a->start <= stack && stack < a->end ? "                          [stack]" : "");
    }
}

static const struct {
    const char *path;
    void (*write)(struct prog *p, FILE *f);
} texts[] = {
    {"/sys/devices/system/cpu/online", cpu_list},
    {"/sys/devices/system/cpu/possible", cpu_list},
    {"/sys/devices/system/cpu/present", cpu_list},
    {"/proc/cpuinfo", cpu_info},
    {"/proc/stat", cpu_stat},
    {"/proc/self/maps", maps},
    {"/proc/sys/vm/overcommit_memory", zero_line},
};

static int64_t open_text(struct prog *p, size_t i, uint32_t flags)
{
    int fd = memfd_create("text", MFD_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(dup(fd), "w") : NULL;

    if (!f)
        return -ENFILE;
    texts[i].write(p, f);
    fclose(f);
    lseek(fd, 0, SEEK_SET);
    return file_install(p, file_new(FILE_HOST, fd, flags & ~3u), 0, flags & G_O_CLOEXEC);
}

bool special_path(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

int64_t special_open(struct call *c, const char *path, uint32_t flags)
{
    struct prog *p = c->p;
    bool cloexec = flags & G_O_CLOEXEC;

    if (strcmp(path, "/dev/numachine/mark") == 0)
        return file_install(p, file_new(FILE_MARK, -1, flags), 0, cloexec);
    if (strcmp(path, "/dev/numachine/memory") == 0)
        return device_open(p, flags, cloexec);
    if (strncmp(path, "/dev/numachine/", 15) == 0)
        return mapped_open(c, path + 15, flags);
    if (strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0)
        return file_install(p, file_new(FILE_RANDOM, -1, flags), 0, cloexec);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(path, texts[i].path) == 0)
            return open_text(p, i, flags);
    return special_path(path) ? -ENOENT : -ENXIO;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int64_t open_path(struct call *c, int dir, const char *path, uint32_t flags, uint64_t mode)
{
    int64_t fd = special_open(c, path, flags);

    if (fd != -ENXIO)
        return fd;
    fd = host_result(openat(dir, path, file_host_flags(flags), (mode_t)(mode & ~c->p->umask)));
    if (fd < 0)
        return fd;
    return file_install(c->p, file_new(FILE_HOST, (int)fd, flags), 0, flags & G_O_CLOEXEC);
}

int64_t sys_open(struct call *c)
{
    return open_path(c, c->p->cwd, c->path[0], (uint32_t)c->a[1], c->a[2]);
}

int64_t sys_creat(struct call *c)
{
    return open_path(c, c->p->cwd, c->path[0], G_O_CREAT | G_O_TRUNC | 1, c->a[1]);
}

int64_t sys_openat(struct call *c)
{
    return open_path(c, (int)c->a[0], c->path[0], (uint32_t)c->a[2], c->a[3]);
}

/* ---- stat ------------------------------------------------------------------------------------ */

/** What the guest is told about a standard stream or a file of ours: an anonymous pipe. */
static void pipe_stat(struct stat *st)
{
    memset(st, 0, sizeof *st);
    st->st_mode = S_IFIFO | 0600;
    st->st_nlink = 1;
    st->st_ino = 1;
    st->st_uid = st->st_gid = 1000;
    st->st_mtim.tv_sec = st->st_ctim.tv_sec = PROG_EPOCH;
}

static int64_t stat_file(const struct file *f, struct stat *st)
{
    if (f->standard || f->kind != FILE_HOST) {
        pipe_stat(st);
        return 0;
    }
    return host_result(fstat(f->host, st));
}

static int64_t stat_path(int dir, const char *path, bool follow, struct stat *st)
{
    if (special_path(path))
        return -ENOENT;
    return host_result(fstatat(dir, path, st, follow ? 0 : AT_SYMLINK_NOFOLLOW));
}

/** Seconds and nanoseconds of the three times. Reading does not change what the guest sees. */
static void out_times(struct out *o, const struct stat *st)
{
    const struct timespec *t[3] = {&st->st_mtim, &st->st_mtim, &st->st_ctim};

    for (int i = 0; i < 3; i++) {
        out_int(o, 4, (uint64_t)t[i]->tv_sec);
        out_int(o, 4, (uint64_t)t[i]->tv_nsec);
    }
}

/** What every struct stat begins with; the inode's number has `inode` bytes. */
static void out_stat_head(struct out *o, struct prog *p, unsigned inode, const struct stat *st)
{
    out_int(o, 4, st->st_dev);
    out_skip(o, 16);
    out_int(o, inode, guest_inode(p, st->st_ino));
    out_int(o, 4, st->st_mode);
    out_int(o, 4, st->st_nlink);
    out_int(o, 4, st->st_uid);
    out_int(o, 4, st->st_gid);
    out_int(o, 4, st->st_rdev);
}

/** struct stat of n64 and struct stat64 of o32 have one layout. */
static int64_t put_stat64(struct call *c, uint64_t va, const struct stat *st)
{
    struct out o;

    out_start(&o, c->p->n64);
    out_stat_head(&o, c->p, 8, st);
    out_skip(&o, 56);
    out_int(&o, 8, (uint64_t)st->st_size);
    out_times(&o, st);
    out_int(&o, 4, BLOCK_BYTES);
    out_skip(&o, 96);
    out_int(&o, 8, (uint64_t)st->st_blocks);
    return out_write(&o, &c->p->vm, va);
}

/** o32's old struct stat, with 32-bit sizes. */
static int64_t put_stat32(struct call *c, uint64_t va, const struct stat *st)
{
    struct out o;

    if (st->st_size > INT32_MAX)
        return -EOVERFLOW;
    out_start(&o, false);
    out_stat_head(&o, c->p, 4, st);
    out_skip(&o, 48);
    out_int(&o, 4, (uint64_t)st->st_size);
    out_skip(&o, 56);
    out_times(&o, st);
    out_int(&o, 4, BLOCK_BYTES);
    out_int(&o, 4, (uint64_t)st->st_blocks);
    out_skip(&o, 144);
    return out_write(&o, &c->p->vm, va);
}

static int64_t put_native(struct call *c, uint64_t va, const struct stat *st)
{
    return c->p->n64 ? put_stat64(c, va, st) : put_stat32(c, va, st);
}

/** How a stat's answer is laid out. */
typedef int64_t (*put_stat)(struct call *c, uint64_t va, const struct stat *st);

static int64_t answer_path(struct call *c, bool follow, put_stat put)
{
    struct stat st;
    int64_t r = stat_path(c->p->cwd, c->path[0], follow, &st);

    return r < 0 ? r : put(c, c->a[1], &st);
}

static int64_t answer_file(struct call *c, put_stat put)
{
    struct stat st;
    int64_t r = stat_file(c->f, &st);

    return r < 0 ? r : put(c, c->a[1], &st);
}

int64_t sys_stat(struct call *c)
{
    return answer_path(c, true, put_native);
}

int64_t sys_lstat(struct call *c)
{
    return answer_path(c, false, put_native);
}

int64_t sys_fstat(struct call *c)
{
    return answer_file(c, put_native);
}

int64_t sys_stat64(struct call *c)
{
    return answer_path(c, true, put_stat64);
}

int64_t sys_lstat64(struct call *c)
{
    return answer_path(c, false, put_stat64);
}

int64_t sys_fstat64(struct call *c)
{
    return answer_file(c, put_stat64);
}

/** stat by directory, path and flags; an empty path with AT_EMPTY_PATH means the descriptor. */
static int64_t stat_at(struct call *c, uint64_t flags, struct stat *st)
{
    struct file *f = file_get(c->p, (int32_t)c->a[0]);
    int dir = c->p->cwd;

    if ((flags & G_AT_EMPTY_PATH) && !c->path[0][0]) {
        if (f)
            return stat_file(f, st);
        return (int32_t)c->a[0] == -100 ? stat_path(dir, ".", true, st) : -EBADF;
    }
    if ((int32_t)c->a[0] != -100 && c->path[0][0] != '/') {
        if (!f)
            return -EBADF;
        dir = f->host;
    }
    return stat_path(dir, c->path[0], !(flags & G_AT_NOFOLLOW), st);
}

int64_t sys_fstatat(struct call *c)
{
    struct stat st;
    int64_t r = stat_at(c, c->a[3], &st);

    return r < 0 ? r : put_stat64(c, c->a[2], &st);
}

static void out_statx_time(struct out *o, const struct timespec *t)
{
    out_int(o, 8, (uint64_t)t->tv_sec);
    out_int(o, 4, (uint64_t)t->tv_nsec);
    out_int(o, 4, 0);
}

int64_t sys_statx(struct call *c)
{
    enum { KNOWN = 0x7ff, BYTES = 256 };
    const struct timespec none = {0};
    struct stat st;
    struct out o;
    int64_t r = stat_at(c, c->a[2], &st);

    if (r < 0)
        return r;
    out_start(&o, c->p->n64);
    out_int(&o, 4, KNOWN);
    out_int(&o, 4, BLOCK_BYTES);
    out_int(&o, 8, 0); /* attributes */
    out_int(&o, 4, st.st_nlink);
    out_int(&o, 4, st.st_uid);
    out_int(&o, 4, st.st_gid);
    out_int(&o, 2, st.st_mode);
    out_int(&o, 2, 0);
    out_int(&o, 8, guest_inode(c->p, st.st_ino));
    out_int(&o, 8, (uint64_t)st.st_size);
    out_int(&o, 8, (uint64_t)st.st_blocks);
    out_int(&o, 8, 0); /* attributes known */
    out_statx_time(&o, &st.st_mtim);
    out_statx_time(&o, &none); /* birth */
    out_statx_time(&o, &st.st_ctim);
    out_statx_time(&o, &st.st_mtim);
    out_int(&o, 4, major(st.st_rdev));
    out_int(&o, 4, minor(st.st_rdev));
    out_int(&o, 4, major(st.st_dev));
    out_int(&o, 4, minor(st.st_dev));
    out_skip(&o, BYTES);
    return out_write(&o, &c->p->vm, c->a[4]);
}

/* ---- names ----------------------------------------------------------------------------------- */

static int64_t check_access(int dir, const char *path, uint64_t mode)
{
    return special_path(path) ? -ENOENT : host_result(faccessat(dir, path, (int)mode, 0));
}

int64_t sys_access(struct call *c)
{
    return check_access(c->p->cwd, c->path[0], c->a[1]);
}

int64_t sys_faccessat(struct call *c)
{
    return check_access((int)c->a[0], c->path[0], c->a[2]);
}

int64_t sys_unlink(struct call *c)
{
    return host_result(unlinkat(c->p->cwd, c->path[0], 0));
}

int64_t sys_rmdir(struct call *c)
{
    return host_result(unlinkat(c->p->cwd, c->path[0], AT_REMOVEDIR));
}

int64_t sys_unlinkat(struct call *c)
{
    int flags = c->a[2] & G_AT_REMOVEDIR ? AT_REMOVEDIR : 0;

    return host_result(unlinkat((int)c->a[0], c->path[0], flags));
}

int64_t sys_mkdir(struct call *c)
{
    return host_result(mkdirat(c->p->cwd, c->path[0], (mode_t)(c->a[1] & ~c->p->umask)));
}

int64_t sys_mkdirat(struct call *c)
{
    return host_result(mkdirat((int)c->a[0], c->path[0], (mode_t)(c->a[2] & ~c->p->umask)));
}

int64_t sys_rename(struct call *c)
{
    return host_result(renameat(c->p->cwd, c->path[0], c->p->cwd, c->path[1]));
}

/** renameat and renameat2; the latter's flags have the host's values. */
int64_t sys_renameat(struct call *c)
{
    return host_result(
        renameat2((int)c->a[0], c->path[0], (int)c->a[2], c->path[1], (unsigned)c->a[4]));
}

int64_t sys_link(struct call *c)
{
    return host_result(linkat(c->p->cwd, c->path[0], c->p->cwd, c->path[1], 0));
}

int64_t sys_linkat(struct call *c)
{
    return host_result(linkat((int)c->a[0], c->path[0], (int)c->a[2], c->path[1], 0));
}

int64_t sys_symlink(struct call *c)
{
    return host_result(symlinkat(c->path[0], c->p->cwd, c->path[1]));
}

int64_t sys_symlinkat(struct call *c)
{
    return host_result(symlinkat(c->path[0], (int)c->a[1], c->path[1]));
}

/** The program's own path: absolute, as C libraries expect, but free of the host's directories. */
static int64_t own_path(const struct prog *p, char *buf, size_t size)
{
    const char *name = p->spec->argv[0] ? p->spec->argv[0] : "", *slash = strrchr(name, '/');

    return snprintf(buf, size, "/%s", slash ? slash + 1 : name);
}

static int64_t read_link(struct call *c, int dir, uint64_t va, uint64_t size)
{
    char buf[PATH_BYTES];
    int64_t n;

    if (strcmp(c->path[0], "/proc/self/exe") == 0)
        n = own_path(c->p, buf, sizeof buf);
    else if (special_path(c->path[0]))
        return -ENOENT;
    else
        n = host_result(readlinkat(dir, c->path[0], buf, sizeof buf));
    if (n < 0)
        return n;
    n = (uint64_t)n < size ? n : (int64_t)size;
    return vm_write(&c->p->vm, va, buf, (size_t)n) < 0 ? -EFAULT : n;
}

int64_t sys_readlink(struct call *c)
{
    return read_link(c, c->p->cwd, c->a[1], c->a[2]);
}

int64_t sys_readlinkat(struct call *c)
{
    return read_link(c, (int)c->a[0], c->a[2], c->a[3]);
}

int64_t sys_chmod(struct call *c)
{
    return host_result(fchmodat(c->p->cwd, c->path[0], (mode_t)c->a[1], 0));
}

int64_t sys_fchmodat(struct call *c)
{
    return host_result(fchmodat((int)c->a[0], c->path[0], (mode_t)c->a[2], 0));
}

int64_t sys_truncate(struct call *c)
{
    int fd = openat(c->p->cwd, c->path[0], O_WRONLY | O_CLOEXEC);
    int64_t r = fd < 0 ? -errno : host_result(ftruncate(fd, (off_t)c->a[1]));

    if (fd >= 0)
        close(fd);
    return r;
}

int64_t sys_umask(struct call *c)
{
    unsigned old = c->p->umask;

    c->p->umask = c->a[0] & 0777;
    return old;
}

/* ---- the working directory ------------------------------------------------------------------- */

/** The guest moves; the simulator's own working directory stays. */
static int64_t enter(struct prog *p, int fd)
{
    struct stat st;

    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode)) {
        close(fd);
        return -ENOTDIR;
    }
    if (p->cwd >= 0)
        close(p->cwd);
    p->cwd = fd;
    return 0;
}

int64_t sys_chdir(struct call *c)
{
    return enter(c->p, openat(c->p->cwd, c->path[0], O_PATH | O_DIRECTORY | O_CLOEXEC));
}

int64_t sys_fchdir(struct call *c)
{
    if (c->f->kind != FILE_HOST)
        return -ENOTDIR;
    return enter(c->p, fcntl(c->f->host, F_DUPFD_CLOEXEC, 0));
}

int64_t sys_getcwd(struct call *c)
{
    char link[64], path[PATH_BYTES];
    ssize_t n;

    if (c->p->cwd < 0) {
        if (!getcwd(path, sizeof path))
            return -errno;
        n = (ssize_t)strlen(path);
    } else {
        snprintf(link, sizeof link, "/proc/self/fd/%d", c->p->cwd);
        n = readlink(link, path, sizeof path - 1);
        if (n < 0)
            return -errno;
        path[n] = '\0';
    }
    if ((uint64_t)n + 1 > c->a[1])
        return -ERANGE;
    return vm_write(&c->p->vm, c->a[0], path, (size_t)n + 1) < 0 ? -EFAULT : n + 1;
}

/* ---- times of files -------------------------------------------------------------------------- */

/** utimensat; a missing path means the descriptor itself. Without times: the simulated now. */
int64_t sys_utimensat(struct call *c)
{
    enum { G_UTIME_NOW = 0x3fffffff, G_UTIME_OMIT = 0x3ffffffe };
    uint64_t now = prog_ns(c->p, prog_now(c->p));
    struct timespec ts[2];
    char path[PATH_BYTES];
    unsigned w = c->row->args[2] == 'T' || c->p->n64 ? 8 : 4;
    struct file *f = file_get(c->p, (int32_t)c->a[0]);
    int dir = (int32_t)c->a[0] == -100 ? c->p->cwd : f ? f->host : -1;

    for (int i = 0; i < 2; i++) {
        uint64_t sec = 0, nsec = G_UTIME_NOW;
        if (c->a[2] && (vm_read_word(&c->p->vm, c->a[2] + 2 * w * (unsigned)i, w, &sec) < 0 ||
                        vm_read_word(&c->p->vm, c->a[2] + 2 * w * (unsigned)i + w, w, &nsec) < 0))
            return -EFAULT;
        ts[i] = (struct timespec){(time_t)sec, (long)nsec};
        if (nsec == G_UTIME_NOW)
            ts[i] = (struct timespec){(time_t)(now / 1000000000) + PROG_EPOCH,
                                      (long)(now % 1000000000)};
    }
    if (!c->a[1])
        return f ? host_result(futimens(f->host, ts)) : -EBADF;
    if (vm_string(&c->p->vm, c->a[1], path, sizeof path) < 0)
        return -EFAULT;
    return host_result(utimensat(dir, path, ts, c->a[3] & G_AT_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0));
}
