/*
 * A guest that asks the operating system for more than the machine has, in one of the ways there
 * are, until it is refused or has asked for many times as much. It says how it ended.
 *
 *     growth_guest WAY MEGABYTES     of the machine's memory
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    for (unsigned long at = 0; at < bytes; at += MB)
        if (write(fd, buffer, MB) != MB)
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

static int nothing(unsigned long step)
{
    (void)step;
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
    {"segments", segments, 0},
    {"semaphores", semaphores, 4000},
    {"messages", messages, 400},
    {"locks", locks, 2000},
    {"areas", areas, 160},
    {"threads", threads, 20},
    {"forgotten_files", forgotten_files, 20},
    {"forgotten_names", forgotten_names, 2},
    {"replaced_names", replaced_names, 2},
    {"detached_segments", detached_segments, 20},
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
