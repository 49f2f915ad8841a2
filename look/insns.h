/*
 * The instructions of a program, for people: their text and length, of any instruction set.
 * In an ARM program symbols of their own say where Thumb code and data begin.
 */
#ifndef LOOK_INSNS_H
#define LOOK_INSNS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct look_code;

/** From this address on there is ARM code ('a'), Thumb code ('t') or data ('d'). */
struct look_insns_mark {
    uint64_t va;
    char kind;
};

/** What is known of a program's instructions; zero: a MIPS program. */
struct look_insns {
    bool arm;
    struct look_insns_mark *mark; /**< [marks] ascending */
    size_t marks;
};

/** Reads it of a program's file. look_insns_close releases it. */
void look_insns_open(struct look_insns *insns, Elf *elf);
void look_insns_close(struct look_insns *insns);

/** [bytes] from an address up to the next instruction: 2 or 4. */
unsigned look_insn_length(const struct look_code *code, uint64_t va);

/** The text of the instruction at an address. @param text  takes it @param size  [bytes] of text
 *  @return false: the program has none there */
bool look_insn_text(const struct look_code *code, uint64_t va, char *text, size_t size);

/** Whether it is a linked load, a conditional store or a swap. */
bool look_insn_is_atomic(const struct look_code *code, uint64_t va);

#endif
