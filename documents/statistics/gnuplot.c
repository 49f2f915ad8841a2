/*
 * The one hard idea: tables are in the long form, a row for each value, and parts that did nothing
 * have no row. `smooth frequency` adds up what has the same x, so a row of another event adds 0.
 */
#include "documents/statistics/gnuplot.h"

#include "documents/statistics/histogram.h"

#include <inttypes.h>

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

void doc_gnuplot_open(FILE *out, const char *name)
{
    fprintf(out,
            "# In this directory: gnuplot %s.gp\n"
            "set terminal svg size 900,540 background 'white'\n"
            "set output '%s.svg'\n"
            "set datafile separator comma\n"
            "set key outside top horizontal\n"
            "set grid\n",
            name, name);
}

void doc_write_samples_plot(const struct doc_run *run, FILE *out)
{
    doc_gnuplot_open(out, "samples");
    fputs("events = '", out);
    for (unsigned i = 0; i < run->choice.count; i++)
        fprintf(out, "%smonitor.%s", i ? " " : "",
                mon_unit_event(run->unit, run->choice.event[i])->name);
    fprintf(out,
            "' # one line to change: those that are drawn\n"
            "us(tick) = tick / %.17g\n"
            "set xlabel 'simulated time [us]'\n"
            "set ylabel 'counts an interval'\n"
            "set format y '%%.10g'\n"
            "set offsets 0, 0, graph 0.03, 0\n"
            "plot for [e in events] 'samples.csv' skip 1 \\\n"
            "  using (us($1)):(strcol(4) eq e ? $5 : 0) smooth frequency \\\n"
            "  with lines linewidth 1.5 title e noenhanced\n",
            (double)nm_value_cpu_clock(run->experiment->machine.params) / 1e6);
}

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
    doc_gnuplot_open(out, "histogram");
    put_axis(run, first_card(run), out);
    fputs("set ylabel 'counts of all cards'\n"
          "set style fill solid\n"
          "plot 'histogram.csv' skip 1 \\\n"
          "  using 3:5 smooth frequency with impulses linewidth 2 notitle\n",
          out);
}
