/*
 * An executable's symbols: which function or object has an address, and where one of a name is.
 *
 * Several symbols may start at one address. The one that speaks for all of them has a size if any
 * has one; of those it can be seen from other files (global or weak, not hidden) if any can; then
 * it is the one with the fewest underscores in front, then one that is not weak, then the longest
 * range, the shortest name, and the first in the order of bytes. So it is write, and not
 * __libc_write.
 *
 * A symbol without a size, as those of functions in assembler often are, ends where the next one
 * starts, and not behind the function or object around it. A label without a type counts as a
 * function if it is global, in a section of code, and not within a function.
 */
#ifndef LX_SYMBOLS_H
#define LX_SYMBOLS_H

#include "programs/linux/binary/elf.h"

enum { LX_SYMBOL_LONGEST = 1024 /**< [bytes] of a name; longer ones are damage */ };

/** Whether a text can be a name: one that may be printed. */
bool lx_is_name(const char *name);

/** A range of addresses with a name. */
struct lx_symbol {
    uint64_t from, to; /**< guest virtual, `to` is the first byte behind */
    const char *name;  /**< its table's; without control characters, not empty */
};

enum lx_symbol_kind {
    LX_FUNCTION,
    LX_OBJECT,
    LX_THREAD_LOCAL /**< its addresses are offsets in a thread's variables */
};

struct lx_symbols;

/** All symbols of a kind, to be asked for addresses. A damaged table has fewer.
 *  @param fd  the executable, open until lx_symbols_free
 *  @return the caller's, never NULL */
struct lx_symbols *lx_symbols_new(int fd, const struct lx_elf_image *image,
                                  enum lx_symbol_kind kind);
void lx_symbols_free(struct lx_symbols *symbols);

size_t lx_symbols_count(const struct lx_symbols *symbols);

/** @param i  less than there are; in the order of addresses */
const struct lx_symbol *lx_symbols_get(const struct lx_symbols *symbols, size_t i);

/** The symbol that covers `va`; of several, the one that starts last. @return NULL: none does */
const struct lx_symbol *lx_symbols_at(const struct lx_symbols *symbols, uint64_t va);

/** The symbol that covers `va`, or the last one that ends in front of it.
 *  @param end  gets where the next one starts, or the section ends */
const struct lx_symbol *lx_symbols_before(const struct lx_symbols *symbols, uint64_t va,
                                          uint64_t *end);
/** One of that name, also if another name speaks for its address. @return NULL: there is none */
const struct lx_symbol *lx_symbols_named(const struct lx_symbols *symbols, const char *name);

/** Functions and objects as they are told to people. Most runs tell of none: each kind is read when
 *  it is first asked for. */
struct lx_symbols_told {
    struct lx_symbols *of[LX_THREAD_LOCAL]; /**< [enum lx_symbol_kind] NULL: not yet asked for */
};

/**
 * Writes "name+0x28" (or "name", or "" when unknown) for the address of an instruction or of an
 * object into buf.
 * @param fd  the executable, open until lx_symbols_told_free; one without symbols gives ""
 */
void lx_symbols_tell(struct lx_symbols_told *told, int fd, const struct lx_elf_image *image,
                     uint64_t va, char *buf, size_t size);
/** What was read; `told` is the caller's. */
void lx_symbols_told_free(struct lx_symbols_told *told);

/**
 * Finds the object or function called `name` and its length in bytes.
 * @param fd  the executable
 * @return how many there are; *va and *length are the last one's
 */
unsigned lx_elf_find(int fd, const struct lx_elf_image *image, const char *name, uint64_t *va,
                     uint64_t *length);

/**
 * Hands the functions of an executable on, in the file's order: all names, aliases too.
 * @param fd  the executable
 * @param each  gets a name, which holds during the call, and where the function begins
 */
void lx_elf_functions(int fd, const struct lx_elf_image *image,
                      void (*each)(void *ctx, const char *name, uint64_t va), void *ctx);

/** Whether an address is that of an instruction: a multiple of 4 (ARM: of 2), in an executable
 *  segment. */
bool lx_elf_executes(const struct lx_elf_image *image, uint64_t va);

/** Whether all of [from, to), which is not empty, lies in one executable segment. */
bool lx_elf_holds_code(const struct lx_elf_image *image, uint64_t from, uint64_t to);

/** The names of all objects and functions, NULL-terminated, in the file's order; each and the list
 * are the caller's. @param fd  the executable */
char **lx_elf_names(int fd);

#endif
