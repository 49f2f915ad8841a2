/*
 * Executables. The idea: an input is a small good file with some bytes replaced, or any file; what
 * the loader accepts must have symbols that can be asked for, and runs to some end.
 */
#include "machine/values.h"
#include "programs/linux/names/symbols.h"
#include "tests/fuzz/guest.h"
#include "tests/guest_elf.h"

#include <fcntl.h>
#include <unistd.h>

const char *const fuzz_words[] = {"\177ELF",          "\1\2\1",  "\2\2\1",
                                  "\377\377\377\377", ".symtab", NULL};

enum { WHOLE, PATCHES, KINDS, LIMIT = 3000, SYMBOLS = 6, TABLE = 0x300, SECTIONS = 0x400 };

/** A section header of ELF32. */
static void put_section(uint8_t *at, uint32_t type, uint32_t offset, uint32_t size, uint32_t link,
                        uint32_t entry)
{
    const uint32_t words[] = {0, type, 0, 0, offset, size, link, 0, 4, entry};
    for (unsigned i = 0; i < 10; i++)
        put32(at + 4 * i, words[i]);
}

/** The smallest guest, behind it a table of symbols. @return its size */
static size_t with_symbols(uint8_t *out)
{
    const size_t size = SECTIONS + 3 * 40;

    memset(out, 0, size);
    guest_elf(out);
    put32(out + 32, SECTIONS);
    put16(out + 48, 3); /* sections: none, symbols, strings */
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        put32(out + TABLE + 16 * i, i);
        put32(out + TABLE + 16 * i + 4, GUEST_ELF_BASE + GUEST_ELF_CODE + 4 * i);
        put32(out + TABLE + 16 * i + 8, 4);
        out[TABLE + 16 * i + 12] = STT_FUNC;
    }
    memcpy(out + TABLE + 16 * SYMBOLS, "\0main\0start", 12);
    put_section(out + SECTIONS + 40, SHT_SYMTAB, TABLE, 16 * SYMBOLS, 2, 16);
    put_section(out + SECTIONS + 80, SHT_STRTAB, TABLE + 16 * SYMBOLS, 12, 0, 0);
    return size;
}

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    static struct guest g;
    static uint8_t elf[GUEST_ELF_MAX];

    if (number >= 8 || room < FUZZ_INPUT_MAX)
        return 0;
    out[0] = (uint8_t)(number & 3);
    if (number >= 4) { /* patches: offset, length, bytes */
        memcpy(out + 1, "\0\x1c\4\0\0\0\x34\0\x30\2\0\2", 12);
        out[2] = (uint8_t)(0x10 + 4 * number);
        return 13;
    }
    if (number < 2)
        return 1 + with_symbols(out + 1);
    g.n64 = number & 1;
    guest_finish(&g);
    const size_t size = guest_write(&g, elf, sizeof elf);
    memcpy(out + 1, elf, size < room - 1 ? size : room - 1);
    return room;
}

/** Makes the file. @return its size */
static size_t make(uint8_t *file, size_t room, struct fuzz_in *in, unsigned kind)
{
    size_t size = in->left < room ? in->left : room;

    if (kind == WHOLE) {
        memcpy(file, in->at, size);
        return size;
    }
    size = with_symbols(file);
    while (in->left > 2) {
        const size_t at = fuzz_take(in, 2) % size;
        for (unsigned n = 1 + fuzz_take(in, 1) % 8, i = 0; i < n && at + i < size; i++)
            file[at + i] = (uint8_t)fuzz_take(in, 1);
    }
    return size;
}

static void ask_symbols(const struct lx_elf_image *image, int fd)
{
    struct lx_symbols_told told = {{NULL}};
    char name[40];

    for (unsigned i = 0; i < image->segments; i++)
        for (uint64_t at = 0; at < 64; at += 4)
            lx_symbols_tell(&told, fd, image,
                            image->segment[i].va + (at < 32 ? at : GUEST_ELF_CODE + at - 32), name,
                            sizeof name);
    lx_symbols_told_free(&told);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[FUZZ_INPUT_MAX];
    struct fuzz_in in = {data, size};
    struct lx_elf_image image;
    struct prog_outcome out;
    struct nm_params p;
    char why[300] = "";

    fuzz_confine();
    const unsigned kind = (unsigned)fuzz_take(&in, 1);
    fuzz_sweep();
    fuzz_write("guest", file, make(file, sizeof file, &in, kind & 1));
    const int fd = open("guest", O_RDONLY | O_CLOEXEC);
    const bool good = lx_elf_read(fd, &image, why, sizeof why);
    FUZZ_CHECK(good || *why, "refused without a reason");
    if (good)
        ask_symbols(&image, fd);
    close(fd);
    fuzz_machine(&p, kind >> 1 & 31);
    FUZZ_CHECK((fuzz_run(&p, kind >> 1 & 31, LIMIT, &out) != PROG_UNLOADABLE) <= good,
               "run although: %s", why);
    return 0;
}
