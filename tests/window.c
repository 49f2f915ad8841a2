/*
 * See window.h. Every PCycle each access of the window tries to get on, then the oldest completes
 * if it can. When nothing can get on until the card tells of something, the core lets time pass up
 * to its horizon.
 *
 * The oldest tries first, then the youngest, and so on. If the oldest came last, the others could
 * take all rows of the table, or the place it needs, from it again and again.
 */
#include "window.h"

#include "machine/values.h"
#include "monitor/board/board.h"
#include "procard/card.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

enum {
    ENTRIES = 12,
    LATE = 300, /* [PCycles] behind a loss, of a core that hears of it late */
    LOSSES = 64
};

struct entry {
    struct window_access access;
    struct pc_look look;
    bool done;   /* it has its value, or has stored */
    bool stands; /* it did so as the oldest: nothing undoes it */
};

struct loss {
    uint64_t line;
    sim_tick at;
};

struct window {
    struct pc_cpu cpu;
    const struct window_source *source;
    void *self;
    enum window_fault fault;
    struct entry entry[ENTRIES]; /* the oldest first */
    unsigned count;
    uint64_t linked; /* what the last load linked has read */
    bool ended;      /* the source has no more */
    bool stirred;    /* something has changed since nothing got on */
    bool asked;      /* in this run */
    struct loss late[LOSSES];
    unsigned losses;
    struct window_counts counts;
};

static struct window *window_of(struct pc_cpu *cpu)
{
    return (struct window *)cpu;
}

static uint64_t get(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    memcpy((uint8_t *)&value + sizeof value - size, bytes, size);
    return be64toh(value);
}

static void put(uint8_t *bytes, unsigned size, uint64_t value)
{
    value = htobe64(value << (64 - 8 * size));
    memcpy(bytes, &value, size);
}

static uint64_t line_of(const struct window *w, uint64_t pa)
{
    return pa & ~(w->cpu.card->p->l2_line - 1);
}

static enum nm_access right_of(enum window_kind kind)
{
    static const enum nm_access rights[] = {
        [WINDOW_LOAD] = NM_LOAD,       [WINDOW_STORE] = NM_STORE,
        [WINDOW_LINKED] = NM_LINKED,   [WINDOW_CONDITIONAL] = NM_CONDITIONAL,
        [WINDOW_FETCH] = NM_FETCH,     [WINDOW_GUESS] = NM_LOAD,
        [WINDOW_GUESS_OWN] = NM_STORE, [WINDOW_SYNC] = NM_LOAD};
    return rights[kind];
}

static void look_up(struct window *w, struct entry *e)
{
    pc_look_up(&w->cpu, e->access.kind == WINDOW_FETCH ? PC_SIDE_I : PC_SIDE_D, &e->look);
    w->counts.other_way += e->look.state != NM_LINE_I && !e->look.predicted;
}

/* @return whether it has got on */
static bool ask(struct window *w, struct entry *e)
{
    const enum pc_asking why = pc_ask(&w->cpu, &e->look, right_of(e->access.kind), w->cpu.now);
    const unsigned out = pc_outstanding(&w->cpu);
    w->counts.line += why == PC_ASKED_LINE;
    w->counts.set += why == PC_ASKED_SET;
    w->counts.full += why == PC_ASKED_FULL;
    w->counts.most = out > w->counts.most ? out : w->counts.most;
    w->asked |= why == PC_ASKED;
    return why == PC_ASKED;
}

static bool owned(const struct entry *e)
{
    return e->look.state == NM_LINE_D || e->look.state == NM_LINE_E;
}

/* Whether what the secondary cache has of the line is enough for the access to be done. */
static bool enough(const struct window *w, const struct entry *e)
{
    switch (e->access.kind) {
    case WINDOW_STORE:
    case WINDOW_GUESS_OWN:
        return owned(e);
    case WINDOW_CONDITIONAL:
        return owned(e) || !w->cpu.link;
    case WINDOW_LINKED:
        return pc_links_exclusively(&w->cpu) ? owned(e) : e->look.state != NM_LINE_I;
    default:
        return e->look.state != NM_LINE_I;
    }
}

static void load(struct window *w, struct entry *e, sim_tick at)
{
    e->access.value = get(pc_read(&w->cpu, &e->look, 8, at), 8);
}

static void store(struct window *w, struct entry *e, sim_tick at)
{
    pc_own(&w->cpu, &e->look);
    put(pc_write(&w->cpu, &e->look, 8, at), 8, e->access.value);
}

/* Does a cached access whose line is here. */
static void finish(struct window *w, struct entry *e, sim_tick at)
{
    e->done = true;
    switch (e->access.kind) {
    case WINDOW_LOAD:
        load(w, e, at);
        break;
    case WINDOW_STORE:
        store(w, e, at);
        break;
    case WINDOW_LINKED:
        pc_link(&w->cpu, &e->look, 8, at);
        load(w, e, at);
        w->linked = e->access.value;
        break;
    case WINDOW_CONDITIONAL:
        e->access.failed = !pc_conditional(&w->cpu, &e->look, 8, at);
        e->access.value += w->linked;
        if (!e->access.failed)
            store(w, e, at);
        break;
    default:
        break;
    }
}

/* What only the oldest may do. */
static bool in_order(enum window_kind kind)
{
    return kind == WINDOW_STORE || kind == WINDOW_LINKED || kind == WINDOW_CONDITIONAL;
}

/* The oldest access, to an uncached page or none. @return false: *stop says why */
static bool outside(struct window *w, struct entry *e, enum pc_stop *stop)
{
    struct window_access *a = &e->access;
    const sim_tick now = w->cpu.now;
    if (a->kind == WINDOW_SYNC)
        return e->done = pc_sync(&w->cpu, now, stop);
    uint8_t *const bytes = a->kind == WINDOW_STORE
                               ? pc_store(&w->cpu, a->address, a->size, now, stop)
                               : pc_load(&w->cpu, a->address, a->size, now, stop);
    if (bytes && a->kind == WINDOW_STORE)
        put(bytes, a->size, a->value);
    else if (bytes)
        a->value = get(bytes, a->size);
    return e->done = bytes;
}

static bool is_outside(const struct entry *e)
{
    return e->access.kind == WINDOW_SYNC || e->look.page == NM_XLATE_UNCACHED;
}

/* Whether an older store to the same doubleword has not been done. */
static bool behind_store(const struct window *w, const struct entry *e)
{
    for (const struct entry *older = w->entry; older < e; older++)
        if (!older->done && in_order(older->access.kind) &&
            older->access.address == e->access.address)
            return true;
    return false;
}

/* @return whether it has got on */
static bool get_on(struct window *w, struct entry *e)
{
    if (e->done || is_outside(e) || behind_store(w, e))
        return false;
    look_up(w, e);
    if (!enough(w, e)) {
        /* a link is made only by the oldest, so no other can say what it needs */
        const bool asked =
            (in_order(e->access.kind) && e->access.kind != WINDOW_STORE && e != w->entry)
                ? false
                : ask(w, e);
        e->done |= asked && e->access.kind >= WINDOW_GUESS;
        return asked;
    }
    if (in_order(e->access.kind) && e != w->entry)
        return false;
    finish(w, e, w->cpu.now);
    e->stands = e == w->entry;
    return true;
}

static void fill(struct window *w)
{
    while (w->count < ENTRIES && !w->ended) {
        struct entry *e = &w->entry[w->count];
        *e = (struct entry){.access = {.size = 8}};
        w->source->next(w->self, &e->access);
        w->ended = e->access.end;
        w->count += !w->ended;
        if (!w->ended)
            pc_find(&w->cpu, e->access.address, right_of(e->access.kind), &e->look);
    }
}

/* The oldest has completed: the next one's value, if it has one, is good from here on. */
static void complete(struct window *w)
{
    struct pc_cpu *cpu = &w->cpu;
    const bool stores =
        w->entry->access.kind == WINDOW_STORE || w->entry->access.kind == WINDOW_CONDITIONAL;
    w->source->done(w->self, &w->entry->access, cpu->now);
    pc_complete(cpu, stores ? PC_ST_STORE : PC_ST_LOAD, 1);
    cpu->instructions++;
    memmove(w->entry, w->entry + 1, --w->count * sizeof *w->entry);
    if (w->count && w->entry->done)
        w->entry->stands = true;
}

/* Loads of a line that is no longer here read again, but for the oldest, which is done. */
static void undo(struct window *w, uint64_t line)
{
    for (struct entry *e = w->entry; e < w->entry + w->count; e++)
        if (e->access.kind == WINDOW_LOAD && e->done && !e->stands && !is_outside(e) &&
            line_of(w, e->look.pa) == line) {
            e->done = false;
            w->counts.read_again++;
        }
}

static void undo_late(struct window *w)
{
    unsigned left = 0;
    for (unsigned i = 0; i < w->losses; i++)
        if (w->late[i].at <= w->cpu.now)
            undo(w, w->late[i].line);
        else
            w->late[left++] = w->late[i];
    w->stirred |= left < w->losses;
    w->losses = left;
}

/* PCycles in which nothing completes. */
static void stall(struct pc_cpu *cpu, uint16_t n)
{
    cpu->tail = (struct pc_tail){.held = n, .holds = PC_ST_STALL_L2};
    pc_charge(cpu, PC_ST_STALL_L2, n);
}

/* A PCycle. @return false: *stop says why */
static bool step(struct window *w, enum pc_stop *stop)
{
    struct pc_cpu *cpu = &w->cpu;
    bool got_on = false;
    undo_late(w);
    fill(w);
    if (!w->count) {
        cpu->exc = PC_EXC_SYS;
        *stop = PC_STOP_TRAP;
        return false;
    }
    got_on |= get_on(w, w->entry);
    for (struct entry *e = w->entry + w->count - 1; e > w->entry; e--)
        got_on |= get_on(w, e);
    if (!w->entry->done && is_outside(w->entry) && !outside(w, w->entry, stop))
        return false;
    if (w->entry->done) {
        complete(w);
        got_on = true;
    } else {
        stall(cpu, 1);
    }
    w->stirred = got_on;
    return true;
}

/* Nothing gets on by itself. */
static void pass(struct window *w)
{
    const sim_tick left = w->cpu.horizon - w->cpu.now;
    stall(&w->cpu, left < UINT16_MAX ? (uint16_t)left : UINT16_MAX);
}

static sim_tick run(struct pc_cpu *cpu, sim_tick horizon)
{
    struct window *w = window_of(cpu);
    enum pc_stop stop;
    if (cpu->now >= horizon)
        return cpu->now;
    cpu->horizon = horizon;
    w->asked = false;
    while (cpu->now < cpu->horizon) {
        if (!w->stirred && w->fault == WINDOW_RIGHT)
            pass(w);
        else if (!step(w, &stop))
            return pc_stopped(cpu, stop);
    }
    return pc_stopped(cpu, w->asked ? PC_STOP_ASKED : PC_STOP_HORIZON);
}

static void leave(struct pc_cpu *cpu)
{
    window_of(cpu)->stirred = true;
}

static void answered(struct pc_cpu *cpu, enum pc_side side, uint64_t line, bool granted,
                     sim_tick now)
{
    struct window *w = window_of(cpu);
    struct entry *e = w->entry;
    const enum pc_activity activity = cpu->card->activity;
    w->stirred = true;
    w->counts.in_vain += !granted;
    w->counts.while_waiting += activity == PC_WAITING;
    w->counts.without_thread += activity == PC_IDLE || activity == PC_TRAPPED;
    if (!w->count || e->done || is_outside(e) || line_of(w, e->look.pa) != line ||
        (e->access.kind == WINDOW_FETCH) != (side == PC_SIDE_I))
        return;
    look_up(w, e);
    if (!enough(w, e))
        return;
    finish(w, e, now);
    e->stands = true;
    w->counts.at_once++;
}

static void loses(struct pc_cpu *cpu, uint64_t line, enum pc_loss loss, sim_tick now)
{
    struct window *w = window_of(cpu);
    w->stirred = true;
    w->counts.evicted += loss == PC_LOSS_EVICTED;
    w->counts.shared += loss == PC_LOSS_SHARED;
    if (loss == PC_LOSS_SHARED || w->fault == WINDOW_DEAF)
        return;
    if (w->fault == WINDOW_RIGHT)
        undo(w, line);
    else if (w->losses < LOSSES)
        w->late[w->losses++] = (struct loss){line, now + LATE};
}

static void asked(struct pc_cpu *cpu, bool invalidate, uint8_t state, sim_tick now)
{
    struct window *w = window_of(cpu);
    (void)now;
    assert(state <= NM_LINE_D);
    w->counts.asked++;
    w->counts.invalidated += invalidate;
}

static const struct pc_core_ops core = {.name = "window",
                                        .size = sizeof(struct window),
                                        .run = run,
                                        .leave = leave,
                                        .requests = PC_REQUESTS,
                                        .answered = answered,
                                        .loses = loses,
                                        .asked = asked};

const struct nm_card_kind window_kind = {&pc_card_ops, &core, &mon_numachine};

void window_start(struct nm_machine *m, unsigned card, const struct window_source *source,
                  void *self, enum window_fault fault, sim_tick at)
{
    struct window *w = window_of(pc_cpu_at(m, card));
    w->source = source;
    w->self = self;
    w->fault = fault;
    w->count = w->losses = 0;
    w->ended = false;
    w->stirred = true;
    nm_card_resume(m, card, at);
}

const struct window_counts *window_counts(struct nm_machine *m, unsigned card)
{
    return &window_of(pc_cpu_at(m, card))->counts;
}
