/*
 * Predictions from traffic.
 *
 * The one hard idea is the circle between time and waiting: how long requests wait depends on how
 * busy buses, rings and memories are, that on how long the run takes, and that on the waiting. So
 * the time is looked for at which both agree; and as the run itself has waited too, its stalls are
 * scaled by latency and waiting there over latency and waiting here. What then would still move
 * more than it can is stretched as SimGrid shares it (programs/flows.h).
 */
#include "look/flow/flow.h"

#include "base/alloc.h"
#include "documents/statistics/statistics.h"
#include "documents/traffic.h"
#include "programs/flows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 32, ROUNDS = 28, NODES = NM_RING_NODES_MAX };

/* A ring whose links are busier than this is full: what is simulated never gets beyond. */
static const double FULL = 0.95;

/* A run that spends more of its stalls on refusals depends on who asks again when. */
static const double MANY_REFUSED = 0.1;

/* Waiting that the formulas do not see is no more than so many times what they see. */
static const double DEEPEST = 20;

/* ---- reading --------------------------------------------------------------------------------- */

static double flow_number(const json_t *stats, const char *component, enum doc_statistic statistic)
{
    return doc_statistic_value(stats, component, statistic).value;
}

static void read_card(struct look_flow_run *run, const json_t *stats, unsigned card)
{
    struct look_flow_station *s = &run->station[card / run->p.processors];
    char name[64];
    snprintf(name, sizeof name, "machine.station[%u].card[%u]",
             (unsigned)(card / run->p.processors), (unsigned)(card % run->p.processors));
    const double running = flow_number(stats, name, DOC_STATISTIC_truth_running);
    if (!(running > 0))
        return;
    const double stall = flow_number(stats, name, DOC_STATISTIC_status_l2_stall) +
                         flow_number(stats, name, DOC_STATISTIC_status_mp_stall);
    s->stall += stall;
    s->work += fmax(0, running + flow_number(stats, name, DOC_STATISTIC_truth_system) - stall);
    s->refused += flow_number(stats, name, DOC_STATISTIC_truth_refused_time) *
                  ((double)run->p.cpu_clock / (double)run->p.bus_clock);
    s->requests += flow_number(stats, name, DOC_STATISTIC_truth_reads);
    s->lines += flow_number(stats, name, DOC_STATISTIC_truth_l2_misses) +
                flow_number(stats, name, DOC_STATISTIC_truth_writebacks);
    s->cards++;
    run->last_card = card;
}

static void read_station(struct look_flow_run *run, const json_t *stats, unsigned station)
{
    struct look_flow_station *s = &run->station[station];
    char name[64];
    snprintf(name, sizeof name, "machine.station[%u].bus", station);
    s->bus = flow_number(stats, name, DOC_STATISTIC_station_bus_busy);
    snprintf(name, sizeof name, "machine.station[%u].memory", station);
    s->accesses = flow_number(stats, name, DOC_STATISTIC_station_memory_accesses);
    snprintf(name, sizeof name, "machine.station[%u].netcache", station);
    s->hits = flow_number(stats, name, DOC_STATISTIC_station_hits);
    s->misses = flow_number(stats, name, DOC_STATISTIC_station_misses);
}

static void read_rings(struct look_flow_run *run, const json_t *stats)
{
    for (unsigned r = 0; r < nm_ring_count(&run->p); r++) {
        const struct nm_ring_place place = nm_ring_place(&run->p, r);
        for (unsigned n = 0; n < place.nodes; n++) {
            char name[64];
            snprintf(name, sizeof name, "machine.ring[%u][%u].link[%u]", place.level, place.index,
                     n);
            run->links[place.level] += flow_number(stats, name, DOC_STATISTIC_link_busy);
        }
    }
}

/* Of many regions only the first ones are in the files in full (docs/results.md). */
static bool is_in_full(const struct look_flow_run *run)
{
    double cards = 0, misses = 0, packets = 0;
    for (unsigned s = 0; s < run->stations; s++) {
        cards += run->station[s].cards;
        misses += run->station[s].misses;
    }
    for (size_t i = 0; i < (size_t)run->stations * run->stations; i++)
        packets += (double)run->traffic[i].packets[NM_TO_HOME];
    return cards > 0 && (packets > 0 || !(misses > 0));
}

bool look_flow_read(struct look_flow_run *run, const struct doc_finished *results,
                    const struct nm_params *p, const char *region, char *why, size_t size)
{
    const json_t *stats = doc_finished_stats(results, region);
    *run = (struct look_flow_run){.p = *p, .stations = (unsigned)nm_params_stations(p)};
    if (!stats) {
        snprintf(why, size, "%s: the run has no region '%.60s'", results->directory, region);
        return false;
    }
    run->station = sim_alloc(run->stations, sizeof *run->station);
    run->traffic = sim_alloc((size_t)run->stations * run->stations, sizeof *run->traffic);
    run->elapsed = flow_number(stats, "machine", DOC_STATISTIC_seconds);
    for (unsigned c = 0; c < nm_params_cards(p); c++)
        read_card(run, stats, c);
    for (unsigned s = 0; s < run->stations; s++)
        read_station(run, stats, s);
    read_rings(run, stats);
    if (!(run->elapsed > 0)) {
        snprintf(why, size, "%s: region '%.60s' took no time", results->directory, region);
        return false;
    }
    if (run->stations > 1 &&
        !doc_traffic_read(results->directory, region, run->stations, run->traffic, why, size))
        return false;
    if (is_in_full(run))
        return true;
    snprintf(why, size,
             "%s: no thread ran in region '%.60s', or it is one of so many that the run has its "
             "figures for the whole machine only",
             results->directory, region);
    return false;
}

void look_flow_free(struct look_flow_run *run)
{
    free(run->station);
    free(run->traffic);
}

/* ---- what can be told ------------------------------------------------------------------------ */

static bool is_followed(const char *key)
{
    static const char *const keys[] = {
#define FLOW_KEY(key) key,
#include "look/flow/keys.def"
#undef FLOW_KEY
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!strcmp(key, keys[i]))
            return true;
    return false;
}

/* What has its default on both machines is no choice: some defaults are so many times a second. */
static bool is_other(const struct nm_params *a, const struct nm_params *b,
                     const struct nm_param_row *row)
{
    const uint64_t x = nm_param_get(a, row), y = nm_param_get(b, row);
    return x != y && !(x == nm_param_default(a, row) && y == nm_param_default(b, row));
}

bool look_flow_fits(const struct look_flow_run *run, const struct nm_params *other, char *why,
                    size_t size)
{
    size_t count;
    const struct nm_param_row *row = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++)
        if (is_other(&run->p, other, &row[i]) && !is_followed(row[i].key)) {
            snprintf(why, size,
                     "'%s' is another one than in the run, and what it changes no traffic shows; "
                     "simulate the other machine, or keep it ('numachine whatif --help')",
                     row[i].key);
            return false;
        }
    if (run->last_card < nm_params_cards(other))
        return true;
    snprintf(why, size,
             "the run has a thread on processor %u, and the other machine has %u; run fewer "
             "threads, or simulate it",
             run->last_card, (unsigned)nm_params_cards(other));
    return false;
}

/* ---- a machine with the run's traffic ---------------------------------------------------------
 */

/* Loads are seconds in which something is busy while the run lasts. */
struct load {
    const struct nm_params *p;
    const struct look_latency *latency;
    struct ring_shape shape;
    unsigned stations, rings;
    unsigned base[RING_LEVELS]; /* first ring of a level */
    double *bus, *memory;       /* [stations] */
    double *link;               /* [rings * NODES] */
    double slot;                /* [s] */
    double tenure, access;      /* [s] of the bus, of a memory's banks */
    double scale[RING_LEVELS];  /* what links carry, of what the messages come to */
};

/* A link on the way of a message, and whether the message comes onto a ring there. */
typedef void hop_fn(void *ctx, unsigned link, unsigned level, bool enters);

/* Whether there is no ring above, which the compiler shall see, too. */
static inline bool is_top(const struct load *l, unsigned level)
{
    return level >= RING_LEVELS - 1 || level + 1 == l->shape.levels;
}

static void walk_ring(const struct load *l, unsigned level, unsigned ring, unsigned from,
                      unsigned to, hop_fn *hop, void *ctx)
{
    const unsigned nodes = l->shape.fan[level] + !is_top(l, level);
    for (unsigned n = from; n != to; n = (n + 1) % nodes)
        hop(ctx, (l->base[level] + ring) * NODES + n, level, n == from);
}

/* From a station to another: up to the ring they share, along it, and down. */
static void flow_walk(const struct load *l, unsigned from, unsigned to, unsigned level, hop_fn *hop,
                      void *ctx)
{
    const unsigned fan = l->shape.fan[level];
    if (is_top(l, level) || from / fan == to / fan) {
        walk_ring(l, level, from / fan, from % fan, to % fan, hop, ctx);
        return;
    }
    walk_ring(l, level, from / fan, from % fan, fan, hop, ctx);
    flow_walk(l, from / fan, to / fan, level + 1, hop, ctx);
    walk_ring(l, level, to / fan, fan, to % fan, hop, ctx);
}

static unsigned flow_distance(const struct load *l, unsigned from, unsigned to)
{
    unsigned level = 0;
    while (!is_top(l, level) && from / l->shape.fan[level] != to / l->shape.fan[level]) {
        from /= l->shape.fan[level];
        to /= l->shape.fan[level];
        level++;
    }
    return level;
}

static const struct nm_traffic *flow_cell(const struct look_flow_run *run, unsigned from,
                                          unsigned to)
{
    return &run->traffic[(size_t)from * run->stations + to];
}

/* Of messages that neither come to a home nor from one, those with a line: most others are one
 * message to many stations, whose copies part from it on the way (find_scale). */
static double flow_slots(const struct load *l, const struct nm_traffic *t, enum nm_side side)
{
    const double bytes = (double)t->bytes[side];
    const double headers =
        side == NM_BETWEEN ? bytes / (double)l->p->l2_line : (double)t->packets[side];
    return headers + bytes / (double)l->p->ring_width;
}

/* Where pages are that were at one home: the k-th page is at station k modulo the stations, here
 * as there. What is not placed in turn stays where it was. */
struct homes {
    unsigned first, step, count;
};

static unsigned flow_common(unsigned a, unsigned b)
{
    while (b) {
        const unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static struct homes homes_of(const struct load *l, const struct look_flow_run *run, unsigned home)
{
    const unsigned step = flow_common(run->stations, l->stations);
    if (l->p->placement != NM_PLACE_ROUND_ROBIN || run->stations == l->stations)
        return (struct homes){home % l->stations, 1, 1};
    return (struct homes){home % step, step, l->stations / step};
}

static inline unsigned home_at(struct homes h, unsigned i)
{
    return h.first + i * h.step;
}

struct adding {
    struct load *l;
    double slots;
};

static void add_hop(void *ctx, unsigned link, unsigned level, bool enters)
{
    struct adding *a = ctx;
    (void)enters;
    a->l->link[link] += a->slots * a->l->slot * a->l->scale[level];
}

/* Messages between a station and the pages of a home, to it or from it; of others `homes` is one.
 */
static void load_way(struct load *l, unsigned station, struct homes homes, bool to, double count)
{
    struct adding adding = {l, count / homes.count};
    for (unsigned i = 0; i < homes.count && count > 0; i++) {
        const unsigned home = home_at(homes, i);
        if (home != station)
            flow_walk(l, to ? station : home, to ? home : station, 0, add_hop, &adding);
    }
}

static void load_rings(struct load *l, const struct look_flow_run *run)
{
    for (unsigned a = 0; a < run->stations; a++)
        for (unsigned b = 0; b < run->stations; b++) {
            const struct nm_traffic *t = flow_cell(run, a, b);
            const unsigned from = a % l->stations, to = b % l->stations;
            load_way(l, from, homes_of(l, run, b), true, flow_slots(l, t, NM_TO_HOME));
            load_way(l, to, homes_of(l, run, a), false, flow_slots(l, t, NM_FROM_HOME));
            load_way(l, from, (struct homes){to, 1, 1}, true, flow_slots(l, t, NM_BETWEEN));
        }
}

/* [s] of a bus for messages with so many headers and bytes. */
static double bus_time(const struct nm_params *p, double headers, double bytes)
{
    return (headers + bytes / (double)p->bus_width) / (double)p->bus_clock;
}

/* What passes a home's bus because of the others: what comes to it, and what it answers. */
static double bus_of_others(const struct look_flow_run *run, const struct nm_params *p,
                            unsigned home, unsigned other)
{
    const struct nm_traffic *in = flow_cell(run, other, home), *out = flow_cell(run, home, other);
    return bus_time(p, (double)in->packets[NM_TO_HOME] + (double)out->packets[NM_FROM_HOME],
                    (double)in->bytes[NM_TO_HOME] + (double)out->bytes[NM_FROM_HOME]);
}

/* Of a bus's cycles, those with data are as many as the lines need, and the rest headers. */
static double own_bus(const struct look_flow_run *run, const struct nm_params *p, unsigned s)
{
    const double line = (double)run->p.l2_line, was = (double)run->p.bus_width;
    double others = 0;
    for (unsigned o = 0; o < run->stations; o++)
        others += bus_of_others(run, &run->p, s, o) * (double)run->p.bus_clock;
    const double cycles = fmax(0, run->station[s].bus - others);
    const double data = fmin(run->station[s].lines * line / was, 0.9 * cycles);
    return bus_time(p, cycles - data, data * was);
}

/* Accesses that took a bank of a station's memory: those that moved a line, as refusals and
 * upgrades only look at the directory. */
static double lines_of(const struct look_flow_run *run, unsigned s)
{
    const struct look_flow_station *station = &run->station[s];
    double lines = fmax(0, station->requests - station->hits - station->misses);
    for (unsigned o = 0; o < run->stations; o++)
        lines += (double)(flow_cell(run, o, s)->bytes[NM_TO_HOME] +
                          flow_cell(run, s, o)->bytes[NM_FROM_HOME]) /
                 (double)run->p.l2_line;
    return fmin(station->accesses, lines);
}

static void load_stations(struct load *l, const struct look_flow_run *run)
{
    for (unsigned s = 0; s < run->stations; s++) {
        const struct homes homes = homes_of(l, run, s);
        const double own = own_bus(run, l->p, s);
        double others = 0;
        for (unsigned o = 0; o < run->stations; o++)
            others += bus_of_others(run, l->p, s, o);
        l->bus[s % l->stations] += own;
        for (unsigned i = 0; i < homes.count; i++) {
            l->bus[home_at(homes, i)] += others / homes.count;
            l->memory[home_at(homes, i)] += lines_of(run, s) * l->access / homes.count;
        }
    }
}

static struct load load_new(const struct look_flow_run *run, const struct nm_params *p,
                            const struct look_latency *latency, const double *scale)
{
    struct load l = {.p = p,
                     .latency = latency,
                     .shape = nm_ring_shape(p),
                     .stations = (unsigned)nm_params_stations(p),
                     .rings = nm_ring_count(p),
                     .slot = 1 / (double)p->ring_clock,
                     .tenure =
                         (1 + (double)p->l2_line / (double)p->bus_width / 2) / (double)p->bus_clock,
                     .access = (double)(p->memory_dram + p->memory_recovery) /
                               (double)(p->memory_banks * p->bus_clock)};
    for (unsigned r = 0, level = RING_LEVELS; r < l.rings; r++)
        if (nm_ring_place(p, r).level != level) {
            level = nm_ring_place(p, r).level;
            l.base[level] = r;
        }
    memcpy(l.scale, scale, sizeof l.scale);
    l.bus = sim_alloc(l.stations, sizeof *l.bus);
    l.memory = sim_alloc(l.stations, sizeof *l.memory);
    l.link = sim_alloc((size_t)l.rings * NODES + 1, sizeof *l.link);
    load_rings(&l, run);
    load_stations(&l, run);
    return l;
}

static void load_free(struct load *l)
{
    free(l->bus);
    free(l->memory);
    free(l->link);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* [s] In front of something that serves one after the other for `service` each, and is busy for
 * `load` of `elapsed`: M/D/1. */
static double flow_wait(double service, double load, double elapsed)
{
    const double busy = fmin(load / elapsed, 0.95);
    return service * busy / (2 * (1 - busy));
}

struct entering {
    const struct load *l;
    double elapsed, slots, wait;
};

/* Each slot of a message waits for a free one, where it comes onto a ring. */
static void enter_hop(void *ctx, unsigned link, unsigned level, bool enters)
{
    struct entering *e = ctx;
    const double busy = fmin(e->l->link[link] / e->elapsed / FULL, 0.98);
    (void)level;
    if (enters)
        e->wait += e->slots * e->l->slot * busy / (1 - busy);
}

static double ring_wait(const struct load *l, unsigned from, unsigned to, double count,
                        double elapsed)
{
    struct entering e = {l, elapsed, count, 0};
    flow_walk(l, from, to, 0, enter_hop, &e);
    return e.wait;
}

/* [s] all requests of a station take: without anybody in the way, and what they wait. */
struct taking {
    double latency, wait;
};

static struct taking home_takes(const struct load *l, unsigned s, double elapsed)
{
    return (struct taking){.latency = l->latency->home / (double)l->p->cpu_clock,
                           .wait = 2 * flow_wait(l->tenure, l->bus[s], elapsed) +
                                   flow_wait(l->access, l->memory[s], elapsed)};
}

static struct taking away_takes(const struct load *l, unsigned s, unsigned home, double elapsed)
{
    if (s == home)
        return home_takes(l, s, elapsed);
    const double line = (double)l->p->l2_line / (double)l->p->ring_width + 1;
    return (struct taking){
        .latency = l->latency->away[flow_distance(l, s, home)] / (double)l->p->cpu_clock,
        .wait = 2 * flow_wait(l->tenure, l->bus[s], elapsed) +
                2 * flow_wait(l->tenure, l->bus[home], elapsed) +
                flow_wait(l->access, l->memory[home], elapsed) + ring_wait(l, s, home, 1, elapsed) +
                ring_wait(l, home, s, line, elapsed)};
}

static void add_taking(struct taking *sum, double count, struct taking one)
{
    sum->latency += count * one.latency;
    sum->wait += count * one.wait;
}

/* So many requests for pages of one home. */
static void add_requests(struct taking *sum, const struct load *l, unsigned at, struct homes homes,
                         double count, double elapsed)
{
    for (unsigned i = 0; i < homes.count && count > 0; i++)
        add_taking(sum, count / homes.count, away_takes(l, at, home_at(homes, i), elapsed));
}

static struct taking station_takes(const struct load *l, const struct look_flow_run *run,
                                   unsigned s, double elapsed)
{
    const struct look_flow_station *station = &run->station[s];
    const unsigned at = s % l->stations;
    const double local = fmax(0, station->requests - station->hits - station->misses);
    struct taking sum = {0, 0};
    double asked = 0;
    for (unsigned h = 0; h < run->stations; h++)
        asked += (double)flow_cell(run, s, h)->packets[NM_TO_HOME];
    add_requests(&sum, l, at, homes_of(l, run, s), local, elapsed);
    add_taking(&sum, station->hits,
               (struct taking){.latency = l->latency->netcache / (double)l->p->cpu_clock,
                               .wait = 2 * flow_wait(l->tenure, l->bus[at], elapsed)});
    for (unsigned h = 0; h < run->stations && asked > 0; h++)
        add_requests(&sum, l, at, homes_of(l, run, h),
                     station->misses * (double)flow_cell(run, s, h)->packets[NM_TO_HOME] / asked,
                     elapsed);
    return sum;
}

/* ---- the time -------------------------------------------------------------------------------- */

/* The run's machine and another one, and what the run's requests took here. */
struct both {
    const struct look_flow_run *run;
    const struct load *there;
    const struct taking *here; /* [stations of the run] */
};

/* How much deeper the queues of the run were than the formulas have them: what is neither latency
 * nor refusals was waiting. */
static double queues_are(const struct look_flow_station *s, struct taking before, double cycle)
{
    const double excess = (s->stall - s->refused) * cycle - before.latency;
    return before.wait > 0 ? fmin(fmax(1, excess / before.wait), DEEPEST) : 1;
}

/* [s] of all threads' work and stalls there, if the run takes `elapsed`; `queues` false: if nothing
 * waited longer than here. */
static double threads_take(const struct both *b, double elapsed, bool queues)
{
    const double cycle = 1 / (double)b->there->p->cpu_clock, was = 1 / (double)b->run->p.cpu_clock;
    double sum = 0;
    for (unsigned s = 0; s < b->run->stations; s++) {
        const struct look_flow_station *station = &b->run->station[s];
        if (!station->cards)
            continue;
        const struct taking before = b->here[s],
                            after = station_takes(b->there, b->run, s, elapsed);
        const double deeper = queues_are(station, before, was);
        const double all = before.latency + deeper * before.wait;
        const double waits = deeper * (queues ? after.wait : before.wait);
        const double factor = all > 0 ? (after.latency + waits) / all : cycle / was;
        sum += station->work * cycle + station->stall * was * factor;
    }
    return sum;
}

static double threads_took(const struct look_flow_run *run)
{
    double sum = 0;
    for (unsigned s = 0; s < run->stations; s++)
        sum += run->station[s].work + run->station[s].stall;
    return sum / (double)run->p.cpu_clock;
}

/* The elapsed time at which what is waited in it makes it as long as it is. */
static double flow_settle(const struct both *b)
{
    const double took = threads_took(b->run), elapsed = b->run->elapsed;
    double low = elapsed / 100, high = elapsed * 100;
    for (unsigned i = 0; i < ROUNDS && took > 0; i++) {
        const double middle = sqrt(low * high);
        if (elapsed * threads_take(b, middle, true) / took > middle)
            low = middle;
        else
            high = middle;
    }
    return sqrt(low * high);
}

/* ---- what does not fit ----------------------------------------------------------------------- */

struct flows {
    struct prog_flow *flow;
    size_t count, room;
};

static void flow_push(struct flows *f, struct prog_flow flow)
{
    if (!(flow.share > 0))
        return;
    if (f->count == f->room) {
        f->room = 2 * f->room + 64;
        f->flow = sim_grow(f->flow, f->room, sizeof *f->flow);
    }
    f->flow[f->count++] = flow;
}

/* What goes between a station and a home of pages that it asks for. */
static void flows_with(struct flows *f, const struct load *l, unsigned at, unsigned home,
                       const double share[4])
{
    if (at != home) {
        const double scale = l->scale[flow_distance(l, at, home)] / FULL;
        flow_push(f, (struct prog_flow){PROG_FLOW_RINGS, at, home, scale * share[0]});
        flow_push(f, (struct prog_flow){PROG_FLOW_RINGS, home, at, scale * share[1]});
    }
    flow_push(f, (struct prog_flow){PROG_FLOW_BUS, home, 0, share[2]});
    flow_push(f, (struct prog_flow){PROG_FLOW_MEMORY, home, 0, share[3]});
}

/* Accesses to the memory of a home for a station: its part of them is that of the messages. */
static double accesses_of(const struct look_flow_run *run, unsigned s, unsigned home)
{
    double all = 0;
    for (unsigned o = 0; o < run->stations; o++)
        all += (double)flow_cell(run, o, home)->packets[NM_TO_HOME];
    return all > 0 ? run->station[home].accesses *
                         (double)flow_cell(run, s, home)->packets[NM_TO_HOME] / all
                   : 0;
}

/* What station s of the run has going on: on the rings, at the homes it asks, and on its own bus.
 */
static void flows_of(struct flows *f, const struct look_flow_run *run, const struct load *l,
                     unsigned s, double elapsed)
{
    const unsigned at = s % l->stations;
    flow_push(f, (struct prog_flow){PROG_FLOW_BUS, at, 0, own_bus(run, l->p, s) / elapsed});
    for (unsigned h = 0; h < run->stations; h++) {
        const struct homes homes = homes_of(l, run, h);
        const struct nm_traffic *out = flow_cell(run, s, h), *back = flow_cell(run, h, s);
        const double part = 1 / (elapsed * homes.count);
        const double share[4] = {flow_slots(l, out, NM_TO_HOME) * l->slot * part,
                                 flow_slots(l, back, NM_FROM_HOME) * l->slot * part,
                                 bus_of_others(run, l->p, h, s) * part,
                                 accesses_of(run, s, h) * l->access * part};
        for (unsigned i = 0; i < homes.count; i++)
            flows_with(f, l, at, home_at(homes, i), share);
        if (at != h % l->stations)
            flow_push(f,
                      (struct prog_flow){PROG_FLOW_RINGS, at, h % l->stations,
                                         l->scale[flow_distance(l, at, h % l->stations)] / FULL *
                                             flow_slots(l, out, NM_BETWEEN) * l->slot / elapsed});
    }
}

/* Stations share tasks, so that a large machine has no more than TASKS. */
static int flow_share(const struct look_flow_run *run, const struct load *l, double elapsed,
                      double *stretch)
{
    const unsigned tasks = run->stations < TASKS ? run->stations : TASKS;
    struct flows flows[TASKS] = {0};
    struct prog_task task[TASKS] = {0};
    double took[TASKS] = {0};
    for (unsigned s = 0; s < run->stations; s++)
        flows_of(&flows[s * tasks / run->stations], run, l, s, elapsed);
    unsigned busy = 0;
    for (unsigned t = 0; t < tasks; t++)
        if (flows[t].count && busy < nm_params_cards(l->p)) {
            task[busy] = (struct prog_task){busy, flows[t].flow, flows[t].count};
            busy++;
        }
    const int err = prog_flows_run(l->p, task, busy, took);
    *stretch = busy ? 0 : 1;
    for (unsigned t = 0; t < busy; t++)
        *stretch += took[t] / busy;
    for (unsigned t = 0; t < tasks; t++)
        free(flows[t].flow);
    return err;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void note_use(struct look_flow_use *use, double busy, unsigned at, double of)
{
    use->mean += busy / of;
    if (busy > use->most) {
        use->most = busy;
        use->at = at;
    }
}

static void flow_uses(const struct load *l, double elapsed,
                      struct look_flow_use use[LOOK_FLOW_PARTS])
{
    unsigned links[RING_LEVELS] = {0};
    for (unsigned s = 0; s < l->stations; s++) {
        note_use(&use[LOOK_FLOW_BUS], l->bus[s] / elapsed, s, l->stations);
        note_use(&use[LOOK_FLOW_MEMORY], l->memory[s] / elapsed, s, l->stations);
    }
    for (unsigned r = 0; r < l->rings; r++)
        links[nm_ring_place(l->p, r).level] += nm_ring_place(l->p, r).nodes;
    for (unsigned r = 0; r < l->rings; r++) {
        const struct nm_ring_place place = nm_ring_place(l->p, r);
        for (unsigned n = 0; n < place.nodes; n++)
            note_use(&use[LOOK_FLOW_RING + place.level], l->link[(size_t)r * NODES + n] / elapsed,
                     place.index, links[place.level]);
    }
}

/* What the links carried, of what the messages of flow_slots() come to, link by link: those to many
 * stations are shared out among the others. */
static void find_scale(const struct look_flow_run *run, double scale[RING_LEVELS])
{
    const double one[RING_LEVELS] = {1, 1, 1};
    struct load l = load_new(run, &run->p, &run->latency, one);
    double sum[RING_LEVELS] = {0};
    for (unsigned r = 0; r < l.rings; r++)
        for (unsigned n = 0; n < NODES; n++)
            sum[nm_ring_place(&run->p, r).level] += l.link[(size_t)r * NODES + n] / l.slot;
    for (unsigned level = 0; level < RING_LEVELS; level++)
        scale[level] = sum[level] > 0 ? run->links[level] / sum[level]
                       : level        ? scale[level - 1]
                                      : 1;
    load_free(&l);
}

static struct taking *takes_here(const struct look_flow_run *run, const struct load *here)
{
    struct taking *takes = sim_alloc(run->stations, sizeof *takes);
    for (unsigned s = 0; s < run->stations; s++)
        takes[s] = station_takes(here, run, s, run->elapsed);
    return takes;
}

int look_flow_predict(const struct look_flow_run *run, const struct nm_params *other,
                      const struct look_latency *latency, struct look_flow *flow)
{
    double scale[RING_LEVELS];
    find_scale(run, scale);
    struct load here = load_new(run, &run->p, &run->latency, scale);
    struct load there = load_new(run, other, latency, scale);
    struct taking *takes = takes_here(run, &here);
    const struct both both = {run, &there, takes};
    const double elapsed = flow_settle(&both), took = threads_took(run);
    *flow = (struct look_flow){.idle_latency = 1, .saturated = 1};
    const int err = flow_share(run, &there, elapsed, &flow->saturated);
    if (took > 0)
        flow->idle_latency = threads_take(&both, elapsed, false) / took;
    flow->elapsed = elapsed * flow->saturated;
    flow->slower = flow->elapsed / run->elapsed;
    flow_uses(&here, run->elapsed, flow->use[0]);
    flow_uses(&there, flow->elapsed, flow->use[1]);
    free(takes);
    load_free(&here);
    load_free(&there);
    return err;
}

/* ---- how far off ----------------------------------------------------------------------------- */

static const struct look_flow_error errors[] = {
#define FLOW_ERROR(kind, sentence, median, worst, runs) {kind, sentence, median, worst, runs},
#include "look/flow/errors.def"
#undef FLOW_ERROR
};

/* Of the time spent stalled, what went to requests that were refused and came again. */
static double refused_share(const struct look_flow_run *run)
{
    double refused = 0, stall = 0;
    for (unsigned s = 0; s < run->stations; s++) {
        refused += run->station[s].refused;
        stall += run->station[s].stall;
    }
    return stall > 0 ? refused / stall : 0;
}

static const char *flow_kind_of(const struct look_flow_run *run, const struct nm_params *other)
{
    const struct nm_params *p = &run->p;
    if (refused_share(run) > MANY_REFUSED)
        return "refused";
    if (nm_params_stations(p) != nm_params_stations(other))
        return "size";
    return p->ring_stations != other->ring_stations || p->ring_locals != other->ring_locals
               ? "shape"
               : "speed";
}

const struct look_flow_error *look_flow_error(const struct look_flow_run *run,
                                              const struct nm_params *other)
{
    const char *kind = flow_kind_of(run, other);
    size_t i = 0;
    while (strcmp(errors[i].kind, kind) != 0)
        i++;
    return &errors[i];
}
