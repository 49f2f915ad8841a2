/*
 * A run's directory, read back. Everything in it is a claim; a value that is no number is none.
 */
#include "documents/statistics/finished.h"

#include "base/alloc.h"
#include "documents/claims.h"
#include "documents/intact.h"
#include "documents/run.h"
#include "documents/schemas.h"
#include "documents/statistics/stats.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 512 };

static const char machine_component[] = "machine";

/* ---- the files ------------------------------------------------------------------------------- */

static bool take_manifest(struct doc_finished *r, const struct doc_claims *claims)
{
    r->manifest = doc_claim_file(claims);
    if (!r->manifest || !doc_claim_schema(claims, r->manifest, DOC_SCHEMA_manifest))
        return false;
    r->status = json_string_value(json_object_get(r->manifest, "status"));
    r->end = json_object_get(r->manifest, "end");
    r->result_hash = json_string_value(json_object_get(r->end, "result_hash"));
    r->totals_hash = json_string_value(json_object_get(r->end, "totals_hash"));
    if (!r->status)
        return doc_refuse(claims, "status: missing");
    if (strcmp(r->status, "complete") != 0 && strcmp(r->status, "partial") != 0)
        return doc_refuse(claims, "the run is '%s': there are no results to compare", r->status);
    return (r->result_hash && r->totals_hash) || doc_refuse(claims, "end: it has no hashes");
}

/* Whether the file says why a statistic has no value. */
static bool has_reason(const json_t *absent, const char *component, const char *stat)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s.%s", component, stat);
    return json_is_string(json_object_get(absent, path));
}

/* The statistics of one part: numbers, or null for what has no value, and says why. */
static bool finished_is_part(const struct doc_claims *claims, size_t i, const char *component,
                             json_t *part, const json_t *absent)
{
    const char *stat;
    json_t *value;
    json_object_foreach(part, stat, value) {
        if (!json_is_number(value) && !(json_is_null(value) && has_reason(absent, component, stat)))
            return doc_refuse(claims, "snapshots[%zu]: %s.%s: not a number", i, component, stat);
    }
    return json_is_object(part) ||
           doc_refuse(claims, "snapshots[%zu]: %s: not {stat: value}", i, component);
}

static bool is_snapshot(const struct doc_claims *claims, const json_t *shot, size_t i)
{
    const char *component;
    json_t *part, *stats = json_object_get(shot, "stats");
    json_object_foreach(stats, component, part) {
        if (!finished_is_part(claims, i, component, part, json_object_get(shot, "absent")))
            return false;
    }
    return (json_is_object(stats) && json_is_string(json_object_get(shot, "name"))) ||
           doc_refuse(claims, "snapshots[%zu]: not {name, stats: {component: {...}}}", i);
}

static bool take_stats(struct doc_finished *r, const struct doc_claims *claims)
{
    r->stats = doc_claim_file(claims);
    if (!r->stats || !doc_claim_schema(claims, r->stats, DOC_SCHEMA_stats))
        return false;
    r->sampled = json_is_object(json_object_get(r->stats, "estimate"));
    const json_t *shots = doc_claim_list(claims, r->stats, "snapshots");
    for (size_t i = 0; i < json_array_size(shots); i++)
        if (!is_snapshot(claims, json_array_get(shots, i), i))
            return false;
    return shots && (json_array_size(shots) || doc_refuse(claims, "snapshots: empty"));
}

typedef bool take_fn(struct doc_finished *r, const struct doc_claims *claims);

static bool finished_read_file(struct doc_finished *r, const char *name, take_fn *take, char *why,
                               size_t size)
{
    char *path = sim_format("%s/%s", r->directory, name);
    const struct doc_claims claims = {path, why, size};
    const bool good = take(r, &claims);
    free(path);
    return good;
}

static bool take_config(struct doc_finished *r, const struct doc_claims *claims)
{
    return in_flat_read(&r->config, claims->file, claims->why, claims->size);
}

bool doc_finished_read(struct doc_finished *r, const char *directory, char *why, size_t size)
{
    *r = (struct doc_finished){.directory = directory};
    return finished_read_file(r, "manifest.json", take_manifest, why, size) &&
           doc_run_is_intact(directory, why, size) &&
           finished_read_file(r, "config.resolved.yaml", take_config, why, size) &&
           finished_read_file(r, "stats.json", take_stats, why, size);
}

void doc_finished_free(struct doc_finished *r)
{
    in_flat_free(&r->config);
    json_decref(r->manifest);
    json_decref(r->stats);
    *r = (struct doc_finished){0};
}

/* ---- what is in them ------------------------------------------------------------------------- */

static const json_t *finished_snapshots(const struct doc_finished *r)
{
    return json_object_get(r->stats, "snapshots");
}

size_t doc_finished_regions(const struct doc_finished *r)
{
    return json_array_size(finished_snapshots(r));
}

const char *doc_finished_region(const struct doc_finished *r, size_t i)
{
    return json_string_value(json_object_get(json_array_get(finished_snapshots(r), i), "name"));
}

const json_t *doc_finished_stats(const struct doc_finished *r, const char *region)
{
    for (size_t i = 0; i < doc_finished_regions(r); i++)
        if (!strcmp(doc_finished_region(r, i), region))
            return json_object_get(json_array_get(finished_snapshots(r), i), "stats");
    return NULL;
}

/* @param stat  its path, or its end */
static bool is_derived(const char *stat)
{
    return strstr(stat, "metric.") || strstr(stat, "group.");
}

/* What a part of a machine leaves out is 0, unless it is a formula's, or the machine has not got it
 * either. */
static bool is_left_out(const json_t *stats, const char *component, const char *stat)
{
    const bool derived = is_derived(stat);
    const bool card = strchr(component, '[') && !strncmp(stat, "monitor.", 8);
    return strcmp(component, machine_component) != 0 && !derived &&
           (!card || json_object_get(json_object_get(stats, machine_component), stat));
}

struct doc_value doc_finished_value(const json_t *stats, const char *component, const char *stat)
{
    const json_t *value = json_object_get(json_object_get(stats, component), stat);
    if (json_is_integer(value))
        return (struct doc_value){true, false, json_integer_value(value),
                                  (double)json_integer_value(value)};
    if (json_is_real(value))
        return (struct doc_value){.is = true, .real = true, .value = json_real_value(value)};
    return (struct doc_value){.is = !value && stats && is_left_out(stats, component, stat)};
}

/* What stats.json says of a statistic's name; NULL: nothing. */
static const json_t *finished_name_of(const struct doc_finished *r, const char *component,
                                      const char *stat)
{
    char kind[PATH_ROOM], path[PATH_ROOM];
    const json_t *names = json_object_get(r->stats, "names");
    doc_stat_kind(&(struct doc_stat){.component = component, .name = stat}, kind, sizeof kind);
    snprintf(path, sizeof path, "%s.%s", component, stat);
    const json_t *name = json_object_get(names, path);
    return name ? name : json_object_get(names, kind);
}

const char *doc_finished_unit(const struct doc_finished *r, const char *component, const char *stat)
{
    const char *unit =
        json_string_value(json_object_get(finished_name_of(r, component, stat), "unit"));
    return unit ? unit : "";
}

/* The component is the longest one that is there. */
struct doc_value doc_finished_at(const struct doc_finished *r, const char *region, const char *path,
                                 const char **unit)
{
    struct doc_value value = {0};
    const json_t *stats = doc_finished_stats(r, region);
    char *component = sim_strdup(path);
    for (char *dot; !value.is && (dot = strrchr(component, '.'));) {
        const char *stat = path + (dot - component) + 1;
        *dot = '\0';
        if (json_object_get(stats, component))
            value = doc_finished_value(stats, component, stat);
        if (value.is && unit)
            *unit = doc_finished_unit(r, component, stat);
    }
    free(component);
    return value;
}

static bool is_of_parts(const struct doc_finished *r, const char *component, const char *stat)
{
    return json_is_true(json_object_get(finished_name_of(r, component, stat), "timed"));
}

bool doc_finished_comparable(const struct doc_finished *a, const struct doc_finished *b,
                             const char *component, const char *stat)
{
    const bool parts = is_of_parts(a, component, stat), others = is_of_parts(b, component, stat);
    return parts == others && !(parts && (a->sampled || b->sampled));
}

const char *doc_finished_tilde(const struct doc_finished *r, const char *stat, const char *unit)
{
    const bool time = !strcmp(unit, "PCycles") || !strcmp(unit, "s");
    const bool estimate = is_derived(stat) || (time && !strstr(stat, "measured"));
    return r->sampled && estimate ? "~" : "";
}

static bool is_own_end(const char *reason)
{
    return !reason || !strcmp(reason, doc_end_word(PROG_EXITED)) ||
           !strcmp(reason, doc_end_word(PROG_SIGNALED));
}

char *doc_finished_unfinished(const json_t *manifest)
{
    const char *status = json_string_value(json_object_get(manifest, "status"));
    const json_t *end = json_object_get(manifest, "end");
    const char *reason = json_string_value(json_object_get(end, "reason"));
    const char *message = json_string_value(json_object_get(end, "message"));
    const bool complete = status && !strcmp(status, "complete");
    if (!status || (complete && is_own_end(reason)))
        return NULL;
    const char *why = message ? message : reason ? reason : "";
    return sim_format("%s%s%.*s", complete ? "not complete" : status, *why ? ": " : "",
                      (int)strcspn(why, "\n"), why);
}

const char *doc_finished_status(const struct doc_finished *r, char *buf, size_t size)
{
    char *unfinished = doc_finished_unfinished(r->manifest);
    snprintf(buf, size, "%s%s", unfinished ? unfinished : r->status,
             r->sampled
                 ? ", sampled: ~ marks estimates, and misses, packets and the like are those of "
                   "the samples"
                 : "");
    free(unfinished);
    return buf;
}

const char *doc_finished_input(const struct doc_finished *r, const char *member)
{
    const json_t *experiment = json_object_get(r->manifest, "experiment");
    const json_t *inputs = json_object_get(r->manifest, "inputs");
    const char *path = json_string_value(json_object_get(experiment, member));
    for (size_t i = 0; path && i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        const char *other = json_string_value(json_object_get(input, "path"));
        if (other && !strcmp(other, path))
            return json_string_value(json_object_get(input, "hash"));
    }
    return NULL;
}

const char *doc_value_text(const struct doc_value *value, int digits, char *buf, size_t size)
{
    *buf = '\0';
    if (value->is && value->real)
        snprintf(buf, size, "%.*g", digits, value->value);
    else if (value->is)
        snprintf(buf, size, "%" PRId64, value->count);
    return buf;
}

json_t *doc_value_json(const struct doc_value *value)
{
    if (!value->is)
        return json_null();
    return value->real ? json_real(value->value) : json_integer(value->count);
}
