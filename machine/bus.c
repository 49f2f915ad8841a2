/*
 * The station bus: a Futurebus backplane with its own synchronous protocol. A transaction is split:
 * a request and its response are two tenures, each one header cycle and, with a line, data cycles.
 *
 * The hard idea is when a module may have the bus. It must have asked for `bus.arbitration` cycles
 * (arbitration overlaps the tenure in progress), every module it addresses must have room in the
 * incoming FIFO of the packet's class, and round-robin decides among those that qualify, unless one
 * of them was kept waiting by a full FIFO. Within a module the older packet goes first, but a
 * nonsinkable one that finds no room steps aside: responses drain while requests are stuck.
 *
 * No time passes here without a reason: an idle bus has no event.
 */
#include "machine/bus.h"

#include "base/timer.h"
#include "machine/values.h"
#include "monitor/taps.h"

struct nm_bus {
    struct sim_kernel *k;
    struct sim_room *room;
    struct nm_port *port[NM_MODULES];
    struct sim_clock clock;
    sim_tick arbitration; /* [ticks] */
    unsigned asking;      /* bit per module that has a packet to send */
    union {
        struct {
            uint8_t full[NM_CLASSES];        /* modules without room for another incoming packet */
            uint8_t passed_over[NM_CLASSES]; /* modules with a packet that could have gone but for
                                                such a one */
            uint8_t held;  /* cards whose next places are held for a packet of this module ... */
            uint8_t plain; /* checking mode: without the ways of a bus that is not crowded */
        };
        uint64_t crowd; /* 0: any packet has a way, and none has been passed over */
    };
    unsigned holder;           /* ... this one */
    sim_tick free_at;          /* end of the tenure in progress */
    struct sim_timer decision; /* the arbitration event */
    struct {
        uint16_t class, cycles; /* behind the header: of a line, of a doubleword, or none */
    } data[NM_MSG__COUNT];
    unsigned depth;           /* of every FIFO */
    unsigned last;            /* granted last: lowest priority now */
    uint64_t granted;         /* [cycles] in all tenures, the present one whole */
    struct nm_packet *moving; /* the packet on the bus, at its place in its first target's FIFO */
    struct nm_packet nobodys; /* its place if it has no target */
    bool told; /* of packets delivered: the listener, or who hears what passes a port */
    nm_bus_listener *listener;
    void *listener_ctx;
    nm_bus_tenure_fn *watcher;
    void *watcher_ctx;
    unsigned station; /* for the watcher */
};

/* What lies at the next place of a FIFO is in it now. */
static inline void fifo_grow(struct nm_fifo *f, sim_tick now)
{
    SIM_OWED(f->count < f->depth);
    f->filled -= now;
    if (++f->count > f->deepest)
        f->deepest = f->count;
}

static sim_fire_fn decide, deliver;

struct nm_bus *nm_bus_new(struct sim_kernel *k, const struct nm_params *p, struct sim_room *room)
{
    struct nm_bus *bus = sim_room_take(room, sizeof *bus);
    bus->k = k;
    bus->room = room;
    bus->clock = sim_clock_of(p->cpu_clock / p->bus_clock);
    bus->arbitration = p->bus_arbitration * bus->clock.cycle;
    for (unsigned m = 0; m < NM_MSG__COUNT; m++) {
        const struct nm_message_row *row = nm_message_row(m);
        const uint64_t bytes = row->has_data ? p->l2_line : row->has_word ? sizeof(uint64_t) : 0;
        bus->data[m].class = row->class;
        bus->data[m].cycles = (uint16_t)((bytes + p->bus_width - 1) / p->bus_width);
    }
    bus->depth = (unsigned)p->bus_fifo;
    bus->plain = p->check;
    bus->decision.at = SIM_NEVER;
    sim_kernel_stand(k, SIM_RANK_ARBITRATE, 0, decide, bus);
    sim_kernel_stand(k, SIM_RANK_DELIVER, 0, deliver, bus);
    return bus;
}

void nm_bus_attach(struct nm_bus *bus, unsigned position, struct nm_port *port)
{
    unsigned size = 1;
    while (size < bus->depth)
        size *= 2;
    bus->port[position] = port;
    port->clock = bus->clock;
    port->crowd = &bus->crowd;
    port->ready_at = SIM_NEVER;
    for (unsigned c = 0; c < NM_CLASSES; c++) {
        port->in[c] = (struct nm_fifo){.depth = bus->depth, .wrap = size - 1};
        port->out[c] = port->in[c];
        port->in[c].slot = sim_room_take(bus->room, size * sizeof(struct nm_packet));
        port->out[c].slot = sim_room_take(bus->room, size * sizeof(struct nm_packet));
    }
}

sim_tick nm_bus_cycle(const struct nm_bus *bus)
{
    return bus->clock.cycle;
}

/* Whether the incoming FIFOs of its class of all its targets have room. */
static bool has_way(const struct nm_bus *bus, const struct nm_packet *p)
{
    const enum nm_class class = bus->data[p->message].class;
    const bool free = class == NM_NONSINKABLE || p->source == bus->holder;
    return !(p->targets & (bus->full[class] | (free ? 0 : bus->held)));
}

/* Of a module with packets of both classes the class of the older one, but a nonsinkable one that
 * finds no room steps aside for sinkable ones. */
static __attribute__((noinline)) enum nm_class older_class(const struct nm_bus *bus,
                                                           const struct nm_port *port)
{
    const struct nm_packet *sinkable = nm_fifo_at(&port->out[NM_SINKABLE], 0),
                           *nonsinkable = nm_fifo_at(&port->out[NM_NONSINKABLE], 0);
    const bool older = (int32_t)(nonsinkable->order - sinkable->order) < 0;
    return older && has_way(bus, nonsinkable) ? NM_NONSINKABLE : NM_SINKABLE;
}

/* The class of the packet that a module would send next. Precondition: it has one. */
static inline enum nm_class next_class(const struct nm_bus *bus, const struct nm_port *port)
{
    const bool nonsinkable = port->out[NM_NONSINKABLE].count;
    return nonsinkable && port->out[NM_SINKABLE].count ? older_class(bus, port)
           : nonsinkable                               ? NM_NONSINKABLE
                                                       : NM_SINKABLE;
}

static inline const struct nm_packet *port_head(const struct nm_bus *bus,
                                                const struct nm_port *port)
{
    return nm_fifo_at(&port->out[next_class(bus, port)], 0);
}

/* Makes sure a decision happens as soon as a module that has asked since `since` can win. */
static inline void decide_for(struct nm_bus *bus, sim_tick since, sim_tick now)
{
    sim_tick at = since + bus->arbitration;
    if (at < bus->free_at)
        at = bus->free_at;
    if (at < now)
        at = sim_clock_edge(&bus->clock, now);
    if (sim_timer_set(&bus->decision, at))
        sim_post_standing(bus->k, at, SIM_RANK_ARBITRATE, 0);
}

/* The same where the module's packet may have no way. */
static __attribute__((noinline)) void decide_if_way(struct nm_bus *bus, const struct nm_port *port,
                                                    sim_tick now)
{
    if (has_way(bus, port_head(bus, port)))
        decide_for(bus, port->ready_at, now);
}

/* The same for whichever module has asked first. */
static __attribute__((noinline)) void schedule(struct nm_bus *bus, sim_tick now)
{
    const bool free = !bus->crowd;
    sim_tick first = SIM_NEVER;
    for (unsigned m = bus->asking; m; m &= m - 1) {
        const struct nm_port *port = bus->port[__builtin_ctz(m)];
        if (port->ready_at < first && (free || has_way(bus, port_head(bus, port))))
            first = port->ready_at;
    }
    if (first != SIM_NEVER)
        decide_for(bus, first, now);
}

static inline void send_next(struct nm_bus *bus, unsigned position, enum nm_class class)
{
    struct nm_port *port = bus->port[position];
    const sim_tick now = sim_kernel_now(bus->k);
    nm_bus_next(port, class)->order = port->sends++;
    fifo_grow(&port->out[class], now);
    if (port->ready_at == SIM_NEVER) {
        port->ready_at = sim_clock_edge(&bus->clock, now);
        bus->asking |= 1u << position;
    }
    if (bus->crowd)
        decide_if_way(bus, port, now);
    else
        decide_for(bus, port->ready_at, now);
}

void nm_bus_send_next(struct nm_bus *bus, unsigned position, enum nm_class class)
{
    send_next(bus, position, class);
}

void nm_bus_send(struct nm_bus *bus, unsigned position, const struct nm_packet *p)
{
    const enum nm_class class = bus->data[p->message].class;
    *nm_bus_next(bus->port[position], class) = *p;
    send_next(bus, position, class);
}

static bool anything_full(const struct nm_bus *bus)
{
    return bus->full[NM_SINKABLE] | bus->full[NM_NONSINKABLE];
}

void nm_bus_has_room(struct nm_bus *bus, sim_tick now)
{
    if (!anything_full(bus))
        return;
    for (unsigned c = 0; c < NM_CLASSES; c++)
        for (unsigned m = bus->full[c]; m; m &= m - 1)
            if (nm_fifo_room(&bus->port[__builtin_ctz(m)]->in[c], 1))
                bus->full[c] &= ~(m & -m);
    schedule(bus, now);
}

static bool ready(const struct nm_bus *bus, unsigned m, sim_tick now)
{
    return bus->port[m]->ready_at + bus->arbitration <= now;
}

/* Of those passed over, the one that has waited longest and now has somewhere to send to. In turn
 * alone, the module whose turn comes when a FIFO has just been drained could have all its places.
 */
static unsigned longest_waiting(const struct nm_bus *bus, sim_tick now)
{
    unsigned longest = NM_MODULES;
    sim_tick since = SIM_NEVER;
    for (unsigned c = 0; c < NM_CLASSES; c++)
        for (unsigned m = bus->passed_over[c]; m; m &= m - 1) {
            const unsigned i = (unsigned)__builtin_ctz(m);
            const struct nm_port *port = bus->port[i];
            if (port->kept_since[c] < since && ready(bus, i, now) &&
                has_way(bus, nm_fifo_at(&port->out[c], 0)) && has_way(bus, port_head(bus, port))) {
                longest = i;
                since = port->kept_since[c];
            }
        }
    return longest;
}

static bool anybody_passed_over(const struct nm_bus *bus)
{
    return bus->passed_over[NM_SINKABLE] | bus->passed_over[NM_NONSINKABLE];
}

/* The next module in turn that asked early enough and has somewhere to send to. */
static unsigned choose(const struct nm_bus *bus, sim_tick now)
{
    const unsigned below = (2u << bus->last) - 1; /* those whose turn comes later */
    const unsigned first = anybody_passed_over(bus) ? longest_waiting(bus, now) : NM_MODULES;
    for (unsigned half = 0; half < 2 && first == NM_MODULES; half++)
        for (unsigned m = bus->asking & (half ? below : ~below); m; m &= m - 1) {
            const unsigned i = (unsigned)__builtin_ctz(m);
            if (ready(bus, i, now) && has_way(bus, port_head(bus, bus->port[i])))
                return i;
        }
    return first;
}

/* The same where everybody has a way and nobody was passed over: whoever the decision was made for
 * is ready, and still asks. Bit 0 of `turns` is the module behind the last. */
static inline unsigned choose_freely(const struct nm_bus *bus, sim_tick now)
{
    const unsigned from = bus->last + 1;
    unsigned turns = bus->asking, module = (unsigned)__builtin_ctz(turns);
    if (turns & (turns - 1)) {
        turns = turns >> from | turns << (NM_MODULES - from);
        for (;; turns &= turns - 1) {
            SIM_OWED(turns);
            const unsigned i = (unsigned)__builtin_ctz(turns) + from;
            module = i < NM_MODULES ? i : i - NM_MODULES;
            if (ready(bus, module, now))
                break;
        }
    }
    SIM_OWED(ready(bus, module, now));
    return module;
}

/* A packet for several cards needs room at all of them at once, and would never find it beside a
 * stream of others: the one kept for longest has their next places. Cards take what is sinkable
 * whatever happens; so only for them can places be held without anybody waiting in a circle. */
static void hold_places(struct nm_bus *bus)
{
    sim_tick since = SIM_NEVER;
    for (unsigned m = bus->held ? 0 : bus->passed_over[NM_SINKABLE]; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        const struct nm_port *port = bus->port[i];
        const unsigned targets = nm_fifo_at(&port->out[NM_SINKABLE], 0)->targets;
        if (!(targets & (targets - 1)) || targets >= 1u << NM_CARDS_MAX ||
            port->kept_since[NM_SINKABLE] >= since)
            continue;
        since = port->kept_since[NM_SINKABLE];
        bus->held = targets;
        bus->holder = i;
    }
}

/* Remembers which packets find no room at this decision: each class's, or one that steps aside for
 * its module's answers would lose its place with every one of them. */
static void pass_over(struct nm_bus *bus, sim_tick now)
{
    for (unsigned m = bus->asking; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctz(m);
        struct nm_port *port = bus->port[i];
        for (unsigned c = 0; ready(bus, i, now) && c < NM_CLASSES; c++) {
            if (bus->passed_over[c] & m & -m || !port->out[c].count ||
                has_way(bus, nm_fifo_at(&port->out[c], 0)))
                continue;
            bus->passed_over[c] |= m & -m;
            port->kept_since[c] = port->ready_at;
        }
    }
    hold_places(bus);
}

/* Gives a packet its place in the incoming FIFO of the first target. One is on its way at a time.
 */
static inline struct nm_packet *reserve_one(struct nm_bus *bus, const struct nm_packet *p,
                                            unsigned targets, enum nm_class class)
{
    struct nm_fifo *f = &bus->port[__builtin_ctz(targets)]->in[class];
    SIM_OWED(!f->reserved);
    struct nm_packet *slot = nm_fifo_at(f, f->count);
    *slot = *p;
    f->reserved = 1;
    if (!nm_fifo_room(f, 1))
        bus->full[class] |= targets & -targets;
    return slot;
}

/* An order to several cards may name none of a station: it has the bus all the same. */
static __attribute__((noinline)) struct nm_packet *reserve_none(struct nm_bus *bus,
                                                                const struct nm_packet *p)
{
    bus->nobodys = *p;
    return &bus->nobodys;
}

/* The same of its other targets. */
static __attribute__((noinline)) void reserve_others(struct nm_bus *bus, const struct nm_packet *p,
                                                     enum nm_class class)
{
    for (unsigned t = p->targets & (p->targets - 1); t; t &= t - 1)
        reserve_one(bus, p, t, class);
}

/* The same of all its targets: nearly always there is one. */
static inline void reserve(struct nm_bus *bus, const struct nm_packet *p, enum nm_class class)
{
    const unsigned targets = p->targets;
    bus->moving = targets ? reserve_one(bus, p, targets, class) : reserve_none(bus, p);
    if (targets & (targets - 1))
        reserve_others(bus, p, class);
}

static __attribute__((noinline)) void tell_tenure(const struct nm_bus *bus, sim_tick now)
{
    const struct nm_packet *p = bus->moving;
    bus->watcher(bus->watcher_ctx, bus->station, now, 1u + bus->data[p->message].cycles, p);
}

/* The module has the bus up to free_at; what it sends next, if anything, it asks for one cycle
 * later. @return the class of the packet that has left it */
static inline enum nm_class grant(struct nm_bus *bus, unsigned m, sim_tick now)
{
    struct nm_port *port = bus->port[m];
    const enum nm_class class = next_class(bus, port);
    const struct nm_packet *p = nm_fifo_pop(&port->out[class], now);
    const unsigned cycles = 1u + bus->data[p->message].cycles;
    reserve(bus, p, class);
    bus->last = m;
    bus->granted += cycles;
    port->grant_wait += now - port->ready_at;
    bus->free_at = now + cycles * bus->clock.cycle;
    if (port->out[NM_SINKABLE].count | port->out[NM_NONSINKABLE].count)
        port->ready_at = sim_clock_edge(&bus->clock, now + bus->clock.cycle);
    else {
        port->ready_at = SIM_NEVER;
        bus->asking &= ~(1u << m);
    }
    return class;
}

/* The port's books of a packet that has left it or come in. */
static inline void count(struct nm_port *port, const struct nm_packet *p, bool out, unsigned data)
{
    struct mon_taps *taps = port->taps;
    if (!taps)
        return;
    taps->v[out ? MON_TAP_HEADERS_OUT : MON_TAP_HEADERS_IN]++;
    taps->v[out ? MON_TAP_DATA_OUT : MON_TAP_DATA_IN] += data;
    if (p->message == NM_MSG_NACK || (out && p->info & NM_INFO_RETRY))
        taps->v[MON_TAP_NACKED_HEADERS]++;
}

/* A packet that lies at its place of a FIFO has come. */
static inline void put_in(struct nm_port *port, const struct nm_packet *p, enum nm_class class,
                          unsigned data, sim_tick now)
{
    struct nm_fifo *in = &port->in[class];
    in->reserved = 0;
    fifo_grow(in, now);
    count(port, p, false, data);
}

/* The packet on the bus has come: all its targets have it before one hears of it. */
static __attribute__((noinline)) void arrive_plainly(struct nm_bus *bus, sim_tick now)
{
    struct nm_packet *p = bus->moving;
    const unsigned data = bus->data[p->message].cycles, targets = p->targets;
    const enum nm_class class = bus->data[p->message].class;
    const struct nm_port *source = bus->port[p->source];
    if (source->heard)
        source->heard(source->module, now, p, true, data);
    if (bus->listener)
        bus->listener(bus->listener_ctx, now, p);
    for (unsigned t = targets; t; t &= t - 1) {
        struct nm_port *port = bus->port[__builtin_ctz(t)];
        nm_fifo_at(&port->in[class], port->in[class].count)->arrived = (uint32_t)now;
        put_in(port, p, class, data, now);
        if (port->heard)
            port->heard(port->module, now, p, false, data);
    }
    for (unsigned t = targets; t; t &= t - 1) {
        const struct nm_port *port = bus->port[__builtin_ctz(t)];
        port->arrived(port->module, now);
    }
}

/* The same. Nearly always there is one target, and nobody else is told. */
static inline void arrive(struct nm_bus *bus, sim_tick now)
{
    struct nm_packet *p = bus->moving;
    const unsigned data = bus->data[p->message].cycles, targets = p->targets;
    p->arrived = (uint32_t)now;
    count(bus->port[p->source], p, true, data);
    if (bus->told || !targets || targets & (targets - 1)) {
        arrive_plainly(bus, now);
        return;
    }
    struct nm_port *port = bus->port[__builtin_ctz(targets)];
    put_in(port, p, bus->data[p->message].class, data, now);
    port->arrived(port->module, now);
}

static void deliver(void *self, sim_tick now, uint64_t arg)
{
    (void)arg;
    arrive(self, now);
}

/* A packet has left a module: who hears of that, the next decision, and its arrival. */
static inline void after_grant(struct nm_bus *bus, const struct nm_port *port, sim_tick now)
{
    if (bus->watcher)
        tell_tenure(bus, now);
    if (port->awaits_room | port->in[NM_NONSINKABLE].count)
        port->sent(port->module, now);
    if (bus->asking)
        schedule(bus, now + 1);
    if (sim_kernel_goes_on(bus->k, bus->free_at, SIM_RANK_DELIVER, 0))
        arrive(bus, bus->free_at);
    else
        sim_post_standing(bus->k, bus->free_at, SIM_RANK_DELIVER, 0);
}

/* Where FIFOs are full or somebody was passed over. */
static __attribute__((noinline)) void decide_in_crowd(struct nm_bus *bus, sim_tick now)
{
    const unsigned m = choose(bus, now);
    if (anything_full(bus))
        pass_over(bus, now);
    if (m == NM_MODULES) {
        schedule(bus, now + 1);
        return;
    }
    const enum nm_class class = grant(bus, m, now);
    bus->passed_over[class] &= ~(1u << m);
    if (m == bus->holder && class == NM_SINKABLE)
        bus->held = 0;
    after_grant(bus, bus->port[m], now);
}

static void decide(void *self, sim_tick now, uint64_t arg)
{
    struct nm_bus *bus = self;
    (void)arg;
    if (!sim_timer_fires(&bus->decision, now))
        return;
    if (bus->crowd) {
        decide_in_crowd(bus, now);
        return;
    }
    const unsigned m = choose_freely(bus, now);
    grant(bus, m, now);
    after_grant(bus, bus->port[m], now);
}

uint64_t nm_bus_busy(const struct nm_bus *bus, sim_tick now)
{
    sim_tick left = bus->free_at > now ? bus->free_at - now : 0;
    return bus->granted - left / bus->clock.cycle;
}

uint64_t nm_bus_waited(const struct nm_bus *bus, unsigned position, sim_tick now)
{
    const struct nm_port *port = bus->port[position];
    bool waiting = port->ready_at != SIM_NEVER && port->ready_at < now;
    return (port->grant_wait + (waiting ? now - port->ready_at : 0)) / bus->clock.cycle;
}

static void told_changed(struct nm_bus *bus)
{
    bus->told = bus->listener;
    for (unsigned m = 0; m < NM_MODULES; m++)
        bus->told |= bus->port[m] && bus->port[m]->heard;
}

void nm_bus_listen(struct nm_bus *bus, nm_bus_listener *listener, void *ctx)
{
    bus->listener = listener;
    bus->listener_ctx = ctx;
    told_changed(bus);
}

void nm_bus_hear(struct nm_bus *bus, unsigned position, nm_port_heard_fn *heard)
{
    bus->port[position]->heard = heard;
    told_changed(bus);
}

void nm_bus_watch(struct nm_bus *bus, unsigned station, nm_bus_tenure_fn *told, void *ctx)
{
    bus->station = station;
    bus->watcher = told;
    bus->watcher_ctx = ctx;
}

const struct nm_port *nm_bus_port(const struct nm_bus *bus, unsigned position)
{
    return bus->port[position];
}
