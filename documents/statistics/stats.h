/*
 * The statistics of a region as a flat list of named values, and the files made of it.
 *
 * A statistic's path is component.name: "machine.station[0].card[2]" and "monitor.nacks". Indices
 * are always there, even when there is one; units never change with magnitude; names hold
 * [a-z0-9_.]. Of a card, a station or the machine:
 *
 *     monitor.*  what the card's counters showed, for the events asked for
 *     status.*   the 15 status states, always all of them
 *     truth.*    what no counter of the card can show
 *     metric.*   derived, with the formula in the description
 *     pattern.*  what a pattern's phases came to, and the like: a workload's own figures, of the
 *                machine
 *     group.*    derived, of the groups asked for (group.h)
 *     sampling.* what the samples say, of a sampled run as a whole (sampling.h)
 *
 * Of the machine as a whole everything is there. Of its parts a count that is 0 is left out, and so
 * is what is derived and has no value, so that idle parts take no room; when there are more regions
 * than DOC_DETAIL allows, the later ones are given for the machine only.
 *
 * Of the run as a whole also "machine.histogram.*" and
 * "machine.station[0].card[2].counter[1].value" (histogram.h, registers.h), and beside them the
 * monitors of the rest of the machine, "machine.station[0].bus" and "machine.ring[1][0].link[3]"
 * (around.h).
 */
#ifndef DOC_STATISTICS_STATS_H
#define DOC_STATISTICS_STATS_H

#include "documents/run.h"

struct doc_stat {
    const char *component, *name, *unit, *desc;
    bool real;    /**< `value` holds it, else `count` */
    bool derived; /**< a formula's value: it can be without value, and 0 says something */
    bool timed;   /**< a count that grows only while the machine is timed: of a run of which only
                       parts are, it is of these parts */
    uint64_t count;
    double value;
    const char *reason; /**< why it has no value; NULL: it has. Null in JSON, nothing in CSV, a dash
                             in text */
};

/** Why a quotient of a region has no value: what a formula's value is when it has none (NAN, or
 *  infinite). */
const char *doc_no_value(const struct doc_region *region, double value);

/** [cards * regions] given with all their parts; the whole run always is. */
enum { DOC_DETAIL = 16384 };

/** Whether a region's parts are given, too. */
bool doc_is_detailed(const struct doc_run *run, const struct doc_region *region);

/** A statistic's path without indices: what it has in common with those of like parts.
 *  "machine.station.card.monitor.nacks" */
void doc_stat_kind(const struct doc_stat *stat, char *out, size_t size);

/** A statistic's path, "machine.station[0].card[2].monitor.nacks". @param size  [bytes] of `out`;
 *  what does not fit is cut off */
void doc_stat_path(const struct doc_stat *stat, char *out, size_t size);

/** Most that doc_stat_value writes [bytes]. */
enum { DOC_STAT_VALUE = 32 };

/** A statistic's value as the files have it. Precondition: it has one. */
void doc_stat_value(const struct doc_stat *stat, char out[DOC_STAT_VALUE]);

/** Receives one statistic; the strings live only during the call. */
typedef void doc_stat_fn(void *ctx, const struct doc_stat *stat);

/** Receives each station and each card, as "machine.station[0].card[2]". */
typedef void doc_level_fn(void *ctx, const char *component, struct doc_level level);
void doc_parts_walk(const struct doc_run *run, doc_level_fn *fn, void *ctx);

/** Calls `fn` for every statistic of a region that is not left out: the machine's first, then each
 *  station's and its cards', then those of buses, memories, network caches and rings (around.h).
 *  Those of a component come together. */
void doc_stats_walk(const struct doc_run *run, const struct doc_region *region, doc_stat_fn *fn,
                    void *ctx);

/** The same of what of a region was timed: counts that its ratios are of.
 *  Precondition: region->measured */
void doc_stats_walk_measured(const struct doc_run *run, const struct doc_region *region,
                             doc_stat_fn *fn, void *ctx);

/** The same as doc_stats_walk, and what is left out, too. */
void doc_stats_walk_all(const struct doc_run *run, const struct doc_region *region, doc_stat_fn *fn,
                        void *ctx);

/** A row of the ground truth, summed over the cards of a level. */
uint64_t doc_truth_row(const struct doc_region *region, struct doc_level level, enum in_truth row);

/** One row of metrics.def. Strings are static. */
struct doc_metric {
    const char *name, *unit, *formula, *sentence;
};

/** Index of a metric in doc_metrics(). */
enum doc_metric_id {
#define METRIC(name, unit, numerator, denominator, formula, sentence) DOC_METRIC_##name,
#include "documents/statistics/metrics.def"
#undef METRIC
    DOC_METRIC__COUNT
};
const struct doc_metric *doc_metrics(void);

/** Whether the run cannot know what is measured so: a trace has references, and does not say how
 * many instructions they were. */
bool doc_is_untold(const struct doc_run *run, const char *unit);

/** A metric of a level, of what of the region was timed (doc_region_measured). @return false when
 * its denominator is 0, or it cannot be known; *value is NAN then */
bool doc_metric_value(const struct doc_run *run, const struct doc_region *region,
                      struct doc_level level, enum doc_metric_id metric, double *value);

/** Writes every region to an open file. Errors stay with the stream (ferror). */
void doc_write_json(const struct doc_run *run, FILE *out);
void doc_write_csv(const struct doc_run *run, FILE *out);
void doc_write_text(const struct doc_run *run, FILE *out);

#endif
