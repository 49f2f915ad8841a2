/*
 * stats.json: {schema, snapshots: [{name, begin_tick, end_tick, ..., stats: {path: {value, unit,
 * desc}}}]}; a value that does not exist is null, with the "reason" beside it. Nothing of the host
 * is in it: equal runs give equal bytes.
 */
#include "report/stats.h"

#include <jansson.h>

/** Version of the layout of stats.json. */
enum { STATS_SCHEMA = 1 };

static void member(void *ctx, const struct rep_stat *stat)
{
    char path[192];
    snprintf(path, sizeof path, "%s.%s", stat->component, stat->name);
    json_t *value = stat->reason ? json_null()
                    : stat->real ? json_real(stat->value)
                                 : json_integer((json_int_t)stat->count);
    json_t *entry =
        json_pack("{s:o,s:s,s:s}", "value", value, "unit", stat->unit, "desc", stat->desc);
    if (stat->reason)
        json_object_set_new(entry, "reason", json_string(stat->reason));
    json_object_set_new(ctx, path, entry);
}

static json_t *snapshot(const struct rep_run *run, const struct rep_region *region)
{
    json_t *stats = json_object();
    rep_stats_walk(run, region, member, stats);
    return json_pack("{s:s,s:I,s:I,s:I,s:I,s:o}", "name", region->name, "begin_tick",
                     (json_int_t)region->begin, "end_tick", (json_int_t)region->end,
                     "elapsed_ticks", (json_int_t)region->elapsed, "visits",
                     (json_int_t)region->visits, "stats", stats);
}

void rep_write_json(const struct rep_run *run, FILE *out)
{
    json_t *snapshots = json_array();
    for (size_t i = 0; i < run->regions; i++)
        json_array_append_new(snapshots, snapshot(run, &run->region[i]));
    json_t *root =
        json_pack("{s:i,s:I,s:o}", "schema", STATS_SCHEMA, "ticks_per_second",
                  (json_int_t)run->experiment->machine.params.cpu_clock, "snapshots", snapshots);
    json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    putc('\n', out);
    json_decref(root);
}
