/*
 * Where tests put files: in $TMPDIR, or else /tmp. Who writes one file a thousand times waits for a
 * disk each time, and hardly for memory (./numachine test).
 */
#ifndef TESTS_SCRATCH_H
#define TESTS_SCRATCH_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/** @return a pattern for mkdtemp and mkstemp; the caller frees it */
static inline char *scratch_pattern(void)
{
    const char *asked = getenv("TMPDIR");
    char *pattern = NULL;
    cr_assert_gt(asprintf(&pattern, "%s/numachine-test-XXXXXX", asked && *asked ? asked : "/tmp"),
                 0);
    return pattern;
}

/** A new directory is the current one from now on. */
static inline void make_scratch(void)
{
    char *directory = scratch_pattern();
    cr_assert(mkdtemp(directory) && chdir(directory) == 0);
    free(directory);
}

/** Removes the current directory, in which there is nothing but, perhaps, a file of that name. */
static inline void remove_scratch_with(const char *file)
{
    char *here = getcwd(NULL, 0);
    unlink(file);
    cr_expect(here && chdir("/") == 0 && rmdir(here) == 0);
    free(here);
}

#endif
