/*
 * The executable: an ELF file made by a cross linker for MIPS or ARM.
 *
 * The hard idea: everything in the file is a claim. Each header field is checked against the file's
 * real size and the address space before it is used, and each kind of file that people try by
 * mistake (their own machine's, a little-endian one, a dynamic one) gets its own sentence.
 */
#include "programs/linux/binary/elf.h"
#include "programs/linux/binary/elf_arm.h"

#include "programs/program.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What elf.h of this C library does not name. */
enum {
    MIPS_ABI2 = 0x20,
    MIPS_FP64 = 0x200,
    MIPS_NAN2008 = 0x400,
    MIPS_MICROMIPS = 0x02000000,
    MIPS_ASE_M16 = 0x04000000,
    MIPS_ASE_MDMX = 0x08000000,
    MIPS_MACH = 0x00ff0000,
    FP_ABI_OLD_64 = 4,
    FP_ABI_64 = 6,
    FP_ABI_64A = 7,
    ABIFLAGS_SIZE = 24,
    ABIFLAGS_FP_ABI = 7, /* offset of the fp_abi byte, */
    ABIFLAGS_EXT = 8,    /* of the word that names the maker of the processor, */
    ABIFLAGS_ASES = 12,  /* and of the word of extensions */
};

#define REFUSE(...)                       \
    do {                                  \
        snprintf(why, size, __VA_ARGS__); \
        return false;                     \
    } while (0)

static const char *machine_name(unsigned machine)
{
    return machine == EM_X86_64    ? "x86-64"
           : machine == EM_386     ? "x86"
           : machine == EM_AARCH64 ? "AArch64"
                                   : "another processor";
}

/** The first 16 bytes and the machine: is this an executable for one of the processors at all? */
static bool check_ident(const GElf_Ehdr *eh, char *why, size_t size)
{
    const bool arm = eh->e_machine == EM_ARM;
    const char *compiler = arm ? "arm-linux-gnueabi-gcc" : "mips-linux-gnu-gcc";

    if (eh->e_machine != EM_MIPS && eh->e_machine != EM_MIPS_RS3_LE && !arm)
        REFUSE("not a MIPS or ARM program but one for %s; compile it with mips-linux-gnu-gcc "
               "-static, or for an ARM11 with arm-linux-gnueabi-gcc -static",
               machine_name(eh->e_machine));
    if (!arm && eh->e_ident[EI_DATA] != ELFDATA2MSB)
        REFUSE(
            "little-endian MIPS; this machine is big-endian: use mips-linux-gnu-gcc, not mipsel");
    if (arm && eh->e_ident[EI_DATA] != ELFDATA2LSB)
        REFUSE("big-endian ARM; ARM programs are little-endian here: use arm-linux-gnueabi-gcc");
    if (arm && eh->e_ident[EI_CLASS] != ELFCLASS32)
        REFUSE("damaged: an ARM program of 64 bits");
    if (eh->e_type == ET_REL)
        REFUSE("an object file; link it with %s -static", compiler);
    if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
        REFUSE("not an executable (ELF type %u)", (unsigned)eh->e_type);
    return true;
}

static const struct lx_kind *elf_kind_of(const GElf_Ehdr *eh)
{
    if (eh->e_machine == EM_ARM)
        return &lx_kinds[LX_ARMEL];
    return &lx_kinds[eh->e_ident[EI_CLASS] == ELFCLASS64 ? LX_N64 : LX_O32];
}

/** Makers' own processors, as flags and as .MIPS.abiflags number them. */
static const struct mach {
    uint32_t flags; /* EF_MIPS_MACH_ */
    uint32_t ext;   /* AFL_EXT_; 0: none */
    const char *name;
} machs[] = {
    {0x810000, 10, "R3900"},
    {0x820000, 8, "R4010"},
    {0x830000, 9, "VR4100"},
    {0x850000, 7, "R4650"},
    {0x870000, 14, "VR4120"},
    {0x880000, 13, "VR4111"},
    {0x8a0000, 12, "SB-1"},
    {0x8b0000, 5, "Octeon"},
    {0x8c0000, 1, "XLR"},
    {0x8d0000, 2, "Octeon 2"},
    {0x8e0000, 19, "Octeon 3"},
    {0x910000, 15, "VR5400"},
    {0x920000, 6, "R5900"},
    {0x980000, 16, "VR5500"},
    {0x990000, 0, "RM9000"},
    {0xa00000, 17, "Loongson 2E"},
    {0xa10000, 18, "Loongson 2F"},
    {0xa20000, 0, "Loongson 3A"},
    {0, 3, "Octeon+"},
    {0, 20, "Interaptiv MR2"},
};

static const char *mach_name(uint32_t flags)
{
    for (size_t i = 0; i < sizeof machs / sizeof *machs; i++)
        if (machs[i].flags == flags)
            return machs[i].name;
    return "processor of a maker's own";
}

/** The same by the word of .MIPS.abiflags; NULL: nobody's own. */
static const char *ext_name(uint32_t ext)
{
    for (size_t i = 0; ext && i < sizeof machs / sizeof *machs; i++)
        if (machs[i].ext == ext)
            return machs[i].name;
    return NULL;
}

/** The flags word: which MIPS, which ABI. */
static bool check_flags(const GElf_Ehdr *eh, bool n64, char *why, size_t size)
{
    uint32_t arch = eh->e_flags & EF_MIPS_ARCH;

    if (!n64 && (eh->e_flags & MIPS_ABI2))
        REFUSE("the n32 ABI; only o32 (mips-linux-gnu) and n64 (mips64-linux-gnuabi64) are run");
    if (arch == 0x90000000 || arch == 0xa0000000)
        REFUSE("MIPS release 6; compile for an earlier one, for example -march=mips32r2");
    if (arch > 0xa0000000)
        REFUSE("unknown MIPS architecture level 0x%x in the ELF flags", (unsigned)(arch >> 28));
    if (eh->e_flags & MIPS_MICROMIPS)
        REFUSE("microMIPS code; compile with -mno-micromips");
    if (eh->e_flags & MIPS_ASE_M16)
        REFUSE("MIPS16 code; compile with -mno-mips16, without __attribute__((mips16))");
    if (eh->e_flags & MIPS_ASE_MDMX)
        REFUSE("MDMX code; compile with -mno-mdmx");
    if (eh->e_flags & MIPS_MACH)
        REFUSE("code for a %s, with instructions of its own; compile with -march=mips64r2 or an "
               "earlier one",
               mach_name(eh->e_flags & MIPS_MACH));
    if (eh->e_flags & MIPS_NAN2008)
        REFUSE(
            "IEEE 754-2008 NaN encoding; the R4400 has the older one: compile with -mnan=legacy");
    if (eh->e_entry & 3)
        REFUSE("entry point 0x%" PRIx64 " is not a MIPS instruction address (MIPS16 or damaged)",
               (uint64_t)eh->e_entry);
    return true;
}

/** Checks one PT_LOAD and appends it. */
static bool add_segment(struct lx_elf_image *im, const GElf_Phdr *ph, uint64_t file_size, char *why,
                        size_t size)
{
    uint64_t end = im->kind->end, va = ph->p_vaddr + im->bias;
    struct lx_elf_segment *s = &im->segment[im->segments];

    if (ph->p_memsz == 0)
        return true;
    if (im->segments == ELF_SEGMENTS_MAX)
        REFUSE("more than %d segments", ELF_SEGMENTS_MAX);
    if (ph->p_filesz > ph->p_memsz)
        REFUSE("damaged: a segment is larger in the file than in memory");
    if (ph->p_offset > file_size || ph->p_filesz > file_size - ph->p_offset)
        REFUSE("truncated: a segment ends at byte %" PRIu64 " of a file of %" PRIu64 " bytes",
               (uint64_t)(ph->p_offset + ph->p_filesz), file_size);
    if (va < 0x1000 || va >= end || ph->p_memsz > end - va)
        REFUSE("a segment at 0x%" PRIx64 " of 0x%" PRIx64 " bytes lies outside the address space",
               va, (uint64_t)ph->p_memsz);
    for (unsigned i = 0; i < im->segments; i++)
        if (va < im->segment[i].va + im->segment[i].memsz && im->segment[i].va < va + ph->p_memsz)
            REFUSE("damaged: two segments overlap at 0x%" PRIx64, va);
    *s = (struct lx_elf_segment){.va = va,
                                 .memsz = ph->p_memsz,
                                 .offset = ph->p_offset,
                                 .filesz = ph->p_filesz,
                                 .rights = (ph->p_flags & PF_R ? LX_R : 0) |
                                           (ph->p_flags & PF_W ? LX_W : 0) |
                                           (ph->p_flags & PF_X ? LX_X : 0)};
    im->segments++;
    if (va + ph->p_memsz > im->end)
        im->end = va + ph->p_memsz;
    return true;
}

/** Extensions of the instruction set, by their bit in .MIPS.abiflags; those for operating systems
 *  alone are left out. */
static const struct {
    uint32_t bit;
    const char *name, *option;
} ases[] = {
    {0x0001, "DSP", "-mno-dsp"},
    {0x0002, "DSP release 2", "-mno-dspr2"},
    {0x2000, "DSP release 3", "-mno-dspr3"},
    {0x0004, "EVA", "-mno-eva"},
    {0x0010, "MDMX", "-mno-mdmx"},
    {0x0020, "MIPS-3D", "-mno-mips3d"},
    {0x0040, "MT", "-mno-mt"},
    {0x0080, "SmartMIPS", "-mno-smartmips"},
    {0x0200, "MSA", "-mno-msa"},
    {0x0400, "MIPS16", "-mno-mips16"},
    {0x0800, "microMIPS", "-mno-micromips"},
    {0x4000, "MIPS16e2", "-mno-mips16e2"},
    {0x8000, "CRC", "-mno-crc"},
    {0x40000, "Loongson MMI", "-mno-loongson-mmi"},
    {0x80000, "Loongson CAM", "-march=mips64r2"},
    {0x100000, "Loongson EXT", "-mno-loongson-ext"},
    {0x200000, "Loongson EXT2", "-mno-loongson-ext2"},
};

static uint32_t big_word(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/** What the processor must be, by .MIPS.abiflags (none: as the header says). */
static bool check_abiflags(Elf *elf, const GElf_Phdr *ph, struct lx_elf_image *im, char *why,
                           size_t size)
{
    const uint8_t *flags;
    Elf_Data *d = NULL;
    const char *ext;

    if (ph->p_filesz >= ABIFLAGS_SIZE)
        d = elf_getdata_rawchunk(elf, (int64_t)ph->p_offset, ABIFLAGS_SIZE, ELF_T_BYTE);
    if (!d)
        return true;
    flags = d->d_buf;
    if (im->kind == &lx_kinds[LX_O32])
        im->fr = im->fr || flags[ABIFLAGS_FP_ABI] == FP_ABI_OLD_64 ||
                 flags[ABIFLAGS_FP_ABI] == FP_ABI_64 || flags[ABIFLAGS_FP_ABI] == FP_ABI_64A;
    for (size_t i = 0; i < sizeof ases / sizeof *ases; i++)
        if (big_word(flags + ABIFLAGS_ASES) & ases[i].bit)
            REFUSE("code for the %s extension, which no processor here has; compile with %s",
                   ases[i].name, ases[i].option);
    ext = ext_name(big_word(flags + ABIFLAGS_EXT));
    if (ext)
        REFUSE("code for a %s, with instructions of its own; compile with -march=mips64r2 or an "
               "earlier one",
               ext);
    return true;
}

static bool read_headers(Elf *elf, struct lx_elf_image *im, const GElf_Ehdr *eh, uint64_t file_size,
                         char *why, size_t size)
{
    for (unsigned i = 0; i < im->phnum; i++) {
        GElf_Phdr ph;

        if (!gelf_getphdr(elf, (int)i, &ph))
            REFUSE("truncated: program header %u cannot be read", i);
        if (ph.p_type == PT_INTERP)
            REFUSE("dynamically linked; link it with -static");
        if (ph.p_type == PT_MIPS_ABIFLAGS && im->kind != &lx_kinds[LX_ARMEL] &&
            !check_abiflags(elf, &ph, im, why, size))
            return false;
        if (ph.p_type == PT_TLS) {
            im->tls = ph.p_memsz;
            im->tls_align = ph.p_align;
        }
        if (ph.p_type == PT_LOAD && !add_segment(im, &ph, file_size, why, size))
            return false;
    }
    for (unsigned i = 0; i < im->segments; i++) {
        const struct lx_elf_segment *s = &im->segment[i];
        if (eh->e_phoff >= s->offset && eh->e_phoff - s->offset < s->filesz)
            im->phdr = s->va + (eh->e_phoff - s->offset);
        if ((s->rights & LX_X) && (im->entry & ~UINT64_C(1)) >= s->va &&
            im->entry - s->va < s->memsz)
            return true;
    }
    REFUSE("entry point 0x%" PRIx64 " is not in an executable segment", im->entry);
}

/** @return whether the file begins with these bytes */
static bool begins_with(int fd, const char *bytes)
{
    char found[SELFMAG];
    const size_t length = strlen(bytes);

    return pread(fd, found, length, 0) == (ssize_t)length && memcmp(found, bytes, length) == 0;
}

static bool read_elf(int fd, Elf *elf, struct lx_elf_image *im, uint64_t file_size, char *why,
                     size_t size)
{
    GElf_Ehdr eh;
    size_t phnum = 0;

    if (file_size < 4)
        REFUSE("not an ELF file (%" PRIu64 " bytes long)", file_size);
    if (!begins_with(fd, ELFMAG))
        REFUSE("%s", begins_with(fd, "#!")
                         ? "a script, not an ELF file: only MIPS and ARM executables are run"
                         : "not an ELF file");
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh))
        REFUSE("truncated: the ELF header cannot be read");
    if (!check_ident(&eh, why, size))
        return false;
    im->kind = elf_kind_of(&eh);
    if (eh.e_machine == EM_ARM ? !lx_elf_arm_check(elf, &eh, why, size)
                               : !check_flags(&eh, im->kind->word == 8, why, size))
        return false;
    if (elf_getphdrnum(elf, &phnum) != 0 || phnum == 0)
        REFUSE("no program headers: not an executable, or truncated");
    if (phnum > 1024)
        REFUSE("damaged: %zu program headers", phnum);
    im->bias = eh.e_type == ET_DYN ? im->kind->bias : 0;
    im->arch = (unsigned)(eh.e_flags >> 28);
    im->fr = im->kind->word == 8 || (eh.e_flags & MIPS_FP64);
    im->phnum = (unsigned)phnum;
    im->phentsize = eh.e_phentsize;
    im->entry = eh.e_entry + im->bias;
    return read_headers(elf, im, &eh, file_size, why, size);
}

static const char *thing_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return "a directory";
    case S_IFIFO:
        return "a pipe";
    case S_IFSOCK:
        return "a socket";
    default:
        return "a device";
    }
}

bool lx_elf_read(int fd, struct lx_elf_image *image, char *why, size_t size)
{
    struct stat st;
    Elf *elf;
    bool ok;

    memset(image, 0, sizeof *image);
    if (fstat(fd, &st) != 0)
        REFUSE("%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        REFUSE("is %s, not a program", thing_of(st.st_mode));
    if ((uint64_t)st.st_size > PROG_FILE_MAX)
        REFUSE("larger than %" PRIu64 " MB: not a program", PROG_FILE_MAX >> 20);
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if (!elf)
        REFUSE("cannot be read: %s", elf_errmsg(-1));
    ok = read_elf(fd, elf, image, (uint64_t)st.st_size, why, size);
    elf_end(elf);
    return ok;
}
