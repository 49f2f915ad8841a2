/*
 * The answer to the user's question, in the words of the monitoring card.
 *
 * A count says little alone. Beside it stands its rate: events that are times as a share of time,
 * events that happen as how often per thousand instructions (which, unlike a rate per second, does
 * not depend on clocks that are assumed). Two regions stand side by side with their ratio, because
 * that is why a program marks two. Nothing is computed with a count that has wrapped.
 */
#include "documents/statistics/table.h"
#include "base/plural.h"
#include "documents/statistics/replayed.h"
#include "documents/statistics/sampling.h"

#include "documents/grid.h"
#include "documents/statistics/components.h"
#include "documents/statistics/group.h"
#include "documents/statistics/histogram.h"
#include "documents/statistics/stats.h"
#include "documents/totals.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* [characters] width of a table where there is no window. */
enum { PAGE = 110 };

/* How to draw on `out`. */
struct pen {
    FILE *out;
    bool bold;
    bool brief; /* counts and groups only */
    unsigned width;
};

static struct pen pen_for(FILE *out)
{
    struct winsize size;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool tty = isatty(fileno(out));
    return (struct pen){
        .out = out,
        .bold = tty && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0,
        .width =
            tty && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : PAGE,
    };
}

static void print_grid(struct pen pen, struct doc_grid *grid)
{
    doc_grid_print(grid, pen.out, pen.bold, pen.width);
    doc_grid_free(grid);
}

static const struct mon_event *table_event_of(const struct doc_run *run, unsigned i)
{
    return mon_unit_event(run->unit, run->choice.event[i]);
}

/* In functional mode time is a number of instructions: what is computed with it would only mislead.
 */
static bool is_timed(const struct doc_run *run)
{
    return nm_value_mode(run->experiment->machine.params) != NM_MODE_FUNCTIONAL;
}

/* Counted in cycles of the rings' clock. */
static bool is_of_rings(const struct mon_event *e)
{
    return strcmp(e->unit, "ring cycles") == 0;
}

static bool is_time(const struct mon_event *e)
{
    return strcmp(e->unit, "PCycles") == 0 || strcmp(e->unit, "cycles") == 0 || is_of_rings(e);
}

/* What stands in front of a count: time is an estimate where all of it is counted, but parts of it
 * are timed. */
static const char *tilde_of(const struct doc_run *run, const struct mon_event *e)
{
    return strcmp(e->unit, "PCycles") ? "" : doc_tilde(run);
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Cards that had a thread and count an event. */
static unsigned counting_cards(const struct doc_run *run, const struct doc_region *region,
                               unsigned i)
{
    unsigned n = 0;
    for (unsigned c = 0; c < run->cards; c++)
        n += doc_had_thread(region, c) && doc_card_counts(run, c, run->choice.event[i]);
    return n;
}

/* What a processor did: instructions, or of a trace references. */
static double work_of(const struct doc_run *run, const struct doc_card *card)
{
    const struct nm_truth *truth = &card->sum.truth;
    return (double)(run->outcome.references ? truth->loads + truth->stores : truth->instructions);
}

/* ... those that count an event. */
static double work_for(const struct doc_run *run, const struct doc_region *region, unsigned i)
{
    double sum = 0;
    for (unsigned c = 0; c < run->cards; c++)
        if (doc_card_counts(run, c, run->choice.event[i]))
            sum += work_of(run, &region->card[c]);
    return sum;
}

/* Time available to an event in its own unit, over all who count it: of cards, those that had a
 * thread. */
static double time_for(const struct doc_run *run, const struct doc_region *region, unsigned i)
{
    const struct mon_event *e = table_event_of(run, i);
    struct doc_level all = doc_machine(run);
    if (strcmp(e->unit, "PCycles") == 0)
        return (double)region->elapsed * counting_cards(run, region, i);
    const struct nm_params *p = run->experiment->machine.params;
    const double time =
        doc_cycles(run, region, is_of_rings(e) ? nm_value_ring_clock(p) : nm_value_bus_clock(p));
    if (e->scope == MON_SCOPE_CARD)
        return time * doc_cards(region, all);
    if (e->scope == MON_SCOPE_STATION)
        return time * run->cards / run->per_station;
    return e->scope == MON_SCOPE_RING ? time * run->cards / doc_per_ring(run) : time;
}

/* What of an event's count belongs to that time. */
static double count_in_time(const struct doc_run *run, const struct doc_region *region, unsigned i)
{
    double sum = 0;
    if (table_event_of(run, i)->scope != MON_SCOPE_CARD)
        return (double)doc_count(run, region, doc_machine(run), i);
    for (unsigned c = 0; c < run->cards; c++)
        if (doc_had_thread(region, c))
            sum += (double)region->card[c].counts[i];
    return sum;
}

static void cell_rate(struct doc_grid *grid, const struct doc_run *run,
                      const struct doc_region *region, unsigned i)
{
    const struct mon_event *e = table_event_of(run, i);
    struct doc_level all = doc_machine(run);
    if (doc_overflowed(region, all, i)) { /* a rate of what is left of a count means nothing */
        doc_grid_cell(grid, "%s", "");
        return;
    }
    region = doc_region_measured(region);
    double count = (double)doc_count(run, region, all, i);
    double time = time_for(run, region, i);
    const double work = work_for(run, region, i);
    if (!doc_event_exists(run, run->choice.event[i]))
        doc_grid_cell(grid, "-");
    else if (is_time(e) && time > 0 && is_timed(run))
        doc_grid_cell(grid, "%s%.1f %% of time", doc_tilde(run),
                      100 * count_in_time(run, region, i) / time);
    else if (!is_time(e) && work > 0)
        doc_grid_cell(grid, "%s%.3f/1000 %s", doc_tilde(run), 1000 * count / work,
                      run->outcome.references ? "refs" : "instr");
    else
        doc_grid_cell(grid, "-");
}

static void cell_spread(struct doc_grid *grid, const struct doc_run *run,
                        const struct doc_region *region, unsigned i)
{
    uint64_t low = UINT64_MAX, high = 0;
    char a[32], b[32];
    for (unsigned c = 0; c < run->cards; c++) {
        uint64_t n = region->card[c].counts[i];
        if (!doc_card_counts(run, c, run->choice.event[i]))
            continue;
        low = n < low ? n : low;
        high = n > high ? n : high;
    }
    if (doc_overflowed(region, doc_machine(run), i))
        doc_grid_cell(grid, "%s", "");
    else if (table_event_of(run, i)->scope == MON_SCOPE_CARD)
        doc_grid_cell(grid, "%s%s .. %s", tilde_of(run, table_event_of(run, i)),
                      doc_grouped(low, a), doc_grouped(high, b));
    else
        doc_grid_cell(grid, "same for all");
}

static void cell_count(struct doc_grid *grid, const struct doc_run *run,
                       const struct doc_region *region, unsigned i)
{
    char buf[32];
    struct doc_level all = doc_machine(run);
    doc_grid_cell(grid, "%s%s%s", tilde_of(run, table_event_of(run, i)),
                  doc_grouped(doc_count(run, region, all, i), buf),
                  doc_overflowed(region, all, i) ? " (wrapped)" : "");
}

/* @param has  both are there */
static void cell_ratio(struct doc_grid *grid, bool has, double first, double second)
{
    if (has && first > 0)
        doc_grid_cell(grid, "%.4g", second / first);
    else
        doc_grid_cell(grid, "-");
}

/* ---- one region ------------------------------------------------------------------------------ */

static void print_counts(struct pen pen, const struct doc_run *run, const struct doc_region *region)
{
    struct doc_grid grid;
    doc_grid_init(&grid, "lrlrll");
    static const char *const heading[] = {"event", "count",         "unit",
                                          "rate",  "per processor", "meaning"};
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        doc_grid_cell(&grid, "%s", heading[i]);
    for (unsigned i = 0; i < run->choice.count; i++) {
        doc_grid_cell(&grid, "%s", table_event_of(run, i)->name);
        cell_count(&grid, run, region, i);
        doc_grid_cell(&grid, "%s", table_event_of(run, i)->unit);
        cell_rate(&grid, run, region, i);
        cell_spread(&grid, run, region, i);
        doc_grid_cell(&grid, "%s", table_event_of(run, i)->sentence);
    }
    print_grid(pen, &grid);
}

/* "-" when there is nothing to say. */
static void cell_value(struct doc_grid *grid, const struct doc_run *run, bool has, double value)
{
    if (has)
        doc_grid_cell(grid, "%s%.3f", doc_tilde(run), value);
    else
        doc_grid_cell(grid, "-");
}

static void print_metrics(struct pen pen, const struct doc_run *run,
                          const struct doc_region *region)
{
    struct doc_grid grid;
    doc_grid_init(&grid, "lrll");
    for (int m = 0; m < DOC_METRIC__COUNT; m++) {
        const struct doc_metric *metric = &doc_metrics()[m];
        double value;
        const bool has =
            doc_metric_value(run, region, doc_machine(run), (enum doc_metric_id)m, &value);
        if (!has && doc_is_untold(run, metric->unit))
            continue;
        doc_grid_cell(&grid, "%s", metric->name);
        cell_value(&grid, run, has, value);
        doc_grid_cell(&grid, "%s", metric->unit);
        doc_grid_cell(&grid, "= %s", metric->formula);
    }
    pen.bold = false; /* no heading */
    print_grid(pen, &grid);
}

static void print_highlights(struct pen pen, const struct doc_run *run,
                             const struct doc_region *region)
{
    struct doc_highlight highlight[DOC_HIGHLIGHTS];
    struct doc_grid grid;
    doc_highlights(run, region, highlight);
    if (!highlight[DOC_BUSIEST_BUS].name)
        return;
    doc_grid_init(&grid, "lrll");
    for (unsigned i = 0; i < DOC_HIGHLIGHTS; i++) {
        const struct doc_highlight *h = &highlight[i];
        char where[96];
        if (!h->name)
            continue;
        doc_grid_cell(&grid, "%s", h->name);
        cell_value(&grid, run, isfinite(h->percent), h->percent);
        doc_grid_cell(&grid, "%%");
        doc_grid_cell(&grid, *doc_highlight_parts(h, where, sizeof where) ? "%s (%s)" : "%s",
                      h->sentence, where);
    }
    pen.bold = false; /* no heading */
    fputc('\n', pen.out);
    print_grid(pen, &grid);
}

static void print_groups(struct pen pen, const struct doc_run *run, const struct doc_region *region)
{
    const struct in_experiment *x = run->experiment;
    for (unsigned g = 0; g < x->group_count; g++) {
        const struct in_group *group = &x->group[g];
        struct doc_grid grid;
        doc_grid_init(&grid, "lrll");
        doc_grid_cell(&grid, "%s", group->name);
        doc_grid_cell(&grid, "%s", "");
        doc_grid_cell(&grid, "%s", group->metrics ? "unit" : "");
        doc_grid_cell(&grid, "%s", group->about);
        for (unsigned m = 0; m < group->metrics; m++) {
            const struct in_metric *metric = &group->metric[m];
            double value;
            bool has = doc_group_value(run, region, doc_machine(run), metric, &value);
            doc_grid_cell(&grid, "%s", metric->name);
            cell_value(&grid, run, has, value);
            doc_grid_cell(&grid, "%s", metric->unit);
            doc_grid_cell(&grid, "= %s", metric->formula);
        }
        fputc('\n', pen.out);
        print_grid(pen, &grid);
    }
}

void doc_table_region(const struct doc_run *run, const struct doc_region *region, FILE *out)
{
    struct pen pen = pen_for(out);
    char ticks[32];
    fprintf(out, "\n%s: ", region->name);
    if (is_timed(run))
        fprintf(out, "%s%.3f us, ", doc_tilde(run), 1e6 * doc_seconds(run, region->elapsed));
    fprintf(out, "%s%s PCycles of each processor\n", doc_tilde(run),
            doc_grouped(region->elapsed, ticks));
    if (run->choice.count)
        print_counts(pen, run, region);
    if (run->experiment->group_count) {
        print_groups(pen, run, region);
        return;
    }
    if (!is_timed(run))
        return;
    fputc('\n', out);
    print_metrics(pen, run, region);
    print_highlights(pen, run, region);
}

/* ---- several regions ------------------------------------------------------------------------- */

/* Regions that fit side by side. */
enum { ABREAST = 4 };

/* The columns of a comparison: regions `first` .. `first + count - 1`. */
struct columns {
    const struct doc_run *run;
    const struct doc_region *first;
    size_t count;
    bool ratio;
};

static void compare_heading(struct doc_grid *grid, const struct columns *c)
{
    doc_grid_cell(grid, "event");
    for (size_t r = 0; r < c->count; r++)
        doc_grid_cell(grid, "%s", c->first[r].name);
    if (c->ratio)
        doc_grid_cell(grid, "ratio");
    doc_grid_cell(grid, "unit");
    doc_grid_cell(grid, "meaning");
}

static void compare_event(struct doc_grid *grid, const struct columns *c, unsigned i)
{
    struct doc_level all = doc_machine(c->run);
    doc_grid_cell(grid, "%s", table_event_of(c->run, i)->name);
    for (size_t r = 0; r < c->count; r++)
        cell_count(grid, c->run, &c->first[r], i);
    const bool wrapped =
        c->ratio && (doc_overflowed(&c->first[0], all, i) || doc_overflowed(&c->first[1], all, i));
    if (wrapped)
        doc_grid_cell(grid, "%s", "");
    else if (c->ratio)
        cell_ratio(grid, true, (double)doc_count(c->run, &c->first[0], all, i),
                   (double)doc_count(c->run, &c->first[1], all, i));
    doc_grid_cell(grid, "%s", table_event_of(c->run, i)->unit);
    doc_grid_cell(grid, "%s", table_event_of(c->run, i)->sentence);
}

static void compare_elapsed(struct doc_grid *grid, const struct columns *c)
{
    char buf[32];
    doc_grid_cell(grid, "elapsed");
    for (size_t r = 0; r < c->count; r++)
        doc_grid_cell(grid, "%s%s", doc_tilde(c->run), doc_grouped(c->first[r].elapsed, buf));
    if (c->ratio)
        cell_ratio(grid, true, (double)c->first[0].elapsed, (double)c->first[1].elapsed);
    doc_grid_cell(grid, "PCycles");
    doc_grid_cell(grid, is_timed(c->run) ? "simulated time" : "one an instruction: not a time");
}

/* What is computed for each region of a comparison. */
struct derived {
    double value[ABREAST];
    bool has[ABREAST]; /* false: the region has none, and its value is 0 */
};

static void compare_derived(struct doc_grid *grid, const struct columns *c, const char *name,
                            const struct derived *d, const char *unit)
{
    doc_grid_cell(grid, "%s", name);
    for (size_t r = 0; r < c->count; r++)
        cell_value(grid, c->run, d->has[r], d->value[r]);
    if (c->ratio)
        cell_ratio(grid, d->has[0] && d->has[1], d->value[0], d->value[1]);
    doc_grid_cell(grid, "%s", unit);
}

static void compare_metric(struct doc_grid *grid, const struct columns *c, enum doc_metric_id id)
{
    const struct doc_metric *metric = &doc_metrics()[id];
    struct derived d = {0};
    for (size_t r = 0; r < c->count; r++)
        d.has[r] = doc_metric_value(c->run, &c->first[r], doc_machine(c->run), id, &d.value[r]);
    compare_derived(grid, c, metric->name, &d, metric->unit);
    doc_grid_cell(grid, "= %s", metric->formula);
}

static void compare_highlight(struct doc_grid *grid, const struct columns *c,
                              enum doc_highlight_id id)
{
    struct doc_highlight h[DOC_HIGHLIGHTS];
    struct derived d = {0};
    for (size_t r = 0; r < c->count; r++) {
        doc_highlights(c->run, &c->first[r], h);
        d.has[r] = isfinite(h[id].percent);
        d.value[r] = h[id].percent;
    }
    if (!h[id].name) /* a machine has it or not, in every region */
        return;
    compare_derived(grid, c, h[id].name, &d, "%");
    doc_grid_cell(grid, "%s", h[id].sentence);
}

static void compare_formula(struct doc_grid *grid, const struct columns *c,
                            const struct in_metric *metric)
{
    struct derived d = {0};
    for (size_t r = 0; r < c->count; r++)
        d.has[r] = doc_group_value(c->run, &c->first[r], doc_machine(c->run), metric, &d.value[r]);
    compare_derived(grid, c, metric->name, &d, metric->unit);
    doc_grid_cell(grid, "= %s", metric->formula);
}

/* A row with a name, or empty. */
static void compare_gap(struct doc_grid *grid, const char *name, const char *words)
{
    const size_t columns = strlen(grid->align);
    doc_grid_cell(grid, "%s", name);
    for (size_t column = 2; column < columns; column++)
        doc_grid_cell(grid, "%s", "");
    doc_grid_cell(grid, "%s", words);
}

/* What follows from the counts: the groups' metrics, or without groups those everybody needs. */
static void compare_computed(struct doc_grid *grid, const struct columns *c)
{
    const struct in_experiment *x = c->run->experiment;
    if (!x->group_count && !is_timed(c->run))
        return;
    compare_gap(grid, "", "");
    for (unsigned g = 0; g < x->group_count; g++) {
        compare_gap(grid, x->group[g].name, x->group[g].about);
        for (unsigned m = 0; m < x->group[g].metrics; m++)
            compare_formula(grid, c, &x->group[g].metric[m]);
    }
    if (x->group_count)
        return;
    for (int m = 0; m < DOC_METRIC__COUNT; m++)
        if (!doc_is_untold(c->run, doc_metrics()[m].unit))
            compare_metric(grid, c, (enum doc_metric_id)m);
    for (unsigned h = 0; h < DOC_HIGHLIGHTS; h++)
        compare_highlight(grid, c, (enum doc_highlight_id)h);
}

static void print_comparison(struct pen pen, const struct columns *c)
{
    char align[16] = "l";
    memset(align + 1, 'r', c->count + c->ratio);
    strcpy(align + 1 + c->count + c->ratio, "ll");

    struct doc_grid grid;
    doc_grid_init(&grid, align);
    compare_heading(&grid, c);
    compare_elapsed(&grid, c);
    for (unsigned i = 0; i < c->run->choice.count; i++)
        compare_event(&grid, c, i);
    if (c->run->experiment->group_count || !pen.brief)
        compare_computed(&grid, c);
    fputc('\n', pen.out);
    print_grid(pen, &grid);
    if (c->ratio)
        fprintf(pen.out, "\nratio: %s / %s\n", c->first[1].name, c->first[0].name);
}

/* With marks the regions are what the user asked about; one alone is shown beside the whole run. */
static void print_regions(struct pen pen, const struct doc_run *run)
{
    if (run->regions == 2) {
        print_comparison(pen, &(struct columns){run, run->region, 2, false});
        return;
    }
    size_t marked = run->regions - 1;
    for (size_t r = 0; r < marked; r += ABREAST) {
        size_t count = marked - r < ABREAST ? marked - r : ABREAST;
        print_comparison(pen, &(struct columns){run, &run->region[1 + r], count, marked == 2});
    }
}

/* ---- around the tables ----------------------------------------------------------------------- */

static void print_end(const struct doc_run *run, FILE *out)
{
    const struct prog_outcome *o = &run->outcome;
    fprintf(out, "%s: ", run->experiment->name);
    if (o->end == PROG_EXITED)
        fprintf(out, "exited with status %d\n", o->status);
    else if (o->end == PROG_SIGNALED)
        fprintf(out, "killed by signal %d (%s)\n", o->status, strsignal(o->status));
    else if (o->end == PROG_INTERRUPTED)
        fprintf(out, "interrupted; the results cover the time up to there\n");
    else if (o->end == PROG_LIMIT)
        fprintf(out, "stopped at the limit; the program had not finished\n");
    else
        fprintf(out, "%s\n", doc_end_word(o->end));
}

static void print_time(const struct doc_run *run, FILE *out)
{
    const sim_tick elapsed = run->outcome.ticks;
    char ticks[32];
    fprintf(out,
            "  %s%.3f us simulated: %s%s PCycles (processor cycles, at %g MHz) on each of %u "
            "processor%s\n",
            doc_tilde(run), 1e6 * doc_seconds(run, elapsed), doc_tilde(run),
            doc_grouped(elapsed, ticks),
            (double)nm_value_cpu_clock(run->experiment->machine.params) / 1e6, run->cards,
            sim_plural(run->cards));
}

static uint64_t all_work(const struct doc_run *run)
{
    double sum = 0;
    if (!run->outcome.references)
        return run->outcome.instructions;
    for (unsigned c = 0; c < run->cards; c++)
        sum += work_of(run, &run->region[0].card[c]);
    return (uint64_t)sum;
}

static void print_work(const struct doc_run *run, FILE *out)
{
    const struct prog_outcome *o = &run->outcome;
    const unsigned busy = doc_cards(&run->region[0], doc_machine(run));
    const uint64_t work = all_work(run);
    double ipc;
    char grouped[32];
    fprintf(out, "  %s %s%s of %llu thread%s on %u processor%s", doc_grouped(work, grouped),
            o->references ? "reference" : "instruction", sim_plural(work),
            (unsigned long long)o->threads, sim_plural(o->threads), busy, sim_plural(busy));
    if (is_timed(run) &&
        doc_metric_value(run, &run->region[0], doc_machine(run), DOC_METRIC_ipc, &ipc))
        fprintf(out, ", IPC %s%.3f of each of them", doc_tilde(run), ipc);
    fputc('\n', out);
}

static void print_summary(const struct doc_run *run, FILE *out)
{
    const double seconds = run->host.seconds;
    if (is_timed(run))
        print_time(run, out);
    print_work(run, out);
    doc_print_estimate(run, out);
    doc_print_replayed(run, out);
    if (!is_timed(run))
        fprintf(out, "  functional mode: only counts of instructions mean anything, %s\n",
                "not times, rates, stalls, misses or traffic");
    fprintf(out, "  host: %.2f s, %.1f %s\n", seconds,
            seconds > 0 ? (double)all_work(run) / seconds / 1e6 : 0,
            run->outcome.references ? "million references a second" : "MIPS");
}

/* What the experiment shows, in its own words. */
static void print_about(const struct doc_run *run, FILE *out)
{
    const char *line = run->experiment->about;
    if (line && *line)
        fputc('\n', out);
    while (line && *line) {
        const size_t n = strcspn(line, "\n");
        fprintf(out, "%s%.*s\n", n ? "  " : "", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

/* What would take a run of the card beside those of the events; NULL: nothing. When the events fill
 * one run only, what they exclude needs another; with several, one of them has room for it. */
static const char *one_more(const struct doc_run *run)
{
    if (doc_registers_used(run))
        return "the counters as they were programmed";
    for (unsigned c = 0; run->unit->words && run->registers && c < run->cards; c++) {
        const char *why = run->unit->conflict(&run->choice, run->registers[c].memory.setup);
        if (why)
            return run->plan.banks == 1 ? why : NULL;
    }
    return NULL;
}

static void print_banks(const struct doc_run *run, FILE *out)
{
    const unsigned events = run->choice.count, banks = run->plan.banks;
    const char *more = one_more(run);
    if (events == 0)
        return;
    fprintf(out, "\n%u event%s on %u counters", events, sim_plural(events), run->unit->counters);
    if (run->unit->own)
        fprintf(out, " and %u of the processor", mon_own_counters(run->unit->own));
    fprintf(out, ": %u run%s of the monitoring card%s%s", banks, sim_plural(banks),
            *run->plan.remark ? ", because " : "", run->plan.remark);
    if (more)
        fprintf(out, ", and one more for %s", more);
    fputs(banks > 1 || more ? "; all would be identical, so one was simulated.\n" : ".\n", out);
}

void doc_table_counts(const struct doc_run *run, FILE *out)
{
    struct pen pen = pen_for(out);
    pen.brief = true;
    doc_print_estimate(run, out);
    doc_print_replayed(run, out);
    if (run->regions > 1) {
        print_regions(pen, run);
        return;
    }
    if (run->choice.count) {
        fputc('\n', out);
        print_counts(pen, run, &run->region[0]);
    }
    print_groups(pen, run, &run->region[0]);
}

void doc_table(const struct doc_run *run, FILE *out)
{
    fputc('\n', out);
    print_end(run, out);
    print_summary(run, out);
    print_about(run, out);
    if (run->regions == 1)
        doc_table_region(run, &run->region[0], out);
    else
        print_regions(pen_for(out), run);
    print_banks(run, out);
    if (doc_registers_used(run))
        doc_table_counters(run, out);
    doc_chart(run, out, pen_for(out).width);
    for (size_t i = 0; i < run->remarks; i++)
        fprintf(out, "note: %s.\n", run->remark[i]);
}
