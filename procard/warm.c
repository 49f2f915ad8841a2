/*
 * The card in warming (machine/warm.h): its processor and caches are those of a timed machine; what
 * the processor asks the bus for happens at once, and takes as long as such requests have taken
 * when they were last timed.
 *
 * Two ideas. Requests are told apart by who answered and how (cost_of), which the messages say in
 * both modes alike; the processor waits for the mean of its kind. And who waits has had its access:
 * it is made when its line is granted, before another can take that. Only between a load linked and
 * its store-conditional another could, again and again; so a line that was linked exclusively is
 * kept for a while.
 */
#include "machine/warm.h"
#include "base/alloc.h"
#include "machine/functional.h"
#include "machine/values.h"
#include "procard/card.h"

#include <stdlib.h>

/* ---- what a request takes -------------------------------------------------------------------- */

/* Who answered: another card of the station, its memory or network cache, or a home so many levels
 * of rings away. */
enum source { FROM_CARD, FROM_MEMORY, FROM_CACHE, FROM_RINGS, SOURCES = FROM_RINGS + RING_LEVELS };

/* Data to share, data of one's own, or an acknowledgement. */
enum { ANSWERS = 3, COSTS = ANSWERS * SOURCES * 2 /* the home's copy was good, or not */ };

/* A kind of request. */
struct pc_cost {
    uint64_t count;
    sim_tick time; /* of all that count, from the access to its end */
    sim_tick mean; /* what one is said to take; 0: none has been timed */
};

static unsigned warm_source_of(const struct pc_card *card, const struct nm_packet *in)
{
    unsigned home = (unsigned)(in->line / card->p->memory_size), here = card->station, level = 0;
    if (in->source < NM_CARDS_MAX)
        return FROM_CARD;
    if (in->source == NM_MODULE_MEMORY)
        return FROM_MEMORY;
    if (in->info & NM_INFO_NC_HIT || home == here)
        return FROM_CACHE;
    for (; level + 1 < card->rings->levels; level++) {
        home /= card->rings->fan[level];
        here /= card->rings->fan[level];
        if (home == here)
            break;
    }
    return FROM_RINGS + level;
}

static unsigned warm_cost_of(const struct pc_card *card, const struct nm_packet *in)
{
    const unsigned answer = in->message == NM_MSG_DATA_S ? 0 : in->message == NM_MSG_DATA_X ? 1 : 2;
    return (answer * SOURCES + warm_source_of(card, in)) * 2 + !(in->info & NM_INFO_VALID);
}

/* Before anything has been timed: without queues, and no more than a guess. */
static sim_tick warm_guess(const struct pc_card *card, unsigned kind)
{
    enum { FAR = 4 /* times, of another station */ };
    const struct nm_params *p = card->p;
    const sim_tick near = pc_bus_cycle(card) *
                          (p->agent_request + 2 * (p->bus_arbitration + 1) + p->memory_directory +
                           p->memory_dram + p->agent_response + p->l2_line / p->bus_width);
    return p->l2_lookup + (kind / 2 % SOURCES >= FROM_RINGS ? FAR : 1) * near;
}

/* What one of a kind takes for all cards, where this one has not timed any. */
static __attribute__((noinline)) sim_tick takes_elsewhere(const struct pc_card *card, unsigned kind)
{
    sim_tick sum = 0, count = 0;
    for (unsigned i = 0; i < nm_machine_cards(card->machine); i++) {
        const struct pc_cost *cost = pc_card_of(nm_machine_card(card->machine, i))->warm.cost;
        sum += cost ? cost[kind].mean : 0;
        count += cost && cost[kind].mean;
    }
    return count ? sum / count : warm_guess(card, kind);
}

/* Until it has timed one itself, a card remembers what it has found out elsewhere. */
static sim_tick warm_takes(struct pc_card *card, unsigned kind)
{
    struct pc_cost *cost = &card->warm.cost[kind];
    if (!cost->mean)
        cost->mean = takes_elsewhere(card, kind);
    return cost->mean;
}

/* One that was refused has waited for its line, which is no part of what it takes. */
void pc_warm_learn(struct pc_card *card, const struct pc_request *r, const struct nm_packet *in,
                   sim_tick now)
{
    const unsigned kind = warm_cost_of(card, in);
    const sim_tick took = now - r->asked;
    struct pc_cost *cost = &card->warm.cost[kind];
    struct pc_waited *waited = &card->warm.waited;
    waited->requests++;
    if (r->nacks) {
        waited->refused += took;
        return;
    }
    cost->count++;
    cost->time += took;
    waited->took += took;
    waited->expected += warm_takes(card, kind);
}

/* What is older counts half. */
static void update_means(struct pc_card *card)
{
    for (struct pc_cost *cost = card->warm.cost; cost < card->warm.cost + COSTS; cost++) {
        if (!cost->count)
            continue;
        cost->mean = (cost->time + cost->count / 2) / cost->count;
        cost->time = cost->time * (cost->count / 2) / cost->count;
        cost->count /= 2;
    }
}

/* ---- a request ------------------------------------------------------------------------------- */

/* A message of the card's own. */
static void warm_put(const struct pc_card *card, struct nm_packet *p, uint64_t line)
{
    p->source = (uint8_t)card->position;
    p->line = line;
    nm_warm_put(card->machine, card->station, p);
}

/* The line that must leave does. */
static void make_room(struct pc_card *card, const struct pc_request *r)
{
    struct nm_sends sends = {0};
    uint64_t actions, victim;
    uint8_t state;
    if (!pc_line_victim(card, pc_side_of(r), r->place, r->line, pc_is_noncoherent(r), &victim,
                        &state))
        return;
    if (state & PC_NONCOHERENT)
        card->truth.writebacks += state == (NM_LINE_D | PC_NONCOHERENT);
    else if (!pc_agent_step(card, &state, NM_CARD_EV_REPLACE, NULL, victim, &sends, &actions))
        pc_agent_broken(card, 0, victim, state, "replacement");
    for (unsigned i = 0; i < sends.count; i++)
        warm_put(card, &sends.packet[i], victim);
    card->truth.writebacks += sends.count;
    pc_line_evict(card, pc_side_of(r), victim);
}

static void put_request(struct pc_card *card, const struct pc_request *r)
{
    struct nm_packet p = {.message = nm_card_request(card->protocol, r->state),
                          .targets = (uint8_t)(1u << pc_agent_directory(card, r->line)),
                          .requester = (uint8_t)card->position,
                          .station = card->station,
                          .info = pc_agent_wants_shared(card, r) ? NM_INFO_SHARED : 0,
                          .data = -1,
                          .rank = nm_request_rank(r->asked, card->cpu.number)};
    warm_put(card, &p, r->line);
}

/* The request's transaction, from its first message to its last. */
static void warm_transact(struct pc_card *card, struct pc_request *r)
{
    struct nm_sends sends;
    uint64_t actions;
    r->state = pc_line_half_state(card, pc_side_of(r), r->line);
    if (r->state == NM_LINE_S)
        card->truth.upgrades++;
    else {
        card->truth.l2_misses++;
        make_room(card, r);
    }
    if (!pc_agent_step(card, &r->state, (enum nm_card_event)r->event, NULL, r->line, &sends,
                       &actions))
        pc_agent_broken(card, r->asked, r->line, r->state, "a processor access");
    r->sent = true;
    r->nacks = 0;
    put_request(card, r);
    nm_warm_deliver(card->machine);
    if (r->sent)
        pc_agent_broken(card, r->asked, r->line, r->state, "the end of a transaction");
}

/* A line outside the protocol: it is fetched from its memory. */
static void warm_fetch(struct pc_card *card, const struct pc_request *r)
{
    const bool here = r->line / card->p->memory_size == card->station;
    card->warm.kind = 2 * (here ? FROM_MEMORY : FROM_RINGS);
    card->truth.l2_misses++;
    make_room(card, r);
    nm_warm_deliver(card->machine); /* what leaves may be known to a directory */
    pc_line_fill(card, pc_side_of(r), r->place, r->line, NM_LINE_S | PC_NONCOHERENT);
}

/* ---- the processor --------------------------------------------------------------------------- */

/* Its store-conditional cannot succeed any more. */
static bool warm_pointless(const struct pc_card *card, const struct pc_request *r)
{
    return r->access == NM_CONDITIONAL && !card->cpu.link;
}

/* From a load linked that asked for its line exclusively to its store-conditional, on whichever
 * side of a turn's end it is. */
static sim_tick warm_keeps(const struct pc_card *card, const struct pc_request *r)
{
    return r->event == NM_CARD_EV_LINK ? card->p->agent_link_hold + NM_QUANTUM_WARM : 0;
}

/* What the processor waits for happens at `at`. One that had to wait for its line would have been
 * refused, and finds out half a retry late. */
static sim_tick warm_served(struct pc_card *card, struct pc_request *r, sim_tick at)
{
    if (pc_is_noncoherent(r))
        warm_fetch(card, r);
    else
        warm_transact(card, r);
    pc_line_granted(card, r->line);
    sim_tick end = at + warm_takes(card, card->warm.kind);
    if (at > r->asked)
        end += card->p->agent_retry * pc_bus_cycle(card) / 2;
    if (warm_keeps(card, r))
        nm_warm_keep(card->machine, r->line, card->cpu.number, end + warm_keeps(card, r));
    return end;
}

static void warm_answer(struct pc_card *card, struct pc_request *r, sim_tick at)
{
    if (warm_pointless(card, r))
        pc_agent_over(card, r, false, at);
    else
        pc_agent_over(card, r, true, warm_served(card, r, at));
}

sim_tick pc_warm_goes_on(const struct pc_card *card)
{
    sim_tick first = SIM_NEVER;
    for (unsigned left = card->outstanding; left; left &= left - 1)
        first = sim_earlier(first, card->request[__builtin_ctz(left)].due);
    return first;
}

/* Requests are answered whose lines are free before `end`. */
static void warm_try(struct pc_card *card, sim_tick end)
{
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        struct pc_request *r = &card->request[__builtin_ctz(left)];
        const sim_tick at = nm_warm_free(card->machine, r->line, card->cpu.number, r->due);
        r->due = sim_earlier(at, end);
        if (at < end)
            warm_answer(card, r, at);
    }
}

void pc_warm_turn(struct pc_card *card, sim_tick end)
{
    warm_try(card, end);
    while (card->activity == PC_RUNNING && card->cpu.now < end) {
        pc_card_run(card, end);
        warm_try(card, end);
    }
}

/* ---- what others ask ------------------------------------------------------------------------- */

/* @param p  to be sent */
static void warm_respond(const struct pc_card *card, struct nm_packet *p,
                         const struct nm_packet *in)
{
    p->phase = in->phase;
    p->info = in->info;
    p->age = in->age;
    p->rank = in->rank;
    warm_put(card, p, in->line);
}

static void warm_external(struct pc_card *card, const struct nm_packet *in, uint64_t actions)
{
    const bool hit =
        pc_line_in_half(card, PC_SIDE_D, in->line) || pc_line_in_half(card, PC_SIDE_I, in->line);
    pc_agent_gives_way(card, in, actions, hit, card->cpu.now);
    if (hit)
        pc_agent_hold(card);
}

/* Whether the message changes nothing, as most invalidations of lines that are not here. */
static bool warm_is_nothing(const struct pc_card *card, uint8_t state, enum nm_card_event event,
                            uint64_t line)
{
    const struct nm_table *t = card->protocol->agent[NM_AGENT_CARD];
    const bool linked = card->cpu.link && card->cpu.link_pa == line;
    if (state != NM_LINE_I || event == NM_CARD_EVENTS || linked)
        return false;
    const struct nm_cell *cell = nm_cell(t, state, event);
    return cell->exists && cell->next == state && !cell->actions;
}

enum { OFTEN = 100 /* refusals of a request when nobody else makes any: a protocol error */ };

void pc_warm_take(struct pc_card *card, const struct nm_packet *in)
{
    const enum nm_card_event event = nm_card_event_of(in, (uint8_t)card->position);
    struct pc_request *r = pc_coherent_request(card, in->line);
    const bool response = r && pc_agent_is_response(event);
    struct nm_sends sends;
    uint64_t actions;
    uint8_t before = response ? r->state : pc_line_state(card, in->line), state = before;
    if (!response && warm_is_nothing(card, before, event, in->line))
        return;
    if (!pc_agent_step(card, &state, event, in, in->line, &sends, &actions)) {
        pc_agent_broken(card, card->cpu.now, in->line, before, nm_message_row(in->message)->name);
        return;
    }
    if (r && (response || before == r->state))
        r->state = state;
    if (!response) {
        for (unsigned i = 0; i < sends.count; i++)
            warm_respond(card, &sends.packet[i], in);
        warm_external(card, in, actions);
    } else if (actions & (NM_CARD_ACT_RETRY | NM_CARD_ACT_SEND_SPECIAL)) {
        if (r->nacks++ < OFTEN)
            put_request(card, r); /* else the transaction ends without an answer */
    } else {
        pc_line_fill(card, pc_side_of(r), r->place, in->line, state);
        card->warm.kind = warm_cost_of(card, in);
        r->sent = false;
    }
}

/* ---- on and off ------------------------------------------------------------------------------ */

static void have_costs(struct pc_card *card)
{
    if (!card->warm.cost)
        card->warm.cost = sim_alloc(COSTS, sizeof *card->warm.cost);
}

/* What is not timed is not counted, either. */
static void swap_truths(struct pc_card *card)
{
    const struct nm_truth truth = card->truth;
    card->truth = card->warm.truth;
    card->warm.truth = truth;
}

void pc_warm_on(struct pc_card *card)
{
    swap_truths(card);
    have_costs(card);
    update_means(card);
    card->warm.on = true;
}

void pc_warm_off(struct pc_card *card)
{
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        struct pc_request *r = &card->request[__builtin_ctz(left)];
        warm_answer(card, r, r->due);
    }
    card->warm.on = false;
    swap_truths(card);
}

void pc_warm_give_up(struct pc_card *card, const struct pc_request *r, sim_tick now)
{
    card->warm.waited.refused += now - r->asked;
}

void pc_warm_watch(struct pc_card *card, bool watches)
{
    have_costs(card);
    card->warm.watches = watches;
}

void pc_warm_free(struct pc_card *card)
{
    free(card->warm.cost);
}
