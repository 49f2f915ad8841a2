/*
 * Debugging information, read by libdw in a process of its own.
 */
#ifndef LX_DWARF_H
#define LX_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/** Where debugging information is. */
struct lx_dwarf_files {
    int fd;     /**< the file that has it, and, of split DWARF, skeletons */
    int alt;    /**< the file that has what several have in common (dwz); -1: none */
    bool split; /**< libdw may open .dwo files, those in the same directory first */
};

/** Sends what it finds to `out`. It runs in a process of its own, so a crash there does no harm. */
typedef void lx_dwarf_fn(Dwarf *dwarf, FILE *out);

/** That process ends here, with the text that it has sent. */
_Noreturn void lx_dwarf_stop(void);

/** The next unit of a file, of a skeleton the unit that it stands for.
 *  @param unit  the one before; NULL at first @return false: behind the last */
bool lx_dwarf_next(Dwarf *dwarf, Dwarf_CU **unit, Dwarf_Die *die);

/** Begins to read. Damaged information, or one that takes more than a few seconds or gigabytes,
 * does not come.
 *  @param child  [out] for lx_dwarf_end
 *  @return what is sent, a stream that ends; NULL: there is no process. lx_dwarf_end in any case */
FILE *lx_dwarf_begin(const struct lx_dwarf_files *files, lx_dwarf_fn *read, pid_t *child);
void lx_dwarf_end(FILE *in, pid_t child);

#endif
