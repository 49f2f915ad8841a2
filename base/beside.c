#include "base/beside.h"

#include "base/alloc.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

void *sim_beside_memory(size_t size)
{
    void *memory = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        sim_no_memory();
    return memory;
}

void sim_beside_release(void *memory, size_t size)
{
    munmap(memory, size ? size : 1);
}

unsigned sim_beside_processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) ? 1 : (unsigned)CPU_COUNT(&set);
}

static bool beside_begin(int (*work)(void *ctx, size_t i), void *ctx, size_t i)
{
    const pid_t self = getpid();
    fflush(NULL);
    const pid_t child = fork();
    if (child)
        return child > 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self)
        _exit(1);
    const int status = work(ctx, i);
    fflush(NULL);
    _exit(status);
}

/* @return whether one has ended well */
static bool beside_await(void)
{
    int status;
    pid_t pid;
    do
        pid = wait(&status);
    while (pid < 0 && errno == EINTR);
    return pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

bool sim_beside(unsigned jobs, size_t count, int (*work)(void *ctx, size_t i), void *ctx)
{
    size_t running = 0;
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        if (running == (jobs ? jobs : 1)) {
            good = beside_await();
            running--;
        }
        const bool begun = good && beside_begin(work, ctx, i);
        running += begun;
        good &= begun;
    }
    while (running--)
        good &= beside_await();
    return good;
}
