/*
 * The counter unit (monitor/unit.h) and the processor card around it.
 *
 * The hard idea is an interrupt at the exact cycle from counters that nobody increments. A counter
 * of levels (status, busy, waiting, time) grows by at most one per PCycle or card cycle (those of
 * rings per ring cycle, which is no shorter than a PCycle), so it cannot overflow before as many of
 * them have passed as it has left. An event is posted there, looks again, and is posted anew until
 * nothing is left. Counters of packets grow only where a packet passes, and are looked at there.
 *
 * The card's clock is the bus clock: it sees its counters on the edges of it.
 */
#include "procard/monitor.h"

#include "machine/values.h"
#include "procard/card.h"

/* Those that grow in bus.c. */
static const uint64_t BUS_TAPS = UINT64_C(1) << MON_TAP_HEADERS_OUT |
                                 UINT64_C(1) << MON_TAP_HEADERS_IN |
                                 UINT64_C(1) << MON_TAP_DATA_OUT | UINT64_C(1) << MON_TAP_DATA_IN;

static sim_fire_fn monitor_look, monitor_deliver;
static nm_port_heard_fn monitor_heard;

void pc_monitor_init(struct pc_card *card, const struct mon_unit_ops *kind)
{
    struct pc_monitor *mon = &card->monitor;
    mon_comparator_init(&mon->comparator);
    if (kind->event_count && kind->events[kind->nothing].taps)
        nm_card_breach(card->cpu.number,
                       "has a counter unit whose event `nothing`, '%s', counts: it is the row that "
                       "never does (monitor/unit.h)",
                       kind->events[kind->nothing].name);
    mon->unit = kind->create(&(struct mon_site){.number = card->cpu.number,
                                                .turns = card->p->monitor_arbitration,
                                                .comparator = &mon->comparator});
    mon->look.at = mon->leash = SIM_NEVER;
}

void pc_monitor_free(struct pc_card *card)
{
    card->monitor.unit->ops->free(card->monitor.unit);
}

void pc_monitor_taps(const struct pc_card *card, sim_tick now, struct mon_taps *out)
{
    const struct mon_unit *unit = card->monitor.unit;
    pc_card_taps(card, now, out);
    if (card->machine)
        nm_station_taps(card->machine, card->station, now, out);
    if (unit->ops->complete)
        unit->ops->complete(unit, out);
}

/* ---- looking at the counters ----------------------------------------------------------------- */

/* The first edge of the card's clock at which a counter must be looked at. */
static sim_tick edge_of(const struct pc_card *card, const struct mon_look *look, sim_tick now)
{
    const sim_tick cycle = pc_bus_cycle(card);
    switch (look->when) {
    case MON_LOOK_AT:
        return look->count * cycle;
    case MON_LOOK_CYCLES:
        return (now / cycle + look->count) * cycle;
    case MON_LOOK_PCYCLES:
        return pc_bus_edge(card, now + look->count);
    default:
        return SIM_NEVER;
    }
}

/* Whether one of these taps grows when nothing else happens. */
static bool monitor_goes_on(const struct pc_card *card, uint64_t taps)
{
    uint64_t alone = UINT64_C(1) << MON_TAP_CYCLES;
    if (card->activity == PC_IDLE)
        alone |= UINT64_C(1) << MON_TAP_ST_STALL_OTHER;
    return taps & alone;
}

static void post_look(struct pc_card *card, sim_tick at, bool alone)
{
    struct pc_monitor *mon = &card->monitor;
    if (!sim_timer_set(&mon->look, at))
        return;
    mon->idle += !alone;
    sim_post(card->k, at, SIM_RANK_LOOK, nm_component(card->position, 0), monitor_look, card,
             alone);
}

/* [ticks] from a flag to its interrupt. */
static sim_tick monitor_latency(const struct pc_card *card)
{
    return card->p->monitor_interrupt * pc_bus_cycle(card);
}

static void count_interrupts(struct nm_truth *truth, unsigned flags)
{
    uint64_t *const counts[] = {&truth->counter0_interrupts, &truth->counter1_interrupts,
                                &truth->counter2_interrupts, &truth->counter3_interrupts,
                                &truth->sram_interrupts};
    _Static_assert(sizeof counts / sizeof *counts == (size_t)MON_FLAG_MEMORY + 1, "one for each");
    for (; flags; flags &= flags - 1)
        ++*counts[__builtin_ctz(flags)];
}

/* Flags that have gone up interrupt the processor, each once until it is cleared. */
static void monitor_raise(struct pc_card *card, sim_tick now, unsigned pending)
{
    struct pc_monitor *mon = &card->monitor;
    if (pending & ~mon->raised)
        sim_post(card->k, now + monitor_latency(card), SIM_RANK_OS,
                 nm_component(card->position, PC_OS_ORDER_DELIVER), monitor_deliver, card, 0);
    count_interrupts(&card->truth, pending & ~mon->raised);
    mon->raised = pending;
}

/* Flags that these taps tell have gone up, or down. */
static void attend_flags(struct pc_card *card, sim_tick now, const struct mon_taps *taps,
                         uint64_t known)
{
    const struct mon_unit *unit = card->monitor.unit;
    unsigned which;
    const unsigned pending = unit->ops->pending(unit, taps, known, &which);
    monitor_raise(card, now, (card->monitor.raised & ~which) | pending);
}

/* After anything that may have changed what the unit waits for. */
static void monitor_attend(struct pc_card *card, sim_tick now, const struct mon_taps *taps)
{
    const struct mon_unit *unit = card->monitor.unit;
    attend_flags(card, now, taps, UINT64_MAX);
    for (unsigned k = 0; k < unit->ops->counters; k++) {
        const struct mon_look look = unit->ops->look(unit, k, taps);
        post_look(card, edge_of(card, &look, now), monitor_goes_on(card, look.taps));
    }
}

static void monitor_look(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct mon_unit *unit = card->monitor.unit;
    struct mon_taps taps;
    card->monitor.idle -= !arg;
    if (!sim_timer_fires(&card->monitor.look, now))
        return;
    pc_monitor_taps(card, now, &taps);
    if (unit->ops->settle)
        unit->ops->settle(unit, &taps);
    monitor_attend(card, now, &taps);
}

static void monitor_deliver(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct mon_unit *unit = card->monitor.unit;
    (void)arg;
    if (unit->ops->interrupted)
        unit->ops->interrupted(unit, now / pc_bus_cycle(card));
    nm_card_interrupts(card->machine, card->cpu.number, now, NM_INTERRUPT_MONITOR);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* After a register access, which may have changed what the unit listens to. */
static void monitor_refresh(struct pc_card *card, sim_tick now)
{
    struct pc_monitor *mon = &card->monitor;
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    mon->wants = mon->unit->wants;
    pc_card_heard(card);
    mon->leash = SIM_NEVER;
    if (mon->wants & MON_WANTS_LEASH)
        mon->leash = monitor_latency(card) ? monitor_latency(card) : 1;
    pc_card_watch(card);
    mon->hears = mon->unit->hears;
    pc_agent_hear(card, mon->hears & BUS_TAPS ? monitor_heard : NULL);
    monitor_attend(card, now, &taps);
}

uint32_t pc_monitor_read(struct pc_card *card, uint32_t offset, sim_tick now)
{
    struct mon_unit *unit = card->monitor.unit;
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    const uint32_t value = unit->ops->read(unit, offset, &taps);
    monitor_refresh(card, now);
    return value;
}

unsigned pc_monitor_write(struct pc_card *card, unsigned writer, uint32_t offset, uint32_t value,
                          sim_tick now)
{
    struct mon_unit *unit = card->monitor.unit;
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    const unsigned reason = unit->ops->write(unit, writer, offset, value, &taps);
    monitor_refresh(card, now);
    return reason;
}

void pc_monitor_refuse(struct pc_card *card, uint32_t offset, unsigned reason)
{
    struct mon_unit *unit = card->monitor.unit;
    if (unit->ops->refuse)
        unit->ops->refuse(unit, offset, reason);
}

/* ---- what passes ----------------------------------------------------------------------------- */

/* An incoming packet is in its FIFO until the agent has done with it, an outgoing one until it has
 * the bus. */
static void monitor_depths(const struct pc_card *card, struct mon_packet *p)
{
    for (unsigned c = 0; c < NM_CLASSES; c++) {
        p->depth[0][c] = card->port.in[c].count + (card->at_work >> c & 1);
        p->depth[1][c] = card->port.out[c].count;
    }
}

static struct mon_packet as_seen(const struct pc_card *card, const struct nm_packet *p, bool out)
{
    struct mon_packet seen = {
        .address = p->line, .command = p->message, .phase = p->phase, .out = out};
    if (card->monitor.wants & MON_WANTS_DEPTHS)
        monitor_depths(card, &seen);
    return seen;
}

static void monitor_hear(struct pc_card *card, enum mon_tap tap, uint64_t amount,
                         const struct mon_packet *p)
{
    struct mon_unit *unit = card->monitor.unit;
    if (unit->ops->packet)
        unit->ops->packet(unit, tap, amount, p);
}

void pc_monitor_packet(struct pc_card *card, enum mon_tap tap, uint64_t amount,
                       const struct nm_packet *p, bool out, sim_tick now)
{
    const struct mon_packet seen = as_seen(card, p, out);
    monitor_hear(card, tap, amount, &seen);
    attend_flags(card, now, &card->taps, MON_PACKET_TAPS);
}

/* The bus has carried a packet of the card and added to the taps. */
static void monitor_heard(void *self, sim_tick now, const struct nm_packet *p, bool out,
                          unsigned data)
{
    struct pc_card *card = self;
    const uint64_t hears = card->monitor.hears;
    const struct mon_packet seen = as_seen(card, p, out);
    const bool nacked = p->message == NM_MSG_NACK || (out && p->info & NM_INFO_RETRY);
    const uint64_t amount[][2] = {{MON_TAP_NACKED_HEADERS, nacked},
                                  {out ? MON_TAP_HEADERS_OUT : MON_TAP_HEADERS_IN, 1},
                                  {out ? MON_TAP_DATA_OUT : MON_TAP_DATA_IN, data}};
    for (unsigned i = 0; i < sizeof amount / sizeof *amount; i++)
        if (amount[i][1] && hears >> amount[i][0] & 1)
            monitor_hear(card, (enum mon_tap)amount[i][0], amount[i][1], &seen);
    attend_flags(card, now, &card->taps, MON_PACKET_TAPS);
}

void pc_monitor_issue(struct pc_card *card, sim_tick now)
{
    struct mon_unit *unit = card->monitor.unit;
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    unit->ops->issue(unit, &taps);
    monitor_attend(card, now, &taps);
}

/* Flags that have gone up without any total, which in the middle of a run of the processor would
 * not be there. */
static void raise_more(struct pc_card *card, sim_tick at, unsigned flags)
{
    monitor_raise(card, at, card->monitor.raised | flags);
}

void pc_monitor_complete(struct pc_card *card, const struct pc_request *r,
                         const struct nm_packet *in, sim_tick now)
{
    struct mon_unit *unit = card->monitor.unit;
    const sim_tick cycle = pc_bus_cycle(card);
    struct mon_transaction t = {.address = r->line,
                                .cycle = now / cycle,
                                .service = (now - r->issued) / cycle,
                                .global = in->info & NM_INFO_GLOBAL,
                                .valid = in->info & NM_INFO_VALID,
                                .nc_hit = in->info & NM_INFO_NC_HIT,
                                .remote = r->line / card->p->memory_size != card->station,
                                .phase = r->phase,
                                .exclusive = r->state == NM_LINE_D};
    raise_more(card, now, unit->ops->transaction(unit, &t));
}

void pc_monitor_access(struct pc_card *card, enum mon_kind kind, bool data, uint64_t pa,
                       sim_tick at)
{
    struct mon_unit *unit = card->monitor.unit;
    const uint32_t scaddr = pc_scaddr(card, data ? PC_SIDE_D : PC_SIDE_I, pa);
    raise_more(
        card, at,
        unit->ops->access(unit, kind, scaddr, data || !card->p->l2_split, at / pc_bus_cycle(card)));
}

void pc_monitor_words(struct pc_card *card, enum mon_kind kind, bool data, uint64_t pa,
                      uint64_t bytes, sim_tick at, sim_tick apart)
{
    for (uint64_t i = 0; i < bytes / PC_L2_WORD; i++)
        pc_monitor_access(card, kind, data, pa + i * PC_L2_WORD, at + i * apart);
}
