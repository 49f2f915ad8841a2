/*
 * The comparator of invalidated lines (N-48, N-96, N-97): it remembers the line of the most recent
 * incoming invalidate, and notices when the card asks for that line again.
 *
 * It is always at work, because two taps come of it (INVALIDATED_READS, REREFERENCES), whichever
 * counter unit listens. The card owns it; a unit may look at it.
 */
#ifndef MON_COMPARATOR_H
#define MON_COMPARATOR_H

#include <stdbool.h>
#include <stdint.h>

/** No line. */
#define MON_NOWHERE UINT64_MAX

/** All of its state. */
struct mon_comparator {
    uint64_t invalidated; /**< line of the most recent incoming invalidate, MON_NOWHERE: none */
    uint64_t requested;   /**< line of the most recent request */
    bool armed;           /**< `invalidated` has not been asked for since */
};

/** Nothing has passed yet. */
static inline void mon_comparator_init(struct mon_comparator *c)
{
    *c = (struct mon_comparator){.invalidated = MON_NOWHERE};
}

/** An incoming invalidate passes. */
static inline void mon_compare_invalidate(struct mon_comparator *c, uint64_t line)
{
    c->invalidated = line;
    c->armed = true;
}

/** A request passes. @return 0: another line, 1: it was invalidated (N-48), 2: and this is the
 *  first request since (N-96) */
static inline unsigned mon_compare_request(struct mon_comparator *c, uint64_t line)
{
    c->requested = line;
    if (line != c->invalidated)
        return 0;
    const unsigned first = c->armed;
    c->armed = false;
    return 1 + first;
}

#endif
