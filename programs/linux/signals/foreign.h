/* The name and the origin of an instruction that a processor does not have (foreign.c). */
#ifndef LX_FOREIGN_H
#define LX_FOREIGN_H

#include "programs/linux/process/process.h"

/** Whose a word is that no processor here has. @param[out] option  to compile with instead
 *  @return NULL: not known */
const char *lx_foreign_mips(uint32_t word, const char **option);
const char *lx_foreign_arm(uint32_t word, bool thumb, const char **option);

/** The instruction at which the thread was stopped: ": reserved instruction 0x78000000 ...". */
void lx_foreign_explain(const struct lx_thread *t, char *buf, size_t size);

#endif
