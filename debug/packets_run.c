/*
 * How a run goes on, and why it has stopped, as gdb says it.
 */
#include "debug/past.h"
#include "debug/rsp.h"

#include <inttypes.h>
#include <string.h>

enum { GDB_TRAP = 5, GDB_INT = 2, GDB_KILL = 9 };

/* gdb's numbers of signals, by MIPS Linux's. */
static int signal_of(int called)
{
    static const uint8_t of[] = {
        0,
#define SIGNAL(mips, gdb, name) [mips] = (gdb),
#include "debug/signals.def"
    };
    enum { FIRST_RULE = 33, SECOND_RULE = 64, UNKNOWN = 143 };
    const bool known = called > 0 && (size_t)called < sizeof of && of[called];
    return known                       ? of[called]
           : called == DBG_SIGNALS - 1 ? UNKNOWN
           : called >= SECOND_RULE     ? called + 14
           : called >= FIRST_RULE      ? called + 12
                                       : called;
}

/* And back; 0: there is none. */
static int called_of(uint64_t gdb)
{
    for (int called = 1; called < DBG_SIGNALS; called++)
        if ((uint64_t)signal_of(called) == gdb)
            return called;
    return 0;
}

/* ---- why it stands --------------------------------------------------------------------------- */

static void answer_hit(struct dbg_packet *p)
{
    const struct dbg_hit *hit = &p->d->session->hit;
    if (hit->what == DBG_AT_BREAK) {
        dbg_answer(p, "swbreak:;");
    } else if (hit->what == DBG_AT_WATCH) {
        const struct dbg_watch *w = &hit->watch;
        dbg_answer(p, "%s:%" PRIx64 ";",
                   w->reads && w->writes ? "awatch"
                   : w->reads            ? "rwatch"
                                         : "watch",
                   dbg_hit_watched(hit));
    }
}

void dbg_answer_stop(struct dbg_packet *p)
{
    const struct dbg_session *x = p->d->session;
    const uint32_t thread = dbg_thread(p->d);
    struct prog_inspected t;
    const int signal = x->why == DBG_STOP_SIGNAL  ? signal_of(x->signal)
                       : x->why == DBG_STOP_ASKED ? GDB_INT
                                                  : GDB_TRAP;
    dbg_answer(p, "T%02x", (unsigned)signal);
    if (thread)
        dbg_answer(p, "thread:%x;", thread);
    if (thread && p->d->inspect->thread(p->d->run->self, thread, &t))
        dbg_answer(p, "core:%x;", t.card);
    if (x->why == DBG_STOP_HIT)
        answer_hit(p);
    else if (x->why == DBG_STOP_CALL)
        dbg_answer(p, "syscall_entry:%" PRIx64 ";", x->call);
    else if (x->why == DBG_STOP_CALLED)
        dbg_answer(p, "syscall_return:%" PRIx64 ";", x->call);
    else if (x->why == DBG_STOP_BEGINNING)
        dbg_answer(p, "replaylog:begin;");
    else if (x->why == DBG_STOP_EDGE)
        dbg_answer(p, "replaylog:end;");
}

void dbg_answer_end(struct dbg_packet *p)
{
    const struct prog_outcome *out = p->d->run->out;
    if (out->end == PROG_EXITED)
        dbg_answer(p, "W%02x", (unsigned)out->status & 0xff);
    else
        dbg_answer(p, "X%02x",
                   (unsigned)(out->end == PROG_SIGNALED ? signal_of(out->status) : GDB_KILL));
}

void dbg_p_why(struct dbg_packet *p)
{
    dbg_answer_stop(p);
}

/* ---- going on -------------------------------------------------------------------------------- */

static void packet_goes(struct dbg_packet *p, const struct dbg_step *step)
{
    dbg_go(p->d, step);
    p->none = true;
}

/* One instruction of a thread, or all in [from, to). */
static void packet_steps(struct dbg_packet *p, uint32_t thread, uint64_t from, uint64_t to)
{
    const uint32_t whose = thread ? thread : dbg_thread(p->d);
    const struct dbg_step step = {whose, from, to, dbg_done(p->d, whose)};
    packet_goes(p, &step);
}

/* What is done with a signal at which the run has stopped. @param gdb  0: it is thrown away
 * @return false: it is another one, and the threads are sent none that they have not got; the
 * answer says so */
static bool packet_signal(struct dbg_packet *p, uint64_t gdb)
{
    struct dbg_session *x = p->d->session;
    const bool known = !gdb || (x->why == DBG_STOP_SIGNAL && gdb == (uint64_t)signal_of(x->signal));
    if (!known)
        dbg_answer(p, "E.only the signal at which the run has stopped can be handed on");
    x->throws = x->why == DBG_STOP_SIGNAL && !gdb;
    return known;
}

/* One of vCont's actions. */
struct action {
    char kind;
    uint64_t signal, from, to;
    uint32_t thread; /* 0: any */
};

static bool take_action(const char **text, struct action *a)
{
    uint64_t thread = 0;
    *a = (struct action){.kind = **text};
    *text += **text != '\0';
    if (strchr("CS", a->kind) && !dbg_hex(text, &a->signal))
        return false;
    if (a->kind == 'r' &&
        (!dbg_hex(text, &a->from) || !dbg_next(text, ',') || !dbg_hex(text, &a->to)))
        return false;
    if (dbg_next(text, ':') && !dbg_next(text, '-')) {
        if (!dbg_hex(text, &thread) || thread > UINT32_MAX)
            return false;
    } else {
        (void)dbg_hex(text, &thread), thread = 0;
    }
    a->thread = (uint32_t)thread;
    return a->kind && strchr("cCsSr", a->kind);
}

void dbg_v_actions(struct dbg_packet *p)
{
    dbg_answer(p, "vCont;c;C;s;S;r");
}

/* All threads go on, whatever is asked of others: processors do not wait for each other. Where all
 * that is asked is of one thread it goes alone. */
void dbg_v_cont(struct dbg_packet *p)
{
    const char *text = p->text;
    struct action a, step = {0};
    const uint32_t stopped = dbg_thread(p->d);
    uint32_t alone = 0;
    bool signalled = false, any = false, all = false;
    do {
        struct prog_inspected t;
        if (!take_action(&text, &a)) {
            dbg_answer(p, "E00");
            return;
        }
        if (a.thread && strchr("sSr", a.kind) && /* who is not there would never have stepped */
            !p->d->inspect->thread(p->d->run->self, a.thread, &t)) {
            dbg_answer_done(p, false);
            return;
        }
        all |= !a.thread || (any && a.thread != alone);
        any = true;
        alone = a.thread;
        if (!step.kind && strchr("sSr", a.kind))
            step = a;
        if (!signalled && (!a.thread || a.thread == stopped)) {
            if (!packet_signal(p, a.signal))
                return;
            signalled = true;
        }
    } while (dbg_next(&text, ';'));
    if (step.kind)
        packet_steps(p, step.thread, step.from, step.to);
    else if (any)
        packet_goes(p, NULL);
    p->d->session->conditions.alone = all ? 0 : alone;
    p->d->session->steps |= !all;
}

void dbg_p_continue(struct dbg_packet *p)
{
    packet_signal(p, 0);
    packet_goes(p, NULL);
}

void dbg_p_step(struct dbg_packet *p)
{
    packet_signal(p, 0);
    packet_steps(p, p->d->session->resume, 0, 0);
}

void dbg_p_continue_signal(struct dbg_packet *p)
{
    const char *text = p->text;
    uint64_t signal = 0;
    dbg_hex(&text, &signal);
    if (!packet_signal(p, signal))
        return;
    if (p->text[-1] == 'S')
        packet_steps(p, p->d->session->resume, 0, 0);
    else
        packet_goes(p, NULL);
}

static void packet_back(struct dbg_packet *p, const struct dbg_step *step)
{
    p->none = dbg_back(p->d, step);
    if (!p->none)
        dbg_answer_done(p, false);
}

void dbg_p_back(struct dbg_packet *p)
{
    if (p->d->past)
        packet_back(p, NULL);
}

void dbg_p_back_step(struct dbg_packet *p)
{
    const uint32_t resume = p->d->session->resume;
    const struct dbg_step step = {.thread = resume ? resume : dbg_thread(p->d)};
    if (p->d->past)
        packet_back(p, &step);
}

/* ---- the end --------------------------------------------------------------------------------- */

void dbg_p_detach(struct dbg_packet *p)
{
    dbg_answer_done(p, true);
    p->d->session->going = DBG_DETACHED;
}

void dbg_v_kill(struct dbg_packet *p)
{
    dbg_answer_done(p, true);
    p->d->session->going = DBG_KILLED;
}

void dbg_p_kill(struct dbg_packet *p)
{
    p->d->session->going = DBG_KILLED;
    p->none = true;
}

/* ---- what is caught -------------------------------------------------------------------------- */

void dbg_q_pass(struct dbg_packet *p)
{
    const char *text = p->text;
    bool *passes = p->d->session->passes;
    uint64_t gdb;
    memset(passes, false, sizeof p->d->session->passes);
    while (dbg_hex(&text, &gdb)) {
        passes[called_of(gdb)] = true;
        dbg_next(&text, ';');
    }
    dbg_answer_done(p, true);
}

void dbg_q_program(struct dbg_packet *p)
{
    dbg_answer_done(p, true);
}

void dbg_q_catch(struct dbg_packet *p)
{
    struct dbg_session *x = p->d->session;
    const char *text = p->text;
    const bool on = dbg_next(&text, '1');
    x->catches = on;
    x->catches_all = on && !*text;
    x->catching = 0;
    while (on && dbg_next(&text, ';') && x->catching < DBG_CALLS &&
           dbg_hex(&text, &x->caught[x->catching]))
        x->catching++;
    dbg_answer_done(p, true);
}
