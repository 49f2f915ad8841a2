/*
 * Debugging information that lies apart. What the executable says of it is a name, and a number by
 * which the right file is known: a file of that name may be of another build.
 *
 * The hard idea: names come from a file that may be damaged, and the process that reads it must be
 * able to open nothing. So all files are found and opened here, and only regular ones. libdw itself
 * opens .dwo files, in the directory of the executable or where the compiler was: it gets a copy of
 * the executable, in a directory in which there are those that were found, and it may open files
 * only if whatever it could open instead is a regular file, too.
 */
#include "programs/linux/names/apart.h"

#include "base/alloc.h"
#include "base/plural.h"
#include "programs/linux/names/dwp.h"
#include "programs/linux/names/texts.h"
#include "programs/scratch.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <limits.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
    ID_MAX = 64,         /* [bytes] of a build-id */
    UNITS_MAX = 1 << 13, /* of split DWARF */
};

#define WRITTEN_MAX (UINT64_C(1) << 29) /* [bytes] of files that a package was cut into */

static const char GLOBAL[] = "/usr/lib/debug"; /* where packages have it */

/** A build-id, or a part of split DWARF. */
struct apart_id {
    uint8_t byte[ID_MAX];
    size_t size; /**< 0: none */
};

struct apart {
    struct lx_apart apart; /* first: the caller's pointer */
    int exe;
    const char *path;
    const struct prog_search *search;
    struct prog_scratch scratch;
    int copy;  /* -1: none */
    int other; /* the file that the information was put into; -1: none */
    char *missing;
};

/* ---- files ----------------------------------------------------------------------------------- */

/* Opens a regular file, and nothing else: to open a device may do something. @return -1: none */
static int open_regular(const char *path)
{
    char again[32];
    struct stat st;
    int fd = -1;
    const int at = open(path, O_PATH | O_CLOEXEC);
    snprintf(again, sizeof again, "/proc/self/fd/%d", at);
    if (at >= 0 && !fstat(at, &st) && S_ISREG(st.st_mode))
        fd = open(again, O_RDONLY | O_CLOEXEC);
    if (at >= 0)
        close(at);
    return fd;
}

static char *apart_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? sim_format("%.*s", (int)(slash - path) + (slash == path), path)
                 : sim_strdup(".");
}

static const char *apart_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/** Whether a file is the right one. */
typedef bool right_fn(int fd, const void *what);

static int open_right(char *path, right_fn *right, const void *what)
{
    int fd = open_regular(path);
    if (fd >= 0 && !right(fd, what)) {
        close(fd);
        fd = -1;
    }
    free(path);
    return fd;
}

/* The folders where something may lie: those of the user, beside the executable; of a copy, beside
 * the folder that it is in, and here; the system's. @return NULL: behind the last; the caller's */
static char *apart_nth_folder(const struct apart *a, size_t i)
{
    char *const *directories = a->search ? a->search->directories : NULL;
    const bool copy = a->search && a->search->program;
    for (; directories && *directories; directories++)
        if (!i--)
            return sim_strdup(*directories);
    i += i && !copy ? 2 : 0;
    if (i == 0)
        return apart_folder(a->path);
    if (i == 1) {
        char *folder = apart_folder(a->path), *around = sim_format("%s/..", folder);
        free(folder);
        return around;
    }
    return i == 2 ? sim_strdup(".") : i == 3 ? sim_strdup(GLOBAL) : NULL;
}

/* Looks for a file in each folder. @param below  of its name, in front @return -1: there is none */
static int apart_find(const struct apart *a, const char *below, const char *name, right_fn *right,
                      const void *what)
{
    char *folder;
    int fd = -1;
    for (size_t i = 0; fd < 0 && (folder = apart_nth_folder(a, i)); i++) {
        fd = open_right(sim_format("%s/%s%s", folder, below, name), right, what);
        free(folder);
    }
    return fd;
}

/* ---- what a file says of itself -------------------------------------------------------------- */

/* A section's bytes, by name. */
static bool apart_section(Elf *elf, const char *name, const uint8_t **bytes, size_t *size)
{
    size_t names;
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;
    if (!elf || elf_getshdrstrndx(elf, &names))
        return false;
    while ((scn = elf_nextscn(elf, scn))) {
        const char *own = gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
        if (!own || strcmp(own, name))
            continue;
        const Elf_Data *data = sh.sh_type == SHT_NOBITS ? NULL : elf_rawdata(scn, NULL);
        *bytes = data ? data->d_buf : NULL;
        *size = *bytes ? data->d_size : 0;
        return *size;
    }
    return false;
}

static bool apart_has(int fd, const char *const *name)
{
    const uint8_t *bytes;
    size_t size;
    bool has = false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    for (; *name && !has; name++)
        has = apart_section(elf, *name, &bytes, &size);
    elf_end(elf);
    return has;
}

static const char *const SYMBOLS[] = {".symtab", NULL};
static const char *const DWARF[] = {".debug_info", ".zdebug_info", ".debug_line", ".zdebug_line",
                                    NULL};
static const char *const SPLIT[] = {".debug_addr", ".zdebug_addr", NULL};

/* The section has one note: three words, of which the second is the number's length; "GNU", which
 * has four bytes; and the number. */
static void apart_build_id(int fd, struct apart_id *id)
{
    enum { WORDS = 12, HEAD = WORDS + 4 };
    const uint8_t *bytes;
    size_t size;
    GElf_Ehdr eh;
    *id = (struct apart_id){.size = 0};
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && gelf_getehdr(elf, &eh) && apart_section(elf, ".note.gnu.build-id", &bytes, &size) &&
        size > HEAD && !memcmp(bytes + WORDS, "GNU", 4)) {
        const size_t length = bytes[eh.e_ident[EI_DATA] == ELFDATA2LSB ? 4 : 7];
        id->size = length <= ID_MAX && length <= size - HEAD ? length : 0;
        memcpy(id->byte, bytes + HEAD, id->size);
    }
    elf_end(elf);
}

static bool has_id(int fd, const void *what)
{
    const struct apart_id *wanted = what;
    struct apart_id id;
    apart_build_id(fd, &id);
    return id.size == wanted->size && !memcmp(id.byte, wanted->byte, id.size);
}

/* "/.build-id/4f/33423a...", and what is behind; the caller's. */
static char *apart_id_name(const struct apart_id *id, const char *suffix)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    fputs(".build-id/", out);
    for (size_t i = 0; i < id->size; i++)
        fprintf(out, "%02x%s", id->byte[i], i ? "" : "/");
    fputs(suffix, out);
    sim_text_close(out, &text);
    return text;
}

static int apart_find_id(const struct apart *a, const struct apart_id *id)
{
    char *name = id->size > 1 ? apart_id_name(id, ".debug") : NULL;
    const int fd = name ? apart_find(a, "", name, has_id, id) : -1;
    free(name);
    return fd;
}

/* ---- one file with everything ---------------------------------------------------------------- */

/** What .gnu_debuglink says: a name, and the checksum of the file. */
struct apart_link {
    char name[NAME_MAX + 1]; /**< "": nothing */
    uint32_t crc;
};

static void apart_read_link(int fd, struct apart_link *link)
{
    const uint8_t *bytes, *end;
    size_t size;
    GElf_Ehdr eh;
    *link = (struct apart_link){.crc = 0};
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && gelf_getehdr(elf, &eh) && apart_section(elf, ".gnu_debuglink", &bytes, &size) &&
        (end = memchr(bytes, '\0', size))) {
        const size_t at = ((size_t)(end - bytes) + 4) & ~(size_t)3;
        const bool little = eh.e_ident[EI_DATA] == ELFDATA2LSB;
        if (at + 4 <= size && end - bytes <= NAME_MAX &&
            !memchr(bytes, '/', (size_t)(end - bytes))) {
            memcpy(link->name, bytes, (size_t)(end - bytes));
            for (size_t i = 0; i < 4; i++)
                link->crc |= (uint32_t)bytes[at + i] << 8 * (little ? i : 3 - i);
        }
    }
    elf_end(elf);
}

static bool has_crc(int fd, const void *what)
{
    static const size_t step = 1 << 16;
    uint8_t *bytes = sim_alloc(step, 1);
    uLong crc = crc32(0, NULL, 0);
    ssize_t n;
    for (off_t at = 0; (n = pread(fd, bytes, step, at)) > 0; at += n)
        crc = crc32(crc, bytes, (uInt)n);
    free(bytes);
    return n == 0 && crc == *(const uint32_t *)what;
}

static bool has_any(int fd, const void *what)
{
    (void)fd;
    (void)what;
    return true;
}

static int apart_find_link(const struct apart *a, const struct apart_link *link)
{
    int fd = -1;
    if (*link->name)
        fd = apart_find(a, "", link->name, has_crc, &link->crc);
    if (*link->name && fd < 0)
        fd = apart_find(a, ".debug/", link->name, has_crc, &link->crc);
    char *real = *link->name && fd < 0 ? realpath(a->path, NULL) : NULL;
    if (real) {
        char *folder = apart_folder(real);
        fd = open_right(sim_format("%s%s/%s", GLOBAL, folder, link->name), has_crc, &link->crc);
        free(folder);
    }
    free(real);
    return fd;
}

/* Whether any file has that name: then it is of another build. */
static bool apart_exists(const struct apart *a, const char *name)
{
    const int fd = apart_find(a, "", name, has_any, NULL);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void apart_miss(struct apart *a, char *sentence)
{
    if (a->missing)
        free(sentence);
    else
        a->missing = sentence;
}

/* The executable itself, or the file that its information was put into. */
static void find_whole(struct apart *a)
{
    const bool symbols = apart_has(a->exe, SYMBOLS), dwarf = apart_has(a->exe, DWARF);
    struct apart_id id;
    struct apart_link link;
    a->apart.symbols = a->apart.dwarf.fd = a->exe;
    apart_read_link(a->exe, &link);
    apart_build_id(a->exe, &id);
    if ((symbols && dwarf) || (!*link.name && !id.size))
        return;
    int fd = apart_find_id(a, &id);
    a->other = fd = fd < 0 ? apart_find_link(a, &link) : fd;
    if (fd >= 0 && !symbols)
        a->apart.symbols = fd;
    if (fd >= 0 && !dwarf)
        a->apart.dwarf.fd = fd;
    if (fd < 0 && *link.name && !dwarf)
        apart_miss(a, sim_format("the program's debugging information is apart, in %s, which %s: "
                                 "give its directory with --debug-path, or install the package "
                                 "that has it (Debian: ...-dbgsym)",
                                 link.name,
                                 apart_exists(a, link.name) ? "is there, but of another build"
                                                            : "is not beside it"));
}

/* ---- what files have in common (dwz) --------------------------------------------------------- */

static void find_common(struct apart *a)
{
    const uint8_t *bytes, *end;
    size_t size;
    struct apart_id id = {.size = 0};
    char *name = NULL;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(a->apart.dwarf.fd, ELF_C_READ, NULL);
    if (elf && apart_section(elf, ".gnu_debugaltlink", &bytes, &size) &&
        (end = memchr(bytes, '\0', size)) && size - (size_t)(end + 1 - bytes) <= ID_MAX) {
        name = sim_strdup((const char *)bytes);
        id.size = size - (size_t)(end + 1 - bytes);
        memcpy(id.byte, end + 1, id.size);
    }
    elf_end(elf);
    if (!name)
        return;
    int fd = *name == '/' ? open_right(sim_strdup(name), has_id, &id)
                          : apart_find(a, "", name, has_id, &id);
    fd = fd < 0 ? apart_find(a, "", apart_base(name), has_id, &id) : fd;
    fd = fd < 0 ? apart_find_id(a, &id) : fd;
    a->apart.dwarf.alt = fd;
    if (fd < 0 && lx_texts_printable(name))
        apart_miss(a, sim_format("a part of the debugging information is in %s (dwz), which is not "
                                 "there: give its directory with --debug-path, or install the "
                                 "package that has it (Debian: ...-dbgsym)",
                                 apart_base(name)));
    free(name);
}

/* ---- split DWARF ----------------------------------------------------------------------------- */

/** A unit of which the executable has only a skeleton. */
struct apart_unit {
    uint64_t id;
    uint32_t name, directory; /**< [bytes] that follow when it is sent */
};

/* In the process that reads. */

static void send_unit(Dwarf_CU *unit, Dwarf_Die *die, FILE *out)
{
    struct apart_unit sent = {.id = 0};
    Dwarf_Attribute attribute;
    const char *name = NULL, *directory = NULL;
    if (dwarf_cu_info(unit, NULL, NULL, NULL, NULL, &sent.id, NULL, NULL))
        return;
    if (dwarf_attr(die, DW_AT_dwo_name, &attribute) ||
        dwarf_attr(die, DW_AT_GNU_dwo_name, &attribute))
        name = dwarf_formstring(&attribute);
    if (dwarf_attr(die, DW_AT_comp_dir, &attribute))
        directory = dwarf_formstring(&attribute);
    name = name ? name : "";
    directory = directory ? directory : "";
    sent.name = (uint32_t)strnlen(name, PATH_MAX);
    sent.directory = (uint32_t)strnlen(directory, PATH_MAX);
    if (fwrite(&sent, sizeof sent, 1, out) != 1 || fwrite(name, 1, sent.name, out) != sent.name ||
        fwrite(directory, 1, sent.directory, out) != sent.directory)
        lx_dwarf_stop();
}

static void send_units(Dwarf *dwarf, FILE *out)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
        if (type == DW_UT_skeleton)
            send_unit(unit, &die, out);
}

/* Those of which libdw finds no more than the skeleton: a .dwo may be of another build. */
static void send_lost(Dwarf *dwarf, FILE *out)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split;
    uint8_t type;
    while (dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, &split) == 0)
        if (type == DW_UT_skeleton && !split.addr)
            send_unit(unit, &die, out);
}

/** What becomes of a program's units. */
struct splitting {
    struct apart *apart;
    struct lx_dwp *dwp;
    size_t units, lost; /**< those that were not found, */
    char *name;         /**< and what one of them is called */
    uint64_t written;
    bool safe; /**< libdw can open nothing but regular files */
};

/* The directory in the scratch for a name, and those around it. */
static bool make_folders(const struct apart *a, const char *name)
{
    bool good = true;
    for (const char *slash = strchr(name, '/'); good && slash; slash = strchr(slash + 1, '/')) {
        char *path = sim_format("%s/%.*s", a->scratch.path, (int)(slash - name), name);
        good = mkdir(path, 0700) == 0 || errno == EEXIST;
        free(path);
    }
    return good;
}

/* Whether a name stays below where it begins. */
static bool stays_below(const char *name)
{
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/' && at != name;
        if (*at == '/' || (at[0] == '.' && at[1] == '.' && (!at[2] || at[2] == '/')))
            return false;
    }
    return *name;
}

/* Puts a file where libdw looks for it. */
static void split_put(struct splitting *s, const char *name, int from, const uint8_t *bytes,
                      size_t size)
{
    struct apart *a = s->apart;
    char at[32], *path, real[PATH_MAX];
    path = sim_format("%s/%s", a->scratch.path, name);
    if (make_folders(a, name) && from >= 0) {
        snprintf(at, sizeof at, "/proc/self/fd/%d", from);
        const ssize_t n = readlink(at, real, sizeof real - 1);
        real[n > 0 ? n : 0] = '\0';
        if (n <= 0 || symlink(real, path))
            real[0] = '\0'; /* it will not be found */
    } else if (s->written + size <= WRITTEN_MAX) {
        const int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        FILE *out = to >= 0 ? fdopen(to, "w") : NULL;
        if (out) {
            fwrite(bytes, 1, size, out); /* one that is not whole is not found */
            fclose(out);
        }
        s->written += size;
    }
    free(path);
}

/* Whether there is no such file, or a regular one. */
static bool is_harmless(const char *path)
{
    struct stat st;
    return stat(path, &st) ? errno == ENOENT || errno == ENOTDIR : S_ISREG(st.st_mode);
}

static int split_find(const struct splitting *s, const char *name, const char *where)
{
    const struct apart *a = s->apart;
    int fd = open_regular(where);
    fd = fd < 0 ? apart_find(a, "", name, has_any, NULL) : fd;
    return fd < 0 ? apart_find(a, "", apart_base(name), has_any, NULL) : fd;
}

/* One that libdw looks for in the directory that it gets. */
static void split_relative(struct splitting *s, uint64_t id, const char *name, const char *where)
{
    const int fd = split_find(s, name, where);
    uint8_t *bytes = NULL;
    size_t size = 0;
    if (fd >= 0)
        split_put(s, name, fd, NULL, 0);
    else if (s->dwp && lx_dwp_unit(s->dwp, id, &bytes, &size))
        split_put(s, name, -1, bytes, size);
    if (fd >= 0)
        close(fd);
    free(bytes);
}

static void split_unit(struct splitting *s, uint64_t id, const char *name, const char *directory)
{
    char *where = *name == '/' ? sim_strdup(name) : sim_format("%s/%s", directory, name);
    char *first = sim_format("%s/%s", s->apart->scratch.path, name);
    s->units++;
    if (stays_below(name))
        split_relative(s, id, name, where);
    s->safe = s->safe && is_harmless(where) && (*name == '/' || is_harmless(first));
    free(first);
    free(where);
}

/** What is done with a unit. */
typedef void unit_fn(struct splitting *s, uint64_t id, const char *name, const char *directory);

static void split_lost(struct splitting *s, uint64_t id, const char *name, const char *directory)
{
    (void)id;
    (void)directory;
    if (!s->lost++ && lx_texts_printable(name))
        s->name = sim_strdup(apart_base(name));
}

static void take_units(struct splitting *s, lx_dwarf_fn *send, unit_fn *take)
{
    struct apart_unit sent;
    char name[PATH_MAX + 1], directory[PATH_MAX + 1];
    pid_t child;
    FILE *in = lx_dwarf_begin(&s->apart->apart.dwarf, send, &child);
    for (size_t i = 0; in && i < UNITS_MAX && fread(&sent, sizeof sent, 1, in) == 1; i++) {
        if (sent.name > PATH_MAX || sent.directory > PATH_MAX ||
            fread(name, 1, sent.name, in) != sent.name ||
            fread(directory, 1, sent.directory, in) != sent.directory)
            break;
        name[sent.name] = directory[sent.directory] = '\0';
        take(s, sent.id, name, directory);
    }
    lx_dwarf_end(in, child);
}

/* The package of all units: beside the program, with its name. */
static struct lx_dwp *split_package(const struct apart *a)
{
    const char *program = a->search && a->search->program ? a->search->program : a->path;
    char *name = sim_format("%s.dwp", apart_base(program));
    const int fd = apart_find(a, "", name, has_any, NULL);
    struct lx_dwp *dwp = fd >= 0 ? lx_dwp_open(fd) : NULL;
    if (fd >= 0 && !dwp)
        close(fd);
    free(name);
    return dwp;
}

/* The executable goes where its .dwo files will be. */
static void split_copy(struct apart *a)
{
    char *path = sim_format("%s/.program", a->scratch.path);
    struct stat st;
    a->copy = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    off_t from = 0;
    while (a->copy >= 0 && !fstat(a->apart.dwarf.fd, &st) && from < st.st_size &&
           sendfile(a->copy, a->apart.dwarf.fd, &from, (size_t)(st.st_size - from)) > 0)
        continue;
    free(path);
}

static void find_split(struct apart *a)
{
    struct splitting s = {.apart = a, .safe = true};
    if (!apart_has(a->apart.dwarf.fd, SPLIT) || prog_scratch_make(&a->scratch))
        return;
    s.dwp = split_package(a);
    take_units(&s, send_units, split_unit);
    lx_dwp_close(s.dwp);
    if (s.units)
        split_copy(a);
    if (s.units && s.safe && a->copy >= 0) {
        a->apart.dwarf.fd = a->copy;
        a->apart.dwarf.split = true;
        take_units(&s, send_lost, split_lost);
    }
    if (s.lost || !s.safe)
        apart_miss(a, sim_format("the debugging information of %zu of %zu compiled files is apart "
                                 "(%s) and not there: put the .dwo files or their .dwp (dwp -e "
                                 "PROGRAM) beside the program, give their directory with "
                                 "--debug-path, or compile without -gsplit-dwarf",
                                 s.safe ? s.lost : s.units, s.units, s.name ? s.name : ".dwo"));
    if (!s.units)
        prog_scratch_remove(&a->scratch);
    free(s.name);
}

/* ---- all of it ------------------------------------------------------------------------------- */

struct lx_apart *lx_apart_new(int fd, const char *path, const struct prog_search *search)
{
    struct apart *a = sim_alloc(1, sizeof *a);
    a->exe = fd;
    a->path = path;
    a->search = search;
    a->apart.dwarf.alt = a->copy = a->other = -1;
    find_whole(a);
    find_common(a);
    find_split(a);
    a->apart.missing = a->missing;
    a->path = NULL;
    a->search = NULL;
    return &a->apart;
}

void lx_apart_free(struct lx_apart *apart)
{
    struct apart *a = (struct apart *)apart;
    if (!a)
        return;
    const int own[] = {a->other, a->copy, apart->dwarf.alt};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i] >= 0)
            close(own[i]);
    if (a->scratch.path)
        prog_scratch_remove(&a->scratch);
    free(a->missing);
    free(a);
}
