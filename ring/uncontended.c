/*
 * A packet that travels alone: when nothing else is in the rings, what becomes of a packet is known
 * the moment it is sent (ring.h, latency), and so is all that the rings will have counted. Then no
 * slot is moved.
 *
 * The hard idea is that this can be undone. The rings are left as they were before the packet. If
 * another packet could enter before this one has arrived, or if the rings are looked at, they go
 * back to the packet's first cycle and move its slots after all (ring_uncontended_ends). That
 * changes nothing that a station could have learned meanwhile: what enters later cannot touch what
 * a station knows earlier (net.c).
 */
#include "ring/net.h"

/* Where a packet's header is, and when. */
struct head {
    struct ring_ring *r;
    uint32_t node;
    uint64_t cycle;
};

/* Along a ring to node `to`. */
static void along(struct ring_uncontended *a, struct head *h, uint32_t to)
{
    const uint64_t first = h->cycle;
    h->cycle += to >= h->node ? to - h->node : to + h->r->nodes - h->node;
    a->hop[a->hops].r = h->r;
    a->hop[a->hops].from = h->node;
    a->hop[a->hops].to = to;
    a->hop[a->hops].first = first;
    a->hop[a->hops++].last = h->cycle + a->flight.data_slots;
    h->node = to;
}

/* The most slots the packet has in a FIFO between two rings. The ring above is served first in a
 * cycle: a slot that goes up leaves before the next one comes. */
static uint32_t most_in(const struct ring_uncontended *a, const struct ring_fifo *f, bool up)
{
    const uint32_t most = f->delay + !up;
    return a->flight.data_slots < most ? a->flight.data_slots + 1u : most;
}

/* Through the FIFO that the present node feeds. False: it would halt the ring or hold it back. */
static bool between(const struct ring_uncontended *a, struct head *h, bool up)
{
    const struct ring_fifo *f = h->r->node[h->node].in;
    h->r = f->drain;
    h->node = f->drain_node;
    h->cycle += f->delay;
    return most_in(a, f, up) < f->limit.near_full;
}

/* Follows the packet to its target's node. False: it would not go through smoothly. */
static bool follow(struct ring_uncontended *a, struct head *h)
{
    const unsigned top = a->flight.level;
    bool smooth = true;
    for (unsigned level = 0; level < top; level++) {
        along(a, h, h->r->nodes - 1);
        smooth &= between(a, h, true);
    }
    for (unsigned level = top; level > 0; level--) {
        along(a, h, ring_mask_node(a->mask, level));
        smooth &= between(a, h, false);
    }
    along(a, h, ring_mask_node(a->mask, 0));
    return smooth;
}

/* What the rings and the FIFOs between them count of it. */
static void account(const struct ring_uncontended *a)
{
    const uint32_t slots = a->flight.data_slots + 1u;
    for (uint32_t i = 0; i < a->hops; i++) {
        struct ring_ring *r = a->hop[i].r;
        const uint32_t from = a->hop[i].from, to = a->hop[i].to;
        r->node[to].own += from == to ? slots : 0;
        r->wrapped += to < from ? slots : 0;
        if (i + 1 == a->hops)
            return;
        struct ring_fifo *f = r->node[to].in;
        const uint32_t most = most_in(a, f, i < a->flight.level);
        f->head += slots;
        f->tail += slots;
        f->filled += (uint64_t)slots * f->delay;
        f->deepest = most > f->deepest ? most : f->deepest;
    }
}

/* The only packet the station has to send, or NULL. */
static struct ring_outgoing *only_packet(const struct ring_station *st)
{
    const uint64_t sinkable = st->out[RING_SINKABLE].sent - st->out[RING_SINKABLE].gone;
    const uint64_t nonsinkable = st->out[RING_NONSINKABLE].sent - st->out[RING_NONSINKABLE].gone;
    if (sinkable + nonsinkable != 1)
        return NULL;
    return st->out[nonsinkable].first;
}

/* Will it find room at its target when its last slot is handled? */
static bool welcome(const struct ring_net *net, const struct ring_station *to, unsigned class,
                    uint64_t end)
{
    return to->input.limit.near_full > 1 &&
           (class == RING_NONSINKABLE || ring_sinkable_room(net, to, end));
}

bool ring_uncontended_begins(struct ring_net *net, unsigned station)
{
    struct ring_station *st = &net->station[station];
    struct ring_outgoing *o = only_packet(st);
    struct ring_uncontended *a = &net->alone;
    if (!o || o->packet.multicast || st->nonsinkable_out == net->timing.nonsinkable_limit)
        return false;
    struct head h = {.r = st->ring, .node = st->node, .cycle = o->ready};
    a->station = station;
    a->begin = o->ready;
    a->hops = 0;
    a->mask = o->packet.mask;
    ring_flight_of(net, o, &a->flight);
    const bool smooth = follow(a, &h);
    a->target = h.r->node[h.node].station;
    a->end = h.cycle + a->flight.data_slots;
    a->active = smooth && welcome(net, a->target, o->packet.class, a->end);
    o->freed = (o->ready + a->flight.data_slots) * net->timing.cycle;
    return a->active;
}

uint64_t ring_uncontended_next(const struct ring_net *net, uint64_t c)
{
    const struct ring_uncontended *a = &net->alone;
    uint32_t i = 0;
    while (i + 1 < a->hops && a->hop[i].last < c)
        i++;
    return a->hop[i].first > c ? a->hop[i].first : c;
}

bool ring_uncontended_remains(const struct ring_net *net)
{
    return only_packet(&net->station[net->alone.station]) != NULL;
}

/* It has arrived, in cycle net->alone.end, and everybody counts it. */
void ring_uncontended_arrives(struct ring_net *net)
{
    struct ring_uncontended *a = &net->alone;
    struct ring_station *from = &net->station[a->station], *to = a->target;
    const struct ring_packet *packet = &from->out[a->flight.class].first->packet;
    account(a);
    from->nonsinkable_out += a->flight.class == RING_NONSINKABLE;
    from->sent_header++;
    from->sent_data += a->flight.data_slots;
    to->received_header++;
    to->received_data += a->flight.data_slots;
    to->reassembly_max = to->reassembly_max > 1 ? to->reassembly_max : 1;
    to->input.deepest = to->input.deepest > 1 ? to->input.deepest : 1;
    ring_outbox_leave(net, &from->out[a->flight.class], a->begin + a->flight.data_slots);
    a->active = false;
    ring_complete(net, a->target, packet, a->end); /* its place is not taken before the next send */
}

/* Its slots are to be moved after all. */
void ring_uncontended_ends(struct ring_net *net)
{
    struct ring_uncontended *a = &net->alone;
    struct ring_station *st = &net->station[a->station];
    a->active = false;
    ring_station_heads(st);
    ring_alarm(net, st->ring, st->node, a->begin);
    if (a->begin < net->now)
        net->now = a->begin;
}
