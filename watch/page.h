/*
 * A recording as a page for a browser: one file that loads nothing. Its template and script are
 * page/watch.css and page/watch.js among the shipped files.
 */
#ifndef WATCH_PAGE_H
#define WATCH_PAGE_H

#include "watch/chart.h"

/** Writes it. Equal recordings give equal bytes.
 *  @param path  it is replaced at once, or not at all
 *  @return false with one line in `why` */
bool watch_page_write(const struct watch_record *record, const struct watch_title *title,
                      const char *path, char *why, size_t size);

#endif
