/*
 * Registers by gdb's numbers (registers.def).
 */
#include "debug/target.h"

#include "base/alloc.h"
#include "procard/arm/arm.h"
#include "procard/mips/mips.h"

#include <stddef.h>
#include <string.h>

enum how { WORD, W32, FLOAT, CPSR, NONE };

struct row {
    const char *name, *feature;
    enum how how;
    size_t at;
};

static const struct row mips_rows_of[] = {
#define MIPS(name, feature, how, member) {name, feature, how, offsetof(struct mips_regs, member)},
#include "debug/registers.def"
};

static const struct row arm_rows_of[] = {
#define ARM(name, feature, how, member) {name, feature, how, offsetof(struct arm_regs, member)},
#include "debug/registers.def"
};

static const struct row *rows_of(const struct prog_binary *b)
{
    return b->isa == PROG_ISA_ARM ? arm_rows_of : mips_rows_of;
}

unsigned dbg_register_count(const struct prog_binary *b)
{
    return b->isa == PROG_ISA_ARM ? sizeof arm_rows_of / sizeof *arm_rows_of
                                  : sizeof mips_rows_of / sizeof *mips_rows_of;
}

unsigned dbg_register_size(const struct prog_binary *b, unsigned number)
{
    const enum how how = rows_of(b)[number].how;
    return how == CPSR ? 4 : b->word;
}

const char *dbg_register_name(const struct prog_binary *b, unsigned number)
{
    return rows_of(b)[number].name;
}

unsigned dbg_register_named(const struct prog_binary *b, const char *name)
{
    const unsigned count = dbg_register_count(b);
    unsigned i = 0;
    name += *name == '$';
    if (b->isa == PROG_ISA_MIPS && mips_register_called(name, b->word == 8) < 32)
        return mips_register_called(name, b->word == 8); /* the first rows are theirs */
    while (i < count && strcmp(rows_of(b)[i].name, name) != 0)
        i++;
    return i;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Without FR an odd register is the upper half of the one before it. */
static uint64_t float_get(const struct mips_regs *r, const struct row *row)
{
    const size_t number = (row->at - offsetof(struct mips_regs, fpr)) / sizeof r->fpr[0];
    if (r->fr)
        return r->fpr[number];
    return (uint32_t)(number % 2 ? r->fpr[number - 1] >> 32 : r->fpr[number]);
}

static void float_set(struct mips_regs *r, const struct row *row, uint64_t value)
{
    const size_t number = (row->at - offsetof(struct mips_regs, fpr)) / sizeof r->fpr[0];
    uint64_t *pair = &r->fpr[r->fr ? number : number & ~(size_t)1];
    if (r->fr)
        *pair = value;
    else if (number % 2)
        *pair = (uint32_t)*pair | value << 32;
    else
        *pair = (*pair & ~(uint64_t)UINT32_MAX) | (uint32_t)value;
}

uint64_t dbg_register_get(const struct prog_binary *b, const void *regs, unsigned number)
{
    const struct row *row = &rows_of(b)[number];
    const char *at = (const char *)regs + row->at;
    uint64_t value = 0;
    uint32_t word;
    memcpy(&word, at, sizeof word);
    if (row->how == CPSR)
        value = arm_cpsr(regs);
    else if (row->how == FLOAT)
        value = float_get(regs, row);
    else if (row->how == WORD && b->isa == PROG_ISA_MIPS)
        memcpy(&value, at, sizeof value);
    else if (row->how != NONE)
        value = word;
    return value;
}

static void mips_word_set(const struct prog_binary *b, struct mips_regs *r, const struct row *row,
                          uint64_t value)
{
    if (b->word == 4)
        value = (uint64_t)(int64_t)(int32_t)value;
    if (row->at == offsetof(struct mips_regs, gpr))
        return;
    if (row->at == offsetof(struct mips_regs, pc) && r->pc != value)
        r->npc = value + 4;
    memcpy((char *)r + row->at, &value, sizeof value);
}

void dbg_register_set(const struct prog_binary *b, void *regs, unsigned number, uint64_t value)
{
    const struct row *row = &rows_of(b)[number];
    const uint32_t word = (uint32_t)value;
    if (row->how == CPSR)
        arm_set_cpsr(regs, word);
    else if (row->how == FLOAT)
        float_set(regs, row, value);
    else if (row->how == WORD && b->isa == PROG_ISA_MIPS)
        mips_word_set(b, regs, row, value);
    else if (row->how != NONE)
        memcpy((char *)regs + row->at, &word, sizeof word);
}

uint64_t dbg_pc_of(const struct prog_binary *b, const void *regs)
{
    return dbg_register_get(b, regs, dbg_register_named(b, "pc"));
}

void dbg_bytes_of(const struct prog_binary *b, uint64_t value, unsigned size, uint8_t *bytes)
{
    for (unsigned i = 0; i < size; i++)
        bytes[b->little ? i : size - 1 - i] = (uint8_t)(value >> 8 * i);
}

uint64_t dbg_value_of(const struct prog_binary *b, const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[b->little ? i : size - 1 - i] << 8 * i;
    return value;
}

/* ---- the description ------------------------------------------------------------------------- */

static const char *type_of(const struct prog_binary *b, const struct row *row)
{
    if (row->how == FLOAT)
        return b->word == 8 ? "ieee_double" : "ieee_single";
    if (b->isa == PROG_ISA_ARM && !strcmp(row->name, "pc"))
        return "code_ptr";
    return b->isa == PROG_ISA_ARM && !strcmp(row->name, "sp") ? "data_ptr" : "int";
}

static void write_feature(const struct prog_binary *b, const char *feature, FILE *out)
{
    const struct row *rows = rows_of(b);
    fprintf(out, "<feature name=\"org.gnu.gdb.%s\">", feature);
    for (unsigned i = 0; i < dbg_register_count(b); i++)
        if (!strcmp(rows[i].feature, feature))
            fprintf(out, "<reg name=\"%s\" bitsize=\"%u\" regnum=\"%u\" type=\"%s\"/>",
                    rows[i].name, 8 * dbg_register_size(b, i), i, type_of(b, &rows[i]));
    fputs("</feature>", out);
}

static bool feature_is_new(const struct row *rows, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (!strcmp(rows[k].feature, rows[i].feature))
            return false;
    return true;
}

char *dbg_target_xml(const struct prog_binary *b)
{
    const struct row *rows = rows_of(b);
    char *text = NULL;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    fprintf(out,
            "<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\"><target>"
            "<architecture>%s</architecture><osabi>GNU/Linux</osabi>",
            b->isa == PROG_ISA_ARM ? "arm"
            : b->word == 8         ? "mips:isa64r2"
                                   : "mips");
    for (unsigned i = 0; i < dbg_register_count(b); i++)
        if (feature_is_new(rows, i))
            write_feature(b, rows[i].feature, out);
    fputs("</target>", out);
    sim_text_close(out, &text);
    return text;
}
