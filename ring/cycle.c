/*
 * One ring cycle: slots move one node on, interfaces take what is theirs, and let in what they have
 * where a slot is free; packet handlers take one slot each out of their input FIFOs.
 *
 * The hard idea: a slot costs no work while it travels. Slots stand still in an array and the
 * ring's phase turns instead; when a slot gets its targets, it is noted for each in which phase
 * that node must look (`due`), and halting simply keeps the phase. So the cost of a cycle is that
 * of its arrivals and insertions. What each link carried follows from Kirchhoff's rule (count.c).
 *
 * Rings are served top ring first and FIFO entries are dated at least one cycle ahead, so within a
 * cycle no slot is seen by two rings.
 */
#include "ring/net.h"

#include "machine/alloc.h"

#include <assert.h>
#include <stdlib.h>

/* ---- packets in flight ----------------------------------------------------------------------- */

static void flights_grow(struct ring_net *net)
{
    uint32_t old = net->flights, size = old ? 2 * old : 256;
    net->flight = nm_grow(net->flight, size, sizeof *net->flight);
    net->packet = nm_grow(net->packet, size, sizeof *net->packet);
    for (uint32_t i = size; i-- > old;) {
        net->flight[i].next_free = net->free_flight;
        net->free_flight = i;
    }
    net->flights = size;
}

struct flight ring_flight_of(const struct ring_net *net, const struct ring_packet *p, uint8_t level)
{
    struct flight f = {
        .receivers = p->multicast ? ring_mask_count(&net->shape, p->mask) : 1,
        .level = level,
        .class = p->class,
        .data_slots = p->data_slots,
        .multicast = p->multicast,
    };
    for (unsigned l = 0; l < RING_LEVELS; l++)
        f.field[l] = (uint16_t)ring_mask_field(p->mask, l);
    return f;
}

static uint32_t flight_new(struct ring_net *net, const struct outgoing *o)
{
    if (net->free_flight == RING_NONE)
        flights_grow(net);
    uint32_t i = net->free_flight;
    net->free_flight = net->flight[i].next_free;
    net->packet[i] = o->packet;
    net->flight[i] = ring_flight_of(net, &o->packet, o->level);
    return i;
}

static void flight_received(struct ring_net *net, uint32_t i)
{
    struct flight *f = &net->flight[i];
    if (--f->receivers)
        return;
    f->next_free = net->free_flight;
    net->free_flight = i;
}

/* ---- FIFOs and halting ----------------------------------------------------------------------- */

/* A node's FIFO is nearly full: the parent's holds the ring back from going up, others halt it. */
static void raise_bit(struct ring *r, uint32_t bit, uint64_t c)
{
    if (bit == r->parent) {
        r->held_since = c;
        r->awake |= r->wanting;
        r->wanting = r->starving = 0;
    } else if (!(r->raised & ~r->parent)) {
        r->halted_since = c;
    }
    r->raised |= bit;
}

static void lower_bit(struct ring_net *net, struct ring *r, uint32_t bit, uint64_t c)
{
    r->raised &= ~bit;
    if (bit == r->parent) {
        r->held += c - r->held_since;
        r->awake = r->pending & ~r->wanting;
    } else if (!(r->raised & ~r->parent)) {
        r->halted += c - r->halted_since;
    }
    ring_wake(net, r, c);
}

/* There is something in it. */
static void fifo_starts(struct ring_net *net, struct fifo *f, uint64_t c)
{
    *f->drain_mask |= 1u << f->drain_node;
    if (f->drain != f->feeder) /* a station's is seen to in the same cycle */
        ring_alarm(net, f->drain, f->drain_node, c + f->delay);
}

static inline void fifo_push(struct ring_net *net, struct fifo *f, struct slot s, uint64_t c)
{
    f->filled -= c;
    f->at[f->tail++ & f->wrap] = (struct queued){c + f->delay, s};
    const uint32_t count = fifo_count(f);
    assert(count <= f->limit.depth);
    if (count > f->deepest)
        f->deepest = count;
    if (count >= f->limit.near_full && !(f->feeder->raised & f->feeder_bit))
        raise_bit(f->feeder, f->feeder_bit, c);
    if (count == 1)
        fifo_starts(net, f, c);
}

static inline struct slot fifo_pop(struct ring_net *net, struct fifo *f, uint64_t c)
{
    f->filled += c;
    const struct slot s = f->at[f->head++ & f->wrap].slot;
    const uint32_t count = fifo_count(f);
    if (f->feeder->raised & f->feeder_bit && count < f->limit.restart)
        lower_bit(net, f->feeder, f->feeder_bit, c);
    if (!count)
        *f->drain_mask &= ~(1u << f->drain_node);
    return s;
}

/* ---- slots on a ring ------------------------------------------------------------------------- */

/* Index of the slot that passes a node now. */
static inline uint32_t slot_at(const struct ring *r, uint32_t node)
{
    return node >= r->phase ? node - r->phase : node + r->nodes - r->phase;
}

/* Notes for a slot now at `node` when its targets have to look. */
static inline void schedule(struct ring *r, uint32_t node, uint32_t targets)
{
    for (; targets; targets &= targets - 1) {
        uint32_t to = (uint32_t)__builtin_ctz(targets);
        uint32_t phase = r->phase + (to > node ? to - node : to + r->nodes - node);
        r->due[phase < r->nodes ? phase : phase - r->nodes] |= targets & -targets;
    }
}

/* A slot at `node` with these targets: copies it there if the node is one, and sends it on to the
 * others. @return targets that remain */
static inline uint32_t distribute(struct ring_net *net, struct ring *r, uint32_t node,
                                  struct slot s, uint32_t targets, uint64_t c)
{
    const uint32_t bit = 1u << node;
    if (!(targets & bit))
        return targets;
    s.bits &= SLOT_HEADER | SLOT_LAST;
    fifo_push(net, r->node[node].in, s, c);
    targets &= ~bit;
    r->node[node].copies += targets != 0;
    return targets;
}

/* The slot passing `node` is a multicast's. */
static __attribute__((noinline)) void arrive_multicast(struct ring_net *net, struct ring *r,
                                                       uint32_t node, uint64_t c)
{
    struct slot *s = &r->slot[slot_at(r, node)];
    uint32_t targets = s->bits & SLOT_TARGETS;
    if (s->bits & SLOT_UNSEQUENCED) {
        targets = net->flight[s->flight].field[r->level];
        schedule(r, node, targets & ~(1u << node));
    }
    targets = distribute(net, r, node, *s, targets, c);
    s->bits = (s->bits & (SLOT_HEADER | SLOT_LAST)) | targets;
    if (!targets) {
        r->occupied &= ~(1u << node);
        r->node[node].stops++;
    }
}

/* A slot was taken out of a station's input FIFO. */
static inline void receive(struct station *st, uint32_t bits)
{
    const uint32_t header = bits >> 30 & 1;
    st->received_header += header;
    st->received_data += !header;
    st->reassembly += header;
    if (st->reassembly > st->reassembly_max)
        st->reassembly_max = st->reassembly;
}

/* The slot passing `node` is for it, and nearly always for nobody else. At a station whose input
 * FIFO is empty it is handled in this same cycle; unless something may then happen, at once. */
static inline void arrive(struct ring_net *net, struct ring *r, uint32_t node, uint64_t c)
{
    const struct slot s = r->slot[slot_at(r, node)];
    const uint32_t bit = 1u << node;
    struct node *n = &r->node[node];
    if (s.bits & ~(SLOT_HEADER | SLOT_LAST) & ~bit) {
        arrive_multicast(net, r, node, c);
        return;
    }
    r->occupied &= ~bit;
    n->stops++;
    if (n->station != RING_NONE && !(s.bits & SLOT_LAST) && !fifo_count(n->in)) {
        if (!n->in->deepest)
            n->in->deepest = 1;
        receive(&net->station[n->station], s.bits);
        return;
    }
    fifo_push(net, n->in, (struct slot){s.flight, s.bits & (SLOT_HEADER | SLOT_LAST)}, c);
}

/* Where a slot let in at `node` has to go on this ring. */
static inline uint32_t route(const struct ring *r, uint32_t node, const struct flight *f)
{
    if (f->level > r->level && 1u << node != r->parent)
        return r->parent;
    if (f->multicast && node != r->sequencer)
        return 1u << r->sequencer | SLOT_UNSEQUENCED;
    return f->field[r->level];
}

/* A slot with several targets, or one for `node` itself, which is copied at once. */
static __attribute__((noinline)) void enter_copied(struct ring_net *net, struct ring *r,
                                                   uint32_t node, struct slot s, uint32_t targets,
                                                   uint64_t c)
{
    targets = distribute(net, r, node, s, targets, c);
    if (!targets)
        return;
    schedule(r, node, targets);
    r->slot[slot_at(r, node)] = (struct slot){s.flight, s.bits | targets};
    r->occupied |= 1u << node;
    r->node[node].starts++;
}

/* Lets a slot into the ring at `node`, where the passing slot is free. */
static inline void enter(struct ring_net *net, struct ring *r, uint32_t node, struct slot s,
                         uint64_t c)
{
    const uint32_t bits = route(r, node, &net->flight[s.flight]), targets = bits & SLOT_TARGETS;
    const uint32_t to = (uint32_t)__builtin_ctz(targets);
    if (!(bits & SLOT_UNSEQUENCED) && (to == node || targets & (targets - 1))) {
        enter_copied(net, r, node, s, targets, c);
        return;
    }
    const uint32_t phase = r->phase + (to > node ? to - node : to + r->nodes - node);
    r->due[phase < r->nodes ? phase : phase - r->nodes] |= targets;
    r->slot[slot_at(r, node)] = (struct slot){s.flight, s.bits | bits};
    r->occupied |= 1u << node;
    r->node[node].starts++;
}

/* ---- letting slots in ------------------------------------------------------------------------ */

/* Forgets nonsinkable messages whose taking at the target is known by now. */
static bool below_limit(const struct ring_net *net, struct station *st, uint64_t c)
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

static bool may_start(const struct ring_net *net, struct station *st, unsigned class, bool held,
                      uint64_t c)
{
    const struct outbox *out = &st->out[class];
    if (out->gone == out->sent)
        return false;
    const struct outgoing *o = &out->at[out->gone & out->wrap];
    if (o->ready > c || (held && o->level))
        return false;
    return class == RING_SINKABLE || below_limit(net, st, c);
}

static nm_tick sent_at(const struct station *st, unsigned class)
{
    const struct outbox *out = &st->out[class];
    return out->at[out->gone & out->wrap].sent;
}

/* Is there a slot the station would let in now? Chooses the next packet: the older one, so that a
 * stream of answers cannot keep a request back for ever; of one age, the sinkable one. */
static bool station_wants(const struct ring_net *net, struct station *st, bool held, uint64_t c)
{
    if (st->flight != RING_NONE)
        return !(held && net->flight[st->flight].level);
    bool sinkable = may_start(net, st, RING_SINKABLE, held, c);
    bool nonsinkable = may_start(net, st, RING_NONSINKABLE, held, c);
    if (sinkable && nonsinkable)
        nonsinkable = sent_at(st, RING_NONSINKABLE) < sent_at(st, RING_SINKABLE);
    st->class = nonsinkable ? RING_NONSINKABLE : RING_SINKABLE;
    return sinkable || nonsinkable;
}

static bool between_wants(const struct ring_net *net, const struct ring *r, const struct fifo *f,
                          bool held, uint64_t c)
{
    const struct queued *q = &f->at[f->head & f->wrap];
    return q->ready <= c && !(held && net->flight[q->slot.flight].level > r->level);
}

void ring_outbox_leave(const struct ring_net *net, struct outbox *out, uint64_t c)
{
    nm_tick tick = c * net->timing.cycle;
    uint32_t depth = 1;
    while (out->gone + depth < out->sent && out->at[(out->gone + depth) & out->wrap].sent <= tick)
        depth++;
    if (depth > out->deepest)
        out->deepest = depth;
    struct outgoing *o = &out->at[out->gone++ & out->wrap];
    o->freed = tick;
    out->integral += tick - o->sent;
}

/* The station's next slot. Precondition: station_wants. */
static struct slot station_emit(struct ring_net *net, struct station *st, uint64_t c)
{
    struct outbox *out = &st->out[st->class];
    uint32_t flags = 0;
    if (st->flight == RING_NONE) {
        st->flight = flight_new(net, &out->at[out->gone & out->wrap]);
        st->number = 0;
        st->nonsinkable_out += st->class == RING_NONSINKABLE;
        st->sent_header++;
        flags = SLOT_HEADER;
    } else {
        st->sent_data++;
    }
    struct slot s = {st->flight, flags};
    if (st->number++ < net->flight[st->flight].data_slots)
        return s;
    s.bits |= SLOT_LAST;
    ring_outbox_leave(net, out, c);
    st->flight = RING_NONE;
    if (st->out[0].gone == st->out[0].sent && st->out[1].gone == st->out[1].sent)
        st->ring->pending &= ~(1u << st->node);
    return s;
}

/* The node cannot let anything in: it sleeps until time alone may have changed that. */
static void set_alarm(const struct ring_net *net, struct ring *r, struct node *n, uint64_t c)
{
    if (n->out) {
        uint64_t ready = n->out->at[n->out->head & n->out->wrap].ready;
        n->alarm = ready > c ? ready : NM_NEVER;
    } else {
        for (unsigned class = 0; class < RING_CLASSES; class ++) {
            uint64_t ready = ring_class_ready(net, &net->station[n->station], class);
            if (ready > c && ready < n->alarm)
                n->alarm = ready;
        }
    }
    if (n->alarm < r->alarm)
        r->alarm = n->alarm;
}

static void wake_sleepers(struct ring *r, uint64_t c)
{
    r->alarm = NM_NEVER;
    for (uint32_t m = r->pending & ~(r->wanting | r->awake); m; m &= m - 1) {
        uint64_t alarm = r->node[__builtin_ctz(m)].alarm;
        if (alarm <= c)
            r->awake |= m & -m;
        else if (alarm < r->alarm)
            r->alarm = alarm;
    }
}

/* Looks at the nodes awake: they want a free slot from now on, or sleep until an alarm or the end
 * of being held back. */
static void look(struct ring_net *net, struct ring *r, uint64_t c)
{
    const bool held = r->raised & r->parent;
    for (; r->awake; r->awake &= r->awake - 1) {
        uint32_t node = (uint32_t)__builtin_ctz(r->awake), bit = 1u << node;
        struct node *n = &r->node[node];
        n->alarm = NM_NEVER;
        if (n->out ? between_wants(net, r, n->out, held && bit != r->parent, c)
                   : station_wants(net, &net->station[n->station], held, c)) {
            r->wanting |= bit;
            n->since = n->since < c ? n->since : c;
            if (n->since + net->timing.patience < r->impatient)
                r->impatient = n->since + net->timing.patience;
        } else {
            set_alarm(net, r, n, c);
        }
    }
}

/* Finds the nodes that have waited too long. */
static void lose_patience(struct ring_net *net, struct ring *r, uint64_t c)
{
    r->impatient = NM_NEVER;
    for (uint32_t m = r->wanting & ~r->starving; m; m &= m - 1) {
        uint64_t end = r->node[__builtin_ctz(m)].since + net->timing.patience;
        if (end <= c)
            r->starving |= m & -m;
        else if (end < r->impatient)
            r->impatient = end;
    }
}

/* The station wants, and its slot is free. A sinkable packet may have become ready since it was
 * looked at, so it chooses anew. @return that it goes on wanting: there is more of the packet */
static bool station_let_in(struct ring_net *net, struct ring *r, uint32_t node, uint64_t c)
{
    struct station *st = &net->station[r->node[node].station];
    if (st->flight == RING_NONE)
        station_wants(net, st, r->raised & r->parent, c);
    enter(net, r, node, station_emit(net, st, c), c);
    return st->flight != RING_NONE && !(r->raised & r->parent);
}

/* The same for an inter-ring interface. */
static bool between_let_in(struct ring_net *net, struct ring *r, uint32_t node, uint64_t c)
{
    struct fifo *f = r->node[node].out;
    const bool held = r->raised & r->parent && 1u << node != r->parent;
    enter(net, r, node, fifo_pop(net, f, c), c);
    return fifo_count(f) && between_wants(net, r, f, held, c + 1);
}

/* The node wants, and the slot that passes it is free. */
static void let_one_in(struct ring_net *net, struct ring *r, uint32_t node, uint64_t c)
{
    struct node *n = &r->node[node];
    uint32_t bit = 1u << node;
    n->passed_out++;
    n->since = NM_NEVER;
    r->starving &= ~bit;
    if (n->out ? between_let_in(net, r, node, c) : station_let_in(net, r, node, c)) {
        n->since = c + 1;
        if (n->since + net->timing.patience < r->impatient)
            r->impatient = n->since + net->timing.patience;
        return;
    }
    r->wanting &= ~bit;
    r->awake |= r->pending & bit;
}

static void let_in(struct ring_net *net, struct ring *r, uint64_t c)
{
    if (c >= r->alarm)
        wake_sleepers(r, c);
    if (r->awake)
        look(net, r, c);
    if (c >= r->impatient)
        lose_patience(net, r, c);
    uint32_t go = r->wanting & ~r->occupied & (r->starving ? r->starving : r->all);
    for (; go; go &= go - 1)
        let_one_in(net, r, (uint32_t)__builtin_ctz(go), c);
}

static void move(struct ring_net *net, struct ring *r, uint64_t c)
{
    uint32_t last = r->occupied >> (r->nodes - 1) & 1;
    r->wrapped += last;
    r->occupied = (r->occupied << 1 | last) & r->all;
    r->phase = r->phase + 1 == r->nodes ? 0 : r->phase + 1;
    uint32_t due = r->due[r->phase];
    r->due[r->phase] = 0;
    for (; due; due &= due - 1)
        arrive(net, r, (uint32_t)__builtin_ctz(due), c);
    let_in(net, r, c);
}

/* ---- packet handlers ------------------------------------------------------------------------- */

static void remember_asker(struct ring_net *net, struct station *st, uint16_t source)
{
    uint32_t size = st->asker_wrap + 1, count = st->asker_tail - st->asker_head;
    if (!st->askers || count == size) {
        uint32_t larger = st->askers ? 2 * size : 16;
        uint16_t *askers = nm_grow(NULL, larger, sizeof *askers);
        for (uint32_t i = 0; i < count; i++)
            askers[i] = st->askers[(st->asker_head + i) & st->asker_wrap];
        free(st->askers);
        st->askers = askers;
        st->asker_wrap = larger - 1;
        st->asker_head = 0;
        st->asker_tail = count;
    }
    st->askers[st->asker_tail++ & st->asker_wrap] = source;
    assert(count < net->timing.nonsinkable_limit * net->stations);
}

bool ring_sinkable_room(const struct ring_net *net, const struct station *st, uint64_t c)
{
    uint32_t depth = net->timing.queue;
    if (st->delivered < depth)
        return true;
    uint64_t previous = st->delivered - depth; /* the packet whose place this one takes */
    return st->taken > previous && st->taken_at[previous & st->taken_wrap] <= c * net->timing.cycle;
}

void ring_complete(struct ring_net *net, unsigned station, const struct ring_packet *p, uint64_t c)
{
    struct station *st = &net->station[station];
    if (p->class == RING_SINKABLE)
        st->delivered++;
    else
        remember_asker(net, st, p->source);
    net->deliver(net->ctx, station, (c + net->timing.handler) * net->timing.cycle, p);
}

/* One slot out of a station's input FIFO, unless it would complete a sinkable packet that has no
 * room to go. */
static void handle(struct ring_net *net, unsigned station, uint64_t c)
{
    struct station *st = &net->station[station];
    struct slot s = st->input.at[st->input.head & st->input.wrap].slot;
    if (s.bits & SLOT_LAST && net->flight[s.flight].class == RING_SINKABLE &&
        !ring_sinkable_room(net, st, c))
        return;
    fifo_pop(net, &st->input, c);
    receive(st, s.bits);
    if (s.bits & SLOT_LAST) {
        st->reassembly--;
        ring_complete(net, station, &net->packet[s.flight], c);
        flight_received(net, s.flight);
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static void ring_step(struct ring_net *net, struct ring *r, uint64_t c)
{
    if (!(r->raised & ~r->parent))
        move(net, r, c);
    for (uint32_t fed = r->fed; fed; fed &= fed - 1)
        handle(net, r->node[__builtin_ctz(fed)].station, c);
}

/* First cycle from `c` on that has work for the ring. A halted one is woken when that ends. */
static uint64_t ring_due(const struct ring *r, uint64_t c)
{
    if (r->fed)
        return c;
    if (r->raised & ~r->parent)
        return NM_NEVER;
    if (r->occupied | r->awake | r->wanting)
        return c;
    return r->alarm > c ? r->alarm : c;
}

static void net_cycle(struct ring_net *net, uint64_t c)
{
    net->soonest = NM_NEVER;
    for (unsigned i = 0; i < net->rings; i++) {
        if (net->next[i] <= c) {
            ring_step(net, &net->ring[i], c);
            net->next[i] = ring_due(&net->ring[i], c + 1);
        }
        if (net->next[i] < net->soonest)
            net->soonest = net->next[i];
    }
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
    ring_alone_ends(net);
    cycles(net, end);
}

void ring_run(struct ring_net *net, nm_tick until)
{
    const uint64_t end = ring_cycle_at(net, until);
    if (net->any_touched)
        ring_absorb(net);
    if (net->alone.active) {
        const struct alone *a = &net->alone;
        if (net->soonest <= a->end)
            ring_alone_ends(net);
        else if (a->end < end)
            ring_alone_arrives(net);
    }
    cycles(net, end);
}
