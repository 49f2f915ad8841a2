/*
 * An executable's tables of virtual functions: where an object's virtual bases are.
 */
#ifndef LX_VTABLES_H
#define LX_VTABLES_H

#include "programs/linux/names/symbols.h"

struct lx_vtables;

/** @param fd       the executable, open until lx_vtables_free
 *  @param objects  its objects, likewise
 *  @return the caller's, never NULL */
struct lx_vtables *lx_vtables_new(int fd, const struct lx_elf_image *image,
                                  const struct lx_symbols *objects);
void lx_vtables_free(struct lx_vtables *vtables);

/** How far a virtual base is from the beginning of an object of that class, whose table says so in
 *  the word `behind` bytes in front of its first function.
 *  @return false: the class has no table in this file */
bool lx_vtables_base(const struct lx_vtables *vtables, const char *class_name, uint64_t behind,
                     uint64_t *out);

#endif
