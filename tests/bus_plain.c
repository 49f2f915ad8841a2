#include "bus_plain.h"

#include <assert.h>
#include <stddef.h>

/* ---- FIFOs ----------------------------------------------------------------------------------- */

static void fifo_put(struct bus_plain_fifo *f, const struct nm_packet *p)
{
    f->packet[f->count++] = *p;
    if (f->count > f->deepest)
        f->deepest = f->count;
}

static struct nm_packet fifo_take(struct bus_plain_fifo *f)
{
    const struct nm_packet first = f->packet[0];
    assert(f->count);
    f->count--;
    for (unsigned i = 0; i < f->count; i++)
        f->packet[i] = f->packet[i + 1];
    return first;
}

static enum nm_class class_of(const struct nm_packet *p)
{
    return nm_message_row(p->message)->class;
}

/* ---- who may send what ----------------------------------------------------------------------- */

static bool is_full(const struct bus_plain *b, unsigned module, enum nm_class class)
{
    const struct bus_plain_fifo *f = &b->port[module].in[class];
    return f->count + f->promised >= b->rule.depth;
}

static bool anything_full(const struct bus_plain *b)
{
    for (unsigned m = 0; m < NM_MODULES; m++)
        if (is_full(b, m, NM_SINKABLE) || is_full(b, m, NM_NONSINKABLE))
            return true;
    return false;
}

/* A place for it with each module it goes to, which is not held for somebody else. */
static bool has_way(const struct bus_plain *b, const struct nm_packet *p)
{
    for (unsigned m = 0; m < NM_MODULES; m++) {
        if (!(p->targets >> m & 1))
            continue;
        if (is_full(b, m, class_of(p)))
            return false;
        if (class_of(p) == NM_SINKABLE && b->held >> m & 1 && p->source != b->holder)
            return false;
    }
    return true;
}

/* The packet a module would send: the one that it was given first, unless that elicits an answer
 * and finds no room while another one elicits none. */
static const struct nm_packet *next_of(const struct bus_plain *b, unsigned module)
{
    const struct bus_plain_port *port = &b->port[module];
    const struct nm_packet *sinkable =
        port->out[NM_SINKABLE].count ? port->out[NM_SINKABLE].packet : NULL;
    const struct nm_packet *other =
        port->out[NM_NONSINKABLE].count ? port->out[NM_NONSINKABLE].packet : NULL;
    if (!sinkable || !other)
        return sinkable ? sinkable : other;
    return other->order < sinkable->order && has_way(b, other) ? other : sinkable;
}

/* It has asked for as long as arbitration takes. */
static bool is_ready(const struct bus_plain *b, unsigned module, sim_tick now)
{
    const struct bus_plain_port *port = &b->port[module];
    return port->asks && port->asks_since + b->rule.arbitration * b->rule.cycle <= now;
}

static bool could_go(const struct bus_plain *b, unsigned module, sim_tick now)
{
    return is_ready(b, module, now) && has_way(b, next_of(b, module));
}

/* ---- the decision ---------------------------------------------------------------------------- */

/* Of those that a full FIFO kept and that can go now, the one kept longest; answers' senders first.
 */
static unsigned kept_longest(const struct bus_plain *b, sim_tick now)
{
    unsigned longest = NM_MODULES;
    sim_tick since = SIM_NEVER;
    for (unsigned c = 0; c < NM_CLASSES; c++)
        for (unsigned m = 0; m < NM_MODULES; m++) {
            const struct bus_plain_port *port = &b->port[m];
            if (port->kept[c] && could_go(b, m, now) && has_way(b, port->out[c].packet) &&
                port->kept_since[c] < since) {
                longest = m;
                since = port->kept_since[c];
            }
        }
    return longest;
}

static unsigned next_in_turn(const struct bus_plain *b, sim_tick now)
{
    for (unsigned i = 1; i <= NM_MODULES; i++)
        if (could_go(b, (b->last + i) % NM_MODULES, now))
            return (b->last + i) % NM_MODULES;
    return NM_MODULES;
}

/* Puts down which packets have no place at this decision. */
static void keep(struct bus_plain *b, sim_tick now)
{
    for (unsigned m = 0; m < NM_MODULES; m++)
        for (unsigned c = 0; c < NM_CLASSES; c++) {
            struct bus_plain_port *port = &b->port[m];
            if (!is_ready(b, m, now) || port->kept[c] || !port->out[c].count ||
                has_way(b, port->out[c].packet))
                continue;
            port->kept[c] = true;
            port->kept_since[c] = port->asks_since;
        }
}

/* The next places of several cards are for the answer to them that was kept longest, if there is
 * one. */
static void hold(struct bus_plain *b)
{
    sim_tick since = SIM_NEVER;
    if (b->held)
        return;
    for (unsigned m = 0; m < NM_MODULES; m++) {
        const struct bus_plain_port *port = &b->port[m];
        if (!port->kept[NM_SINKABLE] || port->kept_since[NM_SINKABLE] >= since)
            continue;
        const unsigned targets = port->out[NM_SINKABLE].packet->targets;
        if (__builtin_popcount(targets) < 2 || targets >> NM_CARDS_MAX)
            continue;
        since = port->kept_since[NM_SINKABLE];
        b->held = targets;
        b->holder = m;
    }
}

static unsigned data_of(const struct bus_plain *b, const struct nm_packet *p)
{
    const struct nm_message_row *row = nm_message_row(p->message);
    return row->has_data ? b->rule.line : row->has_word ? b->rule.word : 0;
}

static void grant(struct bus_plain *b, unsigned module, sim_tick now)
{
    struct bus_plain_port *port = &b->port[module];
    const enum nm_class class = class_of(next_of(b, module));
    b->moving = fifo_take(&port->out[class]);
    b->moves = true;
    b->last = module;
    b->until = now + (1 + data_of(b, &b->moving)) * b->rule.cycle;
    port->kept[class] = false;
    if (class == NM_SINKABLE && module == b->holder)
        b->held = 0;
    for (unsigned m = 0; m < NM_MODULES; m++)
        b->port[m].in[class].promised += b->moving.targets >> m & 1;
    port->asks = port->out[NM_SINKABLE].count || port->out[NM_NONSINKABLE].count;
    port->asks_since = now + b->rule.cycle;
    b->tell(b->ctx,
            (struct bus_plain_event){now, module, 1 + data_of(b, &b->moving), b->moving.line});
}

/* Who gets the bus at an edge at which it is free. Nobody is kept by a decision that cannot be
 * made. */
static void decide(struct bus_plain *b, sim_tick now)
{
    const unsigned turn = next_in_turn(b, now), first = kept_longest(b, now);
    if (turn == NM_MODULES)
        return;
    if (anything_full(b)) {
        keep(b, now);
        hold(b);
    }
    grant(b, first != NM_MODULES ? first : turn, now);
}

void bus_plain_decide(struct bus_plain *b, sim_tick now)
{
    const bool edge = now % b->rule.cycle == 0;
    if (edge && now >= b->until)
        decide(b, now);
    b->busy += edge && now < b->until;
    for (unsigned m = 0; m < NM_MODULES; m++) {
        struct bus_plain_port *port = &b->port[m];
        port->waited += edge && port->asks && port->asks_since <= now;
        for (unsigned c = 0; c < NM_CLASSES; c++) {
            port->in[c].filled += port->in[c].count;
            port->out[c].filled += port->out[c].count;
        }
    }
}

/* ---- what modules see ------------------------------------------------------------------------ */

void bus_plain_arrive(struct bus_plain *b, sim_tick now)
{
    const struct nm_packet *p = &b->moving;
    const unsigned data = data_of(b, p);
    if (!b->moves || now < b->until)
        return;
    b->moves = false;
    b->port[p->source].headers_out++;
    b->port[p->source].data_out += data;
    b->port[p->source].nacked += p->message == NM_MSG_NACK || p->info & NM_INFO_RETRY;
    for (unsigned m = 0; m < NM_MODULES; m++) {
        struct bus_plain_port *port = &b->port[m];
        if (!(p->targets >> m & 1))
            continue;
        port->in[class_of(p)].promised--;
        fifo_put(&port->in[class_of(p)], p);
        port->headers_in++;
        port->data_in += data;
        port->nacked += p->message == NM_MSG_NACK;
        b->tell(b->ctx, (struct bus_plain_event){now, m, 0, p->line});
    }
}

bool bus_plain_room(const struct bus_plain *b, unsigned module, enum nm_class class)
{
    return b->port[module].out[class].count < b->rule.depth;
}

void bus_plain_send(struct bus_plain *b, unsigned module, sim_tick now, const struct nm_packet *p)
{
    struct bus_plain_port *port = &b->port[module];
    struct nm_packet own = *p;
    own.order = port->sends++;
    fifo_put(&port->out[class_of(p)], &own);
    if (port->asks)
        return;
    port->asks = true;
    port->asks_since = (now + b->rule.cycle - 1) / b->rule.cycle * b->rule.cycle;
}

struct nm_packet bus_plain_take(struct bus_plain *b, unsigned module, enum nm_class class)
{
    return fifo_take(&b->port[module].in[class]);
}
