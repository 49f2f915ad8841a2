/* The lists of events of processors and of their secondary caches' controllers, by their names in
 * processors.def; each is in the folder of what counts them. */
#ifndef MON_LISTS_H
#define MON_LISTS_H

#include "monitor/unit.h"

#define PROCESSOR(id, name, core, controller) \
    extern const struct mon_own_list mon_##core, mon_##controller;
#include "monitor/processors.def"
#undef PROCESSOR

/** The members of a list that say what its rows are. */
#define MON_LIST_OF(rows) .event = (rows), .events = sizeof(rows) / sizeof *(rows)
#define MON_LIST_FITS(rows)                                                     \
    _Static_assert(sizeof(rows) / sizeof *(rows) <= (size_t)MON_OWN_EVENTS_MAX, \
                   "a choice has room for all")

#endif
