/*
 * The external agent: translates between the R4400's system interface and the station bus, both
 * ways.
 *
 * Outward it has one request outstanding for its processor, or a few for one that does not wait
 * (pc_core_ops.requests), each for a line of its own. It sends the victim's write-back ahead of a
 * request, and tries again after a NACK. Beside that it sends the commands of special functions and
 * creates the lines of a claim; uncached accesses are in uncached.c. Inward it takes one packet at
 * a time, sinkable ones first, and answers interventions from the caches.
 *
 * A packet that comes in waits in its FIFO and nowhere else, so that those of a class stay in
 * order: `agent_arrived` says when the agent looks next, `agent_free` until when it is busy with
 * the last one, and `next_class` which class goes first, or that none may yet. What is taken out
 * (`agent_take`) is done there and then; an answer that leaves later has its place in the outgoing
 * FIFO reserved (`agent_answer`).
 *
 * The hard idea is the upgrade race. An invalidation of the very line being upgraded cancels the
 * R4400's pending invalidate (manual pp. 308, 336): the copy goes, and when the processor is served
 * it is by data, not by an acknowledgement. The table (machine/protocol/) holds all of it; here
 * a request that has not left yet is simply issued for what the line has become.
 *
 * The access that waited completes in the same event that brings its line. Nothing can take the
 * line away in between, so every grant makes progress. A core that does not wait has its oldest
 * instruction make its access then.
 *
 * A load linked and its store conditional are two accesses. When another card has taken the line in
 * between, agent.link_failures times in a row, the next load linked asks for it exclusively, and
 * interventions for it wait until the store conditional is done, for agent.link_hold PCycles at
 * most. The agent looks again every agent.response whether it is. Only a card whose processor runs
 * keeps a line, so no circle of waiting can close.
 */
#include "machine/noncoherent.h"
#include "machine/values.h"
#include "procard/card.h"
#include "procard/cursor.h"
#include "procard/eye.h"

#include <string.h>

static sim_fire_fn agent_work, agent_issue, agent_respond, agent_command, procard_agent_create,
    look_here;

static uint32_t agent_component(const struct pc_card *card, enum pc_order what)
{
    return nm_component(card->position, what);
}

void pc_agent_broken(struct pc_card *card, sim_tick now, uint64_t line, uint8_t state,
                     const char *what)
{
    nm_check_fail(card->check, now, line, "card %u: no transition from %s on %s", card->cpu.number,
                  pc_state_name(card, state), what);
}

/* Its home memory, or the network cache. */
uint8_t pc_agent_directory(const struct pc_card *card, uint64_t line)
{
    return line / card->p->memory_size == card->station ? NM_MODULE_MEMORY : NM_MODULE_NETWORK;
}

bool pc_agent_step(const struct pc_card *card, uint8_t *state, enum nm_card_event event,
                   const struct nm_packet *in, uint64_t line, struct nm_sends *sends,
                   uint64_t *actions)
{
    const struct nm_seat seat = {card->protocol, card->station, (uint8_t)card->position,
                                 pc_agent_directory(card, line)};
    return nm_card_step(&seat, state, event, in, sends, actions);
}

/* Ends the run if the step that is not made would do more than agent_cell says of it. */
static __attribute__((noinline)) void agent_cell_holds(struct pc_card *card, uint8_t state,
                                                       enum nm_card_event event,
                                                       const struct nm_cell *cell)
{
    struct nm_sends sends;
    uint64_t actions = 0;
    uint8_t next = state;
    const bool steps = pc_agent_step(card, &next, event, NULL, 0, &sends, &actions);
    const bool alone =
        !sends.count ||
        (sends.count == 1 && (cell->actions & NM_CARD_ACT_SEND_WB ||
                              sends.packet[0].message == nm_card_request(card->protocol, next)));
    if (!steps || next != cell->next || actions != cell->actions || !alone)
        pc_agent_broken(card, sim_kernel_now(card->k), 0, state, "a cell without its step");
}

/* What the table says; NULL: nothing. Where no message but the request comes of it, which agent_put
 * writes, or none at all, no step has to be made: the state becomes the cell's next. In checking
 * mode it is made all the same, and compared. */
static const struct nm_cell *agent_cell(struct pc_card *card, uint8_t state,
                                        enum nm_card_event event)
{
    const struct nm_table *t = card->protocol->agent[NM_AGENT_CARD];
    const struct nm_cell *cell = event != NM_CARD_EVENTS ? nm_cell(t, state, event) : NULL;
    if (!cell || !cell->exists)
        return NULL;
    if (card->p->check)
        agent_cell_holds(card, state, event, cell);
    return cell;
}

/* Tells who listens of a row. @param in  the message, of events that are one */
static __attribute__((noinline)) void agent_say(const struct pc_card *card, uint64_t line,
                                                uint8_t before, enum nm_card_event event,
                                                uint8_t after, const struct nm_packet *in,
                                                sim_tick at)
{
    nm_say(card->ear, &(struct nm_said){.kind = NM_SAID_ROW,
                                        .at = at,
                                        .station = card->station,
                                        .line = line,
                                        .packet = in,
                                        .agent = NM_AGENT_CARD,
                                        .card = (uint8_t)card->position,
                                        .before = before,
                                        .event = (uint8_t)event,
                                        .after = after});
}

/* ---- outward --------------------------------------------------------------------------------- */

/* A row of the table for a request that begins. */
static struct pc_request *new_request(struct pc_card *card)
{
    const unsigned row = (unsigned)__builtin_ctz(~card->outstanding);
    card->outstanding |= 1u << row;
    card->roomy = 0;
    return &card->request[row];
}

/* The request will be put into the outgoing FIFO. */
static void post_issue(struct pc_card *card, struct pc_request *r, sim_tick at)
{
    r->due = at;
    sim_post_standing(card->k, at, SIM_RANK_MODULE, agent_component(card, PC_ORDER_REQUEST));
}

const struct pc_request *pc_agent_request(struct pc_card *card, uint64_t line,
                                          enum nm_access access, enum nm_card_event event,
                                          sim_tick at)
{
    const enum pc_side side = access == NM_FETCH ? PC_SIDE_I : PC_SIDE_D;
    const bool noncoherent = event == NM_CARD_EVENTS;
    /* a line that is there under the other attribute will leave */
    const uint8_t state = noncoherent ? NM_LINE_I : pc_line_half_state(card, side, line);
    const uint64_t place = pc_line_place(card, side, line);
    const bool upgrade = state == NM_LINE_S;
    const struct nm_cell *cell = agent_cell(card, state, event);
    struct pc_request *r = new_request(card);
    *r = (struct pc_request){.access = (uint8_t)access,
                             .event = (uint8_t)event,
                             .state = state,
                             .line = line,
                             .place = (uint32_t)place,
                             .asked = at,
                             .due = at,
                             .issued = SIM_NEVER,
                             .first_nack = SIM_NEVER};
    card->stall = upgrade ? PC_ST_STALL_MP : PC_ST_STALL_L2;
    if (card->warm.on)
        return r; /* warm.c serves it */
    if (cell)
        r->state = cell->next;
    else if (!noncoherent)
        pc_agent_broken(card, at, line, state, "a processor access");
    if (cell && card->ear)
        agent_say(card, line, state, event, r->state, NULL, at);
    if (upgrade)
        card->truth.upgrades++;
    else
        card->truth.l2_misses++;
    post_issue(card, r,
               pc_bus_edge(card, at + card->p->l2_lookup) +
                   card->p->agent_request * pc_bus_cycle(card));
    return r;
}

/* PhaseID of the processor's own packets. */
static uint8_t agent_phase(const struct pc_card *card)
{
    return card->monitor.unit->phase & MON_PHASE_ID;
}

static void agent_send(struct pc_card *card, struct nm_packet *p, uint64_t line)
{
    p->source = (uint8_t)card->position;
    p->line = line;
    if (nm_message_row(p->message)->has_data)
        p->data = nm_check_from(card->check, card->cpu.number, line);
}

void pc_agent_address(const struct pc_card *card, struct nm_packet *p, uint64_t pa)
{
    const bool registers = pa >= NM_REGISTERS;
    const unsigned cards = (unsigned)card->p->processors,
                   target = registers ? nm_register_card(pa) : 0;
    const uint16_t home = (uint16_t)(registers ? target / cards : pa / card->p->memory_size);
    const unsigned module = registers ? target % cards : NM_MODULE_MEMORY;
    const bool away = home != card->station;
    p->line = pa;
    p->phase = agent_phase(card);
    p->source = p->requester = (uint8_t)card->position;
    p->station = card->station;
    p->route = away ? ring_mask_station(card->rings, home) : 0;
    p->targets = (uint8_t)(1u << (away ? NM_MODULE_NETWORK : module));
}

/* Room for the request, and for a write-back ahead of it? */
static bool may_issue(const struct pc_card *card, bool write_back)
{
    return nm_fifo_room(&card->port.out[NM_NONSINKABLE], 1) &&
           (!write_back || nm_fifo_room(&card->port.out[NM_SINKABLE], 1));
}

/* [ticks] between the quadwords of a line on the R4400's system interface, which is 8 bytes wide.
 */
static sim_tick words_apart(const struct pc_card *card)
{
    return 2 * pc_bus_cycle(card);
}

/* A line goes out through the agent: its core hears of it, and the secondary cache's pins show it
 * from `at` on. */
static void read_out(struct pc_card *card, enum mon_kind kind, enum pc_side side, uint64_t line,
                     sim_tick at)
{
    if (card->core->leaves) {
        pc_core_wakes(card, pc_card_now(card));
        card->core->leaves(&card->cpu, (unsigned)card->p->l2_line, pc_card_now(card));
    }
    if (card->monitor.wants & MON_WANTS_ACCESSES)
        pc_monitor_words(card, kind, side == PC_SIDE_D, line, card->p->l2_line, at,
                         words_apart(card));
}

/* ... and of one that has come in: its last quadword has just been written. */
static void written_in(struct pc_card *card, enum pc_side side, uint64_t line, sim_tick now)
{
    if (!(card->monitor.wants & MON_WANTS_ACCESSES))
        return;
    const sim_tick took = (card->p->l2_line / PC_L2_WORD - 1) * words_apart(card);
    pc_monitor_words(card, MON_KIND_FILL, side == PC_SIDE_D, line, card->p->l2_line,
                     now > took ? now - took : 0, words_apart(card));
}

static void evict_noncoherent(struct pc_card *card, enum pc_side side, uint64_t victim,
                              uint8_t state)
{
    struct nm_packet p = {.message = NM_MSG_NCH_WB, .data = -1};
    pc_line_evict(card, side, victim);
    if (state != (NM_LINE_D | PC_NONCOHERENT))
        return;
    pc_agent_address(card, &p, victim);
    nm_bus_send(card->bus, card->position, &p);
    card->truth.writebacks++;
    read_out(card, MON_KIND_VICTIM, side, victim, sim_kernel_now(card->k));
}

static __attribute__((noinline)) void agent_evict(struct pc_card *card, enum pc_side side,
                                                  uint64_t victim, uint8_t state)
{
    struct nm_sends sends;
    uint64_t actions;
    sim_tick now = sim_kernel_now(card->k);
    if (state & PC_NONCOHERENT) {
        evict_noncoherent(card, side, victim, state);
        return;
    }
    const struct nm_cell *cell = agent_cell(card, state, NM_CARD_EV_REPLACE);
    if (!cell) {
        pc_agent_broken(card, now, victim, state, "replacement");
        return;
    }
    if (card->ear)
        agent_say(card, victim, state, NM_CARD_EV_REPLACE, cell->next, NULL, now);
    sends.count = 0;
    if (cell->actions & NM_CARD_ACT_SEND_WB)
        pc_agent_step(card, &state, NM_CARD_EV_REPLACE, NULL, victim, &sends, &actions);
    for (unsigned i = 0; i < sends.count; i++) {
        sends.packet[i].phase = agent_phase(card);
        agent_send(card, &sends.packet[i], victim);
        nm_bus_send(card->bus, card->position, &sends.packet[i]);
        card->truth.writebacks++;
        read_out(card, MON_KIND_VICTIM, side, victim, now);
    }
    pc_line_evict(card, side, victim);
}

/* An SC whose link has gone fails in any case. Its request, as long as it has not left, is given
 * up: it would only take the line from whoever is between LL and SC just now. Not a special read:
 * the directory takes this card for the owner. */
static bool agent_pointless(const struct pc_card *card, const struct pc_request *r)
{
    return r->access == NM_CONDITIONAL && !card->cpu.link &&
           nm_card_request(card->protocol, r->state) != NM_MSG_SPECIAL_RD;
}

/* An event of the card's own request: the mask sees the request as it was last issued, whichever
 * packet the event comes with, and whether the request is completed or given up. */
static void tap_request(struct pc_card *card, const struct pc_request *r, enum mon_tap tap,
                        uint64_t amount, sim_tick now)
{
    card->taps.v[tap] += amount;
    if (!(card->monitor.hears >> tap & 1))
        return;
    const struct nm_packet issued = {
        .line = r->line, .message = r->command, .phase = r->phase & MON_PHASE_ID};
    pc_monitor_packet(card, tap, amount, &issued, true, now);
}

/* The request is over, for who listens. */
static __attribute__((noinline)) void
tell_served(const struct pc_card *card, const struct pc_request *r, sim_tick now, bool given_up)
{
    const struct pc_served served = {.card = card->cpu.number,
                                     .line = r->line,
                                     .message = nm_message_row(r->command)->name,
                                     .issued = r->issued,
                                     .over = now,
                                     .nacks = r->nacks,
                                     .remote = r->line / card->p->memory_size != card->station,
                                     .given_up = given_up};
    if (r->issued != SIM_NEVER)
        card->served(card->served_ctx, &served);
}

static unsigned agent_bit_of(const struct pc_card *card, const struct pc_request *r)
{
    return 1u << (r - card->request);
}

/* Of a core that goes on. */
static void tell_over(struct pc_card *card, const struct pc_request *r, bool granted, sim_tick now)
{
    card->outstanding &= ~agent_bit_of(card, r);
    card->blocked &= card->outstanding;
    pc_card_unforeseen(card);
    pc_core_wakes(card, now);
    card->core->answered(&card->cpu, pc_side_of(r), r->line, granted,
                         card->activity == PC_RUNNING ? sim_later(now, card->cpu.now) : now);
}

static inline void agent_over(struct pc_card *card, const struct pc_request *r, bool granted,
                              sim_tick now)
{
    if (pc_goes_on(card)) {
        tell_over(card, r, granted, now);
        return;
    }
    card->outstanding = card->blocked = 0;
    pc_agent_resume(card, now);
}

void pc_agent_over(struct pc_card *card, struct pc_request *r, bool granted, sim_tick now)
{
    agent_over(card, r, granted, now);
}

/* The request has come to nothing, after it was refused or before it left.
 * @param granted  the line is there all the same */
static __attribute__((noinline)) void agent_give_up(struct pc_card *card, struct pc_request *r,
                                                    bool granted, sim_tick now)
{
    const sim_tick cycle = pc_bus_cycle(card);
    if (r->first_nack != SIM_NEVER) {
        tap_request(card, r, MON_TAP_NACK_TIME, (now - r->first_nack) / cycle, now);
        card->truth.requests_abandoned++;
        card->truth.abandoned_time += (now - r->issued) / cycle;
        card->truth.abandoned_nacks += r->nacks;
        if (card->warm.watches)
            pc_warm_give_up(card, r, now);
    }
    if (card->served)
        tell_served(card, r, now, true);
    if (card->copies)
        pc_misses_give_up(card, r, now);
    agent_over(card, r, granted, now);
}

/* A request leaves for the first time: the monitoring card compares it with the last invalidate.
 * Reads of non-coherent pages are none of RD, RDEXCL and UPGD. */
static __attribute__((noinline)) void first_issue(struct pc_card *card, struct pc_request *r,
                                                  sim_tick now)
{
    r->issued = now;
    if (pc_is_noncoherent(r))
        return;
    card->truth.requests++;
    if (card->eye)
        pc_eye_issues(card, r, now);
    if (card->monitor.wants & MON_WANTS_ISSUES)
        pc_monitor_issue(card, now);
    const unsigned match = pc_monitor_compare(card, r->line);
    if (match)
        tap_request(card, r, MON_TAP_INVALIDATED_READS, 1, now);
    if (match > 1)
        tap_request(card, r, MON_TAP_REREFERENCES, 1, now);
}

/* An intervention for the line has done its work in the caches and its answer is not out yet. A
 * request for the line that overtook it would reach a directory that still takes this card for the
 * owner. */
static bool agent_answering(const struct pc_card *card, uint64_t line)
{
    return card->port.out[NM_SINKABLE].reserved > 0 && card->answer.line == line;
}

/* What an upgrade whose copy has gone becomes: as if it had been refused. */
static uint8_t state_refused(struct pc_card *card, const struct pc_request *r)
{
    const struct nm_cell *cell = agent_cell(card, r->state, NM_CARD_EV_NACK);
    return cell ? cell->next : r->state;
}

/* A request (again) leaves for the outgoing FIFO, where there is room. */
static inline void agent_ask(struct pc_card *card, struct pc_request *r, sim_tick now)
{
    const uint8_t position = (uint8_t)card->position;
    struct nm_packet *p = nm_bus_next(&card->port, NM_NONSINKABLE);
    *p = (struct nm_packet){.line = r->line,
                            .message = nm_card_request(card->protocol, r->state),
                            .source = position,
                            .targets = (uint8_t)(1u << pc_agent_directory(card, r->line)),
                            .requester = position,
                            .station = card->station,
                            .data = -1};
    p->phase = agent_phase(card);
    p->info = (uint8_t)((r->nacks ? NM_INFO_RETRY : 0) |
                        (pc_agent_wants_shared(card, r) ? NM_INFO_SHARED : 0));
    p->age = (uint16_t)(r->nacks < UINT16_MAX ? r->nacks : UINT16_MAX);
    p->rank = nm_request_rank(r->issued < now ? r->issued : now, card->cpu.number);
    if (pc_is_noncoherent(r)) {
        p->message = NM_MSG_NCH_RD;
        pc_agent_address(card, p, r->line);
    }
    r->sent = true;
    r->last_issued = now;
    r->command = p->message;
    r->phase = card->monitor.unit->phase;
    nm_bus_send_next(card->bus, card->position, NM_NONSINKABLE);
}

/* Puts a request (again) into the outgoing FIFO, for what its line is by now. */
static __attribute__((noinline)) void agent_put(struct pc_card *card, struct pc_request *r,
                                                sim_tick now)
{
    uint64_t victim;
    uint8_t victim_state;
    if (agent_pointless(card, r)) {
        agent_give_up(card, r, false, now);
        return;
    }
    const bool replace = pc_line_of(card, r->state) == NM_LINE_I &&
                         !(card->roomy & agent_bit_of(card, r)) &&
                         pc_line_victim(card, pc_side_of(r), r->place, r->line,
                                        pc_is_noncoherent(r), &victim, &victim_state);
    if (agent_answering(card, r->line) ||
        !may_issue(card, replace && (victim_state & ~PC_NONCOHERENT) == NM_LINE_D)) {
        card->blocked |= agent_bit_of(card, r); /* `agent_sent` will call again */
        pc_awaits_room(card);
        return;
    }
    if (replace)
        agent_evict(card, pc_side_of(r), victim, victim_state);
    if (nm_card_lost(card->protocol, r->state)) {
        const uint8_t before = r->state;
        r->state = state_refused(card, r);
        if (card->ear)
            agent_say(card, r->line, before, NM_CARD_EV_NACK, r->state, NULL, now);
    }
    agent_ask(card, r, now);
    if (r->issued == SIM_NEVER)
        first_issue(card, r, now);
}

/* The oldest of the requests that are due; NULL: none is. */
static struct pc_request *next_due(struct pc_card *card, sim_tick now)
{
    struct pc_request *oldest = NULL;
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        struct pc_request *r = &card->request[__builtin_ctz(left)];
        if (r->due <= now && (!oldest || r->asked < oldest->asked))
            oldest = r;
    }
    return oldest;
}

/* Those that are due on one tick leave in the order of their age. */
static __attribute__((noinline)) void agent_issue_all(struct pc_card *card, sim_tick now)
{
    struct pc_request *r;
    while ((r = next_due(card, now))) {
        r->due = SIM_NEVER;
        agent_put(card, r, now);
    }
}

/* Whether all that agent_put would do with the request of a core that waits is agent_ask: it has
 * been refused, and its line's place is free. */
static inline bool agent_only_asks(const struct pc_card *card, const struct pc_request *r)
{
    return card->roomy && !agent_pointless(card, r) && !agent_answering(card, r->line) &&
           may_issue(card, false) && !nm_card_lost(card->protocol, r->state);
}

/* Of a request that was given up nothing is due. */
static void agent_issue(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct pc_request *r = card->request;
    (void)arg;
    if (pc_goes_on(card)) {
        agent_issue_all(card, now);
        return;
    }
    if (!card->outstanding || r->due > now)
        return;
    r->due = SIM_NEVER;
    if (agent_only_asks(card, r))
        agent_ask(card, r, now);
    else
        agent_put(card, r, now);
}

/* ---- LL and SC ------------------------------------------------------------------------------- */

/* Not after the first failure: whoever then finds a lock taken does not disturb its holder. */
bool pc_agent_links_exclusively(const struct pc_card *card)
{
    return card->linked.lost >= card->p->agent_link_failures && !card->linked.open &&
           card->p->agent_link_hold;
}

void pc_agent_linked(struct pc_card *card, uint64_t line, sim_tick at)
{
    struct pc_linked *linked = &card->linked;
    *card->heeds = true;
    if (linked->open)
        linked->lost = 0; /* the program has looked and gone away */
    if (pc_agent_links_exclusively(card)) {
        linked->line = line;
        linked->until = at + card->p->agent_link_hold;
    } else
        pc_agent_let_go(card, at);
    linked->open = true;
    linked->taken = false;
}

void pc_agent_conditional(struct pc_card *card, bool failed, sim_tick at)
{
    struct pc_linked *linked = &card->linked;
    pc_agent_let_go(card, at);
    linked->open = false;
    if (!failed)
        linked->put_out = PC_NOWHERE;
    if (!failed || !linked->taken)
        linked->lost = 0; /* a line that its own loop's fetches put out must be linked shared */
    else if (linked->lost < card->p->agent_link_failures)
        linked->lost++;
    linked->taken = false;
}

/* A link to a shared line outlives the line: whoever wants to write asks its sharers. So a line
 * that the fetches of its own loop put out is read shared the next time. */
bool pc_agent_wants_shared(const struct pc_card *card, const struct pc_request *r)
{
    const bool reads = r->access == NM_LOAD || r->access == NM_LINKED;
    return pc_side_of(r) == PC_SIDE_I || (reads && r->line == card->linked.put_out);
}

void pc_agent_link_taken(struct pc_card *card)
{
    card->linked.taken = true;
}

void pc_agent_link_put_out(struct pc_card *card, uint64_t line)
{
    card->linked.put_out = line;
}

void pc_agent_link_word(struct pc_card *card, const uint8_t *host, unsigned size)
{
    card->linked.host = nm_machine_apart(card->machine) ? host : NULL;
    if (card->linked.host)
        memcpy(card->linked.word, host, size);
}

bool pc_agent_link_stored(const struct pc_card *card, const uint8_t *host, unsigned size)
{
    return card->linked.host == host && memcmp(card->linked.word, host, size) != 0;
}

void pc_agent_let_go(struct pc_card *card, sim_tick at)
{
    if (card->linked.until > at)
        card->linked.until = at;
}

/* ---- special functions ----------------------------------------------------------------------- */

void pc_agent_special(struct pc_card *card, const struct nm_function *function, uint64_t line,
                      unsigned lines, sim_tick at)
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
                    .data = -1,
                    .rank = nm_request_rank(at, card->cpu.number)}};
    sim_post(card->k, pc_bus_edge(card, at) + card->p->agent_request * pc_bus_cycle(card),
             SIM_RANK_MODULE, agent_component(card, PC_ORDER_COMMAND), agent_command, card, 0);
}

void pc_agent_look(struct pc_card *card, const struct nm_look *look, sim_tick at)
{
    const bool network = look->where == NM_LOOK_NETWORK;
    const uint64_t line = card->p->l2_line;
    uint64_t address = look->by_index ? look->address * line : look->address & ~(line - 1);
    if (look->by_index && look->where == NM_LOOK_MEMORY)
        address += look->station * card->p->memory_size;
    const uint16_t there = network ? look->station : (uint16_t)(address / card->p->memory_size);
    const bool away = there != card->station;
    card->special = (struct pc_special){
        .active = true,
        .look = *look,
        .command = {.line = address,
                    .route = away ? ring_mask_station(card->rings, there) : 0,
                    .message = NM_MSG_SF_LOOK,
                    .source = (uint8_t)card->position,
                    .targets =
                        (uint8_t)(1u << (away || network ? NM_MODULE_NETWORK : NM_MODULE_MEMORY)),
                    .requester = (uint8_t)card->position,
                    .station = card->station,
                    .bytes = (uint8_t)((network ? NM_LOOK_AT_NETWORK : 0) |
                                       (look->by_index ? NM_LOOK_BY_INDEX : 0)),
                    .data = -1}};
    sim_post(card->k, pc_bus_edge(card, at) + card->p->agent_request * pc_bus_cycle(card),
             SIM_RANK_MODULE, agent_component(card, PC_ORDER_COMMAND),
             look->where == NM_LOOK_CARD ? look_here : agent_command, card, 0);
}

/* Into the half for data of the card's own secondary cache. */
static void look_here(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct nm_look *look = &card->special.look;
    const struct pc_l2 *l2 = &card->l2[PC_SIDE_D];
    const uint64_t line = card->special.command.line;
    const uint64_t way = (line >> card->l2_shift) / l2->sets % l2->ways, /* of an index */
        place = look->by_index ? pc_line_set(card, PC_SIDE_D, line) + way
                               : pc_line_find(card, PC_SIDE_D, line);
    const uint8_t state = place == PC_NOWHERE ? (uint8_t)NM_LINE_I : pc_place_state(l2, place);
    const bool held = state != NM_LINE_I;
    (void)arg;
    look->tag = held ? pc_place_line(l2, place) : ~0ull;
    look->state = pc_state_name(card, state & (uint8_t)~PC_NONCOHERENT);
    look->cards = held;
    card->special.active = false;
    nm_card_interrupts(card->machine, card->cpu.number, now, NM_INTERRUPT_SPECIAL);
}

/* Puts the command (again) into the outgoing FIFO. */
static void agent_command(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    (void)now, (void)arg;
    card->command_blocked = !nm_fifo_room(&card->port.out[NM_NONSINKABLE], 1);
    if (card->command_blocked)
        pc_awaits_room(card);
    else
        nm_bus_send(card->bus, card->position, &card->special.command);
}

/* Whether a request that is out will fill a place for data; it has made room already. */
static bool place_taken(const struct pc_card *card, uint64_t place)
{
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        const struct pc_request *r = &card->request[__builtin_ctz(left)];
        if (r->sent && pc_same_place(card, pc_side_of(r), r->place, PC_SIDE_D, place))
            return true;
    }
    return false;
}

/* A line makes room for one that is created. If a request is to upgrade it, that needs data now. */
static void give_place(struct pc_card *card, uint64_t victim, uint8_t state)
{
    struct pc_request *r = pc_coherent_request(card, victim);
    struct nm_sends sends;
    uint64_t actions;
    agent_evict(card, PC_SIDE_D, victim, state);
    if (r && pc_line_of(card, r->state) == NM_LINE_S)
        pc_agent_step(card, &r->state, NM_CARD_EV_INVALIDATE, NULL, victim, &sends, &actions);
}

/* The lines of a claim are reserved: they come to be here, one by one. A request of the processor
 * for one of them has been refused, or will be; the line comes in its place. */
static void procard_agent_create(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    struct pc_special *s = &card->special;
    const sim_tick cycle = pc_bus_cycle(card);
    const uint64_t line = s->command.line + s->created * card->p->l2_line;
    struct pc_request *wanted = pc_coherent_request(card, line);
    const uint64_t place = wanted ? wanted->place : pc_line_place(card, PC_SIDE_D, line);
    struct nm_sends sends;
    uint64_t actions, victim;
    uint8_t state = wanted ? wanted->state : NM_LINE_I, old;
    (void)arg;
    const bool replace = pc_line_victim(card, PC_SIDE_D, place, line, false, &victim, &old);
    if (place_taken(card, place) || (wanted && wanted->sent) ||
        (replace && !may_issue(card, true))) {
        sim_post(card->k, now + card->p->agent_retry * cycle, SIM_RANK_MODULE,
                 agent_component(card, PC_ORDER_WORK), procard_agent_create, card, 0);
        return;
    }
    if (replace)
        give_place(card, victim, old);
    if (!pc_agent_step(card, &state, NM_CARD_EV_CREATE, NULL, line, &sends, &actions))
        pc_agent_broken(card, now, line, state, "creation");
    else if (card->ear)
        agent_say(card, line, wanted ? wanted->state : NM_LINE_I, NM_CARD_EV_CREATE, state, NULL,
                  now);
    pc_line_fill(card, PC_SIDE_D, place, line, state);
    if (card->copies)
        pc_misses_create(card, line);
    nm_check_create(card->check, card->cpu.number, line);
    const bool more = ++s->created < s->command.lines;
    if (!more)
        s->command.message = NM_MSG_SF_CREATED;
    sim_post(card->k, now + card->p->agent_create * cycle, SIM_RANK_MODULE,
             agent_component(card, more ? PC_ORDER_WORK : PC_ORDER_COMMAND),
             more ? procard_agent_create : agent_command, card, 0);
    if (wanted)
        agent_give_up(card, wanted, true, now);
}

/* What the special function unit says of it. */
static void agent_commanded(struct pc_card *card, const struct nm_packet *in, sim_tick now)
{
    if (in->message == NM_MSG_SF_BUSY) {
        sim_post(card->k, now + card->p->agent_retry * pc_bus_cycle(card), SIM_RANK_MODULE,
                 agent_component(card, PC_ORDER_COMMAND), agent_command, card, 0);
        return;
    }
    if (in->message == NM_MSG_SF_READY) {
        card->special.created = 0;
        procard_agent_create(card, now, 0);
        return;
    }
    if (in->message == NM_MSG_SF_LINE) {
        struct nm_look *look = &card->special.look;
        look->tag = in->line;
        look->state = nm_state_name(
            card->protocol->agent[look->where == NM_LOOK_MEMORY ? NM_AGENT_HOME : NM_AGENT_NC],
            in->lines);
        look->cards = in->bytes;
        look->stations = in->word;
    }
    card->special.active = false;
    nm_card_interrupts(card->machine, card->cpu.number, now, NM_INTERRUPT_SPECIAL);
}

/* ---- inward ---------------------------------------------------------------------------------- */

static void agent_wake(struct pc_card *card, sim_tick at)
{
    if (sim_timer_set(&card->work, at))
        sim_post_standing(card->k, at, SIM_RANK_MODULE, agent_component(card, PC_ORDER_WORK));
}

static sim_tick response_time(const struct pc_card *card)
{
    return card->p->agent_response * pc_bus_cycle(card);
}

static void agent_arrived(void *self, sim_tick now)
{
    struct pc_card *card = self;
    sim_tick start = card->agent_free > now ? card->agent_free : now;
    agent_wake(card, start + response_time(card));
}

/* What has waited for room in the outgoing FIFOs. */
static __attribute__((noinline)) void agent_has_room(struct pc_card *card, sim_tick now)
{
    card->port.awaits_room = false;
    for (; card->blocked; card->blocked &= card->blocked - 1)
        post_issue(card, &card->request[__builtin_ctz(card->blocked)], now);
    if (card->command_blocked) {
        card->command_blocked = false;
        sim_post(card->k, now, SIM_RANK_MODULE, agent_component(card, PC_ORDER_COMMAND),
                 agent_command, card, 0);
    }
    if (card->uncached_blocked)
        pc_uncached_room(card, now);
}

static void agent_sent(void *self, sim_tick now)
{
    struct pc_card *card = self;
    if (card->blocked | card->command_blocked | card->uncached_blocked)
        agent_has_room(card, now);
    if (card->port.in[NM_NONSINKABLE].count)
        agent_arrived(card, now);
}

void pc_agent_attach(struct pc_card *card)
{
    card->work.at = SIM_NEVER;
    card->port = (struct nm_port){
        .module = card, .arrived = agent_arrived, .sent = agent_sent, .taps = &card->taps};
    nm_bus_attach(card->bus, card->position, &card->port);
    sim_kernel_stand(card->k, SIM_RANK_MODULE, agent_component(card, PC_ORDER_REQUEST), agent_issue,
                     card);
    sim_kernel_stand(card->k, SIM_RANK_MODULE, agent_component(card, PC_ORDER_WORK), agent_work,
                     card);
}

/* The next intervention is for a line kept. */
static bool agent_kept(const struct pc_card *card, sim_tick now)
{
    const struct nm_fifo *f = &card->port.in[NM_NONSINKABLE];
    return card->linked.until > now && f->count && nm_fifo_at(f, 0)->line == card->linked.line;
}

/* The first nonsinkable packet may be taken. */
static bool agent_answerable(const struct pc_card *card, sim_tick now)
{
    return card->port.in[NM_NONSINKABLE].count && nm_fifo_room(&card->port.out[NM_SINKABLE], 1) &&
           !agent_kept(card, now);
}

/* It may, and has been here before the first sinkable one. */
static inline bool agent_overtaken(const struct pc_card *card, sim_tick now)
{
    const struct nm_fifo *in = card->port.in;
    return in[NM_NONSINKABLE].count && in[NM_SINKABLE].count && agent_answerable(card, now) &&
           (int32_t)(nm_fifo_at(&in[NM_NONSINKABLE], 0)->arrived -
                     nm_fifo_at(&in[NM_SINKABLE], 0)->arrived) < 0;
}

/* Sinkable packets go first; but where a refusal comes back sooner than the agent takes the next
 * packet, there would always be one. So few of them overtake an intervention. */
static inline unsigned next_class(const struct pc_card *card, sim_tick now)
{
    enum { FEW = 8 };
    if (card->passed >= FEW && agent_overtaken(card, now))
        return NM_NONSINKABLE;
    if (card->port.in[NM_SINKABLE].count)
        return NM_SINKABLE;
    return agent_answerable(card, now) ? NM_NONSINKABLE : NM_CLASSES;
}

void pc_agent_resume(struct pc_card *card, sim_tick now)
{
    pc_card_go_on(card, now);
    pc_card_run(card, card->cpu.now + 1);
}

/* The books of a cached read (RD, RDEXCL, UPGD) that `in` completes. */
static void agent_account(struct pc_card *card, const struct pc_request *r,
                          const struct nm_packet *in, sim_tick now, bool acknowledged)
{
    const sim_tick cycle = pc_bus_cycle(card);
    if (card->monitor.wants & MON_WANTS_TRANSACTIONS)
        pc_monitor_complete(card, r, in, now);
    tap_request(card, r, MON_TAP_READS, 1, now);
    tap_request(card, r, MON_TAP_READ_LATENCY, (now - r->issued) / cycle, now);
    if (acknowledged)
        tap_request(card, r, MON_TAP_INVALIDATES_DONE, 1, now);
    if (r->first_nack == SIM_NEVER)
        return;
    tap_request(card, r, MON_TAP_NACK_TIME, (r->last_issued - r->first_nack) / cycle, now);
    card->truth.refused_time += (r->last_issued - r->issued) / cycle;
}

/* The request is done by `in`: the access that waited is, in this same event. */
static void agent_complete(struct pc_card *card, struct pc_request *r, const struct nm_packet *in,
                           sim_tick now)
{
    if (card->copies)
        pc_misses_have(card, r, in, now);
    if (card->eye)
        pc_eye_has(card, r, in, now);
    if (card->served)
        tell_served(card, r, now, false);
    if (card->warm.watches && !pc_is_noncoherent(r))
        pc_warm_learn(card, r, in, now);
    pc_line_granted(card, r->line);
    agent_over(card, r, true, now);
}

/* [bus cycles] A refused request waits a little longer than agent.retry, by chance: two agents that
 * waited equally long could refuse each other in lock-step for ever. The chance part is halved with
 * every fourth refusal, so that who has waited for long asks more often than who comes fresh; but
 * not below the time that the last refusal took to come, or asking is all that the directories do.
 */
static uint64_t retry_delay(struct pc_card *card, struct pc_request *r, sim_tick now)
{
    enum { HALVED = 4, LEAST = 3 };
    const uint64_t refusal = (now - r->last_issued) / pc_bus_cycle(card);
    const uint64_t spread = card->p->agent_spread, some = refusal > LEAST ? refusal : LEAST;
    const uint64_t least = spread < LEAST ? spread : some;
    const unsigned halvings = r->nacks++ / HALVED;
    const uint64_t most = halvings < 64 ? spread >> halvings : 0;
    card->chance = card->chance * 6364136223846793005ull + 1442695040888963407ull;
    return card->p->agent_retry + (card->chance >> 33) % ((most > least ? most : least) + 1);
}

static inline void count_nack(struct pc_card *card, const struct nm_packet *in)
{
    if (in->info & (NM_INFO_NO_ROOM | NM_INFO_NO_TURN)) {
        card->truth.nacks_no_room += (in->info & NM_INFO_NO_ROOM) != 0;
        card->truth.nacks_no_turn += (in->info & NM_INFO_NO_TURN) != 0;
    } else
        card->truth.nacks_locked++;
}

/* The request will be made once more. */
static inline void agent_retry(struct pc_card *card, struct pc_request *r, sim_tick now)
{
    r->sent = false;
    post_issue(card, r, now + retry_delay(card, r, now) * pc_bus_cycle(card));
}

static void agent_nacked(struct pc_card *card, struct pc_request *r, const struct nm_packet *in,
                         sim_tick now)
{
    pc_tap(card, MON_TAP_NACKS, 1, in, false, now);
    count_nack(card, in);
    card->roomy |= card->p->check ? 0 : agent_bit_of(card, r);
    if (r->first_nack == SIM_NEVER) {
        r->first_nack = now;
        tap_request(card, r, MON_TAP_NACKED_REQUESTS, 1, now);
    }
    agent_retry(card, r, now);
}

/* Whether the only packet that has come refuses the only request once more, which changes nothing
 * else and is told to nobody: the way of nearly all of a storm's. */
static inline bool agent_only_nacked(const struct pc_card *card)
{
    const struct nm_fifo *in = card->port.in;
    const struct pc_request *r = card->request;
    const struct nm_packet *p = nm_fifo_at(&in[NM_SINKABLE], 0);
    const struct nm_cell *cell =
        nm_cell(card->protocol->agent[NM_AGENT_CARD], r->state, NM_CARD_EV_NACK);
    return card->roomy == 1 && card->outstanding == 1 && in[NM_SINKABLE].count == 1 &&
           !in[NM_NONSINKABLE].count && p->message == NM_MSG_NACK && p->line == r->line &&
           cell->exists && cell->next == r->state && cell->actions & NM_CARD_ACT_RETRY &&
           !card->ear && !(card->monitor.hears >> MON_TAP_NACKS & 1) && !*card->port.crowd;
}

/* What agent_work does then, without a register to save. */
static inline void agent_nacked_again(struct pc_card *card, sim_tick now)
{
    const struct nm_packet *in = nm_fifo_pop(&card->port.in[NM_SINKABLE], now);
    card->taps.v[MON_TAP_NACKS]++;
    count_nack(card, in);
    agent_retry(card, card->request, now);
}

void pc_agent_hold(struct pc_card *card)
{
    if (card->activity != PC_RUNNING || pc_goes_on(card))
        return; /* what goes on by itself is told (pc_core_ops.asked) */
    if (card->cpu.cursor)
        pc_cursor_stand(card->cpu.cursor);
    pc_card_stall(card, PC_ST_STALL_MP, card->p->agent_external, card->cpu.now);
    card->truth.held += card->p->agent_external;
}

/* An intervention or invalidate is done, or will be at `at`. */
static void agent_served(struct pc_card *card, const struct nm_packet *in, sim_tick at,
                         sim_tick now)
{
    const uint32_t time = (uint32_t)at - in->arrived;
    pc_tap(card, MON_TAP_EXTERNAL_TIME, time / pc_bus_cycle(card), in, false, now);
}

/* Sends what an intervention asks for, once it is out of the caches. */
static void agent_answer(struct pc_card *card, struct nm_packet *p, const struct nm_packet *in,
                         sim_tick now, bool hit)
{
    p->phase = in->phase;
    p->info = in->info;
    p->age = in->age;
    p->rank = in->rank;
    agent_send(card, p, in->line);
    card->answer = *p;
    card->port.out[NM_SINKABLE].reserved++;
    sim_tick at = pc_bus_edge(card, now + (hit ? card->p->agent_external : 0));
    card->agent_free = at;
    agent_served(card, in, at, now);
    sim_post(card->k, at, SIM_RANK_MODULE, agent_component(card, PC_ORDER_WORK), agent_respond,
             card, 0);
}

static void agent_respond(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    (void)now, (void)arg;
    card->port.out[NM_SINKABLE].reserved--;
    nm_bus_send(card->bus, card->position, &card->answer);
}

/* The monitoring card hears of an external invalidate. @param data  the data half has the line */
static void agent_invalidated(struct pc_card *card, const struct nm_packet *in, bool hit, bool data,
                              sim_tick now)
{
    pc_monitor_invalidate(card, in->line);
    agent_served(card, in, now, now);
    if (!hit)
        return;
    pc_tap(card, MON_TAP_INVALIDATE_HITS, 1, in, false, now);
    if (card->monitor.wants & MON_WANTS_INVALIDATES)
        pc_monitor_access(card, 0, data, in->line, now);
}

/** The card that wants the line. */
static unsigned wanted_by(const struct nm_packet *in)
{
    return (unsigned)(in->rank % NM_RANKED);
}

/* The processor may be waiting for that: a profile wants to know who changes what it looks at. */
static void agent_lost(const struct pc_card *card, const struct nm_packet *in, sim_tick now)
{
    const unsigned who = wanted_by(in);
    if (who < nm_machine_cards(card->machine) && who != card->cpu.number)
        pc_cursor_lost(card->cpu.cursor, in->line,
                       pc_card_of(nm_machine_card(card->machine, who))->cpu.tries.thread, now);
}

/* What the secondary cache has of a line, in the half for data if it is there. */
static uint8_t agent_held(const struct pc_card *card, uint64_t line)
{
    const uint8_t state = pc_line_half_state(card, PC_SIDE_D, line);
    return state != NM_LINE_I ? state : pc_line_half_state(card, PC_SIDE_I, line);
}

/* Another has taken the line. The card's own store conditional sends an invalidation here, too,
 * where the home knows stations only (flat): of a copy that was put out before. */
static bool breaks_link(const struct pc_card *card, const struct nm_packet *in)
{
    return in->message != NM_MSG_INTV_S && card->cpu.link && card->cpu.link_pa == in->line &&
           (in->message != NM_MSG_INVALIDATE || wanted_by(in) != card->cpu.number);
}

void pc_agent_gives_way(struct pc_card *card, const struct nm_packet *in, uint64_t actions,
                        bool hit, sim_tick now)
{
    if (card->core->asked) {
        pc_core_wakes(card, pc_card_now(card));
        card->core->asked(&card->cpu, in->message == NM_MSG_INVALIDATE, agent_held(card, in->line),
                          pc_card_now(card));
    }
    if (in->message != NM_MSG_INTV_S && hit && card->cpu.cursor)
        agent_lost(card, in, now);
    if (breaks_link(card, in)) {
        card->cpu.link = false;
        pc_agent_link_taken(card);
    }
    if (actions & NM_CARD_ACT_DROP || in->message == NM_MSG_INVALIDATE)
        pc_line_drop(card, in->line);
    if (actions & NM_CARD_ACT_CLEAN)
        pc_line_clean(card, in->line);
}

/* What an external request does to the caches. */
static void procard_agent_external(struct pc_card *card, const struct nm_packet *in,
                                   uint64_t actions, sim_tick now)
{
    bool data = pc_line_in_half(card, PC_SIDE_D, in->line);
    bool hit = data || pc_line_in_half(card, PC_SIDE_I, in->line);
    const bool supplies = actions & (NM_CARD_ACT_DROP | NM_CARD_ACT_CLEAN);
    if (card->monitor.wants & MON_WANTS_ACCESSES)
        pc_monitor_access(card, MON_KIND_EXTERNAL, data || !hit, in->line, now);
    if (supplies && in->message != NM_MSG_INVALIDATE)
        read_out(card, MON_KIND_EXTERNAL, PC_SIDE_D, in->line, now + words_apart(card));
    pc_agent_gives_way(card, in, actions, hit, now);
    if (in->message == NM_MSG_INVALIDATE) {
        agent_invalidated(card, in, hit, data, now);
        nm_stale_applied(card->old, card->cpu.number, in->line);
    }
    if (hit)
        pc_agent_hold(card);
}

/* An upgrade that was cancelled becomes a read: so far the processor waited for an acknowledgement,
 * from here on for data (R4-5). With IvdErr the agent reads all the same, because its request is on
 * its way, and the processor hears of the failure when that has ended. */
static void becomes_read(struct pc_card *card, struct pc_request *r, sim_tick now)
{
    card->truth.upgrades_failed++;
    if (pc_goes_on(card))
        return;
    r->failed = r->access == NM_STORE && card->p->failed_upgrade == NM_FAILED_BUS_ERROR;
    if (now > card->cpu.now)
        pc_card_stall(card, card->stall, now - card->cpu.now, card->cpu.now);
    card->stall = PC_ST_STALL_L2;
}

/* Events that answer the card's own request concern that request, whatever else is held. */
bool pc_agent_is_response(enum nm_card_event event)
{
    return event == NM_CARD_EV_DATA_S || event == NM_CARD_EV_DATA_X || event == NM_CARD_EV_ACK ||
           event == NM_CARD_EV_NACK;
}

/* The state of a request, and what the processor waits for, after a message. */
static void request_becomes(struct pc_card *card, struct pc_request *r, uint8_t state, sim_tick now)
{
    const bool lost = nm_card_lost(card->protocol, r->state);
    r->state = state;
    if (nm_card_lost(card->protocol, state) && !lost)
        becomes_read(card, r, now);
}

/* What ends the card's own request, or asks the home for what is its own already. */
static __attribute__((noinline)) void agent_granted(struct pc_card *card, struct pc_request *r,
                                                    const struct nm_packet *in,
                                                    const struct nm_cell *cell, bool acknowledged,
                                                    sim_tick now)
{
    if (cell->actions & NM_CARD_ACT_SEND_SPECIAL) {
        r->sent = false;
        agent_put(card, r, now);
        return;
    }
    if (cell->actions & NM_CARD_ACT_FILL) {
        nm_check_to(card->check, card->cpu.number, in->line, in->data);
        written_in(card, pc_side_of(r), in->line, now);
    }
    pc_line_fill(card, pc_side_of(r), r->place, in->line, cell->next);
    agent_account(card, r, in, now, acknowledged);
    agent_complete(card, r, in, now);
}

/* What answers the card's own request. None of these sends a message but the request once more. */
static inline void agent_response(struct pc_card *card, struct pc_request *r,
                                  const struct nm_packet *in, enum nm_card_event event,
                                  sim_tick now)
{
    const struct nm_cell *cell = agent_cell(card, r->state, event);
    if (!cell) {
        pc_agent_broken(card, now, in->line, r->state, nm_message_row(in->message)->name);
        return;
    }
    if (card->ear)
        agent_say(card, in->line, r->state, event, cell->next, in, now);
    if (cell->next != r->state)
        request_becomes(card, r, cell->next, now);
    if (cell->actions & NM_CARD_ACT_RETRY)
        agent_nacked(card, r, in, now);
    else
        agent_granted(card, r, in, cell, event == NM_CARD_EV_ACK, now);
}

/* What others want of the caches. @param r  the card's own request for the line, if there is one */
static void agent_asked(struct pc_card *card, struct pc_request *r, const struct nm_packet *in,
                        enum nm_card_event event, sim_tick now)
{
    struct nm_sends sends;
    uint64_t actions;
    const uint8_t before = pc_line_state(card, in->line);
    uint8_t state = before;
    if (!pc_agent_step(card, &state, event, in, in->line, &sends, &actions)) {
        pc_agent_broken(card, now, in->line, before, nm_message_row(in->message)->name);
        return;
    }
    if (card->ear)
        agent_say(card, in->line, before, event, state, in, now);
    if (r && before == r->state)
        request_becomes(card, r, state, now);
    if (sends.count)
        agent_answer(card, &sends.packet[0], in, now,
                     actions & (NM_CARD_ACT_DROP | NM_CARD_ACT_CLEAN));
    procard_agent_external(card, in, actions, now);
}

static inline void agent_handle(struct pc_card *card, const struct nm_packet *in,
                                enum nm_card_event event, sim_tick now)
{
    struct pc_request *r = pc_coherent_request(card, in->line);
    if (r && pc_agent_is_response(event))
        agent_response(card, r, in, event, now);
    else
        agent_asked(card, r, in, event, now);
}

/* Messages the protocol's table does not know. */
static void agent_outside(struct pc_card *card, const struct nm_packet *in, sim_tick now)
{
    if (in->message == NM_MSG_NCH_DATA) {
        struct pc_request *r = pc_request_of(card, in->line);
        written_in(card, pc_side_of(r), in->line, now);
        pc_line_fill(card, pc_side_of(r), r->place, in->line, NM_LINE_S | PC_NONCOHERENT);
        agent_complete(card, r, in, now);
    } else if (nm_is_noncoherent_response(in->message))
        pc_uncached_answer(card, in, now);
    else if (in->message == NM_MSG_UNC_CAST)
        pc_uncached_take(card, in, now);
    else
        pc_uncached_serve(card, in, now);
}

/* What is no event of the protocol's table, or should not have come. */
static __attribute__((noinline)) void agent_beside(struct pc_card *card, const struct nm_packet *in,
                                                   sim_tick now)
{
    if (in->message == NM_MSG_SF_DONE || in->message == NM_MSG_SF_BUSY ||
        in->message == NM_MSG_SF_READY || in->message == NM_MSG_SF_LINE)
        agent_commanded(card, in, now);
    else if (nm_is_noncoherent(in->message))
        agent_outside(card, in, now);
    else
        agent_asked(card, pc_coherent_request(card, in->line), in, NM_CARD_EVENTS, now);
}

/* Takes a packet, if it may. */
static __attribute__((noinline)) void agent_take(struct pc_card *card, sim_tick now)
{
    unsigned c = next_class(card, now);
    if (c == NM_CLASSES) {
        if (agent_kept(card, now))
            agent_arrived(card, now);
        return;
    }
    card->passed = c == NM_SINKABLE ? card->passed + agent_overtaken(card, now) : 0;
    const struct nm_packet *in = nm_fifo_pop(&card->port.in[c], now);
    const enum nm_card_event event = nm_card_event_of(in, (uint8_t)card->position);
    card->at_work = 1u << c;
    nm_bus_drained(card->bus, &card->port, now);
    if (event != NM_CARD_EVENTS)
        agent_handle(card, in, event, now);
    else
        agent_beside(card, in, now);
    card->at_work = 0;
    nm_check_release(card->check, in->data);
    if (!(card->port.in[NM_SINKABLE].count | card->port.in[NM_NONSINKABLE].count))
        return;
    if (next_class(card, now) != NM_CLASSES || agent_kept(card, now))
        agent_arrived(card, now);
}

static void agent_work(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    (void)arg;
    if (!sim_timer_fires(&card->work, now))
        return;
    if (now < card->agent_free)
        agent_wake(card, card->agent_free);
    else if (agent_only_nacked(card))
        agent_nacked_again(card, now);
    else
        agent_take(card, now);
}
