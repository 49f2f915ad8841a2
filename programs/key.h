/* What decides the bytes that a compiler makes of a source, as a number. */
#ifndef PROG_KEY_H
#define PROG_KEY_H

#include "programs/compiler.h"

#include <stdbool.h>

/** A hash in hexadecimal digits. */
struct prog_key {
    char text[33];
};

/** The key of bytes. */
void prog_key_of_bytes(const void *bytes, size_t count, struct prog_key *key);

/** The key of what a file holds. @return false when it cannot be read */
bool prog_key_of_file(const char *path, struct prog_key *key);

/** Whether what the compiler does with this flag depends on nothing that a key has not, and leaves
 *  nothing but the executable. */
bool prog_key_knows(const char *flag);

/**
 * The key of a source: the compiler's version and search paths, its arguments, and the paths and
 * contents of the source and of all that it includes, headers of the system too. The compiler says
 * itself which these are, each time.
 * @param args       compiler and flags, without source and output
 * @param language   of the source
 * @param home       directory of the source
 * @param name       the source within it
 * @param directory  for two files, build.reads and build.version
 * @return false: there is none, because the compiler does not say what it reads
 */
bool prog_key_of(struct prog_key *key, const struct prog_args *args,
                 const struct prog_language *language, const char *home, const char *name,
                 const char *directory);

/** Paths in a rule for make, those before its first colon left out; relative ones are in `home`.
 *  NULL-terminated; each and the array allocated (prog_key_free); NULL: the file cannot be read. */
char **prog_key_paths(const char *rule, const char *home);

/** Frees a NULL-terminated array of texts; NULL is none. */
void prog_key_free(char **paths);

#endif
