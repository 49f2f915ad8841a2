/*
 * Regions: what the monitoring cards show between two marks of the guest.
 *
 * Each region is measured as a user of the counters would: at its begin they are told what to count
 * and cleared, at its end they are read. What they show then, the unit says (mon_unit_ops.measure).
 * A unit has few counters, so more events than that need the region run several times; the
 * simulated machine does the same thing every time and does not notice its monitors, so one run
 * with as many units as are needed gives the same numbers.
 */
#include "run/regions.h"

#include "base/alloc.h"
#include "documents/statistics/stats.h"
#include "documents/totals.h"
#include "documents/traffic.h"
#include "input/workload.h"
#include "monitor/taps.h"
#include "procard/core.h"
#include "run/expect.h"
#include "run/observer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    REGIONS = 16384,     /**< there may be, */
    ROOM = 1 << 18,      /**< and [cards * regions]: some 600 MB of the host's memory, ... */
    OWN_ROOM = ROOM / 2, /**< ... or so many where processors count by themselves */
    TOLD = 16            /**< marks of a kind that become remarks; of more only their number */
};

static struct mon_shown shown_of(const struct doc_run *run, const struct doc_region *region,
                                 unsigned card, unsigned i, const struct doc_sample *now)
{
    const unsigned event = run->choice.event[i];
    if (!mon_is_own(run->unit, event))
        return run->unit->measure(event, run->plan.counter[i], &region->card[card].start.taps,
                                  &now->card[card].taps);
    return region->own ? mon_own_measure(run->unit->own, event - run->unit->event_count,
                                         &region->own[card].start, &now->own[card])
                       : (struct mon_shown){0};
}

static void read_counters(const struct doc_run *run, struct doc_region *region, unsigned card,
                          const struct doc_sample *now)
{
    struct doc_card *c = &region->card[card];
    for (unsigned i = 0; i < run->choice.count; i++) {
        const struct mon_shown shown = shown_of(run, region, card, i, now);
        c->counts[i] += shown.value;
        c->overflowed[i] |= shown.overflowed;
    }
}

/* sum += now - start, for every total of a card. */
static void regions_accumulate(struct doc_totals *sum, const struct doc_totals *now,
                               const struct doc_totals *start)
{
    for (int t = 0; t < MON_TAP__COUNT; t++)
        sum->taps.v[t] += now->taps.v[t] - start->taps.v[t];
#define TRUTH(field, unit, sentence) sum->truth.field += now->truth.field - start->truth.field;
#include "machine/truth.def"
#undef TRUTH
}

static void accumulate_own(struct doc_own *own, const union mon_own_signals *now)
{
    for (unsigned i = 0; i < MON_OWN_TOTALS; i++)
        own->sum.total[i] += now->total[i] - own->start.total[i];
}

/* ---- the machine around the cards ------------------------------------------------------------ */

static struct doc_components components_new(const struct doc_run *run)
{
    return (struct doc_components){
        .station = sim_alloc(run->stations, sizeof(struct nm_station_monitor)),
        .station_start = sim_alloc(run->stations, sizeof(struct nm_station_monitor)),
        .ring = sim_alloc(run->rings, sizeof(struct nm_ring_monitor)),
        .ring_start = sim_alloc(run->rings, sizeof(struct nm_ring_monitor)),
    };
}

static void components_free(struct doc_components *a)
{
    free(a->station);
    free(a->station_start);
    free(a->ring);
    free(a->ring_start);
    free(a->traffic);
}

static void components_copy(const struct doc_run *run, struct doc_components *to,
                            const struct doc_components *from)
{
    memcpy(to->station, from->station, run->stations * sizeof *to->station);
    memcpy(to->station_start, from->station_start, run->stations * sizeof *to->station);
    memcpy(to->ring, from->ring, run->rings * sizeof *to->ring);
    memcpy(to->ring_start, from->ring_start, run->rings * sizeof *to->ring);
}

static void components_begin(const struct doc_run *run, struct doc_components *a,
                             const struct doc_sample *now)
{
    for (unsigned s = 0; s < run->stations; s++)
        a->station_start[s] = now->station[s];
    for (unsigned r = 0; r < run->rings; r++)
        a->ring_start[r] = now->ring[r];
    if (a->traffic && now->traffic)
        doc_traffic_add(run, a->traffic, now->traffic, -1);
}

static void components_end(const struct doc_run *run, struct doc_components *a,
                           const struct doc_sample *now)
{
    for (unsigned s = 0; s < run->stations; s++)
        nm_station_monitor_add(&a->station[s], &now->station[s], &a->station_start[s]);
    for (unsigned r = 0; r < run->rings; r++)
        nm_ring_monitor_add(&a->ring[r], &now->ring[r], &a->ring_start[r]);
    if (a->traffic && now->traffic)
        doc_traffic_add(run, a->traffic, now->traffic, 1);
}

/* ---- visits ---------------------------------------------------------------------------------- */

static void begin_visit(const struct doc_run *run, struct doc_region *region, sim_tick at,
                        const struct doc_sample *now)
{
    if (region->visits++ == 0)
        region->begin = at;
    region->since = at;
    region->open = true;
    for (unsigned c = 0; c < run->cards; c++)
        region->card[c].start = now->card[c];
    for (unsigned c = 0; region->own && c < run->cards; c++)
        region->own[c].start = now->own[c];
    components_begin(run, &region->around, now);
    if (region->measured && run->measuring)
        begin_visit(run, region->measured, at, now);
}

static void end_visit(const struct doc_run *run, struct doc_region *region, sim_tick at,
                      const struct doc_sample *now)
{
    region->end = at;
    region->elapsed += at - region->since;
    region->open = false;
    for (unsigned c = 0; c < run->cards; c++) {
        regions_accumulate(&region->card[c].sum, &now->card[c], &region->card[c].start);
        if (region->own)
            accumulate_own(&region->own[c], &now->own[c]);
        read_counters(run, region, c, now);
    }
    components_end(run, &region->around, now);
    if (region->measured && region->measured->open)
        end_visit(run, region->measured, at, now);
}

void run_regions_measure(struct doc_run *run, bool on, sim_tick at, const struct doc_sample *now)
{
    run->measuring = on;
    for (size_t i = 0; i < run->regions; i++) {
        struct doc_region *region = &run->region[i];
        if (!region->open || region->measured->open == on)
            continue;
        if (on)
            begin_visit(run, region->measured, at, now);
        else
            end_visit(run, region->measured, at, now);
    }
}

static struct doc_region region_new(const struct doc_run *run, const char *name, const char *mark)
{
    return (struct doc_region){
        .name = sim_strdup(name),
        .mark = mark ? sim_strdup(mark) : NULL,
        .card = sim_alloc(run->cards, sizeof(struct doc_card)),
        .own = run->own ? sim_alloc(run->cards, sizeof(struct doc_own)) : NULL,
        .around = components_new(run),
    };
}

/** @param mark  NULL: of no mark */
static struct doc_region *add_region(struct doc_run *run, const char *name, const char *mark)
{
    run->region = sim_grow(run->region, run->regions + 1, sizeof *run->region);
    struct doc_region *region = &run->region[run->regions++];
    *region = region_new(run, name, mark);
    region->around.traffic = doc_traffic_new(run);
    region->figure = sim_alloc(run->figures, sizeof *region->figure);
    if (run->parted) {
        region->measured = sim_alloc(1, sizeof *region->measured);
        *region->measured = region_new(run, name, NULL);
    }
    return region;
}

static struct doc_region *regions_find_region(struct doc_run *run, const char *mark)
{
    for (size_t i = 1; i < run->regions; i++)
        if (strcmp(run->region[i].mark, mark) == 0)
            return &run->region[i];
    return NULL;
}

static bool is_taken(const struct doc_run *run, const char *name)
{
    for (size_t i = 0; i < run->regions; i++)
        if (strcmp(run->region[i].name, name) == 0)
            return true;
    return false;
}

static void add_figures(const struct doc_run *run, struct doc_region *region,
                        const struct prog_quotient *figure)
{
    for (size_t i = 0; i < run->figures; i++) {
        region->figure[i].above += figure[i].above;
        region->figure[i].below += figure[i].below;
    }
}

void run_regions_figures(struct doc_run *run, const char *mark, const struct prog_quotient *figure)
{
    struct doc_region *region = regions_find_region(run, mark);
    if (!region)
        return;
    add_figures(run, region, figure);
    add_figures(run, &run->region[0], figure);
}

static bool is_parted(const struct prog_approach *a)
{
    return a->from.kind != PROG_AT_NONE || a->to.kind != PROG_AT_NONE || a->sampling.every;
}

void run_regions_init(struct doc_run *run, const struct in_experiment *experiment,
                      const char *program, unsigned cards, unsigned per_station,
                      const struct mon_choice *choice, const struct doc_sample *now)
{
    *run = (struct doc_run){
        .experiment = experiment,
        .program = program,
        .cards = cards,
        .per_station = per_station,
        .stations = cards / per_station,
        .rings = nm_ring_count(experiment->machine.params),
        .unit = in_unit(experiment),
        .own = now->own != NULL,
        .choice = *choice,
        .parted = is_parted(&experiment->approach),
    };
    if (experiment->pattern_count) {
        run->figure = in_workload_described()->figure;
        run->figures = in_workload_described()->figures;
    }
    mon_plan_make(run->unit, &run->plan, choice);
    begin_visit(run, add_region(run, DOC_WHOLE, NULL), 0, now);
}

void run_region_free(struct doc_region *region)
{
    free(region->name);
    free(region->mark);
    free(region->card);
    free(region->own);
    free(region->figure);
    components_free(&region->around);
    if (region->measured)
        run_region_free(region->measured);
    free(region->measured);
}

void run_regions_free(struct doc_run *run)
{
    for (size_t i = 0; i < run->regions; i++)
        run_region_free(&run->region[i]);
    for (size_t i = 0; i < run->remarks; i++)
        free(run->remark[i]);
    free(run->region);
    free(run->remark);
    free(run->outcome.sample);
    run_expect_free(run);
}

enum { NAME = 64 /**< [bytes] of a region's name, the terminator included */ };

/* The guest may name its marks with any bytes; files and tables get printable ones. */
static void clean_name(char to[NAME], const char *from)
{
    snprintf(to, NAME, "%s", *from ? from : "_");
    for (; *to; to++)
        if (*to <= ' ' || *to > '~')
            *to = '_';
}

/* Two marks may come to one name, and one may be that of the whole run: regions keep apart. */
static void name_apart(struct doc_run *run, char name[NAME])
{
    char first[NAME], number[24];
    snprintf(first, sizeof first, "%s", name);
    for (size_t n = run->renamed + 2; is_taken(run, name); n++) { /* few tries, if there are many */
        const int length = snprintf(number, sizeof number, "_%zu", n);
        snprintf(name, NAME, "%.*s%s", NAME - 1 - length, first, number);
    }
    if (strcmp(name, first) && run->renamed++ < TOLD)
        doc_remark(run, "a region is called '%s', since '%s' is %s", name, first,
                   strcmp(first, DOC_WHOLE) ? "another, whose mark comes to the same name"
                                            : "the whole run");
}

static struct doc_region *new_region(struct doc_run *run, const char *mark)
{
    char name[NAME];
    clean_name(name, mark);
    name_apart(run, name);
    return add_region(run, name, mark);
}

/* Why a mark makes no sense; NULL: it does. */
static const char *regions_senseless(const struct doc_run *run, const struct doc_region *region,
                                     bool begin)
{
    if (begin && region && region->open)
        return "it was begun again before its end";
    if (begin && !region &&
        (run->regions == REGIONS || (run->regions + 1) * run->cards > (run->own ? OWN_ROOM : ROOM)))
        return "there is no room for one more";
    if (!begin && !(region && region->open))
        return "it was ended without a begin";
    return NULL;
}

/* A program may do that a million times. */
static void regions_ignore(struct doc_run *run, const char *mark, const char *why)
{
    char name[NAME];
    clean_name(name, mark);
    if (run->ignored++ < TOLD)
        doc_remark(run, "a mark of region '%s' was ignored: %s", name, why);
}

void run_regions_mark(struct doc_run *run, const char *mark, bool begin, sim_tick at,
                      const struct doc_sample *now)
{
    struct doc_region *region = regions_find_region(run, mark);
    const char *why = regions_senseless(run, region, begin);
    if (why)
        regions_ignore(run, mark, why);
    else if (begin)
        begin_visit(run, region ? region : new_region(run, mark), at, now);
    else
        end_visit(run, region, at, now);
}

void run_regions_finish(struct doc_run *run, sim_tick at, const struct doc_sample *now)
{
    size_t open = 0;
    for (size_t i = run->regions; i-- > 0;) {
        struct doc_region *region = &run->region[i];
        if (!region->open)
            continue;
        if (i > 0 && open++ < TOLD)
            doc_remark(run,
                       "region '%s' was still open when the run ended; it is counted up to there",
                       region->name);
        end_visit(run, region, at, now);
    }
    if (open > TOLD)
        doc_remark(run, "%zu regions were still open when the run ended", open);
    if (run->ignored > TOLD)
        doc_remark(run, "%" PRIu64 " marks of regions were ignored", run->ignored);
    for (size_t i = 0; i < run->regions; i++)
        if (!doc_is_detailed(run, &run->region[i])) {
            doc_remark(run,
                       "there are %zu regions: those from '%s' on are in the files for the whole "
                       "machine only",
                       run->regions - 1, run->region[i].name);
            break;
        }
}

static struct doc_region regions_copy_of(const struct doc_run *run, const struct doc_region *region)
{
    struct doc_region copy = *region;
    copy.name = sim_strdup(region->name);
    copy.mark = NULL;
    copy.card = sim_alloc(run->cards, sizeof *copy.card);
    copy.own = run->own ? sim_alloc(run->cards, sizeof *copy.own) : NULL;
    copy.around = components_new(run);
    components_copy(run, &copy.around, &region->around);
    memcpy(copy.card, region->card, run->cards * sizeof *copy.card);
    if (region->figure) {
        copy.figure = sim_alloc(run->figures, sizeof *copy.figure);
        memcpy(copy.figure, region->figure, run->figures * sizeof *copy.figure);
    }
    if (run->own)
        memcpy(copy.own, region->own, run->cards * sizeof *copy.own);
    if (region->measured) {
        copy.measured = sim_alloc(1, sizeof *copy.measured);
        *copy.measured = regions_copy_of(run, region->measured);
    }
    return copy;
}

struct doc_region run_regions_peek(const struct doc_run *run, sim_tick at,
                                   const struct doc_sample *now)
{
    struct doc_region copy = regions_copy_of(run, &run->region[0]);
    end_visit(run, &copy, at, now);
    return copy;
}

/* A sentence if a card's states, or what its time went to, are not all the time there was; or if
 * the pins did not show other stall whenever no thread was at work. */
static bool card_adds_up(const struct doc_region *region, unsigned card, char *why, size_t size)
{
    const struct doc_totals *sum = &region->card[card].sum;
    const struct nm_truth *t = &sum->truth;
    const uint64_t off = t->system + t->waiting + t->asleep + t->idle;
    uint64_t states = 0;
    for (int s = 0; s < PC_ST__COUNT; s++)
        states += sum->taps.v[s];
    if (states == region->elapsed && t->running + off == region->elapsed &&
        off <= sum->taps.v[MON_TAP_ST_STALL_OTHER])
        return true;
    snprintf(why, size,
             "region '%s', card %u: the 15 status states add up to %llu PCycles, work and rest to "
             "%llu + %llu with %llu of other stall, and %llu passed",
             region->name, card, (unsigned long long)states, (unsigned long long)t->running,
             (unsigned long long)off, (unsigned long long)sum->taps.v[MON_TAP_ST_STALL_OTHER],
             (unsigned long long)region->elapsed);
    return false;
}

bool run_regions_add_up(const struct doc_run *run, char *why, size_t size)
{
    for (size_t i = 0; i < run->regions; i++)
        for (unsigned c = 0; c < run->cards; c++)
            if (!card_adds_up(&run->region[i], c, why, size))
                return false;
    return true;
}

/* ---- a run's own ----------------------------------------------------------------------------- */

static enum run_begun regions_begin(void *self, struct run_live *live, char *why, size_t size)
{
    (void)self, (void)why, (void)size;
    run_regions_init(&live->run, live->experiment, live->path, live->cards,
                     (unsigned)nm_value_processors(live->experiment->machine.params), &live->choice,
                     run_totals(live));
    return RUN_BEGUN;
}

static void regions_mark(void *self, const char *name, bool begin, sim_tick at)
{
    struct run_live *live = self;
    run_regions_mark(&live->run, name, begin, at, run_totals(live));
}

static void regions_measure(void *self, bool on, sim_tick at)
{
    struct run_live *live = self;
    run_regions_measure(&live->run, on, at, run_totals(live));
}

static void regions_figures(void *self, const char *region, const struct prog_quotient *figure)
{
    struct run_live *live = self;
    run_regions_figures(&live->run, region, figure);
}

static void regions_finish(void *self, sim_tick at)
{
    struct run_live *live = self;
    run_regions_finish(&live->run, at, run_totals(live));
}

static bool regions_add_up(void *self, char *why, size_t size)
{
    const struct run_live *live = self;
    return run_regions_add_up(&live->run, why, size);
}

static void regions_release(void *self)
{
    struct run_live *live = self;
    run_regions_free(&live->run);
}

const struct run_observer run_regions = {
    .begin = regions_begin,
    .mark = regions_mark,
    .measure = regions_measure,
    .figures = regions_figures,
    .finish = regions_finish,
    .adds_up = regions_add_up,
    .release = regions_release,
};
