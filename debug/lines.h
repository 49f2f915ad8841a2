/*
 * Lines of the program, as cards, directories and messages see them.
 */
#ifndef DBG_LINES_H
#define DBG_LINES_H

#include "debug/debug.h"

/** For conditions of lines: what cards had of them at the last look. */
struct dbg_lines;

/** Looks for the first time. The process's own; a copy that looks ahead. */
struct dbg_lines *dbg_lines_new(struct dbg *d);

/** Looks again, at most a tick later. @param[out] hit  what has become of a line, if anything has
 */
void dbg_lines_look(struct dbg_lines *lines, struct dbg_hit *hit);

/** All that is known of the line of an address, for people. */
void dbg_line_say(struct dbg *d, uint64_t va, FILE *out);

#endif
