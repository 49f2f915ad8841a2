/*
 * A guest that changes what it may not where it works, in every way it knows (guards.py).
 *
 *     guards_guest attack PATH...   each of them; one line per attempt that is not refused
 *     guards_guest own              what a program does in a directory of its own: all of it works
 *     guards_guest try OPERATION PATH
 *     guards_guest drawn SEED TIMES PATH...  whatever can be done to names, by lot
 */
#include "guests/guest.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

/* Directory and last name of the path, for calls that take them apart. */
struct target {
    const char *path, *name;
    int dir;
};

/* A file of its own, for names to be given to. */
static const char *mine(void)
{
    const int fd = open("mine", O_WRONLY | O_CREAT, 0600);

    if (fd >= 0)
        close(fd);
    return "mine";
}

static int put(int fd)
{
    int result = fd < 0 ? -1 : (int)write(fd, "FORGED\n", 7);

    if (fd >= 0)
        close(fd);
    return result;
}

static int read_it(const struct target *t)
{
    const int fd = open(t->path, O_RDONLY);
    char byte;
    const int result = fd < 0 ? -1 : (int)read(fd, &byte, 1);

    close(fd);
    return result;
}

static int append(const struct target *t)
{
    return put(open(t->path, O_WRONLY | O_APPEND));
}

static int truncate_it(const struct target *t)
{
    return put(open(t->path, O_RDWR | O_TRUNC));
}

static int create(const struct target *t)
{
    return put(open(t->path, O_WRONLY | O_CREAT, 0777));
}

static int fresh(const struct target *t)
{
    return put(open(t->path, O_WRONLY | O_CREAT | O_EXCL, 0777));
}

static int cut(const struct target *t)
{
    return truncate(t->path, 1);
}

static int mapped(const struct target *t)
{
    const int fd = open(t->path, O_RDWR);
    char *page = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (page != MAP_FAILED)
        page[0] = 'X';
    close(fd);
    return page == MAP_FAILED ? -1 : 0;
}

/* What was opened for reading, opened again, or its mode. */
static int again(const struct target *t)
{
    const int fd = open(t->path, O_RDONLY);
    char name[40];

    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return fd < 0 ? -1 : put(open(name, O_WRONLY));
}

static int by_name_only(const struct target *t)
{
    const int fd = open(t->path, O_PATH);
    const int result = fd < 0 ? -1 : fchmod(fd, 0777);

    return result < 0 ? put(fd < 0 ? -1 : openat(fd, "", O_WRONLY)) : result;
}

static int mode_of_open(const struct target *t)
{
    const int fd = open(t->path, O_RDONLY);

    return fd < 0 ? -1 : fchmod(fd, 0777);
}

static int mode(const struct target *t)
{
    return chmod(t->path, 0777);
}

static int date(const struct target *t)
{
    return utime(t->path, NULL);
}

static int owner(const struct target *t)
{
    return chown(t->path, 1000, 1000);
}

static int unlink_it(const struct target *t)
{
    return unlink(t->path);
}

static int remove_directory(const struct target *t)
{
    return rmdir(t->path);
}

static int rename_from(const struct target *t)
{
    return rename(t->path, "taken");
}

static int rename_over(const struct target *t)
{
    return rename(mine(), t->path);
}

static int rename_directory_over(const struct target *t)
{
    mkdir("directory", 0777);
    return rename("directory", t->path);
}

static int exchange(const struct target *t)
{
    return renameat2(AT_FDCWD, mine(), AT_FDCWD, t->path, 2);
}

static int link_from(const struct target *t)
{
    return link(t->path, "second") == 0 ? put(open("second", O_WRONLY)) : -1;
}

static int link_to(const struct target *t)
{
    return link(mine(), t->path);
}

static int symlink_to(const struct target *t)
{
    return symlink("/tmp", t->path);
}

/* A link that is made under another name. */
static const char *lead_to(const struct target *t, char *lead)
{
    snprintf(lead, PATH_MAX, "%s-lead", t->path);
    return symlink("/tmp", lead) == 0 ? lead : NULL;
}

static int rename_link(const struct target *t)
{
    char lead[PATH_MAX];

    int result = lead_to(t, lead) ? rename(lead, t->path) : -1;

    unlink(lead);
    return result;
}

static int link_link(const struct target *t)
{
    char lead[PATH_MAX];
    int result = lead_to(t, lead) ? linkat(AT_FDCWD, lead, AT_FDCWD, t->path, 0) : -1;

    unlink(lead);
    return result;
}

static int make_directory(const struct target *t)
{
    return mkdir(t->path, 0777);
}

static int make_node(const struct target *t)
{
    return mknod(t->path, S_IFREG | 0777, 0);
}

static int make_pipe(const struct target *t)
{
    return mkfifo(t->path, 0777);
}

static int beneath(const struct target *t)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/hook", t->path);
    return put(open(path, O_WRONLY | O_CREAT, 0777));
}

static int unnamed(const struct target *t)
{
    const int fd = open(t->path, O_TMPFILE | O_RDWR, 0777);
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/unnamed", t->path);
    return fd < 0 ? -1 : linkat(fd, "", AT_FDCWD, path, AT_EMPTY_PATH);
}

static int at_directory(const struct target *t)
{
    return put(openat(t->dir, t->name, O_WRONLY | O_CREAT, 0777));
}

static int rename_at(const struct target *t)
{
    return renameat(AT_FDCWD, mine(), t->dir, t->name);
}

static int through_link(const struct target *t)
{
    unlink("link");
    return symlink(t->path, "link") == 0 ? put(open("link", O_WRONLY | O_CREAT, 0777)) : -1;
}

static int around(const struct target *t)
{
    char path[PATH_MAX];

    mkdir("aside", 0777);
    snprintf(path, sizeof path, "aside/../aside/./..//%s", t->path);
    return put(open(path, O_WRONLY | O_CREAT, 0777));
}

static int from_within(const struct target *t)
{
    char path[PATH_MAX];
    int result;

    snprintf(path, sizeof path, "%s", t->path);
    if (chdir(dirname(path)) != 0)
        return -1;
    result = put(open(t->name, O_WRONLY | O_CREAT, 0777));
    chdir("/home/guest");
    return result;
}

/* Takes the first directory of the path away and makes another of its name. */
static int take_away(const struct target *t)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s", t->path);
    path[strcspn(path, "/")] = '\0';
    return rename(path, "away");
}

static const struct operation {
    const char *name;
    int (*does)(const struct target *t);
} operations[] = {
    {"read", read_it}, /* the first: it is no attack */
    {"append", append},
    {"truncate", truncate_it},
    {"create", create},
    {"fresh", fresh},
    {"cut", cut},
    {"mapped", mapped},
    {"again", again},
    {"by-name-only", by_name_only},
    {"mode-of-open", mode_of_open},
    {"mode", mode},
    {"date", date},
    {"owner", owner},
    {"unlink", unlink_it},
    {"rmdir", remove_directory},
    {"rename-from", rename_from},
    {"rename-over", rename_over},
    {"rename-directory-over", rename_directory_over},
    {"exchange", exchange},
    {"link-from", link_from},
    {"link-to", link_to},
    {"symlink", symlink_to},
    {"rename-link", rename_link},
    {"link-link", link_link},
    {"mkdir", make_directory},
    {"mknod", make_node},
    {"mkfifo", make_pipe},
    {"beneath", beneath},
    {"unnamed", unnamed},
    {"at-directory", at_directory},
    {"rename-at", rename_at},
    {"through-link", through_link},
    {"around", around},
    {"from-within", from_within},
    {"take-away", take_away},
};

/* What a guest sees of a file that is read-only or somebody else's, or of a name that is not so. */
static int is_refusal(int error)
{
    static const int errors[] = {EROFS,  EPERM,     EACCES,  ENOENT, EEXIST, EXDEV, EBUSY,
                                 EISDIR, ENOTEMPTY, ENOTDIR, EINVAL, EBADF,  ELOOP};

    for (size_t i = 0; i < COUNT(errors); i++)
        if (error == errors[i])
            return 1;
    return 0;
}

static void attempt(const struct operation *o, const char *path)
{
    char directory[PATH_MAX], name[PATH_MAX];
    struct target t = {.path = path, .name = name};
    int result;

    snprintf(directory, sizeof directory, "%s", path);
    snprintf(name, sizeof name, "%s", path);
    memmove(name, basename(name), strlen(basename(name)) + 1);
    t.dir = open(dirname(directory), O_RDONLY | O_DIRECTORY);
    errno = 0;
    result = o->does(&t);
    if (result >= 0 || !is_refusal(errno))
        printf("%s %s: %s\n", o->name, path, result >= 0 ? "done" : strerror(errno));
    close(t.dir);
}

/* What any program does, twice: all of it works in a directory of its own. */
static void own(void)
{
    char text[16] = "";
    struct stat st;
    int fd;

    CHECK(mkdir("results", 0777) == 0 && mkdir("results/deep", 0777) == 0);
    CHECK((fd = open("results/new", O_RDWR | O_CREAT | O_EXCL, 0644)) >= 0);
    CHECK(write(fd, "one", 3) == 3 && ftruncate(fd, 2) == 0 && fchmod(fd, 0755) == 0);
    CHECK(fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0755 && st.st_size == 2);
    CHECK(access("results/new", X_OK) == 0 && close(fd) == 0);
    CHECK((fd = open("results/new", O_WRONLY | O_APPEND)) >= 0 && put(fd) == 7);
    CHECK(stat("results/new", &st) == 0 && (st.st_mode & 07777) == 0755 && st.st_size == 9);
    CHECK(chmod("results/new", 0600) == 0 && access("results/new", X_OK) < 0);
    CHECK((fd = open("old", O_RDWR | O_CREAT, 0777)) >= 0 && close(fd) == 0);
    CHECK(stat("old", &st) == 0 && (st.st_mode & 07777) == 0755);
    CHECK(rename("results/new", "old") == 0 && rename("old", "results/deep/old") == 0);
    CHECK(link("results/deep/old", "second") == 0 && unlink("results/deep/old") == 0);
    CHECK(symlink("second", "link") == 0 && readlink("link", text, sizeof text) == 6);
    CHECK(truncate("link", 1) == 0 && utime("link", NULL) == 0);
    CHECK(mkfifo("fifo", 0666) == 0 && mknod("node", S_IFREG | 0711, 0) == 0);
    CHECK(stat("node", &st) == 0 && (st.st_mode & 07777) == 0711);
    CHECK(rename("results", "moved") == 0 && rmdir("moved/deep") == 0 && rmdir("moved") == 0);
    CHECK((fd = open("/tmp/.git", O_WRONLY | O_CREAT, 0777)) >= 0 && close(fd) == 0);
    CHECK((fd = open("input", O_RDWR | O_TRUNC)) >= 0 &&
          put(fd) == 7); /* that the user has put there */
}

/* ---- by lot ---------------------------------------------------------------------------------- */

static unsigned lot(unsigned below)
{
    static uint64_t state;

    if (!below) /* begins anew */
        return (unsigned)(state = 0);
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

/* A path of those given, of its own, or of one beneath or above another. */
static const char *draw(char **path, int paths, char *text)
{
    static const char *const own[] = {"mine",      "a",      "a/b", "a/HEAD", "a/.git", "b",
                                      "a/objects", "a/refs", "l",   "/tmp/x", "."};
    static const char *const more[] = {"", "/new", "/..", "/HEAD", "/.git", "/a", "/."};
    const char *front = lot(3) ? path[lot((unsigned)paths)] : own[lot(COUNT(own))];

    snprintf(text, PATH_MAX, "%s%s%s", lot(8) ? "" : "/home/guest/", front,
             lot(4) ? "" : more[lot(COUNT(more))]);
    return text;
}

static void close_two(int a, int b)
{
    close(a);
    close(b);
}

static void drawn_once(char **path, int paths)
{
    static const int flags[] = {O_RDONLY,
                                O_WRONLY,
                                O_RDWR,
                                O_WRONLY | O_TRUNC,
                                O_RDWR | O_CREAT,
                                O_RDWR | O_CREAT | O_EXCL,
                                O_TMPFILE | O_RDWR,
                                O_PATH,
                                O_DIRECTORY,
                                O_WRONLY | O_APPEND | O_CREAT,
                                O_RDWR | O_NOFOLLOW};
    char one[PATH_MAX], two[PATH_MAX];
    const char *a = draw(path, paths, one), *b = draw(path, paths, two);
    const int flag = flags[lot(COUNT(flags))], what = (int)lot(18);
    int from = AT_FDCWD, to = AT_FDCWD, fd;

    if (!lot(4)) {
        draw(path, paths, two);
        from = open(two, O_RDONLY | O_DIRECTORY);
        b = draw(path, paths, two);
        to = dup(from);
    }
    switch (what) {
    case 0:
        renameat(from, a, to, b);
        break;
    case 1:
        renameat2(from, a, to, b, lot(3));
        break;
    case 2:
        linkat(from, a, to, b, lot(2) ? AT_SYMLINK_FOLLOW : 0);
        break;
    case 3:
        symlinkat(a, to, b);
        break;
    case 4:
        unlinkat(from, a, lot(2) ? AT_REMOVEDIR : 0);
        break;
    case 5:
        mkdirat(from, a, 0777);
        break;
    case 6:
        fchmodat(from, a, lot(010000), 0);
        break;
    case 7:
        utimensat(from, a, NULL, lot(2) ? AT_SYMLINK_NOFOLLOW : 0);
        break;
    case 8:
        truncate(a, lot(9));
        break;
    case 9:
        mknodat(from, a, (lot(2) ? S_IFREG : S_IFIFO) | 0777, 0);
        break;
    case 10:
        chdir(a);
        break;
    case 11:
        chdir("/home/guest");
        break;
    case 12:
        fchownat(from, a, 1000, 1000, 0);
        break;
    default:
        fd = openat(from, a, flag | O_NONBLOCK, lot(01000));
        if (fd >= 0) {
            if (write(fd, "FORGED\n", 7) < 0 && !lot(3))
                pwrite(fd, "X", 1, 0);
            fchmod(fd, lot(01000));
            ftruncate(fd, lot(20));
            futimens(fd, NULL);
            close(fd);
        }
    }
    close_two(from, to);
}

static void drawn(unsigned seed, long times, char **path, int paths)
{
    lot(0);
    for (unsigned i = 0; i < 1 + seed % 1000; i++)
        lot(2);
    for (long i = 0; i < times; i++)
        drawn_once(path, paths);
}

int main(int argc, char **argv)
{
    umask(022);
    if (argc > 4 && strcmp(argv[1], "drawn") == 0)
        drawn((unsigned)atoi(argv[2]), atol(argv[3]), argv + 4, argc - 4);
    if (argc == 2 && strcmp(argv[1], "own") == 0)
        own();
    for (int i = 2; i < argc && strcmp(argv[1], "attack") == 0; i++)
        for (size_t o = 1; o < COUNT(operations); o++)
            attempt(&operations[o], argv[i]);
    for (size_t o = 0; argc == 4 && strcmp(argv[1], "try") == 0 && o < COUNT(operations); o++)
        if (strcmp(operations[o].name, argv[2]) == 0)
            attempt(&operations[o], argv[3]);
    return guest_result();
}
