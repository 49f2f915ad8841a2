/*
 * Featherlight: samples of accesses, and debug registers.
 *
 * A counter of each processor samples one of so many accesses. The handler publishes its address in
 * one place for all. If another card's is there that is fresh, and its own debug registers are
 * free, it sets them: one to the sampled word, the others to words of the same line that are drawn
 * by lot; of a sampled load they watch stores only. The first trap within the window counts for the
 * line, and sets the registers free: as true sharing if it is of a byte that was sampled, else as
 * false sharing. A line is a suspect if most of its traps are of other bytes.
 *
 * It cannot see whose all bytes of a record are: of a lock and what it guards in one line, which
 * all use in turn, the next access is mostly one of other bytes than the sampled one.
 */
#include "detect/model.h"

#include "base/alloc.h"

#include <uthash.h>

enum { FEATHER_WORD = 8 /* [bytes] that a register watches */, FEATHER_WORDS_MAX = 128 };

/** A sampled access. */
struct feather_sample {
    uint64_t va, bytes;
    sim_tick at;
    unsigned card;
    bool store, there;
};

/** A processor. */
struct feather_card {
    uint64_t chance;
    uint64_t left; /* until an access is sampled */
    struct feather_sample watched;
    sim_tick set; /* when the registers were */
};

struct feather_line {
    uint64_t line; /* virtual */
    uint64_t falsely, truly;
    UT_hash_handle hh;
};

struct feather {
    struct det_seat *seat;
    const struct det_machine *machine;
    uint64_t period, registers, window, handler, trap, set, least;
    struct feather_sample published;
    struct feather_card *card; /* [cards] */
    struct feather_line *lines;
};

static uint64_t feather_line_of(const struct feather *f, uint64_t va)
{
    return va - va % f->machine->line;
}

/** Where costs delay the processors, another card's sample may be of a later tick: it is fresh. */
static bool feather_is_fresh(const struct feather *f, sim_tick then, sim_tick now)
{
    return now <= then || now - then <= f->window;
}

/* ---- registers ------------------------------------------------------------------------------- */

/** The card's registers watch the line of a sample. */
static void feather_watch(struct feather *f, unsigned card, sim_tick now)
{
    const struct feather_sample *sample = &f->published;
    const uint64_t line = feather_line_of(f, sample->va);
    uint64_t left = f->machine->line / FEATHER_WORD, word[FEATHER_WORDS_MAX];
    uint64_t next = sample->va % f->machine->line / FEATHER_WORD; /* the sampled one is the first */
    for (uint64_t i = 0; i < left; i++)
        word[i] = i;
    f->card[card].watched = *sample;
    f->card[card].set = now;
    for (unsigned slot = 0; slot < f->registers && left; slot++) {
        det_watch(f->seat, card, slot, line + word[next] * FEATHER_WORD, FEATHER_WORD,
                  !sample->store);
        word[next] = word[--left];
        next = left ? det_lot(&f->card[card].chance, left) : 0;
    }
    det_spend(f->seat, card, f->registers * f->set);
}

static void feather_free(struct feather *f, unsigned card)
{
    f->card[card].watched.there = false;
    for (unsigned slot = 0; slot < f->registers; slot++)
        det_watch(f->seat, card, slot, 0, 0, false);
}

static struct feather_line *feather_line_at(struct feather *f, uint64_t at)
{
    struct feather_line *line;
    HASH_FIND(hh, f->lines, &at, sizeof at, line);
    if (!line) {
        line = sim_alloc(1, sizeof *line);
        line->line = at;
        HASH_ADD(hh, f->lines, line, sizeof line->line, line);
    }
    return line;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void feather_access(void *self, const struct det_event *e)
{
    struct feather *f = self;
    struct feather_card *card = &f->card[e->card];
    const struct feather_sample *published = &f->published;
    if (--card->left)
        return;
    card->left = det_about(&card->chance, f->period);
    det_counted(f->seat, 1);
    det_interrupt(f->seat, e->card, f->handler);
    if (card->watched.there && !feather_is_fresh(f, card->set, e->at))
        feather_free(f, e->card);
    if (!card->watched.there && published->there && published->card != e->card &&
        feather_is_fresh(f, published->at, e->at))
        feather_watch(f, e->card, e->at);
    f->published = (struct feather_sample){e->va, e->bytes, e->at, e->card, e->store, true};
}

/** The access that was sampled when the registers were set is made already. */
static void feather_trapped(void *self, const struct det_event *e)
{
    struct feather *f = self;
    struct feather_card *card = &f->card[e->card];
    const struct feather_sample *watched = &card->watched;
    if (!watched->there || e->at <= card->set)
        return;
    det_interrupt(f->seat, e->card, f->trap);
    if (feather_is_fresh(f, card->set, e->at)) {
        struct feather_line *line = feather_line_at(f, feather_line_of(f, watched->va));
        const bool meets = e->va < watched->va + watched->bytes && watched->va < e->va + e->bytes;
        *(meets ? &line->truly : &line->falsely) += 1;
    }
    feather_free(f, e->card);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void feather_begin(void *self, struct det_seat *seat)
{
    struct feather *f = self;
    f->seat = seat;
    f->machine = det_machine(seat);
    f->period = (uint64_t)det_parameter(seat, DET_featherlight_period);
    f->registers = (uint64_t)det_parameter(seat, DET_featherlight_registers);
    f->window = (uint64_t)det_parameter(seat, DET_featherlight_window);
    f->handler = (uint64_t)det_parameter(seat, DET_featherlight_handler);
    f->trap = (uint64_t)det_parameter(seat, DET_featherlight_trap);
    f->set = (uint64_t)det_parameter(seat, DET_featherlight_set);
    f->least = (uint64_t)det_parameter(seat, DET_featherlight_least);
    f->card = sim_alloc(f->machine->cards, sizeof *f->card);
    for (unsigned c = 0; c < f->machine->cards; c++) {
        f->card[c].chance = det_lots(det_parameter(seat, DET_featherlight_seed), c);
        f->card[c].left = det_about(&f->card[c].chance, f->period);
    }
}

/* Each processor has a counter of 48 bits and registers of an address and two bits. The place for
 * all, and what a handler knows of the registers, are an address, a time, and 32 bits of the rest;
 * a line is an address and two counts. */
static uint64_t feather_bits(const void *self, const struct det_seat *seat)
{
    enum { COUNTER = 48, REGISTER = 64 + 2, SAMPLE = 64 + 64 + 32, LINE = 64 + 32 + 32 };
    const struct feather *f = self;
    return det_machine(seat)->cards * (COUNTER + f->registers * REGISTER + SAMPLE) + SAMPLE +
           HASH_COUNT(f->lines) * (uint64_t)LINE;
}

static void feather_answer(void *self, struct det_seat *seat)
{
    const struct feather *f = self;
    for (const struct feather_line *line = f->lines; line; line = line->hh.next) {
        const uint64_t all = line->falsely + line->truly;
        if (all >= f->least)
            det_name(seat, &(struct det_named){.at = line->line,
                                               .virtual = true,
                                               .score = (double)line->falsely / (double)all,
                                               .count = all});
    }
}

static void feather_end(void *self)
{
    struct feather *f = self;
    struct feather_line *line, *next;
    HASH_ITER(hh, f->lines, line, next) {
        HASH_DEL(f->lines, line);
        free(line);
    }
    free(f->card);
}

const struct det_ops det_featherlight = {
    .size = sizeof(struct feather),
    .sees = DET_SEES_VA | DET_SEES_BYTES | DET_SEES_STORE,
    .bits = feather_bits,
    .begin = feather_begin,
    .answer = feather_answer,
    .end = feather_end,
    .access = feather_access,
    .trapped = feather_trapped,
};
