/*
 * Kernels as files. A check reads the file's headers and its table of dynamic symbols; only a run
 * loads it.
 */
#include "programs/kernels/plugin.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYMBOL "numachine_kernel"

#if defined(__x86_64__)
enum { HOST = EM_X86_64 };
#elif defined(__aarch64__)
enum { HOST = EM_AARCH64 };
#else
enum { HOST = EM_NONE };
#endif

/** Whether a table of symbols has ours, defined. */
static bool has_symbol(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

    for (size_t i = 0; data && i < count && i < INT_MAX; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!gelf_getsym(data, (int)i, &symbol))
            break;
        name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && !strcmp(name, SYMBOL) && symbol.st_shndx != SHN_UNDEF)
            return true;
    }
    return false;
}

static bool is_kernel(Elf *elf)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
            has_symbol(elf, section, &header))
            return true;
    return false;
}

/** What is wrong with it; NULL: nothing; "": it is no shared object of this host. */
static const char *wrong(int fd)
{
    GElf_Ehdr header;
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    const char *what = "";

    if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
        header.e_type == ET_DYN && header.e_machine == HOST)
        what = is_kernel(elf) ? NULL
                              : "a program or library of this host, and no kernel: it defines no "
                                "'" SYMBOL "' (KN_KERNEL, docs/kernels.md); compile a program for "
                                "the machine with mips-linux-gnu-gcc -static";
    elf_end(elf);
    return what;
}

bool kernels_check(const char *path, char *why, size_t size)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const char *what = fd < 0 ? strerror(errno) : wrong(fd);

    if (fd >= 0)
        close(fd);
    if (what && *what)
        snprintf(why, size, "%s: %s", path, what);
    else if (what)
        *why = '\0';
    return !what;
}

/** What dlopen says of a file, without the file's name. */
static const char *reason(const char *said, const char *file)
{
    const size_t length = strlen(file);

    return !strncmp(said, file, length) && !strncmp(said + length, ": ", 2) ? said + length + 2
                                                                            : said;
}

const struct kn_kernel *kernels_load(const char *path, const char *name, void **object, char *why,
                                     size_t size)
{
    const struct kn_kernel *kernel;
    char *file = sim_format("%s%s", strchr(path, '/') ? "" : "./", path); /* never a library's */

    *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!*object)
        snprintf(why, size, "cannot load the kernel %s: %s", name, reason(dlerror(), file));
    free(file);
    if (!*object)
        return NULL;
    kernel = dlsym(*object, SYMBOL);
    if (kernel && kernel->version == KN_VERSION)
        return kernel;
    snprintf(why, size, "%s: built for another version of numachine_kernel.h; build it again",
             name);
    kernels_unload(*object);
    *object = NULL;
    return NULL;
}

void kernels_unload(void *object)
{
    if (object)
        dlclose(object);
}
