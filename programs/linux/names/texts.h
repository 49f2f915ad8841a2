/*
 * Names that debugging information has, of source files and others: as the process that reads it
 * sends them, and each kept once where they come.
 */
#ifndef LX_TEXTS_H
#define LX_TEXTS_H

#include <elfutils/libdw.h>
#include <stdbool.h>

enum { LX_FILE_LONGEST = 4096 /**< [bytes] of a file's name; longer ones are damage */ };

/** The name of a source file: as the compiler was told, behind the directory it was in.
 *  @param files  the table that has it; NULL: not known
 *  @param file   as libdw has it; NULL: none, and the name is "" */
void lx_file_name(Dwarf_Files *files, const char *file, char name[LX_FILE_LONGEST + 1]);

/** Whether somebody may print a text: it has no control characters, and is not empty. */
bool lx_texts_printable(const char *text);

/** Texts by what they say. Zero is none; lx_texts_free releases them. */
struct lx_texts {
    struct lx_text *first; /**< its own */
};

/** The same text, once, and the texts' own. @return NULL: it is empty, or nobody can print it */
const char *lx_texts_keep(struct lx_texts *texts, const char *text);
void lx_texts_free(struct lx_texts *texts);

#endif
