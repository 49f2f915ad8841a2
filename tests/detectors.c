/*
 * Models of detectors on sequences of accesses that are made by hand: what each must answer. The
 * machine is the smallest that has the events: caches without an end, one line of the primary cache
 * for one of the secondary, and a directory of invalid, shared and dirty.
 */
#include "detect/desk.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CARDS = 4, LINES = 64, LINE = 64, STEPS = 8, ANSWERS = 4 };

/* ---- the machine ----------------------------------------------------------------------------- */

enum holds { NOTHING, SHARES, OWNS };

struct world {
    struct det_desk *desk;
    enum holds holds[CARDS][LINES];
    sim_tick now;
};

static const struct det_machine machine = {
    .cards = CARDS,
    .stations = 2,
    .memory = 1 << 20,
    .line = LINE,
    .part = LINE,
    .primary = 256,
    .secondary = 1024,
    .page = 4096,
    .address = 40,
};

/** An access. */
struct step {
    unsigned card;
    uint64_t at;
    unsigned bytes;           /* 0: the sequence is over */
    bool store, once, atomic; /* once: the first time only that the sequence is made */
};
#define LOAD(card, at, bytes)                \
    {                                        \
        card, at, bytes, false, false, false \
    }
#define STORE(card, at, bytes)              \
    {                                       \
        card, at, bytes, true, false, false \
    }
#define PREPARE(card, at, bytes)           \
    {                                      \
        card, at, bytes, true, true, false \
    }
#define SC(card, at, bytes)                \
    {                                      \
        card, at, bytes, true, false, true \
    }
#define LL(card, at, bytes)                 \
    {                                       \
        card, at, bytes, false, false, true \
    }

/** What leads to an access takes time: a tick for each event. */
static void tell(struct world *w, enum det_event_kind kind, const struct step *step, unsigned card,
                 enum det_served served)
{
    det_desk_tell(w->desk, kind,
                  &(struct det_event){.card = card,
                                      .at = w->now++,
                                      .line = step->at / LINE * LINE,
                                      .part = step->at / LINE * LINE,
                                      .thread = card + 1,
                                      .pc = 0x400000 + 4 * step->store,
                                      .va = step->at,
                                      .pa = step->at,
                                      .bytes = step->bytes,
                                      .store = step->store,
                                      .atomic = step->atomic,
                                      .dirty = served == DET_SERVED_DIRTY,
                                      .served = served,
                                      .latency = served == DET_SERVED_PRIMARY ? 1 : 100});
}

/** The others' copies go, or of a load the owner's stays to read. @return where the line is had */
static enum det_served give_way(struct world *w, const struct step *step)
{
    enum det_served served = DET_SERVED_MEMORY;
    for (unsigned c = 0; c < CARDS; c++) {
        enum holds *holds = &w->holds[c][step->at / LINE];
        if (c == step->card || *holds == NOTHING)
            continue;
        const enum det_served was = *holds == OWNS ? DET_SERVED_DIRTY : DET_SERVED_MEMORY;
        if (*holds == OWNS)
            served = was;
        if (step->store || *holds == OWNS)
            tell(w, step->store ? DET_EVENT_taken : DET_EVENT_shared, step, c, was);
        if (step->store)
            tell(w, DET_EVENT_dropped, step, c, was);
        *holds = step->store ? NOTHING : SHARES;
    }
    return served;
}

static void make(struct world *w, const struct step *step)
{
    enum holds *holds = &w->holds[step->card][step->at / LINE];
    enum det_served served = DET_SERVED_PRIMARY;
    const sim_tick began = w->now;
    if (*holds == NOTHING || (step->store && *holds != OWNS)) {
        tell(w, DET_EVENT_asked, step, step->card, served);
        served = give_way(w, step);
        tell(w, *holds == NOTHING ? DET_EVENT_filled : DET_EVENT_upgraded, step, step->card,
             served);
        if (*holds == NOTHING)
            tell(w, DET_EVENT_raised, step, step->card, served);
        *holds = step->store ? OWNS : SHARES;
    }
    tell(w, DET_EVENT_access, step, step->card, served);
    w->now = began + 100;
}

/* ---- what must be answered ------------------------------------------------------------------- */

struct row {
    const char *says;
    const char *model;
    unsigned times; /* the sequence is made */
    struct step step[STEPS];
    uint64_t suspect[ANSWERS]; /* addresses, in their order; 0: no more */
};

static const struct row rows[] = {
    {"one writer and a reader are no suspects", "naive", 8, {STORE(0, 64, 4), LOAD(1, 64, 4)}, {0}},
    {"two writers are, wherever they write",
     "naive",
     1,
     {STORE(0, 64, 4), STORE(1, 96, 4), STORE(1, 128, 4), STORE(2, 192, 4), STORE(3, 192, 4)},
     {64, 192}},
    {"writers of parts of a line, often enough",
     "fsdetect",
     40,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"a reader beside a writer, too", "fsdetect", 40, {LOAD(0, 64, 4), STORE(1, 96, 4)}, {64}},
    {"too seldom for the thresholds", "fsdetect", 8, {STORE(0, 64, 4), STORE(1, 96, 4)}, {0}},
    {"often enough for lower ones",
     "fsdetect:fetches=4:invalidations=4",
     8,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"one byte that both write is true sharing",
     "fsdetect",
     400,
     {STORE(0, 64, 8), STORE(1, 71, 1)},
     {0}},
    {"a byte that one writes and another reads is, too",
     "fsdetect",
     400,
     {LOAD(0, 64, 8), STORE(1, 71, 1)},
     {0}},
    {"what one has prepared for others is true sharing at the beginning only",
     "fsdetect",
     40,
     {PREPARE(0, 64, 64), STORE(1, 64, 4), STORE(2, 96, 4)},
     {64}},
    {"readers invalidate nothing", "fsdetect", 400, {LOAD(0, 64, 4), LOAD(1, 96, 4)}, {0}},
    {"bytes that all read, beside one that is written",
     "fsdetect",
     40,
     {LOAD(0, 64, 4), LOAD(1, 64, 4), LOAD(2, 64, 4), STORE(3, 100, 4)},
     {64}},
    {"two lines that take turns in a table of one entry are counted anew each time",
     "fsdetect:entries=1",
     100,
     {STORE(0, 64, 4), STORE(1, 96, 4), STORE(0, 128, 4), STORE(1, 160, 4)},
     {0}},
    {"in one of two they are named",
     "fsdetect:entries=2",
     100,
     {STORE(0, 64, 4), STORE(1, 96, 4), STORE(0, 128, 4), STORE(1, 160, 4)},
     {64, 128}},
    {"writers of parts of a line, when waiting has cost enough",
     "fought",
     120,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"when it has not", "fought", 80, {STORE(0, 64, 4), STORE(1, 96, 4)}, {0}},
    {"bytes side by side", "fought", 120, {STORE(0, 64, 1), STORE(1, 65, 1)}, {64}},
    {"in one bit", "fought:grain=2", 120, {STORE(0, 64, 1), STORE(1, 65, 1)}, {0}},
    {"one byte that both write", "fought", 400, {STORE(0, 64, 8), STORE(1, 71, 1)}, {0}},
    {"what one writes and another reads", "fought", 400, {LOAD(0, 64, 8), STORE(1, 71, 1)}, {0}},
    {"a reader beside a writer", "fought", 120, {LOAD(0, 64, 4), STORE(1, 96, 4)}, {64}},
    {"readers", "fought", 400, {LOAD(0, 64, 4), LOAD(1, 96, 4)}, {0}},
    {"lines that are had already, and asked for to write parts",
     "fought",
     120,
     {LOAD(0, 64, 4), LOAD(1, 96, 4), STORE(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"... to write what others have read",
     "fought",
     400,
     {LOAD(0, 64, 4), LOAD(1, 64, 4), STORE(0, 64, 4)},
     {0}},
    {"what was written once and is read ever after, beside a writer",
     "fought",
     120,
     {PREPARE(1, 64, 64), LOAD(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"more of the true kind than of the false",
     "fought",
     400,
     {STORE(0, 64, 4), STORE(1, 96, 4), STORE(0, 64, 4), STORE(2, 64, 4), STORE(3, 64, 4)},
     {0}},
    {"a directory's table of one line keeps the one that is fought for",
     "fought:entries=1",
     120,
     {STORE(0, 64, 4), STORE(1, 96, 4), STORE(0, 128, 4), STORE(1, 160, 4)},
     {64}},
    {"a card's of one line sends what it knows when that must go",
     "fought:held=1",
     120,
     {STORE(0, 64, 4), STORE(1, 96, 4), STORE(0, 128, 4), STORE(1, 160, 4)},
     {64, 128}},
    {"what was written in the last tenure but one",
     "fought",
     400,
     {STORE(1, 64, 8), STORE(2, 68, 4), LOAD(0, 64, 4), LOAD(3, 64, 4)},
     {0}},
    {"the last tenure alone does not tell it",
     "fought:tenures=1",
     400,
     {STORE(1, 64, 4), STORE(2, 68, 4), LOAD(0, 64, 4), LOAD(3, 64, 4)},
     {64}},
    {"each access sampled: bytes apart",
     "hitm:period=1",
     4,
     {STORE(0, 64, 4), STORE(1, 96, 4), STORE(2, 68, 4)},
     {64}},
    {"the same bytes", "hitm:period=1", 4, {STORE(0, 64, 4), STORE(1, 64, 4)}, {0}},
    {"what one writes and another reads",
     "hitm:period=1",
     4,
     {STORE(0, 64, 8), LOAD(1, 68, 4)},
     {0}},
    {"readers take nothing from each other's caches that was written",
     "hitm:period=1",
     4,
     {LOAD(0, 64, 4), LOAD(1, 96, 4)},
     {0}},
    {"so few samples that nothing is said",
     "hitm:period=1:least=100",
     4,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {0}},
    {"a long period sees enough of a long run",
     "hitm:period=50",
     400,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"a skid loses what comes soon",
     "hitm:period=1:skid=1000000",
     400,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {0}},
    {"slow loads beside what another card writes",
     "loadlat:period=1:stores=1",
     8,
     {STORE(0, 64, 4), LOAD(1, 96, 4)},
     {64}},
    {"slow loads of what another card writes",
     "loadlat:period=1:stores=1",
     8,
     {STORE(0, 64, 8), LOAD(1, 71, 1)},
     {0}},
    {"cards that only store have no slow loads",
     "loadlat:period=1:stores=1",
     8,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {0}},
    {"nobody is known to write if no store is sampled",
     "loadlat:period=1:stores=0",
     8,
     {STORE(0, 64, 4), LOAD(1, 96, 4)},
     {0}},
    {"loads that are not slow enough",
     "loadlat:period=1:stores=1:latency=101",
     8,
     {STORE(0, 64, 4), LOAD(1, 96, 4)},
     {0}},
    {"readers and a writer beside them, seldom sampled",
     "loadlat",
     800,
     {LOAD(0, 64, 4), LOAD(1, 68, 4), STORE(2, 96, 4)},
     {64}},
    {"memory serves what nobody has written",
     "loadlat:period=1:stores=1",
     8,
     {LOAD(0, 64, 4), LOAD(1, 96, 4)},
     {0}},
    {"two lines, of which one is shared truly",
     "loadlat:period=1:stores=1",
     8,
     {STORE(0, 64, 4), LOAD(1, 64, 4), STORE(0, 128, 4), LOAD(1, 132, 4)},
     {128}},
    {"the other bytes of a line that another card's sample was of",
     "featherlight:period=1",
     2000,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"a byte beside the sampled one in the same word",
     "featherlight:period=1",
     20,
     {STORE(0, 64, 1), STORE(1, 65, 1)},
     {64}},
    {"traps of the sampled bytes",
     "featherlight:period=1",
     2000,
     {STORE(0, 64, 8), STORE(1, 71, 1)},
     {0}},
    {"registers that watch for stores see no loads",
     "featherlight:period=1",
     2000,
     {LOAD(0, 64, 4), LOAD(1, 96, 4)},
     {0}},
    {"a load is sampled, and a store traps",
     "featherlight:period=1",
     2000,
     {LOAD(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"a long period",
     "featherlight",
     4000,
     {STORE(0, 64, 4), STORE(1, 96, 4), LOAD(2, 100, 4)},
     {64}},
    {"samples that are stale before another card looks",
     "featherlight:period=1:window=50",
     2000,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {0}},
    {"one register watches the sampled word only",
     "featherlight:period=1:registers=1",
     2000,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {0}},
    {"stores of two threads in turn to words of a line",
     "predator:track=1",
     20,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"loads of one between the stores of another, too",
     "predator:track=1",
     20,
     {STORE(0, 64, 4), LOAD(1, 96, 4)},
     {64}},
    {"a word that both store to", "predator:track=1", 20, {STORE(0, 64, 4), STORE(1, 64, 4)}, {0}},
    {"a word is the least that it tells: bytes of one",
     "predator:track=1",
     20,
     {STORE(0, 64, 1), STORE(1, 65, 1)},
     {0}},
    {"too few stores to be tracked", "predator", 20, {STORE(0, 64, 4), STORE(1, 96, 4)}, {0}},
    {"too few invalidations to be reported",
     "predator:track=1:report=1000",
     20,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {0}},
    {"only the first accesses are tracked, and they are one thread's",
     "predator:track=1:tracked=4:report=1",
     1,
     {STORE(0, 64, 4), STORE(0, 64, 4), STORE(0, 64, 4), STORE(0, 64, 4), STORE(1, 96, 4)},
     {0}},
    {"words of two lines that a line of twice the length would have",
     "predator:track=1:predict=2:predicted=50",
     40,
     {STORE(0, 128, 4), STORE(1, 252, 4)},
     {128}},
    {"words of two lines at a start of their own: the line begins between them",
     "predator:track=1:predict=2:predicted=50",
     40,
     {STORE(0, 120, 4), STORE(1, 128, 4)},
     {96}},
    {"a prediction is no suspect",
     "predator:track=1:predict=2",
     40,
     {STORE(0, 120, 4), STORE(1, 128, 4)},
     {0}},
    {"neither reaches: far apart, and not one line of twice the length",
     "predator:track=1:predict=2:predicted=50",
     40,
     {STORE(0, 64, 4), STORE(1, 188, 4)},
     {0}},
    {"what one thread stores to in both is no pair",
     "predator:track=1:predict=2:predicted=50",
     40,
     {STORE(0, 120, 4), STORE(0, 128, 4)},
     {0}},
    {"what two threads store to between timers",
     "sheriff:sample=150",
     40,
     {STORE(0, 64, 4), STORE(1, 96, 4)},
     {64}},
    {"one word that both store to",
     "sheriff:sample=150",
     40,
     {STORE(0, 64, 4), STORE(1, 64, 4)},
     {0}},
    {"bytes of one word are one word",
     "sheriff:sample=150",
     40,
     {STORE(0, 64, 1), STORE(1, 65, 1)},
     {0}},
    {"loads are not seen", "sheriff:sample=150", 40, {STORE(0, 64, 4), LOAD(1, 96, 4)}, {0}},
    {"intervals that overlap",
     "sheriff:sample=0",
     20,
     {STORE(0, 64, 4), STORE(1, 96, 4), SC(0, 4032, 4), SC(1, 4032, 4)},
     {64}},
    {"the same, too seldom",
     "sheriff:sample=0:least=100",
     20,
     {STORE(0, 64, 4), STORE(1, 96, 4), SC(0, 4032, 4), SC(1, 4032, 4)},
     {0}},
    {"intervals that do not overlap: in turn, under a lock",
     "sheriff:sample=0:least=1",
     20,
     {STORE(0, 64, 4), SC(0, 4032, 4), STORE(1, 96, 4), SC(1, 4032, 4)},
     {0}},
    {"locks side by side are no private memory",
     "sheriff:sample=150:least=1",
     40,
     {SC(0, 64, 4), SC(1, 68, 4)},
     {0}},
    {"what threads have not given back when the run ends",
     "sheriff:sample=0:least=1",
     1,
     {STORE(0, 64, 4), STORE(1, 96, 4), STORE(1, 96, 4)},
     {64}},
    {"so many as are asked for",
     "naive:writers=3",
     1,
     {STORE(0, 64, 4), STORE(1, 96, 4), STORE(0, 128, 4), STORE(1, 128, 4), STORE(2, 128, 4)},
     {128}},
};

/* What it must cost. */
struct cost {
    const char *model;
    unsigned times;
    struct step step[STEPS];
    uint64_t interrupts, pcycles;
};

static const struct cost costs[] = {
    {"loadlat:period=1:stores=1:buffer=4:handler=1000:sample=10", /* 8 samples of each card */
     8,
     {STORE(0, 64, 4), LOAD(1, 96, 4)},
     4,
     4 * (1000 + 4 * 10)},
    {"featherlight:period=1:handler=1000:trap=500:set=10", /* 6 samples; card 1 sets, is trapped,
                                                              sets */
     3,
     {STORE(0, 64, 4), STORE(1, 64, 4)},
     6 + 2,
     6 * 1000 + 2 * 500 + 3 * 4 * 10},
    {"predator:access=7", 5, {STORE(0, 64, 4), LOAD(1, 128, 4)}, 0, 10 * 7},
    {"predator:access=7", 5, {LL(0, 64, 4), SC(0, 64, 4)}, 0, 5 * 7},
    {"sheriff:sample=0:fault=100:compare=10", /* a page of its own, twice */
     2,
     {STORE(0, 64, 4), STORE(0, 128, 4), SC(0, 4032, 4)},
     2,
     2 * (100 + 10)},
    {"sheriff:sample=150:fault=100:compare=10:timer=1", /* behind 200 and 400; and the end */
     5,
     {STORE(0, 64, 4)},
     1 + 2,
     100 + 2 * (1 + 10) + 10},
};

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/** Lets a model look at a sequence. @return the caller's, to be given to det_desk_free */
static struct det_desk *look(const char *model, const struct step *first, unsigned times)
{
    struct world w = {0};
    struct det_choice choice;
    char why[200];
    cr_assert(det_choose(&choice, model, why, sizeof why), "%s: %s", model, why);
    w.desk = det_desk_new(&machine, &choice, 1);
    for (unsigned i = 0; i < times; i++)
        for (const struct step *step = first; step < first + STEPS && step->bytes; step++)
            if (i == 0 || !step->once)
                make(&w, step);
    det_desk_end(w.desk);
    return w.desk;
}

static void check(const struct row *row)
{
    uint64_t found[LINES];
    size_t count = 0;
    struct det_desk *desk = look(row->model, row->step, row->times);
    const struct det_answer *answer = det_desk_answer(desk, 0);
    for (size_t i = 0; i < answer->names; i++) {
        const struct det_named *named = &answer->named[i];
        cr_assert(named->score >= 0 && named->score <= 1, "%s: score %g", row->says, named->score);
        if (named->score >= DET_SUSPECT)
            found[count++] = named->at;
    }
    qsort(found, count, sizeof *found, by_address);
    for (size_t i = 0; i < ANSWERS; i++)
        cr_assert_eq(i < count ? found[i] : 0, row->suspect[i],
                     "%s: '%s': suspect %zu is %#" PRIx64 ", not %#" PRIx64, row->model, row->says,
                     i, i < count ? found[i] : 0, row->suspect[i]);
    cr_assert_leq(count, ANSWERS, "%s: %zu suspects", row->says, count);
    det_desk_free(desk);
}

Test(detectors, sequences)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check(&rows[i]);
}

Test(detectors, costs)
{
    for (const struct cost *cost = costs; cost < costs + sizeof costs / sizeof *costs; cost++) {
        struct det_desk *desk = look(cost->model, cost->step, cost->times);
        const struct det_answer *answer = det_desk_answer(desk, 0);
        cr_assert_eq(answer->interrupts, cost->interrupts, "%s: %" PRIu64 " interrupts",
                     cost->model, answer->interrupts);
        cr_assert_eq(answer->pcycles, cost->pcycles, "%s: %" PRIu64 " PCycles", cost->model,
                     answer->pcycles);
        cr_assert_gt(answer->bits, 0, "%s", cost->model);
        det_desk_free(desk);
    }
}

/* ---- a model gets what it has declared ------------------------------------------------------- */

/* What the last event brought, and how many there were. */
struct spy {
    struct det_event event;
    unsigned accesses, traps;
};
static struct spy spied;

static void spy_access(void *self, const struct det_event *event)
{
    (void)self;
    spied.event = *event;
    spied.accesses++;
}

static void spy_trapped(void *self, const struct det_event *event)
{
    (void)self;
    cr_assert_eq(event->slot, 3);
    spied.traps++;
}

static void spy_begin(void *self, struct det_seat *seat)
{
    (void)self;
    det_watch(seat, 1, 3, 72, 4, true);
    det_watch(seat, 1, 2, 65, 4, false); /* is given up again: slot 2 never traps */
    det_watch(seat, 1, 2, 65, 0, false);
    det_interrupt(seat, 0, 500);
    det_spend(seat, 0, 20);
}

static uint64_t spy_bits(const void *self, const struct det_seat *seat)
{
    (void)self, (void)seat;
    return 7;
}

static void spy_answer(void *self, struct det_seat *seat)
{
    (void)self, (void)seat;
}

Test(detectors, sees_what_it_has_declared)
{
    const struct det_ops ops = {.size = 1,
                                .sees = DET_SEES_VA | DET_SEES_STORE,
                                .bits = spy_bits,
                                .begin = spy_begin,
                                .answer = spy_answer,
                                .access = spy_access,
                                .trapped = spy_trapped};
    const struct det_row spy = {.name = "spy", .ops = &ops};
    const struct det_choice choice = {.row = &spy};
    const struct step steps[] = {STORE(1, 64, 8), LOAD(1, 72, 4),  STORE(0, 72, 4),
                                 STORE(1, 70, 4), STORE(1, 76, 4), STORE(1, 75, 1)};
    struct world w = {.desk = det_desk_new(&machine, &choice, 1)};
    cr_assert(det_desk_hears(w.desk, DET_EVENT_access) && !det_desk_hears(w.desk, DET_EVENT_taken));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        make(&w, &steps[i]);
    det_desk_told(w.desk, SIM_NEVER);
    cr_assert_eq(spied.accesses, 6);
    cr_assert_eq(spied.traps, 2, "%u", spied.traps); /* 70 to 73, and 75 */
    cr_assert(spied.event.card == 1 && spied.event.va == 75 && spied.event.store &&
              spied.event.at == 500);
    cr_assert(!spied.event.pa && !spied.event.line && !spied.event.bytes && !spied.event.pc &&
              !spied.event.thread && !spied.event.latency && !spied.event.part);
    det_desk_end(w.desk);
    const struct det_answer *answer = det_desk_answer(w.desk, 0);
    cr_assert(answer->bits == 7 && answer->interrupts == 1 && answer->pcycles == 520);
    det_desk_free(w.desk);
}

/* What it leaves it does not hear, whoever else looks; and it is left only if all leave it. */
Test(detectors, leaves)
{
    static const struct {
        unsigned leaves, accesses;
    } kinds[] = {{0, 9},
                 {DET_LEAVES_LOADS, 5},
                 {DET_LEAVES_REPEATS, 6},
                 {DET_LEAVES_LOADS | DET_LEAVES_REPEATS, 3}};
    const struct step steps[] = {STORE(1, 64, 8), LOAD(1, 72, 4),   STORE(1, 72, 4),
                                 STORE(0, 72, 4), STORE(0, 76, 4),  LOAD(1, 64, 4),
                                 LOAD(0, 128, 4), STORE(1, 140, 4), LOAD(1, 128, 4)};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t others = 0; others < 2; others++) {
            const struct det_ops ops = {.size = 1,
                                        .sees = DET_SEES_VA,
                                        .leaves = kinds[i].leaves,
                                        .bits = spy_bits,
                                        .answer = spy_answer,
                                        .access = spy_access};
            const struct det_row spy = {.name = "spy", .ops = &ops};
            struct det_choice choice[2] = {{.row = &spy}};
            char why[200];
            cr_assert(det_choose(&choice[1], "predator", why, sizeof why));
            struct world w = {.desk = det_desk_new(&machine, choice, 1 + others)};
            spied.accesses = 0;
            cr_expect_eq(det_desk_leaves(w.desk), others ? 0 : kinds[i].leaves);
            for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
                make(&w, &steps[k]);
            det_desk_told(w.desk, SIM_NEVER);
            cr_expect_eq(spied.accesses, kinds[i].accesses, "%zu: %u", i, spied.accesses);
            det_desk_free(w.desk);
        }
}

/* ---- the order of time ----------------------------------------------------------------------- */

enum { TOLD_CARDS = 8, TOLD_EACH = 500, TOLD = TOLD_CARDS * TOLD_EACH };

/* What a model has heard. */
static struct {
    struct {
        sim_tick at;
        uint64_t card, which; /* the card's so many-th */
    } event[TOLD];
    size_t count;
} heard;

static void hear_access(void *self, const struct det_event *event)
{
    (void)self;
    cr_assert_lt(heard.count, TOLD);
    heard.event[heard.count].at = event->at;
    heard.event[heard.count].card = event->card;
    heard.event[heard.count++].which = event->va;
}

/* A card's events: some at one tick, and now and then nothing for long. */
static sim_tick told_at(unsigned card, uint64_t which)
{
    static sim_tick at[TOLD_CARDS][TOLD_EACH];
    uint64_t chance = det_lots(7, card);
    if (at[card][TOLD_EACH - 1])
        return at[card][which];
    for (unsigned i = 1; i < TOLD_EACH; i++)
        at[card][i] = at[card][i - 1] + det_lot(&chance, 12) + (i % 100 == 0) * (1ull << 30);
    return at[card][which];
}

/* Each card tells what is before the end of a window, and something of what is behind it. */
static void tell_by_windows(struct det_desk *desk, uint64_t windows)
{
    uint64_t which[TOLD_CARDS] = {0};
    sim_tick end = 0;
    for (size_t left = TOLD; left; det_desk_told(desk, end)) {
        sim_tick first = SIM_NEVER;
        for (unsigned c = 0; c < TOLD_CARDS; c++)
            if (which[c] < TOLD_EACH)
                first = sim_earlier(first, told_at(c, which[c]));
        end = sim_later(end, first) + 1 + det_lot(&windows, 1u << det_lot(&windows, 14));
        for (unsigned c = 0; c < TOLD_CARDS; c++)
            for (const sim_tick ahead = end + det_lot(&windows, 300);
                 which[c] < TOLD_EACH && told_at(c, which[c]) < ahead; which[c]++, left--)
                det_desk_tell(
                    desk, DET_EVENT_access,
                    &(struct det_event){.card = c, .at = told_at(c, which[c]), .va = which[c]});
    }
}

/* By tick, then by card, then as they happened: whatever the windows. */
Test(detectors, order_of_time)
{
    const struct det_ops ops = {.size = 1,
                                .sees = DET_SEES_VA,
                                .bits = spy_bits,
                                .answer = spy_answer,
                                .access = hear_access};
    const struct det_row row = {.name = "spy", .ops = &ops};
    const struct det_choice choice = {.row = &row};
    const struct det_machine machine_of_all = {.cards = TOLD_CARDS};
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct det_desk *desk = det_desk_new(&machine_of_all, &choice, 1);
        uint64_t which[TOLD_CARDS] = {0};
        heard.count = 0;
        tell_by_windows(desk, seed);
        det_desk_end(desk);
        det_desk_free(desk);
        cr_assert_eq(heard.count, TOLD);
        for (size_t i = 0; i < TOLD; i++) {
            const uint64_t card = heard.event[i].card;
            cr_assert_eq(heard.event[i].which, which[card]++, "windows %" PRIu64, seed);
            cr_assert(
                !i || heard.event[i - 1].at < heard.event[i].at ||
                    (heard.event[i - 1].at == heard.event[i].at && heard.event[i - 1].card <= card),
                "windows %" PRIu64 ": event %zu comes too late", seed, i);
        }
    }
}

/* What begin takes of the host is refused before it is taken. */
Test(detectors, fits)
{
    struct det_choice choice[3];
    char why[200] = "";
    cr_assert(det_choose(&choice[0], "naive", why, sizeof why) &&
              det_choose(&choice[1], "fought:entries=65536:tenures=256", why, sizeof why) &&
              det_choose(&choice[2], "fsdetect:counted=1", why, sizeof why));
    cr_assert(det_desk_fits(&machine, choice, 1, 0, why, sizeof why), "%s", why);
    cr_assert_not(det_desk_fits(&machine, choice, 3, 200 << 20, why, sizeof why));
    cr_assert(strstr(why, "model 'fought': its tables take with those before it 2"), "%s", why);
    cr_assert_not(det_desk_fits(&machine, &choice[2], 1, 1 << 10, why, sizeof why));
    cr_assert(strstr(why, "model 'fsdetect': its tables take 0 MB"), "%s", why);
    cr_assert(det_desk_fits(&machine, choice, 3, 300 << 20, why, sizeof why), "%s", why);
}

Test(detectors, choices)
{
    static const char *const bad[][2] = {
        {"naiv", "no model 'naiv'"},
        {"naive:", "no parameter ''"},
        {"naive:lime=3", "no parameter 'lime' ('numachine list detectors naive')"},
        {"naive:writer=3", "no parameter 'writer'; did you mean 'writers'?"},
        {"naive:writers= 3", "from 2 to 1024"},
        {"naive:writers=+3", "from 2 to 1024"},
        {"naive:writers", "from 2 to 1024"},
        {"naive:writers=1", "from 2 to 1024"},
        {"naive:writers=3x", "from 2 to 1024"},
        {"naive:writers=", "from 2 to 1024"},
        {"naive:writers=2:writers=1025", "from 2 to 1024"},
    };
    struct det_choice choice;
    char why[200];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_not(det_choose(&choice, bad[i][0], why, sizeof why), "%s", bad[i][0]);
        cr_assert(strstr(why, bad[i][1]), "%s: %s", bad[i][0], why);
    }
    for (size_t i = 0; i < det_row_count; i++)
        cr_assert(det_choose(&choice, det_rows[i].name, why, sizeof why) &&
                      choice.row == &det_rows[i],
                  "%s", why);
    for (unsigned i = 0; i < DET_PARAMETERS; i++) {
        const struct det_parameter_row *row = &det_parameter_rows[i];
        cr_assert(det_row_named(row->model, strlen(row->model)), "%s of no model", row->name);
        cr_assert(row->least <= row->value && row->value <= row->most, "%s", row->name);
    }
}
