/*
 * A guest that asks the operating system for more than the machine has, in one of the ways there
 * are, until it is refused or has asked for many times as much. It says how it ended.
 *
 *     growth_guest WAY MEGABYTES     of the machine's memory
 */
#include "numachine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MB = 1 << 20, TIMES = 8 };

static char buffer[MB];
static unsigned long machine; /* [bytes] */
static long page;

/* Ways to grow: each step keeps some bytes, or leaves some behind. @return 0, or -1 with errno */

static int fill(int fd, unsigned long bytes)
{
    for (ssize_t n; bytes > 0; bytes -= (unsigned long)n)
        if ((n = write(fd, buffer, bytes < MB ? bytes : MB)) < 0)
            return -1;
    return 0;
}

/* Many nameless files. */
static int nameless(unsigned long step)
{
    const int fd = memfd_create("one", 0);

    (void)step;
    return fd < 0 ? -1 : fill(fd, MB);
}

/* A long one, made so at once. */
static int resized(unsigned long step)
{
    return ftruncate(step ? 3 : memfd_create("one", 0), (off_t)((step + 1) * MB));
}

/* Files that are closed but mapped. */
static int mapped(unsigned long step)
{
    const int fd = memfd_create("one", 0);
    const int failed = fd < 0 || ftruncate(fd, MB) < 0 ||
                       mmap(NULL, MB, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED;

    (void)step;
    close(fd);
    return failed ? -1 : 0;
}

static int in_tmp(unsigned long step)
{
    char name[32];
    int fd;

    snprintf(name, sizeof name, "/tmp/%lu", step);
    fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    const int failed = fd < 0 || fill(fd, MB) < 0;
    close(fd);
    return failed ? -1 : 0;
}

static int in_shm(unsigned long step)
{
    char name[32];
    int fd;

    snprintf(name, sizeof name, "/dev/shm/%lu", step);
    fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
    const int failed = fd < 0 || ftruncate(fd, MB) < 0;
    close(fd);
    return failed ? -1 : 0;
}

static int unnamed(unsigned long step)
{
    const int fd = open("/tmp", O_TMPFILE | O_RDWR, 0600);

    (void)step;
    return fd < 0 ? -1 : fill(fd, MB);
}

/* Names: of this many in a step none has content. */
enum { NAMES = 100 };

static int empty_file(const char *name)
{
    const int fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);

    return fd < 0 ? -1 : close(fd);
}

static int folder(const char *name)
{
    return mkdir(name, 0700);
}

/* The longest text there is. */
static int symbolic_link(const char *name)
{
    static char text[4096];

    memset(text, 'x', sizeof text - 1);
    return symlink(text, name);
}

static int hard_link(const char *name)
{
    static int made;

    made = made || empty_file("/tmp/linked") == 0;
    return link("/tmp/linked", name);
}

static int fifo(const char *name)
{
    return mkfifo(name, 0600);
}

static int many(int (*make)(const char *name), const char *in, unsigned long step)
{
    char name[32];

    for (unsigned long i = 0; i < NAMES; i++) {
        snprintf(name, sizeof name, "%s/%lu", in, step * NAMES + i);
        if (make(name) < 0)
            return -1;
    }
    return 0;
}

static int files(unsigned long step)
{
    return many(empty_file, "/dev/shm", step);
}

static int folders(unsigned long step)
{
    return many(folder, "/tmp", step);
}

/* Each in the next one, deeper than there are descriptors. */
static int deep_folders(unsigned long step)
{
    for (unsigned i = 0; i < NAMES; i++)
        if (mkdir("/tmp/outer", 0700) < 0 ||
            (step + i && rename("/tmp/top", "/tmp/outer/in") < 0) ||
            rename("/tmp/outer", "/tmp/top") < 0)
            return -1;
    return 0;
}

static int symbolic_links(unsigned long step)
{
    return many(symbolic_link, "/tmp", step);
}

static int hard_links(unsigned long step)
{
    return many(hard_link, "/tmp", step);
}

static int fifos(unsigned long step)
{
    return many(fifo, "/tmp", step);
}

/* Empty files that only their mappings keep. */
static int map_and_close(int fd)
{
    const int failed =
        fd < 0 || mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED || close(fd) < 0;

    return failed ? -1 : 0;
}

static int mapped_empty(unsigned long step)
{
    (void)step;
    for (unsigned i = 0; i < NAMES; i++)
        if (map_and_close(memfd_create("one", 0)) < 0)
            return -1;
    return 0;
}

static int mapped_removed(unsigned long step)
{
    (void)step;
    for (unsigned i = 0; i < NAMES; i++)
        if (map_and_close(open("/tmp/one", O_CREAT | O_EXCL | O_RDWR, 0600)) < 0 ||
            unlink("/tmp/one") < 0)
            return -1;
    return 0;
}

static int segments(unsigned long step)
{
    const int id = shmget(IPC_PRIVATE, MB, IPC_CREAT | 0600);
    char *at;

    (void)step;
    if (id < 0 || (at = shmat(id, NULL, 0)) == (void *)-1)
        return -1;
    memset(at, 1, MB);
    return shmdt(at);
}

static int semaphores(unsigned long step)
{
    (void)step;
    return semget(IPC_PRIVATE, 32000, IPC_CREAT | 0600) < 0 ? -1 : 0;
}

/* Leaves little for what is small. */
static int leave(unsigned long bytes)
{
    return ftruncate(memfd_create("rest", 0), (off_t)(machine - bytes));
}

/* Empty messages: what they take is the queue's own. */
static int messages(unsigned long step)
{
    struct {
        long type;
    } empty = {1};
    const int id = step || leave(MB) == 0 ? msgget(IPC_PRIVATE, IPC_CREAT | 0600) : -1;

    for (unsigned i = 0; id >= 0 && i < 16384; i++)
        if (msgsnd(id, &empty, 0, IPC_NOWAIT) < 0)
            return -1;
    return id < 0 ? -1 : 0;
}

/* Every other byte of a file. */
static int locks(unsigned long step)
{
    static int fd = -1;

    if (fd < 0 && leave(MB / 8) == 0)
        fd = open("/tmp/locked", O_CREAT | O_RDWR, 0600);
    for (unsigned i = 0; i < 1000; i++) {
        struct flock l = {.l_type = F_WRLCK,
                          .l_whence = SEEK_SET,
                          .l_start = (off_t)(2 * (step * 1000 + i)),
                          .l_len = 1};
        if (fcntl(fd, F_SETLK, &l) < 0)
            return -1;
    }
    return 0;
}

/* Neighbours with other rights are areas of their own. */
static int areas(unsigned long step)
{
    enum { PAGES = 160000, EACH = 1000 };
    static char *at;

    if (!step)
        at = mmap(NULL, PAGES * (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; at != MAP_FAILED && i < EACH; i += 2)
        if (mprotect(at + (step * EACH + i) * (size_t)page, (size_t)page, PROT_READ) < 0)
            return -1;
    return at == MAP_FAILED ? -1 : 0;
}

/* Many epolls that watch many descriptors. */
static int watches(unsigned long step)
{
    enum { WATCHED = 500 };
    static int watched[WATCHED];
    struct epoll_event in = {.events = EPOLLIN};
    const int watcher = step || leave(MB / 8) == 0 ? epoll_create1(0) : -1;

    for (unsigned i = 0; watcher >= 0 && i < WATCHED; i++) {
        if (!step)
            watched[i] = eventfd(0, 0);
        if (epoll_ctl(watcher, EPOLL_CTL_ADD, watched[i], &in) < 0)
            return -1;
    }
    return watcher < 0 ? -1 : 0;
}

/* One folder's names, for each that has begun to read it. */
static int listings(unsigned long step)
{
    enum { LISTED = 4 };
    DIR *d;

    for (unsigned long i = 0; !step && i < LISTED; i++)
        if ((i == 0 && leave(2 * MB) < 0) || many(empty_file, "/tmp", i) < 0)
            return -1;
    d = opendir("/tmp");
    errno = 0;
    return d && readdir(d) ? 0 : -1;
}

/* Special functions whose files are closed. */
static int commands(unsigned long step)
{
    enum { COMMANDS = 64 };
    static struct numachine_command command[COMMANDS];
    const int device = step || leave(MB / 8) == 0 ? open("/dev/numachine/memory", O_RDWR) : -1;

    for (unsigned i = 0; i < COMMANDS; i++)
        command[i] = (struct numachine_command){NUMACHINE_WRITE_BACK, 0,
                                                (unsigned long)memset(buffer, 0, 1), MB};
    if (device < 0 || write(device, command, sizeof command) < 0)
        return -1;
    return close(device);
}

/* Texts that are written when they are opened: this one is as long as there are areas. */
static int texts(unsigned long step)
{
    enum { PAGES = 1000 };
    char *at = NULL;

    if (!step && leave(MB) == 0)
        at = mmap(NULL, PAGES * (size_t)page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (unsigned i = 0; at && i < PAGES; i += 2)
        if (mprotect(at + i * (size_t)page, (size_t)page, PROT_READ) < 0)
            return -1;
    return open("/proc/self/maps", O_RDONLY) < 0 ? -1 : 0;
}

/* ---- what may go on for ever: it leaves nothing behind --------------------------------------- */

static void *end(void *arg)
{
    return arg;
}

static int threads(unsigned long step)
{
    pthread_t id;

    (void)step;
    for (unsigned i = 0; i < 300; i++)
        if ((errno = pthread_create(&id, NULL, end, NULL)) || pthread_join(id, NULL))
            return -1;
    return 0;
}

static int forgotten_files(unsigned long step)
{
    (void)step;
    for (unsigned i = 0; i < 2000; i++) {
        const int fd = memfd_create("one", 0);
        if (fd < 0 || write(fd, buffer, 4096) != 4096 || close(fd) < 0)
            return -1;
    }
    return 0;
}

static int forgotten_names(unsigned long step)
{
    (void)step;
    for (unsigned i = 0; i < 100; i++) {
        const int fd = open("/tmp/name", O_CREAT | O_EXCL | O_RDWR, 0600);
        if (fd < 0 || ftruncate(fd, MB) < 0 || unlink("/tmp/name") < 0 || close(fd) < 0)
            return -1;
    }
    return 0;
}

static int replaced_names(unsigned long step)
{
    (void)step;
    for (unsigned i = 0; i < 100; i++) {
        const int fd = open("/tmp/new", O_CREAT | O_EXCL | O_RDWR, 0600);
        if (fd < 0 || ftruncate(fd, MB) < 0 || close(fd) < 0 || rename("/tmp/new", "/tmp/old") < 0)
            return -1;
    }
    return 0;
}

/* All kinds of names, in all the ways one goes; on a machine with half the memory half as often. */
static int again(unsigned long step)
{
    (void)step;
    for (unsigned i = 0; i < machine / MB * 32; i++)
        if (empty_file("/tmp/a") < 0 || link("/tmp/a", "/tmp/b") < 0 || unlink("/tmp/a") < 0 ||
            symlink("b", "/tmp/a") < 0 || rename("/tmp/a", "/tmp/b") < 0 || unlink("/tmp/b") < 0 ||
            mkdir("/tmp/a", 0700) < 0 || mkdir("/tmp/b", 0700) < 0 ||
            rename("/tmp/a", "/tmp/b") < 0 || rmdir("/tmp/b") < 0 || mkfifo("/tmp/a", 0600) < 0 ||
            unlink("/tmp/a") < 0)
            return -1;
    return 0;
}

/* As many names as there is room for: every time the same number. */
static int refilled(unsigned long step)
{
    static unsigned long first;
    unsigned long n = 0;
    char name[32];

    for (int full = 0; !full; n += !full) {
        snprintf(name, sizeof name, "/tmp/%lu", n);
        full = (n % 2 ? mkdir(name, 0700) : empty_file(name)) < 0;
    }
    if (errno != ENOSPC)
        return -1;
    for (unsigned long i = 0; i < n; i++) {
        snprintf(name, sizeof name, "/tmp/%lu", i);
        if ((i % 2 ? rmdir(name) : unlink(name)) < 0)
            return -1;
    }
    first = step ? first : n;
    return n == first ? 0 : -1;
}

/* Folders that are removed while somebody is in them. */
static int left_folders(unsigned long step)
{
    (void)step;
    for (unsigned i = 0; i < machine / MB * 150; i++)
        if (mkdir("/tmp/in", 0700) < 0 || chdir("/tmp/in") < 0 || rmdir("/tmp/in") < 0 ||
            chdir("/") < 0)
            return -1;
    return 0;
}

/* Files without a name that find no descriptor. */
static int undescribed(unsigned long step)
{
    while (!step && dup(0) >= 0)
        continue;
    for (unsigned i = 0; i < 5000; i++)
        if (open("/tmp", O_TMPFILE | O_RDWR, 0600) >= 0 || errno != EMFILE)
            return -1;
    return 0;
}

/* Texts opened as what they cannot be, and mapped. */
static int refused_texts(unsigned long step)
{
    (void)step;
    for (unsigned i = 0; i < 5000; i++) {
        const int fd = open("/proc/self/maps", O_RDONLY);
        if (fd < 0 || mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) != MAP_FAILED || close(fd) < 0 ||
            open("/proc/self/maps", O_RDWR) >= 0)
            return -1;
    }
    return 0;
}

/* Segments attached over themselves. */
static int reattached(unsigned long step)
{
    static char *at;
    static int id;

    if (!step) {
        id = shmget(IPC_PRIVATE, 16384, IPC_CREAT | 0600);
        at = shmat(id, NULL, 0);
    }
    for (unsigned i = 0; i < 10000; i++)
        if (shmat(id, at, SHM_REMAP) == (void *)-1)
            return -1;
    return 0;
}

static int detached_segments(unsigned long step)
{
    (void)step;
    for (unsigned i = 0; i < 200; i++) {
        const int id = shmget(IPC_PRIVATE, 16384, IPC_CREAT | 0600);
        char *at = shmat(id, NULL, 0);
        if (id < 0 || at == (void *)-1)
            return -1;
        *at = 1;
        if (shmctl(id, IPC_RMID, NULL) < 0 || (i % 2 ? shmdt(at) : munmap(at, 16384)) < 0)
            return -1;
    }
    return 0;
}

/* Pages far apart, each given back: what tells where they are goes with them. */
static int far_pages(unsigned long step)
{
    const size_t apart = sizeof(long) == 8 ? 64 * MB : 4 * MB,
                 places = sizeof(long) == 8 ? 8000 : 400;

    for (unsigned long i = 0; i < 400; i++) {
        const size_t at = 0x10000000 + (step * 400 + i) % places * apart;
        char *p = mmap((void *)at, (size_t)page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        if (p == MAP_FAILED)
            return -1;
        *p = 1;
        if (munmap(p, (size_t)page) < 0)
            return -1;
    }
    return 0;
}

/* It sleeps, so that what the simulator needs for that is there. */
static int nothing(unsigned long step)
{
    (void)step;
    usleep(1);
    return 0;
}

static const struct {
    const char *name;
    int (*step)(unsigned long step);
    unsigned steps; /* 0: TIMES as many megabytes as the machine has */
} ways[] = {
    {"nothing", nothing, 1},
    {"nameless", nameless, 0},
    {"resized", resized, 0},
    {"mapped", mapped, 0},
    {"in_tmp", in_tmp, 0},
    {"in_shm", in_shm, 0},
    {"unnamed", unnamed, 0},
    {"files", files, 0},
    {"folders", folders, 0},
    {"deep_folders", deep_folders, 0},
    {"symbolic_links", symbolic_links, 0},
    {"hard_links", hard_links, 0},
    {"fifos", fifos, 0},
    {"mapped_empty", mapped_empty, 0},
    {"mapped_removed", mapped_removed, 0},
    {"segments", segments, 0},
    {"semaphores", semaphores, 4000},
    {"messages", messages, 400},
    {"locks", locks, 2000},
    {"areas", areas, 160},
    {"watches", watches, 64},
    {"listings", listings, 200},
    {"commands", commands, 100},
    {"texts", texts, 200},
    {"threads", threads, 20},
    {"forgotten_files", forgotten_files, 20},
    {"forgotten_names", forgotten_names, 2},
    {"replaced_names", replaced_names, 2},
    {"again", again, 20},
    {"refilled", refilled, 3},
    {"left_folders", left_folders, 20},
    {"undescribed", undescribed, 20},
    {"refused_texts", refused_texts, 10},
    {"detached_segments", detached_segments, 20},
    {"reattached", reattached, 25},
    {"far_pages", far_pages, 20},
};

int main(int argc, char **argv)
{
    machine = argc > 2 ? strtoul(argv[2], NULL, 0) * MB : 0;
    page = sysconf(_SC_PAGESIZE);
    for (unsigned i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++) {
        unsigned long step = 0;
        const unsigned long steps = ways[i].steps ? ways[i].steps : TIMES * machine / MB;
        if (strcmp(ways[i].name, argv[1]))
            continue;
        while (step < steps && ways[i].step(step) == 0)
            step++;
        printf("%s: %s\n", argv[1], step == steps ? "never" : strerror(errno));
        return 0;
    }
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++)
        puts(ways[i].name);
    return 1;
}
