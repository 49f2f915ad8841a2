/*
 * An instruction that the processor does not have: its word, what it is called, which extension or
 * level it belongs to, and what to compile with instead.
 *
 * The one hard idea: there are two reasons. The instruction is one that these processors have in
 * another setting (its row in the instruction table tells the level), or no processor here has it:
 * then its bits tell whose it is (foreign.def).
 */
#include "programs/linux/signals/foreign.h"

#include "procard/arm/arm.h"
#include "procard/mips/isa.h"
#include "programs/linux/process/isa.h"

#include <inttypes.h>
#include <stdio.h>

enum foreign_isa { MIPS, ARM, THUMB };

static const struct foreign {
    enum foreign_isa isa;
    uint32_t mask, match;
    const char *whose, *option;
} rows[] = {
#define FOREIGN(isa, mask, match, whose, option) {isa, mask, match, whose, option},
#include "programs/linux/signals/foreign.def"
#undef FOREIGN
};

static const char *foreign_find(enum foreign_isa isa, uint32_t word, const char **option)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].isa == isa && (word & rows[i].mask) == rows[i].match) {
            *option = rows[i].option;
            return rows[i].whose;
        }
    return NULL;
}

const char *lx_foreign_mips(uint32_t word, const char **option)
{
    return foreign_find(MIPS, word, option);
}

const char *lx_foreign_arm(uint32_t word, bool thumb, const char **option)
{
    return foreign_find(thumb ? THUMB : ARM, thumb ? word & 0xffff : word, option);
}

/** Why the processor reserves an instruction of the table. */
static void explain_level(const struct lx_thread *t, const struct mips_row *row, char *buf,
                          size_t size)
{
    static const struct {
        const char *name, *option;
    } levels[] = {
        [1] = {"MIPS I", "-march=mips1"},   [2] = {"MIPS II", "-march=mips2"},
        [3] = {"MIPS III", "-march=mips3"}, [4] = {"MIPS IV", "-march=mips4"},
        [MIPS_ISA_R1] = {"MIPS64", ""},     [MIPS_ISA_R2] = {"MIPS64 release 2", ""},
    };
    const unsigned has = mips_level(nm_value_isa(nm_card_params(t->p->m, t->card)));
    const unsigned level = row->isa & MIPS_ISA_LEVEL;

    if (level > has)
        snprintf(buf, size, ", of %s, and processor.isa has %s: compile with %s",
                 levels[level].name, levels[has].name, levels[has].option);
    else if (row->isa & MIPS_ISA_W64 && !t->p->n64)
        snprintf(buf, size, ", of 64 bits, and an o32 program has 32: compile for n64");
    else if (row->isa & MIPS_ISA_FR1 && !t->regs.mips.fr)
        snprintf(buf, size, ", which needs 32 double registers: compile with -mfp64, or for n64");
    else
        snprintf(buf, size, ", which programs may not use here");
}

static void explain_whose(const char *whose, const char *option, char *buf, size_t size)
{
    if (whose)
        snprintf(buf, size, ", of %s: compile with %s", whose, option);
    else
        buf[0] = '\0';
}

static void explain_mips(const struct lx_thread *t, uint32_t word, char *buf, size_t size)
{
    const enum mips_opcode op = mips_row_find(word);
    const char *option = NULL, *whose = lx_foreign_mips(word, &option);
    char text[80], why[160];

    mips_disassemble(word, t->regs.mips.pc, text, sizeof text);
    if (op != MIPS_OP_RI)
        explain_level(t, &mips_rows[op], why, sizeof why);
    else
        explain_whose(whose, option, why, sizeof why);
    snprintf(buf, size, ": reserved instruction 0x%08" PRIx32 " (%s)%s", word, text, why);
}

static void explain_arm(const struct lx_thread *t, uint32_t word, char *buf, size_t size)
{
    const struct arm_regs *r = &t->regs.arm;
    const char *option = NULL, *whose = lx_foreign_arm(word, r->t, &option);
    char text[80], why[160];

    arm_disassemble(word, r->t, r->r[ARM_PC], text, sizeof text);
    explain_whose(whose, option, why, sizeof why);
    snprintf(buf, size, ": reserved instruction 0x%0*" PRIx32 " (%s)%s", r->t ? 4 : 8,
             r->t ? word & 0xffff : word, text, why);
}

void lx_foreign_explain(const struct lx_thread *t, char *buf, size_t size)
{
    const bool mips = lx_isa_of(t) == &lx_mips;
    const uint64_t pc = lx_isa_of(t)->pc(&t->regs);
    const unsigned width = !mips && t->regs.arm.t ? 2 : 4;
    uint64_t word, behind = 0;

    if (lx_vm_read_word(&t->p->vm, pc, width, &word) < 0) {
        snprintf(buf, size, ": reserved instruction");
        return;
    }
    if (width == 2 && lx_vm_read_word(&t->p->vm, pc + 2, width, &behind) == 0)
        word |= behind << 16;
    if (mips)
        explain_mips(t, (uint32_t)word, buf, size);
    else
        explain_arm(t, (uint32_t)word, buf, size);
}
