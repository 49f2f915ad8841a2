/*
 * The executable, if it is one for ARM: which version of the architecture, which convention of
 * calls.
 *
 * The one hard idea: the header's flags say little. What processor the code is for stands in the
 * build attributes (section .ARM.attributes), as pairs of numbers that the linker has joined from
 * all object files; so does whether there is floating-point or Thumb-2 code in it. A file without
 * them is believed to be good, as Linux does. So is one that chooses functions when it starts: it
 * has code for several processors (libatomic's for ARMv7, which it leaves alone on an ARM11).
 */
#include "programs/linux/binary/elf_arm.h"

#include <string.h>

enum {
    EABI = 0x05000000,
    BE8 = 0x00800000,
    HARD_FLOAT = 0x400,
    ATTRIBUTES = 0x70000003, /* SHT_ARM_ATTRIBUTES */
};

/* Numbers of attributes (ARM IHI 0045, "ABI addenda"), and of those whose value is text. */
enum {
    TAG_FILE = 1,
    TAG_RAW_NAME = 4,
    TAG_NAME = 5,
    TAG_ARCH = 6,
    TAG_THUMB = 9,
    TAG_FP = 10,
    TAG_WMMX = 11,
    TAG_SIMD = 12,
    TAG_VFP_ARGS = 28,
    TAG_COMPATIBLE = 32,
};

enum { THUMB_2 = 2, VFP_ARGS = 1 };

/** Names of TAG_ARCH's values up to ARMv8-A; those an ARM11 executes. */
static const struct {
    const char *name;
    bool good;
} versions[] = {
    {"a version before ARMv4", true},
    {"ARMv4", true},
    {"ARMv4T", true},
    {"ARMv5T", true},
    {"ARMv5TE", true},
    {"ARMv5TEJ", true},
    {"ARMv6", true},
    {"ARMv6KZ", true},
    {"ARMv6T2", false},
    {"ARMv6K", true},
    {"ARMv7", false},
    {"ARMv6-M", false},
    {"ARMv6S-M", false},
    {"ARMv7E-M", false},
    {"ARMv8-A", false},
};

enum { VERSIONS = sizeof versions / sizeof *versions };

/** Bytes that are read; there are none behind `end`. */
struct bytes {
    const uint8_t *at, *end;
};

static uint64_t elf_arm_uleb(struct bytes *b)
{
    uint64_t v = 0;

    for (unsigned shift = 0; b->at < b->end; shift += 7) {
        const uint8_t byte = *b->at++;
        if (shift < 64)
            v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            break;
    }
    return v;
}

/** The next `size` bytes for themselves, of which as many as there are. */
static struct bytes elf_arm_part(struct bytes *b, uint64_t size)
{
    struct bytes of = {b->at, b->end};

    if (size < (uint64_t)(b->end - b->at))
        of.end = b->at + size;
    b->at = of.end;
    return of;
}

static uint32_t elf_arm_word(struct bytes *b)
{
    uint32_t v = 0;

    for (unsigned i = 0; i < 4 && b->at < b->end; i++)
        v |= (uint32_t)*b->at++ << 8 * i;
    return v;
}

static void skip_text(struct bytes *b)
{
    const uint8_t *nul = b->at < b->end ? memchr(b->at, 0, (size_t)(b->end - b->at)) : NULL;

    b->at = nul ? nul + 1 : b->end;
}

/** Whether an attribute's value is text: by its number, from 32 on every odd one. */
static bool is_text(uint64_t tag)
{
    return tag == TAG_RAW_NAME || tag == TAG_NAME || (tag > TAG_COMPATIBLE && tag % 2);
}

static void read_pairs(struct bytes b, struct lx_elf_arm *out)
{
    while (b.at < b.end) {
        const uint64_t tag = elf_arm_uleb(&b);
        if (is_text(tag)) {
            skip_text(&b);
            continue;
        }
        const uint64_t value = elf_arm_uleb(&b);
        if (tag == TAG_COMPATIBLE)
            skip_text(&b);
        if (tag < LX_ELF_ARM_TAGS)
            out->value[tag] = value;
    }
}

/** A subsection: the name of who defines it, then pairs of the file, of sections and symbols. */
static void read_subsection(struct bytes b, struct lx_elf_arm *out)
{
    const char vendor[] = "aeabi";

    if ((size_t)(b.end - b.at) < sizeof vendor || memcmp(b.at, vendor, sizeof vendor) != 0)
        return;
    b.at += sizeof vendor;
    while (b.at < b.end) {
        const uint8_t *start = b.at;
        const uint64_t tag = elf_arm_uleb(&b);
        const uint32_t size = elf_arm_word(&b), head = (uint32_t)(b.at - start);
        const struct bytes pairs = elf_arm_part(&b, size > head ? size - head : 0);
        if (tag == TAG_FILE)
            read_pairs(pairs, out);
    }
}

void lx_elf_arm_attributes(const uint8_t *bytes, size_t size, struct lx_elf_arm *out)
{
    struct bytes b = {bytes, bytes + size};

    memset(out, 0, sizeof *out);
    if (size == 0 || *b.at++ != 'A')
        return;
    while (b.at < b.end) {
        const uint32_t length = elf_arm_word(&b);
        read_subsection(elf_arm_part(&b, length > 4 ? length - 4 : 0), out);
    }
}

/** A program without an interpreter has such relocations only for functions that it chooses when it
 *  starts (R_ARM_IRELATIVE). */
static bool is_choice(const GElf_Shdr *sh)
{
    return sh->sh_type == SHT_REL && sh->sh_flags & SHF_ALLOC && sh->sh_size;
}

static void find_attributes(Elf *elf, struct lx_elf_arm *out)
{
    Elf_Scn *scn = NULL;
    GElf_Shdr sh;
    bool chooses = false;

    memset(out, 0, sizeof *out);
    while ((scn = elf_nextscn(elf, scn))) {
        const Elf_Data *data = NULL;
        if (!gelf_getshdr(scn, &sh))
            continue;
        chooses |= is_choice(&sh);
        if (sh.sh_type == ATTRIBUTES)
            data = elf_rawdata(scn, NULL);
        if (data && data->d_buf)
            lx_elf_arm_attributes(data->d_buf, data->d_size, out);
    }
    out->chooses = chooses;
}

#define MEND "-march=armv6 -mfloat-abi=soft, or use Debian's arm-linux-gnueabi-gcc"

const char *lx_elf_arm_refusal(const GElf_Ehdr *eh, const struct lx_elf_arm *a, char *buf,
                               size_t size)
{
    const uint64_t arch = a->value[TAG_ARCH];

    if ((eh->e_flags & EF_ARM_EABIMASK) != EABI)
        return "an ARM program of an old binary interface, not EABI version 5; compile it with "
               "arm-linux-gnueabi-gcc -static";
    if (eh->e_flags & BE8)
        return "big-endian ARM code; compile it with -mlittle-endian";
    if (eh->e_flags & HARD_FLOAT || a->value[TAG_VFP_ARGS] == VFP_ARGS)
        return "passes floating-point arguments in VFP registers (gnueabihf), and these ARM11s "
               "have none; compile it with " MEND;
    if (!a->chooses && (arch >= VERSIONS || !versions[arch].good)) {
        snprintf(buf, size, "code for %s, and an ARM11 is ARMv6; compile it with " MEND,
                 arch < VERSIONS ? versions[arch].name : "a version after ARMv8");
        return buf;
    }
    if (!a->chooses && a->value[TAG_THUMB] == THUMB_2)
        return "Thumb-2 code, and an ARM11 has Thumb as it was before; compile it with " MEND;
    if (a->value[TAG_FP] || a->value[TAG_SIMD])
        return "VFP or NEON code, and these ARM11s have neither; compile it with " MEND;
    if (a->value[TAG_WMMX])
        return "iWMMXt code, and an ARM11 has none; compile it with " MEND;
    if (eh->e_entry & 3 && !(eh->e_entry & 1))
        return "the entry point is not the address of an instruction";
    return NULL;
}

bool lx_elf_arm_check(Elf *elf, const GElf_Ehdr *eh, char *why, size_t size)
{
    struct lx_elf_arm attributes;
    char buf[256];
    const char *refusal;

    find_attributes(elf, &attributes);
    refusal = lx_elf_arm_refusal(eh, &attributes, buf, sizeof buf);
    if (refusal)
        snprintf(why, size, "%s", refusal);
    return !refusal;
}
