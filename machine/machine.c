/*
 * Assembly: stations with their cards, memory, network card and bus, and the rings between them;
 * and what an operating system or an observer may ask of them. How time passes: windows.c.
 */
#include "machine/assembly.h"

#include "base/alloc.h"
#include "machine/functional.h"
#include "machine/hear.h"
#include "machine/placement.h"
#include "machine/statistics.h"
#include "machine/values.h"
#include "monitor/taps.h"
#include "monitor/unit.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = 100000, /* [ticks] the watchdog looks between windows */
    SHORT = 1000      /* [ticks] what is kept of a window is little */
};

/* Shortest way from one processor's access to another card of its station: look-up, agent, a
 * request's tenure, the directory, an answer's tenure; or without look-up and directory to the
 * other card's registers. */
static sim_tick station_lookahead(const struct nm_params *p)
{
    sim_tick cycle = p->cpu_clock / p->bus_clock;
    sim_tick directory =
        p->memory_directory < p->netcache_directory ? p->memory_directory : p->netcache_directory;
    sim_tick caches = p->l2_lookup + cycle * (p->agent_request + 2 * (p->bus_arbitration + 1) +
                                              directory + p->agent_response);
    sim_tick registers =
        cycle * (p->agent_request + p->bus_arbitration + 1 + p->agent_response + p->agent_register);
    return caches < registers ? caches : registers;
}

/* Least time from a processor's access to its station's way to the rings: agent and a tenure (an
 * uncached access is not looked up first). */
static sim_tick outward(const struct nm_params *p)
{
    return p->cpu_clock / p->bus_clock * (p->agent_request + p->bus_arbitration + 1);
}

/* And from a packet's delivery to what a processor can notice: a tenure and the agent. */
static sim_tick inward(const struct nm_params *p)
{
    return p->cpu_clock / p->bus_clock * (p->bus_arbitration + 1 + p->agent_response);
}

static void on_packet(void *ctx, sim_tick now, const struct nm_packet *p)
{
    struct nm_station *s = ctx;
    nm_check_saw(s->check, now, s->number, p);
    for (int i = 1; i < __builtin_popcount(p->targets); i++)
        nm_check_share(s->check, p->data);
}

static struct nm_card *card_at(const struct nm_machine *m, unsigned card)
{
    assert(card < m->cards);
    return m->card[card];
}

static struct nm_station *station_of(const struct nm_machine *m, unsigned card)
{
    return &m->station[card / m->p->processors];
}

static void trap_due(void *self, sim_tick now, uint64_t arg)
{
    nm_station_call(self, station_of(self, (uint32_t)arg),
                    (struct nm_call){.at = now, .card = (uint32_t)arg, .preempted = arg >> 32});
}

static void interrupt_due(void *self, sim_tick now, uint64_t arg)
{
    nm_station_call(self, station_of(self, (uint32_t)arg),
                    (struct nm_call){.at = now,
                                     .card = (uint32_t)arg,
                                     .interrupt = true,
                                     .cause = (enum nm_interrupt)(arg >> 32)});
}

void nm_card_breach(unsigned card, const char *format, ...)
{
    va_list ap;
    fprintf(stderr, "card %u ", card);
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    abort();
}

void nm_card_early(unsigned card, sim_tick at, sim_tick horizon)
{
    nm_card_breach(card,
                   "stopped at tick %" PRIu64 ", before its horizon %" PRIu64
                   ": it must go on to the horizon, wait, or trap. A core sets cpu->horizon before "
                   "its first access (procard/core.h)",
                   at, horizon);
}

void nm_card_traps(struct nm_machine *m, unsigned card, sim_tick at, bool preempted)
{
    const struct nm_station *s = station_of(m, card);
    nm_usage_set(&m->usage[card], NM_USE_SYSTEM, at);
    if (m->mode != NM_MODE_TIMED)
        nm_machine_call(m, (struct nm_call){.at = at, .card = card, .preempted = preempted});
    else
        sim_post(s->k, at, SIM_RANK_OS, nm_component(card % s->cards, NM_ORDER_TRAP), trap_due, m,
                 (uint64_t)preempted << 32 | card);
}

void nm_card_interrupts(struct nm_machine *m, unsigned card, sim_tick now, enum nm_interrupt cause)
{
    const struct nm_station *s = station_of(m, card);
    sim_post(s->k, now, SIM_RANK_OS, nm_component(card % s->cards, NM_ORDER_INTERRUPT),
             interrupt_due, m, (uint64_t)cause << 32 | card);
}

/* A packet leaves the rings. Every station that gets a copy looks at its data. */
static void on_delivery(void *ctx, unsigned station, sim_tick at, const struct ring_packet *p)
{
    struct nm_machine *m = ctx;
    struct nm_station *s = &m->station[station];
    if (at - sim_kernel_now(s->k) >= SIM_WHEEL) /* it has slept: so that this is near */
        sim_kernel_advance(s->k, m->now);
    nm_network_deliver(s->network, at, p);
    nm_memory_expect(s->memory, nm_network_line_of(p));
    nm_station_wake(m, s, at);
}

static struct ring_timing ring_timing(const struct nm_params *p)
{
    const struct ring_depth input = {.depth = (uint32_t)p->ring_input + 2,
                                     .near_full = (uint32_t)p->ring_input,
                                     .restart = (uint32_t)(p->ring_input + 1) / 2};
    struct ring_depth up = input, down = input;
    up.near_full = down.near_full = (uint32_t)p->ring_between;
    up.restart = down.restart = (uint32_t)(p->ring_between + 1) / 2;
    down.depth = down.near_full + 2;
    up.depth = up.near_full + RING_FAN_MAX + 2;
    return (struct ring_timing){.cycle = (uint32_t)(p->cpu_clock / p->ring_clock),
                                .generator = (uint32_t)p->ring_generator,
                                .handler = (uint32_t)p->ring_handler,
                                .up = (uint32_t)p->ring_up,
                                .down = (uint32_t)p->ring_down,
                                .output = {(uint32_t)p->ring_output, (uint32_t)p->ring_output},
                                .queue = (uint32_t)p->ring_queue,
                                .input = input,
                                .up_fifo = up,
                                .down_fifo = down,
                                .nonsinkable_limit = (uint32_t)p->ring_limit,
                                .patience = (uint32_t)p->ring_patience};
}

static void hide_line(void *ctx, unsigned card, uint64_t line)
{
    struct nm_machine *m = ctx;
    m->card[card]->ops->hide(m->card[card], line);
}

static void rings_new(struct nm_machine *m)
{
    const struct nm_params *p = m->p;
    m->shape = nm_ring_shape(p);
    if (m->stations == 1)
        return;
    struct ring_timing timing = ring_timing(p);
    m->net = ring_net_new(&m->shape, &timing, on_delivery, m);
}

/** What stands in a card's place; NULL: what the machine's parameters say. */
static const struct nm_fitting *fitting_of(const struct nm_machine *m, unsigned card)
{
    return m->mix.fittings && m->mix.of[card] ? &m->mix.fitting[m->mix.of[card] - 1] : NULL;
}

static void card_new(struct nm_machine *m, struct nm_station *s, unsigned position,
                     const struct nm_card_kind *cards)
{
    const unsigned number = s->number * s->cards + position;
    const struct nm_fitting *fitting = fitting_of(m, number);
    const struct nm_card_site site = {.kind = fitting ? fitting->kind : cards,
                                      .machine = m,
                                      .kernel = s->k,
                                      .bus = s->bus,
                                      .params = nm_card_params(m, number),
                                      .contents = &m->contents,
                                      .rings = &m->shape,
                                      .protocol = m->protocol,
                                      .number = number,
                                      .position = position,
                                      .station = (uint16_t)s->number};
    s->card[position] = m->card[number] = site.kind->ops->create(&site);
    s->foresees |= s->card[position]->foresees;
    m->sleeps |= s->card[position]->sleeps;
    m->together &= s->card[position]->together;
}

static void station_new(struct nm_machine *m, unsigned number, const struct nm_card_kind *cards)
{
    struct nm_station *s = &m->station[number];
    struct nm_place place = {.rings = &m->shape,
                             .station = (uint16_t)number,
                             .cards = (uint8_t)m->p->processors,
                             .protocol = m->protocol};
    s->number = number;
    s->next = s->speaks = SIM_NEVER;
    memset(s->running, 0xff, sizeof s->running);
    memset(s->order, 0xff, sizeof s->order);
    s->lookahead = station_lookahead(m->p);
    s->check = m->contents.check;
    s->k = sim_kernel_new();
    if (SIM_LOOKS_AT_INVARIANTS) {
        s->k->tie = nm_station_tie;
        s->k->tie_ctx = s;
    }
    s->bus = nm_bus_new(s->k, m->p, m->contents.parts);
    if (m->p->check)
        nm_bus_listen(s->bus, on_packet, s);
    s->memory = nm_memory_new(s->k, s->bus, m->p, &place, number * m->p->memory_size, &m->contents);
    if (m->net)
        s->network = nm_network_new(s->k, s->bus, m->p, &place, m->net, &m->contents);
    s->cards = (unsigned)m->p->processors;
    for (unsigned i = 0; i < s->cards; i++)
        card_new(m, s, i, cards);
}

static void mix_copy(struct nm_mix *to, const struct nm_mix *from, unsigned cards)
{
    if (!from || !from->fittings)
        return;
    struct nm_fitting *fitting = sim_alloc(from->fittings, sizeof *fitting);
    uint8_t *of = sim_alloc(cards, sizeof *of);
    for (unsigned i = 0; i < from->fittings; i++)
        fitting[i] =
            (struct nm_fitting){from->fitting[i].kind, nm_params_copy(from->fitting[i].params)};
    memcpy(of, from->of, cards * sizeof *of);
    *to = (struct nm_mix){fitting, from->fittings, of};
}

static bool mix_fits(const struct nm_params *params, const struct nm_mix *mix)
{
    const char *key;
    bool fits = true;
    for (unsigned i = 0; mix && i < mix->fittings; i++)
        fits = fits && nm_params_same_machine(mix->fitting[i].params, params) &&
               nm_params_check(mix->fitting[i].params, &key, NULL, 0);
    return fits;
}

static struct nm_machine *assemble(const struct nm_params *params, const struct nm_card_kind *cards,
                                   const struct nm_mix *mix)
{
    assert(cards && cards->ops);
    struct nm_machine *m = sim_alloc(1, sizeof *m);
    m->p = nm_params_copy(params);
    m->mode = (enum nm_mode)params->mode;
    m->stations = (unsigned)nm_params_stations(params);
    m->cards = (unsigned)nm_params_cards(params);
    mix_copy(&m->mix, mix, m->cards);
    m->image_bytes = m->stations * m->p->memory_size;
    m->contents.room = sim_room_new(SIM_ROOM_SPARSE);
    m->contents.parts = sim_room_new(SIM_ROOM_DENSE);
    m->contents.image = sim_reserve(m->image_bytes);
    m->protocol = &nm_protocols[m->p->protocol];
    m->placement = nm_placement_new(m->p);
    m->contents.check = nm_check_new(m->p, m->contents.image, m->image_bytes, m->cards);
    m->contents.stale = nm_stale_new(m->p, &m->shape, m->contents.image, hide_line, m);
    struct sim_room *parts = m->contents.parts;
    m->card = sim_room_take(parts, m->cards * sizeof(struct nm_card *));
    m->station = sim_room_take(parts, m->stations * sizeof *m->station);
    m->usage = sim_room_take(parts, m->cards * sizeof *m->usage);
    m->watched = sim_room_take(parts, m->cards * sizeof *m->watched);
    m->counts = sim_room_take(parts, m->cards * sizeof *m->counts);
    m->contents.heeds = sim_room_take(parts, m->cards);
    m->awake = sim_room_take(parts, (m->stations + 63) / 64 * sizeof *m->awake);
    m->next = m->speaks = m->stop_at = SIM_NEVER;
    m->broken = nm_check_failed(m->contents.check);
    m->together = !m->p->check;
    rings_new(m);
    m->outward = outward(m->p);
    m->inward = m->net ? inward(m->p) : 0;
    /* no processor has gone further when the trap is seen */
    m->os_delay = m->net ? m->outward + ring_reach(m->net) + m->inward : station_lookahead(m->p);
    /* no processor has gone further when the rings are given something, either */
    m->may_be_alone =
        m->net && !m->p->step && !m->p->check && station_lookahead(m->p) <= m->os_delay;
    m->longest = LONGEST;
    if (m->p->step) /* nobody gets ahead of anybody */
        m->outward = m->inward = 0;
    for (unsigned i = 0; i < m->stations; i++)
        station_new(m, i, cards);
    nm_blocks_new(m, 1);
    return m;
}

struct nm_machine *nm_machine_new_mixed(const struct nm_params *params,
                                        const struct nm_card_kind *cards, const struct nm_mix *mix)
{
    const char *key;
    return nm_params_check(params, &key, NULL, 0) && mix_fits(params, mix)
               ? assemble(params, cards, mix)
               : NULL;
}

struct nm_machine *nm_machine_new(const struct nm_params *params, const struct nm_card_kind *cards)
{
    return nm_machine_new_mixed(params, cards, NULL);
}

struct nm_machine *nm_machine_assemble(const struct nm_params *params,
                                       const struct nm_card_kind *cards)
{
    return assemble(params, cards, NULL);
}

void nm_machine_free(struct nm_machine *m)
{
    if (!m)
        return;
    for (unsigned i = 0; i < m->stations; i++) {
        nm_memory_free(m->station[i].memory);
        nm_network_free(m->station[i].network);
        sim_kernel_free(m->station[i].k);
        free(m->station[i].calls.at);
    }
    for (unsigned i = 0; i < m->cards; i++)
        m->card[i]->ops->free(m->card[i]);
    if (m->net)
        ring_net_free(m->net);
    nm_check_free(m->contents.check);
    nm_stale_free(m->contents.stale);
    munmap(m->contents.image, m->image_bytes);
    sim_room_free(m->contents.room);
    sim_room_free(m->contents.parts);
    for (unsigned i = 0; i < m->mix.fittings; i++)
        free((void *)m->mix.fitting[i].params);
    free((void *)m->mix.fitting);
    free((void *)m->mix.of);
    free(m->calls.at);
    nm_blocks_free(m);
    if (m->warm)
        free(m->warm->message);
    free(m->warm);
    nm_placement_free(m->placement);
    nm_apart_free(m->apart);
    free(m->p);
    free(m);
}

const struct nm_params *nm_machine_params(const struct nm_machine *m)
{
    return m->p;
}

const struct nm_params *nm_card_params(const struct nm_machine *m, unsigned card)
{
    const struct nm_fitting *fitting = fitting_of(m, card);
    return fitting ? fitting->params : m->p;
}

unsigned nm_machine_cards(const struct nm_machine *m)
{
    return m->cards;
}

sim_tick nm_machine_notice(const struct nm_machine *m, unsigned card, unsigned other)
{
    return station_of(m, card) == station_of(m, other) ? m->station->lookahead : m->os_delay;
}

sim_tick nm_machine_ahead(const struct nm_machine *m)
{
    return nm_functional_quantum(m);
}

sim_tick nm_machine_reach(const struct nm_machine *m)
{
    return m->mode == NM_MODE_WARM ? m->os_delay : nm_machine_ahead(m);
}

sim_tick nm_machine_now(const struct nm_machine *m)
{
    return m->now;
}

uint8_t *nm_machine_image(struct nm_machine *m)
{
    return m->contents.image;
}

void nm_machine_place(struct nm_machine *m, const struct nm_range *ranges, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert(ranges[i].station < m->stations);
    nm_placement_set(m->placement, ranges, count);
}

void nm_machine_keep_apart(struct nm_machine *m, const struct nm_apart_range *ranges, size_t count)
{
    assert(!m->apart);
    if (!count)
        return;
    m->apart = nm_apart_new(m->p, ranges, count);
    nm_placement_keep(m->placement, nm_apart_pages(m->p, ranges, count));
}

const struct nm_apart *nm_machine_apart(const struct nm_machine *m)
{
    return m->apart;
}

void nm_machine_fills_pages(struct nm_machine *m)
{
    m->fills_pages = true;
}

/* The program has taken a page more. One that takes many will fill what its host keeps of memories,
 * directories and caches; until then, small pages keep a small program's run short. */
static void taken(struct nm_machine *m)
{
    enum { LEAST = 4 << 20, OF_A_STATION = 256 << 10 }; /* [bytes] design: a run of a second */
    const uint64_t each = (uint64_t)OF_A_STATION * m->stations, many = each > LEAST ? each : LEAST;
    if (++m->pages_taken != many / m->p->page_size || !m->fills_pages)
        return;
    sim_expect_full(m->contents.image, m->image_bytes);
    sim_room_expect_full(m->contents.room);
}

/** A page that was used before is zeroed. */
static void clean(struct nm_machine *m, uint64_t pa, bool used)
{
    if (!used) {
        taken(m);
        return;
    }
    memset(m->contents.image + pa, 0, m->p->page_size);
    nm_machine_os_wrote(m, pa, m->p->page_size);
}

bool nm_page_alloc(struct nm_machine *m, unsigned toucher, uint64_t va, uint64_t *pa)
{
    bool used;
    assert(toucher < m->cards);
    if (!nm_placement_take(m->placement, toucher, va, pa, &used))
        return false;
    clean(m, *pa, used);
    return true;
}

uint64_t nm_machine_page_turns(const struct nm_machine *m)
{
    return nm_placement_turns(m->placement);
}

bool nm_page_alloc_at(struct nm_machine *m, unsigned station, uint64_t va, uint64_t *pa)
{
    bool used;
    assert(station < m->stations);
    if (!nm_placement_take_at(m->placement, station, va, pa, &used))
        return false;
    clean(m, *pa, used);
    return true;
}

void nm_page_free(struct nm_machine *m, uint64_t pa)
{
    assert(pa < m->image_bytes && pa % m->p->page_size == 0);
    nm_placement_give(m->placement, pa);
}

void nm_machine_os_wrote(struct nm_machine *m, uint64_t pa, uint64_t len)
{
    nm_stale_os_wrote(m->contents.stale, pa, len);
    nm_check_os_wrote(m->contents.check, pa, len);
    uint8_t *const heeds = m->contents.heeds;
    for (unsigned i = 0; i < m->cards; i++)
        if (heeds[i])
            heeds[i] = m->card[i]->ops->os_wrote(m->card[i], pa, len);
}

void nm_machine_set_space(struct nm_machine *m, const struct nm_space *space)
{
    for (unsigned i = 0; i < m->cards; i++)
        m->card[i]->ops->set_space(m->card[i], space);
}

void nm_machine_unmap(struct nm_machine *m, uint64_t va, uint64_t len)
{
    for (unsigned i = 0; i < m->cards; i++)
        m->card[i]->ops->unmap(m->card[i], va, len);
}

struct nm_card *nm_machine_card(struct nm_machine *m, unsigned card)
{
    return card_at(m, card);
}

void nm_card_resume(struct nm_machine *m, unsigned card, sim_tick at)
{
    struct nm_card *c = card_at(m, card);
    struct nm_station *s = station_of(m, card);
    nm_usage_set(&m->usage[card], NM_USE_RUNNING, c->ops->wake(c, at));
    nm_station_moved(s, card % s->cards);
    nm_station_wake(m, s, c->ops->goes_on(c));
}

void nm_card_used(const struct nm_machine *m, unsigned card, sim_tick at, struct nm_truth *out)
{
    nm_usage_at(&m->usage[card], at, out);
}

void nm_card_use(struct nm_machine *m, unsigned card, enum nm_use use, sim_tick at)
{
    assert(card < m->cards);
    nm_usage_set(&m->usage[card], use, at);
}

struct nm_os_count *nm_card_os_counts(struct nm_machine *m, unsigned card)
{
    assert(card < m->cards);
    return &m->counts[card];
}

void nm_card_take(struct nm_machine *m, unsigned card)
{
    card_at(m, card)->ops->idle(m->card[card]);
}

void nm_card_preempt(struct nm_machine *m, unsigned card, sim_tick at)
{
    card_at(m, card)->ops->preempt(m->card[card], at);
}

/* ---- special functions ----------------------------------------------------------------------- */

static const struct nm_function *function(unsigned number)
{
    size_t count;
    const struct nm_function *f = nm_functions(&count);
    for (size_t i = 0; i < count; i++)
        if (f[i].number == number)
            return &f[i];
    return NULL;
}

const char *nm_special_name(unsigned number)
{
    const struct nm_function *f = function(number);
    return f ? f->name : NULL;
}

bool nm_special_overwrites(unsigned number)
{
    const struct nm_function *f = function(number);
    assert(f);
    return f->message == NM_MSG_SF_CLAIM;
}

bool nm_card_special(struct nm_machine *m, unsigned card, unsigned number, uint64_t pa,
                     unsigned lines, sim_tick at)
{
    struct nm_card *c = card_at(m, card);
    struct nm_station *s = station_of(m, card);
    const struct nm_function *f = function(number);
    assert(f && lines && lines <= NM_SPECIAL_LINES && pa < m->image_bytes);
    if (m->mode != NM_MODE_TIMED)
        return false;
    if (f->module == NM_MODULE_NETWORK && pa / m->p->memory_size == s->number)
        return false;
    c->ops->special(c, f, pa & ~(m->p->l2_line - 1), lines, at);
    nm_station_wake(m, s, at);
    return true;
}

bool nm_card_special_busy(const struct nm_machine *m, unsigned card)
{
    return card_at(m, card)->ops->special_busy(m->card[card]);
}

uint64_t nm_look_places(const struct nm_machine *m, unsigned card, enum nm_look_where where)
{
    const struct nm_params *p = nm_card_params(m, card);
    const uint64_t bytes = where == NM_LOOK_MEMORY    ? p->memory_size
                           : where == NM_LOOK_NETWORK ? p->netcache_size
                                                      : p->l2_size >> p->l2_split;
    return bytes / p->l2_line;
}

void nm_card_look(struct nm_machine *m, unsigned card, const struct nm_look *look, sim_tick at)
{
    struct nm_card *c = card_at(m, card);
    c->ops->look(c, look, at);
    nm_station_wake(m, station_of(m, card), at);
}

const struct nm_look *nm_card_looked(const struct nm_machine *m, unsigned card)
{
    return card_at(m, card)->ops->looked(m->card[card]);
}

const char *nm_line_at_home(struct nm_machine *m, uint64_t pa)
{
    assert(pa < m->image_bytes);
    const struct nm_memory *memory = m->station[pa / m->p->memory_size].memory;
    return nm_state_name(m->protocol->agent[NM_AGENT_HOME],
                         nm_memory_line(memory, pa & ~(m->p->l2_line - 1)).state);
}

const char *nm_line_at_network(struct nm_machine *m, unsigned station, uint64_t pa)
{
    const uint64_t line = pa & ~(m->p->l2_line - 1);
    assert(station < m->stations && pa < m->image_bytes);
    if (!m->net || pa / m->p->memory_size == station)
        return "-";
    return nm_state_name(
        m->protocol->agent[NM_AGENT_NC],
        nm_netcache_line(nm_network_cache(m->station[station].network), line).state);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* The card sees its ring pass at its station's interface, and the ring above pass at the interface
 * between the two; in ring cycles, whatever the card's own clock. */
static void ring_taps(const struct nm_machine *m, unsigned station, struct mon_taps *out)
{
    if (!m->net)
        return;
    const unsigned ring = station / m->shape.fan[0], node = station % m->shape.fan[0];
    out->v[MON_TAP_RING_BUSY] = ring_net_link(m->net, 0, ring, node).busy;
    if (m->shape.levels >= 2)
        out->v[MON_TAP_UPPER_RING_BUSY] =
            ring_net_link(m->net, 1, ring / m->shape.fan[1], ring % m->shape.fan[1]).busy;
}

void nm_station_taps(const struct nm_machine *m, unsigned station, sim_tick at,
                     struct mon_taps *out)
{
    const struct nm_memory *memory = m->station[station].memory;
    const struct nm_banks_busy banks = nm_memory_banks_busy(memory, at);
    out->v[MON_TAP_MEMORY_BUSY] = nm_memory_busy(memory, at);
    out->v[MON_TAP_MEMORY_BANK0] = banks.first;
    out->v[MON_TAP_MEMORY_BANK1] = banks.second;
    out->v[MON_TAP_MEMORY_BANKS] = banks.both;
    ring_taps(m, station, out);
}

void nm_card_taps(struct nm_machine *m, unsigned card, struct mon_taps *out)
{
    card_at(m, card)->ops->taps(m->card[card], m->now, out);
}

/* ---- the monitoring cards -------------------------------------------------------------------- */

void nm_card_posted(struct nm_machine *m, unsigned card)
{
    struct nm_station *s = station_of(m, card);
    nm_station_wake(m, s, sim_kernel_next(s->k));
}

uint32_t nm_card_register_read(struct nm_machine *m, unsigned card, uint32_t offset)
{
    struct nm_card *c = card_at(m, card);
    const uint32_t value = c->ops->register_read(c, offset, m->now);
    nm_card_posted(m, card);
    return value;
}

void nm_card_register_write(struct nm_machine *m, unsigned card, uint32_t offset, uint32_t value)
{
    struct nm_card *c = card_at(m, card);
    c->ops->register_write(c, card, offset, value, m->now);
    nm_card_posted(m, card);
}

const struct mon_unit *nm_card_unit(const struct nm_machine *m, unsigned card)
{
    return card_at(m, card)->ops->unit(m->card[card]);
}

void nm_machine_each_window(struct nm_machine *m, nm_window_fn *over, void *ctx)
{
    assert(!over || !m->over);
    m->over = over;
    m->over_ctx = ctx;
    m->longest = SHORT;
    m->may_be_alone = false;
}

void nm_machine_watch_buses(struct nm_machine *m, nm_bus_tenure_fn *told, void *ctx)
{
    nm_machine_in_turn(m);
    for (unsigned s = 0; s < m->stations; s++)
        nm_bus_watch(m->station[s].bus, s, told, ctx);
}

void nm_machine_hear(struct nm_machine *m, const struct nm_ear *ear)
{
    nm_machine_in_turn(m);
    for (unsigned s = 0; s < m->stations; s++) {
        nm_memory_hear(m->station[s].memory, ear);
        if (m->station[s].network)
            nm_network_hear(m->station[s].network, ear);
    }
}

static inline uint8_t depth_of(unsigned packets)
{
    return packets < UINT8_MAX ? (uint8_t)packets : UINT8_MAX;
}

void nm_machine_depths(const struct nm_machine *m, unsigned station, uint8_t depth[NM_QUEUES])
{
    const struct nm_station *s = &m->station[station];
    for (unsigned module = 0; module < NM_MODULES; module++) {
        const struct nm_port *port = nm_bus_port(s->bus, module);
        const struct nm_fifo *in = port ? port->in : NULL, *out = port ? port->out : NULL;
        depth[2 * module] = in ? depth_of(in[NM_SINKABLE].count + in[NM_NONSINKABLE].count) : 0;
        depth[2 * module + 1] =
            out ? depth_of(out[NM_SINKABLE].count + out[NM_NONSINKABLE].count) : 0;
    }
    depth[NM_QUEUE_FROM_RINGS] = s->network
                                     ? depth_of(nm_network_waiting(s->network, NM_SINKABLE) +
                                                nm_network_waiting(s->network, NM_NONSINKABLE))
                                     : 0;
}

unsigned nm_machine_stations(const struct nm_machine *m)
{
    return m->stations;
}

/* [ticks] one ring cycle. */
static sim_tick ring_cycle(const struct nm_machine *m)
{
    return m->p->cpu_clock / m->p->ring_clock;
}

void nm_machine_station(const struct nm_machine *m, unsigned station,
                        struct nm_station_monitor *out)
{
    const struct nm_station *s = &m->station[station];
    const struct nm_station_parts parts = {.bus = s->bus,
                                           .memory = s->memory,
                                           .network = s->network,
                                           .net = m->net,
                                           .ring_cycle = ring_cycle(m),
                                           .number = station};
    nm_station_look(&parts, m->now, out);
}

const struct nm_traffic *nm_machine_traffic(const struct nm_machine *m, unsigned station)
{
    const struct nm_network *network = m->station[station].network;
    return network ? nm_network_sent(network) : NULL;
}

void nm_machine_ring(const struct nm_machine *m, unsigned ring, struct nm_ring_monitor *out)
{
    nm_ring_look(m->net, ring_cycle(m), nm_ring_place(m->p, ring), out);
}

void nm_card_truth(struct nm_machine *m, unsigned card, struct nm_truth *out)
{
    card_at(m, card)->ops->truth(m->card[card], out);
    nm_usage_at(&m->usage[card], m->now, out);
    out->sleeps = m->counts[card].sleeps;
    out->wakes = m->counts[card].wakes;
}

const char *nm_machine_error(const struct nm_machine *m)
{
    return nm_check_error(m->contents.check);
}

static void dump_fifo(FILE *out, const char *where, const struct nm_fifo *f)
{
    for (unsigned i = 0; i < f->count; i++) {
        const struct nm_packet *p = nm_fifo_at(f, i);
        fprintf(out, "    %s[%u] %-10s line %#lx from module %u to %#x, requester %u\n", where, i,
                nm_message_row(p->message)->name, (unsigned long)p->line, p->source, p->targets,
                p->requester);
    }
}

static void dump_port(FILE *out, const struct nm_port *port)
{
    dump_fifo(out, "in.sinkable", &port->in[NM_SINKABLE]);
    dump_fifo(out, "in.nonsinkable", &port->in[NM_NONSINKABLE]);
    dump_fifo(out, "out.sinkable", &port->out[NM_SINKABLE]);
    dump_fifo(out, "out.nonsinkable", &port->out[NM_NONSINKABLE]);
}

/* The directory of the line that the card waits for. */
static void dump_directory(const struct nm_machine *m, FILE *out, const struct nm_station *s,
                           const struct nm_wait *wait)
{
    const bool local = wait->line / m->p->memory_size == s->number;
    const struct nm_dir_line line =
        local ? nm_memory_line(s->memory, wait->line)
              : nm_netcache_line(nm_network_cache(s->network), wait->line);
    fprintf(out, "; the %s has it in %s, cards %#x, held for card %u of station %u",
            local ? "memory" : "network cache",
            nm_state_name(m->protocol->agent[local ? NM_AGENT_HOME : NM_AGENT_NC], line.state),
            line.cards, line.held_card, line.held_station);
}

static void dump_card(const struct nm_machine *m, FILE *out, unsigned number)
{
    struct nm_card *c = m->card[number];
    const struct nm_station *s = station_of(m, number);
    struct nm_wait wait;
    fprintf(out, "  card %u: ", number);
    c->ops->dump(c, out);
    if (c->ops->waits(c, &wait) && wait.coherent)
        dump_directory(m, out, s, &wait);
    fprintf(out, "\n");
    dump_port(out, nm_bus_port(s->bus, number % s->cards));
}

void nm_machine_dump(struct nm_machine *m, void *file)
{
    FILE *out = file;
    fprintf(out, "tick %lu\n", (unsigned long)nm_machine_now(m));
    for (unsigned i = 0; i < m->cards; i++)
        dump_card(m, out, i);
    for (unsigned i = 0; i < m->stations; i++) {
        fprintf(out, "  memory of station %u\n", i);
        dump_port(out, nm_bus_port(m->station[i].bus, NM_MODULE_MEMORY));
        if (!m->net)
            continue;
        fprintf(out, "  network card of station %u; from the rings: %u sinkable, %u nonsinkable\n",
                i, nm_network_waiting(m->station[i].network, NM_SINKABLE),
                nm_network_waiting(m->station[i].network, NM_NONSINKABLE));
        dump_port(out, nm_bus_port(m->station[i].bus, NM_MODULE_NETWORK));
    }
    if (m->net)
        ring_net_dump(m->net, out);
}
