/*
 * Sheriff: each thread works on pages of its own between synchronisations.
 *
 * The first store to a page since the thread has synchronised is a page fault, which makes the
 * thread's copy of the page, and a twin of it. When the thread synchronises, its copies are
 * compared with their twins, word by word; what differs it has written, and its pages are common
 * again. A timer does the comparison, too, in between: pages stay its own. If what another thread
 * wrote on the line was found last, in a time that overlaps this one, the two have written in turn:
 * the line counts as invalidated, falsely if they wrote different words. A line with enough of that
 * is a suspect if most of it was false.
 *
 * Synchronisations are the thread's stores by an SC, which are themselves common at once and not
 * looked at: this is how locks and barriers are made here, where the authors' library has functions
 * of its own. It sees that a word was stored to, where a comparison sees that it was changed.
 *
 * It cannot see loads: a line that one writes and others read beside it; nor locks that lie side by
 * side, and bytes of one word.
 */
#include "detect/model.h"

#include "base/alloc.h"

#include <uthash.h>

enum { SHERIFF_WORD = 4 /* [bytes] */, SHERIFF_BITS = 64 };

/** A page that a thread has a copy of, or had. */
struct sheriff_page {
    struct {
        uint64_t page, thread;
    } key;
    bool own;                  /* since it has synchronised */
    sim_tick since;            /* it is, or has been compared */
    uint64_t *written;         /* words, since they were compared */
    struct sheriff_page *next; /* of those that are its own */
    UT_hash_handle hh;
};

struct sheriff_thread {
    uint32_t thread;
    unsigned card;              /* on which it was last */
    sim_tick compared;          /* its pages were, last */
    struct sheriff_page *pages; /* its own */
    struct sheriff_page *last;  /* that it has written; NULL: none */
    UT_hash_handle hh;
};

struct sheriff_line {
    uint64_t line;   /* virtual */
    uint32_t thread; /* whose words were found last, */
    uint64_t words;  /* these, */
    sim_tick at;     /* and when */
    uint64_t falsely, truly;
    UT_hash_handle hh;
};

struct sheriff {
    struct det_seat *seat;
    const struct det_machine *machine;
    uint64_t sample, least, fault, compare, timer;
    sim_tick now;
    uint64_t owned, most; /* copies that there are, and were at most */
    struct sheriff_thread *threads;
    struct sheriff_thread **on; /* [cards] that has stored there last; NULL: none */
    struct sheriff_page *pages;
    struct sheriff_line *lines;
};

/* ---- what there is --------------------------------------------------------------------------- */

static struct sheriff_thread *sheriff_thread_of(struct sheriff *s, const struct det_event *e)
{
    struct sheriff_thread *thread = s->on[e->card];
    if (thread && thread->thread == e->thread)
        return thread;
    HASH_FIND(hh, s->threads, &e->thread, sizeof e->thread, thread);
    if (!thread) {
        thread = sim_alloc(1, sizeof *thread);
        thread->thread = e->thread;
        thread->compared = e->at;
        HASH_ADD(hh, s->threads, thread, sizeof thread->thread, thread);
    }
    thread->card = e->card;
    return s->on[e->card] = thread;
}

static struct sheriff_page *sheriff_page_at(struct sheriff *s, struct sheriff_thread *thread,
                                            uint64_t at)
{
    struct sheriff_page *page = thread->last;
    if (page && page->key.page == at)
        return page;
    const struct sheriff_page wanted = {.key = {at, thread->thread}};
    HASH_FIND(hh, s->pages, &wanted.key, sizeof wanted.key, page);
    if (!page) {
        page = sim_alloc(1, sizeof *page);
        page->key.page = at;
        page->key.thread = thread->thread;
        page->written =
            sim_alloc(s->machine->page / SHERIFF_WORD / SHERIFF_BITS, sizeof *page->written);
        HASH_ADD(hh, s->pages, key, sizeof page->key, page);
    }
    return thread->last = page;
}

static struct sheriff_line *sheriff_line_at(struct sheriff *s, uint64_t at)
{
    struct sheriff_line *line;
    HASH_FIND(hh, s->lines, &at, sizeof at, line);
    if (!line) {
        line = sim_alloc(1, sizeof *line);
        line->line = at;
        HASH_ADD(hh, s->lines, line, sizeof line->line, line);
    }
    return line;
}

/* ---- comparison ------------------------------------------------------------------------------ */

/** A thread has written words of a line of its page. */
static void sheriff_found(struct sheriff *s, const struct sheriff_page *page, uint64_t in,
                          uint64_t words, sim_tick now)
{
    struct sheriff_line *line = sheriff_line_at(s, page->key.page + in);
    if (line->words && line->thread != page->key.thread && line->at > page->since)
        *(line->words & words ? &line->truly : &line->falsely) += 1;
    line->thread = (uint32_t)page->key.thread;
    line->words = words;
    line->at = now;
    det_counted(s->seat, 1);
}

static void sheriff_compare_page(struct sheriff *s, struct sheriff_page *page, sim_tick now)
{
    const unsigned words = s->machine->line / SHERIFF_WORD;
    const uint64_t all = words < SHERIFF_BITS ? (UINT64_C(1) << words) - 1 : UINT64_MAX;
    for (uint64_t at = 0; at < s->machine->page; at += s->machine->line) {
        uint64_t *written = &page->written[at / SHERIFF_WORD / SHERIFF_BITS];
        const unsigned shift = at / SHERIFF_WORD % SHERIFF_BITS;
        const uint64_t found = *written >> shift & all;
        if (found)
            sheriff_found(s, page, at, found, now);
        *written &= ~(all << shift);
    }
    page->since = now;
}

static void sheriff_compare(struct sheriff *s, struct sheriff_thread *thread, sim_tick now)
{
    for (struct sheriff_page *page = thread->pages; page; page = page->next) {
        sheriff_compare_page(s, page, now);
        det_spend(s->seat, thread->card, s->compare);
    }
    thread->compared = now;
}

/** The thread synchronises: what it has written is everybody's. */
static void sheriff_commit(struct sheriff *s, struct sheriff_thread *thread, sim_tick now)
{
    sheriff_compare(s, thread, now);
    for (struct sheriff_page *page = thread->pages; page; page = page->next) {
        page->own = false;
        s->owned--;
    }
    thread->pages = NULL;
}

/* ---- stores ---------------------------------------------------------------------------------- */

/** The page fault of the first store. */
static void sheriff_own(struct sheriff *s, struct sheriff_thread *thread, struct sheriff_page *page,
                        sim_tick now)
{
    page->own = true;
    page->since = now;
    page->next = thread->pages;
    thread->pages = page;
    s->most = ++s->owned > s->most ? s->owned : s->most;
    det_interrupt(s->seat, thread->card, s->fault);
}

static void sheriff_access(void *self, const struct det_event *e)
{
    struct sheriff *s = self;
    s->now = e->at;
    struct sheriff_thread *thread = sheriff_thread_of(s, e);
    if (e->atomic) {
        sheriff_commit(s, thread, e->at);
        return;
    }
    if (s->sample && thread->pages && e->at > thread->compared + s->sample) {
        det_interrupt(s->seat, e->card, s->timer);
        sheriff_compare(s, thread, e->at);
    }
    const uint64_t in = e->va % s->machine->page, last = in + e->bytes - 1;
    struct sheriff_page *page = sheriff_page_at(s, thread, e->va - in);
    if (!page->own)
        sheriff_own(s, thread, page, e->at);
    for (uint64_t i = in / SHERIFF_WORD; i <= last / SHERIFF_WORD; i++)
        page->written[i / SHERIFF_BITS] |= UINT64_C(1) << i % SHERIFF_BITS;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void sheriff_begin(void *self, struct det_seat *seat)
{
    struct sheriff *s = self;
    s->seat = seat;
    s->machine = det_machine(seat);
    s->sample = (uint64_t)det_parameter(seat, DET_sheriff_sample);
    s->least = (uint64_t)det_parameter(seat, DET_sheriff_least);
    s->fault = (uint64_t)det_parameter(seat, DET_sheriff_fault);
    s->compare = (uint64_t)det_parameter(seat, DET_sheriff_compare);
    s->timer = (uint64_t)det_parameter(seat, DET_sheriff_timer);
    s->on = sim_alloc(s->machine->cards, sizeof(struct sheriff_thread *));
}

/* A copy and a twin of each page that is somebody's own; of each line written an address, a thread,
 * its words, a time and two counts. */
static uint64_t sheriff_bits(const void *self, const struct det_seat *seat)
{
    enum { BYTE = 8, LINE = 64 + 32 + 64 + 2 * 32 };
    const struct sheriff *s = self;
    const struct det_machine *m = det_machine(seat);
    return s->most * 2 * m->page * BYTE +
           HASH_COUNT(s->lines) * (uint64_t)(LINE + m->line / SHERIFF_WORD);
}

/** What threads still have of their own ends with them. */
static void sheriff_answer(void *self, struct det_seat *seat)
{
    struct sheriff *s = self;
    for (struct sheriff_thread *thread = s->threads; thread; thread = thread->hh.next)
        sheriff_commit(s, thread, s->now);
    for (const struct sheriff_line *line = s->lines; line; line = line->hh.next) {
        const uint64_t all = line->falsely + line->truly;
        if (all >= s->least)
            det_name(seat, &(struct det_named){.at = line->line,
                                               .virtual = true,
                                               .score = (double)line->falsely / (double)all,
                                               .count = all});
    }
}

static void sheriff_end(void *self)
{
    struct sheriff *s = self;
    struct sheriff_thread *thread, *next_thread;
    struct sheriff_page *page, *next_page;
    struct sheriff_line *line, *next_line;
    HASH_ITER(hh, s->threads, thread, next_thread) {
        HASH_DEL(s->threads, thread);
        free(thread);
    }
    HASH_ITER(hh, s->pages, page, next_page) {
        HASH_DEL(s->pages, page);
        free(page->written);
        free(page);
    }
    HASH_ITER(hh, s->lines, line, next_line) {
        HASH_DEL(s->lines, line);
        free(line);
    }
    free(s->on);
}

const struct det_ops det_sheriff = {
    .size = sizeof(struct sheriff),
    .sees = DET_SEES_VA | DET_SEES_BYTES | DET_SEES_ATOMIC | DET_SEES_THREAD,
    .leaves = DET_LEAVES_LOADS,
    .bits = sheriff_bits,
    .begin = sheriff_begin,
    .answer = sheriff_answer,
    .end = sheriff_end,
    .access = sheriff_access,
};
