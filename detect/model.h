/*
 * Models of detectors of false sharing: what hardware or software that the monitoring card is not
 * would see of a run, what it would answer, and what it would cost. `numachine detect NAME --
 * ./prog` lets one look.
 *
 * A model is a file, detect/NAME.c, which defines `const struct det_ops det_NAME`, and a row of
 * detect/models.def. It includes this header and base/ only. docs/extending.md, "A detector", walks
 * through one.
 *
 * It hears events (events.def): those whose operations it has. In an event it finds what it has
 * declared to see (sees.def); all else is 0. It can ask nobody for more. So what it answers is what
 * a real one could answer.
 *
 * Events come while the machine runs, and change nothing: in the order of time, those of one tick
 * by card, those of one card as they happen. Between `filled` and `taken` of a card come those of
 * its accesses that this copy served. (A core that goes on while it waits tells of its accesses
 * when they graduate: perhaps behind that.) Which thread is on a card changes without an event. If
 * the user has what the model costs delay the processors, events come at once: cards run ahead of
 * each other by a few hundred PCycles, and then the order of different cards' may be wrong by that.
 *
 * What a detector costs, the model says: its bits of memory (`bits`), and while it runs interrupts
 * and time of processors (det_interrupt, det_spend). Nothing is delayed by that unless the user
 * asks for it.
 *
 * Everything must depend on events and parameters only: a model that draws lots seeds itself from a
 * parameter.
 */
#ifndef DET_MODEL_H
#define DET_MODEL_H

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum det_served {
#define SERVED(name, sentence) DET_SERVED_##name,
#include "detect/served.def"
#undef SERVED
    DET_SERVED__COUNT
};

enum det_event_kind {
#define EVENT(name, sentence) DET_EVENT_##name,
#include "detect/events.def"
#undef EVENT
    DET_EVENT__COUNT
};

/** Bits of struct det_ops.sees: DET_SEES_LINE, ... */
enum det_sees {
#define SEES(name, member, type, sentence) DET_SEES_BIT_##name,
#include "detect/sees.def"
#undef SEES
    DET_SEES__COUNT,
#define SEES(name, member, type, sentence) DET_SEES_##name = 1 << DET_SEES_BIT_##name,
#include "detect/sees.def"
#undef SEES
};

/** Accesses that a model does not need to hear of (struct det_ops.leaves). */
enum det_leaves {
    DET_LEAVES_LOADS = 1,  /**< only stores are told */
    DET_LEAVES_REPEATS = 2 /**< a card's load from the line that it has loaded from last, and its
                                store to the one that it has stored to last, are not told */
};

/** What happens. Which members an event has is said in events.def, what they are in sees.def. */
struct det_event {
    unsigned card; /**< on which it happens; of `thread` and `paged` 0 */
    unsigned slot; /**< of `trapped`: the number of the debug register */
    sim_tick at;   /**< [PCycles] of the card's clock */
#define SEES(name, member, type, sentence) type member;
#include "detect/sees.def"
#undef SEES
};

/** The machine, as far as a detector is built for it. */
struct det_machine {
    unsigned cards;
    unsigned stations;  /**< each has a memory with a directory, */
    uint64_t memory;    /**< [bytes] of this size, and what is at these addresses in turn */
    unsigned line;      /**< [bytes] of a line of the secondary cache: what coherence is about */
    unsigned part;      /**< [bytes] of a line of the primary data cache, not more than that */
    unsigned primary;   /**< [lines of it] that the primary data cache of a card has */
    unsigned secondary; /**< [lines] of the secondary cache of a card */
    unsigned page;      /**< [bytes] */
    unsigned address;   /**< [bits] of a physical address */
};

/** A model's place in a run: what it may ask of whoever lets it look. */
struct det_seat;

const struct det_machine *det_machine(const struct det_seat *seat);

enum det_parameters {
#define MODEL(name, finds, sentence, paper)
#define PARAMETER(model, name, unit, value, least, most, sentence) DET_##model##_##name,
#include "detect/models.def"
#undef MODEL
#undef PARAMETER
    DET_PARAMETERS
};

/** The value of one of the model's own parameters, in its range. */
int64_t det_parameter(const struct det_seat *seat, enum det_parameters which);

/** The card is interrupted, and its handler takes so many PCycles. */
void det_interrupt(struct det_seat *seat, unsigned card, uint64_t pcycles);

/** The card spends so many PCycles for the detector, without an interrupt: instrumented code. */
void det_spend(struct det_seat *seat, unsigned card, uint64_t pcycles);

/** So many events were counted or noted by the detector: for people. */
void det_counted(struct det_seat *seat, uint64_t events);

/** So many samples or the like found no room: for people. */
void det_lost(struct det_seat *seat, uint64_t samples);

enum { DET_SLOTS_MAX = 8 /**< debug registers of a card */ };

/** A debug register of a card watches bytes from now on: `trapped` comes whenever the card accesses
 *  one of them.
 *  @param slot  below DET_SLOTS_MAX
 *  @param bytes  0: it watches none, wherever they are
 *  @param stores  only stores */
void det_watch(struct det_seat *seat, unsigned card, unsigned slot, uint64_t va, uint64_t bytes,
               bool stores);

/** What a model names. */
struct det_named {
    uint64_t at;    /**< address of the first byte: physical, or ... */
    bool virtual;   /**< ... virtual */
    uint64_t bytes; /**< an object is as long as it is; 0: a line of the secondary cache */
    double score;   /**< confidence that it is shared falsely, from 0 to 1; from DET_SUSPECT on it
                         is a suspect */
    uint64_t count; /**< what the score rests on: samples, misses, ... */
    sim_tick when; /**< [PCycles] the detector could have named it then; 0: at the run's end only */
};
#define DET_SUSPECT 0.5

/** Names a line or an object; each once. In `answer` only. */
void det_name(struct det_seat *seat, const struct det_named *named);

/** Draws a lot. @param chance  begins as det_lots says
 *  @return below `below` */
static inline uint64_t det_lot(uint64_t *chance, uint64_t below)
{
    *chance = *chance * 6364136223846793005u + 1442695040888963407u;
    return (*chance >> 33) % below;
}

/** With what a card's own lots begin, so that they do not hang on what other cards do.
 *  @param seed  the parameter `seed` */
static inline uint64_t det_lots(int64_t seed, unsigned card)
{
    return (uint64_t)seed + card * UINT64_C(0x9e3779b97f4a7c15);
}

/** What a counter is loaded with that overflows about once a period: up to an eighth more or less
 *  by lot, or samples would keep step with the program. */
static inline uint64_t det_about(uint64_t *chance, uint64_t period)
{
    return period - period / 8 + det_lot(chance, period / 4 + 1);
}

/** A model. `bits` and `answer` must be there. */
struct det_ops {
    size_t size; /**< [bytes] of `self`, which begins as zeroes */
    unsigned
        sees; /**< members of struct det_event that its hardware or software sees: DET_SEES_... */

    /** Accesses that it leaves: DET_LEAVES_... The fewer are told, the faster is the run on the
     * host, if all models that look at it leave them. Not for one that sees SERVED or LATENCY, or
     * hears of traps. */
    unsigned leaves;

    /** [bits] of storage that its hardware has in all of the machine, beyond a machine without it.
     *  Memory that software takes counts, too: at the end of the run, so that it may grow.
     *  @param self  behind the last event, before `answer` */
    uint64_t (*bits)(const void *self, const struct det_seat *seat);

    /** [bytes] of the host's memory that `begin` takes for tables, by parameters and machine: a
     *  run that has not so much is refused. NULL: little. */
    uint64_t (*tables)(const struct det_seat *seat);

    /** The run begins. The seat stays. NULL: there is nothing to do. */
    void (*begin)(void *self, struct det_seat *seat);

    /** The run is over: names all that it suspects (det_name). */
    void (*answer)(void *self, struct det_seat *seat);

    /** Gives back what `self` holds. NULL: nothing. */
    void (*end)(void *self);

    /** Events. NULL: it does not hear of it; what no model hears of costs no host time, either.
     *  `access` and `trapped` are dear: the run takes up to three times as long on the host. */
#define EVENT(name, sentence) void (*name)(void *self, const struct det_event *event);
#include "detect/events.def"
#undef EVENT
};

#endif
