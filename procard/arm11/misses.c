/*
 * Misses under which the core goes on, and the write buffer.
 *
 * Progress: when the card gives a line, whatever was wanted of it is done before `answered`
 * returns; later it may be gone (procard/core.h). That is why a miss knows its registers and its
 * data.
 */
#include "procard/arm11/misses.h"
#include "procard/l2c.h"
#include "procard/loop.h"

#include <string.h>

static bool misses_pending(const struct arm11_miss *m)
{
    return m->phase == ARM11_MISS_ASK || m->phase == ARM11_MISS_MEMORY;
}

static bool misses_taken(const struct arm11 *c, const struct arm11_miss *m)
{
    return misses_pending(m) || (m->phase == ARM11_MISS_ARRIVES && m->until > c->base.now);
}

bool arm11_quiet(const struct arm11 *c)
{
    bool any = c->writes;
    for (unsigned i = 0; i < ARM11_MISSES; i++)
        any |= misses_pending(&c->miss[i]);
    return !any;
}

static bool will_store(const struct arm11_miss *m)
{
    return misses_pending(m) && (m->access == ARM11_SWAP || m->access == ARM11_CONDITIONAL);
}

bool arm11_buffered(const struct arm11 *c, uint64_t pa)
{
    bool any = false;
    for (unsigned i = 0; i < c->writes; i++)
        any |= c->write[i].line == arm11_line_of(pa);
    for (unsigned i = 0; i < ARM11_MISSES; i++)
        any |= will_store(&c->miss[i]) && arm11_line_of(c->miss[i].look.pa) == arm11_line_of(pa);
    return any;
}

bool arm11_writing(const struct arm11 *c)
{
    bool any = c->writes;
    for (unsigned i = 0; i < c->p->arm11_writes; i++)
        any |= c->write_free[i] > c->base.now;
    return any;
}

bool arm11_missed(const struct arm11 *c, uint64_t pa)
{
    for (unsigned i = 0; i < ARM11_MISSES; i++)
        if (misses_pending(&c->miss[i]) && arm11_line_of(c->miss[i].look.pa) == arm11_line_of(pa))
            return true;
    return false;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* [PCycles] pass until `at`, or the horizon comes. @return false: it has */
static bool misses_until(struct arm11 *c, sim_tick at)
{
    if (at >= c->base.horizon)
        return arm11_waits(c, PC_ST_STALL_L1D, ARM11_SIGNAL_LSU_FULL);
    arm11_signal(c, ARM11_SIGNAL_LSU_FULL, at - c->base.now);
    return arm11_stalls(c, PC_ST_STALL_L1D, at - c->base.now);
}

/* After any of them has changed. */
static void note_full(struct arm11 *c)
{
    c->full = ARM11_PENDING;
    for (unsigned i = 0; i < c->p->arm11_misses; i++) {
        const struct arm11_miss *m = &c->miss[i];
        const sim_tick to = !misses_taken(c, m) ? 0 : misses_pending(m) ? ARM11_PENDING : m->until;
        c->full = to < c->full ? to : c->full;
    }
}

bool arm11_place_free(const struct arm11 *c)
{
    for (unsigned i = 0; i < c->p->arm11_misses; i++)
        if (!misses_taken(c, &c->miss[i]))
            return true;
    return false;
}

bool arm11_places(struct arm11 *c, unsigned n)
{
    for (;;) {
        sim_tick next = SIM_NEVER;
        unsigned free = 0;
        for (unsigned i = 0; i < c->p->arm11_misses; i++) {
            const struct arm11_miss *m = &c->miss[i];
            free += !misses_taken(c, m);
            if (misses_taken(c, m) && !misses_pending(m) && m->until < next)
                next = m->until;
        }
        if (free >= n)
            return true;
        if (!misses_until(c, next))
            return false;
    }
}

bool arm11_room(struct arm11 *c, unsigned n)
{
    for (;;) {
        sim_tick next = SIM_NEVER;
        unsigned used = c->writes;
        for (unsigned i = 0; i < c->p->arm11_writes; i++)
            if (c->write_free[i] > c->base.now) {
                used++;
                next = c->write_free[i] < next ? c->write_free[i] : next;
            }
        if (used + n <= c->p->arm11_writes || !n)
            return true;
        if (!misses_until(c, next))
            return false;
    }
}

/* ---- a line's bytes -------------------------------------------------------------------------- */

void arm11_deliver(struct arm11 *c, const struct pc_look *look, const struct arm11_part *parts,
                   unsigned n, bool big, sim_tick ready, sim_tick now)
{
    for (unsigned i = 0; i < n; i++) {
        const struct arm11_part *part = &parts[i];
        const unsigned size = arm11_size((enum arm11_kind)part->kind);
        struct pc_look at = *look;
        at.pa = arm11_line_of(look->pa) + part->offset;
        if (part->reg == ARM_SINK)
            continue;
        c->r.r[part->reg] =
            arm11_value(pc_read(&c->base, &at, size, now), (enum arm11_kind)part->kind, big);
        c->ready[part->reg] = ready + part->extra;
    }
}

/* What an instruction has read of a line is told. */
void arm11_have_read(struct arm11 *c, enum pc_recorded_kind kind, uint32_t va,
                     const struct pc_look *look, const struct arm11_part *parts, unsigned n)
{
    const uint32_t from = va & ~(uint32_t)(ARM11_LINE - 1);
    if (!c->base.cursor && !c->base.record)
        return;
    for (unsigned i = 0; i < n; i++) {
        const unsigned size = arm11_size((enum arm11_kind)parts[i].kind);
        arm11_told(c, kind, from + parts[i].offset, size);
        if (look)
            arm11_touches(c, arm11_line_of(look->pa) + parts[i].offset, size, true, false);
    }
}

void arm11_write_bytes(struct arm11 *c, const struct pc_look *look, const uint8_t *bytes,
                       unsigned n)
{
    enum { MOST = 8 };
    struct pc_look at = *look;
    for (unsigned i = 0; i < n;) {
        const unsigned left = MOST - (at.pa & (MOST - 1)), now = n - i < left ? n - i : left;
        memcpy(pc_write(&c->base, &at, now, c->base.now), bytes + i, now);
        at.pa += now;
        i += now;
    }
}

/* ---- misses ---------------------------------------------------------------------------------- */

struct arm11_miss *arm11_miss_new(struct arm11 *c, enum arm11_access access, uint32_t va,
                                  const struct pc_look *look)
{
    for (unsigned i = 0; i < c->p->arm11_misses; i++) {
        struct arm11_miss *m = &c->miss[i];
        if (misses_taken(c, m))
            continue;
        *m = (struct arm11_miss){.access = (uint8_t)access,
                                 .big = c->r.e,
                                 .va = va,
                                 .pc = c->r.r[ARM_PC],
                                 .look = *look,
                                 .order = ++c->misses};
        return m;
    }
    return NULL; /* never: the caller has looked */
}

/* A register that is waited for is wanted no more by an older load: this one's result is later. */
static void takes_over(struct arm11 *c, const struct arm11_miss *m)
{
    for (unsigned i = 0; i < ARM11_MISSES; i++)
        for (unsigned k = 0;
             k < c->miss[i].parts && &c->miss[i] != m && misses_pending(&c->miss[i]); k++)
            for (unsigned j = 0; j < m->parts; j++)
                if (c->miss[i].part[k].reg == m->part[j].reg)
                    c->miss[i].part[k].reg = ARM_SINK;
    for (unsigned j = 0; j < m->parts; j++)
        if (m->part[j].reg != ARM_SINK)
            c->ready[m->part[j].reg] = ARM11_PENDING;
}

/* Of those that wait, registers that something younger has written since keep that. */
static void forget_overwritten(struct arm11 *c, struct arm11_miss *m)
{
    for (unsigned j = 0; j < m->parts; j++)
        if (c->ready[m->part[j].reg] != ARM11_PENDING)
            m->part[j].reg = ARM_SINK;
}

static bool misses_enough(const struct arm11 *c, const struct arm11_miss *m)
{
    switch (m->access) {
    case ARM11_LOAD:
        return m->look.state != NM_LINE_I;
    case ARM11_LINKED:
        return pc_links_exclusively(&c->base) ? arm11_writable(m->look.state)
                                              : m->look.state != NM_LINE_I;
    case ARM11_CONDITIONAL:
        return !c->base.link || arm11_writable(m->look.state);
    default:
        return arm11_writable(m->look.state);
    }
}

void arm11_tried(struct arm11 *c, uint32_t pc, uint32_t va, unsigned size, bool failed)
{
    struct pc_tries *tries = &c->base.tries;
    arm11_told(c, failed ? PC_RECORDED_SC_FAILED : PC_RECORDED_SC, va, size);
    if (!failed) {
        tries->row = 0;
        return;
    }
    c->base.scs_failed++;
    arm11_counts(c, pc, PC_PROFILE_SCS_FAILED);
    tries->row = tries->row && tries->pc == pc ? tries->row + 1 : 1;
    tries->failed++;
    tries->pc = pc;
    tries->va = va;
}

static void misses_own(struct arm11 *c, struct arm11_miss *m)
{
    if (m->look.state != NM_LINE_D)
        pc_own(&c->base, &m->look);
    m->look.state = NM_LINE_D;
}

static void store_of(struct arm11 *c, struct arm11_miss *m)
{
    struct arm11_line *l = arm11_find(c, PC_SIDE_D, m->va, m->look.pa);
    arm11_write_bytes(c, &m->look, m->data, m->size);
    arm11_touches(c, m->look.pa, m->size, false, true);
    if (l)
        arm11_dirty(l, m->look.pa, m->size);
}

/* Whether the word gets, or would get, another value is told before it does. */
static void misses_tried(struct arm11 *c, const struct arm11_miss *m, bool stores)
{
    if (!c->base.cursor)
        return;
    const uint8_t *is = pc_settle_access(&c->base, &m->look, m->size, NULL);
    pc_cursor_tried(c->base.cursor, memcmp(is, m->data, m->size) != 0, stores);
}

/* What it wanted of its line, which is here. */
static void misses_serve(struct arm11 *c, struct arm11_miss *m, sim_tick ready, sim_tick now)
{
    if (m->access == ARM11_CONDITIONAL) {
        if (c->base.link)
            misses_own(c, m);
        const bool stores = pc_conditional(&c->base, &m->look, m->size, now);
        misses_tried(c, m, stores);
        if (stores)
            store_of(c, m);
        else /* it has looked whether the word is still its own */
            arm11_touches(c, m->look.pa, m->size, true, false);
        arm11_tried(c, m->pc, m->va, m->size, !stores);
        c->r.r[m->part[0].reg] = !stores;
        c->ready[m->part[0].reg] = ready;
        return;
    }
    if (m->access == ARM11_SWAP)
        misses_own(c, m);
    if (m->access == ARM11_LINKED)
        pc_link(&c->base, &m->look, m->size, now);
    arm11_deliver(c, &m->look, m->part, m->parts, m->big, ready, now);
    arm11_have_read(c, m->access == ARM11_LINKED ? PC_RECORDED_LL : PC_RECORDED_LOAD, m->va,
                    &m->look, m->part, m->parts);
    if (m->access != ARM11_SWAP)
        return;
    arm11_told(c, PC_RECORDED_STORE, m->va, m->size);
    store_of(c, m);
}

static void fill_from(struct arm11 *c, const struct arm11_miss *m)
{
    if (m->look.state == NM_LINE_I || m->access == ARM11_CONDITIONAL)
        return;
    struct arm11_line *l = arm11_fill(c, PC_SIDE_D, m->va, &m->look);
    if (!arm11_buffered(c, m->look.pa)) /* a younger store of it is still to be read */
        arm11_show(c, PC_SIDE_D, m->va, l, &m->look);
}

static enum nm_access misses_access_of(const struct arm11_miss *m)
{
    static const uint8_t of[] = {[ARM11_LOAD] = NM_LOAD,
                                 [ARM11_LINKED] = NM_LINKED,
                                 [ARM11_CONDITIONAL] = NM_CONDITIONAL,
                                 [ARM11_SWAP] = NM_STORE};
    return (enum nm_access)of[m->access];
}

bool arm11_asks(struct arm11 *c, uint32_t pc, uint32_t va, const struct pc_look *look,
                enum nm_access access, bool or_line)
{
    enum { WORD = 4 };
    if (c->base.now >= c->base.horizon) /* a request before this one has brought it nearer */
        return false;
    const uint64_t stood = arm11_profile_at(c, pc);
    const enum pc_asking did = pc_ask(&c->base, look, access, c->base.now);
    if (did == PC_ASKED) {
        struct pc_look word = *look;
        word.pa = arm11_line_of(look->pa) + (va & (ARM11_LINE - WORD));
        pc_asked_for(&c->base, &word, va, WORD, c->base.now);
    }
    arm11_profile_at(c, stood);
    c->asked |= did == PC_ASKED;
    return did == PC_ASKED || (or_line && did == PC_ASKED_LINE);
}

static void misses_ask(struct arm11 *c, struct arm11_miss *m)
{
    const bool did = arm11_asks(c, m->pc, m->va, &m->look, misses_access_of(m), true);
    m->phase = did ? ARM11_MISS_MEMORY : ARM11_MISS_ASK;
}

void arm11_miss_begins(struct arm11 *c, struct arm11_miss *m)
{
    const sim_tick now = c->base.now, beats = 3;
    const bool here = arm11_find(c, PC_SIDE_D, m->va, m->look.pa);
    if (here && misses_enough(c, m)) {
        misses_serve(c, m, now + m->latency, now);
        m->phase = ARM11_MISS_NONE;
        return;
    }
    if (!here && !arm11_missed(c, m->look.pa)) {
        c->l1_misses[PC_SIDE_D]++;
        arm11_counts(c, m->pc, PC_PROFILE_L1D_MISSES);
    }
    pc_look_up(&c->base, PC_SIDE_D, &m->look);
    const sim_tick latency = pc_l2c_reads(&c->base, PC_SIDE_D, &m->look, c->p->arm11_l2_latency);
    if (misses_enough(c, m)) {
        misses_serve(c, m, now + m->latency + latency, now);
        fill_from(c, m);
        m->phase = ARM11_MISS_ARRIVES;
        m->until = now + latency + beats * c->p->arm11_l2_beat;
        note_full(c);
        return;
    }
    takes_over(c, m);
    misses_ask(c, m);
    note_full(c);
    struct arm11_line *l = arm11_find(c, PC_SIDE_D, m->va, m->look.pa);
    if (l && will_store(m)) /* what is younger must not read past it */
        arm11_hide(c, PC_SIDE_D, l);
}

bool arm11_waits_for(struct arm11 *c, const struct arm11_miss *m)
{
    if (m->phase == ARM11_MISS_ARRIVES)
        return arm11_stalls(c, PC_ST_STALL_L1D, m->until - c->base.now) && false;
    return arm11_waits(c, PC_ST_STALL_L2, ARM11_SIGNAL_DEPENDENCY);
}

/* ---- the write buffer ------------------------------------------------------------------------ */

static void write_out(struct arm11 *c, const struct arm11_write *w, const struct pc_look *look)
{
    struct arm11_line *l = arm11_find(c, PC_SIDE_D, w->va, w->line);
    for (uint32_t left = w->mask; left;) {
        const unsigned from = (unsigned)__builtin_ctz(left);
        const uint32_t rest = ~(left >> from);
        const unsigned n = rest ? (unsigned)__builtin_ctz(rest) : 32;
        struct pc_look at = *look;
        at.pa = w->line + from;
        arm11_write_bytes(c, &at, w->data + from, n);
        arm11_touches(c, at.pa, n, false, true);
        if (l)
            arm11_dirty(l, at.pa, n);
        left &= n + from < 32 ? ~UINT32_C(0) << (n + from) : 0;
    }
}

/* Its place is free when it has gone down. */
static void misses_written(struct arm11 *c, sim_tick latency)
{
    for (unsigned i = 0; i < c->p->arm11_writes; i++)
        if (c->write_free[i] <= c->base.now) {
            c->write_free[i] = c->base.now + latency;
            break;
        }
    c->writes--;
    memmove(c->write, c->write + 1, c->writes * sizeof *c->write);
}

void arm11_drain(struct arm11 *c, bool asks)
{
    while (c->writes && !c->write_asked) {
        struct arm11_write *w = &c->write[0];
        struct pc_look look = {.pa = w->line, .page = w->page};
        if (arm11_missed(c, w->line)) /* an older load is first */
            break;
        pc_look_up(&c->base, PC_SIDE_D, &look);
        if (!w->looked)
            w->latency = pc_l2c_writes(&c->base, &look, c->p->arm11_l2_latency);
        w->looked = true;
        if (arm11_writable(look.state)) {
            if (look.state != NM_LINE_D)
                pc_own(&c->base, &look);
            look.state = NM_LINE_D;
            write_out(c, w, &look);
            misses_written(c, w->latency);
            continue;
        }
        c->write_asked = asks && arm11_asks(c, w->pc, w->va, &look, NM_STORE, false);
        break;
    }
}

/* ---- what the card tells --------------------------------------------------------------------- */

static void misses_refused(struct arm11 *c, struct arm11_miss *m, sim_tick now)
{
    if (m->access == ARM11_CONDITIONAL && !c->base.link) {
        misses_serve(c, m, now + m->latency, now);
        m->phase = ARM11_MISS_NONE;
        return;
    }
    m->phase = ARM11_MISS_ASK;
}

static void misses_arrives(struct arm11 *c, struct arm11_miss *m, bool granted, sim_tick now)
{
    const sim_tick ready = now + c->p->arm11_fill, beats = 3;
    if (granted)
        pc_look_up(&c->base, PC_SIDE_D, &m->look);
    if (!granted || !misses_enough(c, m)) {
        misses_refused(c, m, now);
        return;
    }
    forget_overwritten(c, m);
    misses_serve(c, m, ready, now);
    fill_from(c, m);
    m->phase = ARM11_MISS_ARRIVES;
    m->until = ready + beats * c->p->arm11_l2_beat;
}

/* The oldest first. */
static struct arm11_miss *next_of(struct arm11 *c, uint64_t line, uint64_t after)
{
    struct arm11_miss *first = NULL;
    for (unsigned i = 0; i < ARM11_MISSES; i++) {
        struct arm11_miss *m = &c->miss[i];
        if (m->phase == ARM11_MISS_MEMORY && m->order > after &&
            arm11_same_l2_line(c, m->look.pa, line) && (!first || m->order < first->order))
            first = m;
    }
    return first;
}

void arm11_answered(struct pc_cpu *base, enum pc_side side, uint64_t line, bool granted,
                    sim_tick now)
{
    struct arm11 *c = arm11_of(base);
    struct arm11_miss *m;
    uint64_t after = 0;
    (void)side;
    while ((m = next_of(c, line, after))) {
        after = m->order;
        misses_arrives(c, m, granted, now);
    }
    note_full(c);
    if (c->write_asked && c->writes && arm11_same_l2_line(c, c->write[0].line, line))
        c->write_asked = false;
    arm11_drain(c, false);
    arm11_fetch_answered(c, line, granted);
}

/* Something waits for a line that the card has not been asked for. This is looked at, and kept
 * nowhere: one that were forgotten would wait for ever. */
static bool must_ask(const struct arm11 *c)
{
    bool any = c->writes && !c->write_asked;
    for (unsigned i = 0; i < ARM11_MISSES; i++)
        any |= c->miss[i].phase == ARM11_MISS_ASK;
    return any;
}

void arm11_ask_again(struct arm11 *c)
{
    if (!must_ask(c))
        return;
    for (unsigned i = 0; i < ARM11_MISSES; i++) {
        struct arm11_miss *m = &c->miss[i];
        if (m->phase != ARM11_MISS_ASK)
            continue;
        pc_look_up(&c->base, PC_SIDE_D, &m->look);
        if (misses_enough(c, m))
            misses_arrives(c, m, true, c->base.now);
        else
            misses_ask(c, m);
    }
    note_full(c);
    arm11_drain(c, true);
}

/* ---- the thread leaves ----------------------------------------------------------------------- */

static void settle_miss(struct arm11 *c, struct arm11_miss *m)
{
    forget_overwritten(c, m);
    for (unsigned i = 0; i < m->parts; i++) {
        const struct arm11_part *part = &m->part[i];
        struct pc_look at = m->look;
        at.pa = arm11_line_of(m->look.pa) + part->offset;
        if (m->access == ARM11_CONDITIONAL) {
            c->r.r[part->reg] = 1;
            misses_tried(c, m, false);
            arm11_tried(c, m->pc, m->va, m->size, true);
        } else {
            c->r.r[part->reg] = arm11_value(
                pc_settle_access(&c->base, &at, arm11_size((enum arm11_kind)part->kind), NULL),
                (enum arm11_kind)part->kind, m->big);
        }
        c->ready[part->reg] = c->base.now;
    }
    if (m->access != ARM11_CONDITIONAL)
        arm11_have_read(c, PC_RECORDED_LOAD, m->va, NULL, m->part, m->parts);
    if (m->access == ARM11_SWAP)
        pc_settle_access(&c->base, &m->look, m->size, m->data);
    m->parts = 0;
    m->phase = ARM11_MISS_NONE;
}

void arm11_settle_memory(struct arm11 *c)
{
    for (unsigned i = 0; i < ARM11_MISSES; i++)
        if (misses_pending(&c->miss[i]))
            settle_miss(c, &c->miss[i]);
    note_full(c);
    for (unsigned i = 0; i < c->writes; i++) {
        const struct arm11_write *w = &c->write[i];
        for (unsigned byte = 0; byte < ARM11_LINE; byte++) {
            const struct pc_look at = {.pa = w->line + byte, .page = w->page};
            if (w->mask >> byte & 1)
                pc_settle_access(&c->base, &at, 1, w->data + byte);
        }
    }
    c->writes = 0;
    c->write_asked = c->drains = false;
    c->outside.n = 0;
}
