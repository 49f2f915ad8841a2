/*
 * Temporary directories, in $TMPDIR or else /tmp. They go with the process. A process that was
 * killed leaves its own to the next one that makes a directory.
 */
#ifndef PROG_SCRATCH_H
#define PROG_SCRATCH_H

/** Zero is none. */
struct prog_scratch {
    char *path; /**< absolute; owned */
    int lock;   /**< it, locked as long as the process lives */
};

/** Makes one that only its user can look into. Before, it removes what killed processes of this
 * user have left. @return 0 or -errno; then there is none */
int prog_scratch_make(struct prog_scratch *s);

/** Removes it with all that is in it, and none is left. */
void prog_scratch_remove(struct prog_scratch *s);

#endif
