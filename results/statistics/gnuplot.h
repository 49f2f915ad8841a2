/*
 * Scripts for gnuplot beside a run's tables. They run as they stand in the directory of their
 * table, and are short enough to be changed by hand.
 */
#ifndef RES_STATISTICS_GNUPLOT_H
#define RES_STATISTICS_GNUPLOT_H

#include "results/run.h"

/** What the files are called in the run directory. */
#define RES_SAMPLES_PLOT "monitor/samples.gp"
#define RES_BINS_PLOT    "monitor/histogram.gp"

/** Lines of samples.csv: each event over time, summed over all parts. */
void res_write_samples_plot(const struct res_run *run, FILE *out);

/** Bars of histogram.csv: the counts of all cards by service time, place or word. */
void res_write_bins_plot(const struct res_run *run, FILE *out);

/** Writes text as an expression that is this text for gnuplot. */
void res_gnuplot_text(FILE *out, const char *text);

/** Begins a script.
 *  @param name  of the table without ".csv": also of the script and of the picture */
void res_gnuplot_open(FILE *out, const char *name);

#endif
