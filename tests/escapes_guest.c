/*
 * A guest that tries to get out of its file view. Everything outside begins with the word SECRET,
 * so whatever it can read it shows; whatever it can change, the test (escapes.py) sees. What
 * belongs to the host itself is only opened and looked at: where the view is broken, the test does
 * no harm.
 *
 *     escapes_guest OUTSIDE READ-ONLY TRIES
 *
 * OUTSIDE is the directory it must not reach, TRIES says how often it races. It prints one line per
 * attempt that succeeded, and what it read; attempts that failed are counted.
 */
#include "guests/guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *outside;
static int refused;

/* Names that lead to the simulator's or the host's own, if something follows them. %s: OUTSIDE. */
static const char *const names[] = {
    "/proc/self/mem",
    "//proc/self/mem",
    "///proc//self///mem",
    "/./proc/self/mem",
    "/../proc/self/mem",
    "/../../../../proc/self/mem",
    "/tmp/../proc/self/mem",
    "/proc/../proc/self/mem",
    "/proc/self/../self/mem",
    "/proc/./self/mem",
    "/proc/self/mem/",
    "/proc/thread-self/mem",
    "/proc/1/mem",
    "/proc/1000/mem",
    "/proc/self/task/1/mem",
    "/proc/self/smaps",
    "//proc/self/oom_score",
    "/proc/self/mountinfo",
    "/proc/self/root/etc/shadow",
    "/proc/self/cwd/../outside/secret",
    "/proc/self/fd/3",
    "/proc/self/fd/10",
    "/proc/1/root",
    "/proc/1000/root/etc/shadow",
    "/proc/self/root/%s/secret",
    "/proc/thread-self/cwd/../outside/secret",
    "/proc/1000/root/%s/secret",
    "/proc/self/fd/0/../outside/secret",
    "/proc/self/map_files",
    "/proc/kcore",
    "/proc/kmsg",
    "/proc/sysrq-trigger",
    "/proc/sys/kernel/core_pattern",
    "/proc/version_signature",
    "/proc/interrupts",
    "/proc/vmstat",
    "/proc/diskstats",
    "/sys/kernel/security/lsm",
    "//sys/kernel/notes",
    "/sys/devices/system/cpu/../../../kernel",
    "/dev/mem",
    "/dev/kmem",
    "/dev/sda",
    "/dev/tty",
    "/dev/console",
    "/dev/ptmx",
    "/dev/pts/0",
    "/dev/fuse",
    "/dev/fd/3",
    "/dev/fd/10",
    "/dev/fd/../../proc/self/mem",
    "/dev/stdin/",
    "/dev/stdin/../../proc/self/mem",
    "/dev/shm/../../etc/shadow",
    "/dev/numachine/../mem",
    "/etc/shadow",
    "/etc/passwd-",
    "/etc/../etc/shadow",
    "/etc/ssl",
    "/root/.bashrc",
    "/home/guest/../../etc/shadow",
    "/home/guest/../../root/x",
    "/usr/bin/env",
    "/bin/sh",
    "/lib/x",
    "/var/log",
    "/boot",
    "%s/secret",
    "/%s/secret",
    "//%s//secret",
    "%s/./secret",
    "%s/../outside/secret",
    "/tmp/..%s/secret",
    "%s",
    "%s/..",
    "../outside/secret",
    "./../outside/secret",
    "sub/../../outside/secret",
    "sub/./../../outside/secret",
    "../../../../../../../..%s/secret",
    "../outside",
    "../outside/",
    "./../home/../outside/secret",
    "/home/guest/../outside/secret",
    /* the read-only directory's neighbours */
    "../readonly/../outside/secret",
    "%s/../readonly/../outside/secret",
};

/* The same in the guest's own directory: links the test has made, and what is no file. */
static const char *const own_names[] = {
    "link-relative",
    "link-absolute",
    "link-directory/secret",
    "link-absolute-directory/secret",
    "link-chain",
    "link-proc",
    "link-proc-slashes",
    "link-root/proc/self/mem",
    "link-root/etc/shadow",
    "link-up/outside/secret",
    "link-mem",
    "link-fd",
    "link-device",
    "link-self",
    "link-loop",
    "link-loop/secret",
    "sub/link-up-up",
    "link-null/x",
    "link-long",
    "link-cwd/secret",
    "link-directory/../outside/secret",
    "link-mounts",
    "fifo/x",
    "socket/x",
    "device/x",
};

/* Directories of the view, or of nobody: they may be looked at, and lead nowhere. */
static const char *const directories[] = {
    "/",  "/home", "/proc",     "/proc/self", "/dev",      "/dev/fd",
    "..", "../..", "sub/../..", "link-up",    "link-root", "/home/guest/../../home",
};

/* ---- what came of it ------------------------------------------------------------------------- */

/** Shows what can be read from a descriptor; closes it. */
static void show(const char *how, const char *name, int fd)
{
    char text[64];
    struct stat st;
    ssize_t n;

    if (fd < 0) {
        refused++;
        return;
    }
    n = pread(fd, text, sizeof text - 1, 0);
    if (n < 0)
        n = read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    fstat(fd, &st);
    printf("%s %s: mode %o, \"%s\"\n", how, name, (unsigned)st.st_mode, text);
    close(fd);
}

static void failed(const char *how, const char *name, int result)
{
    if (result < 0)
        refused++;
    else
        printf("%s %s: done\n", how, name);
}

/** Whether a name leads to the test's own directories, if anywhere. */
static int is_ours(const char *name)
{
    return strstr(name, "outside") != NULL;
}

/** The same of the links the test has made. */
static int leads_to_ours(const char *link)
{
    char text[PATH_MAX];
    const ssize_t n = readlink(link, text, sizeof text - 1);

    text[n > 0 ? n : 0] = '\0';
    return is_ours(link) || is_ours(text) || strncmp(text, "chain-", 6) == 0 ||
           strncmp(link, "link-directory", 14) == 0 || strncmp(link, "link-absolute", 13) == 0;
}

/* ---- the ways -------------------------------------------------------------------------------- */

static void look_at(const char *name)
{
    struct stat st;

    failed("stat", name, stat(name, &st));
    failed("access", name, access(name, F_OK));
    failed("chdir", name, chdir(name));
    chdir("/home/guest");
}

static void open_it(const char *name)
{
    static const int flags[] = {O_RDONLY | O_NONBLOCK, O_RDWR | O_NONBLOCK,
                                O_WRONLY | O_APPEND | O_NONBLOCK,
                                O_RDONLY | O_NONBLOCK | O_DIRECTORY};
    char copy[32];
    int fd;

    for (size_t i = 0; i < COUNT(flags); i++) {
        snprintf(copy, sizeof copy, "open %zu", i);
        fd = open(name, flags[i]);
        if (fd >= 0 && i > 0 && i < 3 && is_ours(name))
            failed("write", name, (int)pwrite(fd, "CHANGED", 7, 0));
        show(copy, name, fd);
    }
    fd = open(name, O_PATH);
    if (fd >= 0) {
        show("openat of O_PATH", name, openat(fd, "secret", O_RDONLY));
        show("openat .. of O_PATH", name, openat(fd, "../outside/secret", O_RDONLY));
        close(fd);
    }
}

/** Changes of what a name leads to. */
static void change(const char *name)
{
    const struct timespec times[2] = {{1, 1}, {2, 2}};

    failed("truncate", name, truncate(name, 0));
    failed("chmod", name, chmod(name, 0777));
    failed("chown", name, chown(name, 1000, 1000));
    failed("utimens", name, utimensat(AT_FDCWD, name, times, 0));
    failed("linkat", name, linkat(AT_FDCWD, name, AT_FDCWD, "stolen", AT_SYMLINK_FOLLOW));
    show("stolen", name, open("stolen", O_RDONLY | O_NONBLOCK));
    unlink("stolen");
}

/** Changes of the name itself. */
static void take(const char *name)
{
    failed("lchown", name, lchown(name, 1000, 1000));
    failed("link", name, link(name, "stolen"));
    show("stolen", name, open("stolen", O_RDONLY | O_NONBLOCK));
    unlink("stolen");
    failed("rename", name, rename(name, "taken"));
    failed("rename over", name, rename("mine", name));
    failed("unlink", name, unlink(name));
    failed("rmdir", name, rmdir(name));
}

/** New names beneath it. */
static void make(const char *name)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/new", name);
    failed("creat", path, creat(path, 0666));
    failed("mkdir", path, mkdir(path, 0777));
    failed("symlink", path, symlink("/etc/shadow", path));
    failed("mkfifo", path, mkfifo(path, 0666));
    failed("mknod", path, mknod(path, S_IFCHR | 0666, 0x0103));
    failed("rename into", path, rename("mine", path));
    failed("link into", path, link("mine", path));
    failed("unnamed", name, open(name, O_RDWR | O_TMPFILE, 0666));
}

static void try_all(void)
{
    static const char *const none[] = {"socket", "device"};
    char name[PATH_MAX];

    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(name, sizeof name, names[i], outside);
        open_it(name);
        look_at(name);
        if (!is_ours(name))
            continue;
        change(name);
        take(name);
        make(name);
    }
    for (size_t i = 0; i < COUNT(own_names); i++) {
        open_it(own_names[i]);
        look_at(own_names[i]);
        if (!leads_to_ours(own_names[i]))
            continue;
        change(own_names[i]);
        make(own_names[i]);
    }
    for (size_t i = 0; i < COUNT(none); i++)
        open_it(none[i]);
    for (size_t i = 0; i < COUNT(directories); i++) {
        const int fd = open(directories[i], O_RDONLY | O_DIRECTORY);
        CHECK(fd >= 0);
        show("in directory", directories[i], openat(fd, "outside/secret", O_RDONLY));
        show("in directory", directories[i], openat(fd, "../outside/secret", O_RDONLY));
        close(fd);
    }
}

/* ---- by descriptor --------------------------------------------------------------------------- */

static void by_descriptor(void)
{
    char name[PATH_MAX];
    int home = open(".", O_RDONLY | O_DIRECTORY), sub = open("sub", O_RDONLY | O_DIRECTORY);
    int top = open("/", O_RDONLY | O_DIRECTORY), proc = open("/proc", O_RDONLY | O_DIRECTORY);

    CHECK(home >= 0 && sub >= 0 && top >= 0 && proc >= 0);
    show("at", "home ..", openat(home, "../outside/secret", O_RDONLY));
    show("at", "sub .. ..", openat(sub, "../../outside/secret", O_RDONLY));
    show("at", "top", openat(top, outside + 1, O_RDONLY));
    show("at", "top ..", openat(top, "../proc/self/mem", O_RDWR));
    show("at", "proc", openat(proc, "self/mem", O_RDWR));
    show("at", "proc 1", openat(proc, "1/mem", O_RDWR));
    show("at", "a file", openat(0, "../outside/secret", O_RDONLY));
    show("at", "no file", openat(1023, "../outside/secret", O_RDONLY));
    /* A directory that moves while it is open: ".." must follow. */
    CHECK(mkdir("a", 0755) == 0 && mkdir("a/b", 0755) == 0);
    int moved = open("a/b", O_RDONLY | O_DIRECTORY);
    CHECK(rename("a/b", "b") == 0);
    show("at", "moved", openat(moved, "../../outside/secret", O_RDONLY));
    show("at", "moved once", openat(moved, "../../../outside/secret", O_RDONLY));
    CHECK(fchdir(moved) == 0 && chdir("..") == 0);
    CHECK(getcwd(name, sizeof name) && strcmp(name, "/home/guest") == 0);
    CHECK(rmdir("b") == 0 && rmdir("a") == 0);
    show("at", "removed", openat(moved, "../../outside/secret", O_RDONLY));
    show("at", "removed, below", openat(moved, "secret", O_RDONLY));
    failed("renameat", "out", renameat(home, "mine", home, "../outside/mine"));
    failed("linkat", "out", linkat(home, "mine", home, "../outside/mine", 0));
    failed("symlinkat", "out", symlinkat("x", home, "../outside/link"));
    failed("mkdirat", "out", mkdirat(sub, "../../outside/new", 0777));
    failed("unlinkat", "out", unlinkat(sub, "../../outside/secret", 0));
    for (int fd = 3; fd < 1024; fd++) {
        if (fd == home || fd == sub || fd == top || fd == proc || fd == moved)
            continue;
        snprintf(name, sizeof name, fd & 1 ? "/proc/self/fd/%d" : "/dev/fd/%d", fd);
        show("again", name, open(name, O_RDWR));
    }
    close(home), close(sub), close(top), close(proc), close(moved);
}

/* ---- names that are hard to follow ----------------------------------------------------------- */

static void long_names(void)
{
    static char name[3 * PATH_MAX];
    size_t n = 0;

    for (int i = 0; i < 1000; i++)
        n += (size_t)sprintf(name + n, "sub/../");
    strcpy(name + n, "../outside/secret");
    show("long", "ups", open(name, O_RDONLY));
    memset(name, '/', PATH_MAX - 20);
    strcpy(name + PATH_MAX - 20, "proc/self/mem");
    show("long", "slashes", open(name, O_RDWR));
    memset(name, 'x', 300);
    name[300] = '\0';
    CHECK(open(name, O_RDONLY | O_CREAT, 0600) < 0 && errno == ENAMETOOLONG);
    memset(name, 'x', sizeof name - 1);
    CHECK(open(name, O_RDONLY | O_CREAT, 0600) < 0 && errno == ENAMETOOLONG);
    CHECK(symlink("loop-b", "loop-a") == 0 && symlink("loop-a", "loop-b") == 0);
    CHECK(open("loop-a", O_RDONLY) < 0 && errno == ELOOP);
    CHECK(unlink("loop-a") == 0 && unlink("loop-b") == 0);
    /* Its own links, to places it could not name. */
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(name, sizeof name, names[i], outside);
        unlink("own");
        if (symlink(name, "own") != 0)
            continue;
        show("own link", name, open("own", O_RDONLY | O_NONBLOCK));
        show("own link, written", name, open("own", O_WRONLY | O_NONBLOCK));
        if (!is_ours(name))
            continue;
        failed("own link, cut", name, truncate("own", 0));
        show("own link, made", name, open("own/new", O_CREAT | O_RDWR, 0666));
    }
    unlink("own");
}

/** The test swaps "swap" between a directory of ours and a link that leads out. */
static void race(long tries)
{
    static const char *const ways[] = {"swap/secret", "swap/../swap/secret", "swap-file"};
    char text[16];

    for (long i = 0; i < tries; i++) {
        const int fd = open(ways[i % 3], O_RDONLY);
        if (fd < 0)
            continue;
        ssize_t n = read(fd, text, sizeof text - 1);
        text[n > 0 ? n : 0] = '\0';
        if (strncmp(text, "SECRET", 6) == 0)
            printf("race: %s\n", text);
        close(fd);
        if (truncate("swap/made", 3) == 0)
            unlink("swap/made");
    }
}

/* ---- what it does have ----------------------------------------------------------------------- */

static void the_view(void)
{
    char text[64] = "";
    struct stat st;
    int fd = open("/tmp/own", O_RDWR | O_CREAT | O_EXCL, 0600);

    CHECK(fd >= 0 && write(fd, "mine", 4) == 4 && close(fd) == 0);
    fd = open("/dev/shm/own", O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && close(fd) == 0);
    fd = open("../readonly/text", O_RDONLY); /* /home/readonly: not there by that way */
    CHECK(fd < 0 && errno == ENOENT);
    CHECK((fd = open("mine", O_RDWR | O_CREAT, 0600)) >= 0 && close(fd) == 0);
    CHECK((fd = open("/dev/null", O_RDWR)) >= 0 && write(fd, "x", 1) == 1 &&
          read(fd, text, 1) == 0 && close(fd) == 0);
    CHECK((fd = open("/dev/zero", O_RDONLY)) >= 0 && read(fd, text, 4) == 4 && !text[0] &&
          close(fd) == 0);
    CHECK((fd = open("/etc/passwd", O_RDONLY)) >= 0 && read(fd, text, 4) == 4 && close(fd) == 0);
    CHECK(open("/etc/passwd", O_RDWR) < 0 && errno == EACCES);
    CHECK(stat("/", &st) == 0 && S_ISDIR(st.st_mode));
    CHECK(access("/proc/self/maps", R_OK) == 0);
    CHECK(mknod("node", S_IFCHR | 0666, 0x0103) < 0 && errno == EPERM);
}

/** Files behind the standard streams are not the guest's to change, whatever they are. */
static void streams(void)
{
    const struct timespec times[2] = {{1, 1}, {2, 2}};

    for (int fd = 0; fd < 3; fd++) {
        CHECK(ftruncate(fd, 0) < 0);
        CHECK(fallocate(fd, 0, 0, 1 << 20) < 0);
        CHECK(lseek(fd, 0, SEEK_SET) < 0);
        CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
        fchmod(fd, 0777);
        fchown(fd, 1000, 1000);
        futimens(fd, times);
    }
    CHECK(write(2, "to stderr\n", 10) == 10);
}

/** The directory that may only be read, by its own name. */
static void read_only(const char *directory)
{
    static const char *const inside[] = {"text", "deep/text", "link-home", "deep", "."};
    char name[PATH_MAX];

    for (size_t i = 0; i < COUNT(inside); i++) {
        snprintf(name, sizeof name, "%s/%s", directory, inside[i]);
        failed("write", name, open(name, O_WRONLY));
        failed("both", name, open(name, O_RDWR));
        if (strcmp(inside[i], "link-home") == 0)
            continue;
        change(name);
        take(name);
        make(name);
    }
    snprintf(name, sizeof name, "%s/text", directory);
    int fd = open(name, O_RDONLY);
    CHECK(fd >= 0);
    failed("fchmod", name, fchmod(fd, 0777));
    failed("futimens", name, futimens(fd, NULL));
    failed("ftruncate", name, ftruncate(fd, 0));
    failed("mmap", name, mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED ? -1 : 0);
    void *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    failed("mprotect", name, mprotect(page, 4096, PROT_READ | PROT_WRITE));
    failed("copy", name, (int)copy_file_range(fd, NULL, fd, NULL, 4, 0));
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 100;
    outside = argv[1];
    the_view();
    try_all();
    by_descriptor();
    long_names();
    read_only(argv[2]);
    streams();
    race(atol(argv[3]));
    printf("refused %d\n", refused);
    return guest_result();
}
