/*
 * stats.csv: one value per row, long form, so that no column ever changes its meaning.
 *
 * RFC 4180: CRLF after each row, fields with commas or quotes quoted.
 */
#include "documents/csv.h"
#include "documents/statistics/stats.h"

struct stats_csv {
    FILE *out;
    const char *snapshot;
};

static void stats_csv_row(void *ctx, const struct doc_stat *stat)
{
    const struct stats_csv *csv = ctx;
    char value[DOC_STAT_VALUE] = "";
    if (!stat->reason)
        doc_stat_value(stat, value);
    const char *const field[] = {csv->snapshot, stat->component, stat->name, value, stat->unit};
    doc_csv_row(csv->out, field, sizeof field / sizeof *field);
}

void doc_write_csv(const struct doc_run *run, FILE *out)
{
    fputs("snapshot,component,stat,value,unit\r\n", out);
    for (size_t i = 0; i < run->regions; i++) {
        struct stats_csv csv = {out, run->region[i].name};
        doc_stats_walk(run, &run->region[i], stats_csv_row, &csv);
    }
}
