/*
 * A copy of the process that looks ahead, and what it notes.
 *
 * The hard idea is which hit is the first. Cards tell of what they do out of order, by no more than
 * a slice of what they are let run; so the copy runs slice by slice, and of all that is told in one
 * the least point is it. A core whose accesses are made behind its instructions tells of those
 * late: there each instruction is told, and an access is put down to the one that makes it.
 */
#include "debug/scout.h"

#include "base/alloc.h"
#include "debug/agent.h"
#include "debug/lines.h"
#include "debug/target.h"
#include "procard/mips/isa.h"
#include "procard/mips/mips.h"
#include "procard/procard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RECENT = 64 };

static const uint64_t NOWHERE = UINT64_MAX;

/* An instruction that was told. */
struct told {
    struct dbg_point point;
    uint64_t pc;
    bool old; /* the run has stopped for it already, or is behind it, */
    bool met; /* ... or for its access */
};

/* The last ones of a card, and what they have stored. */
struct recent {
    struct told told[RECENT];
    unsigned next;
    struct dbg_point stores; /* the last store's, */
    struct dbg_store store;  /* and it */
};

struct scout {
    struct dbg *d;
    /* The session's, which lies in memory that all processes share: it is only read. */
    struct dbg_conditions *conditions;
    struct dbg_hit *hit; /* the best so far */
    bool *full;          /* dbg_seen.full; NULL: nobody goes alone */
    bool last;           /* that is the last one before `before` */
    struct dbg_point before;
    struct pc_points points;
    uint64_t *va;          /* of `points` */
    struct recent *recent; /* [cards] */
    struct told latest;    /* of all cards, */
    bool within;           /* and it found these registers: */
    struct mips_regs found;
    uint64_t *skip;  /* [cards] pc at which each stands and has been told of; or NOWHERE */
    bool *skip_step; /* [cards] where it stands is no step */
    struct dbg_store own[DBG_STORES]; /* of who goes alone, ... */
    unsigned owns;                    /* ... so many */
};

/* ---- shared memory, copies ------------------------------------------------------------------- */

void *dbg_share(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        sim_no_memory();
    return p;
}

void dbg_unshare(void *shared, size_t bytes)
{
    munmap(shared, bytes);
}

/* Waits for a copy, which looks now and then at *asked.
 * @return whether it has come to its end */
static bool scout_wait(struct dbg *d, pid_t copy, int end, bool (*asks)(struct dbg *d), bool *asked)
{
    enum { EACH_MS = 20 };
    struct pollfd poll_end = {.fd = end, .events = POLLIN};
    int status = 0;
    while (poll(&poll_end, 1, EACH_MS) <= 0)
        if (asks && !*asked && asks(d))
            __atomic_store_n(asked, true, __ATOMIC_RELAXED);
    while (waitpid(copy, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* @param asks  NULL: nobody is asked meanwhile @param asked  shared, too; NULL with it */
static bool scout_apart(struct dbg *d, void (*look)(struct dbg *d, void *shared), void *shared,
                        bool (*asks)(struct dbg *d), bool *asked)
{
    int end[2];
    if (pipe(end) < 0)
        return false;
    const pid_t copy = fork();
    if (copy == 0) {
        close(end[0]);
        signal(SIGINT, SIG_IGN);
        look(d, shared);
        _exit(0);
    }
    close(end[1]);
    const bool good = copy > 0 && scout_wait(d, copy, end[0], asks, asked);
    close(end[0]);
    return good;
}

bool dbg_apart(struct dbg *d, void (*look)(struct dbg *d, void *shared), void *shared)
{
    return scout_apart(d, look, shared, NULL, NULL);
}

/* ---- noting ---------------------------------------------------------------------------------- */

/* What the thread has stored that the machine has not: in the hit's tick before it, or, of one that
 * goes alone, since it stood. */
static void note_stored(const struct scout *s, struct dbg_hit *hit)
{
    const struct recent *recent = &s->recent[hit->point.card];
    if (s->full && s->conditions->alone) {
        memcpy(hit->store_of, s->own, s->owns * sizeof *s->own);
        hit->stores = s->owns;
    } else if (recent->stores.at == hit->point.at && recent->stores.order < hit->point.order) {
        hit->store_of[0] = recent->store;
        hit->stores = 1;
    }
    for (unsigned i = 0; i < hit->stores; i++) /* it was told of just before it was made */
        s->d->inspect->read(s->d->run->self, hit->store_of[i].va, hit->store_of[i].bytes,
                            hit->store_of[i].size);
}

static void scout_note(struct scout *s, const struct dbg_hit *hit, const void *registers)
{
    const bool better =
        s->last ? dbg_point_compare(&hit->point, &s->before) < 0 &&
                      (!s->hit->what || dbg_point_compare(&hit->point, &s->hit->point) >= 0)
                : !s->hit->what || dbg_point_compare(&hit->point, &s->hit->point) < 0;
    const uint32_t alone = s->conditions->alone;
    if (!better || (alone && !s->last && hit->thread != alone))
        return;
    *s->hit = *hit;
    s->hit->has_registers = registers;
    if (registers)
        memcpy(s->hit->registers, registers, sizeof(struct mips_regs));
    note_stored(s, s->hit);
}

static bool condition_holds(struct scout *s, const struct dbg_break *b, struct pc_cpu *cpu,
                            uint64_t pc, const void *before)
{
    if (b->code == b->code_to || s->d->binary.isa != PROG_ISA_MIPS)
        return true; /* who stops there looks */
    struct mips_regs regs =
        before ? *(const struct mips_regs *)before
               : *(const struct mips_regs *)pc_programs_at(s->d->live->machine, cpu->number)
                      ->registers(cpu);
    regs.pc = pc;
    return dbg_agent_any(s->d, s->conditions->code + b->code, b->code_to - b->code, &regs);
}

/* Whether it is the instruction at which the card stood when the copy was made, and that had been
 * told of. What comes next is another. */
static bool scout_skips(uint64_t *skip, unsigned card, uint64_t pc)
{
    const bool is = skip[card] == pc;
    skip[card] = NOWHERE;
    return is;
}

static void scout_remember(struct scout *s, const struct told *told, const void *before)
{
    s->latest = *told;
    s->within = before;
    if (before)
        s->found = *(const struct mips_regs *)before;
    struct recent *recent = &s->recent[told->point.card];
    recent->told[recent->next] = *told;
    recent->next = (recent->next + 1) % RECENT;
}

/* What its card has shown. */
static const struct dbg_hit *scout_ahead(const struct scout *s, const struct dbg_point *point)
{
    const struct dbg_session *x = s->d->session;
    for (unsigned i = 0; !s->last && i < x->aheads; i++)
        if (x->ahead[i].point.card == point->card)
            return &x->ahead[i];
    return NULL;
}

static void scout_point(void *ctx, struct pc_cpu *cpu, uint64_t pc, sim_tick at, unsigned order,
                        const void *before)
{
    struct scout *s = ctx;
    const unsigned card = cpu->number;
    const struct dbg_step *step = &s->conditions->step;
    struct told told = {.point = {at, card, order}, .pc = pc};
    struct dbg_hit hit = {.point = told.point, .thread = cpu->tries.thread, .pc = pc};
    const struct dbg_hit *shown = scout_ahead(s, &told.point);
    const int ahead = shown ? dbg_point_compare(&told.point, &shown->point) : 1;
    const bool stood = scout_skips(s->skip, card, pc); /* over, whether it counts or not */
    const bool skips = ahead > 0 && stood;
    told.old = ahead <= 0 || skips;
    told.met = ahead < 0 || (ahead == 0 && shown->what == DBG_AT_WATCH) ||
               (skips && s->d->session->met[card]);
    scout_remember(s, &told, before);
    if (ahead < 0)
        return;
    const bool no_step = s->skip_step[card] || ahead == 0;
    s->skip_step[card] = false;
    const struct dbg_break *b = told.old || no_step ? NULL : dbg_break_find(s->conditions, pc);
    if (b && condition_holds(s, b, cpu, pc, before))
        hit.what = DBG_AT_BREAK;
    else if (step->thread && hit.thread == step->thread && !no_step &&
             (pc < step->from || pc >= step->to))
        hit.what = DBG_AT_STEP;
    if (hit.what)
        scout_note(s, &hit, before);
}

/* The instruction that makes an access. What is not known may have come before all that is.
 * @return NULL: the run has stopped for it */
static const struct told *scout_maker(const struct scout *s, struct told *own)
{
    const struct recent *recent = &s->recent[own->point.card];
    const struct dbg_hit *was = &s->d->session->hit;
    if (s->latest.pc == own->pc && s->latest.point.at == own->point.at &&
        s->latest.point.card == own->point.card)
        return s->latest.met ? NULL : &s->latest;
    for (unsigned i = 1; i <= RECENT; i++) {
        const struct told *told = &recent->told[(recent->next - i) % RECENT];
        if (told->pc == own->pc && told->point.at)
            return told->met ? NULL : told;
    }
    return was->what == DBG_AT_WATCH && was->pc == own->pc && was->point.card == own->point.card
               ? NULL
               : own;
}

/* Who goes alone stores to a range, perhaps once more. */
static void own_put(struct scout *s, const struct dbg_store *store)
{
    for (unsigned i = 0; i < s->owns; i++)
        if (s->own[i].va == store->va && s->own[i].size == store->size)
            return;
    if (s->owns < DBG_STORES)
        s->own[s->owns++] = *store;
    else if (!s->hit->what)
        *s->full = true;
}

/* What a thread has stored, for who is shown it as it will be. */
static void scout_stored(struct scout *s, const struct pc_cpu *cpu, uint64_t pc, uint64_t va,
                         unsigned size, sim_tick at)
{
    struct recent *recent = &s->recent[cpu->number];
    const struct dbg_store store = {.va = va, .size = size < 8 ? size : 8};
    if (s->latest.pc == pc && s->latest.point.at == at) {
        recent->stores = s->latest.point;
        recent->store = store;
    }
    if (s->full && s->conditions->alone == cpu->tries.thread)
        own_put(s, &store);
}

/* When the access was made for good, of an instruction that has begun at `from`. A core that runs
 * instructions in order says when it tried; what has cost time comes behind that. */
static sim_tick scout_tried(const struct scout *s, const struct pc_cpu *cpu, sim_tick from,
                            sim_tick at)
{
    const sim_tick tried = cpu->record->tried;
    if (s->d->binary.isa != PROG_ISA_MIPS)
        return from;
    return tried >= from && tried <= at ? tried : at;
}

/* A step backwards begins behind this access, where the run stands for it already. */
static bool scout_is_behind(const struct scout *s, const struct dbg_point *maker)
{
    const struct dbg_session *x = s->d->session;
    return s->last && s->conditions->step.thread && x->why == DBG_STOP_HIT && x->hit.behind &&
           dbg_point_compare(maker, &x->hit.maker) == 0;
}

static void scout_watched(struct scout *s, const struct pc_cpu *cpu, struct dbg_hit *hit)
{
    struct told own = {.point = hit->point, .pc = hit->pc};
    const struct told *maker = scout_maker(s, &own);
    if (!maker)
        return;
    const sim_tick at = hit->point.at;
    hit->point = maker->point;
    hit->point.at = scout_tried(s, cpu, maker->point.at, at);
    hit->thread = cpu->tries.thread;
    if (scout_is_behind(s, &hit->point))
        return;
    scout_note(s, hit, maker == &s->latest && s->within ? &s->found : NULL);
}

/* All bytes of an access: of those that ask for one byte the instruction tells. */
static void scout_widen(const struct dbg *d, uint64_t pc, uint64_t *va, unsigned *size)
{
    uint8_t bytes[4];
    if (*size != 1 || d->binary.isa != PROG_ISA_MIPS ||
        d->inspect->read(d->run->self, pc, bytes, sizeof bytes) != sizeof bytes)
        return;
    const uint32_t word = (uint32_t)dbg_value_of(&d->binary, bytes, sizeof bytes);
    const struct mips_reach reach = mips_reach_of(word, *va, *size);
    *va = reach.first;
    *size = (unsigned)(reach.end - reach.first);
}

static void scout_access(void *ctx, struct pc_cpu *cpu, enum pc_recorded_kind kind, uint64_t pc,
                         uint64_t va, unsigned size, sim_tick at)
{
    const struct dbg *d = ctx;
    struct scout *s = d->scouting;
    if (!s)
        return;
    scout_widen(d, pc, &va, &size);
    struct dbg_hit hit = {.what = DBG_AT_WATCH,
                          .point = {at, cpu->number, 0},
                          .pc = pc,
                          .va = va,
                          .store = kind == PC_RECORDED_STORE || kind == PC_RECORDED_SC};
    const struct dbg_watch *watch = dbg_watch_hit(s->conditions, va, size, hit.store);
    if (watch) {
        hit.watch = *watch;
        scout_watched(s, cpu, &hit);
    }
    if (hit.store)
        scout_stored(s, cpu, pc, va, size, at);
}

/* Both with one context. */
static void follow_point(void *ctx, struct pc_cpu *cpu, uint64_t pc, sim_tick at, unsigned order,
                         const void *before)
{
    struct dbg *d = ctx;
    if (d->scouting)
        scout_point(d->scouting, cpu, pc, at, order, before);
}

struct pc_records *dbg_follow(struct dbg *d)
{
    return pc_record_follow(d->live->machine,
                            &(struct pc_record_listener){.ctx = d, .each = scout_access});
}

/* ---- looking --------------------------------------------------------------------------------- */

/* What the cards have completed says whether the instruction at which each stands has been told. */
static void scout_begins(struct scout *s)
{
    struct dbg *d = s->d;
    const struct dbg_session *x = d->session;
    const struct dbg_step *step = &s->conditions->step;
    const unsigned cards = d->live->cards;
    for (unsigned c = 0; c < cards; c++) {
        const struct pc_cpu *cpu = pc_cpu_at(d->live->machine, c);
        const uint64_t done = cpu->instructions;
        const uint64_t pc = pc_stands_at(d->live->machine, c);
        s->skip[c] = x->told[c] == done + 1 ? pc : NOWHERE;
        s->skip_step[c] = step->thread == cpu->tries.thread && step->done == done;
    }
}

static void scout_listens(struct scout *s)
{
    struct dbg *d = s->d;
    const struct dbg_conditions *c = s->conditions;
    const unsigned cards = d->live->cards;
    s->skip = sim_alloc(cards, sizeof *s->skip);
    for (unsigned i = 0; i < cards; i++)
        s->skip[i] = NOWHERE;
    s->skip_step = sim_alloc(cards, sizeof *s->skip_step);
    s->va = sim_alloc(c->breaks, sizeof *s->va);
    for (unsigned i = 0; i < c->breaks; i++)
        s->va[i] = c->brk[i].va;
    s->recent = sim_alloc(cards, sizeof *s->recent);
    s->points = (struct pc_points){
        .va = s->va, .count = c->breaks, .all = c->watches || c->step.thread || s->last};
    d->scouting = s;
    pc_record_points(d->records, follow_point);
    d->inspect->points(d->run->self, &s->points);
}

/* A slice's end; of those that look at lines a tick is one. */
static sim_tick slice_end(const struct dbg_lines *lines, sim_tick now, sim_tick slice, sim_tick to)
{
    return sim_earlier(to, lines ? now + 1 : sim_later_by(now, slice));
}

static void scout_look(struct dbg *d, void *shared)
{
    enum { SHORTEST = 256, LONGEST = 1 << 12 };
    struct dbg_seen *seen = shared;
    struct dbg_conditions *c = &d->session->conditions;
    struct scout s = {.d = d, .conditions = c, .hit = &seen->hit, .full = &seen->full};
    struct nm_machine *m = d->live->machine;
    /* Where one thread goes alone the machine stays: what becomes of lines comes afterwards. */
    struct dbg_lines *lines = c->lines && !c->alone ? dbg_lines_new(d) : NULL;
    const sim_tick to = seen->to;
    struct nm_trap trap;
    enum nm_run why = NM_RUN_UNTIL;
    scout_listens(&s);
    scout_begins(&s);
    for (sim_tick slice = SHORTEST;
         why == NM_RUN_UNTIL && !seen->hit.what && !seen->full && d->now < to &&
         !__atomic_load_n(&seen->interrupted, __ATOMIC_RELAXED);
         slice = sim_earlier(2 * slice, LONGEST)) {
        why = nm_machine_run(m, slice_end(lines, d->now, slice, to), &trap);
        d->now = nm_machine_now(m);
        if (lines && !seen->hit.what)
            dbg_lines_look(lines, &seen->hit);
    }
    seen->to = nm_machine_now(m);
}

struct dbg_seen dbg_scout(struct dbg *d, sim_tick to)
{
    struct dbg_seen *shared = dbg_share(sizeof *shared), seen;
    shared->to = to;
    if (!scout_apart(d, scout_look, shared, d->front->asks, &shared->interrupted))
        shared->to = d->now + 1; /* the host lets nobody look: it goes on without */
    seen = *shared;
    dbg_unshare(shared, sizeof *shared);
    return seen;
}

void dbg_collect_begin(struct dbg *d, const struct dbg_point *before, struct dbg_hit *last)
{
    struct scout *s = sim_alloc(1, sizeof *s);
    *s = (struct scout){.d = d,
                        .conditions = &d->session->conditions,
                        .hit = last,
                        .last = true,
                        .before = *before};
    scout_listens(s);
}
