/*
 * The walk over a region's statistics: machine, stations, cards, and at each of them the same four
 * sections, so that a name means the same at every level and totals need no convention of their
 * own.
 */
#include "documents/statistics/stats.h"

#include "documents/statistics/components.h"
#include "documents/statistics/group.h"
#include "documents/statistics/histogram.h"
#include "documents/statistics/sampling.h"
#include "documents/statistics/statistics.h"
#include "documents/totals.h"
#include "machine/values.h"
#include "monitor/taps.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *unit, *sentence;
    size_t offset; /* within struct doc_totals */
    bool timed;
} truths[IN_TRUTH__COUNT] = {
#define TRUTH(field, unit, sentence) \
    {#field, unit, sentence, offsetof(struct doc_totals, truth.field), false},
#define TRUTH_TIMED(field, unit, sentence) \
    {#field, unit, sentence, offsetof(struct doc_totals, truth.field), true},
#define TRUTH_TAP(field, tap, unit, sentence) \
    {#field, unit, sentence, offsetof(struct doc_totals, taps.v[MON_TAP_##tap]), true},
#include "machine/truth.def"
#undef TRUTH
};

static const struct doc_metric metrics[DOC_METRIC__COUNT] = {
#define METRIC(name, unit, numerator, denominator, formula, sentence) \
    [DOC_METRIC_##name] = {#name, unit, formula, sentence},
#include "documents/statistics/metrics.def"
#undef METRIC
};

const struct doc_metric *doc_metrics(void)
{
    return metrics;
}

/* Their descriptions. */
static const char *const metric_descs[DOC_METRIC__COUNT] = {
#define METRIC(name, unit, numerator, denominator, formula, sentence) \
    [DOC_METRIC_##name] = sentence " = " formula,
#include "documents/statistics/metrics.def"
#undef METRIC
};

bool doc_is_untold(const struct doc_run *run, const char *unit)
{
    return run->outcome.references && strstr(unit, "instr");
}

static unsigned stations_of(const struct doc_run *run, struct doc_level level)
{
    return (level.count + run->per_station - 1) / run->per_station;
}

bool doc_metric_value(const struct doc_run *run, const struct doc_region *region,
                      struct doc_level level, enum doc_metric_id metric, double *value)
{
    double above = 0, below = 0;
    region = doc_region_measured(region);
#define STATES(s) ((double)doc_sum(run, region, level, MON_SCOPE_CARD, mon_states(s)))
#define S(tap) \
    ((double)doc_sum(run, region, level, MON_SCOPE_STATION, UINT64_C(1) << MON_TAP_##tap))
#define T(tap)     ((double)doc_tap(region, level, MON_TAP_##tap))
#define G(field)   ((double)doc_truth(region, level, offsetof(struct nm_truth, field)))
#define P(field)   ((double)run->experiment->machine.params->field)
#define CARDS      doc_cards(region, level)
#define PCYCLES    ((double)region->elapsed * CARDS)
#define OFF        ((double)doc_off(region, level))
#define IDLE       ((double)doc_idle(region, level))
#define SECONDS    doc_seconds(run, region->elapsed)
#define STATIONS   stations_of(run, level)
#define BUS_CYCLES doc_cycles(run, region, run->experiment->machine.params->bus_clock)
    switch (metric) {
#define METRIC(name, unit, numerator, denominator, formula, sentence) \
    case DOC_METRIC_##name:                                           \
        above = numerator;                                            \
        below = denominator;                                          \
        break;
#include "documents/statistics/metrics.def"
#undef METRIC
    default:
        break;
    }
#undef STATES
#undef S
#undef T
#undef G
#undef P
#undef CARDS
#undef PCYCLES
#undef OFF
#undef IDLE
#undef SECONDS
#undef STATIONS
#undef BUS_CYCLES
    const bool has = below > 0 && !doc_is_untold(run, metrics[metric].unit);
    *value = has ? above / below : NAN;
    return has;
}

const char *doc_no_value(const struct doc_region *region, double value)
{
    if (!doc_region_measured(region)->elapsed && region->elapsed)
        return "nothing of the region was timed";
    return isnan(value) ? "its formula would divide by zero" : "its value is too large";
}

uint64_t doc_truth_row(const struct doc_region *region, struct doc_level level, enum in_truth row)
{
    uint64_t sum = 0;
    for (unsigned c = level.first; c < level.first + level.count; c++)
        sum += *(const uint64_t *)((const char *)&region->card[c].sum + truths[row].offset);
    return sum;
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct region_walk {
    const struct doc_run *run;
    const struct doc_region *region;
    struct doc_level level;
    const char *component;
    bool timed; /* what is emitted grows only while the machine is timed */
    const char *status[IN_STATUS_STATES]; /* what each says */
    doc_stat_fn *fn;
    void *ctx;
};

enum { NAME = 128 };

/* A name of two parts. There are tens of thousands of them: no printf. */
static void stats_join(char out[NAME], const char *section, const char *name)
{
    const size_t first = strlen(section), second = strlen(name);
    assert(first + second < NAME);
    memcpy(out, section, first);
    memcpy(out + first, name, second + 1);
}

static void stats_emit(const struct region_walk *w, const char *section, const char *name,
                       const char *unit, const char *desc, uint64_t count, const double *value)
{
    char full[NAME];
    stats_join(full, section, name);
    struct doc_stat stat = {
        .component = w->component,
        .name = full,
        .unit = unit,
        .desc = desc,
        .real = value != NULL,
        .derived = value != NULL,
        .timed = w->timed,
        .count = count,
        .value = value ? *value : 0,
        .reason = !value || isfinite(*value)    ? NULL
                  : doc_is_untold(w->run, unit) ? "a trace has references, not instructions"
                                                : doc_no_value(w->region, *value),
    };
    w->fn(w->ctx, &stat);
}

static void walk_time(const struct region_walk *w)
{
    double seconds = doc_seconds(w->run, w->region->elapsed);
    stats_emit(w, "", doc_statistic_name(DOC_STATISTIC_elapsed), "PCycles",
               "simulated time, all visits of the region", w->region->elapsed, NULL);
    stats_emit(w, "", doc_statistic_name(DOC_STATISTIC_seconds), "s", "elapsed / processor.clock",
               0, &seconds);
    stats_emit(w, "", doc_statistic_name(DOC_STATISTIC_visits), "visits",
               "times the region was entered", w->region->visits, NULL);
    if (w->region->measured)
        stats_emit(w, "", doc_statistic_name(DOC_STATISTIC_measured), "PCycles",
                   "of which were timed and measured: ratios are of these",
                   w->region->measured->elapsed, NULL);
}

/* Processors execute in any mode; what buses, caches and directories do is counted while timed. */
static bool counts_while_timed(const struct mon_unit_ops *unit, unsigned event)
{
    const uint64_t always = ((UINT64_C(1) << IN_STATUS_STATES) - 1) | UINT64_C(1) << MON_TAP_CYCLES;
    return mon_is_own(unit, event) || unit->events[event].taps & ~always;
}

static void walk_monitor(struct region_walk *w)
{
    for (unsigned i = 0; i < w->run->choice.count; i++) {
        const struct mon_event *e = mon_unit_event(w->run->unit, w->run->choice.event[i]);
        char flag[64];
        w->timed = counts_while_timed(w->run->unit, w->run->choice.event[i]);
        stats_emit(w, "monitor.", e->name, e->unit, e->sentence,
                   doc_count(w->run, w->region, w->level, i), NULL);
        if (!doc_overflowed(w->region, w->level, i))
            continue;
        snprintf(flag, sizeof flag, "%s.overflowed", e->name);
        stats_emit(w, "monitor.", flag, "flag",
                   "a 32-bit counter wrapped: its count is modulo 2^32", 1, NULL);
    }
    w->timed = false;
}

static const char *status_sentence(const struct doc_run *run, unsigned state)
{
    const int event = mon_event_find(run->unit, mon_state_name(state));
    return event < 0 ? mon_tap_rows()[state].sentence
                     : mon_unit_event(run->unit, (unsigned)event)->sentence;
}

static void walk_status(const struct region_walk *w)
{
    for (unsigned s = 0; s < IN_STATUS_STATES; s++)
        stats_emit(w, "status.", mon_state_name(s), mon_tap_rows()[s].unit, w->status[s],
                   doc_tap(w->region, w->level, (enum mon_tap)s), NULL);
}

/* What a run cannot know of its truth: how many instructions a trace's references were. */
static bool walk_is_untold(const struct region_walk *w, enum in_truth row)
{
    return row == IN_TRUTH_instructions && doc_is_untold(w->run, truths[row].unit);
}

static void walk_truth(struct region_walk *w)
{
    static const double untold = NAN;
    for (unsigned i = 0; i < IN_TRUTH__COUNT; i++) {
        w->timed = truths[i].timed;
        stats_emit(w, "truth.", truths[i].name, truths[i].unit, truths[i].sentence,
                   doc_truth_row(w->region, w->level, (enum in_truth)i),
                   walk_is_untold(w, (enum in_truth)i) ? &untold : NULL);
    }
    w->timed = false;
}

static void walk_metrics(const struct region_walk *w)
{
    for (int m = 0; m < DOC_METRIC__COUNT; m++) {
        double value;
        doc_metric_value(w->run, w->region, w->level, (enum doc_metric_id)m, &value);
        stats_emit(w, "metric.", metrics[m].name, metrics[m].unit, metric_descs[m], 0, &value);
    }
}

/* What the workload measures by itself. */
static void walk_figures(const struct region_walk *w)
{
    for (size_t i = 0; w->region->figure && i < w->run->figures; i++) {
        const struct prog_figure *row = &w->run->figure[i];
        const struct prog_quotient *q = &w->region->figure[i];
        const double value = q->below > 0 ? q->above / q->below : NAN;
        stats_emit(w, "", row->name, row->unit, row->sentence, (uint64_t)q->above,
                   row->count ? NULL : &value);
    }
}

static void walk_level(void *ctx, const char *component, struct doc_level level)
{
    struct region_walk *w = ctx;
    w->component = component;
    w->level = level;
    walk_monitor(w);
    walk_status(w);
    walk_truth(w);
    walk_metrics(w);
    doc_group_walk(w->run, w->region, level, component, w->fn, w->ctx);
}

void doc_parts_walk(const struct doc_run *run, doc_level_fn *fn, void *ctx)
{
    for (unsigned first = 0; first < run->cards; first += run->per_station) {
        unsigned station = first / run->per_station;
        char component[64];
        snprintf(component, sizeof component, "machine.station[%u]", station);
        fn(ctx, component, (struct doc_level){first, run->per_station});
        for (unsigned c = 0; c < run->per_station; c++) {
            snprintf(component, sizeof component, "machine.station[%u].card[%u]", station, c);
            fn(ctx, component, (struct doc_level){first + c, 1});
        }
    }
}

/* Of the machine everything, of its parts what says something. */
struct sieve {
    doc_stat_fn *fn;
    void *ctx;
};

static void stats_sift(void *ctx, const struct doc_stat *stat)
{
    const struct sieve *s = ctx;
    const bool says = stat->derived ? !stat->reason : stat->real ? stat->value != 0 : stat->count;
    if (says || !strcmp(stat->component, "machine"))
        s->fn(s->ctx, stat);
}

bool doc_is_detailed(const struct doc_run *run, const struct doc_region *region)
{
    const size_t i = (size_t)(region - run->region);
    return i == 0 || (i + 1) * run->cards <= DOC_DETAIL;
}

/* Each row of each file has such texts: no printf. @param n  [bytes] that `out` holds already
 * @return what it holds then */
static size_t stats_add(size_t n, char *out, size_t size, const char *text)
{
    const size_t length = strlen(text), room = size - 1 - n, fits = length < room ? length : room;
    memcpy(out + n, text, fits);
    out[n + fits] = '\0';
    return n + fits;
}

void doc_stat_kind(const struct doc_stat *stat, char *out, size_t size)
{
    bool inside = false;
    size_t n = 0;
    for (const char *c = stat->component; *c && n + 1 < size; c++) {
        inside |= *c == '[';
        if (!inside)
            out[n++] = *c;
        inside &= *c != ']';
    }
    stats_add(stats_add(n, out, size, "."), out, size, stat->name);
}

void doc_stat_path(const struct doc_stat *stat, char *out, size_t size)
{
    stats_add(stats_add(stats_add(0, out, size, stat->component), out, size, "."), out, size,
              stat->name);
}

static void put_whole(uint64_t number, char out[DOC_STAT_VALUE])
{
    char *end = out + 1;
    for (uint64_t left = number; left > 9; left /= 10)
        end++;
    *end = '\0';
    for (uint64_t left = number; end > out; left /= 10)
        *--end = (char)('0' + left % 10);
}

/* Whether all the digits that a value is written with are whole ones: a third of them are 0. */
static bool is_whole(double value)
{
    return !signbit(value) && value < 1e12 && value == (double)(uint64_t)value;
}

/* Writes the digits of a number with `before` of them before the point, which may be negative, and
 * without the zeros at its end. */
static void put_pointed(const char *digits, int count, int before, char *out)
{
    while (count > before && count > 1 && digits[count - 1] == '0')
        count--;
    if (before <= 0) {
        *out++ = '0';
        *out++ = '.';
    }
    for (int i = before < 0 ? before : 0; i < count; i++) {
        if (i == before && before > 0)
            *out++ = '.';
        *out++ = i < 0 ? '0' : digits[i];
    }
    *out = '\0';
}

/* As "%.12g", for values that need no exponent: a ratio is written in a tenth of printf's time. The
 * product is wrong by 1e-7 at most; printf decides where that could change the last digit.
 * @return false: it has to */
static bool put_ratio(double value, char out[DOC_STAT_VALUE])
{
    enum { DIGITS = 12, LEAST = -4 };
    if (!(value >= 1e-4 && value < 1e11))
        return false;
    int before = LEAST;
    long double above = 1e-4L, factor = 1e16L;
    while (value >= above) {
        before++;
        above *= 10;
        factor /= 10;
    }
    const long double number = value * factor;
    const uint64_t whole = (uint64_t)number;
    const long double rest = number - whole;
    char digits[DOC_STAT_VALUE];
    if ((rest > 0.499999L && rest < 0.500001L) || whole < 100000000000 || whole >= 999999999999)
        return false;
    put_whole(whole + (rest > 0.5L), digits);
    put_pointed(digits, DIGITS, before, out);
    return true;
}

void doc_stat_value(const struct doc_stat *stat, char out[DOC_STAT_VALUE])
{
    if (!stat->real)
        put_whole(stat->count, out);
    else if (is_whole(stat->value))
        put_whole((uint64_t)stat->value, out);
    else if (!put_ratio(stat->value, out))
        snprintf(out, DOC_STAT_VALUE, "%.12g", stat->value);
}

static void walk_region(const struct doc_run *run, const struct doc_region *region, bool parts,
                        doc_stat_fn *fn, void *ctx)
{
    struct region_walk w = {
        .run = run, .region = region, .component = "machine", .fn = fn, .ctx = ctx};
    const bool whole = region == &run->region[0];
    for (unsigned s = 0; s < IN_STATUS_STATES; s++)
        w.status[s] = status_sentence(run, s);
    walk_time(&w);
    walk_level(&w, "machine", doc_machine(run));
    walk_figures(&w);
    doc_highlights_walk(run, region, fn, ctx);
    if (whole)
        doc_histogram_walk(run, fn, ctx);
    if (whole && doc_sampling_is(run))
        doc_sampling_walk(run, fn, ctx);
    if (!parts)
        return;
    doc_parts_walk(run, walk_level, &w);
    doc_components_walk(run, region, fn, ctx);
    if (whole)
        doc_registers_walk(run, fn, ctx);
}

void doc_stats_walk(const struct doc_run *run, const struct doc_region *region, doc_stat_fn *fn,
                    void *ctx)
{
    struct sieve sieve = {fn, ctx};
    walk_region(run, region, doc_is_detailed(run, region), stats_sift, &sieve);
}

void doc_stats_walk_measured(const struct doc_run *run, const struct doc_region *region,
                             doc_stat_fn *fn, void *ctx)
{
    struct sieve sieve = {fn, ctx};
    walk_region(run, region->measured, doc_is_detailed(run, region), stats_sift, &sieve);
}

void doc_stats_walk_all(const struct doc_run *run, const struct doc_region *region, doc_stat_fn *fn,
                        void *ctx)
{
    walk_region(run, region, true, fn, ctx);
}
