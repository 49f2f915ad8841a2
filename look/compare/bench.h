/*
 * What an earlier `numachine bench --format=json` has measured, and what has changed since.
 */
#ifndef LOOK_COMPARE_BENCH_H
#define LOOK_COMPARE_BENCH_H

#include <jansson.h>

/** Reads such a result. Every work of it has a name, a time and counts.
 *  @param why  of `size` bytes: gets a sentence that names the file and the place
 *  @return the caller's list; NULL: `why` says what is wrong */
json_t *look_bench_read(const char *file, char *why, size_t size);

/** The work of that name; NULL: it was not measured. */
const json_t *look_bench_work(const json_t *list, const char *name);

/** Adds to a work's row what it was ("then"), and how many times as long it takes now ("ratio": of
 *  the medians, and the least and the greatest of any two runs), and whether it has simulated the
 *  same ("same"). */
void look_bench_compare(json_t *now, const json_t *then);

/** The table: its headings, and the row of a work; `then` is NULL if it was not measured. */
void look_bench_headings(void);
void look_bench_row(const json_t *now, const json_t *then);

#endif
