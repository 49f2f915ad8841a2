/*
 * The processor card as a whole: puts the core, its caches and the agent together, runs the
 * processor between the moments at which something can reach it, and reads its totals.
 *
 * The hard idea is reading totals at a tick. A processor is simulated in whole instructions, with
 * what they wait for, kill and make the next one slip, so its own clock may be past the moment
 * asked for. What lies beyond is left out, PCycle by PCycle: stalls are remembered with their
 * ticks, and a run leaves behind what its last PCycles were (struct pc_tail). No more is needed:
 * nobody asks for a tick before the last run's last instruction, because a run ends where somebody
 * might.
 */
#include "procard/card.h"
#include "machine/values.h"
#include "procard/cursor.h"
#include "procard/pins.h"
#include "procard/procard.h"
#include "procard/record.h"

#include <inttypes.h>
#include <string.h>

struct nm_card *pc_card_new(const struct nm_card_site *site)
{
    const struct pc_core_ops *core = site->kind->ctx;
    struct sim_room *room = site->contents->parts;
    struct pc_card *card = sim_room_take(room, offsetof(struct pc_card, cpu) + core->size);
    const struct nm_params *p = site->params;
    card->room = room;
    card->core = core;
    card->nm.ops = &pc_card_ops;
    card->nm.foresees = core->foresees;
    card->nm.sleeps = core->sleeps;
    card->nm.together = core->together;
    card->machine = site->machine;
    card->k = site->kernel;
    card->bus = site->bus;
    card->p = p;
    card->image = site->contents->image;
    card->old = site->contents->stale;
    card->olds = nm_stale_list(card->old, site->station);
    card->heeds = &site->contents->heeds[site->number];
    card->check = site->contents->check;
    card->rings = site->rings;
    card->protocol = site->protocol;
    card->position = site->position;
    card->station = site->station;
    card->page_shift = (unsigned)__builtin_ctzll(p->page_size);
    card->page_low = p->page_size - 1;
    card->cpu.card = card;
    card->cpu.number = site->number;
    pc_places_new(card, site->contents->room);
    if (core->create)
        core->create(&card->cpu);
    *card->heeds = card->early != NULL;
    pc_card_forget(card);
    pc_tlb_init(card, p->tlb_refill && !card->functional && !core->requests);
    card->linked.put_out = PC_NOWHERE;
    card->chance = site->number;
    card->preempt_at = SIM_NEVER;
    pc_agent_attach(card);
    pc_monitor_init(card, nm_card_counters(site->kind));
    pc_counters_init(card);
    pc_l2c_init(card);
    pc_sync_init(&card->sync, p);
    pc_card_watch(card);
    pc_card_heard(card);
    return &card->nm;
}

void pc_core_heed(struct pc_cpu *cpu, const struct pc_core_heeds *heeds)
{
    cpu->card->early = heeds;
}

void pc_card_set_mode(struct pc_card *card, enum nm_mode mode, sim_tick at)
{
    struct pc_cpu *cpu = &card->cpu;
    pc_core_settle(card);
    pc_uncached_forget(card);
    card->nm.quiet = 0;
    pc_counters_leave(card);
    if (card->core->look && (card->functional || card->warm.on)) /* nobody has looked meanwhile */
        card->core->look(cpu, sim_later(cpu->now, at));
    if (card->warm.on)
        pc_warm_off(card);
    if (card->functional != (mode == NM_MODE_FUNCTIONAL))
        pc_places_change(card);
    if (mode == NM_MODE_WARM)
        pc_warm_on(card);
    pc_card_heard(card);
    if (card->activity == PC_RUNNING && cpu->now < at)
        pc_card_stall(card, PC_ST_STALL_OTHER, at - cpu->now, cpu->now);
    if (mode == NM_MODE_TIMED)
        pc_counters_go_on(card, at);
}

void pc_card_free(struct pc_card *card)
{
    if (card->core->free)
        card->core->free(&card->cpu);
    pc_warm_free(card);
    pc_monitor_free(card);
    pc_places_free(card);
}

/* Mappings change rarely enough to forget everything; a card without a thread does so when it gets
 * one. */
void pc_card_unmap(struct pc_card *card, uint64_t va, uint64_t len)
{
    pc_tlb_unmap(card, va, len);
    card->stale = card->activity == PC_IDLE;
    if (!card->stale)
        pc_card_forget(card);
}

void pc_card_forget(struct pc_card *card)
{
    card->stale = false;
    if (card->cpu.record)
        pc_record_forgets(card);
    pc_cache_forget(card);
    pc_tlb_all_hidden(card);
    pc_core_leave(card);
}

/* What the books of a core must be that has no `settle`. The R4400's are checked by
 * tests/r4400_cycles.c. */
static void check_books(const struct pc_cpu *cpu)
{
    uint64_t all = 0, completing = 0;
    for (unsigned s = 0; s < PC_ST__COUNT; s++) {
        all += cpu->states[s];
        completing += pc_status_completes((enum pc_status)s) ? cpu->states[s] : 0;
    }
    if (all != cpu->now)
        nm_card_breach(cpu->number,
                       "traps at tick %" PRIu64 " with %" PRIu64
                       " PCycles in its states: a core moves its clock with pc_charge or "
                       "pc_complete (procard/core.h)",
                       cpu->now, all);
    if (cpu->instructions > completing)
        nm_card_breach(cpu->number,
                       "traps after %" PRIu64 " instructions and %" PRIu64
                       " PCycles that complete one: a core calls pc_complete for each instruction "
                       "(procard/core.h)",
                       cpu->instructions, completing);
}

/* A core that breaks its contract is told so here, where it costs nothing. */
static void check_trap(const struct pc_card *card)
{
    if (card->cpu.exc == PC_EXC_NONE)
        nm_card_breach(card->cpu.number,
                       "traps at tick %" PRIu64
                       " without a reason: a core sets cpu->exc first (procard/core.h)",
                       card->cpu.now);
    if (!card->core->settle)
        check_books(&card->cpu);
}

static void card_trap(struct pc_card *card, bool preempted)
{
    pc_card_becomes(card, PC_TRAPPED);
    nm_card_traps(card->machine, card->cpu.number, card->cpu.now, preempted);
}

/* In the checking mode loads may break a rule, which stops the machine at once. */
void pc_card_watch(struct pc_card *card)
{
    const bool always = card->pins || card->exported || card->monitor.leash != SIM_NEVER ||
                        nm_check_on(card->check);
    card->unwatched = always ? 0 : card->preempt_at;
    card->nm.quiet = 0;
    pc_core_wakes(card, pc_card_now(card));
}

/* Nobody looks at the processor before `unwatched`. */
void pc_foresee(struct pc_cpu *cpu, sim_tick until)
{
    struct pc_card *card = cpu->card;
    card->nm.quiet = card->functional ? 0 : sim_earlier(until, card->unwatched);
}

sim_tick pc_foreseen(const struct pc_cpu *cpu)
{
    return cpu->card->nm.quiet;
}

/* In functional mode and warming time passes otherwise; a profile and a recording are told of each
 * stretch when it is over. The watchdog looks between windows, which must come to an end. */
sim_tick pc_sleeps(struct pc_cpu *cpu, sim_tick until, enum pc_status state)
{
    enum { LONGEST = 100000 };
    struct pc_card *card = cpu->card;
    const bool heard = cpu->cursor || cpu->record || card->functional || card->warm.on;
    card->sleeps_in = (uint8_t)state;
    card->sleeps = heard ? 0 : sim_earlier(until, sim_earlier(card->unwatched, cpu->now + LONGEST));
    return pc_card_stands(card);
}

bool pc_is_asleep(const struct pc_cpu *cpu)
{
    return cpu->card->sleeps;
}

void pc_card_wakes(struct pc_card *card, sim_tick now)
{
    struct pc_cpu *cpu = &card->cpu;
    if (cpu->now < now)
        pc_core_run(card, now);
    card->sleeps = 0;
}

static void card_wait(struct pc_card *card)
{
    if (pc_goes_on(card) && !card->uncached.waits)
        nm_card_breach(card->cpu.number,
                       "waits for a line at tick %" PRIu64
                       ": a core with requests asks with pc_ask (procard/core.h)",
                       card->cpu.now);
    pc_card_becomes(card, PC_WAITING);
    if (card->stall != PC_ST_STALL_OTHER)
        pc_card_stall(card, pc_primary_stall(pc_side_of(card->request)), card->p->l2_lookup,
                      card->cpu.now);
}

/* Or the run loop would find the processor where it was. */
static void check_asked(const struct pc_card *card)
{
    for (unsigned left = card->outstanding; left; left &= left - 1)
        if (card->request[__builtin_ctz(left)].asked >= card->cpu.now)
            nm_card_breach(card->cpu.number,
                           "asks for a line and stops at tick %" PRIu64
                           ": a core goes on behind the tick at which it asks (procard/core.h)",
                           card->cpu.now);
}

sim_tick pc_stopped(struct pc_cpu *cpu, enum pc_stop why)
{
    struct pc_card *card = cpu->card;
    if (why == PC_STOP_HORIZON)
        return cpu->now;
    if (SIM_LOOKS_AT_INVARIANTS)
        SIM_MUST(cpu->now >= card->nm.quiet,
                 "card %u at %" PRIu64 ", quiet until %" PRIu64
                 ": a core makes other accesses than it has foreseen (procard/core.h)",
                 cpu->number, cpu->now, card->nm.quiet);
    if (why == PC_STOP_ASKED) {
        check_asked(card);
        return 0;
    }
    pc_agent_let_go(card, cpu->now);
    if (why == PC_STOP_TRAP) {
        check_trap(card);
        card_trap(card, false);
    } else {
        card_wait(card);
    }
    return 0;
}

void pc_let_go(struct pc_cpu *cpu)
{
    pc_agent_let_go(cpu->card, cpu->now);
}

void pc_card_preempt(struct pc_card *card, sim_tick at)
{
    card->preempt_at = at;
    pc_card_watch(card);
}

static void card_preempt(struct pc_card *card)
{
    pc_card_preempt(card, SIM_NEVER);
    if (card->core->interrupted)
        card->core->interrupted(&card->cpu);
    else
        pc_core_leave(card);
    pc_let_go(&card->cpu);
    if (card->cpu.cursor)
        pc_cursor_stand(card->cpu.cursor);
    if (card->cpu.record)
        pc_record_interrupted(&card->cpu);
    pc_card_stall(card, PC_ST_KILL_EXC, PC_KILLED_BY_EXCEPTION, card->cpu.now);
    if (card->cpu.record) /* as of a trap, which the core charges: nobody would do it again */
        card->cpu.record->waited -= PC_KILLED_BY_EXCEPTION;
    card_trap(card, true);
}

/* Whether an interrupt that is due must wait (pc_spare). */
static bool card_spared(struct pc_card *card)
{
    pc_core_settle(card);
    return card->cpu.instructions < card->spared_to;
}

static void follow_exported(struct pc_card *card)
{
    if (card->exported)
        card->core->exports(&card->cpu, card->exported);
}

sim_tick pc_card_run_watched(struct pc_card *card, sim_tick horizon)
{
    struct pc_cpu *cpu = &card->cpu;
    pc_core_wakes(card, card->sleeps);
    const bool due = cpu->now >= card->preempt_at;
    if (due && !card_spared(card)) {
        card_preempt(card);
        return 0;
    }
    if (!due && horizon > card->preempt_at)
        horizon = card->preempt_at;
    if (card->pins) {
        pc_core_settle(card);
        pc_pins_follow(card->pins, cpu->states);
    }
    follow_exported(card);
    if (card->pins || card->exported ||
        due) /* one instruction; whoever runs the card will come again */
        horizon = horizon < cpu->now + 1 ? horizon : cpu->now + 1;
    if (card->monitor.leash != SIM_NEVER && horizon > cpu->now + card->monitor.leash)
        horizon = cpu->now + card->monitor.leash;
    const sim_tick at = pc_core_run(card, horizon);
    if (at && at < horizon)
        nm_card_early(cpu->number, at, horizon);
    follow_exported(card);
    if (card->pins) {
        pc_core_settle(card);
        pc_pins_follow(card->pins, cpu->states);
    }
    return 0;
}

void pc_card_stall(struct pc_card *card, enum pc_status state, uint64_t n, sim_tick at)
{
    pc_stall_book(card, state, n, at);
    if (card->cpu.cursor)
        pc_cursor_add(card->cpu.cursor, (enum pc_profile_column)state, (int64_t)n);
    if (card->cpu.record)
        card->cpu.record->waited += n;
    if (card->pins)
        pc_pins_stall(card->pins, state, n);
}

void pc_card_go_on(struct pc_card *card, sim_tick now)
{
    if (now > card->cpu.now)
        pc_card_stall(card, card->stall, now - card->cpu.now, card->cpu.now);
    pc_card_becomes(card, PC_RUNNING);
}

/* ERET itself, and what was fetched behind it. */
static void card_eret(struct pc_card *card, sim_tick at)
{
    card->cpu.link = false;
    pc_agent_let_go(card, at);
    pc_card_stall(card, PC_ST_INT, 1, at);
    pc_card_stall(card, PC_ST_KILL_BRANCH, PC_KILLED_BY_ERET, at + 1);
}

uint64_t pc_card_exception(struct pc_card *card, uint64_t n, sim_tick at)
{
    const sim_tick handler = at + PC_KILLED_BY_EXCEPTION;
    pc_card_stall(card, PC_ST_KILL_EXC, PC_KILLED_BY_EXCEPTION, at);
    pc_card_stall(card, PC_ST_STALL_OTHER, n, handler);
    card_eret(card, handler + n);
    return PC_KILLED_BY_EXCEPTION + n + 1 + PC_KILLED_BY_ERET;
}

sim_tick pc_card_return(struct pc_card *card, sim_tick at)
{
    _Static_assert(PC_RETURN == 1 + PC_KILLED_BY_ERET, "ERET, and what it kills");
    struct pc_cpu *cpu = &card->cpu;
    sim_tick left = at > cpu->now ? at - cpu->now : 0;
    cpu->link = false;
    pc_card_stall(card, PC_ST_STALL_OTHER, left < PC_RETURN ? left : left - PC_RETURN, cpu->now);
    const sim_tick returns = cpu->now;
    if (left >= PC_RETURN)
        card_eret(card, returns);
    return returns;
}

void pc_core_totals(const struct pc_card *card, uint64_t states[PC_ST__COUNT], struct pc_tail *tail)
{
    if (card->core->totals) {
        card->core->totals(&card->cpu, states, tail);
        return;
    }
    memcpy(states, card->cpu.states, sizeof card->cpu.states);
    *tail = card->cpu.tail;
}

/* Totals on their way back from the processor's tick to the one asked for. */
struct rewind {
    sim_tick end, at;
    uint64_t *states;
    unsigned stretch; /* the youngest that has not been left out, counted as card->stretches */
};

static void leave_out(struct rewind *r, unsigned state, sim_tick n)
{
    if (n > r->end - r->at)
        n = r->end - r->at;
    r->states[state] -= n;
    r->end -= n;
}

/* Leaves out the stalls that end where the totals stand. */
static void leave_out_stalls(const struct pc_card *card, struct rewind *r)
{
    for (; r->stretch && card->stretches - r->stretch < PC_STRETCHES; r->stretch--) {
        const struct pc_stretch *s = &card->stretch[(r->stretch - 1) % PC_STRETCHES];
        if (s->end != r->end)
            return;
        leave_out(r, s->state, s->length);
    }
}

/* Leaves out of `states` what the processor was charged beyond tick `at`. */
static void card_trim(const struct pc_card *card, sim_tick at, const struct pc_tail *tail,
                      uint64_t *states)
{
    struct rewind r = {card->cpu.now, at, states, card->stretches};
    leave_out_stalls(card, &r);
    leave_out(&r, tail->holds, tail->held);
    leave_out_stalls(card, &r);
    leave_out(&r, PC_ST_KILL_BRANCH, tail->killed);
    leave_out(&r, tail->done, tail->did);
    leave_out_stalls(card, &r);
}

/* What the processor is doing while its own clock stands still. */
static enum pc_status card_standing(const struct pc_card *card)
{
    if (card->sleeps)
        return (enum pc_status)card->sleeps_in;
    return card->activity == PC_WAITING ? card->stall : PC_ST_STALL_OTHER;
}

void pc_card_taps(const struct pc_card *card, sim_tick at, struct mon_taps *out)
{
    struct pc_tail tail;
    *out = card->taps;
    pc_core_totals(card, out->v, &tail);
    if (card->cpu.now > at)
        card_trim(card, at, &tail, out->v);
    else
        out->v[card_standing(card)] += at - card->cpu.now;
    out->v[MON_TAP_CYCLES] = at / pc_bus_cycle(card);
    out->v[MON_TAP_BUS_BUSY] = nm_bus_busy(card->bus, at);
    out->v[MON_TAP_READ_TIME] = out->v[MON_TAP_READ_LATENCY];
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        const struct pc_request *r = &card->request[__builtin_ctz(left)];
        if (!pc_is_noncoherent(r) && r->issued < at)
            out->v[MON_TAP_READ_TIME] += (at - r->issued) / pc_bus_cycle(card);
    }
    out->v[MON_TAP_GRANT_WAIT] = nm_bus_waited(card->bus, card->position, at);
}
