/*
 * The monitoring card between its board (monitor/board.h) and the processor card around it.
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

#include "procard/card.h"

_Static_assert(NM_MSG__COUNT <= 1 << MON_BITS_COMMAND, "a message's number fits COMMAND");

/* Those that grow in bus.c. */
static const uint64_t BUS_TAPS = UINT64_C(1) << MON_TAP_HEADERS_OUT |
                                 UINT64_C(1) << MON_TAP_HEADERS_IN |
                                 UINT64_C(1) << MON_TAP_DATA_OUT | UINT64_C(1) << MON_TAP_DATA_IN;

static nm_fire_fn look, deliver;
static void heard(void *self, nm_tick now, const struct nm_packet *p, bool out, unsigned data);

void pc_monitor_init(struct pc_card *card)
{
    mon_board_init(&card->monitor.board, card->cpu.number);
    card->monitor.board.sram.turns = card->p->monitor_arbitration;
    card->monitor.look.at = card->monitor.leash = NM_NEVER;
}

void pc_monitor_free(struct pc_card *card)
{
    mon_board_free(&card->monitor.board);
}

void pc_monitor_taps(const struct pc_card *card, nm_tick now, struct mon_taps *out)
{
    pc_card_taps(card, now, out);
    if (card->machine)
        nm_station_taps(card->machine, card->station, now, out);
    mon_board_complete(&card->monitor.board, out);
}

/* ---- looking at the counters ----------------------------------------------------------------- */

/* First edge at which counter k could overflow or has its dead time behind it. */
static nm_tick next_look(const struct pc_card *card, unsigned k, nm_tick now,
                         const struct mon_taps *taps)
{
    const struct mon_board *b = &card->monitor.board;
    const struct mon_counter *c = &b->counters.counter[k];
    const nm_tick cycle = nm_bus_cycle(card->bus);
    bool pcycles = false;
    if (c->settling)
        return c->ready * cycle;
    if (!(mon_board_enabled(b) >> k & 1) || mon_overflowed(&b->counters, k, taps))
        return NM_NEVER;
    const uint64_t left = mon_board_remaining(b, k, taps, &pcycles);
    if (!left)
        return NM_NEVER;
    if (!pcycles)
        return (now / cycle + left) * cycle;
    return nm_bus_edge(card->bus, now + left);
}

/* Whether what counter k counts goes on when nothing else does. */
static bool goes_on(const struct pc_card *card, unsigned k)
{
    const struct mon_board *b = &card->monitor.board;
    const struct mon_counter *c = &b->counters.counter[k];
    uint64_t alone = UINT64_C(1) << MON_TAP_CYCLES;
    if (c->event == MON_EV_counter_above)
        return goes_on(card, b->watch); /* which never watches another */
    if (b->interrupt_waits)
        alone |= UINT64_C(1) << MON_TAP_INTERRUPT_TIME;
    if (card->activity == PC_IDLE)
        alone |= UINT64_C(1) << MON_TAP_ST_STALL_OTHER;
    return c->settling || c->taps & alone;
}

static void post_look(struct pc_card *card, nm_tick at, bool alone)
{
    struct pc_monitor *mon = &card->monitor;
    if (!nm_timer_set(&mon->look, at))
        return;
    mon->idle += !alone;
    nm_post(card->k, at, NM_RANK_LOOK, nm_component(card->position, 0), look, card, alone);
}

/* [ticks] from a flag to its interrupt. */
static nm_tick latency(const struct pc_card *card)
{
    return card->p->monitor_interrupt * nm_bus_cycle(card->bus);
}

static void count_interrupts(struct nm_truth *truth, unsigned flags)
{
    uint64_t *const counts[] = {&truth->counter0_interrupts, &truth->counter1_interrupts,
                                &truth->counter2_interrupts, &truth->counter3_interrupts,
                                &truth->sram_interrupts};
    _Static_assert(sizeof counts / sizeof *counts == (size_t)MON_BIT_SRAM + 1, "one for each");
    for (; flags; flags &= flags - 1)
        ++*counts[__builtin_ctz(flags)];
}

/* Flags that have gone up interrupt the processor, each once until it is cleared. */
static void raise(struct pc_card *card, nm_tick now, unsigned pending)
{
    struct pc_monitor *mon = &card->monitor;
    if (pending & ~mon->raised)
        nm_post(card->k, now + latency(card), NM_RANK_OS,
                nm_component(card->position, PC_OS_ORDER_DELIVER), deliver, card, 0);
    count_interrupts(&card->truth, pending & ~mon->raised);
    mon->raised = pending;
}

/* After anything that may have changed what the board waits for. */
static void attend(struct pc_card *card, nm_tick now, const struct mon_taps *taps)
{
    raise(card, now, mon_board_pending(&card->monitor.board, taps));
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        post_look(card, next_look(card, k, now, taps), goes_on(card, k));
}

static void look(void *self, nm_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct mon_taps taps;
    card->monitor.idle -= !arg;
    if (!nm_timer_fires(&card->monitor.look, now))
        return;
    pc_monitor_taps(card, now, &taps);
    mon_settle(&card->monitor.board.counters, &taps);
    attend(card, now, &taps);
}

static void deliver(void *self, nm_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    (void)arg;
    mon_board_interrupt(&card->monitor.board, now / nm_bus_cycle(card->bus));
    nm_card_interrupts(card->machine, card->cpu.number, now, NM_INTERRUPT_MONITOR);
}

void pc_monitor_refresh(struct pc_card *card, nm_tick now)
{
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    card->monitor.wants = mon_board_wants(&card->monitor.board);
    card->monitor.leash = NM_NEVER;
    if (card->monitor.wants & MON_WANTS_ACCESSES &&
        mon_board_enabled(&card->monitor.board) >> MON_BIT_SRAM & 1)
        card->monitor.leash = latency(card) ? latency(card) : 1;
    pc_card_watch(card);
    card->monitor.hears = mon_board_hears(&card->monitor.board);
    card->port.heard = card->monitor.hears & BUS_TAPS ? heard : NULL;
    attend(card, now, &taps);
}

/* ---- what passes ----------------------------------------------------------------------------- */

/* An incoming packet is in its FIFO until the agent has done with it, an outgoing one until it has
 * the bus. */
static void depths(const struct pc_card *card, struct mon_packet *p)
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
    if (MON_GET(card->monitor.board.mask, MASK_FIFO))
        depths(card, &seen);
    return seen;
}

/* Packet counters have grown: does one of them interrupt? */
static void packets_counted(struct pc_card *card, nm_tick now)
{
    struct pc_monitor *mon = &card->monitor;
    unsigned which;
    if (!mon_board_enabled(&mon->board))
        return;
    const unsigned pending = mon_board_packets_pending(&mon->board, &card->taps, &which);
    raise(card, now, (mon->raised & ~which) | pending);
}

void pc_monitor_packet(struct pc_card *card, enum mon_tap tap, uint64_t amount,
                       const struct nm_packet *p, bool out, nm_tick now)
{
    const struct mon_packet seen = as_seen(card, p, out);
    mon_board_packet(&card->monitor.board, tap, amount, &seen);
    packets_counted(card, now);
}

/* The bus has carried a packet of the card and added to the taps. */
static void heard(void *self, nm_tick now, const struct nm_packet *p, bool out, unsigned data)
{
    struct pc_card *card = self;
    struct mon_board *b = &card->monitor.board;
    const uint64_t hears = card->monitor.hears;
    const struct mon_packet seen = as_seen(card, p, out);
    const bool nacked = p->message == NM_MSG_NACK || (out && p->info & NM_INFO_RETRY);
    const uint64_t amount[][2] = {{MON_TAP_NACKED_HEADERS, nacked},
                                  {out ? MON_TAP_HEADERS_OUT : MON_TAP_HEADERS_IN, 1},
                                  {out ? MON_TAP_DATA_OUT : MON_TAP_DATA_IN, data}};
    if (mon_board_passes(b, &seen))
        for (unsigned i = 0; i < sizeof amount / sizeof *amount; i++)
            if (amount[i][1] && hears >> amount[i][0] & 1)
                mon_board_add(b, (enum mon_tap)amount[i][0], amount[i][1]);
    packets_counted(card, now);
}

void pc_monitor_issue(struct pc_card *card, nm_tick now)
{
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    mon_board_issue(&card->monitor.board, &taps);
    attend(card, now, &taps);
}

/* An overflow of the SRAM says so by itself; no totals are needed, which in the middle of a run of
 * the processor would not be there. */
static void sram_counted(struct pc_card *card, nm_tick at)
{
    const struct mon_board *b = &card->monitor.board;
    if (b->sram.overflow && mon_board_enabled(b) >> MON_BIT_SRAM & 1)
        raise(card, at, card->monitor.raised | 1u << MON_BIT_SRAM);
}

void pc_monitor_complete(struct pc_card *card, const struct nm_packet *in, nm_tick now)
{
    const nm_tick cycle = nm_bus_cycle(card->bus);
    struct mon_transaction t = {.address = card->request.line,
                                .cycle = now / cycle,
                                .service = (now - card->request.issued) / cycle,
                                .global = in->info & NM_INFO_GLOBAL,
                                .valid = in->info & NM_INFO_VALID,
                                .nc_hit = in->info & NM_INFO_NC_HIT,
                                .remote =
                                    card->request.line / card->p->memory_size != card->station,
                                .phase = card->request.phase,
                                .exclusive = card->request.state == NM_LINE_D};
    mon_board_transaction(&card->monitor.board, &t);
    sram_counted(card, now);
}

void pc_monitor_access(struct pc_card *card, enum mon_kind kind, bool data, uint64_t pa, nm_tick at)
{
    const uint32_t scaddr = pc_scaddr(card, data ? PC_SIDE_D : PC_SIDE_I, pa);
    mon_board_access(&card->monitor.board, kind, scaddr, data || !card->p->l2_split,
                     at / nm_bus_cycle(card->bus));
    sram_counted(card, at);
}

void pc_monitor_words(struct pc_card *card, enum mon_kind kind, bool data, uint64_t pa,
                      uint64_t bytes, nm_tick at, nm_tick apart)
{
    for (uint64_t i = 0; i < bytes / PC_L2_WORD; i++)
        pc_monitor_access(card, kind, data, pa + i * PC_L2_WORD, at + i * apart);
}
