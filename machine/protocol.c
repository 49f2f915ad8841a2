/*
 * The protocol table at work: finds the cell, moves the masks, writes the messages.
 *
 * The hard idea is not here but in protocol.def; this file only says what each action word means,
 * so that the table can be read as the textbook's.
 */
#include "machine/protocol.h"

#include <stddef.h>

#define CONCAT_(a, b) a##b
#define CONCAT(a, b)  CONCAT_(a, b)

static const struct nm_message_row messages[NM_MSG__COUNT] = {
#define MESSAGE(name, class, data, sentence) {#name, NM_##class, data, sentence},
#include "machine/message.def"
#undef MESSAGE
};

const struct nm_message_row *nm_message_row(enum nm_message m)
{
    return &messages[m];
}

/* The rows use bare action words; here they become the enumerators of the agent they belong to. */
enum {
    NOTHING = NM_CARD_ACT_NOTHING,
    HIT = NM_CARD_ACT_HIT,
    FILL = NM_CARD_ACT_FILL,
    DROP = NM_CARD_ACT_DROP,
    CLEAN = NM_CARD_ACT_CLEAN,
    DONE = NM_CARD_ACT_DONE,
    RETRY = NM_CARD_ACT_RETRY,
    SEND_RD = NM_CARD_ACT_SEND_RD,
    SEND_RDEXCL = NM_CARD_ACT_SEND_RDEXCL,
    SEND_UPGD = NM_CARD_ACT_SEND_UPGD,
    SEND_WB = NM_CARD_ACT_SEND_WB,
    SEND_DATA_S = NM_CARD_ACT_SEND_DATA_S,
    SEND_DATA_X = NM_CARD_ACT_SEND_DATA_X,
    SEND_MISS = NM_CARD_ACT_SEND_MISS,
    READ = NM_HOME_ACT_READ,
    WRITE = NM_HOME_ACT_WRITE,
    ADD = NM_HOME_ACT_ADD,
    OWN = NM_HOME_ACT_OWN,
    CLEAR = NM_HOME_ACT_CLEAR,
    HOLD = NM_HOME_ACT_HOLD,
    ADD_HELD = NM_HOME_ACT_ADD_HELD,
    OWN_HELD = NM_HOME_ACT_OWN_HELD,
    DATA_S = NM_HOME_ACT_DATA_S,
    DATA_X = NM_HOME_ACT_DATA_X,
    DATA_S_HELD = NM_HOME_ACT_DATA_S_HELD,
    DATA_X_HELD = NM_HOME_ACT_DATA_X_HELD,
    INTV_S = NM_HOME_ACT_INTV_S,
    INTV_X = NM_HOME_ACT_INTV_X,
    INVAL = NM_HOME_ACT_INVAL,
    ACK_INVAL = NM_HOME_ACT_ACK_INVAL,
    NACK = NM_HOME_ACT_NACK,
};

#define STATE(agent, name, sentence)
#define EVENT(agent, name, sentence)

static const struct nm_row card_table[NM_CARD_STATES][NM_CARD_EVENTS] = {
#define CELL_HOME(state, event, next, actions)
#define CELL_CARD(state, event, next, actions) \
    [NM_CARD_##state][NM_CARD_EV_##event] = {true, NM_CARD_##next, actions},
#define ROW(agent, state, event, next, actions) CELL_##agent(state, event, next, actions)
#include "machine/protocol.def"
#undef CELL_HOME
#undef CELL_CARD
};

static const struct nm_row home_table[NM_HOME_STATES][NM_HOME_EVENTS] = {
#define CELL_CARD(state, event, next, actions)
#define CELL_HOME(state, event, next, actions) \
    [NM_HOME_##state][NM_HOME_EV_##event] = {true, NM_HOME_##next, actions},
#include "machine/protocol.def"
#undef ROW
};

#undef STATE
#undef EVENT

const struct nm_row *nm_card_row(enum nm_card_state s, enum nm_card_event e)
{
    return &card_table[s][e];
}

const struct nm_row *nm_home_row(enum nm_home_state s, enum nm_home_event e)
{
    return &home_table[s][e];
}

#define EVENT(agent, name, sentence)
#define ROW(agent, state, event, next, actions)
const char *nm_card_state_name(unsigned s)
{
    static const char *const names[] = {
#define NAME_CARD(name) #name,
#define NAME_HOME(name)
#define STATE(agent, name, sentence) NAME_##agent(name)
#include "machine/protocol.def"
#undef STATE
#undef NAME_CARD
#undef NAME_HOME
    };
    return s < NM_CARD_STATES ? names[s] : "?";
}

const char *nm_home_state_name(unsigned s)
{
    static const char *const names[] = {
#define NAME_CARD(name)
#define NAME_HOME(name)              #name,
#define STATE(agent, name, sentence) NAME_##agent(name)
#include "machine/protocol.def"
#undef STATE
    };
    return s < NM_HOME_STATES ? names[s] : "?";
}
#undef EVENT
#undef ROW

static void send(struct nm_sends *out, enum nm_message message, uint8_t targets, uint8_t requester)
{
    out->packet[out->count++] = (struct nm_packet){
        .message = message, .targets = targets, .requester = requester, .data = -1};
}

/* Whether an upgrade is still one depends on the mask: its card may have lost the copy. */
static enum nm_home_event home_event_of(const struct nm_packet *in, uint8_t cards)
{
    switch (in->message) {
    case NM_MSG_RD:
        return NM_HOME_EV_RD;
    case NM_MSG_RDEXCL:
        return NM_HOME_EV_RDEXCL;
    case NM_MSG_UPGD:
        return cards >> in->source & 1 ? NM_HOME_EV_UPGD : NM_HOME_EV_UPGD_LATE;
    case NM_MSG_WB:
        return NM_HOME_EV_WB;
    case NM_MSG_DATA_S:
        return NM_HOME_EV_INTV_DATA;
    case NM_MSG_DATA_X:
        return NM_HOME_EV_INTV_DONE;
    case NM_MSG_INTV_MISS:
        return NM_HOME_EV_INTV_MISS;
    default:
        return NM_HOME_EVENTS;
    }
}

bool nm_home_step(struct nm_home_line *line, const struct nm_packet *in, struct nm_sends *out,
                  uint32_t *actions)
{
    out->count = 0;
    enum nm_home_event event = home_event_of(in, line->cards);
    if (event == NM_HOME_EVENTS || !home_table[line->state][event].exists)
        return false;
    const struct nm_row *row = &home_table[line->state][event];
    uint32_t a = *actions = row->actions;
    uint8_t self = (uint8_t)(1u << in->requester), held = (uint8_t)(1u << line->held);
    uint8_t others = line->cards & (uint8_t)~self;

    if (a & INVAL && others)
        send(out, NM_MSG_INVALIDATE, others, in->requester);
    if (a & ACK_INVAL)
        send(out, NM_MSG_INVALIDATE, others | self, in->requester);
    if (a & (DATA_S | DATA_X))
        send(out, a & DATA_S ? NM_MSG_DATA_S : NM_MSG_DATA_X, self, in->requester);
    if (a & (DATA_S_HELD | DATA_X_HELD))
        send(out, a & DATA_S_HELD ? NM_MSG_DATA_S : NM_MSG_DATA_X, held, line->held);
    if (a & (INTV_S | INTV_X))
        send(out, a & INTV_S ? NM_MSG_INTV_S : NM_MSG_INTV_X, line->cards, in->requester);
    if (a & NACK)
        send(out, NM_MSG_NACK, self, in->requester);

    if (a & HOLD)
        line->held = in->requester;
    if (a & CLEAR)
        line->cards = 0;
    if (a & OWN)
        line->cards = self;
    if (a & ADD)
        line->cards |= self;
    if (a & OWN_HELD)
        line->cards = held;
    if (a & ADD_HELD)
        line->cards |= held;
    line->state = row->next;
    return true;
}

enum nm_card_event nm_card_event_of(const struct nm_packet *p, uint8_t card)
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
        return NM_CARD_EVENTS;
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

bool nm_card_step(uint8_t *state, enum nm_card_event event, uint8_t card,
                  const struct nm_packet *in, struct nm_sends *out, uint32_t *actions)
{
    static const uint8_t home = 1u << NM_MODULE_MEMORY;
    out->count = 0;
    if (event == NM_CARD_EVENTS || !card_table[*state][event].exists)
        return false;
    const struct nm_row *row = &card_table[*state][event];
    uint32_t a = *actions = row->actions;
    *state = row->next;
    if (a & (SEND_RD | SEND_RDEXCL | SEND_UPGD | RETRY))
        send(out, nm_card_request(row->next), home, card);
    if (a & SEND_WB)
        send(out, NM_MSG_WB, home, card);
    if (a & (SEND_DATA_S | SEND_DATA_X))
        send(out, a & SEND_DATA_S ? NM_MSG_DATA_S : NM_MSG_DATA_X,
             (uint8_t)(home | 1u << in->requester), in->requester);
    if (a & SEND_MISS)
        send(out, NM_MSG_INTV_MISS, home, in->requester);
    return true;
}
