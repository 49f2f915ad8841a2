/*
 * monitor/samples.csv as time lines: sums over all parts, and over those of each station.
 */
#ifndef PAGE_SAMPLES_H
#define PAGE_SAMPLES_H

#include <jansson.h>
#include <stddef.h>

/**
 * {"names": [...], "units": [...], "parts": ["card", "station" or "ring"],
 *  "samples": how many there were,
 *  "machine": {"together": n, "begin": [ticks], "end": [ticks], "sums": [[one for each time] for
 * each name]}, "stations": {"together", "begin", "end", "sums": [[[one for each station] ...]
 * ...]}} Of many samples, `together` neighbours are added up, so that a page has room for them.
 * @return the caller's; NULL with one line in `why`
 */
json_t *page_samples_read(const char *path, unsigned stations, char *why, size_t size);

#endif
