/*
 * The stations of ring_world.h and the judge of what the network delivers.
 *
 * The hard idea: a station's doings depend on nothing but its own dice, its own queues and the
 * tick, so they are the same for any sequence of window lengths, and so must be the network's
 * answers.
 */
#include "ring_world.h"

#include <stdlib.h>
#include <string.h>

/* A packet as its sender remembers it; the payload carries its number. */
struct record {
    uint32_t source, order; /* order: the how-many-th unicast of its class to its target */
    bool multicast;
    uint32_t seen;         /* multicasts the sender had taken when it sent this */
    uint32_t covered, got; /* stations */
    ring_mask mask;
    uint64_t *reached; /* multicast: a bit per station */
    uint32_t *before;  /* multicast: sinkable unicasts its sender had sent to each station */
};

struct arrival {
    sim_tick at;
    struct ring_packet packet;
};

struct inbox {
    struct arrival *at;
    unsigned head, tail, size;
};

struct place { /* a station */
    uint64_t dice;
    unsigned left; /* packets it has yet to start */
    sim_tick started_all;
    struct inbox in[RING_CLASSES];
    uint32_t *taken; /* multicasts taken, by record, in order */
    unsigned taken_count, taken_size;
    uint32_t *arrived; /* multicasts delivered, in order */
    unsigned arrived_count, arrived_size;
    uint64_t hash;
};

struct world {
    const struct scenario *s;
    struct ring_net *net;
    unsigned stations;
    struct place *place;
    struct record *record;
    uint32_t records, records_size;
    uint32_t *sent, *received; /* [class][from][to] unicasts */
    uint32_t *checked;         /* [from][to] of from's taken multicasts known to have reached to */
    sim_tick until;
    unsigned waiting; /* packets delivered and not taken */
    struct outcome *out;
    const char *broken;
};

static uint64_t roll(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

static bool chance(uint64_t *dice, unsigned percent)
{
    return roll(dice) % 100 < percent;
}

static void promise(struct world *w, bool kept, const char *what)
{
    if (!kept && !w->broken)
        w->broken = what;
}

static void append(uint32_t **list, unsigned *count, unsigned *size, uint32_t value)
{
    if (*count == *size) {
        *size = *size ? 2 * *size : 64;
        *list = realloc(*list, *size * sizeof **list);
    }
    (*list)[(*count)++] = value;
}

static uint32_t *pair(const struct world *w, uint32_t *table, unsigned class, unsigned from,
                      unsigned to)
{
    return &table[(class * w->stations + from) * w->stations + to];
}

/* ---- sending --------------------------------------------------------------------------------- */

static void remember_multicast(struct world *w, struct record *r, ring_mask mask)
{
    r->covered = ring_mask_stations(&w->s->shape, mask, NULL);
    r->reached = calloc((w->stations + 63) / 64, sizeof *r->reached);
    r->before = calloc(w->stations, sizeof *r->before);
    for (unsigned to = 0; to < w->stations; to++)
        r->before[to] = *pair(w, w->sent, RING_SINKABLE, r->source, to);
}

static void send(struct world *w, unsigned from, sim_tick at, unsigned class, ring_mask mask,
                 bool multicast, unsigned to)
{
    struct place *p = &w->place[from];
    if (w->records == w->records_size) {
        w->records_size = w->records_size ? 2 * w->records_size : 1024;
        w->record = realloc(w->record, w->records_size * sizeof *w->record);
    }
    struct record *r = &w->record[w->records];
    *r = (struct record){
        .source = from, .multicast = multicast, .seen = p->taken_count, .covered = 1, .mask = mask};
    if (multicast)
        remember_multicast(w, r, mask);
    else
        r->order = (*pair(w, w->sent, class, from, to))++;
    struct ring_packet packet = {
        .mask = mask,
        .source = (uint16_t)from,
        .class = (uint8_t) class,
        .data_slots = (uint8_t)(roll(&p->dice) % (w->s->data_max + 1)),
        .multicast = multicast,
        .serial = w->records,
    };
    memcpy(packet.payload, &w->records, sizeof w->records);
    w->records++;
    ring_send(w->net, from, at, &packet);
}

static ring_mask random_group(struct world *w, struct place *p)
{
    ring_mask mask = 0;
    for (unsigned n = 1 + roll(&p->dice) % 4; n; n--)
        mask = ring_mask_or(
            mask, ring_mask_station(&w->s->shape, (unsigned)(roll(&p->dice) % w->stations)));
    return mask;
}

static void start_own(struct world *w, unsigned station, sim_tick t)
{
    struct place *p = &w->place[station];
    if (!p->left || !chance(&p->dice, w->s->eager))
        return;
    unsigned class = chance(&p->dice, w->s->nonsinkable) ? RING_NONSINKABLE : RING_SINKABLE;
    if (!ring_room(w->net, station, class, t))
        return;
    unsigned to = chance(&p->dice, w->s->hot) ? 0 : (unsigned)(roll(&p->dice) % w->stations);
    bool multicast = class == RING_SINKABLE && chance(&p->dice, w->s->multicast);
    ring_mask mask = multicast ? random_group(w, p) : ring_mask_station(&w->s->shape, to);
    send(w, station, t, class, mask, multicast, to);
    if (!--p->left)
        p->started_all = t;
}

/* ---- receiving ------------------------------------------------------------------------------- */

/* All multicasts the sender had taken before it sent this, and that cover `to`, have come here. */
static void judge_causality(struct world *w, const struct record *r, unsigned to)
{
    uint32_t *checked = pair(w, w->checked, 0, r->source, to);
    for (; *checked < r->seen; (*checked)++) {
        const struct record *m = &w->record[w->place[r->source].taken[*checked]];
        bool here = m->reached[to / 64] >> (to % 64) & 1;
        promise(w, here || !ring_mask_covers(&w->s->shape, m->mask, to),
                "a packet overtook a multicast its sender had received");
    }
}

static void judge_multicast(struct world *w, struct record *r, const struct ring_packet *p,
                            unsigned to)
{
    promise(w, ring_mask_covers(&w->s->shape, p->mask, to), "a multicast went astray");
    promise(w, !(r->reached[to / 64] >> (to % 64) & 1), "a multicast arrived twice");
    promise(w, *pair(w, w->received, RING_SINKABLE, r->source, to) >= r->before[to],
            "a multicast overtook its sender's unicast");
    r->reached[to / 64] |= 1ull << (to % 64);
}

static void deliver(void *ctx, unsigned to, sim_tick at, const struct ring_packet *p)
{
    struct world *w = ctx;
    struct place *place = &w->place[to];
    uint32_t number;
    memcpy(&number, p->payload, sizeof number);
    struct record *r = &w->record[number];
    promise(w, at >= w->until, "a delivery is dated inside the window");
    if (p->class == RING_SINKABLE)
        judge_causality(w, r, to);
    if (r->multicast) {
        judge_multicast(w, r, p, to);
        append(&place->arrived, &place->arrived_count, &place->arrived_size, number);
    } else {
        promise(w, ring_mask_station(&w->s->shape, to) == p->mask, "a unicast went astray");
        promise(w, (*pair(w, w->received, p->class, r->source, to))++ == r->order,
                "unicasts of one class are out of order");
    }
    r->got++;
    struct inbox *in = &place->in[p->class];
    if (in->tail == in->size) {
        in->size = in->size ? 2 * in->size : 64;
        in->at = realloc(in->at, in->size * sizeof *in->at);
    }
    promise(w, in->tail == in->head || in->at[in->tail - 1].at <= at, "deliveries go back in time");
    in->at[in->tail++] = (struct arrival){at, *p};
    w->waiting++;
    unsigned depth = in->tail - in->head;
    if (p->class == RING_NONSINKABLE && depth > w->out->deepest_nonsinkable)
        w->out->deepest_nonsinkable = depth;
    promise(w, p->class == RING_NONSINKABLE || depth <= w->s->timing.queue,
            "the sinkable queue overflowed");
    w->out->delivered++;
    /* Numbers of records depend on the windows (stations share the counter), so not hashed. */
    place->hash = (place->hash ^ at ^ (uint64_t)p->source << 48 ^ (uint64_t)r->order << 32 ^
                   p->mask * 31 ^ p->data_slots) *
                  0x100000001b3ull;
}

static const struct arrival *arrived(struct place *p, unsigned class, sim_tick t)
{
    struct inbox *in = &p->in[class];
    return in->head < in->tail && in->at[in->head].at <= t ? &in->at[in->head] : NULL;
}

static void take(struct world *w, unsigned station, unsigned class, sim_tick t)
{
    w->place[station].in[class].head++;
    w->waiting--;
    ring_take(w->net, station, t, class);
}

static void take_arrived(struct world *w, unsigned station, sim_tick t)
{
    struct place *p = &w->place[station];
    const struct arrival *a = arrived(p, RING_SINKABLE, t);
    if (a && chance(&p->dice, w->s->taking)) {
        if (a->packet.multicast) {
            uint32_t number;
            memcpy(&number, a->packet.payload, sizeof number);
            append(&p->taken, &p->taken_count, &p->taken_size, number);
        }
        take(w, station, RING_SINKABLE, t);
    }
    a = arrived(p, RING_NONSINKABLE, t);
    if (a && chance(&p->dice, w->s->taking) && ring_room(w->net, station, RING_SINKABLE, t)) {
        unsigned to = a->packet.source;
        take(w, station, RING_NONSINKABLE, t);
        send(w, station, t, RING_SINKABLE, ring_mask_station(&w->s->shape, to), false, to);
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

/* One common order of multicasts exists iff the stations' orders together have no cycle. */
static void judge_common_order(struct world *w)
{
    unsigned *next = calloc(w->stations, sizeof *next);
    uint32_t *heads = calloc(w->records + 1, sizeof *heads);
    bool moved = true;
    for (unsigned s = 0; s < w->stations; s++)
        if (w->place[s].arrived_count)
            heads[w->place[s].arrived[0]]++;
    while (moved) { /* takes off multicasts that have been first at all stations they went to */
        moved = false;
        for (unsigned s = 0; s < w->stations; s++)
            while (next[s] < w->place[s].arrived_count) {
                uint32_t m = w->place[s].arrived[next[s]];
                if (heads[m] != w->record[m].covered)
                    break;
                moved = true;
                next[s]++;
                if (next[s] < w->place[s].arrived_count)
                    heads[w->place[s].arrived[next[s]]]++;
            }
    }
    for (unsigned s = 0; s < w->stations; s++)
        promise(w, next[s] == w->place[s].arrived_count, "multicasts arrived in different orders");
    free(next);
    free(heads);
}

static void judge_end(struct world *w)
{
    struct ring_total *t = &w->out->total;
    *t = ring_net_total(w->net);
    promise(w, ring_next(w->net) == SIM_NEVER, "an empty network has something to do");
    promise(w, !t->inside && t->sent + t->copies == t->received, "slots were lost or made");
    for (uint32_t i = 0; i < w->records; i++)
        promise(w, w->record[i].got == w->record[i].covered, "a packet did not arrive");
    judge_common_order(w);
}

static bool finished(const struct world *w)
{
    for (unsigned s = 0; s < w->stations; s++)
        if (w->place[s].left)
            return false;
    return !w->waiting && ring_next(w->net) == SIM_NEVER;
}

static void conclude(struct world *w)
{
    struct outcome *o = w->out;
    o->fastest = SIM_NEVER;
    for (unsigned s = 0; s < w->stations; s++) {
        const struct place *p = &w->place[s];
        o->hash = o->hash * 31 + p->hash;
        o->slowest = p->started_all > o->slowest ? p->started_all : o->slowest;
        o->fastest = p->started_all < o->fastest ? p->started_all : o->fastest;
    }
    for (unsigned l = 0; l < w->s->shape.levels; l++)
        for (unsigned r = 0; r < ring_net_rings(w->net, l); r++) {
            o->halted += ring_net_link(w->net, l, r, 0).halted;
            if (l + 1 < w->s->shape.levels)
                o->held += ring_net_between(w->net, l, r).held;
        }
}

static void world_free(struct world *w)
{
    for (unsigned s = 0; s < w->stations; s++) {
        struct place *p = &w->place[s];
        free(p->in[0].at);
        free(p->in[1].at);
        free(p->taken);
        free(p->arrived);
    }
    for (uint32_t i = 0; i < w->records; i++) {
        free(w->record[i].reached);
        free(w->record[i].before);
    }
    free(w->record);
    free(w->place);
    free(w->sent);
    free(w->received);
    free(w->checked);
    ring_net_free(w->net);
}

/* First tick from `t` on at which stations do anything. */
static sim_tick awake(const struct world *w, sim_tick t)
{
    const sim_tick nap = w->s->naps;
    return nap && t / nap % 2 ? (t / nap + 1) * nap : t;
}

/* The end of a window that begins at `now`: the last possible, or any. */
static sim_tick window_end(const struct world *w, sim_tick now, uint64_t *windows)
{
    const sim_tick end = ring_window_end(w->net, ring_next_from(w->net, now), awake(w, now));
    return *windows ? now + 1 + roll(windows) % (end - now) : end;
}

static void world_window(struct world *w, sim_tick from, sim_tick until)
{
    for (unsigned s = 0; s < w->stations; s++)
        for (sim_tick t = awake(w, from); t < until; t = awake(w, t + 1)) {
            take_arrived(w, s, t);
            start_own(w, s, t);
        }
    w->until = until;
    ring_run(w->net, until);
    struct ring_total total = ring_net_total(w->net);
    promise(w, total.sent + total.copies == total.received + total.inside,
            "slots in the network do not add up");
}

const char *world_run(const struct scenario *s, uint64_t windows, struct outcome *out)
{
    struct world w = {.s = s, .stations = ring_shape_stations(&s->shape), .out = out};
    size_t pairs = (size_t)w.stations * w.stations;
    *out = (struct outcome){0};
    w.net = ring_net_new(&s->shape, &s->timing, deliver, &w);
    w.place = calloc(w.stations, sizeof *w.place);
    w.sent = calloc(2 * pairs, sizeof *w.sent);
    w.received = calloc(2 * pairs, sizeof *w.received);
    w.checked = calloc(pairs, sizeof *w.checked);
    for (unsigned i = 0; i < w.stations; i++) {
        w.place[i].dice = s->seed * 1000003 + i;
        w.place[i].left = s->packets;
    }
    sim_tick now = 0;
    while (!w.broken && !finished(&w)) {
        promise(&w, now < s->limit, "it does not come to an end");
        const sim_tick end = window_end(&w, now, &windows);
        world_window(&w, now, end);
        now = end;
    }
    out->end = now;
    if (!w.broken)
        judge_end(&w);
    conclude(&w);
    if (w.broken)
        ring_net_dump(w.net, stderr);
    world_free(&w);
    return w.broken;
}
