/*
 * Executables of guests that were built before, kept in a directory.
 *
 * An entry's name is the hash of all that decides what the compiler makes (key.h). It says itself
 * which files the linker has read, with their hashes, and it has a hash of all its bytes.
 * Any number of processes may use the directory at once. What cannot be read or written is as if it
 * were not there: a cache has no errors.
 */
#ifndef PROG_CACHE_H
#define PROG_CACHE_H

#include "programs/key.h"

#include <stdbool.h>
#include <stdint.h>

struct prog_cache {
    const char *directory; /**< nothing else may be kept there; made when it is needed */
    uint64_t most;         /**< [bytes] of all entries; those not used for longest go */
};

/**
 * Copies an executable out of the cache.
 * @param to   file to be written
 * @param log  [out] what the compiler said when it was built; allocated; NULL: it is not there
 * @return whether it is there, undamaged, and all files the linker has read are as they were
 */
bool prog_cache_take(const struct prog_cache *cache, const struct prog_key *key, const char *to,
                     char **log);

/**
 * Puts an executable into the cache, and removes what is then too much.
 * @param from   the executable
 * @param log    what the compiler said
 * @param files  what the linker has read, NULL-terminated absolute paths
 */
void prog_cache_put(const struct prog_cache *cache, const struct prog_key *key, const char *from,
                    const char *log, char *const *files);

#endif
