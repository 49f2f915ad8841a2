/*
 * Why nothing can be written somewhere.
 */
#ifndef BASE_OWNER_H
#define BASE_OWNER_H

/** Words to print. */
struct sim_refusal {
    char text[512];
};

/**
 * What the host says of an error at a path that was to be made, written or removed; and where
 * rights are missing, whose the directory is.
 * @param error  an errno
 */
struct sim_refusal sim_refusal_of(int error, const char *path);

#endif
