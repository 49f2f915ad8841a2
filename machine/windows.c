/*
 * The loop that lets time pass.
 *
 * Two hard ideas. Run-ahead: whatever one card does takes at least the lookahead - cache look-up,
 * agent, bus, directory, bus again - before another card can notice. So the processor that is
 * furthest behind may run on its own, without events, until the station's next event or until
 * another processor of the station plus the lookahead, whichever comes first. Events go before
 * processors on the same tick; among processors the lowest number goes first.
 *
 * Islands: stations talk only through the rings, and that takes time (ring_window_end). So
 * the machine goes on in windows: every station runs through the window on its own, then the rings
 * move the slots of that window and deliver beyond its end. Where windows end changes nothing
 * (docs/machine.md names two exceptions): no
 * load sees another station's store before the line has come from there (stale.h), and the
 * operating system acts a fixed time after a trap, when everything has been simulated exactly up to
 * then.
 */
#include "base/alloc.h"
#include "base/crew.h"
#include "base/invariant.h"
#include "machine/assembly.h"
#include "machine/functional.h"
#include "machine/values.h"

#include <assert.h>
#include <string.h>

/* ---- traps and interrupts -------------------------------------------------------------------- */

static bool comes_before(const struct nm_call *a, const struct nm_call *b)
{
    return a->at < b->at || (a->at == b->at && a->card < b->card);
}

static void put_call(struct nm_calls *calls, const struct nm_call *call)
{
    if (calls->count == calls->size) {
        calls->size = calls->size ? 2 * calls->size : 8;
        calls->at = sim_grow(calls->at, calls->size, sizeof *calls->at);
    }
    unsigned i = calls->count++;
    for (; i > 0 && comes_before(call, &calls->at[i - 1]); i--)
        calls->at[i] = calls->at[i - 1];
    calls->at[i] = *call;
}

void nm_machine_call(struct nm_machine *m, struct nm_call call)
{
    put_call(&m->calls, &call);
    m->stop_at = m->calls.at[0].at + m->os_delay;
}

void nm_station_call(const struct nm_machine *m, struct nm_station *s, struct nm_call call)
{
    if (!s->calls.count) {
        s->called = s->block->called;
        s->block->called = s;
    }
    put_call(&s->calls, &call);
    sim_kernel_close(s->k, call.at + m->os_delay);
}

static void gather_calls(struct nm_machine *m, struct nm_block *b)
{
    for (struct nm_station *s = b->called; s; s = s->called) {
        for (unsigned c = 0; c < s->calls.count; c++)
            nm_machine_call(m, s->calls.at[c]);
        s->calls.count = 0;
        s->k->closes = SIM_NEVER;
    }
    b->called = NULL;
}

/* Hands out the first trap or interrupt. All cards have been simulated up to now. */
static enum nm_run hand_out(struct nm_machine *m, struct nm_trap *trap)
{
    const struct nm_call first = m->calls.at[0];
    m->calls.count--;
    memmove(m->calls.at, m->calls.at + 1, m->calls.count * sizeof *m->calls.at);
    m->stop_at = m->calls.count ? m->calls.at[0].at + m->os_delay : SIM_NEVER;
    *trap = (struct nm_trap){
        .card = first.card, .cause = first.cause, .at = first.at, .preempted = first.preempted};
    return first.interrupt ? NM_RUN_INTERRUPT : NM_RUN_TRAP;
}

/* ---- a station alone ------------------------------------------------------------------------- */

void nm_station_wake(struct nm_machine *m, struct nm_station *s, sim_tick at)
{
    m->awake[s->number / 64] |= 1ull << (s->number % 64);
    s->next = sim_earlier(s->next, at);
    s->speaks = sim_earlier(s->speaks, at);
    m->next = sim_earlier(m->next, at);
    m->speaks = sim_earlier(m->speaks, at);
}

static inline nm_turn turn_of(sim_tick at, unsigned card)
{
    return at << NM_TURN_SHIFT | card;
}

/* Of SIM_NEVER a tick that never comes. */
static inline sim_tick tick_of(nm_turn t)
{
    return t >> NM_TURN_SHIFT;
}

static inline void swap_unless_ordered(nm_turn *a, nm_turn *b)
{
    const nm_turn x = *a, y = *b;
    *a = sim_earlier(x, y);
    *b = sim_later(x, y);
}

/* Of processors at one tick the lowest number goes first. */
static inline void put_in_order(struct nm_station *s)
{
    nm_turn a = s->running[0], b = s->running[1], c = s->running[2], d = s->running[3];
    swap_unless_ordered(&a, &b);
    swap_unless_ordered(&c, &d);
    swap_unless_ordered(&a, &c);
    swap_unless_ordered(&b, &d);
    swap_unless_ordered(&b, &c);
    s->order[0] = a;
    s->order[1] = b;
    s->order[2] = c;
    s->order[3] = d;
}

/* The same where at most one processor goes on or has, the one at `position`; or it is looked at.
 */
static inline void put_in_place(struct nm_station *s, unsigned position)
{
    const nm_turn first = s->order[0];
    if (s->order[1] == SIM_NEVER && (first == SIM_NEVER || first % NM_CARDS_MAX == position))
        s->order[0] = s->running[position];
    else
        put_in_order(s);
}

static inline nm_turn turn_now(const struct nm_station *s, unsigned position)
{
    const struct nm_card *card = s->card[position];
    const sim_tick at = s->frozen ? SIM_NEVER : card->ops->goes_on(card);
    return at == SIM_NEVER ? SIM_NEVER : turn_of(at, position);
}

/* @return whether the processor stands elsewhere */
static inline bool station_moved(struct nm_station *s, unsigned position)
{
    const nm_turn turn = turn_now(s, position);
    if (turn == s->running[position])
        return false;
    s->running[position] = turn;
    put_in_place(s, position);
    return true;
}

void nm_station_moved(struct nm_station *s, unsigned position)
{
    station_moved(s, position);
}

void nm_station_changed(struct nm_machine *m, struct nm_station *s, sim_tick now)
{
    for (unsigned i = 0; i < s->cards; i++)
        nm_station_moved(s, i);
    nm_station_wake(m, s, now);
}

_Static_assert(SIM_RANK_MODULE % 2 == 0 && SIM_RANK_OS % 2 == 0 && SIM_RANK_DELIVER % 2 &&
                   SIM_RANK_ARBITRATE % 2,
               "event_moves: a card's events have even ranks, the bus's odd ones");

/* Whether an event of that order has moved a processor, to this tick or a later one. One that stood
 * and still does is not asked. */
static inline bool event_moves(struct nm_station *s, uint32_t order)
{
    if (sim_order_rank(order) % 2) /* neither a module's nor the operating system's */
        return false;
    const unsigned position = nm_component_module(sim_order_component(order));
    if (position >= s->cards)
        return false;
    if (!s->card[position]->stands || s->running[position] != SIM_NEVER)
        return station_moved(s, position);
    if (SIM_LOOKS_AT_INVARIANTS)
        SIM_MUST(turn_now(s, position) == SIM_NEVER, "card %u of station %u goes on", position,
                 s->number);
    return false;
}

/* Fires events before `limit`, before which no processor goes on, or before the island closes,
 * until one changes that, or makes the operating system act before `beyond`. @return whether one
 * did
 * @param[out] next  the tick of the next event, if none did */
static inline bool fire_events(struct nm_station *s, sim_tick limit, sim_tick beyond,
                               const bool *broken, sim_tick *next)
{
    struct sim_kernel *const k = s->k;
    sim_kernel_allow(k, limit);
    while ((*next = sim_kernel_next(k)) < limit) {
        const uint32_t order = sim_kernel_fire(k, *next);
        if (event_moves(s, order) || k->closes < beyond ||
            __atomic_load_n(broken, __ATOMIC_RELAXED))
            return true;
    }
    return false;
}

/* A processor has not come to its horizon: it has stopped, or has gone on a little. */
static __attribute__((noinline)) void stopped_before(struct nm_station *s, unsigned position,
                                                     sim_tick at, sim_tick horizon)
{
    const nm_turn turn = turn_now(s, position);
    if (at || turn == s->running[position])
        nm_card_early(s->number * s->cards + position, tick_of(turn), horizon);
    s->running[position] = turn;
}

/* Before this tick no processor of the station does what others could notice, but for one. */
static sim_tick quiet_until(const struct nm_station *s, unsigned but)
{
    sim_tick least = SIM_NEVER;
    for (unsigned i = 0; i < s->cards; i++)
        if (i != but)
            least = sim_earlier(least, sim_later(tick_of(s->running[i]), s->card[i]->quiet));
    return least;
}

/* The processor that was first in the order has come to `turn`. */
static inline void put_back(struct nm_station *s, nm_turn turn)
{
    nm_turn last = turn;
    if (s->order[1] == SIM_NEVER) {
        s->order[0] = turn;
        return;
    }
    for (unsigned i = 0; i + 1 < NM_CARDS_MAX; i++) {
        s->order[i] = sim_earlier(last, s->order[i + 1]);
        last = sim_later(last, s->order[i + 1]);
    }
    s->order[NM_CARDS_MAX - 1] = last;
}

/* Lets processors run up to `end`, before which there is no event; until one posts an event for
 * earlier, or until more than time has changed. One that could notice what another does before
 * `end` runs no farther than the lookahead. */
static void run_processors(struct nm_station *s, sim_tick end)
{
    while (tick_of(s->order[0]) < end) {
        const unsigned position = s->order[0] % NM_CARDS_MAX;
        struct nm_card *card = s->card[position];
        sim_tick horizon = sim_earlier(end, tick_of(s->order[1]) + s->lookahead);
        if (s->foresees && horizon < end)
            horizon = sim_earlier(end, quiet_until(s, position) + s->lookahead);
        const sim_tick at = card->ops->run(card, horizon);
        if (__builtin_expect(at < horizon, 0)) {
            stopped_before(s, position, at, horizon);
            put_back(s, s->running[position]);
            return;
        }
        s->running[position] = turn_of(at, position);
        put_back(s, s->running[position]);
        if (horizon < end && sim_kernel_next(s->k) < end)
            return;
    }
}

/* Runs one station alone: events before `until`, processors up to `beyond`; or to where it closes.
 * Sets when it goes on. A processor changes only when it runs, in its card's own events, and by the
 * operating system. Not inline: the loop over stations would take its registers. */
static __attribute__((noinline)) void station_run(const struct nm_machine *m, struct nm_station *s,
                                                  sim_tick until, sim_tick beyond)
{
    while (!__atomic_load_n(m->broken, __ATOMIC_RELAXED)) {
        const sim_tick first = s->order[0] == SIM_NEVER ? SIM_NEVER : tick_of(s->order[0]);
        sim_tick event;
        if (fire_events(s, first < until ? first + 1 : until, beyond, m->broken, &event)) {
            if (__builtin_expect(s->k->closes < beyond, 0)) {
                until = sim_earlier(until, s->k->closes);
                beyond = s->k->closes;
            }
            continue;
        }
        if (event <= first) {
            s->next = s->speaks = event;
            return;
        }
        if (first < beyond) {
            run_processors(s, sim_earlier(event, beyond));
        } else {
            const sim_tick quiet = s->foresees ? quiet_until(s, NM_CARDS_MAX) : first;
            s->next = first;
            s->speaks = sim_earlier(event, quiet + m->outward);
            return;
        }
    }
    s->next = s->speaks = sim_kernel_now(s->k);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* The end of a window: nothing that happens in it, on a station or in the rings, can be noticed by
 * another station in it. */
static sim_tick window_end(const struct nm_machine *m, sim_tick moving, sim_tick speaks,
                           sim_tick until)
{
    if (m->p->step)
        return sim_earlier(until, sim_earlier(moving, speaks) + 1);
    if (!m->net)
        return sim_earlier(until, sim_later_by(speaks, m->longest));
    return sim_earlier(until, ring_window_end(m->net, moving, speaks));
}

/* The end of the next window. SIM_NEVER: nothing will ever happen, or not before `until`. Time in
 * which the stations do nothing and the rings deliver nothing is passed over. */
static sim_tick next_window(const struct nm_machine *m, sim_tick until)
{
    const sim_tick quiet = m->net ? sim_earlier(m->next, ring_quiet(m->net)) : m->next;
    const sim_tick begin = quiet == SIM_NEVER ? m->now : sim_later(m->now, quiet);
    const sim_tick moving = m->net ? ring_next_from(m->net, begin) : SIM_NEVER;
    if (sim_earlier(m->next, moving) >= until ||
        (until == SIM_NEVER && moving == SIM_NEVER && nm_machine_asleep(m)))
        return SIM_NEVER;
    return window_end(m, moving, m->speaks, until);
}

/* The only station that will do anything while the rings are empty and silent; NULL: others are
 * awake, or the rings are not. */
static struct nm_station *only_one(const struct nm_machine *m)
{
    struct nm_station *only = NULL;
    if (!m->may_be_alone || ring_quiet(m->net) != SIM_NEVER)
        return NULL;
    for (unsigned w = 0; w * 64 < m->stations; w++) {
        const uint64_t awake = m->awake[w];
        if (awake && (only || awake & (awake - 1)))
            return NULL;
        if (awake)
            only = &m->station[w * 64 + (unsigned)__builtin_ctzll(awake)];
    }
    return only;
}

/* One station runs while the rings are silent, until it gives them something to do: then the window
 * closes when others could answer. One asked for would end at `end`. @return where this one ends */
static sim_tick run_alone(struct nm_machine *m, struct nm_station *s, sim_tick end, sim_tick stop)
{
    const sim_tick watched = sim_later_by(m->watched_at, m->p->watchdog + 1);
    const sim_tick until = sim_later(end, sim_earlier(stop, watched));
    s->k->alone = true;
    station_run(m, s, until, sim_earlier(sim_later_by(until, m->inward), stop));
    s->k->alone = false;
    const sim_tick closed = sim_earlier(until, s->k->closes);
    s->k->closes = SIM_NEVER;
    gather_calls(m, s->block);
    return s->next == SIM_NEVER && closed == until ? sim_later(end, sim_kernel_now(s->k)) : closed;
}

/* What a window asks of a block. */
struct window {
    const struct nm_machine *m;
    sim_tick end, beyond;
};

/* Of the stations 64 w to 64 w + 63, those of the block. */
static uint64_t of_block(const struct nm_block *b, unsigned w)
{
    const unsigned first = b->first > 64 * w ? b->first - 64 * w : 0, end = b->end - 64 * w;
    return ~0ull << first & (end < 64 ? ~(~0ull << end) : ~0ull);
}

/* Lets every station of a block run through a window. Touches nothing of another block's but bits
 * of one word. */
static void run_block(const struct window *window, struct nm_block *b)
{
    const struct nm_machine *m = window->m;
    sim_tick next = SIM_NEVER, speaks = SIM_NEVER;
    for (unsigned w = b->first / 64; w * 64 < b->end; w++)
        for (uint64_t awake = __atomic_load_n(&m->awake[w], __ATOMIC_RELAXED) & of_block(b, w);
             awake; awake &= awake - 1) {
            struct nm_station *s = &m->station[w * 64 + (unsigned)__builtin_ctzll(awake)];
            if (s->next < window->end)
                station_run(m, s, window->end, window->beyond);
            next = sim_earlier(next, s->next);
            speaks = sim_earlier(speaks, s->speaks);
            if (s->next == SIM_NEVER)
                __atomic_fetch_and(&m->awake[w], ~(awake & -awake), __ATOMIC_RELAXED);
        }
    b->next = next;
    b->speaks = speaks;
}

static void run_member(void *ctx, unsigned member)
{
    const struct window *window = ctx;
    run_block(window, &window->m->block[member]);
}

/* Whether host threads may share the window, and it pays. */
static bool shares(const struct nm_machine *m)
{
    unsigned awake = 0;
    for (unsigned w = 0; w * 64 < m->stations; w++)
        awake += (unsigned)__builtin_popcountll(m->awake[w]);
    return !m->in_turn && awake >= NM_SHARED_LEAST * m->blocks;
}

/* Lets every station run through the window that ends at `end`. Processors may go on a little,
 * because what is delivered behind the window must come to them over the bus; but not beyond
 * `stop`. */
static void run_all(struct nm_machine *m, sim_tick end, sim_tick stop)
{
    struct window window = {m, end, sim_earlier(sim_later_by(end, m->inward), stop)};
    const bool shared = m->crew && shares(m);
    m->next = m->speaks = SIM_NEVER;
    if (shared)
        sim_crew_run(m->crew, run_member, &window);
    for (struct nm_block *b = m->block; b != m->block + m->blocks; b++) {
        if (!shared)
            run_block(&window, b);
        m->next = sim_earlier(m->next, b->next);
        m->speaks = sim_earlier(m->speaks, b->speaks);
        gather_calls(m, b);
    }
    /* no station would have had to stop for another one's call */
    assert(m->stations == 1 || m->stop_at >= window.beyond);
}

/* The stations, then the rings. */
static void run_window(struct nm_machine *m, sim_tick end, sim_tick stop)
{
    struct nm_station *only = m->next < end ? only_one(m) : NULL;
    if (only) {
        end = run_alone(m, only, end, stop);
        m->next = only->next;
        m->speaks = only->speaks;
        if (only->next == SIM_NEVER)
            m->awake[only->number / 64] = 0;
    } else if (m->next < end) {
        run_all(m, end, stop);
    }
    m->now = sim_earlier(end, m->stop_at);
    nm_stale_spread(m->contents.stale);
    if (m->net)
        ring_run(m->net, m->now);
    if (m->over)
        m->over(m->over_ctx, m->now);
    if (SIM_LOOKS_AT_INVARIANTS && !*m->broken && !m->station->frozen)
        nm_machine_invariants(m);
}

/* ---- when nothing goes on -------------------------------------------------------------------- */

static bool anyone_waits(const struct nm_machine *m)
{
    struct nm_wait wait;
    for (unsigned i = 0; i < m->cards; i++)
        if (m->card[i]->ops->waits(m->card[i], &wait))
            return true;
    return false;
}

/* A request that has been out for longer than the watchdog's patience. */
static bool waits_too_long(struct nm_machine *m, unsigned card, sim_tick now)
{
    struct nm_wait wait;
    if (!m->card[card]->ops->waits(m->card[card], &wait) || now <= wait.since ||
        now - wait.since <= m->p->watchdog)
        return false;
    nm_check_fail(m->contents.check, now, wait.line, "card %u has waited since tick %lu", card,
                  (unsigned long)wait.since);
    return true;
}

/* [ticks] What an instruction may take: several accesses, each as long as any, with their pages. */
static sim_tick slowest_instruction(const struct nm_params *p)
{
    enum { ACCESSES = 8 };
    const sim_tick access = nm_params_wait(p) + nm_params_claim(p);
    return sim_later(p->watchdog, ACCESSES * (access + p->tlb_refill + p->os_vce));
}

/* A processor has had a thread for as long and completed nothing. It has asked for nothing, either,
 * or that would have been named: it has forgotten what it waits for. */
static bool stands_still(struct nm_machine *m, unsigned card, sim_tick now)
{
    struct nm_watched *seen = &m->watched[card];
    struct nm_truth truth;
    nm_card_truth(m, card, &truth);
    if (truth.instructions != seen->instructions) {
        seen->instructions = truth.instructions;
        seen->running = truth.running;
        return false;
    }
    if (truth.running - seen->running <=
        slowest_instruction(nm_card_params(m, card)) + seen->delayed)
        return false;
    nm_check_fail(m->contents.check, now, NM_NO_LINE,
                  "card %u has a thread, waits for no access, and has completed nothing for %lu "
                  "PCycles: a bug of its core",
                  card, (unsigned long)(truth.running - seen->running));
    return true;
}

void nm_machine_delayed(struct nm_machine *m, unsigned card, sim_tick ticks)
{
    struct nm_watched *seen = &m->watched[card];
    seen->delayed = sim_later(seen->delayed, ticks);
}

static bool stuck(struct nm_machine *m, sim_tick now)
{
    m->watched_at = now;
    for (unsigned i = 0; i < m->cards; i++)
        if (waits_too_long(m, i, now) || stands_still(m, i, now))
            return true;
    return false;
}

/* No processor of a station runs, and no event is left but those of monitoring cards that watch
 * whether anything happens. */
static bool station_asleep(const struct nm_station *s)
{
    unsigned watching = 0;
    if (s->order[0] != SIM_NEVER)
        return false;
    for (unsigned i = 0; i < s->cards; i++)
        watching += s->card[i]->ops->watching(s->card[i]);
    return watching && sim_kernel_count(s->k) == watching;
}

bool nm_machine_asleep(const struct nm_machine *m)
{
    if (m->net && ring_next(m->net) != SIM_NEVER)
        return false;
    for (unsigned w = 0; m->next != SIM_NEVER && w * 64 < m->stations; w++)
        for (uint64_t awake = m->awake[w]; awake; awake &= awake - 1) {
            const struct nm_station *s = &m->station[w * 64 + (unsigned)__builtin_ctzll(awake)];
            if (s->next != SIM_NEVER && !station_asleep(s))
                return false;
        }
    return true;
}

static enum nm_run nothing_left(struct nm_machine *m, sim_tick until)
{
    bool over = nm_machine_asleep(m);
    if (over && anyone_waits(m))
        return NM_RUN_STUCK;
    const uint64_t *stale = nm_stale_line(m->contents.stale);
    if (over && stale) {
        nm_check_fail(m->contents.check, m->now, *stale, "an invalidation never reached its cards");
        return NM_RUN_BROKEN;
    }
    if (over && until == SIM_NEVER)
        return NM_RUN_IDLE;
    for (unsigned i = 0; i < m->stations; i++)
        sim_kernel_advance(m->station[i].k, until);
    if (m->net)
        ring_run(m->net, until);
    m->now = until;
    return NM_RUN_UNTIL;
}

static enum nm_run functional_run(struct nm_machine *m, sim_tick until, struct nm_trap *trap)
{
    nm_functional_run(m, until);
    if (*m->broken)
        return NM_RUN_BROKEN;
    m->now = nm_first_call(m, until);
    if (m->now < until)
        return hand_out(m, trap);
    return until == SIM_NEVER ? NM_RUN_IDLE : NM_RUN_UNTIL;
}

static enum nm_run timed_run(struct nm_machine *m, sim_tick until, struct nm_trap *trap)
{
    for (;;) {
        if (m->now >= m->stop_at)
            return hand_out(m, trap);
        if (m->now >= until)
            return NM_RUN_UNTIL;
        const sim_tick stop = sim_earlier(until, m->stop_at), end = next_window(m, stop);
        if (end == SIM_NEVER) {
            const enum nm_run why = nothing_left(m, stop);
            if (why == NM_RUN_UNTIL && m->now == m->stop_at)
                continue;
            return why;
        }
        run_window(m, end, stop);
        if (*m->broken)
            return NM_RUN_BROKEN;
        if (m->now - m->watched_at > m->p->watchdog && stuck(m, m->now))
            return NM_RUN_STUCK;
    }
}

/* A caller from outside finds all processors where the machine stands. */
static __attribute__((noinline)) void wake_cards(struct nm_machine *m)
{
    for (unsigned i = 0; i < m->cards; i++) {
        struct nm_station *s = &m->station[i / m->station->cards];
        const unsigned position = i % m->station->cards;
        if (!m->card[i]->sleeps)
            continue;
        const nm_turn turn = s->running[position];
        m->card[i]->ops->comes_to(m->card[i], m->now);
        nm_station_moved(s, position);
        if (s->running[position] != turn)
            nm_station_wake(m, s, tick_of(s->running[position]));
    }
}

enum nm_run nm_machine_run(struct nm_machine *m, sim_tick until, struct nm_trap *trap)
{
    assert(trap);
    if (m->mode != NM_MODE_TIMED)
        return functional_run(m, until, trap);
    const enum nm_run why = timed_run(m, until, trap);
    if (m->sleeps)
        wake_cards(m);
    return why;
}
