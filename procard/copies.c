/*
 * How misses are told apart (copies.h).
 *
 * The hard idea is that what decides a miss comes after it: which words are touched in the life
 * that it begins. So the place that asked is kept with the life, and gets its class when the life
 * ends.
 */
#include "procard/copies.h"

#include "base/alloc.h"
#include "procard/miss_columns.h"

#include <assert.h>
#include <stdlib.h>
#include <uthash.h>

/* [bytes] what the definitions call a word. */
enum { WORD = 4 };

enum { UNTOLD_MOST = 32 /* lives of a line, told apart before it has windows */ };

_Static_assert((int)PC_MISS__COUNT <= UINT8_MAX, "pc_shared_request.column");

enum loss { NEVER_HAD, TAKEN, EVICTED };

struct line;

struct request {
    struct pc_asked *asked; /* NULL: none under way */
    pc_bytes word;
    sim_tick at;
    bool upgrade, noncoherent;
};

/* From asking to having. */
struct wait {
    sim_tick at, took;
};

struct copy {
    struct pc_copy_seen seen; /* `of` is the key */
    bool held;
    enum loss loss;         /* how the last life ended */
    pc_bytes read, written; /* in this life */
    pc_bytes fresh;         /* written, not published */
    pc_bytes news;          /* written by others since the last essential life began */
    pc_bytes word_news;     /* the same, where a life is essential by words */
    pc_bytes since_loss;    /* ... since the last life ended */
    pc_bytes since_touch;   /* ... since touched here */
    pc_bytes late;          /* ... while it is held: counts from its end on */
    struct pc_asked *miss;  /* that began this life, not decided; NULL: none */
    struct wait miss_wait;
    pc_bytes before;         /* touched in lives that were over before anybody wrote the line */
    uint8_t by_word[2];      /* the miss's columns by the definitions that look at the word */
    struct pc_asked *raised; /* the upgrade that began this ownership; NULL: none */
    struct wait raised_wait;
    struct request request;
    struct line *line;
    struct copy *next; /* of the line */
    unsigned rows;
    UT_hash_handle hh;
};

/* What a card has touched in a life or an ownership that windows are to know of. */
struct untold {
    sim_tick at;
    uint32_t card;
    pc_bytes touched;
};

struct line {
    uint64_t address;
    struct copy *copies;
    pc_bytes taken; /* touched in copies that were taken away in this ownership */
    unsigned takes; /* how many of them had been touched */
    struct pc_windows *windows;
    struct untold *untold; /* [untolds] while there are no windows */
    size_t untolds, room;
    bool written;
    UT_hash_handle hh;
};

/* A line of the fully associative cache. */
struct used {
    uint64_t line;
    UT_hash_handle hh;
};

struct pc_copies {
    unsigned halves;
    size_t *places;     /* [cards] */
    struct used **used; /* [cards * halves] the longest unused first */
    struct copy *copies;
    struct line *lines;
    size_t cards;
};

struct pc_copies *pc_copies_new(unsigned cards, unsigned halves, size_t places)
{
    struct pc_copies *s = sim_alloc(1, sizeof *s);
    *s = (struct pc_copies){.halves = halves, .cards = cards};
    s->places = sim_alloc(cards, sizeof *s->places);
    for (unsigned card = 0; card < cards; card++)
        s->places[card] = places;
    s->used = sim_alloc((size_t)cards * halves, sizeof(struct used *));
    return s;
}

void pc_copies_places(struct pc_copies *s, unsigned card, size_t places)
{
    s->places[card] = places;
}

static void free_copy(struct copy *copy)
{
    struct pc_asked *next;
    for (const struct pc_asked *asked = copy->seen.asked; asked; asked = next) {
        next = asked->next;
        free((void *)asked);
    }
    free(copy);
}

void pc_copies_free(struct pc_copies *s)
{
    struct copy *copy, *next_copy;
    struct line *line, *next_line;
    struct used *used, *next_used;
    if (!s)
        return;
    HASH_ITER(hh, s->copies, copy, next_copy) {
        HASH_DEL(s->copies, copy);
        free_copy(copy);
    }
    HASH_ITER(hh, s->lines, line, next_line) {
        HASH_DEL(s->lines, line);
        pc_windows_free(line->windows);
        free(line->untold);
        free(line);
    }
    for (size_t i = 0; i < s->cards * s->halves; i++)
        HASH_ITER(hh, s->used[i], used, next_used) {
            HASH_DEL(s->used[i], used);
            free(used);
        }
    free(s->places);
    free(s->used);
    free(s);
}

/* ---- sets of bytes --------------------------------------------------------------------------- */

/* The words that have one of the bytes, whole. */
static pc_bytes copies_words(pc_bytes bytes)
{
    const pc_bytes half = UINT64_C(0x1111111111111111), first = half << 64 | half;
    bytes |= bytes >> 1;
    bytes |= bytes >> 2;
    return (bytes & first) * 15;
}

static bool meet_in_words(pc_bytes a, pc_bytes b)
{
    return copies_words(a) & copies_words(b);
}

/* ---- copies and lines ------------------------------------------------------------------------ */

static struct copy *copies_find(const struct pc_copies *s, struct pc_copy_of of)
{
    struct copy *copy;
    HASH_FIND(hh, s->copies, &of, sizeof of, copy);
    return copy;
}

static struct line *copies_line_of(struct pc_copies *s, uint64_t address)
{
    struct line *line;
    HASH_FIND(hh, s->lines, &address, sizeof address, line);
    if (line)
        return line;
    line = sim_alloc(1, sizeof *line);
    line->address = address;
    HASH_ADD(hh, s->lines, address, sizeof line->address, line);
    return line;
}

static struct copy *copies_copy_of(struct pc_copies *s, struct pc_copy_of of)
{
    struct copy *copy = copies_find(s, of);
    if (copy)
        return copy;
    copy = sim_alloc(1, sizeof *copy);
    copy->seen.of = of;
    copy->line = copies_line_of(s, of.line);
    for (const struct copy *other = copy->line->copies; other; other = other->next)
        copy->news |= other->seen.written & ~other->fresh;
    copy->word_news = copy->since_touch = copy->news;
    copy->next = copy->line->copies;
    copy->line->copies = copy;
    HASH_ADD(hh, s->copies, seen.of, sizeof copy->seen.of, copy);
    return copy;
}

static struct pc_asked *copies_find_asked(const struct copy *copy,
                                          const struct pc_request_asked *by, uint32_t tenant)
{
    for (const struct pc_asked *asked = copy->seen.asked; asked; asked = asked->next)
        if (asked->node == by->node && asked->pc == by->pc && asked->tenant == tenant)
            return (struct pc_asked *)asked;
    return NULL;
}

static struct pc_asked *copies_add_asked(struct copy *copy, const struct pc_request_asked *by,
                                         uint32_t tenant)
{
    struct pc_asked *asked = sim_alloc(1, sizeof *asked + PC_MISS__COUNT * sizeof *asked->v);
    *asked = (struct pc_asked){.node = by->node,
                               .pc = by->pc,
                               .va = by->va,
                               .tenant = tenant,
                               .first = by->at,
                               .next = (struct pc_asked *)copy->seen.asked};
    copy->seen.asked = asked;
    copy->rows++;
    return asked;
}

static bool has_tenant(const struct copy *copy, uint32_t tenant)
{
    const struct pc_asked *asked = copy->seen.asked;
    while (asked && asked->tenant != tenant)
        asked = asked->next;
    return asked;
}

/* Memory that is used again and again does not make rows without end. */
static struct pc_asked *asked_at(struct copy *copy, const struct pc_request_asked *by)
{
    uint32_t tenant = by->tenant;
    struct pc_asked *asked = copies_find_asked(copy, by, tenant);
    if (!asked && tenant && copy->rows >= PC_COPY_TENANTS_MAX && !has_tenant(copy, tenant)) {
        tenant = PC_TENANT_SEVERAL;
        asked = copies_find_asked(copy, by, tenant);
    }
    if (!asked)
        asked = copies_add_asked(copy, by, tenant);
    asked->last = by->at;
    return asked;
}

static void copies_count(struct pc_asked *asked, enum pc_miss_column class, sim_tick time)
{
    asked->v[class]++;
    asked->v[class + 1] += (int64_t)time;
}

/* What sharing made, in its row and in the line's windows. */
static void copies_count_shared(struct line *line, struct pc_asked *asked,
                                const struct pc_shared_request *request)
{
    for (unsigned i = 0; i < request->columns; i++)
        asked->v[request->column[i]]++;
    asked->v[request->column[0] + 1] += (int64_t)request->took;
    pc_windows_add(&line->windows, request);
    for (; line->untolds; line->untolds--) {
        const struct untold *u = &line->untold[line->untolds - 1];
        pc_windows_touch(line->windows, u->at, u->card, u->touched);
    }
}

/* ---- the fully associative cache ------------------------------------------------------------- */

static struct used **used_of(const struct pc_copies *s, struct pc_copy_of of)
{
    return &s->used[of.card * s->halves + of.half];
}

static bool would_have(const struct pc_copies *s, struct pc_copy_of of)
{
    struct used *used;
    HASH_FIND(hh, *used_of(s, of), &of.line, sizeof of.line, used);
    return used;
}

static void copies_forget(struct pc_copies *s, struct pc_copy_of of)
{
    struct used **list = used_of(s, of), *used;
    HASH_FIND(hh, *list, &of.line, sizeof of.line, used);
    if (!used)
        return;
    HASH_DEL(*list, used);
    free(used);
}

void pc_copies_use(struct pc_copies *s, struct pc_copy_of of)
{
    struct used **list = used_of(s, of), *used;
    HASH_FIND(hh, *list, &of.line, sizeof of.line, used);
    if (used) {
        HASH_DEL(*list, used);
    } else if (HASH_COUNT(*list) == s->places[of.card]) {
        used = *list;
        HASH_DEL(*list, used);
    } else {
        used = sim_alloc(1, sizeof *used);
    }
    used->line = of.line;
    HASH_ADD(hh, *list, line, sizeof used->line, used);
}

/* ---- lives ----------------------------------------------------------------------------------- */

static void copies_begin(struct copy *copy)
{
    assert(!copy->held && !copy->miss && !copy->raised);
    copy->held = true;
    copy->read = copy->written = copy->fresh = copy->late = 0;
    if (copy->loss == EVICTED)
        copy->news = copy->word_news = 0;
}

static bool others_have_touched(const struct copy *copy)
{
    for (const struct copy *other = copy->line->copies; other; other = other->next)
        if (other->seen.of.card != copy->seen.of.card && (other->seen.read || other->seen.written))
            return true;
    return false;
}

/* Of a line that is replaced again and again the last of a card's stand for all of its later ones.
 */
static void copies_keep_untold(struct line *line, const struct untold *untold)
{
    for (size_t i = line->untolds; line->untolds >= UNTOLD_MOST && i-- > 0;)
        if (line->untold[i].card == untold->card) {
            line->untold[i].touched |= untold->touched;
            line->untold[i].at = untold->at;
            return;
        }
    SIM_ROOM(line->untold, line->untolds, line->room, 4);
    line->untold[line->untolds++] = *untold;
}

/* A life or an ownership is over that no request began which sharing made. @param at  it began */
static void copies_touch_window(struct copy *copy, sim_tick at, pc_bytes touched)
{
    struct line *line = copy->line;
    if (line->windows)
        pc_windows_touch(line->windows, at, copy->seen.of.card, touched);
    else if (line->written)
        copies_keep_untold(line, &(struct untold){at, copy->seen.of.card, touched});
    else
        copy->before |= touched;
}

/* The miss that began a life that is over. */
static void copies_decide(struct copy *copy, pc_bytes touched)
{
    struct pc_asked *miss = copy->miss;
    const bool essential = copy->news & touched;
    if (copy->loss == NEVER_HAD) {
        miss->v[!copy->news ? PC_MISS_COLD_PURE
                : essential ? PC_MISS_COLD_TRUE
                            : PC_MISS_COLD_FALSE]++;
        return;
    }
    const bool by_words = meet_in_words(copy->word_news, touched);
    copies_count_shared(copy->line, miss,
                        &(struct pc_shared_request){
                            .at = copy->miss_wait.at,
                            .took = copy->miss_wait.took,
                            .falsely = !essential,
                            .column = {essential ? PC_MISS_TRUE_SHARING : PC_MISS_FALSE_SHARING,
                                       by_words ? PC_MISS_WORD_TRUE : PC_MISS_WORD_FALSE,
                                       copy->by_word[0], copy->by_word[1], PC_MISS_PROGRAMMER_TRUE},
                            .columns = essential ? 5 : 4,
                            .card = copy->seen.of.card,
                            .touched = touched,
                            .row = essential ? NULL : miss->v});
}

/* An ownership ends that an upgrade began. */
static void copies_decide_upgrade(struct copy *copy)
{
    struct line *line = copy->line;
    const bool truly = line->taken & copy->fresh;
    if (line->takes) {
        copies_count_shared(line, copy->raised,
                            &(struct pc_shared_request){
                                .at = copy->raised_wait.at,
                                .took = copy->raised_wait.took,
                                .falsely = !truly,
                                .column = {truly ? PC_MISS_UPGRADE_TRUE : PC_MISS_UPGRADE_FALSE},
                                .columns = 1,
                                .card = copy->seen.of.card,
                                .touched = copy->fresh});
    } else {
        copies_count(copy->raised, PC_MISS_UPGRADE_ALONE, copy->raised_wait.took);
        copies_touch_window(copy, copy->raised_wait.at, copy->fresh);
    }
    copy->raised = NULL;
}

/* An ownership ends: what was written in it comes to be known. */
static void copies_publish(struct copy *copy)
{
    struct line *line = copy->line;
    if (copy->raised)
        copies_decide_upgrade(copy);
    line->taken = 0;
    line->takes = 0;
    for (struct copy *other = line->copies; copy->fresh && other; other = other->next) {
        if (other->seen.of.card == copy->seen.of.card)
            continue;
        if (other->held) {
            other->late |= copy->fresh;
            continue;
        }
        other->news |= copy->fresh;
        other->word_news |= copy->fresh;
        other->since_loss |= copy->fresh;
        other->since_touch |= copy->fresh;
    }
    copy->fresh = 0;
}

static void copies_end(struct copy *copy, enum loss how, bool owner)
{
    const pc_bytes touched = copy->read | copy->written;
    const bool always = copy->loss != TAKEN, essential = always || copy->news & touched;
    const bool by_words = always || meet_in_words(copy->word_news, touched);
    if (owner || copy->raised || copy->fresh)
        copies_publish(copy);
    if (copy->miss)
        copies_decide(copy, touched);
    if (!copy->miss || copy->loss == NEVER_HAD)
        copies_touch_window(copy, copy->miss_wait.at, touched);
    copy->miss = NULL;
    copy->news = (essential ? 0 : copy->news) | copy->late;
    copy->word_news = (by_words ? 0 : copy->word_news) | copy->late;
    copy->since_loss = copy->late;
    copy->since_touch = (copy->since_touch & ~copies_words(touched)) | copy->late;
    copy->late = 0;
    copy->held = false;
    copy->loss = how;
}

static void write_bytes(struct copy *copy, pc_bytes written)
{
    copy->written |= written;
    copy->line->written |= written != 0;
    copy->fresh |= written;
    copy->seen.written |= written;
}

void pc_copies_touch(struct pc_copies *s, struct pc_copy_of of, pc_bytes read, pc_bytes written)
{
    struct copy *copy = copies_find(s, of);
    if (!copy || !copy->held)
        return; /* not coherent */
    copy->read |= read;
    copy->seen.read |= read;
    write_bytes(copy, written);
}

void pc_copies_share(struct pc_copies *s, struct pc_copy_of of)
{
    struct copy *copy = copies_find(s, of);
    if (copy && copy->held)
        copies_publish(copy);
}

void pc_copies_lose(struct pc_copies *s, struct pc_copy_of of, bool taken, bool owner)
{
    struct copy *copy = copies_find(s, of);
    if (taken)
        copies_forget(s, of);
    if (!copy || !copy->held)
        return;
    const pc_bytes touched = copy->read | copy->written;
    copies_end(copy, taken ? TAKEN : EVICTED, owner);
    copy->seen.taken += taken;
    copy->seen.evicted += !taken;
    if (taken && touched) {
        copy->line->taken |= touched;
        copy->line->takes++;
    }
}

/* ---- requests -------------------------------------------------------------------------------- */

static pc_bytes access_bytes(const struct pc_request_asked *asked)
{
    const pc_bytes some = ((pc_bytes)1 << asked->size) - 1;
    return some << (asked->pa - asked->of.line);
}

void pc_copies_ask(struct pc_copies *s, const struct pc_request_asked *asked)
{
    struct copy *copy = copies_copy_of(s, asked->of);
    if (!copy->seen.asked)
        copy->seen.first = asked->at;
    copy->seen.last = asked->at;
    copy->request = (struct request){.asked = asked_at(copy, asked),
                                     .word = access_bytes(asked),
                                     .at = asked->at,
                                     .upgrade = asked->upgrade,
                                     .noncoherent = asked->noncoherent};
}

/* By the definitions that look at the word asked for. */
static void decide_by_word(struct copy *copy)
{
    const struct request *r = &copy->request;
    copy->by_word[0] =
        meet_in_words(copy->since_loss, r->word) ? PC_MISS_EGGERS_TRUE : PC_MISS_EGGERS_FALSE;
    const pc_bytes known =
        copies_words(copy->seen.read | copy->seen.written) & copies_words(r->word);
    copy->by_word[1] = !known                                    ? PC_MISS_TORRELLAS_COLD
                       : meet_in_words(copy->since_touch, known) ? PC_MISS_TORRELLAS_TRUE
                                                                 : PC_MISS_TORRELLAS_FALSE;
}

static void have_missed(struct pc_copies *s, struct copy *copy, sim_tick took)
{
    const struct request *r = &copy->request;
    if (r->noncoherent) {
        copies_count(r->asked, PC_MISS_OTHER, took);
        return;
    }
    if (copy->loss == NEVER_HAD)
        copies_count(r->asked, PC_MISS_COLD, took);
    else if (copy->loss == EVICTED)
        copies_count(r->asked, would_have(s, copy->seen.of) ? PC_MISS_CONFLICT : PC_MISS_CAPACITY,
                     took);
    else if (others_have_touched(copy))
        decide_by_word(copy);
    else
        copies_count(r->asked, PC_MISS_OTHER, took);
    const bool later =
        copy->loss == NEVER_HAD || (copy->loss == TAKEN && others_have_touched(copy));
    copies_begin(copy);
    copy->miss = later ? r->asked : NULL;
    copy->miss_wait = (struct wait){r->at, took};
}

static void have_upgraded(struct copy *copy, sim_tick took)
{
    const struct request *r = &copy->request;
    if (!copy->held) { /* the copy was lost on the way: the line came instead of the right */
        copies_begin(copy);
        copy->miss_wait.at = r->at;
    }
    write_bytes(copy, r->word); /* also of a store-conditional that fails, then */
    copy->raised = r->asked;
    copy->raised_wait = (struct wait){r->at, took};
}

void pc_copies_have(struct pc_copies *s, struct pc_copy_of of, sim_tick at, unsigned nacks,
                    bool transfer)
{
    struct copy *copy = copies_find(s, of);
    struct request *r = copy ? &copy->request : NULL;
    if (!r || !r->asked)
        return;
    r->asked->v[PC_MISS_NACKS] += nacks;
    r->asked->v[PC_MISS_TRANSFERS] += transfer;
    if (r->upgrade)
        have_upgraded(copy, at - r->at);
    else
        have_missed(s, copy, at - r->at);
    r->asked = NULL;
}

void pc_copies_give_up(struct pc_copies *s, struct pc_copy_of of, sim_tick at, unsigned nacks)
{
    struct copy *copy = copies_find(s, of);
    struct request *r = copy ? &copy->request : NULL;
    if (!r || !r->asked)
        return;
    r->asked->v[PC_MISS_NACKS] += nacks;
    copies_count(r->asked, r->upgrade ? PC_MISS_UPGRADE_GIVEN_UP : PC_MISS_GIVEN_UP, at - r->at);
    r->asked = NULL;
}

void pc_copies_leave(struct pc_copies *s, struct pc_copy_of of, unsigned nacks)
{
    struct copy *copy = copies_find(s, of);
    if (copy && copy->request.asked)
        copy->request.asked->v[PC_MISS_NACKS] += nacks;
}

void pc_copies_create(struct pc_copies *s, struct pc_copy_of of)
{
    struct copy *copy = copies_copy_of(s, of);
    if (!copy->held)
        copies_begin(copy);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void copies_close_windows(struct line *line)
{
    for (const struct copy *copy = line->copies; copy; copy = copy->next)
        if (copy->before)
            pc_windows_touch(line->windows, 0, copy->seen.of.card, copy->before);
    pc_windows_close(line->windows);
}

void pc_copies_end(struct pc_copies *s)
{
    for (struct copy *copy = s->copies; copy; copy = copy->hh.next) {
        struct request *r = &copy->request;
        if (r->asked)
            copies_count(r->asked, r->upgrade ? PC_MISS_UPGRADE_GIVEN_UP : PC_MISS_GIVEN_UP, 0);
        r->asked = NULL;
    }
    for (struct copy *copy = s->copies; copy; copy = copy->hh.next)
        if (copy->held)
            copies_end(copy, EVICTED, copy->raised);
    for (struct line *line = s->lines; line; line = line->hh.next)
        if (line->windows)
            copies_close_windows(line);
}

void pc_copies_each(const struct pc_copies *s,
                    void (*fn)(void *ctx, const struct pc_copy_seen *seen), void *ctx)
{
    for (const struct copy *copy = s->copies; copy; copy = copy->hh.next)
        fn(ctx, &copy->seen);
}

void pc_copies_windows(const struct pc_copies *s,
                       void (*fn)(void *ctx, uint64_t line, const struct pc_window *window),
                       void *ctx)
{
    for (const struct line *line = s->lines; line; line = line->hh.next)
        for (size_t i = 0; i < pc_windows_count(line->windows); i++) {
            const struct pc_window window = pc_windows_at(line->windows, i);
            fn(ctx, line->address, &window);
        }
}
