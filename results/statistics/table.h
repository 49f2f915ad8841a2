/* The tables people read after a run. */
#ifndef RES_STATISTICS_TABLE_H
#define RES_STATISTICS_TABLE_H

#include "results/run.h"

/**
 * Prints how the run ended, what it did and the counts asked for: of the whole run, or side by side
 * for the regions the guest marked, with the ratio of the second to the first when there are two.
 * Bold, and as wide as the window, only on a terminal; NO_COLOR is honoured.
 */
void res_table(const struct res_run *run, FILE *out);

/** Prints only the counts, and what the groups make of them. */
void res_table_counts(const struct res_run *run, FILE *out);

/** Prints the counts of one region (see run_regions_peek). */
void res_table_region(const struct res_run *run, const struct res_region *region, FILE *out);

#endif
