/*
 * A program's registers as gdb knows them: their numbers, sizes and description.
 */
#ifndef DBG_TARGET_H
#define DBG_TARGET_H

#include "debug/debug.h"

/** How many there are. */
unsigned dbg_register_count(const struct prog_binary *b);
/** [bytes] of one. */
unsigned dbg_register_size(const struct prog_binary *b, unsigned number);
const char *dbg_register_name(const struct prog_binary *b, unsigned number);
/** By its name, with or without a dollar; also pc and sp. @return dbg_register_count: none */
unsigned dbg_register_named(const struct prog_binary *b, const char *name);

/** @param regs  of a thread, of its instruction set */
uint64_t dbg_register_get(const struct prog_binary *b, const void *regs, unsigned number);
/** What the program never sees is not changed. */
void dbg_register_set(const struct prog_binary *b, void *regs, unsigned number, uint64_t value);

/** The bytes of a number as the program has them. */
void dbg_bytes_of(const struct prog_binary *b, uint64_t value, unsigned size, uint8_t *bytes);
uint64_t dbg_value_of(const struct prog_binary *b, const uint8_t *bytes, unsigned size);

/** The target description, an XML document. @return the caller's */
char *dbg_target_xml(const struct prog_binary *b);

/** What a thread's next instruction is. */
uint64_t dbg_pc_of(const struct prog_binary *b, const void *regs);

#endif
