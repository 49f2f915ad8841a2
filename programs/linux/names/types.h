/*
 * An executable's variables: what they are called in its source, and what lies where in them.
 */
#ifndef LX_TYPES_H
#define LX_TYPES_H

#include "programs/linux/binary/elf.h"
#include "programs/linux/names/dwarf.h"
#include "programs/workload.h"

/** A variable. */
struct lx_variable {
    uint64_t from;    /**< guest virtual; of a thread-local one, from the start of a thread's */
    uint64_t size;    /**< [bytes]; 0: its type does not say */
    bool local;       /**< thread-local */
    const char *name; /**< with namespaces and function in front; the table's; as of a symbol */
    uint32_t type;    /**< for lx_types_member */
};

struct lx_types;

/** Reads the debugging information. What is damaged, or takes more than a few seconds or gigabytes,
 *  is left out.
 *  @return the caller's, never NULL */
struct lx_types *lx_types_new(const struct lx_dwarf_files *files, const struct lx_elf_image *image);
void lx_types_free(struct lx_types *types);

/** The variable that starts at `va`. @return NULL: none is known */
const struct lx_variable *lx_types_at(const struct lx_types *types, bool local, uint64_t va);

/** Whether it ends in an array of unknown length: it may be longer than its symbol. */
bool lx_types_is_open(const struct lx_types *types, uint32_t type);

/** The one of that name; of several, the first by address. @return NULL: none */
const struct lx_variable *lx_types_find(const struct lx_types *types, const char *name);

/** prog_names.member. @param size  [bytes] of the variable */
void lx_types_member(const struct lx_types *types, uint32_t number, uint64_t size, uint64_t offset,
                     unsigned depth, struct prog_member *out);

#endif
