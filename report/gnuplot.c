/*
 * The one hard idea: tables are in the long form, a row for each value, and parts that did nothing
 * have no row. `smooth frequency` adds up what has the same x, so a row of another event adds 0.
 */
#include "report/gnuplot.h"

#include "report/histogram.h"

/* A quote stands in double quotes, between two strings: gnuplot 5.4 does not read four in a row. */
void rep_gnuplot_text(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++)
        if (*text == '\'')
            fputs("'.\"'\".'", out);
        else
            putc(*text, out);
    putc('\'', out);
}

void rep_gnuplot_open(FILE *out, const char *name)
{
    fprintf(out,
            "# In this directory: gnuplot %s.gp\n"
            "set terminal svg size 900,540 background 'white'\n"
            "set output '%s.svg'\n"
            "set datafile separator comma\n"
            "set key outside below\n"
            "set grid\n",
            name, name);
}

void rep_write_samples_plot(const struct rep_run *run, FILE *out)
{
    rep_gnuplot_open(out, "samples");
    fputs("events = '", out);
    for (unsigned i = 0; i < run->choice.count; i++)
        fprintf(out, "%smonitor.%s", i ? " " : "", run->unit->events[run->choice.event[i]].name);
    fprintf(out,
            "' # one line to change: those that are drawn\n"
            "us(tick) = tick / %.17g\n"
            "set xlabel 'simulated time [us]'\n"
            "set ylabel 'counts an interval'\n"
            "plot for [e in events] 'samples.csv' skip 1 \\\n"
            "  using (us($1)):(strcol(4) eq e ? $5 : 0) smooth frequency \\\n"
            "  with lines linewidth 1.5 title e noenhanced\n",
            (double)run->experiment->machine.params.cpu_clock / 1e6);
}

/* What the words of the first card with a histogram stand for. */
static const char *axis_of(const struct rep_run *run)
{
    for (unsigned c = 0; run->registers && c < run->cards; c++) {
        const struct rep_registers *r = &run->registers[c];
        if (!rep_histogram_used(run, r))
            continue;
        const struct mon_bin bin = rep_bin(run, r, 0);
        return rep_bin_extent(run, r, &bin, 0).unit;
    }
    return "word";
}

void rep_write_bins_plot(const struct rep_run *run, FILE *out)
{
    rep_gnuplot_open(out, "histogram");
    fprintf(out,
            "set xlabel 'from [%s]'\n"
            "set ylabel 'counts of all cards'\n"
            "set style fill solid\n"
            "plot [] [0:] 'histogram.csv' skip 1 \\\n"
            "  using 3:5 smooth frequency with impulses linewidth 2 notitle\n",
            axis_of(run));
}
