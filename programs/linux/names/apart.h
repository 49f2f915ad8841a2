/*
 * Debugging information that lies apart from the executable, found and held ready:
 *   - a file of its own, which .gnu_debuglink or the build-id names, with symbols, too;
 *   - what several such files have in common, which .gnu_debugaltlink names (dwz);
 *   - split DWARF: a .dwo file for each compiled file, or all of them in one .dwp.
 */
#ifndef LX_APART_H
#define LX_APART_H

#include "programs/linux/names/dwarf.h"
#include "programs/workload.h"

struct lx_apart {
    int symbols;                 /**< the file that has symbols: the executable, if it has any */
    struct lx_dwarf_files dwarf; /**< the same of debugging information */
    const char *missing;         /**< prog_names.missing */
};

/** Finds what is apart.
 *  @param fd      the executable, open until lx_apart_free
 *  @param path    of it
 *  @param search  where else to look; NULL: nowhere
 *  @return the caller's, never NULL */
struct lx_apart *lx_apart_new(int fd, const char *path, const struct prog_search *search);
void lx_apart_free(struct lx_apart *apart);

#endif
