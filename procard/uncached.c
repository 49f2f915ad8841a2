/*
 * Uncached loads and stores (R4400 manual pp. 43, 326): straight to the bus as reads and writes of
 * a doubleword or a part of it, to memory or to the register space of a card.
 *
 * The processor has one of them out at a time. A load waits for its datum. A store goes into the
 * uncached store buffer, which is one entry deep, and the processor goes on; the next uncached
 * access waits until the store has been acknowledged. Cached accesses do not wait: they may be seen
 * before an uncached store that the program made earlier, as on the R4400.
 *
 * The hard idea is when the store happens. The processor runs ahead of events, and a store that
 * posted one in the middle of such a run would be overtaken by its own processor. So every uncached
 * access first stops the processor, and an event of the same tick lets it do its one access; then
 * the processor runs no further than the next event, which now is known.
 *
 * A card's own registers are reached through its agent without a bus transfer, at the same delay
 * behind the agent as over the bus.
 *
 * A store into a window of the own registers goes on from there to a register of every card that
 * the window names (sync.c), as one message that nobody acknowledges: the store is over when it is
 * in the outgoing FIFO. The rings order such messages with invalidations. So whatever its processor
 * has stored before is invalidated at a card before the card takes the message.
 */
#include "machine/noncoherent.h"
#include "machine/values.h"
#include "procard/card.h"

#include <string.h>

static sim_fire_fn uncached_turn, uncached_issue, uncached_own, uncached_serve, uncached_written;

static void uncached_post(struct pc_card *card, sim_tick at, enum pc_order order, sim_fire_fn *fire)
{
    sim_post(card->k, at, SIM_RANK_MODULE, nm_component(card->position, order), fire, card, 0);
}

static sim_tick uncached_cycles(const struct pc_card *card, sim_tick from, uint64_t n)
{
    return pc_bus_edge(card, from) + n * pc_bus_cycle(card);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* The card whose processor sent it, machine-wide. */
static unsigned writer_of(const struct pc_card *card, const struct nm_packet *p)
{
    return p->station * (unsigned)card->p->processors + p->requester;
}

/* A byte of a register's word, as the programs of the card's core have it in memory. */
static unsigned shift_of(const struct pc_card *card, unsigned byte)
{
    return 8 * (card->core->little ? byte : 3 - byte);
}

/* Does what a message asks of this card's registers, and answers in it. */
static void touch_registers(struct pc_card *card, struct nm_packet *p, sim_tick now)
{
    const uint32_t offset = (uint32_t)(p->line % NM_REGISTER_SPACE);
    uint8_t bytes[8] = {0}, *datum = bytes + (p->line & 4);
    memcpy(bytes, &p->word, sizeof bytes);
    if (p->message != NM_MSG_UNC_RD) {
        uint32_t value = 0;
        for (unsigned i = 0; i < 4; i++)
            value |= (uint32_t)datum[i] << shift_of(card, i);
        p->word = pc_register_write(card, writer_of(card, p), offset, value, now);
        p->message = NM_MSG_UNC_DONE;
        return;
    }
    const uint32_t value = pc_register_read(card, offset, now);
    for (unsigned i = 0; i < 4; i++)
        datum[i] = (uint8_t)(value >> shift_of(card, i));
    memcpy(&p->word, bytes, sizeof bytes);
    p->message = NM_MSG_UNC_DATA;
}

void pc_uncached_serve(struct pc_card *card, const struct nm_packet *in, sim_tick now)
{
    card->answer = *in;
    card->port.out[NM_SINKABLE].reserved++;
    card->agent_free = uncached_cycles(card, now, card->p->agent_register);
    uncached_post(card, card->agent_free, PC_ORDER_WORK, uncached_serve);
}

static void uncached_serve(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct nm_packet *p = &card->answer;
    const bool away = p->station != card->station;
    (void)arg;
    touch_registers(card, p, now);
    p->source = (uint8_t)card->position;
    p->route = away ? ring_mask_station(card->rings, p->station) : 0;
    p->targets = (uint8_t)(1u << (away ? NM_MODULE_NETWORK : p->requester));
    card->port.out[NM_SINKABLE].reserved--;
    nm_bus_send(card->bus, card->position, p);
}

void pc_uncached_take(struct pc_card *card, const struct nm_packet *in, sim_tick now)
{
    card->answer = *in;
    card->agent_free = uncached_cycles(card, now, card->p->agent_register);
    uncached_post(card, card->agent_free, PC_ORDER_WORK, uncached_written);
}

static void note_refusal(struct pc_card *card, const struct pc_refused *refused)
{
    if (!card->truth.refused_writes++)
        card->refused = *refused;
}

/* Nobody acknowledges a store through a window, so the card that refuses it takes note. */
static void uncached_written(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct nm_packet *p = &card->answer;
    (void)arg;
    touch_registers(card, p, now);
    if (p->word)
        note_refusal(card, &(struct pc_refused){.at = now,
                                                .card = card->cpu.number,
                                                .writer = writer_of(card, p),
                                                .window = true,
                                                .offset = (uint32_t)(p->line % NM_REGISTER_SPACE),
                                                .reason = (unsigned)p->word});
}

/* ---- the access's way ------------------------------------------------------------------------ */

/* Bytes of its doubleword that the core's store of `size` bytes writes at `pa`. */
static uint8_t uncached_bytes_of(const struct pc_card *card, uint64_t pa, unsigned size)
{
    if (card->core->store_bytes)
        return card->core->store_bytes(&card->cpu, pa, size);
    return (uint8_t)((1u << size) - 1) << (pa & 7);
}

static void uncached_request(struct pc_card *card, uint64_t pa, unsigned size, bool store)
{
    struct nm_packet *p = &card->uncached.request;
    card->uncached.pc = pc_core_pc(card);
    card->uncached.thread = card->cpu.tries.thread;
    *p = (struct nm_packet){.message = store ? NM_MSG_UNC_WR : NM_MSG_UNC_RD, .data = -1};
    pc_agent_address(card, p, pa);
    if (store)
        p->bytes = uncached_bytes_of(card, pa, size);
}

static void uncached_begin(struct pc_card *card, sim_tick at)
{
    card->uncached.busy = true;
    uncached_post(card, uncached_cycles(card, at, card->p->agent_request), PC_ORDER_UNCACHED,
                  uncached_issue);
}

static bool uncached_is_own(const struct pc_card *card, uint64_t pa)
{
    return pa >= NM_REGISTERS && nm_register_card(pa) == card->cpu.number;
}

/* At the head of the outgoing FIFO, or at the card's own registers. */
static void uncached_issue(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct pc_uncached *u = &card->uncached;
    (void)arg;
    if (uncached_is_own(card, u->request.line)) {
        uncached_post(card, now + card->p->agent_register * pc_bus_cycle(card), PC_ORDER_UNCACHED,
                      uncached_own);
        return;
    }
    card->uncached_blocked = !nm_fifo_room(&card->port.out[NM_NONSINKABLE], 1);
    if (card->uncached_blocked) { /* pc_uncached_room will call again */
        pc_awaits_room(card);
        return;
    }
    if (u->request.message == NM_MSG_UNC_WR)
        memcpy(&u->request.word, u->bytes, sizeof u->bytes);
    nm_bus_send(card->bus, card->position, &u->request);
}

void pc_uncached_room(struct pc_card *card, sim_tick now)
{
    card->uncached_blocked = false;
    uncached_post(card, now, PC_ORDER_UNCACHED,
                  uncached_is_own(card, card->uncached.request.line) ? uncached_own
                                                                     : uncached_issue);
}

/* A store into a window goes on to whom that names. @return false: there is no room for it yet */
static bool uncached_cast(struct pc_card *card, struct nm_packet *p)
{
    const struct pc_sync_cast to =
        pc_sync_cast(&card->sync, card->rings, (unsigned)card->p->processors,
                     (uint32_t)(p->line % NM_REGISTER_SPACE));
    struct nm_packet out = *p;
    const bool here = to.route == ring_mask_station(card->rings, card->station);
    if (!to.route || !to.cards)
        return true;
    if (!nm_fifo_room(&card->port.out[NM_SINKABLE], 1))
        return false;
    out.message = NM_MSG_UNC_CAST;
    out.line += to.offset - p->line % NM_REGISTER_SPACE;
    out.cards = to.cards;
    out.route = here ? 0 : to.route;
    out.targets = (uint8_t)(here ? to.cards : 1u << NM_MODULE_NETWORK);
    nm_bus_send(card->bus, card->position, &out);
    return true;
}

static bool is_cast(const struct nm_packet *p)
{
    return p->message == NM_MSG_UNC_WR &&
           pc_sync_is_window((uint32_t)(p->line % NM_REGISTER_SPACE));
}

static void uncached_own(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct nm_packet *p = &card->uncached.request;
    (void)arg;
    memcpy(&p->word, card->uncached.bytes, sizeof p->word);
    if (!is_cast(p))
        touch_registers(card, p, now);
    else if (!uncached_cast(card, p)) {
        card->uncached_blocked = true; /* pc_uncached_room will call again */
        pc_awaits_room(card);
        return;
    }
    pc_uncached_answer(card, p, now);
}

/* Lets the processor do its access in this event. If it is made to stop instead, it will ask anew;
 * but what a load has read is kept for its next try (mappings have changed, and its instruction is
 * fetched once more): the register may have lost it. */
static void uncached_grant(struct pc_card *card, sim_tick now)
{
    card->uncached.waits = false;
    card->uncached.granted = card->uncached.wants != PC_UNCACHED_SYNC;
    pc_agent_resume(card, now);
    card->uncached.kept = card->uncached.granted && card->uncached.wants == PC_UNCACHED_LOAD;
    card->uncached.granted = false;
}

static void uncached_turn(void *self, sim_tick now, uint64_t arg)
{
    (void)arg;
    uncached_grant(self, now);
}

void pc_uncached_answer(struct pc_card *card, const struct nm_packet *in, sim_tick now)
{
    struct pc_uncached *u = &card->uncached;
    u->busy = card->cpu.posted = false;
    if (in->message == NM_MSG_UNC_DONE && u->request.line >= NM_REGISTERS && in->word)
        note_refusal(card,
                     &(struct pc_refused){.at = now,
                                          .pc = u->pc,
                                          .thread = u->thread,
                                          .card = nm_register_card(u->request.line),
                                          .writer = card->cpu.number,
                                          .offset = (uint32_t)(u->request.line % NM_REGISTER_SPACE),
                                          .reason = (unsigned)in->word});
    if (in->message == NM_MSG_UNC_DATA) {
        card->cpu.polls += u->request.line >= NM_REGISTERS;
        memcpy(u->bytes, &in->word, sizeof u->bytes);
    } else if (!u->waits)
        return;
    else if (u->wants == PC_UNCACHED_LOAD) { /* behind a store, a load */
        uncached_request(card, u->pa, 0, false);
        uncached_begin(card, now);
        return;
    }
    uncached_grant(card, now);
}

/* ---- the processor's side -------------------------------------------------------------------- */

static void uncached_wait(struct pc_card *card, enum pc_uncached_want wants, enum pc_stop *stop)
{
    *stop = PC_STOP_MISS;
    card->stall = PC_ST_STALL_OTHER;
    card->uncached.waits = true;
    card->uncached.wants = (uint8_t)wants;
}

bool pc_sync(struct pc_cpu *cpu, sim_tick at, enum pc_stop *stop)
{
    if (!cpu->posted)
        return true;
    if (at >= cpu->horizon)
        *stop = PC_STOP_HORIZON;
    else
        uncached_wait(cpu->card, PC_UNCACHED_SYNC, stop);
    return false;
}

/* Registers are words, and only those of cards that exist. */
static bool uncached_allowed(const struct pc_card *card, uint64_t pa, unsigned size)
{
    return pa < NM_REGISTERS || (size == 4 && nm_register_card(pa) < nm_params_cards(card->p));
}

void pc_uncached_forget(struct pc_card *card)
{
    card->uncached.kept = false;
}

/* The load that has been granted is made at last. Any other access forgets the datum. */
static bool uncached_is_kept(struct pc_card *card, uint64_t pa, bool store)
{
    struct pc_uncached *u = &card->uncached;
    const bool kept = u->kept && !store && pa == u->pa && u->pc == pc_core_pc(card) &&
                      u->thread == card->cpu.tries.thread;
    u->kept = false;
    return kept;
}

uint8_t *pc_uncached_access(struct pc_card *card, uint64_t va, uint64_t pa, unsigned size,
                            bool store, sim_tick at, enum pc_stop *stop)
{
    struct pc_uncached *u = &card->uncached;
    if (!uncached_allowed(card, pa, size))
        return pc_bus_error(&card->cpu, store ? NM_STORE : NM_LOAD, va, 0, stop);
    if (uncached_is_kept(card, pa, store))
        return u->bytes + (pa & 7);
    if (u->granted) {
        u->granted = false;
        if (store) {
            uncached_request(card, pa, size, true);
            uncached_begin(card, at);
            card->cpu.posted = true;
        }
        return u->bytes + (pa & 7);
    }
    uncached_wait(card, store ? PC_UNCACHED_STORE : PC_UNCACHED_LOAD, stop);
    u->pa = pa;
    if (u->busy)
        return NULL;
    if (store) {
        uncached_post(card, at, PC_ORDER_UNCACHED, uncached_turn);
    } else {
        uncached_request(card, pa, size, false);
        uncached_begin(card, at);
    }
    return NULL;
}
