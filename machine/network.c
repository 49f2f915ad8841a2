/*
 * The network card's router: the way between the station bus and the local ring.
 *
 * A packet with a route passes through to the rings, and one that arrives for a line whose home is
 * this station passes through to the memory card; accesses outside coherence only pass. Everything
 * else is for the network cache (netcache.c), which shares the FIFOs, or for the card's special
 * function unit (special.c), which takes turns with it.
 */
#include "machine/network.h"

#include "base/alloc.h"
#include "base/timer.h"
#include "machine/netcache.h"
#include "machine/noncoherent.h"
#include "machine/special.h"
#include "machine/values.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A packet that has come over the rings and waits. */
struct arrival {
    sim_tick at;
    struct nm_packet packet;
};

struct queue {
    struct arrival *a;
    struct sim_queue q;
    unsigned here;    /* of them, those that had arrived at the last look */
    unsigned deepest; /* most that had arrived and were not yet taken */
    uint64_t filled;  /* as of nm_fifo */
};

struct nm_network {
    struct sim_kernel *k;
    struct nm_bus *bus;
    struct ring_net *net;
    struct nm_port port;
    struct nm_controller controller;
    struct nm_special special;
    bool unit_last; /* the special function unit had the last turn; next a message has it */
    struct nm_netcache *cache;
    struct queue in[NM_CLASSES]; /* from the rings */
    uint64_t memory_size, serial;
    sim_tick reach;                           /* ring_reach */
    struct nm_traffic *sent;                  /* [stations] */
    unsigned line_bytes, stride[RING_LEVELS]; /* stations between neighbours of a level */
    unsigned data_slots, word_slots;          /* behind a header: of a line, of a doubleword */
    /* Bit per class: a packet from the bus found no room on the way to the rings; and the cache has
     * gone first since. */
    unsigned waits, owed;
    unsigned passed; /* requests of cards taken since one from the rings waits */
    bool polls;      /* something waits for room: work looks again every cycle */
    struct sim_timer work;
};

static sim_fire_fn work;

static void wake(struct nm_network *n, sim_tick at)
{
    if (sim_timer_set(&n->work, at))
        sim_post_standing(n->k, at, SIM_RANK_MODULE, nm_component(NM_MODULE_NETWORK, 0));
}

/* A packet has come over the bus. The work that begins now needs no event when it is next. */
static void on_bus(void *self, sim_tick now)
{
    struct nm_network *n = self;
    if (sim_timer_at_once(&n->work, n->k, now, SIM_RANK_MODULE, nm_component(NM_MODULE_NETWORK, 0)))
        work(n, now, 0);
    else
        wake(n, now);
}

/* Packets that have not been taken, those on their way through the packet handler included. */
static inline bool waiting(const struct nm_network *n)
{
    return n->in[NM_SINKABLE].q.count | n->in[NM_NONSINKABLE].q.count |
           n->port.in[NM_SINKABLE].count | n->port.in[NM_NONSINKABLE].count;
}

/* A packet has left: room for what waits, if anything does. What waits for its time only is looked
 * at when that has come. */
static void on_sent(void *self, sim_tick now)
{
    struct nm_network *n = self;
    if (n->polls || n->special.busy)
        wake(n, now);
}

/* ---- to and from the rings ------------------------------------------------------------------- */

/* The station of a route that leads to one. A field of a level that there is not counts nothing. */
static inline unsigned station_of(const struct nm_network *n, ring_mask route)
{
    enum { NONE = 1 << 16 };
    return (unsigned)__builtin_ctz(ring_mask_field(route, 0)) +
           n->stride[1] * (unsigned)__builtin_ctz(ring_mask_field(route, 1) | NONE) +
           n->stride[2] * (unsigned)__builtin_ctz(ring_mask_field(route, 2) | NONE);
}

static __attribute__((noinline)) void count_many(struct nm_network *n, ring_mask route,
                                                 unsigned bytes)
{
    uint16_t to[RING_STATIONS_MAX];
    const unsigned count = ring_mask_stations(n->controller.place.rings, route, to);
    for (unsigned i = 0; i < count; i++) {
        n->sent[to[i]].packets[NM_BETWEEN]++;
        n->sent[to[i]].bytes[NM_BETWEEN] += bytes;
    }
}

static inline void count_sent(struct nm_network *n, const struct nm_packet *p, unsigned bytes)
{
    if (nm_is_multicast(p->message)) {
        count_many(n, p->route, bytes);
        return;
    }
    const unsigned to = station_of(n, p->route);
    const uint64_t home = p->line / n->memory_size;
    struct nm_traffic *sent = &n->sent[to];
    const enum nm_side side = home == to                            ? NM_TO_HOME
                              : home == n->controller.place.station ? NM_FROM_HOME
                                                                    : NM_BETWEEN;
    sent->packets[side]++;
    sent->bytes[side] += bytes;
}

/* Tells who listens of a packet that leaves the station or comes to it. */
static __attribute__((noinline)) void tell_passed(const struct nm_network *n,
                                                  enum nm_said_kind kind, const struct nm_packet *p,
                                                  sim_tick at)
{
    nm_say(n->controller.ear, &(struct nm_said){.kind = kind,
                                                .at = at,
                                                .station = n->controller.place.station,
                                                .line = p->line,
                                                .packet = p});
}

static inline bool to_ring(struct nm_network *n, const struct nm_packet *p, sim_tick now)
{
    const struct nm_message_row *row = nm_message_row(p->message);
    const unsigned station = n->controller.place.station;
    const unsigned slots = row->has_data ? n->data_slots : row->has_word ? n->word_slots : 0;
    if (!ring_room(n->net, station, row->class, now))
        return false;
    struct ring_packet out = {.mask = p->route,
                              .serial = n->serial++,
                              .source = (uint16_t)station,
                              .class = (uint8_t)row->class,
                              .data_slots = (uint8_t)slots,
                              .multicast = nm_is_multicast(p->message)};
    _Static_assert(sizeof *p <= sizeof out.payload,
                   "a packet fits a message of the rings: raise RING_PAYLOAD");
    memcpy(out.payload, p, sizeof *p);
    ring_send(n->net, station, now, &out);
    sim_kernel_told(n->k, now + n->reach);
    if (n->controller.ear)
        tell_passed(n, NM_SAID_SENT, p, now);
    count_sent(n, p, row->has_data ? n->line_bytes : row->has_word ? sizeof p->word : 0);
    return true;
}

/* On the way to the rings the cache takes turns with what came over the bus: a stream of refusals
 * on either side would otherwise shut the other out for ever. */
static bool put_on_ring(void *self, const struct nm_packet *p, sim_tick now)
{
    struct nm_network *n = self;
    const unsigned class = 1u << nm_message_row(p->message)->class;
    if (n->owed & class || !to_ring(n, p, now))
        return false;
    n->owed |= n->waits & class;
    return true;
}

/* @return the packet, to be filled in */
static struct nm_packet *queue_push(struct queue *q, sim_tick at)
{
    if (sim_queue_full(&q->q))
        q->a = sim_queue_grow(&q->q, q->a, sizeof *q->a);
    struct arrival *a = &q->a[sim_queue_push(&q->q)];
    a->at = at;
    q->filled -= at;
    return &a->packet;
}

static const struct nm_packet *queue_head(const struct queue *q, sim_tick now)
{
    return q->q.count && q->a[q->q.head].at <= now ? &q->a[q->q.head].packet : NULL;
}

/* Brings `here` and `deepest` up to date: packets come in order of time, and there are never more
 * of them than just before one is taken. */
static void queue_look(struct queue *q, sim_tick now)
{
    while (q->here < q->q.count && q->a[sim_queue_at(&q->q, q->here)].at <= now)
        q->here++;
    if (q->here > q->deepest)
        q->deepest = q->here;
}

static inline void queue_drop(struct nm_network *n, enum nm_class class, sim_tick now)
{
    struct queue *q = &n->in[class];
    queue_look(q, now);
    sim_queue_pop(&q->q);
    q->here--;
    q->filled += now;
    if (class == NM_NONSINKABLE && ring_awaits(n->net, n->controller.place.station))
        sim_kernel_told(n->k, now + n->reach);
    ring_take(n->net, n->controller.place.station, now, class);
}

uint64_t nm_network_line_of(const struct ring_packet *p)
{
    uint64_t line;
    memcpy(&line, p->payload + offsetof(struct nm_packet, line), sizeof line);
    return line;
}

void nm_network_deliver(struct nm_network *n, sim_tick at, const struct ring_packet *p)
{
    struct nm_packet *const packet = queue_push(&n->in[p->class], at);
    memcpy(packet, p->payload, sizeof *packet);
    packet->route = 0;
    packet->source = NM_MODULE_NETWORK;
    nm_netcache_expect(n->cache, packet->line);
    if (n->controller.ear)
        tell_passed(n, NM_SAID_CAME, packet, at);
    wake(n, at);
}

void nm_network_at_once(struct nm_network *n, const struct nm_packet *in, struct nm_sends *before,
                        struct nm_sends *sends)
{
    nm_netcache_at_once(n->cache, in, in->source == NM_MODULE_NETWORK, before, sends);
}

/* The special function unit's next line, when it may ask for it. One that finds no place in the
 * cache is left out, like one that is locked or whose next turn is another's. */
static __attribute__((noinline)) void special_turn(struct nm_network *n, sim_tick now)
{
    struct nm_controller *c = &n->controller;
    struct nm_packet in;
    if (!nm_special_next(&n->special, c, now, &in))
        return;
    n->unit_last = true;
    if (nm_netcache_own(n->cache, &in, now))
        nm_special_saw(&n->special, c, in.line, true, now);
    else
        nm_special_skip(&n->special, c, now);
}

static inline void special(struct nm_network *n, sim_tick now)
{
    if (n->special.busy)
        special_turn(n, now);
}

/* ---- one thing after another ----------------------------------------------------------------- */

/* Where a packet at the head of a FIFO goes next. */
enum way { TO_CACHE, TO_UNIT, TO_RING, TO_MEMORY, TO_CARD, TO_CARD_IN_ORDER, TO_LOOK };

static inline enum way way_of(const struct nm_network *n, const struct nm_packet *p,
                              bool from_network)
{
    if (!from_network && p->route)
        return TO_RING;
    if (p->message == NM_MSG_SF_LOOK)
        return p->bytes & NM_LOOK_AT_NETWORK ? TO_LOOK : TO_MEMORY;
    if (!from_network)
        return nm_is_function(p->message) ? TO_UNIT : TO_CACHE;
    if (p->message == NM_MSG_SF_LINE || p->message == NM_MSG_SF_DONE ||
        p->message == NM_MSG_SF_BUSY)
        return TO_CARD;
    if (p->message == NM_MSG_SF_READY)
        return TO_CARD_IN_ORDER; /* behind invalidations of the lines */
    if (nm_is_noncoherent(p->message))
        return nm_is_noncoherent_response(p->message) || p->line >= NM_REGISTERS ? TO_CARD
                                                                                 : TO_MEMORY;
    return p->line / n->memory_size == n->controller.place.station ? TO_MEMORY : TO_CACHE;
}

/* A processor wants to know what is in a place, or what is known of a line. */
static void look(struct nm_network *n, const struct nm_packet *in, sim_tick now)
{
    uint64_t line;
    const struct nm_dir_line entry =
        nm_netcache_look(n->cache, in->line, in->bytes & NM_LOOK_BY_INDEX, &line);
    nm_special_look(&n->controller, in, line, &entry, now);
}

/* The cards a packet from the rings is for: the requester, or whose registers are meant. */
static unsigned cards_of(const struct nm_network *n, const struct nm_packet *p)
{
    if (p->message == NM_MSG_UNC_CAST)
        return p->cards;
    if (p->message != NM_MSG_UNC_RD && p->message != NM_MSG_UNC_WR)
        return 1u << p->requester;
    return 1u << nm_register_card(p->line) % n->controller.place.cards;
}

/* The head of a FIFO of the bus has been taken. */
static inline void drop_here(struct nm_network *n, enum nm_class class, sim_tick now)
{
    nm_fifo_pop(&n->port.in[class], now);
    nm_bus_drained(n->bus, &n->port, now);
}

/* The head of a FIFO has been taken. */
static void drop(struct nm_network *n, enum nm_class class, bool from_network, sim_tick now)
{
    if (from_network)
        queue_drop(n, class, now);
    else
        drop_here(n, class, now);
}

static const struct nm_packet *head_of(const struct nm_network *n, enum nm_class class,
                                       bool from_network, sim_tick now)
{
    if (from_network)
        return queue_head(&n->in[class], now);
    return n->port.in[class].count ? nm_fifo_at(&n->port.in[class], 0) : NULL;
}

/* Whether a sinkable message that came over the bus before this nonsinkable one still waits, for
 * room on the way to the rings: a card's upgrade must overtake neither its own answer to an
 * intervention nor the one that gave it the copy. */
static bool overtakes(const struct nm_network *n, const struct nm_packet *p)
{
    const struct nm_fifo *sinkable = &n->port.in[NM_SINKABLE];
    return sinkable->count && (int32_t)(nm_fifo_at(sinkable, 0)->arrived - p->arrived) < 0;
}

/* A packet of the rings for another module of the station. A sinkable one stays behind what the
 * cache still has to say because of earlier ones: what it brings about must not reach a card before
 * an invalidation that came first. */
static bool pass_on(struct nm_network *n, struct nm_packet *p, enum nm_class class, sim_tick now)
{
    if (class == NM_NONSINKABLE || !n->controller.staged.count)
        return nm_controller_to_bus(&n->controller, p, class);
    nm_controller_send(&n->controller, p, now);
    return true;
}

/* Cards ask again and again, an intervention comes once: it lets each card go first once. */
static bool rings_first(const struct nm_network *n)
{
    return n->passed >= n->controller.place.cards;
}

/* The cache takes a nonsinkable message. */
static void count_passed(struct nm_network *n, bool from_network, sim_tick now)
{
    n->passed++;
    if (from_network || !head_of(n, NM_NONSINKABLE, true, now))
        n->passed = 0;
}

/* The head of a FIFO, which has been dropped, for the cache. */
static inline void to_cache(struct nm_network *n, const struct nm_packet *p, bool from_network,
                            sim_tick now)
{
    n->unit_last = false;
    nm_netcache_handle(n->cache, p, from_network, now);
    if (p->message == NM_MSG_INVALIDATE)
        nm_stale_handled(n->controller.stale, n->controller.place.station, p->line);
    nm_check_release(n->controller.check, p->data);
}

/* Moves the head of one FIFO on if it can. Where it lies nothing is put before this is over. */
static __attribute__((noinline)) bool advance(struct nm_network *n, const struct nm_packet *head,
                                              enum nm_class class, bool from_network, sim_tick now)
{
    if (class == NM_NONSINKABLE && !from_network && overtakes(n, head))
        return false;
    struct nm_packet p;
    const enum way way = way_of(n, head, from_network);
    switch (way) {
    case TO_RING:
        if (!to_ring(n, head, now)) {
            n->waits |= 1u << class;
            return false;
        }
        n->waits &= ~(1u << class);
        n->owed &= ~(1u << class);
        drop(n, class, from_network, now);
        return true;
    case TO_MEMORY:
    case TO_CARD:
        p = *head;
        p.targets = (uint8_t)(way == TO_MEMORY ? 1u << NM_MODULE_MEMORY : cards_of(n, &p));
        if (!pass_on(n, &p, class, now))
            return false;
        drop(n, class, from_network, now);
        return true;
    default:
        if (!nm_controller_may_take(&n->controller, class, now))
            return false;
        drop(n, class, from_network, now);
        if (class == NM_NONSINKABLE)
            count_passed(n, from_network, now);
        if (way == TO_CARD_IN_ORDER) {
            p = *head;
            p.targets = (uint8_t)(1u << p.requester);
            nm_controller_send(&n->controller, &p, now + n->controller.timing.directory);
        } else if (way == TO_LOOK)
            look(n, head, now);
        else if (way == TO_UNIT)
            nm_special_take(&n->special, &n->controller, head, now);
        else
            to_cache(n, head, from_network, now);
        return true;
    }
}

/* When to look again because something waits: for the controller, until it is free; for room, which
 * the rings return without a call, on the next cycle. */
static sim_tick look_again(struct nm_network *n, sim_tick now)
{
    const struct nm_controller *c = &n->controller;
    sim_tick next = SIM_NEVER;
    n->polls = nm_controller_stuck(c, now);
    for (unsigned class = 0; waiting(n) && class < NM_CLASSES; class ++)
        for (unsigned network = 0; network < 2; network++) {
            const struct nm_packet *head = head_of(n, class, network, now);
            if (!head)
                continue;
            if (way_of(n, head, network) == TO_CACHE && c->free_at > now)
                next = sim_earlier(next, c->free_at);
            else
                n->polls = true;
        }
    return n->polls ? sim_earlier(next, now + c->cycle) : next;
}

/* Moves on at most one packet of each FIFO. @return whether there was one */
static __attribute__((noinline)) bool advance_heads(struct nm_network *n, sim_tick now)
{
    bool moved = false;
    for (unsigned class = 0; class < NM_CLASSES; class ++) {
        const bool first = class == NM_NONSINKABLE && rings_first(n);
        for (unsigned i = 0; i < 2; i++) {
            const struct nm_packet *head = head_of(n, class, i ^ first, now);
            if (head)
                moved |= advance(n, head, class, i ^ first, now);
        }
    }
    return moved;
}

/* Something is left to do. */
static __attribute__((noinline)) void wait_on(struct nm_network *n, sim_tick now)
{
    for (unsigned class = 0; class < NM_CLASSES; class ++)
        if (n->in[class].q.count && n->in[class].a[n->in[class].q.head].at > now)
            wake(n, n->in[class].a[n->in[class].q.head].at);
    const sim_tick again = look_again(n, now);
    if (again != SIM_NEVER)
        wake(n, again);
}

/* The end of all work: what is left waits for its time, or for room. */
static __attribute__((noinline)) void work_left(struct nm_network *n, bool moved, sim_tick now)
{
    struct nm_controller *c = &n->controller;
    if (moved)
        nm_controller_drain(c, now);
    if (n->special.busy)
        wake(n, nm_special_wake(&n->special, c, now));
    if (nm_controller_holds(c))
        wake(n, nm_controller_next(c, now));
    n->polls = false;
    if (waiting(n) || nm_controller_stuck(c, now))
        wait_on(n, now);
    n->port.awaits_room = n->polls || n->special.busy;
}

/* The same where nothing waits, and nothing could be sent but for room. */
static inline void work_over(struct nm_network *n)
{
    n->polls = n->port.awaits_room = false;
    if (nm_controller_holds(&n->controller))
        wake(n, n->controller.due);
}

/* Moves on what waits, and lets the special function unit have its turn: the plain rule. */
static __attribute__((noinline)) void work_on(struct nm_network *n, sim_tick now)
{
    bool moved = n->special.busy;
    if (!n->unit_last)
        special(n, now);
    if (waiting(n))
        moved |= advance_heads(n, now);
    special(n, now);
    work_left(n, moved, now);
}

/* Whether requests of cards are all that waits, and for nothing but the controller: the first one
 * overtakes nothing, and nothing of the rings has been passed over. Never in checking mode, where
 * the bus is crowded. */
static inline bool only_asked(const struct nm_network *n)
{
    const struct nm_fifo *in = n->port.in;
    const struct nm_packet *head = nm_fifo_at(&in[NM_NONSINKABLE], 0);
    return in[NM_NONSINKABLE].count &&
           !(in[NM_SINKABLE].count | n->in[NM_SINKABLE].q.count | n->in[NM_NONSINKABLE].q.count) &&
           !head->route && nm_is_read(head->message) && !n->special.busy && !*n->port.crowd;
}

/* The first of them is taken. */
static inline void take_request(struct nm_network *n, sim_tick now)
{
    n->passed = 0;
    n->unit_last = false;
    nm_netcache_handle(n->cache, nm_fifo_pop(&n->port.in[NM_NONSINKABLE], now), false, now);
    if (n->port.in[NM_NONSINKABLE].count || nm_controller_stuck(&n->controller, now))
        work_left(n, true, now);
    else
        work_over(n);
}

/* Everything that may be sent has been. */
static __attribute__((noinline)) void work_next(struct nm_network *n, sim_tick now)
{
    const struct nm_controller *c = &n->controller;
    if (!only_asked(n) || nm_controller_stuck(c, now))
        work_on(n, now);
    else if (nm_controller_may_take(c, NM_NONSINKABLE, now))
        take_request(n, now);
    else if (now < c->free_at) {
        work_over(n);
        wake(n, c->free_at);
    } else
        work_on(n, now);
}

/* Something may be sent. */
static __attribute__((noinline)) void work_send(struct nm_network *n, sim_tick now)
{
    nm_controller_send_ready(&n->controller, now);
    if (waiting(n) || n->special.busy || nm_controller_stuck(&n->controller, now))
        work_next(n, now);
    else
        work_over(n);
}

static void work(void *self, sim_tick now, uint64_t arg)
{
    struct nm_network *n = self;
    (void)arg;
    if (!sim_timer_fires(&n->work, now))
        return;
    if (n->controller.due <= now)
        work_send(n, now);
    else
        work_next(n, now);
}

/* ---- putting it together --------------------------------------------------------------------- */

struct nm_network *nm_network_new(struct sim_kernel *k, struct nm_bus *bus,
                                  const struct nm_params *p, const struct nm_place *place,
                                  struct ring_net *net, const struct nm_backing *contents)
{
    struct nm_network *n = sim_room_take(contents->parts, sizeof *n);
    sim_tick cycle = nm_bus_cycle(bus);
    const bool keeps = nm_netcache_keeps(place->protocol);
    const struct nm_dram_timing timing = {.directory = keeps ? p->netcache_directory * cycle : 0,
                                          .dram = p->netcache_dram * cycle,
                                          .recovery = p->netcache_recovery * cycle,
                                          .banks = (unsigned)p->netcache_banks};
    n->k = k;
    n->bus = bus;
    n->net = net;
    n->reach = ring_reach(net);
    n->memory_size = p->memory_size;
    n->line_bytes = (unsigned)p->l2_line;
    n->sent = sim_room_take(contents->parts, nm_params_stations(p) * sizeof *n->sent);
    for (unsigned level = 0, stride = 1; level < place->rings->levels; level++) {
        n->stride[level] = stride;
        stride *= place->rings->fan[level];
    }
    n->data_slots = (unsigned)((p->l2_line + p->ring_width - 1) / p->ring_width);
    n->word_slots = (unsigned)((sizeof(uint64_t) + p->ring_width - 1) / p->ring_width);
    n->work.at = SIM_NEVER;
    sim_kernel_stand(k, SIM_RANK_MODULE, nm_component(NM_MODULE_NETWORK, 0), work, n);
    n->special.retry = p->agent_retry * cycle;
    n->controller =
        (struct nm_controller){.agent = NM_AGENT_NC,
                               .place = *place,
                               .module = NM_MODULE_NETWORK,
                               .copy = nm_check_cache(place->station),
                               .places = keeps ? p->netcache_size / p->l2_line : UINT64_C(1) << 63,
                               .timing = timing,
                               .cycle = cycle,
                               .bus = bus,
                               .port = &n->port,
                               .owner = n,
                               .to_ring = put_on_ring};
    nm_controller_init(&n->controller, p, contents);
    n->cache = nm_netcache_new(p, &n->controller, contents);
    n->port = (struct nm_port){.module = n, .arrived = on_bus, .sent = on_sent};
    nm_bus_attach(bus, NM_MODULE_NETWORK, &n->port);
    return n;
}

void nm_network_free(struct nm_network *n)
{
    if (!n)
        return;
    nm_controller_release(&n->controller);
    for (unsigned c = 0; c < NM_CLASSES; c++)
        free(n->in[c].a);
}

struct nm_delivered_count nm_network_delivered(const struct nm_network *n, unsigned class,
                                               sim_tick now)
{
    struct queue q = n->in[class];
    queue_look(&q, now);
    uint64_t filled = q.filled + q.here * now;
    for (unsigned i = q.here; i < q.q.count; i++)
        filled += q.a[sim_queue_at(&q.q, i)].at;
    return (struct nm_delivered_count){.filled = filled, .deepest = q.deepest};
}

void nm_network_hear(struct nm_network *n, const struct nm_ear *ear)
{
    n->controller.ear = ear;
}

const struct nm_netcache *nm_network_cache(const struct nm_network *n)
{
    return n->cache;
}

const struct nm_controller *nm_network_controller(const struct nm_network *n)
{
    return &n->controller;
}

uint64_t nm_network_busy(const struct nm_network *n, sim_tick now)
{
    return nm_controller_busy(&n->controller, now);
}

unsigned nm_network_waiting(const struct nm_network *n, unsigned class)
{
    return n->in[class].q.count;
}

const struct nm_traffic *nm_network_sent(const struct nm_network *n)
{
    return n->sent;
}
