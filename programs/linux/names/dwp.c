/*
 * A package of split DWARF. Its sections are those of the .dwo files, one behind the other, but for
 * .debug_str.dwo, which they share; and a table that has for each unit's number the pieces that are
 * its own. As DWARF 5 has it (7.3.5), and as GNU's tools had it before.
 *
 * The hard idea: libdw of today's distributions reads no packages. It reads .dwo files. So a unit
 * is cut out, and becomes one again. Everything in the file may be damaged.
 */
#include "programs/linux/names/dwp.h"

#include "base/alloc.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

enum {
    COLUMNS_MAX = 8,
    SECTIONS = 9,
    SECTION_MAX = 1 << 28, /**< [bytes] */
    PIECES_MAX = 1 << 16,  /**< units */
};

/** What the columns of the table stand for: in GNU's, and in DWARF 5's. */
static const struct dwp_section {
    const char *name;
    unsigned gnu, five; /* 0: in no table */
} sections[SECTIONS] = {
    {".debug_info.dwo", 1, 1},  {".debug_abbrev.dwo", 3, 3},      {".debug_line.dwo", 4, 4},
    {".debug_loc.dwo", 5, 0},   {".debug_loclists.dwo", 0, 5},    {".debug_rnglists.dwo", 0, 8},
    {".debug_macro.dwo", 8, 7}, {".debug_str_offsets.dwo", 6, 6}, {".debug_str.dwo", 0, 0},
};

struct lx_dwp {
    int fd;
    Elf *elf;
    GElf_Ehdr header;
    bool little;
    const Elf_Data *section[SECTIONS]; /* NULL: there is none */
    const uint8_t *table;              /* .debug_cu_index */
    size_t size;
    unsigned version;
    uint32_t columns, units, slots;
};

static uint32_t dwp_u32(const struct lx_dwp *d, size_t at)
{
    const uint8_t *b = d->table + at;
    return d->little ? (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0]
                     : (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint64_t dwp_u64(const struct lx_dwp *d, size_t at)
{
    const uint64_t first = dwp_u32(d, at), second = dwp_u32(d, at + 4);
    return d->little ? second << 32 | first : first << 32 | second;
}

/* A section's bytes. What is compressed is left out. */
static const Elf_Data *dwp_bytes(Elf_Scn *scn)
{
    GElf_Shdr sh;
    if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS || (sh.sh_flags & SHF_COMPRESSED))
        return NULL;
    const Elf_Data *data = elf_rawdata(scn, NULL);
    return data && data->d_buf && data->d_size <= SECTION_MAX ? data : NULL;
}

static void dwp_find_sections(struct lx_dwp *d)
{
    size_t names;
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;
    if (elf_getshdrstrndx(d->elf, &names))
        return;
    while ((scn = elf_nextscn(d->elf, scn))) {
        const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(d->elf, names, sh.sh_name) : NULL;
        const Elf_Data *index =
            name && !strcmp(name, ".debug_cu_index") && !d->table ? dwp_bytes(scn) : NULL;
        if (index) {
            d->table = index->d_buf;
            d->size = index->d_size;
        }
        for (size_t i = 0; name && i < SECTIONS; i++)
            if (!strcmp(name, sections[i].name) && !d->section[i])
                d->section[i] = dwp_bytes(scn);
    }
}

/* Whether the table has room for what it says it has. */
static bool dwp_read_table(struct lx_dwp *d)
{
    enum { HEADER = 16 };
    if (!d->table || d->size < HEADER)
        return false;
    d->version = dwp_u32(d, 0);
    if (d->version != 2) /* of DWARF 5 it is a half word, and padding */
        d->version = d->little ? d->version & 0xffff : d->version >> 16;
    d->columns = dwp_u32(d, 4);
    d->units = dwp_u32(d, 8);
    d->slots = dwp_u32(d, 12);
    if ((d->version != 2 && d->version != 5) || !d->columns || d->columns > COLUMNS_MAX ||
        d->units > PIECES_MAX || d->slots > 4 * PIECES_MAX)
        return false;
    return d->size >=
           HEADER + (size_t)d->slots * 12 + (size_t)d->columns * 4 * (1 + 2 * (size_t)d->units);
}

struct lx_dwp *lx_dwp_open(int fd)
{
    struct lx_dwp *d = sim_alloc(1, sizeof *d);
    elf_version(EV_CURRENT);
    d->elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
    if (d->elf && gelf_getehdr(d->elf, &d->header)) {
        d->little = d->header.e_ident[EI_DATA] == ELFDATA2LSB;
        dwp_find_sections(d);
        if (dwp_read_table(d)) {
            d->fd = fd;
            return d;
        }
    }
    elf_end(d->elf);
    free(d);
    return NULL;
}

void lx_dwp_close(struct lx_dwp *d)
{
    if (!d)
        return;
    elf_end(d->elf);
    close(d->fd);
    free(d);
}

/* ---- a unit ---------------------------------------------------------------------------------- */

/** A piece of a section. */
struct dwp_piece {
    const uint8_t *at;
    size_t size; /* 0: there is none */
};

/* @return its row in the table, from 1 on; 0: there is none */
static uint32_t dwp_row(const struct lx_dwp *d, uint64_t id)
{
    for (uint32_t slot = 0; slot < d->slots; slot++) {
        const uint32_t row = dwp_u32(d, 16 + (size_t)d->slots * 8 + (size_t)slot * 4);
        if (row && row <= d->units && dwp_u64(d, 16 + (size_t)slot * 8) == id)
            return row;
    }
    return 0;
}

static struct dwp_piece dwp_piece(const struct lx_dwp *d, size_t section, uint32_t row)
{
    const size_t names = 16 + (size_t)d->slots * 12, line = (size_t)d->columns * 4;
    const size_t offsets = names + line * row, sizes = names + line * (d->units + row);
    const Elf_Data *data = d->section[section];
    const unsigned id = d->version == 2 ? sections[section].gnu : sections[section].five;
    if (!data)
        return (struct dwp_piece){0};
    if (!strcmp(sections[section].name, ".debug_str.dwo"))
        return (struct dwp_piece){data->d_buf, data->d_size};
    for (uint32_t c = 0; id && c < d->columns; c++) {
        const uint32_t at = dwp_u32(d, offsets + (size_t)c * 4),
                       size = dwp_u32(d, sizes + (size_t)c * 4);
        if (dwp_u32(d, names + (size_t)c * 4) == id && at <= data->d_size &&
            size <= data->d_size - at)
            return (struct dwp_piece){(const uint8_t *)data->d_buf + at, size};
    }
    return (struct dwp_piece){0};
}

/** A file that grows: words are in its order of bytes. */
struct dwp_file {
    const struct lx_dwp *of;
    uint8_t *at;
    size_t size, room;
};

static void dwp_put(struct dwp_file *f, const void *bytes, size_t size)
{
    if (size > f->room - f->size) {
        f->room = f->size + size > 2 * f->room ? f->size + size : 2 * f->room;
        f->at = sim_grow(f->at, f->room, 1);
    }
    if (size)
        memcpy(f->at + f->size, bytes, size);
    f->size += size;
}

static void dwp_word(struct dwp_file *f, uint64_t value, unsigned bytes)
{
    uint8_t word[8];
    for (unsigned i = 0; i < bytes; i++)
        word[f->of->little ? i : bytes - 1 - i] = (uint8_t)(value >> 8 * i);
    dwp_put(f, word, bytes);
}

/* @param sections_at  where they begin; @param count  of sections, the first and the names too */
static void dwp_put_header(struct dwp_file *f, uint64_t sections_at, unsigned count)
{
    const GElf_Ehdr *h = &f->of->header;
    const bool wide = h->e_ident[EI_CLASS] == ELFCLASS64;
    const unsigned address = wide ? 8 : 4;
    dwp_put(f, h->e_ident, EI_NIDENT);
    dwp_word(f, ET_REL, 2);
    dwp_word(f, h->e_machine, 2);
    dwp_word(f, EV_CURRENT, 4);
    dwp_word(f, 0, address);
    dwp_word(f, 0, address);
    dwp_word(f, sections_at, address);
    dwp_word(f, h->e_flags, 4);
    dwp_word(f, wide ? 64 : 52, 2);
    dwp_word(f, 0, 2);
    dwp_word(f, 0, 2);
    dwp_word(f, wide ? 64 : 40, 2);
    dwp_word(f, count, 2);
    dwp_word(f, count - 1, 2);
}

static void dwp_put_section(struct dwp_file *f, uint32_t name, uint32_t type, uint64_t at,
                            uint64_t size)
{
    const unsigned address = f->of->header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
    const uint64_t words[] = {0, 0, at, size}; /* flags, address, place, size */
    dwp_word(f, name, 4);
    dwp_word(f, type, 4);
    for (size_t i = 0; i < 4; i++)
        dwp_word(f, words[i], address);
    dwp_word(f, 0, 4);
    dwp_word(f, 0, 4);
    dwp_word(f, 1, address);
    dwp_word(f, 0, address);
}

bool lx_dwp_unit(const struct lx_dwp *d, uint64_t id, uint8_t **bytes, size_t *size)
{
    static const char own[] = ".shstrtab";
    struct dwp_file f = {.of = d}, names = {.of = d}, table = {.of = d};
    const size_t header = d->header.e_ident[EI_CLASS] == ELFCLASS64 ? 64 : 52;
    const uint32_t row = dwp_row(d, id);
    struct dwp_piece piece[SECTIONS];
    uint64_t at = header;
    unsigned count = 2;
    if (!row || !dwp_piece(d, 0, row).size)
        return false;
    dwp_put(&names, "", 1);
    dwp_put_section(&table, 0, SHT_NULL, 0, 0);
    for (size_t i = 0; i < SECTIONS; i++) {
        piece[i] = dwp_piece(d, i, row);
        if (!piece[i].size)
            continue;
        dwp_put_section(&table, (uint32_t)names.size, SHT_PROGBITS, at, piece[i].size);
        dwp_put(&names, sections[i].name, strlen(sections[i].name) + 1);
        at += piece[i].size;
        count++;
    }
    dwp_put_section(&table, (uint32_t)names.size, SHT_STRTAB, at, names.size + sizeof own);
    dwp_put(&names, own, sizeof own);
    const size_t gap = -(at + names.size) & 7; /* the table's words lie where words lie */
    dwp_put_header(&f, at + names.size + gap, count);
    for (size_t i = 0; i < SECTIONS; i++)
        dwp_put(&f, piece[i].at, piece[i].size);
    dwp_put(&f, names.at, names.size);
    dwp_put(&f, "\0\0\0\0\0\0\0", gap);
    dwp_put(&f, table.at, table.size);
    free(names.at);
    free(table.at);
    *bytes = f.at;
    *size = f.size;
    return true;
}
