/*
 * report.html of a sweep: its points, and any statistic of theirs over any of its parameters.
 */
#ifndef PAGE_SWEEP_H
#define PAGE_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

/** The files of a sweep, in its directory, or in the one that its results were collected in. */
#define PAGE_SWEEP_INDEX     "sweep.json"
#define PAGE_SWEEP_COLLECTED "collected.json"
#define PAGE_SWEEP_TABLE     "sweep.csv"

/** What a sweep's page is made of. */
struct page_sweep {
    const char *directory;
    bool links; /**< the page will lie in the directory: it may refer to the points' pages there */
};

/** Whether a directory is a sweep's, or has what was collected of one. */
bool page_is_sweep(const char *directory);

/** Writes the page of a sweep. Parameters and errors are as page_write's.
 *  @param[out] charts  as page_sheet_write */
bool page_sweep_write(const struct page_sweep *sweep, const char *path, const char **charts,
                      bool *host, char *why, size_t size);

#endif
