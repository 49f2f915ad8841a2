/*
 * Who holds what and who waits for whom, from calls, sleeps and loops in the order of time.
 *
 * The hard idea is what to call a wait. A call that takes a lock had to wait if the thread slept in
 * it, or if another thread gave the lock back after the call had begun. Then it waited all the time
 * from the call to its return; who gave it back last ended the wait. So nothing depends on how the
 * C library does it, and a lock that only takes long because its line is elsewhere is not waited
 * for.
 *
 * What is kept is bounded: locks and places beyond some thousands are one, and of waits the short
 * ones are forgotten once there are too many.
 */
#include "run/locking_books.h"

#include <stdlib.h>
#include <string.h>

enum { LOCKS_MAX = 16384, SITES_MAX = 65536, WAITS_MAX = 1 << 18, OWNER_DIED = 165 };

/* ---- what there is --------------------------------------------------------------------------- */

/* Has room for one more in an array whose length grows by doubling. */
#define ROOM(array, count)                                                 \
    do {                                                                   \
        if (!((count) & ((count) + 1)))                                    \
            (array) = sim_grow((array), 2 * (count) + 1, sizeof *(array)); \
    } while (0)

static struct run_lock_book *book_of(struct run_lock_books *b, unsigned kind, uint64_t address)
{
    struct run_lock_key key = {kind, address};
    struct run_lock_book *book;
    HASH_FIND(hh, b->books, &key, sizeof key, book);
    if (book)
        return book;
    if (b->out.locks >= LOCKS_MAX && address != DOC_LOCKS_NOWHERE)
        return book_of(b, kind, DOC_LOCKS_NOWHERE);
    book = sim_alloc(1, sizeof *book);
    book->key = key;
    book->number = (uint32_t)b->out.locks;
    book->shared = address == DOC_LOCKS_NOWHERE;
    HASH_ADD(hh, b->books, key, sizeof book->key, book);
    ROOM(b->out.lock, b->out.locks);
    b->out.lock[b->out.locks++] = (struct doc_lock){.kind = (uint8_t)kind, .address = address};
    return book;
}

static uint32_t site_of(struct run_lock_books *b, const struct run_lock_book *book, uint32_t thread,
                        uint64_t pc)
{
    const struct run_lock_site_key key = {book->number, thread, pc};
    struct run_lock_place *place;
    HASH_FIND(hh, b->places, &key, sizeof key, place);
    if (place)
        return place->number;
    if (b->out.sites >= SITES_MAX && thread)
        return site_of(b, book, 0, DOC_LOCKS_NOWHERE);
    place = sim_alloc(1, sizeof *place);
    place->key = key;
    place->number = (uint32_t)b->out.sites;
    HASH_ADD(hh, b->places, key, sizeof place->key, place);
    ROOM(b->out.site, b->out.sites);
    b->out.site[b->out.sites++] =
        (struct doc_lock_site){.lock = book->number, .thread = thread, .pc = pc};
    return place->number;
}

static struct run_lock_actor *actor_of(struct run_lock_books *b, uint32_t number)
{
    struct run_lock_actor *a;
    HASH_FIND(hh, b->actors, &number, sizeof number, a);
    if (a)
        return a;
    a = sim_alloc(1, sizeof *a);
    a->number = number;
    a->index = (uint32_t)b->out.threads;
    HASH_ADD(hh, b->actors, number, sizeof a->number, a);
    ROOM(b->out.thread, b->out.threads);
    b->out.thread[b->out.threads++] = (struct doc_lock_thread){.number = number};
    return a;
}

static void locking_books_add(struct run_lock_books *b, uint32_t site, enum doc_lock_column column,
                              uint64_t n)
{
    uint64_t *v = &b->out.site[site].v[column];
    if (!doc_lock_columns[column].most)
        *v += n;
    else if (*v < n)
        *v = n;
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* Forgets short ones until there is room. */
static void locking_books_forget(struct doc_locks *out)
{
    while (out->waits > WAITS_MAX / 2) {
        size_t kept = 0;
        out->least = out->least ? 2 * out->least : 1;
        for (size_t i = 0; i < out->waits; i++)
            if (out->wait[i].end - out->wait[i].begin >= out->least)
                out->wait[kept++] = out->wait[i];
        out->missed += out->waits - kept;
        out->waits = kept;
    }
}

static void locking_books_keep(struct doc_locks *out, const struct doc_lock_wait *wait)
{
    if (wait->end - wait->begin < out->least) {
        out->missed++;
        return;
    }
    if (!out->wait)
        out->wait = sim_alloc(WAITS_MAX, sizeof *out->wait);
    if (out->waits == WAITS_MAX)
        locking_books_forget(out);
    out->wait[out->waits++] = *wait;
}

/* A call that did not have to wait. @param by  who had been there before, if that matters */
static void went_through(struct run_lock_books *b, const struct run_lock_actor *a, uint32_t site,
                         sim_tick begin, sim_tick end, const struct run_lock_gift *by)
{
    const bool known = by && by->thread != a->number && by->at < begin;
    const struct doc_lock_wait wait = {.call = true,
                                       .thread = a->number,
                                       .by = known ? by->thread : 0,
                                       .site = site,
                                       .holder = DOC_LOCKS_NONE,
                                       .since = known ? by->at : end,
                                       .begin = begin,
                                       .released = known ? by->at : end,
                                       .end = end};
    if (known || begin < end)
        locking_books_keep(&b->out, &wait);
}

static sim_tick locking_books_within(sim_tick at, sim_tick from, sim_tick to)
{
    return at < from ? from : at > to ? to : at;
}

/* A thread waited from `begin` to `end`, `asleep` and `late` of that. @param gift  who ended it */
static void locking_books_waited(struct run_lock_books *b, const struct run_lock_actor *a,
                                 uint32_t site, sim_tick begin, sim_tick end, sim_tick asleep,
                                 sim_tick late, const struct run_lock_gift *gift)
{
    const bool by = gift->thread && gift->thread != a->number;
    const sim_tick released = by ? locking_books_within(gift->at, begin, end) : end,
                   all = end - begin;
    struct doc_lock_wait wait = {.thread = a->number,
                                 .by = by ? gift->thread : 0,
                                 .site = site,
                                 .holder = by ? gift->site : DOC_LOCKS_NONE,
                                 .since =
                                     by ? locking_books_within(gift->since, 0, released) : released,
                                 .begin = begin,
                                 .released = released,
                                 .end = end};
    locking_books_add(b, site, DOC_LOCK_CONTENDED, 1);
    locking_books_add(b, site, DOC_LOCK_WAITED, all);
    locking_books_add(b, site, DOC_LOCK_ASLEEP, asleep);
    locking_books_add(b, site, DOC_LOCK_LATE, late);
    locking_books_add(b, site, DOC_LOCK_SPUN, all > asleep + late ? all - asleep - late : 0);
    locking_books_add(b, site, DOC_LOCK_LONGEST, all);
    if (by) {
        locking_books_add(b, site, DOC_LOCK_HANDOVERS, 1);
        locking_books_add(b, site, DOC_LOCK_HANDOVER, end - released);
        locking_books_add(b, site, DOC_LOCK_HANDOVER_LONGEST, end - released);
        b->out.lock[b->out.site[site].lock].handover.count[doc_times_bucket(end - released)]++;
        if (gift->site != DOC_LOCKS_NONE)
            locking_books_add(b, gift->site, DOC_LOCK_DELAYED, all);
    }
    locking_books_keep(&b->out, &wait);
}

/* ---- holding --------------------------------------------------------------------------------- */

static struct run_lock_hold *hold_of(struct run_lock_actor *a, const struct run_lock_book *book)
{
    for (size_t i = a->holds; i--;)
        if (a->hold[i].book == book)
            return &a->hold[i];
    return NULL;
}

static void locking_books_take(struct run_lock_actor *a, struct run_lock_book *book, uint32_t site,
                               bool shared, sim_tick at)
{
    struct run_lock_hold *hold = hold_of(a, book);
    if (hold) {
        hold->depth++;
        return;
    }
    ROOM(a->hold, a->holds);
    a->hold[a->holds++] = (struct run_lock_hold){book, site, at, 1, shared};
}

static void count_hold(struct run_lock_books *b, const struct run_lock_hold *hold, sim_tick at)
{
    const sim_tick held = at - hold->since;
    locking_books_add(b, hold->site, DOC_LOCK_HOLDS, 1);
    locking_books_add(b, hold->site, DOC_LOCK_HELD, held);
    locking_books_add(b, hold->site, DOC_LOCK_HELD_LONGEST, held);
    b->out.lock[hold->book->number].held.count[doc_times_bucket(held)]++;
}

/* What a thread still holds when it ends, or the run does. */
static void count_holds(struct run_lock_books *b, struct run_lock_actor *a, sim_tick at)
{
    for (size_t i = 0; i < a->holds; i++)
        count_hold(b, &a->hold[i], at);
    a->holds = 0;
}

static void locking_books_give(struct run_lock_books *b, struct run_lock_actor *a,
                               struct run_lock_book *book, sim_tick at, bool all)
{
    struct run_lock_hold *hold = hold_of(a, book);
    if (!hold || (--hold->depth && !all))
        return;
    count_hold(b, hold, at);
    book->gift = (struct run_lock_gift){a->number, hold->site, hold->since, at, hold->shared};
    *hold = a->hold[--a->holds];
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Whether another thread let this one go on while it was in the call. */
static const struct run_lock_gift *gift_in(const struct run_lock_actor *a,
                                           const struct run_lock_call *call)
{
    const struct run_lock_gift *gift = &call->book->gift;
    const bool together = gift->shared && call->function->role == RUN_LOCK_SHARE;
    if (!call->book->shared && gift->thread && gift->thread != a->number &&
        gift->at > call->begin && !together)
        return gift;
    return call->asleep || call->late ? &call->caller : NULL;
}

static void locking_books_meet(struct run_lock_actor *a, const struct run_lock_call *call)
{
    struct run_lock_book *book = call->book;
    if (book->guests == book->room) {
        book->room = book->room ? 2 * book->room : 4;
        book->guest = sim_grow(book->guest, book->room, sizeof *book->guest);
    }
    book->guest[book->guests++] =
        (struct run_lock_guest){.actor = a, .site = call->site, .at = call->begin};
}

static struct run_lock_call *locking_books_outer(struct run_lock_actor *a)
{
    for (size_t i = a->calls; i--;)
        if (!a->call[i].part)
            return &a->call[i];
    return NULL;
}

/* ---- calls that stand ---- */

static struct run_lock_call *standing_call(struct run_lock_actor *a)
{
    struct run_lock_call *call = locking_books_outer(a);
    return call && call->function->role == RUN_LOCK_STAND ? call : NULL;
}

/* A loop or a sleep of a call that stands: with those next to it, it is one wait. */
static void stood_in_call(struct run_lock_call *call, sim_tick from, sim_tick to,
                          const struct run_lock_gift *gift)
{
    if (!call->waits || from < call->from)
        call->from = from;
    if (!call->waits || to >= call->to) {
        call->to = to;
        call->caller = *gift;
    }
    call->waits = true;
}

/* The call waits no more. */
static void stands_no_more(struct run_lock_books *b, const struct run_lock_actor *a,
                           struct run_lock_call *call)
{
    if (call->waits)
        locking_books_waited(b, a, call->site, call->from, call->to, call->asleep, call->late,
                             &call->caller);
    call->waits = false;
}

/* ---- work in a call ---- */

static struct run_lock_call *meeting_call(struct run_lock_actor *a)
{
    struct run_lock_call *call = locking_books_outer(a);
    return call && call->function->role == RUN_LOCK_MEET ? call : NULL;
}

/* The call has waited until now, and does so no more. */
static void meets_until(struct run_lock_books *b, const struct run_lock_actor *a,
                        struct run_lock_call *call, sim_tick at)
{
    static const struct run_lock_gift nobody;
    locking_books_add(b, call->site, DOC_LOCK_CALLS, 1);
    locking_books_waited(b, a, call->site, call->begin, at, call->asleep, call->late,
                         call->asleep || call->late ? &call->caller : &nobody);
    call->asleep = call->late = 0;
}

/* From here on it waits again; the others have waited for what it did, so it comes anew. */
static void meets_again(struct run_lock_actor *a, struct run_lock_call *call, sim_tick at)
{
    struct run_lock_book *book = call->book;
    size_t i = 0;
    call->begin = at;
    while (i < book->guests && book->guest[i].actor != a)
        i++;
    if (i == book->guests || book->guest[i].released)
        return;
    memmove(&book->guest[i], &book->guest[i + 1], (book->guests - i - 1) * sizeof *book->guest);
    book->guests--;
    locking_books_meet(a, call);
}

/* ---- beginning and end of a call ---- */

/* The mutex of a condition is free while somebody waits for that. */
static void locking_books_lend(struct run_lock_books *b, struct run_lock_actor *a,
                               const struct run_lock_event *e)
{
    locking_books_give(b, a, book_of(b, DOC_LOCK_mutex, e->word[1]), e->at, true);
}

static void begin_call(struct run_lock_books *b, struct run_lock_actor *a,
                       const struct run_lock_call *call, const struct run_lock_event *e)
{
    struct run_lock_call *around = a->calls ? locking_books_outer(a) : NULL;
    switch (call->function->role) {
    case RUN_LOCK_GIVE:
        locking_books_give(b, a, call->book, e->at, false);
        break;
    case RUN_LOCK_POST:
        call->book->gift = (struct run_lock_gift){a->number, call->site, e->at, e->at, false};
        locking_books_add(b, call->site, DOC_LOCK_CALLS, 1);
        break;
    case RUN_LOCK_WAIT:
        locking_books_lend(b, a, e);
        break;
    case RUN_LOCK_MEET:
        locking_books_meet(a, call);
        break;
    case RUN_LOCK_TAKE:
        if (around && around->function->role == RUN_LOCK_WAIT)
            around->inner = e->at;
        break;
    default:
        break;
    }
}

static void locking_books_enter(struct run_lock_books *b, const struct run_lock_event *e)
{
    struct run_lock_actor *a = actor_of(b, e->thread);
    struct run_lock_call *around = a->calls ? locking_books_outer(a) : NULL;
    struct run_lock_call call = {.watch = e->watch,
                                 .function = e->function,
                                 .address = e->word[0],
                                 .pc = e->pc,
                                 .begin = e->at,
                                 .inner = SIM_NEVER};
    const bool system = e->function->role == RUN_LOCK_CALL;
    const bool none = system || e->function->role == RUN_LOCK_WORK;
    call.part = around && around->book && (system || (!none && around->address == call.address));
    if (e->function->role == RUN_LOCK_WORK && around && meeting_call(a))
        meets_until(b, a, around, e->at);
    if (!call.part && !none) {
        call.book = book_of(b, e->function->kind, call.address);
        call.site = site_of(b, call.book, a->number, e->pc);
        begin_call(b, a, &call, e);
    }
    if (a->calls == a->call_room) {
        a->call_room = a->call_room ? 2 * a->call_room : 4;
        a->call = sim_grow(a->call, a->call_room, sizeof *a->call);
    }
    a->call[a->calls++] = call;
}

/* The call took a lock, or a part of a semaphore. */
static void locking_books_taken(struct run_lock_books *b, struct run_lock_actor *a,
                                const struct run_lock_call *call, sim_tick at)
{
    const struct run_lock_gift *gift =
        call->function->role == RUN_LOCK_TRY ? NULL : gift_in(a, call);
    locking_books_add(b, call->site, DOC_LOCK_TAKEN, 1);
    if (gift)
        locking_books_waited(b, a, call->site, call->begin, at, call->asleep, call->late, gift);
    if (call->function->kind != DOC_LOCK_semaphore)
        locking_books_take(a, call->book, call->site, call->function->role == RUN_LOCK_SHARE, at);
}

/* The first to go on from a barrier: all who are there have been released by the last of them, and
 * the last could go on because all the others had come. */
static void release_guests(struct run_lock_books *b, struct run_lock_book *book)
{
    const struct run_lock_guest *last = &book->guest[book->guests - 1];
    const struct run_lock_gift by = {last->actor->number, last->site, last->at, last->at, false};
    for (size_t i = 0; i < book->guests; i++)
        if (!book->guest[i].released) {
            const struct run_lock_guest *guest = &book->guest[i];
            const struct run_lock_gift came = {guest->actor->number, guest->site, guest->at,
                                               guest->at, false};
            went_through(b, last->actor, last->site, last->at, last->at, &came);
            book->guest[i].released = true;
            book->guest[i].by = by;
        }
}

static void locking_books_met(struct run_lock_books *b, struct run_lock_actor *a,
                              const struct run_lock_call *call, sim_tick at)
{
    struct run_lock_book *book = call->book;
    size_t i = 0;
    while (i < book->guests && book->guest[i].actor != a)
        i++;
    if (i == book->guests)
        return;
    if (!book->guest[i].released)
        release_guests(b, book);
    const struct run_lock_gift by = book->guest[i].by;
    memmove(&book->guest[i], &book->guest[i + 1], (book->guests - i - 1) * sizeof *book->guest);
    book->guests--;
    locking_books_add(b, call->site, DOC_LOCK_TAKEN, 1);
    if (by.thread != a->number)
        locking_books_waited(b, a, call->site, call->begin, at, call->asleep, call->late, &by);
}

static void waited_for_condition(struct run_lock_books *b, struct run_lock_actor *a,
                                 const struct run_lock_call *call, uint64_t mutex, bool good,
                                 sim_tick at)
{
    const sim_tick end = call->inner < at ? call->inner : at;
    struct run_lock_book *book = book_of(b, DOC_LOCK_mutex, mutex);
    const struct run_lock_gift *gift = gift_in(a, call), nobody = {0};
    if (good)
        locking_books_add(b, call->site, DOC_LOCK_TAKEN, 1);
    locking_books_waited(b, a, call->site, call->begin, end, call->asleep, call->late,
                         good && gift ? gift : &nobody);
    if (!hold_of(a, book))
        locking_books_take(a, book, site_of(b, book, a->number, call->pc), false, at);
}

static bool locking_books_takes(uint8_t role)
{
    return role == RUN_LOCK_TAKE || role == RUN_LOCK_SHARE || role == RUN_LOCK_TRY ||
           role == RUN_LOCK_PASS;
}

static void end_call(struct run_lock_books *b, struct run_lock_actor *a, struct run_lock_call *call,
                     const struct run_lock_event *e)
{
    static const struct run_lock_gift nobody;
    const bool zero = (int32_t)e->result == 0 || (int32_t)e->result == OWNER_DIED;
    const bool good = e->what == RUN_LOCK_RETURNED && zero, slept = call->asleep || call->late;
    const uint8_t role = call->function->role;
    const uint64_t before = b->out.site[call->site].v[DOC_LOCK_CONTENDED];
    if (role != RUN_LOCK_GIVE && role != RUN_LOCK_POST)
        locking_books_add(b, call->site, DOC_LOCK_CALLS, 1);
    if (role == RUN_LOCK_MEET)
        locking_books_met(b, a, call, e->at);
    else if (role == RUN_LOCK_WAIT)
        waited_for_condition(b, a, call, e->word[1], good, e->at);
    else if (role == RUN_LOCK_STAND || (role == RUN_LOCK_JOIN && good))
        locking_books_add(b, call->site, DOC_LOCK_TAKEN, 1);
    else if (good && locking_books_takes(role))
        locking_books_taken(b, a, call, e->at);
    if (slept && (role == RUN_LOCK_JOIN || (!good && locking_books_takes(role))))
        locking_books_waited(b, a, call->site, call->begin, e->at, call->asleep, call->late,
                             role == RUN_LOCK_JOIN ? &call->caller : &nobody);
    if (role == RUN_LOCK_STAND)
        stands_no_more(b, a, call);
    if (b->out.site[call->site].v[DOC_LOCK_CONTENDED] == before)
        went_through(b, a, call->site, call->begin, e->at, NULL);
}

static void locking_books_leave(struct run_lock_books *b, const struct run_lock_event *e)
{
    struct run_lock_actor *a = actor_of(b, e->thread);
    size_t i = a->calls;
    while (i && a->call[i - 1].watch != e->watch)
        i--;
    if (!i)
        return;
    struct run_lock_call call = a->call[i - 1];
    a->calls = i - 1;
    if (call.book)
        end_call(b, a, &call, e);
    else if (call.function->role == RUN_LOCK_WORK && a->calls && meeting_call(a))
        meets_again(a, meeting_call(a), e->at);
}

/* ---- cards and sleep ------------------------------------------------------------------------- */

/* A card that has no thread awake from `at` on: its time goes to what the last one sleeps for. */
static void locking_books_rest(struct run_lock_books *b, unsigned card, sim_tick at)
{
    const struct run_lock_actor *last = NULL;
    for (const struct run_lock_actor *a = b->actors; a; a = a->hh.next)
        if (a->asleep && a->card == card &&
            (!last || a->word > last->word || (a->word == last->word && a->turn > last->turn)))
            last = a;
    b->card[card].rests = last;
    b->card[card].since = at;
    b->card[card].site = last ? last->sleeps_at : 0;
}

static void locking_books_rested(struct run_lock_books *b, unsigned card, sim_tick at)
{
    struct run_lock_card *c = &b->card[card];
    if (c->rests && at > c->since)
        locking_books_add(b, c->site, DOC_LOCK_RESTED, at - c->since);
    c->rests = false;
}

static void locking_books_drop(struct run_lock_books *b, struct run_lock_actor *a, sim_tick since)
{
    const bool was = a->awake;
    a->awake = false;
    if (was && --b->card[a->card].awake == 0)
        locking_books_rest(b, a->card, since);
}

/* Where a thread that goes to sleep does so. */
static uint32_t sleeping_place(struct run_lock_books *b, struct run_lock_actor *a, uint64_t word,
                               uint64_t pc)
{
    const struct run_lock_call *call = locking_books_outer(a);
    if (call && call->book && word)
        return call->site;
    if (call && call->function->role != RUN_LOCK_WORK)
        pc = call->pc;
    const struct run_lock_book *book =
        word ? book_of(b, DOC_LOCK_futex, word) : book_of(b, DOC_LOCK_sleep, DOC_LOCKS_NOWHERE);
    return site_of(b, book, a->number, pc);
}

static void locking_books_sleeps(struct run_lock_books *b, struct run_lock_actor *a,
                                 const struct run_lock_event *e)
{
    a->asleep = true;
    a->word = e->word[0];
    a->sleeps_at = sleeping_place(b, a, e->word[0], e->pc);
    a->slept = a->called = e->at;
    a->caller = (struct run_lock_gift){0};
    a->turn = ++b->turns;
    const struct run_lock_call *call = locking_books_outer(a);
    if (call && call->book && call->function->kind == DOC_LOCK_join && a->word) {
        b->join = e->word[0] - call->address;
        b->join_known = true;
    }
    locking_books_drop(b, a, e->since);
}

/* A thread was called, by one that is in a call of its own perhaps. */
static void locking_books_called(struct run_lock_books *b, struct run_lock_actor *a,
                                 const struct run_lock_event *e)
{
    const struct run_lock_actor *by = e->by ? actor_of(b, e->by) : NULL;
    const struct run_lock_call *call =
        by && by->calls ? locking_books_outer((struct run_lock_actor *)by) : NULL;
    uint32_t site = DOC_LOCKS_NONE;
    if (call && call->book && call->function->role == RUN_LOCK_GIVE &&
        call->book->gift.thread == by->number)
        site = call->book->gift.site; /* where it took what it gives back */
    else if (call && call->book)
        site = call->site;
    else if (call && call->function->role != RUN_LOCK_WORK)
        site = site_of(b, &(struct run_lock_book){.number = b->out.site[a->sleeps_at].lock}, e->by,
                       call->pc);
    a->called = e->at;
    a->caller = (struct run_lock_gift){e->by, site, e->at, e->at, false};
}

/* A thread that slept will go on on another card: the old one rests for others, or is idle. */
static void locking_books_moved(struct run_lock_books *b, struct run_lock_actor *a,
                                const struct run_lock_event *e)
{
    const unsigned old = a->card;
    const bool rests = b->card[old].rests;
    locking_books_rested(b, old, e->since);
    a->card = e->card;
    if (rests) /* the card may not be free yet: the system has it until then */
        locking_books_rest(b, old, sim_later(b->card[old].since, e->since));
}

/* A thread is to go on: from here on the system has its card. */
static void locking_books_rises(struct run_lock_books *b, const struct run_lock_event *e)
{
    struct run_lock_actor *a = actor_of(b, e->thread);
    struct run_lock_card *c = &b->card[e->card];
    if (e->at > e->since && c->since > e->since)
        c->since = e->since; /* it sleeps on by chance (os.wake_spread), whatever was to come */
    locking_books_rested(b, e->card, e->at);
    if (a->card != e->card)
        locking_books_moved(b, a, e);
    a->awake = true;
    b->card[a->card].awake++;
}

static void locking_books_goes_on(struct run_lock_books *b, struct run_lock_actor *a,
                                  const struct run_lock_event *e)
{
    struct run_lock_call *call = locking_books_outer(a);
    if (!a->asleep)
        return;
    a->asleep = false;
    const sim_tick slept = a->called - a->slept, late = e->at - a->called;
    if (call && call->book && call->site == a->sleeps_at) {
        call->asleep += slept;
        call->late += late;
        if (call->function->role == RUN_LOCK_STAND)
            stood_in_call(call, a->slept, e->at, &a->caller);
        else
            call->caller = a->caller;
        return;
    }
    locking_books_add(b, a->sleeps_at, DOC_LOCK_CALLS, 1);
    locking_books_add(b, a->sleeps_at, DOC_LOCK_TAKEN, a->caller.thread != 0);
    locking_books_waited(b, a, a->sleeps_at, a->slept, e->at, slept, late, &a->caller);
}

/* A call that waits awake is cut off. */
static void locking_books_cut(struct run_lock_books *b, struct run_lock_actor *a, sim_tick at)
{
    if (!a->calls)
        return;
    if (standing_call(a))
        stands_no_more(b, a, standing_call(a));
    else if (meeting_call(a))
        meets_until(b, a, meeting_call(a), at);
}

static void locking_books_ends(struct run_lock_books *b, struct run_lock_actor *a,
                               const struct run_lock_event *e)
{
    b->out.thread[a->index].ended = e->at;
    a->end_word = e->word[0];
    if (!a->asleep)
        locking_books_cut(b, a, e->at);
    a->asleep = false;
    a->calls = 0;
    count_holds(b, a, e->at);
    locking_books_drop(b, a, e->since);
}

static void locking_books_turn(struct run_lock_books *b, const struct run_lock_event *e)
{
    struct run_lock_actor *a = actor_of(b, e->thread);
    switch ((enum prog_step)e->watch) {
    case PROG_BORN:
        b->out.thread[a->index].by = e->by;
        b->out.thread[a->index].born = e->at;
        b->out.thread[a->index].ended = SIM_NEVER;
        a->card = e->card;
        break;
    case PROG_SLEEPS:
        locking_books_sleeps(b, a, e);
        break;
    case PROG_CALLED:
        locking_books_called(b, a, e);
        break;
    case PROG_GOES_ON:
        locking_books_goes_on(b, a, e);
        break;
    case PROG_LEAVES:
        locking_books_drop(b, a, e->since);
        break;
    case PROG_ENDS:
        b->out.last = a->number;
        locking_books_ends(b, a, e);
        break;
    case PROG_EXITS:
        b->out.last = a->number;
        b->exited = true;
        break;
    }
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* A thread went round a loop. Within a call that is watched it is a part of that. */
static void locking_books_spun(struct run_lock_books *b, const struct run_lock_event *e)
{
    struct run_lock_actor *a = actor_of(b, e->thread);
    struct run_lock_call *call = locking_books_outer(a);
    const struct run_lock_gift gift = {e->by, DOC_LOCKS_NONE, e->released, e->released, false};
    if (call && call->function->role == RUN_LOCK_STAND)
        stood_in_call(call, e->since, e->until, &gift);
    if (call && call->book)
        return;
    const uint32_t site = site_of(b, book_of(b, DOC_LOCK_spin, e->word[0]), a->number, e->pc);
    locking_books_add(b, site, DOC_LOCK_CALLS, 1);
    locking_books_add(b, site, DOC_LOCK_TAKEN, 1);
    locking_books_waited(b, a, site, e->since, e->until, 0, 0, &gift);
}

/* ---- the books ------------------------------------------------------------------------------- */

void run_lock_books_begin(struct run_lock_books *b, unsigned cards)
{
    *b = (struct run_lock_books){.cards = cards, .card = sim_alloc(cards, sizeof *b->card)};
}

void run_lock_books_enter(struct run_lock_books *b, const struct run_lock_event *e)
{
    switch (e->what) {
    case RUN_LOCK_ENTERED:
        locking_books_enter(b, e);
        break;
    case RUN_LOCK_RETURNED:
    case RUN_LOCK_LEFT:
        locking_books_leave(b, e);
        break;
    case RUN_LOCK_RISES:
        locking_books_rises(b, e);
        break;
    case RUN_LOCK_TURN:
        locking_books_turn(b, e);
        break;
    case RUN_LOCK_SPUN_EVENT:
        locking_books_spun(b, e);
        break;
    }
}

/* Where a lock is held that somebody waits for. */
static uint32_t holder_of(struct run_lock_books *b, const struct run_lock_book *book)
{
    for (struct run_lock_actor *a = b->actors; a; a = a->hh.next) {
        const struct run_lock_hold *hold = hold_of(a, book);
        if (hold)
            return hold->site;
    }
    return DOC_LOCKS_NONE;
}

/* What a thread still waits for has no end, and is in no wait: it has waited until now. */
static void close_actor(struct run_lock_books *b, struct run_lock_actor *a, sim_tick at)
{
    struct doc_lock_thread *thread = &b->out.thread[a->index];
    static const struct run_lock_gift nobody;
    if (thread->ended == SIM_NEVER)
        thread->ended = at;
    if (!a->asleep) {
        locking_books_cut(b, a, at);
        return;
    }
    const struct run_lock_call *call = locking_books_outer(a);
    const bool own = call && call->book && call->site == a->sleeps_at;
    const bool stands = own && standing_call(a);
    const sim_tick begin = stands ? sim_earlier(call->waits ? call->from : a->slept, a->slept)
                           : own  ? call->begin
                                  : a->slept;
    const sim_tick slept = a->called > a->slept ? a->called - a->slept : at - a->slept;
    const sim_tick late = at - a->slept - slept;
    const uint32_t holder = own ? holder_of(b, call->book) : DOC_LOCKS_NONE;
    if (holder != DOC_LOCKS_NONE)
        locking_books_add(b, holder, DOC_LOCK_DELAYED, at - begin);
    locking_books_add(b, a->sleeps_at, DOC_LOCK_CALLS, 1);
    locking_books_waited(b, a, a->sleeps_at, begin, at, slept + (own ? call->asleep : 0),
                         late + (own ? call->late : 0), &nobody);
}

/* How far a thread is from work when the run is cut off, in order. */
enum rest { AT_WORK, SLEEPS, WAITS };

static enum rest rest_of(const struct run_lock_books *b, const struct run_lock_actor *a,
                         sim_tick at)
{
    for (size_t i = b->out.waits; i-- && b->out.wait[i].end == at;) {
        const struct doc_lock_wait *w = &b->out.wait[i];
        if (w->thread == a->number && !w->by && !w->call)
            return b->out.lock[b->out.site[w->site].lock].kind == DOC_LOCK_sleep ? SLEEPS : WAITS;
    }
    return AT_WORK;
}

/* A run that was cut off ends with the first thread that was still at work; if none was, with one
 * that would have gone on by itself: others wait for somebody. */
static uint32_t last_at_work(const struct run_lock_books *b, sim_tick at)
{
    uint32_t found = b->out.last;
    int least = WAITS + 1;
    for (const struct run_lock_actor *a = b->actors; a; a = a->hh.next) {
        const enum rest rest = rest_of(b, a, at);
        if (b->out.thread[a->index].ended == at && (int)rest < least) {
            least = (int)rest;
            found = a->number;
        }
    }
    return found;
}

/* The thread whose end is told at a word, and that ended last before `at`; NULL: none. */
static const struct run_lock_actor *ended_at(const struct run_lock_books *b, uint64_t word,
                                             sim_tick at)
{
    const struct run_lock_actor *found = NULL;
    for (const struct run_lock_actor *a = b->actors; a; a = a->hh.next)
        if (a->end_word == word && b->out.thread[a->index].ended < at &&
            (!found || b->out.thread[a->index].ended >= b->out.thread[found->index].ended))
            found = a;
    return found;
}

/* A join that did not have to wait needs the end of a thread all the same. */
static void find_joined(const struct run_lock_books *b)
{
    for (size_t i = 0; b->join_known && i < b->out.waits; i++) {
        struct doc_lock_wait *w = &b->out.wait[i];
        const struct doc_lock *lock = &b->out.lock[b->out.site[w->site].lock];
        const struct run_lock_actor *joined = w->call && lock->kind == DOC_LOCK_join
                                                  ? ended_at(b, lock->address + b->join, w->begin)
                                                  : NULL;
        if (joined) {
            w->by = joined->number;
            w->since = w->released = b->out.thread[joined->index].ended;
        }
    }
}

static int by_end(const void *x, const void *y)
{
    const struct doc_lock_wait *a = x, *b = y;
    const uint64_t of_a[] = {a->end, a->begin, a->thread, a->site, a->by};
    const uint64_t of_b[] = {b->end, b->begin, b->thread, b->site, b->by};
    for (size_t i = 0; i < sizeof of_a / sizeof *of_a; i++)
        if (of_a[i] != of_b[i])
            return of_a[i] < of_b[i] ? -1 : 1;
    return 0;
}

void run_lock_books_close(struct run_lock_books *b, sim_tick at)
{
    for (struct run_lock_actor *a = b->actors; a; a = a->hh.next)
        close_actor(b, a, at);
    for (struct run_lock_actor *a = b->actors; a; a = a->hh.next)
        count_holds(b, a, at);
    for (unsigned c = 0; c < b->cards; c++)
        locking_books_rested(b, c, at);
    b->out.ticks = at;
    find_joined(b);
    if (b->out.waits) /* conditions and loops are known to be over only later */
        qsort(b->out.wait, b->out.waits, sizeof *b->out.wait, by_end);
    if (!b->exited)
        b->out.last = last_at_work(b, at);
}

void run_lock_books_free(struct run_lock_books *b)
{
    struct run_lock_book *book, *next_book;
    struct run_lock_place *place, *next_place;
    struct run_lock_actor *a, *next;
    HASH_ITER(hh, b->books, book, next_book) {
        HASH_DEL(b->books, book);
        free(book->guest);
        free(book);
    }
    HASH_ITER(hh, b->places, place, next_place) {
        HASH_DEL(b->places, place);
        free(place);
    }
    HASH_ITER(hh, b->actors, a, next) {
        HASH_DEL(b->actors, a);
        free(a->call);
        free(a->hold);
        free(a);
    }
    free(b->card);
    *b = (struct run_lock_books){.cards = 0};
}
