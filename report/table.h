/* The tables people read after a run. */
#ifndef REP_TABLE_H
#define REP_TABLE_H

#include "report/run.h"

/**
 * Prints how the run ended, what it did and the counts asked for: of the whole run, or side by side
 * for the regions the guest marked, with the ratio of the second to the first when there are two.
 * Bold, and as wide as the window, only on a terminal; NO_COLOR is honoured.
 */
void rep_table(const struct rep_run *run, FILE *out);

/** Prints only the counts, and what the groups make of them. */
void rep_table_counts(const struct rep_run *run, FILE *out);

/** Prints the counts of one region (see rep_run_peek). */
void rep_table_region(const struct rep_run *run, const struct rep_region *region, FILE *out);

#endif
