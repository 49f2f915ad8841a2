/*
 * The file view: all of the host's files that a guest can name, and how a name is followed.
 *
 * A view has roots: directories (or files) of the host, each at one path of the guest's and either
 * writable or not. Above and beside them are directories that exist only here, with the synthetic
 * files (synthetic.h). No path leads out of a root; docs/programs.md has the threat model.
 */
#ifndef LX_VIEW_H
#define LX_VIEW_H

#include "programs/linux/view/guard.h"

#include <limits.h>
#include <stdint.h>

enum { VIEW_PATH = 4096 };

/** What the guest calls the directory the simulator was started in. */
#define VIEW_HOME "/home/guest"

struct lx_view;
struct lx_synthetic;

/** What a path means that ends at a link. */
enum lx_ending {
    END_LINK,     /**< the link itself; what it leads to if a slash follows */
    END_FOLLOWED, /**< what it leads to */
    END_ENTRY     /**< the directory's entry of that name, which a call makes, takes or replaces:
                     itself,     and a slash behind it (lx_spot.slash) is for the caller to judge */
};

/** What a view is made of. All pointers belong to the caller. */
struct lx_view_spec {
    const char *program;    /**< a file that can be read, by its own path; NULL: none */
    char *const *allow;     /**< NULL-terminated "PATH", "PATH:ro" or "PATH:rw"; NULL: none */
    const char *const *off; /**< NULL-terminated directories that are read-only wherever they lie */
    const char *const *tool; /**< NULL-terminated directories that are numachine's own (guard.h);
                                  NULL: none */
    bool doubles; /**< what the guest may change is copied first, and it changes the copy */
};

/** A directory of the view, from where a relative path starts. */
struct lx_place {
    char *path;          /**< absolute, without links, as the guest sees it; owned */
    int fd;              /**< of the host, O_PATH, owned; -1: exists only in the view */
    unsigned root;       /**< 1 + index of the root it is in; 0: none */
    bool writable;       /**< names in it and files behind them may change */
    enum lx_guard guard; /**< why not, where the guest works */
    bool search;         /**< the guest may look names up in it */
    struct stat st;      /**< of the host's directory */
};

enum lx_spot_kind {
    SPOT_NOTHING,   /**< nothing has that name, but it has a directory */
    SPOT_HOST,      /**< a file of the host */
    SPOT_DIRECTORY, /**< a directory that exists only in the view */
    SPOT_SYNTHETIC
};

/** Where a path leads. */
struct lx_spot {
    enum lx_spot_kind kind;
    struct lx_place in;      /**< directory of the name */
    char name[NAME_MAX + 1]; /**< "" when the path ends in no name: it means `in` itself */
    bool slash;              /**< ended in '/': must be a directory, see END_ENTRY */
    bool dots, up;           /**< ended in "." or "..", in ".." */
    bool is_root;            /**< the host's name must stay */
    bool writable;           /**< the file may be changed */
    enum lx_guard guard;     /**< why not, where the guest works; of SPOT_NOTHING: why it may not be
                                  made */
    unsigned root;           /**< as in struct lx_place */
    int dir;                 /**< the host's directory and name of a SPOT_HOST; not owned. */
    const char *leaf;        /**< Only for calls that follow no link */
    int fd;                  /**< SPOT_HOST: O_PATH of the file itself, owned; else -1 */
    struct stat st;          /**< SPOT_HOST */
    const struct lx_synthetic *synth; /**< SPOT_SYNTHETIC */
    unsigned number;                  /**< of a synthetic file that has one (/dev/fd/7) */
};

/** Makes the view and its private directories. @return NULL with a line in `why` */
struct lx_view *lx_view_new(const struct lx_view_spec *spec, char *why, size_t size);
/** Removes the private directories with all that is in them. NULL is fine. */
void lx_view_free(struct lx_view *v);

/** How made-up links are followed: gives the path that one leads to, allocated; NULL: it leads to
 *  something that has none. */
typedef char *lx_view_link(void *ctx, const struct lx_synthetic *row, unsigned number);
/** Until then none is followed. */
void lx_view_links(struct lx_view *v, lx_view_link *link, void *ctx);

/** The guest's first working directory. */
void lx_view_home(const struct lx_view *v, struct lx_place *at);

/**
 * Follows a path.
 * @param from    where a relative one starts
 * @return 0 and *s owned by the caller (lx_spot_free), or -errno: -ENOENT, -ENOTDIR, -ELOOP,
 * -EACCES, -ENAMETOOLONG, or the host's own errno. -EMFILE: the host's limit
 */
int lx_view_find(const struct lx_view *v, const struct lx_place *from, const char *path,
                 enum lx_ending ending, struct lx_spot *s);
void lx_spot_free(struct lx_spot *s);

/** The directory a spot is. @return 0 and *at owned by the caller, -ENOTDIR, -ENOENT, -EMFILE */
int lx_view_enter(const struct lx_spot *s, struct lx_place *at);
void lx_place_free(struct lx_place *at);
int lx_place_copy(struct lx_place *to, const struct lx_place *from);

/** Opens the file of a SPOT_HOST for reading, writing or listing: regular files and directories
 *  only, and only if it still is what the path led to. @param flags  host's, O_NOFOLLOW implied
 *  @return a descriptor, or -errno; -ENXIO: not such a file */
int lx_view_open(const struct lx_spot *s, int flags);

/** Rights (bits of 7, as in a mode) the guest has on a file: the simulator's user's files are the
 *  guest's own, and for a superuser all files are. */
unsigned lx_view_rights(const struct stat *st);
bool lx_view_owns(const struct stat *st);

/** Whether [the file or] something beneath a spot is a root: its name must stay. */
bool lx_view_holds_root(const struct lx_view *v, const struct lx_spot *s);

/** The host's path of a place, or of a name in it. Allocated; NULL: it is no place of the host's.
 */
char *lx_view_host(const struct lx_view *v, const struct lx_place *at, const char *name);

/** Names in a directory that exists only in the view, in no order, each once.
 *  @return a NULL-terminated list to be freed with its members */
char **lx_view_list(const struct lx_view *v, const char *path);

/** Roots for the host's own confinement. @return false after the last */
bool lx_view_root(const struct lx_view *v, size_t i, const char **host, bool *writable);

/** What was to be copied (lx_view_spec.doubles) and is too large for that: the guest may change
 *  nothing there. @return NULL behind the last */
const char *lx_view_undoubled(const struct lx_view *v, size_t i);

/** The host's directory of the private directories. */
const char *lx_view_private(const struct lx_view *v);
/** Whether a root is private to the run (memory, as it were). */
bool lx_view_is_private(const struct lx_view *v, unsigned root);

/** An anonymous file in the private directory, for O_TMPFILE. @return a descriptor or -errno */
int lx_view_unnamed(struct lx_view *v, mode_t mode);

#endif
