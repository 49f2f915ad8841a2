/*
 * Instructions as text. What a word means depends on the program: its instruction set, and of ARM
 * programs also on the place. A program without symbols is taken to be ARM code as a whole.
 */
#include "look/insns.h"

#include "base/alloc.h"
#include "look/code.h"
#include "procard/arm/isa.h"
#include "procard/mips/mips.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what lies where ------------------------------------------------------------------------- */

static int insns_by_address(const void *x, const void *y)
{
    const struct look_insns_mark *a = x, *b = y;
    return (a->va > b->va) - (a->va < b->va);
}

static void take_symbol(struct look_insns *insns, const GElf_Sym *sym, const char *name)
{
    if (!name || name[0] != '$' || !name[1] || !strchr("atd", name[1]) ||
        (name[2] && name[2] != '.'))
        return;
    insns->mark = sim_grow(insns->mark, insns->marks + 1, sizeof *insns->mark);
    insns->mark[insns->marks++] = (struct look_insns_mark){sym->st_value, name[1]};
}

static void take_table(struct look_insns *insns, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
    Elf_Data *symbols = elf_getdata(scn, NULL);
    GElf_Sym sym;
    for (int i = 0; symbols && gelf_getsym(symbols, i, &sym); i++)
        take_symbol(insns, &sym, elf_strptr(elf, sh->sh_link, sym.st_name));
}

void look_insns_open(struct look_insns *insns, Elf *elf)
{
    Elf_Scn *scn = NULL;
    GElf_Ehdr header;
    GElf_Shdr sh;
    *insns = (struct look_insns){.arm = gelf_getehdr(elf, &header) && header.e_machine == EM_ARM};
    while (insns->arm && (scn = elf_nextscn(elf, scn)))
        if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
            take_table(insns, elf, scn, &sh);
    if (insns->marks)
        qsort(insns->mark, insns->marks, sizeof *insns->mark, insns_by_address);
}

void look_insns_close(struct look_insns *insns)
{
    free(insns->mark);
    *insns = (struct look_insns){0};
}

/* @return the kind of the last mark up to there */
static char kind_at(const struct look_insns *insns, uint64_t va)
{
    size_t low = 0, high = insns->marks;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (insns->mark[middle].va <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? insns->mark[low - 1].kind : 'a';
}

/* ---- instructions ---------------------------------------------------------------------------- */

static uint32_t mips_word(const uint8_t *b)
{
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t halfword(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8;
}

/* An ARM word, or a Thumb halfword with the one behind it, if there is one.
 * @return false: the program has nothing there */
static bool arm_word(const struct look_code *code, uint64_t va, bool thumb, uint32_t *word)
{
    const uint8_t *low = look_code_bytes(code, va, 2), *high = look_code_bytes(code, va + 2, 2);
    if (!low || (!thumb && !high))
        return false;
    *word = halfword(low) | (high ? halfword(high) << 16 : 0);
    return true;
}

static unsigned arm_text(const struct look_code *code, uint64_t va, char *text, size_t size)
{
    enum { WORD = 4 };
    const char kind = kind_at(&code->insns, va);
    uint32_t word;
    if (!arm_word(code, va, kind == 't', &word))
        return 0;
    if (kind != 'd')
        return arm_disassemble(word, kind == 't', (uint32_t)va, text, (unsigned)size);
    snprintf(text, size, ".word 0x%08x", word);
    return WORD;
}

unsigned look_insn_length(const struct look_code *code, uint64_t va)
{
    enum { WORD = 4 };
    char text[8];
    const unsigned length = code->insns.arm ? arm_text(code, va, text, sizeof text) : WORD;
    return length ? length : WORD;
}

bool look_insn_text(const struct look_code *code, uint64_t va, char *text, size_t size)
{
    if (code->insns.arm)
        return arm_text(code, va, text, size) != 0;
    const uint8_t *bytes = look_code_bytes(code, va, 4);
    if (bytes)
        mips_disassemble(mips_word(bytes), va, text, (unsigned)size);
    return bytes != NULL;
}

/* LL, LLD, SC and SCD. */
static bool mips_is_atomic(uint32_t word)
{
    const unsigned opcode = word >> 26;
    return opcode == 0x30 || opcode == 0x34 || opcode == 0x38 || opcode == 0x3c;
}

bool look_insn_is_atomic(const struct look_code *code, uint64_t va)
{
    const uint8_t *bytes = look_code_bytes(code, va, 4);
    if (!bytes)
        return false;
    if (!code->insns.arm)
        return mips_is_atomic(mips_word(bytes));
    if (kind_at(&code->insns, va) != 'a')
        return false; /* Thumb of ARMv6 has none */
    const unsigned row = arm_row_find(halfword(bytes) | halfword(bytes + 2) << 16);
    return row >= ARM_ROW_SWP && row < ARM_ROW_CLREX;
}
