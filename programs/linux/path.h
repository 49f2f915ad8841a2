/* What the calls that take a path share (path.c, open.c, attribute.c). */
#ifndef LX_PATH_H
#define LX_PATH_H

#include "programs/linux/file.h"

enum {
    G_AT_REMOVEDIR = 0x200,
    G_AT_EACCESS = 0x200,
    G_AT_NOFOLLOW = 0x100,
    G_AT_FOLLOW = 0x400,
    G_AT_EMPTY_PATH = 0x1000
};

/** Bits of lx_view_rights; set-id bits of a mode. */
enum { MAY_READ = 4, MAY_WRITE = 2, MAY_SEARCH = 1, SET_ID = 06000 };

/** Whether names in the spot's directory may change. @return 0 or -errno */
int64_t lx_path_may_change(const struct lx_spot *s);
/** Whether a name can be made there. @return 0 or -errno; -ENOSPC: no room is left to count it */
int64_t lx_path_may_make(const struct lx_prog *p, const struct lx_spot *s);
/** Names in the spot's directory have changed. */
void lx_path_changed(struct lx_prog *p, const struct lx_spot *s);
/** A file of the host's that has just been made: its record begins anew. */
void lx_path_born(struct lx_prog *p, const struct lx_spot *s, mode_t mode);
/** Opens a regular file of the host. @return a descriptor of the guest's, or -errno */
int64_t lx_path_open_regular(struct lx_call *c, const struct lx_spot *s, uint32_t flags);

#endif
