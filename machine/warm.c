#include "machine/warm.h"

#include "machine/assembly.h"
#include "machine/values.h"

void nm_warm_put(struct nm_machine *m, unsigned station, const struct nm_packet *p)
{
    struct nm_warm *w = m->warm;
    if (sim_queue_full(&w->queue))
        w->message = sim_queue_grow(&w->queue, w->message, sizeof *w->message);
    w->message[sim_queue_push(&w->queue)] =
        (struct nm_under_way){.packet = *p, .station = (uint16_t)station};
}

static void put_all(struct nm_machine *m, unsigned station, const struct nm_sends *sends)
{
    for (unsigned i = 0; i < sends->count; i++)
        nm_warm_put(m, station, &sends->packet[i]);
}

static void to_memory(struct nm_machine *m, const struct nm_station *s, const struct nm_packet *p)
{
    struct nm_sends sends;
    nm_memory_at_once(s->memory, p, &sends);
    put_all(m, s->number, &sends);
}

static void to_cache(struct nm_machine *m, const struct nm_station *s, const struct nm_packet *p)
{
    struct nm_sends before, sends;
    nm_network_at_once(s->network, p, &before, &sends);
    put_all(m, s->number, &before);
    put_all(m, s->number, &sends);
}

/* A message leaves the rings: for a line's home, or for a network cache. */
static void over_rings(struct nm_machine *m, const struct nm_packet *p)
{
    uint16_t to[RING_STATIONS_MAX];
    const unsigned count = ring_mask_stations(&m->shape, p->route, to);
    struct nm_packet copy = *p;
    copy.route = 0;
    copy.source = NM_MODULE_NETWORK;
    for (unsigned i = 0; i < count; i++) {
        const struct nm_station *s = &m->station[to[i]];
        if (p->line / m->p->memory_size == s->number)
            to_memory(m, s, &copy);
        else
            to_cache(m, s, &copy);
    }
}

static void over_bus(struct nm_machine *m, const struct nm_station *s, const struct nm_packet *p)
{
    for (unsigned i = 0; i < s->cards; i++)
        if (p->targets >> i & 1)
            s->card[i]->ops->take(s->card[i], p);
    if (p->targets >> NM_MODULE_MEMORY & 1)
        to_memory(m, s, p);
    if (p->targets >> NM_MODULE_NETWORK & 1)
        to_cache(m, s, p);
}

void nm_warm_deliver(struct nm_machine *m)
{
    struct nm_warm *w = m->warm;
    while (w->queue.count && !*m->broken) {
        const struct nm_under_way next = w->message[sim_queue_pop(&w->queue)];
        if (next.packet.route)
            over_rings(m, &next.packet);
        else
            over_bus(m, &m->station[next.station], &next.packet);
    }
}

/* ---- lines that are kept --------------------------------------------------------------------- */

static struct nm_kept *kept(const struct nm_machine *m, uint64_t line)
{
    return &m->warm->kept[line / m->p->l2_line % NM_KEPT];
}

sim_tick nm_warm_free(const struct nm_machine *m, uint64_t line, unsigned card, sim_tick at)
{
    const struct nm_kept *k = kept(m, line);
    return k->line == line && k->card != card && k->until > at ? k->until : at;
}

void nm_warm_keep(struct nm_machine *m, uint64_t line, unsigned card, sim_tick until)
{
    *kept(m, line) = (struct nm_kept){.line = line, .until = until, .card = card};
}
