/*
 * Functions of which a program has no code of their own, because the compiler has put them into
 * their callers'.
 */
#ifndef LX_INLINED_H
#define LX_INLINED_H

#include "programs/linux/binary/elf.h"

/**
 * Hands on the places where an executable has a function inlined, as its debugging information
 * says. What is damaged, or takes more than a few seconds or gigabytes, does not come.
 * @param fd    the executable
 * @param each  gets the function's name as its symbol would be, the name of the function around it,
 *              and the address of its first instruction; names hold during the call
 */
void lx_inlined(int fd, const struct lx_elf_image *image,
                void (*each)(void *ctx, const char *name, const char *in, uint64_t va), void *ctx);

#endif
