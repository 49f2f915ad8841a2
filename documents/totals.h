/* What was counted of one card: for those who read single totals, not events. */
#ifndef DOC_TOTALS_H
#define DOC_TOTALS_H

#include "documents/run.h"
#include "monitor/taps.h"

/** A card's totals: at one tick, or over a region. */
struct doc_totals {
    struct mon_taps taps;
    struct nm_truth truth;
};

/** What one card shows for a region. */
struct doc_card {
    struct doc_totals sum;           /**< over all visits, exact */
    struct doc_totals start;         /**< at the begin of the present visit */
    uint64_t counts[MON_EVENTS_MAX]; /**< [position in the choice] the counter's readings, summed
                                          over visits; each is what the unit's counter shows */
    bool overflowed[MON_EVENTS_MAX]; /**< a reading came with its overflow flag raised */
};

#endif
