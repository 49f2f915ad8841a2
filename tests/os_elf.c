/*
 * The loader's checks: every kind of wrong file gets its own sentence, and no damage to a good file
 * makes the loader crash. Each is refused in one line, or still good.
 */
#include "guest_elf.h"
#include "programs/linux/binary/elf_arm.h"
#include "programs/linux/names/image.h"
#include "programs/linux/signals/foreign.h"

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
    {__LINE__, 36, 4, 0x74001000, "MIPS16 code; compile with -mno-mips16"},
    {__LINE__, 36, 4, 0x78001000, "MDMX"},
    {__LINE__, 36, 4, 0x808b1000, "Octeon,"},
    {__LINE__, 36, 4, 0x20a21000, "Loongson 3A"},
    {__LINE__, 36, 4, 0x20ff1000, "a maker's own"},
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

/* ---- MIPS: .MIPS.abiflags ----------------------------------------------------------------------
 */

/** The good file with that section: the maker's processor, and a word of extensions. */
static bool accepted_flags(uint32_t ext, uint32_t ases, char *why, size_t room)
{
    enum { ABIFLAGS = 0x70000003, AT = 0x220, BYTES = 24 };
    uint8_t elf[GUEST_ELF_SIZE];

    guest_elf(elf);
    put32(elf + PH2, ABIFLAGS);
    put32(elf + PH2 + 4, AT);
    put32(elf + PH2 + FILESZ, BYTES);
    put32(elf + AT + 8, ext);
    put32(elf + AT + 12, ases);
    return accepted(elf, sizeof elf, why, room);
}

/** Every bit and number: those of extensions that programs use are refused by name. */
Test(os_elf, extensions_are_named)
{
    static const char *const ases[32] = {
        "the DSP ",     "DSP release 2", "EVA",          NULL,           "MDMX",    "MIPS-3D",
        "the MT ",      "SmartMIPS",     NULL,           "MSA",          "MIPS16 ", "microMIPS",
        NULL,           "DSP release 3", "MIPS16e2",     "CRC",          NULL,      NULL,
        "Loongson MMI", "Loongson CAM",  "Loongson EXT", "Loongson EXT2"};
    static const char *const exts[24] = {
        NULL,     "XLR",    "Octeon 2", "Octeon+",     NULL,          "Octeon",   "R5900",
        "R4650",  "R4010",  "VR4100",   "R3900",       NULL,          "SB-1",     "VR4111",
        "VR4120", "VR5400", "VR5500",   "Loongson 2E", "Loongson 2F", "Octeon 3", "Interaptiv"};
    char why[600];

    for (unsigned bit = 0; bit < 32; bit++) {
        const bool good = accepted_flags(0, 1u << bit, why, sizeof why);
        cr_expect(good == !ases[bit] && (good || strstr(why, ases[bit])), "bit %u: %s", bit, why);
    }
    for (unsigned ext = 0; ext < 24; ext++) {
        const bool good = accepted_flags(ext, 0, why, sizeof why);
        cr_expect(good == !exts[ext] && (good || strstr(why, exts[ext])), "number %u: %s", ext,
                  why);
    }
}

/* ---- instructions at fault ---------------------------------------------------------------------
 */

enum word_of { MIPS_WORD, ARM_WORD, THUMB_WORD };

/** Made by the assemblers. */
static const struct {
    enum word_of of;
    uint32_t word;
    const char *whose;
} foreign[] = {
    {MIPS_WORD, 0x7802080e, "MSA"},           /* addv.b $w0,$w1,$w2 */
    {MIPS_WORD, 0x78002062, "MSA"},           /* ld.w $w1,0($4) */
    {MIPS_WORD, 0x7c641290, "DSP"},           /* addq.ph $2,$3,$4 */
    {MIPS_WORD, 0x041cffff, "DSP"},           /* bposge32 . */
    {MIPS_WORD, 0x7c83118a, "DSP"},           /* lbux $2,$3($4) */
    {MIPS_WORD, 0x7c641218, "DSP"},           /* addqh.ph $2,$3,$4 */
    {MIPS_WORD, 0x7c620838, "DSP"},           /* extr.w $2,$ac1,3 */
    {MIPS_WORD, 0x7c4300f0, "DSP"},           /* dpau.h.qbl $ac0,$2,$3 */
    {MIPS_WORD, 0x00641098, "release 6"},     /* mul $2,$3,$4 */
    {MIPS_WORD, 0x006410da, "release 6"},     /* mod $2,$3,$4 */
    {MIPS_WORD, 0x00641035, "release 6"},     /* seleqz $2,$3,$4 */
    {MIPS_WORD, 0xec480002, "release 6"},     /* lwpc $2,.+8 */
    {MIPS_WORD, 0x7c620036, "release 6"},     /* ll $2,0($3) */
    {MIPS_WORD, 0x7c400009, "MT"},            /* yield $2 */
    {MIPS_WORD, 0x7c62002c, "EVA"},           /* lbe $2,0($3) */
    {MIPS_WORD, 0x70641028, "Octeon"},        /* baddu $2,$3,$4 */
    {MIPS_WORD, 0xc843ffff, "Octeon"},        /* bbit0 $2,3,. */
    {MIPS_WORD, 0x70641003, "Octeon"},        /* dmul $2,$3,$4 */
    {MIPS_WORD, 0x48220084, "coprocessor 2"}, /* dmfc2 $2,0x84 */
    {MIPS_WORD, 0x7c62000f, "CRC"},           /* crc32b $2,$3,$2 */
    {ARM_WORD, 0xf2220844, "NEON"},           /* vadd.i32 q0,q1,q2 */
    {ARM_WORD, 0xf420070f, "NEON"},           /* vld1.8 {d0},[r0] */
    {ARM_WORD, 0xee300a81, "VFP"},            /* vadd.f32 s0,s1,s2 */
    {ARM_WORD, 0xed900b00, "VFP"},            /* vldr d0,[r0] */
    {ARM_WORD, 0xe30004d2, "ARMv6T2"},        /* movw r0,#1234 */
    {ARM_WORD, 0xe34004d2, "ARMv6T2"},        /* movt r0,#1234 */
    {ARM_WORD, 0xe7e301d1, "ARMv6T2"},        /* ubfx r0,r1,#3,#4 */
    {ARM_WORD, 0xe7c60191, "ARMv6T2"},        /* bfi r0,r1,#3,#4 */
    {ARM_WORD, 0xe6ff0f31, "ARMv6T2"},        /* rbit r0,r1 */
    {ARM_WORD, 0xe0603291, "ARMv6T2"},        /* mls r0,r1,r2,r3 */
    {ARM_WORD, 0xf57ff05f, "ARMv7"},          /* dmb sy */
    {ARM_WORD, 0xe710f211, "division"},       /* sdiv r0,r1,r2 */
    {ARM_WORD, 0xe730f211, "division"},       /* udiv r0,r1,r2 */
    {THUMB_WORD, 0xeb09, "Thumb-2"},          /* add.w r8,r9,r10 */
    {THUMB_WORD, 0xf8d1, "Thumb-2"},          /* ldr.w r0,[r1,#4] */
    {THUMB_WORD, 0xb100, "Thumb-2"},          /* 1: cbz r0,1f */
    {THUMB_WORD, 0xbf08, "Thumb-2"},          /* it eq */
    {THUMB_WORD, 0xf240, "Thumb-2"},          /* movw r0,#1234 */
    {ARM_WORD, 0xee300000, "iWMMXt"},         /* wzero wr0 */
    {MIPS_WORD, 0x00000038, NULL},
    {ARM_WORD, 0xe7f000f0, NULL}, /* udf */
    {THUMB_WORD, 0xde00, NULL},   /* udf */
};

Test(os_elf, foreign_instructions_are_named)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        const char *option = NULL, *whose;
        if (foreign[i].of == MIPS_WORD)
            whose = lx_foreign_mips(foreign[i].word, &option);
        else
            whose = lx_foreign_arm(foreign[i].word, foreign[i].of == THUMB_WORD, &option);
        cr_expect(!whose == !foreign[i].whose &&
                      (!whose || (strstr(whose, foreign[i].whose) && option)),
                  "0x%08x: %s", (unsigned)foreign[i].word, whose ? whose : "nobody's");
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
