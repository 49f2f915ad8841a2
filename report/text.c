/*
 * stats.txt: the shape users of gem5 know and have regular expressions for:
 *
 *     ---------- Begin Simulation Statistics (whole) ----------
 *     machine.elapsed                                   1200 # simulated time (PCycles)
 *     ---------- End Simulation Statistics   (whole) ----------
 *
 * Each block carries its region's name, so that nobody reads the wrong one. What a statistic means
 * is said where it comes first; the same of other parts has its unit only.
 */
#include "report/stats.h"

#include <jansson.h>

struct text {
    FILE *out;
    json_t *said; /**< [kind] */
};

static void line(void *ctx, const struct rep_stat *stat)
{
    struct text *text = ctx;
    char path[192], kind[192], value[32];
    snprintf(path, sizeof path, "%s.%s", stat->component, stat->name);
    rep_stat_kind(stat, kind, sizeof kind);
    const bool first = !json_object_get(text->said, kind);
    if (first)
        json_object_set_new(text->said, kind, json_true());
    if (stat->reason)
        snprintf(value, sizeof value, "-");
    else if (stat->real)
        snprintf(value, sizeof value, "%.12g", stat->value);
    else
        snprintf(value, sizeof value, "%llu", (unsigned long long)stat->count);
    fprintf(text->out, "%-56s %14s # %s%s(%s)%s%s\n", path, value, first ? stat->desc : "",
            first ? " " : "", stat->unit, stat->reason ? ": " : "",
            stat->reason ? stat->reason : "");
}

void rep_write_text(const struct rep_run *run, FILE *out)
{
    struct text text = {out, json_object()};
    for (size_t i = 0; i < run->regions; i++) {
        const char *name = run->region[i].name;
        fprintf(out, "\n---------- Begin Simulation Statistics (%s) ----------\n", name);
        rep_stats_walk(run, &run->region[i], line, &text);
        fprintf(out, "\n---------- End Simulation Statistics   (%s) ----------\n", name);
    }
    json_decref(text.said);
}
