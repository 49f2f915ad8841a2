/*
 * The coherence protocol as code: pure transition functions over protocol.def. They know states,
 * masks and messages; they know nothing of time, FIFOs or data. The simulator wraps them in timing,
 * the exhaustive checker in a search.
 *
 * Two kinds of agent: a card, and a directory (the home memory or a network cache), which have the
 * same entry and the same vocabulary of actions.
 */
#ifndef NM_PROTOCOL_H
#define NM_PROTOCOL_H

#include "machine/packet.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The agents of the table. */
enum nm_agent { NM_AGENT_CARD, NM_AGENT_HOME, NM_AGENT_NC, NM_AGENTS };

/* States and events of all agents in one numbering each, in table order; the names say whose. */
#define ROW(agent, state, event, next, actions)
#define EVENT(agent, name, sentence)
#define STATE(agent, name, sentence) NM_##agent##_##name,
enum nm_state {
#include "machine/protocol.def"
    NM_STATES
};
#undef STATE
#undef EVENT
#define STATE(agent, name, sentence)
#define EVENT(agent, name, sentence) NM_##agent##_EV_##name,
enum nm_protocol_event {
#include "machine/protocol.def"
    NM_EVENTS
};
#undef ROW
#undef STATE
#undef EVENT

/** What is done in a transition: one bit per action word of the agent's kind (actions.def). The two
 *  kinds have a set each, so the same bit means one thing to a card and another to a directory. */
#define CARD_ACTION(name) NM_CARD_BIT_##name,
enum nm_card_bit {
#include "machine/actions.def"
    NM_CARD_ACTIONS
};
#define DIR_ACTION(name) NM_DIR_BIT_##name,
enum nm_dir_bit {
#include "machine/actions.def"
    NM_DIR_ACTIONS
};
_Static_assert(NM_CARD_ACTIONS <= 64 && NM_DIR_ACTIONS <= 64, "a cell's actions are 64 bits");
#define CARD_ACTION(name) NM_CARD_ACT_##name = 1ull << NM_CARD_BIT_##name,
enum nm_card_action {
#include "machine/actions.def"
};
#define DIR_ACTION(name) NM_DIR_ACT_##name = 1ull << NM_DIR_BIT_##name,
enum nm_dir_action {
#include "machine/actions.def"
};

/** One cell of the table. */
struct nm_cell {
    bool exists;
    uint8_t next;     /**< enum nm_state */
    uint64_t actions; /**< of the state's agent: nm_card_action or nm_dir_action bits */
};
_Static_assert(NM_STATES <= UINT8_MAX + 1, "a state is one byte");

/** Directory entry of a line, at its home or in a network cache. See nm_home_start, nm_nc_start. */
struct nm_dir_line {
    ring_mask stations;    /**< home: who may share, or the owner */
    uint16_t held_station; /**< requester remembered while locked ... */
    uint8_t held_card;     /**< ... NM_NO_CARD when of another station */
    uint8_t state;         /**< enum nm_state */
    uint8_t cards : 4;     /**< processor mask: bit per card of this station */
    uint8_t loose : 1;     /**< network cache: cards outside the mask may share too */
    uint8_t poll : 3;      /**< network cache: card being asked for the line */
};
_Static_assert(NM_CARDS_MAX <= 4 && NM_CARDS_MAX <= 1 << 3,
               "`cards` has a bit for each, `poll` a number");

/** Where a directory agent stands. */
struct nm_place {
    const struct ring_shape *rings;
    uint16_t station;     /**< its own */
    uint16_t home;        /**< home station of the line */
    uint8_t cards;        /**< on its station */
    bool clean_exclusive; /**< a read of a line that nobody has is granted exclusively */
};

enum { NM_SENDS_MAX = 4 };

/** Messages a transition sends, in order. `source` and `line` are the caller's to fill. A message
 *  with a route leaves the station; one without goes to `targets` on this bus. */
struct nm_sends {
    unsigned count;
    struct nm_packet packet[NM_SENDS_MAX];
};

struct nm_dir_line nm_home_start(void); /**< LV, nobody shares: all zero but the state */
struct nm_dir_line nm_nc_start(void);   /**< N */

/**
 * A directory's transition for a message that arrived.
 * @param[in,out] line  the entry; untouched when false
 * @param from_network  the message came over the rings (else from a card here)
 * @param[out] actions  what was done, for timing and data (READ, WRITE)
 * @return false when the table has no cell: a protocol error
 */
bool nm_dir_step(enum nm_agent agent, const struct nm_place *place, struct nm_dir_line *line,
                 const struct nm_packet *in, bool from_network, struct nm_sends *out,
                 uint64_t *actions);

/** A network cache entry makes room (EJECT). Returns false when it is locked (no cell). */
bool nm_nc_eject(const struct nm_place *place, struct nm_dir_line *line, struct nm_sends *out,
                 uint64_t *actions);

/**
 * A card's transition.
 * @param[in,out] state  state of the line on this card; untouched when false
 * @param in             the message, for message events; NULL for LOAD, STORE, REPLACE
 * @param directory      module that keeps the line's directory here: NM_MODULE_MEMORY or _NETWORK
 * @return false when the table has no cell
 */
bool nm_card_step(uint8_t *state, enum nm_protocol_event event, uint8_t card, uint8_t directory,
                  const struct nm_packet *in, struct nm_sends *out, uint64_t *actions);

/** The event a message means to `card`; NM_EVENTS: none. */
enum nm_protocol_event nm_card_event_of(const struct nm_packet *p, uint8_t card);

/** The event a message means to a directory in that state; NM_EVENTS: none. */
enum nm_protocol_event nm_dir_event_of(enum nm_agent agent, const struct nm_place *place,
                                       const struct nm_dir_line *line, const struct nm_packet *in,
                                       bool from_network);

/** The request a card in that state has outstanding (what RETRY sends). */
enum nm_message nm_card_request(uint8_t state);

/** One row of choices.def. Strings are static. */
struct nm_choice_row {
    const char *name, *source, *where, *sentence;
};
/** The rows, in table order; *count receives their number. */
const struct nm_choice_row *nm_choices(size_t *count);

/** Looks into the table: for printing, checking and mutation. */
const struct nm_cell *nm_cell(enum nm_state s, enum nm_protocol_event e);
enum nm_agent nm_state_agent(enum nm_state s);
enum nm_agent nm_event_agent(enum nm_protocol_event e);
const char *nm_state_name(unsigned s);
const char *nm_state_sentence(unsigned s);
const char *nm_event_name(unsigned e);
const char *nm_event_sentence(unsigned e);
/** The word of a bit of that agent's actions; NULL behind the last. */
const char *nm_action_name(enum nm_agent agent, unsigned bit);
const char *nm_agent_name(enum nm_agent a);

#endif
