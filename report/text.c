/*
 * stats.txt: the shape users of gem5 know and have regular expressions for:
 *
 *     ---------- Begin Simulation Statistics (whole) ----------
 *     machine.elapsed                                   1200 # simulated time (PCycles)
 *     ---------- End Simulation Statistics   (whole) ----------
 *
 * Each block carries its region's name, so that nobody reads the wrong one.
 */
#include "report/stats.h"

static void line(void *ctx, const struct rep_stat *stat)
{
    char path[192], value[32];
    snprintf(path, sizeof path, "%s.%s", stat->component, stat->name);
    if (stat->reason)
        snprintf(value, sizeof value, "-");
    else if (stat->real)
        snprintf(value, sizeof value, "%.12g", stat->value);
    else
        snprintf(value, sizeof value, "%llu", (unsigned long long)stat->count);
    fprintf(ctx, "%-60s %20s # %s (%s)%s%s\n", path, value, stat->desc, stat->unit,
            stat->reason ? ": " : "", stat->reason ? stat->reason : "");
}

void rep_write_text(const struct rep_run *run, FILE *out)
{
    for (size_t i = 0; i < run->regions; i++) {
        const char *name = run->region[i].name;
        fprintf(out, "\n---------- Begin Simulation Statistics (%s) ----------\n", name);
        rep_stats_walk(run, &run->region[i], line, out);
        fprintf(out, "\n---------- End Simulation Statistics   (%s) ----------\n", name);
    }
}
