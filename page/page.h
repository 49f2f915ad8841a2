/*
 * report.html: a run's results as one file that a browser shows, without a network.
 *
 * What the page is lies in page/report.html, report.css and report.js among the shipped files; the
 * numbers go into it as one JSON document, and the scripts draw from that.
 */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "input/experiment.h"
#include "look/files.h"

#include <stdbool.h>
#include <stddef.h>

/** What a page is made of. */
struct page_run {
    const char *directory;                  /**< of the run */
    const struct in_experiment *experiment; /**< that ran */
    const char *drawing;                    /**< the machine, as SVG */
    const struct look_files *files;         /**< what the user says of source files */
};

/** What is worth saying about a page that was written; NULL: nothing. */
struct page_notes {
    const char *charts; /**< static */
    char *names;        /**< the caller's */
};

/**
 * Writes the page of a run. Equal directories give equal bytes.
 * @param path  it is replaced at once, or not at all
 * @param[out] why  on failure one line
 * @param[out] host  on failure: the host would not write, and nothing is wrong with the run
 */
bool page_write(const struct page_run *run, const char *path, struct page_notes *notes, bool *host,
                char *why, size_t size);

#endif
