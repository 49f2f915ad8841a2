/*
 * One run as the writers of results see it: what was counted in which region, how it ended, what it
 * cost the host. Filled in run/, written and read by everything in this room.
 *
 * A region is what happened between the marks "begin NAME" and "end NAME" of the guest; visits of
 * the same name add up. The region "whole" (run->region[0]) is the whole run.
 */
#ifndef DOC_RUN_H
#define DOC_RUN_H

#include "input/experiment.h"
#include "machine/machine.h"
#include "machine/statistics.h"
#include "machine/traffic.h"
#include "monitor/unit.h"
#include "procard/procard.h"
#include "programs/program.h"

#include <stdio.h>
#include <time.h>

struct doc_totals; /* documents/totals.h */
struct doc_card;

/** Everything read at one tick; the arrays belong to who reads. */
struct doc_sample {
    struct doc_totals *card;            /**< [cards] */
    struct nm_station_monitor *station; /**< [stations] */
    struct nm_ring_monitor *ring;       /**< [rings]; NULL where there are none */
    const struct nm_traffic **traffic;  /**< [stations] of nm_machine_traffic; NULL: not counted */
    union mon_own_signals
        *own; /**< [cards] of the processors themselves; NULL: they count nothing */
};

/** What the machine around the cards shows for a region; .._start at the begin of the present
 *  visit. */
struct doc_components {
    struct nm_station_monitor *station, *station_start; /**< [stations] */
    struct nm_ring_monitor *ring, *ring_start;          /**< [rings] */
    struct nm_traffic *traffic; /**< [stations * stations], by sender; NULL: there is none, or no
                                     room. While a visit lasts, less what was at its begin */
};

/** What its processor counts by itself. */
struct doc_own {
    union mon_own_signals sum, start; /**< as in struct doc_card */
};

struct doc_region {
    char *name; /**< printable, and its own */
    char *mark; /**< what the guest calls it; NULL: it is the whole run */
    uint64_t visits;
    bool open;             /**< begun and not ended */
    sim_tick begin, end;   /**< first begin, last end */
    sim_tick since;        /**< begin of the present visit */
    sim_tick elapsed;      /**< [ticks] sum over visits */
    struct doc_card *card; /**< [cards] */
    struct doc_own *own;   /**< [cards]; NULL: processors count nothing */
    struct doc_components around;
    struct prog_quotient *figure; /**< [run->figures] what the workload measures by itself; of what
                                       was timed alone NULL */
    struct doc_region
        *measured; /**< what of it was timed and measured: ratios are of that, because
                        only there is everything counted (doc_region_measured); NULL: all */
};

/** Cost and circumstances; never part of the result hash. */
struct doc_host {
    char name[256], cpu[256];
    long cores;
    struct timespec start, end; /**< wall clock */
    double seconds;             /**< host seconds in the simulation itself */
    uint64_t peak_bytes;        /**< peak resident memory */
};

/** XXH64 over simulated results only, whatever was monitored, wherever and however fast it ran. */
struct doc_hashes {
    uint64_t result; /**< what the machine did and when: the same in every version that changes no
                          simulated cycle */
    uint64_t totals; /**< that and every total there is: the same in every run of one version */
};

/** What became of an expectation. */
struct doc_judged {
    bool left; /**< it is about several points of a sweep: not judged here */
    bool kept;
    bool known; /**< the value is */
    char *text; /**< the value, as stats.json has it; or why there is none */
};

struct doc_run {
    const struct in_experiment *experiment;
    const char *program; /**< executable on the host that ran */
    unsigned cards, per_station;
    unsigned stations, rings;
    const struct mon_unit_ops *unit;  /**< the kind of unit that counts */
    bool own;                         /**< and processors count by themselves */
    const struct prog_figure *figure; /**< [figures] rows of what the workload measures by itself */
    size_t figures;
    struct mon_choice choice;
    struct mon_plan plan;
    struct doc_registers *registers; /**< [cards] as the run left them (registers.h); NULL: not
                                          read yet */
    struct doc_region *region;       /**< [regions], [0] is "whole" */
    size_t regions;
    bool parted;      /**< only parts of it are timed: its regions have `measured` */
    bool measuring;   /**< at present (run_regions_measure) */
    uint64_t ignored; /**< marks that made no sense */
    size_t renamed;   /**< regions that were given a name of their own */
    char **remark;    /**< [remarks] complaints about marks and the like, for people */
    size_t remarks;
    struct prog_outcome outcome;
    struct doc_host host;
    struct doc_hashes hash; /**< of the results, doc_hash */
    struct doc_judged
        *judged; /**< [experiment->expects] run_expect_judge; NULL: it was not called */
};

/** What `whole` is called. */
#define DOC_WHOLE "whole"

/** What of a region ratios are of: all of it, or what was timed. Never NULL. */
const struct doc_region *doc_region_measured(const struct doc_region *region);

/** Adds a remark (printf). */
void doc_remark(struct doc_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** How a run ended, as one word: "exited", "signaled", "limit", ... */
const char *doc_end_word(enum prog_end end);

/** The hashes of a finished run. */
struct doc_hashes doc_hash(const struct doc_run *run);

/* ---- cards, stations, the machine ------------------------------------------------------------ */

/** A range of cards that results are given for. */
struct doc_level {
    unsigned first, count;
};

/** Cards of a local ring. */
unsigned doc_per_ring(const struct doc_run *run);

/** The count of chosen event i over a level, by the event's scope. */
uint64_t doc_count(const struct doc_run *run, const struct doc_region *region,
                   struct doc_level level, unsigned i);

/** Some counter of event i in the level raised its overflow flag. */
bool doc_overflowed(const struct doc_region *region, struct doc_level level, unsigned i);

/** Total of an event on one card at the tick of a sample. @param event  row of the unit's events */
uint64_t doc_event_at(const struct doc_run *run, const struct doc_sample *now, unsigned card,
                      unsigned event);

/** Sum of some taps over a level, by a scope. @param taps  bit t: enum mon_tap t */
uint64_t doc_sum(const struct doc_run *run, const struct doc_region *region, struct doc_level level,
                 enum mon_scope scope, uint64_t taps);

/** An event's exact total over a level, by its scope, whether or not it was chosen.
 *  @param event  row of the unit's events */
uint64_t doc_event(const struct doc_run *run, const struct doc_region *region,
                   struct doc_level level, unsigned event);

/** Whether a card counts the event of a row of the unit's: one of the processor's own counters only
 *  if it has such. */
bool doc_card_counts(const struct doc_run *run, unsigned card, unsigned event);

/** Whether the machine has what an event is about: a ring, or a ring above it. The card's counter
 * of one that it has not stays 0. @param event  row of the unit's events */
bool doc_event_exists(const struct doc_run *run, unsigned event);

/** Whether a card had a thread at some time of a region, at work or asleep. */
bool doc_had_thread(const struct doc_region *region, unsigned card);

/** How many cards of a level had one: what the `cards` of a formula is. */
unsigned doc_cards(const struct doc_region *region, struct doc_level level);

/** [PCycles] in which cards of a level that had a thread had none: before it came, after it had
 *  ended. */
uint64_t doc_idle(const struct doc_region *region, struct doc_level level);

/** [PCycles] in which no thread was at work on the cards of a level, those without one included:
 *  what their pins show as other stall although nothing stalls. */
uint64_t doc_off(const struct doc_region *region, struct doc_level level);

/** [PCycles] The longest that a card of a level had a thread at work. */
uint64_t doc_busiest(const struct doc_region *region, struct doc_level level);

/** Sum of a tap (enum mon_tap), or of a member of struct nm_truth, over the cards of a level. */
uint64_t doc_tap(const struct doc_region *region, struct doc_level level, unsigned tap);
uint64_t doc_truth(const struct doc_region *region, struct doc_level level, size_t offset);

/** All cards. */
static inline struct doc_level doc_machine(const struct doc_run *run)
{
    return (struct doc_level){0, run->cards};
}

/** Simulated seconds of a number of ticks. */
static inline double doc_seconds(const struct doc_run *run, sim_tick ticks)
{
    return (double)ticks / (double)nm_value_cpu_clock(run->experiment->machine.params);
}

/** Cycles of a clock [Hz] in a region, exact: with a fraction. Every share of time has this below
 * it, as a register that counts cycles is rounded at both ends of every visit. */
static inline double doc_cycles(const struct doc_run *run, const struct doc_region *region,
                                uint64_t clock)
{
    return (double)region->elapsed * (double)clock /
           (double)nm_value_cpu_clock(run->experiment->machine.params);
}

#endif
