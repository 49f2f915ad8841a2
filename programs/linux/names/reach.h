/*
 * What pointers lead to: from a program's variables to the blocks of its heap, by the types that
 * the compiler wrote down.
 */
#ifndef LX_REACH_H
#define LX_REACH_H

#include "programs/linux/names/symbols.h"
#include "programs/linux/names/types.h"

/** prog_names.reach. @param objects  the executable's: its tables of virtual functions are there */
size_t lx_reach(const struct lx_types *types, const struct lx_symbols *objects,
                const struct lx_kind *kind, const struct prog_memory *memory, prog_found_fn *found,
                void *ctx);

/** prog_names.on_stack */
bool lx_on_stack(const struct lx_types *types, const struct lx_kind *kind,
                 const struct prog_memory *memory, uint64_t va, struct prog_part *out);

#endif
