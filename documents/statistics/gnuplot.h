/*
 * Scripts for gnuplot beside a run's tables. They run as they stand in the directory of their
 * table, and are short enough to be changed by hand.
 */
#ifndef DOC_STATISTICS_GNUPLOT_H
#define DOC_STATISTICS_GNUPLOT_H

#include "documents/run.h"

/** What the files are called in the run directory. */
#define DOC_SAMPLES_PLOT "monitor/samples.gp"
#define DOC_BINS_PLOT    "monitor/histogram.gp"

/** Lines that one panel has: more cannot be told apart, on paper neither. */
enum { DOC_GNUPLOT_LINES = 6 };

/** Lines of samples.csv: each event over time, summed over all parts; a panel for each unit, and
 * for each DOC_GNUPLOT_LINES of its events. */
void doc_write_samples_plot(const struct doc_run *run, FILE *out);

/** Bars of histogram.csv: the counts of all cards by service time, place or word. */
void doc_write_bins_plot(const struct doc_run *run, FILE *out);

/** Writes text as an expression that is this text for gnuplot. */
void doc_gnuplot_text(FILE *out, const char *text);

/** Begins a script. Line types 1 to DOC_GNUPLOT_LINES differ in colour, dashes and points.
 *  @param name  of the table without ".csv": also of the script and of the picture
 *  @param panels  plots that follow, one below the other */
void doc_gnuplot_open(FILE *out, const char *name, unsigned panels);

/** Ends it. */
void doc_gnuplot_close(FILE *out, unsigned panels);

#endif
