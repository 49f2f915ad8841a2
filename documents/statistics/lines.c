/*
 * Lines for other programs, with the fields that perf stat has:
 *
 *     12345,PCycles,run,4000,100.00,,,
 *     ,,,,,0.629,instr/PCycle ipc,
 *     ,,,,,2,NACKs/request nacks_per_refused_request,NACK
 *     {"counter-value" : "12345", "unit" : "PCycles", "event" : "run", ...
 *
 * Names are quoted as in a table of comma-separated values, which perf, whose names are its own,
 * need not do. value, its unit, event, simulated time [ns] it was counted, share of that [%], a
 * metric, its unit and name; then, which perf has not, the group whose metric it is. A count that
 * has wrapped is
 * "<not counted>", one of a ring that the machine does not have
 * "<not supported>", and a metric without a value has no line.
 */
#include "documents/statistics/lines.h"

#include "documents/csv.h"
#include "documents/statistics/components.h"
#include "documents/statistics/group.h"
#include "documents/statistics/stats.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct lines {
    const struct doc_run *run;
    const struct doc_region *region;
    const char *separator; /* NULL: JSON */
    FILE *out;
};

/* One line: pairs of a name and a text, empty texts being fields without a value. */
struct field {
    const char *name, *text;
    bool bare; /* a number in JSON, where perf has one */
};

static void put_json(const struct lines *l, const struct field *field, size_t count)
{
    const char *between = "{";
    for (size_t i = 0; i < count; i++) {
        if (!*field[i].text)
            continue;
        json_t *text = json_string_nocheck(field[i].text);
        char *quoted = json_dumps(text, JSON_ENCODE_ANY);
        fprintf(l->out, "%s\"%s\" : %s", between, field[i].name,
                field[i].bare ? field[i].text : quoted);
        between = ", ";
        free(quoted);
        json_decref(text);
    }
    fputs("}\n", l->out);
}

static void lines_put_line(const struct lines *l, const struct field *field, size_t count)
{
    const bool regions = l->run->regions > 1;
    if (!l->separator) {
        put_json(l, field + !regions, count - !regions);
        return;
    }
    for (size_t i = !regions; i < count; i++) {
        doc_separated_field(l->out, field[i].text, l->separator);
        fputs(i + 1 < count ? l->separator : "\n", l->out);
    }
}

static void put_event(const struct lines *l, unsigned i)
{
    const struct mon_event *e = mon_unit_event(l->run->unit, l->run->choice.event[i]);
    const struct doc_level all = doc_machine(l->run);
    char count[32] = "<not counted>", time[32];
    if (!doc_event_exists(l->run, l->run->choice.event[i]))
        strcpy(count, "<not supported>");
    else if (!doc_overflowed(l->region, all, i))
        snprintf(count, sizeof count, "%llu",
                 (unsigned long long)doc_count(l->run, l->region, all, i));
    snprintf(time, sizeof time, "%.0f", 1e9 * doc_seconds(l->run, l->region->elapsed));
    const struct field fields[] = {
        {"region", l->region->name, false},
        {"counter-value", count, false},
        {"unit", e->unit, false},
        {"event", e->name, false},
        {"event-runtime", time, true},
        {"pcnt-running", "100.00", true},
        {"metric-value", "", false},
        {"metric-unit", "", false},
        {"group", "", false},
    };
    lines_put_line(l, fields, sizeof fields / sizeof *fields);
}

static void put_metric(const struct lines *l, double value, const char *unit, const char *name,
                       const char *group)
{
    char number[40], named[160];
    snprintf(number, sizeof number, "%.6g", value);
    snprintf(named, sizeof named, "%s %s", unit, name);
    const struct field fields[] = {
        {"region", l->region->name, false},
        {"counter-value", "", false},
        {"unit", "", false},
        {"event", "", false},
        {"event-runtime", "", false},
        {"pcnt-running", "", false},
        {"metric-value", number, false},
        {"metric-unit", named, false},
        {"group", group, false},
    };
    lines_put_line(l, fields, sizeof fields / sizeof *fields);
}

static void put_groups(const struct lines *l)
{
    const struct in_experiment *x = l->run->experiment;
    for (unsigned g = 0; g < x->group_count; g++)
        for (unsigned m = 0; m < x->group[g].metrics; m++) {
            const struct in_metric *metric = &x->group[g].metric[m];
            double value;
            if (doc_group_value(l->run, l->region, doc_machine(l->run), metric, &value))
                put_metric(l, value, metric->unit, metric->name, x->group[g].name);
        }
}

static void put_highlight(void *ctx, const struct doc_stat *stat)
{
    const char *dot = strchr(stat->name, '.');
    if (!stat->reason)
        put_metric(ctx, stat->value, stat->unit, dot + 1, "");
}

static void put_metrics(struct lines *l)
{
    for (int m = 0; m < DOC_METRIC__COUNT; m++) {
        const struct doc_metric *metric = &doc_metrics()[m];
        double value;
        if (doc_metric_value(l->run, l->region, doc_machine(l->run), (enum doc_metric_id)m, &value))
            put_metric(l, value, metric->unit, metric->name, "");
    }
    doc_highlights_walk(l->run, l->region, put_highlight, l);
}

void doc_lines(const struct doc_run *run, const char *separator, FILE *out)
{
    for (size_t r = 0; r < run->regions; r++) {
        struct lines l = {run, &run->region[r], separator, out};
        for (unsigned i = 0; i < run->choice.count; i++)
            put_event(&l, i);
        if (run->experiment->group_count)
            put_groups(&l);
        else if (nm_value_mode(run->experiment->machine.params) != NM_MODE_FUNCTIONAL)
            put_metrics(&l);
    }
}
