/*
 * A process that reads debugging information.
 *
 * The hard idea: libdw trusts what it reads further than we may. It reads past the end of a string
 * that has none; a file of a megabyte can make it ask for many gigabytes, search for hours, or open
 * another file that the first one names; and where it finds no memory it ends the process. So it
 * works in a process of its own, which can open nothing and gets so much time and memory, and sends
 * back what it finds. What has come when it ends, however it ends, is checked and counts.
 */
#include "programs/linux/names/dwarf.h"

#include <errno.h>
#include <fcntl.h>
#include <libelf.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 5 }; /* of a processor, for the process that reads */

#define MEMORY (UINT64_C(1) << 30) /* [bytes] for that process, beside what it begins with */

_Noreturn void lx_dwarf_stop(void)
{
    _exit(1);
}

/** [bytes] of address space the process has; 0: not known. */
static uint64_t size_now(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");

    if (f && fscanf(f, "%lu", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/** From here on the process hurts nobody: it opens nothing, says nothing, and ends. */
static void give_up_rights(void)
{
    const rlim_t room = size_now() + MEMORY;

    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    setrlimit(RLIMIT_AS, &(struct rlimit){room, room});
    setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, 0});
}

/** As libdw wants it. */
static void __attribute__((noreturn)) no_memory(void)
{
    lx_dwarf_stop();
}

static _Noreturn void dwarf_read_all(int fd, int to, lx_dwarf_fn *read)
{
    FILE *out = fdopen(to, "w");
    struct stat st;
    Dwarf *dwarf = NULL;

    give_up_rights();
    if (fd != STDERR_FILENO && to != STDERR_FILENO)
        close(STDERR_FILENO); /* what fails is not for people */
    if (!out || fstat(fd, &st))
        lx_dwarf_stop();
    /* In one piece, so that what is read past the end of a section is always the same. */
    char *image = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    elf_version(EV_CURRENT);
    if (image != MAP_FAILED)
        dwarf = dwarf_begin_elf(elf_memory(image, (size_t)st.st_size), DWARF_C_READ, NULL);
    if (dwarf) {
        dwarf_new_oom_handler(dwarf, no_memory);
        read(dwarf, out);
        fflush(out);
    }
    _exit(0); /* what this process has a copy of is not its own to end */
}

static void reap(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
}

FILE *lx_dwarf_begin(int fd, lx_dwarf_fn *read, pid_t *child)
{
    int ends[2];
    FILE *in;

    *child = -1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    *child = fork();
    if (*child == 0)
        dwarf_read_all(fd, ends[1], read);
    close(ends[1]);
    in = *child > 0 ? fdopen(ends[0], "r") : NULL;
    if (!in)
        close(ends[0]);
    return in;
}

void lx_dwarf_end(FILE *in, pid_t child)
{
    if (in)
        fclose(in);
    if (child > 0)
        reap(child);
}
