/*
 * Register 0 stays 0, whichever instruction would write it: one short program for each row of the
 * instruction table, with register 0 wherever the row names one that it writes.
 */
#ifndef ISA_ZERO_H
#define ISA_ZERO_H

#include "procard/mips/isa.h"

#include <string.h>

enum {
    ZERO_BEFORE = 3, /* words before the one of the row */
    ZERO_WORDS = ZERO_BEFORE + 4,
    ZERO_HARDWARE = 30, /* numbers of hardware registers: a row's `variant` */
    ZERO_V0 = 2,        /* ... has register 0 afterwards, ... */
    ZERO_V1 = 3,        /* ... and so has v1 */
};

/** Rows that end in an exception with such fields, whatever they write. */
static inline bool zero_traps(const struct mips_row *row, unsigned variant)
{
    static const char traps[] = " syscall break teq tge tgeu teqi tgei tgeiu cop0 cop2 "
                                "lwc2 ldc2 swc2 sdc2 cache ";
    char word[20] = " ";
    strcat(strcat(word, row->mnemonic), " ");
    return strstr(traps, word) || (strchr(row->operands, 'R') && variant > 3 && variant != 29);
}

/**
 * The program of a row, which goes on behind its last word.
 * @param base     the number of a register that has the address of a doubleword
 * @param variant  below ZERO_HARDWARE; other than 0 for rows with a number in rd only
 * @return false: there is none of the row
 */
static inline bool zero_program(unsigned row, unsigned base, unsigned variant,
                                uint32_t words[ZERO_WORDS])
{
    enum { RS = 21, RD = 11, RA = 31 };
    const struct mips_row *r = &mips_rows[row];
    const bool jumps = r->klass == MIPS_CLASS_JUMPR;
    if (r->klass == MIPS_CLASS_JUMP || zero_traps(r, variant) ||
        (variant && !strchr(r->operands, 'R')))
        return false;
    words[0] = 0x04100000; /* bltzal zero: ra is the address of the word behind the nop */
    words[1] = 0;
    words[2] = 0x27ff000c; /* addiu ra,ra,12: the address of what follows the row and its slot */
    words[3] = r->match | variant << RD;
    if (strchr(r->operands, 'b') || jumps)
        words[3] |= (jumps ? RA : base) << RS;
    words[4] = 0;
    words[5] = 0x00001021; /* addu v0,zero,zero */
    words[6] = 0x00001825; /* or v1,zero,zero */
    return true;
}

#endif
