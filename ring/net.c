/*
 * Building the hierarchy of rings, and the side of the ring interface that faces the station.
 *
 * The hard idea: stations run ahead of the rings by one window, so what a station may know of the
 * rings is only what has had time to reach it. Room in its output FIFO is therefore dated: the
 * place a packet leaves behind keeps the tick of its leaving, and counts as free one window later,
 * whatever the length of the window the machine happened to use.
 */
#include "ring/net.h"

#include "base/alloc.h"
#include "base/invariant.h"

#include <assert.h>
#include <stdlib.h>

/* ---- checking -------------------------------------------------------------------------------- */

static const char *check_shape(const struct ring_shape *shape)
{
    if (shape->levels < 1 || shape->levels > RING_LEVELS)
        return "there are 1 to 3 ring levels";
    for (unsigned l = 0; l < shape->levels; l++)
        if (shape->fan[l] < 1 || shape->fan[l] > RING_FAN_MAX)
            return "a ring joins 1 to 16 stations or rings";
    return NULL;
}

static const char *check_depth(const struct ring_depth *d, uint32_t margin, const char *small)
{
    if (d->near_full < 1 || d->restart < 1 || d->restart > d->near_full)
        return "a FIFO restarts its feeder at 1 slot or more and at no more than it stops it at";
    if (d->depth > 1u << 20 || d->near_full > 1u << 20)
        return "a FIFO holds at most 1048576 slots";
    return d->depth < d->near_full + margin ? small : NULL;
}

static uint32_t widest(const struct ring_shape *shape)
{
    uint32_t most = 0;
    for (unsigned l = 0; l + 1 < shape->levels; l++)
        if (shape->fan[l] + 1 > most)
            most = shape->fan[l] + 1;
    return most;
}

static const char *check_fifos(const struct ring_shape *shape, const struct ring_timing *t)
{
    const char *wrong =
        check_depth(&t->input, 2, "an input FIFO needs 2 slots beyond its nearly full mark");
    if (!wrong && shape->levels > 1)
        wrong = check_depth(&t->up_fifo, widest(shape),
                            "an up FIFO needs as many slots beyond its nearly full mark as the "
                            "ring below has nodes");
    if (!wrong && shape->levels > 1)
        wrong =
            check_depth(&t->down_fifo, 2, "a down FIFO needs 2 slots beyond its nearly full mark");
    return wrong;
}

const char *ring_check(const struct ring_shape *shape, const struct ring_timing *t)
{
    const char *wrong = check_shape(shape);
    if (wrong)
        return wrong;
    if (t->cycle < 1 || t->handler < 1 || (shape->levels > 1 && (t->up < 1 || t->down < 1)))
        return "ring cycle, packet handler and inter-ring interfaces take at least one cycle";
    if (t->output[RING_SINKABLE] < 1 || t->output[RING_NONSINKABLE] < 1 || t->queue < 1)
        return "output FIFOs and the sinkable queue hold at least one packet";
    if (t->nonsinkable_limit < 1 || t->nonsinkable_limit > 64)
        return "a station may have 1 to 64 nonsinkable messages out";
    if (t->patience < 1)
        return "a node waits at least one cycle";
    return check_fifos(shape, t);
}

/* ---- building -------------------------------------------------------------------------------- */

static uint32_t power_of_two(uint32_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

static void fifo_init(struct ring_fifo *f, struct ring_depth limit, uint32_t delay)
{
    uint32_t size = power_of_two(limit.depth);
    f->at = sim_alloc(size, sizeof *f->at);
    f->wrap = size - 1;
    f->limit = limit;
    f->delay = delay;
    f->high = 1;
}

/* The FIFO is filled at `from`'s node a and emptied at `to`'s node b, where `mask` tells of it. */
static void fifo_join(struct ring_fifo *f, struct ring_ring *from, unsigned a, struct ring_ring *to,
                      unsigned b, uint32_t *mask)
{
    f->feeder = from;
    f->feeder_bit = 1u << a;
    f->drain = to;
    f->drain_node = b;
    f->drain_mask = mask;
    from->node[a].in = f;
}

/* What leaves it goes to other nodes of its drain. */
static void fifo_leads(struct ring_fifo *f, uint32_t shift)
{
    f->shift = shift;
    for (uint32_t to = 0; to < f->drain->nodes; to++)
        f->hops[to] = (uint8_t)ring_hops(f->drain, f->drain_node, to);
}

static void station_init(struct ring_net *net, unsigned s)
{
    const struct ring_timing *t = &net->timing;
    struct ring_station *st = &net->station[s];
    unsigned node = s % net->shape.fan[0];
    struct ring_ring *r = &net->ring[net->base[0] + s / net->shape.fan[0]];
    for (unsigned c = 0; c < RING_CLASSES; c++) {
        st->out[c].depth = t->output[c];
        st->out[c].wrap = power_of_two(t->output[c] + 1) - 1;
        st->out[c].at = st->out[c].first = sim_alloc(st->out[c].wrap + 1, sizeof *st->out[c].at);
    }
    st->returns = sim_alloc(t->nonsinkable_limit, sizeof *st->returns);
    st->taken_wrap = power_of_two(t->queue) - 1;
    st->taken_at = sim_alloc(st->taken_wrap + 1, sizeof *st->taken_at);
    st->flight = RING_NONE;
    st->own = ring_mask_station(&net->shape, s);
    st->ring = r;
    st->node = node;
    r->node[node].station = st;
    r->at_once |= 1u << node;
    fifo_init(&st->input, t->input, 0);
    fifo_join(&st->input, r, node, r, node, &r->fed);
}

static void between_init(struct ring_net *net, unsigned ring)
{
    struct ring_ring *r = &net->ring[ring];
    unsigned child = r->index % net->shape.fan[r->level + 1], parent = r->nodes - 1;
    struct ring_ring *above =
        &net->ring[net->base[r->level + 1] + r->index / net->shape.fan[r->level + 1]];
    struct ring_fifo *up = &net->between[2 * ring], *down = up + 1;
    fifo_init(up, net->timing.up_fifo, net->timing.up);
    fifo_init(down, net->timing.down_fifo, net->timing.down);
    fifo_join(up, r, parent, above, child, &above->pending);
    fifo_join(down, above, child, r, parent, &r->pending);
    fifo_leads(up, SLOT_NODE_SHIFT(RING_UP, above->level));
    fifo_leads(down, SLOT_NODE_SHIFT(RING_DOWN, r->level));
    above->node[child].out = up;
    r->node[parent].out = down;
    r->node[parent].way = RING_WAY(RING_DOWN, r->level);
}

static void rings_init(struct ring_net *net)
{
    unsigned top = net->shape.levels - 1, count = 1;
    for (unsigned level = top, first = 0;; level--) {
        net->base[level] = first;
        for (unsigned i = 0; i < count; i++) {
            struct ring_ring *r = &net->ring[first + i];
            r->level = level;
            r->index = i;
            r->next = SIM_NEVER;
            r->nodes = net->shape.fan[level] + (level < top);
            r->all = (1u << r->nodes) - 1;
            r->parent = level < top ? 1u << net->shape.fan[level] : 0;
            r->sequencer = level < top ? net->shape.fan[level] : 0;
            r->alarm = SIM_NEVER;
            for (unsigned n = 0; n < RING_NODES_MAX; n++)
                r->node[n] = (struct ring_node){
                    .since = SIM_NEVER, .alarm = SIM_NEVER, .way = RING_WAY(RING_UP, level)};
        }
        first += count;
        count *= net->shape.fan[level];
        if (!level)
            break;
    }
}

static unsigned count_rings(const struct ring_shape *shape)
{
    unsigned rings = 1, count = 1;
    for (unsigned level = shape->levels - 1; level > 0; level--)
        rings += count *= shape->fan[level];
    return rings;
}

struct ring_net *ring_net_new(const struct ring_shape *shape, const struct ring_timing *timing,
                              ring_deliver_fn *deliver, void *ctx)
{
    assert(!ring_check(shape, timing));
    struct ring_net *net = sim_alloc(1, sizeof *net);
    net->shape = *shape;
    net->timing = *timing;
    net->clock = sim_clock_of(timing->cycle);
    net->window = (sim_tick)timing->handler * timing->cycle;
    const uint32_t enters =
        timing->generator < timing->handler ? timing->generator : timing->handler;
    net->reach = (sim_tick)(enters + timing->handler) * timing->cycle;
    net->deliver = deliver;
    net->ctx = ctx;
    net->stations = ring_shape_stations(shape);
    net->rings = count_rings(shape);
    net->ring = sim_alloc(net->rings, sizeof *net->ring);
    net->station = sim_alloc(net->stations, sizeof *net->station);
    net->between = sim_alloc(2 * net->rings, sizeof *net->between);
    for (unsigned l = 0; l < shape->levels; l++)
        net->everybody |= ((1ull << shape->fan[l]) - 1) << (16 * l);
    net->free_flight = RING_NONE;
    net->soonest = SIM_NEVER;
    rings_init(net);
    for (unsigned s = 0; s < net->stations; s++)
        station_init(net, s);
    for (unsigned r = 1; r < net->rings; r++)
        between_init(net, r);
    return net;
}

static void station_free(struct ring_station *st)
{
    for (unsigned c = 0; c < RING_CLASSES; c++)
        free(st->out[c].at);
    free(st->returns);
    free(st->taken_at);
    free(st->askers);
    free(st->takes);
    free(st->input.at);
}

void ring_net_free(struct ring_net *net)
{
    if (!net)
        return;
    for (unsigned s = 0; s < net->stations; s++)
        station_free(&net->station[s]);
    for (unsigned f = 0; f < 2 * net->rings; f++)
        free(net->between[f].at);
    free(net->between);
    free(net->station);
    free(net->ring);
    free(net->flight);
    free(net->packet);
    free(net);
}

/* ---- the station's side ---------------------------------------------------------------------- */

sim_tick ring_window(const struct ring_net *net)
{
    return net->window;
}

sim_tick ring_reach(const struct ring_net *net)
{
    return net->reach;
}

static inline bool room(const struct ring_net *net, unsigned station, unsigned class, sim_tick at)
{
    const struct ring_outbox *out = &net->station[station].out[class];
    if (out->sent < out->depth)
        return true;
    const uint64_t previous =
        out->sent - out->depth; /* the packet whose place this one would take */
    const struct ring_uncontended *a = &net->alone;
    const bool left = out->gone > previous || (out->gone == previous && a->active &&
                                               a->station == station && a->flight.class == class);
    return left && out->at[previous & out->wrap].freed + net->window <= at;
}

bool ring_room(const struct ring_net *net, unsigned station, unsigned class, sim_tick at)
{
    return room(net, station, class, at);
}

/* Stations may run on different threads; these words are the only thing they share. */
static void touch(struct ring_net *net, unsigned station)
{
    __atomic_fetch_or(&net->touched[station / 64], 1ull << (station % 64), __ATOMIC_RELAXED);
    __atomic_store_n(&net->any_touched, true, __ATOMIC_RELAXED);
}

void ring_share(struct ring_net *net)
{
    ring_settle(net);
    net->shared = true;
}

static bool packet_ok(const struct ring_net *net, unsigned station, const struct ring_packet *p)
{
    return p->source == station && p->class < RING_CLASSES && p->mask &&
           !(p->mask & ~net->everybody) && (!p->multicast || p->class == RING_SINKABLE);
}

/* Highest ring level a packet needs: see ring_mask_level. */
static unsigned level_of(const struct ring_station *st, ring_mask mask)
{
    const ring_mask other = mask & ~st->own;
    return ring_mask_field(other, 2) ? 2 : ring_mask_field(other, 1) ? 1 : 0;
}

void ring_send(struct ring_net *net, unsigned station, sim_tick at,
               const struct ring_packet *packet)
{
    SIM_OWED(packet_ok(net, station, packet));
    SIM_OWED(room(net, station, packet->class, at) && ring_cycle_at(net, at) >= net->now);
    struct ring_station *st = &net->station[station];
    struct ring_outbox *out = &st->out[packet->class];
    struct ring_outgoing *o = &out->at[out->sent++ & out->wrap];
    o->packet = *packet;
    o->sent = at;
    o->ready = ring_cycle_at(net, at) + net->timing.generator;
    o->level = (uint8_t)level_of(st, packet->mask);
    o->to_itself = (packet->mask & st->own) == st->own;
    touch(net, station);
}

void ring_take(struct ring_net *net, unsigned station, sim_tick at, unsigned class)
{
    struct ring_station *st = &net->station[station];
    SIM_OWED(ring_cycle_at(net, at) >= net->now);
    if (class == RING_SINKABLE) {
        SIM_OWED(st->taken < st->delivered);
        st->taken_at[st->taken++ & st->taken_wrap] = at;
        return;
    }
    SIM_OWED(st->takes_count < st->asked.count);
    if (st->takes_count == st->takes_size) {
        st->takes_size = st->takes_size ? 2 * st->takes_size : 16;
        st->takes = sim_grow(st->takes, st->takes_size, sizeof *st->takes);
    }
    st->takes[st->takes_count++] = at;
    touch(net, station);
}

bool ring_awaits(const struct ring_net *net, unsigned station)
{
    const struct ring_station *st = &net->station[station];
    const unsigned oldest = sim_queue_at(&st->asked, st->takes_count);
    const struct ring_station *from = &net->station[st->askers[oldest]];
    return from->ring->pending >> from->node & 1;
}

/* ---- between station and rings --------------------------------------------------------------- */

uint64_t ring_least_return(const struct ring_station *st)
{
    uint64_t least = SIM_NEVER;
    for (uint32_t i = 0; i < st->returning; i++)
        if (st->returns[i] < least)
            least = st->returns[i];
    return least;
}

static uint64_t station_ready(const struct ring_net *net, const struct ring_station *st)
{
    if (st->flight != RING_NONE)
        return 0;
    uint64_t sinkable = ring_class_ready(net, st, RING_SINKABLE);
    uint64_t nonsinkable = ring_class_ready(net, st, RING_NONSINKABLE);
    return sinkable < nonsinkable ? sinkable : nonsinkable;
}

/* Nonsinkable messages were taken here: their senders will know one window later. */
static void tell_senders(struct ring_net *net, struct ring_station *st)
{
    for (uint32_t i = 0; i < st->takes_count; i++) {
        struct ring_station *from = &net->station[st->askers[sim_queue_pop(&st->asked)]];
        uint64_t known = ring_cycle_at(net, st->takes[i] + net->window);
        SIM_OWED(known >= net->now);
        from->returns[from->returning++] = known;
        ring_alarm(net, from->ring, from->node, known);
    }
    st->takes_count = 0;
}

/* What a station has sent and taken since the last run. */
static void absorb_station(struct ring_net *net, unsigned station)
{
    struct ring_station *st = &net->station[station];
    tell_senders(net, st);
    if (net->alone.active && net->alone.station == station && !ring_uncontended_remains(net))
        ring_uncontended_ends(net);
    if (net->alone.active && net->alone.station == station)
        return;
    const bool empty = net->soonest == SIM_NEVER && !net->alone.active && !net->shared;
    if (empty && ring_uncontended_begins(net, station))
        return;
    ring_station_heads(st);
    ring_alarm(net, st->ring, st->node, station_ready(net, st));
}

void ring_absorb(struct ring_net *net)
{
    net->any_touched = false;
    for (unsigned w = 0; w * 64 < net->stations; w++) {
        uint64_t touched = net->touched[w];
        net->touched[w] = 0;
        for (; touched; touched &= touched - 1)
            absorb_station(net, w * 64 + (unsigned)__builtin_ctzll(touched));
    }
}

/* Earliest cycle for which a station's sends and takes since the last run may be of consequence. */
static uint64_t touched_ready(const struct ring_net *net, const struct ring_station *st)
{
    uint64_t ready = station_ready(net, st);
    uint64_t told = st->takes_count ? ring_cycle_at(net, st->takes[0] + net->window) : SIM_NEVER;
    return told < ready ? told : ready;
}

sim_tick ring_next(const struct ring_net *net)
{
    return ring_next_from(net, 0);
}

/* The same of all stations; no later than `soonest`. */
static __attribute__((noinline)) uint64_t all_touched_ready(const struct ring_net *net,
                                                            uint64_t soonest)
{
    for (unsigned w = 0; w * 64 < net->stations; w++)
        for (uint64_t t = net->touched[w]; t; t &= t - 1) {
            uint64_t ready =
                touched_ready(net, &net->station[w * 64 + (unsigned)__builtin_ctzll(t)]);
            soonest = ready < soonest ? ready : soonest;
        }
    return soonest;
}

sim_tick ring_next_from(const struct ring_net *net, sim_tick from)
{
    if (net->soonest == SIM_NEVER && !net->alone.active && !net->any_touched)
        return SIM_NEVER;
    const uint64_t c = ring_cycle_at(net, from), now = c > net->now ? c : net->now;
    uint64_t soonest = net->soonest;
    if (net->alone.active) {
        const uint64_t moves = ring_uncontended_next(net, now);
        soonest = moves < soonest ? moves : soonest;
    }
    if (net->any_touched)
        soonest = all_touched_ready(net, soonest);
    return soonest == SIM_NEVER ? SIM_NEVER : (soonest > now ? soonest : now) * net->timing.cycle;
}

sim_tick ring_quiet(const struct ring_net *net)
{
    uint64_t c = net->soonest;
    if (net->alone.active && net->alone.end < c)
        c = net->alone.end;
    if (net->any_touched)
        return 0;
    return c == SIM_NEVER ? SIM_NEVER : c * net->timing.cycle;
}
