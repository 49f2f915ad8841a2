/*
 * Static executables, big-endian MIPS or ARM: what can be run, what cannot and why, and where its
 * bytes go.
 */
#ifndef LX_ELF_H
#define LX_ELF_H

#include "programs/linux/binary/kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ELF_SEGMENTS_MAX = 64 };

/** Access rights of memory, the same bits as Linux's PROT_. */
enum lx_rights { LX_R = 1, LX_W = 2, LX_X = 4 };

/** One loadable piece: [va, va+memsz), of which the first filesz bytes come from the file. */
struct lx_elf_segment {
    uint64_t va, memsz;      /**< [bytes] guest virtual */
    uint64_t offset, filesz; /**< [bytes] in the file */
    unsigned rights;         /**< enum lx_rights */
};

/** An executable that passed every check. */
struct lx_elf_image {
    const struct lx_kind *kind; /**< what it was made for */
    unsigned arch;              /**< MIPS: as the ELF flags have it, 0 to 8: MIPS I, II, III, IV, V,
                                     32, 64, 32R2, 64R2 */
    bool fr;                    /**< MIPS: 32 separate 64-bit floating-point registers */
    uint64_t entry, phdr, end; /**< guest virtual; `end` is the first byte after the last segment */
    unsigned phnum, phentsize;
    unsigned segments;
    struct lx_elf_segment segment[ELF_SEGMENTS_MAX];
    uint64_t tls;       /**< [bytes] of each thread's thread-local variables; 0: there are none */
    uint64_t tls_align; /**< [bytes] of their beginning's address */
    uint64_t bias;      /**< added to the file's addresses (static-pie), otherwise 0 */
};

/**
 * Reads and checks the headers of the file open on `fd`; the descriptor stays the caller's.
 * @param[out] image  filled on success, undefined otherwise
 * @param[out] why    one line without the file's name, on failure
 */
bool lx_elf_read(int fd, struct lx_elf_image *image, char *why, size_t size);

#endif
