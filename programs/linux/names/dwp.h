/* A package of split DWARF (.dwp), taken apart into the .dwo files that it was made of. */
#ifndef LX_DWP_H
#define LX_DWP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lx_dwp;

/** @param fd  the file: its, if it is one @return NULL: it is no such file, or damaged */
struct lx_dwp *lx_dwp_open(int fd);
void lx_dwp_close(struct lx_dwp *dwp);

/** Writes the unit with that number as a file of its own.
 *  @param[out] bytes  the caller's
 *  @return false: it has none */
bool lx_dwp_unit(const struct lx_dwp *dwp, uint64_t id, uint8_t **bytes, size_t *size);

#endif
