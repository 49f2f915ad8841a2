/*
 * Words and rows that all counter units share: what an event is, how a user's string becomes a
 * choice of events, and how a choice is placed on counters.
 *
 * Nothing here knows a unit by name. Each function is given the unit whose rows are meant. Nothing
 * allocates; strings are static.
 */
#ifndef MON_EVENTS_H
#define MON_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct mon_unit_ops;
struct mon_taps; /* taps.h */

enum {
    MON_UNIT_EVENTS_MAX = 64, /**< events of a unit, at most, */
    MON_OWN_EVENTS_MAX = 32,  /**< of the processor beside it, and of its secondary cache */
    MON_EVENTS_MAX = MON_UNIT_EVENTS_MAX + 2 * MON_OWN_EVENTS_MAX,
    MON_COUNTERS_MAX = 4, /**< counters of a unit, at most */
    MON_OWN_MAX = 7,      /**< counters of the processor and of its secondary cache, at most */
};

/** The cards that see the same count; decides what a total over cards is. */
enum mon_scope {
    MON_SCOPE_CARD,    /**< each card its own: the sum */
    MON_SCOPE_STATION, /**< every card of a station the same: one card of each station */
    MON_SCOPE_RING,    /**< every card of a local ring the same: one card of each */
    MON_SCOPE_MACHINE, /**< every card the same: one card */
};

/** What can be counted. */
struct mon_event {
    const char *name, *ref, *unit, *sentence; /**< `ref`: where a document has it, "N-43"; or "" */
    unsigned number;                          /**< in the register that selects it */
    enum mon_scope scope;
    unsigned counters; /**< bit k: counter k of a unit with the event can count it */
    uint64_t taps;     /**< bit t: enum mon_tap t is part of the sum */
};

/** Another name of an event. */
struct mon_alias {
    const char *alias;
    unsigned event; /**< row of the unit's events */
};

/** A name for several events: words separated by commas. */
struct mon_set {
    const char *name, *events, *sentence;
};

/** Row of the event called `name` (its name, an alias, or its reference in either case), or -1. */
int mon_event_find(const struct mon_unit_ops *unit, const char *name);

/** Row of the event with this number, or -1. */
int mon_event_numbered(const struct mon_unit_ops *unit, unsigned number);

/** Why there is no event of this name, as a sentence: what is near, or whose it is. */
void mon_event_unknown(const struct mon_unit_ops *unit, const char *name, char *why, size_t size);

/** Every word an event string may hold (events, aliases, sets), then NULL. */
const char *mon_word(const struct mon_unit_ops *unit, size_t i);

/** Sum of some taps. @param some  bit t: enum mon_tap t */
uint64_t mon_sum(uint64_t some, const struct mon_taps *now);

/** An event's total: the sum of its taps. */
uint64_t mon_event_total(const struct mon_event *event, const struct mon_taps *now);

/** How a tap grows; see taps.def. */
enum mon_tap_kind { MON_TAP_LEVEL, MON_TAP_PACKET, MON_TAP_UNIT };

/** The unit and sentence of a tap, for results. */
struct mon_tap_row {
    const char *name, *unit, *sentence;
    enum mon_tap_kind kind;
};

/** All of them: [MON_TAP__COUNT], static. */
const struct mon_tap_row *mon_tap_rows(void);

/** Name of a status state (status.def), as of the event that counts nothing else.
 *  @param state  enum mon_tap, one of the states */
const char *mon_state_name(unsigned state);

/** Bit t: state t is in a group of status.def: "stall", "stall/cache". */
uint64_t mon_states(const char *group);

/* ---- choosing and placing -------------------------------------------------------------------- */

/** Events asked for, each once, in the order asked. Zero is empty. */
struct mon_choice {
    unsigned count;
    unsigned event[MON_EVENTS_MAX]; /**< row of the unit's events */
};

/**
 * Adds the events of a comma-separated string of events, aliases, references and sets; those
 * already there are kept where they are.
 * @param[out] why  on failure one sentence for people, with "did you mean" if something is near
 * @return false at the first unknown word; `choice` then holds the words before it
 */
bool mon_choice_add(const struct mon_unit_ops *unit, struct mon_choice *choice, const char *spec,
                    char *why, size_t size);

/** Adds the events of `more` that are not there yet. */
void mon_choice_merge(struct mon_choice *choice, const struct mon_choice *more);

/**
 * Where each chosen event is counted. A unit has few counters, so more events take several runs of
 * it ("banks").
 */
struct mon_plan {
    unsigned banks;                   /**< runs the card needs; 0 for no event */
    unsigned bank[MON_EVENTS_MAX];    /**< [position in the choice] */
    unsigned counter[MON_EVENTS_MAX]; /**< [position in the choice] */
    char remark[512];                 /**< why more runs are needed than the events fill, or "" */
};

/** Places the events on counters, those of the processor included, in as few banks as the unit's
 * rows (`counters`) allow. */
void mon_plan_make(const struct mon_unit_ops *unit, struct mon_plan *plan,
                   const struct mon_choice *choice);

#pragma GCC visibility pop

#endif
