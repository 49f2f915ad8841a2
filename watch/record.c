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
#include "procard/procard.h"

#include <uthash.h>

/* A row, and what puts it in its place. */
struct heard {
    struct watch_row row;
    uint64_t rank;      /* 0: none is known */
    uint16_t station;   /* of the requester, */
    uint8_t card;       /* as the packet names it */
    unsigned under_way; /* of a RING: so many stations have not got it yet, */
    ring_mask route;    /* of these */
};

struct watch_listening {
    struct nm_machine *m;
    const struct nm_params *params;
    struct ring_shape rings;
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
    *h = (struct heard){
        .row = {.kind = kind,
                .station = (uint16_t)station,
                .to = WATCH_NOWHERE,
                .at = at,
                .until = at,
                .line = line,
                .message = NM_MSG__COUNT},
        .card = NM_NO_CARD,
        .station = WATCH_NOWHERE,
    };
    live->count++;
    nm_machine_depths(live->m, station, h->row.depth);
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
    h->route = said->packet->route;
    h->under_way = ring_mask_count(&live->rings, h->route);
}

static bool is_same(const struct heard *h, const struct nm_packet *p)
{
    return h->row.line == p->line && h->row.message == p->message && h->station == p->station &&
           h->card == p->requester && (!is_ranked(p) || h->rank == p->rank);
}

/* The message that has come: of those under way the one that left first. */
static struct heard *record_sent(struct watch_listening *live, const struct nm_said *said)
{
    for (size_t i = live->first_under_way; i < live->count; i++) {
        struct heard *h = &live->heard[i];
        if (h->under_way && is_same(h, said->packet) &&
            ring_mask_covers(&live->rings, h->route, said->station))
            return h;
    }
    return NULL;
}

/* It has come to one station more. */
static void record_came(struct watch_listening *live, struct heard *sent)
{
    sent->under_way--;
    while (live->first_under_way < live->count && !live->heard[live->first_under_way].under_way)
        live->first_under_way++;
}

static void on_came(struct watch_listening *live, const struct nm_said *said)
{
    struct heard *sent = record_sent(live, said), *h = sent;
    const bool first = sent && sent->row.to == WATCH_NOWHERE;
    if (sent)
        record_came(live, sent);
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
                                     .rings = nm_ring_shape(nm_machine_params(m)),
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

/* A row's place in the order of time. */
struct dated {
    sim_tick at;
    uint64_t number; /* of the rows as they were heard */
};

/* They are heard nearly in that order: each has to pass a few others. The caller's. */
static struct dated *record_dates(const struct watch_listening *live)
{
    struct dated *dated = sim_alloc(live->count, sizeof *dated);
    for (size_t i = 0; i < live->count; i++) {
        const sim_tick at = live->heard[i].row.at;
        size_t place = i;
        for (; place && dated[place - 1].at > at; place--)
            dated[place] = dated[place - 1];
        dated[place] = (struct dated){at, i};
    }
    return dated;
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

/* Whether a row that makes room for another line sends the line away. */
static bool sends_away(const struct watch_record *r, const struct watch_row *row)
{
    const struct nm_table *t = watch_table(r, row);
    const uint64_t sends = row->agent == NM_AGENT_CARD ? NM_CARD_ACT_SEND_WB : NM_DIR_ACT_N_WB;
    return row->event < t->events && nm_cell(t, row->before, row->event)->actions & sends;
}

/* It is over: the home has the line, or the card has its answer, or nothing follows. */
static bool is_last(const struct watch_record *r, const struct heard *h)
{
    const struct watch_row *row = &h->row;
    if (row->kind == WATCH_BUS)
        return nm_is_noncoherent_response(row->message) && row->targets < 1u << NM_CARDS_MAX;
    if (row->kind != WATCH_ROW || !is_write_back(h))
        return row->kind == WATCH_OVER;
    return row->agent == NM_AGENT_HOME || !sends_away(r, row);
}

/* What a transaction is known by, that has no rank: yet, or never. */
struct open {
    uint32_t number;
    uint64_t line;
    uint16_t station;
    uint8_t card;
    bool writes_back;
};

/* One that has. */
struct ranked {
    uint64_t rank;
    uint32_t number;
    UT_hash_handle hh;
};

struct ordering {
    struct watch_record *record;
    size_t room; /* of record->transaction */
    struct open *open;
    size_t opens, opens_room;
    struct ranked *ranked;
    uint32_t *latest; /* [cards] the last ranked one of each card */
    unsigned cards;   /* of a station */
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

static void transaction_rank(struct ordering *o, const struct heard *h, uint32_t number)
{
    struct ranked *ranked = sim_alloc(1, sizeof *ranked);
    ranked->rank = h->rank;
    ranked->number = number;
    HASH_ADD(hh, o->ranked, rank, sizeof ranked->rank, ranked);
    if (h->card != NM_NO_CARD)
        o->latest[h->station * o->cards + h->card] = number;
}

static uint32_t transaction_add(struct ordering *o, const struct heard *h)
{
    struct watch_record *r = o->record;
    SIM_ROOM(r->transaction, r->transactions, o->room, 16);
    const uint32_t number = (uint32_t)r->transactions++;
    r->transaction[number] = (struct watch_transaction){.station = h->station,
                                                        .card = h->card,
                                                        .message = h->row.message,
                                                        .line = h->row.line & o->line_mask,
                                                        .from = h->row.at,
                                                        .to = h->row.until};
    if (h->rank) {
        transaction_rank(o, h, number);
        return number;
    }
    SIM_ROOM(o->open, o->opens, o->opens_room, 16);
    o->open[o->opens++] = (struct open){.number = number,
                                        .line = h->row.line & o->line_mask,
                                        .station = h->station,
                                        .card = h->card,
                                        .writes_back = is_write_back(h)};
    return number;
}

/* The open one that the row may continue. NULL: none */
static struct open *transaction_open(struct ordering *o, const struct heard *h)
{
    const bool away = is_write_back(h);
    for (size_t i = o->opens; i-- > 0;) {
        struct open *open = &o->open[i];
        if (open->line == (h->row.line & o->line_mask) && open->writes_back == away &&
            (away || (open->station == h->station && open->card == h->card)))
            return open;
    }
    return NULL;
}

static void transaction_close(struct ordering *o, struct open *open)
{
    *open = o->open[--o->opens];
}

/* That of a row which has a rank: known, or begun by an access that had none. */
static uint32_t transaction_ranked(struct ordering *o, const struct heard *h)
{
    struct ranked *ranked;
    HASH_FIND(hh, o->ranked, &h->rank, sizeof h->rank, ranked);
    if (ranked)
        return ranked->number;
    struct open *open = transaction_open(o, h);
    if (!open)
        return transaction_add(o, h);
    const uint32_t number = open->number;
    transaction_close(o, open);
    transaction_rank(o, h, number);
    return number;
}

/* Of one that has none: an open one, or what its card has just asked for. */
static uint32_t transaction_unranked(struct ordering *o, const struct heard *h)
{
    const struct watch_record *r = o->record;
    const bool begins =
        is_access(h) || (is_write_back(h) && h->row.kind == WATCH_ROW &&
                         h->row.agent != NM_AGENT_HOME && h->row.message == NM_MSG__COUNT);
    const struct open *open = begins ? NULL : transaction_open(o, h);
    if (open)
        return open->number;
    const bool of_card = !begins && h->station != WATCH_NOWHERE && h->card < o->cards;
    const uint32_t latest = of_card ? o->latest[h->station * o->cards + h->card] : WATCH_NONE;
    if (latest != WATCH_NONE && h->row.message == NM_MSG__COUNT &&
        r->transaction[latest].line == (h->row.line & o->line_mask))
        return latest;
    return transaction_add(o, h);
}

static void record_order(struct ordering *o, struct heard *h)
{
    record_who(o, h);
    const uint32_t number = h->rank ? transaction_ranked(o, h) : transaction_unranked(o, h);
    struct watch_transaction *t = &o->record->transaction[number];
    h->row.transaction = number;
    t->to = sim_later(t->to, h->row.until);
    if (t->message == NM_MSG__COUNT)
        t->message = h->row.message;
    for (size_t i = 0; !h->rank && is_last(o->record, h) && i < o->opens; i++)
        if (o->open[i].number == number)
            transaction_close(o, &o->open[i]);
}

static void ordering_free(struct ordering *o)
{
    struct ranked *ranked, *next;
    HASH_ITER(hh, o->ranked, ranked, next) {
        HASH_DEL(o->ranked, ranked);
        free(ranked);
    }
    free(o->open);
    free(o->latest);
}

/* Rows of a module that may send something yet: the last few. */
enum { SENDING = 4 };
struct sending {
    uint32_t row[SENDING]; /* number and 1; 0: none */
    unsigned next;
};

/* A row of a module lasts until what it sends leaves: the next message of its transaction there. */
static void record_last(struct watch_record *r, struct sending *s, uint32_t number, sim_tick asks)
{
    const struct watch_row *now = &r->row[number];
    if (now->kind == WATCH_ROW || now->kind == WATCH_REFUSED) {
        s->row[s->next++ % SENDING] = number + 1;
        return;
    }
    if (now->kind == WATCH_OVER)
        return;
    for (unsigned i = 0; i < SENDING; i++) {
        struct watch_row *row = s->row[i] ? &r->row[s->row[i] - 1] : NULL;
        if (!row || row->transaction != now->transaction)
            continue;
        row->until = sim_later(row->at, now->at - (now->kind == WATCH_BUS ? asks : 0));
        s->row[i] = 0;
        return;
    }
}

/* [bus cycles] */
static uint64_t record_arbitration(const struct nm_params *p)
{
    size_t count;
    const struct nm_param_row *row = nm_param_rows(&count);
    while (strcmp(row->key, "bus.arbitration") != 0)
        row++;
    return nm_param_get(p, row);
}

/* The same of all modules. */
static void record_lasts(struct watch_record *r)
{
    const struct nm_params *p = r->params;
    struct sending *sending = sim_alloc(nm_params_stations(p) * NM_MODULES, sizeof *sending);
    const sim_tick asks = record_arbitration(p) * nm_value_cpu_clock(p) / nm_value_bus_clock(p);
    for (size_t i = 0; i < r->rows; i++)
        if (r->row[i].station != WATCH_NOWHERE)
            record_last(r, &sending[r->row[i].station * NM_MODULES + r->row[i].module], (uint32_t)i,
                        asks);
    free(sending);
}

static void record_make(struct watch_listening *live, struct watch_record *record)
{
    struct ordering o = {.record = record,
                         .latest = sim_alloc(nm_machine_cards(live->m), sizeof *o.latest),
                         .cards = (unsigned)nm_value_processors(record->params),
                         .line_mask = live->line_mask};
    struct dated *dated = record_dates(live);
    record->row = sim_alloc(live->count, sizeof *record->row);
    record->transaction = sim_alloc(1, sizeof *record->transaction);
    record->transactions = o.room = 1;
    for (size_t i = 0; i < live->count; i++) {
        struct heard *h = &live->heard[dated[i].number];
        record_order(&o, h);
        record->row[record->rows++] = h->row;
    }
    free(dated);
    record_lasts(record);
    ordering_free(&o);
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
