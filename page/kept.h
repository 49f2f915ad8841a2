/*
 * What the page has of a profiled run: functions and stacks, traffic between stations, shared lines
 * and objects, locks, pages. Names come from the program in the run's directory.
 */
#ifndef PAGE_KEPT_H
#define PAGE_KEPT_H

#include "page/page.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** Which files there are beside profile.json and objects.json. */
struct page_kept {
    bool truth, locks;
};

/**
 * Adds "profile" to the document; with the files they need "traffic", "sharing", "placement" and
 * "locks". Of long lists what cost most is in the page, and how long they were ("of").
 * @param[out] note  the caller's; NULL: nothing to say
 * @return false with one line in `why`
 */
bool page_kept_add(json_t *root, const struct page_run *page, const struct page_kept *kept,
                   char **note, char *why, size_t size);

#endif
