/*
 * A small assembler, so that tests can show instructions instead of words: the disassembler of
 * procard/mips/table.c the other way round, from the same table.
 */
#ifndef ISA_ASSEMBLER_H
#define ISA_ASSEMBLER_H

#include <stdint.h>

/**
 * Translates `text`, instructions separated by ';', into at most `room` words. "N*insn" stands for
 * N of them. Registers have their o32 names, floating-point ones are f0..f31; a branch target
 * counts instructions from the delay slot on; condition bits are left out. @return the number of
 * words; 0 when the text is wrong.
 */
unsigned assemble(const char *text, uint32_t *words, unsigned room);

#endif
