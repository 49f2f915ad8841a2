/*
 * What a run has left in its directory, read back: how it ended, what it was, what it counted. For
 * who holds runs against each other.
 */
#ifndef DOC_STATISTICS_FINISHED_H
#define DOC_STATISTICS_FINISHED_H

#include "input/flat.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A value of stats.json. */
struct doc_value {
    bool is;       /**< there is one */
    bool real;     /**< `value` holds it; else `count`, too */
    int64_t count; /**< exact */
    double value;
};

/** Zero, then doc_finished_read; doc_finished_free is due in any case. Strings and documents are
 * its own. */
struct doc_finished {
    const char *directory;    /**< the caller's */
    struct in_flat config;    /**< config.resolved.yaml */
    json_t *manifest, *stats; /**< the documents */
    const json_t *end;        /**< of the manifest */
    const char *status;       /**< "complete", "partial" */
    const char *result_hash, *totals_hash;
    bool sampled; /**< only samples of it were timed (run.sample): its times are estimates */
};

/** Reads a run's directory; a run that has left no results is refused, too.
 *  @return false with one line in `why`: the file, and what is wrong with it */
bool doc_finished_read(struct doc_finished *results, const char *directory, char *why, size_t size);
void doc_finished_free(struct doc_finished *results);

/** How many regions there are, and their names; [0] is the whole run. */
size_t doc_finished_regions(const struct doc_finished *results);
const char *doc_finished_region(const struct doc_finished *results, size_t i);

/** The statistics of a region, by component: {component: {stat: value}}. NULL: it has no such
 *  region. */
const json_t *doc_finished_stats(const struct doc_finished *results, const char *region);

/** A statistic of a region; what the files leave out is 0 where it is a count of a part that the
 *  machine as a whole has, too, or has no other (docs/results.md). */
struct doc_value doc_finished_value(const json_t *stats, const char *component, const char *stat);

/** The same of a path, COMPONENT.STAT. @param[out] unit  its unit as doc_finished_unit; NULL: not
 *  asked for */
struct doc_value doc_finished_at(const struct doc_finished *results, const char *region,
                                 const char *path, const char **unit);

/** Its unit; "": not known. */
const char *doc_finished_unit(const struct doc_finished *results, const char *component,
                              const char *stat);

/** Whether a statistic is of the same part of both runs: not if it is counted only while a machine
 *  is timed and one run was timed in parts alone, or if other samples of the runs were timed. */
bool doc_finished_comparable(const struct doc_finished *a, const struct doc_finished *b,
                             const char *component, const char *stat);

/** What stands in front of a statistic's value for people: "~" where it is an estimate, that is of
 * a sampled run what is derived, or a time. Else "". @param stat  its path, or its end */
const char *doc_finished_tilde(const struct doc_finished *results, const char *stat,
                               const char *unit);

/** Why a run's results are not of the whole program, for people: "not complete: stopped at the
 *  limit"; a run that stops at its limit is complete, and its program is not. @param manifest  of
 * it
 *  @return the caller's; NULL: they are, or it does not say how it ended */
char *doc_finished_unfinished(const json_t *manifest);

/** How a run ended, for people: its status, or why it is not of the whole program, and that it was
 * sampled. */
const char *doc_finished_status(const struct doc_finished *results, char *buf, size_t size);

/** The hash of a file that the run read: "xxh64:..."; NULL: it is not known, or there is none.
 *  @param member  of the manifest's experiment: "program", "stdin" */
const char *doc_finished_input(const struct doc_finished *results, const char *member);

/** How many digits of a value that is no count are written: for people, and as stats.json has it.
 */
enum { DOC_DIGITS = 6, DOC_DIGITS_ALL = 12 };

/** The value as text: counts with all digits. @return buf; "" if there is none */
const char *doc_value_text(const struct doc_value *value, int digits, char *buf, size_t size);
/** The same as JSON; null if there is none. New reference. */
json_t *doc_value_json(const struct doc_value *value);

#endif
