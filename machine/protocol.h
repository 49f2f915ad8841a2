/*
 * The coherence protocol as code: pure transition functions over protocol.def. They know states,
 * masks and messages; they know nothing of time, FIFOs or data. The simulator wraps them in timing,
 * the exhaustive checker in a search.
 */
#ifndef NM_PROTOCOL_H
#define NM_PROTOCOL_H

#include "machine/packet.h"

#include <stdbool.h>

enum nm_card_state {
#define NM_CARD_STATE_CARD(name) NM_CARD_##name,
#define NM_CARD_STATE_HOME(name)
#define STATE(agent, name, sentence) NM_CARD_STATE_##agent(name)
#define EVENT(agent, name, sentence)
#define ROW(agent, state, event, next, actions)
#include "machine/protocol.def"
#undef STATE
#undef NM_CARD_STATE_CARD
#undef NM_CARD_STATE_HOME
    NM_CARD_STATES
};

enum nm_home_state {
#define NM_HOME_STATE_CARD(name)
#define NM_HOME_STATE_HOME(name)     NM_HOME_##name,
#define STATE(agent, name, sentence) NM_HOME_STATE_##agent(name)
#include "machine/protocol.def"
#undef STATE
#undef NM_HOME_STATE_CARD
#undef NM_HOME_STATE_HOME
    NM_HOME_STATES
};
#undef EVENT

enum nm_card_event {
#define STATE(agent, name, sentence)
#define NM_CARD_EVENT_CARD(name) NM_CARD_EV_##name,
#define NM_CARD_EVENT_HOME(name)
#define EVENT(agent, name, sentence) NM_CARD_EVENT_##agent(name)
#include "machine/protocol.def"
#undef EVENT
#undef NM_CARD_EVENT_CARD
#undef NM_CARD_EVENT_HOME
    NM_CARD_EVENTS
};

enum nm_home_event {
#define NM_HOME_EVENT_CARD(name)
#define NM_HOME_EVENT_HOME(name)     NM_HOME_EV_##name,
#define EVENT(agent, name, sentence) NM_HOME_EVENT_##agent(name)
#include "machine/protocol.def"
#undef EVENT
#undef NM_HOME_EVENT_CARD
#undef NM_HOME_EVENT_HOME
    NM_HOME_EVENTS
};
#undef STATE
#undef ROW

/** What a card does in a transition (bit mask); the message it sends is in the step's result. */
enum nm_card_action {
    NM_CARD_ACT_NOTHING = 0,
    NM_CARD_ACT_HIT = 1 << 0,
    NM_CARD_ACT_FILL = 1 << 1,
    NM_CARD_ACT_DROP = 1 << 2,
    NM_CARD_ACT_CLEAN = 1 << 3,
    NM_CARD_ACT_DONE = 1 << 4,
    NM_CARD_ACT_RETRY = 1 << 5,
    NM_CARD_ACT_SEND_RD = 1 << 6,
    NM_CARD_ACT_SEND_RDEXCL = 1 << 7,
    NM_CARD_ACT_SEND_UPGD = 1 << 8,
    NM_CARD_ACT_SEND_WB = 1 << 9,
    NM_CARD_ACT_SEND_DATA_S = 1 << 10,
    NM_CARD_ACT_SEND_DATA_X = 1 << 11,
    NM_CARD_ACT_SEND_MISS = 1 << 12,
};

/** What the home does in a transition (bit mask). */
enum nm_home_action {
    NM_HOME_ACT_READ = 1 << 0,  /**< DRAM read */
    NM_HOME_ACT_WRITE = 1 << 1, /**< DRAM write */
    NM_HOME_ACT_ADD = 1 << 2,
    NM_HOME_ACT_OWN = 1 << 3,
    NM_HOME_ACT_CLEAR = 1 << 4,
    NM_HOME_ACT_HOLD = 1 << 5,
    NM_HOME_ACT_ADD_HELD = 1 << 6,
    NM_HOME_ACT_OWN_HELD = 1 << 7,
    NM_HOME_ACT_DATA_S = 1 << 8,
    NM_HOME_ACT_DATA_X = 1 << 9,
    NM_HOME_ACT_DATA_S_HELD = 1 << 10,
    NM_HOME_ACT_DATA_X_HELD = 1 << 11,
    NM_HOME_ACT_INTV_S = 1 << 12,
    NM_HOME_ACT_INTV_X = 1 << 13,
    NM_HOME_ACT_INVAL = 1 << 14,
    NM_HOME_ACT_ACK_INVAL = 1 << 15,
    NM_HOME_ACT_NACK = 1 << 16,
};

/** One cell of the table. */
struct nm_row {
    bool exists;
    uint8_t next;
    uint32_t actions;
};

/** Directory entry of a line at its home. All zero is a valid start: LV, nobody shares. */
struct nm_home_line {
    uint8_t state; /**< enum nm_home_state */
    uint8_t cards; /**< processor mask: bit per card of the station */
    uint8_t held;  /**< requester remembered while locked */
};

/** Messages a transition sends, in order. `source` and `line` are the caller's to fill. */
struct nm_sends {
    unsigned count;
    struct nm_packet packet[2];
};

/**
 * The home's transition for a message that arrived.
 * @param[in,out] line  directory entry; untouched when false
 * @param[out] actions  what was done, for timing and data (READ, WRITE)
 * @return false when the table has no cell: a protocol error
 */
bool nm_home_step(struct nm_home_line *line, const struct nm_packet *in, struct nm_sends *out,
                  uint32_t *actions);

/**
 * A card's transition.
 * @param[in,out] state  enum nm_card_state of the line on this card; untouched when false
 * @param in             the message, for message events; NULL for LOAD, STORE, REPLACE
 * @return false when the table has no cell
 */
bool nm_card_step(uint8_t *state, enum nm_card_event event, uint8_t card,
                  const struct nm_packet *in, struct nm_sends *out, uint32_t *actions);

/** The card event a message means to `card`. */
enum nm_card_event nm_card_event_of(const struct nm_packet *p, uint8_t card);

/** The request a card in that state has outstanding (what RETRY sends). */
enum nm_message nm_card_request(uint8_t state);

/** Looks into the table: for printing, checking and mutation. */
const struct nm_row *nm_card_row(enum nm_card_state s, enum nm_card_event e);
const struct nm_row *nm_home_row(enum nm_home_state s, enum nm_home_event e);
const char *nm_card_state_name(unsigned s);
const char *nm_home_state_name(unsigned s);

#endif
