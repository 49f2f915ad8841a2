/*
 * Listening, and putting in order what was heard.
 *
 * The hard idea is that nobody sees a whole transaction: buses, directories, rings and cards each
 * tell of what they do, and the stations not even in the order of time. What belongs together is
 * told by the rank that a request has and everything that is sent because of it (packet.h). A
 * message over the rings is heard twice, when it leaves and when it is complete; the two are found
 * to be one by what they carry.
 */
#include "watch/record.h"

#include "base/alloc.h"
#include "machine/noncoherent.h"
#include "machine/values.h"
#include "procard/procard.h"

/* A row, and what puts it in its place. */
struct heard {
    struct watch_row row;
    uint64_t rank;    /* 0: none is known */
    uint16_t station; /* of the requester, */
    uint8_t card;     /* as the packet names it */
    uint64_t number;  /* in which order it was heard */
    bool under_way;   /* of a RING: it has not come yet, */
    ring_mask route;  /* to all of these */
};

struct watch_listening {
    struct nm_machine *m;
    const struct nm_params *params;
    struct nm_ear ear;
    bool everything;
    uint64_t line_mask;
    struct watch_range *range;
    size_t ranges, ranges_room;
    struct heard *heard;
    size_t count, room;
    size_t first_under_way; /* none before it is */
    sim_tick from, last;
    bool full;
};

static bool record_follows(const struct watch_listening *live, uint64_t line)
{
    for (size_t i = 0; i < live->ranges; i++)
        if (line >= live->range[i].from && line < live->range[i].to)
            return true;
    return live->everything;
}

/* ---- what is told ---------------------------------------------------------------------------- */

static uint8_t depth_of(unsigned sinkable, unsigned nonsinkable)
{
    const unsigned both = sinkable + nonsinkable;
    return both < UINT8_MAX ? (uint8_t)both : UINT8_MAX;
}

static void look_at_queues(const struct watch_listening *live, unsigned station,
                           uint8_t depth[WATCH_QUEUES])
{
    unsigned now[NM_FIFO_OUTPUT];
    nm_machine_depths(live->m, station, now);
    for (unsigned module = 0; module < NM_MODULES; module++)
        for (unsigned out = 0; out < 2; out++)
            depth[2 * module + out] = depth_of(now[nm_port_fifo(module, out, NM_SINKABLE)],
                                               now[nm_port_fifo(module, out, NM_NONSINKABLE)]);
    depth[WATCH_FROM_RINGS] =
        depth_of(now[NM_FIFO_DELIVERED], now[NM_FIFO_DELIVERED + NM_NONSINKABLE]);
}

/* A new row. NULL: there is no more room. */
static struct heard *record_add(struct watch_listening *live, enum watch_kind kind,
                                unsigned station, sim_tick at, uint64_t line)
{
    if (live->count >= WATCH_ROWS_MOST) {
        live->full = true;
        return NULL;
    }
    SIM_ROOM(live->heard, live->count, live->room, 256);
    struct heard *h = &live->heard[live->count];
    *h = (struct heard){.row = {.kind = kind,
                                .station = (uint16_t)station,
                                .to = WATCH_NOWHERE,
                                .at = at,
                                .until = at,
                                .line = line,
                                .message = NM_MSG__COUNT},
                        .card = NM_NO_CARD,
                        .station = WATCH_NOWHERE,
                        .number = live->count++};
    look_at_queues(live, station, h->row.depth);
    live->last = sim_later(live->last, at);
    return h;
}

/* Messages outside coherence have a datum where others have their rank. */
static bool is_ranked(const struct nm_packet *p)
{
    return !nm_is_noncoherent(p->message) && p->message != NM_MSG_SF_LINE;
}

static void record_packet(struct heard *h, const struct nm_packet *p)
{
    h->row.message = p->message;
    h->rank = is_ranked(p) ? p->rank : 0;
    h->station = p->station;
    h->card = p->requester;
}

static void on_tenure(void *ctx, unsigned station, sim_tick now, unsigned cycles,
                      const struct nm_packet *p)
{
    struct watch_listening *live = ctx;
    struct heard *h = record_follows(live, p->line & live->line_mask)
                          ? record_add(live, WATCH_BUS, station, now, p->line)
                          : NULL;
    if (!h)
        return;
    record_packet(h, p);
    h->row.until =
        now + cycles * (nm_value_cpu_clock(live->params) / nm_value_bus_clock(live->params));
    h->row.module = p->source;
    h->row.targets = p->targets;
    live->last = sim_later(live->last, h->row.until);
}

static uint8_t module_of(const struct nm_said *said)
{
    return said->agent == NM_AGENT_CARD   ? said->card
           : said->agent == NM_AGENT_HOME ? NM_MODULE_MEMORY
                                          : NM_MODULE_NETWORK;
}

static void on_row(struct watch_listening *live, const struct nm_said *said, enum watch_kind kind)
{
    struct heard *h = record_add(live, kind, said->station, said->at, said->line);
    if (!h)
        return;
    if (said->packet)
        record_packet(h, said->packet);
    else if (said->agent == NM_AGENT_CARD) {
        h->station = said->station;
        h->card = said->card;
    }
    h->row.agent = (uint8_t)said->agent;
    h->row.module = module_of(said);
    h->row.before = said->before;
    h->row.event = said->event;
    h->row.after = said->after;
    h->row.cards = said->cards;
    h->row.stations = said->stations;
}

static void on_sent(struct watch_listening *live, const struct nm_said *said)
{
    struct heard *h = record_add(live, WATCH_RING, said->station, said->at, said->line);
    if (!h)
        return;
    record_packet(h, said->packet);
    h->row.module = NM_MODULE_NETWORK;
    h->under_way = true;
    h->route = said->packet->route;
}

static bool is_same(const struct heard *h, const struct nm_packet *p)
{
    return h->row.line == p->line && h->row.message == p->message && h->station == p->station &&
           h->card == p->requester && (!is_ranked(p) || h->rank == p->rank);
}

/* The message that has come: of those under way the one that left first. */
static struct heard *record_sent(struct watch_listening *live, const struct nm_said *said)
{
    const struct ring_shape shape = nm_ring_shape(live->params);
    bool before = true;
    for (size_t i = live->first_under_way; i < live->count; i++) {
        struct heard *h = &live->heard[i];
        if (h->under_way && is_same(h, said->packet) &&
            ring_mask_covers(&shape, h->route, said->station))
            return h;
        before = before && !h->under_way;
        live->first_under_way += before;
    }
    return NULL;
}

static void on_came(struct watch_listening *live, const struct nm_said *said)
{
    struct heard *sent = record_sent(live, said), *h = sent;
    const bool first = sent && sent->row.to == WATCH_NOWHERE;
    if (!first) {
        /* one that many get, or that left before the window */
        const size_t number = sent ? (size_t)(sent - live->heard) : 0;
        h = record_add(live, WATCH_RING, said->station, said->at, said->line);
        if (!h)
            return;
        record_packet(h, said->packet);
        h->row.module = NM_MODULE_NETWORK;
        h->row.station = sent ? live->heard[number].row.station : WATCH_NOWHERE;
        h->row.at = sent ? live->heard[number].row.at : said->at;
    }
    h->row.to = said->station;
    h->row.until = said->at;
    if (first)
        h->under_way = nm_is_multicast(h->row.message);
    live->last = sim_later(live->last, said->at);
}

static void on_said(void *ctx, const struct nm_said *said)
{
    struct watch_listening *live = ctx;
    if (!record_follows(live, said->line & live->line_mask))
        return;
    switch (said->kind) {
    case NM_SAID_ROW:
        on_row(live, said, WATCH_ROW);
        break;
    case NM_SAID_REFUSED:
        on_row(live, said, WATCH_REFUSED);
        break;
    case NM_SAID_SENT:
        on_sent(live, said);
        break;
    case NM_SAID_CAME:
        on_came(live, said);
        break;
    }
}

static void on_served(void *ctx, const struct pc_served *served)
{
    struct watch_listening *live = ctx;
    const unsigned cards = (unsigned)nm_value_processors(live->params);
    struct heard *h =
        record_follows(live, served->line & live->line_mask)
            ? record_add(live, WATCH_OVER, served->card / cards, served->over, served->line)
            : NULL;
    if (!h)
        return;
    h->station = h->row.station;
    h->card = h->row.module = (uint8_t)(served->card % cards);
    h->row.nacks = served->nacks;
    h->row.given_up = served->given_up;
    h->rank = nm_request_rank(served->issued, served->card);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void listen_requests(struct watch_listening *live, pc_served_fn *told)
{
    for (unsigned card = 0; card < nm_machine_cards(live->m); card++)
        pc_watch_requests(live->m, card, told, live);
}

struct watch_listening *watch_open(struct nm_machine *m, bool everything)
{
    struct watch_listening *live = sim_alloc(1, sizeof *live);
    *live = (struct watch_listening){.m = m,
                                     .params = nm_machine_params(m),
                                     .everything = everything,
                                     .ear = {.told = on_said, .ctx = live},
                                     .from = nm_machine_now(m),
                                     .last = nm_machine_now(m)};
    live->line_mask = ~(nm_value_l2_line(live->params) - 1);
    nm_machine_watch_buses(m, on_tenure, live);
    nm_machine_hear(m, &live->ear);
    pc_hear(m, &live->ear);
    listen_requests(live, on_served);
    return live;
}

void watch_follow(struct watch_listening *live, struct watch_range range)
{
    SIM_ROOM(live->range, live->ranges, live->ranges_room, 4);
    live->range[live->ranges++] = range;
}

bool watch_is_full(const struct watch_listening *live)
{
    return live->full;
}

/* ---- putting in order ------------------------------------------------------------------------ */

static int by_time(const void *a, const void *b)
{
    const struct heard *x = a, *y = b;
    if (x->row.at != y->row.at)
        return x->row.at < y->row.at ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Whether a row is of a transaction's beginnings: a card's own access, which has no rank yet. */
static bool is_access(const struct heard *h)
{
    return h->row.kind == WATCH_ROW && h->row.agent == NM_AGENT_CARD &&
           (h->row.event == NM_CARD_EV_LOAD || h->row.event == NM_CARD_EV_STORE ||
            h->row.event == NM_CARD_EV_LINK);
}

/* Of a write-back nothing says whose it is but the line. */
static bool is_write_back(const struct heard *h)
{
    if (h->row.kind != WATCH_ROW || h->row.message != NM_MSG__COUNT)
        return h->row.message == NM_MSG_WB || h->row.message == NM_MSG_NCH_WB;
    return h->row.agent != NM_AGENT_CARD || h->row.event == NM_CARD_EV_REPLACE;
}

/* It is over: the home has the line, or the card has its answer. */
static bool is_last(const struct heard *h)
{
    if (h->row.kind == WATCH_BUS)
        return nm_is_noncoherent_response(h->row.message) && h->row.targets < 1u << NM_CARDS_MAX;
    return h->row.kind == WATCH_OVER ||
           (h->row.kind == WATCH_ROW && h->row.agent == NM_AGENT_HOME && is_write_back(h));
}

/* What a transaction is known by, while it is looked for. */
struct known {
    uint64_t rank, line;
    uint16_t station;
    uint8_t card;
    bool writes_back, open;
};

struct ordering {
    struct watch_record *record;
    struct known *known; /* [record->transactions] */
    size_t room, known_room;
    unsigned cards; /* of a station */
    uint64_t line_mask;
};

/* Whose request it is, which its rank says best. */
static void record_who(const struct ordering *o, struct heard *h)
{
    enum { UNITS = 1024 }; /* nm_rank_unit */
    const unsigned asker = (unsigned)(h->rank % NM_RANKED);
    if (!h->rank)
        return;
    h->station = (uint16_t)(asker < UNITS ? asker / o->cards : (asker - UNITS) / 2);
    h->card = asker < UNITS ? (uint8_t)(asker % o->cards) : NM_NO_CARD;
}

static uint32_t transaction_add(struct ordering *o, const struct heard *h)
{
    struct watch_record *r = o->record;
    const size_t count = r->transactions++;
    SIM_ROOM(r->transaction, count, o->room, 16);
    SIM_ROOM(o->known, count, o->known_room, 16);
    r->transaction[count] = (struct watch_transaction){.station = h->station,
                                                       .card = h->card,
                                                       .message = h->row.message,
                                                       .line = h->row.line & o->line_mask,
                                                       .from = h->row.at,
                                                       .to = h->row.until};
    o->known[count] = (struct known){.rank = h->rank,
                                     .line = h->row.line & o->line_mask,
                                     .station = h->station,
                                     .card = h->card,
                                     .writes_back = is_write_back(h),
                                     .open = true};
    return (uint32_t)count;
}

static bool transaction_continues(const struct known *k, const struct heard *h)
{
    if (k->writes_back || is_write_back(h))
        return k->writes_back && is_write_back(h) &&
               !(h->row.kind == WATCH_ROW && h->row.agent == NM_AGENT_CARD);
    if (k->rank && h->rank)
        return k->rank == h->rank;
    return !is_access(h) && k->station == h->station && k->card == h->card;
}

static uint32_t transaction_of(struct ordering *o, const struct heard *h)
{
    enum { FAR = 4096 }; /* transactions back: more are not under way at once */
    const struct watch_record *r = o->record;
    const size_t least = r->transactions > FAR ? r->transactions - FAR : 1;
    for (size_t i = r->transactions; i-- > least;) {
        struct known *k = &o->known[i];
        const bool open = k->open || (k->rank && h->rank);
        if (open && k->line == (h->row.line & o->line_mask) && transaction_continues(k, h)) {
            k->rank = k->rank ? k->rank : h->rank;
            return (uint32_t)i;
        }
    }
    return transaction_add(o, h);
}

static void record_order(struct ordering *o, struct heard *h)
{
    record_who(o, h);
    const uint32_t number = transaction_of(o, h);
    struct watch_transaction *t = &o->record->transaction[number];
    h->row.transaction = number;
    t->to = sim_later(t->to, h->row.until);
    if (t->message == NM_MSG__COUNT)
        t->message = h->row.message;
    if (is_last(h))
        o->known[number].open = false;
}

/* A directory's row lasts until what it sends leaves: the first message of its module and
 * transaction that follows. */
static void record_last(const struct watch_record *r, size_t at)
{
    enum { FAR = 64 };
    struct watch_row *row = &r->row[at];
    const sim_tick bus = nm_value_cpu_clock(r->params) / nm_value_bus_clock(r->params),
                   asks = r->params->bus_arbitration * bus;
    for (size_t i = at + 1; i < r->rows && i < at + FAR; i++) {
        const struct watch_row *next = &r->row[i];
        if (next->station != row->station || next->module != row->module ||
            next->transaction != row->transaction || next->kind == WATCH_OVER)
            continue;
        if (next->kind == WATCH_BUS || next->kind == WATCH_RING)
            row->until = sim_later(row->at, next->at - (next->kind == WATCH_BUS ? asks : 0));
        return;
    }
}

static void record_make(struct watch_listening *live, struct watch_record *record)
{
    struct ordering o = {.record = record,
                         .cards = (unsigned)record->params->processors,
                         .line_mask = live->line_mask};
    record->row = sim_alloc(live->count, sizeof *record->row);
    if (live->count)
        qsort(live->heard, live->count, sizeof *live->heard, by_time);
    record->transaction = sim_alloc(1, sizeof *record->transaction);
    o.known = sim_alloc(1, sizeof *o.known);
    record->transactions = o.room = o.known_room = 1;
    for (size_t i = 0; i < live->count; i++) {
        record_order(&o, &live->heard[i]);
        record->row[record->rows++] = live->heard[i].row;
    }
    for (size_t i = 0; i < record->rows; i++)
        if (record->row[i].kind == WATCH_ROW || record->row[i].kind == WATCH_REFUSED)
            record_last(record, i);
    free(o.known);
}

void watch_close(struct watch_listening *live, struct watch_record *record)
{
    nm_machine_watch_buses(live->m, NULL, NULL);
    nm_machine_hear(live->m, NULL);
    pc_hear(live->m, NULL);
    listen_requests(live, NULL);
    *record = (struct watch_record){
        .params = nm_params_copy(live->params),
        .protocol = &nm_protocols[nm_value_protocol(live->params)],
        .from = live->from,
        .to = sim_later(live->last, live->full ? 0 : nm_machine_now(live->m)),
        .full = live->full,
    };
    record_make(live, record);
    free(live->heard);
    free(live->range);
    free(live);
}

void watch_record_free(struct watch_record *record)
{
    free(record->row);
    free(record->transaction);
    free(record->params);
    *record = (struct watch_record){0};
}
