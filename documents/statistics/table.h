/* The tables people read after a run. */
#ifndef DOC_STATISTICS_TABLE_H
#define DOC_STATISTICS_TABLE_H

#include "documents/run.h"

/**
 * Prints how the run ended, what it did and the counts asked for: of the whole run, or side by side
 * for the regions the guest marked, with the ratio of the second to the first when there are two.
 * Bold, and as wide as the window, only on a terminal; NO_COLOR is honoured.
 */
void doc_table(const struct doc_run *run, FILE *out);

/** Prints only the counts, and what the groups make of them. */
void doc_table_counts(const struct doc_run *run, FILE *out);

/** Prints the counts of one region (see run_regions_peek). */
void doc_table_region(const struct doc_run *run, const struct doc_region *region, FILE *out);

#endif
