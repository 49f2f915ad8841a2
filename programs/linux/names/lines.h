/*
 * An executable's line table: the source file and line of each instruction.
 */
#ifndef LX_LINES_H
#define LX_LINES_H

#include "programs/linux/binary/elf.h"
#include "programs/linux/names/dwarf.h"

/** Instructions [from, to) that come from one line. */
struct lx_line {
    uint64_t from, to; /**< guest virtual */
    const char *file;  /**< as the compiler was told, behind the directory it was in; the table's;
                            without control characters, not empty */
    uint32_t line;     /**< 0: of no line */
};

struct lx_lines;

/** Reads the debugging information. What is damaged, or takes more than a few seconds or gigabytes,
 *  is left out.
 *  @return the caller's, never NULL */
struct lx_lines *lx_lines_new(const struct lx_dwarf_files *files, const struct lx_elf_image *image);
void lx_lines_free(struct lx_lines *lines);

size_t lx_lines_count(const struct lx_lines *lines);

/** @return NULL: the address has no line */
const struct lx_line *lx_lines_at(const struct lx_lines *lines, uint64_t va);

#endif
