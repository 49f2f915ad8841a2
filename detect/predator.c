/*
 * Predator: the compiler instruments accesses to the heap and to global variables.
 *
 * A line's stores are counted. From so many on its accesses are tracked: some at the beginning of
 * each so many (its sampling). Each word has the threads that use it, and how often they do. A
 * table of two accesses counts what would be invalidations: a store is one if the table has an
 * access of another thread; then it has only that store. A load of another thread is the table's
 * second. A line with enough invalidations is named, by how many of its accesses are to words that
 * are one thread's, or that nobody stores to; how the authors weigh words that are mostly one's is
 * not known to us.
 *
 * Prediction: when enough stores were made, words that are used more than the line's average are
 * paired with such words of the lines beside it. Two threads' words, of which one is stored to,
 * would be in one line if lines were twice as long, or if the object began elsewhere. Such virtual
 * lines get a table of their own, and are named if that counts enough invalidations: as objects,
 * with no more confidence than `predicted`, which is no suspect's: on this machine they share
 * nothing.
 *
 * It cannot see stacks, which the compiler does not instrument; nor bytes: threads that share a
 * word share it truly.
 */
#include "detect/model.h"

#include "base/alloc.h"

#include <uthash.h>

enum {
    PREDATOR_WORD = 4,  /* [bytes] */
    PREDATOR_COVERS = 4 /* virtual lines that are kept of a line */
};

/** The table of two accesses, and what it has counted. */
struct predator_history {
    uint32_t thread[2];
    unsigned count;
    uint64_t invalidations;
};

struct predator_word {
    uint32_t thread; /* the first that has used it */
    uint64_t loads, stores;
    uint64_t others; /* of those, other threads' */
};

/** Memory that would be a line. */
struct predator_virtual {
    uint64_t from, to;
    struct predator_history history;
    struct predator_virtual *next;
};

struct predator_line {
    uint64_t line; /* virtual address */
    bool ignored;  /* of a stack */
    bool foretold;
    uint64_t stores, accesses;
    struct predator_history history;
    struct predator_word *word; /* NULL: it is not tracked */
    struct predator_virtual *covers[PREDATOR_COVERS];
    UT_hash_handle hh;
};

struct predator_stack {
    uint64_t from, to;
};

struct predator {
    struct det_seat *seat;
    const struct det_machine *machine;
    uint64_t track, tracked, of, predict, report, access, predicted;
    unsigned words; /* of a line */
    struct predator_line *lines;
    struct predator_line **last; /* [cards] that was accessed; NULL: none */
    struct predator_virtual *virtuals;
    struct predator_stack *stack;
    size_t stacks, room;
    uint64_t tracking; /* lines that are tracked */
};

/* ---- lines ----------------------------------------------------------------------------------- */

static bool predator_is_stack(const struct predator *p, uint64_t va)
{
    for (size_t i = 0; i < p->stacks; i++)
        if (p->stack[i].from <= va && va < p->stack[i].to)
            return true;
    return false;
}

static struct predator_line *predator_line_of(const struct predator *p, uint64_t at)
{
    struct predator_line *line;
    HASH_FIND(hh, p->lines, &at, sizeof at, line);
    return line;
}

static struct predator_line *predator_line_at(struct predator *p, unsigned card, uint64_t at)
{
    struct predator_line *line = p->last[card];
    if (line && line->line == at)
        return line;
    line = predator_line_of(p, at);
    if (!line) {
        line = sim_alloc(1, sizeof *line);
        line->line = at;
        line->ignored = predator_is_stack(p, at);
        HASH_ADD(hh, p->lines, line, sizeof line->line, line);
    }
    return p->last[card] = line;
}

/* ---- what is tracked ------------------------------------------------------------------------- */

static void predator_note(struct predator_history *h, uint32_t thread, bool store)
{
    const bool alone = h->count == 1 && h->thread[0] == thread;
    if (alone || (h->count == 2 && !store))
        return;
    if (store && h->count) {
        h->invalidations++;
        h->count = 0;
    }
    h->thread[h->count++] = thread;
}

static void predator_note_word(struct predator_word *word, const struct det_event *e)
{
    if (!(word->loads | word->stores))
        word->thread = e->thread;
    word->others += word->thread != e->thread;
    *(e->store ? &word->stores : &word->loads) += 1;
}

static void predator_track(struct predator *p, struct predator_line *line,
                           const struct det_event *e)
{
    const uint64_t first = e->va % p->machine->line / PREDATOR_WORD;
    const uint64_t last = (e->va % p->machine->line + e->bytes - 1) / PREDATOR_WORD;
    det_counted(p->seat, 1);
    predator_note(&line->history, e->thread, e->store);
    for (uint64_t i = first; i <= last && i < p->words; i++)
        predator_note_word(&line->word[i], e);
    for (unsigned i = 0; i < PREDATOR_COVERS && line->covers[i]; i++)
        if (e->va < line->covers[i]->to && line->covers[i]->from < e->va + e->bytes)
            predator_note(&line->covers[i]->history, e->thread, e->store);
}

/* ---- prediction ------------------------------------------------------------------------------ */

/** Uses of a word on average. */
static uint64_t predator_average(const struct predator *p, const struct predator_line *line)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < p->words; i++)
        sum += line->word[i].loads + line->word[i].stores;
    return sum / p->words;
}

static bool predator_cover(struct predator_line *line, struct predator_virtual *by)
{
    for (unsigned i = 0; i < PREDATOR_COVERS; i++)
        if (!line->covers[i]) {
            line->covers[i] = by;
            return true;
        }
    return false;
}

/** Tracks memory of two lines as one line, unless it is tracked already. */
static void predator_verify(struct predator *p, struct predator_line *low,
                            struct predator_line *high, uint64_t from, uint64_t bytes)
{
    for (unsigned i = 0; i < PREDATOR_COVERS && low->covers[i]; i++)
        if (low->covers[i]->from == from && low->covers[i]->to == from + bytes)
            return;
    if (low->covers[PREDATOR_COVERS - 1] || high->covers[PREDATOR_COVERS - 1]) {
        det_lost(p->seat, 1);
        return;
    }
    struct predator_virtual *new = sim_alloc(1, sizeof *new);
    *new = (struct predator_virtual){.from = from, .to = from + bytes, .next = p->virtuals};
    p->virtuals = new;
    predator_cover(low, new);
    predator_cover(high, new);
}

/** Two hot words, one of each line. */
static void predator_pair(struct predator *p, struct predator_line *low, unsigned i,
                          struct predator_line *high, unsigned k)
{
    const struct predator_word *a = &low->word[i], *b = &high->word[k];
    const uint64_t line = p->machine->line, from = low->line + i * (uint64_t)PREDATOR_WORD;
    const uint64_t apart = high->line + (k + 1) * (uint64_t)PREDATOR_WORD - from;
    if (!(a->stores | b->stores) || (a->thread == b->thread && !a->others && !b->others))
        return;
    if (low->line / line % 2 == 0)
        predator_verify(p, low, high, low->line, 2 * line);
    if (apart <= line) /* in the middle of the virtual line */
        predator_verify(p, low, high,
                        from - (line - apart) / 2 / PREDATOR_WORD * (uint64_t)PREDATOR_WORD, line);
}

static void predator_predict(struct predator *p, struct predator_line *low,
                             struct predator_line *high)
{
    if (!low || !high || !low->word || !high->word)
        return;
    const uint64_t of_low = predator_average(p, low), of_high = predator_average(p, high);
    for (unsigned i = 0; i < p->words; i++)
        for (unsigned k = 0; k < p->words; k++)
            if (low->word[i].loads + low->word[i].stores > of_low &&
                high->word[k].loads + high->word[k].stores > of_high)
                predator_pair(p, low, i, high, k);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void predator_thread(void *self, const struct det_event *e)
{
    struct predator *p = self;
    SIM_ROOM(p->stack, p->stacks, p->room, 16);
    p->stack[p->stacks++] = (struct predator_stack){e->va, e->va + e->bytes};
}

static void predator_access(void *self, const struct det_event *e)
{
    struct predator *p = self;
    const uint64_t bytes = p->machine->line;
    struct predator_line *line = predator_line_at(p, e->card, e->va - e->va % bytes);
    if (line->ignored)
        return;
    if (e->store || !e->atomic) /* an LL and its SC are instrumented as one access, behind them */
        det_spend(p->seat, e->card, p->access);
    line->stores += e->store;
    if (!line->word && line->stores >= p->track) {
        line->word = sim_alloc(p->words, sizeof *line->word);
        p->tracking++;
    }
    if (line->word && line->accesses++ % p->of < p->tracked)
        predator_track(p, line, e);
    if (line->stores < p->predict || line->foretold || !line->word)
        return;
    line->foretold = true;
    predator_predict(p, predator_line_of(p, line->line - bytes), line);
    predator_predict(p, line, predator_line_of(p, line->line + bytes));
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void predator_begin(void *self, struct det_seat *seat)
{
    struct predator *p = self;
    p->seat = seat;
    p->machine = det_machine(seat);
    p->words = p->machine->line / PREDATOR_WORD;
    p->track = (uint64_t)det_parameter(seat, DET_predator_track);
    p->tracked = (uint64_t)det_parameter(seat, DET_predator_tracked);
    p->of = (uint64_t)det_parameter(seat, DET_predator_of);
    p->predict = (uint64_t)det_parameter(seat, DET_predator_predict);
    p->report = (uint64_t)det_parameter(seat, DET_predator_report);
    p->access = (uint64_t)det_parameter(seat, DET_predator_access);
    p->predicted = (uint64_t)det_parameter(seat, DET_predator_predicted);
    p->last = sim_alloc(p->machine->cards, sizeof(struct predator_line *));
}

/* Of each line a count of stores and a pointer; of one that is tracked the table with a kind for
 * each access, three counts, and of each word a thread and three counts; of a virtual line its
 * bounds and its table. */
static uint64_t predator_bits(const void *self, const struct det_seat *seat)
{
    enum { COUNT = 32, ADDRESS = 64, TABLE = 2 * (32 + 1) + COUNT, WORD = 32 + 3 * COUNT };
    const struct predator *p = self;
    uint64_t virtuals = 0;
    (void)seat;
    for (const struct predator_virtual *v = p->virtuals; v; v = v->next)
        virtuals++;
    return HASH_COUNT(p->lines) * (uint64_t)(COUNT + ADDRESS) +
           p->tracking * (TABLE + 2 * COUNT + p->words * (uint64_t)WORD) +
           virtuals * (2 * ADDRESS + TABLE);
}

/** Accesses of a word that are true sharing: of two threads that use it alike, all. One that reads
 *  it in the end does not count for much. */
static uint64_t predator_common(const struct predator_word *word)
{
    const uint64_t all = word->loads + word->stores, pairs = 2 * word->others;
    return !word->stores ? 0 : pairs < all ? pairs : all;
}

static void predator_name(const struct predator *p, const struct predator_line *line)
{
    uint64_t all = 0, common = 0;
    for (unsigned i = 0; i < p->words; i++) {
        all += line->word[i].loads + line->word[i].stores;
        common += predator_common(&line->word[i]);
    }
    det_name(p->seat, &(struct det_named){.at = line->line,
                                          .virtual = true,
                                          .score = (double)(all - common) / (double)all,
                                          .count = line->history.invalidations});
}

static void predator_answer(void *self, struct det_seat *seat)
{
    const struct predator *p = self;
    for (const struct predator_line *line = p->lines; line; line = line->hh.next)
        if (line->history.invalidations >= p->report)
            predator_name(p, line);
    for (const struct predator_virtual *v = p->virtuals; v; v = v->next)
        if (v->history.invalidations >= p->report)
            det_name(seat, &(struct det_named){.at = v->from,
                                               .virtual = true,
                                               .bytes = v->to - v->from,
                                               .score = (double)p->predicted / 100,
                                               .count = v->history.invalidations});
}

static void predator_end(void *self)
{
    struct predator *p = self;
    struct predator_line *line, *next;
    HASH_ITER(hh, p->lines, line, next) {
        HASH_DEL(p->lines, line);
        free(line->word);
        free(line);
    }
    for (struct predator_virtual *v = p->virtuals, *after; v; v = after) {
        after = v->next;
        free(v);
    }
    free(p->stack);
    free(p->last);
}

const struct det_ops det_predator = {
    .size = sizeof(struct predator),
    .sees = DET_SEES_VA | DET_SEES_BYTES | DET_SEES_STORE | DET_SEES_ATOMIC | DET_SEES_THREAD,
    .bits = predator_bits,
    .begin = predator_begin,
    .answer = predator_answer,
    .end = predator_end,
    .access = predator_access,
    .thread = predator_thread,
};
