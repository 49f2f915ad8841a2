/*
 * The loader's checks: every kind of wrong file gets its own sentence, and no damage to a good file
 * makes the loader crash. Each is refused in one line, or still good.
 */
#include "guest_elf.h"
#include "programs/linux/elf_arm.h"
#include "programs/linux/image.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes a file to a nameless place and checks it. */
static bool accepted(const uint8_t *elf, size_t size, char *why, size_t room)
{
    char path[] = "/tmp/os_elf_XXXXXX";
    const int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, elf, size) == (ssize_t)size);
    close(fd);
    *why = '\0';
    const bool good = lx_check(path, why, room);
    unlink(path);
    cr_expect(good || (strlen(why) > strlen(path) + 2 && !strchr(why, '\n')), "said '%s'", why);
    return good;
}

/* Offsets of fields: header, first and second program header. */
enum { PH1 = 52, PH2 = 84, VADDR = 8, FILESZ = 16, MEMSZ = 20, FLAGS = 24 };

static const struct {
    int line;
    unsigned offset, width;
    uint32_t value;
    const char *says; /**< "" when any refusal will do */
} damages[] = {
    {__LINE__, 0, 1, 0x7e, "not an ELF"},
    {__LINE__, 0, 4, 0x23212f62, "not an ELF"}, /* #!/b */
    {__LINE__, 4, 1, 0, ""},
    {__LINE__, 4, 1, 2, ""},
    {__LINE__, 4, 1, 3, ""},
    {__LINE__, 5, 1, 1, ""},
    {__LINE__, 5, 1, 0, ""},
    {__LINE__, 16, 2, ET_REL, "object file; link it with mips-linux-gnu-gcc -static"},
    {__LINE__, 16, 2, ET_CORE, "not an executable"},
    {__LINE__, 16, 2, ET_NONE, "not an executable"},
    {__LINE__, 16, 2, 0xffff, "not an executable"},
    {__LINE__, 18, 2, EM_X86_64, "x86-64"},
    {__LINE__, 18, 2, EM_386, "x86"},
    {__LINE__, 18, 2, EM_AARCH64, "AArch64"},
    {__LINE__, 18, 2, EM_RISCV, "another processor"},
    {__LINE__, 18, 2, 0, "another processor"},
    {__LINE__, 24, 4, 0, "entry point"},
    {__LINE__, 24, 4, 0x400201, "MIPS16"},
    {__LINE__, 24, 4, 0x410000, "not in an executable segment"},
    {__LINE__, 24, 4, 0xfffffffc, "entry point"},
    {__LINE__, 28, 4, 0, ""},
    {__LINE__, 28, 4, 0xffffffff, ""},
    {__LINE__, 28, 4, GUEST_ELF_SIZE - 4, ""},
    {__LINE__, 36, 4, 0x00000020, "n32"},
    {__LINE__, 36, 4, 0x90001000, "release 6"},
    {__LINE__, 36, 4, 0xa0001000, "release 6"},
    {__LINE__, 36, 4, 0xf0001000, "unknown MIPS"},
    {__LINE__, 36, 4, 0x72001000, "microMIPS"},
    {__LINE__, 36, 4, 0x00001400, "2008 NaN"},
    {__LINE__, 44, 2, 0, "no program headers"},
    {__LINE__, 44, 2, 2000, ""},
    {__LINE__, 44, 2, 0xffff, ""},
    {__LINE__, PH1, 4, PT_NULL, "entry point"},
    {__LINE__, PH2, 4, PT_INTERP, "dynamically linked; link it with -static"},
    {__LINE__, PH1 + 4, 4, 0xffffffff, "truncated"},
    {__LINE__, PH1 + 4, 4, GUEST_ELF_SIZE, "truncated"},
    {__LINE__, PH1 + VADDR, 4, 0, "outside"},
    {__LINE__, PH1 + VADDR, 4, 0x80000000, "outside"},
    {__LINE__, PH1 + VADDR, 4, 0xffffffff, "outside"},
    {__LINE__, PH1 + FILESZ, 4, GUEST_ELF_SIZE + 1, "larger in the file"},
    {__LINE__, PH1 + FILESZ, 4, 0xffffffff, "larger in the file"},
    {__LINE__, PH1 + MEMSZ, 4, GUEST_ELF_SIZE - 1, "larger in the file"},
    {__LINE__, PH1 + MEMSZ, 4, 0, ""},
    {__LINE__, PH1 + FLAGS, 4, PF_R | PF_W, "not in an executable segment"},
    {__LINE__, PH2 + VADDR, 4, GUEST_ELF_BASE, "overlap"},
    {__LINE__, PH2 + VADDR, 4, GUEST_ELF_BASE + 0x100, "overlap"},
    {__LINE__, PH2 + VADDR, 4, 0x7ffeff00, "outside"},
    {__LINE__, PH2 + FILESZ, 4, 1, ""},
    {__LINE__, PH2 + MEMSZ, 4, 0xffffffff, "outside"},
};

/* Fields whose damage leaves a program that can still be run. */
static bool may_be_good(size_t i)
{
    return damages[i].offset == PH2 + FILESZ;
}

Test(os_elf, the_good_file_is_good)
{
    uint8_t elf[GUEST_ELF_SIZE];
    char why[600];
    guest_elf(elf);
    cr_expect(accepted(elf, sizeof elf, why, sizeof why), "%s", why);
}

Test(os_elf, wrong_fields_are_told_apart)
{
    for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
        uint8_t elf[GUEST_ELF_SIZE];
        char why[600];
        guest_elf(elf);
        for (unsigned b = 0; b < damages[i].width; b++)
            elf[damages[i].offset + b] =
                (uint8_t)(damages[i].value >> 8 * (damages[i].width - 1 - b));
        const bool good = accepted(elf, sizeof elf, why, sizeof why);
        cr_expect(!good || may_be_good(i), "line %d", damages[i].line);
        cr_expect(good || strstr(why, damages[i].says), "line %d: said %s", damages[i].line, why);
    }
}

Test(os_elf, little_endian_is_named)
{
    uint8_t elf[GUEST_ELF_SIZE];
    char why[600];
    guest_elf(elf);
    elf[EI_DATA] = ELFDATA2LSB;
    memcpy(elf + 16, "\2\0\10\0", 4); /* ET_EXEC, EM_MIPS */
    cr_assert_not(accepted(elf, sizeof elf, why, sizeof why));
    cr_assert(strstr(why, "little-endian"), "%s", why);
}

Test(os_elf, every_truncation_is_refused)
{
    uint8_t elf[GUEST_ELF_SIZE];
    char why[600];
    guest_elf(elf);
    for (size_t size = 0; size < sizeof elf; size++)
        cr_expect_not(accepted(elf, size, why, sizeof why), "%zu bytes", size);
}

Test(os_elf, no_byte_of_the_headers_makes_it_crash)
{
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    uint8_t elf[GUEST_ELF_SIZE];
    char why[600];
    for (size_t at = 0; at < PH2 + 32; at++) {
        for (size_t v = 0; v < sizeof values; v++) {
            guest_elf(elf);
            elf[at] = values[v];
            accepted(elf, sizeof elf, why, sizeof why);
        }
    }
}

/* The same bytes on every host: a linear congruential generator is random enough here. */
static uint32_t draw(uint32_t *state)
{
    return (*state = *state * 1664525 + 1013904223) >> 8;
}

Test(os_elf, several_damages_do_not_make_it_crash)
{
    uint32_t state = 1;
    for (int n = 0; n < 3000; n++) {
        uint8_t elf[GUEST_ELF_SIZE];
        char why[600];
        guest_elf(elf);
        for (uint32_t i = draw(&state) % 6 + 1; i > 0; i--)
            elf[draw(&state) % (PH2 + 32)] = (uint8_t)draw(&state);
        accepted(elf, draw(&state) % 4 ? sizeof elf : draw(&state) % sizeof elf, why, sizeof why);
    }
}

/* ---- ARM: build attributes ---------------------------------------------------------------------
 */

enum { TAG_NAME = 5, TAG_ARCH = 6, TAG_THUMB = 9, TAG_FP = 10, TAG_SIMD = 12, TAG_VFP_ARGS = 28 };
enum { V5TE = 4, V6 = 6, V6T2 = 8, V7 = 10, EABI5 = 0x05000000 };

static const struct {
    int line;
    uint8_t pair[4]; /* two attributes */
    uint32_t flags, entry;
    bool chooses;
    const char *says; /* NULL: it is good */
} arms[] = {
    {__LINE__, {TAG_ARCH, V5TE, TAG_THUMB, 1}, EABI5 | 0x200, 0x10000, false, NULL},
    {__LINE__, {TAG_ARCH, V6, TAG_THUMB, 1}, EABI5, 0x10001, false, NULL},
    {__LINE__, {TAG_ARCH, V6, TAG_THUMB, 1}, EABI5, 0x10002, false, "entry point"},
    {__LINE__, {TAG_ARCH, V6T2, TAG_THUMB, 2}, EABI5, 0x10000, false, "ARMv6T2"},
    {__LINE__, {TAG_ARCH, V7, TAG_THUMB, 2}, EABI5, 0x10000, false, "ARMv7"},
    {__LINE__, {TAG_ARCH, V7, TAG_THUMB, 2}, EABI5, 0x10000, true, NULL},
    {__LINE__, {TAG_ARCH, 99, TAG_THUMB, 2}, EABI5, 0x10000, false, "after ARMv8"},
    {__LINE__, {TAG_ARCH, V6, TAG_THUMB, 2}, EABI5, 0x10000, false, "Thumb-2"},
    {__LINE__, {TAG_ARCH, V6, TAG_FP, 2}, EABI5, 0x10000, false, "VFP or NEON"},
    {__LINE__, {TAG_ARCH, V6, TAG_SIMD, 1}, EABI5, 0x10000, true, "VFP or NEON"},
    {__LINE__, {TAG_ARCH, V6, TAG_VFP_ARGS, 1}, EABI5, 0x10000, false, "gnueabihf"},
    {__LINE__, {TAG_ARCH, V6, TAG_THUMB, 1}, EABI5 | 0x400, 0x10000, false, "gnueabihf"},
    {__LINE__, {TAG_ARCH, V6, TAG_THUMB, 1}, 0x04000000, 0x10000, false, "EABI version 5"},
    {__LINE__, {TAG_ARCH, V6, TAG_THUMB, 1}, EABI5 | 0x00800000, 0x10000, false, "big-endian"},
};

enum { SECTION = 1 + 4 + 6 + 5 + 5 + 4 };

/* A section of them: a name, which is text, and the two. */
static void make_section(const uint8_t pair[4], uint8_t out[SECTION])
{
    const uint8_t head[] = {'A', SECTION - 1,  0, 0, 0, 'a',      'e', 'a', 'b', 'i', 0,
                            1,   SECTION - 11, 0, 0, 0, TAG_NAME, '6', '-', 'x', 0};

    memcpy(out, head, sizeof head);
    memcpy(out + sizeof head, pair, 4);
}

Test(os_elf, arm_programs_are_told_apart)
{
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
        const GElf_Ehdr eh = {.e_flags = arms[i].flags, .e_entry = arms[i].entry};
        struct lx_elf_arm a;
        uint8_t section[SECTION];
        char buf[256];
        make_section(arms[i].pair, section);
        lx_elf_arm_attributes(section, sizeof section, &a);
        cr_expect_eq(a.value[TAG_ARCH], arms[i].pair[1], "line %d", arms[i].line);
        a.chooses = arms[i].chooses;
        const char *said = lx_elf_arm_refusal(&eh, &a, buf, sizeof buf);
        cr_expect(!said == !arms[i].says && (!said || strstr(said, arms[i].says)), "line %d: %s",
                  arms[i].line, said ? said : "nothing");
    }
}

Test(os_elf, damaged_attributes_do_not_make_it_crash)
{
    const uint8_t pair[4] = {TAG_ARCH, V6, TAG_THUMB, 1};
    uint8_t section[SECTION];
    struct lx_elf_arm a;

    for (size_t at = 0; at < SECTION; at++)
        for (unsigned value = 0; value < 256; value++) {
            make_section(pair, section);
            section[at] = (uint8_t)value;
            uint8_t *exact = malloc(SECTION); /* for the sanitizer */
            memcpy(exact, section, SECTION);
            lx_elf_arm_attributes(exact, SECTION, &a);
            lx_elf_arm_attributes(exact, at, &a);
            free(exact);
        }
    lx_elf_arm_attributes(section, 0, &a);
    cr_expect_eq(a.value[TAG_ARCH], 0);
}
