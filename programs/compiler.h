/* The cross compilers as processes: their names, their arguments, one run. */
#ifndef PROG_COMPILER_H
#define PROG_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

/** A language of guest programs (languages.def). */
struct prog_language {
    const char *suffix, *tool;
    const char *reads; /**< flag that -M needs besides, ""; NULL: -M says nothing */
    const char *links; /**< flag for a static program, or NULL */
};

/** All suffixes, with spaces between, for people. */
const char *prog_language_suffixes(void);

/** @return the language of a source, by its suffix; NULL: none */
const struct prog_language *prog_language_of(const char *source);

enum { PROG_ARGS_MAX = 4200 /**< arguments of a compiler, NULL included */ };

/** A command under construction. Zero is a good start. */
struct prog_args {
    char *arg[PROG_ARGS_MAX];
    bool owned[PROG_ARGS_MAX];
    size_t count;
};

/** Adds a text that outlives the list. What is too much is left out. */
void prog_args_add(struct prog_args *a, const char *text);

/** Adds an allocated text, which the list frees. */
void prog_args_own(struct prog_args *a, char *text);

/** A list with the same arguments, valid as long as `from` is. Allocated, for prog_args_free. */
struct prog_args *prog_args_more(const struct prog_args *from);

/** Frees the list and what it owns; NULL is none. */
void prog_args_free(struct prog_args *a);

/**
 * Runs a command to its end, in an environment of our own making.
 * @param home    it runs in this directory
 * @param out     file for its standard output, truncated
 * @param err     file for its standard error; NULL: with its output
 * @param status  [out] as waitpid says
 * @return 0, or the errno with which it could not be started
 */
int prog_compiler_run(struct prog_args *a, const char *home, const char *out, const char *err,
                      int *status);

#endif
