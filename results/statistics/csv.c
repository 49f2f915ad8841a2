/*
 * stats.csv: one value per row, long form, so that no column ever changes its meaning.
 *
 * RFC 4180: CRLF after each row, fields with commas or quotes quoted.
 */
#include "results/csv_read.h"
#include "results/statistics/stats.h"

#include <string.h>

struct csv {
    FILE *out;
    const char *snapshot;
};

void res_csv_field(FILE *out, const char *text)
{
    res_separated_field(out, text, ",");
}

void res_separated_field(FILE *out, const char *text, const char *separator)
{
    const char *mark = res_csv_is_marked(text) ? "'" : "";
    if (!strpbrk(text, "\"\r\n") && !strstr(text, separator)) {
        fprintf(out, "%s%s", mark, text);
        return;
    }
    fprintf(out, "\"%s", mark);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void row(void *ctx, const struct res_stat *stat)
{
    struct csv *csv = ctx;
    res_csv_field(csv->out, csv->snapshot);
    putc(',', csv->out);
    res_csv_field(csv->out, stat->component);
    putc(',', csv->out);
    res_csv_field(csv->out, stat->name);
    char value[RES_STAT_VALUE] = "";
    if (!stat->reason)
        res_stat_value(stat, value);
    putc(',', csv->out);
    fputs(value, csv->out);
    putc(',', csv->out);
    res_csv_field(csv->out, stat->unit);
    fputs("\r\n", csv->out);
}

void res_write_csv(const struct res_run *run, FILE *out)
{
    fputs("snapshot,component,stat,value,unit\r\n", out);
    for (size_t i = 0; i < run->regions; i++) {
        struct csv csv = {out, run->region[i].name};
        res_stats_walk(run, &run->region[i], row, &csv);
    }
}
