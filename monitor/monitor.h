/*
 * The monitoring card of a processor card: what can be counted, on which of its four counters, and
 * the counters themselves.
 *
 * The monitor only reads totals (struct mon_taps); nothing in this room can change a simulated
 * cycle. Nothing here allocates: every struct is plain data owned by the caller.
 */
#ifndef MON_MONITOR_H
#define MON_MONITOR_H

#include "monitor/taps.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    MON_COUNTERS = 4,  /**< counters of a card (N-2) */
    MON_LOAD_DEAD = 4, /**< [cycles] from loading a counter until it can count (N-3) ... */
    MON_ZERO_DEAD = 0, /**< ... but a zero is a reset and loses none (N-4) */
};

/* ---- events ---------------------------------------------------------------------------------- */

/** Number of an event, its index in mon_events(); MON_EV_name. */
enum mon_event_id {
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) MON_EV_##name = number,
#define ALIAS(alias, name)
#define SET(name, events, sentence)
#include "monitor/events.def"
#undef EVENT
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) +1
    MON_EV__COUNT = 0
#include "monitor/events.def"
#undef EVENT
#undef ALIAS
#undef SET
};

/** Who sees the same count; decides what a total over cards is. */
enum mon_scope {
    MON_SCOPE_CARD,    /**< each card its own: the sum */
    MON_SCOPE_STATION, /**< every card of a station the same: one card of each station */
    MON_SCOPE_RING,    /**< every card of a local ring the same: one card of each */
    MON_SCOPE_MACHINE, /**< every card the same: one card */
};

/** One row of events.def. Strings are static. */
struct mon_event {
    const char *name, *ref, *unit, *sentence;
    enum mon_scope scope;
    unsigned counters; /**< bit k: counter k can count it */
    uint64_t taps;     /**< bit t: enum mon_tap t is part of the sum */
};

/** The rows, indexed by enum mon_event_id. */
const struct mon_event *mon_events(void);

/** Event called `name` (its name, an alias, or the reference "N-43" in either case), or -1. */
int mon_event_find(const char *name);

/** Whether the event only means something on a card that is programmed by registers: it is cleared
 *  by the hardware, or watches another counter. Such events are no results of regions. */
bool mon_event_needs_board(enum mon_event_id event);

/** Whether the event is packets passing, so that the master mask applies (N-56). */
bool mon_event_is_packet(enum mon_event_id event);

/** Every word an event string may hold (events, aliases, sets), then NULL; static strings. */
const char *mon_word(size_t i);

/** An event's total: the sum of its taps. */
uint64_t mon_event_total(const struct mon_event *event, const struct mon_taps *taps);

/** A name for several events. Strings are static. */
struct mon_set {
    const char *name, *events, *sentence;
};

/** The sets; *count receives their number. */
const struct mon_set *mon_sets(size_t *count);

/** The unit and sentence of a tap, for results. */
struct mon_tap_row {
    const char *name, *unit, *sentence;
    enum mon_tap_kind kind;
};
const struct mon_tap_row *mon_tap_rows(void);

/* ---- choosing and placing -------------------------------------------------------------------- */

/** Events asked for, each once, in the order asked. Zero is empty. */
struct mon_choice {
    unsigned count;
    unsigned event[MON_EV__COUNT]; /**< enum mon_event_id */
};

/**
 * Adds the events of a comma-separated string of events, aliases, references and sets; those
 * already there are kept where they are.
 * @param[out] why  on failure one sentence for people, with "did you mean" if something is near
 * @return false at the first unknown word; `choice` then holds the words before it
 */
bool mon_choice_add(struct mon_choice *choice, const char *spec, char *why, size_t size);

/** Adds the events of `more` that are not there yet. */
void mon_choice_merge(struct mon_choice *choice, const struct mon_choice *more);

/**
 * Where each chosen event is counted. A card has four counters, so more events take several runs of
 * it ("banks").
 */
struct mon_plan {
    unsigned banks;                  /**< runs the card needs; 0 for no event */
    unsigned bank[MON_EV__COUNT];    /**< [position in the choice] */
    unsigned counter[MON_EV__COUNT]; /**< [position in the choice] */
    char remark[512];                /**< why more than count/4 runs are needed, or "" */
};

/** Places the events on counters in as few banks as the allocation matrix allows. */
void mon_plan_make(struct mon_plan *plan, const struct mon_choice *choice);

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
