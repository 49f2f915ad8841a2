/*
 * FSDetect: tables beside the primary caches and beside the directory.
 *
 * Each line of a primary cache has two bits for each byte: read and written since it came, or since
 * it was last asked for them (private access metadata, PAM). The directory counts how often a line
 * is asked for, and how many copies are invalidated or, to be shared, intervened. With the
 * invalidation or intervention it asks for the card's bits, and puts them into its table of lines
 * (shared access metadata, SAM): who wrote each byte last, and who has read it. If a byte is one's
 * to write and another's besides, the line is shared truly, and nobody sends bits for it any more.
 * When both counts have come to their thresholds, the next request ends an epoch of the line. If it
 * has an entry without true sharing, it is named: once. If the entry has true sharing, the entry is
 * cleared, and bits are sent again: what a thread has prepared for others is true sharing of the
 * first epoch only.
 *
 * Where the paper has one last-level cache with the directory, this machine has a directory in the
 * memory of each station: so each has a table, and counters for as many lines as such a cache would
 * have. A copy's bits are sent when the primary cache drops it, too, if others had the line when it
 * came.
 *
 * The rules are those of the paper and of its authors' published simulator. Not known to them or to
 * us for sure: the table's associativity here. `reset` is there, but off, as in that simulator.
 */
#include "detect/model.h"

#include "base/alloc.h"

#include <uthash.h>

enum { FSDETECT_NOBODY = 0xffff, FSDETECT_WORD = 64 /* [bits] */ };

/** PAM: what a card has done with a line of its primary cache. */
struct fsdetect_part {
    struct {
        uint64_t part, card;
    } key;
    uint64_t read, written; /* bytes, the first in bit 0 */
    UT_hash_handle hh;
};

/** A directory's counters of a line. */
struct fsdetect_counter {
    uint64_t line; /* and 1: it is in use */
    uint16_t fetches, invalidations;
    bool named;
};

/** An entry of SAM. */
struct fsdetect_entry {
    uint64_t line; /* and 1: it is in use */
    uint64_t used; /* when it was used last, in uses */
    bool true_sharing;
    uint16_t *writer;  /* [bytes of a line] who wrote it last */
    uint64_t *readers; /* [bytes of a line * words] a bit for each card */
};

/** Who has a line: the machine's directory knows it anyway. */
struct fsdetect_line {
    uint64_t line;
    uint64_t *cards;    /* a bit for each that has a copy */
    uint64_t *required; /* ... whose bits are sent when its primary cache drops it */
    uint64_t times;     /* it was found to be shared falsely, */
    sim_tick when;      /* and first then */
    UT_hash_handle hh;
};

struct fsdetect {
    struct det_seat *seat;
    const struct det_machine *machine;
    size_t words;             /* for a bit of each card */
    uint64_t sets, ways;      /* of a table */
    uint64_t counted;         /* [counters] of a station */
    uint64_t fetches, invals; /* thresholds */
    uint64_t most;            /* fetches at which both counts begin anew */
    uint64_t reset_every;     /* [PCycles] 0: never */
    sim_tick reset_at;
    uint64_t uses;
    struct fsdetect_part *parts;
    struct fsdetect_part **last;      /* [cards] the last one that was accessed; NULL: none */
    struct fsdetect_counter *counter; /* [stations * counted] */
    struct fsdetect_entry *entry;     /* [stations * sets * ways] */
    struct fsdetect_line *lines;
};

/* ---- sets of cards --------------------------------------------------------------------------- */

static void fsdetect_set(uint64_t *cards, unsigned card, bool is)
{
    const uint64_t bit = UINT64_C(1) << card % FSDETECT_WORD;
    cards[card / FSDETECT_WORD] &= ~bit;
    cards[card / FSDETECT_WORD] |= is ? bit : 0;
}

static bool fsdetect_has(const uint64_t *cards, unsigned card)
{
    return cards[card / FSDETECT_WORD] >> card % FSDETECT_WORD & 1;
}

/** Whether another than the card is in it. */
static bool fsdetect_others(const struct fsdetect *f, const uint64_t *cards, unsigned card)
{
    for (size_t i = 0; i < f->words; i++) {
        const uint64_t own = card / FSDETECT_WORD == i ? UINT64_C(1) << card % FSDETECT_WORD : 0;
        if (cards[i] & ~own)
            return true;
    }
    return false;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint64_t fsdetect_home(const struct fsdetect *f, uint64_t line)
{
    return line / f->machine->memory % f->machine->stations;
}

/** The counters of a line: another one's make room. */
static struct fsdetect_counter *fsdetect_counter_of(struct fsdetect *f, uint64_t line)
{
    const uint64_t place = line / f->machine->line % f->counted;
    struct fsdetect_counter *counter = &f->counter[fsdetect_home(f, line) * f->counted + place];
    if (counter->line != (line | 1))
        *counter = (struct fsdetect_counter){.line = line | 1};
    return counter;
}

static struct fsdetect_entry *fsdetect_set_of(const struct fsdetect *f, uint64_t line)
{
    const uint64_t set = line / f->machine->line % f->sets;
    return &f->entry[(fsdetect_home(f, line) * f->sets + set) * f->ways];
}

/** @return NULL: there is none */
static struct fsdetect_entry *fsdetect_entry_of(struct fsdetect *f, uint64_t line)
{
    struct fsdetect_entry *set = fsdetect_set_of(f, line);
    for (uint64_t i = 0; i < f->ways; i++)
        if (set[i].line == (line | 1)) {
            set[i].used = ++f->uses;
            return &set[i];
        }
    return NULL;
}

static void fsdetect_clear(const struct fsdetect *f, struct fsdetect_entry *entry, uint64_t line)
{
    const unsigned bytes = f->machine->line;
    entry->line = line;
    entry->true_sharing = false;
    for (unsigned i = 0; i < bytes; i++)
        entry->writer[i] = FSDETECT_NOBODY;
    memset(entry->readers, 0, bytes * f->words * sizeof *entry->readers);
}

/** An entry for a line that has none: the one used last longest ago makes room, and its line is
 *  counted anew. */
static struct fsdetect_entry *fsdetect_enter(struct fsdetect *f, uint64_t line)
{
    struct fsdetect_entry *set = fsdetect_set_of(f, line), *oldest = set;
    for (uint64_t i = 0; i < f->ways; i++)
        if (set[i].line == 0 || (oldest->line && set[i].used < oldest->used))
            oldest = &set[i];
    if (oldest->line) {
        struct fsdetect_counter *victim = fsdetect_counter_of(f, oldest->line - 1);
        victim->fetches = victim->invalidations = 0;
    }
    fsdetect_clear(f, oldest, line | 1);
    oldest->used = ++f->uses;
    return oldest;
}

static struct fsdetect_line *fsdetect_line_at(struct fsdetect *f, uint64_t at)
{
    struct fsdetect_line *line;
    HASH_FIND(hh, f->lines, &at, sizeof at, line);
    if (!line) {
        line = sim_alloc(1, sizeof *line);
        line->line = at;
        line->cards = sim_alloc(2 * f->words, sizeof *line->cards);
        line->required = line->cards + f->words;
        HASH_ADD(hh, f->lines, line, sizeof line->line, line);
    }
    return line;
}

/* ---- private access metadata ----------------------------------------------------------------- */

static struct fsdetect_part *fsdetect_part_of(struct fsdetect *f, unsigned card, uint64_t at)
{
    struct fsdetect_part *part = f->last[card];
    if (part && part->key.part == at)
        return part;
    const struct fsdetect_part wanted = {.key = {at, card}};
    HASH_FIND(hh, f->parts, &wanted.key, sizeof wanted.key, part);
    return part;
}

static void fsdetect_access(void *self, const struct det_event *e)
{
    struct fsdetect *f = self;
    struct fsdetect_part *part = fsdetect_part_of(f, e->card, e->part);
    if (!part) {
        part = sim_alloc(1, sizeof *part);
        part->key.part = e->part;
        part->key.card = e->card;
        HASH_ADD(hh, f->parts, key, sizeof part->key, part);
    }
    const uint64_t all = e->bytes < FSDETECT_WORD ? (UINT64_C(1) << e->bytes) - 1 : UINT64_MAX;
    *(e->store ? &part->written : &part->read) |= all << (e->pa - e->part);
    f->last[e->card] = part;
}

/* ---- shared access metadata ------------------------------------------------------------------ */

/** A byte was written, or read. @return whether others have done what makes that true sharing */
static bool fsdetect_byte(const struct fsdetect *f, struct fsdetect_entry *entry, unsigned byte,
                          unsigned card, bool read, bool written)
{
    uint64_t *readers = &entry->readers[byte * f->words];
    bool conflict = entry->writer[byte] != FSDETECT_NOBODY && entry->writer[byte] != card;
    conflict |= written && fsdetect_others(f, readers, card);
    if (written)
        entry->writer[byte] = (uint16_t)card;
    if (read)
        fsdetect_set(readers, card, true);
    return conflict;
}

/** A card sends its bits of a part of a line. */
static void fsdetect_send(struct fsdetect *f, struct fsdetect_part *part, uint64_t line)
{
    struct fsdetect_entry *entry = fsdetect_entry_of(f, line);
    if (!(part->read | part->written) || fsdetect_counter_of(f, line)->named ||
        (entry && entry->true_sharing))
        return;
    if (!entry)
        entry = fsdetect_enter(f, line);
    for (unsigned i = 0; i < f->machine->part; i++) {
        const bool read = part->read >> i & 1, written = part->written >> i & 1;
        if (read || written)
            entry->true_sharing |= fsdetect_byte(f, entry, (unsigned)(part->key.part - line) + i,
                                                 (unsigned)part->key.card, read, written);
    }
    part->read = part->written = 0;
    det_counted(f->seat, 1);
}

static void fsdetect_send_all(struct fsdetect *f, unsigned card, uint64_t line)
{
    for (uint64_t at = line; at < line + f->machine->line; at += f->machine->part) {
        struct fsdetect_part *part = fsdetect_part_of(f, card, at);
        if (part)
            fsdetect_send(f, part, line);
    }
}

static void fsdetect_forget(struct fsdetect *f, struct fsdetect_part *part)
{
    if (!part)
        return;
    if (f->last[part->key.card] == part)
        f->last[part->key.card] = NULL;
    HASH_DEL(f->parts, part);
    free(part);
}

/* ---- events of lines ------------------------------------------------------------------------- */

static void fsdetect_reset(struct fsdetect *f, sim_tick now)
{
    if (!f->reset_every || now < f->reset_at)
        return;
    f->reset_at = now + f->reset_every;
    for (uint64_t i = 0; i < f->machine->stations * f->sets * f->ways; i++)
        f->entry[i].line = 0;
}

/** The directory gets a request: the line may have come to its thresholds. */
static void fsdetect_asked(void *self, const struct det_event *e)
{
    struct fsdetect *f = self;
    struct fsdetect_counter *counter = fsdetect_counter_of(f, e->line);
    struct fsdetect_line *line = fsdetect_line_at(f, e->line);
    fsdetect_reset(f, e->at);
    if (!counter->named && counter->fetches >= f->fetches && counter->invalidations >= f->invals) {
        struct fsdetect_entry *entry = fsdetect_entry_of(f, e->line);
        counter->fetches = counter->invalidations = 0;
        if (entry && entry->true_sharing) {
            fsdetect_clear(f, entry, entry->line);
        } else if (entry) {
            counter->named = true;
            line->when = line->times++ ? line->when : e->at;
        }
    }
    if (++counter->fetches >= f->most)
        counter->fetches = counter->invalidations = 0;
    fsdetect_set(line->required, e->card, fsdetect_others(f, line->cards, e->card));
}

static void fsdetect_filled(void *self, const struct det_event *e)
{
    fsdetect_set(fsdetect_line_at(self, e->line)->cards, e->card, true);
}

/** An invalidation or an intervention: it asks for the card's bits. */
static void fsdetect_counts(struct fsdetect *f, const struct det_event *e)
{
    struct fsdetect_counter *counter = fsdetect_counter_of(f, e->line);
    counter->invalidations += counter->invalidations < f->most;
    fsdetect_send_all(f, e->card, e->line);
}

static void fsdetect_gone(struct fsdetect *f, const struct det_event *e)
{
    struct fsdetect_line *line = fsdetect_line_at(f, e->line);
    for (uint64_t at = e->line; at < e->line + f->machine->line; at += f->machine->part)
        fsdetect_forget(f, fsdetect_part_of(f, e->card, at));
    fsdetect_set(line->cards, e->card, false);
    fsdetect_set(line->required, e->card, false);
}

static void fsdetect_taken(void *self, const struct det_event *e)
{
    fsdetect_counts(self, e);
    fsdetect_gone(self, e);
}

static void fsdetect_shared(void *self, const struct det_event *e)
{
    fsdetect_counts(self, e);
}

static void fsdetect_evicted(void *self, const struct det_event *e)
{
    fsdetect_gone(self, e);
}

static void fsdetect_dropped(void *self, const struct det_event *e)
{
    struct fsdetect *f = self;
    struct fsdetect_part *part = fsdetect_part_of(f, e->card, e->part);
    if (part && fsdetect_has(fsdetect_line_at(f, e->line)->required, e->card))
        fsdetect_send(f, part, e->line);
    fsdetect_forget(f, part);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void fsdetect_make_entries(struct fsdetect *f)
{
    const uint64_t entries = f->machine->stations * f->sets * f->ways;
    f->entry = sim_alloc(entries, sizeof *f->entry);
    for (uint64_t i = 0; i < entries; i++) {
        f->entry[i].writer = sim_alloc(f->machine->line, sizeof *f->entry[i].writer);
        f->entry[i].readers = sim_alloc(f->machine->line * f->words, sizeof *f->entry[i].readers);
    }
}

static uint64_t fsdetect_tables(const struct det_seat *seat)
{
    const struct det_machine *m = det_machine(seat);
    const uint64_t words = (m->cards + FSDETECT_WORD - 1) / FSDETECT_WORD;
    const uint64_t entry =
        sizeof(struct fsdetect_entry) + m->line * (sizeof(uint16_t) + words * sizeof(uint64_t));
    const uint64_t counters =
        (uint64_t)det_parameter(seat, DET_fsdetect_counted) * sizeof(struct fsdetect_counter);
    return m->stations * (counters + (uint64_t)det_parameter(seat, DET_fsdetect_entries) * entry);
}

static void fsdetect_begin(void *self, struct det_seat *seat)
{
    struct fsdetect *f = self;
    const uint64_t entries = (uint64_t)det_parameter(seat, DET_fsdetect_entries);
    f->seat = seat;
    f->machine = det_machine(seat);
    f->words = (f->machine->cards + FSDETECT_WORD - 1) / FSDETECT_WORD;
    f->ways = (uint64_t)det_parameter(seat, DET_fsdetect_ways);
    f->ways = f->ways < entries ? f->ways : entries;
    f->sets = entries / f->ways;
    f->counted = (uint64_t)det_parameter(seat, DET_fsdetect_counted);
    f->fetches = (uint64_t)det_parameter(seat, DET_fsdetect_fetches);
    f->invals = (uint64_t)det_parameter(seat, DET_fsdetect_invalidations);
    f->most = 2 * (f->fetches > f->invals ? f->fetches : f->invals);
    f->reset_every = (uint64_t)det_parameter(seat, DET_fsdetect_reset);
    f->reset_at = f->reset_every;
    f->last = sim_alloc(f->machine->cards, sizeof(struct fsdetect_part *));
    f->counter = sim_alloc(f->machine->stations * f->counted, sizeof *f->counter);
    fsdetect_make_entries(f);
}

/** [bits] for a number up to `most`. */
static uint64_t fsdetect_width(uint64_t most)
{
    uint64_t bits = 0;
    for (; most; most >>= 1)
        bits++;
    return bits;
}

/* PAM beside each primary cache; counters and SAM beside each directory. Of each byte SAM has a bit
 * for each card, and the number of the last writer or that there is none. */
static uint64_t fsdetect_bits(const void *self, const struct det_seat *seat)
{
    const struct fsdetect *f = self;
    const struct det_machine *m = det_machine(seat);
    const uint64_t tag = m->address - fsdetect_width(m->line - 1), flags = 2;
    const uint64_t pam = (uint64_t)m->cards * m->primary * (2 * m->part + 1);
    const uint64_t counter = tag + 2 * fsdetect_width(f->most) + 1;
    const uint64_t entry =
        tag + flags + fsdetect_width(f->ways - 1) + m->line * (m->cards + fsdetect_width(m->cards));
    return pam + m->stations * (f->counted * counter + f->sets * f->ways * entry);
}

static void fsdetect_answer(void *self, struct det_seat *seat)
{
    const struct fsdetect *f = self;
    for (const struct fsdetect_line *line = f->lines; line; line = line->hh.next)
        if (line->times)
            det_name(seat,
                     &(struct det_named){
                         .at = line->line, .score = 1, .count = line->times, .when = line->when});
}

static void fsdetect_end(void *self)
{
    struct fsdetect *f = self;
    struct fsdetect_part *part, *next_part;
    struct fsdetect_line *line, *next_line;
    HASH_ITER(hh, f->parts, part, next_part) {
        HASH_DEL(f->parts, part);
        free(part);
    }
    HASH_ITER(hh, f->lines, line, next_line) {
        HASH_DEL(f->lines, line);
        free(line->cards);
        free(line);
    }
    for (uint64_t i = 0; i < f->machine->stations * f->sets * f->ways; i++) {
        free(f->entry[i].writer);
        free(f->entry[i].readers);
    }
    free(f->entry);
    free(f->counter);
    free(f->last);
}

const struct det_ops det_fsdetect = {
    .size = sizeof(struct fsdetect),
    .sees = DET_SEES_LINE | DET_SEES_PART | DET_SEES_PA | DET_SEES_BYTES | DET_SEES_STORE,
    .bits = fsdetect_bits,
    .tables = fsdetect_tables,
    .begin = fsdetect_begin,
    .answer = fsdetect_answer,
    .end = fsdetect_end,
    .access = fsdetect_access,
    .asked = fsdetect_asked,
    .filled = fsdetect_filled,
    .taken = fsdetect_taken,
    .shared = fsdetect_shared,
    .evicted = fsdetect_evicted,
    .dropped = fsdetect_dropped,
};
