/*
 * The checker's machine: who may do what next, and what must hold afterwards.
 *
 * The hard idea is data. A version number per copy would make the machine infinite, but of all
 * versions only one matters: a copy is fresh when it has the value of the last store, and a store
 * makes one card's copy fresh and all others stale. As no acknowledgements are collected, a stale
 * copy may still be read while the invalidation that will end it is on its way; so the property is:
 * every readable stale copy has an invalidation in flight to it, and every copy written is fresh
 * and the only dirty one.
 */
#include "tests/explore_model.h"

#include <assert.h>
#include <string.h>

/* ---- messages -------------------------------------------------------------------------------- */

/* Requesters that are no cards here, in three bits. */
enum { ACKNOWLEDGED = 6, NOBODY = 7 };

struct fields {
    uint8_t message, line, requester, station, fresh, to;
    uint8_t owner; /* card that an intervention on the network names */
    bool shared; /* an instruction fetch; never packed, as the network's request then names no card
                  */
};

/* Only messages of coherence, which come first, are ever packed: those behind would not fit. */
enum { MESSAGES = NM_MSG_UNC_RD };
_Static_assert(MESSAGES <= 1 << 5, "a message in 5 bits");
_Static_assert(EX_LINES <= 1 << 1 && (int)EX_CARDS <= (int)ACKNOWLEDGED && EX_STATIONS <= 1 << 2,
               "a line in one bit, a requester in 3, a station in 2, a bit for each in `to`");

static bool is_intervention(uint8_t message)
{
    return message == NM_MSG_INTV_S || message == NM_MSG_INTV_X;
}

/* An intervention goes to one station, which leaves two bits for the card it names. */
static ex_msg msg_pack(struct fields f)
{
    assert(f.message < MESSAGES);
    if (is_intervention(f.message)) {
        assert(!(f.to & (f.to - 1)) && f.owner < 4);
        f.to = (uint8_t)((f.to ? __builtin_ctz(f.to) : 0) | f.owner << 2);
    }
    return (ex_msg)(f.message | f.line << 5 | f.fresh << 6 | f.requester << 7 | f.station << 10 |
                    f.to << 12);
}

static struct fields msg_fields(ex_msg m)
{
    struct fields f = {.message = m & 31,
                       .line = m >> 5 & 1,
                       .fresh = m >> 6 & 1,
                       .requester = m >> 7 & 7,
                       .station = m >> 10 & 3,
                       .to = m >> 12 & 15};
    if (is_intervention(f.message)) {
        f.owner = f.to >> 2;
        f.to = (uint8_t)(1u << (f.to & 3));
    }
    return f;
}

static unsigned index_of(const struct ex_config *c, uint16_t number)
{
    for (unsigned i = 0; i < c->stations; i++)
        if (c->number[i] == number)
            return i;
    return c->stations;
}

static uint8_t narrow(uint8_t requester)
{
    if (requester == NM_NO_CARD)
        return NOBODY;
    return requester == NM_ACKNOWLEDGED ? ACKNOWLEDGED : requester;
}

static uint8_t widen(uint8_t requester)
{
    if (requester == NOBODY)
        return NM_NO_CARD;
    return requester == ACKNOWLEDGED ? NM_ACKNOWLEDGED : requester;
}

/* As the protocol's functions see it. */
static struct nm_packet packet_of(const struct ex_config *c, struct fields f)
{
    return (struct nm_packet){.message = f.message,
                              .requester = widen(f.requester),
                              .station = c->number[f.station],
                              .info = f.shared ? NM_INFO_SHARED : 0,
                              .bytes = (uint8_t)(1u << f.owner),
                              .data = -1};
}

const char ex_no_room[] = "no room";
static const char too_many[] = "more messages under way than there can be";

static bool push(struct ex_queue *q, struct fields f)
{
    if (q->count == EX_QUEUE)
        return false;
    q->m[q->count++] = msg_pack(f);
    return true;
}

static struct fields pull(struct ex_queue *q, unsigned at)
{
    ex_msg m = q->m[at];
    q->count--;
    memmove(&q->m[at], &q->m[at + 1], (q->count - at) * sizeof q->m[0]);
    return msg_fields(m);
}

static bool nonsinkable(ex_msg m)
{
    return nm_message_row(m & 31)->class == NM_NONSINKABLE;
}

/* ---- sending --------------------------------------------------------------------------------- */

static struct nm_place place_of(const struct ex_config *c, unsigned station)
{
    return (struct nm_place){.rings = &c->rings,
                             .station = c->number[station],
                             .home = c->number[0],
                             .cards = c->cards,
                             .protocol = c->protocol};
}

/* Populated stations the route covers, imprecision included. */
static uint8_t covered(const struct ex_config *c, ring_mask route)
{
    uint8_t to = 0;
    for (unsigned i = 0; i < c->stations; i++)
        to |= (uint8_t)(ring_mask_covers(&c->rings, route, c->number[i]) << i);
    return to;
}

/* Arrives at all its stations in one step, if all have room: a full one stops the ring. */
static const char *deliver(const struct ex_config *c, struct ex_world *w, struct fields f)
{
    uint8_t to = f.to;
    f.to = 0;
    if (f.message != NM_MSG_INVALIDATE && to & (to - 1))
        return "only invalidations go to several stations";
    for (unsigned i = 0; i < c->stations; i++)
        if (to >> i & 1 && w->net[i].count == EX_WAITING)
            return ex_no_room;
    for (unsigned i = 0; i < c->stations; i++)
        if (to >> i & 1)
            push(&w->net[i], f);
    return NULL;
}

/* Into the queue of those that wait for the network. */
static const char *leave(struct ex_world *w, unsigned station, struct fields f)
{
    enum nm_class class = nm_message_row(f.message)->class;
    return push(&w->out[station][class], f) ? NULL : too_many;
}

static const char *card_event(const struct ex_config *c, struct ex_world *w, unsigned station,
                              unsigned card, uint8_t line, enum nm_card_event event,
                              const struct nm_packet *in, uint64_t *actions, ex_cells cells);

/* A NACK meets nothing but the request it answers, so it may as well arrive in no time. */
static const char *refuse(const struct ex_config *c, struct ex_world *w, unsigned station,
                          uint8_t line, const struct nm_packet *p, ex_cells cells)
{
    uint64_t actions;
    if (p->requester >= c->cards || w->card[station][p->requester].request != EX_TAKEN)
        return "a NACK for nobody";
    return card_event(c, w, station, p->requester, line, NM_CARD_EV_NACK, p, &actions, cells);
}

static const struct nm_table *table(const struct ex_config *c, enum nm_agent agent)
{
    return c->protocol->agent[agent];
}

static enum nm_agent agent_of(unsigned station)
{
    return station ? NM_AGENT_NC : NM_AGENT_HOME;
}

/* What a card has of a line in that state. */
static uint8_t line_of(const struct ex_config *c, uint8_t state)
{
    return table(c, NM_AGENT_CARD)->state[state].line;
}

static bool owner(uint8_t state)
{
    return state == NM_LINE_D || state == NM_LINE_E;
}

static bool readable(const struct ex_config *c, uint8_t state)
{
    return line_of(c, state) != NM_LINE_I;
}

/* An invalidation ends nothing that the one before it in the card's queue has not ended, unless
 * data came between: it is as good as not sent. Without this, and without a limit to what may wait
 * for a station, there would be no end to what piles up at one that does not move. */
static bool moot(const struct ex_config *c, const struct ex_card *k, unsigned card, struct fields f)
{
    if (f.message != NM_MSG_INVALIDATE || f.requester == card)
        return false;
    for (unsigned i = k->in.count; i-- > 0;) {
        struct fields before = msg_fields(k->in.m[i]);
        if (before.line == f.line && !nonsinkable(k->in.m[i]))
            return before.message == NM_MSG_INVALIDATE && before.requester != card;
    }
    return !k->in.count && !readable(c, k->state[f.line]);
}

/* To cards and the directory of this station. */
static const char *put_on_bus(const struct ex_config *c, struct ex_world *w, unsigned station,
                              uint8_t targets, struct fields f)
{
    bool room = true;
    for (unsigned card = 0; card < c->cards; card++)
        if (targets >> card & 1 && !moot(c, &w->card[station][card], card, f))
            room &= push(&w->card[station][card].in, f);
    if (targets >> NM_CARDS_MAX)
        room &= push(&w->bus[station], f);
    return room ? NULL : too_many;
}

/* Puts what a module of `station` sends where it goes next. */
static const char *send_all(const struct ex_config *c, struct ex_world *w, unsigned station,
                            uint8_t line, const struct nm_sends *sends, bool fresh, ex_cells cells)
{
    for (unsigned i = 0; i < sends->count; i++) {
        const struct nm_packet *p = &sends->packet[i];
        const struct nm_message_row *row = nm_message_row(p->message);
        unsigned who = index_of(c, p->station);
        struct fields f = {.message = p->message,
                           .line = line,
                           .requester = narrow(p->requester),
                           .station = (uint8_t)(who == c->stations ? 0 : who),
                           .fresh = row->has_data && fresh};
        if (p->route) {
            f.to = covered(c, p->route);
            f.owner = p->bytes ? (uint8_t)__builtin_ctz(p->bytes) : 0;
            if (!f.to)
                return "a message to no station";
            if (is_intervention(f.message) && f.to & (f.to - 1))
                return "an intervention to several stations";
            const char *off = leave(w, station, f);
            if (off)
                return off;
            continue;
        }
        if (p->message == NM_MSG_NACK) {
            const char *wrong = refuse(c, w, station, line, p, cells);
            if (wrong)
                return wrong;
            continue;
        }
        const char *wrong = put_on_bus(c, w, station, p->targets, f);
        if (wrong)
            return wrong;
    }
    return NULL;
}

/* ---- cards ----------------------------------------------------------------------------------- */

static bool waiting(const struct ex_config *c, uint8_t state)
{
    return nm_card_request(c->protocol, state) != NM_MSG__COUNT;
}

static void make_stale(struct ex_queue *q, uint8_t line)
{
    for (unsigned i = 0; i < q->count; i++)
        if ((q->m[i] >> 5 & 1) == line)
            q->m[i] &= (ex_msg) ~(1u << 6);
}

/* A store happens: this copy is the latest value, everything else is stale. */
static void store(const struct ex_config *c, struct ex_world *w, unsigned station, unsigned card,
                  uint8_t line)
{
    for (unsigned s = 0; s < c->stations; s++) {
        for (unsigned k = 0; k < c->cards; k++) {
            w->card[s][k].fresh[line] = s == station && k == card;
            make_stale(&w->card[s][k].in, line);
        }
        w->nc[s][line].fresh = false;
        make_stale(&w->bus[s], line);
        make_stale(&w->net[s], line);
        make_stale(&w->out[s][NM_SINKABLE], line);
    }
    w->home[line].fresh = false;
}

static void use(const struct ex_config *c, ex_cells cells, enum nm_agent agent, uint8_t state,
                unsigned event)
{
    if (cells && event < table(c, agent)->events)
        cells[agent][state][event] = true;
}

/* A transition of a card; a request it sends goes to the directory's door, the rest is sent. */
static const char *card_event(const struct ex_config *c, struct ex_world *w, unsigned station,
                              unsigned card, uint8_t line, enum nm_card_event event,
                              const struct nm_packet *in, uint64_t *actions, ex_cells cells)
{
    struct ex_card *k = &w->card[station][card];
    struct nm_sends sends;
    const struct nm_seat seat = {c->protocol, c->number[station], (uint8_t)card,
                                 station ? NM_MODULE_NETWORK : NM_MODULE_MEMORY};
    use(c, cells, NM_AGENT_CARD, k->state[line], event);
    if (!nm_card_step(&seat, &k->state[line], event, in, &sends, actions))
        return "a card has no cell for this";
    if (*actions & (NM_CARD_ACT_SEND_RD | NM_CARD_ACT_SEND_RDEXCL | NM_CARD_ACT_SEND_UPGD |
                    NM_CARD_ACT_SEND_SPECIAL)) {
        k->request = EX_DOOR;
        k->line = line;
        return NULL;
    }
    if (*actions & NM_CARD_ACT_RETRY) {
        k->request =
            nm_card_request(c->protocol, k->state[line]) == NM_MSG_UPGD ? EX_RETRY : EX_DOOR;
        return NULL;
    }
    return send_all(c, w, station, line, &sends, k->fresh[line], cells);
}

/* The line reserved comes to be, in place of a request for it that has been refused. */
static const char *create(const struct ex_config *c, struct ex_world *w, unsigned station,
                          unsigned card, uint8_t line, ex_cells cells)
{
    struct ex_card *k = &w->card[station][card];
    uint64_t actions;
    const char *wrong =
        card_event(c, w, station, card, line, NM_CARD_EV_CREATE, NULL, &actions, cells);
    if (k->line == line)
        k->request = k->link = EX_NONE;
    k->created |= (uint8_t)(1u << line);
    store(c, w, station, card, line);
    return wrong;
}

static const char *card_takes(const struct ex_config *c, struct ex_world *w, unsigned station,
                              unsigned card, unsigned at, ex_cells cells)
{
    struct ex_card *k = &w->card[station][card];
    struct fields f = pull(&k->in, at);
    if (f.message == NM_MSG_SF_READY)
        return create(c, w, station, card, f.line, cells);
    struct nm_packet in = packet_of(c, f);
    enum nm_card_event event = nm_card_event_of(&in, (uint8_t)card);
    bool was_waiting = waiting(c, k->state[f.line]);
    uint64_t actions;
    const char *wrong = card_event(c, w, station, card, f.line, event, &in, &actions, cells);
    if (wrong)
        return wrong;
    if (actions & NM_CARD_ACT_FILL)
        k->fresh[f.line] = f.fresh;
    if (!(actions & NM_CARD_ACT_DONE))
        return NULL;
    if (!was_waiting)
        return "an answer nobody waits for";
    k->request = EX_NONE;
    if (k->state[f.line] == NM_LINE_D && !k->fresh[f.line])
        return "a store to a stale copy";
    if (k->link == EX_LINKING)
        k->link = EX_KEPT;
    else if (k->state[f.line] == NM_LINE_D)
        store(c, w, station, card, f.line);
    return NULL;
}

static const char *send_again(const struct ex_config *c, struct ex_world *w, struct ex_step s,
                              ex_cells cells)
{
    struct ex_card *k = &w->card[s.station][s.arg];
    uint64_t actions;
    const char *wrong = NULL;
    if (nm_card_lost(c->protocol, k->state[k->line])) /* the copy went while the upgrade waited */
        wrong = card_event(c, w, s.station, s.arg, k->line, NM_CARD_EV_NACK, NULL, &actions, cells);
    k->request = EX_DOOR;
    return wrong;
}

/* ---- directories ----------------------------------------------------------------------------- */

static bool locked(const struct ex_config *c, unsigned station, uint8_t state)
{
    return nm_locked(table(c, agent_of(station)), state);
}

static const char *eject(const struct ex_config *c, struct ex_world *w, unsigned station,
                         uint8_t line, ex_cells cells)
{
    struct ex_dir *d = &w->nc[station][line];
    struct nm_place place = place_of(c, station);
    struct nm_sends sends;
    uint64_t actions;
    use(c, cells, NM_AGENT_NC, d->entry.state,
        nm_dir_event_of(NM_AGENT_NC, &place, &d->entry, NULL, false));
    if (!nm_nc_eject(&place, &d->entry, &sends, &actions))
        return "a network cache entry cannot be ejected";
    return send_all(c, w, station, line, &sends, d->fresh, cells);
}

/* The data of what a transition sends: the directory's, or those that came in. */
static const char *carry(struct ex_dir *d, struct fields f, uint64_t actions,
                         const struct nm_sends *sends, bool *fresh)
{
    bool came = nm_message_row(f.message)->has_data;
    if (actions & NM_DIR_ACT_WRITE) {
        if (!came)
            return "a directory writes data that did not come";
        d->fresh = f.fresh;
    }
    *fresh = actions & NM_DIR_ACT_READ ? d->fresh : f.fresh;
    for (unsigned i = 0; i < sends->count; i++)
        if (nm_message_row(sends->packet[i].message)->has_data && !came &&
            !(actions & NM_DIR_ACT_READ))
            return "a directory sends data it has not got";
    return NULL;
}

/* Whether the directory's own unit waits for that line, which is locked for it. That of a network
 * card never does: a prefetch is done when it is asked for. */
static bool is_units(const struct ex_config *c, unsigned station, const struct nm_dir_line *e)
{
    return !station && locked(c, 0, e->state) && e->held_card == NM_NO_CARD &&
           e->held_station == c->number[0];
}

/* A unit has one request for a line at a time, and no message answers it: it looks at what its
 * directory does with the line (machine/special.c). What ends the wait must be a word for it, and
 * what does not must leave the line locked for it. */
static const char *tell_unit(bool own, bool waited, bool waits, uint64_t actions)
{
    const bool told =
        actions & (NM_DIR_ACT_SERVED | (own ? NM_DIR_ACT_NACK : NM_DIR_ACT_REFUSE_HELD));
    return (own || waited) && !waits && !told ? "a special function waits for ever" : NULL;
}

static const char *dir_event(const struct ex_config *c, struct ex_world *w, unsigned station,
                             struct ex_dir *d, struct fields f, bool from_network, ex_cells cells)
{
    enum nm_agent agent = agent_of(station);
    struct nm_place place = place_of(c, station);
    struct nm_packet in = packet_of(c, f);
    struct nm_sends sends;
    uint64_t actions;
    const bool waited = is_units(c, station, &d->entry);
    const bool own = f.message >= NM_MSG_SF_INVAL && f.message <= NM_MSG_SF_OWN;
    bool fresh = false;
    use(c, cells, agent, d->entry.state,
        nm_dir_event_of(agent, &place, &d->entry, &in, from_network));
    if (!nm_dir_step(agent, &place, &d->entry, &in, from_network, &sends, &actions))
        return station ? "a network cache has no cell for this" : "the home has no cell for this";
    const char *wrong = carry(d, f, actions, &sends, &fresh);
    if (!station && actions & NM_DIR_ACT_SERVED && !d->fresh &&
        table(c, agent)->state[d->entry.state].attributes == NM_VALID)
        return "a special function leaves memory stale";
    if (!wrong)
        wrong = tell_unit(own, waited, is_units(c, station, &d->entry), actions);
    return wrong ? wrong : send_all(c, w, station, f.line, &sends, fresh, cells);
}

static bool is_request(struct fields f)
{
    return f.message == NM_MSG_RD || f.message == NM_MSG_RDEXCL || f.message == NM_MSG_UPGD;
}

/* Says no without looking, as a directory may when it cannot follow or has no place for the line:
 * outside the table, the sender tries again (machine/controller.c). */
static const char *turn_away(const struct ex_config *c, struct ex_world *w, unsigned station,
                             struct fields f, bool from_network, ex_cells cells)
{
    struct nm_sends sends = {.count = 1};
    struct nm_packet *p = &sends.packet[0];
    unsigned to = is_request(f) ? f.station : 0;
    *p = packet_of(c, f);
    p->message = is_request(f) ? NM_MSG_NACK : NM_MSG_INTV_NACK;
    if (from_network) {
        if (!c->protocol->direct)
            p->requester = NM_NO_CARD;
        p->route = ring_mask_station(&c->rings, c->number[to]);
    } else
        p->targets = (uint8_t)(1u << f.requester);
    return send_all(c, w, station, f.line, &sends, false, cells);
}

/* Does the line's entry stand in the place that all lines share? An intervention for a line that
 * has none is dealt with aside (machine/network.c). */
static bool has_place(const struct ex_config *c, const struct ex_dir *d)
{
    return table(c, NM_AGENT_NC)->state[d->entry.state].row != NM_ROW_N;
}

/* A card's request needs the place: another line must go, or the request is refused. */
static const char *make_room(const struct ex_config *c, struct ex_world *w, unsigned station,
                             uint8_t line, bool *refused, ex_cells cells)
{
    *refused = false;
    for (uint8_t l = 0; l < c->lines; l++) {
        if (l == line || !has_place(c, &w->nc[station][l]))
            continue;
        *refused = locked(c, station, w->nc[station][l].entry.state);
        return *refused ? NULL : eject(c, w, station, l, cells);
    }
    return NULL;
}

static const char *dir_takes(const struct ex_config *c, struct ex_world *w, unsigned station,
                             struct fields f, bool from_network, ex_cells cells)
{
    struct ex_dir *d = station ? &w->nc[station][f.line] : &w->home[f.line];
    if (f.message == NM_MSG_SF_READY) /* passes, behind what came before */
        return put_on_bus(c, w, station, (uint8_t)(1u << f.requester), f);
    if (f.message == NM_MSG_SF_CREATED)
        f.message = NM_MSG_SF_OWN;
    if (station && !from_network && is_request(f) && nm_dir_unknown(&d->entry)) {
        bool refused;
        const char *wrong = make_room(c, w, station, f.line, &refused, cells);
        if (refused)
            return turn_away(c, w, station, f, false, cells);
        if (wrong)
            return wrong;
    }
    return dir_event(c, w, station, d, f, from_network, cells);
}

/* The special function unit asks its own directory; nobody is the requester (machine/special.c). */
static const char *function(const struct ex_config *c, struct ex_world *w, struct ex_step s,
                            ex_cells cells)
{
    struct ex_dir *d = s.station ? &w->nc[s.station][s.line] : &w->home[s.line];
    const struct fields f = {
        .message = s.arg, .line = s.line, .requester = NOBODY, .station = s.station};
    bool refused = false;
    const char *wrong = NULL;
    if (s.station && nm_dir_unknown(&d->entry))
        wrong = make_room(c, w, s.station, s.line, &refused, cells);
    return wrong || refused ? wrong : dir_event(c, w, s.station, d, f, false, cells);
}

/* The unit reserves the line if it can, and tells the card. */
static const char *claim(const struct ex_config *c, struct ex_world *w, struct ex_step s,
                         ex_cells cells)
{
    const struct fields nobody = {
        .message = NM_MSG_SF_CLAIM, .line = s.line, .requester = NOBODY, .station = 0};
    struct fields ready = {
        .message = NM_MSG_SF_READY, .line = s.line, .requester = s.arg, .station = s.station};
    const struct nm_place place = place_of(c, 0);
    const struct nm_packet in = packet_of(c, nobody);
    const struct nm_dir_line *entry = &w->home[s.line].entry;
    const struct nm_cell *cell = nm_cell(table(c, NM_AGENT_HOME), entry->state,
                                         nm_dir_event_of(NM_AGENT_HOME, &place, entry, &in, false));
    const char *wrong = dir_event(c, w, 0, &w->home[s.line], nobody, false, cells);
    if (wrong || !(cell->actions & NM_DIR_ACT_SERVED))
        return wrong;
    if (s.station == 0)
        return put_on_bus(c, w, 0, (uint8_t)(1u << s.arg), ready);
    ready.to = (uint8_t)(1u << s.station);
    return leave(w, 0, ready);
}

static const char *tell_created(const struct ex_config *c, struct ex_world *w, struct ex_step s,
                                ex_cells cells)
{
    struct fields f = {.message = NM_MSG_SF_CREATED,
                       .line = s.line,
                       .requester = s.arg,
                       .station = s.station,
                       .to = 1};
    w->card[s.station][s.arg].created &= (uint8_t) ~(1u << s.line);
    if (s.station)
        return leave(w, s.station, f);
    f.to = 0;
    return dir_takes(c, w, 0, f, false, cells);
}

/* The card's request leaves the door. */
static struct fields taken(const struct ex_config *c, struct ex_world *w, struct ex_step s)
{
    struct ex_card *k = &w->card[s.station][s.arg];
    k->request = EX_TAKEN;
    return (struct fields){.message = (uint8_t)nm_card_request(c->protocol, k->state[k->line]),
                           .line = k->line,
                           .requester = s.arg,
                           .station = s.station,
                           .shared = k->shared};
}

static const char *request(const struct ex_config *c, struct ex_world *w, struct ex_step s,
                           ex_cells cells)
{
    return dir_takes(c, w, s.station, taken(c, w, s), false, cells);
}

/* It is refused in favour of an older one, or for want of room. */
static const char *deny(const struct ex_config *c, struct ex_world *w, struct ex_step s,
                        ex_cells cells)
{
    return turn_away(c, w, s.station, taken(c, w, s), false, cells);
}

/* An access. A request without a copy waits for nothing that could change it, so it is taken in the
 * same step; an upgrade waits at the door, where it may lose its copy, and so does a request that
 * may be refused unseen. */
static const char *processor(const struct ex_config *c, struct ex_world *w, struct ex_step s,
                             ex_cells cells)
{
    static const enum nm_card_event events[] = {[EX_LOAD] = NM_CARD_EV_LOAD,
                                                [EX_FETCH] = NM_CARD_EV_LOAD,
                                                [EX_STORE] = NM_CARD_EV_STORE,
                                                [EX_LINK] = NM_CARD_EV_LINK,
                                                [EX_EVICT] = NM_CARD_EV_REPLACE};
    struct ex_card *k = &w->card[s.station][s.arg];
    uint64_t actions;
    k->link = EX_UNLINKED; /* whatever it does now, it no longer keeps a line */
    k->shared = s.kind == EX_FETCH;
    const char *wrong =
        card_event(c, w, s.station, s.arg, s.line, events[s.kind], NULL, &actions, cells);
    if (!wrong && s.kind == EX_STORE && actions & NM_CARD_ACT_HIT)
        store(c, w, s.station, s.arg, s.line);
    if (!wrong && s.kind != EX_EVICT && k->request == EX_DOOR && !readable(c, k->state[s.line]) &&
        !c->refuse)
        wrong = request(c, w, s, cells);
    if (s.kind == EX_LINK) {
        k->link = actions & NM_CARD_ACT_HIT ? EX_KEPT : EX_LINKING;
        k->line = s.line;
    }
    return wrong;
}

/* ---- what must hold -------------------------------------------------------------------------- */

static bool holds_invalidation(const struct ex_queue *q, uint8_t line, unsigned to)
{
    for (unsigned i = 0; i < q->count; i++) {
        struct fields f = msg_fields(q->m[i]);
        if (f.message == NM_MSG_INVALIDATE && f.line == line && (!f.to || f.to >> to & 1))
            return true;
    }
    return false;
}

static bool invalidation_in_flight(const struct ex_config *c, const struct ex_world *w,
                                   unsigned station, unsigned card, uint8_t line)
{
    if (holds_invalidation(&w->card[station][card].in, line, station) ||
        holds_invalidation(&w->net[station], line, station))
        return true;
    for (unsigned s = 0; s < c->stations; s++)
        if (holds_invalidation(&w->out[s][NM_SINKABLE], line, station))
            return true;
    return false;
}

static const char *check_line(const struct ex_config *c, const struct ex_world *w, uint8_t line)
{
    unsigned owners = 0;
    for (unsigned s = 0; s < c->stations; s++)
        for (unsigned k = 0; k < c->cards; k++) {
            const struct ex_card *card = &w->card[s][k];
            uint8_t state = card->state[line];
            owners += owner(state);
            if (card->link == EX_KEPT && card->line == line && !owner(state))
                return "a line kept for a store conditional is not the card's alone";
            if (!readable(c, state) || card->fresh[line])
                continue;
            if (owner(state))
                return "an exclusive copy is stale";
            if (!invalidation_in_flight(c, w, s, k, line))
                return "a stale copy may be read and no invalidation is on its way";
        }
    return owners > 1 ? "two exclusive copies" : NULL;
}

bool ex_quiet(const struct ex_config *c, const struct ex_world *w)
{
    unsigned busy = 0;
    for (unsigned s = 0; s < c->stations; s++) {
        busy += w->bus[s].count + w->net[s].count + w->out[s][0].count + w->out[s][1].count;
        for (unsigned k = 0; k < c->cards; k++)
            busy += w->card[s][k].request + w->card[s][k].link + w->card[s][k].created +
                    w->card[s][k].in.count;
        for (unsigned k = 0; k < c->cards; k++)
            for (unsigned l = 0; l < c->lines; l++)
                busy += waiting(c, w->card[s][k].state[l]);
        for (unsigned l = 0; l < c->lines; l++)
            busy += s && locked(c, s, w->nc[s][l].entry.state);
    }
    for (unsigned l = 0; l < c->lines; l++)
        busy += locked(c, 0, w->home[l].entry.state);
    return !busy;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void ex_start(const struct ex_config *c, struct ex_world *w)
{
    memset(w, 0, sizeof *w);
    for (unsigned l = 0; l < c->lines; l++)
        w->home[l] = (struct ex_dir){.entry = nm_dir_start(NM_AGENT_HOME), .fresh = true};
    for (unsigned s = 0; s < EX_STATIONS; s++)
        for (unsigned l = 0; l < EX_LINES; l++)
            w->nc[s][l].entry = nm_dir_start(NM_AGENT_NC);
}

/* A line reserved is not created while a request for it is out: it will be refused first. */
static bool may_take(const struct ex_card *k, unsigned at)
{
    struct fields f = msg_fields(k->in.m[at]);
    return f.message != NM_MSG_SF_READY || k->request != EX_TAKEN || k->line != f.line;
}

static unsigned card_steps(const struct ex_config *c, const struct ex_world *w, uint8_t station,
                           uint8_t card, struct ex_step *out)
{
    const struct ex_card *k = &w->card[station][card];
    unsigned n = 0;
    if (station < c->idle)
        return 0;
    for (uint8_t l = 0; l < c->lines; l++) {
        uint8_t state = k->state[l];
        bool free = k->request == EX_NONE && (state != NM_LINE_I || !w->bus[station].count);
        if (free && state == NM_LINE_I)
            out[n++] = (struct ex_step){EX_LOAD, station, card, l};
        if (free && state == NM_LINE_I && c->fetches)
            out[n++] = (struct ex_step){EX_FETCH, station, card, l};
        if (free && !waiting(c, state))
            out[n++] = (struct ex_step){EX_STORE, station, card, l};
        if (c->links && free && !waiting(c, state))
            out[n++] = (struct ex_step){EX_LINK, station, card, l};
        if (c->evict && k->link != EX_LINKING && (state == NM_LINE_S || owner(state)))
            out[n++] = (struct ex_step){EX_EVICT, station, card, l};
    }
    if (k->request == EX_RETRY)
        out[n++] = (struct ex_step){EX_SEND, station, card, 0};
    if (k->request == EX_DOOR && !w->bus[station].count)
        out[n++] = (struct ex_step){EX_REQUEST, station, card, 0};
    if (k->request == EX_DOOR && c->refuse && !w->bus[station].count &&
        nm_card_request(c->protocol, k->state[k->line]) != NM_MSG_SPECIAL_RD)
        out[n++] = (struct ex_step){EX_DENY, station, card, 0};
    unsigned first = 0;
    while (first < k->in.count && nonsinkable(k->in.m[first]))
        first++;
    if (first && (k->link != EX_KEPT || msg_fields(k->in.m[0]).line != k->line))
        out[n++] = (struct ex_step){EX_CARD, station, card, 0};
    if (k->link == EX_KEPT)
        out[n++] = (struct ex_step){EX_RELEASE, station, card, 0};
    if (first < k->in.count && may_take(k, first))
        out[n++] = (struct ex_step){EX_CARD, station, card, (uint8_t)first};
    for (uint8_t l = 0; l < c->lines; l++)
        if (k->created >> l & 1 && !w->bus[station].count)
            out[n++] = (struct ex_step){EX_CREATED, station, card, l};
    return n;
}

/* Memory has one request of its own at a time, for whatever line. */
static bool unit_waits(const struct ex_config *c, const struct ex_world *w)
{
    bool waits = false;
    for (uint8_t l = 0; l < c->lines; l++)
        waits |= is_units(c, 0, &w->home[l].entry);
    return waits;
}

static unsigned function_steps(const struct ex_config *c, const struct ex_world *w, uint8_t station,
                               struct ex_step *out)
{
    unsigned n = 0;
    for (uint8_t l = 0; l < c->lines; l++) {
        if (station && c->functions & EX_FUNCTIONS)
            out[n++] = (struct ex_step){EX_FUNCTION, station, NM_MSG_SF_PREFETCH, l};
        if (station || unit_waits(c, w))
            continue;
        _Static_assert(NM_MSG_SF_WB - NM_MSG_SF_INVAL == 3, "the memory's four requests");
        for (unsigned m = NM_MSG_SF_INVAL; m <= NM_MSG_SF_WB; m++)
            if (c->functions & EX_FUNCTIONS || m == NM_MSG_SF_EXCL)
                out[n++] = (struct ex_step){EX_FUNCTION, station, m, l};
        for (uint8_t s = c->idle; c->functions & EX_CLAIMS && s < c->stations; s++)
            for (uint8_t k = 0; k < c->cards; k++)
                out[n++] = (struct ex_step){EX_CLAIM, s, k, l};
    }
    return n;
}

static unsigned station_steps(const struct ex_config *c, const struct ex_world *w, uint8_t station,
                              struct ex_step *out)
{
    unsigned n = 0;
    if (w->bus[station].count)
        out[n++] = (struct ex_step){EX_BUS, station, 0, 0};
    if (w->net[station].count)
        out[n++] = (struct ex_step){EX_NET, station, 0, 0};
    if (w->out[station][NM_SINKABLE].count)
        out[n++] = (struct ex_step){EX_RING, station, 0, 0};
    for (uint8_t s = 0; s < c->stations; s++) {
        const struct ex_queue *q = &w->out[s][NM_NONSINKABLE];
        if (q->count && msg_fields(q->m[0]).to >> station & 1)
            out[n++] = (struct ex_step){EX_NETREQ, station, s, 0};
        if (c->refuse && q->count && msg_fields(q->m[0]).to >> station & 1 &&
            msg_fields(q->m[0]).message != NM_MSG_SPECIAL_RD &&
            msg_fields(q->m[0]).message != NM_MSG_SF_CREATED)
            out[n++] = (struct ex_step){EX_REFUSE, station, s, 0};
    }
    n += c->functions ? function_steps(c, w, station, out + n) : 0;
    for (uint8_t l = 0; l < c->lines; l++) {
        uint8_t state = w->nc[station][l].entry.state;
        if (station && c->eject && !nm_dir_unknown(&w->nc[station][l].entry) &&
            !locked(c, station, state))
            out[n++] = (struct ex_step){EX_EJECT, station, 0, l};
    }
    return n;
}

unsigned ex_steps(const struct ex_config *c, const struct ex_world *w,
                  struct ex_step steps[EX_STEPS])
{
    unsigned n = 0;
    for (uint8_t s = 0; s < c->stations; s++) {
        n += station_steps(c, w, s, steps + n);
        for (uint8_t k = 0; k < c->cards; k++)
            n += card_steps(c, w, s, k, steps + n);
    }
    return n;
}

static const char *perform(const struct ex_config *c, struct ex_world *w, struct ex_step s,
                           ex_cells cells)
{
    switch (s.kind) {
    case EX_SEND:
        return send_again(c, w, s, cells);
    case EX_CARD: /* here `line` is the place in the queue */
        return card_takes(c, w, s.station, s.arg, s.line, cells);
    case EX_REQUEST:
        return request(c, w, s, cells);
    case EX_DENY:
        return deny(c, w, s, cells);
    case EX_BUS:
        return dir_takes(c, w, s.station, pull(&w->bus[s.station], 0), false, cells);
    case EX_NET:
        return dir_takes(c, w, s.station, pull(&w->net[s.station], 0), true, cells);
    case EX_NETREQ:
        return dir_takes(c, w, s.station, pull(&w->out[s.arg][NM_NONSINKABLE], 0), true, cells);
    case EX_REFUSE:
        return turn_away(c, w, s.station, pull(&w->out[s.arg][NM_NONSINKABLE], 0), true, cells);
    case EX_RING:
        return deliver(c, w, pull(&w->out[s.station][NM_SINKABLE], 0));
    case EX_EJECT:
        return eject(c, w, s.station, s.line, cells);
    case EX_FUNCTION:
        return function(c, w, s, cells);
    case EX_CLAIM:
        return claim(c, w, s, cells);
    case EX_CREATED:
        return tell_created(c, w, s, cells);
    case EX_RELEASE:
        w->card[s.station][s.arg].link = EX_UNLINKED;
        return NULL;
    default:
        return processor(c, w, s, cells);
    }
}

const char *ex_take(const struct ex_config *c, struct ex_world *w, struct ex_step step,
                    ex_cells cells)
{
    const char *wrong = perform(c, w, step, cells);
    for (uint8_t l = 0; !wrong && l < c->lines; l++)
        wrong = check_line(c, w, l);
    return wrong;
}

/* ---- packing --------------------------------------------------------------------------------- */

static uint8_t *pack_queue(const struct ex_queue *q, uint8_t *b)
{
    *b++ = q->count;
    memcpy(b, q->m, q->count * sizeof q->m[0]);
    return b + q->count * sizeof q->m[0];
}

static const uint8_t *unpack_queue(struct ex_queue *q, const uint8_t *b)
{
    q->count = *b++;
    memcpy(q->m, b, q->count * sizeof q->m[0]);
    return b + q->count * sizeof q->m[0];
}

/* Data nobody can ask for: the copy is elsewhere. Of a clean exclusive one they still are the line,
 * so where an owner may have dropped it they count. */
static bool dead_data(const struct ex_config *c, const struct nm_state *state)
{
    const bool valid = state->attributes & NM_VALID;
    return !valid && !(c->exclusive && state->row == NM_ROW_LI);
}

_Static_assert(EX_CARDS <= 3 && EX_LINES <= 2 && EX_RETRY < 4 && EX_TAKEN < 4 && EX_KEPT < 4,
               "what stands beside one another in the bytes of a directory and of a card");
_Static_assert(NM_STATES_MAX <= 1 << 7, "a card's state and one bit more in a byte");

static uint8_t *pack_dir(const struct ex_config *c, unsigned station, const struct ex_dir *d,
                         uint8_t *b)
{
    const struct nm_dir_line *e = &d->entry;
    const struct nm_state *state = &table(c, agent_of(station))->state[e->state];
    bool fresh = d->fresh && (!station || !dead_data(c, state));
    *b++ = e->state;
    *b++ = (uint8_t)((e->stations & 15) | (e->stations >> 16 & 15) << 4);
    *b++ = state->attributes & NM_LOCKED
               ? (uint8_t)(index_of(c, e->held_station) << 4 | e->held_card)
               : 0;
    *b++ = (uint8_t)(e->cards | e->loose << 3 | (state->attributes & NM_POLLS ? e->poll << 4 : 0) |
                     fresh << 7);
    return b;
}

static const uint8_t *unpack_dir(const struct ex_config *c, struct ex_dir *d, const uint8_t *b)
{
    d->entry =
        (struct nm_dir_line){.state = b[0],
                             .stations = (ring_mask)(b[1] & 15) | (ring_mask)(b[1] >> 4) << 16,
                             .held_station = c->number[b[2] >> 4],
                             .held_card = b[2] & 15,
                             .cards = b[3] & 7,
                             .loose = b[3] >> 3 & 1,
                             .poll = b[3] >> 4 & 7};
    d->fresh = b[3] >> 7;
    return b + 4;
}

static uint8_t *pack_card(const struct ex_config *c, const struct ex_card *k, uint8_t *b)
{
    *b++ = (uint8_t)(k->request | (k->request || k->link ? k->line : 0) << 2 | k->created << 3 |
                     k->link << 5 | (k->request && k->shared) << 7);
    for (unsigned l = 0; l < c->lines; l++)
        *b++ = (uint8_t)(k->state[l] << 1 | (readable(c, k->state[l]) && k->fresh[l]));
    return pack_queue(&k->in, b);
}

static const uint8_t *unpack_card(const struct ex_config *c, struct ex_card *k, const uint8_t *b)
{
    k->request = *b & 3;
    k->line = *b >> 2 & 1;
    k->created = *b >> 3 & 3;
    k->link = *b >> 5 & 3;
    k->shared = *b++ >> 7;
    for (unsigned l = 0; l < c->lines; l++) {
        k->state[l] = *b >> 1;
        k->fresh[l] = *b++ & 1;
    }
    return unpack_queue(&k->in, b);
}

unsigned ex_pack(const struct ex_config *c, const struct ex_world *w, uint8_t bytes[EX_PACKED])
{
    uint8_t *b = bytes;
    for (unsigned l = 0; l < c->lines; l++)
        b = pack_dir(c, 0, &w->home[l], b);
    for (unsigned s = 0; s < c->stations; s++) {
        for (unsigned l = 0; s && l < c->lines; l++)
            b = pack_dir(c, s, &w->nc[s][l], b);
        b = pack_queue(&w->bus[s], b);
        b = pack_queue(&w->net[s], b);
        b = pack_queue(&w->out[s][0], b);
        b = pack_queue(&w->out[s][1], b);
        for (unsigned k = 0; k < c->cards; k++)
            b = pack_card(c, &w->card[s][k], b);
    }
    return (unsigned)(b - bytes);
}

void ex_unpack(const struct ex_config *c, const uint8_t *b, struct ex_world *w)
{
    memset(w, 0, sizeof *w);
    for (unsigned l = 0; l < c->lines; l++)
        b = unpack_dir(c, &w->home[l], b);
    for (unsigned s = 0; s < c->stations; s++) {
        for (unsigned l = 0; s && l < c->lines; l++)
            b = unpack_dir(c, &w->nc[s][l], b);
        b = unpack_queue(&w->bus[s], b);
        b = unpack_queue(&w->net[s], b);
        b = unpack_queue(&w->out[s][0], b);
        b = unpack_queue(&w->out[s][1], b);
        for (unsigned k = 0; k < c->cards; k++)
            b = unpack_card(c, &w->card[s][k], b);
    }
}

/* ---- mirror images --------------------------------------------------------------------------- */

static uint8_t swap_bits(uint8_t v, unsigned a, unsigned b)
{
    unsigned differ = (v >> a ^ v >> b) & 1;
    return (uint8_t)(v ^ (differ << a | differ << b));
}

static void mirror_queue(const struct ex_config *c, struct ex_queue *q)
{
    for (unsigned i = 0; i < q->count; i++) {
        struct fields f = msg_fields(q->m[i]);
        if (c->swap == EX_SWAP_CARDS && f.station == 0 && f.requester < 2)
            f.requester ^= 1;
        if (c->swap == EX_SWAP_STATIONS) {
            f.station = f.station ? 3 - f.station : 0;
            f.to = swap_bits(f.to, 1, 2);
        }
        q->m[i] = msg_pack(f);
    }
}

static void mirror_dir(const struct ex_config *c, struct ex_dir *d, bool home)
{
    struct nm_dir_line *e = &d->entry;
    if (c->swap == EX_SWAP_CARDS && home) {
        if (!(table(c, NM_AGENT_HOME)->state[e->state].attributes & NM_AWAY))
            e->cards = swap_bits(e->cards, 0, 1) & 7;
        e->held_card ^= e->held_station == c->number[0] && e->held_card < 2;
    }
    if (c->swap == EX_SWAP_STATIONS) {
        e->stations = swap_bits((uint8_t)e->stations, c->number[1], c->number[2]);
        e->held_station = e->held_station ? (uint16_t)(3 - e->held_station) : 0;
    }
}

static void mirror_stations(struct ex_world *w)
{
    struct ex_world old = *w;
    for (unsigned s = 1; s < 3; s++) {
        memcpy(w->card[s], old.card[3 - s], sizeof w->card[s]);
        memcpy(w->out[s], old.out[3 - s], sizeof w->out[s]);
        memcpy(w->nc[s], old.nc[3 - s], sizeof w->nc[s]);
        w->bus[s] = old.bus[3 - s];
        w->net[s] = old.net[3 - s];
    }
}

void ex_mirror(const struct ex_config *c, struct ex_world *w)
{
    for (unsigned s = 0; s < c->stations; s++) {
        mirror_queue(c, &w->bus[s]);
        mirror_queue(c, &w->net[s]);
        mirror_queue(c, &w->out[s][0]);
        mirror_queue(c, &w->out[s][1]);
        for (unsigned k = 0; k < c->cards; k++)
            mirror_queue(c, &w->card[s][k].in);
        for (unsigned l = 0; s && l < c->lines; l++)
            mirror_dir(c, &w->nc[s][l], false);
    }
    for (unsigned l = 0; l < c->lines; l++)
        mirror_dir(c, &w->home[l], true);
    if (c->swap == EX_SWAP_STATIONS) {
        mirror_stations(w);
        return;
    }
    struct ex_card first = w->card[0][0];
    w->card[0][0] = w->card[0][1];
    w->card[0][1] = first;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_msg(FILE *out, const struct ex_config *c, ex_msg m)
{
    struct fields f = msg_fields(m);
    fprintf(out, "%s", nm_message_row(f.message)->name);
    if (c->lines > 1)
        fprintf(out, ".%c", 'a' + f.line);
    if (nm_message_row(f.message)->has_data)
        fprintf(out, "(%s)", f.fresh ? "fresh" : "stale");
    fprintf(out, " for station %u", c->number[f.station]);
    if (f.requester < EX_CARDS)
        fprintf(out, " card %u", f.requester);
    if (f.requester == ACKNOWLEDGED)
        fputs(", acknowledged", out);
}

void ex_print_step(FILE *out, const struct ex_config *c, const struct ex_world *w, struct ex_step s)
{
    static const char *const names[] = {[EX_LOAD] = "loads",
                                        [EX_FETCH] = "fetches",
                                        [EX_STORE] = "stores",
                                        [EX_LINK] = "links exclusively",
                                        [EX_EVICT] = "evicts",
                                        [EX_FUNCTION] = "asks itself for ",
                                        [EX_CLAIM] = "shall have the line reserved",
                                        [EX_EJECT] = "ejects",
                                        [EX_CREATED] = "tells that it has created the line",
                                        [EX_RELEASE] = "no longer keeps its line",
                                        [EX_SEND] = "tries again",
                                        [EX_CARD] = "takes ",
                                        [EX_REQUEST] = "takes ",
                                        [EX_DENY] = "refuses ",
                                        [EX_BUS] = "takes from the bus ",
                                        [EX_NET] = "takes from the network ",
                                        [EX_NETREQ] = "takes from the network ",
                                        [EX_REFUSE] = "refuses from the network ",
                                        [EX_RING] = "network takes away "};
    bool card = s.kind == EX_LOAD || s.kind == EX_FETCH || s.kind == EX_STORE ||
                s.kind == EX_EVICT || s.kind == EX_LINK || s.kind == EX_RELEASE ||
                s.kind == EX_SEND || s.kind == EX_CARD || s.kind == EX_CLAIM ||
                s.kind == EX_CREATED;
    fprintf(out, "station %u ", c->number[s.station]);
    if (card)
        fprintf(out, "card %u ", s.arg);
    else if (s.kind != EX_RING)
        fprintf(out, "%s ", s.station ? "network cache" : "memory");
    fputs(names[s.kind], out);
    if (s.kind == EX_FUNCTION)
        fputs(nm_message_row(s.arg)->name, out);
    if (s.kind <= EX_EJECT && c->lines > 1)
        fprintf(out, " line %c", 'a' + s.line);
    if (s.kind == EX_REQUEST || s.kind == EX_DENY) {
        const struct ex_card *k = &w->card[s.station][s.arg];
        fprintf(out, "%s of card %u",
                nm_message_row(nm_card_request(c->protocol, k->state[k->line]))->name, s.arg);
    }
    if (s.kind == EX_CARD)
        print_msg(out, c, w->card[s.station][s.arg].in.m[s.line]);
    if (s.kind == EX_BUS)
        print_msg(out, c, w->bus[s.station].m[0]);
    if (s.kind == EX_NET)
        print_msg(out, c, w->net[s.station].m[0]);
    if (s.kind == EX_NETREQ || s.kind == EX_REFUSE)
        print_msg(out, c, w->out[s.arg][NM_NONSINKABLE].m[0]);
    if (s.kind == EX_RING)
        print_msg(out, c, w->out[s.station][NM_SINKABLE].m[0]);
}

static void print_dir(FILE *out, const struct ex_config *c, unsigned station,
                      const struct ex_dir *d)
{
    const struct nm_dir_line *e = &d->entry;
    fprintf(out, "%s", nm_state_name(table(c, agent_of(station)), e->state));
    fprintf(out, "[cards %x%s", e->cards, e->loose ? "+" : "");
    if (e->stations)
        fprintf(out, ", stations %x", covered(c, e->stations));
    if (locked(c, station, e->state))
        fprintf(out, ", held %u.%u", e->held_station, e->held_card);
    fprintf(out, "%s] ", d->fresh ? ", fresh" : "");
}

static void print_queue(FILE *out, const struct ex_config *c, const char *name,
                        const struct ex_queue *q)
{
    for (unsigned i = 0; i < q->count; i++) {
        fprintf(out, "%s", i ? ", " : name);
        print_msg(out, c, q->m[i]);
    }
    if (q->count)
        fputs("; ", out);
}

void ex_print_world(FILE *out, const struct ex_config *c, const struct ex_world *w)
{
    for (unsigned s = 0; s < c->stations; s++) {
        fprintf(out, "      station %u: ", c->number[s]);
        for (unsigned l = 0; l < c->lines; l++)
            print_dir(out, c, s, s ? &w->nc[s][l] : &w->home[l]);
        for (unsigned k = 0; k < c->cards; k++)
            for (unsigned l = 0; l < c->lines; l++) {
                const struct ex_card *card = &w->card[s][k];
                fprintf(out, " %s%s", nm_state_name(table(c, NM_AGENT_CARD), card->state[l]),
                        readable(c, card->state[l]) ? card->fresh[l] ? "(fresh)" : "(stale)" : "");
                if (card->link && card->line == l)
                    fputs(card->link == EX_KEPT ? "(kept)" : "(linking)", out);
            }
        fputs("  ", out);
        for (unsigned k = 0; k < c->cards; k++)
            print_queue(out, c, "to a card: ", &w->card[s][k].in);
        print_queue(out, c, "bus: ", &w->bus[s]);
        print_queue(out, c, "arrived: ", &w->net[s]);
        print_queue(out, c, "leaving: ", &w->out[s][0]);
        print_queue(out, c, "leaving requests: ", &w->out[s][1]);
        fputc('\n', out);
    }
}
