/*
 * Complaints about what the user gave us: where, what, and how to mend it.
 *
 *     machine.yaml:3:15: error: 'bus.clock' needs a unit, for example 50MHz
 *        3 |   bus: {clock: 50}
 *          |                ^
 */
#ifndef IN_DIAG_H
#define IN_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Collects complaints; they are printed as they come. Plain struct, zero plus `out` is a good
 * start. */
struct in_diag {
    FILE *out;       /**< where to print (stderr) */
    unsigned errors; /**< so far; the caller exits with 2 if not 0 */
};

/**
 * Reports an error at a place.
 * @param file    as the user named it; NULL: no place (a command line)
 * @param text    the file's whole text, for the source line and caret; NULL: none
 * @param line    from 1; 0: unknown
 * @param column  from 1; 0: unknown
 */
void in_error(struct in_diag *diag, const char *file, const char *text, unsigned line,
              unsigned column, const char *format, ...) __attribute__((format(printf, 6, 7)));

#endif
