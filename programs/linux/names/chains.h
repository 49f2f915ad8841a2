/*
 * Chains of inlined calls: into which functions the compiler has put which others, as the debugging
 * information has it.
 */
#ifndef LX_CHAINS_H
#define LX_CHAINS_H

#include "programs/linux/binary/elf.h"
#include "programs/linux/names/dwarf.h"

/** A call that was inlined; or a function with code of its own, in which others are. */
struct lx_chain {
    const struct lx_chain *in; /**< what it was inlined in; NULL: it has code of its own */
    const char *name;          /**< as its symbol would be called */
    const char *file;          /**< of the call, as lx_line has it; NULL: not known */
    uint32_t line;             /**< of the call; 0: not known */
    bool made;                 /**< inlined, with a line of the call, and the compiler made it: an
                                    implicit destructor */
    uint64_t from;             /**< guest virtual: its first instruction; 0 of what has no `in`,
                                    UINT64_MAX: not known */
};

struct lx_chains;

/** Reads the debugging information. What is damaged, or takes more than a few seconds or gigabytes,
 *  is left out.
 *  @return the caller's, never NULL */
struct lx_chains *lx_chains_new(const struct lx_dwarf_files *files,
                                const struct lx_elf_image *image);
void lx_chains_free(struct lx_chains *chains);

/** The innermost inlined call that an address belongs to. @return NULL: to none */
const struct lx_chain *lx_chains_at(const struct lx_chains *chains, uint64_t va);

/** The number of one of them, from 1 on. */
uint32_t lx_chains_number(const struct lx_chains *chains, const struct lx_chain *chain);

/** The i-th, in the file's order: what has no `in` is among them. @return NULL: behind the last */
const struct lx_chain *lx_chains_get(const struct lx_chains *chains, size_t i);

#endif
