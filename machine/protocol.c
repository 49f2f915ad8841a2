/*
 * The protocol table at work: finds the cell, moves the masks, writes the messages.
 *
 * The hard idea is not here but in protocol.def; this file only says what each action word means,
 * so that the table can be read as the textbook's.
 */
#include "machine/protocol.h"

#include <stddef.h>

const struct nm_message_row nm_message_rows[NM_MSG__COUNT] = {
#define MESSAGE(name, number, class, data, sentence) \
    [number] = {#name, NM_##class, (data) == 1, (data) == 2, sentence},
#include "machine/message.def"
#undef MESSAGE
};

/* A row may only use the words of its own agent: to the other kind their bits mean something else.
 */
#define STATE(agent, name, sentence)
#define EVENT(agent, name, sentence)
#define ROW(agent, state, event, next, actions) ROW_##agent(actions)
#define FOREIGN(actions)                        _Static_assert((actions) == 0, "a row uses a word of another agent");
static void __attribute__((unused)) rows_use_words_of_their_agents(void)
{
    {
#define CARD_ACTION(name) name = 0,
#define DIR_ACTION(name)  name = 1,
#define ROW_CARD(actions) FOREIGN(actions)
#define ROW_HOME(actions)
#define ROW_NC(actions)
        enum {
#include "machine/actions.def"
            NOTHING = 0
        };
#include "machine/protocol.def"
#undef ROW_CARD
#undef ROW_HOME
#undef ROW_NC
    }
    {
#define CARD_ACTION(name) name = 1,
#define DIR_ACTION(name)  name = 0,
#define ROW_CARD(actions)
#define ROW_HOME(actions) FOREIGN(actions)
#define ROW_NC(actions)   FOREIGN(actions)
        enum {
#include "machine/actions.def"
            NOTHING = 0
        };
#include "machine/protocol.def"
#undef ROW_CARD
#undef ROW_HOME
#undef ROW_NC
    }
}
#undef FOREIGN
#undef STATE
#undef EVENT
#undef ROW

#define MESSAGE(name, number, class, data, sentence) | UINT64_C(1) << (number)
_Static_assert((0
#include "machine/message.def"
                ) == (UINT64_C(1) << NM_MSG__COUNT) - 1,
               "each number is given once, and none is left out");
#undef MESSAGE

/* The rows use bare action words. */
#define CARD_ACTION(name) name = NM_CARD_ACT_##name,
#define DIR_ACTION(name)  name = NM_DIR_ACT_##name,
enum {
    NOTHING = 0,
#include "machine/actions.def"
};

#define STATE(agent, name, sentence)
#define EVENT(agent, name, sentence)
#define ROW(agent, state, event, next, actions) \
    [NM_##agent##_##state][NM_##agent##_EV_##event] = {true, NM_##agent##_##next, actions},
#ifdef NM_PROTOCOL_MUTABLE /* the test that breaks cells on purpose */
struct nm_cell nm_table[NM_STATES][NM_EVENTS] = {
#else
static const struct nm_cell nm_table[NM_STATES][NM_EVENTS] = {
#endif
#include "machine/protocol.def"
};
#undef ROW

struct name {
    enum nm_agent agent;
    const char *name, *sentence;
};

#define ROW(agent, state, event, next, actions)
#undef STATE
#define STATE(agent, name, sentence) {NM_AGENT_##agent, #name, sentence},
static const struct name states[] = {
#include "machine/protocol.def"
};
#undef STATE
#undef EVENT
#define STATE(agent, name, sentence)
#define EVENT(agent, name, sentence) {NM_AGENT_##agent, #name, sentence},
static const struct name events[] = {
#include "machine/protocol.def"
};
#undef STATE
#undef EVENT
#undef ROW

const struct nm_cell *nm_cell(enum nm_state s, enum nm_protocol_event e)
{
    return &nm_table[s][e];
}

enum nm_agent nm_state_agent(enum nm_state s)
{
    return states[s].agent;
}

enum nm_agent nm_event_agent(enum nm_protocol_event e)
{
    return events[e].agent;
}

const char *nm_state_name(unsigned s)
{
    return s < NM_STATES ? states[s].name : "?";
}

const char *nm_state_sentence(unsigned s)
{
    return states[s].sentence;
}

const char *nm_event_name(unsigned e)
{
    return e < NM_EVENTS ? events[e].name : "nothing it knows";
}

const char *nm_event_sentence(unsigned e)
{
    return events[e].sentence;
}

const char *nm_action_name(enum nm_agent agent, unsigned bit)
{
#define CARD_ACTION(name) #name,
    static const char *const of_cards[NM_CARD_ACTIONS] = {
#include "machine/actions.def"
    };
#define DIR_ACTION(name) #name,
    static const char *const of_directories[NM_DIR_ACTIONS] = {
#include "machine/actions.def"
    };
    if (agent == NM_AGENT_CARD)
        return bit < NM_CARD_ACTIONS ? of_cards[bit] : NULL;
    return bit < NM_DIR_ACTIONS ? of_directories[bit] : NULL;
}

const char *nm_agent_name(enum nm_agent a)
{
    static const char *const names[] = {"CARD", "HOME", "NC"};
    return names[a];
}

const struct nm_choice_row *nm_choices(size_t *count)
{
    static const struct nm_choice_row rows[] = {
#define CHOICE(name, source, where, sentence) {name, source, where, sentence},
#include "machine/choices.def"
#undef CHOICE
    };
    *count = sizeof rows / sizeof *rows;
    return rows;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The requester all of a transition is about: the message's, or the one remembered. */
struct who {
    uint16_t station;
    uint8_t card;
    bool shared; /* its read is not to be granted exclusively */
};

static struct nm_packet *send(struct nm_sends *out, enum nm_message message, struct who who)
{
    struct nm_packet *p = &out->packet[out->count++];
    *p = (struct nm_packet){
        .message = message, .requester = who.card, .station = who.station, .data = -1};
    return p;
}

static void to_cards(struct nm_sends *out, enum nm_message message, uint8_t cards, struct who who)
{
    if (cards)
        send(out, message, who)->targets = cards;
}

static void to_stations(struct nm_sends *out, enum nm_message message, ring_mask route,
                        struct who who)
{
    struct nm_packet *p = send(out, message, who);
    p->route = route;
    p->targets = 1u << NM_MODULE_NETWORK;
}

/* ---- directories ----------------------------------------------------------------------------- */

struct nm_dir_line nm_home_start(void)
{
    return (struct nm_dir_line){.state = NM_HOME_LV};
}

struct nm_dir_line nm_nc_start(void)
{
    return (struct nm_dir_line){.state = NM_NC_N, .loose = 1};
}

static ring_mask mask_of(const struct nm_place *place, uint16_t station)
{
    return ring_mask_station(place->rings, station);
}

/* A request from another station, as the home sees it: false when that station owns the line. */
static enum nm_protocol_event remote_request(const struct nm_place *place,
                                             const struct nm_dir_line *line,
                                             const struct nm_packet *in)
{
    bool owner = line->state == NM_HOME_GI && line->stations == mask_of(place, in->station);
    const bool alone = place->clean_exclusive && in->requester != NM_NO_CARD &&
                       line->state == NM_HOME_LV && !line->cards;
    if (in->message == NM_MSG_RD)
        return owner ? NM_HOME_EV_F_RD : alone ? NM_HOME_EV_N_RD_ALONE : NM_HOME_EV_N_RD;
    if (in->message == NM_MSG_UPGD && line->state == NM_HOME_GV &&
        ring_mask_covers(place->rings, line->stations, in->station))
        return NM_HOME_EV_N_UPGD;
    return owner ? NM_HOME_EV_F_RDEXCL : NM_HOME_EV_N_RDEXCL;
}

/* A card's request for a line of which it is the owner: it has dropped its clean copy. (A dirty one
 * would have been written back before.) */
static bool dropped(const struct nm_place *place, const struct nm_dir_line *line,
                    const struct nm_packet *in, uint8_t owned)
{
    return place->clean_exclusive && line->state == owned && in->requester < NM_CARDS_MAX &&
           line->cards == 1u << in->requester;
}

/* The owner says that it does not have the line. If it had written it back the entry would know. */
static enum nm_protocol_event after_miss(const struct nm_place *place,
                                         const struct nm_dir_line *line,
                                         enum nm_protocol_event written,
                                         enum nm_protocol_event gone)
{
    return place->clean_exclusive && nm_table[line->state][gone].exists ? gone : written;
}

static bool wants_shared(const struct nm_packet *in)
{
    return in->info & NM_INFO_SHARED;
}

/* A card's read, as the home on its station sees it. */
static enum nm_protocol_event home_read(const struct nm_place *place,
                                        const struct nm_dir_line *line, const struct nm_packet *in)
{
    const bool alone = line->state == NM_HOME_LV ? !(line->cards & ~(1u << in->requester))
                                                 : dropped(place, line, in, NM_HOME_LI);
    return place->clean_exclusive && alone && !wants_shared(in) ? NM_HOME_EV_RD_ALONE
                                                                : NM_HOME_EV_RD;
}

static enum nm_protocol_event home_event_of(const struct nm_place *place,
                                            const struct nm_dir_line *line,
                                            const struct nm_packet *in, bool from_network)
{
    switch (in->message) {
    case NM_MSG_RD:
        return from_network ? remote_request(place, line, in) : home_read(place, line, in);
    case NM_MSG_RDEXCL:
        if (from_network)
            return remote_request(place, line, in);
        return dropped(place, line, in, NM_HOME_LI) ? NM_HOME_EV_RX_ALONE : NM_HOME_EV_RDEXCL;
    case NM_MSG_UPGD:
        if (from_network)
            return remote_request(place, line, in);
        return line->cards >> in->requester & 1 ? NM_HOME_EV_UPGD : NM_HOME_EV_RDEXCL;
    case NM_MSG_WB:
        return from_network ? NM_HOME_EV_N_WB : NM_HOME_EV_WB;
    case NM_MSG_DATA_S:
        return NM_HOME_EV_INTV_DATA;
    case NM_MSG_DATA_X:
        return NM_HOME_EV_INTV_X_DATA;
    case NM_MSG_INTV_DONE:
        return NM_HOME_EV_INTV_DONE;
    case NM_MSG_INTV_MISS:
        return after_miss(place, line, NM_HOME_EV_INTV_MISS, NM_HOME_EV_INTV_GONE);
    case NM_MSG_INTV_NACK:
        return NM_HOME_EV_INTV_NACK;
    case NM_MSG_SPECIAL_RD:
        return NM_HOME_EV_N_SPECIAL;
    case NM_MSG_INVALIDATE:
        return NM_HOME_EV_RETURN;
    case NM_MSG_SF_INVAL:
        return NM_HOME_EV_SF_INVAL;
    case NM_MSG_SF_EXCL:
        return NM_HOME_EV_SF_EXCL;
    case NM_MSG_SF_KILL:
        return NM_HOME_EV_SF_KILL;
    case NM_MSG_SF_WB:
        return NM_HOME_EV_SF_WB;
    case NM_MSG_SF_CLAIM:
        return NM_HOME_EV_SF_CLAIM;
    case NM_MSG_SF_OWN:
        return in->station == place->station ? NM_HOME_EV_SF_OWN : NM_HOME_EV_N_SF_OWN;
    default:
        return NM_EVENTS;
    }
}

static bool polling(uint8_t state)
{
    return state == NM_NC_W_FS || state == NM_NC_W_FX || state == NM_NC_N_NRD ||
           state == NM_NC_N_NRX;
}

static enum nm_protocol_event nc_event_of_card(const struct nm_place *place,
                                               const struct nm_dir_line *line,
                                               const struct nm_packet *in)
{
    switch (in->message) {
    case NM_MSG_RD:
        return dropped(place, line, in, NM_NC_LI) && !wants_shared(in) ? NM_NC_EV_RD_ALONE
                                                                       : NM_NC_EV_RD;
    case NM_MSG_RDEXCL:
        return dropped(place, line, in, NM_NC_LI) ? NM_NC_EV_RX_ALONE : NM_NC_EV_RDEXCL;
    case NM_MSG_UPGD:
        return line->cards >> in->requester & 1 ? NM_NC_EV_UPGD : NM_NC_EV_RDEXCL;
    case NM_MSG_WB:
        return NM_NC_EV_WB;
    case NM_MSG_DATA_S:
        return NM_NC_EV_INTV_DATA;
    case NM_MSG_DATA_X:
        return NM_NC_EV_INTV_X_DATA;
    case NM_MSG_SF_PREFETCH:
        return NM_NC_EV_SF_PREFETCH;
    case NM_MSG_INTV_MISS:
        return polling(line->state) && line->poll + 1 < place->cards
                   ? NM_NC_EV_INTV_MISS
                   : after_miss(place, line, NM_NC_EV_INTV_LAST, NM_NC_EV_INTV_GONE);
    default:
        return NM_EVENTS;
    }
}

static enum nm_protocol_event nc_event_of_network(const struct nm_place *place,
                                                  const struct nm_packet *in)
{
    bool ours = in->station == place->station;
    bool acknowledged = ours && in->requester == NM_ACKNOWLEDGED;
    switch (in->message) {
    case NM_MSG_DATA_S:
        return NM_NC_EV_N_DATA_S;
    case NM_MSG_DATA_X:
        return NM_NC_EV_N_DATA_X;
    case NM_MSG_INVALIDATE:
        return acknowledged ? NM_NC_EV_N_ACK : NM_NC_EV_N_INVAL;
    case NM_MSG_NACK:
        return NM_NC_EV_N_NACK;
    case NM_MSG_INTV_S:
        return ours ? NM_NC_EV_F_INTV_S : NM_NC_EV_N_INTV_S;
    case NM_MSG_INTV_X:
        return ours ? NM_NC_EV_F_INTV_X : NM_NC_EV_N_INTV_X;
    default:
        return NM_EVENTS;
    }
}

enum nm_protocol_event nm_dir_event_of(enum nm_agent agent, const struct nm_place *place,
                                       const struct nm_dir_line *line, const struct nm_packet *in,
                                       bool from_network)
{
    if (agent == NM_AGENT_HOME)
        return home_event_of(place, line, in, from_network);
    return from_network ? nc_event_of_network(place, in) : nc_event_of_card(place, line, in);
}

/* A group of action words that mean one thing for the message's requester and the same for the one
 * held. */
static bool does(uint64_t actions, uint64_t now, uint64_t held, struct who here, struct who then,
                 struct who *who)
{
    *who = actions & held ? then : here;
    return actions & (now | held);
}

static uint8_t bit_of(const struct nm_place *place, struct who who)
{
    return who.card < place->cards ? (uint8_t)(1u << who.card) : 0;
}

/* Messages that stay on this station. */
static void send_local(const struct nm_place *place, const struct nm_dir_line *line, uint64_t a,
                       struct who here, struct who then, struct nm_sends *out)
{
    uint8_t all = (uint8_t)((1u << place->cards) - 1), sharers = line->loose ? all : line->cards;
    struct who who;
    if (does(a, INVAL, INVAL_HELD, here, then, &who))
        to_cards(out, NM_MSG_INVALIDATE, sharers & (uint8_t)~bit_of(place, who), who);
    if (does(a, ACK_INVAL, ACK_INVAL_HELD, here, then, &who))
        to_cards(out, NM_MSG_INVALIDATE, sharers | bit_of(place, who), who);
    if (does(a, DATA_S, DATA_S_HELD, here, then, &who))
        to_cards(out, NM_MSG_DATA_S, bit_of(place, who), who);
    if (does(a, DATA_X, DATA_X_HELD, here, then, &who))
        to_cards(out, NM_MSG_DATA_X, bit_of(place, who), who);
    if (does(a, NACK, NACK_HELD, here, then, &who))
        to_cards(out, NM_MSG_NACK, bit_of(place, who), who);
    if (a & (INTV_S | INTV_X))
        to_cards(out, a & INTV_S ? NM_MSG_INTV_S : NM_MSG_INTV_X, line->cards, here);
}

/* The home's messages to other stations. */
static void send_from_home(const struct nm_place *place, const struct nm_dir_line *line, uint64_t a,
                           struct who here, struct who then, struct nm_sends *out)
{
    struct who who;
    if (does(a, N_DATA_S, N_DATA_S_HELD, here, then, &who))
        to_stations(out, NM_MSG_DATA_S, mask_of(place, who.station), who);
    if (does(a, N_DATA_X, N_DATA_X_HELD, here, then, &who))
        to_stations(out, NM_MSG_DATA_X, mask_of(place, who.station), who);
    if (a & N_NACK)
        to_stations(out, NM_MSG_NACK, mask_of(place, here.station), here);
    if (a & REFUSE_HELD && then.station == place->station)
        to_cards(out, NM_MSG_NACK, bit_of(place, then), then);
    else if (a & REFUSE_HELD)
        to_stations(out, NM_MSG_NACK, mask_of(place, then.station), then);
    if (a & (N_INTV_S | N_INTV_X))
        to_stations(out, a & N_INTV_S ? NM_MSG_INTV_S : NM_MSG_INTV_X, line->stations, here);
    if (a & (ROUND | ROUND_ACK)) {
        to_stations(out, NM_MSG_INVALIDATE,
                    ring_mask_or(line->stations, mask_of(place, place->station)), here);
        out->packet[out->count - 1].requester = a & ROUND_ACK ? NM_ACKNOWLEDGED : NM_NO_CARD;
    }
}

/* Answers another station's intervention: data to its requester; the home hears of it. Shared data
 * leave before the home can unlock and send an invalidation after them; the news of a new owner
 * leaves before that owner can have the line and write it back. */
static void give(const struct nm_place *place, bool exclusive, struct who who, struct nm_sends *out)
{
    ring_mask to = mask_of(place, who.station), home = mask_of(place, place->home);
    if (exclusive && who.station != place->home)
        to_stations(out, NM_MSG_INTV_DONE, home, who);
    to_stations(out, exclusive ? NM_MSG_DATA_X : NM_MSG_DATA_S, to, who);
    if (!exclusive && who.station != place->home)
        to_stations(out, NM_MSG_DATA_S, home, who);
}

/* The network cache's messages to the home and to other stations. */
static void send_from_nc(const struct nm_place *place, const struct nm_dir_line *line, uint64_t a,
                         struct who here, struct who then, struct nm_sends *out)
{
    static const struct {
        uint64_t action;
        enum nm_message message;
    } to_home[] = {
        {N_RD, NM_MSG_RD},          {N_RDEXCL, NM_MSG_RDEXCL},
        {N_UPGD, NM_MSG_UPGD},      {N_SPECIAL, NM_MSG_SPECIAL_RD},
        {N_WB, NM_MSG_WB},          {N_MISS, NM_MSG_INTV_MISS},
        {N_DONE, NM_MSG_INTV_DONE}, {N_INTV_NACK, NM_MSG_INTV_NACK},
    };
    struct who who;
    for (unsigned i = 0; i < sizeof to_home / sizeof *to_home; i++)
        if (a & to_home[i].action)
            to_stations(out, to_home[i].message, mask_of(place, place->home), here);
    if (a & N_RD && here.shared)
        out->packet[out->count - 1].requester = NM_NO_CARD;
    if (does(a, GIVE_S, GIVE_S_HELD, here, then, &who))
        give(place, false, who, out);
    if (does(a, GIVE_X, GIVE_X_HELD, here, then, &who))
        give(place, true, who, out);
    if (a & (POLL_S | POLL_X))
        to_cards(out, a & POLL_S ? NM_MSG_INTV_S : NM_MSG_INTV_X, (uint8_t)(1u << line->poll),
                 then);
}

/* What the masks and the memory of the requester become. */
static void update(const struct nm_place *place, struct nm_dir_line *line, uint64_t a,
                   struct who here, struct who then)
{
    if (a & CLEAR)
        line->cards = line->loose = 0;
    if (a & (OWN | OWN_HELD)) {
        line->cards = bit_of(place, a & OWN ? here : then);
        line->loose = 0;
    }
    if (a & (ADD | ADD_HELD))
        line->cards |= bit_of(place, a & ADD ? here : then);
    if (a & LOOSE)
        line->loose = 1;
    if (a & (JOIN | JOIN_HELD))
        line->stations =
            ring_mask_or(line->stations, mask_of(place, (a & JOIN ? here : then).station));
    if (a & (MOVE | MOVE_HELD))
        line->stations = mask_of(place, (a & MOVE ? here : then).station);
    if (a & LEAVE)
        line->stations = 0;
}

/* Action words by what they do. */
#define SENDS_HERE                                                                     \
    (INVAL | INVAL_HELD | ACK_INVAL | ACK_INVAL_HELD | DATA_S | DATA_S_HELD | DATA_X | \
     DATA_X_HELD | NACK | NACK_HELD | INTV_S | INTV_X)
#define UPDATES                                                                         \
    (HOLD | CLEAR | OWN | OWN_HELD | ADD | ADD_HELD | LOOSE | JOIN | JOIN_HELD | MOVE | \
     MOVE_HELD | LEAVE)

static bool step(enum nm_agent agent, const struct nm_place *place, struct nm_dir_line *line,
                 enum nm_protocol_event event, struct who here, struct nm_sends *out,
                 uint64_t *actions)
{
    out->count = 0;
    if (event == NM_EVENTS || !nm_table[line->state][event].exists)
        return false;
    const struct nm_cell *cell = &nm_table[line->state][event];
    uint64_t a = *actions = cell->actions;
    if (a & HOLD) /* from here on the message's requester is the one held */
        line->held_station = here.station, line->held_card = here.card;
    struct who then = {line->held_station, line->held_card, false};
    if (a & (POLL_S | POLL_X))
        line->poll = event == NM_NC_EV_INTV_MISS ? line->poll + 1 : 0;
    if (a & SENDS_HERE)
        send_local(place, line, a, here, then, out);
    if (agent == NM_AGENT_HOME)
        send_from_home(place, line, a, here, then, out);
    else
        send_from_nc(place, line, a, here, then, out);
    if (a & UPDATES)
        update(place, line, a, here, then);
    line->state = cell->next;
    if (line->state == NM_NC_N)
        *line = nm_nc_start();
    return true;
}

bool nm_dir_step(enum nm_agent agent, const struct nm_place *place, struct nm_dir_line *line,
                 const struct nm_packet *in, bool from_network, struct nm_sends *out,
                 uint64_t *actions)
{
    struct who here = {in->station, from_network ? NM_NO_CARD : in->requester, wants_shared(in)};
    return step(agent, place, line, nm_dir_event_of(agent, place, line, in, from_network), here,
                out, actions);
}

bool nm_nc_eject(const struct nm_place *place, struct nm_dir_line *line, struct nm_sends *out,
                 uint64_t *actions)
{
    struct who nobody = {place->station, NM_NO_CARD, false};
    return step(NM_AGENT_NC, place, line, NM_NC_EV_EJECT, nobody, out, actions);
}

/* ---- cards ----------------------------------------------------------------------------------- */

enum nm_protocol_event nm_card_event_of(const struct nm_packet *p, uint8_t card)
{
    switch (p->message) {
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
    case NM_MSG_NACK:
        return NM_CARD_EV_NACK;
    default:
        return NM_EVENTS;
    }
}

enum nm_message nm_card_request(uint8_t state)
{
    switch (state) {
    case NM_CARD_I_RD:
        return NM_MSG_RD;
    case NM_CARD_S_UP:
    case NM_CARD_I_UP:
        return NM_MSG_UPGD;
    default:
        return NM_MSG_RDEXCL;
    }
}

bool nm_card_step(uint8_t *state, enum nm_protocol_event event, uint8_t card, uint8_t directory,
                  const struct nm_packet *in, struct nm_sends *out, uint64_t *actions)
{
    const uint8_t home = (uint8_t)(1u << directory);
    struct who self = {0, card, false}, who = self;
    out->count = 0;
    if (event == NM_EVENTS || !nm_table[*state][event].exists)
        return false;
    const struct nm_cell *cell = &nm_table[*state][event];
    uint64_t a = *actions = cell->actions;
    if (in)
        who = (struct who){in->station, in->requester, false};
    *state = cell->next;
    if (a & (SEND_RD | SEND_RDEXCL | SEND_UPGD | RETRY))
        to_cards(out, nm_card_request(cell->next), home, self);
    if (a & SEND_WB)
        to_cards(out, NM_MSG_WB, home, self);
    if (a & (SEND_DATA_S | SEND_DATA_X))
        to_cards(out, a & SEND_DATA_S ? NM_MSG_DATA_S : NM_MSG_DATA_X,
                 home | (who.card == NM_NO_CARD ? 0 : (uint8_t)(1u << who.card)), who);
    if (a & SEND_MISS)
        to_cards(out, NM_MSG_INTV_MISS, home, who);
    return true;
}
