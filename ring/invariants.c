/*
 * What holds of the rings between two cycles: how the words of a ring hang together that say which
 * node may do what (struct ring_ring), and that no node that has something to do was forgotten.
 */
#include "base/invariant.h"
#include "ring/net.h"

static void fifo_holds(const struct ring_fifo *f, const char *what, unsigned number)
{
    const uint32_t count = ring_fifo_held(f);
    const struct ring_ring *r = f->feeder;
    SIM_MUST(count <= f->limit.depth, "%s %u: %u slots", what, number, count);
    SIM_MUST(f->deepest >= count, "%s %u: %u slots, deepest %u", what, number, count, f->deepest);
    SIM_MUST(f->raised ? count >= f->limit.restart : count < f->limit.near_full,
             "%s %u: %u slots, raised %d", what, number, count, f->raised);
    SIM_MUST(f->raised ==
                 (f->feeder_bit == r->parent ? r->held_back : (r->halting & f->feeder_bit) != 0),
             "%s %u: raised %d", what, number, f->raised);
    SIM_MUST((*f->drain_mask >> f->drain_node & 1) == (count != 0), "%s %u: %u slots", what, number,
             count);
}

/* Slots in use are those that will be looked at, each once. */
static void slots_hold(const struct ring_ring *r)
{
    unsigned due = 0;
    for (unsigned move = 0; move < RING_MOVES; move++) {
        SIM_MUST(!(r->arrivals[move].due & ~r->all), "ring %u.%u", r->level, r->index);
        due += (unsigned)__builtin_popcount(r->arrivals[move].due);
    }
    SIM_MUST(!(r->occupied & ~r->all), "ring %u.%u", r->level, r->index);
    SIM_MUST(due == (unsigned)__builtin_popcount(r->occupied), "ring %u.%u: %u due, occupied %#x",
             r->level, r->index, due, r->occupied);
}

/* First cycle in which a pending node may let something in, were its slot free; SIM_NEVER if that
 * does not depend on time alone: it is held back, or waits for a message to be taken. */
static uint64_t station_may(const struct ring_net *net, const struct ring_ring *r,
                            const struct ring_station *st)
{
    uint64_t may = SIM_NEVER;
    if (st->flight != RING_NONE)
        return r->held_back && net->flight[st->flight].level ? SIM_NEVER : 0;
    for (unsigned class = 0; class < RING_CLASSES; class ++) {
        const struct ring_outbox *out = &st->out[class];
        if (out->gone == out->sent || (r->held_back && out->first->level))
            continue;
        const uint64_t ready = ring_class_ready(net, st, class);
        may = ready < may ? ready : may;
    }
    return may;
}

static uint64_t between_may(const struct ring_net *net, const struct ring_ring *r, unsigned node)
{
    const struct ring_fifo *f = r->node[node].out;
    const struct ring_queued *q = &f->at[f->head & f->wrap];
    const bool up = net->flight[ring_slot_flight(q->slot)].level > r->level;
    return r->held_back && 1u << node != r->parent && up ? SIM_NEVER : q->ready;
}

/* Who is pending wants, is awake, or has an alarm no later than when it may. */
static void node_holds(const struct ring_net *net, const struct ring_ring *r, unsigned node)
{
    const struct ring_node *n = &r->node[node];
    const uint32_t bit = 1u << node;
    if (r->wanting & bit) {
        SIM_MUST(n->since <= net->now, "ring %u.%u node %u", r->level, r->index, node);
        SIM_MUST(r->starving & bit ? n->since + net->timing.patience <= net->now
                                   : n->since + net->timing.patience >= r->impatient,
                 "ring %u.%u node %u", r->level, r->index, node);
    }
    if (!(r->pending & bit) || (r->wanting | r->awake) & bit)
        return;
    const uint64_t may = n->out ? between_may(net, r, node) : station_may(net, r, n->station);
    const uint64_t by = may > net->now ? may : net->now;
    SIM_MUST(n->alarm <= by && r->alarm <= by,
             "ring %u.%u node %u may at %llu, its alarm %llu, the ring's %llu, now %llu", r->level,
             r->index, node, (unsigned long long)may, (unsigned long long)n->alarm,
             (unsigned long long)r->alarm, (unsigned long long)net->now);
}

static void ring_holds(const struct ring_net *net, const struct ring_ring *r)
{
    const uint64_t next = r->next;
    SIM_MUST(!(r->wanting & ~r->pending), "ring %u.%u: wanting %#x, pending %#x", r->level,
             r->index, r->wanting, r->pending);
    SIM_MUST(!(r->awake & ~r->pending), "ring %u.%u: awake %#x, pending %#x", r->level, r->index,
             r->awake, r->pending);
    SIM_MUST(!(r->awake & r->wanting), "ring %u.%u: awake %#x, wanting %#x", r->level, r->index,
             r->awake, r->wanting);
    SIM_MUST(!(r->starving & ~r->wanting), "ring %u.%u: starving %#x, wanting %#x", r->level,
             r->index, r->starving, r->wanting);
    SIM_MUST(r->attend <= r->alarm && (!r->awake || r->attend <= net->now), "ring %u.%u", r->level,
             r->index);
    SIM_MUST(r->attend <= r->impatient || !(r->wanting & ~r->starving), "ring %u.%u", r->level,
             r->index);
    slots_hold(r);
    for (unsigned node = 0; node < r->nodes; node++)
        node_holds(net, r, node);
    const bool busy = r->fed || (!r->halting && (r->occupied | r->awake | r->wanting));
    SIM_MUST(!busy || next <= net->now, "ring %u.%u: next %llu", r->level, r->index,
             (unsigned long long)next);
    SIM_MUST(r->halting || r->alarm == SIM_NEVER || next <= r->alarm || next <= net->now,
             "ring %u.%u: next %llu", r->level, r->index, (unsigned long long)next);
    SIM_MUST(net->soonest <= next, "ring %u.%u: next %llu", r->level, r->index,
             (unsigned long long)next);
}

static void station_holds(const struct ring_net *net, unsigned number)
{
    const struct ring_station *st = &net->station[number];
    const uint32_t bit = 1u << st->node;
    bool some = false;
    for (unsigned class = 0; class < RING_CLASSES; class ++) {
        const struct ring_outbox *out = &st->out[class];
        SIM_MUST(out->gone <= out->sent, "station %u", number);
        some |= out->gone != out->sent;
    }
    SIM_MUST(st->nonsinkable_out <= net->timing.nonsinkable_limit &&
                 st->returning <= st->nonsinkable_out,
             "station %u: %u out, %u return", number, st->nonsinkable_out, st->returning);
    SIM_MUST(st->flight == RING_NONE || some, "station %u sends nothing", number);
    SIM_MUST(st->taken <= st->delivered, "station %u", number);
    SIM_MUST(((st->ring->pending & bit) != 0) == some, "station %u: pending %#x", number,
             st->ring->pending);
    fifo_holds(&st->input, "input FIFO", number);
}

void ring_invariants(const struct ring_net *net)
{
    if (net->alone.active || net->any_touched)
        return; /* the rings are empty, or have yet to hear of it */
    for (unsigned s = 0; s < net->stations; s++)
        station_holds(net, s);
    for (unsigned r = 1; r < net->rings; r++) {
        fifo_holds(&net->between[2 * r], "up FIFO of ring", r);
        fifo_holds(&net->between[2 * r + 1], "down FIFO of ring", r);
    }
    for (unsigned r = 0; r < net->rings; r++)
        ring_holds(net, &net->ring[r]);
}
