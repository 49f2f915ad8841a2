/*
 * Traces as a workload: each thread's records are made by a driver core, on the card on which it
 * was recorded.
 *
 * The hard idea is what keeps the order. PCycles of the thread's own are gaps, whatever machine it
 * is; what it waited for is done again. A thread sleeps until the other one comes to where it woke
 * it. A store-conditional waits until as many have stored into its word as had then, and a load of
 * such a word is repeated until it would see as many. On the machine of the recording nothing of
 * that ever waits longer than it did.
 *
 * Everything that is not a reference is done while the machine stands: the core traps, as the
 * recorded one did for its system call.
 */
#include "base/alloc.h"
#include "machine/values.h"
#include "procard/driver/driver.h"
#include "procard/record.h"
#include "programs/traces/ntr.h"
#include "programs/traces/recording.h"
#include "programs/traces/source.h"
#include "programs/traces/table.h"
#include "programs/traces/writers.h"
#include "programs/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    POLL = 16,      /* [PCycles] between two looks at what a store-conditional waits for, */
    LOOK_AGAIN = 3, /* and of a load and what is around it that is repeated */
    PATIENCE =
        1 << 20, /* [PCycles] without any reference: what is waited for is not in the trace */
    WORD_SHIFT = 3,
    LAST = 256
};

enum state { UNBORN, SOON, READY, RUNS, MARKS, SLEEPS, OVER };

struct thread {
    unsigned card;  /* it has, or is to have, */
    unsigned bound; /* the one it is to have when it has given that away */
    enum state state;
    size_t next_block; /* in the file; those before it are done */
    struct tr_flat block;
    uint32_t at;       /* in it: those before it are done, or its card has got them; */
    uint32_t specials; /* so many of those are special */
    sim_tick marks_at; /* MARKS: it names a region then, */
    sim_tick notes_at; /* and had come so far with its notes; 0: it does not */
    sim_tick ready_at; /* SOON, READY: from then on, */
    uint64_t order;    /* behind those with smaller ones; */
    sim_tick delay;    /* from when it has a card, too, to when it goes on */
    unsigned wakes;    /* that came before it slept, */
    sim_tick woken_at; /* the last of them */
    bool computed;     /* the gap of the record is done; */
    unsigned done;     /* [bytes] of its reference, too */
    bool linking;      /* its SC has failed: LL comes first */
    bool waits;        /* its word has not been stored into as often as it must, */
    bool polls;        /* ... as it has seen since it has its card */
};

struct card {
    uint32_t thread;  /* that has it; NOBODY */
    bool wanted;      /* another one is ready for it */
    sim_tick free_at; /* since then, if nobody has it */
};

enum { NOBODY = UINT32_MAX };

/* A doubleword that was asked for lately. */
struct word {
    uint64_t number;
    uint64_t *stored; /* how many have; NULL: there is none here */
};

struct replay {
    struct prog_run *run;
    struct tr_source *source;
    bool part;         /* threads may wait for what is not in the trace: words are not waited for */
    bool timed, exact; /* the system's time is in the trace; so are places of pages that fit */
    struct thread *thread;
    uint32_t threads, busy;
    struct card *card;
    unsigned cards;           /* that threads may have */
    struct tr_table words;    /* how many have stored into a doubleword */
    struct word last[LAST];   /* those of which it is known */
    struct tr_table pages;    /* where they have their memory, */
    struct tr_table recorded; /* ... where they had it in the recording, and */
    struct tr_table places; /* ... what is here for that: memory that was used again is here, too */
    bool marked[TR_NAMES_MAX]; /* a region is open */
    bool bad;                  /* the file cannot be read */
    uint64_t moves;            /* records that are done, and */
    uint64_t moves_seen;       /* ... at the last look */
    sim_tick look_at;
    sim_tick next_at; /* the first of those who are to be ready later is; SIM_NEVER: there is none
                       */
    uint64_t orders;
    uint64_t sleeps; /* of threads, and */
    uint64_t held;   /* [PCycles] of all cards, until a word was as it had been */
};

/* ---- records --------------------------------------------------------------------------------- */

/* The next block of a thread. @return false: there is none */
static bool replay_refill(struct replay *r, uint32_t number)
{
    struct thread *t = &r->thread[number];
    const struct tr_block *block;
    const size_t blocks = tr_blocks(r->source, &block);
    while (t->next_block < blocks && block[t->next_block].thread != number)
        t->next_block++;
    if (t->next_block == blocks || r->bad)
        return false;
    r->bad = !tr_block_read_flat(r->source, t->next_block, &t->block);
    if (r->bad)
        t->block.count = 0;
    t->next_block++;
    t->at = t->specials = 0;
    return !r->bad;
}

/* What only says where the thread is while others begin and end regions. */
static bool is_sign(const struct tr_op *op)
{
    return op->kind == TR_OP_OPEN || op->kind == TR_OP_CLOSED;
}

static const struct tr_op *replay_special(const struct thread *t)
{
    return &t->block.special[t->specials].op;
}

/* Whether nothing of a record is packed. */
static bool is_unpacked(const struct pc_packed *p)
{
    return pc_packed_kind(p) == PC_REFERENCE_END;
}

/* The record that a thread is at. @return NULL: it is behind its last; of a plain one only the kind
 * means something: it is a reference */
static inline const struct tr_op *replay_current(struct replay *r, uint32_t number)
{
    static const struct tr_op plain = {.kind = TR_OP_LOAD};
    struct thread *t = &r->thread[number];
    for (;; t->at++, t->specials++) {
        if (t->at == t->block.count && !replay_refill(r, number))
            return NULL;
        const struct pc_packed *p = &t->block.packed[t->at];
        if (!is_unpacked(p) && !(p->what & PC_TOLD))
            return &plain;
        if (!is_sign(replay_special(t)))
            return replay_special(t);
    }
}

/* A record is done that was not packed, or as if it were not: but for the work behind it. */
static inline void replay_advance(struct replay *r, struct thread *t)
{
    const struct tr_flat *b = &t->block;
    struct pc_packed *p = &b->packed[t->at];
    const bool line = pc_packed_kind(p) == PC_REFERENCE_LINE;
    t->specials += t->specials < b->specials && b->special[t->specials].at == t->at;
    p->ticks -= p->ticks && !line;
    p->what = pc_pack(PC_REFERENCE_COMPUTE, 0, 0);
    t->at += !p->ticks;
    t->computed = t->linking = t->waits = t->polls = false;
    t->done = 0;
    r->moves++;
}

/* How many have stored into a record's word. */
static uint64_t *replay_stored(struct replay *r, const struct tr_op *op)
{
    const uint64_t number = op->address >> WORD_SHIFT;
    struct word *const last = &r->last[number % LAST];
    if (!last->stored || last->number != number)
        *last = (struct word){number, tr_table_at(&r->words, number)};
    return last->stored;
}

/* Whether fewer have stored into a record's word than had when it was recorded. */
static bool is_early(struct replay *r, const struct tr_op *op)
{
    return !r->part && *replay_stored(r, op) < op->value;
}

/* ---- the source of the cores ----------------------------------------------------------------- */

static void replay_compute(struct pc_reference *out, uint64_t ticks, enum pc_status state)
{
    *out = (struct pc_reference){.kind = PC_REFERENCE_COMPUTE, .ticks = ticks, .state = state};
}

/* The next aligned piece of a reference. */
static void replay_piece(struct pc_reference *out, const struct thread *t,
                         enum pc_reference_kind kind, uint64_t ticks)
{
    const struct tr_op *op = replay_special(t);
    const uint64_t va = op->address + t->done;
    unsigned size = TR_SIZE_MAX;
    while (size > op->size - t->done || va % size)
        size /= 2;
    *out = (struct pc_reference){.kind = kind, .size = size, .address = va, .ticks = ticks};
}

/* A store-conditional that is to succeed when it is its turn. */
static void replay_conditional(struct replay *r, struct thread *t, struct pc_reference *out)
{
    const struct tr_op *op = replay_special(t);
    t->waits = is_early(r, op);
    if (t->waits) {
        if (!t->polls || !r->card[t->card].wanted) /* else it gives its card away: END */
            replay_compute(out, POLL, PC_ST_STALL_OTHER);
        r->held += POLL;
        t->polls = true;
        return;
    }
    replay_piece(out, t, t->linking ? PC_REFERENCE_LOAD_LINKED : PC_REFERENCE_STORE_CONDITIONAL, 1);
}

/* One that an interrupt came before. */
static void replay_begun(struct pc_reference *out, const struct thread *t)
{
    static const enum pc_reference_kind kinds[] = {[PC_RECORDED_LOAD] = PC_REFERENCE_LOAD,
                                                   [PC_RECORDED_STORE] = PC_REFERENCE_STORE,
                                                   [PC_RECORDED_FETCH] = PC_REFERENCE_FETCH,
                                                   [PC_RECORDED_LL] = PC_REFERENCE_LOAD_LINKED,
                                                   [PC_RECORDED_SC] =
                                                       PC_REFERENCE_STORE_CONDITIONAL};
    const struct tr_op *op = replay_special(t);
    const uint64_t kind = op->value >> 1;
    replay_piece(out, t, kind < sizeof kinds / sizeof *kinds ? kinds[kind] : PC_REFERENCE_LOAD, 1);
    out->extent =
        op->value == pc_begun_code(kind, PC_BEGUN_ASKED) ? PC_AS_FAR_AS_ASKED : PC_AS_FAR_AS_MAPPED;
}

static void replay_refer(struct replay *r, struct thread *t, struct pc_reference *out)
{
    const struct tr_op *op = replay_special(t);
    switch (op->kind) {
    case TR_OP_LOAD:
        replay_piece(out, t, PC_REFERENCE_LOAD, 1);
        break;
    case TR_OP_ACQUIRE:
        if (!t->polls || !r->card[t->card].wanted)
            replay_piece(out, t, PC_REFERENCE_LOAD, t->polls ? LOOK_AGAIN : 1);
        break;
    case TR_OP_STORE:
    case TR_OP_RELEASE:
        replay_piece(out, t, PC_REFERENCE_STORE, 1);
        break;
    case TR_OP_LL:
        replay_piece(out, t, PC_REFERENCE_LOAD_LINKED, 1);
        break;
    case TR_OP_SC:
        replay_conditional(r, t, out);
        break;
    case TR_OP_SC_FAILED:
        replay_piece(out, t, PC_REFERENCE_STORE_CONDITIONAL, 1);
        break;
    case TR_OP_BEGUN:
        replay_begun(out, t);
        break;
    case TR_OP_FETCH:
        *out = (struct pc_reference){
            .kind = PC_REFERENCE_LINE, .size = 4, .address = op->address & ~UINT64_C(3)};
        break;
    default: /* END: it is done while the machine stands */
        break;
    }
}

static void replay_next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct replay *r = self;
    const uint32_t number = r->card[card].thread;
    struct thread *t = &r->thread[number];
    const struct tr_op *op = replay_current(r, number);
    (void)now;
    if (!op)
        return;
    if (op->gap && !t->computed) {
        t->computed = true;
        if (tr_op_rows[op->kind].sort == TR_REFERENCE || op->kind == TR_OP_COMPUTE)
            replay_compute(out, op->gap, PC_ST_INT);
        else
            *out = (struct pc_reference){.kind = PC_REFERENCE_END,
                                         .ticks = op->gap,
                                         .interrupted = op->kind == TR_OP_INTERRUPT};
    } else if (op->kind == TR_OP_COMPUTE && op->value) {
        replay_compute(out, op->value, PC_ST_INT);
        replay_advance(r, t);
    } else {
        replay_refer(r, t, out);
    }
}

/* A store-conditional has come back. */
static void replay_tried(struct replay *r, struct thread *t, const struct pc_reference *reference,
                         bool failed)
{
    if (reference->kind == PC_REFERENCE_LOAD_LINKED) {
        t->linking = false;
    } else if (failed) {
        t->linking = true;
    } else {
        ++*replay_stored(r, replay_special(t));
        replay_advance(r, t);
    }
}

static void replay_done(void *self, unsigned card, const struct pc_reference *reference,
                        const struct pc_result *result)
{
    struct replay *r = self;
    struct thread *t = &r->thread[r->card[card].thread];
    const struct tr_op *op = replay_special(t);
    t->done += reference->size;
    if (op->kind == TR_OP_SC) {
        t->done = 0;
        replay_tried(r, t, reference, result->failed);
        return;
    }
    if (op->kind != TR_OP_FETCH && t->done < op->size)
        return;
    t->done = 0;
    t->waits = op->kind == TR_OP_ACQUIRE && is_early(r, op);
    t->polls = t->waits;
    r->held += t->waits ? result->done - result->began + LOOK_AGAIN : 0;
    if (op->kind == TR_OP_RELEASE)
        ++*replay_stored(r, op);
    if (!t->waits)
        replay_advance(r, t);
}

/* Plain references behind each other, with the same effect as one by one. They count as done when
 * they are handed out (but see replay_moves). */
static size_t replay_more(void *self, unsigned card, sim_tick now, const struct pc_packed **first)
{
    struct replay *r = self;
    const uint32_t number = r->card[card].thread;
    struct thread *t = &r->thread[number];
    (void)now;
    if (!replay_current(r, number) || t->waits || is_unpacked(&t->block.packed[t->at]))
        return 0;
    const struct tr_flat *b = &t->block;
    while (t->specials < b->specials && b->special[t->specials].told)
        t->specials++;
    const uint32_t end = t->specials < b->specials ? b->special[t->specials].at : b->count,
                   count = end - t->at;
    *first = &b->packed[t->at];
    t->at = end;
    r->moves += count;
    return count;
}

/* A thread is at a record again that its card has got. */
static void replay_rewind(struct replay *r, struct thread *t, uint32_t at)
{
    r->moves -= t->at - at;
    t->at = at;
    while (t->specials && t->block.special[t->specials - 1].at >= at)
        t->specials--;
}

/* A word that threads synchronise with has been loaded or stored. */
static bool replay_told(void *self, unsigned card, const struct pc_packed *packed, sim_tick waited)
{
    struct replay *r = self;
    struct thread *t = &r->thread[r->card[card].thread];
    const struct tr_special *special = &t->block.special[packed->value];
    if (special->op.kind == TR_OP_RELEASE) {
        ++*replay_stored(r, &special->op);
        return true;
    }
    if (!is_early(r, &special->op))
        return true;
    replay_rewind(r, t, special->at);
    t->computed = t->waits = t->polls = true;
    r->held += waited + LOOK_AGAIN;
    return false;
}

/* Where the thread on a card has come to: the record that is under way, or that it is at. */
static uint32_t replay_under_way(const struct replay *r, unsigned card)
{
    return r->thread[r->card[card].thread].at - (uint32_t)pc_drive_left(r->run->m, card);
}

/* Records that are done. */
static uint64_t replay_moves(const struct replay *r)
{
    uint64_t moves = r->moves;
    for (unsigned i = 0; i < r->cards; i++)
        if (r->card[i].thread != NOBODY)
            moves -= r->thread[r->card[i].thread].at - replay_under_way(r, i);
    return moves;
}

/* The reference under way is done with; those that follow begin anew. */
static void replay_skip(struct replay *r, unsigned card)
{
    struct thread *t = &r->thread[r->card[card].thread];
    replay_rewind(r, t, replay_under_way(r, card));
    replay_advance(r, t);
}

static const struct pc_driver_source source = {.next = replay_next,
                                               .done = replay_done,
                                               .more = replay_more,
                                               .told = replay_told,
                                               .near = true,
                                               .ended = true};

/* ---- addresses ------------------------------------------------------------------------------- */

static enum nm_xlate replay_translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                                      uint64_t *pa)
{
    const struct replay *r = ctx;
    const uint64_t size = r->run->par->page_size, at = va & ~(size - 1);
    const uint64_t *page = tr_table_find(&r->pages, at);
    (void)card, (void)access;
    if (!page)
        return r->exact ? NM_XLATE_UNMAPPED : NM_XLATE_ABSENT;
    *pa = *page + (va - at);
    return NM_XLATE_OK;
}

/* When a card can go on that stands. */
static sim_tick replay_soonest(const struct replay *r)
{
    return nm_machine_now(r->run->m) + nm_machine_ahead(r->run->m);
}

static void replay_map(struct replay *r, uint64_t va, uint64_t pa)
{
    const struct prog_hooks *hooks = r->run->hooks;
    *tr_table_at(&r->pages, va) = pa;
    if (hooks && hooks->paged)
        hooks->paged(hooks->ctx, va, pa);
}

/* A page gets memory by this machine's rule; if what it had in the recording is known, the same as
 * others got that had it before. @return false: there is none left; prog_finish was called */
static bool replay_place(struct replay *r, unsigned card, uint64_t va)
{
    const uint64_t *recorded = tr_table_find(&r->recorded, va),
                   *there = recorded ? tr_table_find(&r->places, *recorded) : NULL;
    uint64_t pa;
    if (there) {
        pa = *there;
    } else if (!nm_page_alloc(r->run->m, card, va, &pa)) {
        prog_finish(r->run, PROG_NOMEM, 0,
                    "the machine's memory is full: the trace touches one page more");
        return false;
    }
    if (recorded)
        *tr_table_at(&r->places, *recorded) = pa;
    replay_map(r, va, pa);
    return true;
}

/* A page is touched for the first time, if no other card has come before in the same window. */
static void replay_give(struct replay *r, unsigned card, uint64_t va)
{
    const struct nm_params *p = r->run->par;
    const uint64_t at = va & ~(p->page_size - 1);
    if (tr_table_find(&r->pages, at) || replay_place(r, card, at))
        nm_card_resume(r->run->m, card,
                       sim_later(replay_soonest(r),
                                 pc_cpu_at(r->run->m, card)->now + (r->timed ? 0 : p->os_fault)));
}

/* Whether a page can have been there on the machine of the recording, which this one is like. */
static bool has_place(const struct replay *r, uint64_t pa)
{
    const struct nm_params *p = r->run->par;
    return pa % p->page_size == 0 && pa <= nm_params_stations(p) * p->memory_size - p->page_size;
}

static bool place_by_rule(struct replay *r, const struct tr_page *page, size_t pages)
{
    bool good = true;
    if (tr_about(r->source)->page != r->run->par->page_size)
        return true; /* what the file says of pages means nothing here */
    for (size_t i = 0; i < pages; i++)
        *tr_table_at(&r->recorded, page[i].va) = page[i].pa;
    for (size_t i = 0; i < pages && page[i].early && good; i++)
        good = replay_place(r, 0, page[i].va);
    return good;
}

/* A thread comes to where a page got that memory. @return false: there is none left */
static bool replay_remap(struct replay *r, unsigned card, uint64_t va, uint64_t recorded)
{
    const uint64_t *before = tr_table_find(&r->recorded, va);
    if (r->exact) {
        if (has_place(r, recorded))
            replay_map(r, va, recorded);
        return true;
    }
    if (tr_about(r->source)->page != r->run->par->page_size ||
        (before && *before == recorded && tr_table_find(&r->pages, va)))
        return true;
    *tr_table_at(&r->recorded, va) = recorded;
    return replay_place(r, card, va);
}

/* Pages where they were, if this machine has the same places. Else those get memory that had it
 * before the first thread, in that order; others when their records, or somebody who touches them,
 * come to that.
 * @return false: the file has a page where this machine, which it names, has no memory */
static bool place_pages(struct replay *r)
{
    const struct nm_params *p = r->run->par;
    const struct tr_page *page;
    const size_t pages = tr_pages(r->source, &page);
    r->exact = pages && !r->run->spec->range_count && tr_about(r->source)->where == tr_where(p);
    for (size_t i = 0; i < pages && r->exact; i++) {
        if (tr_about(r->source)->page != p->page_size || !has_place(r, page[i].pa)) {
            tr_source_complain(r->source, r->source->pages_at + i * TR_NTR_INDEX_PAGE,
                               "a page where its machine has no memory; the file is damaged: make "
                               "it again");
            return false;
        }
        replay_map(r, page[i].va, page[i].pa);
    }
    return r->exact || place_by_rule(r, page, pages);
}

/* ---- threads and cards ----------------------------------------------------------------------- */

/* The first that is ready for a card by now. @param[out] ready  how many are */
static struct thread *first_for(struct replay *r, unsigned card, unsigned *ready)
{
    struct thread *first = NULL;
    *ready = 0;
    for (uint32_t i = 0; i < r->threads; i++) {
        struct thread *t = &r->thread[i];
        if (t->state != READY || t->card != card)
            continue;
        ++*ready;
        if (!first || t->order < first->order)
            first = t;
    }
    return first;
}

/* A card that nobody has goes to the first that is ready for it. */
static void replay_schedule(struct replay *r, unsigned card)
{
    struct card *c = &r->card[card];
    unsigned ready;
    struct thread *t = first_for(r, card, &ready);
    const bool free_card = c->thread == NOBODY;
    c->wanted = ready > (free_card ? 1u : 0u);
    if (!free_card || !t)
        return;
    c->thread = (uint32_t)(t - r->thread);
    t->state = RUNS;
    pc_drive(r->run->m, card, &source, r,
             sim_later(sim_later(t->ready_at, c->free_at) + t->delay, replay_soonest(r)));
}

/* The thread on a card gives it away, for the one it is bound to. */
static void replay_leave(struct replay *r, unsigned card, enum state state)
{
    struct thread *t = &r->thread[r->card[card].thread];
    nm_card_take(r->run->m, card);
    nm_card_use(r->run->m, card, NM_USE_IDLE, nm_machine_now(r->run->m));
    r->card[card].thread = NOBODY;
    r->card[card].free_at = pc_cpu_at(r->run->m, card)->now;
    t->card = t->bound;
    t->state = state;
}

/* A thread without a card shall have one from `at` on, and go on `delay` later. */
static void put_ready(struct replay *r, struct thread *t, sim_tick at, sim_tick delay)
{
    t->ready_at = at;
    t->delay = delay;
    t->order = r->orders++;
    t->state = at > nm_machine_now(r->run->m) ? SOON : READY;
    if (t->state == READY)
        replay_schedule(r, t->card);
    else
        r->next_at = sim_earlier(r->next_at, at);
}

/* The thread goes on behind `at`: as its note says, if it is at that. */
static void become_ready(struct replay *r, uint32_t number, enum tr_kind note, sim_tick at)
{
    struct thread *t = &r->thread[number];
    const struct tr_op *op = replay_current(r, number);
    sim_tick delay = 0;
    if (op && op->kind == note) {
        delay = op->value;
        replay_advance(r, t);
    }
    put_ready(r, t, at, delay);
}

static void replay_wake(struct replay *r, uint64_t number, sim_tick at)
{
    if (number >= r->threads)
        return;
    struct thread *t = &r->thread[number];
    if (t->state == SLEEPS) {
        become_ready(r, (uint32_t)number, TR_OP_WOKEN, at);
    } else {
        t->wakes++;
        t->woken_at = at;
    }
}

/* The thread on a card sleeps from `at` on. */
static void sleep_from(struct replay *r, unsigned card, uint64_t ticks, sim_tick at)
{
    const uint32_t number = r->card[card].thread;
    struct thread *t = &r->thread[number];
    r->sleeps++;
    replay_leave(r, card, SLEEPS);
    replay_schedule(r, card);
    if (ticks)
        become_ready(r, number, TR_OP_WOKEN, at + ticks);
    else if (t->wakes) {
        t->wakes--;
        become_ready(r, number, TR_OP_WOKEN, sim_later(t->woken_at, at));
    }
}

/* The thread on a card lets others have it at `at`, if they are ready for it. */
static void take_turn(struct replay *r, unsigned card, sim_tick delay, sim_tick at)
{
    struct thread *t = &r->thread[r->card[card].thread];
    replay_leave(r, card, READY);
    put_ready(r, t, at, delay);
    replay_schedule(r, card);
}

static void replay_mark(struct replay *r, uint64_t number, bool begin)
{
    const struct prog_hooks *hooks = r->run->hooks;
    const char *name = tr_region(r->source, number);
    if (!name || r->marked[number] == begin)
        return;
    r->marked[number] = begin;
    if (hooks && hooks->mark)
        hooks->mark(hooks->ctx, name, begin, nm_machine_now(r->run->m));
}

/* A note of the thread on a card. @param[in,out] at  [ticks] when it happens, and is over
 *  @return false: the thread has left its card */
static bool take_note(struct replay *r, unsigned card, const struct tr_op *op, sim_tick *at)
{
    const uint32_t number = r->card[card].thread;
    struct thread *t = &r->thread[number];
    const uint64_t value = op->value, address = op->address;
    const enum tr_kind kind = op->kind;
    replay_advance(r, t);
    if ((kind == TR_OP_SLEEP || kind == TR_OP_TURN) && !replay_current(r, number))
        return true; /* it has not come back: for it, all is over */
    switch (kind) {
    case TR_OP_SYSTEM:
        *at += value;
        return true;
    case TR_OP_WAKE:
        replay_wake(r, value, *at);
        return true;
    case TR_OP_CREATE:
        if (value < r->threads && r->thread[value].state == UNBORN)
            become_ready(r, (uint32_t)value, TR_OP_START, *at);
        return true;
    case TR_OP_SLEEP:
        sleep_from(r, card, value, *at);
        return false;
    case TR_OP_MOVE:
        t->bound = (unsigned)(value % r->cards);
        return true;
    case TR_OP_TURN:
        take_turn(r, card, value, *at);
        return false;
    case TR_OP_EXIT:
        prog_finish(r->run, PROG_EXITED, 0, NULL);
        return false;
    case TR_OP_PAGE:
        return replay_remap(r, card, address, value);
    case TR_OP_UNMAP:
        nm_machine_unmap(r->run->m, address, value);
        return true;
    case TR_OP_BEGIN:
    case TR_OP_FINISH:
        replay_mark(r, value, kind == TR_OP_BEGIN);
        return true;
    default: /* WOKEN and START have been taken; END is behind the last */
        return true;
    }
}

/* Nobody can go on, but some have not ended: what they wait for is not in the trace. */
static void replay_let_go(struct replay *r)
{
    const sim_tick now = nm_machine_now(r->run->m);
    bool runs = false;
    for (uint32_t i = 0; i < r->threads; i++)
        runs |= r->thread[i].state >= SOON && r->thread[i].state <= MARKS;
    for (uint32_t i = 0; i < r->threads && !runs; i++)
        if (r->thread[i].state == SLEEPS || r->thread[i].state == UNBORN)
            become_ready(r, i, r->thread[i].state == SLEEPS ? TR_OP_WOKEN : TR_OP_START, now);
}

static void end_thread(struct replay *r, unsigned card)
{
    replay_leave(r, card, OVER);
    replay_schedule(r, card);
    if (--r->busy == 0)
        prog_finish(r->run, PROG_EXITED, 0, NULL);
}

/* Whether a mark has to wait: it is made when no card is further than the machine. */
static bool puts_off(struct replay *r, struct thread *t, const struct tr_op *op, sim_tick at)
{
    const bool marks = op->kind == TR_OP_BEGIN || op->kind == TR_OP_FINISH,
               off = marks && nm_machine_ahead(r->run->m) && t->state != MARKS;
    t->state = off ? MARKS : RUNS;
    t->notes_at = off ? at : 0;
    t->marks_at = replay_soonest(r);
    if (off)
        r->next_at = sim_earlier(r->next_at, t->marks_at);
    return off;
}

/* All that the thread on a card has to do while the machine stands. */
static void take_notes(struct replay *r, unsigned card)
{
    const uint32_t number = r->card[card].thread;
    struct thread *t = &r->thread[number];
    /* The machine stands a little later. */
    sim_tick at = sim_later(pc_cpu_at(r->run->m, card)->now, t->notes_at);
    const struct tr_op *op;
    if (t->waits) { /* another one is ready for the card */
        t->polls = false;
        take_turn(r, card, POLL, at);
        return;
    }
    while ((op = replay_current(r, number)) && tr_op_rows[op->kind].sort != TR_REFERENCE &&
           (!op->gap || t->computed) && (op->kind != TR_OP_COMPUTE || !op->value))
        if (puts_off(r, t, op, at) || !take_note(r, card, op, &at))
            return;
    if (op)
        nm_card_resume(r->run->m, card, sim_later(at, replay_soonest(r)));
    else
        end_thread(r, card);
}

/* Those who are ready by now come to their cards, and marks are made. */
static void do_due(struct replay *r, sim_tick now)
{
    if (now < r->next_at)
        return;
    r->next_at = SIM_NEVER;
    for (uint32_t i = 0; i < r->threads; i++) {
        struct thread *t = &r->thread[i];
        if (t->state == SOON)
            put_ready(r, t, t->ready_at, t->delay);
        else if (t->state == MARKS && t->marks_at <= now)
            take_notes(r, t->card);
        else if (t->state == MARKS)
            r->next_at = sim_earlier(r->next_at, t->marks_at);
    }
}

/* ---- the workload ---------------------------------------------------------------------------- */

/* All records of a trace, in our format. @return false: *why says why */
static bool write_ours(struct tr_source *from, FILE *to, char *why, size_t size)
{
    struct tr_sink *sink = tr_ntr_writer.open(to, tr_about(from));
    struct tr_batch batch;
    enum tr_more more;
    while ((more = tr_next(from, &batch)) == TR_MORE) {
        tr_ntr_writer.thread(sink, batch.thread, tr_thread_name(from, batch.thread), batch.card);
        tr_ntr_writer.put(sink, batch.thread, batch.op, batch.count);
    }
    tr_ntr_writer.close(sink);
    if (more == TR_BAD)
        snprintf(why, size, "%s", tr_why(from));
    else if (fflush(to) || ferror(to))
        snprintf(why, size, "no file for the trace: %s", strerror(errno));
    rewind(to);
    return !*why;
}

/* Text becomes a file of ours that nobody sees. @param from  closed here
 *  @return NULL: *why says why */
static struct tr_source *made_ours(struct replay *r, struct tr_source *from, const char *path,
                                   char *why, size_t size)
{
    FILE *file = tmpfile();
    char note[PATH_MAX + 512];
    *why = '\0';
    if (!file)
        snprintf(why, size, "no file for the trace: %s", strerror(errno));
    if (file && !write_ours(from, file, why, size)) {
        fclose(file);
        file = NULL;
    }
    if (file && tr_note(from)) {
        snprintf(note, sizeof note, "numachine: note: %s: %s\n", path, tr_note(from));
        prog_say(r->run, note);
    }
    tr_close(from);
    return file ? tr_open_file(file, path, why, size) : NULL;
}

static struct tr_source *open_trace(struct replay *r, char *why, size_t size)
{
    const struct prog_program *program = r->run->spec->what;
    const char *name = program->argv && program->argv[0] ? program->argv[0] : program->path;
    const struct tr_block *block;
    FILE *file = fopen(program->path, "rbe");
    struct tr_source *trace = NULL;
    snprintf(why, size, "%.400s: %s", name, strerror(errno));
    if (file)
        trace = tr_open_file(file, name, why, size);
    if (trace && trace->reader != &tr_ntr_reader)
        trace = made_ours(r, trace, name, why, size);
    if (trace && !tr_blocks(trace, &block)) {
        snprintf(why, size, "%.400s: a trace without records", name);
        tr_close(trace);
        trace = NULL;
    }
    return trace;
}

static bool replay_prepare(void *self, struct prog_run *run)
{
    struct replay *r = self;
    const struct nm_space space = {.ctx = r, .translate = replay_translate};
    char why[1024];
    r->run = run;
    r->source = open_trace(r, why, sizeof why);
    if (!r->source) {
        prog_finish(run, PROG_UNLOADABLE, 0, "%s", why);
        return false;
    }
    r->timed = tr_about(r->source)->timed;
    r->part = tr_about(r->source)->part;
    r->threads = r->busy = tr_threads(r->source);
    r->thread = sim_alloc(r->threads, sizeof *r->thread);
    r->card = sim_alloc(nm_machine_cards(run->m), sizeof *r->card);
    r->cards = run->spec->processors ? run->spec->processors : nm_machine_cards(run->m);
    r->look_at = PATIENCE;
    r->next_at = SIM_NEVER;
    for (unsigned i = 0; i < nm_machine_cards(run->m); i++)
        r->card[i].thread = NOBODY;
    for (uint32_t i = 0; i < r->threads; i++)
        r->thread[i].card = r->thread[i].bound =
            (r->timed ? tr_thread_card(r->source, i) : i) % r->cards;
    if (!place_pages(r)) {
        if (tr_why(r->source))
            prog_finish(run, PROG_UNLOADABLE, 0, "%s", tr_why(r->source));
        return false;
    }
    nm_machine_set_space(run->m, &space);
    run->out->threads = r->threads;
    return true;
}

/* Threads that nobody creates begin by themselves. */
static void replay_start(void *self)
{
    struct replay *r = self;
    r->run->out->references = true;
    for (uint32_t i = 0; i < r->threads; i++) {
        const struct tr_op *op = replay_current(r, i);
        if (!i || !op || op->kind != TR_OP_START)
            become_ready(r, i, TR_OP_START, nm_machine_ahead(r->run->m));
    }
}

static bool replay_runs(const void *self)
{
    return ((const struct replay *)self)->busy;
}

static sim_tick replay_date(const void *self)
{
    const struct replay *r = self;
    return sim_earlier(r->look_at, r->next_at);
}

/* Now and then: whether anything is done at all. If not, whoever waits for a word need not. */
static void replay_due(void *self, sim_tick now)
{
    struct replay *r = self;
    do_due(r, now);
    if (now < r->look_at)
        return;
    r->look_at = now + PATIENCE;
    const uint64_t moves = replay_moves(r);
    if (moves == r->moves_seen) {
        replay_let_go(r);
        for (uint32_t i = 0; i < r->threads; i++)
            if (r->thread[i].waits) {
                const struct tr_op *op = replay_current(r, i);
                *replay_stored(r, op) = op->value;
                break;
            }
    }
    r->moves_seen = moves;
}

static void replay_trap(void *self, const struct nm_trap *trap)
{
    struct replay *r = self;
    const unsigned card = trap->card;
    const struct pc_cpu *cpu = pc_cpu_at(r->run->m, card);
    if (r->bad) {
        prog_finish(r->run, PROG_UNLOADABLE, 0, "%s", tr_why(r->source));
    } else if (cpu->exc == PC_EXC_SYS) {
        take_notes(r, card);
        replay_let_go(r);
    } else if (cpu->absent) {
        replay_give(r, card, cpu->badvaddr);
    } else { /* a register or a device, which has been done with */
        replay_skip(r, card);
        pc_drive(r->run->m, card, &source, r, replay_soonest(r));
    }
}

static void replay_describe(void *self, FILE *out)
{
    static const char *const words[] = {[UNBORN] = "has not begun",
                                        [SOON] = "will wait for its card",
                                        [READY] = "waits for its card",
                                        [RUNS] = "runs",
                                        [MARKS] = "names a region",
                                        [SLEEPS] = "sleeps",
                                        [OVER] = "has ended"};
    const struct replay *r = self;
    for (uint32_t i = 0; i < r->threads; i++)
        fprintf(out, "  thread %u, card %u: %s%s\n", i, r->thread[i].card,
                words[r->thread[i].state], r->thread[i].waits ? ", waits for a word" : "");
}

static double replay_longer(uint64_t now, uint64_t then)
{
    return then ? (double)now / (double)then - 1 : 0;
}

static void replay_over(void *self)
{
    struct replay *r = self;
    struct prog_replayed *out = &r->run->out->replayed;
    const struct tr_came then = tr_came(r->source), now = tr_has_come(r->run->m);
    unsigned used = 0;
    if (!r->timed || r->part)
        return;
    for (unsigned i = 0; i < nm_machine_cards(r->run->m); i++)
        used += pc_cpu_at(r->run->m, i)->instructions > 0;
    *out = (struct prog_replayed){.is = true,
                                  .known = then.machine,
                                  .same = then.machine == now.machine,
                                  .longer = replay_longer(now.ticks, then.ticks),
                                  .misses = replay_longer(now.misses, then.misses),
                                  .nacks = replay_longer(now.nacks, then.nacks)};
    r->run->out->sleeps = r->sleeps;
    if (used && now.ticks)
        out->held = (double)r->held / ((double)now.ticks * used);
}

static void replay_end(void *self)
{
    struct replay *r = self;
    tr_table_free(&r->words);
    tr_table_free(&r->pages);
    tr_table_free(&r->recorded);
    tr_table_free(&r->places);
    for (uint32_t i = 0; i < r->threads; i++)
        tr_flat_free(&r->thread[i].block);
    free(r->thread);
    free(r->card);
    if (r->source)
        tr_close(r->source);
}

/* What a file seems to be. Nothing waits for who might write to it. */
enum look { NO_TRACE, TEXT, TRACE };

static enum look replay_look_at(const char *path)
{
    char bytes[TR_NTR_MAGIC_SIZE] = "";
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool read_some =
        fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read(fd, bytes, sizeof bytes) > 0;
    if (fd >= 0)
        close(fd);
    return !read_some                                   ? NO_TRACE
           : !memcmp(bytes, TR_NTR_MAGIC, sizeof bytes) ? TRACE
           : !memcmp(bytes,
                     "\x7f"
                     "ELF",
                     4) ||
                   bytes[0] == '#'
               ? NO_TRACE
               : TEXT;
}

/* A trace in another format is made one of ours when it is run. What is none, others say. */
static bool is_text(const char *path)
{
    char nothing[1024];
    struct tr_source *s = tr_open(path, nothing, sizeof nothing);
    if (s)
        tr_close(s);
    return s;
}

static bool replay_check(const char *path, char *why, size_t size)
{
    const struct tr_block *block;
    const enum look look = replay_look_at(path);
    *why = '\0';
    if (look != TRACE) /* others know better */
        return look == TEXT && is_text(path);
    struct tr_source *s = tr_open(path, why, size);
    const bool good = s && tr_blocks(s, &block) > 0;
    if (s && !good)
        snprintf(why, size, "%.400s: a trace without records", path);
    if (s)
        tr_close(s);
    return good;
}

const struct prog_workload tr_workload = {
    .name = "trace",
    .sentence = "what threads referred to in another run, again",
    .size = sizeof(struct replay),
    .cards = &pc_driver,
    .prepare = replay_prepare,
    .start = replay_start,
    .runs = replay_runs,
    .date = replay_date,
    .due = replay_due,
    .trap = replay_trap,
    .describe = replay_describe,
    .over = replay_over,
    .end = replay_end,
    .check = replay_check,
};
