#include "documents/statistics/statistics.h"

const char *doc_statistic_name(enum doc_statistic statistic)
{
    static const char *const names[] = {
#define STATISTIC(id, name) name,
#include "documents/statistics/statistics.def"
#undef STATISTIC
    };
    return names[statistic];
}

struct doc_value doc_statistic_value(const json_t *stats, const char *component,
                                     enum doc_statistic statistic)
{
    return doc_finished_value(stats, component, doc_statistic_name(statistic));
}
