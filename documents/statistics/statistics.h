/* Statistics by constants: of one that is renamed, or gone, what asks for it does not compile. */
#ifndef DOC_STATISTICS_STATISTICS_H
#define DOC_STATISTICS_STATISTICS_H

#include "documents/statistics/finished.h"

/** statistics.def */
enum doc_statistic {
#define STATISTIC(id, name) DOC_STATISTIC_##id,
#include "documents/statistics/statistics.def"
#undef STATISTIC
    DOC_STATISTICS
};

/** Its name in its component. */
const char *doc_statistic_name(enum doc_statistic statistic);

/** doc_finished_value of it. */
struct doc_value doc_statistic_value(const json_t *stats, const char *component,
                                     enum doc_statistic statistic);

#endif
