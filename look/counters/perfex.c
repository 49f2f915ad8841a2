/*
 * Tables in the manner of perfex.
 *
 * The one hard idea: a statistic is a formula over names, and is shown exactly if all its names are
 * known. So a name that was not counted, or that this processor does not have, is simply unknown.
 */
#include "look/counters/perfex.h"

#include "monitor/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TITLE = 64 /* [characters] of an event */, TIMES = LOOK_COSTS };

uint64_t look_perfex_total(enum r10k_chip chip, unsigned event, unsigned modes,
                           const struct r10k_signals *signals)
{
    return r10k_total(signals, (enum r10k_signal)r10k_irix_event(chip, event)->signal, modes);
}

void look_perfex_add(struct look_perfex *sum, const struct look_perfex *part)
{
    for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++) {
        sum->count[e] += part->count[e];
        sum->exact[e] += part->exact[e];
        sum->during[e] += part->during[e];
        sum->known[e] += part->known[e];
        sum->turns[e] += part->turns[e];
    }
    sum->ran += part->ran;
}

const char *look_perfex_reason(const struct look_perfex *p, unsigned event)
{
    enum { SHARE = R10K_IRIX_EVENTS / R10K_COUNTERS, LEAST = 4 * SHARE, TENTHS = 9 };
    const uint64_t during = p->during[event];
    if (!p->ran)
        return "no time was counted";
    if (!during)
        return "it had no turn while a thread ran";
    if (p->known[event] < p->ran / 10 * TENTHS)
        return "it had no turn on processors with more than a tenth of the time";
    return during == p->ran || (p->turns[event] > 1 && during >= p->ran / LEAST)
               ? NULL
               : "it had too few turns while a thread ran";
}

void look_perfex_settle(struct look_perfex *sum)
{
    for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++)
        if (!look_perfex_reason(sum, e))
            sum->count[e] *= (double)sum->ran / (double)sum->known[e];
        else
            sum->missing |= UINT32_C(1) << e;
}

double look_perfex_time(const struct look_perfex *p, unsigned event, unsigned which)
{
    const char *name = r10k_irix_event(p->chip, event)->name;
    return p->count[event] *
           look_event_cost(p->costs, name, which, (double)nm_value_cpu_clock(p->machine));
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* Names of formulas: events, then their times, then the rest. */
enum { TIME_OF = R10K_IRIX_EVENTS, SECONDS = 2 * R10K_IRIX_EVENTS, L1D_LINE, L2_LINE };

/* The first number under which an event was counted, or -1. */
static int perfex_counted(const struct look_perfex *p, const char *name)
{
    for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++)
        if ((p->counted & ~p->missing) >> e & 1 && !strcmp(r10k_irix_event(p->chip, e)->name, name))
            return (int)e;
    return -1;
}

static int perfex_find(void *ctx, const char *name, char *why, size_t size)
{
    const struct look_perfex *p = ctx;
    const bool time = !strncmp(name, "time.", 5);
    const int event = perfex_counted(p, time ? name + 5 : name);
    snprintf(why, size, "'%s' was not counted", name);
    if (!strcmp(name, "seconds"))
        return perfex_counted(p, "cpu_cycles") < 0 ? -1 : SECONDS;
    if (!strcmp(name, "l1d.line"))
        return L1D_LINE;
    if (!strcmp(name, "l2.line"))
        return L2_LINE;
    return event < 0 ? -1 : event + (time ? TIME_OF : 0);
}

static double perfex_value(void *ctx, unsigned name)
{
    const struct look_perfex *p = ctx;
    switch (name) {
    case SECONDS:
        return p->count[perfex_counted(p, "cpu_cycles")] / (double)nm_value_cpu_clock(p->machine);
    case L1D_LINE:
        return (double)nm_value_l1d_line(p->machine);
    case L2_LINE:
        return (double)nm_value_l2_line(p->machine);
    default:
        return name < TIME_OF ? p->count[name]
                              : look_perfex_time(p, name - TIME_OF, LOOK_COST_TYPICAL);
    }
}

void look_perfex_statistics(const struct look_perfex *p, look_statistic_fn *told, void *ctx)
{
    static const struct {
        const char *title, *formula;
    } rows[] = {
#define STATISTIC(title, formula) {title, formula},
#include "look/counters/perfex.def"
#undef STATISTIC
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mon_formula formula;
        char why[128];
        size_t offset;
        double result;
        if (mon_formula_read(&formula, rows[i].formula, perfex_find, (void *)p, &offset, why,
                             sizeof why) &&
            mon_formula_value(&formula, perfex_value, (void *)p, &result))
            told(ctx, rows[i].title, result);
    }
}

static void print_statistic(void *ctx, const char *title, double result)
{
    FILE *out = ctx;
    fputs(title, out);
    for (size_t i = strlen(title); i < TITLE + 3; i++)
        putc('.', out);
    fprintf(out, "%14.6f\n", result);
}

/* ---- the table ------------------------------------------------------------------------------- */

struct order {
    unsigned event;
    double time;
};

/* Most costly first; what costs the same, in the order of numbers. */
static int perfex_dearest(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->time != y->time ? (x->time < y->time ? 1 : -1) : (int)x->event - (int)y->event;
}

/* And where the costs are from. */
static void print_times(const struct look_perfex *p, unsigned event, FILE *out)
{
    const char *source = look_cost_source(p->costs, r10k_irix_event(p->chip, event)->name);
    for (unsigned t = 0; t < TIMES; t++)
        fprintf(out, "%13.6f", look_perfex_time(p, event, t));
    if (*source)
        fprintf(out, "  %s", source);
}

static void print_event(const struct look_perfex *p, unsigned event, FILE *out)
{
    const char *title = r10k_irix_event(p->chip, event)->title;
    fprintf(out, "%2u %s", event, title);
    for (size_t i = strlen(title); i < TITLE; i++)
        putc('.', out);
    const bool missing = p->missing >> event & 1;
    if (missing)
        fprintf(out, "%16s", "<not counted>");
    else
        fprintf(out, "%16.0f", p->count[event]);
    if (p->truth)
        fprintf(out, "%16llu", (unsigned long long)p->exact[event]);
    if (p->truth && p->exact[event] && !missing)
        fprintf(out, "%+8.1f%%",
                100 * (p->count[event] - (double)p->exact[event]) / (double)p->exact[event]);
    else if (p->truth)
        fprintf(out, "%9s", "-");
    if (p->costs && !missing && look_has_cost(p->costs, r10k_irix_event(p->chip, event)->name))
        print_times(p, event, out);
    putc('\n', out);
}

static void print_head(const struct look_perfex *p, FILE *out)
{
    if (!p->costs && !p->truth)
        return;
    fprintf(out, "%-*s%16s", TITLE + 3, "   Event Counter Name",
            p->scaled ? "Scaled" : "Counter Value");
    if (p->truth)
        fprintf(out, "%16s%9s", "True", "Error");
    if (p->costs)
        fprintf(out, "%13s%13s%13s  %s", "Typical (s)", "Minimum (s)", "Maximum (s)", "Costs");
    putc('\n', out);
    for (int i = 0; i < TITLE + 3 + 16 + (p->truth ? 25 : 0) + (p->costs ? 51 : 0); i++)
        putc('=', out);
    putc('\n', out);
}

void look_perfex_clock(const struct look_perfex *p, FILE *out)
{
    fprintf(out, "Based on %g MHz MIPS %s, a NUMAchine processor card\n",
            (double)nm_value_cpu_clock(p->machine) / 1e6, r10k_chip_name(p->chip));
}

void look_perfex_print(const struct look_perfex *p, FILE *out)
{
    struct order order[R10K_IRIX_EVENTS];
    unsigned count = 0;
    for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++)
        if (p->counted >> e & 1)
            order[count++] = (struct order){e, p->costs && !(p->missing >> e & 1)
                                                   ? look_perfex_time(p, e, LOOK_COST_TYPICAL)
                                                   : 0};
    qsort(order, count, sizeof *order, perfex_dearest);
    print_head(p, out);
    for (unsigned i = 0; i < count; i++)
        print_event(p, order[i].event, out);
    if (!p->costs)
        return;
    fputs("\nStatistics\n=========\n", out);
    look_perfex_statistics(p, print_statistic, out);
}
