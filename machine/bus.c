/*
 * The station bus: a Futurebus backplane with its own synchronous protocol. A transaction is split:
 * a request and its response are two tenures, each one header cycle and, with a line, data cycles.
 *
 * The hard idea is when a module may have the bus. It must have asked for `bus.arbitration` cycles
 * (arbitration overlaps the tenure in progress), every module it addresses must have room in the
 * incoming FIFO of the packet's class, and round-robin decides among those that qualify. Within a
 * module sinkable packets always go first; that is what keeps data ahead of a later intervention
 * for the same line, and what lets responses drain while requests are stuck.
 *
 * No time passes here without a reason: an idle bus has no event.
 */
#include "machine/bus.h"

#include <assert.h>
#include <stdlib.h>

struct nm_bus {
    struct nm_kernel *k;
    struct nm_port *port[NM_MODULES];
    nm_tick cycle;        /* [ticks] */
    unsigned arbitration; /* [cycles] */
    unsigned data_cycles; /* per line */
    unsigned word_cycles; /* per doubleword */
    unsigned depth;       /* of every FIFO */
    unsigned last;        /* granted last: lowest priority now */
    nm_tick free_at;      /* end of the tenure in progress */
    nm_tick decision_at;  /* tick of the arbitration event, NM_NEVER if none */
    uint64_t granted;     /* [cycles] in all tenures, the present one whole */
    struct nm_packet moving;
    nm_bus_listener *listener;
    void *listener_ctx;
};

struct nm_packet nm_fifo_pop(struct nm_fifo *f)
{
    struct nm_packet p = f->slot[f->head];
    f->head = (f->head + 1) % f->depth;
    f->count--;
    f->filled += nm_kernel_now(f->clock);
    return p;
}

static void fifo_push(struct nm_fifo *f, const struct nm_packet *p)
{
    assert(f->count < f->depth);
    f->slot[(f->head + f->count++) % f->depth] = *p;
    f->filled -= nm_kernel_now(f->clock);
    if (f->count > f->deepest)
        f->deepest = f->count;
}

struct nm_bus *nm_bus_new(struct nm_kernel *k, const struct nm_params *p)
{
    struct nm_bus *bus = calloc(1, sizeof *bus);
    bus->k = k;
    bus->cycle = p->cpu_clock / p->bus_clock;
    bus->arbitration = (unsigned)p->bus_arbitration;
    bus->data_cycles = (unsigned)((p->l2_line + p->bus_width - 1) / p->bus_width);
    bus->word_cycles = (unsigned)((sizeof(uint64_t) + p->bus_width - 1) / p->bus_width);
    bus->depth = (unsigned)p->bus_fifo;
    bus->decision_at = NM_NEVER;
    return bus;
}

void nm_bus_free(struct nm_bus *bus)
{
    if (!bus)
        return;
    for (unsigned m = 0; m < NM_MODULES; m++)
        for (unsigned c = 0; bus->port[m] && c < NM_CLASSES; c++) {
            free(bus->port[m]->in[c].slot);
            free(bus->port[m]->out[c].slot);
        }
    free(bus);
}

void nm_bus_attach(struct nm_bus *bus, unsigned position, struct nm_port *port)
{
    bus->port[position] = port;
    port->ready_at = NM_NEVER;
    for (unsigned c = 0; c < NM_CLASSES; c++) {
        port->in[c] = (struct nm_fifo){.depth = bus->depth, .clock = bus->k};
        port->out[c] = port->in[c];
        port->in[c].slot = calloc(bus->depth, sizeof(struct nm_packet));
        port->out[c].slot = calloc(bus->depth, sizeof(struct nm_packet));
    }
}

nm_tick nm_bus_cycle(const struct nm_bus *bus)
{
    return bus->cycle;
}

nm_tick nm_bus_edge(const struct nm_bus *bus, nm_tick t)
{
    return (t + bus->cycle - 1) / bus->cycle * bus->cycle;
}

static bool targets_have_room(const struct nm_bus *bus, const struct nm_packet *p)
{
    enum nm_class c = nm_message_row(p->message)->class;
    for (unsigned m = 0; m < NM_MODULES; m++)
        if (p->targets >> m & 1 && !nm_fifo_room(&bus->port[m]->in[c], 1))
            return false;
    return true;
}

/* The packet a module would send next, or NULL: the oldest, but a nonsinkable one that finds no
 * room steps aside for sinkable ones. */
static struct nm_packet *port_head(const struct nm_bus *bus, const struct nm_port *port)
{
    const struct nm_fifo *s = &port->out[NM_SINKABLE], *n = &port->out[NM_NONSINKABLE];
    struct nm_packet *sinkable = s->count ? nm_fifo_at(s, 0) : NULL;
    struct nm_packet *nonsinkable = n->count ? nm_fifo_at(n, 0) : NULL;
    if (!sinkable || !nonsinkable)
        return sinkable ? sinkable : nonsinkable;
    bool older = (int32_t)(nonsinkable->order - sinkable->order) < 0;
    return older && targets_have_room(bus, nonsinkable) ? nonsinkable : sinkable;
}

/* Data cycles behind the header. */
static unsigned data_cycles(const struct nm_bus *bus, const struct nm_message_row *row)
{
    return row->has_data ? bus->data_cycles : row->has_word ? bus->word_cycles : 0;
}

static nm_fire_fn decide, deliver;

/* Makes sure a decision happens as soon as the earliest asking module can win. */
static void schedule(struct nm_bus *bus, nm_tick now)
{
    nm_tick first = NM_NEVER;
    for (unsigned m = 0; m < NM_MODULES; m++)
        if (bus->port[m] && bus->port[m]->ready_at < first &&
            targets_have_room(bus, port_head(bus, bus->port[m])))
            first = bus->port[m]->ready_at;
    if (first == NM_NEVER)
        return;
    nm_tick at = first + bus->arbitration * bus->cycle;
    if (at < bus->free_at)
        at = bus->free_at;
    if (at < now)
        at = nm_bus_edge(bus, now);
    if (at >= bus->decision_at)
        return;
    bus->decision_at = at;
    nm_post(bus->k, at, NM_RANK_ARBITRATE, 0, decide, bus, at);
}

static void ask(struct nm_bus *bus, struct nm_port *port, nm_tick now)
{
    port->ready_at = port_head(bus, port) ? nm_bus_edge(bus, now) : NM_NEVER;
}

void nm_bus_send(struct nm_bus *bus, unsigned position, const struct nm_packet *p)
{
    struct nm_port *port = bus->port[position];
    nm_tick now = nm_kernel_now(bus->k);
    struct nm_packet ordered = *p;
    ordered.order = port->sends++;
    fifo_push(&port->out[nm_message_row(p->message)->class], &ordered);
    if (port->ready_at == NM_NEVER)
        ask(bus, port, now);
    schedule(bus, now);
}

void nm_bus_drained(struct nm_bus *bus, nm_tick now)
{
    schedule(bus, now);
}

/* The next module in turn that asked early enough and has somewhere to send to. */
static unsigned choose(const struct nm_bus *bus, nm_tick now)
{
    for (unsigned i = 1; i <= NM_MODULES; i++) {
        unsigned m = (bus->last + i) % NM_MODULES;
        const struct nm_port *port = bus->port[m];
        if (port && port->ready_at != NM_NEVER &&
            port->ready_at + bus->arbitration * bus->cycle <= now &&
            targets_have_room(bus, port_head(bus, port)))
            return m;
    }
    return NM_MODULES;
}

static void decide(void *self, nm_tick now, uint64_t arg)
{
    struct nm_bus *bus = self;
    if (bus->decision_at != arg)
        return; /* an earlier decision took its place */
    bus->decision_at = NM_NEVER;
    unsigned m = choose(bus, now);
    if (m == NM_MODULES) {
        schedule(bus, now + 1);
        return;
    }
    struct nm_port *port = bus->port[m];
    struct nm_packet *head = port_head(bus, port);
    const struct nm_message_row *row = nm_message_row(head->message);
    nm_tick cycles = 1 + data_cycles(bus, row);
    for (unsigned t = 0; t < NM_MODULES; t++)
        bus->port[t] ? bus->port[t]->in[row->class].reserved += head->targets >> t & 1 : 0;
    bus->moving = nm_fifo_pop(&port->out[row->class]);
    bus->last = m;
    bus->granted += cycles;
    port->grant_wait += (now - port->ready_at) / bus->cycle;
    bus->free_at = now + cycles * bus->cycle;
    nm_post(bus->k, bus->free_at, NM_RANK_DELIVER, 0, deliver, bus, 0);
    ask(bus, port, now + bus->cycle);
    port->sent(port->module, now);
    schedule(bus, now + 1);
}

/* The port's books of a packet that has left it or come in. */
static void count(struct nm_port *port, const struct nm_packet *p, bool out, unsigned data,
                  nm_tick now)
{
    struct mon_taps *taps = port->taps;
    if (!taps)
        return;
    taps->v[out ? MON_TAP_HEADERS_OUT : MON_TAP_HEADERS_IN]++;
    taps->v[out ? MON_TAP_DATA_OUT : MON_TAP_DATA_IN] += data;
    if (p->message == NM_MSG_NACK || (out && p->info & NM_INFO_RETRY))
        taps->v[MON_TAP_NACKED_HEADERS]++;
    if (port->heard)
        port->heard(port->module, now, p, out, data);
}

static void deliver(void *self, nm_tick now, uint64_t arg)
{
    struct nm_bus *bus = self;
    struct nm_packet p = bus->moving;
    const struct nm_message_row *row = nm_message_row(p.message);
    unsigned data = data_cycles(bus, row);
    (void)arg;
    count(bus->port[p.source], &p, true, data, now);
    p.arrived = (uint32_t)now;
    if (bus->listener)
        bus->listener(bus->listener_ctx, now, &p);
    for (unsigned m = 0; m < NM_MODULES; m++) {
        if (!(p.targets >> m & 1))
            continue;
        struct nm_port *port = bus->port[m];
        port->in[row->class].reserved--;
        fifo_push(&port->in[row->class], &p);
        count(port, &p, false, data, now);
    }
    for (unsigned m = 0; m < NM_MODULES; m++)
        if (p.targets >> m & 1)
            bus->port[m]->arrived(bus->port[m]->module, now);
}

uint64_t nm_bus_busy(const struct nm_bus *bus, nm_tick now)
{
    nm_tick left = bus->free_at > now ? bus->free_at - now : 0;
    return bus->granted - left / bus->cycle;
}

uint64_t nm_bus_waited(const struct nm_bus *bus, unsigned position, nm_tick now)
{
    const struct nm_port *port = bus->port[position];
    bool waiting = port->ready_at != NM_NEVER && port->ready_at < now;
    return port->grant_wait + (waiting ? (now - port->ready_at) / bus->cycle : 0);
}

void nm_bus_listen(struct nm_bus *bus, nm_bus_listener *listener, void *ctx)
{
    bus->listener = listener;
    bus->listener_ctx = ctx;
}

const struct nm_port *nm_bus_port(const struct nm_bus *bus, unsigned position)
{
    return bus->port[position];
}
