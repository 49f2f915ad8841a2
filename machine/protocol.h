/*
 * Coherence protocols as objects, and pure transition functions over their tables (protocol/). They
 * know states, masks and messages; they know nothing of time, FIFOs or data. The simulator wraps
 * them in timing, the exhaustive checker in a search.
 *
 * No other file knows a state by its name: the facts that others need are in its row.
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

/** The agents of a protocol. */
enum nm_agent { NM_AGENT_CARD, NM_AGENT_HOME, NM_AGENT_NC, NM_AGENTS };

/** Bounds of the numbers of states and events of an agent, which are its own: 0 up to the number in
 *  its table. */
enum { NM_STATES_MAX = 128, NM_MEANS_NOTHING = 255 };

/** The state of a line in a secondary cache (MIPS R4400), with any protocol: the first states of
 * every card's table. The others are of a card with a request out. */
enum nm_line { NM_LINE_I, NM_LINE_S, NM_LINE_E, NM_LINE_D };

/** What may happen to a line on a card: the events of every card's table. */
#define EVENT(name, sentence) NM_CARD_EV_##name,
enum nm_card_event {
#include "machine/protocol/card_events.def"
    NM_CARD_EVENTS
};
#undef EVENT

/** Rows of the coherence histogram, unlocked and locked [TR-22]. A line that is not in the network
 *  cache has a row of its own; one that it is waiting for is a locked GI. */
enum nm_histogram_row {
    NM_ROW_LV,
    NM_ROW_LI,
    NM_ROW_GV,
    NM_ROW_GI,
    NM_ROW_N, /**< network cache only */
    NM_ROWS
};

/** Of a directory's state (protocol/table.h). */
enum nm_attribute { NM_LOCKED = 1, NM_VALID = 2, NM_POLLS = 4, NM_AWAY = 8 };

/** What is done in a transition: one bit per action word of the agent's kind (actions.def). The two
 *  kinds have a set each, so the same bit means one thing to a card and another to a directory. */
#define CARD_ACTION(name) NM_CARD_BIT_##name,
enum nm_card_bit {
#include "machine/actions.def"
    NM_CARD_ACTIONS
};
#define HOME_ACTION(name) NM_DIR_BIT_##name,
#define NC_ACTION(name)   NM_DIR_BIT_##name,
#define BOTH_ACTION(name) NM_DIR_BIT_##name,
enum nm_dir_bit {
#include "machine/actions.def"
    NM_DIR_ACTIONS
};
_Static_assert(NM_CARD_ACTIONS <= 64 && NM_DIR_ACTIONS <= 64, "a cell's actions are 64 bits");
#define CARD_ACTION(name) NM_CARD_ACT_##name = 1ull << NM_CARD_BIT_##name,
enum nm_card_action {
#include "machine/actions.def"
};
#define HOME_ACTION(name) NM_DIR_ACT_##name = 1ull << NM_DIR_BIT_##name,
#define NC_ACTION(name)   NM_DIR_ACT_##name = 1ull << NM_DIR_BIT_##name,
#define BOTH_ACTION(name) NM_DIR_ACT_##name = 1ull << NM_DIR_BIT_##name,
enum nm_dir_action {
#include "machine/actions.def"
};

#define GUARD(name, sentence) NM_GUARD_##name,
enum nm_guard {
    NM_GUARD_NEVER,
#include "machine/protocol/guards.def"
    NM_GUARDS
};
#undef GUARD

/** A state of an agent. Strings are static. */
struct nm_state {
    const char *name, *sentence;
    uint8_t line;       /**< card: enum nm_line, what its cache has meanwhile */
    uint8_t request;    /**< card: enum nm_message that is outstanding; NM_MSG__COUNT: none */
    uint8_t row;        /**< directory: enum nm_histogram_row */
    uint8_t attributes; /**< directory: enum nm_attribute bits */
    uint8_t info;       /**< directory: enum nm_info bits */
};

struct nm_event_row {
    const char *name, *sentence;
};

/** One cell of a table. */
struct nm_cell {
    bool exists;
    uint8_t next;
    uint64_t actions; /**< nm_card_action or nm_dir_action bits */
};

/** What a message is to a directory: the first event whose guard holds. */
struct nm_meaning {
    uint8_t guard, event;
};
enum { NM_MEANINGS = 3, NM_EJECT = NM_MSG__COUNT /**< no message: the place is needed */ };
typedef struct nm_meaning nm_meanings[NM_MSG__COUNT + 1][2 /* over the rings */][NM_MEANINGS];

/** All that one agent of a protocol knows. */
struct nm_table {
    unsigned states, events;
    const struct nm_state *state;
    const struct nm_event_row *event;
    const struct nm_cell *cell; /**< [state * events + event]; nm_cell */
    const nm_meanings *means;   /**< of a directory */
};

/** A protocol. A machine has one; all its parts are given the same. */
struct nm_protocol {
    const char *name, *sentence;
    bool direct; /**< cards of other stations ask the home themselves (protocols.def) */
    const struct nm_table *agent[NM_AGENTS];
};

/** The protocols there are. */
#define PROTOCOL(id, name, direct, sentence) NM_PROTOCOL_##id,
enum nm_protocol_id {
#include "machine/protocol/protocols.def"
    NM_PROTOCOLS
};
#undef PROTOCOL
extern const struct nm_protocol nm_protocols[NM_PROTOCOLS];
/** Their names as the words of a parameter, separated by blanks (params.def). Static. */
#define NM_PROTOCOL_WORDS (nm_protocol_words + 1)
extern const char nm_protocol_words[]; /**< a blank before each */
/** The one of that name; NULL: there is none. */
const struct nm_protocol *nm_protocol_find(const char *name);

/** Directory entry of a line, at its home or in a network cache. See nm_home_start, nm_nc_start. */
struct nm_dir_line {
    ring_mask stations;    /**< home: stations that may share, or the owner */
    uint16_t held_station; /**< requester remembered while locked ... */
    uint8_t held_card;     /**< ... NM_NO_CARD when of another station */
    uint8_t state;         /**< of the directory's table */
    uint8_t cards : 4;     /**< processor mask: bit per card of this station */
    uint8_t loose : 1;     /**< network cache: cards outside the mask may share too */
    uint8_t poll : 3;      /**< network cache: card being asked for the line */
};
_Static_assert(NM_CARDS_MAX <= 4 && NM_CARDS_MAX <= 1 << 3,
               "`cards` has a bit for each, `poll` a number");

/** Where a directory agent stands. */
struct nm_place {
    const struct ring_shape *rings;
    uint16_t station; /**< its own */
    uint16_t home;    /**< home station of the line */
    uint8_t cards;    /**< on its station */
    const struct nm_protocol *protocol;
};

/** Where a card stands. */
struct nm_seat {
    const struct nm_protocol *protocol;
    uint16_t station;
    uint8_t card; /**< on its station */
    uint8_t
        directory; /**< module that has to do with the line here: NM_MODULE_MEMORY or _NETWORK */
};

enum { NM_SENDS_MAX = 4 };

/** Messages a transition sends, in order. `source` and `line` are the caller's to fill. A message
 *  with a route leaves the station; one without goes to `targets` on this bus. */
struct nm_sends {
    unsigned count;
    struct nm_packet packet[NM_SENDS_MAX];
};

/** A line nobody has asked for. All zero at its home. */
struct nm_dir_line nm_dir_start(enum nm_agent agent);
/** Whether a network cache need not keep the entry: it is as at the start. */
static inline bool nm_dir_unknown(const struct nm_dir_line *line)
{
    return line->state == 0;
}

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
 * @return false when the table has no cell
 */
bool nm_card_step(const struct nm_seat *seat, uint8_t *state, enum nm_card_event event,
                  const struct nm_packet *in, struct nm_sends *out, uint64_t *actions);

/** The event a message means to `card`; NM_CARD_EVENTS: none. */
static inline enum nm_card_event nm_card_event_of(const struct nm_packet *p, uint8_t card)
{
    switch (p->message) {
    case NM_MSG_NACK:
        return NM_CARD_EV_NACK;
    case NM_MSG_DATA_S:
        return NM_CARD_EV_DATA_S;
    case NM_MSG_DATA_X:
        return NM_CARD_EV_DATA_X;
    case NM_MSG_INVALIDATE:
        return p->requester == card ? NM_CARD_EV_ACK : NM_CARD_EV_INVALIDATE;
    case NM_MSG_INTV_S:
        return NM_CARD_EV_INTV_S;
    case NM_MSG_INTV_X:
        return NM_CARD_EV_INTV_X;
    default:
        return NM_CARD_EVENTS;
    }
}

/** The request a card in that state has outstanding (what RETRY sends). */
static inline enum nm_message nm_card_request(const struct nm_protocol *protocol, uint8_t state)
{
    return protocol->agent[NM_AGENT_CARD]->state[state].request;
}

/** Whether a card's request is an upgrade whose copy has gone meanwhile: as if it had been refused,
 *  it becomes another when it is issued (again). */
static inline bool nm_card_lost(const struct nm_protocol *protocol, uint8_t state)
{
    const struct nm_state *row = &protocol->agent[NM_AGENT_CARD]->state[state];
    return row->request == NM_MSG_UPGD && row->line == NM_LINE_I;
}

/** Whether a line at a directory is locked. */
static inline bool nm_locked(const struct nm_table *t, uint8_t state)
{
    return t->state[state].attributes & NM_LOCKED;
}

/** One row of choices.def. Strings are static. */
struct nm_choice_row {
    const char *name, *source, *where, *sentence;
};
/** The rows, in table order; *count receives their number. */
const struct nm_choice_row *nm_choices(size_t *count);

/** Looks into a table. */
static inline const struct nm_cell *nm_cell(const struct nm_table *t, unsigned state,
                                            unsigned event)
{
    return &t->cell[state * t->events + event];
}

/* ---- what every refused request goes through: inline ----------------------------------------- */

/** Whether a guard of an event holds that does not always or never do so (guards.def). */
bool nm_dir_guard_holds(enum nm_guard guard, const struct nm_table *t, unsigned event,
                        const struct nm_place *place, const struct nm_dir_line *line,
                        const struct nm_packet *in);

/** The event a message means to a directory in that state, of its table; NM_MEANS_NOTHING: none.
 * `in` NULL: the place is needed. */
static inline unsigned nm_dir_event_of(enum nm_agent agent, const struct nm_place *place,
                                       const struct nm_dir_line *line, const struct nm_packet *in,
                                       bool from_network)
{
    const struct nm_table *t = place->protocol->agent[agent];
    const struct nm_meaning *m = (*t->means)[in ? in->message : NM_EJECT][from_network];
    for (unsigned i = 0; i < NM_MEANINGS; i++)
        if (m[i].guard == NM_GUARD_ALWAYS ||
            (m[i].guard != NM_GUARD_NEVER &&
             nm_dir_guard_holds(m[i].guard, t, m[i].event, place, line, in)))
            return m[i].event;
    return NM_MEANS_NOTHING;
}

/** A cell's actions, if it leaves the state as it is and does nothing but `no`, which may be
 * counted as combined; else 0. */
static inline uint64_t nm_cell_only_does(const struct nm_cell *cell, uint8_t state, uint64_t no)
{
    const bool only = cell->next == state && (cell->actions & ~NM_DIR_ACT_COMBINED) == no;
    return only ? cell->actions : 0;
}

/** The NACK to a request of a card here. It says what `in` does, but for what follows.
 *  @param info     what it says of the directory
 *  @param[out] no  complete but for its source */
static inline void nm_dir_nack(const struct nm_packet *in, uint8_t info, struct nm_packet *no)
{
    *no = *in;
    no->route = 0;
    no->targets = (uint8_t)(1u << in->requester);
    no->message = NM_MSG_NACK;
    no->info = info;
    no->bytes = 0;
    no->data = -1;
}

/** The same to any request, or the INTV_NACK to another station's intervention. */
static inline void nm_dir_refusal(const struct nm_place *place, const struct nm_packet *in,
                                  bool from_network, uint8_t info, struct nm_packet *no)
{
    const bool intervention = nm_is_intervention(in->message);
    nm_dir_nack(in, info, no);
    if (intervention)
        no->message = NM_MSG_INTV_NACK;
    if (from_network) {
        no->route = ring_mask_station(place->rings, intervention ? place->home : in->station);
        no->targets = 1u << NM_MODULE_NETWORK;
        no->requester = place->protocol->direct ? in->requester : NM_NO_CARD;
    }
}

/**
 * Whether all that nm_dir_step would do is to send nm_dir_refusal: the shortcut for a request or an
 * intervention that finds its line locked.
 * @return what is done, as nm_dir_step says; 0: something else
 */
static inline uint64_t nm_dir_only_refuses(enum nm_agent agent, const struct nm_place *place,
                                           const struct nm_dir_line *line,
                                           const struct nm_packet *in, bool from_network)
{
    const struct nm_table *t = place->protocol->agent[agent];
    if (!nm_locked(t, line->state) || nm_message_row(in->message)->class != NM_NONSINKABLE)
        return 0;
    const unsigned event = nm_dir_event_of(agent, place, line, in, from_network);
    if (event == NM_MEANS_NOTHING)
        return 0;
    const uint64_t no = !from_network                     ? NM_DIR_ACT_NACK
                        : nm_is_intervention(in->message) ? NM_DIR_ACT_N_INTV_NACK
                                                          : NM_DIR_ACT_N_NACK;
    return nm_cell_only_does(nm_cell(t, line->state, event), line->state, no);
}

/** Of a state of a directory, those of RD, RDEXCL and UPGD (a bit each; a word has one for each
 * message) that nm_dir_only_refuses refuses to cards here whatever else the entry and the message
 * say. */
struct nm_refusals {
    uint64_t all;
    uint64_t combined; /**< of these, those that are counted so, too */
};
_Static_assert(NM_MSG__COUNT <= 64, "a bit for each message");
struct nm_refusals nm_dir_refusals(const struct nm_table *t, uint8_t state);
const char *nm_state_name(const struct nm_table *t, unsigned state);
const char *nm_event_name(const struct nm_table *t, unsigned event);
/** The number of that name; NM_STATES_MAX, NM_MEANS_NOTHING: there is none. */
unsigned nm_state_find(const struct nm_table *t, const char *name);
unsigned nm_event_find(const struct nm_table *t, const char *name);
/** The word of a bit of that agent's actions; NULL behind the last. */
const char *nm_action_name(enum nm_agent agent, unsigned bit);
const char *nm_agent_name(enum nm_agent a);

#endif
