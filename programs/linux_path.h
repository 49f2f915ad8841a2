/* What the calls that take a path share (linux_path.c, linux_open.c, linux_attribute.c). */
#ifndef PROG_LINUX_PATH_H
#define PROG_LINUX_PATH_H

#include "programs/linux_file.h"

enum {
    G_AT_REMOVEDIR = 0x200,
    G_AT_EACCESS = 0x200,
    G_AT_NOFOLLOW = 0x100,
    G_AT_FOLLOW = 0x400,
    G_AT_EMPTY_PATH = 0x1000
};

/** Bits of view_rights; set-id bits of a mode. */
enum { MAY_READ = 4, MAY_WRITE = 2, MAY_SEARCH = 1, SET_ID = 06000 };

/** Whether names in the spot's directory may change. @return 0 or -errno */
int64_t path_may_change(const struct spot *s);
/** Names in the spot's directory have changed. */
void path_changed(struct prog *p, const struct spot *s);
/** A file of the host's that has just been made: its record begins anew. */
void path_born(struct prog *p, const struct spot *s, mode_t mode);
/** Opens a regular file of the host. @return a descriptor of the guest's, or -errno */
int64_t path_open_regular(struct call *c, const struct spot *s, uint32_t flags);

#endif
