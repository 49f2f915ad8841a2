/*
 * Few lines are fought for: bits of bytes for these only, and judgement by what waiting they cost.
 *
 * The directory of each memory has a small table of lines of which copies were taken away or had to
 * be shared. With its answer to a request it tells the card that the line is one of them. The card
 * has a small table, too: which bytes of the line it uses and writes, how long it waited for the
 * line if that had been taken from it, and how long to write it. When its copy is taken or shared,
 * or its table has no more room, that goes to the directory: a tenure ends.
 *
 * The directory keeps what bytes the last tenures wrote, and of each card whether it lost the line,
 * and how many of these tenures ended since. When the card has the line again, it is told how many:
 * what was written in them is what it could be waiting for. If it uses any of it, waiting for the
 * line was true sharing, else false (Dubois and others, ISCA 1993). Waiting to write a line was
 * true sharing if the card writes what was used in the copies that were taken since the last tenure
 * that wrote.
 *
 * A line is a suspect if false sharing of it cost enough, and more than true sharing. So nothing is
 * for ever: what a thread prepares for others costs them one miss. A card's first miss is not
 * counted, as nobody took the line from it.
 *
 * The directory's table lets go of a line only if that has had no tenure for a while: each line
 * that finds no room makes all lines of its set older. If false sharing of the one that goes has
 * cost enough, a processor is interrupted, and keeps both sums in memory.
 */
#include "detect/model.h"

#include "base/alloc.h"

#include <uthash.h>

enum {
    FOUGHT_GRAINS = 64, /* of a line, at most */
    FOUGHT_UNIT = 16,   /* [PCycles] in which waiting is counted */
    FOUGHT_WAIT = 12,   /* [bits] for a tenure's waiting, */
    FOUGHT_SUM = 16,    /* ... and for a sum: when one is full, both are halved */
    FOUGHT_AGE = 4,     /* [bits] */
    FOUGHT_NOTED = 128, /* [bits] of memory for a line that was let go */
};

/** A card's line. */
struct fought_held {
    uint64_t line;    /* and 1: it is in use */
    uint64_t used;    /* grains, in this copy's life */
    uint64_t written; /* grains, in this tenure */
    uint64_t waited;  /* [units] for the line, since it was lost, */
    uint64_t claimed; /* ... and to write it */
    uint64_t news;    /* tenures that wrote since it was lost */
    uint64_t turn;    /* when it was held last, in turns */
};

/** What a card accessed last. */
struct fought_last {
    uint64_t line;
    struct fought_held *held; /* NULL: it holds no such line */
};

/** A directory's line. */
struct fought_entry {
    uint64_t line;           /* and 1: it is in use */
    uint64_t falsely, truly; /* [units] */
    sim_tick when;           /* it could be named first then; 0: not yet */
    unsigned youth;
    uint64_t *written; /* [tenures] grains, of those that wrote, the last one first */
    uint64_t victims;  /* grains that were used in the copies taken since */
    uint64_t *lost;    /* [cards] 0: not lost; else 1 and tenures that wrote since, if kept */
};

/** A line that was let go. */
struct fought_noted {
    uint64_t line, falsely, truly;
    sim_tick when; /* as of an entry, of the first of them */
    UT_hash_handle hh;
};

struct fought {
    struct det_seat *seat;
    const struct det_machine *machine;
    unsigned grain;      /* [bytes] */
    uint64_t sets, ways; /* of a directory's table */
    uint64_t held, tenures;
    uint64_t least; /* [units] */
    uint64_t handler;
    uint64_t turns;
    sim_tick now;               /* of the event */
    struct fought_entry *entry; /* [stations * sets * ways] */
    struct fought_held *table;  /* [cards * held] */
    struct fought_last *last;   /* [cards] for the host's time only */
    struct fought_noted *noted;
};

/* ---- the directory's table ------------------------------------------------------------------- */

static uint64_t fought_home(const struct fought *f, uint64_t line)
{
    return line / f->machine->memory % f->machine->stations;
}

static struct fought_entry *fought_set_of(const struct fought *f, uint64_t line)
{
    const uint64_t number = line / f->machine->line;
    const uint64_t set = (number ^ number / f->sets ^ number / f->sets / f->sets) % f->sets;
    return &f->entry[(fought_home(f, line) * f->sets + set) * f->ways];
}

/** @return NULL: there is none */
static struct fought_entry *fought_entry_of(const struct fought *f, uint64_t line)
{
    struct fought_entry *set = fought_set_of(f, line);
    for (uint64_t i = 0; i < f->ways; i++)
        if (set[i].line == (line | 1))
            return &set[i];
    return NULL;
}

static struct fought_noted *fought_noted_at(struct fought *f, uint64_t at)
{
    struct fought_noted *noted;
    HASH_FIND(hh, f->noted, &at, sizeof at, noted);
    if (!noted) {
        noted = sim_alloc(1, sizeof *noted);
        noted->line = at;
        HASH_ADD(hh, f->noted, line, sizeof noted->line, noted);
    }
    return noted;
}

static void fought_note(struct fought *f, const struct fought_entry *entry)
{
    struct fought_noted *noted = fought_noted_at(f, entry->line - 1);
    noted->falsely += entry->falsely;
    noted->truly += entry->truly;
    noted->when = noted->when ? noted->when : entry->when;
}

/** Room in a set, if a line may go. @return NULL: none may */
static struct fought_entry *fought_room(struct fought *f, struct fought_entry *set)
{
    struct fought_entry *oldest = set;
    for (struct fought_entry *entry = set; entry < set + f->ways; entry++)
        if (!entry->line || (oldest->line && entry->youth < oldest->youth))
            oldest = entry;
    if (oldest->line && oldest->youth) {
        for (struct fought_entry *entry = set; entry < set + f->ways; entry++)
            entry->youth--;
        return NULL;
    }
    return oldest;
}

/** @return NULL: there is no room */
static struct fought_entry *fought_enter(struct fought *f, uint64_t line)
{
    struct fought_entry *entry = fought_entry_of(f, line);
    if (entry || !(entry = fought_room(f, fought_set_of(f, line))))
        return entry;
    if (entry->line && entry->falsely >= f->least) {
        const unsigned cards = f->machine->cards / f->machine->stations;
        fought_note(f, entry);
        det_interrupt(f->seat, (unsigned)fought_home(f, line) * cards, f->handler);
    }
    uint64_t *written = entry->written, *lost = entry->lost;
    memset(written, 0, f->tenures * sizeof *written);
    memset(lost, 0, f->machine->cards * sizeof *lost);
    *entry = (struct fought_entry){.line = line | 1, .youth = 1, .written = written, .lost = lost};
    return entry;
}

/* ---- tenures --------------------------------------------------------------------------------- */

/** Whether others have written a byte that the card used, since it had lost the line. */
static bool fought_meets(const struct fought_entry *entry, const struct fought_held *held)
{
    uint64_t written = 0;
    for (uint64_t i = 0; i < held->news; i++)
        written |= entry->written[i];
    return written & held->used;
}

/** It wrote: that is news for all that have lost the line. */
static void fought_keep(const struct fought *f, struct fought_entry *entry, uint64_t written)
{
    memmove(entry->written + 1, entry->written, (f->tenures - 1) * sizeof *entry->written);
    entry->written[0] = written;
    entry->victims = 0;
    for (unsigned c = 0; c < f->machine->cards; c++)
        entry->lost[c] += entry->lost[c] && entry->lost[c] <= f->tenures;
}

static void fought_put_down(struct fought_entry *entry, bool truly, uint64_t units)
{
    *(truly ? &entry->truly : &entry->falsely) += units;
    while ((entry->truly | entry->falsely) >> FOUGHT_SUM) {
        entry->truly /= 2;
        entry->falsely /= 2;
    }
}

/** A tenure ends. */
static void fought_send(struct fought *f, struct fought_entry *entry, struct fought_held *held)
{
    if (held->used) {
        fought_put_down(entry, fought_meets(entry, held), held->waited);
        fought_put_down(entry, entry->victims & held->written, held->claimed);
        entry->youth += entry->youth < (1 << FOUGHT_AGE) - 1;
        if (!entry->when && entry->falsely >= f->least && entry->falsely >= entry->truly)
            entry->when = f->now;
        det_counted(f->seat, 1);
    }
    if (held->written)
        fought_keep(f, entry, held->written);
    held->written = held->waited = held->claimed = 0;
}

/* ---- the card's table ------------------------------------------------------------------------ */

/** @return NULL: there is none */
static struct fought_held *fought_held_of(const struct fought *f, unsigned card, uint64_t line)
{
    struct fought_held *table = &f->table[card * f->held];
    for (struct fought_held *held = table; held < table + f->held; held++)
        if (held->line == (line | 1))
            return held;
    return NULL;
}

static void fought_held_begin(struct fought *f, unsigned card, struct fought_held *held,
                              uint64_t line)
{
    *held = (struct fought_held){.line = line};
    f->last[card].held = NULL;
    f->last[card].line = UINT64_MAX;
}

/** The card's copy goes, or its bits do: what was used might be what another one wants to write. */
static void fought_lose(struct fought *f, struct fought_entry *entry, unsigned card,
                        struct fought_held *held)
{
    if (entry) {
        fought_send(f, entry, held);
        entry->victims |= held->used;
    }
    fought_held_begin(f, card, held, 0);
}

/** The one held last longest ago makes room. */
static struct fought_held *fought_hold(struct fought *f, unsigned card, uint64_t line)
{
    struct fought_held *held = fought_held_of(f, card, line);
    if (!held) {
        struct fought_held *table = &f->table[card * f->held];
        held = table;
        for (struct fought_held *other = table; other < table + f->held; other++)
            if (other->turn < held->turn)
                held = other;
        if (held->line)
            fought_lose(f, fought_entry_of(f, held->line - 1), card, held);
        fought_held_begin(f, card, held, line | 1);
    }
    held->turn = ++f->turns;
    return held;
}

static uint64_t fought_waits(uint64_t before, uint64_t pcycles)
{
    const uint64_t most = (1 << FOUGHT_WAIT) - 1;
    const uint64_t units = before + (pcycles + FOUGHT_UNIT / 2) / FOUGHT_UNIT;
    return units < most ? units : most;
}

static void fought_use(const struct fought *f, struct fought_held *held, const struct det_event *e)
{
    const uint64_t at = e->pa % f->machine->line;
    uint64_t grains = 0;
    for (uint64_t i = at / f->grain; i <= (at + e->bytes - 1) / f->grain && i < FOUGHT_GRAINS; i++)
        grains |= UINT64_C(1) << i;
    held->used |= grains;
    held->written |= e->store ? grains : 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void fought_filled(void *self, const struct det_event *e)
{
    struct fought *f = self;
    f->now = e->at;
    struct fought_entry *entry = fought_entry_of(f, e->line);
    if (!entry)
        return;
    struct fought_held *held = fought_hold(f, e->card, e->line);
    uint64_t *lost = &entry->lost[e->card];
    held->used = held->written = held->claimed = 0;
    held->waited = *lost ? fought_waits(0, e->latency) : 0;
    held->news = *lost ? *lost - 1 : 0;
    *lost = 0;
    fought_use(f, held, e);
}

static void fought_upgraded(void *self, const struct det_event *e)
{
    struct fought *f = self;
    f->now = e->at;
    if (!fought_entry_of(f, e->line))
        return;
    struct fought_held *held = fought_hold(f, e->card, e->line);
    held->claimed = fought_waits(held->claimed, e->latency);
    fought_use(f, held, e);
}

static void fought_access(void *self, const struct det_event *e)
{
    struct fought *f = self;
    const uint64_t line = e->pa - e->pa % f->machine->line;
    struct fought_last *last = &f->last[e->card];
    if (last->line != line)
        *last = (struct fought_last){line, fought_held_of(f, e->card, line)};
    if (last->held)
        fought_use(f, last->held, e);
}

static void fought_taken(void *self, const struct det_event *e)
{
    struct fought *f = self;
    f->now = e->at;
    struct fought_entry *entry = fought_enter(f, e->line);
    struct fought_held *held = fought_held_of(f, e->card, e->line);
    if (held)
        fought_lose(f, entry, e->card, held);
    if (entry)
        entry->lost[e->card] = 1;
}

static void fought_shared(void *self, const struct det_event *e)
{
    struct fought *f = self;
    f->now = e->at;
    struct fought_entry *entry = fought_enter(f, e->line);
    struct fought_held *held = fought_held_of(f, e->card, e->line);
    if (entry && held)
        fought_send(f, entry, held);
}

static void fought_evicted(void *self, const struct det_event *e)
{
    struct fought *f = self;
    f->now = e->at;
    struct fought_held *held = fought_held_of(f, e->card, e->line);
    if (held)
        fought_lose(f, fought_entry_of(f, e->line), e->card, held);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static uint64_t fought_tables(const struct det_seat *seat)
{
    const struct det_machine *m = det_machine(seat);
    const uint64_t tenures = (uint64_t)det_parameter(seat, DET_fought_tenures);
    const uint64_t entry = sizeof(struct fought_entry) + (tenures + m->cards) * sizeof(uint64_t);
    return m->stations * (uint64_t)det_parameter(seat, DET_fought_entries) * entry +
           m->cards * (uint64_t)det_parameter(seat, DET_fought_held) * sizeof(struct fought_held);
}

static void fought_begin(void *self, struct det_seat *seat)
{
    struct fought *f = self;
    const struct det_machine *m = det_machine(seat);
    const uint64_t entries = (uint64_t)det_parameter(seat, DET_fought_entries);
    const unsigned grain = (unsigned)det_parameter(seat, DET_fought_grain);
    f->seat = seat;
    f->machine = m;
    f->grain = m->line / grain > FOUGHT_GRAINS ? m->line / FOUGHT_GRAINS : grain;
    f->ways = (uint64_t)det_parameter(seat, DET_fought_ways);
    f->ways = f->ways < entries ? f->ways : entries;
    f->sets = entries / f->ways;
    f->held = (uint64_t)det_parameter(seat, DET_fought_held);
    f->tenures = (uint64_t)det_parameter(seat, DET_fought_tenures);
    f->least = (uint64_t)det_parameter(seat, DET_fought_least) / FOUGHT_UNIT;
    f->handler = (uint64_t)det_parameter(seat, DET_fought_handler);
    f->table = sim_alloc(m->cards * f->held, sizeof *f->table);
    f->last = sim_alloc(m->cards, sizeof *f->last);
    f->entry = sim_alloc(m->stations * f->sets * f->ways, sizeof *f->entry);
    for (uint64_t i = 0; i < m->stations * f->sets * f->ways; i++) {
        f->entry[i].written = sim_alloc(f->tenures, sizeof *f->entry[i].written);
        f->entry[i].lost = sim_alloc(m->cards, sizeof *f->entry[i].lost);
    }
}

/** [bits] for a number up to `most`. */
static uint64_t fought_width(uint64_t most)
{
    uint64_t bits = 0;
    for (; most; most >>= 1)
        bits++;
    return bits;
}

static uint64_t fought_bits(const void *self, const struct det_seat *seat)
{
    const struct fought *f = self;
    const struct det_machine *m = det_machine(seat);
    const uint64_t tag = m->address - fought_width(m->line - 1) + 1;
    const uint64_t mask = (m->line + f->grain - 1) / f->grain;
    const uint64_t news = fought_width(f->tenures);
    const uint64_t held = tag + 2 * mask + 2 * FOUGHT_WAIT + news + fought_width(f->held - 1);
    const uint64_t entry = tag + 2 * FOUGHT_SUM + FOUGHT_AGE + (f->tenures + 1) * mask +
                           m->cards * fought_width(f->tenures + 1);
    return m->cards * f->held * held + m->stations * f->sets * f->ways * entry +
           HASH_COUNT(f->noted) * (uint64_t)FOUGHT_NOTED;
}

/* The tables are read, and what they have is added to what was noted. */
static void fought_answer(void *self, struct det_seat *seat)
{
    struct fought *f = self;
    for (uint64_t i = 0; i < f->machine->stations * f->sets * f->ways; i++)
        if (f->entry[i].line && f->entry[i].falsely)
            fought_note(f, &f->entry[i]);
    for (const struct fought_noted *n = f->noted; n; n = n->hh.next) {
        const double share = (double)n->falsely / (double)(n->falsely + n->truly);
        const double enough = DET_SUSPECT * (double)n->falsely / (double)f->least;
        det_name(seat, &(struct det_named){.at = n->line,
                                           .score = share < enough ? share : enough,
                                           .count = n->falsely + n->truly,
                                           .when = n->when});
    }
}

static void fought_end(void *self)
{
    struct fought *f = self;
    struct fought_noted *noted, *next;
    HASH_ITER(hh, f->noted, noted, next) {
        HASH_DEL(f->noted, noted);
        free(noted);
    }
    for (uint64_t i = 0; i < f->machine->stations * f->sets * f->ways; i++) {
        free(f->entry[i].written);
        free(f->entry[i].lost);
    }
    free(f->entry);
    free(f->table);
    free(f->last);
}

const struct det_ops det_fought = {
    .size = sizeof(struct fought),
    .sees = DET_SEES_LINE | DET_SEES_PA | DET_SEES_BYTES | DET_SEES_STORE | DET_SEES_LATENCY,
    .bits = fought_bits,
    .tables = fought_tables,
    .begin = fought_begin,
    .answer = fought_answer,
    .end = fought_end,
    .access = fought_access,
    .filled = fought_filled,
    .upgraded = fought_upgraded,
    .taken = fought_taken,
    .shared = fought_shared,
    .evicted = fought_evicted,
};
