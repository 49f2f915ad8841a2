/*
 * The four counters of the NUMAchine's monitoring card, and what they can count.
 *
 * They only read totals (struct mon_taps). Nothing here allocates: every struct is plain data owned
 * by the caller.
 */
#ifndef MON_CARD_H
#define MON_CARD_H

#include "monitor/board/registers.h"

enum {
    MON_LOAD_DEAD = 4, /**< [cycles] from loading a counter until it can count (N-3) ... */
    MON_ZERO_DEAD = 0, /**< ... but a zero is a reset and loses none (N-4) */
};

/* ---- events ---------------------------------------------------------------------------------- */

/** Number of an event, its index in mon_events(); MON_EV_name. */
enum mon_event_id {
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) MON_EV_##name = number,
#define ALIAS(alias, name)
#define SET(name, events, sentence)
#include "monitor/board/events.def"
#undef EVENT
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) +1
    MON_EV__COUNT = 0
#include "monitor/board/events.def"
#undef EVENT
#undef ALIAS
#undef SET
};

/** The rows, indexed by enum mon_event_id; aliases and sets end with a row without a name. */
extern const struct mon_event mon_board_events[MON_EV__COUNT];
extern const struct mon_alias mon_board_aliases[];
extern const struct mon_set mon_board_sets[];

/** Whether the event only means something on a card that is programmed by registers: it is cleared
 *  by the hardware, or watches another counter. Such events are no results of regions. */
bool mon_event_needs_board(enum mon_event_id event);

/** Whether the event is packets passing, so that the master mask applies (N-56). */
bool mon_event_is_packet(enum mon_event_id event);

/* ---- the counters ---------------------------------------------------------------------------- */

/** One 32-bit counter. Use the functions below; zero is a counter of nothing that was never loaded.
 */
struct mon_counter {
    unsigned event; /**< enum mon_event_id */
    uint64_t taps;  /**< bit t: enum mon_tap t is part of what it counts */
    uint64_t minus; /**< ... and those left out of it */
    bool masked;    /**< counts `passed` instead: packets that pass the master mask */
    bool settling;  /**< loaded, dead time not over */
    bool raised;    /**< overflow flag from before the last change of event */
    uint32_t load;  /**< value at `base` */
    uint64_t base;  /**< total from which it counts */
    uint64_t passed;
    uint64_t ready; /**< card cycle from which it counts, valid while `settling` */
    uint64_t seen;  /**< wraps whose overflow flag has been cleared */
};

/** The four counters of a monitoring card; the whole board is in board.h. */
struct mon_card {
    struct mon_counter counter[MON_COUNTERS];
};

/** All counters count nothing from zero. */
void mon_card_reset(struct mon_card *card);

/** Selects what counter k counts from now on; its value and its overflow flag stay.
 *  @return false, and nothing changes, when the allocation matrix has no such path */
bool mon_select(struct mon_card *card, unsigned k, enum mon_event_id event,
                const struct mon_taps *now);

/** As mon_select, for a counter whose event does not count its usual taps.
 *  @param masked  only what is added to `passed` counts */
void mon_rewire(struct mon_card *card, unsigned k, enum mon_event_id event, uint64_t taps,
                uint64_t minus, bool masked, const struct mon_taps *now);

/**
 * Loads counter k. Its overflow flag is cleared.
 * @return [cycles] dead time, 0 or MON_LOAD_DEAD. If not 0, the counter stands still until
 *         mon_settle is called with the totals of a later cycle; called exactly that many cycles
 *         later it loses what the hardware loses
 */
unsigned mon_load(struct mon_card *card, unsigned k, uint32_t value, const struct mon_taps *now);

/** Loads all counters with one value at once (N-7); as mon_load. */
unsigned mon_load_all(struct mon_card *card, uint32_t value, const struct mon_taps *now);

/** As mon_load with a dead time of one's own; the overflow flag stays. */
void mon_put(struct mon_card *card, unsigned k, uint32_t value, unsigned dead,
             const struct mon_taps *now);

/** Lets loaded counters whose dead time is over count from `now` on. */
void mon_settle(struct mon_card *card, const struct mon_taps *now);

/** Value of counter k; reading does not clear (N-8). */
uint32_t mon_read(const struct mon_card *card, unsigned k, const struct mon_taps *now);

/** The value and, above bit 31, wraps since the counter was last loaded or rewired. */
uint64_t mon_read_wide(const struct mon_card *card, unsigned k, const struct mon_taps *now);

/** What counter k has counted since it was last loaded or rewired. */
uint64_t mon_counted(const struct mon_card *card, unsigned k, const struct mon_taps *now);

/** Counter k went from 2^32-1 to 0 since it was loaded or its flag was cleared (N-10). */
bool mon_overflowed(const struct mon_card *card, unsigned k, const struct mon_taps *now);
void mon_clear_overflow(struct mon_card *card, unsigned k, const struct mon_taps *now);

#endif
