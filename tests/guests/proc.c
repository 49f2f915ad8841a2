/*
 * What a program reads of itself and of its machine in /proc agrees with what calls tell it, and
 * with what it has done.
 */
#include "guest.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
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

static void *lives(void *barrier)
{
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

/** Each processor is a chip of one core. */
static void chips(void)
{
    CHECK(!strcmp(look("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list"), "0\n"));
    CHECK(!strcmp(look("/sys/devices/system/cpu/cpu1/topology/core_siblings_list"), "1\n"));
    CHECK(!strcmp(look("/sys/devices/system/cpu/cpu1/topology/physical_package_id"), "1\n"));
    CHECK(!strcmp(look("/sys/devices/system/cpu/cpu1/topology/core_id"), "0\n"));
    CHECK(open("/sys/devices/system/cpu/cpu4096/topology/core_id", O_RDONLY) < 0);
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
    threads();
    machine();
    chips();
    limits();
    systems();
    puts("all of /proc has been read");
    return guest_result();
}
