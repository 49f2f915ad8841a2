/* The counts for other programs, a line each: as `perf stat -x` or `perf stat -j` writes them. */
#ifndef DOC_STATISTICS_LINES_H
#define DOC_STATISTICS_LINES_H

#include "documents/run.h"

/**
 * Writes the events' counts of the machine, then what the groups, or without groups the metrics,
 * say of it. With marks each region's lines are there, and begin with its name.
 * @param separator  between fields; NULL: each line is a JSON object
 */
void doc_lines(const struct doc_run *run, const char *separator, FILE *out);

#endif
