/* The instruction table describes every encoding once. */
#include "procard/r4400/code.h"
#include "tests/isa_rig.h"

#include <criterion/criterion.h>
#include <string.h>

/** The first row that matches is taken: a later one may be what is left of its opcode. */
static bool is_rest_of(const struct mips_row *rest, const struct mips_row *row)
{
    return (rest->mask & ~row->mask) == 0 && (row->match & rest->mask) == rest->match;
}

Test(isa, no_two_rows_overlap)
{
    for (unsigned a = MIPS_OP_RI + 1; a < MIPS_OP_ROWS_END; a++) {
        cr_expect((mips_rows[a].match & ~mips_rows[a].mask) == 0, "%s matches outside its mask",
                  mips_rows[a].mnemonic);
        for (unsigned b = a + 1; b < MIPS_OP_ROWS_END; b++)
            cr_expect(is_rest_of(&mips_rows[b], &mips_rows[a]) ||
                          (mips_rows[a].match ^ mips_rows[b].match) & mips_rows[a].mask &
                              mips_rows[b].mask,
                      "%s and %s overlap", mips_rows[a].mnemonic, mips_rows[b].mnemonic);
    }
}

Test(isa, every_row_decodes_to_itself)
{
    uint64_t seed = 501;

    for (unsigned n = MIPS_OP_RI + 1; n < MIPS_OP_ROWS_END; n++) {
        const struct mips_row *row = &mips_rows[n];
        const size_t length = strlen(row->mnemonic);

        for (unsigned i = 0; i < 64; i++) {
            const uint32_t word = row->match | ((uint32_t)rig_random(&seed) & ~row->mask);
            char text[64];

            cr_assert_eq(mips_row_find(word), n, "%s", row->mnemonic);
            if (word == 0)
                continue;
            mips_disassemble(word, 0x400000, text, sizeof text);
            cr_assert(strncmp(text, row->mnemonic, length) == 0 && strchr(" ", text[length]), "%s",
                      text);
        }
    }
}

Test(isa, disassembly_is_cut_to_size)
{
    char text[64], tiny[8];

    for (unsigned n = MIPS_OP_RI + 1; n < MIPS_OP_ROWS_END; n++) {
        mips_disassemble(mips_rows[n].match | 0x00210000, 0x400000, text, sizeof text);
        mips_disassemble(mips_rows[n].match | 0x00210000, 0x400000, tiny, sizeof tiny);
        cr_assert_eq(strncmp(text, tiny, 7), 0);
        cr_assert_eq(tiny[7] * (strlen(tiny) == 7), 0);
    }
}

Test(isa, text_reads_as_assembler)
{
    static const struct {
        uint32_t word;
        const char *text;
    } rows[] = {
        {0x00000000, "nop"},
        {0x8fa20008, "lw v0,8(sp)"},
        {0x27bdffe0, "addiu sp,sp,-32"},
        {0x3c1c0042, "lui gp,0x42"},
        {0x10400003, "beq v0,zero,0x400010"},
        {0x0c100004, "jal 0x400010"},
        {0x7c03e83b, "rdhwr v1,$29"},
        {0x7ca31880, "ext v1,a1,2,4"},
        {0x46241082, "mul.d f2,f2,f4"},
        {0x46201032, "c.eq.d $fcc0,f2,f0"},
        {0x4c411021, "madd.d f0,f2,f2,f1"},
        {0x4c643178, "nmsub.s f5,f3,f6,f4"},
        {0x46002115, "recip.s f4,f4"},
        {0x46203096, "rsqrt.d f2,f6"},
        {0x00c5180b, "movn v1,a2,a1"},
        {0x00951801, "movt v1,a0,$fcc5"},
        {0x46292111, "movt.d f4,f4,$fcc2"},
        {0x46044093, "movn.s f2,f8,a0"},
        {0x46082736, "c.ole.s $fcc7,f4,f8"},
        {0x450c0003, "bc1f $fcc3,0x400010"},
        {0x451f0003, "bc1tl $fcc7,0x400010"},
        {0x4c850180, "lwxc1 f6,a1(a0)"},
        {0x4c852009, "sdxc1 f4,a1(a0)"},
        {0xcc840010, "pref 0x4,16(a0)"},
        {0x4c85280f, "prefx 0x5,a1(a0)"},
        {0xffffffff, "sd ra,-1(ra)"},
        {0x4c00003f, ".word 0x4c00003f"},
    };

    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        char text[64];

        mips_disassemble(rows[n].word, 0x400000, text, sizeof text);
        cr_expect_str_eq(text, rows[n].text);
    }
}

/* The row whose mnemonic is the first `length` letters of a text. */
static const struct mips_row *row_named(const char *text, size_t length)
{
    for (unsigned n = MIPS_OP_RI + 1; n < MIPS_OP_ROWS_END; n++)
        if (strlen(mips_rows[n].mnemonic) == length &&
            !strncmp(mips_rows[n].mnemonic, text, length))
            return &mips_rows[n];
    return NULL;
}

/* What an instruction is to a pipeline, told from its name, its operands and its opcode. */
static unsigned class_of(const struct mips_row *r)
{
    enum { COP1 = 0x11, COP1X = 0x13 };
    const unsigned opcode = r->match >> 26;
    const size_t length = strlen(r->mnemonic);
    if (strchr(r->operands,
               'p')) { /* a branch that nullifies has the name of another one with an l behind it */
        const struct mips_row *plain =
            r->mnemonic[length - 1] == 'l' ? row_named(r->mnemonic, length - 1) : NULL;
        return plain ? MIPS_CLASS_LIKELY : MIPS_CLASS_BRANCH;
    }
    if (r->mnemonic[0] == 'j')
        return strchr(r->operands, 'j') ? MIPS_CLASS_JUMP : MIPS_CLASS_JUMPR;
    if (strstr(r->operands, "(b)") && !strpbrk(r->operands, "AI") &&
        strcmp(r->mnemonic, "synci") != 0)
        return r->mnemonic[0] == 'l' ? MIPS_CLASS_LOAD : MIPS_CLASS_STORE;
    const bool accesses = strstr(r->operands, "(b)");
    return (opcode == COP1 || opcode == COP1X) && !accesses ? MIPS_CLASS_FP : MIPS_CLASS_INT;
}

Test(isa, classes)
{
    for (unsigned n = MIPS_OP_RI + 1; n < MIPS_OP_ROWS_END; n++)
        cr_expect_eq(mips_rows[n].klass, class_of(&mips_rows[n]), "%s", mips_rows[n].mnemonic);
}
