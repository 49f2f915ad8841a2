/*
 * Where a guest works: the directory that the simulator was started in. It may write there, but not
 * what others trust: numachine itself, git's files, results, what can be executed.
 */
#ifndef LX_GUARD_H
#define LX_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/** Why a name may not change; one for each row of guards.def, after those that do not say so. */
enum lx_guard {
    GUARD_NONE,  /**< nothing is looked at */
    GUARD_GIVEN, /**< the user has given it: only results are, unless they are what was given */
    GUARD_WORKS, /**< the guest works there, and nothing is wrong with it */
#define GUARD(name, file, mend) GUARD_##name,
#include "programs/linux/view/guards.def"
#undef GUARD
    GUARD__COUNT
};

/** What has to be known of the host. Zero is a good start: then lx_guards_know. */
struct lx_guards {
    struct stat *tool; /**< [tools] directories that are numachine's own; owned */
    size_t tools;
    struct stat home; /**< the user's home directory ... */
    bool at_home;     /**< ... if there is one */
};

/** @param tool  NULL-terminated directories, as far as there are any; NULL: none */
void lx_guards_know(struct lx_guards *g, const char *const *tool);
void lx_guards_free(struct lx_guards *g);

/**
 * What a name in a directory is.
 * @param around  what the directory is: all of it but WORKS and GIVEN is the name's, too
 * @param in  the directory
 * @param fd  of what has that name, O_PATH, with its `st`; -1: nothing has
 * @return `around`, or why it and all that is beneath it may not change
 */
enum lx_guard lx_guard_of(const struct lx_guards *g, enum lx_guard around, const struct stat *in,
                          const char *name, int fd, const struct stat *st);

/** The same of a directory of the host by its path, and of all that it is beneath.
 *  @param top  only of what is beneath this one, which was given; NULL: the guest works there */
enum lx_guard lx_guard_beneath(const struct lx_guards *g, const char *top, const char *path);

/** Two parts of a sentence about the file (guards.def). @pre guard > GUARD_WORKS */
const char *lx_guard_file(enum lx_guard guard);
const char *lx_guard_mend(enum lx_guard guard);

#endif
