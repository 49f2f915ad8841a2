/*
 * stats.json: {schema, ticks_per_second, snapshots: [{name, begin_tick, ..., stats: {component:
 * {stat: value}}}], names: {kind: {unit, desc}}}. Of a run of which only parts were timed each
 * snapshot has "measured", too: like "stats", of these parts; and "timed" is true in the names of
 * what was counted only while the machine was timed.
 *
 * What a statistic means is said once for all parts of a kind: "names" has it under the path
 * without indices, or, of one that means something else than the first of its kind (a counter can
 * count anything), under its path. A value that does not exist is null, with the reason in
 * "absent". Nothing of the host is in it: equal runs give equal bytes. It is written as it is
 * walked, because of large machines it would not fit into memory.
 */
#include "documents/schemas.h"
#include "documents/statistics/sampling.h"
#include "documents/statistics/stats.h"

#include <jansson.h>
#include <string.h>

/** Version of the layout of stats.json. */

struct writer {
    FILE *out;
    json_t *names;  /**< [kind or path] */
    json_t *absent; /**< [path] reason, of this snapshot */
    char component[96];
    bool parted; /**< only parts of the run were timed */
};

/* Nearly all texts are names, which JSON has as they are. */
static bool json_is_plain(const char *text)
{
    while (*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\')
        text++;
    return !*text;
}

static void json_put_text(FILE *out, const char *text)
{
    if (json_is_plain(text)) {
        putc('"', out);
        fputs(text, out);
        putc('"', out);
        return;
    }
    json_t *value = json_string(text);
    json_dumpf(value, out, JSON_ENCODE_ANY);
    json_decref(value);
}

static bool json_means(json_t *name, const struct doc_stat *stat)
{
    return !strcmp(json_string_value(json_object_get(name, "unit")), stat->unit) &&
           !strcmp(json_string_value(json_object_get(name, "desc")), stat->desc);
}

static void json_learn(struct writer *w, const struct doc_stat *stat, const char *path)
{
    char kind[192];
    doc_stat_kind(stat, kind, sizeof kind);
    json_t *known = json_object_get(w->names, kind);
    if (known && json_means(known, stat))
        return;
    json_t *name = json_pack("{s:s,s:s}", "unit", stat->unit, "desc", stat->desc);
    if (w->parted && stat->timed)
        json_object_set_new(name, "timed", json_true());
    json_object_set_new(w->names, known ? path : kind, name);
}

static void open_component(struct writer *w, const char *component)
{
    if (*w->component)
        fputs("},\n", w->out);
    snprintf(w->component, sizeof w->component, "%s", component);
    fputs("    ", w->out);
    json_put_text(w->out, component);
    fputs(": {", w->out);
}

static void json_member(void *ctx, const struct doc_stat *stat)
{
    struct writer *w = ctx;
    char path[192];
    doc_stat_path(stat, path, sizeof path);
    json_learn(w, stat, path);
    if (strcmp(stat->component, w->component))
        open_component(w, stat->component);
    else
        fputs(", ", w->out);
    json_put_text(w->out, stat->name);
    if (stat->reason) {
        json_object_set_new(w->absent, path, json_string(stat->reason));
        fputs(": null", w->out);
    } else {
        char value[DOC_STAT_VALUE];
        doc_stat_value(stat, value);
        fputs(": ", w->out);
        fputs(value, w->out);
    }
}

/* Of a region of which only parts were timed: what its ratios are of. */
static void write_measured(struct writer *w, const struct doc_run *run,
                           const struct doc_region *region)
{
    if (!region->measured)
        return;
    fputs("   \"measured\": {\n", w->out);
    *w->component = '\0';
    doc_stats_walk_measured(run, region, json_member, w);
    fputs("}\n   },\n", w->out);
}

static void write_snapshot(struct writer *w, const struct doc_run *run,
                           const struct doc_region *region)
{
    fputs("  {\n   \"name\": ", w->out);
    json_put_text(w->out, region->name);
    fprintf(w->out,
            ",\n   \"begin_tick\": %llu, \"end_tick\": %llu, \"elapsed_ticks\": %llu, "
            "\"visits\": %llu,\n   \"stats\": {\n",
            (unsigned long long)region->begin, (unsigned long long)region->end,
            (unsigned long long)region->elapsed, (unsigned long long)region->visits);
    *w->component = '\0';
    w->absent = json_object();
    doc_stats_walk(run, region, json_member, w);
    fputs("}\n   },\n", w->out);
    write_measured(w, run, region);
    fputs("   \"absent\": ", w->out);
    json_dumpf(w->absent, w->out, 0);
    json_decref(w->absent);
    fputs("\n  }", w->out);
}

static void write_estimate(const struct doc_run *run, FILE *out)
{
    json_t *estimate = doc_estimate_json(run);
    fputs(",\n \"estimate\": ", out);
    json_dumpf(estimate, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    json_decref(estimate);
}

void doc_write_json(const struct doc_run *run, FILE *out)
{
    struct writer w = {.out = out, .names = json_object(), .parted = run->parted};
    fprintf(out, "{\n \"schema\": %d,\n \"ticks_per_second\": %llu,\n \"snapshots\": [\n",
            DOC_SCHEMA_stats,
            (unsigned long long)nm_value_cpu_clock(run->experiment->machine.params));
    for (size_t i = 0; i < run->regions; i++) {
        fputs(i ? ",\n" : "", out);
        write_snapshot(&w, run, &run->region[i]);
    }
    fputs("\n ]", out);
    if (doc_sampling_is(run))
        write_estimate(run, out);
    fputs(",\n \"names\": ", out);
    json_dumpf(w.names, out, JSON_INDENT(1));
    fputs("\n}\n", out);
    json_decref(w.names);
}
