/*
 * The one hard idea: tables are in the long form, a row for each value, and parts that did nothing
 * have no row. `smooth frequency` adds up what has the same x, so a row of another event adds 0.
 */
#include "documents/statistics/gnuplot.h"

#include "documents/statistics/histogram.h"

#include <inttypes.h>
#include <string.h>

/* A quote stands in double quotes, between two strings: gnuplot 5.4 does not read four in a row. */
void doc_gnuplot_text(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'.\"'\".'", out);
        else
            putc(*text, out);
    putc('\'', out);
}

/* Colours that people who see less of them tell apart, too (Okabe and Ito); dashes and points are
 * for paper without colours. */
static void put_line_types(FILE *out)
{
    static const struct {
        const char *color;
        unsigned point;
    } types[DOC_GNUPLOT_LINES] = {{"#0072b2", 7},  {"#d55e00", 5},  {"#009e73", 9},
                                  {"#cc79a7", 13}, {"#e69f00", 11}, {"#000000", 15}};
    for (unsigned i = 0; i < DOC_GNUPLOT_LINES; i++)
        fprintf(out, "set linetype %u linecolor rgb '%s' dashtype %u linewidth 1.5 pointtype %u\n",
                i + 1, types[i].color, i + 1, types[i].point);
}

void doc_gnuplot_open(FILE *out, const char *name, unsigned panels)
{
    enum { ALONE = 540, ONE_OF_MANY = 280 /* [pixels] height of a panel */ };
    fprintf(out,
            "# In this directory: gnuplot %s.gp\n"
            "set terminal svg size 900,%u background 'white'\n"
            "set output '%s.svg'\n"
            "set datafile separator comma\n"
            "set key outside top horizontal\n"
            "set grid\n",
            name, panels > 1 ? panels * ONE_OF_MANY : ALONE, name);
    put_line_types(out);
    if (panels > 1)
        fprintf(out, "set lmargin 14\nset multiplot layout %u,1\n", panels);
}

void doc_gnuplot_close(FILE *out, unsigned panels)
{
    if (panels > 1)
        fputs("unset multiplot\n", out);
}

/* ---- samples --------------------------------------------------------------------------------- */

static const struct mon_event *chosen_event(const struct doc_run *run, unsigned i)
{
    return mon_unit_event(run->unit, run->choice.event[i]);
}

/* How many of the chosen events in front of `i` have its unit. */
static unsigned place_in_unit(const struct doc_run *run, unsigned i)
{
    unsigned before = 0;
    for (unsigned k = 0; k < i; k++)
        before += !strcmp(chosen_event(run, k)->unit, chosen_event(run, i)->unit);
    return before;
}

/* Whether a panel begins with an event. */
static bool begins_panel(const struct doc_run *run, unsigned i)
{
    return place_in_unit(run, i) % DOC_GNUPLOT_LINES == 0;
}

/* The panel that begins with event `first`: the next ones of its unit. */
static void put_panel(const struct doc_run *run, unsigned first, FILE *out)
{
    const char *unit = chosen_event(run, first)->unit;
    unsigned put = 0;
    fputs("\nevents = '", out);
    for (unsigned i = first; i < run->choice.count && put < DOC_GNUPLOT_LINES; i++)
        if (!strcmp(chosen_event(run, i)->unit, unit))
            fprintf(out, "%smonitor.%s", put++ ? " " : "", chosen_event(run, i)->name);
    fprintf(out,
            "'\n"
            "set ylabel '%s an interval'\n"
            "plot for [i = 1:words(events)] 'samples.csv' skip 1 \\\n"
            "  using (us($1)):(strcol(4) eq word(events, i) ? $5 : 0) smooth frequency \\\n"
            "  with lines linetype i title word(events, i) noenhanced\n",
            unit);
}

void doc_write_samples_plot(const struct doc_run *run, FILE *out)
{
    unsigned panels = 0;
    for (unsigned i = 0; i < run->choice.count; i++)
        panels += begins_panel(run, i);
    doc_gnuplot_open(out, "samples", panels);
    fprintf(out,
            "us(tick) = tick / %.17g\n"
            "set xlabel 'simulated time [us]'\n"
            "set format y '%%.10g'\n"
            "set offsets 0, 0, graph 0.03, 0\n"
            "# a panel for each unit: events are those that it draws\n",
            (double)nm_value_cpu_clock(run->experiment->machine.params) / 1e6);
    for (unsigned i = 0; i < run->choice.count; i++)
        if (begins_panel(run, i))
            put_panel(run, i, out);
    doc_gnuplot_close(out, panels);
}

/* ---- histogram ------------------------------------------------------------------------------- */

/* The first card with a histogram; NULL: there is none. */
static const struct doc_registers *first_card(const struct doc_run *run)
{
    for (unsigned c = 0; run->registers && c < run->cards; c++)
        if (doc_histogram_used(run, &run->registers[c]))
            return &run->registers[c];
    return NULL;
}

/* What its words stand for. */
static void put_axis(const struct doc_run *run, const struct doc_registers *r, FILE *out)
{
    const uint64_t end = r ? doc_meaning(run, r).time_end : 0;
    const struct mon_bin bin = r ? doc_bin(run, r, 0) : (struct mon_bin){0};
    if (end)
        fprintf(out,
                "set logscale xy # most are short, and a few very long\n"
                "set yrange [0.5:]\n"
                "set format '%%.10g'\n"
                "set xlabel 'service time [cycles]; of ranges, their least; %" PRIu64
                " is also all that is longer'\n",
                end);
    else
        fprintf(out, "set yrange [0:]\nset xlabel 'from [%s]'\n",
                r ? doc_bin_extent(run, r, &bin, 0).unit : "word");
}

void doc_write_bins_plot(const struct doc_run *run, FILE *out)
{
    doc_gnuplot_open(out, "histogram", 1);
    put_axis(run, first_card(run), out);
    fputs("set ylabel 'counts of all cards'\n"
          "set style fill solid\n"
          "plot 'histogram.csv' skip 1 \\\n"
          "  using 3:5 smooth frequency with impulses linewidth 2 notitle\n",
          out);
}
