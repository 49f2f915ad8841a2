/*
 * What the rings have counted, and what waits for what in them.
 *
 * The hard idea: links are not counted slot by slot. A slot in use that came over the link into a
 * node has either left the ring there, or gone on, or stands there now; so the traffic of a link
 * follows from that of the link before it and the node's starts and stops, which its queues have
 * counted; and one link per ring that is really counted (from the last node to node 0) fixes the
 * rest: Kirchhoff's rule.
 */
#include "ring/net.h"

#include <assert.h>

unsigned ring_net_rings(const struct ring_net *net, unsigned level)
{
    unsigned count = 1;
    for (unsigned l = net->shape.levels - 1; l > level; l--)
        count *= net->shape.fan[l];
    return count;
}

static const struct ring_ring *ring_of(const struct ring_net *net, unsigned level, unsigned ring)
{
    assert(level < net->shape.levels && ring < ring_net_rings(net, level));
    return &net->ring[net->base[level] + ring];
}

uint64_t ring_net_cycles(const struct ring_net *net)
{
    return net->now;
}

/* [cycles] a ring has been stopped: until `since` counted, and since then if it still is. */
static uint64_t stopped(uint64_t counted, uint64_t since, bool still, uint64_t now)
{
    return counted + (still && now > since ? now - since - 1 : 0);
}

static uint64_t station_sent(const struct ring_station *st)
{
    return st->sent_header + st->sent_data - st->left;
}

static uint64_t station_received(const struct ring_station *st)
{
    return st->received_header + st->received_data;
}

/* Slots that started on the ring at a node. */
static uint64_t starts(const struct ring_node *n)
{
    return (n->station ? station_sent(n->station) : n->out->head) - n->own;
}

/* Slots that ended there. */
static uint64_t stops(const struct ring_node *n)
{
    const uint64_t taken =
        n->station ? station_received(n->station) + ring_fifo_held(n->in) : n->in->tail;
    return taken - n->copies - n->own;
}

static uint64_t link_busy(const struct ring_ring *r, unsigned node)
{
    uint64_t busy = r->wrapped;
    if (node == r->nodes - 1)
        return busy;
    for (unsigned n = 0; n <= node; n++)
        busy += starts(&r->node[n]) - stops(&r->node[n]) - (r->occupied >> n & 1);
    return busy;
}

struct ring_link_count ring_net_link(const struct ring_net *net, unsigned level, unsigned ring,
                                     unsigned node)
{
    ring_settle(net);
    const struct ring_ring *r = ring_of(net, level, ring);
    assert(node < r->nodes);
    return (struct ring_link_count){
        .busy = link_busy(r, node),
        .halted = stopped(r->halted, r->halted_since, r->halting != 0, net->now)};
}

/* Packets that have not left yet have stayed until now. */
static struct ring_fifo_count outbox_read(const struct ring_outbox *out, sim_tick now)
{
    struct ring_fifo_count count = {.deepest = out->deepest, .integral = out->integral};
    for (uint64_t i = out->gone; i < out->sent; i++) {
        const sim_tick sent = out->at[i & out->wrap].sent;
        count.depth += sent <= now;
        count.integral += sent < now ? now - sent : 0;
    }
    if (count.depth > count.deepest)
        count.deepest = count.depth;
    return count;
}

static struct ring_fifo_count fifo_read(const struct ring_fifo *f, uint64_t now)
{
    uint32_t depth = ring_fifo_held(f);
    return (struct ring_fifo_count){
        .depth = depth, .deepest = f->deepest, .integral = f->filled + depth * now};
}

struct ring_interface_count ring_net_interface(const struct ring_net *net, unsigned station)
{
    ring_settle(net);
    assert(station < net->stations);
    const struct ring_station *st = &net->station[station];
    struct ring_interface_count count = {
        .sent_header = st->sent_header,
        .sent_data = st->sent_data - st->left,
        .received_header = st->received_header,
        .received_data = st->received_data,
        .copies = st->ring->node[st->node].copies,
        .nonsinkable_out = st->nonsinkable_out,
        .reassembly = st->reassembly,
        .reassembly_max = st->reassembly_max,
        .input = fifo_read(&st->input, net->now),
    };
    for (uint32_t i = 0; i < st->returning; i++)
        count.nonsinkable_out -= st->returns[i] < net->now;
    for (unsigned c = 0; c < RING_CLASSES; c++)
        count.output[c] = outbox_read(&st->out[c], net->now * net->timing.cycle);
    return count;
}

struct ring_between_count ring_net_between(const struct ring_net *net, unsigned level,
                                           unsigned ring)
{
    ring_settle(net);
    const struct ring_ring *r = ring_of(net, level, ring);
    assert(r->parent);
    const struct ring_fifo *up = r->node[r->nodes - 1].in, *down = r->node[r->nodes - 1].out;
    return (struct ring_between_count){
        .up = up->head,
        .down = down->head,
        .copies = down->feeder->node[__builtin_ctz(down->feeder_bit)].copies,
        .held = stopped(r->held, r->held_since, r->held_back, net->now),
        .up_fifo = fifo_read(up, net->now),
        .down_fifo = fifo_read(down, net->now)};
}

static void total_ring(struct ring_total *total, const struct ring_ring *r)
{
    total->inside += (unsigned)__builtin_popcount(r->occupied);
    for (unsigned n = 0; n < r->nodes; n++) {
        total->copies += r->node[n].copies;
        total->inside += ring_fifo_held(r->node[n].in);
        total->hops += link_busy(r, n);
    }
}

struct ring_total ring_net_total(const struct ring_net *net)
{
    ring_settle(net);
    struct ring_total total = {0};
    for (unsigned s = 0; s < net->stations; s++) {
        const struct ring_station *st = &net->station[s];
        total.sent += station_sent(st);
        total.received += station_received(st);
    }
    for (unsigned r = 0; r < net->rings; r++)
        total_ring(&total, &net->ring[r]);
    return total;
}

/* ---- for people ------------------------------------------------------------------------------ */

static void dump_head(const struct ring_net *net, const struct ring_fifo *f, FILE *file)
{
    const struct ring_packet *p = &net->packet[ring_slot_flight(f->at[f->head & f->wrap].slot)];
    fprintf(file, "%u slots, first of packet %llu (%s) from station %u\n", ring_fifo_held(f),
            (unsigned long long)p->serial, p->class == RING_SINKABLE ? "sinkable" : "nonsinkable",
            p->source);
}

static void dump_ring(const struct ring_net *net, const struct ring_ring *r, FILE *file)
{
    if (r->occupied)
        fprintf(file, "ring %u.%u: %d of %u slots in use\n", r->level, r->index,
                __builtin_popcount(r->occupied), r->nodes);
    for (unsigned n = 0; n < r->nodes; n++) {
        bool parent = 1u << n == r->parent;
        if (parent ? r->held_back : r->halting >> n & 1)
            fprintf(file, "ring %u.%u: %s by the FIFO it feeds at node %u\n", r->level, r->index,
                    parent ? "held back from going up" : "halted", n);
        if (r->node[n].station || !ring_fifo_held(r->node[n].in))
            continue;
        fprintf(file, "ring %u.%u node %u: %s FIFO: ", r->level, r->index, n,
                parent ? "up" : "down");
        dump_head(net, r->node[n].in, file);
    }
}

static void dump_outbox(const struct ring_outbox *out, unsigned station, const char *class,
                        FILE *file)
{
    if (out->gone == out->sent)
        return;
    const struct ring_packet *p = &out->first->packet;
    fprintf(file, "station %u: %s output FIFO: %llu packets, first %llu with mask %012llx\n",
            station, class, (unsigned long long)(out->sent - out->gone),
            (unsigned long long)p->serial, (unsigned long long)p->mask);
}

static void dump_station(const struct ring_net *net, unsigned station, FILE *file)
{
    const struct ring_station *st = &net->station[station];
    uint32_t asked = st->asked.count - st->takes_count;
    dump_outbox(&st->out[RING_SINKABLE], station, "sinkable", file);
    dump_outbox(&st->out[RING_NONSINKABLE], station, "nonsinkable", file);
    if (st->nonsinkable_out == net->timing.nonsinkable_limit)
        fprintf(file, "station %u: %u nonsinkable messages out, the limit\n", station,
                st->nonsinkable_out);
    if (ring_fifo_held(&st->input)) {
        fprintf(file, "station %u: input FIFO: ", station);
        dump_head(net, &st->input, file);
    }
    if (st->delivered != st->taken)
        fprintf(file, "station %u: sinkable queue: %llu of %u packets not taken\n", station,
                (unsigned long long)(st->delivered - st->taken), net->timing.queue);
    if (asked)
        fprintf(file, "station %u: nonsinkable queue: %u packets not taken\n", station, asked);
}

void ring_net_dump(const struct ring_net *net, FILE *file)
{
    ring_settle(net);
    fprintf(file, "rings at cycle %llu\n", (unsigned long long)net->now);
    for (unsigned r = 0; r < net->rings; r++)
        dump_ring(net, &net->ring[r], file);
    for (unsigned s = 0; s < net->stations; s++)
        dump_station(net, s, file);
}
