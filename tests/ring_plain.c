/*
 * The rings, slot by slot: the rule against which the real ones are compared (ring_rule.c).
 *
 * The hard idea is to have none. A cycle is: all rings from the top down, each moving its slots
 * unless it is halted, taking slots out and letting slots in; then one slot handled at each of its
 * stations. What is known only later (ring.h, time) carries the cycle from which it is known.
 */
#include "ring_plain.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = RING_FAN_MAX + 1, DEEP = 96 };

struct slot {
    bool used, header, last, unsequenced;
    uint32_t targets; /* nodes of this ring it still has to reach */
    struct outgoing *of;
};

struct fifo {
    struct slot slot[DEEP];
    uint64_t came[DEEP]; /* cycle */
    uint32_t count, delay;
    struct ring_depth limit;
    bool raised;
    struct ring_fifo_count counted;
};

struct ring {
    unsigned level, nodes, sequencer, parent; /* parent: node; NODES if it is the central ring */
    struct slot slot[NODES];                  /* the one that passes a node now */
    struct fifo *in[NODES], *out[NODES];      /* what a node fills; what it lets in, but stations */
    struct station *station[NODES];           /* or NULL */
    uint64_t since[NODES];                    /* a node waits; SIM_NEVER if it does not */
    uint64_t busy[NODES], copies[NODES], let_in[NODES];
    uint64_t halted, held;
};

struct outgoing {
    struct ring_packet packet;
    unsigned level;
    sim_tick sent, freed;
    uint64_t ready;
    uint64_t known; /* nonsinkable: cycle from which its sender knows that it was taken */
};

struct outbox {
    struct outgoing at[PLAIN_PACKETS];
    unsigned sent, gone;
    struct ring_fifo_count counted;
};

struct station {
    struct outbox out[RING_CLASSES];
    unsigned class, begun; /* slots of the present packet that have been let in */
    struct fifo input;
    sim_tick taken_at[PLAIN_PACKETS * NODES]; /* sinkable ones */
    unsigned delivered, taken;
    struct outgoing *asked[PLAIN_PACKETS * NODES]; /* nonsinkable ones, as delivered */
    unsigned asked_delivered, asked_taken;
    struct ring_interface_count counted;
};

struct plain {
    struct ring_shape shape;
    struct ring_timing timing;
    ring_deliver_fn *deliver;
    void *ctx;
    unsigned stations, rings, base[RING_LEVELS];
    struct ring *ring;      /* central ring first */
    struct fifo *up, *down; /* by the ring below */
    struct station *station;
    uint64_t now, stirred;
};

/* ---- building -------------------------------------------------------------------------------- */

static unsigned rings_of(const struct ring_shape *shape, unsigned level)
{
    unsigned count = 1;
    for (unsigned l = shape->levels - 1; l > level; l--)
        count *= shape->fan[l];
    return count;
}

static void build_ring(struct plain *p, unsigned level, unsigned index)
{
    const bool top = level + 1 == p->shape.levels;
    const unsigned number = p->base[level] + index, fan = p->shape.fan[level];
    struct ring *r = &p->ring[number];
    r->level = level;
    r->nodes = fan + !top;
    r->parent = top ? NODES : fan;
    r->sequencer = top ? 0 : fan;
    for (unsigned n = 0; n < NODES; n++)
        r->since[n] = SIM_NEVER;
    for (unsigned n = 0; level == 0 && n < fan; n++) {
        r->station[n] = &p->station[index * fan + n];
        r->in[n] = &r->station[n]->input;
    }
    if (top)
        return;
    const unsigned child = index % p->shape.fan[level + 1];
    struct ring *above = &p->ring[p->base[level + 1] + index / p->shape.fan[level + 1]];
    r->in[fan] = above->out[child] = &p->up[number];
    above->in[child] = r->out[fan] = &p->down[number];
}

static void limit(struct fifo *f, struct ring_depth depth, uint32_t delay)
{
    assert(depth.depth <= DEEP);
    f->limit = depth;
    f->delay = delay;
}

struct plain *plain_new(const struct ring_shape *shape, const struct ring_timing *timing,
                        ring_deliver_fn *deliver, void *ctx)
{
    struct plain *p = calloc(1, sizeof *p);
    p->shape = *shape;
    p->timing = *timing;
    p->deliver = deliver;
    p->ctx = ctx;
    p->stations = ring_shape_stations(shape);
    for (unsigned level = shape->levels; level-- > 0;) {
        p->base[level] = p->rings;
        p->rings += rings_of(shape, level);
    }
    p->ring = calloc(p->rings, sizeof *p->ring);
    p->up = calloc(p->rings, sizeof *p->up);
    p->down = calloc(p->rings, sizeof *p->down);
    p->station = calloc(p->stations, sizeof *p->station);
    for (unsigned r = 0; r < p->rings; r++) {
        limit(&p->up[r], timing->up_fifo, timing->up);
        limit(&p->down[r], timing->down_fifo, timing->down);
    }
    for (unsigned s = 0; s < p->stations; s++)
        limit(&p->station[s].input, timing->input, 0);
    for (unsigned level = 0; level < shape->levels; level++)
        for (unsigned i = 0; i < rings_of(shape, level); i++)
            build_ring(p, level, i);
    p->stirred = SIM_NEVER;
    return p;
}

void plain_free(struct plain *p)
{
    free(p->ring);
    free(p->up);
    free(p->down);
    free(p->station);
    free(p);
}

/* ---- the station's side ---------------------------------------------------------------------- */

static uint64_t cycle_at(const struct plain *p, sim_tick tick)
{
    return (tick + p->timing.cycle - 1) / p->timing.cycle;
}

static sim_tick window(const struct plain *p)
{
    return (sim_tick)p->timing.handler * p->timing.cycle;
}

bool plain_room(const struct plain *p, unsigned station, unsigned class, sim_tick at)
{
    const struct outbox *out = &p->station[station].out[class];
    unsigned inside = 0;
    for (unsigned i = 0; i < out->sent; i++)
        inside += i >= out->gone || out->at[i].freed + window(p) > at;
    return inside < p->timing.output[class];
}

void plain_send(struct plain *p, unsigned station, sim_tick at, const struct ring_packet *packet)
{
    struct outbox *out = &p->station[station].out[packet->class];
    assert(out->sent < PLAIN_PACKETS);
    out->at[out->sent++] =
        (struct outgoing){.packet = *packet,
                          .level = ring_mask_level(&p->shape, station, packet->mask),
                          .sent = at,
                          .ready = cycle_at(p, at) + p->timing.generator,
                          .known = SIM_NEVER};
}

void plain_take(struct plain *p, unsigned station, sim_tick at, unsigned class)
{
    struct station *st = &p->station[station];
    if (class == RING_SINKABLE)
        st->taken_at[st->taken++] = at;
    else
        st->asked[st->asked_taken++]->known = cycle_at(p, at + window(p));
}

/* ---- FIFOs ----------------------------------------------------------------------------------- */

static void push(struct plain *p, struct fifo *f, struct slot s)
{
    assert(f->count < f->limit.depth);
    f->came[f->count] = p->now;
    f->slot[f->count++] = s;
    if (f->count > f->counted.deepest)
        f->counted.deepest = f->count;
    if (f->count >= f->limit.near_full)
        f->raised = true;
}

static struct slot pop(struct fifo *f)
{
    const struct slot s = f->slot[0];
    f->count--;
    memmove(f->slot, f->slot + 1, f->count * sizeof *f->slot);
    memmove(f->came, f->came + 1, f->count * sizeof *f->came);
    if (f->count < f->limit.restart)
        f->raised = false;
    return s;
}

static bool halted(const struct ring *r)
{
    for (unsigned n = 0; n < r->nodes; n++)
        if (n != r->parent && r->in[n]->raised)
            return true;
    return false;
}

static bool held(const struct ring *r)
{
    return r->parent < NODES && r->in[r->parent]->raised;
}

/* ---- slots on a ring ---------------------------------------------------------------------------
 */

static uint32_t field(const struct ring *r, const struct slot *s)
{
    return ring_mask_field(s->of->packet.mask, r->level);
}

/* A slot with its targets is at a node: that node copies it if it is meant, and what is left of it
 * goes on. */
static void reach(struct plain *p, struct ring *r, unsigned node, struct slot s)
{
    if (s.unsequenced && node == r->sequencer) {
        s.unsequenced = false;
        s.targets = field(r, &s);
    }
    if (!s.unsequenced && s.targets >> node & 1) {
        s.targets &= ~(1u << node);
        push(p, r->in[node], s);
        r->copies[node] += s.targets != 0;
    }
    r->slot[node] = s;
    r->slot[node].used = s.targets != 0;
}

static void move(struct plain *p, struct ring *r)
{
    const struct slot last = r->slot[r->nodes - 1];
    for (unsigned n = r->nodes; n-- > 0;)
        r->busy[n] += r->slot[n].used;
    for (unsigned n = r->nodes - 1; n > 0; n--)
        r->slot[n] = r->slot[n - 1];
    r->slot[0] = last;
    for (unsigned n = 0; n < r->nodes; n++)
        if (r->slot[n].used) {
            p->stirred = p->now < p->stirred ? p->now : p->stirred;
            reach(p, r, n, r->slot[n]);
        }
}

/* Where a slot goes that is let in at `node`. */
static void enter(struct plain *p, struct ring *r, unsigned node, struct slot s)
{
    s.unsequenced = false;
    if (s.of->level > r->level && node != r->parent)
        s.targets = 1u << r->parent;
    else if (s.of->packet.multicast && node != r->sequencer) {
        s.targets = 1u << r->sequencer;
        s.unsequenced = true;
    } else
        s.targets = field(r, &s);
    reach(p, r, node, s);
    r->let_in[node]++;
    p->stirred = p->now < p->stirred ? p->now : p->stirred;
}

/* ---- letting slots in --------------------------------------------------------------------------
 */

static unsigned out_now(const struct station *st, uint64_t cycle)
{
    const struct outbox *out = &st->out[RING_NONSINKABLE];
    unsigned count = st->begun && st->class == RING_NONSINKABLE;
    for (unsigned i = 0; i < out->gone; i++)
        count += out->at[i].known > cycle;
    return count;
}

/* Ready packet of a class, or NULL. */
static const struct outgoing *head(const struct plain *p, const struct ring *r,
                                   const struct station *st, unsigned class)
{
    const struct outbox *out = &st->out[class];
    const struct outgoing *o = &out->at[out->gone];
    if (out->gone == out->sent || o->ready > p->now || (held(r) && o->level > 0))
        return NULL;
    if (class == RING_NONSINKABLE && out_now(st, p->now) >= p->timing.nonsinkable_limit)
        return NULL;
    return o;
}

static bool station_wants(const struct plain *p, const struct ring *r, struct station *st)
{
    if (st->begun)
        return !(held(r) && st->out[st->class].at[st->out[st->class].gone].level > 0);
    const struct outgoing *s = head(p, r, st, RING_SINKABLE), *n = head(p, r, st, RING_NONSINKABLE);
    st->class = n && (!s || n->sent < s->sent) ? RING_NONSINKABLE : RING_SINKABLE;
    return s || n;
}

/* There is a slot that may go in cycle `when`. */
static bool fifo_wants(const struct ring *r, unsigned node, uint64_t when)
{
    const struct fifo *f = r->out[node];
    return f->count && f->came[0] + f->delay <= when &&
           !(node != r->parent && held(r) && f->slot[0].of->level > r->level);
}

static void leave(const struct plain *p, struct outbox *out)
{
    const sim_tick tick = p->now * p->timing.cycle;
    uint32_t depth = 0;
    for (unsigned i = out->gone; i < out->sent; i++)
        depth += out->at[i].sent <= tick;
    if (depth > out->counted.deepest)
        out->counted.deepest = depth;
    out->counted.integral += tick - out->at[out->gone].sent;
    out->at[out->gone++].freed = tick;
}

/* The station's next slot. */
static struct slot emit(struct plain *p, struct station *st)
{
    struct outbox *out = &st->out[st->class];
    struct outgoing *o = &out->at[out->gone];
    const struct slot s = {
        .used = true, .header = st->begun == 0, .last = st->begun == o->packet.data_slots, .of = o};
    *(s.header ? &st->counted.sent_header : &st->counted.sent_data) += 1;
    st->begun = s.last ? 0 : st->begun + 1;
    if (s.last)
        leave(p, out);
    return s;
}

/* A slot goes in. One that can follow in the next cycle waits from then on, even if the ring is
 * halted then; any other from the cycle in which it could go. */
static void go(struct plain *p, struct ring *r, unsigned node)
{
    struct station *st = r->station[node];
    bool more;
    if (st) {
        enter(p, r, node, emit(p, st));
        more = st->begun && !held(r);
    } else {
        enter(p, r, node, pop(r->out[node]));
        more = fifo_wants(r, node, p->now + 1);
    }
    r->since[node] = more ? p->now + 1 : SIM_NEVER;
}

static void let_in(struct plain *p, struct ring *r)
{
    bool wants[NODES] = {false}, starving[NODES] = {false}, any = false;
    for (unsigned n = 0; n < r->nodes; n++) {
        wants[n] = r->station[n] ? station_wants(p, r, r->station[n]) : fifo_wants(r, n, p->now);
        if (wants[n] && r->since[n] == SIM_NEVER)
            r->since[n] = p->now;
        starving[n] = wants[n] && r->since[n] + p->timing.patience <= p->now;
        any |= starving[n];
    }
    for (unsigned n = 0; n < r->nodes; n++)
        if (wants[n] && !r->slot[n].used && (!any || starving[n]))
            go(p, r, n);
}

/* ---- packet handlers ---------------------------------------------------------------------------
 */

static bool sinkable_room(const struct plain *p, const struct station *st)
{
    unsigned inside = st->delivered;
    for (unsigned i = 0; i < st->taken; i++)
        inside -= st->taken_at[i] <= p->now * p->timing.cycle;
    return inside < p->timing.queue;
}

static void handle(struct plain *p, struct station *st)
{
    struct fifo *f = &st->input;
    struct ring_interface_count *count = &st->counted;
    if (!f->count ||
        (f->slot[0].last && f->slot[0].of->packet.class == RING_SINKABLE && !sinkable_room(p, st)))
        return;
    const struct slot s = pop(f);
    *(s.header ? &count->received_header : &count->received_data) += 1;
    count->reassembly += s.header;
    if (count->reassembly > count->reassembly_max)
        count->reassembly_max = count->reassembly;
    p->stirred = p->now < p->stirred ? p->now : p->stirred;
    if (!s.last)
        return;
    count->reassembly--;
    if (s.of->packet.class == RING_SINKABLE)
        st->delivered++;
    else
        st->asked[st->asked_delivered++] = s.of;
    p->deliver(p->ctx, (unsigned)(st - p->station), (p->now + p->timing.handler) * p->timing.cycle,
               &s.of->packet);
}

/* ---- running -----------------------------------------------------------------------------------
 */

static void cycle(struct plain *p)
{
    for (unsigned i = 0; i < p->rings; i++) {
        p->ring[i].halted += halted(&p->ring[i]);
        p->ring[i].held += held(&p->ring[i]);
    }
    for (unsigned i = 0; i < p->rings; i++) {
        struct ring *r = &p->ring[i];
        if (!halted(r)) {
            move(p, r);
            let_in(p, r);
        }
        for (unsigned n = 0; n < r->nodes; n++)
            if (r->station[n])
                handle(p, r->station[n]);
    }
    for (unsigned i = 0; i < p->rings; i++)
        for (unsigned n = 0; n < p->ring[i].nodes; n++)
            p->ring[i].in[n]->counted.integral += p->ring[i].in[n]->count;
}

void plain_run(struct plain *p, sim_tick until)
{
    for (const uint64_t end = cycle_at(p, until); p->now < end; p->now++)
        cycle(p);
}

sim_tick plain_stirred(const struct plain *p)
{
    return p->stirred == SIM_NEVER ? SIM_NEVER : p->stirred * p->timing.cycle;
}

void plain_still(struct plain *p)
{
    p->stirred = SIM_NEVER;
}

/* ---- looking -----------------------------------------------------------------------------------
 */

struct ring_link_count plain_link(const struct plain *p, unsigned level, unsigned ring,
                                  unsigned node)
{
    const struct ring *r = &p->ring[p->base[level] + ring];
    return (struct ring_link_count){.busy = r->busy[node], .halted = r->halted};
}

static struct ring_fifo_count fifo_read(const struct fifo *f)
{
    struct ring_fifo_count count = f->counted;
    count.depth = f->count;
    return count;
}

static struct ring_fifo_count outbox_read(const struct plain *p, const struct outbox *out)
{
    struct ring_fifo_count count = out->counted;
    const sim_tick now = p->now * p->timing.cycle;
    for (unsigned i = out->gone; i < out->sent; i++)
        if (out->at[i].sent <= now) {
            count.depth++;
            count.integral += now - out->at[i].sent;
        }
    if (count.depth > count.deepest)
        count.deepest = count.depth;
    return count;
}

struct ring_interface_count plain_interface(const struct plain *p, unsigned station)
{
    const struct station *st = &p->station[station];
    struct ring_interface_count count = st->counted;
    const unsigned fan = p->shape.fan[0];
    count.copies = p->ring[p->base[0] + station / fan].copies[station % fan];
    count.nonsinkable_out = p->now ? out_now(st, p->now - 1) : 0;
    count.input = fifo_read(&st->input);
    for (unsigned c = 0; c < RING_CLASSES; c++)
        count.output[c] = outbox_read(p, &st->out[c]);
    return count;
}

struct ring_between_count plain_between(const struct plain *p, unsigned level, unsigned ring)
{
    const unsigned number = p->base[level] + ring, fan = p->shape.fan[level + 1];
    const struct ring *r = &p->ring[number], *above = &p->ring[p->base[level + 1] + ring / fan];
    return (struct ring_between_count){.up = above->let_in[ring % fan],
                                       .down = r->let_in[r->parent],
                                       .copies = above->copies[ring % fan],
                                       .held = r->held,
                                       .up_fifo = fifo_read(&p->up[number]),
                                       .down_fifo = fifo_read(&p->down[number])};
}

struct ring_total plain_total(const struct plain *p)
{
    struct ring_total total = {0};
    for (unsigned s = 0; s < p->stations; s++) {
        const struct ring_interface_count *c = &p->station[s].counted;
        total.sent += c->sent_header + c->sent_data;
        total.received += c->received_header + c->received_data;
    }
    for (unsigned i = 0; i < p->rings; i++) {
        const struct ring *r = &p->ring[i];
        for (unsigned n = 0; n < r->nodes; n++) {
            total.inside += r->slot[n].used + r->in[n]->count;
            total.copies += r->copies[n];
            total.hops += r->busy[n];
        }
    }
    return total;
}
