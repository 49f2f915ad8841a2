/*
 * The first thread ends before the others: its number is the process's still, and names what is
 * left of it wherever a call takes one. It stays in /proc as long as the process.
 */
#include "guest.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_t first;
static volatile int signals;

static void count(int signal)
{
    (void)signal;
    signals++;
}

static void limits_and_priorities(pid_t pid)
{
    struct sched_param param;
    struct rlimit limit;
    cpu_set_t cards;

    CHECK(prlimit(pid, RLIMIT_NOFILE, NULL, &limit) == 0 && limit.rlim_cur > 0);
    CHECK(getpriority(PRIO_PROCESS, (id_t)pid) == 0 &&
          setpriority(PRIO_PROCESS, (id_t)pid, 3) == 0);
    CHECK(getpriority(PRIO_PROCESS, (id_t)pid) == 3 && getpriority(PRIO_PROCESS, 0) == 0);
    CHECK(sched_getscheduler(pid) == SCHED_OTHER && sched_getparam(pid, &param) == 0);
    CHECK(sched_getaffinity(pid, sizeof cards, &cards) == 0 && CPU_COUNT(&cards) > 0);
    CHECK(sched_setaffinity(pid, sizeof cards, &cards) == 0);
    CHECK(getpgid(pid) >= 0 && getsid(pid) >= 0);
}

static void clocks(pid_t pid)
{
    struct timespec process, once, again;
    clockid_t clock;

    CHECK(clock_getcpuclockid(pid, &clock) == 0 && clock_gettime(clock, &process) == 0);
    CHECK(process.tv_sec > 0 || process.tv_nsec > 0);
    clock = (clockid_t)(~(unsigned)pid << 3 | 6); /* the first thread's own */
    CHECK(clock_gettime(clock, &once) == 0 && clock_gettime(clock, &again) == 0);
    CHECK(once.tv_sec == again.tv_sec && once.tv_nsec == again.tv_nsec);
}

/** What is sent to the process another thread takes; what is sent to the first, nobody. */
static void kills(pid_t pid)
{
    signal(SIGUSR1, count);
    CHECK(syscall(SYS_tgkill, pid, pid, 0) == 0 && syscall(SYS_tkill, pid, 0) == 0);
    CHECK(syscall(SYS_tgkill, pid, pid, SIGUSR1) == 0);
    CHECK(kill(pid, 0) == 0 && kill(pid, SIGUSR1) == 0);
    sched_yield();
    CHECK(signals == 1);
}

static int entries(const char *name)
{
    DIR *dir = opendir(name);
    int n = -2;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static char *text_of(const char *form, pid_t pid)
{
    static char text[4096];
    char name[64];
    int fd;
    ssize_t n;

    snprintf(name, sizeof name, form, pid);
    fd = open(name, O_RDONLY);
    n = read(fd, text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
    return text;
}

static void files(pid_t pid)
{
    CHECK(entries("/proc/self/task") == 2);
    CHECK(!strcmp(text_of("/proc/%d/comm", pid), "the first\n"));
    CHECK(!strcmp(text_of("/proc/self/task/%d/comm", pid), "the first\n"));
    CHECK(!strncmp(strchr(text_of("/proc/self/task/%d/stat", pid), ')'), ") Z ", 4));
    CHECK(strstr(text_of("/proc/self/task/%d/status", pid), "\nState:\tZ (zombie)\n") != NULL);
    CHECK(strstr(text_of("/proc/%d/status", pid), "\nThreads:\t2\n") != NULL);
    CHECK(!strncmp(strchr(text_of("/proc/thread-self/stat", 0), ')'), ") R ", 4));
    CHECK(open("/proc/self/comm", O_WRONLY) >= 0);
}

static void *goes_on(void *arg)
{
    const pid_t pid = getpid();

    CHECK(pthread_setname_np(pthread_self(), "the second") == 0);
    CHECK(prctl(PR_GET_TIMERSLACK) == 12345 &&
          prctl(PR_SET_TIMERSLACK, 0) == 0); /* the creator's */
    CHECK(prctl(PR_GET_TIMERSLACK) == 12345);
    CHECK(pthread_join(first, NULL) == 0);
    /* Elsewhere the thread may have said that it ends a little before it has. */
    while (strncmp(strchr(text_of("/proc/self/task/%d/stat", pid), ')'), ") Z ", 4) != 0)
        CHECK(usleep(1000) == 0);
    limits_and_priorities(pid);
    clocks(pid);
    kills(pid);
    files(pid);
    puts("the first thread has ended, and the process goes on");
    fflush(stdout);
    exit(guest_result());
    return arg;
}

int main(void)
{
    pthread_t other;

    first = pthread_self();
    CHECK(pthread_setname_np(first, "the first") == 0 && prctl(PR_SET_TIMERSLACK, 12345) == 0);
    CHECK(pthread_create(&other, NULL, goes_on, NULL) == 0);
    pthread_exit(NULL);
}
