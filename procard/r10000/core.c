/*
 * The R10000's cycle, what it passes over, and how a run begins and ends.
 *
 * The hard idea is that an out-of-order pipeline has no place at which it stands. What the card,
 * the operating system and people see are the registers as of the last graduated instruction;
 * whatever is in flight can be thrown away at any time, and begins again from there. Only what the
 * oldest instruction has done to the world cannot, and graduates first (r10k_flush).
 */
#include "base/invariant.h"
#include "machine/values.h"
#include "procard/r10000/pipeline.h"

/* ---- a cycle --------------------------------------------------------------------------------- */

/* What the last cycle has caused shows now. @return whether there was anything */
static bool show_late(struct r10k *c)
{
    const bool any = c->lately != 0;
    for (uint64_t left = c->lately; left; left &= left - 1) {
        const unsigned s = (unsigned)__builtin_ctzll(left);
        c->signals.total[s][c->mode] += c->late[s];
        c->late[s] = 0;
    }
    c->lately = 0;
    return any;
}

/* Of `n` cycles from `from` on, in which the same goes on. */
static inline void count_in(const struct r10k *c, struct r10k_signals *out, sim_tick from,
                            sim_tick n)
{
    out->total[R10K_SIGNAL_CYCLES][c->mode] += n;
    if (c->used) {
        out->total[R10K_SIGNAL_MHT][c->mode] += n * c->used;
        out->total[R10K_SIGNAL_MHT_MEMORY][c->mode] += n * c->in_memory;
    }
    if (c->external_until > from)
        out->total[R10K_SIGNAL_MHT][c->mode] += sim_earlier(c->external_until - from, n);
}

static inline void count_cycles(struct r10k *c, sim_tick from, sim_tick n)
{
    count_in(c, &c->signals, from, n);
}

void r10k_signals(const struct pc_cpu *base, sim_tick at, union mon_own_signals *out)
{
    const struct r10k *c = r10k_const_of(base);
    out->r10000 = c->signals;
    if (at > base->now && pc_is_asleep(base))
        count_in(c, &out->r10000, base->now, at - base->now);
}

/* @return whether units have finished anything */
static bool core_finish(struct r10k *c, sim_tick now)
{
    struct r10k_finishing *done = &c->finishing[now % R10K_FINISHING];
    uint64_t *due = &c->due[now / 64 % 2];
    c->unfinished = now + 1;
    if (!(*due >> now % 64 & 1))
        return false;
    *due &= ~(UINT64_C(1) << now % 64);
    if (!done->integer && !done->fp)
        return false;
    r10k_signal(c, R10K_SIGNAL_ISSUED, done->integer + done->fp);
    r10k_signal(c, R10K_SIGNAL_ISSUED_AGAIN, done->integer); /* the others were, at issue */
    r10k_signal(c, R10K_SIGNAL_PROGRESS, 1);
    *done = (struct r10k_finishing){0};
    return true;
}

/* What happens in every cycle and changes nothing that a stage looks at. @return it did */
static bool count_up(struct r10k *c, sim_tick now)
{
    const bool shown = show_late(c);
    return core_finish(c, now) || shown;
}

/* @return what the cycle is put down to */
static enum pc_status core_cycle(struct r10k *c, sim_tick now)
{
    c->worked = c->refused = c->quiet = false;
    c->next = SIM_NEVER;
    c->mode = now < c->exception_until ? R10K_EXCEPTION : R10K_USER;
    const bool counted = count_up(c, now);
    if (c->misses_at <= now)
        r10k_misses(c, now);
    else
        r10k_wait_for(c, c->misses_at);
    if (c->branches_at <= now)
        r10k_resolve(c, now);
    else
        r10k_wait_for(c, c->branches_at);
    const bool empty = !c->count;
    const enum pc_status state = r10k_graduate(c, now);
    if (c->must_stop)
        return state;
    if (c->trying)
        r10k_accesses(c, now);
    if (c->places.ready | c->places.coming)
        r10k_issue(c, now);
    c->issues = now + 1;
    if (c->unknown)
        r10k_calculate(c, now);
    if (c->buffered && c->count + c->twos < c->list)
        r10k_decode(c, now);
    if (!c->stopped && c->buffered < R10K_BUFFER)
        r10k_fetch(c, now);
    c->quiet = !c->worked;
    c->worked |= counted || c->refused;
    /* Where nothing happens, what fetch waits for now: wherever a run is cut, it is the same. */
    return empty && !c->worked ? c->idle : state;
}

/* No stage has anything to do: none had in the last cycle, and none waits for this one. */
static bool only_counts(const struct r10k *c, sim_tick now)
{
    return c->quiet && c->next > now && now != c->exception_until && !c->p->step;
}

/* A cycle of that kind. @return as `core_cycle` */
static enum pc_status counting_cycle(struct r10k *c, sim_tick now)
{
    count_up(c, now);
    c->worked = c->lately != 0;
    return c->count ? c->state : c->idle;
}

static enum pc_status any_cycle(struct r10k *c, sim_tick now)
{
    return only_counts(c, now) ? counting_cycle(c, now) : core_cycle(c, now);
}

/* The same, in a build that looks at its own state. */
static enum pc_status looked_at_cycle(struct r10k *c, sim_tick now)
{
    if (!SIM_LOOKS_AT_INVARIANTS)
        return any_cycle(c, now);
    const struct r10k_signals before = c->signals;
    const enum pc_status state = any_cycle(c, now);
    r10k_look_at_growth(c, &before);
    r10k_look_at_places(c);
    r10k_look_at_books(c);
    return state;
}

/* The first tick from `from` on at which units may finish anything; SIM_NEVER */
static sim_tick next_due(const struct r10k *c, sim_tick from)
{
    const unsigned word = from / 64 % 2, bit = from % 64;
    const uint64_t here = c->due[word] >> bit, there = c->due[!word];
    const uint64_t behind = c->due[word] & ((UINT64_C(1) << bit) - 1);
    if (here)
        return from + (unsigned)__builtin_ctzll(here);
    if (there)
        return from - bit + 64 + (unsigned)__builtin_ctzll(there);
    return behind ? from - bit + 128 + (unsigned)__builtin_ctzll(behind) : SIM_NEVER;
}

/* The next tick at which anything may happen; all up to there are like the last cycle. */
static sim_tick next_work(const struct r10k *c, sim_tick now)
{
    if (c->worked || c->next <= now + 1 || c->p->step)
        return now + 1;
    sim_tick next = c->next;
    if (now < c->exception_until && c->exception_until < next)
        next = c->exception_until;
    const sim_tick due = next_due(c, now + 1);
    return due < next ? due : next;
}

static void core_begin(struct r10k *c)
{
    r10k_restart(c, c->base.now);
    c->idle = PC_ST_STALL_OTHER;
    c->begun = true;
    c->quiet = false;
    r10k_disturb(c);
}

/* What the last cycle has caused counts before the operating system does: at exception level, if an
 * exception ends it. */
static sim_tick core_stops(struct r10k *c)
{
    if (c->stop == PC_STOP_TRAP)
        c->mode = R10K_EXCEPTION;
    show_late(c);
    c->away = c->stop == PC_STOP_TRAP;
    c->waits = c->stop == PC_STOP_MISS;
    r10k_disturb(c);
    c->seen = c->base.now;
    return pc_stopped(&c->base, c->stop);
}

/* What units finish before `end` counts, in whatever cycles. */
static void core_works_on(struct r10k *c, sim_tick end)
{
    for (sim_tick t = next_due(c, c->unfinished); t < end; t = next_due(c, t + 1)) {
        show_late(c);
        core_finish(c, t);
    }
}

/* Wherever the clock went on without the core, its units worked on. The cycles in which the oldest
 * instruction waited for the card were the program's. */
static void core_goes_on(struct r10k *c)
{
    core_works_on(c, c->base.now);
    if (!c->waits)
        return;
    c->waits = false;
    c->worked = false;
    show_late(c);
    count_cycles(c, c->seen, c->base.now - c->seen);
}

/* Who follows the core is told that `n` cycles have gone by. Not inline: a run that passes would
 * keep registers for it. */
static __attribute__((noinline)) void core_tells(struct r10k *c, uint64_t oldest, sim_tick n)
{
    r10k_profile_spends(c, oldest, c->state, n);
    if (c->base.record)
        r10k_record_passes(c, c->state, n);
}

/* Cycles up to `next` go by. @param oldest  the instruction that they are put down to */
static inline void core_passes(struct r10k *c, uint64_t oldest, sim_tick next)
{
    struct pc_cpu *base = &c->base;
    const sim_tick n = next - base->now;
    count_cycles(c, base->now, n);
    pc_charge(base, c->state, n);
    if (base->cursor || base->record)
        core_tells(c, oldest, n);
}

/* Not inline: most runs do without (r10k_run). */
static __attribute__((noinline)) sim_tick core_runs(struct r10k *c, sim_tick horizon)
{
    struct pc_cpu *base = &c->base;
    base->horizon = horizon;
    if (base->untimed)
        return r10k_run_untimed(c, horizon);
    c->asked = c->must_stop = c->away = false;
    core_goes_on(c);
    if (!c->begun)
        core_begin(c);
    while (base->now < base->horizon) { /* a request brings it nearer */
        const sim_tick now = base->now;
        const uint64_t oldest = c->r.pc;
        if (c->sleeps <= now) {
            c->state = looked_at_cycle(c, now);
            if (c->must_stop)
                return core_stops(c);
            c->sleeps = next_work(c, now);
        }
        if (SIM_LOOKS_AT_INVARIANTS)
            r10k_look_at_sleep(c, now, c->sleeps);
        core_passes(c, oldest, c->worked ? now + 1 : sim_earlier(c->sleeps, base->horizon));
    }
    const sim_tick at = c->sleeps > base->now ? pc_sleeps(base, c->sleeps, c->state) : base->now;
    return c->asked ? pc_stopped(base, PC_STOP_ASKED) : at;
}

/* Most runs of one that waits for memory begin and end while nothing happens. */
sim_tick r10k_run(struct pc_cpu *base, sim_tick horizon)
{
    struct r10k *c = r10k_of(base);
    if (base->now >= horizon)
        return base->now;
    if (c->sleeps < horizon || SIM_LOOKS_AT_INVARIANTS)
        return core_runs(c, horizon);
    base->horizon = horizon;
    core_passes(c, c->r.pc, horizon);
    return c->sleeps > horizon ? pc_sleeps(base, c->sleeps, c->state) : horizon;
}

void r10k_leave(struct pc_cpu *base)
{
    struct r10k *c = r10k_of(base);
    core_goes_on(c);
    if (c->begun)
        r10k_flush(c, base->now);
    /* What is left in units has graduated, and is the thread's own, as what its last cycle has
     * caused: the next cycle is another's. */
    core_works_on(c, SIM_NEVER);
    show_late(c);
    c->sleeps = 0;
    c->begun = false;
    c->away = true;
    base->tail = (struct pc_tail){0};
    c->line_va = ~UINT64_C(0);
    c->line_once = ~UINT64_C(0);
    c->told_line = ~UINT64_C(0);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Sizes that are the processor's own unless they are given. */
static void core_limits(struct r10k *c, const struct nm_params *p)
{
    enum { NO_TARGETS = 1 };
    const bool newer = p->core == NM_CORE_R12000;
    c->list = p->r10000_active_list ? (unsigned)p->r10000_active_list : newer ? 48 : 32;
    c->histories = p->r10000_history ? (unsigned)p->r10000_history : newer ? 2048 : 512;
    c->targets_known = p->r10000_targets ? (unsigned)p->r10000_targets : newer ? 32 : NO_TARGETS;
}

void r10k_new(struct r10k *c, const struct nm_params *p)
{
    c->p = p;
    core_limits(c, p);
    c->told_line = ~UINT64_C(0);
    c->line_once = ~UINT64_C(0);
    r10k_caches_new(c);
    r10k_predictors_new(c);
}

void r10k_free(struct r10k *c)
{
    r10k_caches_free(c);
    r10k_predictors_free(c);
}
