/*
 * What can be asked of an executable without running it.
 */
#include "programs/linux/image.h"

#include "base/nearest.h"
#include "programs/linux/elf.h"
#include "programs/linux/symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** What somebody may have wanted who names such a file as a program. */
static const char *hint_for(const char *path)
{
    static const struct {
        const char *suffix, *hint;
    } hints[] = {
        {".yaml", "; numachine run runs experiments"},
        {".yml", "; numachine run runs experiments"},
        {".c", "; compile it with mips-linux-gnu-gcc -static, or name it as program.source"},
        {".cc", "; compile it with mips-linux-gnu-g++ -static"},
        {".cpp", "; compile it with mips-linux-gnu-g++ -static"},
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof hints / sizeof *hints; i++)
        if (!strcmp(dot, hints[i].suffix))
            return hints[i].hint;
    return "";
}

bool lx_check(const char *path, char *why, size_t size)
{
    struct lx_elf_image image;
    char reason[512];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe has perhaps no writer */
    bool ok;

    if (fd < 0) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return false;
    }
    ok = lx_elf_read(fd, &image, reason, sizeof reason);
    if (!ok)
        snprintf(why, size, "%s: %s%s", path, reason, hint_for(path));
    close(fd);
    return ok;
}

static const char *next_name(void *ctx, size_t i)
{
    char **names = ctx;
    return names[i];
}

/* Why a symbol is not to be had: there is none, or there are several, or it has no size. */
static void explain_symbol(int fd, const char *name, unsigned found, char *why, size_t size)
{
    char **names = lx_elf_names(fd);
    const char *near = found ? NULL : sim_nearest(name, next_name, names);
    if (found > 1)
        snprintf(why, size, "there are %u symbols '%.100s'; give the addresses of one", found,
                 name);
    else if (found)
        snprintf(why, size, "the symbol '%.100s' has no size; give its addresses", name);
    else if (near)
        snprintf(why, size, "the program has no symbol '%.100s'; did you mean '%.64s'?", name,
                 near);
    else
        snprintf(why, size, "the program has no symbol '%.100s'", name);
    for (size_t i = 0; names[i]; i++)
        free(names[i]);
    free(names);
}

bool lx_symbol(const char *path, const char *name, uint64_t *from, uint64_t *to, char *why,
               size_t size)
{
    struct lx_elf_image image;
    uint64_t length = 0;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool good = fd >= 0 && lx_elf_read(fd, &image, why, size);
    const unsigned found = good ? lx_elf_find(fd, &image, name, from, &length) : 0;
    *to = *from + length;
    if (fd < 0)
        snprintf(why, size, "cannot read '%.100s': %s", path, strerror(errno));
    if (good && (found != 1 || !length))
        explain_symbol(fd, name, found, why, size);
    if (fd >= 0)
        close(fd);
    return found == 1 && length;
}
