/*
 * Names of addresses. The idea: an input is one of four small good files, with symbols and line
 * tables of DWARF 3 and 5, and a variable, some bytes of which are replaced behind the segments; or
 * any file. A fifth good file is a package of split DWARF, which is taken apart. Whatever it is,
 * the names that are found must be of the address asked for, and the line tables must not be lost
 * to what is wrong with the symbols.
 */
#include "programs/linux/names/names.h"
#include "procard/profile.h"
#include "programs/linux/names/dwp.h"
#include "tests/fuzz/fuzz.h"
#include "tests/guest_elf.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <unistd.h>

const char *const fuzz_words[] = {".symtab",
                                  ".debug_line",
                                  ".debug_info",
                                  ".debug_str",
                                  "\5\2\1\1\100",
                                  "\377\377\377\377",
                                  ".zdebug_line",
                                  "\200\200\200\1",
                                  ".gnu_debuglink",
                                  ".gnu_debugaltlink",
                                  ".debug_addr",
                                  ".debug_cu_index",
                                  ".note.gnu.build-id",
                                  NULL};

enum {
    FILES = 5,
    PACKAGE = 4,   /* of these */
    WHOLE = FILES, /* any file */
    UNIT = 7,      /* the number of the one unit of the package */
    CODE_END = GUEST_ELF_SIZE,
    SECTIONS_MAX = 16,
    SECTION_BYTES = 40,
    FILE_MAX = 0x800
};

/* ---- a good file ----------------------------------------------------------------------------- */

/** A file that grows. */
struct growing {
    uint8_t *at;
    size_t size;
    char names[256]; /**< of sections */
    size_t names_size;
    struct {
        uint32_t name, type, offset, size, link, entry;
    } section[SECTIONS_MAX];
    unsigned sections;
};

static void put(struct growing *g, uint64_t value, unsigned bytes)
{
    while (bytes-- > 0)
        g->at[g->size++] = (uint8_t)(value >> 8 * bytes);
}

static void put_bytes(struct growing *g, const void *bytes, size_t size)
{
    memcpy(g->at + g->size, bytes, size);
    g->size += size;
}

static void begin_section(struct growing *g, const char *name, uint32_t type)
{
    g->section[g->sections].name = (uint32_t)g->names_size;
    g->section[g->sections].type = type;
    g->section[g->sections].offset = (uint32_t)g->size;
    g->names_size += (size_t)sprintf(g->names + g->names_size, "%s", name) + 1;
}

static void end_section(struct growing *g)
{
    g->section[g->sections].size = (uint32_t)g->size - g->section[g->sections].offset;
    g->sections++;
}

static void put_text(struct growing *g, const char *name, const char *text, size_t size)
{
    begin_section(g, name, SHT_PROGBITS);
    put_bytes(g, text, size);
    end_section(g);
}

/** A function of two instructions, an object without a size, a label, two of one address, a
 *  variable. */
static void put_symbols(struct growing *g)
{
    static const struct {
        uint8_t name, at, size, info;
    } rows[] = {{0, 0, 0, 0},      {1, 0, 8, 0x12},   {6, 8, 0, 0x12}, {12, 12, 4, 0x02},
                {18, 12, 4, 0x22}, {24, 14, 0, 0x10}, {1, 2, 2, 0x11}, {30, 0, 16, 0x11}};
    static const char strings[] = "\0main\0start\0local\0_weak\0label\0v";

    begin_section(g, ".symtab", SHT_SYMTAB);
    g->section[g->sections].link = g->sections + 1;
    g->section[g->sections].entry = 16;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put(g, rows[i].name, 4);
        put(g, i ? GUEST_ELF_BASE + GUEST_ELF_CODE + rows[i].at : 0, 4);
        put(g, rows[i].size, 4);
        put(g, rows[i].info, 1);
        put(g, 0, 1);
        put(g, i ? 1 : 0, 2);
    }
    end_section(g);
    put_text(g, ".strtab", strings, sizeof strings);
    g->section[g->sections - 1].type = SHT_STRTAB;
}

static void put_length(struct growing *g, size_t at)
{
    put32(g->at + at, (uint32_t)(g->size - at - 4));
}

/** What both versions have: from the special opcodes on, and the program. */
static void put_opcodes(struct growing *g)
{
    put_bytes(g, "\1\373\16\15\0\1\1\1\1\0\0\0\1\0\0\1", 16);
}

static void put_program(struct growing *g)
{
    put_bytes(g, "\0\5\2", 3);
    put(g, GUEST_ELF_BASE + GUEST_ELF_CODE, 4);
    put_bytes(g, "\1\3\11\1\102\4\2\2\4\1\3\200\1\11\0\4\1\2\4\0\1\1", 22);
}

static void put_lines_3(struct growing *g)
{
    begin_section(g, ".debug_line", SHT_PROGBITS);
    const size_t begin = g->size;
    put(g, 0, 4);
    put(g, 3, 2);
    const size_t header = g->size;
    put(g, 0, 4);
    put(g, 1, 1); /* bytes of the smallest instruction */
    put_opcodes(g);
    put_bytes(g, "dir\0\0a.c\0\0\0\0b.h\0\1\0\0", 20);
    put_length(g, header);
    put_program(g);
    put_length(g, begin);
    end_section(g);
}

/** @param form  of the strings: DW_FORM_string, or DW_FORM_line_strp */
static void put_lines_5(struct growing *g, unsigned form)
{
    const bool inside = form == 0x08;

    begin_section(g, ".debug_line", SHT_PROGBITS);
    const size_t begin = g->size;
    put(g, 0, 4);
    put(g, 5, 2);
    put(g, 0x0400, 2); /* bytes of an address; of a segment */
    const size_t header = g->size;
    put(g, 0, 4);
    put(g, 0x0101, 2); /* bytes of the smallest instruction, operations in the largest */
    put_opcodes(g);
    put(g, 0x010100 | form, 3); /* a directory has a path; there are two */
    put(g, 2, 1);
    put_bytes(g, inside ? "/w\0dir" : "\0\0\0\0\0\0\0\3", inside ? 7 : 8);
    put(g, 0x0201, 2); /* a file has a path and a directory; there are two */
    put(g, form, 1);
    put(g, 0x020b, 2);
    put(g, 2, 1);
    for (unsigned i = 0; i < 2; i++) {
        put_bytes(g, inside ? (i ? "b.h" : "a.c") : (i ? "\0\0\0\13" : "\0\0\0\7"), 4);
        put(g, i, 1);
    }
    put_length(g, header);
    put_program(g);
    put_length(g, begin);
    end_section(g);
    put_text(g, ".debug_line_str", "/w\0dir\0a.c\0b.h", 15);
}

/** What is in the unit: a number of 4 bytes (23), a struct of two of them (25), an array of two
 * such structs (44), and a variable of that type. The numbers are where they stand in the unit. */
static void put_variable(struct growing *g)
{
    put_bytes(g, "\7\4", 2);
    put_bytes(g, "\3\10\4x\0\0\0\0\27\0\4y\0\0\0\0\27\4\0", 19);
    put_bytes(g, "\5\0\0\0\31\6\1\0", 8);
    put_bytes(g, "\2v\0\1\7\0\0\0\54\5\3", 11);
    put(g, GUEST_ELF_BASE + GUEST_ELF_CODE, 4);
}

/** And a function (67) that is inlined in another one, from its second instruction on; a pointer to
 * such a struct (71), and a variable of it. The other function, of 16 bytes, has one on the stack
 * and one in register 4. */
static void put_functions(struct growing *g)
{
    put_bytes(g, "\12f\0\1", 4);
    put_bytes(g, "\13\0\0\0\31", 5);
    put_bytes(g, "\2p\0\1\7\0\0\0\107\5\3", 11);
    put(g, GUEST_ELF_BASE + GUEST_ELF_CODE, 4);
    put_bytes(g, "\10g\0", 3);
    put(g, GUEST_ELF_BASE + GUEST_ELF_CODE, 4);
    put_bytes(g, "\20\1\234", 3);
    put_bytes(g, "\11\0\0\0\103", 5);
    put(g, GUEST_ELF_BASE + GUEST_ELF_CODE + 4, 4);
    put_bytes(g, "\4\1\7", 3);
    put_bytes(g, "\2q\0\2\10\0\0\0\107\2\221\170", 12);
    put_bytes(g, "\2r\0\2\11\0\0\0\107\1\124", 11);
    put(g, 0, 2);
}

/** One unit: what it is called, where it was compiled, where its lines are. */
static void put_unit(struct growing *g)
{
    begin_section(g, ".debug_info", SHT_PROGBITS);
    const size_t begin = g->size;
    put(g, 0, 4);
    put(g, 4, 2);
    put(g, 0, 4);
    put(g, 4, 1);
    put_bytes(g, "\1a.c\0/w\0\0\0\0\0", 12); /* name, directory, lines */
    put_variable(g);
    put_functions(g);
    put_length(g, begin);
    end_section(g);
    static const char abbreviations[] =
        "\1\21\1\3\10\33\10\20\27\0\0"                /* unit */
        "\2\64\0\3\10\72\13\73\13\111\23\2\30\0\0"    /* variable, its file and line */
        "\3\23\1\13\13\0\0"                           /* struct */
        "\4\15\0\3\10\111\23\70\13\0\0"               /* member */
        "\5\1\1\111\23\0\0"                           /* array */
        "\6\41\0\57\13\0\0"                           /* its length */
        "\7\44\0\13\13\0\0"                           /* number */
        "\10\56\1\3\10\21\1\22\13\100\30\0\0"         /* function, its code */
        "\11\35\0\61\23\21\1\22\13\130\13\131\13\0\0" /* call */
        "\12\56\0\3\10\40\13\0\0"                     /* function without code */
        "\13\17\0\111\23\0\0";                        /* pointer */
    put_text(g, ".debug_abbrev", abbreviations, sizeof abbreviations);
}

static void put_sections(struct growing *g)
{
    begin_section(g, ".shstrtab", SHT_STRTAB);
    g->names_size = g->names_size < sizeof g->names ? g->names_size : sizeof g->names;
    put_bytes(g, g->names, g->names_size);
    end_section(g);
    put32(g->at + 32, (uint32_t)g->size);
    put16(g->at + 48, (uint16_t)g->sections);
    put16(g->at + 50, (uint16_t)(g->sections - 1));
    for (unsigned i = 0; i < g->sections; i++) {
        const bool code = i == 1;
        const uint32_t words[] = {g->section[i].name,
                                  g->section[i].type,
                                  code ? SHF_ALLOC | SHF_EXECINSTR : 0,
                                  code ? GUEST_ELF_BASE + GUEST_ELF_CODE : 0,
                                  g->section[i].offset,
                                  g->section[i].size,
                                  g->section[i].link,
                                  0,
                                  1,
                                  g->section[i].entry};
        for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
            put(g, words[w], 4);
    }
}

/** Of one unit, as GNU's tools make it: four columns, a slot for it and one for none. */
static void put_package(struct growing *g)
{
    static const struct {
        const char *name;
        unsigned id, size;
    } rows[] = {{".debug_info.dwo", 1, 12},
                {".debug_abbrev.dwo", 3, 3},
                {".debug_line.dwo", 4, 0},
                {".debug_str_offsets.dwo", 6, 4}};
    enum { ROWS = sizeof rows / sizeof *rows };

    for (size_t i = 0; i < ROWS; i++)
        put_text(g, rows[i].name, "abcdefghijklmnop", 16);
    put_text(g, ".debug_str.dwo", "a.c\0b.c", 8);
    begin_section(g, ".debug_cu_index", SHT_PROGBITS);
    const uint32_t head[] = {2, ROWS, 1, 2, 0, UNIT, 0, 0, 1, 0};
    for (size_t i = 0; i < sizeof head / sizeof *head; i++)
        put(g, head[i], 4);
    for (size_t i = 0; i < ROWS; i++)
        put(g, rows[i].id, 4);
    for (size_t i = 0; i < ROWS; i++)
        put(g, 4, 4);
    for (size_t i = 0; i < ROWS; i++)
        put(g, rows[i].size, 4);
    end_section(g);
}

/** @return its size */
static size_t good_file(unsigned which, uint8_t *out)
{
    struct growing g = {.at = out, .size = CODE_END};

    memset(out, 0, FILE_MAX);
    guest_elf(out);
    begin_section(&g, "", SHT_NULL);
    g.sections++;
    begin_section(&g, ".text", SHT_PROGBITS);
    g.section[1].offset = GUEST_ELF_CODE;
    g.section[1].size = GUEST_ELF_SIZE - GUEST_ELF_CODE;
    g.sections++;
    put_symbols(&g);
    switch (which) {
    case 0:
        put_lines_3(&g);
        put_unit(&g);
        break;
    case 1:
        put_lines_5(&g, 0x08);
        break;
    case 2:
        put_lines_5(&g, 0x1f);
        put_unit(&g);
        break;
    case PACKAGE:
        put_lines_3(&g);
        put_package(&g);
        break;
    default:
        put_lines_3(&g);
        break;
    }
    put_sections(&g);
    return g.size;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    if (number >= 3 * FILES || room < FUZZ_INPUT_MAX)
        return 0;
    out[0] = (uint8_t)(number % FILES);
    if (number < FILES)
        return 1;
    if (number >= 2 * FILES) {
        out[0] = WHOLE;
        return 1 + good_file(number % FILES, out + 1);
    }
    memcpy(out + 1, "\0\100\3\377\377\0\377\0\200\0\2", 11); /* patches: where, length, bytes */
    return 12;
}

/** Makes the file. @return its size */
static size_t make(uint8_t *file, struct fuzz_in *in)
{
    const unsigned kind = (unsigned)fuzz_take(in, 1) % (FILES + 1);
    size_t size = in->left;

    if (kind == WHOLE) {
        memcpy(file, in->at, size);
        return size;
    }
    size = good_file(kind, file);
    while (in->left > 2) {
        const size_t at = CODE_END + fuzz_take(in, 2) % (size - CODE_END);
        for (unsigned n = 1 + fuzz_take(in, 1) % 8, i = 0; i < n && at + i < size; i++)
            file[at + i] = (uint8_t)fuzz_take(in, 1);
    }
    return size;
}

/* ---- what must hold -------------------------------------------------------------------------- */

static void check_text(const char *text)
{
    for (const char *c = text; *c; c++)
        FUZZ_CHECK((unsigned char)*c >= ' ' && *c != 0x7f, "'%s'", text);
    FUZZ_CHECK(*text, "an empty name");
}

static void check_at(struct prog_names *names, uint64_t va)
{
    static const struct prog_place nothing;
    struct prog_place p, again;

    memset(&p, 0xff, sizeof p);
    const bool known = names->at(names, va, &p);
    FUZZ_CHECK(known == (p.function || p.file), "at %llx", (unsigned long long)va);
    FUZZ_CHECK(known || (p.from == nothing.from && p.to == nothing.to && p.line == nothing.line),
               "something of nothing");
    if (p.function) {
        check_text(p.function);
        FUZZ_CHECK(names->symbols && va >= p.from && va < p.to, "%s", p.function);
        FUZZ_CHECK(names->at(names, p.from, &again) && again.function, "%s", p.function);
    }
    if (p.file) {
        check_text(p.file);
        FUZZ_CHECK(names->lines, "%s", p.file);
    }
}

/** The innermost function has the line, the last one the code. @return how many there are */
static unsigned check_chain(struct prog_names *names, uint64_t va)
{
    struct prog_frame frame[PROG_FRAMES_MAX], last[1];
    struct prog_place p;
    const bool known = names->at(names, va, &p);
    const unsigned count = names->chain(names, va, frame, PROG_FRAMES_MAX);

    FUZZ_CHECK((count > 0) == known && count <= PROG_FRAMES_MAX, "%u functions", count);
    FUZZ_CHECK(names->chain(names, va, last, 1) == (count > 0), "not one of %u", count);
    for (unsigned i = 0; i < count; i++) {
        FUZZ_CHECK(!frame[i].call == (i + 1 == count), "frame %u of %u", i, count);
        if (frame[i].function)
            check_text(frame[i].function);
        if (frame[i].file)
            check_text(frame[i].file);
    }
    FUZZ_CHECK(!count || !p.function || !strcmp(last->function, p.function), "%s", p.function);
    FUZZ_CHECK(!count || (frame->file == p.file && frame->line == p.line), "at %u", p.line);
    return count;
}

/** The parts of an object are what it consists of, whatever it is. */
static void check_parts(struct prog_names *names, const struct prog_object *o)
{
    enum { MOST = 64 };
    const uint64_t size = o->to - o->from;
    struct prog_member m;
    uint64_t at = 0;

    FUZZ_CHECK(size > 0, "%s", o->name);
    for (unsigned i = 0; i < MOST && at < size; i++, at = m.offset + m.size) {
        names->member(names, o, at, i % 3 ? UINT_MAX : 1, &m);
        FUZZ_CHECK(m.offset <= at && m.size > at - m.offset && m.size <= size - m.offset,
                   "%s: %llu + %llu of %llu", o->name, (unsigned long long)m.offset,
                   (unsigned long long)m.size, (unsigned long long)size);
        FUZZ_CHECK(memchr(m.name, '\0', sizeof m.name), "%s", o->name);
        if (*m.name)
            check_text(m.name);
    }
}

/** @param function  NULL: none @return whether something is declared */
static bool check_declared(struct prog_names *names, const struct prog_object *o,
                           const char *function)
{
    const struct prog_declarations *d = (const struct prog_declarations *)names;
    struct prog_line line[2];

    FUZZ_CHECK(names->declares, "nothing is declared");
    memset(line, 0xff, sizeof line);
    const bool known[] = {d->variable(names, o, function, &line[0]),
                          d->type(names, o->type, &line[1])};
    for (unsigned i = 0; i < 2; i++) {
        FUZZ_CHECK(known[i] == (line[i].file != NULL) && known[i] == (line[i].line > 0), "%s",
                   o->name);
        if (known[i])
            check_text(line[i].file);
    }
    return known[0] || known[1];
}

/** What is found there. */
struct found {
    bool type, declared;
};

static struct found check_object(struct prog_names *names, uint64_t va)
{
    struct prog_object o;
    uint64_t from, to;

    if (names->local(names, va % 64, &o)) {
        check_text(o.name);
        check_parts(names, &o);
        check_declared(names, &o, NULL);
    }
    if (!names->object(names, va, &o))
        return (struct found){false, false};
    check_text(o.name);
    FUZZ_CHECK(va >= o.from && va < o.to, "%s", o.name);
    check_parts(names, &o);
    names->find(names, o.name, &from, &to);
    return (struct found){o.type, check_declared(names, &o, NULL)};
}

/** What a unit is cut into can be read. @return whether there is one */
static bool check_unit(const struct lx_dwp *dwp, uint64_t id)
{
    uint8_t *bytes;
    size_t size, names, count;

    if (!lx_dwp_unit(dwp, id, &bytes, &size))
        return false;
    elf_version(EV_CURRENT);
    Elf *elf = elf_memory((char *)bytes, size);
    FUZZ_CHECK(elf && !elf_getshdrnum(elf, &count) && count > 2 && !elf_getshdrstrndx(elf, &names),
               "no sections in %zu bytes", size);
    Elf_Scn *scn = elf_getscn(elf, 1);
    GElf_Shdr sh;
    FUZZ_CHECK(scn && gelf_getshdr(scn, &sh) && elf_strptr(elf, names, sh.sh_name) &&
                   !strcmp(elf_strptr(elf, names, sh.sh_name), ".debug_info.dwo"),
               "not its information");
    elf_end(elf);
    free(bytes);
    return true;
}

static bool check_package(void)
{
    const int fd = open("guest", O_RDONLY);
    struct lx_dwp *dwp = fd >= 0 ? lx_dwp_open(fd) : NULL;
    bool unit = false;

    for (uint64_t id = 0; dwp && id <= UNIT; id++)
        unit |= check_unit(dwp, id);
    if (!dwp && fd >= 0)
        close(fd);
    lx_dwp_close(dwp);
    return unit;
}

/* ---- what pointers lead to ------------------------------------------------------------------- */

enum { BLOCKS = 0x10000, BLOCK = 48, BLOCKS_END = BLOCKS + 64 * BLOCK };

/** Every word leads into one of the blocks, most of them to its beginning. */
static bool fuzz_read(void *ctx, uint64_t va, void *bytes, size_t count)
{
    uint8_t *to = bytes;

    (void)ctx;
    for (size_t i = 0; i < count; i += 4) {
        const uint64_t word = (va + i) * 0x9e3779b97f4a7c15 >> 40;
        put32(to + i, (uint32_t)(BLOCKS + word % 64 * BLOCK + (word % 7 ? 0 : 8)));
    }
    return va < UINT32_MAX;
}

static bool fuzz_block(void *ctx, uint64_t va, uint64_t *from, uint64_t *to)
{
    (void)ctx;
    *from = va - (va - BLOCKS) % BLOCK;
    *to = *from + BLOCK;
    return va >= BLOCKS && va < BLOCKS_END;
}

static void check_part(void *ctx, const struct prog_part *part)
{
    uint64_t *last = ctx;

    check_text(part->path);
    FUZZ_CHECK(strlen(part->path) <= 2 * PROG_PATH && !strchr(part->path, ' '), "%s", part->path);
    if (part->function)
        check_text(part->function);
    FUZZ_CHECK(part->from < part->to && part->from >= BLOCKS && part->to <= BLOCKS_END, "%s",
               part->path);
    FUZZ_CHECK(part->from / BLOCK - BLOCKS / BLOCK == (part->to - 1) / BLOCK - BLOCKS / BLOCK ||
                   BLOCKS % BLOCK,
               "%s: more than a block", part->path);
    FUZZ_CHECK(part->each <= part->to - part->from, "%s", part->path);
    ++*last;
}

/** @return how many parts there are */
static uint64_t check_reach(struct prog_names *names)
{
    struct pc_profile_frame frame = {.thread = 1,
                                     .pc = GUEST_ELF_BASE + GUEST_ELF_CODE + 4,
                                     .cfa = 0x7ff00000,
                                     .known = UINT32_MAX};
    const uint64_t tls[] = {0x20000};
    const uint32_t thread[] = {1};
    const struct prog_memory memory = {.read = fuzz_read,
                                       .block = fuzz_block,
                                       .frame = &frame,
                                       .frames = 1,
                                       .tls = tls,
                                       .thread = thread,
                                       .threads = 1};
    struct prog_part part;
    uint64_t parts = 0;

    for (unsigned i = 0; i < PC_REGISTERS; i++)
        frame.reg[i] = BLOCKS + BLOCK * (uint64_t)i;
    names->reach(names, &memory, check_part, &parts);
    for (uint64_t va = frame.cfa - 64; va < frame.cfa + 64; va += 4)
        if (names->on_stack(names, &memory, va, &part)) {
            FUZZ_CHECK(va >= part.from && va < part.to && *part.path && *part.function, "%s",
                       part.path);
            check_declared(names, &(struct prog_object){.name = part.path, .type = part.type},
                           part.function);
        }
    return parts;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[FUZZ_INPUT_MAX];
    struct fuzz_in in = {data, size < sizeof file ? size : sizeof file};
    char why[600] = "";

    fuzz_confine();
    const unsigned kind = size ? data[0] % (FILES + 1) : 0;
    fuzz_write("guest", file, make(file, &in));
    struct prog_names *names = lx_names("guest", NULL, why, sizeof why);
    FUZZ_CHECK(names || (*why && !strchr(why, '\n')), "refused without a reason: %s", why);
    FUZZ_CHECK(kind == WHOLE || size > 1 || (names->symbols && names->lines), "a good file");
    const bool unit = check_package();
    FUZZ_CHECK(unit || kind != PACKAGE || size > 1, "a good package's unit");
    if (!names)
        return 0;
    struct found all = {false, false};
    bool inlined = false;
    for (uint64_t va = 0; va < 64; va++) {
        check_at(names, GUEST_ELF_BASE + GUEST_ELF_CODE - 16 + va);
        inlined |= check_chain(names, GUEST_ELF_BASE + GUEST_ELF_CODE - 16 + va) > 1;
        const struct found found = check_object(names, GUEST_ELF_BASE + GUEST_ELF_CODE - 16 + va);
        all.type |= found.type;
        all.declared |= found.declared;
    }
    FUZZ_CHECK((all.type && all.declared) || kind == WHOLE || size > 1 || kind % 2 ||
                   kind == PACKAGE,
               "a good file's variable");
    FUZZ_CHECK(inlined || kind == WHOLE || size > 1 || kind % 2 || kind == PACKAGE,
               "a good file's inlined function");
    FUZZ_CHECK(check_reach(names) >= 2 || kind == WHOLE || size > 1 || kind % 2 || kind == PACKAGE,
               "a good file's pointers");
    check_at(names, GUEST_ELF_BASE);
    check_at(names, GUEST_ELF_BASE + 0x10000);
    check_at(names, 0);
    check_at(names, UINT64_MAX);
    check_object(names, UINT64_MAX);
    names->free(names);
    return 0;
}
