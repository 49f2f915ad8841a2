/*
 * One ring cycle: slots move one node on, interfaces take what is theirs, and let in what they have
 * where a slot is free; packet handlers take one slot each out of their input FIFOs.
 *
 * The hard idea: a slot costs no work while it travels. It is put down where and when it will be
 * looked at next, by the number of the move that brings it there and by node (`arrivals`), and
 * a halted ring does not count moves. Which nodes a slot in use passes is one turning word. So the
 * cost of a cycle is that of its arrivals and insertions. What each link carried follows from
 * Kirchhoff's rule (count.c).
 *
 * Rings are served central ring first and FIFO entries are dated at least one cycle ahead, so
 * within a cycle no slot is seen by two rings.
 */
#include "ring/net.h"

#include "base/alloc.h"
#include "base/invariant.h"

#include <stdlib.h>

/* ---- packets in flight ----------------------------------------------------------------------- */

static void flights_grow(struct ring_net *net)
{
    uint32_t old = net->flights, size = old ? 2 * old : 256;
    SIM_OWED(size <= 1u << SLOT_FLIGHT_BITS);
    net->flight = sim_grow(net->flight, size, sizeof *net->flight);
    net->packet = sim_grow(net->packet, size, sizeof *net->packet);
    for (uint32_t i = size; i-- > old;) {
        net->flight[i].receivers = net->free_flight;
        net->free_flight = i;
    }
    net->flights = size;
}

/* Of a packet for several stations, or for its sender. */
static __attribute__((noinline)) void find_ways(const struct ring_net *net,
                                                const struct ring_packet *p, uint8_t level,
                                                struct ring_flight *f)
{
    const unsigned top = net->shape.levels - 1;
    for (unsigned l = 0; l <= level; l++) {
        f->way[RING_WAY(RING_DOWN, l)] = ring_mask_field(p->mask, l);
        f->way[RING_WAY(RING_UP, l)] = 1u << net->shape.fan[l];
    }
    f->way[RING_WAY(RING_UP, level)] = f->way[RING_WAY(RING_DOWN, level)];
    if (p->multicast)
        f->way[RING_WAY(RING_UP, level)] =
            SLOT_UNSEQUENCED | 1u << (level < top ? net->shape.fan[level] : 0);
}

/* Of a packet for one other station: the nodes to which its slots go from interfaces between rings.
 */
static inline ring_slot nodes_on_way(const struct ring_net *net, ring_mask mask, uint8_t level)
{
    ring_slot nodes = (ring_slot)ring_mask_node(mask, 0) << SLOT_NODE_SHIFT(RING_DOWN, 0);
    if (level > 1) {
        nodes |= (ring_slot)ring_mask_node(mask, 1) << SLOT_NODE_SHIFT(RING_DOWN, 1);
        nodes |= (ring_slot)net->shape.fan[1] << SLOT_NODE_SHIFT(RING_UP, 1);
        nodes |= (ring_slot)ring_mask_node(mask, 2) << SLOT_NODE_SHIFT(RING_UP, 2);
    } else if (level)
        nodes |= (ring_slot)ring_mask_node(mask, 1) << SLOT_NODE_SHIFT(RING_UP, 1);
    return nodes;
}

static inline void flight_fill(const struct ring_net *net, const struct ring_outgoing *o,
                               struct ring_flight *f)
{
    const struct ring_packet *p = &o->packet;
    f->slot = p->class == RING_SINKABLE ? SLOT_SINKABLE : 0;
    if (p->multicast || o->to_itself)
        find_ways(net, p, o->level, f);
    else
        f->slot |= SLOT_TO_ONE | nodes_on_way(net, p->mask, o->level);
    f->receivers = p->multicast ? ring_mask_count(&net->shape, p->mask) : 1;
    f->level = o->level;
    f->class = p->class;
    f->data_slots = p->data_slots;
}

void ring_flight_of(const struct ring_net *net, const struct ring_outgoing *o,
                    struct ring_flight *f)
{
    flight_fill(net, o, f);
}

static uint32_t flight_new(struct ring_net *net, const struct ring_outgoing *o)
{
    if (net->free_flight == RING_NONE)
        flights_grow(net);
    const uint32_t i = net->free_flight;
    net->free_flight = net->flight[i].receivers;
    net->packet[i] = o->packet;
    flight_fill(net, o, &net->flight[i]);
    return i;
}

static void flight_received(struct ring_net *net, uint32_t i)
{
    struct ring_flight *f = &net->flight[i];
    if (--f->receivers)
        return;
    f->receivers = net->free_flight;
    net->free_flight = i;
}

/* ---- FIFOs and halting ----------------------------------------------------------------------- */

/* A FIFO is nearly full: the one to the ring above holds its feeder back from going up, others halt
 * it. */
static void fifo_raise(struct ring_fifo *f, uint64_t c)
{
    struct ring_ring *r = f->feeder;
    f->raised = true;
    if (f->feeder_bit == r->parent) {
        r->held_back = true;
        r->held_since = c;
        r->awake |= r->wanting;
        r->attend = 0;
        r->wanting = r->starving = 0;
        return;
    }
    if (!r->halting)
        r->halted_since = c;
    r->halting |= f->feeder_bit;
}

static void fifo_lower(struct ring_net *net, struct ring_fifo *f, uint64_t c)
{
    struct ring_ring *r = f->feeder;
    f->raised = false;
    if (f->feeder_bit == r->parent) {
        r->held_back = false;
        r->held += c - r->held_since;
        r->awake = r->pending & ~r->wanting;
        r->attend = 0;
    } else {
        r->halting &= ~f->feeder_bit;
        if (!r->halting)
            r->halted += c - r->halted_since;
    }
    ring_wake(net, r, c);
}

/* There is something in it. */
static void fifo_starts(struct ring_net *net, struct ring_fifo *f, uint64_t c)
{
    *f->drain_mask |= 1u << f->drain_node;
    if (f->drain != f->feeder) /* a station's is seen to in the same cycle */
        ring_alarm(net, f->drain, f->drain_node, c + f->delay);
}

/* From which counts on somebody has to be told, or a new record be kept. */
static void fifo_marks(struct ring_fifo *f)
{
    f->high = f->deepest + 1;
    if (!f->raised && f->limit.near_full < f->high)
        f->high = f->limit.near_full;
    f->low = f->raised ? f->limit.restart - 1 : 0;
}

static __attribute__((noinline)) void fifo_rises(struct ring_fifo *f, uint32_t count, uint64_t c)
{
    SIM_OWED(count <= f->limit.depth);
    if (count > f->deepest)
        f->deepest = count;
    if (count >= f->limit.near_full && !f->raised)
        fifo_raise(f, c);
    fifo_marks(f);
}

static __attribute__((noinline)) void fifo_falls(struct ring_net *net, struct ring_fifo *f,
                                                 uint64_t c)
{
    const uint32_t count = ring_fifo_held(f);
    if (f->raised && count < f->limit.restart)
        fifo_lower(net, f, c);
    if (!count)
        *f->drain_mask &= ~(1u << f->drain_node);
    fifo_marks(f);
}

static inline void fifo_push(struct ring_net *net, struct ring_fifo *f, ring_slot s, uint64_t c)
{
    f->filled -= c;
    f->at[f->tail++ & f->wrap] = (struct ring_queued){c + f->delay, s};
    const uint32_t count = ring_fifo_held(f);
    if (count >= f->high)
        fifo_rises(f, count, c);
    if (count == 1)
        fifo_starts(net, f, c);
}

static inline ring_slot fifo_head(const struct ring_fifo *f)
{
    return f->at[f->head & f->wrap].slot;
}

/* Its first slot leaves. @return whether there is another */
static inline bool fifo_drop(struct ring_net *net, struct ring_fifo *f, uint64_t c)
{
    f->filled += c;
    f->head++;
    if (ring_fifo_held(f) > f->low)
        return true;
    fifo_falls(net, f, c);
    return f->head != f->tail;
}

/* ---- slots on a ring ------------------------------------------------------------------------- */

/* A slot goes on to node `to`, so many moves away. */
static inline void put_down(struct ring_ring *r, uint32_t to, uint32_t hops, ring_slot s)
{
    struct ring_arrivals *then = &r->arrivals[(r->moves + hops) % RING_MOVES];
    then->due |= 1u << to;
    then->coming[to] = s;
}

/* A slot now at `node` goes on to node `to`. */
static inline void pass_on(struct ring_ring *r, uint32_t node, uint32_t to, ring_slot s)
{
    put_down(r, to, ring_hops(r, node, to), s);
    r->occupied |= 1u << node;
}

/* First of these nodes after `node`. */
static uint32_t next_after(uint32_t node, uint32_t targets)
{
    const uint32_t beyond = targets & ~((2u << node) - 1);
    return (uint32_t)__builtin_ctz(beyond ? beyond : targets);
}

/* A slot for these targets is at `node`: it is copied there if the node is one, and goes on to the
 * others. */
static void distribute(struct ring_net *net, struct ring_ring *r, uint32_t node, ring_slot s,
                       uint32_t targets, uint64_t c)
{
    s &= ~(uint64_t)(SLOT_UNSEQUENCED | SLOT_TARGETS);
    if (targets >> node & 1) {
        fifo_push(net, r->node[node].in, s, c);
        targets &= ~(1u << node);
        r->node[node].copies += targets != 0;
    }
    if (!targets)
        return;
    const uint32_t to = next_after(node, targets);
    pass_on(r, node, to, s | (targets & ~(1u << to)));
}

/* Where a slot has to go from the sequencing point of a ring. */
static uint32_t sequenced(const struct ring_net *net, const struct ring_ring *r, ring_slot s)
{
    return net->flight[ring_slot_flight(s)].way[RING_WAY(RING_DOWN, r->level)];
}

/* A multicast's slot is at `node`, which is the sequencing point or one of its targets. */
static __attribute__((noinline)) void arrive_multicast(struct ring_net *net, struct ring_ring *r,
                                                       uint32_t node, ring_slot s, uint64_t c)
{
    const uint32_t targets =
        s & SLOT_UNSEQUENCED ? sequenced(net, r, s) : (s & SLOT_TARGETS) | 1u << node;
    distribute(net, r, node, s, targets, c);
}

static __attribute__((noinline)) void completed(struct ring_net *net, struct ring_station *st,
                                                uint32_t flight, uint64_t c)
{
    st->reassembly--;
    ring_complete(net, st, &net->packet[flight], c);
    flight_received(net, flight);
}

/* The packet handler takes a slot, unless it would complete a sinkable packet that has no room to
 * go. */
static inline bool handle(struct ring_net *net, struct ring_station *st, ring_slot s, uint64_t c)
{
    if ((s & (SLOT_LAST | SLOT_SINKABLE)) == (SLOT_LAST | SLOT_SINKABLE) &&
        !ring_sinkable_room(net, st, c))
        return false;
    if (s & SLOT_HEADER) {
        st->received_header++;
        if (++st->reassembly > st->reassembly_max)
            st->reassembly_max = st->reassembly;
        if (!st->input.deepest)
            st->input.deepest = 1;
    } else {
        st->received_data++;
    }
    if (s & SLOT_LAST)
        completed(net, st, ring_slot_flight(s), c);
    return true;
}

/* The nodes due have a slot coming. At a station whose input FIFO is empty it would be handled in
 * this same cycle; so it is at once, unless the station may put one for itself into its FIFO too.
 */
static inline void arrive(struct ring_net *net, struct ring_ring *r, struct ring_arrivals *now,
                          uint64_t c)
{
    const uint32_t direct = r->at_once & ~r->fed;
    uint32_t due = now->due;
    now->due = 0;
    for (; due; due &= due - 1) {
        const uint32_t node = (uint32_t)__builtin_ctz(due);
        const ring_slot s = now->coming[node];
        const struct ring_node *n = &r->node[node];
        if (s & (SLOT_TARGETS | SLOT_UNSEQUENCED))
            arrive_multicast(net, r, node, s, c);
        else if (!(direct >> node & 1) || !handle(net, n->station, s, c))
            fifo_push(net, n->in, s, c);
    }
}

/* A slot that has several targets, or `node` itself for one, or has yet to be sequenced, is let
 * into the ring at `node`, where the passing slot is free. */
static __attribute__((noinline)) void enter_multicast(struct ring_net *net, struct ring_ring *r,
                                                      uint32_t node, ring_slot s, uint64_t c)
{
    uint32_t way = net->flight[ring_slot_flight(s)].way[r->node[node].way];
    r->occupied &= ~(1u << node);
    if (way & SLOT_UNSEQUENCED && node != r->sequencer) {
        pass_on(r, node, r->sequencer, s | SLOT_UNSEQUENCED);
        return;
    }
    if (way & SLOT_UNSEQUENCED)
        way = sequenced(net, r, s);
    r->node[node].own += way == 1u << node;
    distribute(net, r, node, s, way, c);
}

/* ---- letting slots in ------------------------------------------------------------------------ */

/* Forgets nonsinkable messages whose taking at the target is known by now. */
static bool below_limit(const struct ring_net *net, struct ring_station *st, uint64_t c)
{
    if (st->nonsinkable_out < net->timing.nonsinkable_limit)
        return true;
    for (uint32_t i = 0; i < st->returning;) {
        if (st->returns[i] > c) {
            i++;
            continue;
        }
        st->returns[i] = st->returns[--st->returning];
        st->nonsinkable_out--;
    }
    return st->nonsinkable_out < net->timing.nonsinkable_limit;
}

static bool may_start(const struct ring_net *net, struct ring_station *st, unsigned class,
                      bool held, uint64_t c)
{
    const struct ring_outbox *out = &st->out[class];
    if (out->gone == out->sent)
        return false;
    const struct ring_outgoing *o = out->first;
    if (o->ready > c || (held && o->level))
        return false;
    return class == RING_SINKABLE || below_limit(net, st, c);
}

static sim_tick sent_at(const struct ring_station *st, unsigned class)
{
    return st->out[class].first->sent;
}

/* Is there a slot the station would let in now? Chooses the next packet: the older one, so that a
 * stream of answers cannot keep a request back for ever; of one age, the sinkable one. */
static bool station_wants(const struct ring_net *net, struct ring_station *st, bool held,
                          uint64_t c)
{
    if (st->flight != RING_NONE)
        return !(held && net->flight[st->flight].level);
    bool sinkable = may_start(net, st, RING_SINKABLE, held, c);
    bool nonsinkable = may_start(net, st, RING_NONSINKABLE, held, c);
    if (sinkable && nonsinkable)
        nonsinkable = sent_at(st, RING_NONSINKABLE) < sent_at(st, RING_SINKABLE);
    st->class = nonsinkable ? RING_NONSINKABLE : RING_SINKABLE;
    st->chosen = c;
    return sinkable || nonsinkable;
}

/* While the up FIFO holds the ring back, may this slot not be let in? */
static bool held_back(const struct ring_net *net, const struct ring_ring *r, uint32_t node,
                      ring_slot s)
{
    return 1u << node != r->parent && net->flight[ring_slot_flight(s)].level > r->level;
}

static bool between_wants(const struct ring_net *net, const struct ring_ring *r, uint32_t node,
                          bool held, uint64_t c)
{
    const struct ring_fifo *f = r->node[node].out;
    const struct ring_queued *q = &f->at[f->head & f->wrap];
    return q->ready <= c && !(held && held_back(net, r, node, q->slot));
}

void ring_outbox_leave(const struct ring_net *net, struct ring_outbox *out, uint64_t c)
{
    sim_tick tick = c * net->timing.cycle;
    while (out->gone + out->deepest < out->sent &&
           out->at[(out->gone + out->deepest) & out->wrap].sent <= tick)
        out->deepest++;
    struct ring_outgoing *o = out->first;
    out->first = &out->at[++out->gone & out->wrap];
    o->freed = tick;
    out->integral += tick - o->sent;
}

/* A pending node that can let nothing in sleeps until then. */
static void sleep_until(struct ring_ring *r, struct ring_node *n, uint64_t cycle)
{
    n->alarm = cycle;
    if (cycle < r->alarm)
        r->alarm = cycle;
    if (cycle < r->attend)
        r->attend = cycle;
}

/* When time alone may let the node go on. */
static uint64_t node_ready(const struct ring_net *net, const struct ring_node *n, uint64_t c)
{
    if (n->out) {
        const uint64_t ready = n->out->at[n->out->head & n->out->wrap].ready;
        return ready > c ? ready : SIM_NEVER;
    }
    uint64_t soonest = SIM_NEVER;
    for (unsigned class = 0; class < RING_CLASSES; class ++) {
        const uint64_t ready = ring_class_ready(net, n->station, class);
        if (ready > c && ready < soonest)
            soonest = ready;
    }
    return soonest;
}

/* Looks at a node: it wants a free slot from now on, or sleeps until an alarm or the end of being
 * held back. */
static inline void look_at(struct ring_net *net, struct ring_ring *r, uint32_t node, uint64_t c)
{
    struct ring_node *n = &r->node[node];
    const bool held = r->held_back;
    if (!(n->out ? between_wants(net, r, node, held, c)
                 : station_wants(net, n->station, held, c))) {
        sleep_until(r, n, node_ready(net, n, c));
        return;
    }
    n->alarm = SIM_NEVER;
    r->wanting |= 1u << node;
    n->since = n->since < c ? n->since : c;
    if (n->since + net->timing.patience < r->impatient)
        r->impatient = n->since + net->timing.patience;
}

/* Looks at the nodes awake and, at the time of the alarm, at those it is for. */
static void look(struct ring_net *net, struct ring_ring *r, uint64_t c)
{
    const bool alarm = c >= r->alarm;
    const uint32_t awake = r->awake;
    r->awake = 0;
    if (alarm)
        r->alarm = SIM_NEVER;
    for (uint32_t m = alarm ? r->pending & ~r->wanting : awake; m; m &= m - 1) {
        const uint32_t node = (uint32_t)__builtin_ctz(m);
        const uint64_t due = r->node[node].alarm;
        if (due <= c || awake & m & -m)
            look_at(net, r, node, c);
        else if (due < r->alarm)
            r->alarm = due;
    }
}

/* Finds the nodes that have waited too long. One that starts waiting after this cycle has not
 * before the `patience` of a cycle later. */
static void lose_patience(struct ring_net *net, struct ring_ring *r, uint64_t c)
{
    r->impatient = c + 1 + net->timing.patience;
    for (uint32_t m = r->wanting & ~r->starving; m; m &= m - 1) {
        uint64_t end = r->node[__builtin_ctz(m)].since + net->timing.patience;
        if (end <= c)
            r->starving |= m & -m;
        else if (end < r->impatient)
            r->impatient = end;
    }
}

/* The station begins to send the packet it has chosen. */
static __attribute__((noinline)) void station_begins(struct ring_net *net, struct ring_station *st,
                                                     bool held, uint64_t c)
{
    if (st->chosen != c)
        station_wants(net, st, held, c); /* a sinkable packet may have become ready since */
    st->flight = flight_new(net, st->out[st->class].first);
    const struct ring_flight *f = &net->flight[st->flight];
    st->left = f->data_slots;
    st->slot = f->slot | (ring_slot)st->flight << SLOT_FLIGHT_SHIFT;
    st->to = f->level ? net->shape.fan[0] : ring_mask_node(net->packet[st->flight].mask, 0);
    st->hops = ring_hops(st->ring, st->node, st->to);
    st->nonsinkable_out += st->class == RING_NONSINKABLE;
    st->sent_header++;
    st->sent_data += f->data_slots;
}

static __attribute__((noinline)) void station_ends(struct ring_net *net, struct ring_station *st,
                                                   uint64_t c)
{
    ring_outbox_leave(net, &st->out[st->class], c);
    st->flight = RING_NONE;
    ring_station_heads(st);
}

static inline void station_enters(struct ring_net *net, struct ring_ring *r, uint32_t node,
                                  ring_slot kind, uint64_t c)
{
    const struct ring_station *st = r->node[node].station;
    if (st->slot & SLOT_TO_ONE)
        put_down(r, st->to, st->hops, st->slot | kind);
    else
        enter_multicast(net, r, node, st->slot | kind, c);
}

/* The station wants, and its slot is free. @return that it goes on wanting: there is more of the
 * packet */
static inline bool station_let_in(struct ring_net *net, struct ring_ring *r, uint32_t node,
                                  bool held, uint64_t c)
{
    struct ring_station *st = r->node[node].station;
    uint32_t kind = 0;
    if (st->flight == RING_NONE) {
        station_begins(net, st, held, c);
        kind = SLOT_HEADER;
    } else {
        st->left--;
    }
    if (st->left) {
        station_enters(net, r, node, kind, c);
        if (__builtin_expect(held, 0))
            r->awake |= 1u << node;
        return !held;
    }
    station_enters(net, r, node, kind | SLOT_LAST, c);
    station_ends(net, st, c);
    r->awake |= r->pending & 1u << node;
    return false;
}

static inline void let_one_in(struct ring_ring *r, const struct ring_fifo *f, ring_slot s)
{
    const uint32_t to = (uint32_t)(s >> f->shift) % (1u << SLOT_NODE_BITS);
    put_down(r, to, f->hops[to], s);
}

/* The same for an inter-ring interface. What is next but not ready will be looked at when it is; an
 * empty ring is looked at in the next cycle all the same. */
static inline bool between_let_in(struct ring_net *net, struct ring_ring *r, uint32_t node,
                                  bool held, uint64_t c)
{
    struct ring_node *n = &r->node[node];
    struct ring_fifo *f = n->out;
    const ring_slot s = fifo_head(f);
    if (s & SLOT_TO_ONE)
        let_one_in(r, f, s);
    else
        enter_multicast(net, r, node, s, c);
    if (!fifo_drop(net, f, c))
        return false;
    const struct ring_queued *q = &f->at[f->head & f->wrap];
    if (q->ready <= c + 1 && !(held && held_back(net, r, node, q->slot)))
        return true;
    if (q->ready > c + 1 && r->occupied)
        sleep_until(r, n, q->ready);
    else
        r->awake |= 1u << node;
    return false;
}

/* Lets in what the nodes `go` want to, whose slots are free. There is at least one. */
static inline void let_these_in(struct ring_net *net, struct ring_ring *r, uint32_t go, uint64_t c)
{
    const bool held = r->held_back;
    r->occupied |= go;
    do {
        const uint32_t node = (uint32_t)__builtin_ctz(go);
        struct ring_node *n = &r->node[node];
        n->since = c + 1;
        if (!(n->out ? between_let_in(net, r, node, held, c)
                     : station_let_in(net, r, node, held, c))) {
            n->since = SIM_NEVER;
            r->wanting &= ~(1u << node);
        }
    } while (go &= go - 1);
    if (r->awake)
        r->attend = 0;
}

/* Looks at whatever may have changed who wants to let in a slot, or who may. */
static __attribute__((noinline)) void attend(struct ring_net *net, struct ring_ring *r, uint64_t c)
{
    if (r->awake || c >= r->alarm)
        look(net, r, c);
    if (c >= r->impatient)
        lose_patience(net, r, c);
    r->attend = r->alarm < r->impatient ? r->alarm : r->impatient;
}

static inline void move(struct ring_net *net, struct ring_ring *r, uint64_t c)
{
    struct ring_arrivals *const now = &r->arrivals[++r->moves % RING_MOVES];
    const uint32_t due = now->due;
    const uint32_t turned = r->occupied << 1, last = turned >> r->nodes;
    r->wrapped += last;
    r->occupied = (turned | last) & r->all & ~due;
    if (due)
        arrive(net, r, now, c);
    if (c >= r->attend)
        attend(net, r, c);
    uint32_t go = r->wanting & ~r->occupied;
    if (__builtin_expect(r->starving != 0, 0)) { /* the others hold back */
        go &= r->starving;
        r->starving &= ~go;
    }
    if (go)
        let_these_in(net, r, go, c);
}

/* ---- packet handlers ------------------------------------------------------------------------- */

static void remember_asker(struct ring_net *net, struct ring_station *st, uint16_t source)
{
    if (sim_queue_full(&st->asked))
        st->askers = sim_queue_grow(&st->asked, st->askers, sizeof *st->askers);
    st->askers[sim_queue_push(&st->asked)] = source;
    SIM_OWED(st->asked.count <= net->timing.nonsinkable_limit * net->stations);
}

bool ring_sinkable_room(const struct ring_net *net, const struct ring_station *st, uint64_t c)
{
    uint32_t depth = net->timing.queue;
    if (st->delivered < depth)
        return true;
    uint64_t previous = st->delivered - depth; /* the packet whose place this one takes */
    return st->taken > previous && st->taken_at[previous & st->taken_wrap] <= c * net->timing.cycle;
}

void ring_complete(struct ring_net *net, struct ring_station *st, const struct ring_packet *p,
                   uint64_t c)
{
    if (p->class == RING_SINKABLE)
        st->delivered++;
    else
        remember_asker(net, st, p->source);
    const sim_tick at = (c + net->timing.handler) * net->timing.cycle;
    SIM_OWED(at >= net->until); /* ring_window_end: no station has gone so far yet */
    net->deliver(net->ctx, (unsigned)(st - net->station), at, p);
}

/* ---- running --------------------------------------------------------------------------------- */

static void handle_fed(struct ring_net *net, struct ring_ring *r, uint64_t c)
{
    for (uint32_t fed = r->fed; fed; fed &= fed - 1) {
        struct ring_station *st = r->node[__builtin_ctz(fed)].station;
        if (handle(net, st, fifo_head(&st->input), c))
            fifo_drop(net, &st->input, c);
    }
}

/* @return first cycle after `c` that has work for the ring. A halted one is woken when that ends.
 */
static inline uint64_t ring_step(struct ring_net *net, struct ring_ring *r, uint64_t c)
{
    if (!r->halting)
        move(net, r, c);
    if (__builtin_expect(r->halting_or_fed != 0, 0)) {
        handle_fed(net, r, c);
        if (r->fed)
            return c + 1;
        if (r->halting)
            return SIM_NEVER;
    }
    if (r->occupied | r->wanting | r->awake)
        return c + 1;
    return r->alarm > c ? r->alarm : c + 1;
}

/* Rings may wake one another, those above them for later cycles only. */
static void net_cycle(struct ring_net *net, uint64_t c)
{
    struct ring_ring *const end = net->ring + net->rings;
    uint64_t soonest = SIM_NEVER;
    net->soonest = SIM_NEVER;
    for (struct ring_ring *r = net->ring; r != end; r++) {
        if (r->next <= c)
            r->next = ring_step(net, r, c);
        soonest = r->next < soonest ? r->next : soonest;
    }
    if (soonest < net->soonest)
        net->soonest = soonest;
}

static void work(struct ring_net *net, uint64_t end)
{
    while (net->soonest < end && net->now < end) {
        if (net->soonest > net->now)
            net->now = net->soonest;
        net_cycle(net, net->now);
        net->now++;
    }
}

static inline void cycles(struct ring_net *net, uint64_t end)
{
    if (net->soonest < end)
        work(net, end);
    if (end > net->now)
        net->now = end;
}

void ring_settle(const struct ring_net *looked_at)
{
    struct ring_net *net = (struct ring_net *)looked_at; /* it is the same for those who look */
    const uint64_t end = net->now;
    if (!net->alone.active)
        return;
    ring_uncontended_ends(net);
    cycles(net, end);
}

void ring_run(struct ring_net *net, sim_tick until)
{
    const uint64_t end = ring_cycle_at(net, until);
    net->until = until;
    if (net->any_touched)
        ring_absorb(net);
    if (net->alone.active) {
        const struct ring_uncontended *a = &net->alone;
        if (net->soonest <= a->end)
            ring_uncontended_ends(net);
        else if (a->end < end)
            ring_uncontended_arrives(net);
    }
    cycles(net, end);
    if (SIM_LOOKS_AT_INVARIANTS)
        ring_invariants(net);
}
