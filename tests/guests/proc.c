/*
 * What a program reads of itself and of its machine in /proc agrees with what calls tell it, and
 * with what it has done.
 */
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

enum { MB = 1 << 20, OWN = MAP_PRIVATE | MAP_ANONYMOUS };

static char text[8192];
static size_t size;

/** Reads a file whole. */
static char *look(const char *name)
{
    const int fd = open(name, O_RDONLY);
    ssize_t n;

    size = 0;
    CHECK(fd >= 0);
    while ((n = read(fd, text + size, sizeof text - 1 - size)) > 0)
        size += (size_t)n;
    text[size] = '\0';
    close(fd);
    if (size == 0)
        printf("nothing in %s\n", name);
    return text;
}

/** The number behind a name in a table of lines; -1: it is not there. */
static long long of(const char *name, const char *file)
{
    const char *line = look(file);
    const size_t n = strlen(name);

    while (line && (strncmp(line, name, n) != 0 || line[n] != ':'))
        line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
    return line ? strtoll(line + n + 1, NULL, 0) : -1;
}

/** A field of /proc/self/stat, counted from 1 as in proc(5), from 3 on. */
static long long field(int number)
{
    char *at = strrchr(look("/proc/self/stat"), ')') + 2;

    for (; number > 3; number--)
        at = strchr(at, ' ') + 1;
    return strtoll(at, NULL, 0);
}

/** What a link says. */
static const char *leads(const char *name)
{
    struct stat st;
    const ssize_t n = readlink(name, text, sizeof text - 1);

    text[n > 0 ? n : 0] = '\0';
    CHECK(n > 0 && lstat(name, &st) == 0 && S_ISLNK(st.st_mode));
    return text;
}

/** How many names a directory has, without itself and the one above. */
static int names(const char *name)
{
    DIR *dir = opendir(name);
    int n = -2;

    CHECK(dir != NULL);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static char *of_descriptor(int fd)
{
    static char name[64];

    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    return name;
}

/** The process has several names, and links lead to what it uses. */
static void links(void)
{
    char own[64], cwd[4096], there[4200];
    struct stat a, b;
    int in[2], file, dir;

    CHECK(chdir("/tmp") == 0 && getcwd(cwd, sizeof cwd) && pipe(in) == 0);
    file = open("proc.tmp", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dir = open(".", O_RDONLY);
    CHECK(file >= 0 && dir >= 0);
    snprintf(own, sizeof own, "%d", getpid());
    CHECK(strcmp(leads("/proc/self"), own) == 0);
    CHECK(strcmp(leads("/proc/self/cwd"), cwd) == 0 && strcmp(leads("/proc/self/root"), "/") == 0);
    snprintf(own, sizeof own, "%d/task/%d", getpid(), gettid());
    CHECK(strcmp(leads("/proc/thread-self"), own) == 0);
    snprintf(own, sizeof own, "/proc/%d/cwd", getpid());
    CHECK(strcmp(leads(own), cwd) == 0);
    snprintf(own, sizeof own, "/proc/%d/stat", getpid());
    CHECK(access(own, R_OK) == 0 && strtol(look(own), NULL, 10) == getpid());
    snprintf(own, sizeof own, "/proc/%d", getpid());
    CHECK(names(own) == names("/proc/self") && names(own) > 10);
    CHECK(stat("/proc/self/cwd", &a) == 0 && stat(".", &b) == 0 && a.st_ino == b.st_ino);
    CHECK(access("/proc/self/cwd/proc.tmp", F_OK) == 0 && access("/proc/7/stat", F_OK) != 0);
    snprintf(there, sizeof there, "%s/proc.tmp", cwd);
    CHECK(strcmp(leads(of_descriptor(file)), there) == 0);
    CHECK(rename("proc.tmp", "proc.tmp2") == 0 &&
          strcmp(leads(of_descriptor(file)) + strlen(there), "2") == 0);
    CHECK(unlink("proc.tmp2") == 0 && strstr(leads(of_descriptor(file)), "2 (deleted)"));
    CHECK(strcmp(leads(of_descriptor(dir)), cwd) == 0);
    CHECK(strncmp(leads(of_descriptor(in[0])), "pipe:[", 6) == 0);
    strcpy(there, text);
    CHECK(strcmp(leads(of_descriptor(in[1])), there) == 0 &&
          strcmp(leads(of_descriptor(1)), there) != 0);
    CHECK(strcmp(leads(of_descriptor(eventfd(0, 0))), "anon_inode:[eventfd]") == 0);
    CHECK(strcmp(leads(of_descriptor(memfd_create("own", 0))), "/memfd:own (deleted)") == 0);
    CHECK(open(of_descriptor(1), O_WRONLY | O_NOFOLLOW) < 0 && errno == ELOOP);
    CHECK(open(of_descriptor(dir), O_RDONLY | O_DIRECTORY) >= 0);
    CHECK(readlink(of_descriptor(99), text, sizeof text) < 0 && errno == ENOENT);
    CHECK(names("/proc/self/fd") == names("/dev/fd"));
    CHECK(dup(1) >= 0);
    const int open_files = names("/proc/self/fd");
    close(in[0]);
    CHECK(names("/proc/self/fd") == open_files - 1);
    close(in[1]), close(file), close(dir);
}

static volatile pid_t lives_tid; /* of the last that began */

static void *lives(void *barrier)
{
    lives_tid = gettid();
    pthread_barrier_wait(barrier);
    pthread_barrier_wait(barrier);
    return NULL;
}

static void itself(int argc, char **argv)
{
    const long page = sysconf(_SC_PAGESIZE);
    size_t at = 0;

    look("/proc/self/cmdline");
    for (int i = 0; i < argc; at += strlen(argv[i++]) + 1)
        CHECK(strcmp(text + at, argv[i]) == 0);
    CHECK(at == size);
    prctl(PR_SET_NAME, "a name", 0, 0, 0);
    CHECK(strcmp(look("/proc/self/comm"), "a name\n") == 0);
    CHECK(strncmp(look("/proc/self/status"), "Name:\ta name\n", 13) == 0);
    CHECK(of("Pid", "/proc/self/status") == getpid() &&
          of("PPid", "/proc/self/status") == getppid());
    CHECK(of("Uid", "/proc/self/status") == getuid() && of("Gid", "/proc/self/status") == getgid());
    CHECK(strtol(look("/proc/self/stat"), NULL, 10) == getpid() && field(4) == getppid());
    CHECK(field(5) == getpgrp() && field(19) == 0 && field(23) > 65536);
    CHECK(strtoll(look("/proc/self/statm"), NULL, 10) * page ==
          of("VmSize", "/proc/self/status") * 1024);
}

/** The auxiliary vector: pairs of words, as getauxval has them. */
static void vector(void)
{
    const unsigned long *v = (const unsigned long *)(void *)text;

    look("/proc/self/auxv");
    CHECK(size % (2 * sizeof *v) == 0 && size > 20 * sizeof *v);
    for (; *v != AT_NULL; v += 2)
        CHECK(getauxval(v[0]) == v[1]);
    CHECK((const char *)(v + 2) == text + size);
    CHECK(getauxval(AT_UID) == getuid() && getauxval(AT_EGID) == getegid());
}

static void sizes(void)
{
    const long long all = of("VmSize", "/proc/self/status"), rss = of("VmRSS", "/proc/self/status");
    const long long data = of("VmData", "/proc/self/status"), free = of("MemFree", "/proc/meminfo");
    char *at = mmap(NULL, 8 * MB, PROT_READ | PROT_WRITE, OWN, -1, 0);

    CHECK(of("VmSize", "/proc/self/status") == all + 8192);
    CHECK(of("VmData", "/proc/self/status") == data + 8192);
    CHECK(of("VmRSS", "/proc/self/status") < rss + 128);
    memset(at, 1, MB / 4);
    CHECK(of("VmRSS", "/proc/self/status") >= rss + 256);
    CHECK(of("MemFree", "/proc/meminfo") <= free - 256);
    CHECK(mlock(at, MB) == 0 && of("VmLck", "/proc/self/status") == 1024);
    munmap(at, 8 * MB);
    CHECK(of("VmSize", "/proc/self/status") == all && of("VmLck", "/proc/self/status") == 0);
    CHECK(of("VmStk", "/proc/self/status") < 1024);
}

/** What the process had at most. */
static void peaks(void)
{
    struct rusage before, after;
    const long long all = of("VmPeak", "/proc/self/status");
    char *at = mmap(NULL, 16 * MB, PROT_READ | PROT_WRITE, OWN, -1, 0);

    CHECK(getrusage(RUSAGE_SELF, &before) == 0 && all >= of("VmSize", "/proc/self/status") - 16384);
    CHECK(of("VmHWM", "/proc/self/status") >= of("VmRSS", "/proc/self/status"));
    memset(at, 1, MB);
    munmap(at, 16 * MB);
    CHECK(of("VmPeak", "/proc/self/status") >= of("VmSize", "/proc/self/status") + 16384);
    CHECK(of("VmHWM", "/proc/self/status") >= of("VmRSS", "/proc/self/status") + 512);
    CHECK(getrusage(RUSAGE_SELF, &after) == 0 && after.ru_maxrss >= before.ru_maxrss);
    CHECK(after.ru_maxrss == of("VmHWM", "/proc/self/status"));
}

/** What a thread does, in its own file: a letter. */
static char state(pid_t tid)
{
    char name[64];

    snprintf(name, sizeof name, "/proc/self/task/%d/stat", tid);
    return strrchr(look(name), ')')[2];
}

static void threads(void)
{
    pthread_barrier_t barrier;
    pthread_t t[3];
    sigset_t set;

    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, lives, &barrier);
    pthread_barrier_wait(&barrier);
    CHECK(of("Threads", "/proc/self/status") == 4 && field(20) == 4);
    for (int i = 0; i < 3; i++) {
        CHECK(pthread_setname_np(t[i], i ? "one of several" : "the first") == 0);
        CHECK(pthread_getname_np(t[i], text, 16) == 0 &&
              !strcmp(text, i ? "one of several" : "the first"));
    }
    while (state(lives_tid) == 'R')
        usleep(1000);
    CHECK(state(lives_tid) == 'S' && state(getpid()) == 'R');
    CHECK(names("/proc/self/task") == 4 && access("/proc/self/task/7", F_OK) != 0);
    CHECK(access("/proc/self/task/7/comm", F_OK) != 0 &&
          open("/proc/self/task/7/comm", O_RDONLY) < 0);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGHUP, SIG_IGN);
    CHECK(strstr(look("/proc/self/status"), "\nSigIgn:\t") &&
          strtoull(strstr(text, "\nSigIgn:\t") + 9 + (SIGRTMAX > 64 ? 16 : 0), NULL, 16) & 1);
    CHECK(strtoull(strstr(text, "\nSigBlk:\t") + 9 + (SIGRTMAX > 64 ? 16 : 0), NULL, 16) ==
          1ull << (SIGUSR1 - 1));
}

/** A text that stays open is written anew when it is read from its beginning. */
static void again(void)
{
    const int fd = open("/proc/self/statm", O_RDONLY);
    pthread_barrier_t barrier;
    char name[32], *at;
    pthread_t t;
    int of_thread;

    CHECK(pread(fd, text, sizeof text, 0) > 0);
    const unsigned long pages = strtoul(text, NULL, 10),
                        page = (unsigned long)sysconf(_SC_PAGESIZE);
    at = mmap(NULL, 64 * page, PROT_READ | PROT_WRITE, OWN, -1, 0);
    CHECK(at != MAP_FAILED && lseek(fd, 0, SEEK_SET) == 0 && read(fd, text, 3) == 3);
    CHECK(read(fd, text + 3, sizeof text - 3) > 0 && strtoul(text, NULL, 10) >= pages + 64);
    close(fd);
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&t, NULL, lives, &barrier);
    pthread_barrier_wait(&barrier);
    snprintf(name, sizeof name, "/proc/self/task/%d/comm", lives_tid);
    of_thread = open(name, O_RDONLY);
    CHECK(pthread_setname_np(t, "another") == 0 && read(of_thread, text, 8) == 8);
    CHECK(memcmp(text, "another\n", 8) == 0 && read(of_thread, text, 8) == 0);
    pthread_barrier_wait(&barrier);
    pthread_join(t, NULL);
    CHECK(pread(of_thread, text, 8, 0) < 0 && errno == ESRCH);
    CHECK(pread(of_thread, text, 8, 5) < 0 && errno == ESRCH);
    close(of_thread);
}

/** A name that is open for both is read as it is now, from where the descriptor stands, and written
 *  whole whatever that is. */
static void renamed(void)
{
    const int fd = open("/proc/self/comm", O_RDWR);

    CHECK(fd >= 0 && write(fd, "a long enough name", 18) == 18);
    CHECK(read(fd, text, 3) == 3 && !memcmp(text, "a l", 3));
    CHECK(write(fd, "short", 5) == 5 && pread(fd, text, sizeof text, 0) == 6);
    CHECK(!memcmp(text, "short\n", 6) && !strcmp(look("/proc/self/comm"), "short\n"));
    CHECK(lseek(fd, 2, SEEK_SET) == 2 && read(fd, text, sizeof text) == 4);
    CHECK(ftruncate(fd, 4096) < 0 && errno == EINVAL);
    CHECK(pwrite(fd, "other", 5, 0) < 0 && errno == ESPIPE);
    CHECK(posix_fallocate(fd, 0, 4096) == ESPIPE && pread(fd, text, sizeof text, 100) == 0);
    close(fd);
    CHECK(access("/proc/thread-self/comm", W_OK) == 0);
    CHECK(open("/proc/cpuinfo", O_RDONLY | O_TRUNC) < 0 && errno == EACCES);
}

/** Each processor is a chip of one core. */
static void chips(void)
{
    CHECK(!strcmp(look("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"), "0\n"));
    CHECK(!strcmp(look("/sys/devices/system/cpu/cpu1/topology/core_siblings_list"), "1\n"));
    CHECK(!strcmp(look("/sys/devices/system/cpu/cpu1/topology/physical_package_id"), "1\n"));
    CHECK(!strcmp(look("/sys/devices/system/cpu/cpu1/topology/core_id"), "0\n"));
    CHECK(open("/sys/devices/system/cpu/cpu4096/topology/core_id", O_RDONLY) < 0);
}

static int pipe_end(void)
{
    int in[2];

    CHECK(pipe(in) == 0);
    return in[0];
}

static void machine(void)
{
    struct sysinfo info;
    struct utsname name;
    struct timespec now;
    double up, idle;
    unsigned running, all;

    CHECK(sysinfo(&info) == 0 && uname(&name) == 0);
    CHECK(of("MemTotal", "/proc/meminfo") * 1024 == (long long)info.totalram * info.mem_unit);
    CHECK(info.freeram < info.totalram && of("SwapTotal", "/proc/meminfo") == 0);
    CHECK(of("HugePages_Total", "/proc/meminfo") == 0);
    CHECK(sscanf(look("/proc/uptime"), "%lf %lf", &up, &idle) == 2);
    clock_gettime(CLOCK_MONOTONIC, &now);
    CHECK(up <= (double)now.tv_sec + (double)now.tv_nsec / 1e9 && idle >= 0);
    CHECK(sscanf(look("/proc/loadavg"), "%*f %*f %*f %u/%u", &running, &all) == 2 && running >= 1 &&
          running <= all);
    CHECK(strstr(look("/proc/version"), name.release) && strncmp(text, "Linux version ", 14) == 0);
    CHECK(strncmp(look("/proc/sys/kernel/osrelease"), name.release, strlen(name.release)) == 0);
    CHECK(strncmp(look("/proc/sys/kernel/hostname"), name.nodename, strlen(name.nodename)) == 0);
    CHECK(strtol(look("/proc/sys/kernel/pid_max"), NULL, 10) > getpid());
    CHECK(strtol(look("/proc/sys/kernel/threads-max"), NULL, 10) > 100);
    CHECK(strcmp(look("/proc/sys/kernel/ostype"), "Linux\n") == 0);
    CHECK(strncmp(look("/proc/sys/kernel/version"), name.version, strlen(name.version)) == 0);
    CHECK(strtol(look("/proc/sys/vm/max_map_count"), NULL, 10) == 65530);
    CHECK(strtol(look("/proc/sys/fs/pipe-max-size"), NULL, 10) == fcntl(pipe_end(), F_GETPIPE_SZ));
    CHECK(strtol(look("/proc/sys/fs/mqueue/msg_max"), NULL, 10) == 10);
    CHECK(strtoull(look("/proc/sys/kernel/shmmax"), NULL, 10) > 1 << 30);
    CHECK(strstr(look("/proc/mounts"), "\nproc /proc proc ") &&
          strstr(look("/proc/filesystems"), "\text4\n"));
}

static void limits(void)
{
    struct rlimit l;

    CHECK(getrlimit(RLIMIT_NOFILE, &l) == 0 &&
          strstr(look("/proc/self/limits"), "Max open files "));
    CHECK(strtoul(strstr(text, "Max open files ") + 15, NULL, 10) == l.rlim_cur);
    CHECK(NULL !=
          strstr(text,
                 "Max cpu time              unlimited            unlimited            seconds "));
}

/** Nothing is ever made in /proc, and nothing there is the user's to change. */
static void changes(void)
{
    CHECK(open("/proc/self/nosuch", O_RDWR | O_CREAT, 0600) < 0 && errno == ENOENT);
    CHECK(mkdir("/proc/x", 0700) < 0 && errno == ENOENT);
    CHECK(symlink("/", "/proc/self/y") < 0 && errno == ENOENT);
    CHECK(unlink("/proc/nosuch") < 0 && errno == ENOENT);
    CHECK(unlink("/proc/self/stat") < 0 && errno == (getuid() ? EACCES : EPERM));
    CHECK(rmdir("/proc/self") < 0 && errno != EROFS);
    CHECK(chmod("/proc/self/stat", 0600) < 0 && errno == EPERM);
    CHECK(truncate("/proc/self/stat", 0) < 0 && errno == EACCES);
}

/** No two things have one number, and one thing has one, however it is named or opened. */
static void numbers(void)
{
    static const char *const different[] = {"/",
                                            "/proc",
                                            "/proc/self",
                                            "/proc/self/fd",
                                            "/proc/self/task",
                                            "/proc/self/stat",
                                            "/proc/self/status",
                                            "/proc/cpuinfo",
                                            "/sys",
                                            "/sys/devices",
                                            "/dev",
                                            "/dev/null",
                                            "/dev/zero",
                                            "/etc",
                                            "/etc/passwd",
                                            "/tmp"};
    struct stat st[COUNT(different)], again;
    struct dirent *e;
    int ends[4];
    char own[32];
    DIR *dir;

    for (size_t i = 0; i < COUNT(different); i++) {
        const int fd = open(different[i], O_RDONLY);
        CHECK(stat(different[i], &st[i]) == 0 && fstat(fd, &again) == 0);
        CHECK(again.st_ino == st[i].st_ino && again.st_dev == st[i].st_dev);
        close(fd);
        for (size_t k = 0; k < i; k++)
            CHECK(st[k].st_dev != st[i].st_dev || st[k].st_ino != st[i].st_ino);
    }
    CHECK(st[1].st_dev == st[5].st_dev && st[1].st_dev != st[8].st_dev);
    snprintf(own, sizeof own, "/proc/%d/stat", getpid());
    CHECK(stat(own, &again) == 0 && again.st_ino == st[5].st_ino);
    CHECK(lstat("/proc/self", &again) == 0 && again.st_ino != st[2].st_ino);
    dir = opendir("/proc/self");
    while ((e = readdir(dir))) {
        CHECK(fstatat(dirfd(dir), e->d_name, &again, AT_SYMLINK_NOFOLLOW) == 0);
        CHECK(again.st_ino == e->d_ino);
    }
    closedir(dir);
    CHECK(pipe(ends) == 0 && pipe(ends + 2) == 0);
    CHECK(fstat(ends[0], &st[0]) == 0 && fstat(ends[1], &st[1]) == 0 &&
          fstat(ends[2], &st[2]) == 0);
    CHECK(st[0].st_ino == st[1].st_ino && st[0].st_ino != st[2].st_ino);
    snprintf(own, sizeof own, "pipe:[%llu]", (unsigned long long)st[0].st_ino);
    CHECK(strcmp(leads(of_descriptor(ends[0])), own) == 0);
    for (int i = 0; i < 4; i++)
        close(ends[i]);
}

/** Of which file system the names that exist only here are. */
static void systems(void)
{
    static const struct {
        const char *name;
        long type;
        int room;
    } rows[] = {{"/", 0xef53, 1},        {"/tmp", 0x01021994, 1},
                {"/dev", 0x01021994, 1}, {"/dev/null", 0x01021994, 1},
                {"/proc", 0x9fa0, 0},    {"/proc/self/stat", 0x9fa0, 0},
                {"/sys", 0x62656572, 0}, {"/etc", 0xef53, 1}};
    struct statfs by_name, by_file;

    for (size_t i = 0; i < COUNT(rows); i++) {
        const int fd = open(rows[i].name, O_RDONLY);
        CHECK(fd >= 0 && statfs(rows[i].name, &by_name) == 0 && fstatfs(fd, &by_file) == 0);
        CHECK((long)by_name.f_type == rows[i].type && by_file.f_type == by_name.f_type);
        CHECK((by_name.f_blocks > 0) == rows[i].room && by_name.f_bavail <= by_name.f_bfree);
        CHECK(by_file.f_blocks == by_name.f_blocks && by_name.f_bsize > 0 &&
              by_name.f_namelen == 255);
        close(fd);
    }
}

int main(int argc, char **argv)
{
    itself(argc, argv);
    vector();
    sizes();
    peaks();
    links();
    threads();
    again();
    renamed();
    machine();
    chips();
    limits();
    systems();
    changes();
    numbers();
    puts("all of /proc has been read");
    return guest_result();
}
