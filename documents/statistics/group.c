/*
 * Metrics of groups: formulas over exact totals.
 *
 * The one hard idea: a formula is computed anew for each card, each station and the machine, and
 * never averaged. "Per station" and "per card" then need no convention: the names in a formula mean
 * the totals of the level at hand, each event's by its scope.
 */
#include "documents/statistics/group.h"

#include "documents/csv.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/** What a formula's names are looked up in. */
struct scene {
    const struct doc_run *run;
    const struct doc_region *region;
    struct doc_level level;
};

static unsigned group_parts(const struct scene *s, unsigned cards_each)
{
    return (s->level.count + cards_each - 1) / cards_each;
}

static double word_value(const struct scene *s, enum in_word word)
{
    const struct nm_params *p = s->run->experiment->machine.params;
    const double elapsed = (double)s->region->elapsed;
    switch (word) {
    case IN_WORD_pcycles:
        return elapsed * doc_cards(s->region, s->level);
    case IN_WORD_off:
        return (double)doc_off(s->region, s->level);
    case IN_WORD_idle:
        return (double)doc_idle(s->region, s->level);
    case IN_WORD_busiest:
        return (double)doc_busiest(s->region, s->level);
    case IN_WORD_seconds:
        return doc_seconds(s->run, s->region->elapsed);
    case IN_WORD_bus_cycles:
        return doc_cycles(s->run, s->region, nm_value_bus_clock(p));
    case IN_WORD_ring_cycles:
        return doc_cycles(s->run, s->region, nm_value_ring_clock(p));
    case IN_WORD_cards:
        return doc_cards(s->region, s->level);
    case IN_WORD_all_cards:
        return s->level.count;
    case IN_WORD_stations:
        return group_parts(s, s->run->per_station);
    default:
        return s->run->rings ? group_parts(s, doc_per_ring(s->run)) : 0;
    }
}

static double operand_value(void *ctx, unsigned name)
{
    const struct scene *s = ctx;
    const unsigned index = name & ((1u << IN_OPERAND_SHIFT) - 1);
    size_t count;
    switch ((enum in_operand)(name >> IN_OPERAND_SHIFT)) {
    case IN_OPERAND_EVENT:
        if (!doc_event_exists(s->run, index))
            return NAN;
        return (double)doc_event(s->run, s->region, s->level, index);
    case IN_OPERAND_PARAM:
        return (double)nm_param_get(s->run->experiment->machine.params,
                                    &nm_param_rows(&count)[index]);
    case IN_OPERAND_TRUTH:
        return (double)doc_truth_row(s->region, s->level, (enum in_truth)index);
    default:
        return word_value(s, (enum in_word)index);
    }
}

/** Cards of a level that have what the names of a metric are of; 0 also where some of its names are
 *  of all cards, and others of the processors' own counters, which not all cards have. */
static unsigned group_cards_of(const struct doc_run *run, struct doc_level level,
                               const struct in_metric *metric)
{
    unsigned own = 0, names = 0, counting = 0, event = 0;
    for (unsigned i = 0; i < metric->program.steps; i++) {
        const struct mon_step *step = &metric->program.step[i];
        const bool is_own = step->op == 'n' && step->name >> IN_OPERAND_SHIFT == IN_OPERAND_EVENT &&
                            mon_is_own(run->unit, step->name);
        names += step->op == 'n';
        own += is_own;
        event = is_own ? step->name : event;
    }
    if (!own)
        return level.count;
    for (unsigned c = level.first; c < level.first + level.count; c++)
        counting += doc_card_counts(run, c, event);
    return counting == level.count || own == names ? counting : 0;
}

bool doc_group_value(const struct doc_run *run, const struct doc_region *region,
                     struct doc_level level, const struct in_metric *metric, double *value)
{
    struct scene scene = {run, doc_region_measured(region), level};
    *value = NAN;
    return group_cards_of(run, level, metric) &&
           mon_formula_value(&metric->program, operand_value, &scene, value);
}

const char *doc_group_no_value(const struct doc_run *run, const struct doc_region *region,
                               struct doc_level level, const struct in_metric *metric, double value)
{
    for (unsigned i = 0; i < metric->program.steps; i++) {
        const struct mon_step *step = &metric->program.step[i];
        if (step->op == 'n' && step->name >> IN_OPERAND_SHIFT == IN_OPERAND_EVENT &&
            !doc_event_exists(run, step->name))
            return "the machine has no such ring";
    }
    return group_cards_of(run, level, metric)
               ? doc_no_value(region, value)
               : "not all of its processors count this; each that does has it (stats.csv)";
}

/** The group's name as a part of a statistic's name, which holds [a-z0-9_.] only. */
static const char *plain_name(const char *name, char buf[64])
{
    size_t n = 0;
    for (; name[n] && n < 63; n++) {
        const unsigned char c = (unsigned char)name[n];
        buf[n] = c < 0x80 && isalnum(c) ? (char)tolower(c) : '_';
    }
    buf[n] = '\0';
    return buf;
}

void doc_group_walk(const struct doc_run *run, const struct doc_region *region,
                    struct doc_level level, const char *component, doc_stat_fn *fn, void *ctx)
{
    const struct in_experiment *x = run->experiment;
    for (unsigned g = 0; g < x->group_count; g++)
        for (unsigned m = 0; m < x->group[g].metrics; m++) {
            const struct in_metric *metric = &x->group[g].metric[m];
            char name[160], plain[64];
            double value;
            const bool has = doc_group_value(run, region, level, metric, &value);
            snprintf(name, sizeof name, "group.%s.%s", plain_name(x->group[g].name, plain),
                     metric->name);
            fn(ctx,
               &(struct doc_stat){
                   .component = component,
                   .name = name,
                   .unit = metric->unit,
                   .desc = metric->formula,
                   .real = true,
                   .derived = true,
                   .value = value,
                   .reason = has ? NULL : doc_group_no_value(run, region, level, metric, value)});
        }
}

/* ---- monitor/groups.csv ---------------------------------------------------------------------- */

struct groups_csv {
    FILE *out;
    const struct doc_run *run;
    const struct doc_region *region;
};

static void write_level(void *ctx, const char *component, struct doc_level level)
{
    const struct groups_csv *csv = ctx;
    const struct in_experiment *x = csv->run->experiment;
    for (unsigned g = 0; g < x->group_count; g++)
        for (unsigned m = 0; m < x->group[g].metrics; m++) {
            const struct in_metric *metric = &x->group[g].metric[m];
            const bool machine = !strcmp(component, "machine");
            char number[32] = "";
            double value;
            const bool has = doc_group_value(csv->run, csv->region, level, metric, &value);
            if (!has && !machine)
                continue;
            if (has)
                snprintf(number, sizeof number, "%.12g", value);
            const char *const field[] = {csv->region->name,
                                         component,
                                         x->group[g].name,
                                         metric->name,
                                         number,
                                         metric->unit,
                                         machine ? metric->formula : ""};
            doc_csv_row(csv->out, field, sizeof field / sizeof *field);
        }
}

void doc_write_groups(const struct doc_run *run, FILE *out)
{
    fputs("snapshot,component,group,metric,value,unit,formula\r\n", out);
    for (size_t i = 0; i < run->regions; i++) {
        struct groups_csv csv = {out, run, &run->region[i]};
        write_level(&csv, "machine", doc_machine(run));
        if (doc_is_detailed(run, csv.region))
            doc_parts_walk(run, write_level, &csv);
    }
}
