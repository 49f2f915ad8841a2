/*
 * The external agent: translates between the R4400's system interface and the station bus, both
 * ways.
 *
 * Outward it has one request outstanding for its processor, sends the victim's write-back ahead of
 * it, and tries again after a NACK. Inward it takes one packet at a time, sinkable ones first, and
 * answers interventions from the caches.
 *
 * The hard idea is the upgrade race. An invalidation of the very line being upgraded cancels the
 * R4400's pending invalidate (manual pp. 308, 336): the copy goes, and when the processor is served
 * it is by data, not by an acknowledgement. The table (machine/protocol.def) holds all of it; here
 * a request that has not left yet is simply issued for what the line has become.
 *
 * The access that waited completes in the same event that brings its line. Nothing can take the
 * line away in between, so every grant makes progress.
 */
#include "procard/card.h"

static nm_fire_fn work, issue, respond, command;

static uint32_t component(const struct pc_card *card)
{
    return card->position;
}

static void broken(struct pc_card *card, nm_tick now, uint64_t line, uint8_t state,
                   const char *what)
{
    nm_check_fail(card->check, now, line, "card %u: no transition from %s on %s", card->cpu.number,
                  nm_state_name(state), what);
}

/* The module that keeps a line's directory on this station: its home memory, or the network cache.
 */
static uint8_t directory(const struct pc_card *card, uint64_t line)
{
    return line / card->p->memory_size == card->station ? NM_MODULE_MEMORY : NM_MODULE_NETWORK;
}

static bool step(const struct pc_card *card, uint8_t *state, enum nm_protocol_event event,
                 const struct nm_packet *in, uint64_t line, struct nm_sends *sends,
                 uint64_t *actions)
{
    return nm_card_step(state, event, (uint8_t)card->position, directory(card, line), in, sends,
                        actions);
}

/* ---- outward --------------------------------------------------------------------------------- */

void pc_agent_request(struct pc_card *card, enum pc_side side, uint64_t line,
                      enum nm_protocol_event event, nm_tick at)
{
    struct nm_sends sends;
    uint64_t actions;
    uint64_t place = (line >> card->l2_shift) & (card->l2[side].places - 1);
    uint8_t state = card->l2[side].line[place] == line ? card->l2[side].state[place] : NM_CARD_I;
    bool upgrade = state == NM_CARD_S;
    if (!step(card, &state, event, NULL, line, &sends, &actions))
        broken(card, at, line, state, "a processor access");
    card->request = (struct pc_request){.active = true,
                                        .state = state,
                                        .side = side,
                                        .line = line,
                                        .stall = upgrade ? PC_ST_STALL_MP : PC_ST_STALL_L2,
                                        .issued = NM_NEVER,
                                        .first_nack = NM_NEVER};
    if (upgrade)
        card->truth.upgrades++;
    else
        card->truth.l2_misses++;
    nm_tick out = nm_bus_edge(card->bus, at + card->p->l2_lookup) +
                  card->p->agent_request * nm_bus_cycle(card->bus);
    nm_post(card->k, out, NM_RANK_MODULE, component(card), issue, card, 0);
}

static void send(struct pc_card *card, struct nm_packet *p, uint64_t line)
{
    p->source = (uint8_t)card->position;
    if (p->requester == card->position)
        p->station = card->station;
    p->line = line;
    if (nm_message_row(p->message)->has_data)
        p->data = nm_check_from(card->check, card->cpu.number, line);
}

/* Room for the request, and for a write-back ahead of it? */
static bool may_issue(const struct pc_card *card, bool write_back)
{
    return nm_fifo_room(&card->port.out[NM_NONSINKABLE], 1) &&
           (!write_back || nm_fifo_room(&card->port.out[NM_SINKABLE], 1));
}

static void evict(struct pc_card *card, enum pc_side side, uint64_t victim, uint8_t state)
{
    struct nm_sends sends;
    uint64_t actions;
    nm_tick now = nm_kernel_now(card->k);
    if (!step(card, &state, NM_CARD_EV_REPLACE, NULL, victim, &sends, &actions)) {
        broken(card, now, victim, state, "replacement");
        return;
    }
    for (unsigned i = 0; i < sends.count; i++) {
        send(card, &sends.packet[i], victim);
        nm_bus_send(card->bus, card->position, &sends.packet[i]);
        card->truth.writebacks++;
    }
    pc_line_evict(card, side, victim);
}

static void resume(struct pc_card *card, nm_tick now);

/* An SC whose link has gone fails in any case. Its request, as long as it has not left, is given
 * up: it would only take the line from whoever is between LL and SC just now. */
static bool pointless(const struct pc_card *card)
{
    return card->request.conditional && !card->cpu.link;
}

/* Puts the request (again) into the outgoing FIFO, for what its line is by now. */
static void issue(void *self, nm_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct pc_request *r = &card->request;
    struct nm_sends sends;
    uint64_t actions;
    uint64_t victim;
    uint8_t victim_state;
    (void)arg;
    if (pointless(card)) {
        if (r->first_nack != NM_NEVER)
            card->taps.v[MON_TAP_NACK_TIME] += (now - r->first_nack) / nm_bus_cycle(card->bus);
        r->active = false;
        resume(card, now);
        return;
    }
    bool replace =
        r->state != NM_CARD_S_UP && pc_line_victim(card, r->side, r->line, &victim, &victim_state);
    card->blocked = !may_issue(card, replace && victim_state == NM_CARD_D);
    if (card->blocked)
        return; /* `sent` will call again */
    if (replace)
        evict(card, r->side, victim, victim_state);
    if (r->state == NM_CARD_I_UP)
        step(card, &r->state, NM_CARD_EV_NACK, NULL, r->line, &sends, &actions);
    struct nm_packet p = {.message = nm_card_request(r->state),
                          .targets = (uint8_t)(1u << directory(card, r->line)),
                          .requester = (uint8_t)card->position,
                          .data = -1};
    send(card, &p, r->line);
    nm_bus_send(card->bus, card->position, &p);
    r->sent = true;
    r->last_issued = now;
    if (r->issued == NM_NEVER)
        r->issued = now;
}

/* ---- special functions ----------------------------------------------------------------------- */

void pc_agent_special(struct pc_card *card, const struct nm_function *function, uint64_t line,
                      unsigned lines, nm_tick at)
{
    const uint16_t home = (uint16_t)(line / card->p->memory_size);
    const bool away = function->module == NM_MODULE_MEMORY && home != card->station;
    card->special = (struct pc_special){
        .active = true,
        .command = {.line = line,
                    .route = away ? ring_mask_station(card->rings, home) : 0,
                    .message = (uint8_t)function->message,
                    .source = (uint8_t)card->position,
                    .targets = (uint8_t)(1u << (away ? NM_MODULE_NETWORK : function->module)),
                    .requester = (uint8_t)card->position,
                    .station = card->station,
                    .lines = (uint16_t)lines,
                    .data = -1}};
    nm_post(card->k, nm_bus_edge(card->bus, at) + card->p->agent_request * nm_bus_cycle(card->bus),
            NM_RANK_MODULE, component(card), command, card, 0);
}

/* Puts the command (again) into the outgoing FIFO. */
static void command(void *self, nm_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    (void)now, (void)arg;
    card->special.blocked = !nm_fifo_room(&card->port.out[NM_NONSINKABLE], 1);
    if (!card->special.blocked)
        nm_bus_send(card->bus, card->position, &card->special.command);
}

/* What the special function unit says of it. */
static void commanded(struct pc_card *card, const struct nm_packet *in, nm_tick now)
{
    if (in->message == NM_MSG_SF_BUSY) {
        nm_post(card->k, now + card->p->agent_retry * nm_bus_cycle(card->bus), NM_RANK_MODULE,
                component(card), command, card, 0);
        return;
    }
    card->special.active = false;
    card->on_interrupt(card->owner, card, now);
}

/* ---- inward ---------------------------------------------------------------------------------- */

static void wake(struct pc_card *card, nm_tick at)
{
    if (at >= card->work_at)
        return;
    card->work_at = at;
    nm_post(card->k, at, NM_RANK_MODULE, component(card), work, card, at);
}

static nm_tick response_time(const struct pc_card *card)
{
    return card->p->agent_response * nm_bus_cycle(card->bus);
}

/* Has the host fetch what it will look up in the secondary cache then. */
static void expect(const struct pc_card *card)
{
    for (unsigned c = 0; c < NM_CLASSES; c++) {
        const struct nm_fifo *f = &card->port.in[c];
        if (!f->count)
            continue;
        const struct pc_l2 *l2 = &card->l2[PC_SIDE_D];
        const uint64_t place =
            (nm_fifo_at(f, f->count - 1)->line >> card->l2_shift) & (l2->places - 1);
        __builtin_prefetch(&l2->line[place], 1);
        __builtin_prefetch(&l2->state[place], 1);
    }
}

static void arrived(void *self, nm_tick now)
{
    struct pc_card *card = self;
    expect(card);
    nm_tick start = card->agent_free > now ? card->agent_free : now;
    wake(card, start + response_time(card));
}

static void sent(void *self, nm_tick now)
{
    struct pc_card *card = self;
    if (card->blocked) {
        card->blocked = false;
        nm_post(card->k, now, NM_RANK_MODULE, component(card), issue, card, 0);
    }
    if (card->special.blocked) {
        card->special.blocked = false;
        nm_post(card->k, now, NM_RANK_MODULE, component(card), command, card, 0);
    }
    if (card->port.in[NM_NONSINKABLE].count)
        arrived(card, now);
}

void pc_agent_attach(struct pc_card *card)
{
    card->work_at = NM_NEVER;
    card->port =
        (struct nm_port){.module = card, .arrived = arrived, .sent = sent, .taps = &card->taps};
    nm_bus_attach(card->bus, card->position, &card->port);
}

static unsigned next_class(const struct pc_card *card)
{
    if (card->port.in[NM_SINKABLE].count)
        return NM_SINKABLE;
    if (card->port.in[NM_NONSINKABLE].count && nm_fifo_room(&card->port.out[NM_SINKABLE], 1))
        return NM_NONSINKABLE;
    return NM_CLASSES;
}

/* The processor, which has waited, does the one access it waited for in this same event. */
static void resume(struct pc_card *card, nm_tick now)
{
    if (now > card->cpu.now)
        pc_card_stall(card, card->request.stall, now - card->cpu.now, card->cpu.now);
    card->activity = PC_RUNNING;
    pc_card_run(card, card->cpu.now + 1);
}

/* The request is done: the books, then the access that waited, in this same event. */
static void complete(struct pc_card *card, nm_tick now, bool acknowledged)
{
    struct pc_request *r = &card->request;
    nm_tick cycle = nm_bus_cycle(card->bus);
    card->taps.v[MON_TAP_READS]++;
    card->taps.v[MON_TAP_READ_LATENCY] += (now - r->issued) / cycle;
    card->taps.v[MON_TAP_INVALIDATES_DONE] += acknowledged;
    if (r->first_nack != NM_NEVER)
        card->taps.v[MON_TAP_NACK_TIME] += (r->last_issued - r->first_nack) / cycle;
    r->active = false;
    card->filled = r->line;
    resume(card, now);
}

/* [bus cycles] A refused request waits a little longer than agent.retry, by chance: two agents that
 * waited equally long could refuse each other in lock-step for ever. The chance part is halved with
 * every fourth refusal, so that who has waited for long asks more often than who comes fresh. */
static uint64_t retry_delay(struct pc_card *card)
{
    enum { HALVED = 4, LEAST = 3 };
    const uint64_t spread = card->p->agent_spread, least = spread < LEAST ? spread : LEAST;
    const unsigned halvings = card->request.nacks++ / HALVED;
    const uint64_t most = halvings < 64 ? spread >> halvings : 0;
    card->chance = card->chance * 6364136223846793005ull + 1442695040888963407ull;
    return card->p->agent_retry + (card->chance >> 33) % ((most > least ? most : least) + 1);
}

static void nacked(struct pc_card *card, nm_tick now)
{
    struct pc_request *r = &card->request;
    card->taps.v[MON_TAP_NACKS]++;
    r->sent = false;
    if (r->first_nack == NM_NEVER) {
        r->first_nack = now;
        card->taps.v[MON_TAP_NACKED_REQUESTS]++;
    }
    nm_post(card->k, now + retry_delay(card) * nm_bus_cycle(card->bus), NM_RANK_MODULE,
            component(card), issue, card, 0);
}

/* An external request that finds its line holds the processor while the caches are used. */
static void hold(struct pc_card *card)
{
    if (card->activity == PC_RUNNING)
        pc_card_stall(card, PC_ST_STALL_MP, card->p->agent_external, card->cpu.now);
}

/* Sends what an intervention asks for, once it is out of the caches. */
static void answer(struct pc_card *card, struct nm_packet *p, uint64_t line, nm_tick now, bool hit)
{
    send(card, p, line);
    card->answer = *p;
    card->port.out[NM_SINKABLE].reserved++;
    nm_tick at = nm_bus_edge(card->bus, now + (hit ? card->p->agent_external : 0));
    card->agent_free = at;
    nm_post(card->k, at, NM_RANK_MODULE, component(card), respond, card, 0);
}

static void respond(void *self, nm_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    (void)now, (void)arg;
    card->port.out[NM_SINKABLE].reserved--;
    nm_bus_send(card->bus, card->position, &card->answer);
}

/* What an external request does to the caches. */
static void external(struct pc_card *card, const struct nm_packet *in, uint64_t actions)
{
    bool hit = pc_line_present(card, in->line);
    if (in->message != NM_MSG_INTV_S && card->cpu.link && card->cpu.link_pa == in->line)
        card->cpu.link = false;
    if (actions & NM_CARD_ACT_DROP || in->message == NM_MSG_INVALIDATE)
        pc_line_drop(card, in->line);
    if (actions & NM_CARD_ACT_CLEAN)
        pc_line_clean(card, in->line);
    if (in->message == NM_MSG_INVALIDATE) {
        card->taps.v[MON_TAP_INVALIDATE_HITS] += hit;
        nm_check_invalidate_done(card->check, card->cpu.number, in->line);
    }
    if (hit)
        hold(card);
}

/* Events that answer the card's own request concern that request, whatever else is held. */
static bool is_response(enum nm_protocol_event event)
{
    return event == NM_CARD_EV_DATA_S || event == NM_CARD_EV_DATA_X || event == NM_CARD_EV_ACK ||
           event == NM_CARD_EV_NACK;
}

static void handle(struct pc_card *card, const struct nm_packet *in, nm_tick now)
{
    struct pc_request *r = &card->request;
    struct nm_sends sends;
    uint64_t actions;
    enum nm_protocol_event event = nm_card_event_of(in, (uint8_t)card->position);
    bool response = is_response(event);
    uint8_t before = response ? r->state : pc_line_state(card, in->line), state = before;
    if (!step(card, &state, event, in, in->line, &sends, &actions)) {
        broken(card, now, in->line, before, nm_message_row(in->message)->name);
        return;
    }
    if (response || (r->active && r->line == in->line && before == r->state))
        r->state = state;
    if (!response) {
        if (sends.count)
            answer(card, &sends.packet[0], in->line, now,
                   actions & (NM_CARD_ACT_DROP | NM_CARD_ACT_CLEAN));
        external(card, in, actions);
        return;
    }
    if (actions & NM_CARD_ACT_RETRY) {
        nacked(card, now);
        return;
    }
    if (actions & NM_CARD_ACT_FILL)
        nm_check_to(card->check, card->cpu.number, in->line, in->data);
    pc_line_fill(card, r->side, in->line, state);
    complete(card, now, event == NM_CARD_EV_ACK);
}

static void work(void *self, nm_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    if (card->work_at != arg)
        return; /* an earlier one took its place */
    card->work_at = NM_NEVER;
    if (now < card->agent_free) {
        wake(card, card->agent_free);
        return;
    }
    unsigned c = next_class(card);
    if (c == NM_CLASSES)
        return;
    struct nm_packet in = nm_fifo_pop(&card->port.in[c]);
    nm_bus_drained(card->bus, now);
    if (in.message == NM_MSG_SF_DONE || in.message == NM_MSG_SF_BUSY)
        commanded(card, &in, now);
    else
        handle(card, &in, now);
    nm_check_release(card->check, in.data);
    if (next_class(card) != NM_CLASSES)
        arrived(card, now);
}
