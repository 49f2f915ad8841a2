/* What the calls that take a path share (path.c, open.c, attribute.c, stat.c). */
#ifndef LX_PATH_H
#define LX_PATH_H

#include "programs/linux/files/file.h"

enum {
    G_AT_REMOVEDIR = 0x200,
    G_AT_EACCESS = 0x200,
    G_AT_NOFOLLOW = 0x100,
    G_AT_FOLLOW = 0x400,
    G_AT_EMPTY_PATH = 0x1000
};

/** Bits of lx_view_rights; set-id bits of a mode, and those to execute. */
enum { MAY_READ = 4, MAY_WRITE = 2, MAY_SEARCH = 1, SET_ID = 06000, EXECUTE = 0111 };

/** Whether what a row stands for is there, by its number. */
bool lx_path_row_there(struct lx_prog *p, const struct lx_synthetic *row, unsigned number);
/** What /proc has under the program's number is a directory, but for who opens it as IRIX has it.
 */
void lx_path_as_folder(struct lx_spot *s);
/** Whether nothing is there: what a name with a number in it stands for may have gone. */
bool lx_path_missing(struct lx_prog *p, const struct lx_spot *s);

/** The number of a file that exists only in the view: a hash of its path, under the process's own
 *  number where that is /proc/self. @param folder  it is a directory */
uint64_t lx_path_number(const char *path, bool folder);
/** The path of a spot. Allocated. */
char *lx_path_of(const struct lx_spot *s);
/** The program's own path: absolute, as C libraries expect, but free of the host's directories.
 *  Allocated. It leads to the program unless something else is there. */
char *lx_path_program(const struct lx_prog *p);
/** Whether the spot lies in /proc as it is made up here. */
bool lx_path_in_proc(const struct lx_spot *s);
/** A change that the view refuses: says once of each reason how to let it. @return -EPERM of
 * another user's files, as where a directory is sticky, and in /proc; -EROFS of all others */
int64_t lx_path_refused(struct lx_prog *p, const struct lx_spot *s, enum lx_guard why);
/** Whether names in the spot's directory may change, and this one. @return 0 or -errno */
int64_t lx_path_may_change(struct lx_prog *p, const struct lx_spot *s);
/** Whether a name can be made there. @return 0 or -errno; -ENOSPC: no room is left to count it */
int64_t lx_path_may_make(struct lx_prog *p, const struct lx_spot *s);
/** What the host gets of a mode: where the guest works, no right to execute a file, and none for
 * others to what the guest has not made. It sees them all the same. @param guarded  it works there
 *  @param before  what is there; NULL: a file is made */
mode_t lx_path_host_mode(struct lx_prog *p, uint64_t mode, bool guarded, const struct stat *before);
/** Sets the mode of what a descriptor of the host's names (O_PATH), by the host's /proc. @return 0
 * or -errno */
int64_t lx_path_set_mode(int fd, mode_t mode);
/** The host has got `given` of a mode: the rest is remembered, and said if it is to execute.
 *  @param s  where it is, for people; NULL: not known */
void lx_path_keep_mode(struct lx_prog *p, const struct lx_spot *s, struct lx_inode *n,
                       uint64_t mode, mode_t given);
/** Names in the spot's directory have changed. */
void lx_path_changed(struct lx_prog *p, const struct lx_spot *s);
/** A file of the host's that has just been made: its record begins anew. */
void lx_path_born(struct lx_prog *p, const struct lx_spot *s, mode_t mode);
/** Sets the size of a regular file of the host, if it may be written. @return 0 or -errno */
int64_t lx_path_resize(struct lx_call *c, const struct lx_spot *s, uint64_t size);

#endif
