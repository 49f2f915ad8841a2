/*
 * A packet that travels alone: when nothing else is in the rings, what becomes of a packet is known
 * the moment it is sent (ring.h, latency), and so is all that the rings will have counted. Then no
 * slot is moved.
 *
 * The hard idea is that one may still change one's mind. The rings are left as they were before the
 * packet; if another one could enter before it has arrived, or if somebody wants to look, the rings
 * go back to the packet's first cycle and move its slots after all (ring_alone_ends). Nothing that
 * a station could have learned meanwhile is changed by that: what enters later cannot touch what a
 * station knows earlier (net.c).
 */
#include "ring/net.h"

/* A packet's way, as far as it has been followed. */
struct way {
    struct alone *a;
    const struct flight *f;
    uint32_t slots;
    uint64_t cycle; /* in which its header is here */
    struct ring *r; /* on this ring */
    uint32_t node;  /* at this node */
    bool count;     /* the rings count it */
    bool smooth;    /* nothing on the way halts or holds back */
};

static void along(struct way *w, uint32_t to)
{
    struct ring *r = w->r;
    const uint32_t from = w->node;
    w->node = to;
    const uint64_t first = w->cycle;
    w->cycle += to >= from ? to - from : to + r->nodes - from;
    if (!w->count) {
        w->a->busy[w->a->rings].first = first;
        w->a->busy[w->a->rings++].last = w->cycle + w->slots - 1;
        return;
    }
    r->node[from].passed_out += w->slots;
    if (from == to)
        return;
    r->node[from].starts += w->slots;
    r->node[to].stops += w->slots;
    r->wrapped += to < from ? w->slots : 0;
}

/* Through the FIFO that the present node feeds. The ring above is served first in a cycle: a slot
 * that goes up leaves before the next one comes. */
static void between(struct way *w, bool up)
{
    struct fifo *f = w->r->node[w->node].in;
    const uint32_t most = f->delay + !up, deepest = w->slots < most ? w->slots : most;
    w->smooth = w->smooth && deepest < f->limit.near_full;
    w->cycle += f->delay;
    w->r = f->drain;
    w->node = f->drain_node;
    if (!w->count)
        return;
    f->filled += (uint64_t)w->slots * f->delay;
    if (deepest > f->deepest)
        f->deepest = deepest;
}

static uint32_t child(const struct flight *f, unsigned level)
{
    return (uint32_t)__builtin_ctz(f->field[level]);
}

/* Follows the packet from its station to its target. */
static void follow(struct way *w)
{
    const unsigned top = w->f->level;
    for (unsigned level = 0; level < top; level++) {
        along(w, w->r->nodes - 1);
        between(w, true);
    }
    for (unsigned level = top; level > 0; level--) {
        along(w, child(w->f, level));
        between(w, false);
    }
    along(w, child(w->f, 0));
}

static struct way way_of(const struct ring_net *net, struct alone *a, bool count)
{
    const struct station *from = &net->station[a->station];
    return (struct way){.a = a,
                        .f = &a->flight,
                        .slots = 1u + a->flight.data_slots,
                        .cycle = a->begin,
                        .r = from->ring,
                        .node = from->node,
                        .count = count,
                        .smooth = true};
}

/* The only packet the station has to send, or NULL. */
static struct outgoing *only_packet(const struct station *st)
{
    const uint64_t sinkable = st->out[RING_SINKABLE].sent - st->out[RING_SINKABLE].gone;
    const uint64_t nonsinkable = st->out[RING_NONSINKABLE].sent - st->out[RING_NONSINKABLE].gone;
    if (sinkable + nonsinkable != 1)
        return NULL;
    return ring_outbox_head(&st->out[nonsinkable]);
}

/* Will it find room at its target? */
static bool welcome(const struct ring_net *net, const struct station *to, unsigned class)
{
    return to->input.limit.near_full > 1 &&
           (class == RING_NONSINKABLE || to->delivered - to->taken < net->timing.queue);
}

bool ring_alone_begins(struct ring_net *net, unsigned station)
{
    struct station *st = &net->station[station];
    struct outgoing *o = only_packet(st);
    struct alone *a = &net->alone;
    if (!o || o->packet.multicast || st->nonsinkable_out == net->timing.nonsinkable_limit)
        return false;
    *a = (struct alone){
        .station = station, .begin = o->ready, .flight = ring_flight_of(net, &o->packet, o->level)};
    struct way w = way_of(net, a, false);
    follow(&w);
    a->target = w.r->node[w.node].station;
    a->end = w.cycle + a->flight.data_slots;
    a->active = w.smooth && welcome(net, &net->station[a->target], o->packet.class);
    o->freed = (o->ready + a->flight.data_slots) * net->timing.cycle;
    return a->active;
}

uint64_t ring_alone_next(const struct ring_net *net, uint64_t c)
{
    const struct alone *a = &net->alone;
    uint32_t i = 0;
    while (i + 1 < a->rings && a->busy[i].last < c)
        i++;
    return a->busy[i].first > c ? a->busy[i].first : c;
}

bool ring_alone_remains(const struct ring_net *net)
{
    return only_packet(&net->station[net->alone.station]) != NULL;
}

/* It has arrived, in cycle net->alone.end, and everybody counts it. */
void ring_alone_arrives(struct ring_net *net)
{
    struct alone *a = &net->alone;
    struct way w = way_of(net, a, true);
    struct station *from = &net->station[a->station], *to = &net->station[a->target];
    const struct ring_packet packet = ring_outbox_head(&from->out[a->flight.class])->packet;
    follow(&w);
    from->nonsinkable_out += a->flight.class == RING_NONSINKABLE;
    from->sent_header++;
    from->sent_data += a->flight.data_slots;
    to->received_header++;
    to->received_data += a->flight.data_slots;
    to->reassembly_max = to->reassembly_max > 1 ? to->reassembly_max : 1;
    to->input.deepest = to->input.deepest > 1 ? to->input.deepest : 1;
    ring_outbox_leave(net, &from->out[a->flight.class], a->begin + a->flight.data_slots);
    a->active = false;
    ring_complete(net, a->target, &packet, a->end);
}

/* Its slots are to be moved after all. */
void ring_alone_ends(struct ring_net *net)
{
    struct alone *a = &net->alone;
    struct station *st = &net->station[a->station];
    a->active = false;
    st->ring->pending |= 1u << st->node;
    ring_alarm(net, st->ring, st->node, a->begin);
    if (a->begin < net->now)
        net->now = a->begin;
}
