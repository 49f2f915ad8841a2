/*
 * A protocol's tables at work: finds the cell, moves the masks, writes the messages.
 *
 * The hard idea is not here but in the tables; this file only says what each action word and each
 * guard means, so that a table can be read as the textbook's. It knows no state by its name.
 */
#include "machine/protocol.h"

#include "machine/protocol/tables.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

const struct nm_message_row nm_message_rows[NM_MSG__COUNT] = {
#define MESSAGE(name, number, class, data, sentence) \
    [number] = {#name, NM_##class, (data) == 1, (data) == 2, sentence},
#include "machine/message.def"
#undef MESSAGE
};

#define MESSAGE(name, number, class, data, sentence) | UINT64_C(1) << (number)
_Static_assert((0
#include "machine/message.def"
                ) == (UINT64_C(1) << NM_MSG__COUNT) - 1,
               "each number is given once, and none is left out");
#undef MESSAGE

/* What follows is about directories: bare action words are theirs. */
#define HOME_ACTION(name) name = NM_DIR_ACT_##name,
#define NC_ACTION(name)   name = NM_DIR_ACT_##name,
#define BOTH_ACTION(name) name = NM_DIR_ACT_##name,
enum {
#include "machine/actions.def"
};

/* ---- the protocols --------------------------------------------------------------------------- */

const struct nm_protocol nm_protocols[NM_PROTOCOLS] = {
#define PROTOCOL(id, name, direct, sentence) \
    {name, sentence, direct, {&nm_##id##_card, &nm_##id##_home, &nm_##id##_network}},
#include "machine/protocol/protocols.def"
#undef PROTOCOL
};

#define PROTOCOL(id, name, direct, sentence) " " name
const char nm_protocol_words[] =
#include "machine/protocol/protocols.def"
    ;
#undef PROTOCOL

const struct nm_protocol *nm_protocol_find(const char *name)
{
    for (unsigned i = 0; i < NM_PROTOCOLS; i++)
        if (!strcmp(nm_protocols[i].name, name))
            return &nm_protocols[i];
    return NULL;
}

const char *nm_action_name(enum nm_agent agent, unsigned bit)
{
#define CARD_ACTION(name) #name,
    static const char *const of_cards[NM_CARD_ACTIONS] = {
#include "machine/actions.def"
    };
#define HOME_ACTION(name) #name,
#define NC_ACTION(name)   #name,
#define BOTH_ACTION(name) #name,
    static const char *const of_directories[NM_DIR_ACTIONS] = {
#include "machine/actions.def"
    };
    if (agent == NM_AGENT_CARD)
        return bit < NM_CARD_ACTIONS ? of_cards[bit] : NULL;
    return bit < NM_DIR_ACTIONS ? of_directories[bit] : NULL;
}

const char *nm_state_name(const struct nm_table *t, unsigned state)
{
    return state < t->states ? t->state[state].name : "?";
}

const char *nm_event_name(const struct nm_table *t, unsigned event)
{
    return event < t->events ? t->event[event].name : "nothing it knows";
}

unsigned nm_state_find(const struct nm_table *t, const char *name)
{
    for (unsigned s = 0; s < t->states; s++)
        if (!strcmp(t->state[s].name, name))
            return s;
    return NM_STATES_MAX;
}

unsigned nm_event_find(const struct nm_table *t, const char *name)
{
    for (unsigned e = 0; e < t->events; e++)
        if (!strcmp(t->event[e].name, name))
            return e;
    return NM_MEANS_NOTHING;
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

struct nm_dir_line nm_dir_start(enum nm_agent agent)
{
    return (struct nm_dir_line){.loose = agent == NM_AGENT_NC};
}

static ring_mask mask_of(const struct nm_place *place, uint16_t station)
{
    return ring_mask_station(place->rings, station);
}

static bool wants_shared(const struct nm_packet *in)
{
    return in->info & NM_INFO_SHARED;
}

bool nm_dir_guard_holds(enum nm_guard guard, const struct nm_table *t, unsigned event,
                        const struct nm_place *place, const struct nm_dir_line *line,
                        const struct nm_packet *in)
{
    assert(in); /* the one event that nobody sends has no guard */
    const struct nm_state *state = &t->state[line->state];
    const bool open = !(state->attributes & NM_LOCKED), ours = in->station == place->station;
    const uint8_t card = (uint8_t)(1u << in->requester);
    switch (guard) {
    case NM_GUARD_ALWAYS:
        return true;
    case NM_GUARD_HAS_A_ROW:
        return nm_cell(t, line->state, event)->exists;
    case NM_GUARD_OURS:
        return ours;
    case NM_GUARD_ACKNOWLEDGED:
        return ours && in->requester == NM_ACKNOWLEDGED;
    case NM_GUARD_NAMED:
        return ours && in->requester < NM_CARDS_MAX;
    case NM_GUARD_IN_MASK:
        return line->cards & card && !(state->attributes & NM_AWAY);
    case NM_GUARD_COVERED:
        return open && state->row == NM_ROW_GV &&
               ring_mask_covers(place->rings, line->stations, in->station);
    case NM_GUARD_ITS_OWN:
        return open && state->row == NM_ROW_GI && line->stations == mask_of(place, in->station);
    case NM_GUARD_ALONE:
        return open && state->row == NM_ROW_LV && !(line->cards & ~card) && !wants_shared(in);
    case NM_GUARD_ALONE_AFAR: /* such a request names no card if it wants a shared copy */
        return open && state->row == NM_ROW_LV && !line->cards && in->requester != NM_NO_CARD;
    case NM_GUARD_DROPPED_READ:
        return open && state->row == NM_ROW_LI && line->cards == card && !wants_shared(in);
    case NM_GUARD_DROPPED: /* a dirty line would have been written back ahead of the request */
        return open && state->row == NM_ROW_LI && line->cards == card;
    case NM_GUARD_MORE_TO_ASK:
        return state->attributes & NM_POLLS && line->poll + 1 < place->cards;
    default:
        return false;
    }
}

/* Whether a guard holds for no line that is locked. */
static bool needs_unlocked(enum nm_guard guard)
{
    return guard == NM_GUARD_COVERED || guard == NM_GUARD_ITS_OWN || guard == NM_GUARD_ALONE ||
           guard == NM_GUARD_ALONE_AFAR || guard == NM_GUARD_DROPPED_READ ||
           guard == NM_GUARD_DROPPED;
}

/* The cell of a message for a locked line. NULL: there is none, or it hangs on more. */
static const struct nm_cell *cell_if_locked(const struct nm_table *t, uint8_t state,
                                            enum nm_message message)
{
    const struct nm_meaning *m = (*t->means)[message][false];
    for (unsigned i = 0; i < NM_MEANINGS; i++) {
        if (m[i].guard == NM_GUARD_ALWAYS)
            return nm_cell(t, state, m[i].event);
        if (m[i].guard != NM_GUARD_NEVER && !needs_unlocked(m[i].guard))
            return NULL;
    }
    return NULL;
}

struct nm_refusals nm_dir_refusals(const struct nm_table *t, uint8_t state)
{
    static const uint8_t requests[] = {NM_MSG_RD, NM_MSG_RDEXCL, NM_MSG_UPGD};
    struct nm_refusals r = {0};
    for (unsigned i = 0; nm_locked(t, state) && i < sizeof requests; i++) {
        const struct nm_cell *cell = cell_if_locked(t, state, requests[i]);
        const uint64_t does = cell ? nm_cell_only_does(cell, state, NACK) : 0;
        r.all |= (uint64_t) !!does << requests[i];
        r.combined |= (uint64_t) !!(does & COMBINED) << requests[i];
    }
    return r;
}

/* Action words by what they do. */
#define SENDS_HERE                                                                     \
    (INVAL | INVAL_HELD | ACK_INVAL | ACK_INVAL_HELD | DATA_S | DATA_S_HELD | DATA_X | \
     DATA_X_HELD | NACK | NACK_HELD | INTV_S | INTV_X)
#define UPDATES                                                                         \
    (HOLD | CLEAR | OWN | OWN_HELD | ADD | ADD_HELD | LOOSE | JOIN | JOIN_HELD | MOVE | \
     MOVE_HELD | LEAVE)
#define SENDS_FROM_HOME                                                                      \
    (N_DATA_S | N_DATA_S_HELD | N_DATA_X | N_DATA_X_HELD | N_NACK | REFUSE_HELD | N_INTV_S | \
     N_INTV_X | ROUND | ROUND_ACK)
#define ASKS_HOME (N_RD | N_RDEXCL | N_UPGD | N_SPECIAL | N_WB | N_MISS | N_DONE | N_INTV_NACK)
#define SENDS_FROM_NC \
    (ASKS_HOME | TO_HOME | TO_CARD | GIVE_S | GIVE_S_HELD | GIVE_X | GIVE_X_HELD | POLL_S | POLL_X)

/* A group of action words that mean one thing for the message's requester and the same for the one
 * held. */
static bool does(uint64_t actions, uint64_t now, uint64_t held, struct who here, struct who then,
                 struct who *who)
{
    *who = actions & held ? then : here;
    return actions & (now | held);
}

/* Its bit in the processor mask, be it of this station or not. */
static uint8_t bit_of(const struct nm_place *place, struct who who)
{
    return who.card < place->cards ? (uint8_t)(1u << who.card) : 0;
}

/* The same if it is a card of this station. */
static uint8_t bit_here(const struct nm_place *place, struct who who)
{
    return who.station == place->station ? bit_of(place, who) : 0;
}

/* An invalidation that names a card acknowledges its upgrade: one of another station is not named.
 */
static void invalidate(const struct nm_place *place, struct nm_sends *out, uint8_t cards,
                       struct who who)
{
    if (who.station != place->station)
        who.card = NM_NO_CARD;
    to_cards(out, NM_MSG_INVALIDATE, cards, who);
}

/* Messages that stay on this station. */
static void send_local(const struct nm_place *place, const struct nm_dir_line *line, uint64_t a,
                       struct who here, struct who then, struct nm_sends *out)
{
    uint8_t all = (uint8_t)((1u << place->cards) - 1), sharers = line->loose ? all : line->cards;
    struct who who;
    if (does(a, INVAL, INVAL_HELD, here, then, &who))
        invalidate(place, out, sharers & (uint8_t)~bit_here(place, who), who);
    if (does(a, ACK_INVAL, ACK_INVAL_HELD, here, then, &who))
        invalidate(place, out, sharers | bit_here(place, who), who);
    if (does(a, DATA_S, DATA_S_HELD, here, then, &who))
        to_cards(out, NM_MSG_DATA_S, bit_here(place, who), who);
    if (does(a, DATA_X, DATA_X_HELD, here, then, &who))
        to_cards(out, NM_MSG_DATA_X, bit_here(place, who), who);
    if (does(a, NACK, NACK_HELD, here, then, &who))
        to_cards(out, NM_MSG_NACK, bit_here(place, who), who);
    if (a & (INTV_S | INTV_X))
        to_cards(out, a & INTV_S ? NM_MSG_INTV_S : NM_MSG_INTV_X, line->cards, here);
}

/* An intervention; it names the owner where the home knows it. */
static void to_owner(struct nm_sends *out, enum nm_message message, const struct nm_dir_line *line,
                     struct who who)
{
    to_stations(out, message, line->stations, who);
    out->packet[out->count - 1].bytes = line->cards;
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
        to_cards(out, NM_MSG_NACK, bit_here(place, then), then);
    else if (a & REFUSE_HELD)
        to_stations(out, NM_MSG_NACK, mask_of(place, then.station), then);
    if (a & (N_INTV_S | N_INTV_X))
        to_owner(out, a & N_INTV_S ? NM_MSG_INTV_S : NM_MSG_INTV_X, line, here);
    if (a & (ROUND | ROUND_ACK)) {
        to_stations(out, NM_MSG_INVALIDATE,
                    ring_mask_or(line->stations, mask_of(place, place->station)), here);
        const uint8_t acknowledged = place->protocol->direct ? here.card : NM_ACKNOWLEDGED;
        out->packet[out->count - 1].requester = a & ROUND_ACK ? acknowledged : NM_NO_CARD;
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
    if (who.station != place->station) /* else the bus has brought it */
        to_stations(out, exclusive ? NM_MSG_DATA_X : NM_MSG_DATA_S, to, who);
    if (!exclusive && who.station != place->home)
        to_stations(out, NM_MSG_DATA_S, home, who);
}

/* What a network card does that keeps nothing: an intervention names its card, all else is for the
 * requester. */
static void pass_on(const struct nm_place *place, uint64_t a, const struct nm_packet *in,
                    struct who here, struct nm_sends *out)
{
    assert(in); /* nothing is passed on of what nobody sent */
    if (a & TO_HOME)
        to_stations(out, in->message, mask_of(place, place->home), here);
    else
        to_cards(out, in->message,
                 nm_is_intervention(in->message) ? in->bytes : bit_of(place, here), here);
}

/* The network cache's messages to the home and to other stations. */
static void send_from_nc(const struct nm_place *place, const struct nm_dir_line *line, uint64_t a,
                         const struct nm_packet *in, struct who here, struct who then,
                         struct nm_sends *out)
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
    for (unsigned i = 0; a & ASKS_HOME && i < sizeof to_home / sizeof *to_home; i++)
        if (a & to_home[i].action)
            to_stations(out, to_home[i].message, mask_of(place, place->home), here);
    if (a & N_RD && here.shared)
        out->packet[out->count - 1].requester = NM_NO_CARD;
    if (a & (TO_HOME | TO_CARD))
        pass_on(place, a, in, here, out);
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

static bool step(enum nm_agent agent, const struct nm_place *place, struct nm_dir_line *line,
                 unsigned event, const struct nm_packet *in, struct who here, struct nm_sends *out,
                 uint64_t *actions)
{
    const struct nm_table *t = place->protocol->agent[agent];
    out->count = 0;
    if (event == NM_MEANS_NOTHING)
        return false;
    const struct nm_cell *cell = nm_cell(t, line->state, event);
    if (!cell->exists)
        return false;
    uint64_t a = *actions = cell->actions;
    if (a & HOLD) /* from here on the message's requester is the one held */
        line->held_station = here.station, line->held_card = here.card;
    struct who then = {line->held_station, line->held_card, false};
    if (a & (POLL_S | POLL_X))
        line->poll = t->state[line->state].attributes & NM_POLLS ? line->poll + 1 : 0;
    if (a & SENDS_HERE)
        send_local(place, line, a, here, then, out);
    if (agent == NM_AGENT_HOME && a & SENDS_FROM_HOME)
        send_from_home(place, line, a, here, then, out);
    else if (agent == NM_AGENT_NC && a & SENDS_FROM_NC)
        send_from_nc(place, line, a, in, here, then, out);
    if (a & UPDATES)
        update(place, line, a, here, then);
    line->state = cell->next;
    if (agent == NM_AGENT_NC && !cell->next)
        *line = nm_dir_start(agent); /* it is forgotten */
    return true;
}

bool nm_dir_step(enum nm_agent agent, const struct nm_place *place, struct nm_dir_line *line,
                 const struct nm_packet *in, bool from_network, struct nm_sends *out,
                 uint64_t *actions)
{
    const bool known = !from_network || place->protocol->direct;
    struct who here = {in->station, known ? in->requester : NM_NO_CARD, wants_shared(in)};
    const unsigned event = nm_dir_event_of(agent, place, line, in, from_network);
    return step(agent, place, line, event, in, here, out, actions);
}

bool nm_nc_eject(const struct nm_place *place, struct nm_dir_line *line, struct nm_sends *out,
                 uint64_t *actions)
{
    struct who nobody = {place->station, NM_NO_CARD, false};
    return step(NM_AGENT_NC, place, line, nm_dir_event_of(NM_AGENT_NC, place, line, NULL, false),
                NULL, nobody, out, actions);
}

/* ---- cards ----------------------------------------------------------------------------------- */

bool nm_card_step(const struct nm_seat *seat, uint8_t *state, enum nm_card_event event,
                  const struct nm_packet *in, struct nm_sends *out, uint64_t *actions)
{
    const struct nm_table *t = seat->protocol->agent[NM_AGENT_CARD];
    const uint8_t home = (uint8_t)(1u << seat->directory);
    struct who self = {seat->station, seat->card, false}, who = self;
    out->count = 0;
    if (event == NM_CARD_EVENTS)
        return false;
    const struct nm_cell *cell = nm_cell(t, *state, event);
    if (!cell->exists)
        return false;
    uint64_t a = *actions = cell->actions;
    if (in)
        who = (struct who){in->station, in->requester, false};
    *state = cell->next;
    if (a & (NM_CARD_ACT_SEND_RD | NM_CARD_ACT_SEND_RDEXCL | NM_CARD_ACT_SEND_UPGD |
             NM_CARD_ACT_SEND_SPECIAL | NM_CARD_ACT_RETRY))
        to_cards(out, t->state[cell->next].request, home, self);
    if (a & NM_CARD_ACT_SEND_WB)
        to_cards(out, NM_MSG_WB, home, self);
    if (a & (NM_CARD_ACT_SEND_DATA_S | NM_CARD_ACT_SEND_DATA_X))
        to_cards(out, a & NM_CARD_ACT_SEND_DATA_S ? NM_MSG_DATA_S : NM_MSG_DATA_X,
                 home | (who.card == NM_NO_CARD || who.station != seat->station
                             ? 0
                             : (uint8_t)(1u << who.card)),
                 who);
    if (a & NM_CARD_ACT_SEND_MISS)
        to_cards(out, NM_MSG_INTV_MISS, home, who);
    return true;
}
