/*
 * Recording. The hard idea is what is kept of time: only PCycles that are the program's own, as
 * gaps, and how long the operating system took from one event to another. What a thread waited for
 * is kept as an event: the thread that woke it, or the store that it saw.
 *
 * Records of a card come in pieces and late. So before anything is put into a thread's records that
 * the cards do not tell of, its card is asked for what it has (catch_up).
 */
#include "programs/traces/recording.h"
#include "base/alloc.h"
#include "machine/values.h"
#include "procard/procard.h"
#include "procard/record.h"
#include "programs/traces/table.h"
#include "programs/traces/writers.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

enum { NOBODY = UINT32_MAX, WORD_SHIFT = 3, LINE_SHIFT = 5, FILTER_BITS = 16 };

enum {
    POLLS = 8, /* loads, and nothing else, from two places */
    RECENT = 4 /* stores into a word that may not have been noticed everywhere */
};

enum state {
    RUNS,
    BORN,
    SLEEPS,
    CALLED, /* by another thread, */
    DATED,  /* or by a date or a signal; it has slept */
    LEFT,   /* its card, to another thread or for another card */
    OVER
};

struct thread {
    uint32_t name; /* the operating system's number */
    enum state state;
    unsigned card;   /* on which it is, or was last */
    uint32_t killed; /* [PCycles] of its own by a trap: the gap of its next note */
    sim_tick since;  /* LEFT, SLEEPS and behind it: from when on; else when it was born */
    sim_tick ready;  /* CALLED, DATED: since then */
    sim_tick told;   /* [ticks] up to which the system's time is in its records */
};

struct card {
    uint32_t thread;    /* that is on it, or was last; NOBODY: none yet */
    uint64_t own;       /* [PCycles] of its own that are in records */
    uint64_t looked[2]; /* addresses from which it loads and nothing else; */
    unsigned looks;     /* how often it has */
};

/* Eight bytes into which threads store that synchronise there. */
struct word {
    uint64_t stored; /* how often, */
    struct store {
        sim_tick at;
        unsigned card;
    } recent[RECENT]; /* and when the last times; [stored % RECENT] is the oldest */
};

struct region {
    char *name;
    bool open;
};

struct tr_recording {
    struct nm_machine *m;
    struct pc_records *records;
    FILE *file; /* the trace, until it is copied */
    struct tr_sink *sink;
    struct thread *thread;
    uint32_t threads;
    struct card *card;
    struct region *region;
    uint32_t regions;
    struct tr_table words; /* doublewords where threads synchronise: their number in `word`, + 1 */
    struct word *word;
    size_t word_count;
    struct tr_table lines; /* in which somebody has said LL */
    struct tr_table pages; /* that have got memory, and where */
    struct tr_op *mapped;  /* [mappings] that are in no thread's records yet */
    size_t mappings;
    uint64_t filter[(1 << FILTER_BITS) / 64]; /* lines that may be there */
};

/* ---- records --------------------------------------------------------------------------------- */

static void recording_put(struct tr_recording *r, uint32_t thread, struct tr_op op)
{
    if (thread != NOBODY)
        tr_ntr_writer.put(r->sink, thread, &op, 1);
}

/* What cards do not tell of. */
static void recording_note(struct tr_recording *r, uint32_t thread, struct tr_op op)
{
    if (thread == NOBODY)
        return;
    op.gap = r->thread[thread].killed;
    r->thread[thread].killed = 0;
    recording_put(r, thread, op);
}

/* PCycles of its own since its last record. @return the gap of the next one */
static uint32_t gap_to(struct tr_recording *r, struct card *c, uint64_t own)
{
    uint64_t gap = own - c->own;
    if (gap > UINT32_MAX) {
        recording_put(r, c->thread, (struct tr_op){.kind = TR_OP_COMPUTE, .value = gap});
        gap = 0;
    }
    c->own = own;
    return (uint32_t)gap;
}

static uint8_t recording_kind_of(const struct pc_recorded *made)
{
    static const uint8_t plain[] = {
        [PC_RECORDED_LOAD] = TR_OP_LOAD,   [PC_RECORDED_STORE] = TR_OP_STORE,
        [PC_RECORDED_FETCH] = TR_OP_FETCH, [PC_RECORDED_LL] = TR_OP_LL,
        [PC_RECORDED_SC] = TR_OP_SC,       [PC_RECORDED_SC_FAILED] = TR_OP_SC_FAILED,
        [PC_RECORDED_BEGUN] = TR_OP_BEGUN};
    return !made->ordered                    ? plain[made->kind]
           : made->kind == PC_RECORDED_LOAD  ? TR_OP_ACQUIRE
           : made->kind == PC_RECORDED_STORE ? TR_OP_RELEASE
                                             : TR_OP_SC;
}

static void recording_made(void *ctx, unsigned card, uint32_t thread,
                           const struct pc_recorded *reference, size_t count)
{
    struct tr_recording *r = ctx;
    struct card *c = &r->card[card];
    (void)thread;
    for (size_t i = 0; i < count; i++) {
        const struct pc_recorded *m = &reference[i];
        const bool counts = m->ordered || m->kind == PC_RECORDED_BEGUN;
        const struct tr_op op = {.address = m->va,
                                 .value = counts ? m->version : 0,
                                 .gap = gap_to(r, c, m->own),
                                 .kind = recording_kind_of(m),
                                 .size = m->size};
        recording_put(r, c->thread, op);
        c->own += tr_op_instructions(&op) - op.gap;
    }
}

/* Up to here. @param trapped  its thread stands because of an exception or an interrupt */
static void close_gap(struct tr_recording *r, unsigned card, uint64_t own, bool trapped)
{
    struct card *c = &r->card[card];
    const uint64_t left = own - c->own;
    const uint32_t killed = c->thread != NOBODY && trapped && left >= PC_KILLED_BY_EXCEPTION
                                ? PC_KILLED_BY_EXCEPTION
                                : 0;
    if (left > killed)
        recording_put(r, c->thread, (struct tr_op){.kind = TR_OP_COMPUTE, .value = left - killed});
    c->own = own;
    if (!killed)
        return;
    r->thread[c->thread].killed = killed;
    if (pc_record_is_interrupted(r->records, card))
        recording_note(r, c->thread, (struct tr_op){.kind = TR_OP_INTERRUPT});
}

/* All that a card has done up to now is in records. */
static void recording_catch_up(struct tr_recording *r, unsigned card, bool trapped)
{
    close_gap(r, card, pc_record_flush(r->records, card), trapped);
}

/* ---- where threads synchronise --------------------------------------------------------------- */

static uint64_t filter_of(uint64_t line)
{
    return line * UINT64_C(0x9e3779b97f4a7c15) >> (64 - FILTER_BITS);
}

static bool is_theirs(const struct tr_recording *r, uint64_t line)
{
    const uint64_t bit = filter_of(line);
    return r->filter[bit / 64] >> bit % 64 & 1 && tr_table_find(&r->lines, line);
}

static void add_line(struct tr_recording *r, uint64_t line)
{
    const uint64_t bit = filter_of(line);
    tr_table_at(&r->lines, line);
    r->filter[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Whether a card has loaded from the same one or two places for so long, and done nothing else with
 * memory, that it waits for one of them to change. */
static bool recording_polls(struct card *c, enum pc_recorded_kind kind, uint64_t va)
{
    const bool known = c->looks && (va == c->looked[0] || va == c->looked[1]);
    if (kind != PC_RECORDED_LOAD) {
        c->looks = 0;
        return false;
    }
    if (!known && (!c->looks || c->looked[0] != c->looked[1])) {
        c->looked[0] = c->looked[1] = va;
        c->looks = 0;
    } else if (!known) {
        c->looked[1] = va;
    }
    return ++c->looks == POLLS;
}

static struct word *recording_word_at(struct tr_recording *r, uint64_t number)
{
    uint64_t *place = tr_table_at(&r->words, number);
    if (!*place) {
        r->word = sim_grow(r->word, r->word_count + 1, sizeof *r->word);
        r->word[r->word_count++] = (struct word){.stored = 0};
        *place = r->word_count;
    }
    return &r->word[*place - 1];
}

/* How many of the stores into a word a load of a card's at `at` can have seen, at most. Those of
 * other cards that have been told of may have been just before it, or be behind it. */
static uint64_t recording_seen(const struct tr_recording *r, const struct word *word, unsigned card,
                               sim_tick at)
{
    uint64_t unseen = 0;
    for (unsigned i = 0; i < RECENT && i < word->stored; i++) {
        const struct store *s = &word->recent[i];
        unseen += s->card != card && s->at + nm_machine_notice(r->m, s->card, card) > at;
    }
    return word->stored - unseen;
}

static bool recording_ordered(void *ctx, unsigned card, enum pc_recorded_kind kind, uint64_t va,
                              sim_tick at, uint64_t *version)
{
    struct tr_recording *r = ctx;
    struct card *c = &r->card[card];
    const uint64_t line = va >> LINE_SHIFT;
    if (recording_polls(c, kind, va))
        for (unsigned i = 0; i < 2; i++)
            add_line(r, c->looked[i] >> LINE_SHIFT);
    if (kind == PC_RECORDED_LL) {
        add_line(r, line);
        return false;
    }
    if (!is_theirs(r, line))
        return false;
    struct word *word = recording_word_at(r, va >> WORD_SHIFT);
    *version = kind == PC_RECORDED_LOAD ? recording_seen(r, word, card, at) : word->stored;
    if (kind != PC_RECORDED_LOAD)
        word->recent[word->stored++ % RECENT] = (struct store){at, card};
    return true;
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Numbers may come again: the last one is meant. */
static uint32_t recording_thread_of(const struct tr_recording *r, uint32_t name)
{
    for (uint32_t i = r->threads; i--;)
        if (r->thread[i].name == name)
            return i;
    return NOBODY;
}

static uint32_t add_thread(struct tr_recording *r, uint32_t name)
{
    if (r->threads == TR_THREADS_MAX)
        return NOBODY;
    r->thread = sim_grow(r->thread, r->threads + (size_t)1, sizeof *r->thread);
    r->thread[r->threads] = (struct thread){.name = name};
    tr_ntr_writer.thread(r->sink, r->threads, name, 0);
    return r->threads++;
}

/* The system's time of the thread on a card, up to `at`, is in its records. */
static void tell_system(struct tr_recording *r, unsigned card, sim_tick from, sim_tick at)
{
    const uint32_t number = r->card[card].thread;
    struct thread *t = &r->thread[number];
    from = sim_later(from, t->told);
    if (at > from)
        recording_note(r, number, (struct tr_op){.kind = TR_OP_SYSTEM, .value = at - from});
    t->told = sim_later(t->told, at);
}

/* A thread in a system call does something to another one at `at`. */
static void recording_act(struct tr_recording *r, uint32_t name, sim_tick at, struct tr_op op)
{
    const uint32_t by = recording_thread_of(r, name);
    if (by == NOBODY)
        return;
    const unsigned card = r->thread[by].card;
    if (r->card[card].thread != by)
        return;
    recording_catch_up(r, card, true);
    tell_system(r, card, pc_cpu_at(r->m, card)->now, at);
    recording_note(r, by, op);
}

/* Whether a thread has a card, and that one: it may be the last that had it, and have moved. */
static bool is_on(const struct thread *t, unsigned card)
{
    return t->state == RUNS && t->card == card;
}

/* A thread gives its card away at `at`. */
static void recording_leave(struct thread *t, enum state state, sim_tick at)
{
    t->since = sim_later(at, t->told);
    t->state = state;
}

/* Pages are mapped in system calls and traps: the next thread that goes on is the one. */
static void map_otherwise(struct tr_recording *r, enum tr_kind kind, uint64_t va, uint64_t value)
{
    r->mapped = sim_grow(r->mapped, r->mappings + 1, sizeof *r->mapped);
    r->mapped[r->mappings++] = (struct tr_op){.kind = (uint8_t)kind, .address = va, .value = value};
}

static void recording_unmapped(void *ctx, uint64_t va, uint64_t len)
{
    struct tr_recording *r = ctx;
    if (r->threads) /* else the address space begins */
        map_otherwise(r, TR_OP_UNMAP, va, len);
}

static void tell_mappings(struct tr_recording *r, uint32_t thread)
{
    for (size_t i = 0; i < r->mappings; i++)
        recording_note(r, thread, r->mapped[i]);
    r->mappings = 0;
}

static bool has_slept(const struct thread *t)
{
    return t->state == SLEEPS || t->state == CALLED || t->state == DATED;
}

/* A thread without a card comes to one. @param from  [ticks] the card is free since then
 *  @param to  [ticks] when it goes on there */
static void tell_arrival(struct tr_recording *r, uint32_t number, unsigned card, sim_tick from,
                         sim_tick to)
{
    const struct thread *t = &r->thread[number];
    const sim_tick ready = t->state == CALLED || t->state == DATED ? t->ready : t->since;
    const uint64_t took = to - sim_later(ready, from);
    const uint8_t goes_on = t->state == BORN ? TR_OP_START
                            : has_slept(t)   ? TR_OP_WOKEN
                                             : TR_OP_TURN;
    if (t->state != BORN && t->card != card)
        recording_note(r, number, (struct tr_op){.kind = TR_OP_MOVE, .value = card});
    if (has_slept(t)) {
        const uint64_t slept = (t->state == DATED ? t->ready : to) - t->since;
        recording_note(
            r, number,
            (struct tr_op){.kind = TR_OP_SLEEP, .value = t->state == CALLED ? 0 : slept});
    }
    if (t->state != SLEEPS)
        recording_note(r, number, (struct tr_op){.kind = goes_on, .value = took});
}

/* The regions into which a thread is born. */
static void tell_open(struct tr_recording *r, uint32_t thread)
{
    for (uint32_t i = 0; i < r->regions; i++)
        if (r->region[i].open)
            recording_put(r, thread, (struct tr_op){.kind = TR_OP_OPEN, .value = i});
}

static void recording_goes_on(void *ctx, unsigned card, uint32_t name, uint64_t own, sim_tick from,
                              sim_tick to)
{
    struct tr_recording *r = ctx;
    struct card *c = &r->card[card];
    const uint32_t number = recording_thread_of(r, name), before = c->thread;
    close_gap(r, card, own, true);
    if (number == NOBODY)
        return;
    struct thread *t = &r->thread[number];
    if (before != NOBODY && before != number && is_on(&r->thread[before], card))
        recording_leave(&r->thread[before], LEFT, from);
    c->thread = number;
    if (t->state == BORN) {
        tr_ntr_writer.thread(r->sink, number, name, card);
        tell_open(r, number);
    }
    if (t->state != RUNS)
        tell_arrival(r, number, card, from, to);
    tell_mappings(r, number);
    if (t->state == RUNS)
        tell_system(r, card, from, to);
    t->card = card;
    t->told = to;
    t->state = RUNS;
}

static void begin_thread(struct tr_recording *r, const struct prog_turn *turn)
{
    const uint32_t number = add_thread(r, turn->thread);
    if (number == NOBODY)
        return;
    r->thread[number].state = BORN;
    r->thread[number].since = turn->at;
    recording_act(r, turn->by, turn->at, (struct tr_op){.kind = TR_OP_CREATE, .value = number});
}

static void recording_call(struct tr_recording *r, uint32_t number, const struct prog_turn *turn)
{
    struct thread *t = &r->thread[number];
    if (t->state != SLEEPS || (!turn->by && turn->at <= t->since))
        return;
    t->state = turn->by ? CALLED : DATED;
    t->ready = turn->at;
    if (turn->by)
        recording_act(r, turn->by, turn->at, (struct tr_op){.kind = TR_OP_WAKE, .value = number});
}

/* A thread on a card stops. @return false: it has stopped before */
static bool recording_stop(struct tr_recording *r, uint32_t number, enum state state)
{
    struct thread *t = &r->thread[number];
    if (r->card[t->card].thread != number || t->state != RUNS)
        return false;
    recording_catch_up(r, t->card, true);
    recording_leave(t, state, pc_cpu_at(r->m, t->card)->now);
    return true;
}

static void recording_finish(struct tr_recording *r, uint32_t number, enum tr_kind how)
{
    if (recording_stop(r, number, OVER))
        recording_note(r, number, (struct tr_op){.kind = (uint8_t)how});
}

void tr_recording_turn(struct tr_recording *recording, const struct prog_turn *turn)
{
    const uint32_t number = recording_thread_of(recording, turn->thread);
    if (turn->step == PROG_BORN) {
        begin_thread(recording, turn);
        return;
    }
    if (number == NOBODY)
        return;
    switch (turn->step) {
    case PROG_SLEEPS:
        recording_stop(recording, number, SLEEPS);
        break;
    case PROG_CALLED:
        recording_call(recording, number, turn);
        break;
    case PROG_LEAVES:
        recording_stop(recording, number, LEFT);
        break;
    case PROG_ENDS:
        recording_finish(recording, number, TR_OP_END);
        break;
    case PROG_EXITS:
        recording_finish(recording, number, TR_OP_EXIT);
        break;
    default:
        break;
    }
}

void tr_recording_paged(struct tr_recording *recording, uint64_t va, uint64_t pa)
{
    struct tr_recording *r = recording;
    uint64_t *where = tr_table_find(&r->pages, va);
    const bool early = !r->threads;
    if (!where)
        tr_ntr_writer.page(r->sink, &(struct tr_page){va, pa, early});
    if (!early && (!where || *where != pa))
        map_otherwise(r, TR_OP_PAGE, va, pa);
    *tr_table_at(&r->pages, va) = pa;
}

/* @return the number of the region of that name; TR_NAMES_MAX: there are too many */
static uint32_t recording_region_of(struct tr_recording *r, const char *name)
{
    uint32_t number = 0;
    while (number < r->regions && strcmp(r->region[number].name, name) != 0)
        number++;
    if (number == r->regions && number < TR_NAMES_MAX) {
        r->region = sim_grow(r->region, number + (size_t)1, sizeof *r->region);
        r->region[r->regions++] = (struct region){.name = sim_strdup(name)};
        tr_ntr_writer.region(r->sink, number, name);
    }
    return number;
}

/* A region is open from now on for all threads that there are, or is not: what comes behind it in
 * their records is later. It is no trap of theirs, so that no gap ends here. */
static void set_open(struct tr_recording *r, uint32_t number, bool open)
{
    if (r->region[number].open == open)
        return;
    r->region[number].open = open;
    for (unsigned i = 0; i < nm_machine_cards(r->m); i++)
        pc_record_flush(r->records, i);
    for (uint32_t i = 0; i < r->threads; i++)
        if (r->thread[i].state != BORN && r->thread[i].state != OVER)
            recording_put(
                r, i, (struct tr_op){.kind = open ? TR_OP_OPEN : TR_OP_CLOSED, .value = number});
}

/* The thread whose system call names a region. @return NOBODY: it is not known */
static uint32_t recording_caller(struct tr_recording *r)
{
    for (unsigned i = 0; i < nm_machine_cards(r->m); i++)
        if (r->card[i].thread != NOBODY && is_on(&r->thread[r->card[i].thread], i) &&
            pc_record_stands(r->records, i)) {
            recording_catch_up(r, i, true);
            return r->card[i].thread;
        }
    return NOBODY;
}

void tr_recording_mark(struct tr_recording *recording, const char *name, bool begin)
{
    const uint32_t number = recording_region_of(recording, name);
    if (number == TR_NAMES_MAX)
        return;
    const uint32_t by = recording_caller(recording);
    if (begin)
        set_open(recording, number, true);
    recording_note(recording, by,
                   (struct tr_op){.kind = begin ? TR_OP_BEGIN : TR_OP_FINISH, .value = number});
    if (!begin)
        set_open(recording, number, false);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

uint64_t tr_where(const struct nm_params *p)
{
    const uint64_t parts[] = {p->page_size, nm_params_stations(p), p->memory_size,
                              p->placement, p->local_station,      p->l2_size,
                              p->l2_split};
    return XXH64(parts, sizeof parts, 0);
}

uint64_t tr_machine(const struct nm_params *p)
{
    const uint64_t digest = XXH64(p, nm_params_size(), 0);
    return digest ? digest : 1;
}

struct tr_came tr_has_come(struct nm_machine *m)
{
    struct tr_came come = {.machine = tr_machine(nm_machine_params(m)), .ticks = nm_machine_now(m)};
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        struct nm_truth truth;
        nm_card_truth(m, i, &truth);
        come.misses += truth.l2_misses;
        come.nacks += truth.nacks_locked + truth.nacks_no_room + truth.nacks_no_turn;
    }
    return come;
}

struct tr_recording *tr_recording_begin(struct nm_machine *m, const char *made_from, char *why,
                                        size_t size)
{
    const unsigned cards = nm_machine_cards(m);
    struct tr_recording *r = sim_alloc(1, sizeof *r);
    const struct pc_record_listener listener = {.ctx = r,
                                                .made = recording_made,
                                                .ordered = recording_ordered,
                                                .unmapped = recording_unmapped,
                                                .goes_on = recording_goes_on};
    r->m = m;
    r->file = tmpfile();
    if (!r->file) {
        snprintf(why, size, "no file for the trace: %s", strerror(errno));
        free(r);
        return NULL;
    }
    r->records = pc_record_begin(m, &listener);
    if (!r->records) {
        snprintf(why, size,
                 "this kind of processor, or one that is profiled, cannot tell of its references");
        fclose(r->file);
        free(r);
        errno = ENOTSUP;
        return NULL;
    }
    r->sink = tr_ntr_writer.open(
        r->file, &(struct tr_about){.made = made_from,
                                    .timed = true,
                                    .came = true,
                                    .page = (uint32_t)nm_machine_params(m)->page_size,
                                    .where = tr_where(nm_machine_params(m))});
    r->card = sim_alloc(cards, sizeof *r->card);
    for (unsigned i = 0; i < cards; i++)
        r->card[i].thread = NOBODY;
    return r;
}

/* Threads that have no card have given it away, and not come back. */
static void tell_gone(struct tr_recording *r)
{
    for (uint32_t i = 0; i < r->threads; i++)
        if (r->thread[i].state == LEFT || has_slept(&r->thread[i]))
            recording_note(
                r, i,
                (struct tr_op){.kind = r->thread[i].state == LEFT ? TR_OP_TURN : TR_OP_SLEEP});
}

void tr_recording_end(struct tr_recording *recording)
{
    pc_record_stop(recording->records);
    for (unsigned i = 0; i < nm_machine_cards(recording->m); i++)
        recording_catch_up(recording, i, false);
    tell_gone(recording);
    const struct tr_came come = tr_has_come(recording->m);
    tr_ntr_writer.came(recording->sink, &come);
    tr_ntr_writer.close(recording->sink);
    recording->sink = NULL;
    pc_record_end(recording->records);
    recording->records = NULL;
}

void tr_recording_write(struct tr_recording *recording, FILE *out)
{
    char bytes[1 << 16];
    size_t n;
    bool good = !fflush(recording->file) && !ferror(recording->file);
    rewind(recording->file);
    while (good && (n = fread(bytes, 1, sizeof bytes, recording->file)) > 0)
        good = fwrite(bytes, 1, n, out) == n;
    if (!good || ferror(recording->file))
        fgetc(out); /* a file that is only written has an error now */
}

void tr_recording_free(struct tr_recording *recording)
{
    if (!recording)
        return;
    tr_table_free(&recording->words);
    tr_table_free(&recording->lines);
    tr_table_free(&recording->pages);
    for (uint32_t i = 0; i < recording->regions; i++)
        free(recording->region[i].name);
    if (recording->sink)
        tr_recording_end(recording);
    fclose(recording->file);
    free(recording->region);
    free(recording->thread);
    free(recording->card);
    free(recording->word);
    free(recording->mapped);
    free(recording);
}
