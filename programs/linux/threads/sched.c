/*
 * Which thread runs on which processor card, and until when.
 *
 * The hard idea: cards are stopped only by themselves (a trap) or by a request, which a card in the
 * middle of an access hears later. So the scheduler never touches a running card; it asks it to
 * stop and acts when the stop arrives as a trap.
 *
 * A thread stays on its card unless sched_setaffinity moves it. Threads that share a card take
 * turns of os.quantum, and are only interrupted while another one waits.
 */
#include "programs/linux/threads/threads.h"

#include "base/alloc.h"
#include "machine/values.h"
#include "programs/linux/process/isa.h"
#include "programs/linux/threads/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <utlist.h>

/** [ticks] earliest date for something done to another card. */
static sim_tick sched_reach(const struct lx_prog *p)
{
    return lx_now(p) + nm_machine_reach(p->m);
}

/** [ticks] from a wake-up to the first instruction. */
static sim_tick wake_time(const struct lx_prog *p)
{
    return sim_later(sim_later(p->par->os_wake, PC_RETURN), nm_machine_reach(p->m));
}

/** [ticks] What chance adds to that when the thread has been woken for the same lock in vain.
 * Whoever took it then may always be as late as this time: only another moment can be a better one.
 * After some times that is any moment until the lock comes free once more, if it does as soon as
 * the last time. Not the time slept, which in a queue holds the delays of all who stood before. */
static sim_tick wake_chance(const struct lx_thread *t)
{
    enum { STREAM_WAKE = 3, PATIENCE = 8 };
    const struct lx_prog *p = t->p;
    const uint64_t vain = lx_watch_vain(t);
    sim_tick range = p->par->os_wake_spread;
    uint64_t chance;

    if (!vain || !range)
        return 0;
    if (vain >= PATIENCE)
        range += lx_now(p) - t->watched.free_at;
    lx_random(p, STREAM_WAKE, ((uint64_t)t->tid << 32 | (uint32_t)t->watched.calls) * sizeof chance,
              &chance, sizeof chance);
    return chance % range;
}

/* ---- cards and queues ------------------------------------------------------------------------ */

/** Whether a thread of the card sleeps until another calls it. */
static bool waits_for_others(const struct lx_prog *p, unsigned card)
{
    const struct lx_thread *t;

    DL_FOREACH(p->threads, t)
        if (t->card == card && t->on_futex)
            return true;
    return false;
}

/** A card that has nothing to do from `at` on: says what its time goes to. */
static void sched_rest(struct lx_prog *p, unsigned card, sim_tick at)
{
    const struct lx_card *c = &p->cards[card];

    if (c->running)
        return;
    nm_card_use(p->m, card,
                !c->load                    ? NM_USE_IDLE
                : waits_for_others(p, card) ? NM_USE_WAITING
                                            : NM_USE_ASLEEP,
                at);
}

/** The running thread of a card stops at `stop`, or at the clock interrupt before that. */
static void stop_by(struct lx_prog *p, unsigned card, sim_tick stop)
{
    nm_card_preempt(p->m, card, sim_earlier(stop, p->cards[card].tick_at));
}

/** The thread whose call is being handled; 0: none. */
static uint32_t sched_caller(const struct lx_prog *p)
{
    const struct lx_thread *t = p->cards[p->vm.toucher].running;

    return t && t->state == TH_OS ? t->tid : 0;
}

static void sched_tell(const struct lx_thread *t, struct prog_turn turn)
{
    const struct prog_hooks *hooks = t->p->run->hooks;

    turn.card = t->card;
    turn.thread = t->tid;
    turn.word = turn.step == PROG_ENDS ? t->clear_tid : t->on_futex ? t->futex.addr : 0;
    if (hooks && hooks->turn)
        hooks->turn(hooks->ctx, &turn);
}

/** A step that is taken now. @param since  [ticks] as in struct prog_turn */
static void tell_step(const struct lx_thread *t, enum prog_step step, sim_tick since)
{
    const bool called = step == PROG_BORN || (step == PROG_CALLED && t->wake == WAKE_EVENT);

    sched_tell(t, (struct prog_turn){.step = step,
                                     .by = called ? sched_caller(t->p) : 0,
                                     .at = lx_now(t->p),
                                     .since = since});
}

/** It goes on at `at`, on a card that is free from `from` on. */
static void tell_going_on(const struct lx_thread *t, sim_tick from, sim_tick at)
{
    const sim_tick system = sim_later(lx_now(t->p), t->late_to);

    sched_tell(t, (struct prog_turn){.step = PROG_GOES_ON,
                                     .at = at,
                                     .since = system,
                                     .rests = t->late_to > from ? from : system});
}

void lx_thread_exits(const struct lx_thread *t)
{
    tell_step(t, PROG_EXITS, lx_now(t->p));
}

/** So many instructions come before the next interrupt. */
static void sched_spare(struct lx_thread *t)
{
    if (t->trap.preempted && t->storm.spared < SPARED)
        t->storm.spared = SPARED;
    pc_spare(t->p->m, t->card, t->storm.spared);
    t->storm.spared = 0;
}

/** Puts the thread's registers on its card and arms its clock and the end of its slice. */
static void sched_resume(struct lx_thread *t, sim_tick at)
{
    struct lx_prog *p = t->p;
    struct lx_card *c = &p->cards[t->card];
    sim_tick stop = SIM_NEVER;

    t->state = TH_RUNNING;
    c->running = t;
    c->tick_at = lx_tick_after(p, t->card, at);
    t->since = at;
    p->steps->back(t);
    if (p->run->over)
        return;
    nm_card_use(p->m, t->card, NM_USE_SYSTEM, sim_later(lx_now(p), t->late_to));
    lx_watch_begin(t);
    p->steps->runs(t);
    pc_thread_resume(p->m, t->card, &t->regs, at);
    sched_spare(t);
    if (lx_signal_waiting(t))
        stop = at;
    else if (c->queue)
        stop = sim_later(t->slice_end, at);
    stop_by(p, t->card, stop);
}

/** The card is free from `at` on: the first in its queue gets it. */
static void card_next(struct lx_prog *p, unsigned card, sim_tick at)
{
    struct lx_card *c = &p->cards[card];
    struct lx_thread *t = c->queue;

    if (c->running)
        p->steps->stops(c->running);
    c->running = NULL;
    if (!t) {
        sched_rest(p, card, at);
        return;
    }
    DL_DELETE2(c->queue, t, q_prev, q_next);
    if (t->late_to > at)
        nm_card_use(p->m, card, NM_USE_WAITING, at);
    if (t->away)
        tell_going_on(t, at, sim_later(at, t->ready_at));
    t->away = false;
    at = sim_later(at, t->ready_at);
    t->slice_end = at + p->par->os_quantum;
    sched_resume(t, at);
}

static void sched_enqueue(struct lx_thread *t)
{
    struct lx_prog *p = t->p;
    struct lx_card *c = &p->cards[t->card];

    t->state = TH_READY;
    DL_APPEND2(c->queue, t, q_prev, q_next);
    if (!c->running)
        card_next(p, t->card, lx_now(p));
    else if (c->running->state == TH_RUNNING)
        stop_by(p, t->card, sim_later(c->running->slice_end, sched_reach(p)));
}

/** The allowed card with the fewest threads; the lowest number wins a tie. */
static unsigned choose_card(const struct lx_thread *t)
{
    const struct lx_prog *p = t->p;
    unsigned best = CARDS_MAX;

    for (unsigned c = 0; c < p->processors; c++)
        if ((t->affinity[c / 64] >> (c % 64) & 1) &&
            (best == CARDS_MAX || p->cards[c].load < p->cards[best].load))
            best = c;
    return best;
}

/** Gives the thread another card, without running it. */
static void sched_move(struct lx_thread *t)
{
    struct lx_prog *p = t->p;

    const unsigned old = t->card;

    p->cards[old].load--;
    t->card = choose_card(t);
    p->cards[t->card].load++;
    sched_rest(p, old, lx_now(p));
    prog_actor_move(t->actor, t->card);
    t->migrate = false;
}

/* ---- threads --------------------------------------------------------------------------------- */

struct lx_thread *lx_thread_new(struct lx_prog *p, const union lx_regs *regs)
{
    struct lx_thread *t = sim_alloc(1, sizeof *t);
    t->p = p;
    t->regs = *regs;
    t->tid = p->next_tid++;
    t->deadline = SIM_NEVER;
    t->alt.flags = 2; /* SS_DISABLE */
    irix_process_init(&t->counts);
    for (unsigned c = 0; c < p->processors; c++)
        t->affinity[c / 64] |= UINT64_C(1) << (c % 64);
    DL_APPEND(p->threads, t);
    if (!p->leader)
        p->leader = t;
    p->alive++;
    p->run->out->threads++;
    return t;
}

void lx_thread_tell(const struct lx_thread *t)
{
    const struct prog_hooks *hooks = t->p->run->hooks;
    const struct lx_isa *isa = lx_isa_of(t);
    const uint64_t pointer = isa->tls(&t->regs), size = t->p->image.tls;
    const uint64_t tls = isa->variables(&t->p->image, pointer);
    const struct lx_vm_area *stack = lx_vm_find(&t->p->vm, t->first_sp - 1);
    struct prog_thread told = {.number = t->tid, .ended = t->state == TH_DEAD, .at = lx_now(t->p)};
    if (!hooks || !hooks->thread)
        return;
    if (stack) {
        told.sp = t->first_sp;
        told.stack = stack->start;
        told.stack_to = t->p->leader == t ? stack->end : t->first_sp;
    }
    if (pointer && size <= UINT64_MAX - tls) {
        told.tls = tls;
        told.tls_to = tls + size;
    }
    hooks->thread(hooks->ctx, &told);
}

void lx_thread_start(struct lx_thread *t)
{
    struct lx_prog *p = t->p;
    char name[32];

    t->card = choose_card(t);
    p->cards[t->card].load++;
    snprintf(name, sizeof name, "thread-%u", t->tid);
    t->actor = prog_actor_new(p->run->actors, name, t->card, p->steps->body, t);
    t->ready_at = p->run->out->threads == 1 ? lx_now(p) : lx_now(p) + wake_time(p);
    t->first_sp = lx_isa_of(t)->sp(&t->regs);
    lx_thread_tell(t);
    t->away = true;
    tell_step(t, PROG_BORN, lx_now(p));
    sched_enqueue(t);
}

void lx_thread_end(struct lx_thread *t)
{
    struct lx_prog *p = t->p;

    const bool has_card = t->state == TH_OS;

    tell_step(t, PROG_ENDS, lx_now(p) + (has_card ? p->par->os_syscall : 0));
    p->cards[t->card].load--;
    p->ran += t->ran;
    t->state = TH_DEAD;
    lx_thread_tell(t);
    DL_DELETE(p->threads, t);
    p->alive--;
    if (has_card)
        card_next(p, t->card, lx_now(p) + p->par->os_syscall);
    else
        sched_rest(p, t->card, lx_now(p));
}

void lx_thread_free(struct lx_thread *t)
{
    free(t->held);
    free(t);
}

struct lx_thread *lx_thread_find(struct lx_prog *p, uint32_t tid)
{
    struct lx_thread *t;

    DL_FOREACH(p->threads, t)
        if (t->tid == tid)
            return t;
    return NULL;
}

struct lx_thread *lx_thread_named(struct lx_prog *p, uint32_t tid)
{
    return tid == FIRST_TID ? p->leader : lx_thread_find(p, tid);
}

/** [ticks] What the operating system has taken of the thread's card since its trap. */
static sim_tick sched_handled(const struct lx_thread *t)
{
    const struct lx_prog *p = t->p;
    const sim_tick tick_at = p->cards[t->card].tick_at;

    if (t->trap.preempted && t->trap.at >= tick_at)
        return lx_tick_cost(p, t->card, tick_at);
    return t->absent ? p->par->os_fault : p->par->os_syscall + t->given * p->par->os_fault;
}

/** The handler is done and the thread still has its card. */
static void return_to_card(struct lx_thread *t)
{
    struct lx_prog *p = t->p;
    struct lx_card *c = &p->cards[t->card];
    unsigned card = t->card;
    sim_tick at = sim_later(t->trap.at + sched_handled(t), lx_now(p));

    if (!t->migrate && (!c->queue || (!t->yield && at < t->slice_end))) {
        sched_resume(t, at);
        return;
    }
    t->ready_at = at;
    if (t->migrate) {
        t->ready_at = sim_later(at, lx_now(p) + wake_time(p));
        t->away = true;
        sched_move(t);
        tell_step(t, PROG_LEAVES, at);
        card_next(p, card, at);
        sched_enqueue(t);
        return;
    }
    t->state = TH_READY;
    t->usage.displaced++;
    DL_APPEND2(c->queue, t, q_prev, q_next);
    card_next(p, card, at);
}

void lx_sched_return(struct lx_thread *t)
{
    struct lx_prog *p = t->p;

    if (p->run->over)
        return;
    if (t->state == TH_OS) {
        return_to_card(t);
    } else {
        t->late_to = lx_now(p) + wake_chance(t);
        t->ready_at = t->late_to + wake_time(p);
        t->watched.free_at = lx_now(p);
        if (t->migrate)
            sched_move(t);
        sched_enqueue(t);
    }
    t->yield = false;
}

void lx_sched_affinity(struct lx_thread *t)
{
    struct lx_prog *p = t->p;

    t->migrate = !(t->affinity[t->card / 64] >> (t->card % 64) & 1);
    if (!t->migrate)
        return;
    if (t->state == TH_RUNNING)
        stop_by(p, t->card, sched_reach(p));
    if (t->state != TH_READY)
        return;
    DL_DELETE2(p->cards[t->card].queue, t, q_prev, q_next);
    t->ready_at = sim_later(t->ready_at, lx_now(p) + wake_time(p));
    t->away = true;
    sched_move(t);
    tell_step(t, PROG_LEAVES, lx_now(p));
    sched_enqueue(t);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static int by_creation(const struct lx_thread *a, const struct lx_thread *b)
{
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static int by_turn(const struct lx_thread *a, const struct lx_thread *b)
{
    return a->turn < b->turn ? -1 : a->turn > b->turn;
}

/** Waits on a channel. Who was woken in vain keeps its turn. */
static void join_channel(struct lx_thread *t, const void *channel)
{
    t->channel = channel;
    if (!t->turn)
        t->turn = ++t->p->turns;
    DL_INSERT_INORDER2(t->p->channeled, t, by_turn, c_prev, c_next);
}

/** Waits for lx_thread_wake(), or for a deadline. Few threads of a thousand have one. */
static void wait_until(struct lx_thread *t, sim_tick deadline, bool interruptible)
{
    t->waiting = true;
    t->interruptible = interruptible;
    t->deadline = deadline;
    if (deadline != SIM_NEVER)
        DL_INSERT_INORDER2(t->p->timed, t, by_creation, d_prev, d_next);
    prog_actor_block(t->actor, deadline);
}

enum lx_wake lx_thread_block(struct lx_thread *t, sim_tick deadline, bool interruptible,
                             const void *channel)
{
    struct lx_prog *p = t->p;

    if (interruptible && lx_signal_waiting(t))
        return WAKE_SIGNAL;
    if (deadline <= lx_now(p))
        return WAKE_TIMEOUT;
    t->away = true;
    t->usage.slept++;
    tell_step(t, PROG_SLEEPS, lx_now(p) + (t->state == TH_OS ? p->par->os_syscall : 0));
    if (t->state == TH_OS) {
        t->state = TH_BLOCKED;
        card_next(p, t->card, lx_now(p) + p->par->os_syscall);
    }
    if (channel)
        join_channel(t, channel);
    wait_until(t, deadline, interruptible);
    return t->wake;
}

void lx_thread_hold(struct lx_thread *t, sim_tick at)
{
    if (at <= lx_now(t->p))
        return;
    wait_until(t, at, false);
}

void lx_thread_wake(struct lx_thread *t, enum lx_wake why)
{
    if (!t->waiting)
        return;
    t->waiting = false;
    if (t->deadline != SIM_NEVER)
        DL_DELETE2(t->p->timed, t, d_prev, d_next);
    t->deadline = SIM_NEVER;
    if (t->channel)
        DL_DELETE2(t->p->channeled, t, c_prev, c_next);
    t->channel = NULL;
    t->wake = why;
    if (t->state == TH_BLOCKED)
        tell_step(t, PROG_CALLED, lx_now(t->p));
    DL_APPEND2(t->p->woken, t, w_prev, w_next);
}

void lx_thread_wake_all(struct lx_prog *p, const void *channel)
{
    struct lx_thread *t, *next;

    DL_FOREACH_SAFE2(p->channeled, t, next, c_next)
        if (t->channel == channel)
            lx_thread_wake(t, WAKE_EVENT);
}

void lx_thread_notify(struct lx_thread *t)
{
    if (t->waiting && t->interruptible)
        lx_thread_wake(t, WAKE_SIGNAL);
    else if (t->state == TH_RUNNING)
        stop_by(t->p, t->card, sched_reach(t->p));
}
