/* A recording as a table: a row each, with the columns of documents/rows/watch_columns.def. */
#ifndef WATCH_TABLE_H
#define WATCH_TABLE_H

#include "watch/chart.h"

/** Times are told from the title's origin on. */
void watch_csv(const struct watch_record *record, const struct watch_title *title, FILE *out);

#endif
