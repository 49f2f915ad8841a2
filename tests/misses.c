/*
 * The truth of misses, and what it tells of other line sizes, against sequences whose answers are
 * known; and against a second, slow way to decide: from a list of all that has ever happened, by
 * the text of the definitions.
 */
#include "procard/copies.h"
#include "procard/miss_columns.h"
#include "procard/sizes.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CARDS = 4, LINES = 6, LINE = 64, EVENTS = 600, PCS = 3, PLACES = 3, TENANTS = 4, PART = 8 };

/* ---- a machine of cards that tells what it does -----------------------------------------------
 */

enum what { READ, WROTE, BEGAN, ENDED, ASKED, USED, RENEWED };
enum holds { NOTHING, SHARES, OWNS, OUTDATED /* its invalidation is on its way */ };

struct event {
    enum what what;
    unsigned card, line;
    pc_bytes bytes;  /* of READ, WROTE, and of what is ASKED for */
    bool taken;      /* ENDED */
    bool owner;      /* ENDED: an ownership, too */
    bool share;      /* ENDED: the ownership only */
    bool upgrade;    /* ASKED */
    unsigned pc;     /* ASKED */
    unsigned tenant; /* RENEWED: whose the bytes are from now on */
    bool missed;     /* BEGAN: by the last request */
    sim_tick at;     /* ASKED */
};

struct world {
    struct pc_copies *copies;
    struct event *event; /* [events] */
    size_t events;
    enum holds holds[CARDS][LINES];
    unsigned tenant[LINES][LINE / PART]; /* whose the bytes are */
    sim_tick now;
};

static struct pc_copy_of place(unsigned card, unsigned line)
{
    return (struct pc_copy_of){.line = (uint64_t)line * LINE, .card = card};
}

static struct event *note(struct world *w, enum what what, unsigned card, unsigned line)
{
    struct event *e = &w->event[w->events++];
    cr_assert_lt(w->events, 40 * EVENTS);
    *e = (struct event){.what = what, .card = card, .line = line};
    return e;
}

static void end_life(struct world *w, unsigned card, unsigned line, bool taken)
{
    struct event *e = note(w, ENDED, card, line);
    e->taken = taken;
    e->owner = w->holds[card][line] == OWNS;
    pc_copies_lose(w->copies, place(card, line), taken, e->owner);
    w->holds[card][line] = NOTHING;
}

/* The invalidations that are on their way to a line arrive. */
static void arrive(struct world *w, unsigned line)
{
    for (unsigned c = 0; c < CARDS; c++)
        if (w->holds[c][line] == OUTDATED)
            end_life(w, c, line, true);
}

static void ask(struct world *w, unsigned card, unsigned line, pc_bytes bytes, unsigned offset,
                unsigned size, bool upgrade, unsigned pc)
{
    struct event *e = note(w, ASKED, card, line);
    e->bytes = bytes;
    e->upgrade = upgrade;
    e->pc = pc;
    e->at = w->now;
    pc_copies_ask(w->copies, &(struct pc_request_asked){.of = place(card, line),
                                                        .pa = (uint64_t)line * LINE + offset,
                                                        .va = (uint64_t)line * LINE + offset,
                                                        .size = size,
                                                        .upgrade = upgrade,
                                                        .node = w,
                                                        .pc = pc,
                                                        .tenant = w->tenant[line][offset / PART],
                                                        .at = w->now});
}

static void have(struct world *w, unsigned card, unsigned line, bool begins, bool missed)
{
    if (begins)
        note(w, BEGAN, card, line)->missed = missed;
    pc_copies_have(w->copies, place(card, line), w->now += 7, 0, false);
}

/* Others lose their copies to `card`; a shared one may live on for a while. */
static void take_from_others(struct world *w, unsigned card, unsigned line, bool late)
{
    for (unsigned c = 0; c < CARDS; c++) {
        if (c == card || w->holds[c][line] == NOTHING)
            continue;
        if (late && w->holds[c][line] == SHARES)
            w->holds[c][line] = OUTDATED;
        else
            end_life(w, c, line, true);
    }
}

static void share_from_owner(struct world *w, unsigned line)
{
    for (unsigned c = 0; c < CARDS; c++)
        if (w->holds[c][line] == OWNS) {
            note(w, ENDED, c, line)->share = true;
            pc_copies_share(w->copies, place(c, line));
            w->holds[c][line] = SHARES;
        }
}

struct access {
    unsigned card, line, offset, size, pc;
    bool write;
    bool late;   /* copies taken away live on for a while */
    bool stolen; /* if it is an upgrade, another card is faster */
    bool fails;  /* if it is an upgrade, nothing is stored then: a store-conditional */
};

static void upgrade(struct world *w, const struct access *a, pc_bytes bytes)
{
    bool begins = false;
    ask(w, a->card, a->line, bytes, a->offset, a->size, true, a->pc);
    if (a->stolen) {
        const unsigned thief = (a->card + 1) % CARDS;
        if (w->holds[thief][a->line] == NOTHING) {
            ask(w, thief, a->line, bytes, a->offset, a->size, false, 0);
            take_from_others(w, thief, a->line, false);
            have(w, thief, a->line, true, true);
            w->holds[thief][a->line] = OWNS;
            begins = true;
        }
    }
    take_from_others(w, a->card, a->line, a->late);
    have(w, a->card, a->line, begins, false);
    note(w, WROTE, a->card, a->line)->bytes = bytes; /* what it is for counts as written */
}

static void miss(struct world *w, const struct access *a, pc_bytes bytes)
{
    ask(w, a->card, a->line, bytes, a->offset, a->size, false, a->pc);
    if (a->write)
        take_from_others(w, a->card, a->line, a->late);
    else
        share_from_owner(w, a->line);
    have(w, a->card, a->line, true, true);
}

/* Somebody else has the bytes of a line's parts [first, first + count). */
static void renew(struct world *w, unsigned line, unsigned first, unsigned count, unsigned tenant)
{
    struct event *e = note(w, RENEWED, 0, line);
    e->tenant = tenant;
    for (unsigned part = first; part < first + count && part < LINE / PART; part++) {
        w->tenant[line][part] = tenant;
        e->bytes |= (((pc_bytes)1 << PART) - 1) << part * PART;
    }
}

static void do_access(struct world *w, const struct access *a)
{
    const pc_bytes bytes = (((pc_bytes)1 << a->size) - 1) << a->offset;
    enum holds *holds = &w->holds[a->card][a->line];
    bool fails = false;
    w->now += 3;
    if (*holds != OUTDATED || a->write)
        arrive(w, a->line);
    if (*holds == NOTHING) {
        miss(w, a, bytes);
    } else if (a->write && *holds == SHARES) {
        upgrade(w, a, bytes);
        fails = a->fails;
    }
    if (*holds == NOTHING || a->write)
        *holds = a->write ? OWNS : SHARES;
    note(w, USED, a->card, a->line);
    pc_copies_use(w->copies, place(a->card, a->line));
    if (fails)
        return;
    note(w, a->write ? WROTE : READ, a->card, a->line)->bytes = bytes;
    pc_copies_touch(w->copies, place(a->card, a->line), a->write ? 0 : bytes, a->write ? bytes : 0);
}

static void start(struct world *w)
{
    *w = (struct world){.copies = pc_copies_new(CARDS, 1, PLACES)};
    w->event = calloc(40 * EVENTS + 1, sizeof *w->event);
}

static void stop(struct world *w)
{
    pc_copies_free(w->copies);
    free(w->event);
}

/* ---- what the definitions say, from the list ---------------------------------------------------
 */

typedef int64_t sums[CARDS][LINES][PCS][TENANTS][PC_MISS__COUNT];

/* Whose the first byte of what is asked for was then. */
static unsigned tenant_at(const struct world *w, const struct event *asked)
{
    const pc_bytes first = asked->bytes & -asked->bytes;
    for (const struct event *e = asked; e-- > w->event;)
        if (e->what == RENEWED && e->line == asked->line && e->bytes & first)
            return e->tenant;
    return 0;
}

static bool same_word(pc_bytes a, pc_bytes b, unsigned unit)
{
    for (unsigned first = 0; first < LINE; first += unit) {
        const pc_bytes word = (((pc_bytes)1 << unit) - 1) << first;
        if (a & word && b & word)
            return true;
    }
    return false;
}

struct life {
    size_t begin, end; /* numbers of events */
    bool first, after_eviction;
};

/* The card's life that is under way at event `at`, or ends there. */
static bool life_at(const struct world *w, unsigned card, unsigned line, size_t at,
                    struct life *out)
{
    bool found = false, any = false, evicted = false;
    for (size_t i = 0; i <= at; i++) {
        const struct event *e = &w->event[i];
        if (e->card != card || e->line != line)
            continue;
        if (e->what == BEGAN) {
            *out = (struct life){i, w->events, !any, evicted};
            found = any = true;
        }
        if (e->what == ENDED && !e->share) {
            evicted = !e->taken;
            found = i == at;
        }
    }
    for (size_t i = out->begin; found && i < w->events; i++) {
        const struct event *e = &w->event[i];
        if (e->what == ENDED && !e->share && e->card == card && e->line == line) {
            out->end = i;
            break;
        }
    }
    return found;
}

/* What a card has touched in [from, to). */
static pc_bytes touched(const struct world *w, unsigned card, unsigned line, size_t from, size_t to)
{
    pc_bytes all = 0;
    for (size_t i = from; i < to; i++) {
        const struct event *e = &w->event[i];
        if ((e->what == READ || e->what == WROTE) && e->card == card && e->line == line)
            all |= e->bytes;
    }
    return all;
}

/* What other cards have written in [from, to). */
static pc_bytes written_by_others(const struct world *w, unsigned card, unsigned line, size_t from,
                                  size_t to)
{
    pc_bytes all = 0;
    for (size_t i = from; i < to; i++) {
        const struct event *e = &w->event[i];
        if (e->what == WROTE && e->card != card && e->line == line)
            all |= e->bytes;
    }
    return all;
}

/* Begin of the card's last life that ended before event `at`; false: there was none. */
static bool life_before(const struct world *w, unsigned card, unsigned line, size_t at,
                        struct life *out)
{
    for (size_t i = at; i-- > 0;) {
        const struct event *e = &w->event[i];
        if (e->what == ENDED && !e->share && e->card == card && e->line == line)
            return life_at(w, card, line, i, out);
    }
    return false;
}

static bool is_essential(const struct world *w, unsigned card, unsigned line,
                         const struct life *life, unsigned unit);

/* What others have written since the last essential life before this one began. */
static pc_bytes news(const struct world *w, unsigned card, unsigned line, const struct life *life,
                     unsigned unit)
{
    struct life before = *life;
    while (life_before(w, card, line, before.begin, &before))
        if (is_essential(w, card, line, &before, unit))
            return written_by_others(w, card, line, before.begin, life->begin);
    return written_by_others(w, card, line, 0, life->begin);
}

/* @param unit  [bytes] of a word */
static bool is_essential(const struct world *w, unsigned card, unsigned line,
                         const struct life *life, unsigned unit)
{
    return life->first || life->after_eviction ||
           same_word(news(w, card, line, life, unit),
                     touched(w, card, line, life->begin, life->end), unit);
}

static bool others_touched(const struct world *w, unsigned card, unsigned line, size_t before)
{
    for (unsigned c = 0; c < CARDS; c++)
        if (c != card && touched(w, c, line, 0, before))
            return true;
    return false;
}

/* Torrellas, of one word: whether the card has touched it, and if so, whether others have written
 * it since the beginning of its last life that did. */
static bool word_before(const struct world *w, unsigned card, unsigned line, size_t at,
                        pc_bytes word, bool *written)
{
    struct life life = {at, at, false, false};
    while (life_before(w, card, line, life.begin, &life))
        if (touched(w, card, line, life.begin, life.end) & word) {
            *written |= (written_by_others(w, card, line, life.begin, at) & word) != 0;
            return true;
        }
    return false;
}

/* ... of all words of an access, of which those count that the card has touched. */
static bool words_before(const struct world *w, unsigned card, unsigned line, size_t at,
                         pc_bytes bytes, bool *written)
{
    bool any = false;
    for (unsigned first = 0; first < LINE; first += 4) {
        const pc_bytes word = (pc_bytes)15 << first;
        if (bytes & word)
            any |= word_before(w, card, line, at, word, written);
    }
    return any;
}

/* Whether a fully associative cache would have the line that an eviction at `at` took. */
static bool would_have(const struct world *w, unsigned card, unsigned line, size_t at)
{
    unsigned list[LINES], count = 0; /* the last used first */
    for (size_t i = 0; i < at; i++) {
        const struct event *e = &w->event[i];
        const bool used = e->what == USED, gone = e->what == ENDED && e->taken && !e->share;
        if (e->card != card || (!used && !gone))
            continue;
        unsigned k = 0;
        while (k < count && list[k] != e->line)
            k++;
        if (k < count)
            memmove(&list[k], &list[k + 1], (--count - k) * sizeof *list);
        if (!used)
            continue;
        if (count == PLACES)
            count--;
        memmove(&list[1], &list[0], count++ * sizeof *list);
        list[0] = e->line;
    }
    for (unsigned k = 0; k < count; k++)
        if (list[k] == line)
            return true;
    return false;
}

static void add(int64_t *v, enum pc_miss_column class)
{
    v[class]++;
    v[class + 1] += 7;
}

/* Where the windows of the lines begin, as they have been told. */
struct spans {
    unsigned count[LINES];
    sim_tick begin[LINES][PC_WINDOWS_MOST];
};

static void add_span(void *ctx, uint64_t line, const struct pc_window *window)
{
    struct spans *s = ctx;
    const unsigned l = (unsigned)(line / LINE);
    s->begin[l][s->count[l]++] = window->begin;
}

/* The window of a line in which something is that begins at a tick. */
static unsigned window_of(const struct spans *s, unsigned line, sim_tick at)
{
    unsigned i = s->count[line];
    while (i && s->begin[line][i - 1] > at)
        i--;
    return i ? i - 1 : 0;
}

/* The request that a card has last made before event `at`. */
static const struct event *asked_before(const struct world *w, size_t at, unsigned card)
{
    while (w->event[at].what != ASKED || w->event[at].card != card)
        at--;
    return &w->event[at];
}

struct ownership {
    size_t last, begin, end; /* end of the one before, and its own events */
    pc_bytes wrote;
};

/* The ownership that the upgrade asked for at `at` begins. */
static struct ownership ownership_of(const struct world *w, size_t at)
{
    const unsigned card = w->event[at].card, line = w->event[at].line;
    /* It begins with the first store after it; other ownerships may end in between. */
    struct ownership o = {.begin = at, .end = w->events};
    while (!(w->event[o.begin].what == WROTE && w->event[o.begin].card == card))
        o.begin++;
    for (size_t i = 0; i < w->events && o.end == w->events; i++) {
        const struct event *e = &w->event[i];
        const bool ends = e->what == ENDED && e->line == line && (e->share || e->owner);
        if (ends && i < o.begin)
            o.last = i;
        if (ends && i > o.begin)
            o.end = i;
    }
    for (size_t i = o.begin; i < o.end; i++)
        if (w->event[i].what == WROTE && w->event[i].card == card && w->event[i].line == line)
            o.wrote |= w->event[i].bytes;
    return o;
}

/* Whether less than one in sixteen lives and ownerships of a window that touch some bytes are
 * others'. */
static bool is_of_its_own(const struct world *w, const struct spans *s, unsigned card,
                          unsigned line, unsigned window, pc_bytes bytes)
{
    unsigned own = 0, others = 0;
    for (size_t i = 0; i < w->events; i++) {
        const struct event *e = &w->event[i];
        struct life life;
        unsigned *count = e->card == card ? &own : &others;
        if (e->line != line)
            continue;
        if (e->what == BEGAN && window_of(s, line, asked_before(w, i, e->card)->at) == window &&
            life_at(w, e->card, line, i, &life))
            *count += (touched(w, e->card, line, life.begin, life.end) & bytes) != 0;
        if (e->what == ASKED && e->upgrade && window_of(s, line, e->at) == window)
            *count += (ownership_of(w, i).wrote & bytes) != 0;
    }
    return !others || 16 * others < own;
}

static void judge_miss(const struct world *w, const struct spans *s, size_t at,
                       const struct event *asked, int64_t *v)
{
    const struct event *e = &w->event[at];
    struct life life;
    bool written = false;
    cr_assert(life_at(w, e->card, e->line, at, &life));
    const pc_bytes fresh = news(w, e->card, e->line, &life, 1);
    const pc_bytes own = touched(w, e->card, e->line, life.begin, life.end);
    if (life.first) {
        add(v, PC_MISS_COLD);
        v[!fresh                     ? PC_MISS_COLD_PURE
          : same_word(fresh, own, 1) ? PC_MISS_COLD_TRUE
                                     : PC_MISS_COLD_FALSE]++;
    } else if (life.after_eviction) {
        add(v, would_have(w, e->card, e->line, at) ? PC_MISS_CONFLICT : PC_MISS_CAPACITY);
    } else if (!others_touched(w, e->card, e->line, at)) {
        add(v, PC_MISS_OTHER);
    } else {
        struct life last;
        cr_assert(life_before(w, e->card, e->line, at, &last));
        add(v, is_essential(w, e->card, e->line, &life, 1) ? PC_MISS_TRUE_SHARING
                                                           : PC_MISS_FALSE_SHARING);
        v[is_essential(w, e->card, e->line, &life, 4) ? PC_MISS_WORD_TRUE : PC_MISS_WORD_FALSE]++;
        v[same_word(written_by_others(w, e->card, e->line, last.begin, at), asked->bytes, 4)
              ? PC_MISS_EGGERS_TRUE
              : PC_MISS_EGGERS_FALSE]++;
        v[!words_before(w, e->card, e->line, at, asked->bytes, &written) ? PC_MISS_TORRELLAS_COLD
          : written                                                      ? PC_MISS_TORRELLAS_TRUE
                    : PC_MISS_TORRELLAS_FALSE]++;
        const unsigned window = window_of(s, e->line, asked->at);
        v[!is_essential(w, e->card, e->line, &life, 1) &&
                  is_of_its_own(w, s, e->card, e->line, window, own)
              ? PC_MISS_PROGRAMMER_FALSE
              : PC_MISS_PROGRAMMER_TRUE]++;
    }
}

static void judge_upgrade(const struct world *w, size_t at, int64_t *v)
{
    const unsigned line = w->event[at].line;
    const struct ownership o = ownership_of(w, at);
    pc_bytes taken = 0;
    unsigned takes = 0;
    for (size_t i = o.last; i < o.end; i++) {
        const struct event *e = &w->event[i];
        struct life life;
        if (e->line != line || e->what != ENDED || e->share || !e->taken ||
            !life_at(w, e->card, line, i, &life))
            continue;
        const pc_bytes had = touched(w, e->card, line, life.begin, i);
        taken |= had;
        takes += had != 0;
    }
    add(v, !takes                         ? PC_MISS_UPGRADE_ALONE
           : same_word(o.wrote, taken, 1) ? PC_MISS_UPGRADE_TRUE
                                          : PC_MISS_UPGRADE_FALSE);
}

static void judge(const struct world *w, sums out)
{
    const struct event *asked[CARDS] = {NULL};
    struct spans spans = {0};
    pc_copies_windows(w->copies, add_span, &spans);
    memset(out, 0, sizeof(sums));
    for (size_t i = 0; i < w->events; i++) {
        const struct event *e = &w->event[i];
        if (e->what == ASKED) {
            asked[e->card] = e;
            if (e->upgrade)
                judge_upgrade(w, i, out[e->card][e->line][e->pc][tenant_at(w, e)]);
        } else if (e->what == BEGAN && e->missed) {
            const struct event *by = asked[e->card];
            judge_miss(w, &spans, i, by, out[e->card][e->line][by->pc][tenant_at(w, by)]);
        }
    }
}

/* ---- both --------------------------------------------------------------------------------------
 */

static void collect(void *ctx, const struct pc_copy_seen *seen)
{
    int64_t(*out)[LINES][PCS][TENANTS][PC_MISS__COUNT] = ctx;
    for (const struct pc_asked *asked = seen->asked; asked; asked = asked->next)
        memcpy(out[seen->of.card][seen->of.line / LINE][asked->pc][asked->tenant], asked->v,
               PC_MISS__COUNT * sizeof *asked->v);
}

static const char *const name[] = {
#define COLUMN(name, unit, sentence) #name,
#include "procard/misses.def"
#undef COLUMN
};

static unsigned compare(sums is, sums should, unsigned stream)
{
    unsigned differ = 0;
    for (unsigned c = 0; c < CARDS; c++)
        for (unsigned l = 0; l < LINES; l++)
            for (unsigned p = 0; p < PCS * TENANTS; p++)
                for (unsigned k = 0; k < PC_MISS__COUNT; k++) {
                    const bool time = strstr(name[k], "_TIME");
                    const int64_t a = is[c][l][p / TENANTS][p % TENANTS][k],
                                  b = should[c][l][p / TENANTS][p % TENANTS][k];
                    if ((time ? (a != 0) != (b != 0) : a != b) && ++differ == 1)
                        cr_expect_fail("stream %u, card %u, line %u, pc %u, tenant %u, %s: %" PRId64
                                       ", not %" PRId64 " (should be: judge_miss, judge_upgrade)",
                                       stream, c, l, p / TENANTS, p % TENANTS, name[k], a, b);
                }
    return differ;
}

static uint64_t random_of(uint64_t *seed, uint64_t n)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (*seed >> 33) % n;
}

static void drawn(struct world *w, uint64_t seed)
{
    const unsigned lines = 1 + (unsigned)random_of(&seed, LINES);
    const unsigned cards = 1 + (unsigned)random_of(&seed, CARDS);
    const unsigned spread = 1 + (unsigned)random_of(&seed, LINE / 8),
                   writes = 1 + (unsigned)random_of(&seed, 9);
    const unsigned accesses = 20 + (unsigned)random_of(&seed, 80);
    for (unsigned i = 0; i < accesses; i++) {
        struct access a = {.card = (unsigned)random_of(&seed, cards),
                           .line = (unsigned)random_of(&seed, lines),
                           .size = 1u << random_of(&seed, 4),
                           .pc = (unsigned)random_of(&seed, PCS),
                           .write = random_of(&seed, 10) < writes,
                           .late = random_of(&seed, 4) == 0,
                           .stolen = random_of(&seed, 5) == 0,
                           .fails = random_of(&seed, 5) == 0};
        a.offset = (unsigned)random_of(&seed, spread) * 8 +
                   (unsigned)random_of(&seed, 8) / a.size * a.size;
        const bool held = w->holds[a.card][a.line] == SHARES;
        if (random_of(&seed, 40) == 0 && held)
            end_life(w, a.card, a.line, true); /* by nobody's request */
        else if (random_of(&seed, 12) == 0 &&
                 (w->holds[a.card][a.line] == SHARES || w->holds[a.card][a.line] == OWNS))
            end_life(w, a.card, a.line, false);
        else
            do_access(w, &a);
        if (random_of(&seed, 6) == 0)
            renew(w, (unsigned)random_of(&seed, lines), (unsigned)random_of(&seed, spread),
                  1 + (unsigned)random_of(&seed, 4), (unsigned)random_of(&seed, TENANTS));
    }
    for (unsigned l = 0; l < LINES; l++)
        arrive(w, l);
}

/* The columns that windows have. */
static bool is_of_sharing(enum pc_miss_column column)
{
    return (column >= PC_MISS_TRUE_SHARING && column <= PC_MISS_FALSE_SHARING_TIME) ||
           (column >= PC_MISS_UPGRADE_TRUE && column <= PC_MISS_UPGRADE_FALSE_TIME) ||
           (column >= PC_MISS_WORD_TRUE && column <= PC_MISS_PROGRAMMER_FALSE);
}

struct in_windows {
    unsigned count[LINES];
    sim_tick end[LINES];
    int64_t v[LINES][PC_MISS__COUNT];
};

static void add_window(void *ctx, uint64_t line, const struct pc_window *window)
{
    struct in_windows *in = ctx;
    const unsigned l = (unsigned)(line / LINE);
    cr_expect(in->count[l]++ < PC_WINDOWS_MOST);
    cr_expect(window->begin > in->end[l] && window->end >= window->begin);
    in->end[l] = window->end;
    for (unsigned k = 0; k < PC_MISS__COUNT; k++)
        in->v[l][k] += window->v[k];
}

/* A line's windows come one after the other, and together they are the line's rows. */
static unsigned windows_add_up(const struct pc_copies *copies, sums is, unsigned stream)
{
    struct in_windows in = {0};
    unsigned differ = 0;
    pc_copies_windows(copies, add_window, &in);
    for (unsigned l = 0; l < LINES; l++)
        for (unsigned k = 0; k < PC_MISS__COUNT; k++) {
            int64_t rows = 0;
            for (unsigned c = 0; c < CARDS; c++)
                for (unsigned p = 0; p < PCS * TENANTS; p++)
                    rows += is[c][l][p / TENANTS][p % TENANTS][k];
            if (in.v[l][k] != (is_of_sharing(k) ? rows : 0) && ++differ == 1)
                cr_expect_fail("stream %u, line %u, %s: %" PRId64 " in windows, %" PRId64
                               " in rows",
                               stream, l, name[k], in.v[l][k], rows);
        }
    return differ;
}

Test(misses, are_what_a_slow_way_says)
{
    enum { STREAMS = 1000 };
    int64_t total[PC_MISS__COUNT] = {0};
    sums *is = calloc(1, sizeof *is), *should = calloc(1, sizeof *should);
    unsigned differ = 0;
    for (unsigned stream = 0; stream < STREAMS && !differ; stream++) {
        struct world w;
        start(&w);
        drawn(&w, stream);
        pc_copies_end(w.copies);
        memset(is, 0, sizeof *is);
        pc_copies_each(w.copies, collect, is);
        judge(&w, *should);
        differ += compare(*is, *should, stream) + windows_add_up(w.copies, *is, stream);
        for (size_t i = 0; i < sizeof *is / sizeof(int64_t); i++)
            total[i % PC_MISS__COUNT] += ((const int64_t *)is)[i];
        stop(&w);
    }
    for (unsigned k = 0; k < PC_MISS__COUNT && !differ; k++)
        if (k != PC_MISS_GIVEN_UP && k != PC_MISS_GIVEN_UP_TIME && k != PC_MISS_UPGRADE_GIVEN_UP &&
            k != PC_MISS_UPGRADE_GIVEN_UP_TIME && k != PC_MISS_NACKS && k != PC_MISS_TRANSFERS)
            cr_assert_gt(total[k], 20, "%s: %" PRId64 " in all streams", name[k], total[k]);
    free(is);
    free(should);
}

/* ---- sequences whose answers are known ---------------------------------------------------------
 */

/* Accesses "card operation offset", of a word; what the last one is by each definition. Operation
 * `c` is a store-conditional that gets the line, and fails. */
static const struct sequence {
    const char *what, *accesses;
    enum pc_miss_column class, word, eggers, torrellas, programmer;
} sequences[] = {
    {"the word that another wrote", "0r0 1w0 0r0", PC_MISS_TRUE_SHARING, PC_MISS_WORD_TRUE,
     PC_MISS_EGGERS_TRUE, PC_MISS_TORRELLAS_TRUE, PC_MISS_PROGRAMMER_TRUE},
    {"another word of the line", "0r0 1w8 0r0", PC_MISS_FALSE_SHARING, PC_MISS_WORD_FALSE,
     PC_MISS_EGGERS_FALSE, PC_MISS_TORRELLAS_FALSE, PC_MISS_PROGRAMMER_FALSE},
    {"another word first, then the one that was written", "0r0 1w8 0r0 0r8", PC_MISS_TRUE_SHARING,
     PC_MISS_WORD_TRUE, PC_MISS_EGGERS_FALSE, PC_MISS_TORRELLAS_FALSE, PC_MISS_PROGRAMMER_TRUE},
    {"a word that the card has never touched", "0r0 1w8 0r8", PC_MISS_TRUE_SHARING,
     PC_MISS_WORD_TRUE, PC_MISS_EGGERS_TRUE, PC_MISS_TORRELLAS_COLD, PC_MISS_PROGRAMMER_TRUE},
    {"two cards that write words of their own", "0w0 1w4 0w0 1w4 0w0", PC_MISS_FALSE_SHARING,
     PC_MISS_WORD_FALSE, PC_MISS_EGGERS_FALSE, PC_MISS_TORRELLAS_FALSE, PC_MISS_PROGRAMMER_FALSE},
    {"news of an earlier loss, read late", "0r0 1w8 0r0 1w4 0r8", PC_MISS_TRUE_SHARING,
     PC_MISS_WORD_TRUE, PC_MISS_EGGERS_FALSE, PC_MISS_TORRELLAS_COLD, PC_MISS_PROGRAMMER_TRUE},
    {"a word that another has tried to write", "0r0 1r0 1c0 0r0", PC_MISS_TRUE_SHARING,
     PC_MISS_WORD_TRUE, PC_MISS_EGGERS_TRUE, PC_MISS_TORRELLAS_TRUE, PC_MISS_PROGRAMMER_TRUE},
    {"another word that another has tried to write", "0r0 1r8 1c8 0r0", PC_MISS_FALSE_SHARING,
     PC_MISS_WORD_FALSE, PC_MISS_EGGERS_FALSE, PC_MISS_TORRELLAS_FALSE, PC_MISS_PROGRAMMER_FALSE},
    {"a lock that migrates", "0w0 1w0 2w0 0w0", PC_MISS_TRUE_SHARING, PC_MISS_WORD_TRUE,
     PC_MISS_EGGERS_TRUE, PC_MISS_TORRELLAS_TRUE, PC_MISS_PROGRAMMER_TRUE},
};

static void play(struct world *w, const char *accesses)
{
    struct access a = {.size = 4, .pc = 1};
    char operation;
    int used;
    while (sscanf(accesses, "%u%c%u %n", &a.card, &operation, &a.offset, &used) == 3) {
        a.write = operation != 'r';
        a.fails = operation == 'c';
        do_access(w, &a);
        accesses += used;
    }
    cr_assert(!*accesses);
}

/* What a sequence has of a column, and what it has without its last accesses. */
static int64_t count_of(const char *accesses, enum pc_miss_column column)
{
    sums *is = calloc(1, sizeof *is);
    int64_t all = 0;
    struct world w;
    start(&w);
    play(&w, accesses);
    pc_copies_end(w.copies);
    pc_copies_each(w.copies, collect, is);
    for (unsigned c = 0; c < CARDS; c++)
        all += (*is)[c][0][1][0][column];
    stop(&w);
    free(is);
    return all;
}

Test(misses, of_known_sequences)
{
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        const struct sequence *s = &sequences[i];
        const enum pc_miss_column columns[] = {s->class, s->word, s->eggers, s->torrellas,
                                               s->programmer};
        char *shorter = strdup(s->accesses);
        *strrchr(shorter, ' ') = '\0';
        if (!strcmp(s->what, sequences[2].what))
            *strrchr(shorter, ' ') = '\0'; /* its last access is a hit that decides the miss */
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
            const int64_t more = count_of(s->accesses, columns[k]) - count_of(shorter, columns[k]);
            cr_expect_eq(more, 1, "%s: column %zu: %" PRId64 " more", s->what, k, more);
        }
        free(shorter);
    }
}

/* "accesses" so many times, one piece after the other. */
static char *repeated(const char *const *pieces, unsigned times)
{
    char *all = calloc(1, 1 << 16), *end = all;
    for (; *pieces; pieces++)
        for (unsigned i = 0; i < times; i++)
            end += sprintf(end, "%s ", *pieces);
    return all;
}

/* By Dubois's definition and by the programmer-centric one, whose bytes are those of a window. */
Test(misses, of_the_programmer)
{
    static const struct {
        const char *what, *pieces[4];
        int64_t truly, falsely, for_programmer_truly, for_programmer_falsely;
    } rows[] = {
        {"bytes of their own", {"0w0 1w4"}, 0, 198, 0, 198},
        {"one byte", {"0w0 1w0"}, 198, 0, 198, 0},
        {"one of two reads the other's byte", {"0w0 0r4 1w4"}, 99, 99, 198, 0},
        {"a third reads both", {"0w0 1w4 2r0 2r4"}, 99, 198, 297, 0},
        {"shared in another phase", {"0w0 1w4", "0w0 1w0", "0w4 1w0"}, 199, 399, 199, 399},
        {"a byte that all read", {"0r8 0w0 1r8 1w4"}, 0, 198, 198, 0},
        {"a third reads both in the end", {"0w0 1w4", "2r0 2r4"}, 0, 198, 0, 198},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *all = repeated(rows[i].pieces, 100);
        const int64_t is[] = {
            count_of(all, PC_MISS_TRUE_SHARING), count_of(all, PC_MISS_FALSE_SHARING),
            count_of(all, PC_MISS_PROGRAMMER_TRUE), count_of(all, PC_MISS_PROGRAMMER_FALSE)};
        cr_expect(is[0] == rows[i].truly && is[1] == rows[i].falsely &&
                      is[2] == rows[i].for_programmer_truly &&
                      is[3] == rows[i].for_programmer_falsely,
                  "%s: %d %d %d %d", rows[i].what, (int)is[0], (int)is[1], (int)is[2], (int)is[3]);
        free(all);
    }
}

/* How many rows there are, how many requests in the one of several tenants, and all refusals. */
static void count_tenants(void *ctx, const struct pc_copy_seen *seen)
{
    unsigned *rows = ctx;
    for (const struct pc_asked *asked = seen->asked; asked; asked = asked->next) {
        rows[0]++;
        rows[2] += (unsigned)asked->v[PC_MISS_NACKS];
        cr_expect(asked->first <= asked->last && asked->last <= seen->last);
        if (asked->tenant == PC_TENANT_SEVERAL)
            rows[1] += (unsigned)asked->v[PC_MISS_GIVEN_UP];
    }
}

/* Memory that has ever new tenants: the rows of a copy come to an end, and nothing is lost. */
Test(misses, of_many_tenants)
{
    enum { TIMES = 1000 };
    struct pc_copies *copies = pc_copies_new(1, 1, PLACES);
    struct pc_request_asked asked = {.of = place(0, 1), .pa = LINE, .size = 4};
    unsigned rows[3] = {0};
    for (unsigned i = 0; i < TIMES; i++) {
        asked.tenant = 2 + i;
        asked.at = 10 * i;
        pc_copies_ask(copies, &asked);
        pc_copies_give_up(copies, asked.of, 10 * i + 5, 3);
    }
    asked.at = 10 * TIMES;
    pc_copies_ask(copies, &asked);
    pc_copies_leave(copies, asked.of, 2);
    pc_copies_end(copies);
    pc_copies_each(copies, count_tenants, rows);
    cr_expect(rows[0] == PC_COPY_TENANTS_MAX + 1 && rows[1] == TIMES + 1 - PC_COPY_TENANTS_MAX,
              "%u rows, %u in the last", rows[0], rows[1]);
    cr_expect_eq(rows[2], 3 * TIMES + 2, "%u refusals", rows[2]);
    pc_copies_free(copies);
}

/* An upgrade takes copies away; its class is by what their cards had touched. */
Test(misses, upgrades)
{
    static const struct {
        const char *accesses;
        enum pc_miss_column class;
    } rows[] = {
        {"0r0 1r0 0w0", PC_MISS_UPGRADE_TRUE},     {"0r0 1r8 0w0", PC_MISS_UPGRADE_FALSE},
        {"0r0 0w0", PC_MISS_UPGRADE_ALONE},        {"0r0 1r8 0w0 0w8", PC_MISS_UPGRADE_TRUE},
        {"0w0 1r0 0w0", PC_MISS_UPGRADE_TRUE},     {"0w0 1r8 0w0", PC_MISS_UPGRADE_FALSE},
        {"0r0 1r0 2r8 1w8", PC_MISS_UPGRADE_TRUE}, {"0r0 1r0 0c0", PC_MISS_UPGRADE_TRUE},
        {"0r0 1r8 0c0", PC_MISS_UPGRADE_FALSE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(count_of(rows[i].accesses, rows[i].class), 1, "%s", rows[i].accesses);
        cr_expect_eq(count_of(rows[i].accesses, rows[i].class + 1), 7, "%s", rows[i].accesses);
    }
}

/* Three places: whether a fully associative cache would have done better. */
Test(misses, replaced)
{
    static const struct {
        unsigned others;
        enum pc_miss_column class;
    } rows[] = {{0, PC_MISS_CONFLICT}, {2, PC_MISS_CONFLICT}, {3, PC_MISS_CAPACITY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sums *is = calloc(1, sizeof *is);
        struct world w;
        start(&w);
        do_access(&w, &(struct access){.size = 4});
        end_life(&w, 0, 0, false);
        for (unsigned line = 1; line <= rows[i].others; line++)
            do_access(&w, &(struct access){.line = line, .size = 4});
        do_access(&w, &(struct access){.size = 4});
        pc_copies_end(w.copies);
        pc_copies_each(w.copies, collect, is);
        cr_expect_eq((*is)[0][0][0][0][rows[i].class], 1, "%u others", rows[i].others);
        stop(&w);
        free(is);
    }
}

/* ---- windows -----------------------------------------------------------------------------------
 */

/* Requests "kind from-to/step*took": false or true, at these ticks, and what each took. */
static struct pc_windows *windows_of(const char *requests)
{
    struct pc_windows *windows = NULL;
    struct pc_shared_request r = {.columns = 1};
    char kind;
    unsigned from, to, step, took;
    int used;
    while (sscanf(requests, " %c%u-%u/%u*%u%n", &kind, &from, &to, &step, &took, &used) == 5) {
        r.falsely = kind == 'f';
        r.column[0] = r.falsely ? PC_MISS_FALSE_SHARING : PC_MISS_TRUE_SHARING;
        r.took = took;
        for (r.at = from; r.at <= to; r.at += step)
            pc_windows_add(&windows, &r);
        requests += used;
    }
    cr_assert(!*requests);
    pc_windows_close(windows);
    return windows;
}

/* As "falsely/truly@begin-end", in misses. */
static char *text_of(const struct pc_windows *windows)
{
    char *text = calloc(1, 64 * PC_WINDOWS_MOST), *end = text;
    for (size_t i = 0; i < pc_windows_count(windows); i++) {
        const struct pc_window w = pc_windows_at(windows, i);
        end += sprintf(end, "%s%d/%d@%d-%d", i ? " " : "", (int)w.v[PC_MISS_FALSE_SHARING],
                       (int)w.v[PC_MISS_TRUE_SHARING], (int)w.begin, (int)w.end);
    }
    return text;
}

Test(misses, windows_of_known_sequences)
{
    static const struct {
        const char *what, *requests, *windows;
    } rows[] = {
        {"one request", "f5-5/1*10", "1/0@5-5"},
        {"one kind, evenly", "f1000-9990/10*10", "900/0@1000-9990"},
        {"false, then true", "f1000-1990/10*10 t2000-2990/10*10",
         "100/0@1000-1990 0/100@2000-2990"},
        {"true, false, true", "t1000-1990/10*10 f2000-2490/10*20 t2500-3990/10*10",
         "0/100@1000-1990 50/0@2000-2490 0/150@2500-3990"},
        {"a pause", "f1000-1990/10*10 f3000-3990/10*10", "100/0@1000-1990 100/0@3000-3990"},
        {"no pause: a sixteenth of the time is more", "f1000-1990/10*10 f2100-2990/10*10",
         "190/0@1000-2990"},
        {"the few true ones make no window", "f1000-1990/10*10 t1995-1995/1*10 f2000-2990/10*10",
         "200/1@1000-2990"},
        {"in turn: it is both", "f1000-1990/20*10 t1010-2000/20*10", "50/50@1000-1990"},
        {"told too late", "f1000-1500/10*10 t2000-2490/10*10 f1510-1990/10*10",
         "100/0@1000-1990 0/50@2000-2490"},
        {"many turns",
         "f0-90/10*9 t100-190/10*9 f200-290/10*9 t300-390/10*9 f400-490/10*9 t500-590/10*9 "
         "f600-690/10*9 t700-790/10*9",
         "10/0@0-90 0/10@100-190 10/0@200-290 0/10@300-390 10/0@400-490 0/10@500-590 "
         "10/0@600-690 0/10@700-790"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pc_windows *windows = windows_of(rows[i].requests);
        char *text = text_of(windows);
        cr_expect_str_eq(text, rows[i].windows, "%s: %s", rows[i].what, text);
        free(text);
        pc_windows_free(windows);
    }
}

/* ---- other line sizes --------------------------------------------------------------------------
 */

/* Of a layout, and of one line of the run or of all. */
struct of_layout {
    uint32_t bytes, offset;
    uint64_t line;
    int64_t v[PC_SIZED__COUNT];
};

static void add_sized(void *ctx, const struct pc_sized_line *sized)
{
    struct of_layout *of = ctx;
    if (sized->bytes != of->bytes || sized->offset != of->offset ||
        (of->line && sized->line != of->line))
        return;
    for (unsigned k = 0; k < PC_SIZED__COUNT; k++)
        of->v[k] += sized->v[k];
}

/* Accesses "card operation offset" of a word, 1,000 ticks one after the other; `+` before one: at
 * once. */
static void see(struct pc_sizes *s, const char *accesses)
{
    unsigned card, offset;
    char operation;
    int used;
    for (sim_tick at = 1000; *accesses; accesses += used) {
        const bool together = accesses[strspn(accesses, " ")] == '+';
        cr_assert_eq(sscanf(accesses + strspn(accesses, " +"), "%u%c%u%n", &card, &operation,
                            &offset, &used),
                     3);
        used += (int)strspn(accesses, " +");
        at += together ? 1 : 1000;
        pc_sizes_see(s, card, offset & ~31u, 15u << (offset & 31), operation == 'w', at);
    }
    pc_sizes_end(s);
}

Test(misses, of_other_sizes)
{
    static const struct {
        const char *what, *accesses;
        uint32_t bytes, offset;
        int64_t falsely, truly, upgrades_falsely, upgrades_truly;
    } rows[] = {
        {"words of their own", "0w0 1w4 0w0 1w4", 64, 0, 2, 0, 0, 0},
        {"in the least of lines, too", "0w0 1w4 0w0 1w4", 16, 0, 2, 0, 0, 0},
        {"... but if they are moved apart", "0w0 1w4 0w0 1w4", 16, 12, 0, 0, 0, 0},
        {"words of two lines", "0w0 1w64 0w0 1w64", 64, 0, 0, 0, 0, 0},
        {"... that are one line", "0w0 1w64 0w0 1w64", 128, 0, 2, 0, 0, 0},
        {"... or move into one", "0w60 1w64 0w60 1w64", 64, 4, 2, 0, 0, 0},
        {"one word", "0w0 1w0 0w0 1r0", 64, 0, 0, 2, 0, 0},
        {"read, and then written", "0r0 1r4 0w0 1r4", 64, 0, 1, 0, 1, 0},
        {"... the word that another reads", "0r0 1r0 0w0 1r0", 64, 0, 0, 1, 0, 1},
        {"the only copy", "0r0 0w0 1r128", 64, 0, 0, 0, 0, 0},
        {"read by all", "0r0 1r0 0r0 1r4", 64, 0, 0, 0, 0, 0},
        {"news that is read late", "0r0 1w8 0r0 1w4 0r8", 64, 0, 1, 1, 1, 0},
        {"before it would have been lost", "0w0 1w4 +0w0 +1w4 +0w0", 64, 0, 1, 0, 0, 0},
        {"two pages are never one line", "0w4092 1w4096 0w4092 1w4096", 256, 4, 0, 0, 0, 0},
        {"neighbours in the largest of lines", "0w0 1w252 0w0", 256, 0, 1, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct pc_sizes *s = pc_sizes_new(CARDS, LINE);
        struct of_layout of = {.bytes = rows[i].bytes, .offset = rows[i].offset};
        see(s, rows[i].accesses);
        pc_sizes_each(s, add_sized, &of);
        cr_expect(of.v[PC_SIZED_FALSE] == rows[i].falsely && of.v[PC_SIZED_TRUE] == rows[i].truly &&
                      of.v[PC_SIZED_UPGRADE_FALSE] == rows[i].upgrades_falsely &&
                      of.v[PC_SIZED_UPGRADE_TRUE] == rows[i].upgrades_truly,
                  "%s: %d %d %d %d", rows[i].what, (int)of.v[0], (int)of.v[1], (int)of.v[2],
                  (int)of.v[3]);
        pc_sizes_free(s);
    }
}

/* A card's copy of a line of any size, whose words of four bytes are bits. */
struct plain {
    bool held, had, counts; /* counts: its life began with a miss that is not the first */
    uint64_t touched, news;
};

static void plain_end(struct plain *p, int64_t *v)
{
    const bool truly = p->touched & p->news;
    if (p->counts)
        v[truly ? PC_SIZED_TRUE : PC_SIZED_FALSE]++;
    if (!p->counts || truly)
        p->news = 0;
    p->held = false;
}

static void plain_access(struct plain *line, unsigned card, uint64_t words, bool write, int64_t *v)
{
    struct plain *own = &line[card];
    bool taken = false;
    uint64_t theirs = 0;
    for (unsigned c = 0; write && c < CARDS; c++)
        if (c != card && line[c].held) {
            taken = true;
            theirs |= line[c].touched;
            plain_end(&line[c], v);
        }
    if (own->held && taken)
        v[theirs & words ? PC_SIZED_UPGRADE_TRUE : PC_SIZED_UPGRADE_FALSE]++;
    if (!own->held)
        *own = (struct plain){true, true, own->had, 0, own->news};
    own->touched |= words;
    for (unsigned c = 0; write && c < CARDS; c++)
        line[c].news |= c == card ? 0 : words;
}

struct drawn_access {
    unsigned card, at; /* of its page */
    uint32_t mask;     /* of the 32 bytes there */
    bool write;
};

/* What a layout would have of these accesses, none of which waits for another. */
static void plain_count(const struct drawn_access *a, unsigned count, unsigned bytes,
                        unsigned offset, int64_t *v)
{
    enum { PAGE = 4096, MOST = (PAGE + 64) / 16 };
    struct plain(*line)[CARDS] = calloc(MOST, sizeof *line);
    for (unsigned i = 0; i < count; i++) {
        const unsigned first = a[i].at + (unsigned)__builtin_ctz(a[i].mask) + offset;
        const unsigned words = (unsigned)__builtin_popcount(a[i].mask) / 4;
        for (unsigned w = first / 4; w < first / 4 + words; w++)
            plain_access(line[w * 4 / bytes], a[i].card, UINT64_C(1) << w % (bytes / 4), a[i].write,
                         v);
    }
    for (unsigned l = 0; l < MOST; l++)
        for (unsigned c = 0; c < CARDS; c++)
            if (line[l][c].held)
                plain_end(&line[l][c], v);
    free(line);
}

/* Also the sizes that no machine has: of accesses that are far apart nothing is estimated. */
Test(misses, of_other_sizes_plainly_counted)
{
    enum { COUNT = 400 };
    int64_t all[PC_SIZED__COUNT] = {0}; /* of the largest */
    static const unsigned offsets[] = {0, 4, 12, 24, 60};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct drawn_access a[COUNT];
        struct pc_sizes *s = pc_sizes_new(CARDS, LINE);
        uint64_t lot = seed;
        const unsigned spread = 64u << random_of(&lot, 5),
                       writes = 1 + (unsigned)random_of(&lot, 6);
        for (unsigned i = 0; i < COUNT; i++) {
            a[i] = (struct drawn_access){
                (unsigned)random_of(&lot, CARDS), (unsigned)random_of(&lot, spread / 32) * 32,
                0xfu << random_of(&lot, 8) * 4, random_of(&lot, 8) < writes};
            pc_sizes_see(s, a[i].card, a[i].at, a[i].mask, a[i].write, 1000 * (i + 1));
        }
        pc_sizes_end(s);
        for (unsigned bytes = 16; bytes <= 256; bytes *= 2)
            for (unsigned k = 0; k < sizeof offsets / sizeof *offsets; k++) {
                struct of_layout of = {.bytes = bytes, .offset = offsets[k]};
                int64_t v[PC_SIZED__COUNT] = {0};
                if (of.offset >= bytes)
                    continue;
                pc_sizes_each(s, add_sized, &of);
                plain_count(a, COUNT, bytes, of.offset, v);
                for (unsigned of_kind = 0; of_kind < PC_SIZED__COUNT; of_kind++)
                    all[of_kind] += bytes == PC_SIZES_LARGEST ? v[of_kind] : 0;
                cr_expect_arr_eq(of.v, v, sizeof v,
                                 "stream %d, lines of %u, %u on: %d %d %d %d, not %d %d %d %d",
                                 (int)seed, bytes, of.offset, (int)of.v[0], (int)of.v[1],
                                 (int)of.v[2], (int)of.v[3], (int)v[0], (int)v[1], (int)v[2],
                                 (int)v[3]);
            }
        pc_sizes_free(s);
    }
    for (unsigned k = 0; k < PC_SIZED__COUNT; k++)
        cr_assert_gt(all[k], 100);
}
