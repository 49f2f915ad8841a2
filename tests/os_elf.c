/*
 * The loader's checks: every kind of wrong file gets its own sentence, and no damage to a good file
 * makes the loader crash. The good file is made here, byte by byte.
 */
#include "programs/program.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILE_BYTES = 0x200, CODE = 0x100 };

/** A file under construction; fields are written big-endian. */
struct image {
    uint8_t b[FILE_BYTES];
    size_t len;
};

static void put(struct image *im, size_t at, unsigned width, uint64_t v)
{
    for (unsigned i = width; i-- > 0; v >>= 8)
        im->b[at + i] = (uint8_t)v;
}

/** The smallest o32 program: one segment, headers and code in it. */
static void good_o32(struct image *im)
{
    memset(im, 0, sizeof *im);
    im->len = FILE_BYTES;
    memcpy(im->b, ELFMAG "\1\2\1", 7);
    put(im, 16, 2, ET_EXEC);
    put(im, 18, 2, EM_MIPS);
    put(im, 20, 4, EV_CURRENT);
    put(im, 24, 4, 0x400000 + CODE);
    put(im, 28, 4, 52); /* phoff */
    put(im, 36, 4, 0x70001007);
    put(im, 40, 2, 52);
    put(im, 42, 2, 32);
    put(im, 44, 2, 1);
    put(im, 52, 4, PT_LOAD);
    put(im, 60, 4, 0x400000);
    put(im, 68, 4, FILE_BYTES);
    put(im, 72, 4, FILE_BYTES);
    put(im, 76, 4, PF_R | PF_X);
    put(im, 80, 4, 0x10000);
}

/** Writes the image to a nameless place and checks it. */
static bool check(const struct image *im, char *why, size_t size)
{
    char path[] = "/tmp/os_elf_XXXXXX";
    int fd = mkstemp(path);
    bool ok;

    cr_assert(fd >= 0 && write(fd, im->b, im->len) == (ssize_t)im->len);
    close(fd);
    why[0] = '\0';
    ok = prog_check(path, why, size);
    unlink(path);
    return ok;
}

Test(os_elf, the_good_file_is_good)
{
    struct image im;
    char why[512];

    good_o32(&im);
    cr_assert(check(&im, why, sizeof why), "%s", why);
}

/** One change to the good file and what must be said about it. */
static const struct {
    int line;
    size_t at;
    unsigned width;
    uint64_t value;
    const char *says;
} wrong[] = {
    {__LINE__, 0, 4, 0x23212f62, "not an ELF file"},
    {__LINE__, 18, 2, EM_X86_64, "x86-64"},
    {__LINE__, 18, 2, EM_AARCH64, "AArch64"},
    {__LINE__, 16, 2, ET_REL, "object file"},
    {__LINE__, 16, 2, ET_CORE, "not an executable"},
    {__LINE__, 36, 4, 0x70000020, "n32"},
    {__LINE__, 36, 4, 0x90001000, "release 6"},
    {__LINE__, 36, 4, 0xa0001000, "release 6"},
    {__LINE__, 36, 4, 0x72001000, "microMIPS"},
    {__LINE__, 36, 4, 0x70001400, "NaN"},
    {__LINE__, 24, 4, 0x400101, "MIPS16"},
    {__LINE__, 24, 4, 0x500000, "not in an executable segment"},
    {__LINE__, 44, 2, 0, "no program headers"},
    {__LINE__, 44, 2, 60000, ""},
    {__LINE__, 52, 4, PT_INTERP, "-static"},
    {__LINE__, 56, 4, 0x1000, "truncated"},
    {__LINE__, 68, 4, 0x10000, "larger in the file"},
    {__LINE__, 72, 4, 0x7fffffff, "outside the address space"},
    {__LINE__, 60, 4, 0x80000000, "outside the address space"},
    {__LINE__, 60, 4, 0, "outside the address space"},
    {__LINE__, 76, 4, PF_R, "not in an executable segment"},
};

Test(os_elf, wrong_files_are_told_apart)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct image im;
        char why[512];
        good_o32(&im);
        put(&im, wrong[i].at, wrong[i].width, wrong[i].value);
        cr_expect(!check(&im, why, sizeof why), "line %d is accepted", wrong[i].line);
        cr_expect(strstr(why, wrong[i].says) && !strchr(why, '\n'), "line %d says: %s",
                  wrong[i].line, why);
    }
}

Test(os_elf, little_endian_is_named)
{
    struct image im;
    char why[512];

    good_o32(&im);
    im.b[EI_DATA] = ELFDATA2LSB;
    im.b[18] = EM_MIPS;
    im.b[19] = 0;
    im.b[16] = ET_EXEC;
    im.b[17] = 0;
    cr_assert(!check(&im, why, sizeof why));
    cr_assert(strstr(why, "little-endian"), "%s", why);
}

Test(os_elf, every_truncation_is_refused)
{
    for (size_t len = 0; len < FILE_BYTES; len++) {
        struct image im;
        char why[512];
        good_o32(&im);
        im.len = len;
        cr_expect(!check(&im, why, sizeof why), "%zu bytes are accepted", len);
        cr_expect(*why != '\0');
    }
}

/** The same bytes on every host: a linear congruential generator is random enough here. */
static uint32_t draw(uint32_t *state)
{
    return (*state = *state * 1664525 + 1013904223) >> 8;
}

Test(os_elf, damaged_headers_never_crash)
{
    uint32_t state = 1;

    for (int n = 0; n < 3000; n++) {
        struct image im;
        char why[512];
        unsigned changes;
        good_o32(&im);
        changes = 1 + draw(&state) % 6;
        for (unsigned i = 0; i < changes; i++)
            im.b[draw(&state) % 84] = (uint8_t)draw(&state);
        if (draw(&state) % 4 == 0)
            im.len = draw(&state) % FILE_BYTES;
        if (!check(&im, why, sizeof why))
            cr_expect(*why && !strchr(why, '\n'), "no reason given");
    }
}
