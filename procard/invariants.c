/*
 * What holds of a card between windows: its processor waits exactly when something of it is out,
 * what the processor sees of its primary caches is there, what is there is in the secondary cache,
 * and every PCycle has a state.
 *
 * The caches are looked at a few places at a time, others in each window.
 */
#include "base/invariant.h"
#include "procard/card.h"

#include <inttypes.h>

static void waiting_holds(const struct pc_card *card, sim_tick now)
{
    const enum pc_activity activity = card->activity;
    const unsigned number = card->cpu.number;
    const bool waits = (card->outstanding && !pc_goes_on(card)) || card->uncached.waits;
    SIM_MUST((activity == PC_WAITING) == waits, "card %u: activity %d, requests %#x, uncached %d",
             number, activity, card->outstanding, card->uncached.waits);
    SIM_MUST(activity != PC_RUNNING || pc_card_stands(card) >= now,
             "card %u: at %" PRIu64 ", now %" PRIu64, number, pc_card_stands(card), now);
    SIM_MUST(activity == PC_RUNNING || !card->sleeps, "card %u: activity %d, asleep", number,
             activity);
    SIM_MUST(
        card->linked.until <= now || card->linked.until <= card->cpu.now || activity == PC_RUNNING,
        "card %u keeps a line until %" PRIu64 ", now %" PRIu64, number, card->linked.until, now);
}

/* Each request is for a line of its own that has a place of its own, and each waits for something.
 */
static void requests_hold(const struct pc_card *card, sim_tick now)
{
    const unsigned number = card->cpu.number;
    SIM_MUST(card->outstanding < 1u << pc_requests_max(card) &&
                 !(card->blocked & ~card->outstanding),
             "card %u: requests %#x, blocked %#x", number, card->outstanding, card->blocked);
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        const struct pc_request *r = &card->request[__builtin_ctz(left)];
        SIM_MUST(pc_is_noncoherent(r) || nm_card_request(card->protocol, r->state) != NM_MSG__COUNT,
                 "card %u: a request in state %s", number, pc_state_name(card, r->state));
        const bool blocked = card->blocked >> __builtin_ctz(left) & 1;
        SIM_MUST(r->sent + blocked + (r->due != SIM_NEVER) == 1 && r->due >= now,
                 "card %u: a request sent %d, blocked %d, due at %" PRIu64 ", now %" PRIu64, number,
                 r->sent, blocked, r->due, now);
        uint64_t victim;
        uint8_t state;
        SIM_MUST(!(card->roomy >> __builtin_ctz(left) & 1) ||
                     !pc_line_victim(card, pc_side_of(r), r->place, r->line, pc_is_noncoherent(r),
                                     &victim, &state),
                 "card %u: 0x%" PRIx64 " has no room where it had", number, r->line);
        for (unsigned rest = left & (left - 1); rest; rest &= rest - 1) {
            const struct pc_request *other = &card->request[__builtin_ctz(rest)];
            SIM_MUST(r->line != other->line && !pc_same_place(card, pc_side_of(r), r->place,
                                                              pc_side_of(other), other->place),
                     "card %u: two requests for 0x%" PRIx64 ", or its place", number, r->line);
        }
    }
}

static void queues_hold(const struct pc_card *card)
{
    for (unsigned c = 0; c < NM_CLASSES; c++) {
        const struct nm_fifo *in = &card->port.in[c], *out = &card->port.out[c];
        SIM_MUST(in->count <= in->depth && out->count + out->reserved <= out->depth, "card %u",
                 card->cpu.number);
    }
    const bool blocked = card->blocked || card->command_blocked || card->uncached_blocked;
    SIM_MUST(!blocked || card->port.awaits_room,
             "card %u: requests %#x wait for room, command %d, uncached %d, and it is not told",
             card->cpu.number, card->blocked, card->command_blocked, card->uncached_blocked);
}

static void time_holds(const struct pc_card *card)
{
    uint64_t states[PC_ST__COUNT], sum = 0;
    struct pc_tail tail;
    pc_core_totals(card, states, &tail);
    for (unsigned i = 0; i < PC_ST__COUNT; i++)
        sum += states[i];
    SIM_MUST(sum == card->cpu.now, "card %u: %" PRIu64 " PCycles in states, at %" PRIu64,
             card->cpu.number, sum, card->cpu.now);
}

static void place_holds(const struct pc_card *card, enum pc_side side, unsigned place)
{
    const struct pc_line *view = &card->l1[side][place];
    const uint64_t part = pc_l1_part(card, side, place);
    const uint64_t va = view->tag & ~PC_LINE_READ_ONLY;
    const bool writable = !(view->tag & PC_LINE_READ_ONLY);
    const unsigned number = card->cpu.number;
    if (view->tag != pc_line_none(place)) {
        SIM_MUST(part != PC_NOWHERE, "card %u, side %u, place %u", number, side, place);
        SIM_MUST(card->l1_shown[side][place / 64] >> place % 64 & 1, "card %u, side %u, place %u",
                 number, side, place);
        SIM_MUST(side == PC_SIDE_I || card->warm.on || pc_tlb_translates(card, va),
                 "card %u, place %u: 0x%" PRIx64 " is seen, and its page has left the TLB", number,
                 place, va);
        SIM_MUST((va >> card->l1_shift[side] & card->l1_mask[side]) == place &&
                     !(va & ((1ull << card->l1_shift[side]) - 1)),
                 "card %u, side %u: 0x%" PRIx64 " is seen at place %u", number, side, va, place);
        SIM_MUST(side == PC_SIDE_I || !writable || pc_l1_dirty(card, side, place),
                 "card %u, side %u, place %u", number, side, place);
    }
    if (part == PC_NOWHERE)
        return;
    const struct pc_l2 *l2 = &card->l2[side];
    const uint64_t line = part & ~(uint64_t)(nm_value_l2_line(card->p) - 1);
    const uint64_t at = pc_line_find(card, side, line);
    const uint8_t state = at == PC_NOWHERE ? (uint8_t)NM_LINE_I : pc_place_state(l2, at);
    SIM_MUST(state != NM_LINE_I, "card %u, side %u: 0x%" PRIx64 " is not in the secondary cache",
             number, side, part);
    SIM_MUST(!pc_l1_dirty(card, side, place) || (state & ~PC_NONCOHERENT) == NM_LINE_D,
             "card %u: 0x%" PRIx64 " is dirty, in state %s", number, part,
             pc_state_name(card, state & (uint8_t)~PC_NONCOHERENT));
}

void pc_card_invariants(const struct pc_card *card, sim_tick now)
{
    enum { PLACES = 8 };
    waiting_holds(card, now);
    requests_hold(card, now);
    queues_hold(card);
    time_holds(card);
    for (unsigned side = 0; side < PC_SIDES; side++)
        for (unsigned i = 0; i < PLACES; i++)
            place_holds(card, side,
                        ((unsigned)(now * 0x9e3779b97f4a7c15ull >> 40) + i) & card->l1_mask[side]);
}

/* PCycles of stalls, slips and kills so far, and what the last instruction took. */
static uint64_t invariants_lost(const struct pc_card *card, struct pc_tail *tail)
{
    uint64_t states[PC_ST__COUNT], sum = 0;
    pc_core_totals(card, states, tail);
    for (unsigned i = 0; i < PC_ST__COUNT; i++)
        sum += pc_status_completes((enum pc_status)i) ? 0 : states[i];
    return sum;
}

/* The last instruction has its own PCycles, and what it was kept by is no more than all that
 * instructions of this run were kept by. */
sim_tick pc_card_run_checked(struct pc_card *card, sim_tick horizon)
{
    struct pc_cpu *cpu = &card->cpu;
    const sim_tick begin = cpu->now;
    struct pc_tail tail;
    const uint64_t before = invariants_lost(card, &tail);
    const sim_tick at =
        horizon > card->unwatched ? pc_card_run_watched(card, horizon) : pc_core_run(card, horizon);
    SIM_MUST(!at || at == pc_card_stands(card),
             "card %u comes back with %" PRIu64 " and stands at %" PRIu64
             ": a core returns cpu->now (procard/core.h)",
             cpu->number, at, pc_card_stands(card));
    const uint64_t kept = invariants_lost(card, &tail) - before;
    /* A trap takes its time, and a core without programs is told how much to let pass. */
    SIM_MUST(
        !cpu->untimed || !kept || card->activity == PC_TRAPPED || !card->core->programs,
        "card %u at %" PRIu64 ": %" PRIu64
        " PCycles without an instruction or a trap, in functional mode: there each instruction "
        "is one PCycle (cpu->untimed, procard/core.h)",
        cpu->number, cpu->now, kept);
    SIM_MUST(begin >= horizon || !tail.did || cpu->now - tail.did - kept < horizon,
             "card %u at %" PRIu64 ", horizon %" PRIu64
             ": a core starts instructions before its horizon only (procard/core.h)",
             cpu->number, cpu->now, horizon);
    return at;
}

bool pc_card_commutes(unsigned order, const struct sim_event *first, const struct sim_event *second)
{
    if (order == PC_ORDER_REQUEST) /* the first does all that is due */
        return first->fire == second->fire;
    /* only the agent's own events post work, an answer before the work behind it */
    return order == PC_ORDER_WORK;
}
