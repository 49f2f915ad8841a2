/*
 * A process that reads debugging information.
 *
 * The hard idea: libdw trusts what it reads further than we may. It reads past the end of a string
 * that has none; a file of a megabyte can make it ask for many gigabytes, search for hours, or open
 * another file that the first one names; and where it finds no memory it ends the process. So it
 * works in a process of its own, which can open nothing and gets so much time and memory, and sends
 * back what it finds. Only if there is split DWARF it can open some files at a time (apart.c). What
 * has come when it ends, however it ends, is checked and counts.
 */
#include "programs/linux/names/dwarf.h"

#include <dwarf.h>
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

/** From here on the process hurts nobody: it opens nothing, says nothing, and ends.
 *  @param opens  it may be allowed to open files again */
static void give_up_rights(bool opens)
{
    const rlim_t room = size_now() + MEMORY;
    struct rlimit files;

    for (int s = 1; s < NSIG; s++)
        signal(s, SIG_DFL);
    setrlimit(RLIMIT_AS, &(struct rlimit){room, room});
    setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (getrlimit(RLIMIT_NOFILE, &files) || !opens)
        files.rlim_max = 0;
    files.rlim_cur = 0;
    setrlimit(RLIMIT_NOFILE, &files);
}

/** As libdw wants it. */
static void __attribute__((noreturn)) no_memory(void)
{
    lx_dwarf_stop();
}

/** In one piece, so that what is read past the end of a section is always the same. */
static Elf *dwarf_elf(int fd)
{
    struct stat st;
    char *image = MAP_FAILED;

    if (!fstat(fd, &st))
        image = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
    return image == MAP_FAILED ? NULL : elf_memory(image, (size_t)st.st_size);
}

/** @param split  of a file in memory libdw would not know the directory */
static Dwarf *dwarf_open(int fd, bool split)
{
    elf_version(EV_CURRENT);
    return dwarf_begin_elf(split ? elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL) : dwarf_elf(fd),
                           DWARF_C_READ, NULL);
}

/** libdw gets what several files have in common, or hears that there is none: it does not look. */
static void dwarf_common(Dwarf *dwarf, int alt)
{
    if (alt >= 0)
        dwarf_setalt(dwarf, dwarf_open(alt, false));
    else
        dwarf_getalt(dwarf);
}

/** From here on libdw finds the .dwo files, and opens them: one at a time.
 *  @param next  the descriptor that the next file gets */
static void dwarf_allow(int next)
{
    struct rlimit files;

    if (next < 0 || getrlimit(RLIMIT_NOFILE, &files))
        return;
    files.rlim_cur = (rlim_t)next + 1;
    setrlimit(RLIMIT_NOFILE, &files);
}

static _Noreturn void dwarf_read_all(const struct lx_dwarf_files *files, int to, lx_dwarf_fn *read)
{
    FILE *out = fdopen(to, "w");
    const int next = dup(to);

    close(next);
    give_up_rights(files->split);
    if (files->fd != STDERR_FILENO && to != STDERR_FILENO)
        close(STDERR_FILENO); /* what fails is not for people */
    Dwarf *dwarf = out ? dwarf_open(files->fd, files->split) : NULL;
    if (!out)
        lx_dwarf_stop();
    if (dwarf) {
        dwarf_new_oom_handler(dwarf, no_memory);
        dwarf_common(dwarf, files->alt);
        if (files->split)
            dwarf_allow(next);
        read(dwarf, out);
        fflush(out);
    }
    _exit(0); /* what this process has a copy of is not its own to end */
}

bool lx_dwarf_next(Dwarf *dwarf, Dwarf_CU **unit, Dwarf_Die *die)
{
    Dwarf_Die whole, split;
    uint8_t type;

    if (dwarf_get_units(dwarf, *unit, unit, NULL, &type, &whole, &split) != 0)
        return false;
    *die = type == DW_UT_skeleton && split.addr ? split : whole;
    return true;
}

static void dwarf_reap(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
}

FILE *lx_dwarf_begin(const struct lx_dwarf_files *files, lx_dwarf_fn *read, pid_t *child)
{
    int ends[2];
    FILE *in;

    *child = -1;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    *child = fork();
    if (*child == 0)
        dwarf_read_all(files, ends[1], read);
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
        dwarf_reap(child);
}
