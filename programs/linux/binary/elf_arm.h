/* Which ARM programs an ARM11 executes (elf_arm.c). */
#ifndef LX_ELF_ARM_H
#define LX_ELF_ARM_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { LX_ELF_ARM_TAGS = 64 };

/** A file's build attributes; those that it does not have are 0. */
struct lx_elf_arm {
    uint64_t value[LX_ELF_ARM_TAGS]; /**< by number */
    bool chooses; /**< it has functions for several processors, and chooses when it starts */
};

/** Reads the attributes of a section's bytes, which may be anything.
 *  @param bytes  [size] of the section
 *  @param size  [bytes]
 *  @param[out] out  the attributes; those not there are 0 */
void lx_elf_arm_attributes(const uint8_t *bytes, size_t size, struct lx_elf_arm *out);

/** Why such a program cannot be executed.
 *  @param eh  its header
 *  @param a  its attributes
 *  @param buf  may take the text
 *  @param size  [bytes] of `buf`
 *  @return one line, or NULL: it can */
const char *lx_elf_arm_refusal(const GElf_Ehdr *eh, const struct lx_elf_arm *a, char *buf,
                               size_t size);

/** The same of an open file. @return true, or false with one line in `why` */
bool lx_elf_arm_check(Elf *elf, const GElf_Ehdr *eh, char *why, size_t size);

#endif
