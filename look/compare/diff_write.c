/*
 * The differences of two runs, written: for people, as CSV, as JSON.
 */
#include "documents/cells.h"
#include "documents/csv.h"
#include "documents/schemas.h"
#include "documents/statistics/statistics.h"
#include "documents/statistics/stats.h"
#include "look/compare/diff.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST = 20,          /**< rows of a part, and those that were asked for, unless all are wanted */
    CHANGE_NUMBER = 24, /**< [bytes] that a number takes */
    CHANGE_WIDTH = 14   /**< of a column of numbers */
};

/* What people see where there is no value. */
static const char *diff_write_shown(const char *text)
{
    return *text ? text : "-";
}

/* B - A; "" if one of them is not there, or they are not of the same part of the runs. @return buf
 */
static const char *diff_write_difference(const struct look_change *c, int digits, char *buf,
                                         size_t size)
{
    const struct doc_value *a = &c->value[0], *b = &c->value[1];
    const bool real = a->real || b->real;
    const struct doc_value d = {
        .is = a->is && b->is && !c->apart,
        .real = real,
        .count = real ? 0 : (int64_t)((uint64_t)b->count - (uint64_t)a->count),
        .value = b->value - a->value,
    };
    return doc_value_text(&d, digits, buf, size);
}

/* ---- for people ------------------------------------------------------------------------------ */

static void diff_write_put_run(const struct look_diff *d, int i, FILE *out)
{
    char status[320];
    fprintf(out, "# %c: %s, %s\n", 'A' + i, d->of[i]->directory,
            doc_finished_status(d->of[i], status, sizeof status));
}

static void diff_write_put_value(const struct look_setting *s, int i, FILE *out)
{
    fprintf(out, "#     %c: %s", 'A' + i, s->value[i] ? s->value[i] : "-");
    fprintf(out, *s->origin[i] ? "  (%s)\n" : "%s\n", s->origin[i]);
}

static void put_settings(const struct look_diff *d, FILE *out)
{
    fprintf(out, d->settings ? "# configuration:\n" : "# configuration: the same\n");
    for (size_t i = 0; i < d->settings; i++) {
        fprintf(out, "#   %s\n", d->setting[i].key);
        diff_write_put_value(&d->setting[i], 0, out);
        diff_write_put_value(&d->setting[i], 1, out);
    }
}

static void put_hashes(const struct look_diff *d, FILE *out)
{
    if (d->same)
        fprintf(out, "same results: %s\n", d->of[0]->result_hash);
    else
        fprintf(out, "# other results: A %s, B %s\n", d->of[0]->result_hash, d->of[1]->result_hash);
    if (strcmp(d->of[0]->totals_hash, d->of[1]->totals_hash) == 0)
        return;
    if (d->same)
        fputs("# other totals: these versions do not count the same\n", out);
}

static const char *tilde_of(const struct look_diff *d, int of)
{
    return doc_finished_tilde(d->of[of], "elapsed", "PCycles");
}

static bool is_unfinished(const struct doc_finished *r)
{
    char *why = doc_finished_unfinished(r->manifest);
    const bool unfinished = why;
    free(why);
    return unfinished;
}

/* What people ask first: whether it is faster. */
static void put_elapsed(const struct look_diff *d, FILE *out)
{
    uint64_t elapsed[2];
    for (int of = 0; of < 2; of++) {
        const struct doc_value v = doc_statistic_value(doc_finished_stats(d->of[of], DOC_WHOLE),
                                                       "machine", DOC_STATISTIC_elapsed);
        if (!v.is || v.count <= 0)
            return;
        elapsed[of] = (uint64_t)v.count;
    }
    fprintf(out, "# elapsed: A %s%" PRIu64 ", B %s%" PRIu64 " PCycles", tilde_of(d, 0), elapsed[0],
            tilde_of(d, 1), elapsed[1]);
    if (is_unfinished(d->of[0]) || is_unfinished(d->of[1])) {
        fputs(": no comparison, because not both are of the whole program\n", out);
        return;
    }
    const double change = 100. * ((double)elapsed[1] / (double)elapsed[0] - 1);
    fprintf(out, ": %s%.1f %% %s\n", *tilde_of(d, 0) ? "~" : tilde_of(d, 1),
            change < 0 ? -change : change, change < 0 ? "fewer" : "more");
}

/* One run's value of it. @return buf */
static const char *diff_write_value_of(const struct look_diff *d, const struct look_change *c,
                                       int of, char *buf, size_t size)
{
    char text[CHANGE_NUMBER];
    doc_value_text(&c->value[of], DOC_DIGITS, text, sizeof text);
    snprintf(buf, size, "%s%s", *text ? doc_finished_tilde(d->of[of], c->name, c->unit) : "",
             diff_write_shown(text));
    return buf;
}

static void put_change(const struct look_diff *d, const struct look_change *c, FILE *out)
{
    char a[CHANGE_NUMBER + 1], b[CHANGE_NUMBER + 1], both[CHANGE_NUMBER],
        share[CHANGE_NUMBER] = "-";
    double percent;
    if (look_change_percent(c, &percent))
        snprintf(share, sizeof share, "%+.1f %%", percent);
    fprintf(out, "%*s %*s %*s %12s  ", CHANGE_WIDTH, diff_write_value_of(d, c, 0, a, sizeof a),
            CHANGE_WIDTH, diff_write_value_of(d, c, 1, b, sizeof b), CHANGE_WIDTH,
            diff_write_shown(diff_write_difference(c, DOC_DIGITS, both, sizeof both)), share);
    if (c->region && strcmp(c->region, DOC_WHOLE) != 0)
        fprintf(out, "%s/", c->region);
    fprintf(out, "%s", c->name);
    fprintf(out, c->region && *c->unit ? " [%s]\n" : "%s\n", c->region ? c->unit : "");
}

/* What events counted was asked for, so it is there however little it says. */
static bool diff_write_wanted(const struct look_diff *d, const struct look_changes *changes,
                              size_t i)
{
    static const char counted[] = "machine.monitor.";
    const struct look_change *c = &changes->change[i];
    return d->all || i < MOST ||
           (c->region && !strcmp(c->region, DOC_WHOLE) &&
            !strncmp(c->name, counted, sizeof counted - 1));
}

static void put_rest(const struct look_diff *d, const struct look_changes *changes, size_t shown,
                     FILE *out)
{
    if (changes->count > shown)
        fprintf(out, "# %zu more (--all)\n", changes->count - shown);
    if (changes->apart)
        fprintf(out,
                "# %zu have no change: they are counted only while a machine is timed, and that "
                "was not the same part of both runs\n",
                changes->apart);
    if (changes->small)
        fprintf(out, "# %zu more change by less than %g %% (--threshold)\n", changes->small,
                d->threshold);
    if (changes->parts)
        fprintf(out, "# %zu more of stations, cards, buses and rings (--all)\n", changes->parts);
}

static void put_part(const struct look_diff *d, enum look_diff_part part, FILE *out)
{
    const struct look_changes *changes = &d->part[part];
    if (!changes->count && !changes->small && !changes->parts)
        return;
    fprintf(out, "#\n# %s\n#%*s %*s %*s %12s\n", look_diff_parts[part].sentence, CHANGE_WIDTH - 1,
            "A", CHANGE_WIDTH, "B", CHANGE_WIDTH, "B - A", "change");
    size_t shown = 0;
    for (size_t i = 0; i < changes->count; i++)
        if (diff_write_wanted(d, changes, i)) {
            put_change(d, &changes->change[i], out);
            shown++;
        }
    put_rest(d, changes, shown, out);
}

void look_diff_head(const struct look_diff *d, FILE *out)
{
    diff_write_put_run(d, 0, out);
    diff_write_put_run(d, 1, out);
    put_settings(d, out);
}

static void diff_write_text(const struct look_diff *d, FILE *out)
{
    look_diff_head(d, out);
    put_hashes(d, out);
    if (!d->same)
        put_elapsed(d, out);
    for (int of = 0; of < 2; of++)
        for (char **name = d->only[of]; name && *name; name++)
            fprintf(out, "# only %c has the region %s\n", 'A' + of, *name);
    for (int p = 0; p < LOOK_DIFF__COUNT; p++)
        put_part(d, (enum look_diff_part)p, out);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void diff_write_put_row(const char *part, const struct look_change *c, FILE *out)
{
    char a[CHANGE_NUMBER], b[CHANGE_NUMBER], both[CHANGE_NUMBER], share[CHANGE_NUMBER] = "";
    double percent;
    if (look_change_percent(c, &percent))
        snprintf(share, sizeof share, "%.6g", percent);
    const char *const field[] = {part,
                                 c->region ? c->region : DOC_WHOLE,
                                 c->name,
                                 doc_value_text(&c->value[0], DOC_DIGITS_ALL, a, sizeof a),
                                 doc_value_text(&c->value[1], DOC_DIGITS_ALL, b, sizeof b),
                                 diff_write_difference(c, DOC_DIGITS_ALL, both, sizeof both),
                                 share,
                                 c->unit};
    doc_csv_row(out, field, sizeof field / sizeof *field);
}

static void diff_write_csv(const struct look_diff *d, FILE *out)
{
    fputs("part,region,name,a,b,difference,percent,unit\r\n", out);
    for (size_t i = 0; i < d->settings; i++) {
        const struct look_setting *s = &d->setting[i];
        const char *const field[] = {"configuration",
                                     "",
                                     s->key,
                                     s->value[0] ? s->value[0] : "",
                                     s->value[1] ? s->value[1] : "",
                                     "",
                                     "",
                                     ""};
        doc_csv_row(out, field, sizeof field / sizeof *field);
    }
    for (int p = 0; p < LOOK_DIFF__COUNT; p++)
        for (size_t i = 0; i < d->part[p].count; i++)
            diff_write_put_row(look_diff_parts[p].name, &d->part[p].change[i], out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *run_json(const struct doc_finished *r)
{
    return json_pack("{s:o,s:s,s:s,s:s,s:b}", "directory", doc_json_text(r->directory), "status",
                     r->status, "result_hash", r->result_hash, "totals_hash", r->totals_hash,
                     "sampled", r->sampled);
}

static json_t *settings_json(const struct look_diff *d)
{
    json_t *list = json_array();
    for (size_t i = 0; i < d->settings; i++) {
        const struct look_setting *s = &d->setting[i];
        json_array_append_new(
            list, json_pack("{s:o,s:o,s:o,s:o,s:o}", "key", doc_json_text(s->key), "a",
                            doc_json_text(s->value[0]), "b", doc_json_text(s->value[1]), "a_origin",
                            doc_json_text(s->origin[0]), "b_origin", doc_json_text(s->origin[1])));
    }
    return list;
}

static json_t *changes_json(const struct look_changes *changes)
{
    json_t *list = json_array();
    for (size_t i = 0; i < changes->count; i++) {
        const struct look_change *c = &changes->change[i];
        double percent;
        const bool has = look_change_percent(c, &percent);
        json_array_append_new(list,
                              json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "region",
                                        doc_json_text(c->region ? c->region : DOC_WHOLE), "name",
                                        doc_json_text(c->name), "a", doc_value_json(&c->value[0]),
                                        "b", doc_value_json(&c->value[1]), "percent",
                                        has ? json_real(percent) : json_null(), "unit",
                                        doc_json_text(c->unit)));
    }
    return list;
}

static json_t *regions_json(char *const *names)
{
    json_t *list = json_array();
    for (; names && *names; names++)
        json_array_append_new(list, doc_json_text(*names));
    return list;
}

static void diff_write_json(const struct look_diff *d, FILE *out)
{
    json_t *root =
        json_pack("{s:i,s:b,s:o,s:o,s:o,s:o,s:o}", "schema", DOC_SCHEMA_diff, "same", d->same, "a",
                  run_json(d->of[0]), "b", run_json(d->of[1]), "configuration", settings_json(d),
                  "regions_only_in_a", regions_json(d->only[0]), "regions_only_in_b",
                  regions_json(d->only[1]));
    for (int p = 0; p < LOOK_DIFF__COUNT; p++)
        json_object_set_new(root, look_diff_parts[p].name, changes_json(&d->part[p]));
    doc_json_put(out, root, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
}

const struct look_diff_format look_diff_formats[] = {
    {"text", diff_write_text}, {"csv", diff_write_csv}, {"json", diff_write_json}};
